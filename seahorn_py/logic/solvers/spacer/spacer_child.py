"""Z3's Spacer on one Horn system, in the child process: SMT-LIB text in, JSON text out.

The text is a JSON header on the first line, then SMT-LIB in one fixed shape: each relation is
declared, and each rule is an assertion

    (assert (forall (...) (=> (and ATOM ... CONSTRAINT) HEAD)))

whose head is an atom or `query!`.  The header and the answers are those of `messages`.

A model is read from `get_answer`, never from `get_cover_delta`: the latter says `true` of a
relation that nothing derives, which is no solution of the rules that use it.  Z3's rewriting of
the rules is switched off: it gave wrong models (Z3 issue 7319), and it renames and drops the
relations and premises that invariants and refutations are about.  Where options switch it on,
models are checked like all others, and a refutation is no answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import z3

from seahorn_py.logic.solvers.solver_child import message
from seahorn_py.logic.solvers.spacer.answer import Unreadable
from seahorn_py.logic.solvers.spacer.fixedpoints import FAITHFUL
from seahorn_py.logic.solvers.spacer.model import Interpretations, interpretations, violated
from seahorn_py.logic.solvers.spacer.native_rules import QUERY, clause_of, relations_of
from seahorn_py.logic.solvers.spacer.proof import ProofError, steps_of
from seahorn_py.processes import timeline
from seahorn_py.processes.timeline import Kind

if TYPE_CHECKING:
    from seahorn_py.logic.solvers.spacer.messages import Answer, Header, Unknown

_FAITHFUL: Mapping[str, bool] = {**FAITHFUL, "xform.subsumption_checker": False}


def solve(text: str) -> str:
    """Answer the Horn system in `text`; whatever Z3 raises becomes an unknown with that reason."""
    try:
        answer: Answer = _solve(text)
    except z3.Z3Exception as failure:
        said = message(failure)
        answer = _unknown("time limit" if said.endswith("canceled") else said)
    except Unreadable as failure:
        answer = _unknown(f"model could not be read: {failure}")
    except ProofError as failure:
        answer = _unknown(f"refutation could not be read: {failure}")
    return json.dumps(answer)


def _solve(text: str) -> Answer:
    first, _, smtlib = text.partition("\n")
    header: Header = json.loads(first)
    names = frozenset(header["relations"])
    formulas = list(z3.parse_smt2_string(smtlib))
    engine = _engine(header["options"], formulas, names)
    query = z3.Function(QUERY, z3.BoolSort())
    with timeline.span(Kind.SOLVER, "spacer"):
        found = engine.query(query())
    if found == z3.sat and any(header["options"].get(name) for name in _FAITHFUL):
        return _unknown("a query is reached by rules that z3 has rewritten")
    if found == z3.sat:
        clauses = [clause_of(formula, names) for formula in formulas]
        return {"answer": "unsafe", "steps": steps_of(engine.get_answer(), clauses)}
    if found == z3.unsat:
        return _safe(interpretations(engine.get_answer()), header, formulas)
    reason = engine.reason_unknown()
    return _unknown("Z3 gave up" if reason == "ok" else reason)


def _safe(model: Interpretations, header: Header, formulas: Sequence[z3.ExprRef]) -> Answer:
    relations = header["relations"]
    if header["checked"]:
        clauses = [clause_of(formula, frozenset(relations)) for formula in formulas]
        with timeline.span(Kind.SOLVER, "z3"):
            wrong = violated(clauses, model)
        if wrong is not None:
            return _unknown(f"Z3 returned a wrong model: rule {wrong} does not hold in it")
    said = [model[name].sexpr() if name in model else "true" for name in relations]
    return {"answer": "safe", "model": said}


def _engine(
    options: Mapping[str, bool | int], formulas: Sequence[z3.ExprRef], names: frozenset[str]
) -> z3.Fixedpoint:
    engine = z3.Fixedpoint()
    engine.set("engine", "spacer")
    for name, value in {**_FAITHFUL, **options}.items():
        engine.set(name, value)
    for declaration in {one for formula in formulas for one in relations_of(formula, names)}:
        engine.register_relation(declaration)
    engine.register_relation(z3.Function(QUERY, z3.BoolSort()))
    for number, formula in enumerate(formulas):
        engine.add_rule(formula, None, f"rule!{number}")
    return engine


def _unknown(reason: str) -> Unknown:
    return {"answer": "unknown", "reason": reason or "no reason given"}
