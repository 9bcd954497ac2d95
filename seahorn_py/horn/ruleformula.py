"""A rule as one formula over its symbols and the ports of its atoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from seahorn_py.horn.system import Relation, Rule, atoms, symbols_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import print_term


class RuleFormula:
    """A rule as one formula over its symbols and *ports*, fresh symbols for its atoms' arguments.

    `ports[k]` are those of the k-th atom; that of the head comes last.
    """

    def __init__(self, rule: Rule, relations: Mapping[str, Relation]) -> None:
        self.rule = rule
        self.symbols = symbols_of(rule)
        self.ports: list[tuple[Term, ...]] = []
        equal: list[Term] = []
        for atom in atoms(rule):
            own = tuple(terms.fresh_like(s) for s in relations[atom.relation].symbols)
            self.ports.append(own)
            equal += map(terms.eq, own, atom.arguments)
        self.parts = (rule.constraint, *equal)
        self.formula = terms.and_(self.parts)

    def names(self, step: int, premises: Sequence[int]) -> dict[Term, str]:
        """Names for an instance: a fact has those of the step that derives it."""
        names = {s: f"s!{step}!{k}" for k, s in enumerate(self.symbols)}
        for source, own in zip((*premises, step), self.ports, strict=False):
            names |= {port: f"f!{source}!{k}" for k, port in enumerate(own)}
        return names

    def text(self, names: Mapping[Term, str]) -> str:
        """The formula of an instance in SMT-LIB; the rule is printed once."""
        written, general = self._written
        bound = " ".join(f"({name} {names[symbol]})" for symbol, name in general.items())
        return f"(let ({bound}) {written})" if bound else written

    @cached_property
    def _written(self) -> tuple[str, Mapping[Term, str]]:
        every = [*self.symbols, *(port for own in self.ports for port in own)]
        general = {symbol: f"c!{k}" for k, symbol in enumerate(every)}
        return print_term(self.formula, general), general
