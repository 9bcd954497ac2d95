"""Constraints as cases that may overlap: conjunctions of literals that a constraint store takes.

A tableau with unit resolution: what does not fork is collected first, Boolean symbols that are
decided choose between branches, and only then a disjunction forks.  `ite` and Euclidean division
by constants inside of comparisons are taken apart in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.terms import Term

MAX_CASES = 4096
"""How many conjunctions one constraint may become."""

Literal = tuple[Term, bool]
"""A comparison of numbers, and whether it holds."""


@dataclass
class Case:
    """A conjunction: values of Boolean symbols, and comparisons; `open` is still to be split."""

    open: list[Literal]
    forks: list[Literal] = field(default_factory=list)
    values: dict[Term, bool] = field(default_factory=dict)
    literals: list[Literal] = field(default_factory=list)

    def branch(self, fork: int, parts: tuple[Literal, ...]) -> Case:
        """A copy with one disjunction replaced by one of its branches."""
        rest = [f for k, f in enumerate(self.forks) if k != fork]
        return Case(list(parts), rest, dict(self.values), list(self.literals))


def cases(constraint: Term) -> Iterator[Case]:
    """All cases whose Boolean part is consistent; UnsupportedError when they are too many."""
    todo = [Case([(constraint, True)])]
    count = 0
    while todo:
        case = todo.pop()
        if not _propagated(case):
            continue
        if not case.forks:
            count += 1
            yield case
        elif count + len(todo) > MAX_CASES:
            raise UnsupportedError("a clause has too many cases; --step=small makes them smaller")
        else:
            todo.extend(case.branch(0, parts) for parts in _branches(*case.forks[0]))


def _propagated(case: Case) -> bool:
    """Take apart what does not fork; False for a contradiction of Boolean symbols."""
    while case.open:
        while case.open:
            formula, holds = case.open.pop()
            if not _step(case, formula, holds):
                return False
        waiting, case.forks = case.forks, []
        for formula, holds in waiting:
            left = [b for b in _branches(formula, holds) if not _denied(case, b)]
            if not left:
                return False
            if len(left) == 1:
                case.open.extend(left[0])
            elif not any(_given(case, branch) for branch in left):
                case.forks.append((formula, holds))
    return True


def _denied(case: Case, branch: tuple[Literal, ...]) -> bool:
    return any(_known(case, f) is not None and _known(case, f) != h for f, h in branch)


def _given(case: Case, branch: tuple[Literal, ...]) -> bool:
    return all(_known(case, formula) == holds for formula, holds in branch)


def _known(case: Case, formula: Term) -> bool | None:
    if formula.is_bool_constant():
        return bool(formula.is_true())
    if formula.is_not():
        inner = _known(case, formula.arg(0))
        return None if inner is None else not inner
    return case.values.get(formula)


def _step(case: Case, formula: Term, holds: bool) -> bool:
    """One formula: decided, collected, or put with the forks; False for a contradiction."""
    if formula.is_bool_constant():
        return bool(formula.is_true() == holds)
    if formula.is_symbol():
        return case.values.setdefault(formula, holds) == holds
    if formula.is_not():
        case.open.append((formula.arg(0), not holds))
    elif (formula.is_and() and holds) or (formula.is_or() and not holds):
        case.open.extend((part, holds) for part in formula.args())
    elif formula.is_implies() and not holds:
        case.open.extend(((formula.arg(0), True), (formula.arg(1), False)))
    elif (
        formula.is_or()
        or formula.is_and()
        or formula.is_implies()
        or formula.is_iff()
        or formula.is_ite()
        or _ite_of(formula) is not None
    ):
        case.forks.append((formula, holds))
    else:
        case.literals.append((formula, holds))
    return True


def _branches(formula: Term, holds: bool) -> list[tuple[Literal, ...]]:
    """The branches of a formula that forks."""
    parts = formula.args()
    if formula.is_and() or formula.is_or():
        return [((part, holds),) for part in parts]
    if formula.is_implies():
        return [((parts[0], False),), ((parts[1], True),)]
    if formula.is_iff():
        left, right = parts
        return [((left, True), (right, holds)), ((left, False), (right, not holds))]
    if formula.is_ite():
        condition, then, otherwise = parts
        return [((condition, True), (then, holds)), ((condition, False), (otherwise, holds))]
    inner = _ite_of(formula)
    assert inner is not None
    condition, then, otherwise = inner.args()
    return [
        ((condition, value), (_replaced(formula, inner, chosen), holds))
        for value, chosen in ((True, then), (False, otherwise))
    ]


def _replaced(formula: Term, old: Term, new: Term) -> Term:
    made = {old: new}
    for node in nodes(formula):
        if node not in made:
            made[node] = rebuilt(node, tuple(made[a] for a in node.args())) if node.args() else node
    return made[formula]


def _ite_of(comparison: Term) -> Term | None:
    """An `ite` inside of a comparison that holds no other."""
    return next((node for node in nodes(comparison) if node.is_ite()), None)
