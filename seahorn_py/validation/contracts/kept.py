"""Proofs that are kept in a folder, and checked again before they count.

An entry has the certificate of a proof.  Its key is a digest of everything that the analysis
depends on: the texts of the piece without line markers, the question, the options, and the edition
of this verifier.  So an edit of a function only concerns the pieces that have its body.

A kept proof is no answer yet: a solver that did not find it proves the clauses once more.  Whoever
can write into the folder could put other clauses there.  So a folder is refused if others may write
into it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.base.version import VERSION
from seahorn_py.evidence.checker.clauses import Malformed, Rejected
from seahorn_py.evidence.checker.main import conditions
from seahorn_py.evidence.checker.solving import decided, installed
from seahorn_py.options import VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.validation.contracts.pieces import Piece

_MARKER = pattern(rb"^[ \t]*#[ \t]*\d+[^\n]*\n|^[ \t]*\n", re.MULTILINE)
_FILES = frozenset({"system.smt2", "proof.json", "model.smt2", "row.json"})
_PROOFS = frozenset({"model", "k-induction", "unrolling"})


@dataclass(frozen=True)
class KeptProof:
    """The engine that found a proof, and what the proof takes for granted."""

    engine: str
    assumed: tuple[str, ...]


@dataclass(frozen=True)
class Kept:
    """A folder of proofs."""

    folder: Path

    @classmethod
    def at(cls, folder: Path) -> Kept:
        """The folder, made if need be.  Raises InputError if others may write into it."""
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            found = folder.stat()
        except OSError as error:
            raise InputError(f"{folder}: {error.strerror}") from None
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise InputError(f"{folder}: others may write here, so that no proof in it counts")
        return cls(folder)

    def proof(self, key: str) -> KeptProof | None:
        """The kept proof with this key, if it holds again; None otherwise."""
        place = self.folder / key
        try:
            row = json.loads((place / "row.json").read_text(encoding="utf-8"))
            proof = json.loads((place / "proof.json").read_text(encoding="utf-8"))
            found = KeptProof(str(row["engine"]), tuple(map(str, row["assumed"])))
            holds = proof["kind"] in _PROOFS and row["key"] == key and _holds(place)
            return found if holds else None
        except (OSError, ValueError, LookupError, TypeError, Malformed, Rejected, RecursionError):
            return None

    def keep(self, key: str, proof: KeptProof, certificate: dict[str, str]) -> None:
        """Put a proof into the folder as one step; nothing happens if that fails."""
        row = {"engine": proof.engine, "assumed": proof.assumed, "key": key}
        files = {**certificate, "row.json": json.dumps(row)}
        with suppress(OSError), tempfile.TemporaryDirectory(dir=self.folder) as place:
            made = Path(place) / "entry"
            made.mkdir(mode=0o700)
            for name in _FILES & set(files):
                (made / name).write_text(files[name], encoding="utf-8")
            made.rename(self.folder / key)


def _holds(place: Path) -> bool:
    """Whether a solver proves the clauses of a certificate again."""
    solver = installed("")
    count, limit = 0, policy().validation.kept_seconds
    for condition in conditions(place):
        count += 1
        found = decided(solver, condition.script, condition.splits, limit)
        if found != ("sat" if condition.satisfiable else "unsat"):
            return False
    return count > 0


def key_of(pieces: Sequence[Piece], options: VerifyOptions) -> str:
    """The digest of all that the answer about some pieces depends on."""
    asked = sorted(property_.value for property_ in options.frontend.properties)
    frontend = replace(options.frontend, edited=(), properties=frozenset())
    plain = replace(options, frontend=frontend, timeout=1.0, jobs=1, memory_mib=4096)
    seal = hashlib.sha256(repr((VERSION, _edition(), asked, plain)).encode())
    for piece in pieces:
        seal.update(repr((piece.entry, sorted(piece.checks.found))).encode())
        for path, text in piece.texts:
            content = _MARKER.sub(b"", text)
            seal.update(repr((str(path), len(content))).encode() + b"\0" + content)
    return seal.hexdigest()[:40]


@functools.cache
def _edition() -> list[tuple[str, int, int]]:
    """The files of this verifier, with their sizes and times of change."""
    import seahorn_py

    roots = [Path(folder) for folder in seahorn_py.__path__]
    found = []
    for root in dict.fromkeys([*roots, *(r.parent / "frontend" for r in roots)]):
        for path in sorted(root.rglob("*.py")) if root.is_dir() else ():
            status = path.stat()
            found.append((path.name, status.st_size, status.st_mtime_ns))
    return found
