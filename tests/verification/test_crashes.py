"""A solver that crashes costs its answer and nothing else: unknown, and the stage is named."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from seahorn_py.base.errors import Stage
from seahorn_py.engines.bmc import bmc_child
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.logic.solvers import solver_child
from seahorn_py.logic.solvers.spacer import spacer_child
from seahorn_py.options import Encodings, EngineName, Planned, Schedule, VerifyOptions
from seahorn_py.processes.child import ChildFailed, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.pipeline import verify

LOOP = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int() & 3, i;
  for (i = 0; i < n; i++) ;
  if (i > 3) reach_error();
}
"""


def crash(*_: object, **__: object) -> str:
    os.kill(os.getpid(), signal.SIGSEGV)
    return ""


def test_the_signal_is_named() -> None:
    with (
        Fork(crash, Deadline.after(20)) as fork,
        pytest.raises(ChildFailed, match=r"^ended by SIGSEGV$"),
    ):
        fork.result()


def test_half_an_answer_is_none() -> None:
    def half() -> object:
        class Abrupt:
            def __reduce__(self) -> tuple[object, ...]:
                os._exit(3)

        return ["x" * 100_000, Abrupt()]

    with (
        Fork(half, Deadline.after(20)) as fork,
        pytest.raises(ChildFailed, match="ended without a result"),
    ):
        fork.result()


CRASHES = {
    "the engine": (bmc_child, "solve", EngineName.BMC, Stage.SOLVE),
    "Spacer": (spacer_child, "solve", EngineName.SPACER, Stage.SOLVE),
    "the second solver": (solver_child, "answer", EngineName.SPACER, Stage.REPROOF),
    "LLVM": (optimizer, "lower_here", EngineName.BMC, Stage.FRONT_END),
}


def answered(file: Path, engine: EngineName) -> VerificationResult:
    file.write_text(LOOP)
    plan = Schedule(bv=(Planned(engine, "plain" if engine is EngineName.SPACER else ""),))
    options = VerifyOptions(timeout=20, schedule=plan, encoding=Encodings.BV, executions=0)
    return verify(file, options)


@pytest.mark.parametrize("who", CRASHES)
def test_a_crash_is_unknown_in_its_stage(
    who: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, function, engine, stage = CRASHES[who]
    monkeypatch.setattr(module, function, crash)
    result = answered(tmp_path / "loop.c", engine)
    assert (result.answer, result.stage) == (Answer.UNKNOWN, stage), result
    assert "SIGSEGV" in result.reason
