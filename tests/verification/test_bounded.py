"""Programs that are unfolded first, and the solver that tells where no run goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import endings

from seahorn_py import verify
from seahorn_py.ir.operands import Operand
from seahorn_py.ir.program import Fail, Program
from seahorn_py.ir.verifier import verify as complaints
from seahorn_py.options import (
    Encodings,
    EngineName,
    FrontendOptions,
    Step,
    Track,
    VerifyOptions,
)
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.slicing import slice_program
from seahorn_py.passes.unfolding.bounds import Bounds
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Unfit
from seahorn_py.passes.unfolding.unfolding import unfold
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.encodings.bounded import wants_unfolding
from seahorn_py.verification.encodings.feasibility import Feasibility
from seahorn_py.verification.pipeline import load

HEAD = """
#include <string.h>
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void); extern void reach_error(void);
static int digits(char *b, unsigned n) {
  char t[12]; int k = 0;
  do t[k++] = '0' + n % 10; while (n /= 10);
  for (int i = 0; i < k; i++) b[i] = t[k - 1 - i];
  b[k] = 0; return k; }
static int parse(const char *s) {
  int n = 0; while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0'); return n; }
static void pad(char *b, int width, int length) {
  if (length >= width) return;
  memset(b, ' ', width - length); b[width - length] = 0; }
"""
CASES = {
    "text and back": (
        "char b[12]; unsigned n = __VERIFIER_nondet_uint() % 10; digits(b, n);",
        "parse(b) != (int)n",
        "parse(b) == 7",
    ),
    "a table of bytes": (
        """unsigned char t[16], i = __VERIFIER_nondet_uchar() & 15, x = __VERIFIER_nondet_uchar();
        for (int k = 0; k < 16; k++) t[k] = k * k; t[i] = x;""",
        "t[i] != x",
        "t[i] == x && t[3] == 200",
    ),
    "words of a line": (
        """char l[4], *w[2]; int n = 0;
        for (int k = 0; k < 3; k++) l[k] = __VERIFIER_nondet_uchar();
        l[3] = 0;
        for (char *p = l; *p && n < 2;) {
          while (*p == ' ') p++;
          if (!*p) break;
          w[n++] = p;
          while (*p && *p != ' ') p++;
          if (*p) *p++ = 0; }""",
        "n > 0 && strlen(w[0]) > 3",
        "n == 2 && strlen(w[1]) == 1",
    ),
}


def text(case: str, is_wrong: bool) -> str:
    body, right, wrong = CASES[case]
    check = wrong if is_wrong else right
    return f"{HEAD}int main(void) {{ {body} if ({check}) reach_error(); return 0; }}\n"


def read(folder: Path, program: str) -> Program:
    file = folder / "program.c"
    file.write_text(program)
    _, source = load([file], VerifyOptions(FrontendOptions()), Deadline.after(60))
    return model_environment(simplify(source))


@pytest.mark.parametrize("is_wrong", [False, True], ids=["right", "wrong"])
@pytest.mark.parametrize("case", CASES)
def test_bounded_programs_are_answered(case: str, is_wrong: bool, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(text(case, is_wrong))
    found = verify(file, VerifyOptions(encoding=Encodings.BV, timeout=40, executions=0.1))
    assert found.answer is (Answer.UNSAFE if is_wrong else Answer.SAFE), found.reason


PADDED = f"""{HEAD}int main(void) {{
  char b[64]; int n = __VERIFIER_nondet_int(), w = n > 0 ? n : 0;
  pad(b, w, n < 0 ? 0 : n); if (w < n) reach_error(); return 0; }}
"""


class Counting(Feasibility):
    def __init__(self) -> None:
        super().__init__()
        self.impossible = 0

    def possible(self, code: Code, condition: Operand) -> bool:
        found = super().possible(code, condition)
        self.impossible += not found
        return found


class Lying:
    def possible(self, code: Code, condition: Operand) -> bool:
        return False


def test_where_no_run_goes_is_not_followed(tmp_path: Path) -> None:
    """`max(n, 0) - n` is no bound for intervals: the solver sees that nothing is filled."""
    program = read(tmp_path, PADDED)
    oracle = Counting()
    result = unfold(program, Bounds(written=130), oracle=oracle)
    assert oracle.impossible
    assert complaints(result, copies=True) == ()
    assert all(a == b for a, b in endings(program, result, seed=3, runs=30))
    with pytest.raises(Unfit):
        unfold(program, Bounds(written=130))


NOT_FOLLOWED = {
    "a number": "n = *(int *)(uintptr_t)n;",
    "a pointer from outside": "if (n < 9) memcpy(b, outside(), n);",
    "recursion": "n = forever(n);",
}


@pytest.mark.parametrize("name", NOT_FOLLOWED)
def test_what_is_not_followed_matters_only_where_some_run_comes(name: str, tmp_path: Path) -> None:
    head = f"#include <stdint.h>\n{HEAD}extern char *outside(void); int forever(int x);"
    body = f"""unsigned char b[9] = "", n = __VERIFIER_nondet_uchar();
        if (n * n == 200) {{ {NOT_FOLLOWED[name]} if (n == b[0]) reach_error(); }}"""
    after = "int forever(int x) { return forever(x + 1) + 1; }"
    program = read(tmp_path, f"{head} int main(void) {{ {body} return 0; }} {after}")
    with pytest.raises(Unfit):
        unfold(program)
    result = unfold(program, oracle=Feasibility())
    assert complaints(result, copies=True) == ()
    assert all(a == b for a, b in endings(program, result, seed=3, runs=30))


def test_several_programs_are_asked_about_in_one_process(tmp_path: Path) -> None:
    """Registers of one name have other widths in each."""
    for case in ("text and back", "a table of bytes"):
        unfold(read(tmp_path, text(case, False)), oracle=Feasibility())


def test_a_program_without_a_check_is_unfolded(tmp_path: Path) -> None:
    program = read(tmp_path, f"{HEAD}int main(void) {{ return __VERIFIER_nondet_int() > 3; }}\n")
    assert not program.checks
    unfold(program, oracle=Lying())


@pytest.mark.parametrize("case", CASES)
def test_what_is_not_followed_is_a_check(case: str, tmp_path: Path) -> None:
    """With an oracle that is always wrong every run that it cuts off fails a check of its own."""
    program = read(tmp_path, text(case, False))
    result = slice_program(simplify(unfold(program, oracle=Lying())))
    own = {check.number for check in program.checks}
    failing = {
        b.terminator.check.number
        for f in result.functions.values()
        for b in f.blocks
        if isinstance(b.terminator, Fail)
    }
    assert failing - own
    assert all(b != "not failed" for _, b in endings(program, result, seed=5, runs=20))


def test_a_wrong_oracle_changes_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Feasibility, "possible", Lying().possible)
    file = tmp_path / "program.c"
    file.write_text(
        f"{HEAD}int main(void) {{ if (__VERIFIER_nondet_int() == 77777) reach_error(); }}\n"
    )
    found = verify(file, VerifyOptions(encoding=Encodings.BV, timeout=20, executions=0))
    assert found.answer is Answer.UNSAFE


@pytest.mark.parametrize(
    "options",
    [
        VerifyOptions(engines=(EngineName.BMC,)),
        VerifyOptions(track=Track.PTR),
        VerifyOptions(step=Step.SMALL),
    ],
)
def test_options_about_the_program_as_written_are_kept(options: VerifyOptions) -> None:
    assert wants_unfolding(VerifyOptions())
    assert not wants_unfolding(options)


WRAPPING = {
    "an index": ("a + i + 4 < a + i", "a + (i & 3) + 4 < a + (i & 3)"),
    "down": ("a + i - 1 > a + i", "a + (i & 3) - 1 > a + (i & 3)"),
    "an inclusive order": ("a + i + 8 <= a + i", "a + (i & 7) + 1 <= a + (i & 7)"),
}


@pytest.mark.parametrize("case", WRAPPING)
def test_addresses_wrap_far_from_their_object(case: str, tmp_path: Path) -> None:
    """Moved by the same index, they are ordered as what is added to it if that is near alone."""
    far, near = WRAPPING[case]
    begin = f"""{HEAD}int main(void) {{ int x[4]; unsigned long a = (unsigned long)x;
      unsigned long i = (unsigned long)__VERIFIER_nondet_uint() << 32 | __VERIFIER_nondet_uint();"""
    for condition, more in ((far, 1), (near, 0)):
        program = read(tmp_path, f"{begin} if ({condition}) reach_error(); return 0; }}\n")
        assert len(unfold(program).checks) == len(program.checks) + more, condition


LISTS = f"""{HEAD}#include <stdlib.h>
struct N {{ struct N *next, *prev; }};
extern struct N *outside(void); extern void __VERIFIER_assume(int);
static void link(struct N *a, struct N *b) {{ a->next = b; b->prev = a; }}
int main(void) {{
  struct N head, tail, new; unsigned n = __VERIFIER_nondet_uint();
  head.prev = 0; tail.next = 0;
  if (n == 0) link(&head, &tail);
  else {{
    struct N *first = malloc(sizeof *first);
    link(&head, first);
    if (n == 1) link(first, &tail);
    else {{
      first->next = outside(); __VERIFIER_assume(first->next != 0);
      tail.prev = outside(); __VERIFIER_assume(tail.prev != 0);
    }}
  }}
"""
INSERTED = {
    "behind the head": (
        "struct N *b = head.next; new.next = b; new.prev = b->prev; b->prev->next = &new;"
        " b->prev = &new;",
        "head.next != &new || new.prev != &head || b->prev != &new || head.prev",
        "head.next == &new && new.next == &tail",
    ),
    "a node is removed": (
        "struct N *b = head.next; if (n != 1) return 0; b->prev->next = b->next;"
        " b->next->prev = b->prev;",
        "head.next != &tail || tail.prev != &head",
        "head.next == &tail",
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("is_wrong", [False, True], ids=["right", "wrong"])
@pytest.mark.parametrize("case", INSERTED)
def test_an_address_from_outside_that_no_run_follows(
    case: str, is_wrong: bool, tmp_path: Path
) -> None:
    """Where the list is long its end is outside, which no run reaches from its begin."""
    body, right, wrong = INSERTED[case]
    file = tmp_path / "program.c"
    check = wrong if is_wrong else right
    file.write_text(f"{LISTS}{body} if ({check}) reach_error(); return 0; }}\n")
    found = verify(file, VerifyOptions(encoding=Encodings.BV, timeout=60, executions=0))
    assert found.answer is (Answer.UNSAFE if is_wrong else Answer.SAFE), found.reason


def test_that_no_run_follows_it_is_a_check(tmp_path: Path) -> None:
    body, right, _ = INSERTED["behind the head"]
    program = read(tmp_path, f"{LISTS}{body} if ({right}) reach_error(); return 0; }}\n")
    asked, lying = Counting(), unfold(program, oracle=Lying())
    result = unfold(program, oracle=asked)
    assert asked.impossible and complaints(result, copies=True) == ()
    assert any("none was expected" in check.text for check in result.checks)
    assert all(b != "not failed" for _, b in endings(program, lying, seed=5, runs=20))
