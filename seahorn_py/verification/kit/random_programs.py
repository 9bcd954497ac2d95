"""Small C programs drawn at random, for passes to be run on."""

from __future__ import annotations

import random
from collections.abc import Iterator

_TYPES = ("int", "unsigned char", "short", "unsigned")
_BINARY = ("+", "-", "*", "&", "|", "^")
_COMPARISON = ("<", "<=", "==", "!=", ">")


def program(seed: int) -> str:
    """The text of a program with inputs, loops, calls, an array and checks; always the same."""
    return "\n".join(_Writer(random.Random(seed)).lines())


class _Writer:
    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._names = ["a", "b", "c"]

    def lines(self) -> Iterator[str]:
        yield "extern int __VERIFIER_nondet_int(void);"
        yield "void reach_error(void) {}"
        yield f"static int twice(int x, int y) {{ return {self._sum('x', 'y')}; }}"
        yield "int main(void) {"
        yield "  unsigned char cells[8] = {1, 2, 3};"
        for name in self._names:
            yield f"  {self._draw.choice(_TYPES)} {name} = __VERIFIER_nondet_int();"
        for _ in range(self._draw.randint(2, 4)):
            yield from self._statement()
        yield "}"

    def _statement(self) -> Iterator[str]:
        target = self._draw.choice(self._names)
        match self._draw.randrange(5):
            case 0:
                yield f"  {target} = {self._value()};"
            case 1:
                yield f"  for (int k = 0; k < {self._draw.randint(1, 9)}; k++) {target} += k;"
            case 2:
                yield f"  cells[{self._index()}] = {target};"
            case 3:
                yield f"  if ({self._condition()}) {target} = cells[{self._index()}];"
            case _:
                yield f"  {target} = twice({self._value()} & 255, {self._value()} & 255);"
        if self._draw.random() < 0.7:
            yield f"  if ({self._condition()} && {self._condition()}) reach_error();"

    def _sum(self, left: str, right: str) -> str:
        return f"(unsigned)({left}) {self._draw.choice(_BINARY)} (unsigned)({right})"

    def _value(self) -> str:
        return f"({self._sum(self._atom(), self._atom())})"

    def _atom(self) -> str:
        return str(self._draw.choice([*self._names, str(self._draw.randint(-3, 300))]))

    def _index(self) -> str:
        return f"{self._draw.choice(self._names)} & 7"

    def _condition(self) -> str:
        return f"{self._value()} {self._draw.choice(_COMPARISON)} (unsigned){self._atom()}"
