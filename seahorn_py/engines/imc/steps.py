"""A linear Horn system as one transition system, with formulas for its start, steps and errors.

A state is a location and values for slots.  Location 0 is the start, before any fact is used; the
others are the relations, whose parameters lie in the slots of their sorts.  The number of the
location is a vector of Booleans, so that no theory comes in that the system does not have.  Slots
that a relation does not use are arbitrary in its states, in all formulas; so a formula about states
still holds with any constants for them.

Symbols of frame t end in `@t`; each frame has symbols of its own for the inputs of rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from seahorn_py.horn.system import Atom, HornSystem, Model, Relation, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text.smtlib import print_sort

NUMBERS = {terms.BOOL, terms.INT, terms.REAL}


def is_of_numbers(system: HornSystem) -> bool:
    """Whether there is nothing but numbers and truth values, and no quantifier."""
    parameters = (p.sort for r in system.relations.values() for p in r.parameters)
    if any(sort not in NUMBERS for sort in parameters):
        return False
    return all(_is_number(node) for formula in system.formulas() for node in nodes(formula))


def _is_number(node: Term) -> bool:
    return not node.is_quantifier() and not (
        node.is_symbol() and terms.sort_of(node) not in NUMBERS
    )


class Transitions:
    """The formulas, frame by frame."""

    def __init__(self, system: HornSystem) -> None:
        self._relations = system.relations
        self._locations = {name: number for number, name in enumerate(system.relations, 1)}
        self._bits = len(system.relations).bit_length()
        self._slots = _slots(system.relations.values())
        self._locals: set[Term] = set()
        here, there = self.symbols(0), self.symbols(1)
        steps = [r for r in system.rules if isinstance(r.head, Atom)]
        facts, others = ([r for r in steps if bool(r.body) is inner] for inner in (False, True))
        self.first = terms.or_([self._rule(rule, None, here) for rule in facts])
        """The state of frame 0 is that of a fact."""
        self.inner = terms.or_([self._rule(rule, here, there) for rule in others])
        """A rule with a premise leads from the state of frame 0 to that of frame 1."""
        starting = terms.or_([self._rule(rule, here, there) for rule in facts])
        self._step = terms.or_([starting, self.inner])
        self._bad = terms.or_([self._rule(rule, here, there) for rule in system.queries])
        self._frames: dict[tuple[Term, int], Term] = {}

    @property
    def initial(self) -> Term:
        """The start, as a formula about states."""
        return self._at(0, self.symbols(0))

    def step(self, frame: int) -> Term:
        """One rule leads from the state of a frame to that of the next one."""
        return self.placed(self._step, frame)

    def bad(self, frame: int) -> Term:
        """The state of a frame meets a query."""
        return self.placed(self._bad, frame)

    def placed(self, formula: Term, frame: int) -> Term:
        """A formula about frame 0 (and 1), about another frame (and the next one)."""
        if frame == 0:
            return formula
        key = formula, frame
        if key not in self._frames:
            moved = self._moved(0, frame) | self._moved(1, frame + 1)
            moved |= {s: _timed(s.symbol_name(), terms.sort_of(s), frame) for s in self._locals}
            self._frames[key] = terms.substitute(formula, moved)
        return self._frames[key]

    def state(self, formula: Term, frame: int) -> Term:
        """A formula about the state of a frame, as one about states (frame 0)."""
        return terms.substitute(formula, self._moved(frame, 0))

    def model(self, invariant: Term) -> Model:
        """What a formula about states says of the parameters of each relation."""
        return Model({r.name: self._about(invariant, r) for r in self._relations.values()})

    def _about(self, invariant: Term, relation: Relation) -> Term:
        """The formula with the location for its bits and the parameters for their slots."""
        location, symbols = self._locations[relation.name], self.symbols(0)
        values = {s: _some(terms.sort_of(s)) for s in symbols}
        values |= {
            s: terms.bool_const(bool(location >> k & 1))
            for k, s in enumerate(symbols[: self._bits])
        }
        values |= dict(zip(self._used(relation, symbols), relation.symbols, strict=True))
        return folded(invariant, values)

    # ------------------------------------------------------------------------------------ states

    def symbols(self, frame: int) -> list[Term]:
        """The symbols of a state: bits of the location, then slots."""
        bits = [_timed(f"location!{k}", terms.BOOL, frame) for k in range(self._bits)]
        return bits + [
            _timed(f"slot!{k}!{print_sort(sort)}", sort, frame)
            for sort, count in self._slots.items()
            for k in range(count)
        ]

    def _moved(self, source: int, target: int) -> dict[Term, Term]:
        return dict(zip(self.symbols(source), self.symbols(target), strict=True))

    def slots(self, relation: str) -> tuple[Term, ...]:
        """Where the parameters of a relation are, in frame 0."""
        return tuple(self._used(self._relations[relation], self.symbols(0)))

    def _used(self, relation: Relation, symbols: Sequence[Term]) -> Iterator[Term]:
        """The slots of a relation's parameters, in their order."""
        free: dict[Sort, Iterator[Term]] = {
            sort: iter([s for s in symbols[self._bits :] if terms.sort_of(s) == sort])
            for sort in self._slots
        }
        return (next(free[parameter.sort]) for parameter in relation.parameters)

    def _at(self, location: int, symbols: Sequence[Term]) -> Term:
        bits = symbols[: self._bits]
        return terms.and_(b if location >> k & 1 else terms.not_(b) for k, b in enumerate(bits))

    def _rule(self, rule: Rule, here: Sequence[Term] | None, there: Sequence[Term]) -> Term:
        """An instance of the rule leads from one state to another, or meets its query.

        Without `here` nothing is said of the state before a fact.
        """
        location = self._locations[rule.body[0].relation] if rule.body else 0
        parts = [rule.constraint] if here is None else [self._at(location, here), rule.constraint]
        for atom in rule.body:
            assert here is not None
            slots = self._used(self._relations[atom.relation], here)
            parts += map(terms.eq, slots, atom.arguments)
        if isinstance(rule.head, Atom):
            slots = self._used(self._relations[rule.head.relation], there)
            parts += map(terms.eq, slots, rule.head.arguments)
            parts.append(self._at(self._locations[rule.head.relation], there))
        formula = terms.and_(parts)
        self._locals |= terms.free_symbols(formula) - {*(here or ()), *there}
        return formula


def _slots(relations: Iterable[Relation]) -> dict[Sort, int]:
    """How many slots of each sort the relations need."""
    counts: dict[Sort, int] = {}
    for relation in relations:
        own: dict[Sort, int] = {}
        for parameter in relation.parameters:
            own[parameter.sort] = own.get(parameter.sort, 0) + 1
        counts |= {sort: max(n, counts.get(sort, 0)) for sort, n in own.items()}
    return counts


def _timed(name: str, sort: Sort, frame: int) -> Term:
    return terms.variable(f"{name}@{frame}", sort)


def _some(sort: Sort) -> Term:
    """A constant of a sort."""
    if sort.is_array_type():
        return terms.const_array(sort.index_type, _some(sort.elem_type))
    if sort.is_bv_type():
        return terms.bv_const(0, sort.width)
    if sort is terms.BOOL:
        return terms.FALSE
    return terms.int_const(0) if sort is terms.INT else terms.real_const(0)
