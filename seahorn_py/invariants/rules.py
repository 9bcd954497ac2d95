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


class Formulas:
    """Formulas over parameters as z3 reads them; each is read once, whatever rules use it."""

    def __init__(self) -> None:
        self.context = z3.Context()
        self._read: dict[Term, tuple[Any, list[tuple[Term, Any]]]] = {}

    def at(self, formula: Term, ports: Mapping[Term, Any]) -> Any:
        """A formula with constants for its symbols."""
        if formula not in self._read:
            symbols = list(terms.free_symbols(formula))
            names = {s: f"p!{k}" for k, s in enumerate(symbols)}
            text = [_declaration(s, name) for s, name in names.items()]
            text.append(f"(assert {print_term(formula, names)})")
            found = z3.parse_smt2_string("\n".join(text), ctx=self.context)
            read = found[0] if len(found) == 1 else z3.And(self.true, *found)
            constants = [(s, self.constant(s, names[s])) for s in symbols]
            self._read[formula] = read, constants
        read, constants = self._read[formula]
        return z3.substitute(read, *((c, ports[s]) for s, c in constants)) if constants else read

    @property
    def true(self) -> Any:
        """The formula that always holds."""
        return z3.BoolVal(True, self.context)

    def constant(self, symbol: Term, name: str) -> Any:
        """The constant of a name, of the sort of a symbol."""
        text = f"{_declaration(symbol, name)}(assert (= {name} {name}))"
        return z3.parse_smt2_string(text, ctx=self.context)[0].arg(0)


class NativeRule:
    """A rule, its solver and its ports."""

    def __init__(self, rule: Rule, relations: Mapping[str, Relation], formulas: Formulas) -> None:
        self.rule = rule
        self._formulas = formulas
        self.true = formulas.true
        self.solver = z3.Solver(ctx=formulas.context)
        self._ports: list[dict[Term, Any]] = []
        self._read: dict[tuple[int, Term], Any] = {}
        own = {s: f"v!{k}" for k, s in enumerate(_symbols(rule))}
        declared = [_declaration(s, name) for s, name in own.items()]
        text = [f"(assert {print_term(rule.constraint, own)})"]
        for place, atom in enumerate(atoms(rule)):
            symbols = relations[atom.relation].symbols
            names = {s: f"a!{place}!{k}" for k, s in enumerate(symbols)}
            self._ports.append({s: formulas.constant(s, name) for s, name in names.items()})
            declared += [_declaration(s, name) for s, name in names.items()]
            for symbol, argument in zip(symbols, atom.arguments, strict=True):
                text.append(f"(assert (= {names[symbol]} {print_term(argument, own)}))")
        script = "\n".join([*declared, *text])
        self.solver.add(z3.parse_smt2_string(script, ctx=formulas.context))

    def native(self, place: int, formula: Term) -> Any:
        """A formula over the parameters of the atom at a place."""
        key = (place, formula)
        if key not in self._read:
            self._read[key] = self._formulas.at(formula, self._ports[place])
        return self._read[key]

    def check(self, until: float, seconds: float, *assumptions: Any) -> Any:
        """What z3 says in the time given."""
        left = min(seconds, until - time.monotonic())
        self.solver.set("timeout", max(1, int(left * 1000)))
        return self.solver.check(*assumptions)

    def point(self, place: int) -> Point:
        """The state of an atom in the model found; 0 for what is no number and no truth value."""
        model = self.solver.model()
        return tuple(
            _value(model.eval(port, model_completion=True)) for port in self._ports[place].values()
        )

    def label(self, number: int) -> Any:
        """A Boolean constant."""
        return z3.Bool(f"label!{number}", self._formulas.context)


def _symbols(rule: Rule) -> list[Term]:
    parts = [rule.constraint, *(a for atom in atoms(rule) for a in atom.arguments)]
    found = {symbol for part in parts for symbol in terms.free_symbols(part)}
    return sorted(found, key=lambda s: str(s.symbol_name()))


def _declaration(symbol: Term, name: str) -> str:
    return f"(declare-const {name} {print_sort(symbol.symbol_type())})"


def _value(value: Any) -> bool | int:
    if z3.is_int_value(value) or z3.is_bv_value(value):
        return int(value.as_long())
    return bool(z3.is_true(value))
