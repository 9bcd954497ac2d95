"""Programs that were written for other verifiers: assumptions, assertions, arbitrary values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seahorn_py import verify
from seahorn_py.base.errors import SeaError
from seahorn_py.frontend.lowering.events.events import Event
from seahorn_py.frontend.lowering.events.vocabulary import recognised, words
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.pipeline import load

HEAD = """
#include <assert.h>
void __CPROVER_assume(_Bool), __CPROVER_assert(_Bool, const char *), __CPROVER_cover(_Bool);
void __CPROVER_havoc_slice(void *, unsigned long);
int nondet_int(void), __CPROVER_nondet_int(void);
void klee_assume(unsigned long), klee_make_symbolic(void *, unsigned long, const char *);
void klee_prefer_cex(void *, unsigned long), klee_silent_exit(int);
void klee_report_error(const char *, int, const char *, const char *);
int klee_range(int, int, const char *);
void __ESBMC_assume(_Bool), __ESBMC_assert(_Bool, const char *);
int Frama_C_interval(int, int), Frama_C_nondet(int, int);
double Frama_C_double_interval(double, double);
void Frama_C_make_unknown(char *, unsigned long), Frama_C_show_each_x(int);
void memhavoc(void *, unsigned long), sassert(int), assume(int);
"""
PROGRAMS = {
    "CBMC": (
        "int x = nondet_int(), y = __CPROVER_nondet_int(); __CPROVER_assume(x > y && y > 3);"
        " __CPROVER_cover(x > 9); {assertion}",
        "__CPROVER_assert(x != {n}, 0);",
    ),
    "CBMC, memory": (
        "int a[2] = {{0, 7}}, x; __CPROVER_havoc_slice(a, 4); x = a[0];"
        " __CPROVER_assume(x > 4); assert(a[1] == 7); {assertion}",
        "__CPROVER_assert(x != {n}, 0);",
    ),
    "KLEE": (
        'int x; klee_make_symbolic(&x, sizeof x, "x"); klee_assume(x > 4);'
        " klee_prefer_cex(0, x < 9); if (x == 100) klee_silent_exit(0); {assertion}",
        'if (x == {n} || x == 100) klee_report_error("f", 1, "m", "s");',
    ),
    "KLEE, range": (
        'int x = klee_range(5, 9, "x"); assert(x < 9); {assertion}',
        "assert(x != {n});",
    ),
    "ESBMC": (
        "int x = nondet_int(); __ESBMC_assume(x > 4); {assertion}",
        "__ESBMC_assert(x != {n}, 0);",
    ),
    "Frama-C": (
        "int x = Frama_C_interval(5, 6), y = Frama_C_nondet(1, 2); Frama_C_show_each_x(x);"
        " assert(x <= 6 && y && Frama_C_double_interval(1, 2) >= 1); {assertion}",
        "assert(x != {n} || y == 1);",
    ),
    "Frama-C, memory": (
        "int x = 0; Frama_C_make_unknown((char *)&x, sizeof x); if (x < 5) return 0; {assertion}",
        "assert(x != {n});",
    ),
    "SeaHorn": (
        "int x = 0; memhavoc(&x, sizeof x); assume(x > 4); {assertion}",
        "sassert(x != {n});",
    ),
}
"""Bodies of `main` and assertions, which hold for 3 and not for 5."""


def answered(folder: Path, body: str) -> VerificationResult:
    file = folder / "case.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    return verify([file], VerifyOptions(encoding=Encodings.BV, timeout=20, executions=0.1))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_for_another_verifier(name: str, tmp_path: Path) -> None:
    body, assertion = PROGRAMS[name]
    right = answered(tmp_path, body.format(assertion=assertion.format(n=3)))
    assert right.answer is Answer.SAFE, right.reason
    wrong = answered(tmp_path, body.format(assertion=assertion.format(n=5)))
    assert wrong.answer is Answer.UNSAFE, wrong.reason
    told = [warning for warning in right.warnings if warning.startswith("recognised: ")]
    tool = name.partition(",")[0]
    assert (tool in told[0]) if told else tool == "SeaHorn"


def test_a_definition_of_the_program_wins(tmp_path: Path) -> None:
    body = "int klee_range(int a, int b, const char *c) { return 7; }"
    file = tmp_path / "case.c"
    file.write_text(f'{HEAD}{body}\nint main(void) {{ assert(klee_range(1, 2, "") == 7); }}\n')
    result = verify([file], VerifyOptions(timeout=20, executions=0.1))
    assert result.answer is Answer.SAFE
    assert result.warnings == ()


def test_each_word_is_an_event_and_has_one_meaning() -> None:
    found = list(words())
    assert {event for _, event in found} <= set(Event.__members__)
    assert len({name for name, _ in found}) == len(found)
    assert recognised("klee_assume") == "klee_assume (KLEE: an assumption)"
    assert recognised("__VERIFIER_assume") == recognised("malloc", "stdlib.h") == ""


def checked(folder: Path, text: str, **options: Any) -> dict[int, Answer]:
    """The answers for the checks of a program, by their lines."""
    file = folder / "case.c"
    file.write_text(text)
    result = verify([file], VerifyOptions(every_check=True, timeout=60, **options))
    return {c.place.line if c.place else 0: c.answer for c in result.checks}


ASSUMED = """#include <%s>
extern unsigned long long nd_ulonglong(void);
int main(void) {
  unsigned long long x = nd_ulonglong();
  assume(x & 0x100000000);
  if (x < 0x100000000) __VERIFIER_error();
  if (x == 0x100000000) __VERIFIER_error();
}
"""


@pytest.mark.parametrize("header", ["sea.h", "seahorn/seahorn.h", "smack.h"])
def test_an_assumption_takes_a_truth_value(header: str, tmp_path: Path) -> None:
    text = f"void __VERIFIER_error(void);\n{ASSUMED % header}"
    assert checked(tmp_path, text) == {7: Answer.SAFE, 8: Answer.UNSAFE}


@pytest.mark.full
def test_whether_memory_is_valid(tmp_path: Path) -> None:
    text = """#include <sea.h>
