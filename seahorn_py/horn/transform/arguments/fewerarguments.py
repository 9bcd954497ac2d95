"""Arguments that say nothing new are left out: constant ones, copies of another, unused ones.

A parameter is constant if every rule derives the same constant for it, a copy if it always equals
an earlier one, given that the facts which the rule uses are so; and unused if every rule that uses
a fact only hands the value on to where it is unused.  Each is the greatest set that agrees with all
rules (the fixpoints of constant propagation, of value numbering, and of live variables).

A model of the new system holds of the old one together with what is known of its arguments.  In a
refutation the values that were left out are computed along the steps.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import (
    Atom,
    HornSystem,
    Model,
    Parameter,
    Refutation,
    Rule,
    Step,
)
from seahorn_py.horn.transform.composition import symbols
from seahorn_py.horn.transform.transformation import Both, NotCarried
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.constants import any_value, known_value
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Term

Part = TypeVar("Part", Term, Parameter)

Position = tuple[str, int]
"""A relation and the number of a parameter."""


@dataclass(frozen=True)
class FewerArguments:
    """Constant, equal and unused arguments are left out."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system over what is left; it may stay what it is."""
        kept = _Kept(system)
        changed = kept.system()
        return changed, Both(kept.model, lambda found: kept.refutation(changed, found))


class _Kept:
    """What is known of the arguments of a system."""

    def __init__(self, system: HornSystem) -> None:
        self._old = system
        self._constant = _constants(system)
        self._copies = _copies(system)
        first = {**self._constant, **self._copies}
        self._unused = _unused(system, first) - first.keys()
        self._left = first.keys() | self._unused
        self._values = {rule.name: self._known(rule) for rule in system.rules}

    def system(self) -> HornSystem:
        """The system without the arguments that are left out."""
        if not self._left:
            return self._old
        relations = {
            name: replace(relation, parameters=self._of(name, relation.parameters))
            for name, relation in self._old.relations.items()
        }
        rules = tuple(map(self._rule, self._old.rules))
        possible = tuple(rule for rule in rules if rule.constraint is not terms.FALSE)
        return HornSystem(relations, possible, self._old.ledger)

    def model(self, model: Model) -> Model:
        """What the model says, and what is known of the arguments."""
        found = dict(model.interpretations)
        for (name, place), value in self._constant.items():
            symbol = self._old.relations[name].symbols[place]
            found[name] = terms.and_([found.get(name, terms.TRUE), terms.eq(symbol, value)])
        for (name, place), earlier in self._copies.items():
            own = self._old.relations[name].symbols
            equal = terms.eq(own[place], own[earlier])
            found[name] = terms.and_([found.get(name, terms.TRUE), equal])
        return Model(found)

    def refutation(self, changed: HornSystem, refutation: Refutation) -> Refutation:
        """The same steps with all arguments; NotCarried where values of a step are not given."""
        if not self._left:
            return refutation
        old = {rule.name: rule for rule in self._old.rules}
        new = {rule.name: symbols(rule) for rule in changed.rules}
        steps: list[Step] = []
        for step in refutation.steps:
            if any(symbol not in step.values for symbol in new[step.rule]):
                raise NotCarried("values of a step are not given")
            steps.append(self._step(old[step.rule], step, [steps[p] for p in step.premises]))
        return Refutation(tuple(steps))

    # ------------------------------------------------------------------------------------ inside

    def _of(self, name: str, parts: Sequence[Part]) -> tuple[Part, ...]:
        return tuple(part for k, part in enumerate(parts) if (name, k) not in self._left)

    def _known(self, rule: Rule) -> tuple[dict[Term, Term], list[Term]]:
        """What symbols of a rule are by what is known of its premises, and equations beside."""
        values: dict[Term, Term] = {}
        equal = []
        for atom in rule.body:
            for place, argument in enumerate(atom.arguments):
                position = atom.relation, place
                if position in self._constant:
                    value = self._constant[position]
                elif position in self._copies:
                    value = folded(atom.arguments[self._copies[position]], values)
                else:
                    continue
                argument = folded(argument, values)
                if argument.is_symbol() and argument not in terms.free_symbols(value):
                    values = {s: folded(v, {argument: value}) for s, v in values.items()}
                    values[argument] = value
                else:
                    equal.append((argument, value))
        return values, [terms.eq(folded(a, values), folded(b, values)) for a, b in equal]

    def _rule(self, rule: Rule) -> Rule:
        values, equal = self._values[rule.name]

        def atom(one: Atom) -> Atom:
            left = self._of(one.relation, one.arguments)
            return Atom(one.relation, tuple(folded(argument, values) for argument in left))

        return replace(
            rule,
            body=tuple(map(atom, rule.body)),
            constraint=terms.and_([folded(rule.constraint, values), *equal]),
            head=atom(rule.head) if isinstance(rule.head, Atom) else rule.head,
        )

    def _step(self, rule: Rule, step: Step, premises: Sequence[Step]) -> Step:
        """The step with all arguments, from steps that have all of them."""
        given = dict(step.values)
        for atom, premise in zip(rule.body, premises, strict=True):
            for place, argument in enumerate(atom.arguments):
                if (atom.relation, place) in self._unused and argument.is_symbol():
                    given[argument] = premise.arguments[place]
        known = self._values[rule.name][0]
        values = {s: self._value(known.get(s, s), given) for s in symbols(rule)}
        arguments = rule.head.arguments if isinstance(rule.head, Atom) else ()
        fact = tuple(self._value(argument, values) for argument in arguments)
        return Step(rule.name, fact, step.premises, values)

    def _value(self, term: Term, given: Mapping[Term, Term]) -> Term:
        """The value of a term; symbols of which nothing is said may have any."""
        free = terms.free_symbols(term)
        own = {s: given[s] if s in given else any_value(terms.sort_of(s)) for s in free}
        return known_value(terms.substitute(term, own))


