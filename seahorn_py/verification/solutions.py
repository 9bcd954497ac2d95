"""Horn systems solved from Python: engines, checked evidence, models and refutations.

The answer SAFE means that the system is solvable (`sat` in CHC-COMP): relations have an
interpretation that makes all rules valid.  It rests on a model that a second solver has confirmed,
UNSAFE on a refutation of which each step was checked.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path

from seahorn_py.base.errors import SeaError, Stage
from seahorn_py.base.notebook import Shown
from seahorn_py.base.plugins import PlugIn
from seahorn_py.base.records import dataclass
from seahorn_py.engines import catalogue
from seahorn_py.engines.conclusion import Packed, packed, unpacked
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.portfolio import Portfolio, Turn
from seahorn_py.engines.prepared import Prepared, in_numbers, prepare
from seahorn_py.engines.profile import Profile, profile_of
from seahorn_py.engines.spacer.spacer import Spacer
from seahorn_py.engines.wrappers.guarded import Guarded
from seahorn_py.engines.wrappers.transformed import Transformed
from seahorn_py.horn.checking.evidence import check
from seahorn_py.horn.system import HornSystem, Model, Proof, Refutation
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.horn.text.wire import system_from_text, system_to_text
from seahorn_py.horn.transform.arguments.folds import Folds
from seahorn_py.horn.walking import Instance, instances
from seahorn_py.options import EngineName, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes import child, supervision
from seahorn_py.processes.cancellation import Cancellation
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import InternalErrorReport
from seahorn_py.processes.journal import Attempt, Journal, enter
from seahorn_py.processes.textfile import text_of
from seahorn_py.result import Answer, Safe, Unknown, Unsafe, Verdict
from seahorn_py.verification.clock import Moment, Progress, Watch
from seahorn_py.verification.shortcuts import applied
from seahorn_py.verification.supervised import Supervisor, Unfinished

Chosen = EngineName | str | Engine
"""An engine, by its name or as an object."""

STATUS: Mapping[Answer, str] = {
    Answer.SAFE: "sat",
    Answer.UNSAFE: "unsat",
    Answer.UNKNOWN: "unknown",
}


@dataclass(frozen=True)
class Solution(Shown):
    """A checked answer about a Horn system.

    `reason` says what was checked, or what failed.  SAFE has a `proof`, UNSAFE a `refutation`.
    `plug_ins` took part, with their distributions and versions.
    """

    answer: Answer
    reason: str
    proof: Proof | None = None
    refutation: Refutation | None = None
    system: HornSystem | None = None
    attempts: tuple[Attempt, ...] = ()
    internal_errors: tuple[InternalErrorReport, ...] = ()
    plug_ins: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """The word of CHC-COMP: sat, unsat or unknown."""
        return STATUS[self.answer]

    @property
    def model(self) -> Model | None:
        """The proof, if it is a formula for each relation."""
        return self.proof if isinstance(self.proof, Model) else None

    def derivation(self) -> Instance | None:
        """The rule instance that derives a query, which leads to the others; None if none does."""
        if self.refutation is None or self.system is None:
            return None
        return instances(self.system, self.refutation)

    def shown(self) -> Mapping[str, object]:
        """The answer and its evidence, without the system."""
        found: dict[str, object] = {"status": self.status, "reason": self.reason}
        found |= {"proof": self.proof, "refutation": self.derivation(), "attempts": self.attempts}
        found |= {"plug-ins": self.plug_ins}
        return {name: value for name, value in found.items() if value}

    def __repr__(self) -> str:
        return f"<Solution {self.status}; {self.reason}>"


def solve(
    system: HornSystem | str | Path,
    engine: Chosen | Iterable[Chosen] | None = None,
    timeout: float = 60.0,
    memory_mib: int = 4096,
    jobs: int = 2,
    bound: int | None = None,
    on_progress: Callable[[Moment], object] | None = None,
    cancel: Cancellation | None = None,
) -> Solution:
    """Solve a system in processes of its own, within limits.

        solve(system, engine="spacer", timeout=20).model

    `system` may be SMT-LIB text, or the path of a file: a string that begins with a parenthesis or
    a comment is text.

    `engine` is one, or several that are tried in turn, by name or as objects; without any the
    system decides which.  `bound` limits bounded model checking.  `timeout` is in seconds.
    `on_progress` and `cancel` are as those of `verify`.

    Raises SeaError for an unknown name and for an engine that cannot be handed on, InputError for
    text that cannot be read, ValueError for a wrong limit.  All else that goes wrong is an UNKNOWN
    answer with its reason.
    """
    VerifyOptions(timeout=timeout, memory_mib=memory_mib, jobs=jobs, bound=bound)  # checks these
    system = _system(system)
    journal = Journal()
    engine = None if engine is None else _listed(engine)
    if supervision.at_work():
        raise SeaError("solve: this process works for another call already")
    turns = _turns(engine, jobs, bound)
    if turns and child.threads() > 1:
        _check_importable(turns)
    watch = None if on_progress is None else Watch(journal, on_progress)
    supervisor = Supervisor(timeout, memory_mib, journal, None, watch, cancel)
    work = partial(_in_worker, system_to_text(system), turns, memory_mib, jobs, journal)
    found = supervisor.run(work, _Decided)
    if isinstance(found, Unfinished):
        reports = journal.reports.found() + ((found.report,) if found.report else ())
        reason = f"{found.stage}: {found.reason}"
        return Solution(Answer.UNKNOWN, reason, None, None, system, journal.attempts(), reports)
    return replace(_opened(found, system, journal), plug_ins=_plug_ins(engine))


def _system(given: HornSystem | str | Path) -> HornSystem:
    """The system that is given, in whichever form."""
    match given:
        case HornSystem():
            return given
        case Path():
            return read_horn(text_of(given), str(given))
        case str() if given.lstrip()[:1] in ("(", ";"):
            return read_horn(given, "<text>")
        case str():
            return read_horn(text_of(Path(given)), given)
    raise SeaError(f"solve: expected a HornSystem, SMT-LIB text or a path, not {given!r}")


@dataclass(frozen=True)
class _Decided:
    """A solution as plain data: its evidence is that of a verdict."""

    bare: Solution
    verdict: Packed | None


def _in_worker(
    text: str,
    turns: Sequence[Turn],
    memory_mib: int,
    jobs: int,
    journal: Journal,
    seconds: float,
    _: Progress | None,
) -> _Decided:
    enter(Stage.SOLVE.value)
    system = system_from_text(text)
    with journal.reports.collecting():
        found = decided(system, Deadline.after(seconds), memory_mib, jobs, turns, journal)
    bare = replace(found, proof=None, refutation=None, system=None)
    if found.proof is not None:
        return _Decided(bare, packed(Safe(found.proof)))
    if found.refutation is not None:
        return _Decided(bare, packed(Unsafe(found.refutation)))
    return _Decided(bare, None)


def _opened(found: _Decided, system: HornSystem, journal: Journal) -> Solution:
    """The solution over terms of this process."""
    verdict = None if found.verdict is None else unpacked(found.verdict)
    return replace(
        found.bare,
        proof=verdict.proof if isinstance(verdict, Safe) else None,
        refutation=verdict.refutation if isinstance(verdict, Unsafe) else None,
        system=system,
        attempts=journal.attempts(),
        internal_errors=journal.reports.found(),
    )


# -------------------------------------------------------------------------------------- in a worker


def decided(
    system: HornSystem,
    deadline: Deadline,
    memory_mib: int,
    jobs: int,
    turns: Sequence[Turn] = (),
    journal: Journal | None = None,
) -> Solution:
    """Solve `system` and check verdicts until one holds."""
    turns = _reading(system, turns) if turns else _scheduled(system)
    if not turns:
        return Solution(Answer.UNKNOWN, "solve: of the engines only Spacer reads datatypes")
    budget = Budget(deadline.share(policy().solving.clauses_share), memory_mib, jobs)
    failed: Solution | None = None
    with closing(Portfolio(tuple(turns), journal).verdicts(system, budget)) as verdicts:
        for verdict in verdicts:
            found = _checked(system, verdict, deadline)
            if found.answer is not Answer.UNKNOWN:
                return found
            failed = failed or found
    assert failed is not None
    return failed


def _reading(system: HornSystem, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns whose engines read the terms of a system, as far as we know."""
    if not profile_of(system).datatypes:
        return tuple(turns)
    return tuple(turn for turn in turns if _reads_datatypes(turn.engine))


