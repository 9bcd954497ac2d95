"""Verification conditions with products of bit-vectors as questions about integers.

Bits are added and multiplied as integers are, modulo a power of two (Seidl, Flexeder, Petter:
"Analysing all polynomial equations in Z_2^w", SAS 2008, on why polynomials are the right terms).
So sums and products become those of integers, equality becomes congruence, and of all other terms
and comparisons nothing is known.  If what remains is unsatisfiable, so was the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pysmt import operators as op

from seahorn_py.base.errors import InputError
from seahorn_py.horn.checking.instances import interpretation_at
from seahorn_py.horn.system import Atom, HornSystem, Model, Rule, atoms
from seahorn_py.logic.solvers.solvers import script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.polynomials import given_by, polynomial
from seahorn_py.logic.terms.propagation import propagated
from seahorn_py.logic.terms.terms import Term

MAX_CHOICES = 32
"""So often a condition is looked at with one choice more."""

_CONNECTIVES: dict[int, Callable[[Sequence[Term]], Term]] = {
    op.AND: terms.and_,
    op.OR: terms.or_,
    op.NOT: lambda parts: terms.not_(*parts),
    op.IMPLIES: lambda parts: terms.implies(*parts),
    op.IFF: lambda parts: terms.iff(*parts),
    op.ITE: lambda parts: terms.ite(*parts),
    op.BV_ADD: lambda parts: terms.plus(*parts),
    op.BV_SUB: lambda parts: terms.minus(*parts),
    op.BV_MUL: lambda parts: terms.times(*parts),
    op.BV_NEG: lambda parts: terms.times(terms.int_const(-1), *parts),
}


def modular_conditions(system: HornSystem, model: Model, rule: Rule) -> list[str]:
    """Scripts about integers that are all unsatisfiable only if the model makes `rule` valid.

    There are some for each conjunct of the head, one for each way through the rule.  None at
    all when there is no product of bits, a quantifier, or too many ways.
    """
    mentioned = [model.interpretations.get(atom.relation, terms.TRUE) for atom in atoms(rule)]
    mentioned += [rule.constraint, *(t for atom in atoms(rule) for t in atom.arguments)]
    if any(map(terms.is_quantified, mentioned)):
        return []
    if not any(is_product(node) for term in mentioned for node in nodes(term)):
        return []
    known = terms.and_(
        [*(interpretation_at(system, model, atom) for atom in rule.body), rule.constraint]
    )
    head = (
        interpretation_at(system, model, rule.head) if isinstance(rule.head, Atom) else terms.FALSE
    )
    try:
        found = [modular_cases([known, terms.not_(goal)]) for goal in conjuncts(head)]
        return [] if None in found else [script_of(case) for cases in found for case in cases or ()]
    except InputError:
        return []


def modular_cases(conditions: Sequence[Term]) -> list[list[Term]] | None:
    """Assertions about integers for each way through conditions over bits; None for too many.

    All are unsatisfiable only if the conditions are.
    """
    return _Integers(conditions).cases()


def is_product(node: Term) -> bool:
    """Whether bit-vectors are multiplied of which none is a constant."""
    return node.is_bv_mul() and not any(factor.is_constant() for factor in node.args())


class _Integers:
    """Integer constraints that are unsatisfiable only if some conditions together are.

    Every node has one translation; atoms and conditions of terms are Boolean symbols.
    """

    def __init__(self, conditions: Sequence[Term]) -> None:
        self._choices: list[Term] = []
        self._congruences: dict[Term, tuple[Term, Term, int]] = {}
        self._quotients: dict[tuple[int, int, Term, Term], Term] = {}
        self._fresh = 0
        built: dict[int, Term] = {}
        self._conditions: list[Term] = []
        for node in (node for condition in conditions for node in nodes(condition)):
            if id(node) not in built:
                built[id(node)] = self._translated(node, [built[id(a)] for a in node.args()])
        self._conditions += [built[id(condition)] for condition in conditions]

    def cases(self) -> list[list[Term]] | None:
        """The assertions for each way to choose and to go; None if there are too many."""
        found: list[list[Term]] = []
        todo: list[tuple[list[Term], Mapping[Term, Term]]] = [(self._conditions, {})]
        for _ in range(MAX_CHOICES):
            if not todo:
                return found
            parts, known = propagated(*todo.pop())
            if terms.FALSE in parts:
                continue
            choice = self._choice(parts, known)
            if choice is not None:
                todo += [([*parts, choice], known), ([*parts, terms.not_(choice)], known)]
            else:
                found.append([*parts, *self._meanings(known)])
        return None

    def _choice(self, parts: Sequence[Term], known: Mapping[Term, Term]) -> Term | None:
        """A condition of a term, or else of a step, that is open."""
        for symbol in self._choices:
            if symbol not in known:
                return symbol
        free = (s for part in parts for s in terms.by_name(terms.free_symbols(part)))
        return next((s for s in free if s not in self._congruences), None)

    def _translated(self, node: Term, arguments: Sequence[Term]) -> Term:
        kind = node.node_type()
        if kind == op.BOOL_CONSTANT:
            return node
        if kind == op.BV_CONSTANT:
            return terms.int_const(_signed(terms.number(node), terms.bv_width(node)))
        sorts = [terms.sort_of(part) for part in (node, *node.args())]
        if not all(s is terms.BOOL or s.is_bv_type() for s in sorts):
            return self._new(terms.BOOL if sorts[0] is terms.BOOL else terms.INT)
        match kind:
            case op.EQUALS:
                atom = self._new(terms.BOOL)
                one, other = arguments
                self._congruences[atom] = one, other, 1 << sorts[1].width
                return atom
            case op.ITE if sorts[0] is not terms.BOOL:
                return self._chosen(*arguments)
            case op.BV_UDIV | op.BV_SDIV:
                return self._quotient(kind, sorts[0].width, *arguments)
            case op.BV_UREM | op.BV_SREM:  # also by 0, of which the dividend is the remainder
                division = op.BV_UDIV if kind == op.BV_UREM else op.BV_SDIV
                quotient = self._quotient(division, sorts[0].width, *arguments)
                return terms.minus(arguments[0], terms.times(arguments[1], quotient))
        if kind in _CONNECTIVES:
            return _CONNECTIVES[kind](arguments)
        return self._new(terms.BOOL if sorts[0] is terms.BOOL else terms.INT)

    def _chosen(self, condition: Term, then: Term, otherwise: Term) -> Term:
        if condition.is_symbol() and condition in self._choices:
            choice = condition
        else:
            choice = self._new(terms.BOOL)
            self._choices.append(choice)
            self._conditions.append(terms.iff(choice, condition))
        return terms.ite(choice, then, otherwise)

    def _quotient(self, kind: int, width: int, left: Term, right: Term) -> Term:
        """An integer for a quotient, of which only the remainder tells something."""
        key = kind, width, left, right
        if key not in self._quotients:
            self._quotients[key] = self._new(terms.INT)
        return self._quotients[key]

    def _meanings(self, known: Mapping[Term, Term]) -> Iterator[Term]:
        """What the atoms say, as far as their truth is known.

        Integers stand for their remainders, so one that is congruent to a term may be that term.
        """
        values: dict[Term, Term] = {}
        left: dict[Term, tuple[Term, Term, int]] = {}
        for atom, (*sides, modulus) in self._congruences.items():
            one, other = (folded(folded(side, known), values) for side in sides)
            if known.get(atom) is terms.TRUE and (found := _definition(one, other)) is not None:
                values = {s: folded(v, found) for s, v in values.items()} | found
            else:
                left[atom] = one, other, modulus
        for atom, (one, other, modulus) in left.items():
            difference = folded(terms.minus(one, other), values)
            yield from self._divided(atom, known.get(atom), difference, modulus)

    def _divided(
        self, atom: Term, truth: Term | None, difference: Term, modulus: int
    ) -> Iterator[Term]:
        """The difference is a multiple of the modulus, or has a remainder, or the atom says which.

        An atom whose truth is known occurs nowhere else.
        """
        multiple = terms.times(terms.int_const(modulus), self._new(terms.INT))
        if truth is terms.TRUE:
            yield terms.eq(difference, multiple)
            return
        rest = self._new(terms.INT)
        yield terms.eq(difference, terms.plus(multiple, rest))
        yield terms.lt(rest, terms.int_const(modulus))
        if truth is terms.FALSE:
            yield terms.lt(terms.int_const(0), rest)
        else:
            yield terms.le(terms.int_const(0), rest)
            yield terms.iff(atom, terms.eq(rest, terms.int_const(0)))

    def _new(self, sort: terms.Sort) -> Term:
        self._fresh += 1
        return terms.symbol(f"modular!{sort}{self._fresh}", sort)


def _signed(bits: int, width: int) -> int:
    """The number next to 0 among those of the same remainder."""
    return bits - (1 << width) if bits >> (width - 1) else bits


def _definition(one: Term, other: Term) -> dict[Term, Term] | None:
    """A symbol that stands by itself in an equation, with what it is equal to."""
    for side, value in ((one, other), (other, one)):
        if side.is_symbol() and side not in terms.free_symbols(value):
            return {side: value}
    left, right = polynomial(one), polynomial(other)
    given = None if left is None or right is None else given_by(left.plus(right, -1))
    return None if given is None else {symbol: value.term() for symbol, value in given.items()}
