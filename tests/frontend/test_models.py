"""The models of the C library: against the real one on random inputs, natively and interpreted.

Cases are drawn, the library of this machine says what is right, and a program with a table of both
checks the models.  What the environment gives is checked for its range, and that its ends occur.
"""

from __future__ import annotations

import ctypes
import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from models import OPTIONS, RUN, executable, holds, lowered

from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.lowering.optimizer import lower
from seahorn_py.frontend.reading.reader import read
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import SiteKind
from seahorn_py.ir.run import Ending
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.processes.deadline import Deadline

LIBC = ctypes.CDLL(None)


def table(kind: str, rows: Sequence[Sequence[object]]) -> str:
    """A C table of structs."""
    body = ",\n".join("{" + ", ".join(map(c_text, row)) + "}" for row in rows)
    return f"static const {kind} table[] = {{\n{body}\n}};\nenum {{ ROWS = {len(rows)} }};\n"


def c_text(value: object) -> str:
    if isinstance(value, bytes):
        return '"' + "".join(f"\\{byte:03o}" for byte in value) + '"'
    if isinstance(value, int) and not -(1 << 31) < value < 1 << 31:
        return f"(long long){value % (1 << 64)}ull"
    return str(value)


def offset(found: int | None, start: ctypes.Array[ctypes.c_char]) -> int:
    return -1 if not found else found - ctypes.addressof(start)


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def pointer(name: str, *arguments: object) -> int | None:
    """What a function of the library that gives a pointer returns."""
    function = getattr(LIBC, name)
    function.restype = ctypes.c_void_p
    result: int | None = function(*arguments)
    return result


# ------------------------------------------------------------------------------------- string.h

SEARCHES = """
struct row {
  char a[10], b[10]; int c, n;
  int strlen_, strnlen_, strcmp_, strncmp_, strcasecmp_, strncasecmp_, memcmp_, strchr_, strrchr_,
      strstr_, strspn_, strcspn_, strpbrk_, memchr_, memrchr_, strchrnul_, strcasestr_;
};
"""
SEARCHING = """
#define AT(p) ((p) == 0 ? -1 : (int)((const char *)(p) - r->a))
int main(void) {
  for (int i = 0; i < ROWS; i++) {
    const struct row *r = &table[i];
    CHECK(strlen(r->a) == r->strlen_);
    CHECK(strnlen(r->a, r->n) == r->strnlen_);
    CHECK(SIGN(strcmp(r->a, r->b)) == r->strcmp_);
    CHECK(SIGN(strncmp(r->a, r->b, r->n)) == r->strncmp_);
    CHECK(SIGN(strcasecmp(r->a, r->b)) == r->strcasecmp_);
    CHECK(SIGN(strncasecmp(r->a, r->b, r->n)) == r->strncasecmp_);
    CHECK(SIGN(memcmp(r->a, r->b, r->n)) == r->memcmp_);
    CHECK(AT(strchr(r->a, r->c)) == r->strchr_);
    CHECK(AT(strrchr(r->a, r->c)) == r->strrchr_);
    CHECK(AT(strstr(r->a, r->b)) == r->strstr_);
    CHECK(strspn(r->a, r->b) == r->strspn_);
    CHECK(strcspn(r->a, r->b) == r->strcspn_);
    CHECK(AT(strpbrk(r->a, r->b)) == r->strpbrk_);
    CHECK(AT(memchr(r->a, r->c, r->n)) == r->memchr_);
    extern void *memrchr(const void *, int, size_t);
    extern char *strchrnul(const char *, int);
    extern char *strcasestr(const char *, const char *);
    CHECK(AT(memrchr(r->a, r->c, r->n)) == r->memrchr_);
    CHECK(AT(strchrnul(r->a, r->c)) == r->strchrnul_);
    CHECK(AT(strcasestr(r->a, r->b)) == r->strcasestr_);
  }
}
"""


def drawn_text(draw: random.Random, limit: int) -> bytes:
    return bytes(draw.choice(b"aabABz\xe9 ") for _ in range(draw.randint(0, limit)))


