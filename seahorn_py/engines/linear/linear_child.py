"""`linear` on one Horn system."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.engines.conclusion import Limit, verdict
from seahorn_py.engines.linear.derivation import Derivation
from seahorn_py.engines.linear.edges import Search, Unfinished, facts
from seahorn_py.engines.wrappers.transformed import carried
from seahorn_py.horn.system import HornSystem, Model, Rule, is_obligation
from seahorn_py.horn.transform.acceleration.arithmetic import Acceleration, LinearPart
from seahorn_py.horn.transform.acceleration.reading_back import TooLong
from seahorn_py.horn.transform.cells.observation import Observation, has_arrays
from seahorn_py.horn.transform.order import observing, transformed
from seahorn_py.horn.transform.transformation import Back, Inapplicable, Transformation
from seahorn_py.logic.presburger.presburger import Beyond, Presburger
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Statistics, Unsafe, Verdict


def solve(system: HornSystem, deadline: Deadline, *, accelerating: bool) -> Verdict:
    """Search for the edges of the system, or of its linear part."""
    try:
        return _answer(system, _Work(accelerating, deadline))
    except (Beyond, Unfinished, TooLong) as limit:
        return verdict(Limit(str(limit)))


@dataclass(frozen=True)
class _Work:
    """How a search is made."""

    accelerating: bool
    deadline: Deadline


@dataclass(frozen=True)
class _Found:
    """A search that has ended, the ways back to its system, the rule by which a check fails."""

    search: Search
    ways: Sequence[Back]
    failed: Rule | None

    @property
    def statistics(self) -> Statistics:
        """Figures for the answer."""
        return {"events": len(self.search.events)}


def _answer(system: HornSystem, work: _Work) -> Verdict:
    """The answer for the system or, if that is beyond linear arithmetic, for its linear part."""
    try:
        part, found = system, _searched(system, work)
    except Beyond as limit:
        part = _linear_part(system, limit)
        found = _searched(part, work)
    if found.failed is None:
        return _proof(found)
    if has_arrays(system):
        proof = _proof_by_cells(system, work)
        if proof is not None:
            return proof
    if part is not system and is_obligation(found.failed):
        # that a replay does not reach an obligation says nothing
        raise Unfinished("more than linear arithmetic decides whether an operation may wrap")
    answer = _refuted(found, found.failed)
    if part is not system and isinstance(answer, Unsafe):
        return replace(answer, system=answer.system or part)
    return answer


def _linear_part(system: HornSystem, limit: Beyond) -> HornSystem:
    """The linear part of a system that is beyond a limit, which is raised if that is no help."""
    try:
        part, _ = LinearPart().apply(system)
    except Inapplicable:
        raise limit from None
    if part is system:
        raise limit
    return part


def _proof_by_cells(system: HornSystem, work: _Work) -> Verdict | None:
    """The proof that one observed cell of each array gives, by itself or beside others."""
    for followed in (True, False):
        limited = replace(work, deadline=work.deadline.share(policy().linear.cells_share))
        cells = observing(Observation(followed=followed))
        with contextlib.suppress(Beyond, Inapplicable, Unfinished):
            found = _searched(system, limited, (*cells, LinearPart()))
            if found.failed is None:
                return _proof(found)
    return None


def _searched(system: HornSystem, work: _Work, chosen: tuple[Transformation, ...] = ()) -> _Found:
    """The edges of the system after some transformations, with its loops closed at last."""
    if work.accelerating:
        accelerating = Acceleration(work.deadline, polynomials=False, needed=False)
        chosen = (*chosen, accelerating)
    changed, ways = transformed(system, chosen)
    search = Search(changed, Presburger(), work.deadline)
    return _Found(search, ways, search.run())


def _proof(found: _Found) -> Verdict:
    """The edges, which are all there are, as a model."""
    search, relations = found.search, found.search.system.relations
    model = Model(
        {
            name: search.arithmetic.formula(edges, relations[name].symbols)
            for name, edges in facts(search)
        }
    )
    safe = Safe(model, Solver.Z3, found.statistics)
    return carried(safe, search.system, found.ways)


def _refuted(found: _Found, failed: Rule) -> Verdict:
    """A refutation of the system; where that is too long, one in which loops are single steps."""
    changed = found.search.system
    try:
        whole = Unsafe(Derivation(found.search, written_out=True).of(failed), found.statistics)
        answer = carried(whole, changed, found.ways)
        if not isinstance(answer, Unsafe) or answer.system is None:
            return answer
    except TooLong:
        pass
    derivation = Derivation(found.search, written_out=False)
    return Unsafe(derivation.of(failed), found.statistics, derivation.system)
