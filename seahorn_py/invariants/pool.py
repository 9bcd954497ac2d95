"""Proved invariants of Horn systems, shared by the processes that work on them.

A file without a name, which forked copies of a process inherit; a process that finds invariants
appends them, and one that begins to look for invariants goes on from there.  A system is identified
by its text (`horn.text.wire`), so invariants of a transformed system are not taken for those of the
original.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Model
from seahorn_py.horn.text.wire import model_from_text, model_to_text

_CHUNK = 1 << 24


@dataclass(frozen=True)
class Pool:
    """The file, open for appending."""

    descriptor: int

    @staticmethod
    def new() -> Pool:
        """An empty pool; `close` it in the process that made it."""
        with tempfile.TemporaryFile("a+b") as stream:
            return Pool(os.dup(stream.fileno()))

    def close(self) -> None:
        """Let go of the file."""
        os.close(self.descriptor)

    def put(self, system: str, level: int, model: Model) -> None:
        """Add an inductive model, after which level `level` is to be tried (`spaces.levels`)."""
        line = json.dumps([_digest(system), level, model_to_text(model)]).encode() + b"\n"
        while line:  # a write may be partial
            line = line[os.write(self.descriptor, line) :]

    def strongest(self, system: str, beyond: int = 0) -> tuple[int, Model] | None:
        """The model of the highest level beyond one, and that level."""
        wanted, best = _digest(system), (beyond, "")
        for line in self._content().splitlines():
            with contextlib.suppress(ValueError):  # two processes wrote at once
                digest, level, text = json.loads(line)
                if digest == wanted and level > best[0]:
                    best = level, text
        return (best[0], model_from_text(best[1])) if best[1] else None

    def _content(self) -> bytes:
        size = os.fstat(self.descriptor).st_size
        return b"".join(os.pread(self.descriptor, _CHUNK, at) for at in range(0, size, _CHUNK))


def _digest(system: str) -> str:
    return hashlib.sha256(system.encode()).hexdigest()
