"""Whether a program has checks of its own, beside the invariants that are put into it.

In the edited program the invariants are checks.  A proof of these alone must not look like a proof
of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import Stage
from seahorn_py.frontend.compiling.mentions import mentions
from seahorn_py.frontend.lowering.events.events import error_names
from seahorn_py.options import VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.answers.no_checks import nothing_asked, warnings
from seahorn_py.verification.pipeline import load


def if_asked(
    result: VerificationResult, files: Sequence[Path], options: VerifyOptions, deadline: Deadline
) -> VerificationResult:
    """The safe answer for a program with invariants, or unknown if it has no check of its own.

    The files and options are those without the invariants.
    """
    frontend = options.frontend
    names = error_names(frontend)
    if result.answer is not Answer.SAFE or not frontend.wants_error_calls or mentions(files, names):
        return result
    lowered, source = load(files, options, deadline)
    if source.checks or not nothing_asked(files, lowered, frontend):
        return result
    said = (*result.warnings, *warnings(files, lowered, frontend))
    return replace(
        result,
        answer=Answer.UNKNOWN,
        stage=Stage.FRONT_END,
        reason="nothing to check",
        evidence=(),
        warnings=tuple(dict.fromkeys(said)),
    )