def _reads_datatypes(engine: Engine) -> bool:
    match engine:
        case Transformed(chosen=chosen):
            return any(isinstance(one, Folds) for one in chosen)
    return isinstance(engine, Spacer | Guarded)


def _scheduled(system: HornSystem) -> tuple[Turn, ...]:
    """The turns for a system by its look when it is prepared.

    Those for bit-vectors alternate with those for the numbers that they stand for.
    """
    ready = prepare(system)
    look = profile_of(ready.system)
    turns = catalogue.schedule_of_file(look, look.bits)
    if ready.system.rules != system.rules:
        prepared = tuple(replace(turn, engine=Prepared(turn.engine, ready)) for turn in turns)
        turns = (prepared[0], *_as_written(look, turns[0]), *prepared[1:])
    numbers = in_numbers(ready) if look.bits else None
    if numbers is None:
        return turns
    others = (
        replace(turn, name=f"{turn.name} of numbers", engine=Prepared(turn.engine, numbers))
        for turn in catalogue.schedule_of_file(profile_of(numbers.system), bits=False)
    )
    pairs = zip_longest(turns, others)
    return tuple(turn for pair in pairs for turn in pair if turn is not None)


def _as_written(look: Profile, first: Turn) -> tuple[Turn, ...]:
    """The first turn once more on the system as it is.

    Few rules over datatypes may be the easier ones, and arguments of protocols may help.
    """
    choosing = policy().choosing
    if not (look.datatypes or (look.reals and look.linear)):
        return ()
    share = choosing.as_written if look.datatypes else choosing.real_as_written
    return (replace(first, name=f"{first.name} as written", share=share),)


