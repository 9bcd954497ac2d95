"""LLVM text to `Program`, in time linear in the text.

`reader` follows references from the entry, so that only what can run is read.  The text is split
into entities (`module`), lines into tokens (`tokens`), types get a layout (`layout`), operands
become values (`denotations`, `literals`), instructions statements (`scalar`, `memory`, `calls`,
`intrinsics`, `seafunctions`, `control`), debug metadata C names and places (`debuginfo`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.frontend.llvmtext.debuginfo import DebugInformation
from seahorn_py.frontend.llvmtext.layout import Types, data_layout
from seahorn_py.frontend.llvmtext.lowered import Lowered, RawCheck, RawSite
from seahorn_py.frontend.llvmtext.metadata import Metadata
from seahorn_py.frontend.llvmtext.module import ModuleText, split_module, spoken
from seahorn_py.frontend.reading.body import ModuleParts
from seahorn_py.frontend.reading.functions import ModuleSignatures, read_function
from seahorn_py.frontend.reading.globals import read_global
from seahorn_py.frontend.reading.literals import Constants
from seahorn_py.frontend.reading.sites import Sites
from seahorn_py.ir.program import Function, Global, Program
from seahorn_py.processes.collector import without_collector

ENTRY = "sea.main"
MAX_DEPTH = 400_000
"""How many calls of Python may nest while a program is read."""


def read(lowered: Lowered) -> Program:
    """The program of a lowered module.

    Raises `UnsupportedError` with the C line of a construct that is refused, `InputError` if the
    text is not what lowering promises.
    """
    program = read_text(lowered.optimized, lowered.sites, lowered.checks, lowered.assumptions)
    return replace(program, gaps=lowered.gaps)


def read_text(
    text: str,
    sites: Iterable[RawSite] = (),
    checks: Iterable[RawCheck] = (),
    assumptions: Iterable[str] = (),
    entry: str = ENTRY,
) -> Program:
    """The program that begins in the function `entry` of LLVM text with the given tables."""
    try:
        with without_collector(), _deep():
            reading = _Reading(split_module(text), Sites(sites, checks))
            return reading.program(entry, tuple(assumptions))
    except RecursionError:
        raise UnsupportedError("types or constants that are nested too deeply") from None


@contextmanager
def _deep() -> Iterator[None]:
    """Types and constants may nest deeply: calls among functions of Python take no C stack."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, MAX_DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


class _Reading:
    """One pass over what the entry reaches."""

    def __init__(self, module: ModuleText, sites: Sites) -> None:
        self._functions = spoken(module.functions)
        self._globals = spoken(module.globals)
        self._work: list[str] = []
        self._mentioned: set[str] = set()
        types = Types(data_layout(module.layout), spoken(module.types))
        self._parts = ModuleParts(
            types,
            Constants(types, spoken(module.aliases), self._mention),
            DebugInformation(Metadata(module.metadata)),
            sites,
            ModuleSignatures(types, self._functions),
            self._globals,
        )

    def _mention(self, symbol: str) -> None:
        if symbol not in self._mentioned:
            self._mentioned.add(symbol)
            self._work.append(symbol)

    def program(self, entry: str, assumptions: tuple[str, ...]) -> Program:
        """Read the entry and whatever is mentioned from there on."""
        if entry not in self._functions:
            raise InputError(f"LLVM text: no definition of {entry}")
        functions: dict[str, Function] = {}
        objects: dict[str, Global] = {}
        self._mention(entry)
        while self._work:
            symbol = self._work.pop()
            if symbol in self._functions:
                functions[symbol] = read_function(self._parts, symbol, self._functions[symbol])
            elif symbol in self._globals:
                objects[symbol] = self._read_global(symbol)
        sites = self._parts.sites
        return Program(
            {name: functions[name] for name in self._functions if name in functions},
            {name: objects[name] for name in self._globals if name in objects},
            entry,
            self._parts.types.word.width,
            sites.sites,
            sites.checks,
            assumptions,
        )

    def _read_global(self, name: str) -> Global:
        parts = self._parts
        text = self._globals[name]
        return read_global(name, text, parts.types, parts.constants, parts.debug)