def search_row(draw: random.Random) -> list[object]:
    texts = drawn_text(draw, 9), drawn_text(draw, draw.choice((1, 2, 9)))
    a, b = (ctypes.create_string_buffer(text, 10) for text in texts)
    c, n = draw.choice((97, 98, 66, 0, 233, -23, 0x161)), draw.randint(0, 9)
    return [
        *(*texts, c, n, LIBC.strlen(a), LIBC.strnlen(a, n)),
        *(sign(LIBC.strcmp(a, b)), sign(LIBC.strncmp(a, b, n))),
        *(sign(LIBC.strcasecmp(a, b)), sign(LIBC.strncasecmp(a, b, n))),
        *(sign(LIBC.memcmp(a, b, n)), offset(pointer("strchr", a, c), a)),
        *(offset(pointer("strrchr", a, c), a), offset(pointer("strstr", a, b), a)),
        *(LIBC.strspn(a, b), LIBC.strcspn(a, b), offset(pointer("strpbrk", a, b), a)),
        *(offset(pointer("memchr", a, c, n), a), offset(pointer("memrchr", a, c, n), a)),
        *(offset(pointer("strchrnul", a, c), a), offset(pointer("strcasestr", a, b), a)),
    ]


@pytest.mark.full
def test_searches_and_comparisons_of_strings() -> None:
    draw = random.Random(1)
    rows = [search_row(draw) for _ in range(150)]
    holds(SEARCHES + table("struct row", rows) + SEARCHING)


CHANGES = {
    "strcpy": "strcpy(t, r->a) == t",
    "strncpy": "strncpy(t, r->a, r->n) == t",
    "strcat": "strcat(t, r->a) == t",
    "strncat": "strncat(t, r->a, r->n) == t",
    "stpcpy": "stpcpy(t, r->a) == t + strlen(r->a)",
    "memmove": "memmove(t + 2, t, r->n) == t + 2",
    "memset": "memset(t, r->a[0], r->n) == t",
    "memccpy": "memccpy(t, r->a, 'b', r->n) == (r->found < 0 ? 0 : t + r->found)",
}
"""What is done to a buffer that holds the text b."""


def changed(name: str, a: bytes, b: bytes, n: int) -> tuple[bytes, int]:
    """The buffer afterwards, and the offset of the result."""
    source, target = ctypes.create_string_buffer(a, 20), ctypes.create_string_buffer(b, 20)
    start = ctypes.addressof(target)
    arguments: dict[str, tuple[object, ...]] = {
        "memmove": (ctypes.c_void_p(start + 2), target, n),
        "memset": (target, source[0][0], n),
        "memccpy": (target, source, ord("b"), n),
        "strncpy": (target, source, n),
        "strncat": (target, source, n),
    }
    found = pointer(name, *arguments.get(name, (target, source)))
    return target.raw, offset(found, target)


def test_what_is_written() -> None:
    draw = random.Random(2)
    rows: list[list[object]] = []
    for number, name in enumerate(CHANGES):
        for _ in range(20):
            a, b, n = drawn_text(draw, 9), drawn_text(draw, 9), draw.randint(0, 9)
            rows.append([number, a, b, n, *changed(name, a, b, n)])
    cases = "\n".join(f"case {k}: CHECK({text}); break;" for k, text in enumerate(CHANGES.values()))
    holds(
        f"""
struct row {{ int change; char a[20], b[20]; int n; char after[20]; int found; }};
{table("struct row", rows)}
char *stpcpy(char *, const char *);
int main(void) {{
  for (int i = 0; i < ROWS; i++) {{
    const struct row *r = &table[i];
    char t[20];
    for (int j = 0; j < 20; j++) t[j] = r->b[j];
    switch (r->change) {{ {cases} }}
    for (int j = 0; j < 20; j++) CHECK(t[j] == r->after[j]);
  }}
}}
"""
    )


def test_tokens() -> None:
    holds(
        """
int main(void) {
  char a[] = ",,ab,;c;", b[] = "x,,y", *rest = b, *token;
  CHECK(strcmp(strtok(a, ",;"), "ab") == 0);
  CHECK(strcmp(strtok(0, ",;"), "c") == 0);
  CHECK(strtok(0, ",;") == 0 && strtok(0, ",;") == 0);
  CHECK(strcmp(strsep(&rest, ","), "x") == 0);
  CHECK(strcmp(strsep(&rest, ","), "") == 0);
  CHECK(strcmp(strsep(&rest, ","), "y") == 0);
  CHECK(strsep(&rest, ",") == 0);
  token = strdup("text");
  CHECK(token[3] == 't' && token[4] == 0);
  CHECK(strcmp(strndup("text", 2), "te") == 0);
}
"""
    )


