"""Recurrent sets: states from which some run goes on for ever, at the relations of one component.

    A. Gupta, T. Henzinger, R. Majumdar, A. Rybalchenko, R. Xu: "Proving non-termination", POPL 2008

A family of sets, one for each relation, is recurrent if each state in them has a step into them.
The largest family is the limit of shrinkings: drop the states that have no step into the family
(`_shrunk`).  In Presburger arithmetic each shrinking is exact, also where inputs may be chosen.

Shrinking need not end.  So it is tried again with fewer steps: those that bring a run no nearer to
the borders of the states that have a step (`_steady`).  The ray of Leike and Heizmann ("Geometric
nontermination arguments", TACAS 2018) is such a step.  A family that is recurrent by fewer steps is
recurrent by all.

What is found is a candidate: `closedness` is the question for another solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.engines.termination.cycles import reached_from
from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.horn.transform.transitions import transition
from seahorn_py.logic.presburger.presburger import Beyond, Map, Presburger, Set, bounded, steady
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import by_name, free_symbols
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import print_sort, print_term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

Family = Mapping[str, Term]
"""Relation -> formula over its parameters."""


@dataclass(frozen=True)
class Component:
    """Relations on common cycles, and the rules with one premise between them."""

    names: tuple[str, ...]
    rules: tuple[Rule, ...]


def components(system: HornSystem) -> Iterator[Component]:
    """The components of the system that have a cycle."""
    follow: dict[str, list[str]] = {name: [] for name in system.relations}
    for rule in _simple(system):
        follow[rule.body[0].relation].append(_target(rule))
    for names in _cyclic(follow):
        inside = frozenset(names)
        rules = tuple(
            r for r in _simple(system) if r.body[0].relation in inside and _target(r) in inside
        )
        yield Component(names, rules)


def within(system: HornSystem, component: Component, name: str, low: int, high: int) -> Component:
    """The steps on which a parameter of this name stays between two values."""
    return Component(
        component.names, tuple(_held(system, r, name, low, high) for r in component.rules)
    )


def _held(system: HornSystem, rule: Rule, name: str, low: int, high: int) -> Rule:
    """The rule between states in which parameters of the name have such values."""
    assert isinstance(rule.head, Atom)
    parts = [rule.constraint]
    for atom in (rule.body[0], rule.head):
        for parameter, value in zip(
            system.relations[atom.relation].symbols, atom.arguments, strict=True
        ):
            if parameter.symbol_name() == name:
                parts += [
                    terms.le(terms.int_const(low), value),
                    terms.le(value, terms.int_const(high)),
                ]
    return replace(rule, constraint=terms.and_(parts))


def families(
    system: HornSystem, component: Component, operations: int, deadline: Deadline
) -> Iterator[Family]:
    """Recurrent families: the largest one, and the largest one by steady steps."""
    arithmetic = Presburger(operations)
    try:
        steps = {rule.name: transition(arithmetic, rule) for rule in component.rules}
    except Beyond:
        return
    for restricted in (False, True):
        try:
            chosen = _steady(steps) if restricted else steps
        except Beyond:
            return
        found = _largest(system, component, chosen, arithmetic, deadline)
        if found is not None:
            yield found


def _steady(steps: Mapping[str, Map]) -> dict[str, Map]:
    """The steps that come no nearer to the borders, by rule; rules without any are left out.

    Raises Beyond.
    """
    with bounded():
        found = ((name, steady(step)) for name, step in steps.items())
        return {name: step for name, step in found if step is not None}


def _largest(
    system: HornSystem,
    component: Component,
    steps: Mapping[str, Map],
    arithmetic: Presburger,
    deadline: Deadline,
) -> Family | None:
    """The largest family; None if it is empty, or not reached by a limited number of shrinkings."""
    rules = [rule for rule in component.rules if rule.name in steps]
    try:
        with bounded():
            family = {n: _typed(system, n, arithmetic) for n in component.names}
            for _ in range(policy().termination.most_shrinkings):
                smaller = _shrunk(family, rules, steps)
                if all(family[n].is_subset(smaller[n]) for n in family):
                    break
                if deadline.remaining == 0:
                    return None
                family = smaller
            else:
                return None
            if all(one.is_empty() for one in family.values()):
                return None
            symbols = {n: system.relations[n].symbols for n in family}
            return {n: arithmetic.formula(family[n], symbols[n]) for n in family}
    except Beyond:
        return None


def _shrunk(
    family: Mapping[str, Set], rules: Sequence[Rule], steps: Mapping[str, Map]
) -> dict[str, Set]:
    """The states of the family that have a step into it."""
    found: dict[str, Set] = {}
    for rule in rules:
        source = rule.body[0].relation
        before = steps[rule.name].intersect_range(family[_target(rule)]).domain()
        found[source] = before.union(found[source]) if source in found else before
    empty = {n: one.subtract(one) for n, one in family.items() if n not in found}
    return {
        n: one.intersect(found.get(n, empty.get(n, one))).coalesce() for n, one in family.items()
    }


def _typed(system: HornSystem, name: str, arithmetic: Presburger) -> Set:
    """The states whose values have their types."""
    parts = []
    for parameter in system.relations[name].parameters:
        if parameter.range is not None and parameter.sort is terms.INT:
            low, high = map(terms.int_const, parameter.range)
            parts += [terms.le(low, parameter.symbol), terms.le(parameter.symbol, high)]
    return arithmetic.set(terms.and_(parts), system.relations[name].symbols)


def closedness(system: HornSystem, component: Component, family: Family) -> list[str]:
    """Scripts that are unsatisfiable if each state of the family has a step into it."""
    return [_script(system, component, family, name) for name in family]


def _script(system: HornSystem, component: Component, family: Family, name: str) -> str:
    """The script: there is a state of the set at a relation from which no rule leads into it."""
    symbols = system.relations[name].symbols
    names = {symbol: f"s!{k}" for k, symbol in enumerate(symbols)}
    lines = [f"(declare-const {n} {print_sort(s.symbol_type())})" for s, n in names.items()]
    lines.append(f"(assert {print_term(family[name], names)})")
    for rule in component.rules:
        if rule.body[0].relation == name and not family[_target(rule)].is_false():
            lines.append(f"(assert {_no_step(system, rule, family[_target(rule)], names)})")
    return "\n".join(lines)


def _no_step(system: HornSystem, rule: Rule, target: Term, names: Mapping[Term, str]) -> str:
    """The formula: no instance of the rule leads from these values into the target."""
    assert isinstance(rule.head, Atom)
    reached = system.relations[rule.head.relation].symbols
    local = by_name(
        free_symbols(rule.constraint).union(
            *(free_symbols(a) for a in (*rule.body[0].arguments, *rule.head.arguments))
        )
    )
    mine = {symbol: f"l!{k}" for k, symbol in enumerate(local)}
    after = {symbol: f"t!{k}" for k, symbol in enumerate(reached)}
    parts = [print_term(rule.constraint, mine)]
    for argument, name in zip(rule.body[0].arguments, names.values(), strict=True):
        parts.append(f"(= {print_term(argument, mine)} {name})")
    for argument, name in zip(rule.head.arguments, after.values(), strict=True):
        parts.append(f"(= {print_term(argument, mine)} {name})")
    parts.append(print_term(target, after))
    bound = [f"({n} {print_sort(s.symbol_type())})" for s, n in (*mine.items(), *after.items())]
    body = f"(not (and {' '.join(parts)}))"
    return f"(forall ({' '.join(bound)}) {body})" if bound else body


def _simple(system: HornSystem) -> Iterator[Rule]:
    """The rules with one premise that lead on."""
    return (r for r in system.rules if len(r.body) == 1 and isinstance(r.head, Atom))


def _target(rule: Rule) -> str:
    assert isinstance(rule.head, Atom)
    return rule.head.relation


def _cyclic(follow: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """The strongly connected parts that have an edge inside; for small graphs."""
    reached = {name: reached_from(name, follow) for name in follow}
    seen: set[str] = set()
    for name in follow:
        if name in reached[name] and name not in seen:
            part = tuple(n for n in follow if n in reached[name] and name in reached[n])
            seen.update(part)
            yield part
