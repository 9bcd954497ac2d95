"""Rules from automata of CPAchecker (`.spc`), as far as rules for calls need them.

The language is described in CPAchecker's documentation ("Specification automata"); it comes from
BLAST's query language.  `MATCH {f($1)}` is the beginning of a call, `MATCH {$1 = f($2)}` its end,
`MATCH EXIT` the end of the program.  `ASSUME`, which sees what the actions have done, chooses among
the transitions that match: where none of their assumptions holds, the run is not looked at.  With
USEALL an error comes before other transitions, and of these any that fits is taken.  A set knows
its elements by their values, not by the text of expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.rules.automaton import (
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

_GRAMMAR = r"""
start: automaton+
automaton: KIND? "AUTOMATON" NAME local* "INITIAL" "STATE" NAME ";" state+ "END" "AUTOMATON"
local: "LOCAL" NAME NAME ["=" (NUMBER | SQUARE)] ";" -> variable
     | "LOCAL" NAME "<" NAME ">" NAME ["=" SQUARE] ";" -> elements
state: STATE USE? NAME ":" transition*
transition: trigger condition* "->" assume? action* goto ";"
?trigger: "MATCH" CURLY -> statement
        | "MATCH" EXIT -> exit
condition: "&&" PAREN
assume: "ASSUME" CURLY
action: "DO" NAME "=" VALUE -> assign
      | "DO" NAME SQUARE "=" VALUE -> member
?goto: "GOTO" NAME -> goto
    | STOP -> stop
    | error
    | "SPLIT" CURLY "GOTO" NAME "NEGATION" (NAME | error) -> split
