"""That no query is met, as a formula about states: the property that k-induction proves.

A rule for a query speaks of symbols of its own.  Those that its constraint defines are replaced by
their definitions; what is left is an input, and the property says something of all its values.
"""

from __future__ import annotations

from seahorn_py.engines.bmc.definitions import Definition, Schedule, candidates
from seahorn_py.horn.system import HornSystem, Model, Relation, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Term


def unreached(system: HornSystem) -> Model:
    """For each relation of a linear system the states from which no query is met."""
    found: dict[str, list[Term]] = {name: [] for name in system.relations}
    for rule in system.queries:
        for atom in rule.body:
            found[atom.relation].append(_avoids(rule, system.relations[atom.relation]))
    return Model({name: terms.and_(parts) for name, parts in found.items()})


def _avoids(rule: Rule, relation: Relation) -> Term:
    """The states of the only body atom that satisfy no instance of the rule."""
    parts = list(conjuncts(rule.constraint))
    values: dict[Term, Term] = {}
    for argument, symbol in zip(rule.body[0].arguments, relation.symbols, strict=True):
        if argument.is_symbol() and argument not in values:
            values[argument] = symbol
        else:
            parts.append(terms.eq(symbol, argument))
    _define(parts, values, frozenset(relation.symbols))
    met = folded(terms.and_(parts), values)
    inputs = terms.free_symbols(met) - set(relation.symbols)
    return terms.not_(terms.exists(terms.by_name(inputs), met))


def _define(conjuncts: list[Term], values: dict[Term, Term], own: frozenset[Term]) -> None:
    """Give the symbols that the conjuncts define their values."""
    known = dict.fromkeys((*values, *own), 0)
    schedule = Schedule(candidates(conjuncts, known), known)
    inputs = set().union(*(terms.free_symbols(c) for c in conjuncts)) - schedule.definable
    for symbol in inputs - known.keys():
        known[symbol] = 0
        schedule.know(symbol)
    while (definition := schedule.next()) is not None:
        values[definition.symbol] = terms.substitute(_value(definition), values)
        known[definition.symbol] = 0
        schedule.know(definition.symbol)


def _value(definition: Definition) -> Term:
    """The value of the case whose guard holds, of the last one where none does."""
    *cases, (_, value) = definition.cases
    for guard, other in reversed(cases):
        value = terms.ite(guard, other, value)
    return value