#include <stdlib.h>
int *kept;
void leave(void) { int x = 3; kept = &x; sassert(__CPROVER_w_ok(kept, sizeof x)); }
int main(void) {
  size_t n = nd_size_t();
  assume(n > 4 && n < 100);
  char *p = malloc(n);
  sassert(sea_is_dereferenceable(p, n));
  sassert(!sea_is_dereferenceable(p, n + 1));
  free(p);
  sassert(!sea_is_dereferenceable(p, 1));
  sassert(__CPROVER_r_ok("abc", 4) && !__CPROVER_w_ok("abc", 4) && !__CPROVER_r_ok((int *)0, 1));
  leave();
  sassert(!sea_is_dereferenceable(kept, 1));
  sassert(sea_is_dereferenceable(kept, 1));
}
"""
    found = checked(tmp_path, text, encoding=Encodings.BV)
    assert found.pop(16) is Answer.UNSAFE
    assert Answer.UNSAFE not in found.values() and len(found) == 6, found


@pytest.mark.parametrize("pointer", ["nondet_voidp()", "(char *)0x70000000", "(char *)0 + n"])
def test_what_a_pointer_from_anywhere_leads_to_is_not_known(pointer: str, tmp_path: Path) -> None:
    text = f"""#include <sea.h>
extern void *nondet_voidp(void);
int main(void) {{ unsigned n = nd_uint(); assume(n > 5000); char *p = {pointer};
  assume(__CPROVER_r_ok(p, 4));
  sassert(0); }}
"""
    assert checked(tmp_path, text)[5] is not Answer.SAFE


def test_a_hint_that_is_given_pointers_is_any_function(tmp_path: Path) -> None:
    text = """#include <sea.h>
extern void sea_dsa_alias(const void *p, ...);
int *p;
int main(void) { int x = 0; p = &x; sea_dsa_alias(p);
  sassert(x == 0); }
"""
    assert checked(tmp_path, text)[5] is not Answer.SAFE


def test_allocations_of_harnesses(tmp_path: Path) -> None:
    text = """#include <sea.h>
int main(void) {
  size_t n = nd_size_t();
  char *p = bounded_malloc(n);
  sassert(n <= 0x7fffffffffffff);
  sassert(p);
  p = can_fail_malloc(1);
  sassert(p);
}
"""
    found = checked(tmp_path, text, encoding=Encodings.BV)
    assert found.pop(8) is Answer.UNSAFE
    assert found[6] is Answer.SAFE and found[5] is not Answer.UNSAFE


def test_quantifiers_over_bounded_ranges(tmp_path: Path) -> None:
    text = """int a[3] = {1, 2, 3};
