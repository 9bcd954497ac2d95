"""Calls of what is no function: an error of memory safety, otherwise the end of the run.

Natively data may be code: no run may execute it, and nothing that it would do is a verdict.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import diagonal

from seahorn_py import verify
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer

HEAD = """
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
typedef int (*function)(void);
int one(void) { return 1; }
int two(void) { return 2; }
/* exit(99) */
#ifdef __x86_64__
#define CODE {0xbf, 99, 0, 0, 0, 0xb8, 60, 0, 0, 0, 0x0f, 0x05}
#define TEXT "\\xbf\\x63\\0\\0\\0\\xb8\\x3c\\0\\0\\0\\x0f\\x05"
#else
#define CODE {0xbb, 99, 0, 0, 0, 0xb8, 1, 0, 0, 0, 0xcd, 0x80}
#define TEXT "\\xbb\\x63\\0\\0\\0\\xb8\\x01\\0\\0\\0\\xcd\\x80"
#endif
const unsigned char constant[] = CODE;
unsigned char writable[] = CODE;
__attribute__((section(".text"))) const unsigned char among_code[] = CODE;
function table[] = {one, two, 0};
struct named { int number; function f; } items[] = {{1, one}, {2, two}, {3, 0}};
union either { function f; long number; char *text; };
"""

CALL = "p(); reach_error();"

ASTRAY = {
    "a constant array": "function p = (function)constant; " + CALL,
    "a constant array by its name": "((function)constant)(); reach_error();",
    "an array among code by its name": "((function)among_code)(); reach_error();",
    "an array by its name": "((function)writable)(); reach_error();",
    "an array of some index": (
        "int n = __VERIFIER_nondet_int() & 7; function p = (function)(writable + n); " + CALL
    ),
    "a literal": "function p = (function)(void *)TEXT; " + CALL,
    "the heap": (
        "unsigned char *c = malloc(12); for (int i = 0; i < 12; i++) c[i] = constant[i];"
        "function p = (function)c; p(); reach_error();"
    ),
    "a freed block": "char *c = malloc(12); free(c); function p = (function)c; " + CALL,
    "the stack": "unsigned char c[] = CODE; function p = (function)c; " + CALL,
    "a number": "function p = (function)0x12345678; " + CALL,
    "a number that is computed": (
        "long n = 4096; if (__VERIFIER_nondet_int()) n += 64; function p = (function)n; " + CALL
    ),
    "null": "function p = 0; " + CALL,
    "null by itself": "((function)0)(); reach_error();",
    "null on one path": (
        "function p = one; if (__VERIFIER_nondet_int()) p = 0;"
        " int n = p(); if (p != one || n != 1) reach_error();"
    ),
    "a place inside a function": "function p = (function)((char *)one + 1); " + CALL,
    "a place inside a function by itself": ("((function)((char *)one + 1))(); reach_error();"),
    "a union with a number": "union either e; e.number = 1234567; e.f(); reach_error();",
    "a union with a text": "union either e; e.text = (char *)writable; e.f(); reach_error();",
    "an entry of a table that is null": (
        "int n = __VERIFIER_nondet_int() & 3; if (n == 3) n = 2;"
        " int got = table[n](); if (n == 2 || got != n + 1) reach_error();"
    ),
    "a member that is null": (
        "int n = __VERIFIER_nondet_int(); if (n < 0 || n > 2) n = 2;"
        " int got = items[n].f(); if (n == 2 || got != items[n].number) reach_error();"
    ),
    "functions and data": (
        "function p = one; switch (__VERIFIER_nondet_int()) { case 1: p = two; break;"
        " case 2: p = (function)writable; break; case 3: p = (function)constant; break;"
        " case 4: p = 0; break; case 5: p = (function)((char *)two + 1); }"
        " int n = p(); if (n != 1 && n != 2 || p != one && p != two) reach_error();"
    ),
}
"""Programs that call what is no function, in no run of which an error is reached."""

NAMES = [(name,) for name in ASTRAY]

NUMBERS = frozenset({"a number that is computed"})
"""Of these nobody knows what lies there: no proof stands."""

GOOD = {
    "a table": ("int n = __VERIFIER_nondet_int() & 1; if (table[n]() != n + 1) reach_error();"),
    "a member": (
        "struct named *s = &items[__VERIFIER_nondet_int() & 1];"
        " if (s->f() != s->number) reach_error();"
    ),
    "a pointer through a union": (
        "union either e; e.f = __VERIFIER_nondet_int() ? one : two;"
        " if (e.f() < 1 || e.f() > 2) reach_error();"
    ),
    "a pointer that is checked": (
        "int n = __VERIFIER_nondet_int(); if (n < 0 || n > 2) n = 0; function p = table[n];"
        " if (p && p() != n + 1) reach_error();"
    ),
}
"""Programs that call only functions, and have no error."""


def answer(
    tmp_path: Path, body: str, bits: int, asked: Property, encoding: Encodings = Encodings.AUTO
) -> tuple[Answer, str]:
    """The answer, and what is violated."""
    path = tmp_path / "program.c"
    path.write_text(HEAD + f"int main(void) {{ {body} return 0; }}\n")
    frontend = FrontendOptions(bits=bits, properties=frozenset({asked}))
    options = VerifyOptions(frontend, encoding, timeout=20, strict=False)
    result = verify(path, options)
    shown = "" if result.violation is None else result.violation.text
    return result.answer, shown or result.reason


@pytest.mark.parametrize(("name", "bits"), diagonal(NAMES, [(32,), (64,)]))
def test_no_run_goes_on_after_a_call_of_what_is_no_function(
    name: str, bits: int, tmp_path: Path
) -> None:
    found = answer(tmp_path, ASTRAY[name], bits, Property.UNREACH_CALL)
    assert found[0] is (Answer.UNKNOWN if name in NUMBERS else Answer.SAFE), found


@pytest.mark.parametrize(("name", "bits"), diagonal(NAMES, [(64,), (32,)]))
def test_a_call_of_what_is_no_function_is_an_error_of_memory_safety(
    name: str, bits: int, tmp_path: Path
) -> None:
    found = answer(tmp_path, ASTRAY[name], bits, Property.VALID_MEMSAFETY)
    assert found == (Answer.UNSAFE, "call through a pointer that leads to no function")


ASKED = [(32, Property.UNREACH_CALL), (64, Property.VALID_MEMSAFETY)]
ASKED += [(64, Property.UNREACH_CALL), (32, Property.VALID_MEMSAFETY)]


@pytest.mark.parametrize(("name", "bits", "asked"), diagonal([(name,) for name in GOOD], ASKED))
def test_calls_of_functions_are_neither(
    name: str, bits: int, asked: Property, tmp_path: Path
) -> None:
    found = answer(tmp_path, GOOD[name], bits, asked)
    assert found[0] is Answer.SAFE, found


@pytest.mark.parametrize("asked", [Property.UNREACH_CALL, Property.VALID_MEMSAFETY])
@pytest.mark.parametrize("bits", [32, 64])
def test_native_runs_are_made_of_programs_that_call_through_pointers(
    bits: int, asked: Property, tmp_path: Path
) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEAD + f"int main(void) {{ {GOOD['a table']} return 0; }}\n")
    frontend = FrontendOptions(bits=bits, properties=frozenset({asked}))
    result = verify(path, VerifyOptions(frontend, timeout=20))
    assert result.answer is Answer.SAFE
    assert any("native runs" in line for line in result.evidence), result.evidence
    assert not any("compared with" in entry.text for entry in result.ledger)


OLD = (
    HEAD
    + """
