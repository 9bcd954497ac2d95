"""Random C programs with two globals and their states, for formulas of branching time.

A program is written in C and, beside it, as a graph of places.  Of a run the states are looked at
where the verifier looks at them: at the beginning, behind each store, at heads of loops, and at the
end for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

HEAD = """extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void exit(int);
int x, y;
"""
MOST = 2
"""The greatest value of a global."""

Values = tuple[int, int]
State = tuple[int, Values]


@dataclass
class Program:
    """The text, and for each place what is done there and the places behind it."""

    lines: list[str] = field(default_factory=list)
    places: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return HEAD + "int main(void) {\n" + "\n".join(self.lines) + "\n}\n"

    def place(self, *what: Any) -> int:
        number = len(self.places)
        self.places[number] = what
        return number

    def graph(self, first: int) -> dict[State, list[State]]:
        """The states that are looked at, and those that come next."""
        found: dict[State, list[State]] = {}
        waiting: list[State] = [(first, (0, 0))]
        while waiting:
            state = waiting.pop()
            if state not in found:
                place, values = state
                found[state] = sorted(self._next(self.places[place][1], values))
                waiting += found[state]
        return found

    def _next(self, place: int, values: Values) -> set[State]:
        """The states that are looked at next, from a place on."""
        match self.places[place]:
            case ("look", _):
                return {(place, values)}
            case ("set", variable, value, behind):
                return self._next(behind, changed(values, variable, value))
            case ("step", variable, behind):
                value = (values[variable] + 1) % (MOST + 1)
                return self._next(behind, changed(values, variable, value))
            case ("choose", one, other):
                return self._next(one, values) | self._next(other, values)
            case ("test", variable, value, one, other):
                return self._next(one if values[variable] == value else other, values)
            case ("assume", variable, value, behind):
                return self._next(behind, values) if values[variable] != value else set()
        raise AssertionError(place)


def changed(values: Values, variable: int, value: int) -> Values:
    return (value, values[1]) if variable == 0 else (values[0], value)


class Drawn:
    """Draws a program, from its end to its beginning."""

    def __init__(self, source: Random) -> None:
        self.source, self.program = source, Program()
        program = self.program
        self.end = len(program.places)
        program.place("look", self.end)
        lines, behind = self.block(2, self.end)
        program.lines = lines
        self.first = program.place("look", behind)

    def block(self, depth: int, behind: int) -> tuple[list[str], int]:
        lines: list[str] = []
        for _ in range(self.source.randint(1, 3)):
            more, behind = self.statement(depth, behind)
            lines = more + lines
        return lines, behind

    def statement(self, depth: int, behind: int) -> tuple[list[str], int]:
        source, place = self.source, self.program.place
        variable, value = source.randrange(2), source.randint(0, MOST)
        name = "xy"[variable]
        kind = source.randrange(10 if depth else 5)
        if kind < 2:
            return [f"{name} = {value};"], place("set", variable, value, place("look", behind))
        if kind < 4:
            text = f"{name} = {name} == {MOST} ? 0 : {name} + 1;"
            return [text], place("step", variable, place("look", behind))
        if kind == 4:
            if source.random() < 0.6:
                return [f"{name} = {value};"], place("set", variable, value, place("look", behind))
            if source.random() < 0.5:
                return [f"__VERIFIER_assume({name} != {value});"], place(
                    "assume", variable, value, behind
                )
            return [f"if ({name} == {value}) exit(0);"], place(
                "test", variable, value, self.end, behind
            )
        if kind < 8:
            one, at_one = self.block(depth - 1, behind)
            other, at_other = self.block(depth - 1, behind)
            body = ["{", *one, "} else {", *other, "}"]
            if source.random() < 0.7:
                return ["if (__VERIFIER_nondet_int())", *body], place("choose", at_one, at_other)
            test = place("test", variable, value, at_one, at_other)
            return [f"if ({name} == {value})", *body], test
        return self.loop(depth, behind, variable, value)

    def loop(self, depth: int, behind: int, variable: int, value: int) -> tuple[list[str], int]:
        program = self.program
        head = program.place("look", 0)
        body, at_body = self.block(depth - 1, head)
        kind = self.source.random()
        if kind < 0.4:
            condition, inside = "1", at_body
        elif kind < 0.7:
            condition = "__VERIFIER_nondet_int()"
            inside = program.place("choose", at_body, behind)
        else:
            condition = f"{'xy'[variable]} == {value}"
            inside = program.place("test", variable, value, at_body, behind)
        program.places[head] = ("look", inside)
        return [f"while ({condition}) {{", *body, "}"], head


def drawn(seed: int) -> tuple[str, dict[State, list[State]], State]:
    """A program: its text, its states with those that come next, and the first state."""
    found = Drawn(Random(seed))
    return found.program.text, found.program.graph(found.first), (found.first, (0, 0))
