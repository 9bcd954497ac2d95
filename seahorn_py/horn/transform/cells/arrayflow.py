"""Which arrays of a rule are versions of one another, and where they are accessed.

Two array terms are *related* when one is a store into the other, a branch of the other, or equated
with it: a fact about a cell of one may be needed to know a cell of the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import field
from typing import Generic, TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Rule, atoms
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.terms import Term

H = TypeVar("H", bound=Hashable)


@dataclass
class Classes(Generic[H]):
    """Union-find: disjoint classes with a representative each."""

    _parent: dict[H, H] = field(default_factory=dict)

    def find(self, item: H) -> H:
        """The representative of the item's class."""
        root = item
        while (above := self._parent.get(root, root)) != root:
            root = above
        while item != root:
            self._parent[item], item = root, self._parent.get(item, item)
        return root

    def join(self, one: H, other: H) -> None:
        """Make the classes of two items one."""
        self._parent[self.find(one)] = self.find(other)


@dataclass(frozen=True)
class Access:
    """`array` is read (`select`) or changed (`store`) at `index`."""

    array: Term
    index: Term
    is_read: bool


@dataclass(frozen=True)
class ArrayFlow:
    """Classes of related array terms, and the accesses in term order."""

    classes: Classes[Term]
    accesses: tuple[Access, ...]


def rule_nodes(rule: Rule) -> Iterator[Term]:
    """Every distinct node of the rule's terms, arguments first."""
    yield from all_nodes([*(a for atom in atoms(rule) for a in atom.arguments), rule.constraint])


def all_nodes(formulas: Iterable[Term]) -> Iterator[Term]:
    """Every distinct node of the terms, arguments first."""
    seen: set[int] = set()
    for term in formulas:
        for node in nodes(term):
            if id(node) not in seen:
                seen.add(id(node))
                yield node


def array_flow(terms_in_order: Iterable[Term]) -> ArrayFlow:
    """The flow of the arrays among nodes that come arguments first.

    A constant array is no version of any other: one term may be the start of many arrays.
    """
    classes: Classes[Term] = Classes()
    accesses: list[Access] = []
    for node in terms_in_order:
        if node.is_select() or node.is_store():
            accesses.append(Access(node.arg(0), node.arg(1), node.is_select()))
        for one, other in _versions(node):
            if not one.is_array_value() and not other.is_array_value():
                classes.join(one, other)
    return ArrayFlow(classes, tuple(accesses))


def _versions(node: Term) -> list[tuple[Term, Term]]:
    """The pairs of arrays that a term relates."""
    if node.is_store():
        return [(node, node.arg(0))]
    if node.is_equals() and terms.sort_of(node.arg(0)).is_array_type():
        return [(node.arg(0), node.arg(1))]
    if node.is_ite() and terms.sort_of(node).is_array_type():
        return [(node, node.arg(1)), (node, node.arg(2))]
    return []
