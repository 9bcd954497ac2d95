"""The text of `ir.printer` -> the program.

A text with places is the program that was printed.  Without them everything is NOWHERE, and a run
of bytes that was cut is refused.  What is read need not be a program that verifies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from seahorn_py.base.patterns import pattern
from seahorn_py.ir.parser.body import Numbered, in_block
from seahorn_py.ir.parser.spans import placed, variable
from seahorn_py.ir.parser.tokens import NAME, UNKNOWN, ParseError, Words, integer, unquoted
from seahorn_py.ir.program import (
    Block,
    Bytes,
    CheckSite,
    Function,
    Global,
    Leaf,
    Operand,
    Phi,
    Program,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Site,
    SiteKind,
    Statement,
    Terminator,
    Variable,
)
from seahorn_py.ir.traverse import definitions, map_block, map_results
from seahorn_py.ir.types import RegionType, Type

_HEAD = pattern(rf"program (\d{{1,4}}) bit, entry ({NAME})(?:, with places)?")
_SITE = pattern(r"site (\d+): (\w+) ((?:region of )?\w+) (.*) : (.*?)(, not native)?")
_CHECK = pattern(r"check (\d+): (\S+) (.*)")
_REMARKS = {
    "assumed: ": "assumptions",
    "gap: ": "gaps",
    "gap in bit-vectors: ": "bit_gaps",
}

Item = TypeVar("Item")


def parse_program(text: str, name: str = "program") -> Program:
    """The program that the text is; `name` is what a ParseError calls it."""
    return _Text(text, name).program()


class _Text:
    """The lines of a text, read one after the other."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        lines = (line.rstrip() for line in text.split("\n"))
        self._lines = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        self._next = 0

    def program(self) -> Program:
        head = self._read(lambda line: _matched(_HEAD, line))
        numbered = self._numbered()
        globals_, functions = {}, {}
        while self._begins("global ", "constant "):
            found = self._global()
            globals_[found.name] = found
        while self._begins("function "):
            function = self._function(numbered)
            functions[function.name] = function
        remarks = self._rest()
        return Program(
            functions,
            globals_,
            unquoted(head[2]),
            int(head[1]),
            tuple(numbered.sites.values()),
            tuple(numbered.checks.values()),
            *(tuple(remarks[name]) for name in _REMARKS.values()),
        )

    # ------------------------------------------------------------------------------------- lines

    def _read(self, reader: Callable[[str], Item]) -> Item:
        """What a reader makes of the next line."""
        if self._next == len(self._lines):
            raise ParseError(f"{self._name}: the text ends too early")
        number, line = self._lines[self._next]
        self._next += 1
        try:
            return reader(line)
        except (ParseError, ValueError) as error:
            raise ParseError(f"{self._name}:{number}: {error}") from None

    def _begins(self, *starts: str) -> bool:
        return self._next < len(self._lines) and self._lines[self._next][1].startswith(starts)

    def _numbered(self) -> Numbered:
        """The sites and checks, which stand behind the functions that name them."""
        here = self._next
        sites: dict[int, Site] = {}
        checks: dict[int, CheckSite] = {}
        while self._next < len(self._lines):
            if self._begins("site "):
                site = self._read(_site)
                sites[site.number] = site
            elif self._begins("check "):
                check = self._read(_check)
                checks[check.number] = check
            else:
                self._next += 1
        self._next = here
        return Numbered(sites, checks)

    def _rest(self) -> Mapping[str, list[str]]:
        remarks: dict[str, list[str]] = {name: [] for name in _REMARKS.values()}
        while self._next < len(self._lines):
            line = self._read(lambda line: line)
            start = next((start for start in _REMARKS if line.startswith(start)), None)
            if start is not None:
                remarks[_REMARKS[start]].append(line.removeprefix(start))
            elif not line.startswith(("site ", "check ")):
                self._next -= 1
                self._read(_misplaced)
        return remarks

    # ----------------------------------------------------------------------------------- globals

    def _global(self) -> Global:
        found = self._read(_global)
        variables = {}
        while self._begins("  "):
            at, known = self._read(_member)
            variables[at] = known
        return replace(found, variables=variables)

    # --------------------------------------------------------------------------------- functions

    def _function(self, numbered: Numbered) -> Function:
        function = self._read(_head)
        blocks = []
        while self._next < len(self._lines) and self._lines[self._next][1].endswith(":"):
            blocks.append(self._block(function.results, numbered))
        try:
            return _typed(replace(function, blocks=tuple(blocks)))
        except ParseError as error:
            raise ParseError(f"{self._name}: function {function.name}: {error}") from None

    def _block(self, results: tuple[Type, ...], numbered: Numbered) -> Block:
        label = self._read(_label)
        phis: list[Phi] = []
        found: list[Statement] = []
        while True:
            line = self._read(lambda line: in_block(_indented(line), results, numbered))
            if isinstance(line, Terminator):
                return Block(label, tuple(phis), tuple(found), line)
            if isinstance(line, Phi):
                phis.append(line)
            else:
                found.append(line)


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ParseError(f"cannot read `{text[:60]}`")
    return found


