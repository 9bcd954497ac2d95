"""Calls of the automaton of a formula, put into the modules of a program.

Letters are the values of the atoms.  The automaton steps

- where `main` begins, and behind each store to a global that an atom reads;
- once a round of each loop and recursion, for an infinite run has infinitely many letters: at
  labels to which a later line jumps, and in functions that an earlier one calls;
- for ever where the run ends: by `exit` and its like, and where `main` returns.  So the last letter
  stays (as in LTL over finite runs by stuttering).

An atom that reads more than globals by their names, and a global that is written in another way,
make gaps: then nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.compiling.support import RULE_FOLDER
from seahorn_py.frontend.llvmtext.lines import DEBUG, LABEL, SYMBOL, TARGET, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText, split_module
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.events.events import ERROR_CALLS
from seahorn_py.frontend.rules.automaton import RULES
from seahorn_py.frontend.temporal.buechi import Buechi, buechi
from seahorn_py.frontend.temporal.formula import atoms, has_next, negation, read_formula
from seahorn_py.frontend.temporal.product import (
    ATOM,
    BEGIN,
    CHOICE,
    END,
    NUMBER,
    STEP,
    Fuel,
    atom_code,
    code,
)
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

_NAMES = {
    CHOICE: "sea.any.rule.choice",
    NUMBER: "sea.any.rule.number",
    BEGIN: f"{RULES}formula.begin",
    STEP: f"{RULES}formula.step",
    END: f"{RULES}formula.end",
}
"""The names of functions in C -> those that no program can have."""

_MAIN = "main"
_ENDS = ERROR_CALLS | {"exit", "_exit", "_Exit", "quick_exit", "abort"}
_NEVER_RETURNS = re.compile(r"\bnoreturn\b")
_HANDLERS = frozenset({"atexit", "at_quick_exit", "on_exit", "longjmp", "_longjmp", "siglongjmp"})
_DEFINE = re.compile(rf"define [^@]*@({NAME})\(.*?(?: !dbg !(?P<subprogram>\d+))?[^!]*\{{$")
_RETURN = re.compile(r"  ret ")
_PHI = re.compile(r" = phi ")
_STORE = re.compile(r"  store (?:volatile )?(?P<value>.+), (?P<place>ptr .+?), align")
_LOAD = re.compile(rf"  %{NAME} = load (?:volatile )?[^,]+, (?P<place>ptr .+?), align")
_VALUE = re.compile(rf"  %{NAME} = load (?!volatile )[^,]+, (?P<place>ptr .+?), align")
_MISLABELLED = re.compile(
    rb"(__VERIFIER_(?:nondet_\w+|assume)\s*\([^()]*\)\s*)"
    rb"(__attribute__\s*\(\(\s*(?:__)?noreturn(?:__)?\s*\)\))"
)


def automaton_of(formula: str) -> tuple[Buechi, tuple[str, ...]]:
    """The automaton of the words that violate a formula, and its atoms; or SeaError."""
    read = read_formula(formula)
    if has_next(read):
        raise UnsupportedError(f"{formula}: a program of C has no steps, so X has no meaning")
    return buechi(negation(read)), atoms(read)


def with_formula(
    paths: Sequence[Path],
    texts: Sequence[str],
    options: FrontendOptions,
    deadline: Deadline,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The modules of a program with that of its formula, and why nothing would be known.

    InputError where an atom is no expression over the globals of the file that defines `main`.
    """
    automaton, asked = automaton_of(options.formula)
    modules = [*texts]
    at = next((k for k, text in enumerate(texts) if _MAIN in split_module(text).functions), None)
    if at is None or options.entries:
        raise UnsupportedError("a temporal formula is about a program that begins in main")
    modules[at] = _with_atoms(paths[at], asked, options, deadline)
    parts = [split_module(text) for text in modules]
    stepping = _Stepping(parts, _atom_functions(parts[at]))
    woven = [stepping.module(text, own) for text, own in zip(modules, parts, strict=True)]
    file = Path(f"{RULE_FOLDER}formula.c")
    text = code(automaton, asked, Fuel(options.fuel)).encode()
    plain = FrontendOptions(bits=options.bits, clang=options.clang, edited=((file, text),))
    made = compile_files((file,), plain, deadline)[0]
    for name, value in _NAMES.items():
        made = made.replace(f"@{name}(", f"@{value}(")
    return (*woven, made), tuple(stepping.gaps)


