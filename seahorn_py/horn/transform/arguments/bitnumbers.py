"""Bit-vectors as the signed numbers that they stand for, exactly: what wraps is a case of its own.

A bit-vector of `w` bits is a number from -2**(w-1) to 2**(w-1)-1.  Sums are cut back into that
range by a case distinction, which falls away where bounds on the symbols of a rule exclude it.
Bitwise operations on what is not constant have no such form: then the transformation is not
applicable.

A refutation goes back number by number.  So does a model: its comparisons of linear terms are made
again of bit-vectors, wide enough that nothing wraps in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pysmt import operators as op

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Model, Parameter, Refutation, Relation, Rule
from seahorn_py.horn.transform.composition import symbols
from seahorn_py.horn.transform.transformation import Both, Inapplicable, NotCarried
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, payload, rebuilt
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.linear import linear
from seahorn_py.logic.terms.terms import Term

Range = tuple[int, int]


@dataclass(frozen=True)
class BitNumbers:
    """All bit-vectors of a system become integers."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system over integers; Inapplicable without bit-vectors, and where one cannot be."""
        names = Names()
        relations = {name: names.relation(r) for name, r in system.relations.items()}
        rules = tuple(_rule(rule, names) for rule in system.rules)
        if not names.bits:
            raise Inapplicable("there are no bit-vectors")
        return HornSystem(relations, rules, system.ledger), Both(
            lambda model: _read_model(system, model, names),
            lambda refutation: _read_refutation(system, refutation, names),
        )


class Names:
    """An integer symbol for each symbol that is a bit-vector."""

    def __init__(self) -> None:
        self.bits: dict[Term, Term] = {}

    def number(self, symbol: Term) -> Term:
        """The symbol that stands for another; itself where that is a truth value."""
        sort = terms.sort_of(symbol)
        if sort is terms.BOOL:
            return symbol
        if not sort.is_bv_type():
            raise Inapplicable(f"{symbol} is neither a bit-vector nor a truth value")
        if symbol not in self.bits:
            name = terms.variable(f"{symbol.symbol_name()}!number", terms.INT)
            self.bits[symbol] = name
        return self.bits[symbol]

    def relation(self, relation: Relation) -> Relation:
        """The relation over numbers."""
        parameters = tuple(self._parameter(p) for p in relation.parameters)
        return replace(relation, parameters=parameters)

    def _parameter(self, parameter: Parameter) -> Parameter:
        return replace(parameter, symbol=self.number(parameter.symbol))


def bounds_of(width: int) -> Range:
    """The numbers that so many bits stand for."""
    half = 1 << (width - 1)
    return -half, half - 1


def _rule(rule: Rule, names: Names) -> Rule:
    """The rule over numbers, each within its range."""
    own = [s for s in symbols(rule) if terms.sort_of(s).is_bv_type()]
    first = Numbers(names, {names.number(s): bounds_of(terms.bv_width(s)) for s in own})
    for part in conjuncts(rule.constraint):
        first.learn(first.of(part))
    # said again, for a condition that bounds follow from may be read with their help
    ranges = [within(number, bounds) for number, bounds in first.known.items()]
    numbers = Numbers(names, first.known)

    def atom(one: Atom) -> Atom:
        return Atom(one.relation, tuple(map(numbers.of, one.arguments)))

    return replace(
        rule,
        body=tuple(map(atom, rule.body)),
        constraint=terms.and_([*ranges, numbers.of(rule.constraint)]),
        head=atom(rule.head) if isinstance(rule.head, Atom) else rule.head,
    )


def within(number: Term, bounds: Range) -> Term:
    """That a number lies between its bounds."""
    low, high = map(terms.int_const, bounds)
    return terms.and_([terms.le(low, number), terms.le(number, high)])


