"""Functions in a Horn system, where it has the shape that programs give it.

`f.entry` has the contexts of `f`, whose parameters come first in all relations `f.L`; `f.exit` has
its summaries.  First premises and heads stay in one function, but for heads `g.entry`; other
premises are exits of functions whose entries are derived from the premises before them.

Where the system has this shape, the predicates of `f.entry` hold of all relations of `f` too: an
abstract state then is a path edge of Bebop.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.predicates import literal, predicate
from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

ENTRY = ".entry"
EXIT = ".exit"


class Shape:
    """The functions; `regular` says whether the system has the shape of a program."""

    def __init__(self, system: HornSystem) -> None:
        self._relations = system.relations
        entries = {n for n in system.relations if n.endswith(ENTRY)}
        self.functions = tuple(n.removesuffix(ENTRY) for n in system.relations if n in entries)
        self._calls = {
            (*_premises(rule), rule.head.relation.removesuffix(ENTRY) + EXIT)
            for rule in system.rules
            if isinstance(rule.head, Atom) and rule.head.relation in entries
        }
        self.regular = bool(self.functions) and (
            all(self.function(name) in self.functions for name in system.relations)
            and all(self._extends(name) for name in system.relations)
            and all(self._is_regular(rule) for rule in system.rules)
        )

    def function(self, relation: str) -> str:
        """The function that a relation belongs to, by its name; "" where there is none."""
        name = relation
        while "." in name:
            name = name.rpartition(".")[0]
            if name + ENTRY in self._relations:
                return name
        return ""

    def with_entries(self, precision: Precision) -> Precision:
        """The predicates in normal form, those of contexts at all relations of their functions."""
        normal = Precision().plus((name, _normal(p)) for name, p in precision.pairs)
        return normal.plus(self._copies(normal)) if self.regular else normal

    def _copies(self, precision: Precision) -> Iterator[tuple[str, Term]]:
        for name, relation in self._relations.items():
            entry = self._relations[self.function(name) + ENTRY]
            first = dict(zip(entry.symbols, relation.symbols, strict=False))
            for known in precision.of(entry.name) if name != entry.name else ():
                yield name, _normal(terms.substitute(known, first))

    def _extends(self, name: str) -> bool:
        entry = self._relations[self.function(name) + ENTRY].parameters
        own = self._relations[name].parameters[: len(entry)]
        return [p.sort for p in own] == [p.sort for p in entry]

    def _is_regular(self, rule: Rule) -> bool:
        body = _premises(rule)
        if not body:
            return isinstance(rule.head, Atom) and rule.head.relation.endswith(ENTRY)
        called = all(body[: k + 1] in self._calls for k in range(1, len(body)))
        if not isinstance(rule.head, Atom) or rule.head.relation.endswith(ENTRY):
            return called
        return called and self.function(rule.head.relation) == self.function(body[0])


def _normal(formula: Term) -> Term:
    return predicate(literal(formula))


def _premises(rule: Rule) -> tuple[str, ...]:
    return tuple(atom.relation for atom in rule.body)
