"""Rules from automata of CPAchecker (`.spc`), as far as rules for calls need them.

The language is described in CPAchecker's documentation ("Specification automata"); it comes from
BLAST's query language.  `MATCH {f($1)}` is the beginning of a call, `MATCH {$1 = f($2)}` its end;
`MATCH EXIT` is the end of the program.  `ASSUME`, which sees what the actions have done, chooses among
the transitions that match: where none of their assumptions holds, the run is not looked at.  With USEALL an error comes before other
transitions, and of these any that fits is taken.  A set knows elements by their values.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from seahorn_py.base.errors import InputError
from seahorn_py.frontend.rules.model import (
    NOT_BOUND,
    OTHERS,
    Automaton,
    Event,
    Ghost,
    Rule,
    Transition,
    When,
)
from seahorn_py.processes.textfile import text_of

if TYPE_CHECKING:
    from lark import Lark, Tree

_GRAMMAR = r"""
start: automaton+
automaton: KIND? "AUTOMATON" NAME local* "INITIAL" "STATE" NAME ";" state+ "END" "AUTOMATON"
local: "LOCAL" NAME ["<" NAME ">"] NAME ["=" (NUMBER | SQUARE)] ";"
state: [TARGET] "STATE" [USE] NAME ":" transition*
transition: trigger ("&&" PAREN)* "->" [assume] action* goto ";"
trigger: "MATCH" CURLY -> statement
       | "MATCH" "EXIT" -> exit
       | "MATCH" "ENTRY" -> entry
assume: "ASSUME" CURLY
action: "DO" NAME [SQUARE] "=" VALUE -> assign
      | "PRINT" /[^;]+?(?=(GOTO|ERROR|STOP|SPLIT|DO))/ -> print
goto: "GOTO" NAME -> goto
    | "STOP" -> stop
    | "ERROR" ["(" TEXT ")"] -> error
    | "SPLIT" CURLY "GOTO" NAME "NEGATION" (NAME | ERROR ["(" TEXT ")"]) -> split
