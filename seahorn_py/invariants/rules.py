"""A rule in a solver: its constraint, and constants for what its atoms hold.

The constants are those of the *ports* of `horn.ruleformula`; a formula over the parameters of the
relation becomes one over the ports of the atom at a *position*: its index in the body, or the
length of the body for the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from seahorn_py.horn.ruleformula import RuleFormula
from seahorn_py.horn.system import Relation, Rule, atoms
from seahorn_py.invariants.features import Point
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms.terms import Term


class NativeRule:
    """A rule, its solver and its ports."""

    def __init__(self, rule: Rule, relations: Mapping[str, Relation], solvers: Solvers) -> None:
        self.rule = rule
        self.solver = solvers.backend()
        self._ports: list[dict[Term, str]] = []
        self._read: dict[tuple[int, Term], Native] = {}
        formula = RuleFormula(rule, relations)
        names = {s: f"v!{k}" for k, s in enumerate(formula.symbols)}
        for position, (atom, ports) in enumerate(zip(atoms(rule), formula.ports, strict=True)):
            own = {port: f"a!{position}!{k}" for k, port in enumerate(ports)}
            names |= own
            symbols = relations[atom.relation].symbols
            self._ports.append(dict(zip(symbols, own.values(), strict=True)))
        self.solver.declare(names)
        self.solver.add(self.solver.formula(formula.formula, names))

    def native(self, position: int, formula: Term) -> Native:
        """A formula over the parameters of the atom at a position."""
        key = (position, formula)
        if key not in self._read:
            self._read[key] = self.solver.formula(formula, self._ports[position])
        return self._read[key]

    def check(self, until: float, seconds: float, assumptions: Sequence[Native] = ()) -> Status:
        """What the solver says in the time given."""
        return self.solver.check(assumptions, until, seconds)

    def point(self, position: int) -> Point:
        """The state of an atom that was found; 0 for what is no number and no truth value."""
        return self.values(position, self._ports[position])

    def values(self, position: int, symbols: Iterable[Term]) -> Point:
        """What the assignment found says of some parameters of an atom."""
        ports = self._ports[position]
        return tuple(self.solver.value(ports[symbol], symbol) for symbol in symbols)