# ------------------------------------------------------------------------------------ what is known


def _until_stable(
    rules: Iterable[Rule], visit: Callable[[Rule], bool], *, backwards: bool = False
) -> None:
    """Visit all rules, and those again that rest on what a visit has changed.

    `visit` says whether it changed what is known of the rule's head; backwards, of its body.
    """
    waiting = deque(rules)
    resting: dict[str, list[Rule]] = {}
    for rule in waiting:
        for name in _heads(rule) if backwards else _bodies(rule):
            resting.setdefault(name, []).append(rule)
    queued = {rule.name for rule in waiting}
    while waiting:
        rule = waiting.popleft()
        queued.discard(rule.name)
        if not visit(rule):
            continue
        for name in _bodies(rule) if backwards else _heads(rule):
            again = [one for one in resting.get(name, ()) if one.name not in queued]
            queued.update(one.name for one in again)
            waiting.extend(again)


def _heads(rule: Rule) -> set[str]:
    return {rule.head.relation} if isinstance(rule.head, Atom) else set()


def _bodies(rule: Rule) -> set[str]:
    return {atom.relation for atom in rule.body}


def _constants(system: HornSystem) -> dict[Position, Term]:
    """The parameters for which all rules derive one constant."""
    found: dict[Position, Term] = {}
    various: set[Position] = set()
    derived: set[str] = set()

    def visit(rule: Rule) -> bool:
        if not isinstance(rule.head, Atom) or not derived.issuperset(_bodies(rule)):
            return False
        before = len(found), len(various), len(derived)
        derived.add(rule.head.relation)
        values = {
            argument: found[atom.relation, k]
            for atom in rule.body
            for k, argument in enumerate(atom.arguments)
            if argument.is_symbol() and (atom.relation, k) in found
        }
        for k, argument in enumerate(rule.head.arguments):
            position = rule.head.relation, k
            if position in various:
                continue
            value = folded(argument, values)
            if not value.is_constant() or found.setdefault(position, value) is not value:
                various.add(position)
                found.pop(position, None)
        return (len(found), len(various), len(derived)) != before

    _until_stable(system.rules, visit)
    return found


def _copies(system: HornSystem) -> dict[Position, int]:
    """The parameters that always equal an earlier one, with the first such."""
    classes = {
        name: [_first_of_sort(relation.symbols, k) for k in range(len(relation.symbols))]
        for name, relation in system.relations.items()
    }

    def visit(rule: Rule) -> bool:
        if not isinstance(rule.head, Atom):
            return False
        name = rule.head.relation
        refined = _split(classes[name], _merged(rule, classes))
        is_new = refined != classes[name]
        classes[name] = refined
        return is_new

    _until_stable(system.rules, visit)
    return {(name, k): c for name, own in classes.items() for k, c in enumerate(own) if c != k}


def _first_of_sort(symbols_: Sequence[Term], place: int) -> int:
    sort = terms.sort_of(symbols_[place])
    return next(k for k, symbol in enumerate(symbols_) if terms.sort_of(symbol) == sort)


def _merged(rule: Rule, classes: Mapping[str, Sequence[int]]) -> list[Term]:
    """The arguments of the head, where symbols that are equal in the body are one."""
    assert isinstance(rule.head, Atom)
    values: dict[Term, Term] = {}
    for atom in rule.body:
        for k, first in enumerate(classes[atom.relation]):
            argument, other = atom.arguments[k], atom.arguments[first]
            if first != k and argument.is_symbol() and argument is not other:
                values.setdefault(argument, values.get(other, other))
    return [folded(argument, values) for argument in rule.head.arguments]


def _split(classes: Sequence[int], arguments: Sequence[Term]) -> list[int]:
    """The classes, less the pairs whose arguments differ; a class is known by its first member."""
    first: dict[tuple[int, Term], int] = {}
    pairs = zip(classes, arguments, strict=True)
    return [first.setdefault((old, argument), k) for k, (old, argument) in enumerate(pairs)]


def _unused(system: HornSystem, known: Mapping[Position, object]) -> set[Position]:
    """The parameters that no rule looks at; what others are copies of is looked at."""
    used = {(name, c) for (name, _), c in known.items() if isinstance(c, int)}
    counts = {rule.name: _looked_at(rule) for rule in system.rules}

    def visit(rule: Rule) -> bool:
        before, looked_at = len(used), Counter(counts[rule.name])
        if isinstance(rule.head, Atom):
            for k, argument in enumerate(rule.head.arguments):
                if (rule.head.relation, k) in used:
                    looked_at.update(terms.free_symbols(argument))
        used.update(
            (atom.relation, k)
            for atom in rule.body
            for k, argument in enumerate(atom.arguments)
            if not argument.is_symbol() or looked_at[argument] > 1
        )
        return len(used) != before

    _until_stable(system.rules, visit, backwards=True)
    places = ((name, k) for name, r in system.relations.items() for k in range(len(r.parameters)))
    return {position for position in places if position not in used}


def _looked_at(rule: Rule) -> Counter[Term]:
    """How often each symbol occurs in the condition and the arguments of the body."""
    parts = [rule.constraint, *(argument for atom in rule.body for argument in atom.arguments)]
    return Counter(symbol for part in parts for symbol in terms.free_symbols(part))
