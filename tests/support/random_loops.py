"""Random C programs of nested loops over small integers, and whether all of their runs end.

Over 8-bit integers all arithmetic is that of `int` and is cut to 8 bits when it is stored: nothing
overflows.  Over 32-bit integers inputs are from -6 to 6, and a program in which a value goes beyond
an `int` says nothing.  The states of a program are few, so that all of them are visited: a run that
does not end comes back to a state (`ends`).
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

MOST_STATES = 150_000
SMALL = 6
"""The largest input of 32 bits."""


class _Overflows(Exception):
    """A value beyond an `int`."""


@dataclass(frozen=True)
class Node:
    """A place of the program: what is done there, and where runs go on.

    `kind` is "set" (variable, expression), "input" (variable: 0 or 1), "branch" (condition; the
    second place is for false) or "end".
    """

    kind: str
    what: tuple[object, ...]
    then: tuple[int, ...]


@dataclass(frozen=True)
class RandomLoops:
    """C text, and its control flow from place 0."""

    text: str
    nodes: tuple[Node, ...]
    start: tuple[tuple[int | None, bool], ...]
    """Of each variable the first value, None for any, and whether it is signed."""
    bits: int = 8

    def ends(self) -> bool | None:
        """Whether no run goes on for ever; None where there are too many states, or an overflow."""
        try:
            return self._ends()
        except _Overflows:
            return None

    def _ends(self) -> bool | None:
        pending = [(0, state) for state in _first(self.start, self.bits)]
        follow: dict[tuple[int, tuple[int, ...]], list[tuple[int, tuple[int, ...]]]] = {}
        while pending:
            at = pending.pop()
            if at in follow:
                continue
            follow[at] = [(to, state) for to, state in self._after(*at)]
            pending += follow[at]
            if len(follow) > MOST_STATES:
                return None
        return _is_acyclic(follow)

    def _after(self, at: int, state: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        node = self.nodes[at]
        if node.kind == "end":
            return []
        if node.kind == "branch":
            holds = _holds(node.what, state)
            return [(node.then[0 if holds else 1], state)]
        variable = node.what[0]
        assert isinstance(variable, int)
        values = (0, 1) if node.kind == "input" else (_value(node.what[1], state),)
        signed = self.start[variable][1]
        return [
            (node.then[0], (*state[:variable], _cut(v, signed, self.bits), *state[variable + 1 :]))
            for v in values
        ]


def _first(start: tuple[tuple[int | None, bool], ...], bits: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for value, signed in start:
        low = -128 if signed else 0
        any_ = range(low, low + 256) if bits == 8 else range(-SMALL, SMALL + 1)
        values = any_ if value is None else (value,)
        found = [(*state, v) for state in found for v in values]
    return found


def _cut(value: int, signed: bool, bits: int) -> int:
    if bits == 32:
        if not -(1 << 31) <= value < 1 << 31:
            raise _Overflows
        return value
    value %= 256
    return value - 256 if signed and value > 127 else value


def _value(expression: object, state: tuple[int, ...]) -> int:
    assert isinstance(expression, tuple)
    *summands, constant = expression
    return sum(factor * state[v] for factor, v in summands) + int(constant)


def _holds(condition: tuple[object, ...], state: tuple[int, ...]) -> bool:
    left, sign, right = condition
    a, b = _value(left, state), _value(right, state)
    return {"<": a < b, "<=": a <= b, ">": a > b, "!=": a != b, "==": a == b}[str(sign)]


def _is_acyclic(follow: dict[object, list[object]]) -> bool:
    """Kahn's algorithm."""
    before = dict.fromkeys(follow, 0)
    for targets in follow.values():
        for target in targets:
            before[target] += 1
    free = [node for node, count in before.items() if count == 0]
    left = len(before)
    while free:
        left -= 1
        for target in follow[free.pop()]:
            before[target] -= 1
            if before[target] == 0:
                free.append(target)
    return left == 0


def random_loops(seed: int, bits: int = 8) -> RandomLoops:
    """The program of a seed, over integers of 8 or 32 bits."""
    return _Generator(Random(seed), bits).program()


