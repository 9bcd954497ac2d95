"""From the instrumented LLVM text to a freestanding executable that a run can be made of.

The text is compiled at `-O0` and linked with the run time in `runtime/`: its own entry, inputs by
site and visit or drawn from a seed, checks, a few functions of the C library.  No line of the
reader lies between the C text and such a run.  Everything the text needs from outside must be in an
allow-list, which is looked at before anything is linked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from seahorn_py.child import ChildError, Completed, Deadline, command
from seahorn_py.frontend.compiler import zig_path
from seahorn_py.frontend.support import TARGETS, runtime_objects

_MEMORY_MIB = 4096
_ENTRY = "sea.start"
_EMULATIONS = {32: "elf_i386", 64: "elf_x86_64"}
_PROGRAM_FLAGS = ("-O0", "-w", "-fno-pic", "-c")

LIBRARY = frozenset(
    {
        *("malloc", "calloc", "realloc", "aligned_alloc", "free"),
        *("memcpy", "memmove", "memset"),
        *(f"{name}{suffix}" for name in ("sqrt", "fmod") for suffix in ("", "f", "l")),
    }
)
"""The functions that the run time has; all others of the C library are models in the text."""

_EVENTS = ("havoc", "check", "assume", "defined", "scope", "stop", "main")
_VALID = tuple(f"valid.{kind}" for kind in ("access", "write", "free", "noleak", "nolost"))
_SEA = frozenset(f"sea.{name}" for name in (*_EVENTS, *_VALID))
_FLOAT_KINDS = {"float": 1001, "double": 1002, "x86_fp80": 1003}

_NAME = r'@(?:"([^"]+)"|([-\w.$]+))'
_DECLARED = re.compile(rf"^declare [^@\n]*{_NAME}\(", re.MULTILINE)
_EXTERNAL = re.compile(rf"^{_NAME} = [^\n\"]*\b(?:external|extern_weak)\b", re.MULTILINE)
_INPUT = re.compile(r"^declare [^@\n]*@sea\.input\.(\w+)\([^\n]*$", re.MULTILINE)
_ASSEMBLY = re.compile(r'^(?:module asm|\s.*\bcall\b.* asm (?:\w+ )*")', re.MULTILINE)
_DIVISION = re.compile(
    r"^  %[^=\n]* = ([us])(?:div|rem) (?:exact )?i(\d+) ([^,\n]+), ([^,\s]+)", re.MULTILINE
)
_RUNTIME_DECLARATIONS = "declare void @sea.read(i32, i32, ptr)\ndeclare void @sea.undefined()"
_OWN_COPIES = re.compile(r"^define [^@\n]*@(mem(?:cpy|move|set))\(", re.MULTILINE)
_DEBUG_VERSION = re.compile(r'(?<=!"Debug Info Version", i32 )\d+')


@dataclass(frozen=True)
class Executable:
    """A static program whose entry is the run time's; `bits` is 32 or 64."""

    path: Path
    bits: int


class RunTime(Enum):
    """Whose entry an executable has: `start.c` or `alone.c`.  The value is that of the other."""

    SERVER = "alone.o"
    ALONE = "start.o"


@dataclass(frozen=True)
class Refusal:
    """Why no native run can be made; the interpreter serves instead."""

    reason: str


def build(native: str, bits: int, directory: Path, deadline: Deadline) -> Executable | Refusal:
    """Compile and link the `native` text in `directory`, which is the caller's to remove."""
    reason = refused(native)
    if reason:
        return Refusal(reason)
    try:
        path = directory / "native.exe"
        return link(completed(native), bits, directory, path, RunTime.SERVER, deadline)
    except ChildError as error:
        return Refusal(f"native build: {error}")


def refused(native: str) -> str:
    """What in the text a native run must not or cannot do; empty if nothing."""
    if _ASSEMBLY.search(native):
        return "assembly"
    unknown = sorted(name for name in _undefined(native) if not _allowed(name))
    return f"external {', '.join(unknown[:5])}" if unknown else ""


def completed(native: str, debug: bool = False) -> str:
    """The text with input functions for exactly the types that occur, and with checked divisions.

    The code generator folds a division by the constants 0 and -1 and drops one without uses, so
    that it would not end the run.  Functions of the text must not have the names by which it calls
    for copies and fills.  Without `debug` nothing leads a debugger from code to C lines.
    """
    types = dict.fromkeys(_INPUT.findall(native))
    divided = dict.fromkeys(
        (sign, width) for sign, width, _, right in _DIVISION.findall(native) if _may_trap(right)
    )
    for name in _OWN_COPIES.findall(native):
        native = re.sub(rf"@{name}(?![\w.$-])", f"@sea.own.{name}", native)
    body = _DIVISION.sub(_guarded, _INPUT.sub("", native))
    if not debug:
        # Debug information of another version is dropped by LLVM: a third of the time of the build.
        body = _DEBUG_VERSION.sub("0", body)
    functions = [_input_function(name) for name in types]
    functions += [_guard_function(sign, width) for sign, width in divided]
    return "\n".join([body, _RUNTIME_DECLARATIONS, *functions, ""])


def _may_trap(divisor: str) -> bool:
    return divisor in ("0", "-1") or not divisor.lstrip("-").isdigit()


def _guarded(division: re.Match[str]) -> str:
    sign, width, left, right = division.groups()
    if not _may_trap(right):
        return division[0]
    guard = f"  call void @sea.{sign}divides.i{width}(i{width} {left}, i{width} {right})\n"
    return guard + division[0]


def _guard_function(sign: str, width: str) -> str:
    """End the run where a quotient of that width is undefined."""
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
        result = "  ret ptr null"
        kind = 64
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


def _undefined(native: str) -> Iterator[str]:
    for pattern in (_DECLARED, _EXTERNAL):
        for quoted, plain in pattern.findall(native):
            yield quoted or plain


def _allowed(name: str) -> bool:
    return name in LIBRARY or name in _SEA or name.startswith(("llvm.", "sea.input."))


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

    ChildError when there is no time for it.
    """
    source, program = directory / "native.ll", directory / "native.o"
    source.write_text(text, encoding="utf-8")
    argv = ["clang", "-target", TARGETS[bits], *_PROGRAM_FLAGS, str(source), "-o", str(program)]
    compiled = zig(argv, directory, deadline)
    if compiled.code != 0:
        return Refusal(f"native compiler: {_first_line(compiled.errors)}")
    objects = [str(program), *map(str, extra)]
    for name, content in runtime_objects(bits).items():
        if name != run_time.value:
            (directory / f"sea-{name}").write_bytes(content)
            objects.append(str(directory / f"sea-{name}"))
    options = ["-static", "--threads=1", "-m", _EMULATIONS[bits], "-e", _ENTRY]
    linked = zig(["ld.lld", *options, "-o", str(path), *objects], directory, deadline)
    if linked.code != 0:
        return Refusal(f"native linker: {_first_line(linked.errors)}")
    return Executable(path, bits)


def zig(argv: Sequence[str], directory: Path, deadline: Deadline) -> Completed:
    """Run a part of the bundled compiler; ChildError when there is no time for it."""
    return command([str(zig_path()), *argv], deadline, _MEMORY_MIB, cwd=directory, env={})


def _first_line(errors: str) -> str:
    lines = [line for line in errors.splitlines() if "error" in line] or errors.splitlines()
    return lines[0].strip() if lines else "failed without a message"
