"""Sequences on the real libraries of this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sequences.calls import Library, Outcome, Sequence
from sequences.operations import HERE, operations, program

_FLAGS = ("-w", "-O1", "-fno-builtin", "-DREAL", "-std=gnu17", "-ffp-contract=off")
_MUSL = ("-m", "ziglang", "cc", "-target", "x86_64-linux-musl", "-static", "-fno-sanitize=all")


@dataclass(frozen=True)
class Real:
    """A program that performs sequences with the functions of a library."""

    library: Library
    path: Path


def compilers() -> dict[Library, list[str]]:
    """The command of a compiler for each library that there is one for."""
    found = {Library.MUSL: [sys.executable, *_MUSL]}
    if (cc := shutil.which("cc")) and _is_glibc(cc):
        found[Library.GLIBC] = [cc]
    return found


def _is_glibc(cc: str) -> bool:
    text = "#include <features.h>\n__GLIBC__ __x86_64__\n"
    done = subprocess.run([cc, "-E", "-P", "-"], input=text, capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.split()[-2:] == ["2", "1"]


def build(library: Library, folder: Path) -> Real:
    """Compile the program in a folder; CalledProcessError where it cannot be."""
    source = folder / f"{library.value}.c"
    source.write_text(program(library))
    path = folder / library.value
    files = [str(source), str(HERE / "real.c"), "-lm", "-o", str(path)]
    argv = [*compilers()[library], *_FLAGS, f"-I{HERE}", *files]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Real(library, path)


def available(sequence: Sequence, library: Library) -> Sequence:
    """The sequence without calls of what the library, or native runs with models, do not have."""
    both = (library, None)
    kept = (c for c in sequence.calls if all(map(operations()[c.operation].is_in, both)))
    return Sequence(sequence.environment, sequence.memory, tuple(kept))


def run(real: Real, given: list[Sequence]) -> list[Outcome]:
    """What was seen of each sequence; each runs in a process and a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="sequences-") as place:
        folder = Path(place) / "files"
        folder.mkdir()
        _write(Path(place) / "input", given)
        subprocess.run(
            [str(real.path), str(Path(place) / "input"), str(Path(place) / "output")],
            cwd=folder,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        return list(_outcomes((Path(place) / "output").read_bytes()))


def _write(path: Path, given: list[Sequence]) -> None:
    words = array("Q", [len(given)])
    for sequence in given:
        own = [*sequence.environment, *sequence.words()]
        words.append(len(own))
        words.extend(own)
    path.write_bytes(words.tobytes())


def _outcomes(content: bytes) -> Iterable[Outcome]:
    words = array("Q", content)
    at = 0
    while at < len(words):
        count, ended = words[at], words[at + 1]
        yield Outcome(bool(ended), tuple(words[at + 2 : at + 2 + count]))
        at += 2 + count
