"""Images of abstract values under a rule, point by point, by z3.

Reps, Sagiv, Yorsh: Symbolic implementation of the best transformer, VMCAI 2004.  Thakur, Reps:
Bilateral algorithms for symbolic abstraction, SAS 2012.  A model of `body and constraint and not
head` is a state that the image of the body has and the head has not yet.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import z3

from seahorn_py.horn.system import Atom, Relation, Rule
from seahorn_py.invariants.cells import Point, Region
from seahorn_py.logic import terms
from seahorn_py.logic.smtlib import print_sort, print_term
from seahorn_py.logic.terms import Term

QUESTION_SECONDS = 1.5
"""Time for one question; what is not answered is given up."""


class Undecided(Exception):
    """z3 does not know whether there is another state."""


class Image:
    """One rule: an incremental solver with its constraint, and constants for its atoms."""

    def __init__(
        self, rule: Rule, relations: Mapping[str, Relation], given: Mapping[str, Term]
    ) -> None:
        self.rule = rule
        self._context = z3.Context()
        self._solver = z3.Solver(ctx=self._context)
        self._ports: dict[int, dict[Term, str]] = {}
        self._declared: list[str] = []
        self._read: dict[tuple[int, Term], Any] = {}
        self._relations = relations
        own = {s: f"v!{k}" for k, s in enumerate(_symbols(rule))}
        text = [f"(assert {print_term(rule.constraint, own)})"]
        for place, atom in enumerate(_atoms(rule)):
            symbols = relations[atom.relation].symbols
            ports = {s: f"a!{place}!{k}" for k, s in enumerate(symbols)}
            self._ports[place] = ports
            for symbol, argument in zip(symbols, atom.arguments, strict=True):
                text.append(f"(assert (= {ports[symbol]} {print_term(argument, own)}))")
        names = {**own}
        declarations = [f"(declare-const {n} {_sort(s)})" for s, n in names.items()]
        for ports in self._ports.values():
            declarations += [f"(declare-const {n} {_sort(s)})" for s, n in ports.items()]
        self._declared = declarations
        script = "\n".join([*declarations, *text])
        self._solver.add(z3.parse_smt2_string(script, ctx=self._context))
        for place, atom in enumerate(rule.body):
            if atom.relation in given:
                self._solver.add(self._native(place, given[atom.relation]))

    def outside(self, regions: Mapping[str, Region], until: float) -> Point | None:
        """A state of the head's relation that it has not yet; None if there is none."""
        place = len(self.rule.body)
        assert isinstance(self.rule.head, Atom)
        self._solver.push()
        try:
            for position, atom in enumerate(self.rule.body):
                self._solver.add(self._region(position, regions[atom.relation]))
            self._solver.add(z3.Not(self._region(place, regions[self.rule.head.relation])))
            left = min(QUESTION_SECONDS, until - time.monotonic())
            self._solver.set("timeout", max(1, int(left * 1000)))
            found = self._solver.check()
            if found == z3.unsat:
                return None
            if found == z3.unknown:
                raise Undecided
            return self._point(place, self._solver.model())
        finally:
            self._solver.pop()

    def _point(self, place: int, model: Any) -> Point:
        values = []
        for symbol, name in self._ports[place].items():
            constant = z3.Const(name, _native_sort(symbol, self._context))
            values.append(_value(model.eval(constant, model_completion=True)))
        return tuple(values)

    def _region(self, place: int, region: Region) -> Any:
        parts = [
            z3.Implies(self._native(place, condition), z3.And(*held))
            for condition, conjuncts in region.parts()
            if (held := [self._native(place, c) for c in conjuncts])
        ]
        return z3.And(*parts) if parts else z3.BoolVal(True, self._context)

    def _native(self, place: int, formula: Term) -> Any:
        """A formula over the parameters of the atom at a place; each is converted once."""
        key = (place, formula)
        if key not in self._read:
            text = f"(assert {print_term(formula, self._ports[place])})"
            script = "\n".join([*self._declared, text])
            self._read[key] = z3.And(*z3.parse_smt2_string(script, ctx=self._context))
        return self._read[key]


def _atoms(rule: Rule) -> tuple[Atom, ...]:
    return (*rule.body, rule.head) if isinstance(rule.head, Atom) else rule.body


def _symbols(rule: Rule) -> list[Term]:
    parts = [rule.constraint, *(a for atom in _atoms(rule) for a in atom.arguments)]
    found = {symbol for part in parts for symbol in terms.free_symbols(part)}
    return sorted(found, key=lambda s: str(s.symbol_name()))


def _sort(symbol: Term) -> str:
    return print_sort(symbol.symbol_type())


def _native_sort(symbol: Term, context: Any) -> Any:
    sort = terms.sort_of(symbol)
    if sort is terms.INT:
        return z3.IntSort(context)
    if sort is terms.BOOL:
        return z3.BoolSort(context)
    if sort.is_bv_type():
        return z3.BitVecSort(sort.width, context)
    return None


def _value(value: Any) -> Any:
    if z3.is_true(value) or z3.is_false(value):
        return bool(z3.is_true(value))
    return int(value.as_long())
