"""Gates around the linker: what a compiled program may contain, and which executable may run.

An object reaches the linker only if it has nothing but code, data, and names that it may define or
need.  An executable may run only if the kernel enters it where the run time begins, and maps it as
the linker script says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.runtime import elf
from seahorn_py.frontend.runtime.elf import File, Section

ENTRY = "sea.start"

_SECTIONS = pattern(
    r"(?:\.rela?)?\.(?:text|data|rodata(?:\.(?:cst\d+|str\d+\.\d+))?|data\.rel\.ro|eh_frame)"
    r"|\.bss|\.comment|\.note\.GNU-stack|\.(?:sym|str|shstr)tab|\.symtab_shndx|"
)
_DEBUG_SECTIONS = pattern(
    r"(?:\.rela?)?\.debug_(?:abbrev|addr|frame|info|line|line_str|loclists|names|rnglists|str"
    r"|str_offsets)"
)
_SHOWN = 5


def peculiar(
    data: bytes, bits: int, ours: Iterable[str], needed: Collection[str], debug: bool
) -> str:
    """Why the object of a program must not be linked; "" if it may.

    `ours` are the names that the run time defines.  Of those with a dot the object may use only the
    `needed` ones.  The linker finds no other names, but it takes `name@@version` for `name`.
    """
    try:
        file = elf.read(data)
    except ValueError as error:
        return f"an object that cannot be read: {error}"
    if (file.header.type, file.header.machine) != (elf.RELOCATABLE, elf.MACHINES[bits]):
        return "an object of another kind"
    if file.header.segments:
        return "an object with segments"
    unknown = [s.name for s in file.sections if not _is_plain(s, debug)]
    return _listed("section", unknown) or _peculiar_symbols(file, frozenset(ours), needed)


def _is_plain(section: Section, debug: bool) -> bool:
    known = _SECTIONS.fullmatch(section.name) or (debug and _DEBUG_SECTIONS.fullmatch(section.name))
    return section.type in elf.SECTION_TYPES and bool(known)


def _peculiar_symbols(file: File, ours: frozenset[str], needed: Collection[str]) -> str:
    taken: list[str] = []
    for symbol in file.symbols:
        if symbol.type not in elf.SYMBOL_TYPES:
            return f"a symbol of another kind: {symbol.name}"
        if symbol.binding != elf.LOCAL and "@" in symbol.name:
            return f"a name with a version: {symbol.name}"
        inner = "." in symbol.name and symbol.name not in needed
        defined = symbol.section != elf.UNDEFINED
        if symbol.binding != elf.LOCAL and symbol.name in ours and (defined or inner):
            taken.append(symbol.name)
    return _listed("use of the run time's", taken)


def defined_names(data: bytes) -> frozenset[str]:
    """The names that an object defines for others.  Raises ValueError if it is no object."""
    return frozenset(
        symbol.name
        for symbol in elf.read(data).symbols
        if symbol.section != elf.UNDEFINED and symbol.binding != elf.LOCAL
    )


def unsafe_to_run(data: bytes, bits: int) -> str:
    """Why a linked file must not be run; "" if it begins where the run time does."""
    try:
        file = elf.read(data)
    except ValueError as error:
        return f"an executable that cannot be read: {error}"
    starts = [symbol.value for symbol in file.symbols if symbol.name == ENTRY]
    if starts != [file.header.entry]:
        return "an executable with another entry"
    return unsafe_header(file.header, bits)


def unsafe_header(header: elf.Header, bits: int) -> str:
    """Why the kernel must not be given a file with this header; "" if it may."""
    kind = (header.bits, header.type, header.machine)
    if kind != (bits, elf.EXECUTABLE, elf.MACHINES[bits]):
        return "an executable of another kind"
    for segment in header.segments:
        if segment.type not in (elf.LOAD, elf.STACK):
            return f"an executable with a segment of type {segment.type:#x}"
        if segment.flags & elf.WRITE and segment.flags & elf.EXECUTE:
            return "an executable whose data can be executed"
    code = [s for s in header.segments if s.type == elf.LOAD and s.flags & elf.EXECUTE]
    if not any(s.address <= header.entry < s.address + s.file_size for s in code):
        return "an executable whose entry is no code"
    if not any(s.type == elf.STACK for s in header.segments):
        return "an executable with a stack that can be executed"
    return ""


def _listed(what: str, names: Iterable[str]) -> str:
    found = sorted(set(names))
    return f"{what} {', '.join(found[:_SHOWN])}" if found else ""
