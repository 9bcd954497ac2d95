"""Library functions: those that a program defines itself, and those that have no model.

A case is a wrong program and its right sibling.  What a function without a model does through a
pointer is not checked, so of a wrong program it only counts that it is not called safe.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import one_in

from seahorn_py import verify
from seahorn_py.base.errors import UnsupportedError
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = """
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
"""


def answered(
    asked: str, folder: Path, *texts: str, bits: int = 64, timeout: float = 20
) -> VerificationResult:
    files = [folder / f"case{number}.c" for number, _ in enumerate(texts)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    frontend = FrontendOptions(bits=bits, properties=frozenset({Property(asked)}))
    options = VerifyOptions(frontend, Encodings.INT, timeout=timeout, executions=0.1)
    return verify(files, options)


def in_main(body: str) -> str:
    return f"{HEAD}int main(void) {{ {body} return 0; }}\n"


OWN = {
    "modf": ("double modf(double x, double *i)", "double i; modf(1.5, &i);"),
    "finite": ("int finite(double x)", "finite(1.5);"),
    "__finitef": ("int __finitef(float x)", "__finitef(1.5f);"),
    "roundeven": ("double roundeven(double x)", "roundeven(1.5);"),
    "fmaximum_numf": ("float fmaximum_numf(float x, float y)", "fmaximum_numf(1, 2);"),
    "fminimum_num": ("double fminimum_num(double x, double y)", "fminimum_num(1, 2);"),
    "alloca": ("void *alloca(unsigned long n)", "alloca(1);"),
    "exit": ("void exit(int code)", "exit(1);"),
    "wcslen": ("unsigned long wcslen(const int *s)", 'wcslen(L"a");'),
}
ERROR = "extern void reach_error(void);\n"


@pytest.mark.parametrize("name", OWN)
def test_a_function_of_the_program_is_called(name: str, tmp_path: Path) -> None:
    head, use = OWN[name]
    failing = f"{ERROR}{head} {{ reach_error(); }}\nint main(void) {{ {use} return 0; }}\n"
    assert answered("unreach-call", tmp_path, failing).answer is Answer.UNSAFE
    ending = f"{ERROR}{head} {{ for (;;) ; }}\nint main(void) {{ {use} reach_error(); }}\n"
    assert answered("unreach-call", tmp_path, ending).answer is Answer.SAFE


def test_a_function_of_another_file_is_called(tmp_path: Path) -> None:
    text = "double modf(double, double *);\nint main(void) { double i; modf(1.5, &i); return 0; }\n"
    other = f"{ERROR}double modf(double x, double *i) {{ reach_error(); return 0; }}\n"
    assert answered("unreach-call", tmp_path, text, other).answer is Answer.UNSAFE


def test_a_static_function_of_another_file_is_not(tmp_path: Path) -> None:
    text = (
        f"{ERROR}double modf(double, double *);\n"
        "int main(void) { double i; if (modf(2.0, &i) != 0) reach_error(); return 0; }\n"
    )
    other = "static double modf(double x, double *i) { return 1; }\n"
    other += "double one(void) { double i; return modf(2.0, &i); }\n"
    assert answered("unreach-call", tmp_path, text, other).answer is not Answer.UNSAFE


ACCESSES = {
    "sprintf": 'char b[4]; sprintf(b, "%d", 123456);',
    "snprintf": 'char b[4]; snprintf(b, 10, "%d", 123456);',
    "sscanf": 'char b[3]; sscanf("hello", "%s", b);',
    "string of printf": 'char b[2] = {1, 2}; printf("%s\\n", b);',
    "string after a width": 'printf("%*s\\n", 3, (char *)0);',
    "missing argument": 'printf("%d %s\\n", 1);',
    "puts": "char *p = malloc(1); if (!p) return 0; *p = 0; free(p); puts(p);",
    "fputs": "fputs(NULL, stdout);",
    "perror": "char *p = malloc(1); if (!p) return 0; *p = 0; free(p); perror(p);",
    "literal without end": 'static const char c[2] = "ab"; puts(c);',
    "fortified": 'char b[3]; __builtin___strcpy_chk(b, "hello", -1);',
    "wide characters": 'wchar_t b[3]; wcscpy(b, L"hello");',
    "strtod": "char b[1] = {49}; strtod(b, 0);",
    "frexp": "frexp(3.0, NULL);",
    "frexp of a character": "char e; frexp(3.0, (int *)&e);",
    "lgamma_r of a character": "char e; lgamma_r(3.0, (int *)&e);",
    "strftime": 'struct tm t = {0}; char b[3]; strftime(b, 90, "%Y", &t);',
    "getcwd": "char b[3]; getcwd(b, 1000);",
    "lock": "int m; pthread_mutex_lock((pthread_mutex_t *)&m);",
    "setenv": 'char b[1] = {49}; setenv("a", b, 1);',
}


@pytest.mark.parametrize("name", one_in(3, ACCESSES))
def test_a_pointer_that_nothing_checks(name: str, tmp_path: Path) -> None:
    result = answered("valid-deref", tmp_path, in_main(ACCESSES[name]), timeout=8)
    assert result.answer is not Answer.SAFE


FINE = {
    "literals": 'puts("hi"); perror("x"); fputs("", stdout); setenv("a", "b", 1);',
    "values": 'printf("%d %c %-5.2f%%\\n", __VERIFIER_nondet_int(), 65, 1.0);',
    "strings": 'printf("%s %*d %p\\n", "x", 3, 4, (void *)0);',
    "streams": 'FILE *f = fopen("a", "r"); if (f) { fprintf(f, "x"); fclose(f); }',
    "lock": "pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m);",
    "results": "int e; lgamma_r(3.0, &e);",
}


@pytest.mark.full
@pytest.mark.parametrize("name", FINE)
def test_pointers_that_are_fine(name: str, tmp_path: Path) -> None:
    result = answered("valid-memsafety", tmp_path, in_main(FINE[name]))
    assert result.answer is Answer.SAFE, result.reason


PASSED = (
    HEAD + 'int main(int argc, char **argv) { {use} printf("%s\\n", argv[{index}]); return 0; }\n'
)


@pytest.mark.full
def test_the_name_of_the_program(tmp_path: Path) -> None:
    right = PASSED.replace("{use}", "if (argc < 1) return 1;").replace("{index}", "0")
    assert answered("valid-deref", tmp_path, right).answer is Answer.SAFE
    for use, index in (("", "1"), ("argv[0] = 0;", "0")):
        wrong = PASSED.replace("{use}", use).replace("{index}", index)
        assert answered("valid-deref", tmp_path, wrong, timeout=3).answer is not Answer.SAFE


TEXTS = {
    "its end": ("char a[2] = {'a', 'b'};", "char a[2] = {'a', 0};", 'printf("%d %s", 1, a);'),
    "precision": ("char a[2] = {'a', 'b'}; int n = 3;", "char a[2] = {'a', 'b'}; int n = 2;",
                  'fprintf(stderr, "%.*s", n, a);'),
    "null": ("char *a = 0;", 'char b[2] = {0}, *a = b;', 'printf("%5s", a);'),
    "array that is written": ('static char a[2] = "a"; a[1] = 1; char b[2] = {0};',
                              'static char a[2] = "a"; a[0] = 0; char b[2] = {0};',
                              'printf("%s %s", b, a);'),
    "stream": ('FILE *f = 0; char b[2] = {0};', 'FILE *f = stderr; char b[2] = {0};',
               'fprintf(f, "%s", b);'),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_are_written_out_are_read(name: str, tmp_path: Path) -> None:
    wrong, right, use = TEXTS[name]
    found = answered("valid-deref", tmp_path, in_main(wrong + use))
    assert found.answer is Answer.UNSAFE, found.reason
    proved = answered("valid-deref", tmp_path, in_main(right + use))
    assert proved.answer is Answer.SAFE, proved.reason


def test_a_string_without_end_is_not_known(tmp_path: Path) -> None:
    wrong = 'static const char a[1] = "a"; char b[2] = {0}; printf("%s %s", b, a);'
    assert answered("valid-deref", tmp_path, in_main(wrong)).answer is not Answer.SAFE


def test_a_stream_without_texts_is_read(tmp_path: Path) -> None:
    wrong = 'FILE *f = 0; fprintf(f, "a");'
    assert answered("valid-deref", tmp_path, in_main(wrong)).answer is not Answer.SAFE


def test_a_format_that_is_written_may_count(tmp_path: Path) -> None:
    text = (
        "static char f[4] = \"%d\"; int x = 7; f[1] = 'n';"
        " printf(f, &x); if (x != 7) reach_error();"
    )
    with pytest.raises(UnsupportedError):
        answered("unreach-call", tmp_path, in_main(text))


def test_null_of_a_function_without_a_model(tmp_path: Path) -> None:
    wrong, right = "lgamma_r(3.0, NULL);", "int e; lgamma_r(3.0, &e);"
    assert answered("null-deref", tmp_path, in_main(wrong), timeout=8).answer is Answer.UNKNOWN
    assert answered("null-deref", tmp_path, in_main(right)).answer is Answer.SAFE


BLOCKS = {
    "getline": "char *p = 0; size_t n = 0; getline(&p, &n, stdin);",
    "asprintf": 'char *p; asprintf(&p, "a");',
    "scanf": 'char *p; scanf("%ms", &p);',
    "realpath": 'realpath("/", 0);',
}


@pytest.mark.parametrize("name", one_in(2, BLOCKS))
@pytest.mark.parametrize("asked", ["valid-memcleanup", "valid-memtrack"])
def test_a_block_that_nothing_sees(name: str, asked: str, tmp_path: Path) -> None:
    assert answered(asked, tmp_path, in_main(BLOCKS[name]), timeout=8).answer is not Answer.SAFE


def test_functions_that_leave_no_block(tmp_path: Path) -> None:
    text = in_main('char b[4096]; realpath("/", b);')
    assert answered("valid-memcleanup", tmp_path, text).answer is Answer.SAFE


def test_the_reason_names_the_function(tmp_path: Path) -> None:
    text = in_main("char b[3]; strfry(b);")
    result = answered("valid-deref", tmp_path, text, timeout=8)
    assert result.answer is Answer.UNKNOWN
    assert "strfry" in (result.reason or "")


def test_a_function_of_no_header_is_trusted(tmp_path: Path) -> None:
    text = "extern void store(int *); int main(void) { int x; store(&x); return 0; }\n"
    result = answered("valid-deref", tmp_path, text)
    assert result.answer is Answer.SAFE
    assert any("store" in entry.text for entry in result.ledger)


CALLED = (
    "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
    "int main(void) { void (*f)(void) = 0; if (__VERIFIER_nondet_int()) { f(); {after} }"
    " return 0; }\n"
)


@pytest.mark.parametrize("asked", ["valid-deref", "null-deref", "valid-memsafety"])
def test_a_call_of_null(asked: str, tmp_path: Path) -> None:
    result = answered(asked, tmp_path, CALLED.replace("{after}", ""))
    assert result.answer is Answer.UNSAFE
    constant = in_main("if (__VERIFIER_nondet_int()) ((int (*)(int, ...))0)(1, 2);")
    assert answered(asked, tmp_path, constant).answer is Answer.UNSAFE


def test_a_call_of_null_ends_the_run(tmp_path: Path) -> None:
    result = answered("unreach-call", tmp_path, CALLED.replace("{after}", "reach_error();"))
    assert result.answer is Answer.SAFE


MEMBER = "struct s { int (*f)(int); } g; int main(void) { GUARD return g.f(3); }"


@pytest.mark.parametrize("bits", [32, 64])
def test_a_call_for_which_there_is_no_function(bits: int, tmp_path: Path) -> None:
    wrong, right = (MEMBER.replace("GUARD", text) for text in ("", "if (!g.f) return 0;"))
    assert answered("valid-deref", tmp_path, wrong, bits=bits).answer is Answer.UNSAFE
    # nothing writes the member, so it is null
    assert answered("valid-deref", tmp_path, right, bits=bits).answer is Answer.SAFE
    # that the pointer is not null does not say that it leads to a function
    result = answered("valid-deref", tmp_path, f"extern {right}", bits=bits, timeout=8)
    assert result.answer is not Answer.SAFE


LARGE = (
    "unsigned long n = (unsigned long)__VERIFIER_nondet_int(); char *a = {allocation};"
    " if (!a || !n) return 0; a[n - {back}] = 1;"
)


@pytest.mark.full
@pytest.mark.parametrize("allocation", ["malloc(n)", "calloc(n, 1ul << 33)"])
def test_a_block_that_may_be_too_large(allocation: str, tmp_path: Path) -> None:
    text = in_main(LARGE.replace("{allocation}", allocation).replace("{back}", "1"))
    assert answered("valid-deref", tmp_path, text).answer is Answer.SAFE
    # a run that asks for gigabytes is not replayed
    before = in_main(LARGE.replace("{allocation}", allocation).replace("{back}", "n - 1"))
    wanted = Answer.UNSAFE if allocation == "malloc(n)" else Answer.UNKNOWN
    assert answered("valid-deref", tmp_path, before, timeout=8).answer is wanted


def test_bounds_of_pointers_are_assumed(tmp_path: Path) -> None:
    index = "int i = __VERIFIER_nondet_int(); if (i < 0 || i > 3) return 0; int a[4] = {0};"
    subscript = answered("bounds", tmp_path, in_main(f"{index} return a[i];"))
    pointer = answered("bounds", tmp_path, in_main(f"{index} int *p = a; return *(p + i + 1);"))
    assert subscript.answer is pointer.answer is Answer.SAFE
    assert not any("bounds" in entry.text for entry in subscript.ledger)
    assert any("bounds" in entry.text for entry in pointer.ledger)


MISFITS = {
    "malloc": ("char *malloc();", "malloc();", "malloc(1, 2, 3);", "malloc(1.0);"),
    "calloc": ("int *calloc();", "int calloc_; calloc(&calloc_, 1);"),
    "realloc": ("int *realloc();", "realloc(1);", "realloc(1, 1);"),
    "aligned_alloc": ("int *aligned_alloc();", "aligned_alloc(1);"),
    "alloca": ("int *alloca();", "alloca();"),
    "free": ("int *free();", "free();", "free(1.0);"),
}


@pytest.mark.parametrize("name", MISFITS)
@pytest.mark.parametrize("asked", ["unreach-call", "valid-memsafety"])
def test_memory_is_asked_for_as_the_library_has_it(name: str, asked: str, tmp_path: Path) -> None:
    head, *uses = MISFITS[name]
    for use in uses:
        text = f"{ERROR}{head}\nint main(void) {{ {use} reach_error(); return 0; }}\n"
        with pytest.raises(UnsupportedError, match=rf"case0\.c:3:\d+: {name}\("):
            answered(asked, tmp_path, text)
