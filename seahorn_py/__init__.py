"""A software model checker for C whose every answer is checked.

from seahorn_py import verify
result = verify("file.c", property="no-overflow", timeout=20, progress=print)
result.answer, result.evidence, result.ledger
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seahorn_py.base.version import VERSION as __version__

if TYPE_CHECKING:
    from seahorn_py.base.errors import SeaError
    from seahorn_py.options import FrontendOptions, VerifyOptions
    from seahorn_py.processes.cancellation import Cancellation
    from seahorn_py.result import Answer, VerificationResult
    from seahorn_py.verification.asynchronous import verify_async
    from seahorn_py.verification.pipeline import verify
    from seahorn_py.verification.solutions import Solution, solve

__all__ = [
    "Answer",
    "Cancellation",
    "FrontendOptions",
    "SeaError",
    "Solution",
    "VerificationResult",
    "VerifyOptions",
    "__version__",
    "solve",
    "verify",
    "verify_async",
]

_HOMES = {
    "Answer": "result",
    "Cancellation": "processes.cancellation",
    "FrontendOptions": "options",
    "SeaError": "base.errors",
    "Solution": "verification.solutions",
    "VerificationResult": "result",
    "VerifyOptions": "options",
    "solve": "verification.solutions",
    "verify": "verification.pipeline",
    "verify_async": "verification.asynchronous",
}


def __getattr__(name: str) -> Any:
    """Import the public names on first use: start-up stays fast, also of children."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """The public names too, before they are used."""
    return sorted({*globals(), *__all__})