# -------------------------------------------------------------------------------------- ctype.h

CLASSES = (
    *("alnum", "alpha", "blank", "cntrl", "digit", "graph"),
    *("lower", "print", "punct", "space", "upper", "xdigit"),
)


def test_classes_of_characters() -> None:
    classes = [getattr(LIBC, f"is{name}") for name in CLASSES]
    rows = [
        [c, *(int(is_(c) != 0) for is_ in classes), LIBC.tolower(c), LIBC.toupper(c)]
        for c in range(-1, 256)
    ]
    members = ", ".join(f"{name}_" for name in CLASSES)
    checks = "\n".join(f"CHECK((is{name}(r->c) != 0) == r->{name}_);" for name in CLASSES)
    holds(
        f"""
struct row {{ int c, {members}, low, up; }};
{table("struct row", rows)}
int main(void) {{
  for (int i = 0; i < ROWS; i++) {{
    const struct row *r = &table[i];
    {checks}
    CHECK(tolower(r->c) == r->low && toupper(r->c) == r->up);
  }}
}}
"""
    )


@pytest.mark.skipif(not hasattr(LIBC, "__ctype_b_loc"), reason="a library without these tables")
def test_tables_of_characters() -> None:
    real = []
    for name, kind in (
        ("b", ctypes.c_uint16),
        ("tolower", ctypes.c_int),
        ("toupper", ctypes.c_int),
    ):
        function = getattr(LIBC, f"__ctype_{name}_loc")
        function.restype = ctypes.POINTER(ctypes.POINTER(kind))
        real.append(function()[0])
    rows = [[part[c] for part in real] for c in range(-128, 256)]
    holds(
        f"""
struct row {{ int class, low, up; }};
{table("struct row", rows)}
int main(void) {{
  for (int i = 0; i < ROWS; i++) {{
    CHECK((*__ctype_b_loc())[i - 128] == table[i].class);
    CHECK((*__ctype_tolower_loc())[i - 128] == table[i].low);
    CHECK((*__ctype_toupper_loc())[i - 128] == table[i].up);
  }}
}}
"""
    )


# ------------------------------------------------------------------------------------- stdlib.h


def number_text(draw: random.Random) -> bytes:
    space = draw.choice((b"", b" ", b"\t\n "))
    mark = draw.choice((b"", b"-", b"+", b"-", b"+-"))
    prefix = draw.choice((b"", b"", b"0", b"0x", b"0X", b"0xg"))
    near = draw.choice((0, 1 << 31, 1 << 32, 1 << 63, 1 << 64, 10**20)) + draw.randint(-2, 99)
    digits = draw.choice((str(abs(near)), f"{abs(near):x}", "z9", "")).encode()
    return space + mark + prefix + digits + draw.choice((b"", b"x", b" 1", b"-"))


def number_row(draw: random.Random) -> list[object]:
    text, base = number_text(draw), draw.choice((0, 10, 10, 16, 8, 2, 36, 1))
    row: list[object] = [text, base]
    for name, kind in (("strtoll", ctypes.c_int64), ("strtoull", ctypes.c_uint64)):
        function = getattr(LIBC, name)
        function.restype = kind
        buffer = ctypes.create_string_buffer(text)
        end = ctypes.c_void_p(ctypes.addressof(buffer))
        value = function(buffer, ctypes.byref(end), base)
        row += [value, offset(end.value, buffer)]
    function = LIBC.strtoll
    function.restype = ctypes.c_int64
    return [*row, function(text, None, 10)]


def test_numbers_in_text() -> None:
    draw = random.Random(3)
    rows = [number_row(draw) for _ in range(200)]
    holds(
        f"""
struct row {{
  char text[40]; int base; long long s; int s_end; unsigned long long u; int u_end; long long ten;
}};
{table("struct row", rows)}
#define CLAMPED(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
int main(void) {{
  for (int i = 0; i < ROWS; i++) {{
    const struct row *r = &table[i];
    const long smallest = (long)(1ul << (sizeof(long) * 8 - 1)), greatest = ~smallest;
    char *end = (char *)r->text;
    CHECK(strtoll(r->text, &end, r->base) == r->s && end - r->text == r->s_end);
    end = (char *)r->text;
    CHECK(strtoull(r->text, &end, r->base) == r->u && end - r->text == r->u_end);
    errno = 0;
    CHECK(strtol(r->text, 0, r->base) == CLAMPED(r->s, smallest, greatest));
    CHECK((errno == ERANGE) >= (r->s > greatest || r->s < smallest));
    CHECK(atol(r->text) == CLAMPED(r->ten, smallest, greatest));
    CHECK(atoi(r->text) == (int)CLAMPED(r->ten, smallest, greatest));
    CHECK(atoll(r->text) == r->ten);
  }}
}}
"""
    )