def _checked(system: HornSystem, verdict: Verdict, deadline: Deadline) -> Solution:
    match verdict:
        case Safe(proof, finder):
            checked = check(system, proof, deadline.remaining, finder)
            if checked.ok:
                reason = f"the solution was re-proved by {checked.solver}"
                return Solution(Answer.SAFE, reason, proof)
            return Solution(Answer.UNKNOWN, f"re-proof: {checked.reason}")
        case Unsafe(refutation):
            checked = check(system, refutation, deadline.remaining)
            if checked.ok:
                reason = f"the refutation of {len(refutation.steps)} steps was checked"
                return Solution(Answer.UNSAFE, reason, refutation=refutation)
            return Solution(Answer.UNKNOWN, f"replay: {checked.reason}")
        case Unknown(stage, reason):
            return Solution(Answer.UNKNOWN, f"{stage.value}: {reason}")


# ------------------------------------------------------------------------------------------ engines


def _turns(
    engine: Chosen | Iterable[Chosen] | None, jobs: int, bound: int | None
) -> tuple[Turn, ...]:
    """The turns of the engines that are chosen."""
    if engine is None:
        return ()
    chosen = _listed(engine)
    turns = [turn for one in chosen for turn in _turns_of(one, bound)]
    if not turns:
        raise SeaError("solve: no engine that works on Horn clauses is named")
    if len(chosen) == 1:
        return tuple(turns)
    left = range(len(turns), 0, -1)
    return tuple(
        replace(turn, share=min(1.0, jobs / n)) for turn, n in zip(turns, left, strict=True)
    )


def _listed(engine: Chosen | Iterable[Chosen]) -> tuple[Chosen, ...]:
    """The engines, of which there may be one."""
    if isinstance(engine, EngineName | str) or not isinstance(engine, Iterable):
        return (engine,)
    return tuple(engine)


def _turns_of(engine: Chosen, bound: int | None) -> tuple[Turn, ...]:
    if isinstance(engine, EngineName | str):
        return catalogue.named(applied(VerifyOptions(), {"engines": (engine,)}).engines, 1, bound)
    if isinstance(engine, type) or not callable(getattr(engine, "solve", None)):
        raise SeaError(f"engine={engine!r}: expected a name, or an object with a method solve")
    name = type(engine).__name__
    return (Turn(name, Guarded(name, engine)),)


def _plug_ins(engine: Chosen | Iterable[Chosen] | None) -> tuple[str, ...]:
    """The plug-ins among the engines that are named."""
    listed = () if engine is None else _listed(engine)
    names = tuple(one for one in listed if isinstance(one, EngineName | str))
    engines = applied(VerifyOptions(), {"engines": names}).engines
    return tuple(str(one) for one in engines if isinstance(one, PlugIn))


def _check_importable(turns: Sequence[Turn]) -> None:
    """SeaError for an engine that the fresh process, which threads demand, could not be given."""
    for turn in turns:
        if isinstance(turn.engine, Guarded) and type(turn.engine.inner).__module__ == "__main__":
            raise SeaError(
                f"the engine {turn.name} lies in __main__, and this process has other threads,"
                " as that of a notebook: put its class into a module"
            )
        try:
            pickle.dumps(turn.engine)
        except Exception as error:  # whatever an object of others raises
            raise SeaError(f"the engine {turn.name} cannot be handed on: {error}") from None
