"""Records that `sea-cc` puts into the section `.sea_py` of objects, and that linkers join.

A record has the preprocessed text of a C file, its absolute path, and the flags that still matter.
Its bytes are `MAGIC`, 8 bytes of length, and compressed JSON.  Archives are those of System V and
GNU (`ar(5)`).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.runtime import elf

SECTION = ".sea_py"
MAGIC = b"SEA-CC1\n"
_LENGTH = 8
_ELF, _ARCHIVE, _MEMBER = b"\x7fELF", b"!<arch>\n", 60
_MOST_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class Record:
    """A C file as it was compiled: its path, bits (32 or 64), flags, and preprocessed text."""

    path: str
    bits: int
    flags: tuple[str, ...]
    text: bytes

    def packed(self) -> bytes:
        """The bytes that are put into the section."""
        told = {
            "path": self.path,
            "bits": self.bits,
            "flags": self.flags,
            "text": self.text.decode("latin-1"),
        }
        content = zlib.compress(json.dumps(told).encode())
        return MAGIC + len(content).to_bytes(_LENGTH, "little") + content


def is_binary(file: Path) -> bool:
    """Whether a file is an object, an executable or an archive."""
    try:
        with file.open("rb") as stream:
            return stream.read(len(_ARCHIVE)).startswith((_ELF, _ARCHIVE))
    except OSError:
        return False


def records(file: Path) -> list[Record]:
    """All different records in a file.  Raises InputError for none, and for a broken one."""
    data = file.read_bytes()
    found: dict[bytes, None] = {}
    try:
        for part in _objects(data):
            for section in elf.read(part).sections:
                if section.name == SECTION:
                    content = part[section.offset : section.offset + section.size]
                    found.update(dict.fromkeys(_split(content)))
        read = [_record(content) for content in found]
    except (ValueError, KeyError, TypeError, zlib.error, RecursionError):
        raise InputError(f"{file}: broken, or no object that sea-cc made") from None
    if not read:
        raise InputError(f"{file}: no source is kept in it: build it with sea-cc")
    return read


def _objects(data: bytes) -> Iterator[bytes]:
    """The file itself, or the objects in an archive."""
    if not data.startswith(_ARCHIVE):
        yield data
        return
    at = len(_ARCHIVE)
    while at + _MEMBER <= len(data):
        size = int(data[at + 48 : at + 58])
        member = data[at + _MEMBER : at + _MEMBER + size]
        if member.startswith(_ELF):
            yield member
        at += _MEMBER + size + size % 2


def _split(content: bytes) -> Iterator[bytes]:
    """The records of a section; linkers may put zeros between them."""
    at = content.find(MAGIC)
    while at >= 0:
        begin = at + len(MAGIC) + _LENGTH
        end = begin + int.from_bytes(content[at + len(MAGIC) : begin], "little")
        if end > len(content):
            raise ValueError("cut off")
        yield content[begin:end]
        at = content.find(MAGIC, end)


def _record(content: bytes) -> Record:
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(content, _MOST_BYTES)
    if unpacking.unconsumed_tail:
        raise ValueError("too large")
    told = json.loads(text)
    path, bits, flags = str(told["path"]), int(told["bits"]), tuple(map(str, told["flags"]))
    return Record(path, bits, flags, told["text"].encode("latin-1"))
