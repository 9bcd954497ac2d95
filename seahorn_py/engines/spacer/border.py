"""The border between the Spacer engine and its child: systems out, models and refutations in.

The format is that of `logic.solvers.spacer.spacer_child`.  Relations are called `r!0`, `r!1`, ...
and the symbols of a rule `v!0`, `v!1`, ..., so no name of the program can clash with one of Z3.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from seahorn_py.base.errors import InputError
from seahorn_py.horn.system import Atom, HornSystem, Model, Refutation, Relation, Rule, Step
from seahorn_py.horn.system import atoms as atoms_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text import smtlib

if TYPE_CHECKING:
    from seahorn_py.logic.solvers.spacer import messages

_QUERY = "query!"


def print_system(system: HornSystem) -> str:
    """Declarations and one assertion a rule, in order."""
    numbers = _numbers(system)
    places = [s for relation in system.relations.values() for s in relation.symbols]
    lines = smtlib.print_datatypes([*places, *system.formulas()])
    lines.append(f"(declare-fun {_QUERY} () Bool)")
    for name, relation in system.relations.items():
        sorts = " ".join(smtlib.print_sort(p.sort) for p in relation.parameters)
        lines.append(f"(declare-fun r!{numbers[name]} ({sorts}) Bool)")
    lines.extend(_rule(rule, numbers) for rule in system.rules)
    return "\n".join(lines)


def problem(
    system: HornSystem, text: str, options: Mapping[str, bool | int], checked: bool = True
) -> str:
    """What the child reads: the header, then `text`, which is `print_system(system)`."""
    relations = [f"r!{number}" for number in range(len(system.relations))]
    header: messages.Header = {
        "options": dict(options),
        "checked": checked,
        "relations": relations,
    }
    return json.dumps(header) + "\n" + text


def read_model(system: HornSystem, formulas: Sequence[str]) -> Model:
    """The child's model; InputError where Z3 used something that we cannot read."""
    return Model(
        {
            relation.name: _interpretation(relation, formula)
            for relation, formula in zip(system.relations.values(), formulas, strict=True)
        }
    )


def read_refutation(system: HornSystem, steps: Sequence[messages.Step]) -> Refutation:
    """The child's refutation; InputError where Z3 used something that we cannot read."""
    symbols = [{name: symbol for symbol, name in _names(r).items()} for r in system.rules]
    return Refutation(
        tuple(
            Step(
                system.rules[step["rule"]].name,
                tuple(_constant(text) for text in step["arguments"]),
                tuple(step["premises"]),
                {
                    symbols[step["rule"]][name]: _constant(text)
                    for name, text in step["values"].items()
                },
            )
            for step in steps
        )
    )


def _constant(text: str) -> Term:
    return smtlib.parse_term(text, {}, "z3's refutation")


def _numbers(system: HornSystem) -> Mapping[str, int]:
    return {name: number for number, name in enumerate(system.relations)}


def _rule(rule: Rule, numbers: Mapping[str, int]) -> str:
    """`body and constraint -> head`, closed by a quantifier over the symbols of the rule."""
    names = _names(rule)
    body = "".join(f"{_atom(atom, numbers, names)} " for atom in rule.body)
    head = _atom(rule.head, numbers, names) if isinstance(rule.head, Atom) else _QUERY
    matrix = f"(=> (and {body}{smtlib.print_term(rule.constraint, names)}) {head})"
    if not names:
        return f"(assert {matrix})"
    return f"(assert (forall {smtlib.print_variables(list(names), names)} {matrix}))"


def _names(rule: Rule) -> dict[Term, str]:
    """The symbols of a rule, in a fixed order, and what they are called in the text."""
    used: dict[Term, None] = dict.fromkeys(
        s for a in atoms_of(rule) for t in a.arguments for s in _ordered(t)
    )
    used.update(dict.fromkeys(_ordered(rule.constraint)))
    return {symbol: f"v!{number}" for number, symbol in enumerate(used)}


def _ordered(term: Term) -> list[Term]:
    return terms.by_name(terms.free_symbols(term))


def _atom(atom: Atom, numbers: Mapping[str, int], names: Mapping[Term, str]) -> str:
    relation = f"r!{numbers[atom.relation]}"
    if not atom.arguments:
        return relation
    return f"({relation} {' '.join(smtlib.print_term(a, names) for a in atom.arguments)})"


def _interpretation(relation: Relation, formula: str) -> Term:
    symbols = {f"p!{number}": symbol for number, symbol in enumerate(relation.symbols)}
    term = smtlib.parse_term(formula, symbols, f"z3's model of {relation.name}")
    if terms.sort_of(term) is not terms.BOOL:
        raise InputError(f"z3's model of {relation.name} is no formula")
    return term
