"""ELF files as the bundled tools write them: headers, sections, symbols (System V ABI, chapter 4).

Files are little-endian, of either width.  ValueError is raised for a file that is no such file, or
not whole and in order.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

EXECUTE, WRITE, READ = 1, 2, 4
"""Flags of a segment."""

LOCAL = 0
"""The binding of a symbol that no other file sees; global and weak are above."""

UNDEFINED = 0
"""The section of a symbol that the file does not define."""

HEADERS = 4096
"""In files that are made here, the header and all program headers stand in the first such bytes."""

_IDENT = {32: b"\x7fELF\x01\x01\x01", 64: b"\x7fELF\x02\x01\x01"}
_HEADER = {32: struct.Struct("<16x2H5I6H"), 64: struct.Struct("<16x2HI3QI6H")}
_SEGMENT = {32: struct.Struct("<8I"), 64: struct.Struct("<2I6Q")}
_SECTION = {32: struct.Struct("<10I"), 64: struct.Struct("<2I4Q2I2Q")}
_SYMBOL = {32: struct.Struct("<3I2BH"), 64: struct.Struct("<I2BH2Q")}


RELOCATABLE, EXECUTABLE = 1, 2
"""Types of files."""

MACHINES = {32: 3, 64: 62}
"""The processor of a file: i386, x86-64."""

LOAD, STACK = 1, 0x6474E551
"""The types of segments of a freestanding program."""

SYMTAB = 2
SECTION_TYPES = frozenset({0, 1, SYMTAB, 3, 4, 8, 9, 18, 0x70000001})
"""The types of sections of an ordinary object: nothing, content, symbols, strings, relocations,
zeros, section numbers of symbols, and on x86-64 tables for unwinding."""

SYMBOL_TYPES = frozenset(range(5))
"""The types of symbols that just name a place: none, object, function, section, file."""


class Segment(NamedTuple):
    """A program header; `type` and `flags` as in the file, sizes in bytes."""

    type: int
    flags: int
    address: int
    file_size: int
    memory_size: int


class Section(NamedTuple):
    """A section header."""

    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int


class Symbol(NamedTuple):
    """A symbol; `section` is the number of the section that defines it, or UNDEFINED."""

    name: str
    value: int
    type: int
    binding: int
    section: int


class Header(NamedTuple):
    """The header of a file and its segments."""

    bits: int
    type: int
    machine: int
    entry: int
    segments: tuple[Segment, ...]

    @property
    def memory(self) -> int:
        """The bytes of address space that the segments take."""
        return sum(s.memory_size for s in self.segments if s.type == LOAD)


class File(NamedTuple):
    """The parts of a file that are read."""

    header: Header
    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]


def read_header(data: bytes) -> Header:
    """The header of a file from its first bytes."""
    return _read_head(data)[0]


def read(data: bytes) -> File:
    """Header, sections and symbols of a file."""
    header, at, count, names = _read_head(data)
    rows = _rows(_SECTION[header.bits], data, at, count)
    texts = rows[names] if names < len(rows) else None
    if texts is None:
        raise ValueError("no names of sections")
    known = _part(data, texts[4], texts[5])
    sections = tuple(
        Section(_text(known, row[0]), row[1], row[2], row[4], row[5], row[6]) for row in rows
    )
    symbols = [
        symbol
        for section in sections
        if section.type == SYMTAB
        for symbol in _symbols(data, header.bits, section, sections)
    ]
    return File(header, sections, tuple(symbols))


def _read_head(data: bytes) -> tuple[Header, int, int, int]:
    """The header; the offset and number of section headers, and which section has their names."""
    bits = next((b for b, ident in _IDENT.items() if data.startswith(ident)), 0)
    if not bits or len(data) < _HEADER[bits].size:
        raise ValueError("not an ELF file")
    head = _HEADER[bits].unpack_from(data)
    kind, machine, _, entry, segments_at, sections_at, *_ = head
    segment_size, count, section_size, sections, names = head[8:13]
    if count and segment_size != _SEGMENT[bits].size:
        raise ValueError("segments of another size")
    if sections and section_size != _SECTION[bits].size:
        raise ValueError("sections of another size")
    rows = _rows(_SEGMENT[bits], data, segments_at, count)
    segments = tuple(_segment(bits, row) for row in rows)
    return Header(bits, kind, machine, entry, segments), sections_at, sections, names


def _segment(bits: int, row: tuple[int, ...]) -> Segment:
    if bits == 32:
        kind, _, address, _, file_size, memory_size, flags, _ = row
    else:
        kind, flags, _, address, _, file_size, memory_size, _ = row
    return Segment(kind, flags, address, file_size, memory_size)


def _symbols(data: bytes, bits: int, table: Section, sections: tuple[Section, ...]) -> list[Symbol]:
    if table.link >= len(sections):
        raise ValueError("symbols without names")
    names = _part(data, sections[table.link].offset, sections[table.link].size)
    layout = _SYMBOL[bits]
    rows = layout.iter_unpack(_part(data, table.offset, table.size // layout.size * layout.size))
    found: list[Symbol] = []
    for row in rows:
        if bits == 32:
            name, value, _, info, _, section = row
        else:
            name, info, _, section, value, _ = row
        found.append(Symbol(_text(names, name), value, info & 15, info >> 4, section))
    return found[1:]


def _rows(layout: struct.Struct, data: bytes, at: int, count: int) -> list[tuple[int, ...]]:
    return list(layout.iter_unpack(_part(data, at, count * layout.size)))


def _part(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise ValueError("the file is cut off")
    return data[at : at + size]


def _text(names: bytes, at: int) -> str:
    end = names.find(b"\0", at)
    if end < 0:
        raise ValueError("a name without an end")
    return names[at:end].decode("utf-8", "backslashreplace")
