"""Calls of the code of rules, put into the modules of a program where events happen.

A function that the program defines tells of its calls itself, whoever calls it.  Calls of others
are told where they are written; one whose address is used is a gap.  Reads and writes of a global
are those that name it; one that is used in another way is a gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.compiling.support import RULE_FOLDER
from seahorn_py.frontend.llvmtext.lines import DEBUG, DEFINITION, LABEL, SYMBOL, argument, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText, split_module
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.rules.automaton import RULES, Automaton, Rule, When, matching
from seahorn_py.frontend.rules.known import is_unknown
from seahorn_py.frontend.rules.missed import (
    blocked,
    in_first_values,
    internal,
    is_shifted,
    own_arguments,
    renamed,
)
from seahorn_py.frontend.rules.monitor import (
    ADDRESS,
    CHOICE,
    IN_C,
    KEY,
    NOT_WATCHED,
    NUMBER,
    ONE,
    RESULT,
    Hook,
    Value,
    keys,
    monitor,
    place_name,
    positions,
)
from seahorn_py.frontend.rules.reading_place import ReadingPlace
from seahorn_py.frontend.rules.values import is_own_global, value_of
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

_ANY = {name: f"sea.any.rule{name[5:].replace('_', '.')}" for name in (CHOICE, NUMBER, ADDRESS)}
_PLACES = 8
_MAIN, _EXIT = "main", "exit"
_RETURN = pattern(r"  ret (?:void|(?P<value>.+?))(?P<debug>, !dbg !\d+)?$")
_STORE = pattern(rf"  store (?:volatile )?(?P<value>.+), ptr @(?P<name>{NAME}), align")
_LOAD = pattern(
    rf"  (?P<result>%{NAME}) = load (?:volatile )?(?P<type>[^,]+), ptr @(?P<name>{NAME}), align"
)
_ALLOCA = pattern(rf"  (%{NAME}) = alloca (?!.*, i\d+ [%\d])")
_TRUNCATED = pattern(
    rf"  (?P<result>%{NAME}) = trunc (?:n[us]w )*(?P<type>i\d+) (?P<value>\S+) to i\d+"
)
_INTEGER = pattern(r"i(\d+)$")
_NOT_C = ("llvm.", "sea.")
_INTRINSICS = {f"llvm.{name}.p0": name for name in ("va_start", "va_end", "va_copy")}
"""The macros of C that are calls of LLVM's own functions, by the names of these."""


