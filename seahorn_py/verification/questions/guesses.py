"""Conditions and choices to try for parts of formulas of branching time, read off the C text.

They are guesses: what is right of them is found out by proofs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from pathlib import Path

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.lowering.events.vocabulary import is_value
from seahorn_py.frontend.temporal.formula import (
    FALSE,
    TRUE,
    Formula,
    Literal,
    Quantified,
    Release,
    negation,
    parts,
)

_NO_CODE = pattern(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#[^\n]*', re.DOTALL | re.MULTILINE
)
_BODY = pattern(r"\{[^{}]*\}")
_NAME = pattern(r"[A-Za-z_]\w*")
_COMPARED = pattern(r"\b([A-Za-z_]\w*) ?(==|!=|<=|>=|<|>) ?(-?\d+|[A-Za-z_]\w*)\b")
_ASSIGNED = pattern(r"\b([A-Za-z_]\w*) ?=(?!=) ?(-?\d+)\b")
_NUMBER = pattern(r"(?<![\w.])-?\d{1,9}(?![\w.])")
_CALLED = pattern(r"\b([A-Za-z_]\w*)\s*\(")
_MOST_CONDITIONS, _MOST_NUMBERS, _MOST_CHOICES = 12, 6, 20
_MOST_INPUTS = 3
"""So many inputs are chosen independently of each other."""


@dataclass(frozen=True)
class Guesses:
    """Comparisons of globals in a program, its numbers, and how many calls of inputs it has."""

    compared: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ("0", "1")
    inputs: int = 0

    def conditions(self, formula: Formula, part: Quantified) -> Iterator[Formula]:
        """Conditions for a part: of a part `E..`, which asks much, only what the formula says.

        What never goes with the part is left out.
        """
        path = part.path
        never = negation(path.right) if isinstance(path, Release) else FALSE
        return (one for one in self._conditions(formula, part) if one != never)

    def _conditions(self, formula: Formula, part: Quantified) -> Iterator[Formula]:
        yield TRUE
        inside = [one for one in parts(part) if isinstance(one, Literal)]
        literals = [one for one in parts(formula) if isinstance(one, Literal)]
        known = dict.fromkeys((*(one for one in literals if one not in inside), *inside))
        yield from (one for literal in known for one in (literal, negation(literal)))
        if part.is_universal:
            atoms = {literal.atom for literal in known}
            yield from (Literal(text) for text in self.compared if text not in atoms)

    def choices(self) -> Iterator[tuple[str, ...]]:
        """A number for each call of an input, or "" for any."""
        return islice(dict.fromkeys(self._choices()), _MOST_CHOICES)

    def _choices(self) -> Iterator[tuple[str, ...]]:
        count = max(1, self.inputs)
        values = self.numbers if self.inputs else ()
        yield from ((value,) * count for value in (*values[:2], "", *values[2:]))
        if 1 < self.inputs <= _MOST_INPUTS:
            yield from product(("", *self.numbers), repeat=count)


def guesses(texts: Iterable[str]) -> Guesses:
    """What the text of a program suggests."""
    plain = [" ".join(_NO_CODE.sub(" ", text).split()) for text in texts]
    shared = {name for text in plain for name in _NAME.findall(_outside(text))}
    return Guesses(
        tuple(islice(dict.fromkeys(_compared(plain, shared)), _MOST_CONDITIONS)),
        tuple(islice(dict.fromkeys(_numbers(plain)), _MOST_NUMBERS)),
        sum(is_value(name) for text in plain for name in _called(text)),
    )


def read_guesses(paths: Sequence[Path]) -> Guesses:
    """What the files of a program suggest; nothing where one cannot be read as text."""
    return guesses(path.read_text(encoding="utf-8", errors="replace") for path in paths)


def _outside(text: str) -> str:
    """The text outside of bodies."""
    while True:
        shorter = _BODY.sub(";", text)
        if shorter == text:
            return text
        text = shorter


def _called(text: str) -> Iterator[str]:
    """The functions that are called, each as often as it is."""
    outside = list(_CALLED.findall(_outside(text)))
    for name in _CALLED.findall(text):
        if name in outside:
            outside.remove(name)
        else:
            yield name


def _compared(texts: Sequence[str], shared: set[str]) -> Iterator[str]:
    """Comparisons of globals with numbers and with each other."""
    for text in texts:
        for left, sign, right in _COMPARED.findall(text):
            if left in shared and (right in shared or not _NAME.fullmatch(right)):
                yield f"{left} {sign} {right}"
        for left, right in _ASSIGNED.findall(text):
            if left in shared:
                yield f"{left} == {right}"


def _numbers(texts: Sequence[str]) -> Iterator[str]:
    """1 and 0, and numbers of the text, with those beside them."""
    yield from ("1", "0")
    found = [int(one) for text in texts for one in _NUMBER.findall(text)]
    yield from (str(value + beside) for beside in (0, 1, -1) for value in found)
