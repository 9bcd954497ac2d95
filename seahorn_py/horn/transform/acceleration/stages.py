"""Loops of a Horn system replaced by what they lead to, inside out.

Bardin, Finkel, Leroux, Schnoebelen: "Flat acceleration in symbolic model checking", ATVA 2005.
Hojjat, Iosif, Konecny, Kuncak, Ruemmer: "Accelerating interpolants", ATVA 2012.

A relation `R` with rules from itself to itself, whose closure is known, loses these rules: each
rule that derives a fact of `R` from others derives at once everything that the loop makes of it.
Where that is cheap, `R` vanishes: what derives its facts and what uses them become one rule, so
that a loop around it becomes a rule from its own head to itself.  The order is that of Kleene's
algorithm for regular expressions, inner loops first.

    accelerate     HornSystem -> Accelerated: the new system and the steps that made it
    reading_back   reads models and refutations of the new system back

Closures are those of `logic.presburger.closure`, which are exact, and of
`horn.transform.acceleration.polynomials`, which may hold of more than is reached: then the system
has an entry `over` in its ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.horn.transform.acceleration.loopnest import inside_out, may_repeat
from seahorn_py.horn.transform.acceleration.polynomials import polynomial_closure
from seahorn_py.horn.transform.composition import Closure, Joint, closed, resolved
from seahorn_py.horn.transform.transitions import is_arithmetic, ports, transition
from seahorn_py.logic.presburger.closure import star
from seahorn_py.logic.presburger.presburger import (
    Beyond,
    Map,
    Presburger,
    loosened,
    unchanged,
    union,
)

MAX_RULES_ADDED = 16
"""A relation stays if to remove it would add more rules than this."""

OPERATIONS = 2_000_000
"""Elementary steps of isl for the translation of one rule."""

INEXACT = "a loop is replaced by more than its iterations"


@dataclass(frozen=True)
class Stage:
    """One relation that lost its loop, and its existence if it is `gone`.

    `before` is the system, `joints` say how the new rules were put together.
    """

    before: HornSystem
    relation: str
    closure: Closure | None
    gone: bool
    joints: tuple[Joint, ...]


@dataclass(frozen=True)
class Accelerated:
    """The new system, and the stages in which it was made."""

    system: HornSystem
    stages: tuple[Stage, ...]

    @property
    def loops(self) -> int:
        """How many relations lost a loop."""
        return sum(stage.closure is not None for stage in self.stages)


def accelerate(
    system: HornSystem, arithmetic: Presburger, *, polynomials: bool = True
) -> Accelerated:
    """The system with the loops replaced whose closures are found; `polynomials` may be closures.

    Relations of contexts and summaries stay where calls are left, since runs are read off them.
    What has no loop of rules with one premise stays as it is: rules put together have as many.
    """
    if not may_repeat(system):
        return Accelerated(system, ())
    stages: list[Stage] = []
    kept = frozenset() if system.linear else frozenset(filter(_of_calls, system.relations))
    for name in inside_out(system):
        stage = _stage(system, name, name in kept, arithmetic, polynomials)
        if stage is None:
            continue
        stages.append(stage)
        system = _after(stage)
    return Accelerated(system, tuple(stages))


def _of_calls(name: str) -> bool:
    return name.endswith((".entry", ".exit"))


def _stage(
    system: HornSystem, name: str, kept: bool, arithmetic: Presburger, polynomials: bool
) -> Stage | None:
    """What can be done about a relation; None when nothing."""
    loops = [rule for rule in system.rules if _is_loop(rule, name)]
    definitions = [r for r in system.rules if _derives(r, name) and r not in loops]
    uses = [r for r in system.rules if _uses(r, name) and r not in loops]
    if any(r in uses for r in definitions):
        return None
    closure = _closure(system, name, loops, definitions, arithmetic, polynomials) if loops else None
    if loops and closure is None:
        return None
    gone = not kept and _is_cheap(definitions, uses, name)
    if not gone:
        if closure is None:
            return None
        return Stage(system, name, closure, False, tuple(closed(d, closure) for d in definitions))
    joints = [resolved(d, closure, use, _position(use, name)) for use in uses for d in definitions]
    possible = tuple(joint for joint in joints if _is_possible(joint.rule, arithmetic))
    return Stage(system, name, closure, True, possible)


def _is_loop(rule: Rule, name: str) -> bool:
    return _derives(rule, name) and [atom.relation for atom in rule.body] == [name]


def _derives(rule: Rule, name: str) -> bool:
    return isinstance(rule.head, Atom) and rule.head.relation == name


def _uses(rule: Rule, name: str) -> bool:
    return any(atom.relation == name for atom in rule.body)


def _position(rule: Rule, name: str) -> int:
    return next(k for k, atom in enumerate(rule.body) if atom.relation == name)


def _is_cheap(definitions: Sequence[Rule], uses: Sequence[Rule], name: str) -> bool:
    if any(sum(atom.relation == name for atom in use.body) > 1 for use in uses):
        return False
    if any(len(d.body) > 1 and len(use.body) > 1 for d in definitions for use in uses):
        return False  # calls in a row would become one rule with a premise each
    before, after = len(definitions) + len(uses), len(definitions) * len(uses)
    return after <= before + MAX_RULES_ADDED


def _is_possible(rule: Rule, arithmetic: Presburger) -> bool:
    """Whether the rule can ever be applied, as far as isl can tell."""
    try:
        with arithmetic.within(OPERATIONS):
            return not transition(arithmetic, rule).is_empty()
    except Beyond:
        return True


def _closure(
    system: HornSystem,
    name: str,
    loops: Sequence[Rule],
    definitions: Sequence[Rule],
    arithmetic: Presburger,
    polynomials: bool,
) -> Closure | None:
    """The closure of the loops, from the facts that the definitions may derive."""
    symbols = system.relations[name].symbols
    before, after = tuple(ports("from", symbols)), tuple(ports("to", symbols))
    if not is_arithmetic(system, name):
        return None
    step = _union(loops, arithmetic)
    if step is not None:
        step = _entered(step, definitions, arithmetic)
        pairs = star(arithmetic, step)
        if pairs is not None:
            formula = arithmetic.pairs(pairs, before, after)
            return Closure(tuple(loops), before, after, formula, pairs, step)
    if not polynomials or len(loops) != 1:
        return None
    return polynomial_closure(loops[0], before, after)


def _union(rules: Iterable[Rule], arithmetic: Presburger) -> Map | None:
    """One application of one of the rules; None when that is no Presburger relation."""
    try:
        with arithmetic.within(OPERATIONS):
            found = [transition(arithmetic, rule) for rule in rules]
            return union(found) if found else None
    except Beyond:
        return None


def _entered(step: Map, definitions: Sequence[Rule], arithmetic: Presburger) -> Map:
    """The step where what it never changes has the values with which the loop is entered."""
    facts = [_union([replace(rule, body=())], arithmetic) for rule in definitions]
    known = [fact.range() for fact in facts if fact is not None]
    if len(known) < len(facts) or not known:
        return step
    try:
        with arithmetic.within(OPERATIONS):
            return step.intersect_domain(loosened(union(known), unchanged(step))).coalesce()
    except Beyond:
        return step


def _after(stage: Stage) -> HornSystem:
    """The system that a stage leaves, each new rule in the place of the first it is made of."""
    system, name = stage.before, stage.relation
    new: dict[str, list[Rule]] = {}
    for joint in stage.joints:
        place = joint.use or joint.definition
        new.setdefault(place.name, []).append(joint.rule)
    rules: list[Rule] = []
    for rule in system.rules:
        if _is_loop(rule, name):
            continue
        changed = _uses(rule, name) if stage.gone else _derives(rule, name)
        if changed:
            rules.extend(new.get(rule.name, ()))
        elif not (stage.gone and _derives(rule, name)):
            rules.append(rule)
    relations = {n: r for n, r in system.relations.items() if not (stage.gone and n == name)}
    ledger = system.ledger
    if stage.closure is not None and not stage.closure.exact:
        entry = LedgerEntry(Approximation.OVER, INEXACT)
        ledger = (*ledger, *(() if entry in ledger else (entry,)))
    return HornSystem(relations, tuple(rules), ledger)