error: ERROR ["(" TEXT ")"]
KIND.2: "CONTROL" | "OBSERVER"
STATE.2: "STATE"
USE.2: "USEALL" | "USEFIRST"
ERROR.2: "ERROR"
STOP.2: "STOP"
EXIT.2: "EXIT"
NAME: /[A-Za-z_]\w*/
NUMBER: /\d+/
CURLY: /\{[^{}]*\}/
SQUARE: /\[[^\[\]]*\]/
PAREN: /\((?:[^()]|\([^()]*\))*\)/
VALUE: /[^;\s=][^;=]*?(?=\s+(GOTO|ERROR|STOP|SPLIT|DO)\b)/
TEXT: /"[^"\n]*"/
%ignore /\s+/
%ignore /\/\/[^\n]*/
%ignore /\/\*(.|\n)*?\*\//
"""
_CALL = pattern(
    r"\s*(?:(?P<result>\$\d+|\$\?)\s*=\s*)?(?P<name>[A-Za-z_]\w*)\s*"
    r"\((?P<parameters>[^()]*)\)\s*;?\s*"
)
_JOKER = pattern(r"(?<!\$)\$(\d+)")
_VARIABLE = pattern(r"\$\$(\w+)")
_MEMBER = pattern(r"(\w+)\s*\[([^\[\]]*)\]")
_EMPTY = pattern(r"(\w+)\.empty\b")
_MOST_BYTES = 1 << 20
_ANY_ERROR = "the automaton is in its error state"


def read_automata(path: Path) -> Rule:
    """The rule that the automata of a file are; InputError, with its line, for anything else."""
    return automata_of(text_of(path), str(path))


def automata_of(text: str, origin: str) -> Rule:
    """The rule that a text says; InputError with the origin and the line of what is wrong."""
    if len(text) > _MOST_BYTES:
        raise InputError(f"{origin}: too large for a rule")
    automata = tuple(_parsed(text, origin))
    names = ", ".join(automaton.name for automaton in automata)
    return Rule(Path(origin).stem, names, automata, "", origin)


@dataclass(frozen=True, slots=True)
class _Action:
    """`variable = value`, or of a set `variable[element] = value`."""

    variable: str
    value: str
    element: str = ""


@dataclass(frozen=True, slots=True)
class _Edge:
    """A transition as it is written: what is matched, asked and done, and where it goes.

    There are two goals where it splits.
    """

    line: int
    event: Event
    conditions: tuple[str, ...]
    assumptions: tuple[str, ...]
    actions: tuple[_Action, ...]
    goals: tuple[_Goal, ...]


@dataclass(frozen=True, slots=True)
class _Goal:
    """A state, an error, or neither: the run is not looked at."""

    state: str = ""
    error: str = ""
    condition: str = ""


@dataclass(frozen=True, slots=True)
class _State:
    name: str
    takes_first: bool
    edges: tuple[_Edge, ...]


class _Refused(Exception):
    """What the grammar allows and we do not, and its line."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class _Builder(Transformer[Token, Any]):
    """Automata, from the inside out."""

    def __init__(self, origin: str) -> None:
        super().__init__()
        self._origin = origin

    def start(self, parts: list[Automaton]) -> list[Automaton]:
        """All automata."""
        return parts

    def automaton(self, parts: list[Any]) -> Automaton:
        """One automaton."""
        name, initial = (p for p in parts if isinstance(p, Token) and p.type == "NAME")
        states = [part for part in parts if isinstance(part, _State)]
        ghosts = tuple(part for part in parts if isinstance(part, Ghost))
        known = [state.name for state in states]
        goals = [(e.line, g.state) for s in states for e in s.edges for g in e.goals if g.state]
        for line, state in ((_line(initial), str(initial)), *goals):
            if state not in known:
                raise _Refused(line, f"there is no state {state}")
        order = (str(initial), *(state for state in known if state != initial))
        writing = _Writing(self._origin, frozenset(g.name for g in ghosts if g.is_set))
        transitions = tuple(t for state in states for t in writing.state(state))
        return Automaton(str(name), order, transitions, ghosts, reads_expressions=True)

    def variable(self, parts: list[Any]) -> Ghost:
        """A number, or a set without the type of its elements."""
        kind, name, value = parts
        if kind == "set":
            return self.elements([None, None, name, value])
        if kind != "int":
            raise _Refused(_line(name), f"a variable of the type {kind} is not supported")
        return Ghost(str(name), "int", str(value or "0"))

    def elements(self, parts: list[Any]) -> Ghost:
        """A set."""
        *_, name, value = parts
        if value is not None and value.strip("[] \t"):
            raise _Refused(_line(name), "a set that is not empty at first is not supported")
        return Ghost(str(name), "set", "0", is_set=True)

    def state(self, parts: list[Any]) -> _State:
        """A state with its transitions."""
        edges = tuple(part for part in parts if isinstance(part, _Edge))
        name = next(str(p) for p in parts if isinstance(p, Token) and p.type == "NAME")
        return _State(name, any(part == "USEFIRST" for part in parts), edges)

    def transition(self, parts: list[Any]) -> _Edge:
        """A transition as it is written."""
        (line, event), *rest, goals = parts
        of = {kind: [value for k, value in rest if k == kind] for kind in ("if", "assume", "do")}
        assumptions = tuple(text for texts in of["assume"] for text in texts)
        return _Edge(line, event, tuple(of["if"]), assumptions, tuple(of["do"]), goals)

    def statement(self, parts: list[Token]) -> tuple[int, Event]:
        """The event of a call."""
        line, text = _line(parts[0]), str(parts[0])[1:-1]
        found = _CALL.fullmatch(text)
        if found is None:
            raise _Refused(line, f"MATCH {{{text}}}: expected a call, with $1 for values")
        given = [part.strip() for part in found["parameters"].split(",") if part.strip()]
        parameters = tuple(_joker(line, part) for part in given)
        if given == ["$?"]:
            parameters = (OTHERS,)
        if not found["result"]:
            return line, Event(When.ENTER, found["name"], parameters)
        result = _joker(line, found["result"])
        bound = "" if result == NOT_BOUND else result
        return line, Event(When.RETURN, found["name"], parameters, bound)

    def exit(self, parts: list[Token]) -> tuple[int, Event]:
        """The end of the program."""
        return _line(parts[0]), Event(When.END)

    def condition(self, parts: list[Token]) -> tuple[str, str]:
        """A condition on variables before the actions."""
        return "if", str(parts[0])

    def assume(self, parts: list[Token]) -> tuple[str, list[str]]:
        """Assumptions about values behind the actions."""
        return "assume", [text for text in str(parts[0])[1:-1].split(";") if text.strip()]

    def assign(self, parts: list[Token]) -> tuple[str, _Action]:
        """A variable changes."""
        return "do", _Action(str(parts[0]), str(parts[1]).strip())

    def member(self, parts: list[Token]) -> tuple[str, _Action]:
        """A set changes."""
        name, element, value = parts
        if value.strip().lower() not in ("true", "false"):
            raise _Refused(_line(name), f"{value}: an element is in a set, true or false")
        return "do", _Action(str(name), value.strip().lower(), str(element)[1:-1])

    def goto(self, parts: list[Token]) -> tuple[_Goal, ...]:
        """The next state."""
        return (_Goal(state=str(parts[0])),)

    def stop(self, _: list[Token]) -> tuple[_Goal, ...]:
        """The end of what is looked at."""
        return (_Goal(),)

    def error(self, parts: list[Token | None]) -> tuple[_Goal, ...]:
        """A violation."""
        text = parts[1]
        return (_Goal(error=str(text).strip('"') if text is not None else _ANY_ERROR),)

    def split(self, parts: list[Any]) -> tuple[_Goal, ...]:
        """Two targets, by a condition."""
        condition, state, other = parts
        text = str(condition)[1:-1]
        otherwise = other[0] if isinstance(other, tuple) else _Goal(state=str(other))
        return (
            _Goal(state=str(state), condition=f"({text})"),
            replace(otherwise, condition=f"!({text})"),
        )