int main(void) {
  __CPROVER_assert(__CPROVER_forall { unsigned i;
    (0 <= i && i < 3) ==> a[i] > 0 }, "all");
  __CPROVER_assert(__CPROVER_exists { int i; 0 <= i && i <= 2 && a[i] == 3 }, "some");
  __CPROVER_assert(__CPROVER_exists { int i; 0 <= i && i < 2 && a[i] == 3 }, "none");
}
"""
    found = checked(tmp_path, text)
    assert found.pop(6) is Answer.UNSAFE
    assert Answer.UNSAFE not in found.values() and set(found) <= {3, 5}


def test_quantifiers_with_bounds_that_are_converted(tmp_path: Path) -> None:
    text = """int a[3] = {1, 2, 3};
int main(void) {
  __CPROVER_assert(__CPROVER_forall { unsigned k_1;
    ((unsigned) (0) <= (k_1) && (k_1) < (unsigned) (3)) ==> (a[(k_1)] > 0) }, "all");
  __CPROVER_assert(__CPROVER_forall { unsigned k_2;
    ((unsigned) (1) <= (k_2) && (k_2) < (unsigned) (3)) ==> (a[(k_2)] > 2) }, "not all");
}
"""
    found = checked(tmp_path, text)
    assert found.pop(5) is Answer.UNSAFE
    assert Answer.UNSAFE not in found.values() and set(found) <= {3}


def test_quantifiers_keep_what_binds_less_and_end_at_the_last_number(tmp_path: Path) -> None:
    text = """int a[3] = {1, 2, 3};
int main(void) {
  int no = 0;
  __CPROVER_assert(!__CPROVER_exists { int i; 0 <= i && i < 3 && (a[i] == 1 || no) && no }, "");
  __CPROVER_assert(__CPROVER_exists { int i; 0 <= i && i < 3 && (no || a[i] == 2) && !no }, "");
  __CPROVER_assert(__CPROVER_forall { unsigned char i; (250 <= i && i < 300) ==> i > 249 }, "");
  __CPROVER_assert(no, "after all numbers");
}
"""
    found = checked(tmp_path, text)
    assert found.pop(7) is Answer.UNSAFE
    assert Answer.UNSAFE not in found.values() and set(found) <= {4, 5, 6}


def test_quantifiers_in_macros_of_headers(tmp_path: Path) -> None:
    (tmp_path / "all.h").write_text(
        "#define ALL_ZERO(x) __CPROVER_forall { int i; (i >= 0 && i < sizeof(x)) ==> \\\n"
        " ((const char *)&x)[i] == 0 }\n"
    )
    text = """#include "all.h"
int a[2], b[2] = {0, 1};
int main(void) {
  __CPROVER_assert(ALL_ZERO(a), "");
  __CPROVER_assert(ALL_ZERO(b), "");
}
"""
    found = checked(tmp_path, text)
    assert found.pop(5) is Answer.UNSAFE
    assert Answer.UNSAFE not in found.values() and set(found) <= {4}


OBJECTS = """void *malloc(__SIZE_TYPE__); int nondet_int(void);
void __CPROVER_assume(_Bool), __CPROVER_assert(_Bool, const char *);
int main(void) {
  char *a = malloc(4), *b = malloc(4), c[3]; int d, i = nondet_int(), j = nondet_int();
  __CPROVER_assume(i >= 0 && i <= 4 && j >= 0 && j <= 4);
  __CPROVER_assert(%s, "");
}
"""
OF_OBJECTS = {
    "__CPROVER_POINTER_OBJECT(a + i) == __CPROVER_POINTER_OBJECT((char *)(a + j))": Answer.SAFE,
    "__CPROVER_POINTER_OBJECT(a + i) != __CPROVER_POINTER_OBJECT(b + j)": Answer.SAFE,
    "!__CPROVER_same_object(c, &d) && !__CPROVER_same_object(c, (void *)0)": Answer.SAFE,
    "__CPROVER_same_object(c + 3, i ? c : c + 1)": Answer.SAFE,
    "__CPROVER_POINTER_OBJECT(i ? a : b) == __CPROVER_POINTER_OBJECT(b)": Answer.UNSAFE,
    "__CPROVER_POINTER_OBJECT(a) != __CPROVER_POINTER_OBJECT(a + j)": Answer.UNSAFE,
    "__CPROVER_same_object(c, &d)": Answer.UNSAFE,
}


@pytest.mark.parametrize("condition", OF_OBJECTS)
def test_whether_pointers_lead_to_one_object(condition: str, tmp_path: Path) -> None:
    file = tmp_path / "case.c"
    file.write_text(OBJECTS % condition)
    found = verify([file], VerifyOptions(encoding=Encodings.BV, timeout=40))
    assert found.answer is OF_OBJECTS[condition], found.reason


def test_operations_that_overflow(tmp_path: Path) -> None:
    text = """unsigned nondet_uint(void); int nondet_int(void);
