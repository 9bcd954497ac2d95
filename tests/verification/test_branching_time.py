"""Formulas of branching time about programs: what is asked, and what follows from the answers.

Random graphs stand for programs in most tests.  A state has values of `x` and `y`, and a step for
each input, unless an assumption blocks it.  The questions are answered state by state.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from branching_programs import State as Place
from branching_programs import drawn

from seahorn_py import verify
from seahorn_py.base.errors import Stage
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.temporal.branching import put, written
from seahorn_py.frontend.temporal.formula import (
    FALSE,
    TRUE,
    Both,
    Constant,
    Either,
    Formula,
    Literal,
    Next,
    Quantified,
    Release,
    Until,
    negation,
    read_formula,
)
from seahorn_py.frontend.temporal.insertion import with_formula
from seahorn_py.frontend.temporal.product import CHOSEN, Fuel
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult, Violation
from seahorn_py.verification.questions.branching_time import decided
from seahorn_py.verification.questions.guesses import Guesses, guesses

State = tuple[int, bool]
"""A place of the graph, and whether inputs are chosen."""
FIRST = (0, False)
INPUTS = 2


class Graph:
    """A random graph; `choice` is the number that inputs are once they are chosen."""

    def __init__(self, seed: int) -> None:
        source = Random(seed)
        places = range(source.randint(2, 6))
        self.values = [(source.randrange(2), source.randrange(2)) for _ in places]
        blocked = source.choice((0.0, 0.25))
        self.steps = [
            [None if source.random() < blocked else source.choice(places) for _ in range(INPUTS)]
            for _ in places
        ]

    def after(self, state: State, choice: str | None) -> list[State]:
        place, is_chosen = state
        allowed = [int(choice)] if is_chosen and choice else range(INPUTS)
        found = [self.steps[place][value] for value in allowed]
        flags = (False, True) if choice is not None and not is_chosen else (is_chosen,)
        return [(one, flag) for one in found if one is not None for flag in flags]

    def blocks(self, state: State, choice: str | None) -> bool:
        """Whether an assumption fails though inputs are chosen."""
        place, is_chosen = state
        allowed = [int(choice)] if choice else range(INPUTS)
        return is_chosen and any(self.steps[place][value] is None for value in allowed)

    def explored(self, choice: str | None) -> dict[State, list[State]]:
        found: dict[State, list[State]] = {}
        waiting = [FIRST, *([(0, True)] if choice is not None else [])]
        while waiting:
            state = waiting.pop()
            if state not in found:
                found[state] = self.after(state, choice)
                waiting += found[state]
        return found

    def holds(self, literal: Literal, state: State) -> bool:
        x, y = self.values[state[0]]
        value = state[1] if literal.atom == CHOSEN else {"x == 1": x, "y == 1": y}[literal.atom]
        return bool(value) is literal.holds


def states(formula: Formula, graph: Any, steps: dict[Any, list[Any]]) -> set[Any]:
    """The states in which a formula holds: least and greatest sets."""
    every = set(steps)
    match formula:
        case Constant(value):
            return every if value else set()
        case Literal():
            return {state for state in every if graph.holds(formula, state)}
        case Both(left, right):
            return states(left, graph, steps) & states(right, graph, steps)
        case Either(left, right):
            return states(left, graph, steps) | states(right, graph, steps)
        case Quantified(True, _):
            return every - states(negation(formula), graph, steps)
        case Quantified(False, Until(left, right)):
            before, found = states(left, graph, steps), states(right, graph, steps)
            while more := {s for s in before - found if not found.isdisjoint(steps[s])}:
                found |= more
            return found
        case Quantified(False, Release(left, right)):
            reached = states(Quantified(False, Until(right, Both(left, right))), graph, steps)
            kept = states(right, graph, steps)
            while lost := {s for s in kept if kept.isdisjoint(steps[s])}:
                kept -= lost
            return reached | states(Quantified(False, Until(right, FALSE)), graph, steps) | kept
    raise AssertionError(formula)


def of_all_runs(formula: Formula) -> Formula:
    """The formula of branching time that a question of linear time is equal to."""
    match formula:
        case Both(left, right) | Either(left, right):
            return type(formula)(of_all_runs(left), of_all_runs(right))
        case Until(left, right) | Release(left, right):
            return Quantified(True, type(formula)(of_all_runs(left), of_all_runs(right)))
        case Next():
            raise AssertionError
    return formula


class Asked:
    """Answers questions about a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __call__(self, options: VerifyOptions) -> VerificationResult:
        choices = options.frontend.choices
        choice = choices[0] if choices else None
        steps = self.graph.explored(choice)
        question = of_all_runs(read_formula(options.frontend.formula))
        fulfilling = states(question, self.graph, steps)
        is_stuck = any(self.graph.blocks(state, choice) for state in steps)
        if choice is not None:
            if is_stuck or not {FIRST, (0, True)} <= fulfilling:
                return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="no")
            return VerificationResult(Answer.SAFE, ("proved",))
        if FIRST in fulfilling:
            return VerificationResult(Answer.SAFE, ("proved",))
        return VerificationResult(
            Answer.UNSAFE, ("replayed",), violation=Violation("ltl", "", None, ())
        )


