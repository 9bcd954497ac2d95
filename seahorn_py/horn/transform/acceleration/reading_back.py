"""From an accelerated system back to the one it was made from: models and refutations.

In the model, a relation that lost its loop is what its definitions derive, and all that the loop
makes of that (`read_model`).  This set contains the facts, is closed under the loop, and is below
every model of the new system, so all rules hold of it; the ordinary checker confirms it.

A step of a refutation by a rule that was put together becomes the steps of its parts, and as many
iterations of the loop as are needed (`read_refutation`).  Those are found in layers: what n
iterations reach among what can still come to the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import (
    Atom,
    Model,
    Refutation,
    Rule,
    Step,
)
from seahorn_py.horn.transform.acceleration.stages import OPERATIONS, Accelerated, Stage
from seahorn_py.horn.transform.composition import Closure, Joint, renamed
from seahorn_py.horn.transform.transitions import (
    constants,
    equations,
    instance,
    numbers,
    ports,
    transition,
)
from seahorn_py.logic.presburger.presburger import Beyond, Map, Presburger, Set, sample, union
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.definitions import without_definitions
from seahorn_py.logic.terms.terms import Term

MAX_STEPS = 1000
"""A longer refutation is not written out."""


class TooLong(Exception):
    """The refutation has more than MAX_STEPS steps, or its iterations are not found."""


# ---------------------------------------------------------------------------------------- models


def read_model(accelerated: Accelerated, model: Model, arithmetic: Presburger) -> Model:
    """The model of the original system that a model of the new one gives."""
    found = dict(model.interpretations)
    for stage in reversed(accelerated.stages):
        found[stage.relation] = _meaning(stage, Model(found), arithmetic)
    return Model(found)


def _meaning(stage: Stage, model: Model, arithmetic: Presburger) -> Term:
    """What the definitions and the loop of a stage derive under a model."""
    relation = stage.before.relations[stage.relation]
    loops = stage.closure.loops if stage.closure is not None else ()
    definitions = [
        rule
        for rule in stage.before.rules
        if isinstance(rule.head, Atom) and rule.head.relation == relation.name
    ]
    parts = [_derived(stage, rule, model, arithmetic) for rule in definitions if rule not in loops]
    sets = [part for part in parts if isinstance(part, Set)]
    texts = [part for part in parts if not isinstance(part, Set)]
    if sets:
        with arithmetic.within(OPERATIONS):
            texts.insert(0, arithmetic.formula(union(sets), relation.symbols))
    return terms.or_(texts)


def _derived(stage: Stage, rule: Rule, model: Model, arithmetic: Presburger) -> Set | Term:
    """What one definition derives, with the loop after it; a formula where isl cannot tell."""
    relation = stage.before.relations[stage.relation]
    own = renamed(rule)
    assert isinstance(own.head, Atom)
    parts = [own.constraint]
    for atom in own.body:
        symbols = stage.before.relations[atom.relation].symbols
        values = dict(zip(symbols, atom.arguments, strict=True))
        formula = model.interpretations.get(atom.relation, terms.TRUE)
        parts.append(terms.substitute(formula, values))
    if stage.closure is None:
        parts.append(equations(relation.symbols, own.head.arguments))
    else:
        parts.append(stage.closure.between(own.head.arguments, relation.symbols))
    formula = terms.and_(parts)
    try:
        with arithmetic.within(OPERATIONS):
            return arithmetic.set(formula, relation.symbols)
    except Beyond:
        return _projected(formula, frozenset(relation.symbols))


def _projected(formula: Term, kept: frozenset[Term]) -> Term:
    """The conjuncts about the kept symbols, once the others are replaced by what defines them."""
    found = without_definitions(formula, kept)
    return terms.and_(part for part in conjuncts(found) if terms.free_symbols(part) <= kept)


# ----------------------------------------------------------------------------------- refutations

Solve = Callable[[Term, Sequence[Term]], Sequence[Term] | None]
"""Constants for the symbols that satisfy the formula."""


def read_refutation(
    accelerated: Accelerated, refutation: Refutation, arithmetic: Presburger, solve: Solve
) -> Refutation:
    """The refutation of the original system; TooLong when it is not to be written out.

    `solve` answers what isl cannot.
    """
    for stage in reversed(accelerated.stages):
        refutation = _Unfolding(stage, refutation, arithmetic, solve).run()
    return refutation


@dataclass
class _Unfolding:
    """The steps of a refutation in the system before a stage."""

    stage: Stage
    refutation: Refutation
    arithmetic: Presburger
    solve: Solve
    steps: list[Step] = field(default_factory=list)

    def run(self) -> Refutation:
        """All steps in order; `place` says where the fact of an old step is derived now."""
        joints = {joint.rule.name: joint for joint in self.stage.joints}
        place: list[int] = []
        for step in self.refutation.steps:
            premises = [place[p] for p in step.premises]
            joint = joints.get(step.rule)
            if joint is None:
                self._add(replace(step, premises=tuple(premises)))
            else:
                self._unfold(joint, step, premises)
            place.append(len(self.steps) - 1)
        return Refutation(tuple(self.steps))

    def _unfold(self, joint: Joint, step: Step, premises: Sequence[int]) -> None:
        relation = self.stage.before.relations[self.stage.relation]
        count = len(joint.definition.body)
        facts = [self.steps[p].arguments for p in premises]
        derived, used = self._values(joint, step, facts)
        own = premises[joint.position : joint.position + count]
        self._add(Step(joint.definition.name, derived, tuple(own)))
        if joint.closure is not None:
            for rule, point in iterations(
                joint.closure, numbers(derived), numbers(used), self.arithmetic
            ):
                fact = constants(point, relation)
                self._add(Step(rule.name, fact, (len(self.steps) - 1,)))
        if joint.use is not None:
            last = len(self.steps) - 1
            before, after = premises[: joint.position], premises[joint.position + count :]
            self._add(Step(joint.use.name, step.arguments, (*before, last, *after)))

    def _add(self, step: Step) -> None:
        if len(self.steps) >= MAX_STEPS:
            raise TooLong(f"more than {MAX_STEPS} steps")
        self.steps.append(step)

    def _values(
        self, joint: Joint, step: Step, facts: Sequence[Sequence[Term]]
    ) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """The fact that the definition derives, and that to which the loop leads from it."""
        relation = self.stage.before.relations[self.stage.relation]
        first, last = ports("derived", joint.derived), ports("used", joint.used)
        formula = terms.and_(
            [
                terms.substitute(instance(joint.rule, facts, step.arguments), step.values),
                terms.substitute(equations(first, joint.derived), step.values),
                terms.substitute(equations(last, joint.used), step.values),
            ]
        )
        found = self._solution(formula, [*first, *last])
        count = len(relation.parameters)
        return tuple(found[:count]), tuple(found[count:])

    def _solution(self, formula: Term, wanted: Sequence[Term]) -> Sequence[Term]:
        try:
            with self.arithmetic.within(OPERATIONS):
                point = sample(self.arithmetic.set(formula, wanted))
        except Beyond:
            found = self.solve(formula, wanted)
        else:
            relation = self.stage.before.relations[self.stage.relation]
            twice = replace(relation, parameters=(*relation.parameters, *relation.parameters))
            found = None if point is None else constants(point, twice)
        if found is None:
            raise TooLong("a step is no instance of its rule")
        return found


def iterations(
    closure: Closure, start: Sequence[int], goal: Sequence[int], arithmetic: Presburger
) -> list[tuple[Rule, tuple[int, ...]]]:
    """The fewest applications of the loop's rules from one point to another: each with the point
    that it leads to; TooLong when there are too many.
    """
    if tuple(start) == tuple(goal):
        return []
    try:
        with arithmetic.within(10 * OPERATIONS):
            steps = [(rule, transition(arithmetic, rule)) for rule in closure.loops]
            points = _path(closure, union([s for _, s in steps]), start, goal, arithmetic)
            return [
                (_rule_between(steps, before, after, arithmetic), after)
                for before, after in zip([tuple(start), *points], points, strict=False)
            ]
    except Beyond as error:
        raise TooLong(str(error)) from None


def _path(
    closure: Closure,
    step: Map,
    start: Sequence[int],
    goal: Sequence[int],
    arithmetic: Presburger,
) -> list[tuple[int, ...]]:
    end = arithmetic.point(goal)
    ahead = None if closure.pairs is None else closure.pairs.intersect_range(end).domain()
    layers = [arithmetic.point(start)]
    while not end.is_subset(layers[-1]) or len(layers) == 1:
        found = layers[-1].apply(step)
        layers.append((found if ahead is None else found.intersect(ahead)).coalesce())
        if len(layers) > MAX_STEPS or layers[-1].is_empty():
            raise TooLong(f"more than {MAX_STEPS} iterations")
    points = [tuple(goal)]
    for layer in layers[-2:0:-1]:
        before = step.intersect_range(arithmetic.point(points[-1])).domain()
        point = sample(layer.intersect(before))
        assert point is not None
        points.append(point)
    return points[::-1]


def _rule_between(
    steps: Sequence[tuple[Rule, Map]],
    before: Sequence[int],
    after: Sequence[int],
    arithmetic: Presburger,
) -> Rule:
    """A rule of the loop that leads from one point to the other."""
    pair = Map.from_domain_and_range(arithmetic.point(before), arithmetic.point(after))
    return next(rule for rule, step in steps if pair.is_subset(step))
