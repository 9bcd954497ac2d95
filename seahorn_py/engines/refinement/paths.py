"""One path through a rule: literals that hold under an assignment and are enough.

A rule of a large block has many paths.  Given values of the symbols, an *implicant* chooses one: of
a disjunction one part that holds, of an `ite` the branch that is taken.  Its equations define
symbols, which are replaced; what is left speaks of the arguments of atoms, or of inputs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from seahorn_py.engines.refinement.predicates import literal
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.evaluate import NotEvaluable, Value, evaluate
from seahorn_py.logic.terms.linear import linear
from seahorn_py.logic.terms.terms import Term

Values = Mapping[Term, Value]


class NoPath(Exception):
    """The assignment does not satisfy the formula, or a part has no value."""


def implicant(formula: Term, values: Values) -> list[Term]:
    """Literals without `ite` that hold under an assignment and imply the formula."""
    truth = _Truth(values)
    found: dict[Term, None] = {}
    todo = [(formula, True)]
    while todo:
        node, wanted = todo.pop()
        if truth.of(node) is not wanted:
            raise NoPath
        parts = _parts(node, wanted, truth)
        if parts is not None:
            todo.extend(parts)
            continue
        plain = _without_ite(node, truth, todo)
        found[plain if wanted else terms.not_(plain)] = None
    return [one for one in found if one is not terms.TRUE]


def _parts(node: Term, wanted: bool, truth: _Truth) -> list[tuple[Term, bool]] | None:
    """What is enough for a connective to be true or false; None for an atom."""
    if node.is_not():
        return [(node.arg(0), not wanted)]
    if node.is_and() or node.is_or():
        every = node.is_and() is wanted
        chosen = [a for a in node.args() if every or truth.of(a) is wanted]
        return [(a, wanted) for a in (chosen if every else chosen[:1])]
    if node.is_implies():
        return _parts(terms.or_([terms.not_(node.arg(0)), node.arg(1)]), wanted, truth)
    if node.is_iff():
        return [(a, truth.of(a)) for a in node.args()]
    if node.is_ite():
        condition, then, otherwise = node.args()
        holds = truth.of(condition)
        return [(condition, holds), (then if holds else otherwise, wanted)]
    return None


def _without_ite(atom: Term, truth: _Truth, todo: list[tuple[Term, bool]]) -> Term:
    """The atom with the branches that are taken; their conditions are to be met, too."""
    if not any(node.is_ite() for node in nodes(atom)):
        return atom
    built: dict[Term, Term] = {}
    for node in nodes(atom):
        if node.is_ite():
            holds = truth.of(node.arg(0))
            todo.append((node.arg(0), holds))
            built[node] = built[node.arg(1 if holds else 2)]
        else:
            built[node] = rebuilt(node, tuple(built[a] for a in node.args()))
    return built[atom]


class _Truth:
    """The truth values of formulas under one assignment."""

    def __init__(self, values: Values) -> None:
        self._values = dict(values)
        self._known: dict[Term, bool] = {}

    def of(self, formula: Term) -> bool:
        if formula not in self._known:
            try:
                for node in nodes(formula):
                    if terms.sort_of(node) is terms.BOOL and node not in self._known:
                        self._known[node] = self._value(node)
            except NotEvaluable as failure:
                raise NoPath from failure
        return self._known[formula]

    def _value(self, node: Term) -> bool:
        arguments = [self._known.get(a) for a in node.args()]
        if node.is_and():
            return all(arguments)
        if node.is_or():
            return any(arguments)
        if node.is_not():
            return not arguments[0]
        free = terms.free_symbols(node)
        if not free <= self._values.keys():
            raise NotEvaluable("a symbol without a value")
        return bool(evaluate(node, {s: self._values[s] for s in free}))


# ------------------------------------------------------------------------------------- elimination


def eliminated(literals: Iterable[Term], kept: Collection[Term]) -> list[Term]:
    """What follows from literals by replacing symbols that are not kept by their definitions.

    Literals that mention others of those symbols in the end are dropped.
    """
    current = list(literals)
    while (found := _definition(current, kept)) is not None:
        symbol, term = found
        current = [terms.substitute(one, {symbol: term}) for one in current]
    rest = (literal(one) for one in current if terms.free_symbols(one) <= set(kept))
    return [one for one in dict.fromkeys(rest) if not one.is_bool_constant()]


def _definition(literals: Sequence[Term], kept: Collection[Term]) -> tuple[Term, Term] | None:
    for one in literals:
        for symbol, term in _definitions(one):
            if symbol not in kept and symbol not in terms.free_symbols(term):
                return symbol, term
    return None


def _definitions(one: Term) -> Iterator[tuple[Term, Term]]:
    """The symbols that a literal determines, and by what."""
    if one.is_symbol():
        yield one, terms.TRUE
    elif one.is_not() and one.arg(0).is_symbol():
        yield one.arg(0), terms.FALSE
    elif one.is_equals():
        left, right = one.args()
        for symbol, term in ((left, right), (right, left)):
            if symbol.is_symbol():
                yield symbol, term
        if terms.sort_of(left) is terms.INT:
            yield from _solved(left, right)


def _solved(left: Term, right: Term) -> Iterator[tuple[Term, Term]]:
    """The symbols that a linear equation determines."""
    form = linear(left).plus(linear(right), -1)
    for unit, coefficient in form.coefficients.items():
        if unit.is_symbol() and abs(coefficient) == 1:
            others = form.plus(linear(unit), -coefficient)
            yield unit, others.times(-coefficient).term()