class _Generator:
    def __init__(self, random: Random, bits: int) -> None:
        self._random, self._bits = random, bits
        self._count = random.choice((1, 2, 2, 3, 4))
        self._signed = [random.random() < 0.6 or bits == 32 for _ in range(self._count)]
        self._nodes: list[Node] = []
        self._lines: list[str] = []
        self._indent = 1

    def program(self) -> RandomLoops:
        free = 2
        start: list[tuple[int | None, bool]] = []
        for signed in self._signed:
            is_free = free > 0 and self._random.random() < 0.5
            free -= is_free
            start.append((None if is_free else self._random.randint(0, 12), signed))
        for _ in range(self._random.choice((1, 1, 2))):
            self._loop(self._random.choice((1, 1, 2)))
        self._nodes.append(Node("end", (), ()))
        return RandomLoops(self._text(start), tuple(self._nodes), tuple(start), self._bits)

    def _text(self, start: list[tuple[int | None, bool]]) -> str:
        kinds = {True: "signed char" if self._bits == 8 else "int", False: "unsigned char"}
        wide = "char" if self._bits == 8 else "int"
        asked = {True: f"__VERIFIER_nondet_{wide}", False: "__VERIFIER_nondet_uchar"}
        declared = [
            f"  {kinds[s]} v{k} = {f'{asked[s]}()' if value is None else value};"
            for k, (value, s) in enumerate(start)
        ]
        if self._bits == 32:
            free = [k for k, (value, _) in enumerate(start) if value is None]
            declared += [f"  if (v{k} < -{SMALL} || v{k} > {SMALL}) return 0;" for k in free]
        head = [
            "extern int __VERIFIER_nondet_int(void);",
            "extern signed char __VERIFIER_nondet_char(void);",
            "extern unsigned char __VERIFIER_nondet_uchar(void);",
            "extern _Bool __VERIFIER_nondet_bool(void);",
            "int main(void) {",
        ]
        return "\n".join([*head, *declared, *self._lines, "  return 0;", "}", ""])

    def _line(self, text: str) -> None:
        self._lines.append("  " * self._indent + text)

    def _loop(self, depth: int) -> None:
        condition, text = self._condition()
        head = len(self._nodes)
        self._nodes.append(Node("branch", condition, ()))
        self._line(f"while ({text}) {{")
        self._indent += 1
        for _ in range(self._random.choice((1, 2, 2, 3))):
            self._statement(depth)
        self._indent -= 1
        self._line("}")
        self._nodes.append(Node("branch", ((0,), "==", (0,)), (head, head)))
        self._nodes[head] = Node("branch", condition, (head + 1, len(self._nodes)))

    def _statement(self, depth: int) -> None:
        kind = self._random.random()
        if kind < 0.12 and depth > 1:
            self._loop(depth - 1)
        elif kind < 0.3:
            condition, text = self._condition()
            at = len(self._nodes)
            self._nodes.append(Node("branch", condition, ()))
            self._line(f"if ({text})")
            self._indent += 1
            self._set()
            self._indent -= 1
            self._nodes[at] = Node("branch", condition, (at + 1, len(self._nodes)))
        elif kind < 0.38:
            variable = self._random.randrange(self._count)
            self._nodes.append(Node("input", (variable,), (len(self._nodes) + 1,)))
            self._line(f"v{variable} = __VERIFIER_nondet_bool();")
        else:
            self._set()

    def _set(self) -> None:
        variable = self._random.randrange(self._count)
        step = self._random.choice((1, 1, 1, -1, -1, -1, 2, -2, 3, 0))
        summands = [(1, variable)]
        if self._random.random() < 0.3:
            other = self._random.randrange(self._count)
            summands = [(self._random.choice((1, 1, -1, 2)), other)]
        elif self._random.random() < 0.25:
            summands.append((self._random.choice((1, -1)), self._random.randrange(self._count)))
        self._nodes.append(Node("set", (variable, (*summands, step)), (len(self._nodes) + 1,)))
        self._line(f"v{variable} = {_written(summands, step)};")

    def _condition(self) -> tuple[tuple[object, ...], str]:
        variable = self._random.randrange(self._count)
        sign = self._random.choice(("<", "<", "<=", ">", ">", "!="))
        left = [(1, variable)]
        right: list[tuple[int, int]] = []
        number = self._random.choice((0, 0, 1, 5, 10, 40, 100))
        if self._count > 1 and self._random.random() < 0.45:
            right, number = [(1, self._random.randrange(self._count))], 0
        text = f"{_written(left, 0)} {sign} {_written(right, number)}"
        return ((*left, 0), sign, (*right, number)), text


def _written(summands: list[tuple[int, int]], constant: int) -> str:
    parts = [f"v{v}" if f == 1 else f"({f}) * v{v}" for f, v in summands]
    if constant or not parts:
        parts.append(str(constant) if constant >= 0 else f"({constant})")
    return " + ".join(parts)
