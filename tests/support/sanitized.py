"""What the interpreter and the sanitizers of a system compiler say of `faulty` programs.

AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer are those of GCC or clang; the
bundled compiler has no run time for them, and neither has the product any use for them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from faulty import Fault, FaultFile

from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.processes.deadline import Deadline

CHECKED = frozenset(
    {Property.VALID_MEMSAFETY, Property.NO_OVERFLOW, Property.DIV_BY_ZERO, Property.SHIFT}
)
WHICH = "__VERIFIER_nondet_which"
INPUT = f'#include <stdlib.h>\nint {WHICH}(void) {{ return atoi(getenv("WHICH")); }}\n'
FLAGS = ("-g", "-O0", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
OPTIONS = "detect_leaks=1:detect_stack_use_after_return=1:abort_on_error=0"
PROBE = "int main(void) { int a[1] = {0}; return a[0]; }\n"

_ERROR = re.compile(r"ERROR: (\w+)Sanitizer: (.*)")
_FRAME = re.compile(r"^ +#\d+ .*faulty\.c:(\d+)", re.MULTILINE)
_UNDEFINED = re.compile(r"faulty\.c:(\d+):\d+: runtime error: (.*)")


@dataclass(frozen=True)
class Finding:
    """A violated property, and the line."""

    property: str
    line: int


Findings = Mapping[int, Finding | None]
"""By the number of the function; None: its run has no error."""


def planted(file: FaultFile) -> Findings:
    """What the generator put in."""
    lines = file.lines
    return {
        f.number: Finding(f.property, lines[f.number]) if f.property else None for f in file.faults
    }


def interpreted(file: FaultFile, bits: int) -> Findings:
    """The first check that fails in the interpreter."""
    options = FrontendOptions(bits=bits, properties=CHECKED)
    deadline = Deadline.after(120)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "faulty.c"
        path.write_text(file.text)
        modules = compiler.compile_files([path], options, deadline)
        lowered = optimizer.lower(modules, options, deadline)
    which = next(site.number for site in lowered.sites if site.name == WHICH)
    program = reader.read(lowered)
    runner, checks = Interpreter(program), {c.number: c for c in program.checks}
    found: dict[int, Finding | None] = {}
    for fault in file.faults:
        outcome = runner.run({which: (fault.number,)}, RunLimits(seconds=10.0))
        assert outcome.ending in (Ending.ENDED, Ending.FAILED), (fault, outcome)
        assert not outcome.reason, (fault, outcome)
        check = checks[outcome.check] if outcome.check is not None else None
        span = check.origin.span if check else None
        found[fault.number] = Finding(check.property, span.line if span else 0) if check else None
    return found


def compilers() -> Iterator[str]:
    """Compilers of the system."""
    for name in (os.environ.get("SEA_SANITIZERS", ""), "gcc", "clang"):
        path = shutil.which(name) if name else None
        if path:
            yield path


def sanitizer(bits: int) -> str | None:
    """A compiler whose sanitizers work for a data model here."""
    for path in compilers():
        with tempfile.TemporaryDirectory() as folder:
            built = _build(path, bits, PROBE, Path(folder))
            if built is not None and _run(built, 0).returncode == 0:
                return path
    return None


def sanitized(file: FaultFile, compiler_: str, bits: int) -> Findings:
    """The error that the sanitizers report."""
    with tempfile.TemporaryDirectory() as folder:
        built = _build(compiler_, bits, file.text, Path(folder))
        assert built is not None, "does not compile"
        return {f.number: _reported(built, f) for f in file.faults}


def _reported(built: Path, fault: Fault) -> Finding | None:
    """What one run reports; of a leak what one of three does.

    LeakSanitizer is silent where an old copy of the address lies on the stack or in a register.
    """
    runs = range(3 if fault.property == "valid-memtrack" else 1)
    found = (_finding(_run(built, fault.number).stderr) for _ in runs)
    return next((f for f in found if f is not None), None)


def _build(compiler_: str, bits: int, text: str, folder: Path) -> Path | None:
    (folder / "faulty.c").write_text(text)
    (folder / "input.c").write_text(INPUT)
    command = [compiler_, f"-m{bits}", *FLAGS, "faulty.c", "input.c", "-o", "faulty"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    return folder / "faulty" if done.returncode == 0 else None


def _run(built: Path, which: int) -> subprocess.CompletedProcess[str]:
    environment = {"WHICH": str(which), "ASAN_OPTIONS": OPTIONS}
    return subprocess.run(
        [built], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def _finding(report: str) -> Finding | None:
    undefined = _UNDEFINED.search(report)
    if undefined:
        return Finding(_property_of(undefined[2]), int(undefined[1]))
    error = _ERROR.search(report)
    if error is None:
        return None
    frame = _FRAME.search(report, error.end())
    line = int(frame[1]) if frame else 0
    if error[1] == "Leak":
        return Finding("valid-memtrack", line)
    is_free = error[2].startswith("attempting")
    return Finding("valid-free" if is_free else "valid-deref", line)


def _property_of(text: str) -> str:
    """The property that an error of UndefinedBehaviorSanitizer violates."""
    words: list[tuple[str, str]] = [
        ("division by zero", "div-by-zero"),
        ("shift", "shift"),
        ("cannot be represented", "no-overflow"),
    ]
    return next((property_ for word, property_ in words if word in text), "valid-deref")


def disagreements(file: FaultFile, found: Findings, says: Callable[[Fault], object]) -> list[str]:
    """The faults of which the interpreter does not say the same."""
    return [
        f"{fault.kind}: {found[fault.number]} not {says(fault)}\n{fault.text}"
        for fault in file.faults
        if not _same(found[fault.number], says(fault))
    ]


def _same(one: object, other: object) -> bool:
    """Equal findings; what is lost is known at the end only, so the line of a leak is free."""
    if isinstance(one, Finding) and isinstance(other, Finding):
        is_leak = one.property == other.property == "valid-memtrack"
        return is_leak or one == other
    return one is other