def test_sorting_and_searching() -> None:
    draw = random.Random(4)
    numbers = [draw.randint(-50, 50) for _ in range(25)]
    values = ", ".join(map(str, numbers))
    ordered = ", ".join(map(str, sorted(numbers)))
    holds(
        f"""
static int order(const void *a, const void *b) {{ return *(const int *)a - *(const int *)b; }}
int a[] = {{{values}}}, s[] = {{{ordered}}};
int main(void) {{
  int n = sizeof a / sizeof *a, hits = 0;
  qsort(a, n, sizeof *a, order);
  for (int i = 0; i < n; i++) CHECK(a[i] == s[i]);
  for (int x = -60; x <= 60; x++) {{
    int *found = bsearch(&x, a, n, sizeof *a, order), there = 0;
    for (int i = 0; i < n; i++) there |= a[i] == x;
    CHECK((found != 0) == there && (!found || *found == x));
  }}
}}
"""
    )


def test_arithmetic() -> None:
    holds(
        """
int main(void) {
  int (*absolute)(int) = abs;
  div_t d = div(-7, 2);
  ldiv_t l = ldiv(7, -2);
  lldiv_t ll = lldiv(-7, -2);
  CHECK(absolute(-3) == 3 && labs(-3l) == 3 && llabs(3ll) == 3);
  CHECK(d.quot == -3 && d.rem == -1 && l.quot == -3 && l.rem == 1 && ll.quot == 3 && ll.rem == -1);
  CHECK(ffs(0) == 0 && ffs(1) == 1 && ffs(-2147483647 - 1) == 32 && ffs(12) == 3);
  CHECK(ffsl(0) == 0 && ffsl(-1) == 1 && ffsl(1L << 20) == 21 && toascii(200) == 72);
  CHECK(ffsll(1LL << 60) == 61 && ffsll(0) == 0 && ffsl(~(~0UL >> 1)) == 8 * sizeof(long));
}
"""
    )


# ------------------------------------------------------------------------------ the environment

