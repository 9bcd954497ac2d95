"""Which remainders the arguments of all facts have.

Granger: Static analysis of arithmetical congruences, International Journal of Computer Mathematics
30, 1989.  A class is a modulus and a remainder; the modulus 0 stands for one number, the modulus 1
for all.  Moduli only become divisors of what they were, so no widening is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts_below_negations
from seahorn_py.logic.terms.linear import Linear, linear
from seahorn_py.logic.terms.terms import INT, Term

ROUNDS, PASSES = 60, 3


@dataclass(frozen=True)
class Residues:
    """The numbers `remainder + k * modulus`."""

    modulus: int
    remainder: int

    def joined(self, other: Residues) -> Residues:
        """The least class that has both."""
        return residues(
            gcd(self.modulus, other.modulus, self.remainder - other.remainder), self.remainder
        )

    def plus(self, other: Residues) -> Residues:
        """The sums."""
        return residues(gcd(self.modulus, other.modulus), self.remainder + other.remainder)

    def times(self, factor: int) -> Residues:
        """The multiples."""
        return residues(self.modulus * abs(factor), self.remainder * factor)

    def met(self, other: Residues) -> Residues:
        """Both at once where one class has the other; otherwise the one that says more."""
        if self.modulus == 0 or (other.modulus and self.modulus % other.modulus == 0):
            return self
        if other.modulus == 0 or other.modulus % self.modulus == 0:
            return other
        return max(self, other, key=lambda one: one.modulus)


def residues(modulus: int, remainder: int) -> Residues:
    """The class, with its least remainder."""
    return Residues(modulus, remainder % modulus if modulus else remainder)


ANY = Residues(1, 0)

Facts = Mapping[str, tuple[Residues, ...]]
"""The classes of the parameters of each relation that has facts; no integer has `ANY`."""


def congruences(system: HornSystem) -> Facts:
    """The classes of all facts; a relation that is missing has none."""
    found: dict[str, tuple[Residues, ...]] = {}
    for _ in range(ROUNDS):
        new = _derived(system, found)
        if new == found:
            return found
        found = new
    return {name: tuple(ANY for _ in own.parameters) for name, own in system.relations.items()}


def _derived(system: HornSystem, facts: Facts) -> dict[str, tuple[Residues, ...]]:
    """What there is and what the rules derive from it."""
    found = dict(facts)
    for rule in system.rules:
        if isinstance(rule.head, Atom) and all(atom.relation in facts for atom in rule.body):
            known = _known(rule, facts)
            own = tuple(_of(argument, known) for argument in rule.head.arguments)
            old = found.get(rule.head.relation, own)
            found[rule.head.relation] = tuple(a.joined(b) for a, b in zip(old, own, strict=True))
    return found


def _known(rule: Rule, facts: Facts) -> Mapping[Term, Residues]:
    """The classes of the symbols of a rule."""
    known: dict[Term, Residues] = {}
    for atom in rule.body:
        for argument, own in zip(atom.arguments, facts[atom.relation], strict=True):
            if argument.is_symbol() and own != ANY:
                known[argument] = known.get(argument, ANY).met(own)
    parts = [*conjuncts_below_negations(rule.constraint)]
    for _ in range(PASSES):
        for part in parts:
            if part.is_equals() and terms.sort_of(part.arg(0)) is INT:
                _learn(part, known)
    return known


def _learn(equation: Term, known: dict[Term, Residues]) -> None:
    """Take what an equation says of symbols that it has with coefficient 1 or -1."""
    form = linear(terms.minus(equation.arg(0), equation.arg(1)))
    for unit, factor in form.coefficients.items():
        rest = form.plus(Linear({unit: factor}), -1).times(-factor)
        if abs(factor) == 1 and unit.is_symbol():
            known[unit] = known.get(unit, ANY).met(_of_form(rest, known))
        elif abs(factor) == 1 and not rest.coefficients and (period := _period(unit)):
            inner = unit.arg(0)
            if inner.is_symbol():
                own = residues(period, rest.constant)
                known[inner] = known.get(inner, ANY).met(own)


def _period(unit: Term) -> int:
    """The number by which a remainder is that of a division; 0 for other terms."""
    is_call = unit.is_function_application() and len(unit.args()) == 2
    if not is_call or unit.function_name().symbol_name() != "mod":
        return 0
    return abs(terms.number(unit.arg(1))) if unit.arg(1).is_int_constant() else 0


def _of(term: Term, known: Mapping[Term, Residues]) -> Residues:
    return _of_form(linear(term), known) if terms.sort_of(term) is INT else ANY


def _of_form(form: Linear, known: Mapping[Term, Residues]) -> Residues:
    found = Residues(0, form.constant)
    for unit, factor in form.coefficients.items():
        found = found.plus(_of_unit(unit, known).times(factor))
    return found


def _of_unit(unit: Term, known: Mapping[Term, Residues]) -> Residues:
    """The class of a term that is no sum: of a symbol, a remainder, or one of two terms."""
    if unit.is_ite():
        return _joined(_of(branch, known) for branch in unit.args()[1:])
    period = _period(unit)
    if not period:
        return known.get(unit, ANY)
    inner = _of(unit.arg(0), known)
    if inner.modulus % period == 0:
        return Residues(0, inner.remainder % period)
    return residues(gcd(inner.modulus, period), inner.remainder)


def _joined(classes: Iterable[Residues]) -> Residues:
    first, *others = classes
    for other in others:
        first = first.joined(other)
    return first
