"""What `sea-py doctor` finds: is every part here, and does it work."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from seahorn_py.base.errors import SeaError
from seahorn_py.base.records import dataclass
from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.launching import REQUIRED, Layers
from seahorn_py.frontend.runtime.native import Refusal, build
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.processes import scratch
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import verify

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

NOTHING = "define void @sea.main() {\n  ret void\n}\n"
_WIDTHS = (32, 64)
_BUILD_SECONDS = 60.0
_WALLS = {
    Layers.LIMITS: "memory, CPU, files, processes",
    Layers.PRIVILEGES: "no new ones",
    Layers.SECCOMP: "a list of system calls",
    Layers.USER: "a namespace of users",
    Layers.MOUNT: "an empty file system",
    Layers.NETWORK: "a namespace of networks",
    Layers.IPC: "a namespace of messages",
    Layers.UTS: "a namespace of names",
    Layers.PROCESSES: "a namespace of processes",
    Layers.LANDLOCK: "no file, no network",
}


@dataclass(frozen=True)
class Finding:
    """One part, whether it works, and what was seen."""

    name: str
    ok: bool
    text: str


def examine() -> list[Finding]:
    """Look at every package, verify a small program in both data models, try what contains it."""
    return [*map(_package, PACKAGES), *map(_probe, _WIDTHS), *_walls()]


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


def _walls() -> list[Finding]:
    """For each layer around native runs, in which widths it holds; others may do without some."""
    tried = {bits: _tried(bits) for bits in _WIDTHS}
    found = []
    for layer, means in _WALLS.items():
        held = [bits for bits in _WIDTHS if layer in tried[bits].layers]
        text = " and ".join(f"{bits}-bit" for bits in held) or "not on this system"
        runs = any(not tried[bits].refusal for bits in _WIDTHS)
        ok = bool(held) or layer not in REQUIRED
        name = f"around native runs, {str(layer.name).lower()} ({means})"
        found.append(Finding(name, ok, text if runs else f"{text}: {tried[64].refusal}"))
    return found


def _tried(bits: int) -> native.Exploration:
    with scratch.folder() as place:
        built = build(NOTHING, bits, place, Deadline.after(_BUILD_SECONDS))
        if isinstance(built, Refusal):
            return native.Exploration(0, (), built.reason)
        return native.walls(built)
