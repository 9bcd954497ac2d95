"""Parameters with few values become control: a relation for each tuple of their values.

A parameter has few values if all rules derive constants for it, hand on one with few values, or it
is a truth value.  Rules are copied for the tuples that facts lead to; what a value rules out is not
there any more.  The control locations of threads and state machines, which are numbers in one
large relation, become relations again, and chains of rules between them can be resolved.  Only for
linear systems: the tuples of several premises would be too many.

A model is a case for each tuple, and false for tuples that no fact leads to.  In a refutation the
values are put where they were.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Model, Refutation, Relation, Rule, Step
from seahorn_py.horn.transform.transformation import Both, Inapplicable
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Term

MOST_VALUES = 16
"""Of one parameter; more are no control."""

MOST_RULES = 3000
"""Of the new system."""

Position = tuple[str, int]
Place = tuple[str, tuple[Term, ...]]
"""A relation and the values of its parameters with few values."""


@dataclass(frozen=True)
class Control:
    """A relation for each tuple of values; Inapplicable where there are none, or too many."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system over what is left of the parameters; it is linear, as the given one is."""
        if not system.linear:
            raise Inapplicable("a rule has two premises, the system is not linear")
        copied = _Copied(system, _few_values(system))
        return copied.system(), Both(copied.model, copied.refutation)


@dataclass(frozen=True)
class _Copy:
    """A rule between places; `known` are the values of symbols that these give."""

    rule: Rule
    name: str
    body: tuple[Place, ...]
    head: Place | None
    known: Mapping[Term, Term]
    constraint: Term


class _Copied:
    """The copies of rules that facts lead to."""

    def __init__(self, old: HornSystem, few: Mapping[Position, frozenset[Term]]) -> None:
        self._old = old
        self._few = few
        self._copies: dict[str, _Copy] = {}
        self._names: dict[Place, str] = {}
        todo = deque(copy for rule in old.rules if not rule.body for copy in self._of(rule, ()))
        while todo:
            copy = todo.popleft()
            self._copies[copy.name] = copy
            if copy.head is not None and copy.head not in self._names:
                self._names[copy.head] = f"{copy.head[0]}@{len(self._names)}"
                todo.extend(self._using(copy.head))
            if len(self._copies) + len(todo) > MOST_RULES:
                raise Inapplicable("parameters with few values have too many together")

    # -------------------------------------------------------------------------------------- copies

    def _using(self, place: Place) -> Iterator[_Copy]:
        """The copies that use a new place."""
        for rule in self._old.rules:
            if any(atom.relation == place[0] for atom in rule.body):
                yield from self._of(rule, (place,))

    def _known(self, rule: Rule, body: Sequence[Place]) -> dict[Term, Term] | None:
        """The values of symbols; None where a place contradicts the rule."""
        found = _fixed(rule.constraint)
        for atom, (name, values) in zip(rule.body, body, strict=True):
            for argument, value in zip(self._of_few(name, atom.arguments), values, strict=True):
                known = found.setdefault(argument, value) if argument.is_symbol() else argument
                if known.is_constant() and known is not value:
                    return None
        return found

    def _of(self, rule: Rule, body: tuple[Place, ...]) -> Iterator[_Copy]:
        """The copies of a rule at places, one for each place that its head may have."""
        start = self._known(rule, body)
        if start is None:
            return
        head = rule.head if isinstance(rule.head, Atom) else None
        derived = () if head is None else self._of_few(head.relation, head.arguments)
        free = {a for a in derived if not a.is_constant() and a not in start}
        for known in _each(start, sorted(free, key=str)):
            constraint = terms.and_(self._conditions(rule, body, known))
            if constraint is terms.FALSE:
                continue
            values = tuple(folded(a, known) for a in derived)
            place = None if head is None else (head.relation, values)
            name = f"{rule.name} {[*body, place]}"
            yield _Copy(rule, name, body, place, known, constraint)

    def _conditions(
        self, rule: Rule, body: Sequence[Place], known: Mapping[Term, Term]
    ) -> Iterator[Term]:
        yield folded(rule.constraint, known)
        for atom, (name, values) in zip(rule.body, body, strict=True):
            for argument, value in zip(self._of_few(name, atom.arguments), values, strict=True):
                yield terms.eq(folded(argument, known), value)

    def _of_few(self, name: str, arguments: Sequence[Term]) -> tuple[Term, ...]:
        return tuple(a for k, a in enumerate(arguments) if (name, k) in self._few)

    # ------------------------------------------------------------------------------ there and back

    def system(self) -> HornSystem:
        """Relations for places, and the copies."""
        relations = {name: self._relation(place, name) for place, name in self._names.items()}
        rules = tuple(map(self._rule, self._copies.values()))
        return HornSystem(relations, rules, self._old.ledger)

    def _relation(self, place: Place, name: str) -> Relation:
        old = self._old.relations[place[0]]
        kept = (p for k, p in enumerate(old.parameters) if (place[0], k) not in self._few)
        return replace(old, name=name, parameters=tuple(kept))

    def _rule(self, copy: _Copy) -> Rule:
        def atom(one: Atom, place: Place) -> Atom:
            kept = (a for k, a in enumerate(one.arguments) if (one.relation, k) not in self._few)
            return Atom(self._names[place], tuple(folded(a, copy.known) for a in kept))

        rule, head = copy.rule, copy.rule.head
        return replace(
            rule,
            name=copy.name,
            body=tuple(map(atom, rule.body, copy.body)),
            constraint=copy.constraint,
            head=atom(head, copy.head) if isinstance(head, Atom) and copy.head else head,
        )

    def model(self, model: Model) -> Model:
        """A case for each tuple of values."""
        cases: dict[str, list[Term]] = {name: [] for name in self._old.relations}
        for place, name in self._names.items():
            own = self._of_few(place[0], self._old.relations[place[0]].symbols)
            at = map(terms.eq, own, place[1])
            said = model.interpretations.get(name, terms.TRUE)
            cases[place[0]].append(terms.and_([*at, said]))
        return Model({name: terms.or_(parts) for name, parts in cases.items()})

    def refutation(self, refutation: Refutation) -> Refutation:
        """The steps with the values in their places."""
        return Refutation(tuple(map(self._step, refutation.steps)))

    def _step(self, step: Step) -> Step:
        copy = self._copies[step.rule]
        arguments = step.arguments
        if copy.head is not None:
            values, kept = iter(copy.head[1]), iter(step.arguments)
            name, old = copy.head[0], self._old.relations[copy.head[0]].parameters
            arguments = tuple(
                next(values) if (name, k) in self._few else next(kept) for k in range(len(old))
            )
        return Step(copy.rule.name, arguments, step.premises, {**step.values, **copy.known})


