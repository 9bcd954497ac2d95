"""The rules of a linear Horn system in z3: states of relations, and the states before a cube.

A cube is a conjunction of literals about the parameters of one relation.  A rule says of a cube of
its head what it says of the rule's own symbols, by substitution; so only the symbols that are not
those of the premise are ever projected away (Komuravelli, Gurfinkel, Chaki 2014).  A projection
that is not about the premise alone is replaced by one with values for what is left, and that by the
state of the values.  A cube that is not what it should be costs an answer, never a right one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import z3

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.cubes import (
    Assignment,
    Cube,
    Exchange,
    Formula,
    conjunction,
    copies,
    implicant,
    is_literal,
    projected,
    split,
)
from seahorn_py.logic.solvers.natives import declaration
from seahorn_py.logic.solvers.statespace import refusals
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_term


class Place:
    """A relation; its parameters are constants of z3."""

    def __init__(self, name: str, symbols: Sequence[Term], number: int) -> None:
        self.name = name
        self.names = {s: f"p{number}!{k}" for k, s in enumerate(symbols)}
        self.constants = _read(self.names, symbols)

    def formula(self, cube: Cube) -> Term:
        """A cube over the parameters; InputError where z3 has other terms in it than ours."""
        symbols = {name: symbol for symbol, name in self.names.items()}
        return terms.and_(parse_term(part.sexpr(), symbols, "z3") for part in cube)

    def state(self, values: Sequence[Formula]) -> Cube:
        """The state with these values alone."""
        pairs = zip(self.constants, values, strict=True)
        return in_bits(tuple(part for pair in pairs for part in split(pair[0] == pair[1])))


@dataclass(frozen=True)
class End:
    """The premise or the head of a rule."""

    place: Place
    arguments: Sequence[Term]


class Clause:
    """A rule of this name and number: from a fact, if it has a premise, to a fact or a query."""

    def __init__(
        self, name: str, constraint: Term, premise: End | None, head: End | None, number: int
    ) -> None:
        self.name = name
        self.premise = premise.place if premise else None
        self.head = head.place if head else None
        outer, equations = _premise(premise)
        arguments = head.arguments if head else ()
        wanted = [constraint, *arguments, *(argument for _, argument in equations)]
        inner = terms.by_name({s for t in wanted for s in terms.free_symbols(t)} - outer.keys())
        names = outer | {s: f"r{number}!{k}" for k, s in enumerate(inner)}
        self._symbols = list(names)
        self._constants = _read(names, self._symbols)
        self._hidden = self._constants[len(outer) :]
        fact, *rest = _read(names, wanted)
        self._arguments = rest[: len(arguments)]
        bound = zip((c for c, _ in equations), rest[len(arguments) :], strict=True)
        self.fact = conjunction([fact, *(constant == value for constant, value in bound)])
        self._goals = Exchange(self.head.constants if self.head else [], self._arguments)

    def goal(self, cube: Cube) -> list[Formula]:
        """The literals of a cube of the head, about the rule's symbols."""
        return [self._goals.of(literal) for literal in cube]

    def before(self, found: Assignment, cube: Cube) -> Cube:
        """States of the premise, that of the values among them, that lead into a cube."""
        assert self.premise
        whole = conjunction([self.fact, *self.goal(cube)])
        with refusals():
            for tried in (self._projected, self._instantiated):
                found_cube = tried(found, whole)
                if self._is_of_premise(found, found_cube):
                    return in_bits(found_cube)
        return self.premise.state([found.value(c) for c in self.premise.constants])

    def after(self, found: Assignment) -> list[Formula]:
        """The values of the head's parameters."""
        return [found.value(argument) for argument in self._arguments]

    def values(self, found: Assignment) -> dict[Term, Formula]:
        """What the rule's symbols are."""
        pairs = zip(self._symbols, self._constants, strict=True)
        return {symbol: found.value(constant) for symbol, constant in pairs}

    def _projected(self, found: Assignment, whole: Formula) -> Cube:
        cube = split(projected(found, whole, self._hidden))
        if all(map(is_literal, cube)):
            return cube
        return split(implicant(found, conjunction(cube)))

    def _instantiated(self, found: Assignment, whole: Formula) -> Cube:
        """With their values for the symbols that are to go."""
        values = [found.value(constant) for constant in self._hidden]
        fixed = Exchange(self._hidden, values).of(implicant(found, whole))
        return split(implicant(found, z3.simplify(fixed)))

    def _is_of_premise(self, found: Assignment, cube: Cube) -> bool:
        whole = conjunction(cube)
        if not all(map(is_literal, cube)) or not found.fulfils(whole):
            return False
        return bool(Exchange(self._hidden, copies(self._hidden, "other")).of(whole).eq(whole))


def in_bits(cube: Cube) -> Cube:
    """Equations between bit-vectors as one for each bit, so that some of them can be left out."""
    return tuple(bit for part in cube for bit in (_bits(part) if _equates_bits(part) else (part,)))


def _equates_bits(part: Formula) -> bool:
    return z3.is_eq(part) and z3.is_bv(part.arg(0))


def _bits(equation: Formula) -> Cube:
    left, right = equation.children()
    width = z3.Z3_get_bv_sort_size(z3.main_ctx().ref(), left.sort().as_ast())
    bits = (z3.Extract(k, k, left) == z3.Extract(k, k, right) for k in range(width))
    return tuple(one for bit in bits for one in split(z3.simplify(bit)))


def _premise(premise: End | None) -> tuple[dict[Term, str], list[tuple[Formula, Term]]]:
    """Symbols that are parameters of the premise, and what the other parameters are equal to."""
    outer: dict[Term, str] = {}
    equations: list[tuple[Formula, Term]] = []
    if premise is None:
        return outer, equations
    place = premise.place
    named = zip(premise.arguments, place.names.values(), place.constants, strict=True)
    for argument, name, constant in named:
        if argument.is_symbol() and argument not in outer:
            outer[argument] = name
        else:
            equations.append((constant, argument))
    return outer, equations


def _read(names: Mapping[Term, str], wanted: Sequence[Term]) -> list[Formula]:
    """Terms as z3 has them."""
    free = terms.by_name({s for term in wanted for s in terms.free_symbols(term)})
    lines = [declaration(symbol, names[symbol]) for symbol in free]
    texts = (print_term(term, names) for term in wanted)
    lines += (f"(assert (= {text} {text}))" for text in texts)
    return [equal.arg(0) for equal in z3.parse_smt2_string("\n".join(lines))]