class Numbers:
    """Terms over numbers, and the range in which each lies."""

    def __init__(self, names: Names, known: Mapping[Term, Range]) -> None:
        self.known = dict(known)
        self._names = names
        self._made: dict[Term, Term] = {}
        self._ranges: dict[Term, Range] = {}

    def of(self, term: Term) -> Term:
        """The term over numbers."""
        for node in nodes(term):
            if node in self._made:
                continue
            if node.is_quantifier():
                self._made[node] = self._quantified(node)
            else:
                self._made[node] = self._node(node, [self._made[a] for a in node.args()])
        return self._made[term]

    def _quantified(self, node: Term) -> Term:
        """Of numbers within their ranges; Inapplicable where these are not known."""
        numbers = [self._names.number(s) for s in node.quantifier_vars()]
        ranges = [within(n, self.known[n]) for n in numbers if n in self.known]
        if len(ranges) < len(numbers):
            raise Inapplicable("a quantifier")
        body = self.of(node.arg(0))
        if node.is_exists():
            return terms.exists(numbers, terms.and_([*ranges, body]))
        return terms.forall(numbers, terms.implies(terms.and_(ranges), body))

    def learn(self, condition: Term) -> None:
        """Take bounds on single symbols from a condition that holds."""
        if not (condition.is_le() or condition.is_lt() or condition.is_equals()):
            return
        if terms.sort_of(condition.arg(0)) is not terms.INT:
            return
        left, right = (self._range(a) for a in condition.args())
        strict = int(condition.is_lt())
        self._narrow(condition.arg(0), (None, right[1] - strict))
        self._narrow(condition.arg(1), (left[0] + strict, None))
        if condition.is_equals():
            self._narrow(condition.arg(0), (right[0], None))
            self._narrow(condition.arg(1), (None, left[1]))

    def _narrow(self, symbol: Term, bounds: tuple[int | None, int | None]) -> None:
        if symbol in self.known:
            low, high = self.known[symbol]
            low = low if bounds[0] is None else max(low, bounds[0])
            high = high if bounds[1] is None else min(high, bounds[1])
            self.known[symbol] = low, high

    # ------------------------------------------------------------------------------------- nodes

    def _node(self, node: Term, arguments: list[Term]) -> Term:
        if node.is_symbol():
            return self._names.number(node)
        kind = node.node_type()
        if kind == op.BV_CONSTANT:
            return terms.int_const(signed(terms.number(node), node.bv_width()))
        if kind == op.EQUALS:
            return terms.eq(*arguments)
        if kind in _COMPARISONS:
            make, is_signed = _COMPARISONS[kind]
            if not is_signed:
                widths = [terms.bv_width(a) for a in node.args()]
                arguments = [self._unsigned(a, w) for a, w in zip(arguments, widths, strict=True)]
            return make(*arguments)
        if kind == op.ITE:
            return terms.ite(*arguments)
        if kind in _BOOLEAN:
            return rebuilt(node, tuple(arguments))
        return self._operation(node, arguments)

    def _operation(self, node: Term, arguments: list[Term]) -> Term:  # noqa: C901 - a flat match
        if not terms.sort_of(node).is_bv_type():
            raise Inapplicable(f"{node} is no operation on bits")
        first, width = arguments[0], terms.bv_width(node)
        own = terms.bv_width(node.arg(0)) if terms.sort_of(node.arg(0)).is_bv_type() else 0
        match node.node_type():
            case op.BV_ADD:
                return self._wrapped(terms.plus(*arguments), width)
            case op.BV_SUB:
                return self._wrapped(terms.minus(*arguments), width)
            case op.BV_NEG:
                return self._wrapped(terms.minus(terms.int_const(0), first), width)
            case op.BV_NOT:
                return terms.minus(terms.int_const(-1), first)
            case op.BV_MUL if any(a.is_int_constant() for a in arguments):
                return self._wrapped(terms.times(*arguments), width)
            case op.BV_LSHL if arguments[1].is_int_constant():
                by = terms.number(arguments[1]) % (1 << width)
                scale = terms.int_const(1 << by if by < width else 0)
                return self._wrapped(terms.times(first, scale), width)
            case op.BV_ASHR if arguments[1].is_int_constant():
                by = min(terms.number(arguments[1]) % (1 << width), width)
                return terms.div(first, terms.int_const(1 << by))
            case op.BV_UDIV | op.BV_UREM as kind if arguments[1].is_int_constant():
                return self._divided(first, terms.number(arguments[1]) % (1 << width), width, kind)
            case op.BV_SEXT:
                return first
            case op.BV_ZEXT:
                return self._unsigned(first, own)
            case op.BV_CONCAT:
                least = terms.bv_width(node.arg(1))
                upper = terms.times(first, terms.int_const(1 << least))
                return terms.plus(upper, self._unsigned(arguments[1], least))
            case op.BV_EXTRACT:
                _, low, high = payload(node)
                return self._extracted(first, own, low, high)
            case op.BV_COMP:
                return terms.ite(terms.eq(*arguments), terms.int_const(-1), terms.int_const(0))
        raise Inapplicable(f"{op.op_to_str(node.node_type())} of what is not constant")

    def _extracted(self, number: Term, width: int, low: int, high: int) -> Term:
        """Some bits; the sign bit, and the bits from one on, have a simple form."""
        if low == high == width - 1:
            negative = terms.lt(number, terms.int_const(0))
            return terms.ite(negative, terms.int_const(-1), terms.int_const(0))
        shifted = terms.div(number, terms.int_const(1 << low)) if low else number
        return shifted if high == width - 1 else self._wrapped(shifted, high - low + 1)

    def _divided(self, number: Term, divisor: int, width: int, kind: int) -> Term:
        if not divisor:
            raise Inapplicable("division by 0")
        make = terms.div if kind == op.BV_UDIV else terms.mod
        found = make(self._unsigned(number, width), terms.int_const(divisor))
        return self._wrapped(found, width)

    def _unsigned(self, number: Term, width: int) -> Term:
        if self._range(number)[0] >= 0:
            return number
        more = terms.plus(number, terms.int_const(1 << width))
        return terms.ite(terms.lt(number, terms.int_const(0)), more, number)

    def _wrapped(self, number: Term, width: int) -> Term:
        """The number that its last bits are."""
        low, high = self._range(number)
        least, most = bounds_of(width)
        period = terms.int_const(1 << width)
        if low < least - (1 << width) or high > most + (1 << width):
            half = terms.int_const(-least)
            return terms.minus(terms.mod(terms.plus(number, half), period), half)
        found = number
        if low < least:
            below = terms.lt(number, terms.int_const(least))
            found = terms.ite(below, terms.plus(number, period), found)
        if high > most:
            above = terms.lt(terms.int_const(most), number)
            found = terms.ite(above, terms.minus(number, period), found)
        if found is not number:
            self._ranges[found] = least, most
        return found

    # ------------------------------------------------------------------------------------ ranges

    def _range(self, number: Term) -> Range:
        """Between what bounds a number lies."""
        for node in nodes(number):
            if node not in self._ranges and terms.sort_of(node) is terms.INT:
                parts = [self._ranges[a] for a in node.args() if terms.sort_of(a) is terms.INT]
                self._ranges[node] = self._bounds_of(node, parts)
        return self._ranges[number]

    def _bounds_of(self, node: Term, parts: Sequence[Range]) -> Range:
        if node.is_int_constant():
            return terms.number(node), terms.number(node)
        if node.is_symbol():
            return self.known[node]
        if node.is_plus():
            return sum(low for low, _ in parts), sum(high for _, high in parts)
        if node.is_minus():
            return parts[0][0] - parts[1][1], parts[0][1] - parts[1][0]
        if node.is_times():
            ends = [a * b for a in parts[0] for b in parts[1]]
            return min(ends), max(ends)
        if node.is_ite():
            return min(low for low, _ in parts), max(high for _, high in parts)
        divisor = terms.number(node.arg(1))
        if node.function_name().symbol_name() == "mod":
            return 0, divisor - 1
        return parts[0][0] // divisor, parts[0][1] // divisor