RANGES = [
    (
        "int x = getchar();",
        "x >= -1 && x <= 255",
        "x == -1",
        "x == 255",
        "x == 0",
    ),
    (
        "int x = rand();",
        "x >= 0",
        "x == 0",
        "x > 2000000000",
    ),
    (
        "long x = time(0);",
        "x >= -1",
        "x == -1",
        "x > 1000000",
    ),
    (
        "char b[3]; b[2] = 7; int x = read(0, b, 2);",
        "x >= -1 && x <= 2 && b[2] == 7",
        "x == -1",
        "x == 1",
        "x == 2 && b[1] > 'A'",
    ),
    (
        "char b[4]; b[3] = 7; char *x = fgets(b, 3, stdin);",
        "!x || (x == b && b[3] == 7 && (!b[0] || !b[1] || !b[2]) && (b[0] != 10 || !b[1]))",
        "!x",
        "x && b[0] && b[1] == 10",
    ),
    (
        'int a = 5; char s[3]; s[0] = 1; int x = scanf(" %d%*d:%2s", &a, s);',
        "x >= -1 && x <= 2 && (x > 0 || a == 5) && (x < 2 ? s[0] == 1 : s[0] != ' ')",
        "x == -1",
        "x == 1 && a > 7",
        "x == 2 && s[0] && s[1]",
    ),
    (
        'char *x = getenv("A");',
        "!x || strlen(x) < 1 << 17",
        "!x",
        "x && x[0] && x[1]",
    ),
    (
        'errno = 0; FILE *x = fopen("f", "r"), *y = fopen("g", "r");',
        "(x || errno) && (!x || x != y) && x != stdin",
        "x && y",
        "!x",
    ),
    (
        "short b[2]; size_t x = fread(b, 2, 2, stdin);",
        "x <= 2",
        "x == 0",
        "x == 1",
        "x == 2 && b[1] > 255",
    ),
    (
        "int x = putchar(300);",
        "x == 44 || (x == EOF && ferror(stdout))",
        "x == 44",
        "x == EOF && errno == ENOSPC",
    ),
    ('int x = puts("a");', "x >= 0 || (x == EOF && ferror(stdout))", "x == 0", "x > 9", "x == EOF"),
    (
        "while (getchar() != EOF) ;",
        "!feof(stdin) != !ferror(stdin) && (!feof(stdin) || getchar() == EOF)",
        "feof(stdin)",
        "ferror(stdin) && getchar() != EOF",
    ),
    ("while (getchar() != EOF) ; clearerr(stdin);", "!feof(stdin) && !ferror(stdin)"),
    (
        "errno = 0; int x = getchar();",
        "x == EOF ? !ferror(stdin) == !errno : !errno && !feof(stdin)",
        "x == EOF && errno == EIO",
    ),
    (
        "int x = getchar(), y = ungetc(7, stdin), z = ungetc(8, stdin);",
        "y == 7 && (z == 8 || z == EOF) && !feof(stdin) && getchar() == (z == 8 ? 8 : 7)",
        "z == 8",
        "z == EOF",
    ),
    ("int x = ungetc(EOF, stdin);", "x == EOF"),
    ("char b[4]; ungetc(65, stdin); char *x = fgets(b, 4, stdin);", "!x || b[0] == 65", "x"),
    (
        "char b[3]; ungetc(65, stdin); size_t x = fread(b, 1, 2, stdin);",
        "x && b[0] == 65",
        "x == 2",
    ),
    ('char b[4] = "ab"; char *x = fgets(b, 4, stdin);', "x || !feof(stdin) || b[0] == 97", "!x"),
    (
        "int b[2] = {1, 1}; size_t x = fread(b, 4, 1, stdin);",
        "b[1] == 1 && (x == 1 || !feof(stdin) != !ferror(stdin))",
        "x == 0 && b[0] != 1",
        "x == 0 && b[0] == 1",
    ),
    (
        'FILE *f = fopen("f", "r"); long x = f ? ftell(f) : 0; int c = f ? getc(f) : EOF;',
        "c == EOF || ftell(f) == (x < 0 ? -1 : x + 1)",
        "c != EOF && x == -1 && errno == ESPIPE",
        "c != EOF && x > 7",
    ),
    (
        "int x = fseek(stdin, 5, SEEK_SET);",
        "x == 0 ? ftell(stdin) == 5 && !feof(stdin) : x == -1",
        "x == 0",
        "x == -1",
    ),
    (
        'unsigned x; int n = scanf("%2u", &x);',
        "n != 1 || x < 100 || x > -10u",
        "n == 1 && x == 99",
        "n == 1 && x == -9u",
        "n == EOF && ferror(stdin)",
    ),
    ('int x; int n = scanf("%1x", &x);', "n != 1 || (x >= 0 && x < 16)", "n == 1 && x == 15"),
    (
        'int x = printf("%5s|%d%%", "abc", -12);',
        "x == 10 || (x < 0 && ferror(stdout))",
        "x == 10",
        "x < 0",
    ),
    (
        'int x = fprintf(stderr, "%#x%c", 255u, 65);',
        "x == 5 || (x < 0 && ferror(stderr))",
        "x == 5",
    ),
    (
        "srand(7); int a = rand(), b = rand(); srand(8); int c = rand(); srand(7);",
        "rand() == a && rand() == b",
        "c != a",
    ),
    ("int a = rand(); srand(1);", "rand() == a"),
    ("unsigned s = 5, t = 5; int a = rand_r(&s);", "rand_r(&t) == a && s == t"),
    (
        'char *x = getenv("A"), *y = getenv("B");',
        'x == getenv("A") && (!x || !y || x != y)',
        "x && !y",
        "y && !x",
    ),
    (
        "int a[3][2] = {{1, 0}, {0, 1}, {1, 2}}; qsort(a, 3, 8, order);",
        "a[0][1] == 1 && a[1][0] == 1 && a[2][0] == 1",
        "a[1][1] == 0",
        "a[1][1] == 2",
    ),
    (
        "int a[4] = {0, 1, 1, 1}, k = 1, *x = bsearch(&k, a, 4, 4, order);",
        "x > a && x < a + 4",
        "x == a + 1",
        "x == a + 2",
        "x == a + 3",
    ),
    ('int x = strcmp("a", "c");', "x < 0", "x == -1", "x < -9"),
    ('int x = memcmp("c", "a", 1);', "x > 0", "x == 1", "x > 9"),
    (
        'char *x = setlocale(LC_ALL, "");',
        "(!x || !isalpha(233) || isalnum(233)) && isalpha(65) && !isalpha(48)",
        "x && isalpha(233)",
        "x && !isprint(233)",
        "x && toupper(233) != 233",
    ),
    ("char *x = setlocale(LC_ALL, 0);", 'x && !strcmp(x, "C") && !isalpha(233)'),
    ('char *x = setlocale(LC_ALL, "POSIX");', "x && !isalpha(233) && tolower(200) == 200"),
    ("char *x = strerror(2);", "x && strerror(2) == x && strlen(x) < 1 << 17", "x[0] && x[1]"),
    ("errno = 0; char b; int x = read(0, &b, 1);", "x >= 0 ? !errno : errno > 0", "errno == EBADF"),
    ("errno = 0; int x = close(1);", "x == 0 ? !errno : x == -1 && errno", "errno == EINTR"),
    (
        'errno = 0; int x = remove("f");',
        "x == 0 ? !errno || errno == EISDIR : x == -1 && errno",
        "errno == ENOENT",
    ),
    ("clock_t x = clock(), y = clock();", "x == -1 || y == -1 || y >= x", "x == -1", "y > x"),
    ("int x = getpid();", "x > 0 && getpid() == x", "x > 9"),
    ('size_t x = fwrite("ab", 1, 2, stdout);', "x == 2 || ferror(stdout)", "x == 1", "x == 0"),
]
"""A call, what always holds of its result, and what sometimes does."""


