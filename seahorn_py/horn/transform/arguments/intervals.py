"""Between which numbers the arguments of all facts lie, and the symbols of each rule.

Cousot, Cousot: Static determination of dynamic properties of programs, ISP 1976.  Bounds that still
grow after a few rounds are given up (widening); what the rules say of them then is taken back as
far as that is stable (narrowing).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, inf

from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.connectives import conjuncts_below_negations
from seahorn_py.logic.terms.linear import Linear, linear
from seahorn_py.logic.terms.terms import INT, Term

Range = tuple[float, float]
"""Whole numbers, or infinite ends."""

ALL: Range = (-inf, inf)
FARTHEST = 1 << 62
"""An end beyond is infinite."""

ROUNDS, NARROWINGS, PASSES = 40, 3, 4
Facts = Mapping[str, tuple[Range, ...]]
"""The ranges of the parameters of each relation that has facts; those of no integer say nothing."""


class Impossible(Exception):
    """No numbers satisfy a condition."""


class Ranges:
    """The ranges of symbols, and of terms over them."""

    def __init__(self, known: Mapping[Term, Range] | None = None) -> None:
        self.known = dict(known or {})

    def of(self, term: Term) -> Range:
        """Between what bounds an integer term lies."""
        return self.each(term)[term]

    def each(self, term: Term) -> dict[Term, Range]:
        """The same for all integer terms in a term."""
        found: dict[Term, Range] = {}
        for node in nodes(term):
            if terms.sort_of(node) is INT:
                parts = [found[a] for a in node.args() if terms.sort_of(a) is INT]
                found[node] = self._node(node, parts)
        return found

    def learn(self, condition: Term) -> None:
        """Take what a condition says of symbols; Impossible where none satisfy it."""
        for _ in range(PASSES):
            before = dict(self.known)
            for part in conjuncts_below_negations(condition):
                self._literal(part)
            if self.known == before:
                return

    def within(self, term: Term, bounds: Range) -> None:
        """Take that a term lies in a range; Impossible where it does not."""
        self._form(linear(term), *bounds)

    # --------------------------------------------------------------------------------- conditions

    def _literal(self, part: Term) -> None:
        if part is terms.FALSE:
            raise Impossible
        if part.is_or():
            self._some(part.args())
            return
        atom = part.arg(0) if part.is_not() else part
        if not (atom.is_le() or atom.is_lt() or atom.is_equals()):
            return
        if terms.sort_of(atom.arg(0)) is not INT:
            return
        form = linear(terms.minus(atom.arg(0), atom.arg(1)))
        if atom.is_equals():
            if not part.is_not():
                self._form(form, 0, 0)
        elif part.is_not():
            self._form(form, 0 if atom.is_lt() else 1, inf)
        else:
            self._form(form, -inf, -1 if atom.is_lt() else 0)

    def _some(self, parts: Iterable[Term]) -> None:
        """One of these holds."""
        cases = []
        for part in parts:
            case = Ranges(self.known)
            try:
                case.learn(part)
            except Impossible:
                continue
            cases.append(case.known)
        if not cases:
            raise Impossible
        for symbol in set.intersection(*(set(case) for case in cases)):
            self._narrow(symbol, joined(case[symbol] for case in cases))

    def _form(self, form: Linear, low: float, high: float) -> None:
        """`low <= form <= high`: each unit lies between what the others leave."""
        parts = {u: _scaled(self.of(u), c) for u, c in form.coefficients.items()}
        if not parts and not low <= form.constant <= high:
            raise Impossible
        for unit, factor in form.coefficients.items():
            others = [r for u, r in parts.items() if u is not unit]
            least = low - form.constant - sum(r[1] for r in others)
            most = high - form.constant - sum(r[0] for r in others)
            ends = (least, most) if factor > 0 else (-most, -least)
            bounds = _ceiling(ends[0], abs(factor)), _floor(ends[1], abs(factor))
            if unit.is_symbol():
                self._narrow(unit, bounds)
            elif met(self.of(unit), bounds) is None:
                raise Impossible

    def _narrow(self, symbol: Term, bounds: Range) -> None:
        found = met(self.known.get(symbol, ALL), bounds)
        if found is None:
            raise Impossible
        self.known[symbol] = found

    # --------------------------------------------------------------------------------------- terms

    def _node(self, node: Term, parts: Sequence[Range]) -> Range:
        if node.is_int_constant():
            return _near(terms.number(node), terms.number(node))
        if node.is_symbol():
            return self.known.get(node, ALL)
        if node.is_plus():
            return _near(sum(r[0] for r in parts), sum(r[1] for r in parts))
        if node.is_minus():
            return _near(parts[0][0] - parts[1][1], parts[0][1] - parts[1][0])
        if node.is_times():
            return _product(parts)
        if node.is_ite():
            return joined(parts)
        return _divided(node, parts)


def joined(ranges: Iterable[Range]) -> Range:
    """The least range that has all of these."""
    every = list(ranges)
    return min(low for low, _ in every), max(high for _, high in every)


def met(one: Range, other: Range) -> Range | None:
    """What two ranges have in common; None where that is nothing."""
    found = max(one[0], other[0]), min(one[1], other[1])
    return found if found[0] <= found[1] else None


def _near(low: float, high: float) -> Range:
    return (low if low >= -FARTHEST else -inf), (high if high <= FARTHEST else inf)


def _scaled(one: Range, factor: int) -> Range:
    ends = sorted(end * factor for end in one)
    return _near(ends[0], ends[1])


def _product(parts: Sequence[Range]) -> Range:
    found: Range = (1, 1)
    for part in parts:
        ends = [0 if 0 in (a, b) else a * b for a in found for b in part]
        found = _near(min(ends), max(ends))
    return found


def _divided(node: Term, parts: Sequence[Range]) -> Range:
    """Of `div` and `mod` by a positive number; of other terms nothing is known."""
    is_division = node.is_function_application() and len(node.args()) == 2
    if not is_division or not node.arg(1).is_int_constant() or terms.number(node.arg(1)) <= 0:
        return ALL
    divisor = terms.number(node.arg(1))
    match node.function_name().symbol_name():
        case "mod":
            return 0, divisor - 1
        case "div":
            return _floor(parts[0][0], divisor), _floor(parts[0][1], divisor)
    return ALL


def _floor(end: float, divisor: int) -> float:
    return end if abs(end) == inf else floor(end) // divisor


def _ceiling(end: float, divisor: int) -> float:
    return end if abs(end) == inf else -(-ceil(end) // divisor)


# ----------------------------------------------------------------------------------------- systems


def ranges_of(rule: Rule, facts: Facts) -> Ranges:
    """What is known in a rule that is applied to such facts; Impossible where it cannot be."""
    found = Ranges()
    for _ in range(PASSES):
        before = dict(found.known)
        for atom in rule.body:
            if atom.relation not in facts:
                raise Impossible
            for argument, bounds in zip(atom.arguments, facts[atom.relation], strict=True):
                if terms.sort_of(argument) is INT:
                    found.within(argument, bounds)
        found.learn(rule.constraint)
        if found.known == before:
            break
    return found


def intervals(system: HornSystem) -> Facts:
    """The ranges of all facts; a relation that is missing has none."""
    found: Facts = {}
    for number in range(ROUNDS):
        new = _derived(system, found)
        if _inside(new, found):
            break
        found = {name: _grown(found.get(name), own, number) for name, own in new.items()}
    else:
        found = {name: tuple(ALL for _ in own) for name, own in found.items()}
        found |= {n: tuple(ALL for _ in r.parameters) for n, r in system.relations.items()}
    for _ in range(NARROWINGS):
        narrower = _derived(system, found)
        if not _inside(_derived(system, narrower), narrower):
            break
        found = narrower
    return found


def _derived(system: HornSystem, facts: Facts) -> Facts:
    """What the rules derive from such facts."""
    found: dict[str, tuple[Range, ...]] = {}
    for rule in system.rules:
        if not isinstance(rule.head, Atom):
            continue
        try:
            ranges = ranges_of(rule, facts)
        except Impossible:
            continue
        own = tuple(ranges.of(a) if terms.sort_of(a) is INT else ALL for a in rule.head.arguments)
        old = found.get(rule.head.relation, own)
        pairs = zip(old, own, strict=True)
        found[rule.head.relation] = tuple(joined(pair) for pair in pairs)
    return found


def _inside(new: Facts, old: Facts) -> bool:
    return all(
        name in old and all(joined((a, b)) == b for a, b in zip(own, old[name], strict=True))
        for name, own in new.items()
    )


def _grown(old: tuple[Range, ...] | None, new: tuple[Range, ...], round_: int) -> tuple[Range, ...]:
    """Both together; an end that has grown again is given up."""
    if old is None:
        return new
    found = []
    for a, b in zip(old, new, strict=True):
        low, high = joined((a, b))
        if round_ >= 2:
            low = low if low == a[0] else -inf
            high = high if high == a[1] else inf
        found.append((low, high))
    return tuple(found)
