"""Closures of loops whose counters are added up: values after n iterations as polynomials in n.

Rodriguez-Carbonell, Kapur: "Automatic generation of polynomial invariants", SAS 2004, for loops
that can be solved; here those in which each variable stays, grows by a polynomial of variables
solved before, or is set to one.  Sums of powers are Bernoulli's (`logic.terms.polynomials`).

The guard is asked of the first and of the last iteration only, so the closure may hold of more than
is reached.  It is closed under the loop all the same, which a model needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seahorn_py.horn.system import Atom, Rule
from seahorn_py.horn.transform.composition import Closure
from seahorn_py.horn.transform.transitions import equations
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.definitions import without_definitions
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.polynomials import Polynomial, constant, polynomial, variable
from seahorn_py.logic.terms.terms import INT, Term

COUNT = terms.symbol("iterations!", INT)
"""How many iterations there are, or were before the last."""


def polynomial_closure(rule: Rule, before: Sequence[Term], after: Sequence[Term]) -> Closure | None:
    """The closure of one rule from a relation to itself; None when its loop is not solved."""
    updates, guard = _loop(rule, before)
    if updates is None:
        return None
    solved, assigned = _solved(updates)
    if len(solved) + len(assigned) < len(before):
        return None
    last = {COUNT: variable(COUNT).plus(constant(1), -1)}
    values = {s: form for s, form in solved.items()}
    earlier = {s: form.at(last) for s, form in solved.items()}
    values |= {s: update.at(earlier) for s, update in assigned.items()}
    parts = [terms.le(terms.int_const(1), COUNT), guard, _again(guard, earlier)]
    for old, new in zip(before, after, strict=True):
        if terms.sort_of(old) is INT:
            scale = values[old].denominator
            parts.append(
                terms.eq(terms.times(terms.int_const(scale), new), values[old].term(scale))
            )
        else:
            parts.append(terms.iff(old, new))
    pairs = dict(zip(before, after, strict=True))
    formula = _counted(terms.and_(parts), solved, pairs)
    same = [old for old in before if solved.get(old) == variable(old)]
    # outside of the disjunction, where who eliminates symbols finds it
    unchanged = equations([pairs[old] for old in same], same)
    formula = terms.and_([unchanged, terms.or_([equations(after, before), formula])])
    return Closure((rule,), tuple(before), tuple(after), formula, exact=False)


def _loop(rule: Rule, before: Sequence[Term]) -> tuple[dict[Term, Polynomial] | None, Term]:
    """What each variable becomes, and the guard, over the symbols `before`."""
    assert isinstance(rule.head, Atom)
    arguments = rule.body[0].arguments
    outputs = {terms.fresh_like(symbol): symbol for symbol in before}
    whole = terms.and_(
        [
            rule.constraint,
            equations(before, arguments),
            equations(list(outputs), rule.head.arguments),
        ]
    )
    found = without_definitions(whole, frozenset([*before, *outputs]))
    updates: dict[Term, Polynomial] = {}
    rest = []
    for part in conjuncts(found):
        update = _update(part, outputs, frozenset(before))
        if update is None:
            rest.append(part)
        else:
            updates[update[0]] = update[1]
    guard = terms.and_(p for p in rest if terms.free_symbols(p) <= set(before))
    integers = [s for s in before if terms.sort_of(s) is INT]
    unchanged = all(
        terms.iff(o, s) in rest or terms.iff(s, o) in rest
        for o, s in outputs.items()
        if terms.sort_of(s) is not INT
    )
    complete = unchanged and all(s in updates for s in integers)
    return (updates if complete else None), guard


def _update(
    part: Term, outputs: Mapping[Term, Term], known: frozenset[Term]
) -> tuple[Term, Polynomial] | None:
    if not part.is_equals():
        return None
    for output, value in (part.args(), part.args()[::-1]):
        if output in outputs:
            found = polynomial(value)
            if found is not None and found.symbols <= known:
                return outputs[output], found
    return None


def _solved(
    updates: Mapping[Term, Polynomial],
) -> tuple[dict[Term, Polynomial], dict[Term, Polynomial]]:
    """Values after `COUNT` iterations, and the updates of variables that are only set."""
    solved: dict[Term, Polynomial] = {}
    while True:
        found = {
            symbol: change
            for symbol, update in updates.items()
            if symbol not in solved
            and symbol not in (change := update.plus(variable(symbol), -1)).symbols
            and change.symbols <= solved.keys()
        }
        if not found:
            break
        for symbol, change in found.items():
            solved[symbol] = variable(symbol).plus(change.at(solved).summed(COUNT))
    assigned = {
        symbol: update
        for symbol, update in updates.items()
        if symbol not in solved and update.symbols <= solved.keys()
    }
    return solved, assigned


def _again(guard: Term, values: Mapping[Term, Polynomial]) -> Term:
    """The parts of the guard, at other values, that are about integers written as such."""
    whole = {s: form.term() for s, form in values.items() if form.denominator == 1}
    parts = []
    for part in conjuncts(guard):
        symbols = {s for s in terms.free_symbols(part) if terms.sort_of(s) is INT}
        if symbols <= whole.keys():
            parts.append(folded(part, whole))
    return terms.and_(parts)


def _counted(formula: Term, solved: Mapping[Term, Polynomial], after: Mapping[Term, Term]) -> Term:
    """The formula with the number of iterations read off a counter that goes up or down by one."""
    for symbol, form in solved.items():
        for step in (1, -1):
            counter = variable(symbol).plus(variable(COUNT), step)
            if form == counter:
                ends = (after[symbol], symbol) if step > 0 else (symbol, after[symbol])
                return folded(formula, {COUNT: terms.minus(*ends)})
    return formula
