"""What models of the C library promise: of each kind a wrong program and its right sibling."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from diagonal import one_in

from seahorn_py import verify
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = """
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int by_key(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
"""


class Pair(NamedTuple):
    """The body of `main`, and conditions that may hold in some run and in none."""

    body: str
    some: str
    none: str


PAIRS = {
    "putchar": Pair("int x = putchar(300);", "x == 44", "x != 44 && x != EOF"),
    "puts": Pair('int x = puts("a");', "x > 9", "x < 0 && x != EOF"),
    "pushed back": Pair(
        "int x = ungetc(7, stdin), y = getc(stdin);", "x == 7 && y == 7", "x == 7 && y != 7"
    ),
    "pushed back, after the end": Pair(
        "while (getchar() != EOF) ; int x = ungetc(7, stdin);",
        "ferror(stdin)",
        "x == 7 && feof(stdin)",
    ),
    "the end stays": Pair(
        "int x = getchar();",
        "x == EOF && !feof(stdin)",
        "x == EOF && feof(stdin) && getchar() != EOF",
    ),
    "end or error": Pair(
        "int x = getchar();",
        "x == EOF && ferror(stdin)",
        "x == EOF && !feof(stdin) && !ferror(stdin)",
    ),
    "a stream to write": Pair(
        'FILE *f = fopen("a", "w"); if (!f) return 0; int y = getc(f);',
        "y == EOF && ferror(f) && errno == EBADF",
        "y != EOF || feof(f)",
    ),
    "a stream to read": Pair(
        'FILE *f = fopen("a", "rb"); if (!f) return 0; int x = putc(7, f), y = getc(f);',
        "x == EOF && y == 7",
        'x != EOF || !ferror(f) || fwrite("a", 1, 1, f) || fputs("a", f) != EOF',
    ),
    "a stream for both": Pair(
        'FILE *f = fopen("a", "rb+"); if (!f) return 0; int x = putc(7, f);',
        "x == 7",
        "x == EOF && !ferror(f)",
    ),
    "a temporary file, read again": Pair(
        'FILE *f = tmpfile(); if (!f || fputs("ab", f) < 0 || fseek(f, 1, SEEK_SET)) return 0;'
        " int x = getc(f), y = getc(f);",
        "x == 'b' && y == EOF",
        "x != EOF && (x != 'b' || y != EOF)",
    ),
    "a temporary file, from its end": Pair(
        "FILE *f = tmpfile(); int x = __VERIFIER_nondet_int(), y = x;"
        " if (!f || fwrite(&x, 4, 1, f) != 1 || fseek(f, -4L, SEEK_END)) return 0;"
        " fread(&y, 4, 1, f);",
        "y == x && x == 3",
        "ftell(f) > 4",
    ),
    "a temporary file, overwritten": Pair(
        'FILE *f = tmpfile(); if (!f || fputs("abc", f) < 0 || fseek(f, 1, SEEK_SET)) return 0;'
        " if (putc('x', f) == EOF || fseek(f, 0, SEEK_SET)) return 0;"
        " char t[4]; unsigned long n = fread(t, 1, 3, f);",
        "n == 3 && t[1] == 'x'",
        "n == 3 && (t[0] != 'a' || t[2] != 'c')",
    ),
    "a byte is no end": Pair("int x = getchar();", "x == 255", "x != EOF && feof(stdin)"),
    "read fails for a reason": Pair(
        "char b; errno = 0; long x = read(0, &b, 1);", "x < 0 && errno == EINTR", "x < 0 && !errno"
    ),
    "environment": Pair('char *x = getenv("A"), *y = getenv("A");', "x == 0", "x != y"),
    "width of scanf": Pair(
        'unsigned x; int n = scanf("%1u", &x);', "n == 1 && x == 9", "n == 1 && x > 9"
    ),
    "one sequence of a seed": Pair(
        "srand(7); int x = rand(); srand(7); int y = rand();", "x == 5", "x != y"
    ),
    "seeds": Pair("srand(7); int x = rand(); srand(8); int y = rand();", "x != y", "x < 0"),
    "sign of strcmp": Pair('int x = strcmp("b", "a");', "x != 1", "x <= 0"),
    "sign of memcmp": Pair('int x = memcmp("a", "c", 1);', "x != -2", "x >= 0"),
    "bytes are compared without sign": Pair('int x = strcmp("\\xe4", "a");', "x > 127", "x <= 0"),
    "bsearch among equals": Pair(
        "int a[3] = {1, 1, 2}, k = 1, *x = bsearch(&k, a, 3, 4, by_key);",
        "x == a + 1",
        "x == a + 2",
    ),
    "qsort of equals": Pair(
        "int a[2][2] = {{1, 0}, {1, 1}}; qsort(a, 2, 8, by_key);",
        "a[0][1] == 1",
        "a[0][1] == a[1][1]",
    ),
    "letters of a locale": Pair(
        'char *x = setlocale(LC_ALL, "");', "isalpha(0xe4)", "!isalpha('a')"
    ),
    "a part of an element": Pair(
        "int x = 1; unsigned long n = fread(&x, 4, 1, stdin);", "n == 0 && x != 1", "n > 1"
    ),
    "length of printf": Pair(
        'int x = printf("%5.3d%hhd%.*s", 7, 300, 1, "ab"), y = printf("%05d|%#x", -12, 0);',
        "x == 8 && y == 7",
        "(x >= 0 && x != 8) || (y >= 0 && y != 7)",
    ),
    "length of printf, of any number": Pair(
        'int x = printf("%d", __VERIFIER_nondet_int());', "x == 11", "x > 11"
    ),
    "weak exchange": Pair(
        "atomic_int a = 1; int e = 1; _Bool x = atomic_compare_exchange_weak(&a, &e, 2);",
        "!x",
        "x && a != 2",
    ),
    "strong exchange": Pair(
        "atomic_int a = 1; int e = 1; _Bool x = atomic_compare_exchange_strong(&a, &e, 2);",
        "x",
        "!x",
    ),
    "a word in any case": Pair(
        'char a[4] = "xbc"; a[1] = (char)__VERIFIER_nondet_int(); char *x = strcasestr(a, "BC");',
        "x && a[1] == 'B'",
        "x && x != a + 1",
    ),
}


def answered(folder: Path, body: str, encoding: Encodings = Encodings.AUTO) -> VerificationResult:
    file = folder / "case.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    return verify(file, VerifyOptions(encoding=encoding, timeout=20, executions=0.1))


def failing(body: str, condition: str) -> str:
    return f"{body} if ({condition}) reach_error();"


@pytest.mark.parametrize("name", one_in(2, PAIRS))
def test_what_some_run_shows(name: str, tmp_path: Path) -> None:
    pair = PAIRS[name]
    result = answered(tmp_path, failing(pair.body, pair.some))
    assert result.answer is Answer.UNSAFE, result.reason


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.full if k % 2 else ()) for k, n in enumerate(PAIRS)],
)
def test_what_no_run_shows(name: str, tmp_path: Path) -> None:
    pair = PAIRS[name]
    result = answered(tmp_path, failing(pair.body, pair.none))
    assert result.answer is Answer.SAFE, result.reason


@pytest.mark.full
def test_nothing_is_known_of_case_in_another_locale(tmp_path: Path) -> None:
    body = 'setlocale(LC_ALL, ""); char *x = strcasestr("\\xe4", "\\xc4");'
    result = answered(tmp_path, failing(body, "x"), Encodings.BV)
    assert result.answer is Answer.UNKNOWN
    assert "a model of the library does not follow" in (result.reason or "")