def signed(bits: int, width: int) -> int:
    """The number that so many bits stand for."""
    return bits - (1 << width) if bits >> (width - 1) else bits


_COMPARISONS: Mapping[int, tuple[Callable[[Term, Term], Term], bool]] = {
    op.BV_SLT: (terms.lt, True),
    op.BV_SLE: (terms.le, True),
    op.BV_ULT: (terms.lt, False),
    op.BV_ULE: (terms.le, False),
}
_BOOLEAN = frozenset((op.AND, op.OR, op.NOT, op.IMPLIES, op.IFF, op.BOOL_CONSTANT))


# --------------------------------------------------------------------------------------- and back


def _read_refutation(system: HornSystem, refutation: Refutation, names: Names) -> Refutation:
    rules = {rule.name: rule for rule in system.rules}
    steps = []
    for step in refutation.steps:
        rule = rules[step.rule]
        head = rule.head.arguments if isinstance(rule.head, Atom) else ()
        pairs = zip(head, step.arguments, strict=True)
        arguments = tuple(_bits(value, terms.sort_of(like)) for like, value in pairs)
        values = {
            s: _bits(step.values[names.number(s)], terms.sort_of(s))
            for s in symbols(rule)
            if names.number(s) in step.values
        }
        steps.append(replace(step, arguments=arguments, values=values))
    return Refutation(tuple(steps))


