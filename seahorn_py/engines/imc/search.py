"""The loops of both papers, on the transition system of a linear Horn system; see `imc`.

Formulas about states speak of frame 0.  In both methods the bound k grows after a search for errors
within k steps, so the formulas that are to be interpolated are unsatisfiable as long as they begin
at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from seahorn_py.engines.conclusion import Conclusion, Limit, Proved
from seahorn_py.engines.frames import Base
from seahorn_py.engines.imc.method import Method
from seahorn_py.engines.imc.steps import Transitions
from seahorn_py.horn.system import HornSystem
from seahorn_py.logic.interpolation.interpolation import (
    Interpolants,
    NotFound,
    Satisfiable,
    interpolant,
    sequence,
)
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline


class GaveUp(Exception):
    """No interpolants; the text says why."""


class Search:
    """Bounded model checking for growing k, and after each bound an attempt at a proof."""

    def __init__(self, system: HornSystem, base: Base, solver: Solver, deadline: Deadline) -> None:
        self._base = base
        self._solver = solver
        self._deadline = deadline
        self._system = Transitions(system)
        self._frames: list[Term] = [self._system.initial]
        self._finder = solver
        self.k = 0
        self.interpolants = 0

    def run(self, method: Method, most: int | None) -> Conclusion:
        """Deepen until an answer, the greatest k or the end of the time."""
        attempt = self.finite_run if method is Method.INTERPOLATION else self.extend
        for self.k in count(1) if most is None else range(1, most + 1):
            try:
                answer = self._error() or self._proved(attempt(self.k))
            except GaveUp as failure:
                return Limit(f"k = {self.k}: {failure}")
            if answer is not None:
                return answer
            self._base.deepen()
        return Limit(f"no invariant for k up to {most}")

    def _error(self) -> Conclusion | None:
        """The answer where an error is met within k steps, or nobody knows."""
        match self._base.ask(self._deadline.at):
            case Status.SAT:
                return self._base.refuted()
            case Status.UNKNOWN:
                return Limit(f"time limit in the search for an error within {self.k} steps")
        return None

    def _proved(self, invariant: Term | None) -> Proved | None:
        if invariant is None:
            return None
        return Proved(self._system.model(invariant), self._finder)

    def finite_run(self, k: int) -> Term | None:
        """Images of the start, each an interpolant, until one adds nothing: then an invariant.

        None when an image might lead to an error in less than k steps: it was too coarse.
        """
        suffix, reached = self.suffix(k), self._system.initial
        while (image := self._image(reached, suffix)) is not None:
            if self._implied([(image, reached)]) == [True]:
                return reached
            reached = terms.or_([reached, image])
        return None

    def _image(self, reached: Term, suffix: Term) -> Term | None:
        """An interpolant of one step from these states and what leads to an error after it."""
        prefix = terms.and_([reached, self._system.step(0)])
        match interpolant(prefix, suffix, self._deadline):
            case Interpolants((image,), finder):
                self._count(finder)
                return self._system.state(image, 1)
            case Satisfiable():
                return None
            case NotFound(reason):
                raise GaveUp(reason)
        raise AssertionError

    def suffix(self, k: int) -> Term:
        """From the state of frame 1 a query is met, there or at a later frame up to k."""
        formula = self._system.bad(k)
        for frame in reversed(range(1, k)):
            further = terms.and_([self._system.step(frame), formula])
            formula = terms.or_([self._system.bad(frame), further])
        return formula

    def extend(self, k: int) -> Term | None:
        """A sequence for an error at frame k makes all frames stronger; an invariant, if any."""
        system = self._system
        self._frames.append(terms.TRUE)
        run = [terms.and_([system.placed(self._frames[j], j), system.step(j)]) for j in range(k)]
        match sequence([*run, system.bad(k)], self._deadline):
            case Interpolants(found, finder):
                self._count(finder)
            case Satisfiable(finder):
                raise GaveUp(f"{finder.value} finds an error that is none")
            case NotFound(reason):
                raise GaveUp(reason)
        for j, formula in enumerate(found, 1):
            self._frames[j] = terms.and_([self._frames[j], system.state(formula, j)])
        return self._fixpoint()

    def _fixpoint(self) -> Term | None:
        """The union of the frames before one that adds nothing to them."""
        unions = [terms.or_(self._frames[:j]) for j in range(1, len(self._frames))]
        added = self._frames[1:]
        found = self._implied(list(zip(added, unions, strict=True)))
        return next((u for u, holds in zip(unions, found, strict=True) if holds), None)

    def _count(self, finder: Solver) -> None:
        self._finder = finder
        self.interpolants += 1

    def _implied(self, pairs: Sequence[tuple[Term, Term]]) -> list[bool]:
        """Which implications hold."""
        scripts = [script_of([left, terms.not_(right)]) for left, right in pairs]
        answers = check_scripts(scripts, self._solver, self._deadline)
        return [answer.status is Status.UNSAT for answer in answers]