@pytest.mark.full
def test_the_range_of_what_the_environment_gives() -> None:
    """What always holds holds in every run; each further condition holds in some run."""
    cases = [
        f"case {k}: {{ {body} if (!({always})) wrong(); "
        + " ".join(f"if (pick == {n} && ({end})) seen();" for n, end in enumerate(ends))
        + " break; }"
        for k, (body, always, *ends) in enumerate(RANGES)
    ]
    low = lowered(
        f"""
unsigned char __VERIFIER_nondet_uchar(void);
static int order(const void *x, const void *y) {{ return *(const int *)x - *(const int *)y; }}
static void wrong(void) {{ reach_error(); }}
static void seen(void) {{ reach_error(); }}
int main(void) {{
  unsigned char row = __VERIFIER_nondet_uchar(), pick = __VERIFIER_nondet_uchar();
  switch (row) {{ {chr(10).join(cases)} }}
}}
"""
    )
    names = {c.number: c.origin.chain[0].function for c in read(low).checks}
    row, pick = (site.number for site in low.sites if site.name == "__VERIFIER_nondet_uchar")
    found: list[str] = []
    with executable(low, 64) as built:
        for k, (body, _, *ends) in enumerate(RANGES):
            for n, end in enumerate(ends or ("",)):
                drawn = Drawn(1, (1, 2, 7, 10, 97, 98, 108), {row: (k,), pick: (n,)})
                wanted = {"seen"} if end else set()
                for count in (200, 1_000):  # most outcomes are frequent
                    runs = native.sample(built, drawn, count, Deadline.after(30), RUN).outcomes
                    failed = {names[run.check] for run in runs if run.check is not None}
                    if failed == wanted:
                        break
                else:
                    found.append(f"{body} {end}: {failed}")
    assert found == [], "\n".join(found)


# ---------------------------------------------------------------------- what is of the library


def reached(source: str, options: FrontendOptions = OPTIONS) -> bool:
    """Whether the run with zeros as inputs reaches an error; natively and interpreted alike."""
    low = lowered(source, options)
    outcome = Interpreter(read(low)).run({}, RUN)
    with executable(low, options.bits) as built:
        assert native.run(built, {}, RUN).ending is outcome.ending
    return outcome.ending is Ending.FAILED