def _with_atoms(
    path: Path, asked: Sequence[str], options: FrontendOptions, deadline: Deadline
) -> str:
    """The module of a file with the functions of atoms.

    Functions of the vocabulary that give values do return, whatever is written at them.
    """
    given = dict(options.edited)
    if path not in given and path.suffix not in (".c", ".i"):
        raise UnsupportedError(f"{path}: a temporal formula needs the C text of the file with main")
    text = given[path] if path in given else path.read_bytes()
    text = _MISLABELLED.sub(lambda m: m[1] + b" " * len(m[2]), text)
    given[path] = text + atom_code(asked).encode()
    own = replace(options, edited=tuple(given.items()))
    try:
        return compile_files((path,), own, deadline)[0]
    except InputError as error:
        raise InputError(f"the formula {options.formula} with the program: {error}") from None


def _atom_functions(parts: ModuleText) -> list[FunctionText]:
    return [function for name, function in parts.functions.items() if name.startswith(ATOM)]


@dataclass
class _Stepping:
    """Puts calls into modules, which are those of a whole program."""

    parts: Sequence[ModuleText]
    atoms: Sequence[FunctionText]

    def __post_init__(self) -> None:
        self.gaps: dict[str, None] = {}
        self._watched = self._read()
        self._recursive = self._called_back()

    def _read(self) -> frozenset[str]:
        """The globals that atoms read."""
        found: set[str] = set()
        for line in (line for function in self.atoms for line in function.lines):
            names = SYMBOL.findall(line)
            loaded = _VALUE.match(line)
            if loaded is not None and names and "%" not in loaded["place"]:
                found.update(names)
            elif names:
                self.gaps[f"an atom uses {names[0]} other than by its value"] = None
            elif " = load " in line:
                self.gaps["an atom reads through a pointer"] = None
        return frozenset(found)

    def _called_back(self) -> frozenset[str]:
        """Functions that one before them, or they themselves, may call: each recursion has one."""
        order = {name: k for k, name in enumerate(n for p in self.parts for n in p.functions)}
        found: set[str] = set()
        for parts in self.parts:
            for name, function in parts.functions.items():
                for line in function.lines:
                    call = read_call(line) if " call " in line else None
                    called = call.callee if call is not None else ""
                    names = SYMBOL.findall(line) if "@" in line else []
                    found.update(n for n in names if n in order and n != called)
                    if called in order and order[called] >= order[name]:
                        found.add(called)
            for value in parts.globals.values():
                found.update(n for n in SYMBOL.findall(value) if n in order)
        return frozenset(found)

    def module(self, text: str, parts: ModuleText) -> str:
        """The module with calls."""
        self._note_values(parts)
        place = _Place(parts)
        out: list[str] = []
        for line in text.split("\n"):
            header = _DEFINE.match(line) if line.startswith("define ") else None
            if header is not None:
                place.begin(header[1], header["subprogram"])
                out.append(line)
            elif not place.function or place.function.startswith(ATOM):
                out.append(line)
            elif line == "}":
                place.function = ""
                out.append(line)
            else:
                out += self._line(line, place)
        declared = (f"declare void @{_NAMES[name]}()" for name in (BEGIN, STEP, END))
        return "\n".join([*out, *declared, *place.locations, ""])

    def _note_values(self, parts: ModuleText) -> None:
        for name, value in parts.globals.items():
            if name == "llvm.global_ctors":
                self.gaps["functions run before main"] = None
            elif not name.startswith("llvm."):
                self._note_names(value)
        for value in parts.aliases.values():
            self._note_names(value)

    def _note_names(self, value: str) -> None:
        for name in SYMBOL.findall(value):
            self._note(name)

    def _note(self, name: str) -> None:
        if name in self._watched:
            self.gaps[f"{name} may be written through pointers"] = None

    def _line(self, line: str, place: _Place) -> Iterator[str]:
        if line.startswith("    #") or not line.strip():
            yield line
        elif label := LABEL.match(line):
            place.at_head = label[1] in place.heads
            yield line
        else:
            debug = found[0] if (found := DEBUG.search(line)) else ""
            if not _PHI.search(line):
                yield from self._rounds(place)
            yield from self._ends(line, place, debug)
            yield line
            yield from self._writes(line, debug)

    def _rounds(self, place: _Place) -> Iterator[str]:
        """Before the first instruction of a function or of a label."""
        is_first, place.is_first = place.is_first, False
        at_head, place.at_head = place.at_head, False
        if is_first and place.function == _MAIN:
            yield _call(BEGIN, place.location())
        elif at_head or (is_first and place.function in self._recursive):
            yield _call(STEP, place.location())

    def _ends(self, line: str, place: _Place, debug: str) -> Iterator[str]:
        """Before what ends the run."""
        call = read_call(line) if " call " in line else None
        if _RETURN.match(line) and place.function == _MAIN:
            yield _call(END, debug)
        elif call is None:
            return
        elif call.callee in _ENDS and not self._is_defined(call.callee):
            yield _call(END, debug)
        elif call.callee in _HANDLERS or self._never_returns(call.callee, place.parts):
            self.gaps[f"a run may go on or end in {call.callee}()"] = None
        elif call.callee == _MAIN:
            self.gaps["main() is called by the program itself"] = None

    def _writes(self, line: str, debug: str) -> Iterator[str]:
        """Behind a store to what an atom reads."""
        names = [n for n in SYMBOL.findall(line) if n in self._watched] if "@" in line else []
        if not names:
            return
        stored, loaded = _STORE.match(line), _LOAD.match(line)
        if stored and not SYMBOL.findall(stored["value"]) and "%" not in stored["place"]:
            yield _call(STEP, debug)
        elif not (loaded and "%" not in loaded["place"]):
            self._note(names[0])

    def _is_defined(self, name: str) -> bool:
        return any(name in parts.functions for parts in self.parts)

    def _never_returns(self, name: str, parts: ModuleText) -> bool:
        declared = parts.declarations.get(name)
        if declared is None or name.startswith(("llvm.", "sea.")):
            return False
        group = next((g for g in parts.groups if g.startswith(f"attributes{declared.group} ")), "")
        return bool(_NEVER_RETURNS.search(group) or _NEVER_RETURNS.search(declared.prefix))


