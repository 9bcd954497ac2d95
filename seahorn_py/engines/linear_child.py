"""`linear` on one Horn system, in the child: JSON in, JSON out.

The request is `{"system": TEXT, "accelerate": BOOL}` with a system of `horn.wire`; `asking` says
what the answer is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from seahorn_py.engines.linear_derivation import Derivation
from seahorn_py.engines.linear_search import Search, TooManyPieces, facts
from seahorn_py.horn.acceleration import Accelerated, accelerate
from seahorn_py.horn.acceleration_back import TooLong, read_model, read_refutation
from seahorn_py.horn.linearpart import linear_part
from seahorn_py.horn.system import HornSystem, Model, Rule
from seahorn_py.horn.wire import (
    proof_to_text,
    refutation_to_text,
    system_from_text,
    system_to_text,
)
from seahorn_py.logic.presburger import Beyond, Presburger
from seahorn_py.logic.solvers import Solver
from seahorn_py.logic.terms import Term


def solve(text: str) -> str:
    """Answer a request."""
    data = json.loads(text)
    system = system_from_text(data["system"])
    arithmetic = Presburger()
    try:
        answer = _answer_or_part(system, data["accelerate"], arithmetic)
    except (Beyond, TooManyPieces, TooLong) as limit:
        answer = {"answer": "unknown", "reason": str(limit), "statistics": {}}
    return json.dumps(answer)


def _answer_or_part(
    system: HornSystem, accelerating: bool, arithmetic: Presburger
) -> dict[str, object]:
    """The answer for the system or, if that is beyond linear arithmetic, for its linear part."""
    try:
        return _answer(system, accelerating, arithmetic)
    except Beyond:
        part = linear_part(system, arithmetic)
        if part.rules == system.rules:
            raise
    answer = _answer(part, accelerating, arithmetic)
    if answer["answer"] == "unsafe":
        answer.setdefault("system", system_to_text(part))
    return answer


def _answer(system: HornSystem, accelerating: bool, arithmetic: Presburger) -> dict[str, object]:
    accelerated = Accelerated(system, ())
    if accelerating:
        accelerated = accelerate(system, arithmetic, polynomials=False)
    search = Search(accelerated.system, arithmetic)
    failed = search.run()
    answer = (
        _proof(accelerated, search) if failed is None else _refuted(accelerated, search, failed)
    )
    statistics = {"loops": accelerated.loops, "events": len(search.events)}
    return answer | {"statistics": statistics}


def _proof(accelerated: Accelerated, search: Search) -> dict[str, object]:
    """The edges, which are all there are, as a model."""
    arithmetic, relations = search.arithmetic, accelerated.system.relations
    model = Model(
        {name: arithmetic.formula(edges, relations[name].symbols) for name, edges in facts(search)}
    )
    proof = read_model(accelerated, model, arithmetic)
    return {"answer": "safe", "proof": proof_to_text(proof), "finder": Solver.Z3.value}


def _refuted(accelerated: Accelerated, search: Search, failed: Rule) -> dict[str, object]:
    """A refutation of the system; where that is too long, one in which loops are single steps."""
    try:
        found = Derivation(search, written_out=True).of(failed)
        found = read_refutation(accelerated, found, search.arithmetic, _nothing)
        return {"answer": "unsafe", "refutation": refutation_to_text(found)}
    except TooLong:
        derivation = Derivation(search, written_out=False)
        found = derivation.of(failed)
        system = system_to_text(derivation.system)
        return {"answer": "unsafe", "refutation": refutation_to_text(found), "system": system}


def _nothing(_: Term, __: Sequence[Term]) -> None:
    """Isl answers all questions about a system that it solved."""
