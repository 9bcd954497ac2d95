"""How the cells of an array are numbered: cell `k` lies at `base + stride * k`.

Compiled programs address memory in bytes: element `i` of an array of 4-byte integers lies at `1000
+ 4 i`, or at `p + 4 i` for a block on the heap.  Invariants that hold of every cell need
divisibility in terms of addresses and none in terms of `i`; and cells of two arrays correspond by
`i`, not by address.  So for each array parameter of a relation the common shape of its accesses is
found.  Any numbering is sound: it only names the cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import gcd

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Relation, Rule, atoms
from seahorn_py.horn.transform.cells.arrayflow import ArrayFlow, Classes, array_flow, rule_nodes
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.linear import Forms, Linear, number_form
from seahorn_py.logic.terms.terms import Term

Position = tuple[str, int]
"""A relation and the number of one of its parameters."""


@dataclass(frozen=True)
class Numbering:
    """Cell `k` lies at `base + stride * k`; `base` is over the symbols of the relation."""

    base: Linear
    stride: int = 1

    def address(self, cell: Linear) -> Linear:
        """Where a cell lies."""
        return self.base.plus(cell, self.stride)

    def at(self, values: Mapping[Term, Linear]) -> Numbering:
        """The numbering of an atom whose arguments are `values`."""
        return Numbering(self.base.at(values), self.stride)


PLAIN = Numbering(number_form(0))
"""The numbering in which a cell's number is its index."""


@dataclass(frozen=True)
class _Use:
    """An index at which the array of some positions, all in one rule, is accessed."""

    form: Linear
    position: Position
    arguments: Mapping[int, Linear]


def numberings(system: HornSystem) -> Mapping[Position, Numbering]:
    """A numbering for every array parameter of the system."""
    flows = {rule.name: array_flow(rule_nodes(rule)) for rule in system.rules}
    links = [link for rule in system.rules for link in _links(rule, flows[rule.name])]
    classes: Classes[Position] = Classes()
    for link in links:
        for _, position in link[1:]:
            classes.join(position, link[0][1])
    uses = [use for rule in system.rules for use in _uses(system, rule, flows[rule.name])]
    bases = _bases(system, uses, links)
    shapes = _shapes(uses, bases, classes)
    found = {}
    for relation in system.relations.values():
        for number, parameter in enumerate(relation.parameters):
            if parameter.sort.is_array_type():
                position = (relation.name, number)
                offset, stride = shapes.get(classes.find(position), (0, 1))
                found[position] = Numbering(
                    _base(relation, bases.get(position, ()), offset), stride
                )
    return found


def _base(relation: Relation, units: Iterable[int], offset: int) -> Linear:
    return Linear({relation.symbols[unit]: 1 for unit in sorted(units)}, offset)


_Link = list[tuple[Atom, Position]]


def _links(rule: Rule, flow: ArrayFlow) -> Iterator[_Link]:
    """The array positions of a rule, those of related arrays together."""
    together: dict[Term, _Link] = {}
    for atom in atoms(rule):
        for number, argument in enumerate(atom.arguments):
            if terms.sort_of(argument).is_array_type() and not argument.is_array_value():
                link = together.setdefault(flow.classes.find(argument), [])
                link.append((atom, (atom.relation, number)))
    yield from together.values()


def _uses(system: HornSystem, rule: Rule, flow: ArrayFlow) -> Iterator[_Use]:
    together: dict[Term, list[Linear]] = {}
    forms = Forms([rule.constraint])
    for access in flow.accesses:
        if terms.sort_of(access.index) is terms.INT:
            root = flow.classes.find(access.array)
            together.setdefault(root, []).append(forms.of(access.index))
    for link in _links(rule, flow):
        atom, position = link[0]
        arguments = {
            n: forms.of(a) for n, a in enumerate(atom.arguments) if terms.sort_of(a) is terms.INT
        }
        for form in together.get(flow.classes.find(atom.arguments[position[1]]), ()):
            yield _Use(form, position, arguments)


# ------------------------------------------------------------------------- the symbolic part


def _bases(
    system: HornSystem, uses: Iterable[_Use], links: Iterable[_Link]
) -> Mapping[Position, frozenset[int]]:
    """The parameters that every access of a position adds once and no loop changes."""
    steady = {relation.name: _steady(system, relation) for relation in system.relations.values()}
    bases: dict[Position, frozenset[int]] = {}
    for use in uses:
        own = frozenset(
            number for number in steady[use.position[0]] if _adds(use.form, use.arguments[number])
        )
        bases[use.position] = bases.get(use.position, own) & own
    _spread(bases, list(links))
    return bases


def _adds(form: Linear, argument: Linear) -> bool:
    """Whether the argument is a summand; a number may be one of every form."""
    parts = argument.coefficients.items()
    return all(form.coefficients.get(unit) == coefficient for unit, coefficient in parts)


def _steady(system: HornSystem, relation: Relation) -> frozenset[int]:
    """The integer parameters that no rule from the relation to itself changes."""
    steady = {n for n, p in enumerate(relation.parameters) if p.sort is terms.INT}
    for rule in system.rules:
        if not isinstance(rule.head, Atom) or rule.head.relation != relation.name:
            continue
        for atom in rule.body:
            if atom.relation == relation.name:
                steady = {n for n in steady if atom.arguments[n] is rule.head.arguments[n]}
    return frozenset(steady)


def _spread(bases: dict[Position, frozenset[int]], links: list[_Link]) -> None:
    """Carry bases to the positions without accesses, along the rules."""
    changed = True
    while changed:
        changed = False
        for link in links:
            known = next(((a, p) for a, p in link if p in bases), None)
            for atom, position in link if known is not None else ():
                if position not in bases and known is not None:
                    units = {known[0].arguments[n] for n in bases[known[1]]}
                    bases[position] = _numbers(atom, units)
                    changed = True


def _numbers(atom: Atom, units: Iterable[Term]) -> frozenset[int]:
    """The first position of each unit among the arguments."""
    return frozenset(atom.arguments.index(unit) for unit in units if unit in atom.arguments)


# -------------------------------------------------------------------------- the numeric part


def _shapes(
    uses: Iterable[_Use], bases: Mapping[Position, frozenset[int]], classes: Classes[Position]
) -> Mapping[Position, tuple[int, int]]:
    """For each class of positions the most frequent offset, and the stride of all accesses."""
    rests: dict[Position, list[Linear]] = {}
    for use in uses:
        rest = use.form
        for number in bases[use.position]:
            rest = rest.plus(use.arguments[number], -1)
        rests.setdefault(classes.find(use.position), []).append(rest)
    return {root: shape(forms) for root, forms in rests.items()}


def shape(forms: Sequence[Linear]) -> tuple[int, int]:
    """Offset and stride of accesses.

    The offset is that of the simplest accesses: of `a[i]` rather than of `a[n - 1 - i]`.
    """
    fewest = min(len(form.coefficients) for form in forms)
    counts = Counter(form.constant for form in forms if len(form.coefficients) == fewest)
    offset = max(counts, key=lambda constant: (counts[constant], -constant))
    strides = [c for form in forms for c in form.coefficients.values()]
    stride = gcd(*strides, *(form.constant - offset for form in forms))
    return offset, stride or 1
