"""Sequences on the models: what they can give, and what they give when they choose at random."""

from __future__ import annotations

import re
import subprocess
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.compiling.support import (
    STATIC,
    TARGETS,
    libc_modules,
    model_modules,
    runtime_objects,
)
from seahorn_py.frontend.library.contracts import Source, names_of
from seahorn_py.frontend.llvmtext.lowered import Lowered, RawSite
from seahorn_py.frontend.lowering.library.models import Library, homes
from seahorn_py.frontend.lowering.optimizer import lower_here, lowered
from seahorn_py.frontend.runtime.native import completed, zig
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import FrontendOptions, Inlining
from seahorn_py.processes.child import Fork
from seahorn_py.processes.deadline import Deadline
from sequences.calls import Outcome, Sequence, Verdict
from sequences.operations import HERE, program

_OPTIONS = FrontendOptions(bits=64, inlining=Inlining.NONE)
_SECONDS = 120
_CHOICE = re.compile(r"@sea\.any\.(\w+)\.(\w+)")
_HOOK = re.compile(r"^define [^@\n]*(@sequence_\w+)\(([^%){\n]*)[^{\n]*\{\n(?:.*\n)*?\}\n", re.M)
_OBJECTS = ("libc.o", "math.o", "arith.o")
_FLAGS = ("-w", "-fno-pic", "-fno-addrsig", "-fno-asynchronous-unwind-tables", "-c")
_SEARCH = ("-ffreestanding", "-fno-builtin", "-nostdinc", "-mno-red-zone", "-fno-stack-protector")


class _Way(IntEnum):
    """How a site chooses, as in `search.c`."""

    INPUT = 0
    NO_FIRST = 1
    YES_FIRST = 2
    MORE = 3
    BYTE = 4
    REASON = 5
    NUMBER = 6
    GO_ON = 7
    PLANTED = 8
    ZERO = 9
    NOT_NULL = 10
    LAST = 11
    TABLE = 12
    RESULT = 13


_NAMED: dict[str, int] = {
    "sequence_word": _Way.INPUT,
    "sequence_planted": _Way.PLANTED,
    "getc-input_ends": _Way.MORE,
    "getc-input_fails": _Way.NO_FIRST,
    "fseek-is_filled": _Way.NO_FIRST,
    "scanf-forgets": _Way.NO_FIRST,
    "sscanf-forgets": _Way.NO_FIRST,
    "remove-is_folder": _Way.NO_FIRST,
    "scanf-any_length": _Way.LAST | 1 << 8,
    "fread-any_part": _Way.LAST,
    **dict.fromkeys(("fread-any_count", "read-any_read"), _Way.RESULT),
    **dict.fromkeys(("fwrite-any_written", "write-any_written"), _Way.RESULT),
    "fopen-is_unmarked": _Way.YES_FIRST,
    "scanf-is_too_large": _Way.NO_FIRST,
    "fopen-any_success": _Way.NOT_NULL,
    "setlocale-any_kinds": _Way.ZERO,
    "setlocale-any_table": _Way.TABLE,
    "fflush-is_unplaced": _Way.NO_FIRST,
    "fread-part_read": _Way.NO_FIRST,
    "shl": _Way.GO_ON,
}


@dataclass(frozen=True)
class Models:
    """A program that performs sequences with models, and how each of its sites chooses."""

    path: Path
    ways: tuple[int, ...]


def library(models: Mapping[str, bytes]) -> Library:
    """Modules of models with those of the real sources; names of choices tell which they are."""
    parts = {**models, **libc_modules(64, names_of(Source.LIBC))}
    texts = {n: _CHOICE.sub(r"@sea.any.\1-\2.\2", t.decode()) for n, t in parts.items()}
    return Library(texts, homes(parts))


