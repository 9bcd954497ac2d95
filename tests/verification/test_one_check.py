"""Programs without loops whose checks are asked about as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.ir.program import Fail
from seahorn_py.ir.verifier import check as well_formed
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.passes.unfolding.one_check import one_check
from seahorn_py.passes.unfolding.unfolding import unfold
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.encodings.bounded import closed
from seahorn_py.verification.encodings.feasibility import Feasibility
from seahorn_py.verification.pipeline import load

HEAD = """
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
"""
CASES = {
    "the last of many checks": (
        """unsigned a[4], n = __VERIFIER_nondet_uint(), s = 0;
        for (int i = 0; i < 4; i++) { a[i] = n & (1u << i); check(a[i] <= 8); s += a[i]; }
        check(s == (n & LAST));""",
        {"LAST": ("15", "14")},
    ),
    "a check behind one that cannot fail": (
        """unsigned n = __VERIFIER_nondet_uint() & 7, t[8] = {0};
        t[n] = 1; check(t[n] == 1);
        for (unsigned i = 0; i < 8; i++) check(i == n || t[i] == OTHER);""",
        {"OTHER": ("0", "(i != 5)")},
    ),
    "one check before another": (
        """unsigned n = __VERIFIER_nondet_uint(), *p = n < LEAST ? 0 : malloc(n * sizeof *p);
        if (n > 3) return 0;
        if (p) { for (unsigned i = 0; i < n; i++) p[i] = i; check(p[1] == 1); }
        check(!p || n > 1);""",
        {"LEAST": ("2", "1")},
    ),
}


def text(case: str, is_wrong: bool) -> str:
    body, holes = CASES[case]
    for name, forms in holes.items():
        body = body.replace(name, forms[is_wrong])
    return f"{HEAD}int main(void) {{ {body} return 0; }}\n"


@pytest.mark.parametrize("is_wrong", [False, True], ids=["right", "wrong"])
@pytest.mark.parametrize("case", CASES)
def test_checks_asked_about_as_one(case: str, is_wrong: bool, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(text(case, is_wrong))
    asked = FrontendOptions(properties=frozenset({Property.UNREACH_CALL, Property.VALID_DEREF}))
    result = verify(file, VerifyOptions(asked, encoding=Encodings.BV, timeout=120))
    assert result.answer is (Answer.UNSAFE if is_wrong else Answer.SAFE), result.reason
    if is_wrong:
        assert result.violation is not None and "one of" not in result.violation.text


@pytest.mark.parametrize("case", CASES)
def test_the_program_with_one_check(case: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(text(case, True))
    _, source = load([file], VerifyOptions(FrontendOptions()), Deadline.after(60))
    unfolded = unfold(closed(source), oracle=Feasibility())
    found = one_check(unfolded)
    ends = [b.terminator for f in found.functions.values() for b in f.blocks]
    well_formed(found, "one check", copies=True)
    assert sum(isinstance(end, Fail) for end in ends) == 1
    assert one_check(found) is found
