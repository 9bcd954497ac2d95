"""The gate before the native compiler, which lets through a part of a program's LLVM text.

The text was printed by our LLVM: one entity, instruction or debug record a line.  Code, types,
objects and their values pass.  Text that only steers compilers, linkers and loaders is left out:
sections, comdats, attributes, metadata, the compiler's own globals.  Text with a meaning that the
rest of the tool does not know is `Peculiar`: assembly, other address spaces, other intrinsics, data
before functions, indirect functions, aliases.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.tokens import symbol_name
from seahorn_py.frontend.reading.intrinsics import HANDLERS, IGNORED, base_name

_LAYOUT_OF_MEMORY = ("returnaddress", "frameaddress", "addressofreturnaddress", "pseudoprobe")
INTRINSICS = frozenset({*HANDLERS, *IGNORED}) - {f"llvm.{name}" for name in _LAYOUT_OF_MEMORY}
"""The intrinsics that the reader knows, without those about the stack of the machine."""

_TARGET = {
    32: (
        'target datalayout = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64'
        '-f80:32-n8:16:32-S128"',
        'target triple = "i386-unknown-linux-gnu"',
    ),
    64: (
        'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128'
        '-n8:16:32:64-S128"',
        'target triple = "x86_64-unknown-linux-gnu"',
    ),
}
_DEBUG_FLAGS = """\
!llvm.module.flags = !{!4000000000, !4000000001}
!4000000000 = !{i32 2, !"Debug Info Version", i32 3}
!4000000001 = !{i32 7, !"Dwarf Version", i32 5}"""

_NOTHING = ("", ";", "$", "s", "u", "^", "\r")
"""Beginnings of lines without meaning: comments, comdats, names of files, use lists, summaries."""

_NAME = r'(?:"[^"]*"|[-\w.$]+)'
_SYMBOL = pattern(rf"@{_NAME}")
_STRINGS = pattern(r'c"[^"]*"|[@%$]"[^"]*"|\bsyncscope\("[^"]*"\)')
_ESCAPED_NAME = pattern(r'@"[^"\n]*\\[01]')
_FOREIGN = pattern(
    r"(?<![%@.\w$-])(?:"
    r"asm|callbr|metadata|addrspace\(|target\(|thread_local|cc \d|align \d{6,}|alignstack\(\d{4,}"
    r"|(?!(?:fast|cold|x86_stdcall|x86_fastcall|x86_thiscall|x86_regcall|x86_vectorcall"
    r"|x86_64_sysv|win64|preserve_most|preserve_all)cc\b)\w+cc"
    r")(?![\w.$:-])|\[ \"|(?<![%@.\w$-])(?:addrspace|target|cc)\("
)
_FOREIGN_HEADER = pattern(
    r"(?<![%@.\w$-])(?:prefix|prologue|personality|gc|naked|ssp|sspstrong|sspreq|safestack"
    r"|shadowcallstack|sanitize_\w+|jumptable|presplitcoroutine|coro_\w+)(?![\w.$-])"
)
_PLACEMENT = pattern(rf' (?:section|partition) "[^"]*"| comdat(?:\(\${_NAME}\))?(?![\w.$"(-])')
_ATTACHMENT = pattern(r",? !(?!dbg )[a-zA-Z_][\w.]* !\d+")
_ANY_ATTACHMENT = pattern(r",? ![a-zA-Z_][\w.]* !\d+")
_SCOPES = "@llvm.experimental.noalias.scope.decl(metadata"
_LAST_PARTS = pattern(
    rf'section "[^"]*"|partition "[^"]*"|comdat(?:\(\${_NAME}\))?|code_model "\w+"'
    r"|(?:no_)?sanitize_\w+|align \d{1,5}|!dbg !\d+|![a-zA-Z_][\w.]* !\d+"
)
_KEPT_PART = pattern(r"align \d+|!dbg !\d+")
_GROUP = pattern(r"(attributes #\d+ = )\{ (.*) \}$")
_KEPT_ATTRIBUTE = pattern(
    r"(?<!\S)(?:nounwind|noreturn|null_pointer_is_valid|alwaysinline|noinline|strictfp|nomerge"
    r'|noduplicate|"(?:target-cpu|target-features|tune-cpu)"="[\w.,+-]*")(?!\S)'
)


class Peculiar(Exception):
    """The text has something that a native run must not or cannot do; the message names it."""


def clean(text: str, bits: int, debug: bool) -> str:
    """The text with nothing but what the program does; with `debug`, also its places.

    Raises Peculiar if the program does something that no native run may.
    """
    if '@"' in text and _ESCAPED_NAME.search(text):
        raise Peculiar("a name with an escape")
    lines = [*_TARGET[bits], *_lines(iter(text.split("\n")), bits, debug)]
    if debug:
        lines.append(_DEBUG_FLAGS)
    return "\n".join(lines)


def _lines(lines: Iterator[str], bits: int, debug: bool) -> Iterator[str]:
    """The clean lines of a text; those inside of functions come from `_code`."""
    for line in lines:
        if line[:1] in _NOTHING or (line[:1] == "d" and _SCOPES in line):
            continue
        if line[:1] == "d":
            yield _header(line, debug)
            if line.startswith("define"):
                yield from _code(lines, debug)
        else:
            yield from _entity(line, bits, debug)


def _entity(line: str, bits: int, debug: bool) -> Iterator[str]:
    match line[0]:
        case "@":
            yield from _object(line, debug)
        case "%":
            yield _plain(line, line)
        case "a":
            yield _group(line)
        case "!":
            yield from _metadata(line, debug)
        case "t":
            _same_machine(line, bits)
        case "m":
            raise Peculiar("assembly")
        case _:
            raise Peculiar(f"text that is no entity: {line[:40]}")


def _same_machine(line: str, bits: int) -> None:
    """Raises Peculiar for another layout of memory; names of symbols and systems may differ.

    Another layout could put locals or code into other address spaces.
    """
    if line.startswith("target datalayout") and _layout(line) != _layout(_TARGET[bits][0]):
        raise Peculiar("another layout of data")


def _layout(line: str) -> list[str]:
    return [part for part in line.split('"')[1].split("-") if not part.startswith("m:")]


def _code(lines: Iterator[str], debug: bool) -> Iterator[str]:
    strip = (_ATTACHMENT if debug else _ANY_ATTACHMENT).sub
    for line in lines:
        if line == "}":
            yield line
            return
        if line.startswith("    #dbg_"):
            if debug:
                yield line
            continue
        if _SCOPES in line and '"' not in line:
            continue
        bare = _STRINGS.sub("", line) if '"' in line else line
        if "!" in bare:
            bare = strip("", bare)
            line = strip("", line)
        yield _plain(line, bare)
    raise Peculiar("a function without an end")


def _plain(line: str, bare: str) -> str:
    """The line, if nothing in it is foreign; `bare` is the line without names and strings."""
    found = _FOREIGN.search(bare)
    if found:
        word = found[0].strip('([ "')
        raise Peculiar("assembly" if word in ("asm", "callbr") else word or "a bundle of operands")
    if '"' in bare:
        raise Peculiar("a string among instructions")
    return line


def _header(line: str, debug: bool) -> str:
    if " section " in line or " partition " in line or " comdat" in line:
        line = _PLACEMENT.sub("", line)
    if "!" in line:
        line = (_ATTACHMENT if debug else _ANY_ATTACHMENT).sub("", line)
    bare = _STRINGS.sub("", line) if '"' in line else line
    found = _FOREIGN_HEADER.search(bare)
    if found:
        raise Peculiar(f"a function with {found[0]}")
    return _plain(line, bare)


def _object(line: str, debug: bool) -> Iterator[str]:
    """A variable or alias with its value and alignment."""
    name, _, body = line.partition(" = ")
    if symbol_name(name).startswith("llvm."):
        return
    body, group, number = body.rpartition(" #")
    if not group or not number.isdigit():
        body += group + number
    kept: list[str] = []
    while True:
        rest, comma, part = body.rpartition(", ")
        if not comma or not _LAST_PARTS.fullmatch(part):
            break
        if _KEPT_PART.fullmatch(part) and (debug or part[0] != "!"):
            kept.append(part)
        body = rest
    whole = ", ".join([f"{name} = {body}", *reversed(kept)])
    bare = _STRINGS.sub("", whole) if '"' in whole else whole
    if " ifunc " in bare:
        raise Peculiar("an indirect function")
    yield _plain(whole, bare)


def _group(line: str) -> str:
    found = _GROUP.fullmatch(line)
    if found is None:
        raise Peculiar(f"text that is no entity: {line[:40]}")
    kept = _KEPT_ATTRIBUTE.findall(found[2]) or ["null_pointer_is_valid"]  # a group has one
    return f"{found[1]}{{ {' '.join(kept)} }}"


def _metadata(line: str, debug: bool) -> Iterator[str]:
    """Numbered nodes and the compile units, for a debugger."""
    if debug and (line[1:2].isdigit() or line.startswith("!llvm.dbg.cu = ")):
        yield line


def defined_symbols(text: str) -> Iterator[str]:
    """The names of all functions that a text defines."""
    return _named(text, "define ")


def external_symbols(text: str) -> Iterator[str]:
    """The names of all functions and variables that a text needs from outside."""
    yield from _named(text, "declare ")
    for line in text.split("\n"):
        if line.startswith("@"):
            name, _, body = line.partition(" = ")
            words = body[:80].split(" ", 4)[:4]
            if "external" in words or "extern_weak" in words:
                yield symbol_name(name)


def _named(text: str, start: str) -> Iterator[str]:
    for line in text.split("\n"):
        if line.startswith(start):
            found = _SYMBOL.search(line)
            if found:
                yield symbol_name(found[0])


def known_intrinsic(name: str) -> bool:
    """Whether an `llvm.` function may be called natively."""
    return base_name(name) in INTRINSICS