def _each(known: Mapping[Term, Term], free: Sequence[Term]) -> Iterator[dict[Term, Term]]:
    """The values with each choice for truth values that are free."""
    for choice in product((terms.TRUE, terms.FALSE), repeat=len(free)):
        yield {**known, **dict(zip(free, choice, strict=True))}


def _fixed(constraint: Term) -> dict[Term, Term]:
    """The symbols that are constants by a conjunct."""
    found: dict[Term, Term] = {}
    for part in conjuncts(constraint):
        negated = part.is_not() and part.arg(0).is_symbol()
        if part.is_symbol() or negated:
            found.setdefault(part.arg(0) if negated else part, terms.bool_const(not negated))
        elif part.is_equals() or part.is_iff():
            for one, other in (part.args(), reversed(part.args())):
                if one.is_symbol() and other.is_constant():
                    found.setdefault(one, other)
    return found


def _few_values(system: HornSystem) -> Mapping[Position, frozenset[Term]]:
    """The positions with few values, and these; Inapplicable where there are none."""
    found: dict[Position, frozenset[Term] | None] = {}
    changed = True
    while changed:
        before = dict(found)
        for rule in system.rules:
            if isinstance(rule.head, Atom):
                _derive(rule, rule.head, found)
        changed = found != before
    few = {position: values for position, values in found.items() if values is not None}
    if not few:
        raise Inapplicable("no parameter has few values")
    return few


def _derive(rule: Rule, head: Atom, found: dict[Position, frozenset[Term] | None]) -> None:
    """Add the values that a rule derives; None where they are many."""
    fixed = _fixed(rule.constraint)
    for k, argument in enumerate(head.arguments):
        position = head.relation, k
        known = found.get(position, frozenset())
        new = _values(fixed.get(argument, argument), rule, found)
        together = None if known is None or new is None else known | new
        found[position] = together if together is None or len(together) <= MOST_VALUES else None


def _values(
    argument: Term, rule: Rule, found: Mapping[Position, frozenset[Term] | None]
) -> frozenset[Term] | None:
    """What an argument of the head can be, as far as is known."""
    if argument.is_constant():
        return frozenset((argument,))
    if not argument.is_symbol():
        return None
    for atom in rule.body:
        for k, other in enumerate(atom.arguments):
            if other is argument:
                values = found.get((atom.relation, k), frozenset())
                if values is not None:
                    return values
    is_bool = terms.sort_of(argument) is terms.BOOL
    return frozenset((terms.TRUE, terms.FALSE)) if is_bool else None
