"""k-induction on one linear Horn system."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import count

from seahorn_py.base.records import dataclass
from seahorn_py.engines.bmc.symbolic import Symbolic, Value, Values
from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, verdict
from seahorn_py.engines.frames import (
    Base,
    Frame,
    Frames,
    Invariants,
    different,
    met,
)
from seahorn_py.engines.kinduction.property import unreached
from seahorn_py.engines.profile import profile_of
from seahorn_py.horn.checking.implications import verification_condition
from seahorn_py.horn.checking.proofs import proved_modularly
from seahorn_py.horn.system import HornSystem, KInductive, Model
from seahorn_py.horn.transform.rules.strengthening import conjoined
from seahorn_py.invariants.core import excluding
from seahorn_py.invariants.generation import NOTHING, Found, Generator
from seahorn_py.invariants.pool import Pool
from seahorn_py.logic.solvers.construction.construction import terms_of
from seahorn_py.logic.solvers.construction.protocol import Terms, UnsupportedTerm
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts
from seahorn_py.logic.terms import terms
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Verdict


@dataclass(frozen=True)
class Task:
    """What `KInduction` is asked, and with which solver.

    `beside`: invariants may be generated beside the induction.
    """

    system: HornSystem
    solver: Solver
    most: int | None
    invariants: bool
    simple: bool
    beside: bool
    deadline: Deadline
    memory_mib: int
    pool: Pool | None


def solve(task: Task) -> Verdict:
    """Induction beside the generation of invariants."""
    most = None if task.invariants else 0
    system, deadline, memory = task.system, task.deadline, task.memory_mib
    with Generator(system, deadline, memory, most=most, pool=task.pool) as generator:
        induction = Induction(task, generator)
        conclusion = induction.run()
    return verdict(conclusion, {"k": induction.k, "levels": induction.levels})


class _Answered(Exception):
    """A proof by invariants alone came while something else was asked."""

    def __init__(self, proof: Model, finder: Solver) -> None:
        super().__init__()
        self.proved = Proved(proof, finder)


class Induction:
    """Base and step for k = 1, 2, ..., the step under the best invariants there are."""

    def __init__(self, task: Task, generator: Generator) -> None:
        self._task = task
        self._generator = generator
        self._until = task.deadline.at
        self._model = NOTHING
        self.k = 0
        self.levels = 0

    def run(self) -> Conclusion:
        """Deepen until an answer, the greatest k or the end of the time.

        While invariants are generated half of the time is theirs, whatever the cores are busy with.
        """
        try:
            return self._by_unrolling()
        except _Answered as answered:
            return answered.proved

    def _by_unrolling(self) -> Conclusion:
        """By induction where the system can be unrolled, by invariants alone where not."""
        if not self._task.system.linear:
            return self._by_invariants("k-induction is for linear systems")
        try:
            return self._induction()
        except UnsupportedTerm as refused:
            return self._by_invariants(f"cannot be unrolled: {refused}")

    def _induction(self) -> Conclusion:
        """For k = 1, 2, ...: the base case, the step, one state more."""
        if (proved := self._outright()) is not None:
            return proved
        base = Base(self._task.system, terms_of(self._task.solver))
        solver = terms_of(self._task.solver)
        step = Step(self._task.system, solver, simple=self._task.simple)
        for k in self._lengths():
            self.k = k
            answer = self._base_case(base, step) or self._inductive_step(step)
            if answer is not None:
                return answer
            base.deepen()
            step.deepen()
        return self._by_invariants(f"not {self.k}-inductive")

    def _lengths(self) -> Iterator[int]:
        """The lengths of runs; the generator has as much time after each as it took."""
        most = self._task.most
        for k in count(1) if most is None else range(1, most + 1):
            began = time.monotonic()
            yield k
            self._generator.give_way(min(self._until, time.monotonic()) - began)

    def _base_case(self, base: Base, step: Step) -> Conclusion | None:
        """The answer where a query is met, or nobody knows; the first invariants may prove, too."""
        self._listen(step)
        match self._ask(base, step):
            case Status.SAT:
                return base.refuted()
            case Status.UNKNOWN:
                return Limit(f"time limit in the base case for k = {self.k}")
        return self._outright() if self.levels and self.k == 1 else None

    def _inductive_step(self, step: Step) -> Conclusion | None:
        """The proof where the step holds."""
        return self._proof() if self._ask(step, step) is Status.UNSAT else None

    def _outright(self) -> Proved | None:
        """Where bits are multiplied: the property, with the invariants, as a model rule by rule.

        A solver that sees the whole of a rule may find that polynomials are equal; it does not
        where the rule is an assumption among others.
        """
        system = self._task.system
        if not profile_of(system).products:
            return None
        model = conjoined(system, [unreached(system), self._model])
        limit = self._task.deadline.at_most(policy().kinduction.outright_seconds)
        left = set(range(len(system.rules)))
        left -= self._valid(model, left, limit.share(policy().kinduction.outright_share))
        left -= proved_modularly(system, model, left, Solver.Z3, limit)
        left -= self._valid(model, left, limit)
        return None if left else Proved(model, Solver.Z3)

    def _valid(self, model: Model, asked: Iterable[int], limit: Deadline) -> frozenset[int]:
        """Those of the rules that z3 finds valid soon."""
        system = self._task.system
        rules = {k: verification_condition(system, model, system.rules[k]) for k in asked}
        each = policy().kinduction.outright_seconds / 10
        answers = check_scripts(list(rules.values()), Solver.Z3, limit, seconds_each=each)
        pairs = zip(rules, answers, strict=True)
        return frozenset(k for k, answer in pairs if answer.status is Status.UNSAT)

    def _proof(self) -> Proved:
        """What the checker proves: the property holds after k - 1 states in which it does.

        After one state, and where the invariants exclude the queries, that is a model.
        """
        if self.k == 1:
            return self._reduced(self._model)
        system = self._task.system
        model = conjoined(system, [unreached(system), self._model])
        if self.k == 2:
            return self._reduced(model)
        proof = KInductive(self.k - 1, model, self._task.simple)
        return Proved(proof, self._task.solver)

    def _reduced(self, model: Model) -> Proved:
        """The part of a model that is needed, if z3 finds it quickly."""
        until = min(self._until, time.monotonic() + policy().kinduction.reducing_seconds)
        found = excluding(self._task.system, model, until)
        return Proved(model, self._task.solver) if found is None else Proved(found, Solver.Z3)

    def _by_invariants(self, reason: str) -> Conclusion:
        """Only what the generator may still find counts."""
        while not self._generator.done:
            self._take(self._generator.wait())
        return Limit(reason)

    def _ask(self, side: Base | Step, step: Step) -> Status:
        """The question of a side, in tries that take twice as long each time."""
        seconds: float = policy().kinduction.first_try_seconds
        while time.monotonic() < self._until:
            status = side.ask(min(self._until, time.monotonic() + seconds))
            if status is not Status.UNKNOWN:
                return status
            self._listen(step)
            seconds *= 2
        return Status.UNKNOWN

    def _listen(self, step: Step) -> None:
        """Take new invariants; where one child at a time may run, wait for them."""
        generator = self._generator
        found = generator.poll() if self._task.beside else generator.wait()
        if self._take(found):
            step.learn(self._model)

    def _take(self, found: Found | None) -> bool:
        if found is None:
            return False
        if found.proof is not None:
            raise _Answered(found.proof, found.finder)
        self._model = found.model
        self.levels += 1
        return True


class Step:
    """Whether a query is met from the last of k states that satisfy the invariants.

    With `simple` the states are pairwise different.
    """

    def __init__(self, system: HornSystem, solver: Terms, *, simple: bool = False) -> None:
        self._simple = simple
        self._relations = system.relations
        self._values = Values(solver)
        self._frames = Frames(system, self._values)
        self._run: list[Frame] = [self._frames.anywhere()]
        self._known: Invariants | None = None
        self._met = met(self._run[-1], self._values)

    def deepen(self) -> None:
        """One state more."""
        self._keep(self._values.not_(self._met))
        last = self._frames.after(self._run[-1])
        if self._simple:
            for frame in self._run:
                self._keep(different(frame, last, self._relations, self._values))
        self._run.append(last)
        self._met = met(self._run[-1], self._values)
        if self._known is not None:
            self._keep(self._known.of(self._run[-1]))

    def learn(self, model: Model) -> None:
        """From now on all states satisfy the model."""
        self._known = Invariants(self._relations, model, self._values)
        for frame in self._run:
            self._keep(self._known.of(frame))

    def ask(self, until: float) -> Status:
        """Whether a query is met from the last state."""
        if not isinstance(self._met, Symbolic):
            return Status.SAT if self._met else Status.UNSAT
        return self._values.solver.check([self._met.term], until)

    def _keep(self, fact: Value) -> None:
        if fact is not True:
            self._values.solver.keep(self._values.native(fact, terms.BOOL))
