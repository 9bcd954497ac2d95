"""Z3's Spacer on one Horn system, in the child process: SMT-LIB text in, JSON text out.

The text is a JSON header on the first line, then SMT-LIB in one fixed shape: each relation is
declared, and each rule is an assertion

    (assert (forall (...) (=> (and ATOM ... CONSTRAINT) HEAD)))

whose head is an atom or `query!`.  The header is `{"options": {...}, "relations": [name, ...]}`.
The answer is one of

    {"answer": "safe", "model": [FORMULA, ...]}                   over the symbols `p!0`, `p!1`, ...
    {"answer": "unsafe", "steps": [{"rule", "arguments", "premises"}, ...]}
    {"answer": "unknown", "reason": TEXT}

with one formula for each relation, and rules and premises by position.

A model is read from `get_answer`, never from `get_cover_delta`: the latter says `true` of a
relation that nothing derives, which is no solution of the rules that use it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import z3

from seahorn_py.engines.spacer_proof import ProofError, steps_of
from seahorn_py.engines.spacer_rules import QUERY, Clause, clause_of, parameter

Z3Term = Any


def solve(text: str) -> str:
    """Answer the Horn system in `text`; whatever Z3 raises becomes an unknown with that reason."""
    try:
        answer = _solve(text)
    except z3.Z3Exception as failure:
        answer = _unknown(_message(failure))
    except ProofError as failure:
        answer = _unknown(f"refutation could not be read: {failure}")
    return json.dumps(answer)


def _solve(text: str) -> Mapping[str, object]:
    first, _, smtlib = text.partition("\n")
    header = json.loads(first)
    relations: list[str] = header["relations"]
    clauses = [clause_of(rule, frozenset(relations)) for rule in z3.parse_smt2_string(smtlib)]
    engine = _engine(header["options"], clauses)
    query = z3.Function(QUERY, z3.BoolSort())
    found = engine.query(query())
    if found == z3.sat:
        return {"answer": "unsafe", "steps": steps_of(engine.get_answer(), clauses)}
    if found == z3.unsat:
        model = _model(engine.get_answer())
        return {"answer": "safe", "model": [model.get(name, "true") for name in relations]}
    return _unknown(engine.reason_unknown())


def _engine(options: Mapping[str, Any], clauses: list[Clause]) -> Any:
    engine = z3.Fixedpoint()
    engine.set("engine", "spacer")
    for name, value in options.items():
        engine.set(name, value)
    for declaration in {atom.decl() for clause in clauses for atom in (*clause.body, clause.head)}:
        engine.register_relation(declaration)
    engine.register_relation(z3.Function(QUERY, z3.BoolSort()))
    for number, clause in enumerate(clauses):
        engine.add_rule(clause.formula, None, f"rule!{number}")
    return engine


def _model(answer: Z3Term) -> dict[str, str]:
    """The interpretations in `and (forall x. R(x) = F) ...`, as text over `p!i` for `x[i]`."""
    model = {}
    for part in answer.children() if z3.is_and(answer) else [answer]:
        equation = part.body() if z3.is_quantifier(part) else part
        if not z3.is_eq(equation):
            continue
        atom, formula = equation.children()
        model[atom.decl().name()] = _over_parameters(atom, formula).sexpr()
    return model


def _over_parameters(atom: Z3Term, formula: Z3Term) -> Z3Term:
    """`formula` with the variables that are the arguments of `atom` replaced by parameters."""
    positions = {z3.get_var_index(v): number for number, v in enumerate(atom.children())}
    symbols = [
        parameter(positions[index], atom.arg(positions[index]).sort())
        for index in range(len(positions))
    ]
    return z3.substitute_vars(formula, *symbols)


def _unknown(reason: str) -> Mapping[str, object]:
    return {"answer": "unknown", "reason": reason or "no reason given"}


def _message(failure: Any) -> str:
    value = failure.value if hasattr(failure, "value") else str(failure)
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return " ".join(text.split())