int main(void) {
  unsigned x = nondet_uint(); int y = nondet_int(); __CPROVER_size_t n = x;
  __CPROVER_assert(__CPROVER_overflow_plus(x, 1u) == (x == ~0u), "");
  __CPROVER_assert(__CPROVER_overflow_minus(y, 1) == (y == -__INT_MAX__ - 1), "");
  __CPROVER_assert(!__CPROVER_overflow_mult(n, n), "in 64 bits");
  __CPROVER_assert(!__CPROVER_overflow_mult(x, x), "in 32");
}
"""
    found = checked(tmp_path, text)
    assert found.pop(7) is Answer.UNSAFE
    assert Answer.UNSAFE not in found.values()


UNINTERPRETED = """extern void reach_error(void); int nondet_int(void);
int before(int x) { return __CPROVER_uninterpreted_f(x); }
int __CPROVER_uninterpreted_f(int);
int __CPROVER_uninterpreted_f(const int);
int main(void) {
  int x = nondet_int(), y = nondet_int();
  if (%s) reach_error();
}
"""


STATEMENTS = {
    "an assertion": '__CPROVER_assert(!__CPROVER_uninterpreted_f(1), "");',
    "a branch": "if (!__CPROVER_uninterpreted_f(1)) reach_error();",
    "an operand": "int x = 3 +\nzero * __CPROVER_uninterpreted_f(1);\nif (x) reach_error();",
}


@pytest.mark.full
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_is_no_declaration(name: str, tmp_path: Path) -> None:
    """At the beginning of a line it was taken for a second declaration, and left out."""
    file = tmp_path / "case.c"
    file.write_text(
        "int __CPROVER_uninterpreted_f(int); extern void reach_error(void); int zero;\n"
        "void __CPROVER_assert(_Bool, const char *);\n"
        f"int main(void) {{\n{STATEMENTS[name]}\nreturn 0; }}\n"
    )
    assert verify(file, timeout=20).answer is not Answer.SAFE


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ("before(x) != __CPROVER_uninterpreted_f(x)", Answer.UNKNOWN),
        ("x > 5 && !before(y)", Answer.UNSAFE),
    ],
)
def test_uninterpreted_functions_give_equal_results(
    condition: str, answer: Answer, tmp_path: Path
) -> None:
    file = tmp_path / "case.c"
    file.write_text(UNINTERPRETED % condition)
    found = verify(file, VerifyOptions(encoding=Encodings.BV, timeout=20))
    assert found.answer is answer, found.reason


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "return __CPROVER_exists { int i; 0 <= i && i < 4 && argc || i };",
            ":3: a quantifier over what is no bounded",
        ),
        (
            "return __CPROVER_forall { int i; (0 <= i && i < 4 || argc) ==> i };",
            ":3: a quantifier over what is no bounded",
        ),
        (
            "return __CPROVER_forall { int i; (0 <= i && i < 4 | argc) ==> i };",
            ":3: a quantifier over what is no bounded",
        ),
        (
            "return __CPROVER_exists { unsigned char i; -1 <= i && i < 4 && i == 2 };",
            ":3: a quantifier over what is no bounded",
        ),
        ("return __CPROVER_OBJECT_SIZE(argv);", ":3:.*__CPROVER_OBJECT_SIZE.* is not supported"),
        (
            "return __CPROVER_overflow_shl(argc, 1);",
            ":3:.*__CPROVER_overflow_shl.* is not supported",
        ),
        ("return __CPROVER_r_ok(argv);", ":3:.*without a size is not supported"),
        ("return __CPROVER_forall { int i; i == i };", ":3: a quantifier over what is no bounded"),
        ("while (argc) __CPROVER_loop_invariant(argc > 0) argc--;", ":3: contracts of functions"),
    ],
)
def test_what_is_refused_is_named_with_its_line(line: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "case.c"
    file.write_text(f"int main(int argc, char **argv)\n{{\n  {line}\n}}\n")
    with pytest.raises(SeaError, match=said):
        load([file], VerifyOptions(), Deadline.after(60))
