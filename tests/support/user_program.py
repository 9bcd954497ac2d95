"""How a user calls us from Python, typed strictly: `scripts/typecheck` reads it, a test runs it."""

from __future__ import annotations

from pathlib import Path

from seahorn_py import Answer, FrontendOptions, VerificationResult, VerifyOptions, verify
from seahorn_py.options import EngineName, Property


def shown(result: VerificationResult) -> str:
    return f"{result.answer.value}: {'; '.join(result.evidence) or result.reason}"


def main(folder: Path) -> list[str]:
    safe, overrun = folder / "counter_safe.c", folder / "heap_overrun_unsafe.c"
    phases: list[str] = []
    options = VerifyOptions(FrontendOptions(bits=32), jobs=1)
    results = [
        verify(str(safe)),
        verify([safe], options, timeout=20, progress=phases.append),
        verify(overrun, property="valid-memsafety", timeout=20.0, progress=print),
        verify(overrun, property=[Property.VALID_DEREF, "bounds"], engines=[EngineName.BMC]),
    ]
    assert phases
    assert results[0].answer is Answer.SAFE
    bugs = [f"{error}\n{error.traceback}" for r in results for error in r.internal_errors]
    return [*map(shown, results), *bugs]


def refused() -> None:
    """What a type checker refuses."""
    verify("a.c", timout=3)  # type: ignore[call-arg]
    verify("a.c", timeout="3")  # type: ignore[arg-type]
    verify("a.c", property=3)  # type: ignore[arg-type]
    verify("a.c", progress=3)  # type: ignore[arg-type]
