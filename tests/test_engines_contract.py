"""One contract for every engine: the same systems, and every answer checked by other code."""

from __future__ import annotations

import pytest
from horn_examples import EXAMPLES, HARD_EXAMPLES, Example

from seahorn_py.child import Deadline
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.spacer import Spacer
from seahorn_py.errors import Stage
from seahorn_py.horn.proofs import check_proof
from seahorn_py.horn.refutations import check_refutation
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.solvers import Solver
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

ENGINES: dict[str, Engine] = {"spacer": Spacer()}
SECONDS = 30.0
HARD_SECONDS = 10.0


def assert_checked(system: HornSystem, verdict: Verdict) -> None:
    """The evidence of an answer convinces code that shares nothing with the engine."""
    deadline = Deadline.after(SECONDS)
    match verdict:
        case Safe(proof):
            checked = check_proof(system, proof, finder=Solver.Z3, deadline=deadline)
            assert checked.ok, checked.reason
        case Unsafe(refutation):
            checked = check_refutation(system, refutation, deadline)
            assert checked.ok, checked.reason


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_answers_with_evidence(engine: Engine, example: Example) -> None:
    verdict = engine.solve(example.system, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Safe if example.safe else Unsafe), verdict
    assert_checked(example.system, verdict)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())
@pytest.mark.parametrize("example", HARD_EXAMPLES, ids=lambda e: e.name)
def test_never_answers_wrongly(engine: Engine, example: Example) -> None:
    verdict = engine.solve(example.system, Budget(Deadline.after(HARD_SECONDS)))
    assert not isinstance(verdict, Unsafe if example.safe else Safe)
    assert_checked(example.system, verdict)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())
def test_without_time_the_answer_is_unknown(engine: Engine) -> None:
    example = HARD_EXAMPLES[0]
    verdict = engine.solve(example.system, Budget(Deadline.after(0.0)))
    assert isinstance(verdict, Unknown)
    assert verdict.stage is Stage.SOLVE
