"""Rules put together: what derives a fact, what repeats, and what uses it become one rule.

Resolution of Horn clauses: a body atom is replaced by the body of a rule that derives it.  Between
the two there may be any number of iterations of the rules that lead from the relation to itself;
their closure is a formula over the values before and after them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, BlockMark, Extent, InputRead, Rule
from seahorn_py.horn.transform.transitions import equations
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Term

if TYPE_CHECKING:  # isl costs start-up time
    from seahorn_py.logic.presburger.presburger import Map


@dataclass(frozen=True)
class Closure:
    """Zero or more applications of `loops`, rules from a relation to itself.

    `formula` says which values `after` they may lead to from the values `before`.  `pairs` is the
    same as a relation where it is Presburger, `step` one application.  Unless it is `exact`, it
    holds of more.
    """

    loops: tuple[Rule, ...]
    before: tuple[Term, ...]
    after: tuple[Term, ...]
    formula: Term
    pairs: Map | None = None
    step: Map | None = None
    exact: bool = True

    def between(self, before: Sequence[Term], after: Sequence[Term]) -> Term:
        """The formula for other terms; what it quantifies gets fresh symbols."""
        values = dict(zip(self.before, before, strict=True))
        values |= zip(self.after, after, strict=True)
        local = terms.free_symbols(self.formula) - set(self.before) - set(self.after)
        values |= {symbol: terms.fresh_like(symbol) for symbol in local}
        return folded(self.formula, values)


@dataclass(frozen=True)
class Joint:
    """How a rule was put together.

    `definition` derives the fact with the arguments `derived` (terms of the rule); after the
    iterations of `closure` they are `used`, by the body atom `position` of `use`, or, if that is
    None, as the fact that the rule derives.
    """

    rule: Rule
    definition: Rule
    closure: Closure | None
    use: Rule | None
    position: int
    derived: tuple[Term, ...]
    used: tuple[Term, ...]


def closed(definition: Rule, closure: Closure) -> Joint:
    """A rule that derives the facts of a definition and all that iterations lead to from them."""
    assert isinstance(definition.head, Atom)
    after = tuple(terms.fresh_like(symbol) for symbol in closure.after)
    derived = definition.head.arguments
    constraint = terms.and_([definition.constraint, closure.between(derived, after)])
    head = replace(definition.head, arguments=after)
    rule = replace(definition, constraint=constraint, head=head)
    return Joint(rule, definition, closure, None, 0, derived, after)


def resolved(definition: Rule, closure: Closure | None, use: Rule, position: int) -> Joint:
    """A rule that uses at once what a definition derives, after any number of iterations."""
    first = renamed(definition)
    assert isinstance(first.head, Atom)
    derived, used = first.head.arguments, use.body[position].arguments
    if closure is None:
        constraint, values = matched(use, derived, used)
        use_, used = substituted(use, values), derived
        constraint = terms.and_([first.constraint, constraint, use_.constraint])
    else:
        use_ = use
        between = closure.between(derived, used)
        constraint = terms.and_([first.constraint, between, use.constraint])
    rule = replace(
        use_,
        name=f"{definition.name}; {use.name}",
        body=(*use_.body[:position], *first.body, *use_.body[position + 1 :]),
        constraint=constraint,
        inputs=(*first.inputs, *use_.inputs),
        blocks=(*first.blocks, *use_.blocks),
        origin=definition.origin,
    )
    return Joint(rule, definition, closure, use, position, derived, used)


def matched(
    use: Rule, derived: Sequence[Term], used: Sequence[Term]
) -> tuple[Term, dict[Term, Term]]:
    """The use's symbols that stand for what is derived, and equations for the rest."""
    reads = {read.symbol for read in use.inputs} | {mark.symbol for mark in use.blocks}
    values: dict[Term, Term] = {}
    left, right = [], []
    for value, argument in zip(derived, used, strict=True):
        if argument.is_symbol() and argument not in values and argument not in reads:
            values[argument] = value
        else:
            left.append(value)
            right.append(argument)
    return equations(left, [folded(r, values) for r in right]), values


def renamed(rule: Rule) -> Rule:
    """The rule with fresh symbols."""
    return substituted(rule, {symbol: terms.fresh_like(symbol) for symbol in symbols(rule)})


def symbols(rule: Rule) -> list[Term]:
    """The free symbols of a rule, in a fixed order."""
    found: set[Term] = set(terms.free_symbols(rule.constraint))
    atoms = [*rule.body, rule.head] if isinstance(rule.head, Atom) else rule.body
    for atom in atoms:
        for argument in atom.arguments:
            found |= terms.free_symbols(argument)
    found |= {read.symbol for read in rule.inputs} | {mark.symbol for mark in rule.blocks}
    for read in rule.inputs:
        for term in _terms_of(read):
            found |= terms.free_symbols(term)
    return terms.by_name(found)


def substituted(rule: Rule, values: Mapping[Term, Term]) -> Rule:
    """The rule at other terms; symbols of inputs and blocks may only become symbols."""

    def at(term: Term) -> Term:
        return folded(term, values)

    def atom(old: Atom) -> Atom:
        return replace(old, arguments=tuple(map(at, old.arguments)))

    def read(old: InputRead) -> InputRead:
        extent = old.extent and Extent(
            at(old.extent.address), at(old.extent.size), old.extent.element
        )
        return InputRead(at(old.symbol), old.site, at(old.guard), extent)

    return replace(
        rule,
        body=tuple(map(atom, rule.body)),
        constraint=at(rule.constraint),
        head=atom(rule.head) if isinstance(rule.head, Atom) else rule.head,
        inputs=tuple(map(read, rule.inputs)),
        blocks=tuple(BlockMark(at(b.symbol), b.function, b.label) for b in rule.blocks),
    )


def _terms_of(read: InputRead) -> list[Term]:
    extent = () if read.extent is None else (read.extent.address, read.extent.size)
    return [read.guard, *extent]
