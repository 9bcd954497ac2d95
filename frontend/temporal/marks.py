"""Atoms that are no expressions over globals: calls, labels, and locals of functions.

    "call f"        a call of the function `f` begins; false in all other letters
    "label f:L"     the run is at the label `L` of the function `f`; false in all other letters
    "f::x > 0"      `x` is the value that the local or parameter `x` of `f` was given last, by
                    whichever call of `f`; 0 before that

Each becomes a global of the file that defines `main`.  Where a call begins or a label is, it is
set, the automaton steps, it is set back, and the automaton steps again.  Behind each store to a
local the value is stored to the global, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.lines import REGISTER
from seahorn_py.frontend.llvmtext.module import ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME

PREFIX = "__sea_formula_seen_"
"""Begins the names of the globals."""

_CALL = pattern(r"call\s+([A-Za-z_]\w*)")
_LABEL = pattern(r"label\s+([A-Za-z_]\w*)\s*:\s*([A-Za-z_]\w*)")
_LOCAL = pattern(r"([A-Za-z_]\w*)\s*::\s*([A-Za-z_]\w*)")
_DECLARED = pattern(r"    #dbg_declare\(ptr (?P<place>%[^,]+), !(?P<variable>\d+), (?P<rest>.*)")
_PLAIN = "!DIExpression()"
_LABELLED = pattern(r"    #dbg_label\(!(\d+), !(\d+)\)")
_ALLOCATED = pattern(rf"  (%{NAME}) = alloca ([\w]+),")
_STORED = pattern(r"  store (?:volatile )?(?P<value>.+), ptr (?P<place>%[^,]+), align")
_READ = pattern(r"  %\S+ = load (?:volatile )?[^,]+, ptr %[^,]+, align")
_LIFE = "  call void @llvm.lifetime."
_WORDS = {"float": "float", "double": "double", "x86_fp80": "long double", "ptr": "void *"}
_INTEGERS = {"i8": "char", "i16": "short", "i32": "int", "i64": "long long"}

Two = tuple[str, str]
"""A function, and what is of it."""


@dataclass(frozen=True)
class Local:
    """A scalar of a function: its place, and its type in C."""

    place: str
    type: str


@dataclass(frozen=True)
class Marks:
    """The globals of atoms, by what they stand for, and the C texts of all atoms."""

    texts: tuple[str, ...] = ()
    calls: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[Two, str] = field(default_factory=dict)
    locals: Mapping[Two, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The globals."""
        return (*self.calls.values(), *self.labels.values(), *self.locals.values())


def read_marks(atoms: Sequence[str]) -> Marks:
    """What atoms stand for."""
    calls: dict[str, str] = {}
    labels: dict[Two, str] = {}
    locals_: dict[Two, str] = {}

    def name() -> str:
        return f"{PREFIX}{len(calls) + len(labels) + len(locals_)}"

    def local(found: re.Match[str]) -> str:
        return locals_.setdefault((found[1], found[2]), name())

    texts = []
    for atom in atoms:
        if call := _CALL.fullmatch(atom):
            texts.append(calls.setdefault(call[1], name()))
        elif label := _LABEL.fullmatch(atom):
            texts.append(labels.setdefault((label[1], label[2]), name()))
        else:
            texts.append(_LOCAL.sub(local, atom))
    return Marks(tuple(texts), calls, labels, locals_)


def declared(marks: Marks, modules: Sequence[ModuleText]) -> str:
    """The C text of the globals; InputError where the program has not what an atom names."""
    kinds: dict[str, str] = dict.fromkeys((*marks.calls.values(), *marks.labels.values()), "_Bool")
    for function, label in marks.labels:
        if not any((function, label) in _labels(module) for module in modules):
            raise InputError(f"label {function}:{label}: the program has no such label")
    for (function, name), variable in marks.locals.items():
        found = [one for module in modules for one in locals_of(module, function, name)]
        if len(found) != 1:
            count = "no scalar" if not found else "more than one"
            raise InputError(f"{function}::{name}: {count} variable of this name in {function}")
        kinds[variable] = found[0].type
    return "".join(f"{kind} {variable};\n" for variable, kind in kinds.items())


