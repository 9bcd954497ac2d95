"""A rule in z3: one incremental solver with its constraint, and constants for what its atoms hold.

The constants of an atom's arguments are its *ports*; a formula over the parameters of the relation
becomes one over the ports of the atom at a *place*: its position in the body, the length of the
body for the head.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import z3

from seahorn_py.horn.system import Relation, Rule, atoms
from seahorn_py.invariants.cells import Point
from seahorn_py.logic import terms
from seahorn_py.logic.smtlib import print_sort, print_term
from seahorn_py.logic.terms import Term


class NativeRule:
    """A rule, its solver and its ports."""

    def __init__(self, rule: Rule, relations: Mapping[str, Relation]) -> None:
        self.rule = rule
        self._context = z3.Context()
        self.true = z3.BoolVal(True, self._context)
        self.solver = z3.Solver(ctx=self._context)
        self._ports: list[dict[Term, str]] = []
        self._read: dict[tuple[int, Term], Any] = {}
        own = {s: f"v!{k}" for k, s in enumerate(_symbols(rule))}
        self._declared = [_declaration(s, name) for s, name in own.items()]
        text = [f"(assert {print_term(rule.constraint, own)})"]
        for place, atom in enumerate(atoms(rule)):
            symbols = relations[atom.relation].symbols
            ports = {s: f"a!{place}!{k}" for k, s in enumerate(symbols)}
            self._ports.append(ports)
            self._declared += [_declaration(s, name) for s, name in ports.items()]
            for symbol, argument in zip(symbols, atom.arguments, strict=True):
                text.append(f"(assert (= {ports[symbol]} {print_term(argument, own)}))")
        script = "\n".join([*self._declared, *text])
        self.solver.add(z3.parse_smt2_string(script, ctx=self._context))

    def native(self, place: int, formula: Term) -> Any:
        """A formula over the parameters of the atom at a place; each is converted once."""
        key = (place, formula)
        if key not in self._read:
            ports = self._ports[place]
            used = [_declaration(s, ports[s]) for s in terms.free_symbols(formula)]
            script = "\n".join([*used, f"(assert {print_term(formula, ports)})"])
            found = z3.parse_smt2_string(script, ctx=self._context)
            self._read[key] = z3.And(self.true, *found)
        return self._read[key]

    def check(self, until: float, seconds: float, *assumptions: Any) -> Any:
        """What z3 says in the time given."""
        left = min(seconds, until - time.monotonic())
        self.solver.set("timeout", max(1, int(left * 1000)))
        return self.solver.check(*assumptions)

    def point(self, place: int) -> Point:
        """The state of an atom in the model found; 0 for what is no number and no truth value."""
        model = self.solver.model()
        values = []
        for symbol, name in self._ports[place].items():
            sort = _native_sort(symbol, self._context)
            known = sort is not None
            constant = z3.Const(name, sort) if known else None
            values.append(_value(model.eval(constant, model_completion=True)) if known else 0)
        return tuple(values)

    def label(self, number: int) -> Any:
        """A Boolean constant."""
        return z3.Bool(f"label!{number}", self._context)


def _symbols(rule: Rule) -> list[Term]:
    parts = [rule.constraint, *(a for atom in atoms(rule) for a in atom.arguments)]
    found = {symbol for part in parts for symbol in terms.free_symbols(part)}
    return sorted(found, key=lambda s: str(s.symbol_name()))


def _declaration(symbol: Term, name: str) -> str:
    return f"(declare-const {name} {print_sort(symbol.symbol_type())})"


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
