"""Horn systems in the format of z3's fixedpoint engines: relations, variables, rules, queries.

`read_horn` is the way back.  z3 answers a query with `sat` where it is derived; where one is, a
Horn solver says `unsat`.  A rule whose head is a query derives a relation without arguments, which
is asked about; so what is read back has a rule more for each query that is none yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.horn.text.smtlib import (
    applied,
    datatype_lines,
    free_name,
    relation_names,
    variable_names,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import print_sort, print_term, quoted


def print_fixedpoint(system: HornSystem) -> str:
    """A system as a script of z3: `declare-rel`, `declare-var`, `rule`, `query`.

    InputError for a name that SMT-LIB cannot write.
    """
    return "\n".join([*_lines(system), ""])


def _lines(system: HornSystem) -> Iterator[str]:
    yield from datatype_lines(system)
    names = relation_names(system)
    own = variable_names(list(system.formulas()), set(names.values()))
    for relation in system.relations.values():
        sorts = " ".join(print_sort(p.sort) for p in relation.parameters)
        yield f"(declare-rel {quoted(names[relation.name])} ({sorts}))"
    free = {s for formula in system.formulas() for s in terms.free_symbols(formula)}
    for symbol in terms.by_name(free):
        yield f"(declare-var {quoted(own[symbol])} {print_sort(symbol.symbol_type())})"
    taken = {*names.values(), *own.values()}
    asked = []
    for rule in system.rules:
        if isinstance(rule.head, Atom):
            yield _rule(rule, applied(rule.head, names, own), names, own)
        elif _asks_alone(rule):
            asked.append(names[rule.body[0].relation])
        else:
            asked.append(free_name(f"query!{len(asked)}", taken))
            yield f"(declare-rel {quoted(asked[-1])} ())"
            yield _rule(rule, quoted(asked[-1]), names, own)
    yield from (f"(query {quoted(name)})" for name in asked)


def _asks_alone(rule: Rule) -> bool:
    """Whether a query asks about a relation without arguments, and about nothing else."""
    is_bare = len(rule.body) == 1 and not rule.body[0].arguments
    return is_bare and rule.constraint is terms.TRUE


def _rule(rule: Rule, head: str, names: dict[str, str], own: dict[Term, str]) -> str:
    parts = [applied(atom, names, own) for atom in rule.body]
    if rule.constraint is not terms.TRUE or not parts:
        parts.append(print_term(rule.constraint, own))
    body = parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"
    name = "".join("!" if one in "|\\" or not one.isprintable() else one for one in rule.name)
    return f"(rule (=> {body} {head}) {quoted(name)})"