def check_calls(marks: Marks, modules: Sequence[ModuleText]) -> None:
    """InputError where modules in which the calls of `marks` are left have not the function."""
    for name in marks.calls:
        if not any(name in (*m.functions, *m.declarations, *m.aliases) for m in modules):
            raise InputError(f"call {name}: the program calls no function of this name")


def locals_of(module: ModuleText, function: str, name: str) -> Iterator[Local]:
    """The scalars of this name in a function."""
    if function not in module.functions:
        return
    debug = DebugText(module.metadata)
    lines = module.functions[function].lines
    kinds = {found[1]: found[2] for line in lines if (found := _ALLOCATED.match(line))}
    for line in lines:
        found = _DECLARED.match(line)
        if found is None or debug.name(found["variable"]) != name:
            continue
        kind = kinds.get(found["place"], "")
        is_signed = debug.variable_type(found["variable"])[1]
        type_ = _WORDS.get(kind, "")
        if kind in _INTEGERS and is_signed is not None:
            type_ = f"{'signed' if is_signed else 'unsigned'} {_INTEGERS[kind]}"
        if type_ and found["rest"].startswith(_PLAIN):
            yield Local(found["place"], type_)


def _labels(module: ModuleText) -> frozenset[Two]:
    """The labels of a module that are in its code."""
    debug = DebugText(module.metadata)
    return frozenset(
        (name, debug.name(found[1]))
        for name, function in module.functions.items()
        for line in function.lines
        if (found := _LABELLED.match(line))
    )


class Marking:
    """Says what is put into a module, so that the globals have their values."""

    def __init__(self, marks: Marks, parts: ModuleText, step: str) -> None:
        self._marks, self._parts, self._step = marks, parts, step
        self._debug = DebugText(parts.metadata)
        self.function = ""
        self._places: dict[str, tuple[str, str]] = {}
        self.gaps: dict[str, None] = {}

    def declarations(self) -> Iterator[str]:
        """The globals, for a module that does not define them."""
        return (f"@{name} = external global i8" for name in self._marks.names)

    def begin(self, function: str) -> None:
        """A definition begins."""
        self.function, self._places = function, {}
        for (owner, name), variable in self._marks.locals.items():
            if owner == function:
                for local in locals_of(self._parts, function, name):
                    self._places[local.place] = variable, f"{function}::{name}"

    def entered(self, place: Callable[[], str]) -> Iterator[str]:
        """At the first instruction of the function."""
        if self.function in self._marks.calls:
            yield from self._seen(self._marks.calls[self.function], place())

    def called(self, callee: str, debug: str) -> Iterator[str]:
        """Before a call of a function that the program does not define."""
        if callee in self._marks.calls:
            yield from self._seen(self._marks.calls[callee], debug)

    def labelled(self, line: str) -> Iterator[str]:
        """Behind the record of a label."""
        found = _LABELLED.match(line)
        if found is not None:
            variable = self._marks.labels.get((self.function, self._debug.name(found[1])))
            if variable is not None:
                yield from self._seen(variable, f", !dbg !{found[2]}")

    def stored(self, line: str, debug: str) -> Iterator[str]:
        """Behind an instruction, which may give a local another value."""
        if not self._places or "%" not in line:
            return
        found = _STORED.match(line)
        if found is not None and found["place"] in self._places:
            variable, _ = self._places[found["place"]]
            yield f"  store {found['value']}, ptr @{variable}{debug}"
            yield f"{self._step}{debug}"
        elif not (_READ.match(line) or line.startswith(_LIFE) or _ALLOCATED.match(line)):
            self._escaped(line)
            return
        if found is not None:
            self._escaped(found["value"])

    def _escaped(self, text: str) -> None:
        for register in REGISTER.findall(text):
            if register in self._places:
                name = self._places[register][1]
                self.gaps[f"{name} may be written through pointers"] = None

    def _seen(self, variable: str, debug: str) -> Iterator[str]:
        for value in (1, 0):
            yield f"  store i8 {value}, ptr @{variable}, align 1{debug}"
            yield f"{self._step}{debug}"