def _bits(value: Term, sort: terms.Sort) -> Term:
    return terms.bv_const(terms.number(value), sort.width) if sort.is_bv_type() else value


def _read_model(system: HornSystem, model: Model, names: Names) -> Model:
    back = {number: bits for bits, number in names.bits.items()}
    return Model({name: _in_bits(one, back) for name, one in model.interpretations.items()})


def _in_bits(formula: Term, back: Mapping[Term, Term]) -> Term:
    """The formula over bit-vectors; NotCarried for numbers that are no linear terms."""
    built: dict[Term, Term] = {}
    for node in nodes(formula):
        if node.is_quantifier():
            raise NotCarried("a quantifier")
        if node.is_le() or node.is_lt() or (node.is_equals() and _is_number(node.arg(0))):
            built[node] = _comparison(node, back)
        elif terms.sort_of(node) is terms.BOOL:
            inner = (
                [built[a] for a in node.args()] if all(a in built for a in node.args()) else None
            )
            if inner is None:
                raise NotCarried("a formula of another form")
            built[node] = rebuilt(node, tuple(inner))
    return built[formula]


def _is_number(term: Term) -> bool:
    return terms.sort_of(term) is terms.INT


def _comparison(node: Term, back: Mapping[Term, Term]) -> Term:
    """A comparison of linear terms, over bit-vectors in which nothing wraps."""
    form = linear(terms.minus(node.arg(0), node.arg(1)))
    if any(unit not in back for unit in form.coefficients):
        raise NotCarried("a number that is no linear term")
    parts = [(back[unit], factor) for unit, factor in form.coefficients.items()]
    most = abs(form.constant) + sum(abs(c) << (terms.bv_width(x) - 1) for x, c in parts)
    width = max([most.bit_length() + 1, *(terms.bv_width(x) for x, _ in parts)])
    left = [(x, c) for x, c in parts if c > 0]
    right = [(x, -c) for x, c in parts if c < 0]
    low = _sum(left, max(form.constant, 0), width)
    high = _sum(right, max(-form.constant, 0), width)
    if node.is_equals():
        return terms.eq(low, high)
    return terms.bv("bvsle" if node.is_le() else "bvslt", low, high)


def _sum(parts: Iterable[tuple[Term, int]], constant: int, width: int) -> Term:
    """A sum of multiples, as a bit-vector of this width."""
    found = [_multiple(x, factor, width) for x, factor in parts]
    if constant or not found:
        found.append(terms.bv_const(constant, width))
    total = found[0]
    for one in found[1:]:
        total = terms.bv("bvadd", total, one)
    return total


def _multiple(bits: Term, factor: int, width: int) -> Term:
    wide = terms.bv_sext(bits, width - terms.bv_width(bits))
    return wide if factor == 1 else terms.bv("bvmul", terms.bv_const(factor, width), wide)