int less() { return 1; }
int more(int a, int b) { return a + b; }
int wide(long long a) { return (int)a; }
int (*table2[])() = {less, less};
#define N __VERIFIER_nondet_int()
"""
)

TYPES = {
    "arguments that are not read": (
        "int (*p)(int, int) = N ? (int (*)(int, int))less : 0; if (p(1, 2) == 1) reach_error();",
        Answer.UNSAFE,
    ),
    "old-style calls of a table": (
        "int n = N & 1; if (table2[n](3, n) != 1) reach_error();",
        Answer.SAFE,
    ),
    "arguments that are missing": (
        "int (*p)(int) = N ? (int (*)(int))more : 0; p(1); reach_error();",
        Answer.SAFE,
    ),
    "arguments of another type": (
        "int (*p)(int) = N ? (int (*)(int))wide : 0; p(1); reach_error();",
        Answer.SAFE,
    ),
    "a result of another type": (
        "long long (*p)(void) = N ? (long long (*)(void))one : 0; if (p()) reach_error();",
        Answer.SAFE,
    ),
}
"""`N` is arbitrary, so that no call names its function: such calls of old C go on."""


@pytest.mark.parametrize(("name", "bits"), diagonal([(n,) for n in TYPES], [(32,), (64,)]))
def test_calls_through_pointers_of_another_type(name: str, bits: int, tmp_path: Path) -> None:
    body, expected = TYPES[name]
    path = tmp_path / "program.c"
    path.write_text(OLD + f"int main(void) {{ {body} return 0; }}\n")
    frontend = FrontendOptions(bits=bits, properties=frozenset({Property.UNREACH_CALL}))
    result = verify(path, VerifyOptions(frontend, timeout=20))
    assert result.answer is expected, result


TEXT = """
target triple = "x86_64-unknown-linux-gnu"
%struct.s = type { i32, i64 }
@data = constant [12 x i8] c"\\BF\\63\\00\\00\\00\\B8\\3C\\00\\00\\00\\0F\\05", section ".text"
@other = alias [12 x i8], ptr @data
@fun = alias i32 (), ptr @f
declare void @reach_error()
declare i32 @__VERIFIER_nondet_int()
define i32 @f() {
  ret i32 1
}
define i32 @main() {
  %n = call i32 @__VERIFIER_nondet_int()
  switch i32 %n, label %end [ i32 1, label %one
    i32 2, label %two
    i32 3, label %three
    i32 4, label %four
    i32 5, label %five
    i32 6, label %six ]
one:
  call void @other()
  br label %bad
two:
  %s = call %struct.s null(ptr null)
  br label %bad
three:
  call void getelementptr (i8, ptr @f, i64 1)()
  br label %bad
four:
  %r = notail call i32 inttoptr (i64 ptrtoint (ptr @data to i64) to ptr)()
  br label %bad
five:
  call void undef()
  br label %bad
six:
  %k = call i32 @fun()
  %c = icmp eq i32 %k, 1
  br i1 %c, label %end, label %bad
bad:
  call void @reach_error()
  br label %end
end:
  ret i32 0
}
"""


@pytest.mark.parametrize(
    ("asked", "expected"),
    [(Property.UNREACH_CALL, Answer.SAFE), (Property.VALID_DEREF, Answer.UNSAFE)],
)
def test_constants_that_llvm_text_calls(asked: Property, expected: Answer, tmp_path: Path) -> None:
    path = tmp_path / "program.ll"
    path.write_text(TEXT)
    frontend = FrontendOptions(properties=frozenset({asked}))
    assert verify(path, VerifyOptions(frontend, timeout=20)).answer is expected
