"""Disjunctive interpolants: solutions of Horn systems without recursion, by interpolants of a tree.

Rummer, Hojjat, Kuncak: Disjunctive interpolants for Horn-clause verification, CAV 2013.

A relation may have several clauses, and several clauses may use it.  Step of the paper -> code:

    a copy of a relation for each use, so that uses form a tree       `_Unfolding.copy`
    a formula for each copy, interpolants of the tree                 `solution`
    what is said of a relation is what is said of all of its copies   `solution`

A derivation applies one clause of a copy, so that the clauses share the copies below.  Whether a
copy is part of the derivation at all is a Boolean of it, `used`, which is shared with the clauses
above like the arguments:

    used(p)  ->  for one of the clauses of p, its formula holds and all that it uses is used

What is below a copy that is not used can be satisfied by leaving that unused, too; so an
interpolant says nothing where `used` is false, and its instance with `used` is the solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from seahorn_py.base.errors import InternalError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.interpolation.interpolation import (
    Backend,
    Interpolants,
    NotFound,
    Satisfiable,
    tree,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import TRUE, Term
from seahorn_py.processes.deadline import Deadline

MOST_COPIES = 200
"""The most nodes of a tree; their number may grow exponentially with that of the relations."""


@dataclass(frozen=True)
class Clause:
    """`formula` and the facts of `body`, each a relation with its arguments, give `head`.

    Arguments are symbols, pairwise different; all symbols are quantified.
    """

    formula: Term
    body: tuple[tuple[int, tuple[Term, ...]], ...]
    head: tuple[Term, ...]


@dataclass(frozen=True)
class RecursionFree:
    """The clauses of each relation; they use earlier ones only, and the last is to be empty.

    `parameters` are the symbols over which what is said of a relation is wanted; the last relation
    has none.
    """

    parameters: tuple[tuple[Term, ...], ...]
    clauses: tuple[tuple[Clause, ...], ...]

    def __post_init__(self) -> None:
        if len(self.parameters) != len(self.clauses) or not self.clauses or self.parameters[-1]:
            raise InternalError("relations and their clauses do not fit, or the last has arguments")
        for number, own in enumerate(self.clauses):
            if any(used >= number for clause in own for used, _ in clause.body):
                raise InternalError("a clause uses no earlier relation")


@dataclass(frozen=True)
class _Copy:
    """A node of the tree: a relation, whether it is part of the derivation, and its arguments."""

    relation: int
    used: Term
    arguments: tuple[Term, ...]


class TooLarge(Exception):
    """A tree would have too many nodes."""


@dataclass
class _Unfolding:
    """The tree so far, children before parents; `above` are the parents."""

    system: RecursionFree
    copies: list[_Copy] = field(default_factory=list)
    formulas: list[Term] = field(default_factory=list)
    above: dict[int, int] = field(default_factory=dict)
    begun: int = 0

    def copy(self, relation: int) -> int:
        """A copy of a relation with all that it needs; its position."""
        self.begun += 1
        if self.begun > MOST_COPIES:
            raise TooLarge
        below = {use: self.copy(use[0]) for use in self._uses(relation)}
        arguments = tuple(terms.fresh_like(s) for s in self.system.parameters[relation])
        used = terms.fresh_like(terms.variable("used", terms.BOOL))
        clauses = self.system.clauses[relation]
        applied = [self._applied(clause, arguments, below) for clause in clauses]
        self.copies.append(_Copy(relation, used, arguments))
        self.formulas.append(terms.implies(used, terms.or_(applied)))
        position = len(self.copies) - 1
        self.above |= dict.fromkeys(below.values(), position)
        return position

    def _uses(self, relation: int) -> dict[tuple[int, int], None]:
        """The relations that its clauses use, each with how often one of them did before."""
        return {use: None for c in self.system.clauses[relation] for use, _ in _numbered(c)}

    def _applied(
        self, clause: Clause, head: Sequence[Term], below: Mapping[tuple[int, int], int]
    ) -> Term:
        values = dict(zip(clause.head, head, strict=True))
        used = []
        for use, arguments in _numbered(clause):
            copy = self.copies[below[use]]
            used.append(copy.used)
            values |= zip(arguments, copy.arguments, strict=True)
        local = terms.free_symbols(clause.formula) - values.keys()
        values |= {s: terms.fresh_like(s) for s in terms.by_name(local)}
        return terms.and_([*used, folded(clause.formula, values)])


def _numbered(clause: Clause) -> Iterator[tuple[tuple[int, int], tuple[Term, ...]]]:
    """The uses of a clause; the number of each counts those of the same relation before it."""
    count: dict[int, int] = {}
    for relation, arguments in clause.body:
        count[relation] = count.get(relation, -1) + 1
        yield (relation, count[relation]), arguments


def solution(
    system: RecursionFree, deadline: Deadline, backends: Sequence[Backend] | None = None
) -> Interpolants | Satisfiable | NotFound:
    """A formula for each relation but the last, such that all clauses hold and the last is false.

    `backends` as in `interpolation.tree`, which has the interpolants confirmed.
    """
    unfolding = _Unfolding(system)
    try:
        root = unfolding.copy(len(system.clauses) - 1)
    except TooLarge:
        return NotFound(f"more than {MOST_COPIES} copies of relations")
    formulas = [
        *unfolding.formulas[:-1],
        terms.and_([unfolding.copies[root].used, unfolding.formulas[-1]]),
    ]
    found = tree(formulas, [unfolding.above[k] for k in range(root)], deadline, backends)
    if not isinstance(found, Interpolants):
        return found
    said: list[list[Term]] = [[] for _ in system.parameters[:-1]]
    for copy, formula in zip(unfolding.copies, found.formulas, strict=False):
        values = {copy.used: TRUE}
        values |= zip(copy.arguments, system.parameters[copy.relation], strict=True)
        said[copy.relation].append(folded(formula, values))
    return Interpolants(tuple(map(terms.and_, said)), found.finder, found.checkers)
