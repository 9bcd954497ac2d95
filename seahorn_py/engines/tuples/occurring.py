"""The least tables that contain what the rules derive, tuple by tuple."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import islice

from seahorn_py.base.records import dataclass
from seahorn_py.engines.conclusion import Conclusion, Limit, Proved, verdict
from seahorn_py.engines.tuples.tables import Feature, Features, Key, Table, tables_of
from seahorn_py.horn.system import Atom, HornSystem, Model, Rule
from seahorn_py.horn.transform.arguments.control import fixed_symbols
from seahorn_py.invariants.core import excluding
from seahorn_py.invariants.features import Point
from seahorn_py.invariants.rules import NativeRule
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline, OutOfTime
from seahorn_py.result import Verdict

LEAST = 2
"""Parameters of the first tables."""


class Undecided(Exception):
    """The solver does not know whether a rule derives something new."""


def solve(system: HornSystem, features: Features, most: int, deadline: Deadline) -> Verdict:
    """Search with ever larger tables until the deadline."""
    largest = min(most, max(map(len, features.values()), default=0))
    joins = 0
    conclusion: Conclusion = Limit("no tables of values exclude the queries")
    try:
        for size in range(min(LEAST, largest), largest + 1):
            search = Search(system, features, size, deadline)
            found = search.run()
            joins += search.joins
            if found is not None:
                model = excluding(system, found, deadline.at) or found
                conclusion = Proved(model, Solver.Z3)
                break
    except OutOfTime:
        conclusion = Limit("time limit")
    except Undecided:
        conclusion = Limit("z3 does not know what a rule derives")
    return verdict(conclusion, {"tuples": joins})


class Search:
    """The fixpoint over tables of one size."""

    def __init__(
        self,
        system: HornSystem,
        features: Features,
        size: int,
        deadline: Deadline,
    ) -> None:
        solvers = Solvers(Solver.Z3)
        self._system, self._features, self._deadline = system, features, deadline
        self._tables = {name: tables_of(own, size) for name, own in features.items()}
        images = [Image(rule, system, self._tables, solvers) for rule in system.rules]
        self._steps = [image for image in images if isinstance(image.rule.head, Atom)]
        self._queries = [image for image in images if image not in self._steps]
        self.joins = 0

    def run(self) -> Model | None:
        """What the tables say, if they exclude the queries; OutOfTime, Undecided."""
        waiting = deque(self._steps)
        while waiting:
            image = waiting.popleft()
            if self._saturate(image):
                using = (one for one in self._steps if image.leads_to(one))
                waiting.extend(one for one in using if one not in waiting)
        if any(image.outside((), self._deadline) is not None for image in self._queries):
            return None
        said = self._tables.items()
        return Model({name: terms.and_(t.formula() for t in own) for name, own in said})

    def _saturate(self, image: Image) -> bool:
        """Join what a rule derives until there is nothing new; whether there was anything."""
        assert isinstance(image.rule.head, Atom)
        name, grown = image.rule.head.relation, False
        while (values := image.outside(self._features[name], self._deadline)) is not None:
            numbers = [f.number(v) for f, v in zip(self._features[name], values, strict=True)]
            if not any([table.join(numbers) for table in self._tables[name]]):
                raise Undecided  # the solver and our evaluation differ: trust neither
            grown = True
            self.joins += 1
        return grown


@dataclass
class _Known:
    """As much of a table as one place of a rule has been told, and the label of what is not.

    `closed` is the negation of the label.  `given` are the numbers of the features that the rule
    says itself.
    """

    position: int
    table: Table
    label: Native
    closed: Native
    given: Mapping[int, int]
    told: int = field(default=0)

    def news(self) -> list[Key]:
        """The tuples that came since, but for those that contradict the rule."""
        if self.told == len(self.table.seen):
            return []
        keys = islice(self.table.seen, self.told, None)
        found = [k for k in keys if all(k[at] == number for at, number in self.given.items())]
        self.told = len(self.table.seen)
        return found


class Image:
    """A rule in a solver: a state of the head that is in none of its tables is looked for.

    A table of the body is `tuple or tuple or ... or label`.  The label stands for what may come
    later, which is excluded as long as it is assumed to be false.  A label of a table of the head
    says that the state has none of its tuples.  A head that hands on all that a table is about has
    no new tuple for it.
    """

    def __init__(
        self,
        rule: Rule,
        system: HornSystem,
        tables: Mapping[str, Sequence[Table]],
        solvers: Solvers,
    ) -> None:
        self.rule = rule
        self._rule = NativeRule(rule, system.relations, solvers)
        self._labels = 0
        self._natives: dict[tuple[int, int, int], Native] = {}
        self._known = fixed_symbols(rule.constraint)
        self._body = [
            self._told(position, atom, table)
            for position, atom in enumerate(rule.body)
            for table in tables[atom.relation]
        ]
        for known in self._body:
            self._rule.solver.add(known.label)
        self._head: list[_Known] = []
        if isinstance(head := rule.head, Atom):
            changed = [t for t in tables[head.relation] if not self._hands_on(head, t)]
            self._head = [self._told(len(rule.body), head, table) for table in changed]
            self._rule.solver.add(self._rule.solver.disjunction([h.label for h in self._head]))

    def _told(self, position: int, atom: Atom, table: Table) -> _Known:
        arguments = [self._value(atom.arguments[feature.place]) for feature in table.features]
        given = {
            k: table.features[k].number(argument.constant_value())
            for k, argument in enumerate(arguments)
            if argument.is_constant()
        }
        return _Known(position, table, *self._any(), given)

    def _value(self, argument: Term) -> Term:
        return self._known.get(argument, argument)

    def _hands_on(self, head: Atom, table: Table) -> bool:
        places = [feature.place for feature in table.features]
        return any(
            atom.relation == head.relation
            and all(
                self._value(atom.arguments[k]) is self._value(head.arguments[k]) for k in places
            )
            for atom in self.rule.body
        )

    def leads_to(self, other: Image) -> bool:
        """Whether the other rule uses what this one derives."""
        head = self.rule.head
        return isinstance(head, Atom) and any(a.relation == head.relation for a in other.rule.body)

    def outside(self, features: Sequence[Feature], deadline: Deadline) -> Point | None:
        """The features of a new state of the head; None if there is none.

        For a query, which has no features, whether the tables let it be met.
        """
        deadline.check()
        self._tell()
        closed = [known.closed for known in self._body]
        match self._rule.check(deadline.at, deadline.remaining, closed):
            case Status.UNSAT:
                return None
            case Status.UNKNOWN:
                raise Undecided
        symbols = [feature.symbol for feature in features]
        return self._rule.values(len(self.rule.body), symbols) if self._head else ()

    def _tell(self) -> None:
        """What has come to the tables since."""
        solver = self._rule.solver
        for known in self._body:
            if news := known.news():
                before, (known.label, known.closed) = known.label, self._any()
                ways = [self._has(known, key) for key in news]
                solver.add(solver.implication(before, solver.disjunction([*ways, known.label])))
        for known in self._head:
            if news := known.news():
                has = solver.disjunction([self._has(known, key) for key in news])
                solver.add(solver.implication(known.label, solver.negation(has)))

    def _has(self, known: _Known, key: Key) -> Native:
        pairs = zip(known.table.features, key, strict=True)
        parts = [self._native(known.position, feature, number) for feature, number in pairs]
        return self._rule.solver.conjunction(parts)

    def _native(self, position: int, feature: Feature, number: int) -> Native:
        key = position, feature.place, number
        if key not in self._natives:
            self._natives[key] = self._rule.native(position, feature.condition(number))
        return self._natives[key]

    def _any(self) -> tuple[Native, Native]:
        """A new label, and its negation."""
        self._labels += 1
        label = self._rule.solver.label(self._labels)
        return label, self._rule.solver.negation(label)
