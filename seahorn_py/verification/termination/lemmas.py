"""Invariants of one program carried over to another one that has the same registers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Cut, CutKind, Encoding
from seahorn_py.engines.termination.ranking import Polyhedron
from seahorn_py.horn.system import Model
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import free_symbols, substitute
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True)
class Between:
    """Of a cut point inside a loop: polyhedra over the registers of the head, and of its own."""

    at: str
    registers: tuple[str, ...]
    polyhedra: tuple[Polyhedron, ...]


@dataclass(frozen=True)
class Lemmas:
    """A model of the system of an encoding, and what relates values at two of its relations."""

    encoding: Encoding
    model: Model
    between: tuple[Between, ...] = ()

    def carried(self, to: Encoding) -> Model:
        """What the model says of shared registers, at the cut points of another encoding.

        It is a guess there, which others must prove.
        """
        here = {_key(cut): name for name, cut in self.encoding.cuts.items()}
        found = {}
        for name, cut in to.cuts.items():
            mine = here.get(_key(cut))
            if mine is not None:
                formula = self.model.interpretations.get(mine, terms.TRUE)
                said = _renamed(formula, self._names(mine, to, name))
                found[name] = terms.and_([said, *self._between(mine, dict(_held(to, name)))])
        return Model(found)

    def _between(self, at: str, there: dict[str, Term]) -> Iterator[Term]:
        """What relates values at the heads around to those at a relation here."""
        for one in self.between:
            if one.at == at:
                yield terms.or_(_said(p, one.registers, there) for p in one.polyhedra)

    def _names(self, mine: str, to: Encoding, name: str) -> dict[Term, Term]:
        """Symbol of a relation here -> symbol there, for registers of one name and sort."""
        there = dict(_held(to, name))
        return {
            symbol: there[register]
            for register, symbol in _held(self.encoding, mine)
            if register in there and terms.sort_of(symbol) is terms.sort_of(there[register])
        }


def _said(polyhedron: Polyhedron, names: Sequence[str], there: dict[str, Term]) -> Term:
    """The rows whose registers are all there."""
    parts = []
    for row in polyhedron:
        factors = [(f, n) for f, n in zip((*row.before, *row.after), names, strict=True) if f]
        if all(name in there for _, name in factors):
            scaled = [terms.times(terms.int_const(f), _number(there[name])) for f, name in factors]
            total = terms.plus(terms.int_const(row.constant), *scaled)
            zero = terms.int_const(0)
            parts.append(terms.eq(total, zero) if row.is_equation else terms.le(zero, total))
    return terms.and_(parts)


def _number(symbol: Term) -> Term:
    if terms.sort_of(symbol) is not terms.BOOL:
        return symbol
    return terms.ite(symbol, terms.int_const(1), terms.int_const(0))


def _key(cut: Cut) -> tuple[str, CutKind, str]:
    return cut.function, cut.kind, cut.label


def _held(encoding: Encoding, name: str) -> list[tuple[str, Term]]:
    """The names of the registers at a relation, each with its symbol."""
    registers = (register.name for register in encoding.cuts[name].registers)
    return list(zip(registers, encoding.system.relations[name].symbols, strict=True))


def _renamed(formula: Term, names: dict[Term, Term]) -> Term:
    """The renamed parts of a conjunction that have no symbols but those to rename."""
    kept = (part for part in conjuncts(formula) if free_symbols(part) <= names.keys())
    return terms.and_(substitute(part, names) for part in kept)