KIND.2: "CONTROL" | "OBSERVER"
TARGET.2: "TARGET"
USE.2: "USEALL" | "USEFIRST"
ERROR.2: "ERROR"
NAME: /[A-Za-z_]\w*/
NUMBER: /\d+/
CURLY: /\{[^{}]*\}/
SQUARE: /\[[^\[\]]*\]/
PAREN: /\((?:[^()]|\([^()]*\))*\)/
VALUE: /[^;\s=][^;=]*?(?=\s+(GOTO|ERROR|STOP|SPLIT|DO|PRINT)\b)/
TEXT: /"[^"\n]*"/
%ignore /\s+/
%ignore /\/\/[^\n]*/
%ignore /\/\*(.|\n)*?\*\//
"""
_CALL = re.compile(
    r"\s*(?:(?P<result>\$\d+|\$\?)\s*=\s*)?(?P<name>[A-Za-z_]\w*)\s*"
    r"\((?P<parameters>[^()]*)\)\s*;?\s*"
)
_JOKER = re.compile(r"\$(\d+)")
_VARIABLE = re.compile(r"\$\$(\w+)")
_MEMBER = re.compile(r"(\w+)\s*\[([^\[\]]*)\]")
_EMPTY = re.compile(r"(\w+)\.empty\b")
_MOST_BYTES = 1 << 20


def read_automata(path: Path) -> Rule:
    """The rule that the automata of a file are; InputError, with its line, for anything else."""
    return automata_of(text_of(path), str(path))


def automata_of(text: str, origin: str) -> Rule:
    """The rule that a text says; InputError with the origin and the line of what is wrong."""
    from lark.exceptions import UnexpectedInput

    if len(text) > _MOST_BYTES:
        raise InputError(f"{origin}: too large for a rule")
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        wrong = f"{origin}:{error.line}:{error.column}"
        raise InputError(f"{wrong}: no automaton that is understood begins so") from None
    automata = tuple(_Reading(origin).automaton(node) for node in tree.children)
    names = ", ".join(automaton.name for automaton in automata)
    return Rule(Path(origin).stem, names, automata, "", origin)


@functools.cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(_GRAMMAR, parser="lalr", propagate_positions=True, maybe_placeholders=True)


class _Reading:
    """Reads the trees of one file."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._sets: frozenset[str] = frozenset()

    def automaton(self, tree: Tree[str]) -> Automaton:
        parts = list(tree.children)
        states = [part for part in parts if _is(part, "state")]
        ghosts = tuple(self._ghost(part) for part in parts if _is(part, "local"))
        self._sets = frozenset(ghost.name for ghost in ghosts if ghost.is_set)
        name, initial = [str(part) for part in parts if getattr(part, "type", "") == "NAME"]
        names = [self._name(state) for state in states]
        if initial not in names:
            raise self._wrong(tree, f"there is no state {initial}")
        ordered = (initial, *(other for other in names if other != initial))
        transitions = tuple(t for state in states for t in self._state(state, names))
        return Automaton(name, ordered, transitions, ghosts, reads_expressions=True)

    def _ghost(self, tree: Tree[str]) -> Ghost:
        kind, elements, name, value = (str(c) if c is not None else "" for c in tree.children)
        if kind == "set" or elements:
            if value.strip("[] \t"):
                raise self._wrong(tree, "a set that is not empty at first is not supported")
            return Ghost(name, "set", "0", is_set=True)
        if kind != "int":
            raise self._wrong(tree, f"a variable of the type {kind} is not supported")
        return Ghost(name, "int", value or "0")

    def _name(self, state: Tree[str]) -> str:
        return str(state.children[2])

    def _state(self, state: Tree[str], names: list[str]) -> Iterator[Transition]:
        """The transitions of a state, errors first unless the first that matches is taken."""
        if state.children[0] is not None:
            raise self._wrong(state, "a state that is a target is not supported: use ERROR")
        takes_first = str(state.children[1]) == "USEFIRST"
        found: list[Transition] = []
        for tree in state.children[3:]:
            found += self._transitions(tree, self._name(state), names)
        if not takes_first:
            found.sort(key=lambda transition: not transition.error)
            found = [replace(t, is_choice=not t.error) for t in found]
        yield from found
        yield from self._cut(found)

    def _cut(self, found: list[Transition]) -> Iterator[Transition]:
        """Where an event is matched and no assumption holds, the run is not looked at."""
        for event in dict.fromkeys(t.event for t in found if t.guard):
            own = [t for t in found if t.event == event]
            if all(t.guard for t in own) and not any(t.place.endswith("?") for t in own):
                yield Transition(event, own[0].sources, blocks=True, place=own[0].place)

    def _transitions(self, tree: Tree[str], state: str, names: list[str]) -> Iterator[Transition]:
        trigger, *rest = tree.children
        place = f"{self._origin}:{tree.meta.line}"
        event = self._event(trigger)
        conditions = [self._c(str(p)) for p in rest if getattr(p, "type", "") == "PAREN"]
        assigned = [self._assigned(p) for p in rest if _is(p, "assign")]
        for part in (p for p in rest if _is(p, "assume")):
            texts = [c for c in str(part.children[0])[1:-1].split(";") if c.strip()]
            conditions += [self._c(_after(text, assigned)) for text in texts]
        guard = " && ".join(f"({c})" for c in conditions)
        actions = tuple(self._assign(p) for p in rest if _is(p, "assign"))
        last = rest[-1]
        is_plain = any(getattr(p, "type", "") == "PAREN" for p in rest)
        made = Transition(event, (state,), guard, actions, place=place + "?" * is_plain)
        yield from self._ends(last, made, names)

    def _ends(self, last: Tree[str], made: Transition, names: list[str]) -> Iterator[Transition]:
        match last.data:
            case "goto":
                yield replace(made, target=self._state_of(last, str(last.children[0]), names))
            case "stop":
                yield replace(made, blocks=True)
            case "error":
                yield replace(made, actions=(), error=_message(last.children[0]))
            case _:
                condition, target, other, text = (*last.children, None)[:4]
                holds = self._c(str(condition)[1:-1])
                both = " && ".join(filter(None, (made.guard, f"({holds})")))
                negated = " && ".join(filter(None, (made.guard, f"!({holds})")))
                goal = self._state_of(last, str(target), names)
                yield replace(made, guard=both, target=goal)
                if str(other) == "ERROR":
                    yield replace(made, guard=negated, actions=(), error=_message(text))
                else:
                    yield replace(
                        made, guard=negated, target=self._state_of(last, str(other), names)
                    )

    def _state_of(self, tree: Tree[str], name: str, names: list[str]) -> str:
        if name not in names:
            raise self._wrong(tree, f"there is no state {name}")
        return name

    def _event(self, trigger: Tree[str]) -> Event:
        if trigger.data == "exit":
            return Event(When.END)
        if trigger.data == "entry":
            raise self._wrong(trigger, "MATCH ENTRY is not supported")
        text = str(trigger.children[0])[1:-1]
        found = _CALL.fullmatch(text)
        if found is None:
            raise self._wrong(trigger, f"MATCH {{{text}}}: expected a call, with $1 for values")
        given = [part.strip() for part in found["parameters"].split(",")]
        parameters = tuple(self._joker(trigger, part) for part in given if part)
        if parameters == (NOT_BOUND,) and given == ["$?"]:
            parameters = (OTHERS,)
        result = self._joker(trigger, found["result"]) if found["result"] else ""
        when = When.RETURN if found["result"] else When.ENTER
        return Event(when, found["name"], parameters, "" if result == NOT_BOUND else result)

    def _joker(self, tree: Tree[str], text: str) -> str:
        found = _JOKER.fullmatch(text)
        if found is None and text != "$?":
            raise self._wrong(tree, f"{text}: expected $1, $2, ... or $?")
        return f"joker{found[1]}" if found else NOT_BOUND

    def _assigned(self, tree: Tree[str]) -> tuple[str, str]:
        """The variable that an action changes, and its new value; "" for a set."""
        name, element, value = tree.children
        return str(name), "" if element is not None else str(value).strip()

    def _assign(self, tree: Tree[str]) -> str:
        name, element, value = (str(c).strip() if c is not None else "" for c in tree.children)
        if not element:
            return f"{name} = {self._c(value)};"
        if value not in ("true", "false", "TRUE", "FALSE"):
            raise self._wrong(tree, f"{value}: an element is in a set (true) or not (false)")
        word = "add" if value.lower() == "true" else "remove"
        return f"{word}({name}, {self._c(element[1:-1])});"

    def _c(self, text: str) -> str:
        """An expression in C: `$1` is a name, and what is asked of sets is a call."""
        text = _VARIABLE.sub(r"\1", _JOKER.sub(r"joker\1", text.replace("$$", "\0")).replace(
            "\0", "$$"
        ))
        text = _EMPTY.sub(r"empty(\1)", text)
        return _MEMBER.sub(
            lambda m: f"in({m[1]}, {m[2]})" if m[1] in self._sets else m[0], text
        )

    def _wrong(self, tree: Tree[str], text: str) -> InputError:
        return InputError(f"{self._origin}:{tree.meta.line}: {text}")


def _after(text: str, assigned: list[tuple[str, str]]) -> str:
    """An assumption about the values before the actions: it is told about those behind them."""
    for name, value in assigned:
        if value:
            text = re.sub(rf"\$\${name}\b", f"({value})", text)
    return text


def _is(part: object, kind: str) -> bool:
    return getattr(part, "data", "") == kind


def _message(text: object) -> str:
    return str(text).strip('"') if text is not None else "the automaton is in its error state"
