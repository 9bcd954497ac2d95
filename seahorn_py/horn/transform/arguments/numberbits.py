"""Integers as bit-vectors, where intervals bound every one of them.

All integers of a system get one width, in which no term of any rule wraps as long as the symbols of
the rule lie within their ranges; that they do is said in the rule.  So the new system derives the
same facts, and a solver of bits may look for them.  A refutation goes back number by number.  A
model says, of the numbers within the ranges of a relation, what it says of their bits, as far as
operations on bits have a form over numbers (`bitnumbers`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Model, Parameter, Refutation, Relation, Rule
from seahorn_py.horn.system import formulas as formulas_of
from seahorn_py.horn.transform.arguments.bitnumbers import (
    Names,
    Numbers,
    bounds_of,
    signed,
    within,
)
from seahorn_py.horn.transform.arguments.intervals import (
    Facts,
    Impossible,
    Range,
    Ranges,
    intervals,
    ranges_of,
)
from seahorn_py.horn.transform.composition import symbols
from seahorn_py.horn.transform.transformation import Both, Inapplicable, NotCarried
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.terms import BOOL, FALSE, INT, Term

MOST_BITS = 32
"""A width in which solvers of bits still do arithmetic well."""


@dataclass(frozen=True)
class NumberBits:
    """All integers of a system become bit-vectors."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system over bits; Inapplicable where a number has no bounds, or other sorts occur."""
        _only_numbers(system)
        facts = intervals(system)
        possible = list(_possible(system, facts))
        bits = _Bits(_width(possible))
        relations = {name: _relation(r, bits) for name, r in system.relations.items()}
        rules = tuple(_rule(rule, ranges, bits) for rule, ranges in possible)
        return HornSystem(relations, rules, system.ledger), Both(
            lambda model: _read_model(system, facts, bits, model),
            lambda refutation: _read_refutation(system, bits, refutation),
        )


def _only_numbers(system: HornSystem) -> None:
    sorts = {p.sort for r in system.relations.values() for p in r.parameters}
    sorts |= {terms.sort_of(n) for formula in system.formulas() for n in nodes(formula)}
    if INT not in sorts or not sorts <= {INT, BOOL}:
        raise Inapplicable("there are no integers, or other sorts beside them")


def _possible(system: HornSystem, facts: Facts) -> Iterator[tuple[Rule, Ranges]]:
    """The rules that intervals do not exclude."""
    for rule in system.rules:
        try:
            yield rule, ranges_of(rule, facts)
        except Impossible:
            continue


def _width(rules: list[tuple[Rule, Ranges]]) -> int:
    """A width for all terms of the rules, and for what a division adds to its first argument."""
    most = 1
    for rule, ranges in rules:
        for formula in formulas_of(rule):
            scale = 4 if any(n.is_function_application() for n in nodes(formula)) else 1
            for node, bounds in ranges.each(formula).items():
                low, high = _finite(bounds, node)
                most = max(most, scale * -low, scale * (high + 1))
    width = (most - 1).bit_length() + 1
    if width > MOST_BITS:
        raise Inapplicable(f"numbers need {width} bits")
    return width


def _finite(bounds: Range, of: Term) -> tuple[int, int]:
    try:
        return int(bounds[0]), int(bounds[1])
    except OverflowError:
        raise Inapplicable(f"{of} has no bounds") from None


