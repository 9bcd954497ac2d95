"""Refutations as SMT-LIB: ground instances of clauses that cannot hold together.

Each step is an assertion that its clause implies, so any solver that answers `unsat` confirms the
refutation; a comment names the clause.  What a step leaves open is bound by `exists` within its
premise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from seahorn_py.horn.system import Atom, HornSystem, Refutation, Rule, Step, symbols_of
from seahorn_py.horn.text.smtlib import applied, datatype_lines, relation_names, variable_names
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import print_sort, print_term, quoted


def print_refutation(system: HornSystem, refutation: Refutation) -> str:
    """A script that is unsatisfiable: the relations, an instance for each step, `check-sat`."""
    return "\n".join(_lines(system, refutation))


def _lines(system: HornSystem, refutation: Refutation) -> Iterator[str]:
    yield "(set-logic ALL)"
    yield from datatype_lines(system)
    names = relation_names(system)
    for relation in system.relations.values():
        sorts = " ".join(print_sort(p.sort) for p in relation.parameters)
        yield f"(declare-fun {quoted(names[relation.name])} ({sorts}) Bool)"
    rules = {rule.name: rule for rule in system.rules}
    for number, step in enumerate(refutation.steps):
        premises = [refutation.steps[premise] for premise in step.premises]
        used = f" from {', '.join(map(str, step.premises))}" if premises else ""
        yield f"; step {number}: {_printable(step.rule)}{used}"
        yield f"(assert {_instance(rules[step.rule], step, premises, names)})"
    yield "(check-sat)"


def _instance(rule: Rule, step: Step, premises: Sequence[Step], names: Mapping[str, str]) -> str:
    """The clause of a step at its values: the facts it uses, its condition, what it derives."""
    body = [Atom(a.relation, p.arguments) for a, p in zip(rule.body, premises, strict=True)]
    pairs = [
        (argument, value)
        for atom, premise in zip(rule.body, premises, strict=True)
        for argument, value in zip(atom.arguments, premise.arguments, strict=True)
    ]
    if isinstance(rule.head, Atom):
        pairs += zip(rule.head.arguments, step.arguments, strict=True)
    values = dict(step.values)
    equal = [terms.eq(terms.substitute(argument, values), value) for argument, value in pairs]
    condition = terms.and_([terms.substitute(rule.constraint, values), *equal])
    left = [s for s in symbols_of(rule) if s in terms.free_symbols(condition)]
    condition = terms.exists(left, condition)
    own: dict[Term, str] = variable_names([condition], set(names.values()))
    parts = [*(applied(atom, dict(names), own) for atom in body), print_term(condition, own)]
    head = Atom(rule.head.relation, step.arguments) if isinstance(rule.head, Atom) else None
    derived = "false" if head is None else applied(head, dict(names), own)
    premise = parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"
    return f"(=> {premise} {derived})"


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() else "?" for one in text)