def build(folder: Path, models: Mapping[str, bytes] | None = None) -> Models:
    """Compile the program with models, those of the package if none are given."""
    source = folder / "main.c"
    source.write_text(program(None).replace('"driver.h"', f'"{HERE / "driver.h"}"'))
    deadline = Deadline.after(_SECONDS)
    texts = compile_files([source], _OPTIONS, deadline)
    parts = library(models or model_modules(64))
    with Fork(lambda: lower_here(texts, parts, _OPTIONS), deadline) as copy:
        low = lowered(copy)
    return Models(_linked(low, folder), tuple(_way(site) for site in low.sites))


_SHIFTED = {
    **dict.fromkeys(("any_descriptor", "any_number", "any_time", "any_clock", "any_puts"), 1),
    **dict.fromkeys(("any_position", "any_process"), 2),
    "any_bits": 16,
    "any_result": 1,
}
"""How many of the lowest bits of a choice models leave out."""


def _way(site: RawSite) -> int:
    if site.kind is SiteKind.UNINIT:
        return _Way.ZERO
    if site.name in _NAMED:
        return _NAMED[site.name]
    choice = site.name.partition("-")[2]
    if choice.startswith("why") or choice == "any_reason":
        return _Way.REASON
    if site.type == "i1":
        return _Way.YES_FIRST
    if site.type in ("i8", ""):
        return _Way.BYTE
    return _Way.NUMBER | _SHIFTED.get(choice, 0) << 8


def _linked(low: Lowered, folder: Path) -> Path:
    text = _HOOK.sub(r"declare void \1(\2)\n", completed(low.native, 64))
    (folder / "native.ll").write_text(text)
    _zig(["clang", "-target", TARGETS[64], "-O0", *_FLAGS, "native.ll", "-o", "native.o"], folder)
    system = HERE.parent.parent.parent / "frontend" / "runtime"
    search = ["-O1", *_FLAGS, *_SEARCH, f"-I{system}", str(HERE / "search.c"), "-o", "search.o"]
    _zig(["clang", "-target", TARGETS[64], *search], folder)
    for name in _OBJECTS:
        (folder / name).write_bytes(runtime_objects(64)[name])
    files = ["native.o", "search.o", *_OBJECTS]
    _zig([*STATIC, "-m", "elf_x86_64", "-e", "search.start", "-o", "models", *files], folder)
    return folder / "models"


def _zig(argv: list[str], folder: Path) -> None:
    done = zig(argv, folder, Deadline.after(_SECONDS))
    assert done.code == 0, done.errors


def search(
    models: Models, given: list[Sequence], seen: list[Outcome], fault: int = 0
) -> list[Verdict]:
    """Whether the models can give what was seen of each sequence."""
    words = _head(0, 0, fault, models, len(given))
    for sequence, outcome in zip(given, seen, strict=True):
        own = sequence.words()
        words.append(len(own))
        words.extend(own)
        words.append(len(outcome.words))
        words.extend(outcome.words)
    return [Verdict(part[0] == 0, *part[1:]) for part in _parts(_run(models, words))]


def draw(models: Models, given: list[Sequence], seed: int, fault: int = 0) -> list[Outcome]:
    """What the models show of each sequence when they choose at random."""
    words = _head(1, seed, fault, models, len(given))
    for sequence in given:
        own = sequence.words()
        words.append(len(own))
        words.extend(own)
        words.append(0)
    return [Outcome(part[0] == 0, tuple(part[2:])) for part in _parts(_run(models, words))]


def _head(mode: int, seed: int, fault: int, models: Models, count: int) -> array[int]:
    return array("Q", [mode, seed, fault, len(models.ways), *models.ways, count])


def _run(models: Models, words: array[int]) -> array[int]:
    done = subprocess.run([str(models.path)], input=words.tobytes(), capture_output=True)
    assert done.returncode == 0, done
    return array("Q", done.stdout)


def _parts(words: array[int]) -> list[array[int]]:
    found, at = [], 0
    while at < len(words):
        found.append(words[at + 1 : at + 1 + words[at]])
        at += 1 + words[at]
    return found
