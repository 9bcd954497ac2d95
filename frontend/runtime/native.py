"""From the instrumented LLVM text to a freestanding executable for native runs.

The text is compiled at `-O0` and linked with the run time in `runtime/`: an entry, inputs by site
and visit or drawn from a seed, checks, and a few functions of the C library.  Our reader of LLVM
text has no part in such a run, so the run can contradict it.

The program is hostile.  Its text goes through a gate before it is compiled (`nativetext`, and an
allow-list of the names that it may need), and so do its object before it is linked and the
executable before it runs (`objects`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.compiler import zig_path
from seahorn_py.frontend.compiling.support import (
    STATIC,
    TARGETS,
    launcher,
    layout_script,
    runtime_objects,
)
from seahorn_py.frontend.runtime import nativetext, objects
from seahorn_py.frontend.runtime.nativetext import Peculiar
from seahorn_py.frontend.runtime.watching import watched
from seahorn_py.ir.program import SILENT
from seahorn_py.processes.child import ChildError, Completed, command
from seahorn_py.processes.deadline import Deadline

_MEMORY_MIB = 4096
_HEAP = {32: 0x1000_0000, 64: 0x5000_0000_0000}
"""The address of the heap of a run."""

_EMULATIONS = {32: "elf_i386", 64: "elf_x86_64"}
_PROGRAM_FLAGS = (
    *("-O0", "-w", "-fno-pic", "-fno-addrsig", "-fno-asynchronous-unwind-tables"),
    *("-fno-stack-protector", "-fno-crash-diagnostics", "-c"),
)

LIBRARY = frozenset(
    {
        *("malloc", "calloc", "realloc", "aligned_alloc", "free"),
        *("memcpy", "memmove", "memset"),
        *(f"{name}{suffix}" for name in ("sqrt", "fmod") for suffix in ("", "f", "l")),
    }
)
"""The functions of the C library in the run time; all others are models in the text."""

_EVENTS = ("havoc", "check", "assume", "defined", "reuse", "scope", "stop", "main")
_THREADS = ("mark", "turn", "over", "ended", "begin_thread")
_VALID = tuple(f"valid.{kind}" for kind in ("access", "write", "free", "noleak", "nolost"))
_SEA = frozenset(f"sea.{name}" for name in (*_EVENTS, *_THREADS, *_VALID))
_INPUTS = "sea.input."
_NEEDED = _SEA | {"sea.read", "sea.undefined", "sea.object"}  # of the run time by a completed text
_MAIN = "sea.main"
_FLOAT_KINDS = {"float": 1001, "double": 1002, "x86_fp80": 1003}

_POINTER_KIND = 1004
_INPUT = pattern(r"^declare [^@\n]*@sea\.input\.(\w+)\([^\n]*$", re.MULTILINE)
_DIVISION = pattern(
    r"^  %[^=\n]* = ([us])(?:div|rem) (?:exact )?i(\d+) ([^,\n]+), ([^,\s]+)", re.MULTILINE
)
_RUNTIME_DECLARATIONS = "declare void @sea.read(i32, i32, ptr)\ndeclare void @sea.undefined()"
_SILENT = pattern(rf"^declare (void @{re.escape(SILENT)}[^\n]*?\(\.\.\.\))[^\n]*$", re.MULTILINE)
_OWN_COPIES = pattern(r"^define [^@\n]*@(mem(?:cpy|move|set))\(", re.MULTILINE)


@dataclass(frozen=True)
class Executable:
    """A static executable with the entry of the run time; `bits` is 32 or 64."""

    path: Path
    bits: int

    @property
    def launcher(self) -> Path:
        """The program that is started in its place, and that starts it behind walls."""
        return self.path.with_name(f"{self.path.name}.launch")


class RunTime(Enum):
    """The file with the entry of an executable: `start.c` or `alone.c`.

    The value is the name of the other file, which is left out.
    """

    SERVER = "alone.o"
    ALONE = "start.o"


@dataclass(frozen=True)
class Refusal:
    """Why no native run can be made; then the interpreter alone is used."""

    reason: str


def build(
    native: str, bits: int, directory: Path, deadline: Deadline, watch: bool = False
) -> Executable | Refusal:
    """Compile and link the `native` text in `directory`, which the caller removes.

    With `watch`, its runs can be watched: such a run fails where it seems to leave an object.
    """
    try:
        text = completed(native, bits)
        text = watched(text, bits) if watch else text
        path = directory / "native.exe"
        return link(text, bits, directory, path, RunTime.SERVER, deadline)
    except Peculiar as error:
        return Refusal(str(error))
    except ChildError as error:
        return Refusal(f"native build: {error}")


def _refuse_names(text: str) -> None:
    """Raises Peculiar if the text defines a name of the run time, or needs a name without owner."""
    taken = [name for name in nativetext.defined_symbols(text) if _is_ours(name)]
    if taken:
        raise Peculiar(f"definition of {', '.join(sorted(taken)[:5])}")
    unknown = [name for name in nativetext.external_symbols(text) if not _allowed(name)]
    if unknown:
        raise Peculiar(f"external {', '.join(sorted(unknown)[:5])}")


def _is_ours(name: str) -> bool:
    return name.startswith((_INPUTS, "llvm.")) or (name in _NEEDED and name != _MAIN)


def completed(native: str, bits: int, debug: bool = False) -> str:
    """The clean text with input functions for the types that occur, and with checked divisions.

    Divisions need checks: the code generator folds those by the constants 0 and -1, and drops those
    without uses, so that they would not end the run.  Functions of the text are renamed if the code
    generator calls for copies and fills by their names.  Without `debug`, the text has nothing that
    leads from code to C lines.  Raises Peculiar if the text must not become a native run.
    """
    native = _SILENT.sub(r"define \1 {\n  ret void\n}", nativetext.clean(native, bits, debug))
    _refuse_names(native)
    types = dict.fromkeys(_INPUT.findall(native))
    divided = dict.fromkeys(
        (sign, width) for sign, width, _, right in _DIVISION.findall(native) if _may_trap(right)
    )
    for name in _OWN_COPIES.findall(native):
        native = re.sub(rf"@{name}(?![\w.$-])", f"@sea.own.{name}", native)
    body = _DIVISION.sub(_guarded, _INPUT.sub("", native))
    functions = [_input_function(name) for name in types]
    functions += [_guard_function(sign, width) for sign, width in divided]
    return "\n".join([body, _RUNTIME_DECLARATIONS, *functions, ""])


def _may_trap(divisor: str) -> bool:
    return divisor in ("0", "-1") or not divisor.lstrip("-").isdigit()


def _guarded(division: re.Match[str]) -> str:
    sign, width, left, right = division.groups()
    if not _may_trap(right):
        return division[0]
    check = f"  call void @sea.{sign}divides.i{width}(i{width} {left}, i{width} {right})\n"
    return check + division[0]


def _guard_function(sign: str, width: str) -> str:
    """A function that ends the run if a quotient of this width is undefined."""
    kind = f"i{width}"
    overflow = f"icmp eq {kind} %left, {-1 << (int(width) - 1)}" if sign == "s" else "and i1 0, 0"
    return (
        f"define void @sea.{sign}divides.{kind}({kind} %left, {kind} %right) {{\n"
        f"  %zero = icmp eq {kind} %right, 0\n"
        f"  %minus = icmp eq {kind} %right, -1\n"
        f"  %smallest = {overflow}\n"
        "  %overflow = and i1 %minus, %smallest\n"
        "  %bad = or i1 %zero, %overflow\n"
        "  br i1 %bad, label %end, label %go\n"
        "end:\n  call void @sea.undefined()\n  br label %go\n"
        "go:\n  ret void\n}"
    )


def _input_function(name: str) -> str:
    if name == "ptr":
        result = "  %value = load ptr, ptr %slot, align 16\n  ret ptr %value"
        kind = _POINTER_KIND
    elif name in _FLOAT_KINDS:
        result = f"  %value = load {name}, ptr %slot, align 16\n  ret {name} %value"
        kind = _FLOAT_KINDS[name]
    else:
        kind = int(name.removeprefix("i"))
        narrow = f"  %value = trunc i128 %all to {name}\n" if kind < 128 else ""
        value = "%value" if narrow else "%all"
        result = f"  %all = load i128, ptr %slot, align 16\n{narrow}  ret {name} {value}"
    return (
        f"define {name} @sea.input.{name}(i32 %site) {{\n"
        "  %slot = alloca i128, align 16\n"
        f"  call void @sea.read(i32 %site, i32 {kind}, ptr %slot)\n"
        f"{result}\n}}"
    )


def _allowed(name: str) -> bool:
    if name.startswith("llvm."):
        return nativetext.known_intrinsic(name)
    return name in LIBRARY or name in _SEA or name.startswith(_INPUTS)


def link(
    text: str,
    bits: int,
    directory: Path,
    path: Path,
    run_time: RunTime,
    deadline: Deadline,
    extra: Sequence[Path] = (),
) -> Executable | Refusal:
    """Compile a completed text in `directory`, link it to `path` with a run time and `extra` files.

    Raises ChildError if the time does not suffice.
    """
    program = directory / "native.o"
    reason = _compile(text, bits, program, deadline)
    if reason:
        return Refusal(reason)
    given = runtime_objects(bits)
    ours = [name for content in given.values() for name in objects.defined_names(content)]
    debug = run_time is RunTime.ALONE
    reason = objects.peculiar(program.read_bytes(), bits, ours, _NEEDED, debug)
    if reason:
        return Refusal(reason)
    files = [program, *extra]
    for name, content in given.items():
        if name != run_time.value:
            files.append(directory / f"sea-{name}")
            files[-1].write_bytes(content)
    reason = _link(files, bits, path, deadline)
    if reason:
        return Refusal(reason)
    executable = Executable(path, bits)
    executable.launcher.write_bytes(launcher())
    executable.launcher.chmod(0o700)
    return executable


def _compile(text: str, bits: int, program: Path, deadline: Deadline) -> str:
    """Write the object `program`; gives "" or why that failed."""
    source = program.with_suffix(".ll")
    source.write_text(text, encoding="utf-8")
    argv = ["clang", "-target", TARGETS[bits], *_PROGRAM_FLAGS, str(source), "-o", str(program)]
    done = zig(argv, program.parent, deadline)
    return f"native compiler: {_first_line(done.errors)}" if done.code != 0 else ""


def _link(files: Sequence[Path], bits: int, path: Path, deadline: Deadline) -> str:
    """Write the executable `path`; gives "" or why that failed or it must not run."""
    folder = files[0].parent
    script = folder / "sea-program.lds"
    script.write_bytes(layout_script())
    options = ["-m", _EMULATIONS[bits], "-T", str(script), "--orphan-handling=error"]
    options.append(f"--defsym=sea.heap={_HEAP[bits]:#x}")
    argv = [*STATIC, *options, "-o", str(path), *map(str, files)]
    done = zig(argv, folder, deadline)
    if done.code != 0:
        return f"native linker: {_first_line(done.errors)}"
    return objects.unsafe_to_run(path.read_bytes(), bits)


def zig(argv: Sequence[str], directory: Path, deadline: Deadline) -> Completed:
    """Run a part of the bundled compiler.  Raises ChildError if the time does not suffice."""
    return command([str(zig_path()), *argv], deadline, _MEMORY_MIB, cwd=directory, env={})


def _first_line(errors: str) -> str:
    lines = [line for line in errors.splitlines() if "error" in line] or errors.splitlines()
    return lines[0].strip() if lines else "failed without a message"
