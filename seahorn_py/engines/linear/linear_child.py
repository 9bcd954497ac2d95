"""`linear` on one Horn system."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from seahorn_py.engines.linear.derivation import Derivation
from seahorn_py.engines.linear.edges import Search, Unfinished, facts
from seahorn_py.engines.outcome import Limit, verdict
from seahorn_py.horn.system import HornSystem, Model, Rule, is_obligation
from seahorn_py.horn.transform.acceleration import Accelerated, accelerate
from seahorn_py.horn.transform.acceleration_back import TooLong, read_model, read_refutation
from seahorn_py.horn.transform.cells import Back, Observation, has_arrays, observe
from seahorn_py.horn.transform.linearpart import linear_part
from seahorn_py.logic.presburger.presburger import Beyond, Presburger
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Statistics, Unsafe, Verdict

CELLS_SHARE = 0.5
"""Of the time that is left, for a proof over observed cells."""


def solve(system: HornSystem, deadline: Deadline, *, accelerating: bool) -> Verdict:
    """Search for the edges of the system, or of its linear part."""
    try:
        return _answer(system, _Work(Presburger(), accelerating, deadline))
    except (Beyond, Unfinished, TooLong) as limit:
        return verdict(Limit(str(limit)))


@dataclass(frozen=True)
class _Work:
    """How a search is made."""

    arithmetic: Presburger
    accelerating: bool
    deadline: Deadline


@dataclass(frozen=True)
class _Found:
    """A search that has ended, and the rule by which a check fails."""

    accelerated: Accelerated
    search: Search
    failed: Rule | None

    @property
    def statistics(self) -> Statistics:
        """For the answer."""
        return {"loops": self.accelerated.loops, "events": len(self.search.events)}


def _answer(system: HornSystem, work: _Work) -> Verdict:
    """The answer for the system or, if that is beyond linear arithmetic, for its linear part."""
    part = system
    try:
        found = _searched(system, work)
    except Beyond:
        part = linear_part(system, work.arithmetic)
        if part.rules == system.rules:
            raise
        found = _searched(part, work)
    if found.failed is None:
        return _proof(found, _as_it_is)
    if has_arrays(system):
        proof = _proof_by_cells(system, work)
        if proof is not None:
            return proof
    if part is not system and is_obligation(found.failed):
        # that a replay does not reach an obligation says nothing
        raise Unfinished("more than linear arithmetic decides whether an operation may wrap")
    answer = _refuted(found, found.failed)
    return replace(answer, system=answer.system or part) if part is not system else answer


def _proof_by_cells(system: HornSystem, work: _Work) -> Safe | None:
    """The proof that one observed cell of each array gives, by itself or beside others."""
    for followed in (True, False):
        limited = replace(work, deadline=work.deadline.share(CELLS_SHARE))
        observed, back = observe(system, Observation(followed=followed))
        with contextlib.suppress(Beyond, Unfinished):
            found = _searched(linear_part(observed, work.arithmetic), limited)
            if found.failed is None:
                return _proof(found, back)
    return None


def _searched(system: HornSystem, work: _Work) -> _Found:
    accelerated = Accelerated(system, ())
    if work.accelerating:
        accelerated = accelerate(system, work.arithmetic, polynomials=False)
    search = Search(accelerated.system, work.arithmetic, work.deadline)
    return _Found(accelerated, search, search.run())


def _proof(found: _Found, back: Back) -> Safe:
    """The edges, which are all there are, as a model."""
    search, relations = found.search, found.accelerated.system.relations
    model = Model(
        {
            name: search.arithmetic.formula(edges, relations[name].symbols)
            for name, edges in facts(search)
        }
    )
    proof = back(read_model(found.accelerated, model, search.arithmetic))
    return Safe(proof, Solver.Z3, found.statistics)


def _as_it_is(model: Model) -> Model:
    return model


def _refuted(found: _Found, failed: Rule) -> Unsafe:
    """A refutation of the system; where that is too long, one in which loops are single steps."""
    try:
        whole = Derivation(found.search, written_out=True).of(failed)
        whole = read_refutation(found.accelerated, whole, found.search.arithmetic, _nothing)
        return Unsafe(whole, found.statistics)
    except TooLong:
        derivation = Derivation(found.search, written_out=False)
        return Unsafe(derivation.of(failed), found.statistics, derivation.system)


def _nothing(_: Term, __: Sequence[Term]) -> None:
    """Isl answers all questions about a system that it solved."""
