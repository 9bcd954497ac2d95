"""Whether formulas are interpolants of a tree, decided by a solver that did not find them.

One script for each node: the interpolants of its children, its formula and the negation of its own
interpolant (nothing for the root) must be unsatisfiable.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from seahorn_py.base.errors import InternalError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import print_symbol
from seahorn_py.processes.deadline import Deadline


@dataclass(frozen=True)
class Problem:
    """A tree: children come before parents, the last formula is that of the root."""

    formulas: tuple[Term, ...]
    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        root = len(self.formulas) - 1
        if len(self.parents) != root:
            raise InternalError("a tree has a parent for each node but the last")
        if any(not child < parent <= root for child, parent in enumerate(self.parents)):
            raise InternalError("children come before their parents")

    @cached_property
    def symbols(self) -> tuple[Term, ...]:
        """The free symbols of all formulas, in a fixed order."""
        found = {s for own in self._own for s in own}
        return tuple(sorted(found, key=print_symbol))

    def shared(self, node: int) -> tuple[Term, ...]:
        """The symbols that occur in the subtree of a node and outside of it."""
        inside = {node}
        for below in reversed(range(node)):
            if self.parents[below] in inside:
                inside.add(below)
        own = {s for n in inside for s in self._own[n]}
        other = {s for n, found in enumerate(self._own) if n not in inside for s in found}
        return tuple(s for s in self.symbols if s in own and s in other)

    @cached_property
    def _own(self) -> tuple[frozenset[Term], ...]:
        return tuple(terms.free_symbols(formula) for formula in self.formulas)


def refusal(
    problem: Problem, found: Sequence[Term], solvers: Sequence[Solver], deadline: Deadline
) -> tuple[tuple[Solver, ...], str]:
    """Those of the solvers, asked in turn, that confirm the interpolants; why they are refused.

    The reason is empty when each condition is confirmed by one of them.
    """
    wrong = _malformed(problem, found)
    if wrong:
        return (), wrong
    scripts = [_condition(problem, found, node) for node in range(len(problem.formulas))]
    used: list[Solver] = []
    for position, solver in enumerate(solvers):
        part = deadline.share(1 / (len(solvers) - position))
        answers = check_scripts(scripts, solver, part, seconds_each=part.remaining)
        if any(answer.status is Status.SAT for answer in answers):
            return (), f"{solver.value} refutes an interpolant"
        left = [s for s, a in zip(scripts, answers, strict=True) if a.status is not Status.UNSAT]
        if len(left) < len(scripts):
            used.append(solver)
        scripts = left
    return tuple(used), "no other solver confirms the interpolants" if scripts else ""


def _malformed(problem: Problem, found: Sequence[Term]) -> str:
    if len(found) != len(problem.parents):
        return f"{len(found)} interpolants instead of {len(problem.parents)}"
    for node, formula in enumerate(found):
        if terms.sort_of(formula) is not terms.BOOL:
            return "an interpolant that is no formula"
        stray = terms.free_symbols(formula) - set(problem.shared(node))
        if stray:
            names = ", ".join(sorted(map(print_symbol, stray)))
            return f"an interpolant with symbols that are not shared: {names}"
    return ""


def _condition(problem: Problem, found: Sequence[Term], node: int) -> str:
    children = [found[k] for k, parent in enumerate(problem.parents) if parent == node]
    goal = [terms.not_(found[node])] if node < len(found) else []
    return script_of([*children, problem.formulas[node], *goal])