def woven(
    texts: Sequence[str], rules: Iterable[Rule], options: FrontendOptions, deadline: Deadline
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The modules of a program with those of its rules, what is not watched, and what is assumed.

    InputError where a rule's C text is wrong.
    """
    modules = [_Module(text, split_module(text)) for text in texts]
    gaps: dict[str, None] = {}
    assumed: dict[str, None] = {}
    monitors: list[str] = []
    automata = [(rule, automaton) for rule in rules for automaton in rule.automata]
    for number, (rule, automaton) in enumerate(automata):
        weaver = _Weaver(automaton, f"{number}", modules)
        modules = [weaver.module(module) for module in modules]
        gaps.update(dict.fromkeys(weaver.gaps))
        hooks = list(weaver.hooks.values())
        assumed.update(dict.fromkeys(blocked(rule, automaton, hooks)))
        missed = next(iter(weaver.gaps), "")
        places = options.rule_places or _PLACES
        if places == ONE and not automaton.is_of_single_objects:
            places = _PLACES
        text = monitor(automaton, str(number), hooks, places, missed, len(weaver.settled))
        monitors.append(_compiled(rule, automaton, text, options, deadline))
    return (*(module.text for module in modules), *monitors), tuple(gaps), tuple(assumed)


def _compiled(
    rule: Rule, automaton: Automaton, text: str, options: FrontendOptions, deadline: Deadline
) -> str:
    """The module of the code of an automaton."""
    file = Path(f"{RULE_FOLDER}{automaton.name}.c")
    own = FrontendOptions(bits=options.bits, clang=options.clang, edited=((file, text.encode()),))
    try:
        made = compile_files((file,), own, deadline)[0]
    except InputError as error:
        raise InputError(f"{rule.origin}: the rule {rule.name} as C: {error}") from None
    for name, value in _ANY.items():
        made = made.replace(f"@{name}", f"@{value}")
    return made.replace(f"@{IN_C}", f"@{RULES}")


def _in_c(name: str) -> str:
    """The name that events have for a function."""
    return _INTRINSICS.get(name, name)


def _is_of_c(name: str) -> bool:
    return name in _INTRINSICS or not name.startswith(_NOT_C)


@dataclass(frozen=True)
class _Module:
    text: str
    parts: ModuleText


class _Weaver:
    """Puts the calls of one automaton into all modules."""

    def __init__(self, automaton: Automaton, prefix: str, modules: Sequence[_Module]) -> None:
        self._automaton = automaton
        self._prefix = prefix
        self._shared = {
            name
            for module in modules
            for name in frozenset(module.parts.functions) - internal(module.text)
        }
        self._defined: frozenset[str] = frozenset()
        self._modules = modules
        self.hooks: dict[tuple[When, str], Hook] = {}
        self.gaps: dict[str, None] = {}
        self.settled: dict[tuple[int, str], int] = {}
        self._number = 0
        self._names = 0

    def module(self, module: _Module) -> _Module:
        """The module with calls where events happen."""
        watched = self._watched(module.parts)
        self._defined = frozenset(self._shared.union(module.parts.functions))
        for name, in_c in renamed(module.parts):
            if name not in watched and self._is_watched(in_c, When.ENTER, When.RETURN):
                self.gaps[f"calls of {in_c}(), here {name}(), {NOT_WATCHED}"] = None
        self._number += 1
        if not watched:
            return module
        text = self._text(module, watched)
        return _Module(text, split_module(text))

    def _text(self, module: _Module, watched: frozenset[str]) -> str:
        place = ReadingPlace(module.parts)
        self._note_others([n for n in in_first_values(module.text) if n in watched], "", place)
        out: list[str] = []
        slots: frozenset[str] = frozenset()
        for line in module.text.split("\n"):
            header = DEFINITION.match(line) if line.startswith("define ") else None
            if header is not None:
                place.begin(header[1], header["subprogram"])
                slots = self._slots(module.parts.functions[header[1]])
                out.append(line)
            elif not place.function:
                out.append(line)
            elif line == "}":
                place.end()
                out.append(line)
            else:
                line = line.replace(" musttail call ", " call ")
                out += self._globals_kept(line, place, slots)
                out += self._line(line, place, watched)
                slot = _ALLOCA.match(line)
                if slot and slot[1] in slots:
                    out.append(self._kept(slot[1], place))
        return "\n".join([*out, *self._declarations(module.parts), *place.locations, ""])

    def _watched(self, parts: ModuleText) -> frozenset[str]:
        """The functions and globals of a module that some event is about."""
        names = [n for n in (*parts.functions, *parts.declarations) if _is_of_c(n)]
        calls = {n for n in names if self._is_watched(_in_c(n), When.ENTER, When.RETURN)}
        ends = {_MAIN, _EXIT} if self._is_watched("", When.END) else set()
        objects = {name for name in parts.globals if self._is_watched(name, When.READ, When.WRITE)}
        return frozenset(calls | (ends & set(names)) | objects)

    def _is_watched(self, name: str, *kinds: When) -> bool:
        return any(matching(self._automaton, when, name) for when in kinds)

    # ------------------------------------------------------------------------------------- lines

    def _line(self, line: str, place: ReadingPlace, watched: frozenset[str]) -> Iterator[str]:
        if line.startswith("    #") or LABEL.match(line):
            yield line
            return
        if place.is_first and line.startswith("  "):
            place.is_first = False
            if place.function in watched and place.function in self._defined:
                yield from self._entered(place)
        returned = _RETURN.match(line)
        if returned and place.function in watched:
            yield from self._returned(returned, place)
        converted = _TRUNCATED.match(line) if " = trunc i" in line else None
        if converted:
            place.wider[converted["result"]] = (converted["type"], converted["value"])
        names = [name for name in SYMBOL.findall(line) if name in watched] if "@" in line else []
        if not names:
            yield line
            return
        yield from self._access(line, place, names)

    def _slots(self, function: FunctionText) -> frozenset[str]:
        """The locals whose addresses a function hands to an event, and globals, as operands."""
        found: set[str] = set()
        for line in function.lines:
            call = read_call(line) if " call " in line and "(ptr" in line else None
            if call is None:
                continue
            given = own_arguments(call.arguments)
            for when in (When.ENTER, When.RETURN):
                for transition in matching(self._automaton, when, call.callee):
                    for k in keys(transition, self._automaton):
                        if k < len(given):
                            found.add(argument(given[k])[1])
        return frozenset(found)

    def _globals_kept(self, line: str, place: ReadingPlace, slots: frozenset[str]) -> Iterator[str]:
        """Before the first instruction; as a local, where its life begins, on all paths."""
        if place.is_fresh and not line.startswith("    #") and not LABEL.match(line):
            place.is_fresh = False
            for name in sorted(name for name in slots if name.startswith("@")):
                yield self._kept(name, place)
            self._settle(slots, place.parts)

    def _settle(self, slots: Iterable[str], parts: ModuleText) -> None:
        """Globals that are handed over get places of their own, up to some."""
        if not self._automaton.per or self._automaton.has_births:
            return
        for name in sorted(slots):
            if is_own_global(name, parts) and len(self.settled) < _PLACES:
                self.settled.setdefault((self._number, name), len(self.settled))

    def _kept(self, name: str, place: ReadingPlace) -> str:
        """An object that is told of gets its place."""
        return f"  call void @{RULES}{self._prefix}_{KEY}(ptr {name}){place.location()}"

    def _entered(self, place: ReadingPlace) -> Iterator[str]:
        function = place.parts.functions[place.function]
        given = dict(enumerate(map(argument, own_arguments(function.parameters))))
        yield from self._told(When.ENTER, place.function, given, place.location(), place)

    def _returned(self, found: re.Match[str], place: ReadingPlace) -> Iterator[str]:
        function = place.parts.functions[place.function]
        given = dict(enumerate(map(argument, own_arguments(function.parameters))))
        if found["value"]:
            given[RESULT] = argument(found["value"])
        debug = found["debug"] or ""
        yield from self._told(When.RETURN, place.function, given, debug, place)
        if place.function == _MAIN:
            yield from self._told(When.END, "", {}, debug, place)

    def _access(self, line: str, place: ReadingPlace, names: list[str]) -> Iterator[str]:
        """A line that names what is watched: a call, a read, a write, or a use that is a gap."""
        call = read_call(line)
        stored, loaded = _STORE.match(line), _LOAD.match(line)
        debug = found[0] if (found := DEBUG.search(line)) else ""
        known = ""
        before: list[str] = []
        after: list[str] = []
        if call is not None and call.callee in names:
            known = call.callee
            given = dict(enumerate(map(argument, own_arguments(call.arguments))))
            if self._automaton.reads_expressions:
                given = {
                    k: place.wider.get(value, (kind, value)) for k, (kind, value) in given.items()
                }
            if known not in self._defined:
                before += self._told(When.ENTER, _in_c(known), given, debug, place)
                if call.result is not None:
                    given[RESULT] = (call.type, call.result)
                after += self._told(When.RETURN, _in_c(known), given, debug, place)
            if known == _EXIT:
                before += self._told(When.END, "", {}, debug, place)
        elif stored and stored["name"] in names:
            known = stored["name"]
            value = argument(stored["value"])
            after += self._told(When.WRITE, known, {RESULT: value}, debug, place)
        elif loaded and loaded["name"] in names:
            known = loaded["name"]
            read = (loaded["type"], loaded["result"])
            after += self._told(When.READ, known, {RESULT: read}, debug, place)
        self._note_others(names, known, place)
        yield from (*before, line, *after)

    def _note_others(self, names: list[str], known: str, place: ReadingPlace) -> None:
        if _MAIN in names and self._is_watched("", When.END):
            # the program does not end where a call of `main` within it returns
            self.gaps[f"returns of main() to the program itself {NOT_WATCHED}"] = None
        others = [name for name in names if name != known]
        if names.count(known) > 1:
            others.append(known)
        for name in others:
            if name in place.parts.globals:
                self.gaps[f"accesses of {name} through pointers {NOT_WATCHED}"] = None
            elif name not in self._defined:
                self.gaps[f"calls of {name}() through pointers {NOT_WATCHED}"] = None

    # ------------------------------------------------------------------------------------- events

    def _told(
        self,
        when: When,
        name: str,
        given: Mapping[int, tuple[str, str]],
        debug: str,
        place: ReadingPlace,
    ) -> list[str]:
        """The lines that tell the automaton of an event; none if it watches no such event."""
        transitions = matching(self._automaton, when, name)
        if not transitions:
            return []
        hook = self.hooks.get((when, name))
        if hook is None:
            wanted = sorted({k for t in transitions for _, k in positions(t)})
            types = place.types(name)
            if any(k != RESULT for k in wanted):
                self._refuse_cut(name, place)
            if self._automaton.reads_expressions and name not in self._defined:
                types = {k: known for k, known in types.items() if k == RESULT}
            values = tuple((k, value_of(k, name, given, types)) for k in wanted)
            symbol = f"{self._prefix}_{when.value}_{len(self.hooks)}"
            arbitrary = name not in self._defined and is_unknown(name)
            hook = self.hooks[when, name] = Hook(symbol, when, name, values, arbitrary)
        if any(position != RESULT for position, _ in hook.values):
            self._refuse_unlisted(name, given, place)
        lines: list[str] = []
        arguments: list[str] = []
        for position, value in hook.values:
            if position not in given:
                raise InputError(f"{name}(): a rule binds a value that this call does not have")
            more, handed = self._handed(*given[position], value, debug)
            lines += more
            arguments.append(handed)
        return [*lines, f"  call void @{RULES}{hook.symbol}({', '.join(arguments)}){debug}"]

    def _refuse_cut(self, name: str, place: ReadingPlace) -> None:
        if is_shifted(place.parts, place.parts.signature(name)):
            raise UnsupportedError(f"{name}(): a rule cannot bind values beside a structure")

    def _refuse_unlisted(
        self, name: str, given: Mapping[int, tuple[str, str]], place: ReadingPlace
    ) -> None:
        """Of several values of a call nobody knows which belong to one structure."""
        function = place.parts.signature(name)
        is_unlisted = function is not None and function.parameters == ("...",)
        if is_unlisted and len(given.keys() - {RESULT}) > 1:
            why = "it is declared without parameters"
            raise UnsupportedError(f"{name}(): a rule cannot bind values, since {why}")

    def _handed(self, kind: str, text: str, value: Value, debug: str) -> tuple[list[str], str]:
        """Lines that convert a value, and the argument."""
        wanted = {"void *": "ptr", "double": "double"}.get(value.raw, "i64")
        if kind == wanted:
            return [], f"{kind} {text}"
        match kind, wanted:
            case "float", "double":
                word = "fpext"
            case "ptr", "i64":
                word = "ptrtoint"
            case _, "ptr" if _INTEGER.match(kind):
                word = "inttoptr"
            case _, "i64" if _INTEGER.match(kind):
                word = "zext" if value.raw.startswith("unsigned") or kind == "i1" else "sext"
            case _:
                raise InputError(f"a rule binds a value of the type {kind}")
        name = self._name()
        return [f"  {name} = {word} {kind} {text} to {wanted}{debug}"], f"{wanted} {name}"

    def _name(self) -> str:
        self._names += 1
        return f"%sea.rule.{self._prefix}.{self._names}"

    def _declarations(self, parts: ModuleText) -> Iterator[str]:
        kinds = {"void *": "ptr", "double": "double"}
        for hook in self.hooks.values():
            given = ", ".join(kinds.get(value.raw, "i64") for _, value in hook.values)
            yield f"declare void @{RULES}{hook.symbol}({given})"
        yield f"declare void @{RULES}{self._prefix}_{KEY}(ptr)"
        for (number, operand), place in self.settled.items():
            if number == self._number:
                name = place_name(self._prefix, place).removeprefix(IN_C)
                yield f"@{RULES}{name} = constant ptr {operand}"
