"""The abstract post of the rules: which abstract states a rule derives from others.

Graf, Saidi: Construction of abstract state graphs with PVS, CAV 1997.  Ball, Podelski, Rajamani:
Boolean and Cartesian abstraction for model checking C programs, TACAS 2001.  Lahiri, Nieuwenhuis,
Oliveras: SMT techniques for fast predicate abstraction, CAV 2006 (all satisfying assignments).

A state is a set of literals over the parameters of a relation, and stands for their conjunction.
Each rule has one incremental solver, in which a predicate at an atom is defined once and has a
label from then on.  A core of assumptions says that some literals of the premises suffice for a
result.  It then holds for all premises with these literals, so cores are remembered and looked at
first.

A question that the solver leaves open makes the result coarser, never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations

from seahorn_py.base.records import dataclass
from seahorn_py.engines.refinement.configuration import Abstraction
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.predicates import predicate
from seahorn_py.horn.system import Atom, HornSystem, Relation, Rule
from seahorn_py.invariants.features import Point
from seahorn_py.invariants.rules import NativeRule
from seahorn_py.logic.solvers.natives import Native, Solvers
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

State = frozenset[Term]
"""Literals over the parameters of a relation."""

TOP: State = frozenset()

MOST_CUBES = 64
MOST_VALUES, MOST_STATES = 6, 32
"""A parameter with more values, or one of too many combinations, is not followed in a state."""

_LABEL = terms.variable("cegar!label", terms.BOOL)
_At = tuple[int, Term]
"""A literal at the atom of a position."""
Learn = Callable[[frozenset[_At]], None]


@dataclass(frozen=True)
class _Label:
    """A Boolean constant that is equivalent to a predicate at a position."""

    name: str
    positive: Native
    negative: Native


@dataclass
class Counts:
    """How much was asked."""

    questions: int = 0
    remembered: int = 0


class RulePost:
    """One rule in its solver."""

    def __init__(
        self, rule: Rule, relations: Mapping[str, Relation], solvers: Solvers, counts: Counts
    ) -> None:
        self.rule = rule
        self._relations = relations
        self._native = NativeRule(rule, relations, solvers)
        self._labels: dict[_At, _Label] = {}
        self._impossible: list[frozenset[_At]] = []
        self._entailed: list[tuple[frozenset[_At], State]] = []
        self._found: dict[tuple[object, ...], tuple[State, ...]] = {}
        self._counts = counts
        self._left = _left_alone(rule, relations)

    def post(
        self,
        premises: Sequence[State],
        precision: Precision,
        abstraction: Abstraction,
        until: float,
    ) -> tuple[State, ...]:
        """The states of the head; a query has the state that says nothing, or none."""
        head = self.rule.head
        name = head.relation if isinstance(head, Atom) else ""
        predicates, followed = precision.of(name), precision.values(name)
        key = (tuple(premises), predicates, followed)
        if key not in self._found:
            given = frozenset((k, one) for k, state in enumerate(premises) for one in state)
            for position, one in given:  # before anything is pushed
                self._label(position, predicate(one))
            if self._excluded(given):
                self._found[key] = ()
            else:
                self._found[key] = self._states(given, predicates, followed, abstraction, until)
        return self._found[key]

    # ------------------------------------------------------------------------------- three domains

    def _states(
        self,
        given: frozenset[_At],
        predicates: Sequence[Term],
        followed: Sequence[Term],
        abstraction: Abstraction,
        until: float,
    ) -> tuple[State, ...]:
        if not followed:
            return self._under(given, predicates, abstraction, until)
        found: list[State] = []
        position = len(self.rule.body)
        for values in self._values(given, followed, until):
            fixed = given | {(position, one) for one in values}
            states = self._under(fixed, _undecided(predicates, values), abstraction, until)
            found += [state | values for state in states]
        return tuple(dict.fromkeys(found))

    def _under(
        self,
        given: frozenset[_At],
        predicates: Sequence[Term],
        abstraction: Abstraction,
        until: float,
    ) -> tuple[State, ...]:
        certain = self._cartesian(given, predicates, until)
        if certain is None:
            return ()
        open_ = [p for p in predicates if p not in certain and terms.not_(p) not in certain]
        if abstraction is Abstraction.CARTESIAN or not open_:
            return (certain,)
        return tuple(certain | cube for cube in self._cubes(given, open_, until))

    def _cartesian(
        self, given: frozenset[_At], predicates: Sequence[Term], until: float
    ) -> State | None:
        """The literals that follow, each by itself; None where there is no state."""
        known = {p for core, of in self._entailed if core <= given for p in of}
        left = [p for p in predicates if p not in known and terms.not_(p) not in known]
        wanted = frozenset(p for p in known if predicate(p) in predicates)
        self._counts.remembered += len(wanted)
        labels = {p: self._label(len(self.rule.body), p) for p in left}
        match self._check(given, until, self._impossible.append):
            case Status.UNSAT:
                return None
            case Status.UNKNOWN:
                return wanted
        candidates = self._modelled(labels)
        while candidates:
            match self._model(given, candidates, labels, until):
                case None:
                    return wanted | frozenset(candidates)
                case Status.UNKNOWN:
                    return wanted | self._one_by_one(given, candidates, until)
                case values:
                    assert isinstance(values, list)
                    candidates = [c for c, holds in zip(candidates, values, strict=True) if holds]
        return wanted

    def _model(
        self,
        given: frozenset[_At],
        candidates: Sequence[Term],
        labels: Mapping[Term, _Label],
        until: float,
    ) -> list[bool] | Status | None:
        """Which candidates hold in a state in which not all do; None where there is none."""
        solver = self._native.solver
        solver.push()
        try:
            all_ = solver.conjunction([self._assumed((len(self.rule.body), c)) for c in candidates])
            solver.add(solver.negation(all_))
            follow = frozenset(candidates)
            match self._check(given, until, lambda core: self._entailed.append((core, follow))):
                case Status.UNSAT:
                    return None
                case Status.UNKNOWN:
                    return Status.UNKNOWN
            now = set(self._modelled(labels))
            return [c in now for c in candidates]
        finally:
            solver.pop()

    def _one_by_one(self, given: frozenset[_At], candidates: Sequence[Term], until: float) -> State:
        """Those candidates of which the solver knows by themselves that they follow."""
        position = len(self.rule.body)
        found = []
        for candidate in candidates:
            labels = {predicate(candidate): self._label(position, predicate(candidate))}
            if self._model(given, [candidate], labels, until) is None:
                found.append(candidate)
        return frozenset(found)

    def _cubes(
        self, given: frozenset[_At], predicates: Sequence[Term], until: float
    ) -> list[State]:
        """All combinations of the predicates, joined where one of them does not matter."""
        labels = {p: self._label(len(self.rule.body), p) for p in predicates}
        solver = self._native.solver
        found: list[State] = []
        solver.push()
        try:
            while len(found) <= MOST_CUBES:
                match self._check(given, until):
                    case Status.UNSAT:
                        return joined(found)
                    case Status.UNKNOWN:
                        return [TOP]
                cube = self._modelled(labels)
                found.append(frozenset(cube))
                chosen = [self._assumed((len(self.rule.body), one)) for one in cube]
                solver.add(solver.negation(solver.conjunction(chosen)))
            return [TOP]
        finally:
            solver.pop()

    def _values(self, given: frozenset[_At], followed: Sequence[Term], until: float) -> list[State]:
        """The values of the parameters that are followed, without those of which there are many."""
        position = len(self.rule.body)
        solver = self._native.solver
        few, found = self._worth_following(given, followed), set[Point]()
        solver.push()
        try:
            while True:
                match self._check(given, until):
                    case Status.UNSAT:
                        return [_known(few, point) for point in sorted(found)]
                    case Status.UNKNOWN:
                        return [TOP]
                point = self._native.values(position, few)
                found.add(point)
                kept = _few_valued(found, len(few))
                new = {point}
                if len(kept) < len(few):
                    few = tuple(few[k] for k in kept)
                    new = found = {tuple(old[k] for k in kept) for old in found}
                for one in new:
                    chosen = [
                        self._native.native(position, literal) for literal in _known(few, one)
                    ]
                    solver.add(solver.negation(solver.conjunction(chosen)))
        finally:
            solver.pop()

    def _worth_following(self, given: frozenset[_At], followed: Sequence[Term]) -> tuple[Term, ...]:
        """Without the parameters that the rule leaves as they are and the premise does not know."""
        known = {(position, symbol) for position, one in given for symbol in _pinned(one)}
        return tuple(s for s in followed if s not in self._left or self._left[s] in known)

    # -------------------------------------------------------------------------------- the questions

    def _check(self, given: frozenset[_At], until: float, learn: Learn | None = None) -> Status:
        """Whether the premises are possible with what is asserted; `learn` is told of a core."""
        order = sorted(given, key=lambda at: (at[0], at[1].node_id()))
        assumed = [self._assumed(at) for at in order]
        self._counts.questions += 1
        status = self._native.check(until, policy().refinement.question_seconds, assumed)
        if status is Status.UNSAT and learn is not None:
            learn(frozenset(order[k] for k in self._native.solver.core(assumed)))
        return status

    def _excluded(self, given: frozenset[_At]) -> bool:
        found = any(core <= given for core in self._impossible)
        self._counts.remembered += found
        return found

    def _label(self, position: int, formula: Term) -> _Label:
        at = (position, formula)
        if at not in self._labels:
            solver = self._native.solver
            name = f"l!{len(self._labels)}"
            solver.declare({_LABEL: name})
            label = solver.formula(_LABEL, {_LABEL: name})
            negative = solver.negation(label)
            native = self._native.native(position, formula)
            solver.add(solver.implication(label, native))
            solver.add(solver.implication(negative, solver.negation(native)))
            self._labels[at] = _Label(name, label, negative)
        return self._labels[at]

    def _assumed(self, at: _At) -> Native:
        position, one = at
        label = self._label(position, predicate(one))
        return label.negative if one.is_not() else label.positive

    def _modelled(self, labels: Mapping[Term, _Label]) -> list[Term]:
        """The literals of the labels that hold under the last assignment."""
        value = self._native.solver.value
        return [p if value(of.name, _LABEL) else terms.not_(p) for p, of in labels.items()]


def equals(symbol: Term, value: bool | int) -> Term:
    """`symbol = value` as a literal."""
    sort = terms.sort_of(symbol)
    if sort is terms.BOOL:
        return symbol if value else terms.not_(symbol)
    if sort.is_bv_type():
        return terms.eq(symbol, terms.bv_const(int(value), sort.width))
    return terms.eq(symbol, terms.int_const(int(value)))


def _left_alone(rule: Rule, relations: Mapping[str, Relation]) -> Mapping[Term, _At]:
    """The parameters of the head that are parameters of a premise, and where."""
    if not isinstance(rule.head, Atom):
        return {}
    before = {
        argument: (position, symbol)
        for position, atom in enumerate(rule.body)
        for symbol, argument in zip(relations[atom.relation].symbols, atom.arguments, strict=True)
        if argument.is_symbol()
    }
    after = zip(relations[rule.head.relation].symbols, rule.head.arguments, strict=True)
    return {symbol: before[argument] for symbol, argument in after if argument in before}


def _pinned(one: Term) -> frozenset[Term]:
    """The symbol of which a literal gives the value."""
    if one.is_equals() and any(side.is_constant() for side in one.args()):
        return terms.free_symbols(one)
    subject = predicate(one)
    return frozenset([subject]) if subject.is_symbol() else frozenset()


def _undecided(predicates: Sequence[Term], values: State) -> Sequence[Term]:
    """The predicates that speak of more than what has a value."""
    valued = frozenset(symbol for one in values for symbol in terms.free_symbols(one))
    return [p for p in predicates if not terms.free_symbols(p) <= valued] if valued else predicates


def _known(symbols: Sequence[Term], point: Point) -> State:
    values = (int(value) for value in point if isinstance(value, int))
    return frozenset(equals(symbol, value) for symbol, value in zip(symbols, values, strict=True))


def _few_valued(points: Collection[Point], length: int) -> list[int]:
    """The positions that stay, when those that have too many values are left out."""
    count = [len({point[k] for point in points}) for k in range(length)]
    few = [k for k in range(length) if count[k] <= MOST_VALUES]
    if len(few) == length and len(points) > MOST_STATES:
        few.remove(count.index(max(count)))
    return few


def joined(cubes: Sequence[State]) -> list[State]:
    """Fewer cubes with the same disjunction: two that differ in one literal become one."""
    current = list(dict.fromkeys(cubes))
    while (pair := next(_differing_in_one(current), None)) is not None:
        one, other = pair
        current = [c for c in current if c not in pair]
        current.append(one & other)
    return current


def _differing_in_one(cubes: Sequence[State]) -> Iterator[tuple[State, State]]:
    for one, other in combinations(cubes, 2):
        difference = one ^ other
        if len(difference) == 2 and len({predicate(d) for d in difference}) == 1:
            yield one, other


class Posts:
    """The rules of a system, each made when it is first applied."""

    def __init__(self, system: HornSystem, solvers: Solvers, abstraction: Abstraction) -> None:
        self._relations = system.relations
        self._solvers = solvers
        self._abstraction = abstraction
        self._rules: dict[str, RulePost] = {}
        self.counts = Counts()

    def post(
        self, rule: Rule, premises: Sequence[State], precision: Precision, until: float
    ) -> tuple[State, ...]:
        """The abstract post of a rule."""
        if rule.name not in self._rules:
            made = RulePost(rule, self._relations, self._solvers, self.counts)
            self._rules[rule.name] = made
        return self._rules[rule.name].post(premises, precision, self._abstraction, until)