def random_formula(source: Random, size: int) -> Formula:
    if size <= 1:
        return Literal(source.choice(("x == 1", "y == 1")), source.random() < 0.6)
    left, right = random_formula(source, size // 2), random_formula(source, size - size // 2 - 1)
    match source.randrange(6):
        case 0:
            return Both(left, right)
        case 1:
            return Either(left, right)
        case 2:
            return Quantified(source.random() < 0.5, Until(TRUE, right))
        case 3 | 4:
            return Quantified(source.random() < 0.5, Release(FALSE, right))
    kind = source.choice((Until, Release))
    return Quantified(source.random() < 0.5, kind(left, right))


def test_what_is_decided_of_random_graphs_is_right() -> None:
    source = Random(25)
    answers = []
    for seed in range(250):
        graph, formula = Graph(seed), random_formula(source, source.randint(2, 8))
        options = VerifyOptions(frontend=FrontendOptions(formula=written(formula)))
        guessed = Guesses(numbers=("0", "1"), inputs=1)
        result = decided(Asked(graph), options, guessed)
        expected = FIRST in states(formula, graph, graph.explored(None))
        if result.answer is not Answer.UNKNOWN:
            assert (result.answer is Answer.SAFE) is expected, (seed, written(formula))
        answers.append(result.answer)
    assert answers.count(Answer.UNKNOWN) < 60


def test_no_question_is_asked_when_the_time_is_over() -> None:
    def never(_: VerifyOptions) -> VerificationResult:
        raise AssertionError

    options = VerifyOptions(frontend=FrontendOptions(formula='EG AF "x == 1"'), timeout=1e-9)
    assert decided(never, options, Guesses(inputs=1)).answer is Answer.UNKNOWN


class Values:
    """Whether atoms hold in the states of a program."""

    def holds(self, literal: Literal, state: Place) -> bool:
        name, value = literal.atom.split(" == ")
        return (state[1]["xy".index(name)] == int(value)) is literal.holds


BOTH_ARE_READ = Both(Literal("x == 0"), Both(Literal("x == 0", False), Literal("y == 0")))


def about_values(source: Random, size: int) -> Formula:
    """A random formula about `x` and `y`; it reads both, so that each store is seen."""
    formula = random_formula(source, size)
    for name in ("x", "y"):
        atom, value = f"{name} == 1", source.randint(0, 2)
        formula = put(formula, Literal(atom), Literal(f"{name} == {value}"))
        formula = put(formula, Literal(atom, False), Literal(f"{name} == {value}", False))
    return Either(formula, BOTH_ARE_READ)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    text, graph, first = drawn(seed)
    formula = about_values(Random(seed), 4)
    file = tmp_path / "a.c"
    file.write_text(text)
    result = verify(file, property=f"A G ({written(formula)})", timeout=60)
    if result.answer is not Answer.UNKNOWN:
        whole = Quantified(True, Release(FALSE, formula))
        assert (result.answer is Answer.SAFE) is (first in states(whole, Values(), graph))


def test_guesses_are_read_off_the_text() -> None:
    found = guesses(
        [
            "extern int nondet_int(void); int x, y; // x == 9\n"
            "int main(void) { int z = nondet_int(); while (x < 3) if (z == y) x = 7; }"
        ]
    )
    assert found.compared == ("x < 3", "x == 7") and found.inputs == 1
    assert found.numbers == ("1", "0", "3", "7", "4", "8")


HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\nint x;\n"
IN_MAIN = {
    "int *p = &x; *p = 1;": "an access through a pointer",
    "x = 3 / x;": "the instruction sdiv",
    "x = 1 << x;": "the instruction shl",
    "extern int f(void); x = f();": "f()",
    "int (*f)(void) = 0; x = f();": "a call through a pointer",
    "int a[2]; a[x] = 1;": "the instruction getelementptr",
    "x = (int)(x * 0.5);": "the instruction sitofp",
}


def woven(text: str, folder: Path, choices: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    path = folder / "a.c"
    path.write_text(text)
    formula = f'G(!"{CHOSEN}" || F "x == 1")'
    options = FrontendOptions(
        formula=formula, fuel=Fuel.ANY.value, looked_at='AG EF "x == 1"', choices=choices
    )
    deadline = Deadline.after(60)
    texts = compile_files([path], options, deadline)
    modules, gaps, _ = with_formula([path], texts, options, deadline)
    return "\n".join(modules), gaps


@pytest.mark.parametrize("statement", IN_MAIN)
def test_what_may_end_a_run_is_a_gap(statement: str, tmp_path: Path) -> None:
    gaps = woven(f"{HEAD}int main(void) {{ {statement} }}\n", tmp_path, ("1",))[1]
    assert any(IN_MAIN[statement] in gap for gap in gaps), gaps


def test_inputs_and_assumptions_are_watched_where_inputs_are_chosen(tmp_path: Path) -> None:
    text = f"{HEAD}int main(void) {{ while (x < 8 / 2) {{ x = __VERIFIER_nondet_int();"
    text += " switch (x) { case 3: x = 1; } __VERIFIER_assume(x > 0); } }\n"
    module, gaps = woven(text, tmp_path, ("1", "2"))
    assert not gaps
    assert module.count("call void @sea.rule.formula.input.0(") == 1
    assert "call void @sea.rule.formula.input.1(" not in module
    assert module.count("call void @sea.rule.formula.assumed(") == 1


@pytest.mark.parametrize("kind", ["_Bool", "int"])
def test_a_number_that_an_input_cannot_be_is_no_choice(kind: str, tmp_path: Path) -> None:
    text = f"extern {kind} __VERIFIER_nondet_bool(void);\nint x;\n"
    text += "int main(void) { x = __VERIFIER_nondet_bool(); }\n"
    assert "call void @sea.rule.formula.input" not in woven(text, tmp_path, ("2",))[0]
    assert "call void @sea.rule.formula.input" in woven(text, tmp_path, ("1",))[0]


BOTH = HEAD + "int main(void) {\n  while (1) {\n    if (__VERIFIER_nondet_int()) x = 1;\n"
BOTH += "    else x = 0;\n  }\n}\n"
DOOMED = HEAD + "int main(void) {\n  while (1) {\n    x = 0;\n"
DOOMED += "    if (__VERIFIER_nondet_int() == 7) { x = 2; while (1) { } }\n    x = 1;\n  }\n}\n"


@pytest.mark.parametrize(
    ("text", "formula", "expected"),
    [
        (BOTH, 'EF "x == 1"', Answer.SAFE),
        (BOTH, 'EF "x == 2"', Answer.UNSAFE),
        pytest.param(BOTH, 'EG "x == 0"', Answer.SAFE, marks=pytest.mark.full),
        pytest.param(BOTH, 'AG EF "x == 1"', Answer.SAFE, marks=pytest.mark.full),
        (DOOMED, 'EF AG "x == 2"', Answer.SAFE),
        pytest.param(DOOMED, 'AG EF "x == 1"', Answer.UNSAFE, marks=pytest.mark.full),
    ],
)
def test_answers_about_programs(text: str, formula: str, expected: Answer, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(text)
    result = verify(file, property=formula, timeout=200)
    assert result.answer is expected, (result.reason, result.evidence)
    if expected is Answer.UNSAFE:
        assert result.violation is not None and result.violation.property == "ltl"
    else:
        assert result.meaning == f"the first state fulfils {formula}"
