"""What `sea-py doctor` finds: is every part here, and does it work."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from seahorn_py import scratch
from seahorn_py.errors import SeaError
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.pipeline import verify
from seahorn_py.result import Answer

PACKAGES = ("llvmlite", "ziglang", "z3-solver", "pysmt", "cvc5", "bitwuzla")

PROBE = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int i = 0;
    while (i < __VERIFIER_nondet_int() && i < 10)
        i++;
    if (i > 10)
        reach_error();
    return 0;
}
"""


@dataclass(frozen=True)
class Finding:
    """One part, whether it works, and what was seen."""

    name: str
    ok: bool
    text: str


def examine() -> list[Finding]:
    """Look at every package, then verify a small program in both data models."""
    return [*map(_package, PACKAGES), *(_probe(bits) for bits in (32, 64))]


def _package(name: str) -> Finding:
    try:
        return Finding(name, True, version(name))
    except PackageNotFoundError:
        return Finding(name, False, f"not installed; run: pip install {name}")


def _probe(bits: int) -> Finding:
    name = f"a {bits}-bit program"
    with scratch.folder() as place:
        file = place / "probe.c"
        file.write_text(PROBE)
        try:
            result = verify(file, VerifyOptions(FrontendOptions(bits=bits)))
        except SeaError as error:
            return Finding(name, False, str(error))
    ok = result.answer is Answer.SAFE
    return Finding(name, ok, result.evidence[0] if ok else result.reason)
