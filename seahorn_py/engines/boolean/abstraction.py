"""A Horn system and predicates -> Boolean rules, one for each rule.

Ball, Majumdar, Millstein, Rajamani: Automatic predicate abstraction of C programs, PLDI 2001
(c2bp); Wolff 2015, section 3.

Step of the papers -> code:

    F(phi), the strengthening                                     `strengthening`
    G(phi) = not F(not phi); assume(G(c))                         `RuleAbstraction._guard`
    b_i = F(wp(p_i)) ? true : F(wp(not p_i)) ? false : unknown,
    for all i at once                                             `RuleAbstraction._update`
    enforce(not F(false)): no state is contradictory              `Abstraction.rules`

The weakest precondition of a predicate p of the head through a rule with constraint phi is, over
all inputs, `phi -> p(arguments of the head)`; a rule is a statement that ends where phi is false.
F(false), cubes that exclude phi, belongs to the guard and is left out of the updates.

The guard says where the rule may be taken, and, for the semantics that conclude that something is
reached, where it is taken for sure: F(exists inputs. phi).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.cone import Relevance, quantified
from seahorn_py.engines.boolean.expressions import (
    FALSE,
    TRUE,
    Bit,
    Expression,
    choice,
    conjunction,
    disjunction,
    negation,
)
from seahorn_py.engines.boolean.questions import At, Questions
from seahorn_py.engines.boolean.rules import BooleanRule, BooleanRules, Location
from seahorn_py.engines.boolean.strengthening import Cube, strengthening
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.predicates import literal
from seahorn_py.horn.system import Atom, HornSystem, Query, Relation, Rule, Vacuity
from seahorn_py.logic.solvers.natives import Solvers
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.options import Semantics

Named = frozenset[tuple[At, bool]]
"""A cube that survives a change of the precision."""


@dataclass
class _Known:
    """What was found out about a rule, for one list of predicates at its atoms."""

    ats: tuple[At, ...]
    result: BooleanRule


class Abstraction:
    """The rules of one system; what was found out about a rule is kept as long as it holds."""

    def __init__(
        self,
        system: HornSystem,
        solver: Solver,
        semantics: Semantics,
        until: float,
        solvers: Solvers | None = None,
    ) -> None:
        self._relations = system.relations
        self._numbers = {name: number for number, name in enumerate(system.relations)}
        solvers = solvers or Solvers(solver)
        others = solvers if solver is Solver.Z3 else Solvers(Solver.Z3)
        shared = self._relations, self._numbers, solvers, others
        self._rules = [RuleAbstraction(rule, *shared, semantics, until) for rule in system.rules]
        self._states = {
            name: RuleAbstraction(_alone(relation), *shared, Semantics.OVER, until)
            for name, relation in system.relations.items()
        }

    def rules(self, precision: Precision) -> BooleanRules:
        """The abstraction by the predicates; locations are numbered as the relations are."""
        alone = {name: rule.of(precision, {}) for name, rule in self._states.items()}
        excluded = {name: self._states[name].excluded for name in alone}
        locations = [
            Location(name, len(precision.of(name)), rule.guard) for name, rule in alone.items()
        ]
        rules = [rule.of(precision, excluded) for rule in self._rules]
        return BooleanRules(tuple(locations), tuple(rules))

    @property
    def asked(self) -> int:
        """How many questions solvers were asked."""
        return sum(rule.asked for rule in (*self._rules, *self._states.values()))


def _alone(relation: Relation) -> Rule:
    """A rule that holds of any values of the parameters."""
    atom = Atom(relation.name, relation.symbols)
    return Rule(relation.name, (atom,), terms.TRUE, _NOBODY)


class RuleAbstraction:
    """One rule."""

    def __init__(
        self,
        rule: Rule,
        relations: Mapping[str, Relation],
        numbers: Mapping[str, int],
        solvers: Solvers,
        quantifying: Solvers,
        semantics: Semantics,
        until: float,
    ) -> None:
        self._rule = rule
        self._relations = relations
        self._numbers = numbers
        self._quantifying = quantifying
        self._semantics = semantics
        self._until = until
        self._relevance = Relevance(rule, relations)
        self._questions = Questions(rule, relations, solvers)
        self._taken: Questions | None = None
        self._cubes: dict[tuple[Term | None, bool], list[Named]] = {}
        self._valuations: list[int] = []
        self._known: _Known | None = None

    @property
    def asked(self) -> int:
        """How many questions its solvers were asked."""
        return self._questions.asked + (self._taken.asked if self._taken else 0)

    @property
    def excluded(self) -> list[Named]:
        """The cubes over the body in which the constraint is false."""
        return self._cubes.get((None, False), [])

    def of(self, precision: Precision, contradictory: Mapping[str, Sequence[Named]]) -> BooleanRule:
        """The Boolean rule for the predicates of its atoms.

        States of a relation have no `contradictory` cubes, so nothing is said of those.
        """
        body = [
            (position, p)
            for position, atom in enumerate(self._rule.body)
            for p in precision.of(atom.relation)
        ]
        head = self._rule.head
        position = len(self._rule.body)
        derived = precision.of(head.relation) if isinstance(head, Atom) else ()
        ats = (*body, *((position, p) for p in derived))
        if self._known is None or self._known.ats != ats:
            self._valuations = []
            for at in ats:  # before anything is asked
                self._questions.label(at)
            known = [
                frozenset(((position, p), value) for (_, p), value in cube)
                for position, atom in enumerate(self._rule.body)
                for cube in contradictory.get(atom.relation, ())
            ]
            self._known = _Known(ats, self._abstracted(body, derived, _still(known, body)))
        return self._known.result

    def _abstracted(
        self, body: Sequence[At], derived: Sequence[Term], contradictory: Sequence[Cube]
    ) -> BooleanRule:
        head = self._rule.head
        locations = tuple(self._numbers[atom.relation] for atom in self._rule.body)
        number = self._numbers[head.relation] if isinstance(head, Atom) else None
        ats = (*body, *((len(self._rule.body), p) for p in derived))
        excluded = self._weakest(body, ats, None, False, contradictory)
        never = [*contradictory, *excluded]
        guard = self._guard(body, excluded, never)
        updates = [self._update(body, ats, p, never) for p in derived]
        return BooleanRule(self._rule.name, locations, guard, number, tuple(updates))

    def _guard(
        self, body: Sequence[At], excluded: Sequence[Cube], vain: Sequence[Cube]
    ) -> Expression:
        """Where the constraint may hold; where it does for sure, if that is of use."""
        never = self._expression(body, excluded)
        if self._semantics is Semantics.OVER or never == TRUE:
            return negation(never)
        return choice(self._expression(body, self._for_sure(body, vain)), never)

    def _for_sure(self, body: Sequence[At], vain: Sequence[Cube]) -> list[Cube]:
        """F(exists inputs. phi), without cubes in which nothing is."""
        if self._taken is None:
            self._taken = Questions(
                quantified(self._rule, self._relations), self._relations, self._quantifying
            )
        taken, valuations = self._taken, list[int]()
        for at in body:
            taken.label(at)

        def ask(cube: Cube) -> bool | None:
            match taken.possible(_literals(body, cube), self._until):
                case Status.UNSAT:
                    return True
                case Status.SAT:
                    valuations.append(taken.valuation(body))
                    return False
            return None

        return strengthening(range(len(body)), ask, valuations, vain)

    def _update(
        self, body: Sequence[At], ats: Sequence[At], predicate: Term, excluded: Sequence[Cube]
    ) -> Expression:
        """`F(wp(p)) ? true : F(wp(not p)) ? false : unknown`."""
        same = self._same(body, predicate)
        if same is not None:
            return same
        true_if = self._weakest(body, ats, predicate, False, excluded)
        if true_if == [_EMPTY]:
            return TRUE
        false_if = self._weakest(body, ats, predicate, True, excluded)
        return choice(self._expression(body, true_if), self._expression(body, false_if))

    def _same(self, body: Sequence[At], predicate: Term) -> Expression | None:
        """The bit that the predicate is a copy of; TRUE or FALSE where it is constant."""
        wanted = literal(self._relevance.placed(len(self._rule.body), predicate))
        if wanted.is_bool_constant():
            return TRUE if wanted.is_true() else FALSE
        for (position, known), bit in zip(body, _bits(body), strict=True):
            found = literal(self._relevance.placed(position, known))
            if found is wanted:
                return bit
            if found is terms.not_(wanted):
                return negation(bit)
        return None

    def _weakest(
        self,
        body: Sequence[At],
        ats: Sequence[At],
        predicate: Term | None,
        value: bool,
        excluded: Sequence[Cube],
    ) -> list[Cube]:
        """The cubes that exclude the constraint with this value of a predicate of the head."""
        position = len(self._rule.body)
        goal = [] if predicate is None else [((position, predicate), value)]
        alone = self._rule.head == _NOBODY
        relevant = range(len(body)) if alone else self._relevance.of(body, predicate)
        bit = 0 if predicate is None else 1 << ats.index((position, predicate))
        here = [m for m in self._valuations if predicate is None or bool(m & bit) is value]

        def ask(cube: Cube) -> bool | None:
            match self._questions.possible([*_literals(body, cube), *goal], self._until):
                case Status.UNSAT:
                    return True
                case Status.SAT:
                    valuation = self._questions.valuation(ats)
                    self._valuations.append(valuation)
                    here.append(valuation)
                    return False
            return None

        key = predicate, value
        known = _still(self._cubes.get(key, ()), body)
        found = strengthening(relevant, ask, here, [*known, *excluded])
        cubes = _prime([*known, *found])
        self._cubes[key] = [frozenset(_literals(body, cube)) for cube in cubes]
        return cubes

    def _expression(self, body: Sequence[At], cubes: Iterable[Cube]) -> Expression:
        bits = _bits(body)
        return disjunction(
            conjunction(
                bits[position] if cube.true >> position & 1 else negation(bits[position])
                for position in range(len(bits))
                if (cube.true | cube.false) >> position & 1
            )
            for cube in cubes
        )


_EMPTY = Cube(0, 0)
_NOBODY = Query("nobody", Vacuity("nowhere"))


def _bits(body: Sequence[At]) -> list[Bit]:
    """The bit of each predicate: its number among those of its position."""
    counts: dict[int, int] = {}
    found = []
    for position, _ in body:
        found.append(Bit(position, counts.get(position, 0)))
        counts[position] = counts.get(position, 0) + 1
    return found


def _literals(body: Sequence[At], cube: Cube) -> list[tuple[At, bool]]:
    return [
        (at, bool(cube.true >> position & 1))
        for position, at in enumerate(body)
        if (cube.true | cube.false) >> position & 1
    ]


def _still(cubes: Iterable[Named], body: Sequence[At]) -> list[Cube]:
    """Cubes found before, over the positions of today."""
    positions = {at: 1 << position for position, at in enumerate(body)}
    return [
        Cube(
            sum(positions[at] for at, value in cube if value),
            sum(positions[at] for at, value in cube if not value),
        )
        for cube in cubes
    ]


def _prime(cubes: Sequence[Cube]) -> list[Cube]:
    """Those that no other one covers."""
    distinct = list(dict.fromkeys(cubes))
    return [c for c in distinct if not any(o is not c and o.covers(c) for o in distinct)]