class _Bits:
    """Terms over bit-vectors of one width."""

    def __init__(self, width: int) -> None:
        self.sort = terms.bv_sort(width)
        self.width = width

    def symbol(self, number: Term) -> Term:
        """The bits of an integer symbol; a truth value is one."""
        if terms.sort_of(number) is not INT:
            return number
        return terms.variable(f"{number.symbol_name()}!{self.width}bits", self.sort)

    def constant(self, value: int) -> Term:
        """The bits of a number."""
        return terms.bv_const(value % (1 << self.width), self.width)

    def of(self, term: Term, ranges: Ranges) -> Term:
        """The term over bits."""
        made: dict[Term, Term] = {}
        for node in nodes(term):
            if node.is_quantifier():
                raise Inapplicable("a quantifier")
            made[node] = self._node(node, [made[a] for a in node.args()], ranges)
        return made[term]

    def _node(self, node: Term, arguments: list[Term], ranges: Ranges) -> Term:
        if node.is_symbol():
            return self.symbol(node)
        if node.is_int_constant():
            return self.constant(terms.number(node))
        if node.is_function_application():
            return self._divided(node, arguments, ranges)
        operator = _operator(node)
        if operator is None:
            return _same(node, arguments)
        found = arguments[0]
        for argument in arguments[1:]:
            found = terms.bv(operator, found, argument)
        return found

    def _divided(self, node: Term, arguments: list[Term], ranges: Ranges) -> Term:
        """Rounded down: a multiple of the divisor is added, so that no sign is in the way."""
        name, divisor = node.function_name().symbol_name(), node.arg(1)
        if name not in ("div", "mod") or not divisor.is_int_constant():
            raise Inapplicable(f"{name} by what is not constant")
        low, _ = _finite(ranges.of(node.arg(0)), node)
        by = terms.number(divisor)
        if by <= 0:
            raise Inapplicable(f"{name} by a number that is not positive")
        times = max(0, -(low // by))
        first = terms.bv("bvadd", arguments[0], self.constant(times * by))
        if name == "mod":
            return terms.bv("bvurem", first, arguments[1])
        return terms.bv("bvsub", terms.bv("bvudiv", first, arguments[1]), self.constant(times))


def _operator(node: Term) -> str | None:
    """What bits have instead of an operation on numbers."""
    for holds, name in (
        (node.is_plus, "bvadd"),
        (node.is_minus, "bvsub"),
        (node.is_times, "bvmul"),
        (node.is_le, "bvsle"),
        (node.is_lt, "bvslt"),
    ):
        if holds():
            return name
    return None


def _same(node: Term, arguments: list[Term]) -> Term:
    if node.is_equals():
        return terms.eq(*arguments)
    if node.is_ite():
        return terms.ite(*arguments)
    return rebuilt(node, tuple(arguments))


# ----------------------------------------------------------------------------------- the new system


def _relation(relation: Relation, bits: _Bits) -> Relation:
    def parameter(one: Parameter) -> Parameter:
        return replace(one, symbol=bits.symbol(one.symbol))

    return replace(relation, parameters=tuple(map(parameter, relation.parameters)))


def _rule(rule: Rule, ranges: Ranges, bits: _Bits) -> Rule:
    """The rule over bits, each symbol within its range; inputs are no symbols of it any more."""

    def atom(one: Atom) -> Atom:
        return Atom(one.relation, tuple(bits.of(a, ranges) for a in one.arguments))

    within = []
    for symbol in symbols(rule):
        if terms.sort_of(symbol) is INT:
            low, high = map(bits.constant, _finite(ranges.of(symbol), symbol))
            own = bits.symbol(symbol)
            within += [terms.bv("bvsle", low, own), terms.bv("bvsle", own, high)]
    return replace(
        rule,
        body=tuple(map(atom, rule.body)),
        constraint=terms.and_([*within, bits.of(rule.constraint, ranges)]),
        head=atom(rule.head) if isinstance(rule.head, Atom) else rule.head,
        inputs=(),
    )


# ----------------------------------------------------------------------------------------- and back


def _read_refutation(system: HornSystem, bits: _Bits, refutation: Refutation) -> Refutation:
    rules = {rule.name: rule for rule in system.rules}
    steps = []
    for step in refutation.steps:
        own = {bits.symbol(s): s for s in symbols(rules[step.rule])}
        values = {own[s]: _number(v) for s, v in step.values.items() if s in own}
        steps.append(replace(step, arguments=tuple(map(_number, step.arguments)), values=values))
    return Refutation(tuple(steps))


def _number(value: Term) -> Term:
    if not terms.sort_of(value).is_bv_type():
        return value
    return terms.int_const(signed(terms.number(value), terms.bv_width(value)))


def _read_model(system: HornSystem, facts: Facts, bits: _Bits, model: Model) -> Model:
    said = model.interpretations
    return Model(
        {
            name: _in_numbers(relation, facts[name], bits, said.get(name, terms.TRUE))
            if name in facts
            else FALSE
            for name, relation in system.relations.items()
        }
    )


def _in_numbers(relation: Relation, facts: tuple[Range, ...], bits: _Bits, formula: Term) -> Term:
    """What a formula says of bits, for numbers within the ranges."""
    names = Names()
    known: dict[Term, tuple[int, int]] = {}
    for symbol, bounds in zip(relation.symbols, facts, strict=True):
        if terms.sort_of(symbol) is INT:
            names.bits[bits.symbol(symbol)] = symbol
            known[symbol] = _finite(bounds, symbol)
    ranges = [within(*own) for own in known.items()]
    try:
        bound = {names.number(s): terms.sort_of(s) for s in _bound(formula)}
        known |= {s: bounds_of(sort.width) for s, sort in bound.items() if sort is not BOOL}
        return terms.and_([*ranges, Numbers(names, known).of(formula)])
    except Inapplicable as limit:
        raise NotCarried(str(limit)) from None


def _bound(formula: Term) -> Iterator[Term]:
    """The symbols of all quantifiers."""
    for node in nodes(formula):
        if node.is_quantifier():
            yield from node.quantifier_vars()
            yield from _bound(node.arg(0))
