"""SMT-LIB HORN text out: the format of CHC-COMP, which z3, Golem and Eldarica read.

Relations and variables keep their names where SMT-LIB can write them and no other symbol has them.
`read_horn` is the way back.
"""

from __future__ import annotations

from collections.abc import Iterable

from seahorn_py.horn.system import Atom, HornSystem, Model, Rule, atoms
from seahorn_py.horn.text.chcfiles import read_horn
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text import operators
from seahorn_py.logic.text.printing import all_symbols
from seahorn_py.logic.text.smtlib import (
    print_datatypes,
    print_fold_definitions,
    print_sort,
    print_term,
    print_variables,
    quoted,
)

__all__ = [
    "applied",
    "datatype_lines",
    "free_name",
    "print_horn",
    "print_model",
    "read_horn",
    "relation_names",
    "variable_names",
]


def print_horn(system: HornSystem) -> str:
    """A system as a script that a Horn solver answers: `sat` when the system is solvable."""
    names = relation_names(system)
    lines = ["(set-logic HORN)", *datatype_lines(system)]
    for relation in system.relations.values():
        sorts = " ".join(print_sort(p.sort) for p in relation.parameters)
        lines.append(f"(declare-fun {quoted(names[relation.name])} ({sorts}) Bool)")
    for rule in system.rules:
        lines.append(f"; {_printable(rule.name)}")
        lines.append(_assertion(rule, names))
    return "\n".join([*lines, "(check-sat)", ""])


def print_model(system: HornSystem, model: Model) -> str:
    """A model as one `define-fun` for each relation, `true` where it says nothing.

    The sizes of datatypes that it uses are defined before.
    """
    names = relation_names(system)
    lines = print_fold_definitions(model.interpretations.values())
    for relation in system.relations.values():
        formula = model.interpretations.get(relation.name, terms.TRUE)
        own = variable_names([*relation.symbols, formula], set(names.values()))
        variables = print_variables(relation.symbols, own)
        text = print_term(formula, own)
        lines.append(f"(define-fun {quoted(names[relation.name])} {variables} Bool {text})")
    return "\n".join(lines)


def datatype_lines(system: HornSystem) -> list[str]:
    """Declarations of the datatypes that a system needs."""
    places = [s for relation in system.relations.values() for s in relation.symbols]
    return print_datatypes([*places, *system.formulas()])


def _assertion(rule: Rule, names: dict[str, str]) -> str:
    arguments = [a for atom in atoms(rule) for a in atom.arguments]
    own = variable_names([*arguments, rule.constraint], set(names.values()))
    body = [applied(a, names, own) for a in rule.body]
    if rule.constraint is not terms.TRUE or not body:
        body.append(print_term(rule.constraint, own))
    head = applied(rule.head, names, own) if isinstance(rule.head, Atom) else "false"
    premise = body[0] if len(body) == 1 else f"(and {' '.join(body)})"
    free: dict[Term, None] = {}
    for term in (*arguments, rule.constraint):
        free.update(dict.fromkeys(sorted(terms.free_symbols(term), key=own.__getitem__)))
    implication = f"(=> {premise} {head})"
    if not free:
        return f"(assert {implication})"
    return f"(assert (forall {print_variables(list(free), own)} {implication}))"


def applied(atom: Atom, names: dict[str, str], own: dict[Term, str]) -> str:
    """An atom, its relation and its symbols under these names."""
    name = quoted(names[atom.relation])
    if not atom.arguments:
        return name
    return f"({name} {' '.join(print_term(a, own) for a in atom.arguments)})"


def relation_names(system: HornSystem) -> dict[str, str]:
    """The names of the relations in the script, before they are quoted."""
    taken: set[str] = set()
    return {name: free_name(name, taken) for name in system.relations}


def variable_names(parts: Iterable[Term], relations: set[str]) -> dict[Term, str]:
    """A name for each symbol in these terms, none of them that of a relation."""
    taken = set(relations)
    symbols = {s for part in parts for s in all_symbols(part) if not _is_function(s)}
    ordered = terms.by_name(symbols)
    return {s: free_name(s.symbol_name(), taken) for s in ordered}


def _is_function(symbol: Term) -> bool:
    return bool(symbol.symbol_type().is_function_type())


def free_name(wanted: str, taken: set[str]) -> str:
    """The name itself when SMT-LIB can write it and it means nothing else; marks it as taken."""
    name = "".join("!" if c in "|\\" else c for c in wanted)
    while name in taken or operators.plain(name) or name in ("true", "false"):
        name += "!"
    taken.add(name)
    return name


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
