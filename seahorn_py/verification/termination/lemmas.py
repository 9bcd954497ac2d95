"""Invariants of one program carried over to another one that has the same registers."""

from __future__ import annotations

from dataclasses import dataclass

from seahorn_py.encode.encoding import Cut, CutKind, Encoding
from seahorn_py.horn.system import Model
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import free_symbols, substitute
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True)
class Lemmas:
    """A model of the system of an encoding."""

    encoding: Encoding
    model: Model

    def carried(self, to: Encoding) -> Model:
        """What the model says of shared registers, at the cut points of another encoding.

        It is a guess there, which others must prove.
        """
        here = {_key(cut): name for name, cut in self.encoding.cuts.items()}
        found = {}
        for name, cut in to.cuts.items():
            mine = here.get(_key(cut))
            formula = self.model.interpretations.get(mine or "")
            if mine is not None and formula is not None:
                found[name] = _renamed(formula, self._names(mine, to, name))
        return Model(found)

    def _names(self, mine: str, to: Encoding, name: str) -> dict[Term, Term]:
        """Symbol of a relation here -> symbol there, for registers of one name and sort."""
        there = dict(_held(to, name))
        return {
            symbol: there[register]
            for register, symbol in _held(self.encoding, mine)
            if register in there and terms.sort_of(symbol) is terms.sort_of(there[register])
        }


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