def _parsed(text: str, origin: str) -> list[Automaton]:
    """The automata of a text; InputError names the origin and a line."""
    try:
        lark = Lark(_GRAMMAR, parser="lalr", transformer=_Builder(origin))
        found: Any = lark.parse(text)
    except UnexpectedCharacters as error:
        raise InputError(f"{origin}:{error.line}: unexpected character {error.char!r}") from None
    except UnexpectedToken as error:
        is_end = error.token.type == "$END"
        line = text.count("\n") + 1 if is_end else error.token.line
        what = "the text ends too early" if is_end else f"unexpected {str(error.token)!r}"
        raise InputError(f"{origin}:{line}: {what}") from None
    except _Refused as error:
        raise InputError(f"{origin}:{error.line}: {error}") from None
    return list(found)


def _line(token: Token) -> int:
    """Where a token is; 0 if that is unknown."""
    return token.line or 0


def _joker(line: int, text: str) -> str:
    found = _JOKER.fullmatch(text)
    if found is None and text != "$?":
        raise _Refused(line, f"{text}: expected $1, $2, ... or $?")
    return f"joker{found[1]}" if found else NOT_BOUND


@dataclass(frozen=True)
class _Writing:
    """Writes the transitions of states as those of a rule."""

    origin: str
    sets: frozenset[str]

    def state(self, state: _State) -> Iterator[Transition]:
        """The transitions of a state, errors first unless the first that matches is taken."""
        found = [t for edge in state.edges for t in self._edge(edge, state.name)]
        if not state.takes_first:
            found.sort(key=lambda transition: not transition.error)
            found = [replace(t, is_choice=not t.error) for t in found]
        yield from found
        for event in dict.fromkeys(edge.event for edge in state.edges):
            own = [edge for edge in state.edges if edge.event == event]
            if all(edge.assumptions and not edge.conditions for edge in own):
                place = f"{self.origin}:{own[0].line}"
                yield Transition(event, (state.name,), blocks=True, place=place)

    def _edge(self, edge: _Edge, state: str) -> Iterator[Transition]:
        assumptions = [_behind(text, edge.actions) for text in edge.assumptions]
        asked = [*edge.conditions, *assumptions]
        actions = tuple(map(self._action, edge.actions))
        place = f"{self.origin}:{edge.line}"
        for goal in edge.goals:
            texts = [*asked, _behind(goal.condition, edge.actions)] if goal.condition else asked
            guard = " && ".join(f"({self._c(text)})" for text in texts)
            done = () if goal.error else actions
            made = Transition(edge.event, (state,), guard, done, goal.state, goal.error)
            yield replace(made, blocks=not goal.state and not goal.error, place=place)

    def _action(self, action: _Action) -> str:
        if not action.element:
            return f"{action.variable} = {self._c(action.value)};"
        word = "add" if action.value == "true" else "remove"
        return f"{word}({action.variable}, {self._c(action.element)});"

    def _c(self, text: str) -> str:
        """An expression in C: `$1` is a name, and what is asked of sets is a call."""
        text = _VARIABLE.sub(r"\1", _JOKER.sub(r"joker\1", text))
        text = _EMPTY.sub(r"empty(\1)", text)
        return _MEMBER.sub(lambda m: f"in({m[1]}, {m[2]})" if m[1] in self.sets else m[0], text)


def _behind(text: str, actions: Sequence[_Action]) -> str:
    """An assumption about the values behind the actions, told of those before them."""
    for action in actions:
        if not action.element:
            value = f"({action.value})".replace("\\", r"\\")
            text = re.sub(rf"\$\${action.variable}\b", value, text)
    return text