def _call(name: str, debug: str) -> str:
    return f"  call void @{_NAMES[name]}(){debug}"


class _Place:
    """Where a module is read."""

    def __init__(self, parts: ModuleText) -> None:
        self.parts = parts
        self.function = ""
        self.is_first = False
        self.at_head = False
        self.heads: frozenset[str] = frozenset()
        self.locations: list[str] = []
        self._subprogram = ""

    def begin(self, function: str, subprogram: str | None) -> None:
        """A definition begins."""
        self.function, self._subprogram = function, subprogram or ""
        self.is_first, self.at_head = True, False
        self.heads = _heads(self.parts.functions[function].lines)

    def location(self) -> str:
        """A place in the function that is no line of it."""
        if not self._subprogram:
            return ""
        number = 1 + max(map(int, self.parts.metadata)) + len(self.locations)
        self.locations.append(f"!{number} = !DILocation(line: 0, scope: !{self._subprogram})")
        return f", !dbg !{number}"


def _heads(lines: Sequence[str]) -> frozenset[str]:
    """The labels to which a later line jumps: each cycle of blocks has one."""
    seen: set[str] = set()
    found: set[str] = set()
    for line in lines:
        label = LABEL.match(line)
        if label:
            seen.add(label[1])
        found.update(name for name in TARGET.findall(line) if name in seen)
    return frozenset(found)
