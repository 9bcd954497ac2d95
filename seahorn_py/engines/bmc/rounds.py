"""The rounds of bounded model checking: unwind, ask for the queries, ask for the frontier, deepen.

One solver answers all questions, as assumptions.  Free symbols belong to their instance, so the
terms of one round are found again in the next, with what the solver has learnt about them.  A
frontier guard that is unsatisfiable stays so, and the next rounds do not follow it.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator, Mapping, Sequence

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.engines.bmc.code import Code
from seahorn_py.engines.bmc.refutation import Concrete, refutation_of
from seahorn_py.engines.bmc.shape import Shape
from seahorn_py.engines.bmc.state import Key, Limits
from seahorn_py.engines.bmc.symbolic import Symbolic, Value, Values
from seahorn_py.engines.bmc.unwind import Fresh, Unwinder, Unwound
from seahorn_py.engines.conclusion import Limit, Reached
from seahorn_py.horn.system import Atom, Relation, Rule
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline, OutOfTime


@dataclass(frozen=True)
class Sufficient:
    """No query is reached, and nothing lies beyond these bounds."""

    bounds: Mapping[str, int]


_BARE = pattern(r"^\((?:set-logic|set-info|check-sat|exit)\b.*\n?", re.MULTILINE)
"""What a printed question has beside declarations and assertions."""

Found = Sufficient | Reached | Limit


class Rounds:
    """The state that lasts from one round to the next."""

    def __init__(
        self,
        relations: Mapping[str, Relation],
        shape: Shape,
        codes: Mapping[str, Code],
        values: Values,
        *,
        bound: int | None,
        bounds: Mapping[str, int],
        until: float,
    ) -> None:
        self._relations = relations
        self._shape = shape
        self._codes = codes
        self._values = values
        self._bound = bound
        self._bounds = bounds
        self._until = until
        self._variables: dict[tuple[Key, Term], Value] = {}
        self._dead: set[Value] = set()
        self._choices: frozenset[str] = frozenset()
        self._instances = 0
        self._questions = 0
        self._finished: int | None = None
        self._asked_z3 = False

    @property
    def finder(self) -> Solver:
        """The solver that decided, or z3 if it helped."""
        return Solver.Z3 if self._asked_z3 else self._values.solver.solver

    def run(self) -> Found:
        """Deepen until an answer, the bound or the end of the time."""
        try:
            self._choices = frozenset(self._side_by_side())
            for every in _growing(self._bound):
                unwound = self._unwind(every)
                conclusion = self._answer(every, unwound)
                if conclusion is not None:
                    return conclusion
                self._prune(unwound)
            return Limit(f"bound {self._bound} reached, and runs go on beyond it")
        except OutOfTime:
            return Limit(self._time_limit())

    def _answer(self, every: int, unwound: Unwound) -> Found | None:
        """The answer of a round; None where runs go on beyond it.

        Queries that are not decided soon are left to the next round, which has them, too.
        """
        guards = [e.guard for e in unwound.queries]
        reached = self._values.or_(guards)
        shares, is_last = policy().bmc, not unwound.frontier
        share = shares.last_round_share if is_last else shares.round_share
        found = self._decided(reached, guards, share, final=every == self._bound)
        if found is not True:
            beyond = self._values.or_([guard for _, guard in unwound.frontier])
            goes_on = self._possible(beyond, self._until)
            if goes_on:
                self._finished = every if found is False else self._finished
                return None
            if found is False or not self._one_by_one(guards):
                return Sufficient(self._deepest(unwound))
        return self._reached(every, isinstance(reached, Symbolic))

    def script(self) -> str:
        """The question of the round at the bound, or of the first one."""
        self._choices = frozenset(self._side_by_side())
        unwound = self._unwind(self._bound if self._bound is not None else 1)
        reached = self._values.or_([e.guard for e in unwound.queries])
        return self._values.solver.script([self._values.native(reached, terms.BOOL)])

    def statistics(self) -> dict[str, int | str]:
        """Figures about the rounds."""
        return {
            "bound": -1 if self._finished is None else self._finished,
            "instances": self._instances,
            "questions": self._questions,
            "solver": self.finder.value,
        }

    # ---------------------------------------------------------------------------------- questions

    def _possible(self, guard: Value, until: float) -> bool:
        """Whether a guard can hold; OutOfTime where the solver does not know."""
        if not isinstance(guard, Symbolic):
            return bool(guard)
        self._questions += 1
        status = self._values.solver.check([guard.term], until)
        if status is Status.UNKNOWN:
            raise OutOfTime
        return status is Status.SAT

    def _decided(
        self, some: Value, guards: Sequence[Value], share: float, *, final: bool
    ) -> bool | None:
        """Whether some guard can hold, None where that takes more than its share of the time.

        At the end guard by guard is asked, where all together take more.
        """
        try:
            return self._possible(some, self._soon((self._until - time.monotonic()) * share))
        except OutOfTime:
            Deadline(self._until).check()
            return self._one_by_one(guards) if final else None

    def _one_by_one(self, guards: Sequence[Value]) -> bool:
        """Whether one of the guards can hold: each alone is about a part of the formula."""
        left = []
        for case in itertools.chain.from_iterable(map(self._values.cases, guards)):
            try:
                if self._possible(case, self._soon(policy().bmc.guard_seconds)):
                    return True
            except OutOfTime:
                Deadline(self._until).check()
                left.append(case)
        return any(self._possible(guard, self._until) for guard in self._left_by_z3(left))

    def _left_by_z3(self, guards: Sequence[Value]) -> Sequence[Value]:
        """The guards of which z3 does not find that they cannot hold; it also tries integers."""
        asked = self._values.solver
        scripts = [
            _BARE.sub("", asked.script([guard.term]))
            for guard in guards
            if isinstance(guard, Symbolic)
        ]
        deadline, each = Deadline(self._until), policy().bmc.guard_seconds * 8
        answers = check_scripts(scripts, Solver.Z3, deadline, seconds_each=each)
        found = [answer.status is Status.UNSAT for answer in answers]
        self._asked_z3 = self._asked_z3 or any(found)
        return [guard for guard, is_unsat in zip(guards, found, strict=True) if not is_unsat]

    def _prune(self, unwound: Unwound) -> None:
        """Remember the guards of the frontier that cannot hold."""
        for _, guard in unwound.frontier:
            if isinstance(guard, Symbolic) and guard not in self._dead:
                try:
                    possible = self._possible(guard, self._soon(policy().bmc.pruning_seconds))
                except OutOfTime:
                    return
                if not possible:
                    self._dead.add(guard)

    def _soon(self, seconds: float) -> float:
        return min(self._until, time.monotonic() + seconds)

    def _time_limit(self) -> str:
        if self._finished is None:
            return "time limit before the first bound"
        return f"time limit after bound {self._finished}, beyond which runs go on"

    # ---------------------------------------------------------------------------------- unwinding

    def _unwind(self, every: int) -> Unwound:
        unwound = self._unwinder(Limits(every, self._bounds, self._bound), self._fresh).run()
        self._instances += unwound.instances
        return unwound

    def _unwinder(self, limits: Limits, fresh: Fresh, *, keep: bool = False) -> Unwinder:
        return Unwinder(
            self._relations,
            self._shape,
            self._codes,
            self._values,
            limits,
            fresh,
            dead=self._dead.__contains__,
            choices=self._choices,
            tick=Deadline(self._until).check,
            keep=keep,
        )

    def _fresh(self, key: Key, symbol: Term) -> Value:
        found = self._variables.get((key, symbol))
        if found is None:
            name = f"x{len(self._variables)}"
            found = self._values.variable(name, terms.sort_of(symbol))
            self._variables[key, symbol] = found
        return found

    def _deepest(self, unwound: Unwound) -> dict[str, int]:
        """The bound of each loop, outer loops first, and of each recursive function."""
        heads = {head for a in self._shape.addresses.values() for head in a.heads}
        nested = sorted(heads, key=lambda h: (len(self._shape.addresses[h].heads), h))
        return {name: unwound.deepest.get(name, 0) for name in (*nested, *self._shape.entries)}

    def _reached(self, every: int, by_model: bool) -> Found:
        """Unwind again with the values that the solver found: what is left is one derivation.

        Without any the query is reached whatever the values.
        """
        concrete = Concrete(self._values, self._variables if by_model else {})
        limits = Limits(every, self._bounds, self._bound)
        unwound = self._unwinder(limits, concrete.fresh, keep=True).run()
        if not unwound.queries or unwound.queries[-1].guard is not True:
            return Limit("the model of a query is no derivation, or divides by 0")
        return Reached(refutation_of(unwound.queries[-1], self._codes))

    # ------------------------------------------------------------------------------------- choice

    def _side_by_side(self) -> Iterator[str]:
        """The relations from which two rules may go on in the same state."""
        for name, rules in self._shape.outgoing.items():
            going_on = [r for r in (*rules.steps, *rules.joins) if isinstance(r.head, Atom)]
            if any(not self._exclusive(a, b) for a, b in itertools.combinations(going_on, 2)):
                yield name

    def _exclusive(self, one: Rule, other: Rule) -> bool:
        """No state lets both rules go on, whatever the values of the symbols they share."""
        key = (-1, *map(ord, one.body[0].relation if one.body else ""))

        def state(position: int, atom: Atom) -> list[Value]:
            own = (*key, -2, position)
            relation = self._relations[atom.relation]
            return [self._fresh((*own, k), s) for k, s in enumerate(relation.symbols)]

        states = [state(k, atom) for k, atom in enumerate(one.body)]
        both: Value = True
        for rule in (one, other):
            if [a.relation for a in rule.body] != [a.relation for a in one.body]:
                return False
            ran = self._codes[rule.name].run(states, lambda s: self._fresh(key, s), self._values)
            if ran is None:
                return True
            both = self._values.and_(both, ran[0])
        try:
            return not self._possible(both, self._soon(policy().bmc.exclusion_seconds))
        except OutOfTime:
            return False


def _growing(bound: int | None) -> Iterator[int]:
    """1, 2, 3, 4, 6, 8, 12, 16, ... up to the bound."""
    every = 1
    while bound is None or every < bound:
        yield every
        every = every + max(1, every // 2) if every & (every - 1) == 0 else (every // 3) * 4
    yield bound