def _misplaced(line: str) -> None:
    raise ParseError(f"cannot read `{line[:60]}` here")


def _indented(line: str) -> str:
    if not line.startswith("  "):
        raise ParseError("a block without an end")
    return line[2:]


def _site(line: str) -> Site:
    text, origin = placed(line)
    number, kind, type_, name, c_type, other = _matched(_SITE, text).groups()
    of = Words(type_).kind_of_value()
    return Site(integer(number), SiteKind(kind), of, name, c_type, origin, not other)


def _check(line: str) -> CheckSite:
    text, origin = placed(line)
    number, property_, what = _matched(_CHECK, text).groups()
    return CheckSite(integer(number), property_, what, origin)


def _global(line: str) -> Global:
    text, origin = placed(line)
    words = Words(text)
    constant = words.take() == "constant"
    symbol = words.take("address")
    size = words.number()
    words.expect("bytes", "align")
    align = words.number()

    def leaf() -> tuple[int, Leaf]:
        at = words.number()
        words.expect(":")
        return at, words.typed() if words.has_type() else _bytes(words)

    words.expect("{")
    leaves = words.upto("}", leaf)
    words.end()
    return Global(unquoted(symbol[1:]), size, align, constant, leaves, {}, origin)


def _bytes(words: Words) -> Bytes:
    size = words.number()
    words.expect("bytes")
    digits = words.take()
    if digits.endswith("..."):
        raise ParseError("bytes are left out: print the program with places")
    data = bytes.fromhex(digits)
    if len(data) != size:
        raise ParseError(f"{len(data)} bytes, not {size}")
    return Bytes(data)


def _member(line: str) -> tuple[int, Variable]:
    at, _, rest = line.strip().partition(": ")
    return integer(at), variable(rest)


def _head(line: str) -> Function:
    """`function f(i32 %x) -> i32`."""
    text, origin = placed(line)
    words = Words(text)
    words.expect("function")
    name = words.name()
    words.expect("(")
    parameters = words.upto(")", lambda: _parameter(words))
    results = words.several(words.kind_of_value) if words.skip("->") else ()
    words.end()
    return Function(name, parameters, results, (), origin)


def _parameter(words: Words) -> Register:
    kind = words.kind_of_value()
    return words.register(kind)


def _label(line: str) -> str:
    words = Words(line)
    label = words.name()
    words.expect(":")
    words.end()
    return label


# ----------------------------------------------------------------------------------------- types


def _typed(function: Function) -> Function:
    """The function with every register as it is defined."""
    types = _types(function)

    def rename(operand: Operand) -> Operand:
        if not isinstance(operand, Register):
            return operand
        kind = types.get(operand.name)
        if kind is None:
            raise ParseError(f"no definition of {operand}")
        if operand.type not in (UNKNOWN, kind):
            raise ParseError(f"{operand} is {kind}, not {operand.type}")
        return Register(operand.name, kind)

    def result(register: Register) -> Register:
        return Register(register.name, types[register.name])

    blocks = []
    for block in function.blocks:
        whole = map_block(block, rename)
        body = tuple(map_results(statement, result) for statement in whole.statements)
        blocks.append(replace(whole, statements=body))
    return replace(function, blocks=tuple(blocks))


def _types(function: Function) -> Mapping[str, Type]:
    """The types of all registers, those of what is done to regions too."""
    types: dict[str, Type] = {p.name: p.type for p in function.parameters}
    open_: list[RegionLoad | RegionStore | RegionHavoc] = []
    for block in function.blocks:
        for register in definitions(block):
            if register.type != UNKNOWN:
                types[register.name] = register.type
        kinds = (RegionLoad, RegionStore, RegionHavoc)
        open_ += [s for s in block.statements if isinstance(s, kinds)]
    while open_:
        later = [s for s in open_ if not _follows(s, types)]
        if len(later) == len(open_):
            raise ParseError(f"the type of {later[0].result} is not known")
        open_ = later
    return types


def _follows(statement: RegionLoad | RegionStore | RegionHavoc, types: dict[str, Type]) -> bool:
    """Note the type of the result, if that of the region is known."""
    region = statement.region
    kind = types.get(region.name) if isinstance(region, Register) else None
    if not isinstance(kind, RegionType):
        return False
    types[statement.result.name] = kind.element if isinstance(statement, RegionLoad) else kind
    return True
