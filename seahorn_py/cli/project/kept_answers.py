"""Answers that are kept, so that `check` runs what has changed.

An answer is kept under the digest of all that it depends on: the text behind the preprocessor of
each C file without line markers, the bytes of other files, the keys of the proof, this verifier and
its solvers.  A limit on time or memory does not change what a proof or a run shows.  Proofs in
pieces have a folder of their own, in which each piece is looked up.

Only an answer that was expected is kept: what differs is shown anew, with its run, and what is
unknown may be known the next time.  Whoever can write into the folder can make an answer; so one in
which others may write is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from seahorn_py.base.errors import SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.cli.project.project import Proof
from seahorn_py.cli.project.running import chosen_of, options_of
from seahorn_py.cli.whole_files import write_whole
from seahorn_py.options import VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.shortcuts import has_plug_ins

FOLDER = ".sea-py"
STATE = "answers.json"
EDITION = 1
PREPROCESSING_S = 60.0

_MARKER = pattern(rb"^[ \t]*#[ \t]*\d+[^\n]*\n|^[ \t]*\n", re.MULTILINE)
_WITHOUT_MEANING = frozenset({"timeout", "memory", "jobs"})
_C = frozenset({".c", ".i"})
_PARTS = ("llvmlite", "ziglang", "z3-solver", "cvc5", "bitwuzla", "pysmt", "islpy")
_OURS = frozenset({".py", ".c", ".h", ".json", ".txt", ".lds"})


@dataclass(frozen=True)
class KeptAnswer:
    """An answer, under its key, with the line that says it and the seconds that it took."""

    key: str
    answer: Answer
    headline: str
    seconds: float


class KeptAnswers:
    """The answers in a folder, by the names of their proofs."""

    def __init__(self, folder: Path) -> None:
        from seahorn_py.validation.contracts.kept import Kept

        self.folder = Kept.at(folder).folder
        self._rows = dict(_read(folder / STATE))
        self.seconds = {name: row.seconds for name, row in self._rows.items()}
        """How long proofs took before, by their names."""
        self.seconds.update(_times(folder / STATE))

    def of(self, proof: Proof) -> KeptAnswer | None:
        """The answer of a proof of that name, which may be about another text."""
        return self._rows.get(proof.name)

    def keep(self, proof: Proof, seconds: float, row: KeptAnswer | None) -> None:
        """Keep an answer, if there is one, and what it took; SeaError if it cannot be written."""
        self.seconds[proof.name] = round(seconds, 3)
        if row is not None:
            self._rows[proof.name] = row
        rows = {
            name: {
                "key": one.key,
                "answer": one.answer.value,
                "headline": one.headline,
                "seconds": round(one.seconds, 3),
            }
            for name, one in sorted(self._rows.items())
        }
        ignored = self.folder / ".gitignore"
        if not ignored.exists():
            write_whole("*\n", ignored)
        text = (
            json.dumps(
                {
                    "edition": EDITION,
                    "answers": rows,
                    "seconds": dict(sorted(self.seconds.items())),
                },
                indent=1,
            )
            + "\n"
        )
        write_whole(text, self.folder / STATE)


def _read(file: Path) -> Iterator[tuple[str, KeptAnswer]]:
    """The answers of a file; none of one that is not there or says something else."""
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["edition"] != EDITION:
            return
        for name, row in data["answers"].items():
            seconds = float(row["seconds"])
            answer, headline = Answer(row["answer"]), str(row["headline"])
            yield name, KeptAnswer(str(row["key"]), answer, headline, seconds)


def _times(file: Path) -> dict[str, float]:
    """The seconds of a file, also of what has no answer that is kept."""
    with suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        found = json.loads(file.read_text(encoding="utf-8"))["seconds"]
        return {str(name): float(seconds) for name, seconds in found.items()}
    return {}


def key_of(proof: Proof, tool: str) -> str:
    """What the answer of a proof depends on; "" where it is not kept, or a file cannot be read."""
    if is_modular(proof):
        return ""
    try:
        options = options_of(chosen_of(proof))
        if has_plug_ins(options):  # whose code is none of ours
            return ""
        values = [(k, v) for k, v in sorted(proof.values) if k not in _WITHOUT_MEANING]
        about = (EDITION, tool, values, os.environ.get("SEA_CLANG", ""))
        seal = hashlib.sha256(repr(about).encode("utf-8", "surrogateescape"))
        deadline = Deadline.after(PREPROCESSING_S)
        for file in proof.sources:
            flags = _flags_for_code(dict(options.frontend.flags_of).get(file, ()))
            _add(seal, file.name, repr(flags).encode())
            if file.suffix in _C:
                _add(seal, "text", _preprocessed(file, options, deadline))
            else:
                _add(seal, "bytes", file.read_bytes())
        for file in proof.inputs:
            _add(seal, file.name, file.read_bytes())
    except (SeaError, OSError):
        return ""
    return seal.hexdigest()[:40]


def is_modular(proof: Proof) -> bool:
    """Whether it is about contracts, which are comments, also those of headers."""
    return dict(proof.values).get("modular") is True


def _add(seal: hashlib._Hash, name: str, content: bytes) -> None:
    seal.update(repr((name, len(content))).encode("utf-8", "surrogateescape") + b"\0" + content)


def _flags_for_code(flags: tuple[str, ...]) -> list[str]:
    """The flags that mean something for a text without macros."""
    from seahorn_py.frontend.compiling.flags import is_about_text

    return [flag for flag in flags if not is_about_text(flag)]


def _preprocessed(file: Path, options: VerifyOptions, deadline: Deadline) -> bytes:
    from seahorn_py.frontend.compiling.compiler import preprocessed

    return _MARKER.sub(b"", preprocessed(file, options.frontend, deadline))


def tool() -> str:
    """The digest of this verifier and the versions of what it stands on."""
    import seahorn_py

    seal = hashlib.sha256()
    roots = [Path(folder) for folder in seahorn_py.__path__]
    for root in dict.fromkeys([*roots, *(r.parent / "frontend" for r in roots)]):
        for path in sorted(root.rglob("*")) if root.is_dir() else ():
            if path.suffix in _OURS and path.is_file():
                _add(seal, path.name, path.read_bytes())
    for name in _PARTS:
        with suppress(metadata.PackageNotFoundError):
            _add(seal, name, metadata.version(name).encode())
    return seal.hexdigest()