def test_functions_of_the_program_win() -> None:
    assert reached(
        """
void *memcpy(void *to, const void *from, size_t n) { ((char *)to)[0] = 7; return to; }
int abs(int x) { return 3; }
size_t strlen(const char *s) { return 42; }
int main(void) {
  char a[2] = {1, 2}, b[2] = {0, 0};
  memcpy(b, a, 2);
  CHECK(!(b[0] == 7 && b[1] == 0 && abs(-1) == 3 && strlen("a") == 42));
}
"""
    )


def test_static_functions_of_the_program_do_not_change_the_library() -> None:
    source = """
extern void reach_error(void);
extern char *strdup(const char *);
static char buffer[4];
static void *malloc(unsigned long n) { return buffer; }
static unsigned long length(const char *s) { return 99; }
int main(void) {
  char *copy = strdup("ab");
  if (copy != buffer && copy[1] == 'b' && length("") == 99 && malloc(1) == buffer) reach_error();
}
"""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text(source)
        low = lower(compile_files([file], OPTIONS, Deadline.after(60)), OPTIONS, Deadline.after(60))
    assert Interpreter(read(low)).run({}, RUN).ending is Ending.FAILED


def test_copies_through_pointers() -> None:
    holds(
        """
void *(*volatile copy)(void *, const void *, size_t) = memcpy;
void *(*volatile fill)(void *, int, size_t) = memset;
int main(void) {
  char a[3] = "ab", b[3];
  copy(b, a, 3);
  fill(a, 'x', 2);
  CHECK(strcmp(b, "ab") == 0 && strcmp(a, "xx") == 0);
}
"""
    )


def test_a_function_of_another_type_is_not_the_librarys() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text("extern int getchar(int *); int main(void) { int x; return getchar(&x); }")
        low = lower(compile_files([file], OPTIONS, Deadline.after(60)), OPTIONS, Deadline.after(60))
    assert "@getchar(" in low.native and "<libc>" not in low.native


def test_handlers_run_in_reverse_order() -> None:
    holds(
        """
static int order;
static void last(void) { CHECK(order == 1); }
static void first(void) { order++; }
int main(void) { atexit(last); atexit(first); if (order == 0) exit(0); reach_error(); }
"""
    )


# ------------------------------------------------------------------------------------- allocation


def test_fresh_blocks_of_known_size_have_arbitrary_contents() -> None:
    low = lowered("int main(void) { int *p = malloc(8); CHECK(p[1] != 5); }")
    (site,) = [s for s in read(low).sites if s.name == "malloc"]
    assert site.kind is SiteKind.UNINIT
    feed = {site.number: (0, 0, 0, 0, 5, 0, 0, 0)}
    assert Interpreter(read(low)).run(feed, RUN).ending is Ending.FAILED


def test_allocation_fails_only_where_it_may() -> None:
    source = 'int main(void) { char *p = malloc(8), *q = strdup(""); CHECK(p && q); }'
    never = read(lowered(source))
    assert all(site.kind is SiteKind.UNINIT for site in never.sites)
    program = read(lowered(source, replace(OPTIONS, malloc_may_fail=True)))
    failing = [site.number for site in program.sites if site.kind is SiteKind.EXTERN]
    assert len(failing) == 2
    for number in failing:
        assert Interpreter(program).run({number: (1,)}, RUN).ending is Ending.FAILED
    assert Interpreter(program).run({}, RUN).ending is Ending.ENDED


def test_products_that_are_no_size_give_null() -> None:
    holds(
        """
volatile size_t n = (size_t)-1 / 4;
int main(void) {
  void *aligned = 0;
  CHECK(calloc(n, 5) == 0 && errno == ENOMEM && ((char *)calloc(n - n + 2, 3))[5] == 0);
  CHECK(posix_memalign(&aligned, 3, 8) == EINVAL && aligned == 0);
  CHECK(posix_memalign(&aligned, 64, 8) == 0 && (size_t)aligned % 64 == 0);
}
"""
    )


def test_what_a_model_does_is_placed_at_the_call() -> None:
    options = replace(OPTIONS, properties=frozenset({Property.VALID_DEREF}))
    program = read(lowered('int main(void) {\n  char a[2];\n  strcpy(a, "too long");\n}', options))
    assert program.checks
    assert {check.origin.span.function for check in program.checks if check.origin.span} == {"main"}
