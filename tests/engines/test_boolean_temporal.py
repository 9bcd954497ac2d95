"""CTL and LTL about Boolean programs: examples, and random ones against all states, one by one."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from explicit_temporal import (
    atoms_of,
    branching_states,
    drawn_branching,
    drawn_linear,
    drawn_program,
    explored,
    is_violated,
    text_of,
)

from seahorn_py.base.errors import SeaError
from seahorn_py.cli.commands.bp import bp
from seahorn_py.cli.commands.bp_formulas import about_formula
from seahorn_py.engines.boolean import diagrams
from seahorn_py.engines.boolean.bebop import read_program

RECURSIVE = """
decl x;
void f() begin if (*) then f(); fi x := !x; end
void main() begin x := 0; f(); end
"""
LOCK = """
decl held;
void get() begin wait: assume(!held); held := 1; end
void main() begin
  held := 0;
  while (*) do get(); if (*) then held := 0; fi od
  over: skip;
end
"""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for few diagrams, which is made faster."""
    monkeypatch.setattr(diagrams, "NODES", 1 << 16)
    monkeypatch.setattr(diagrams, "CACHE", 1 << 12)


def holds(text: str, formula: str) -> bool:
    answer, _ = about_formula(read_program(text, "p.bp"), formula, lambda: False)
    return answer == "safe"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("AX AF x", False),  # calls without end
        ("AX EG !x", True),
        ("AX EF x", True),
        ("AX E[!x U AG x]", True),
        ("AX EF(AG x)", True),
        ("EF AG !x", True),
        ("X F x", False),
        ("X G !x", False),
        ("F (G x || G !x)", False),  # on the way back from n calls `x` changes n times
        ("X ((F x) || G !x)", True),
        ("true", True),
        ("x", False),
    ],
)
def test_recursion_without_bound(formula: str, expected: bool) -> None:
    assert holds(RECURSIVE, formula) is expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ('AG("get.wait" -> !held)', True),  # where it is held nobody goes on
        ('G("get.wait" -> !held)', True),
        ('AG EF "main.over"', True),
        ("AG EF !held", False),
        ("G F !held", False),
        ('F "main.over"', False),
        ('A[!"main.over" W "main.over"]', True),
        ('E[!held U "main.over"]', True),
    ],
)
def test_runs_that_are_blocked_are_none(formula: str, expected: bool) -> None:
    assert holds(LOCK, formula) is expected


@pytest.mark.parametrize(
    ("body", "formula", "expected"),
    [
        ("x := 0; assert(x); x := 1;", "X G !x", True),  # a failed assertion ends the run
        ("x := 0; assert(*); x := 1;", "AX(EF x && EG !x)", True),
        ("assume(0);", "false", True),  # there is no run
        ("x := *; x := x;", "AX(x || AX !x)", True),
        ("x := 1;", "AX AX AX AX x", True),  # the end is for ever
        ("decl v; v := 0; x := 1;", 'AX(!"main.v" && AG !"main.v")', True),
    ],
)
def test_what_a_run_is(body: str, formula: str, expected: bool) -> None:
    assert holds(f"decl x;\nvoid main() begin {body} end", formula) is expected


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("AG(G x)", 'G "x": in CTL A or E'),
        ("A(G F x)", 'AG F "x"'),
        ("AG y", "y: y is no global"),
        ('"main.y"', "no global, variable or label"),
        ('"x | *"', "either value"),
        ('"choose(x, 0)"', "either value"),
        ("A[x U x", "wrong"),
        ("E(x)", "A and E speak of"),
        ('"x &"', "ends too early"),
    ],
)
def test_formulas_about_them_that_are_refused(formula: str, said: str) -> None:
    with pytest.raises(SeaError) as caught:
        holds("decl x;\nvoid main() begin end", formula)
    assert said in str(caught.value)


@pytest.mark.full
@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.full) for n in range(1, 40))]
)
def test_random_programs_and_formulas(first: int) -> None:
    """Some programs at a time, each with a formula of both kinds."""
    compared, most = 0, 6 if first else 3
    for seed in range(25 * first, 25 * first + 25):
        random = Random(seed)
        text = drawn_program(random)
        program = read_program(text, "p.bp")
        try:
            machine, graph, begun = explored(program, 60, 6)
        except ValueError:
            continue
        if not begun or compared == most:
            continue
        compared += 1
        atoms = atoms_of(program)
        linear = drawn_linear(random, atoms, random.randrange(2, 9))
        is_wrong = is_violated(machine, graph, begun, linear)
        assert holds(text, text_of(linear)) is not is_wrong, (text, text_of(linear))
        branching = drawn_branching(random, atoms, random.randrange(2, 9))
        is_right = set(begun) <= branching_states(machine, graph, branching)
        assert holds(text, text_of(branching)) is is_right, (text, text_of(branching))
    assert compared >= 3


@pytest.mark.parametrize(
    ("asked", "last", "code"),
    [
        (["--property", "AG EF !held"], "sat", 1),
        (["--property", 'G("get.wait" -> !held)'], "unsat", 0),
        (["--property", "AG held", "--semantics", "under"], "", 2),
    ],
)
def test_the_command_with_a_formula(asked: list[str], last: str, code: int, tmp_path: Path) -> None:
    file = tmp_path / "p.bp"
    file.write_text(LOCK)
    done = CliRunner().invoke(bp, [str(file), *asked])
    assert done.exit_code == code, done.output
    assert done.output.splitlines()[-1] == last or code == 2
