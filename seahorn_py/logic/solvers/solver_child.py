"""In the child: SMT-LIB scripts decided one after the other, each under its own time limit.

A script declares and asserts; it has no `set-logic` and no `check-sat`.  A script on which the
solver fails is answered *unknown* with the solver's message, and the next one is tried.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

from seahorn_py.processes.internal_errors import noted_in_solver

Answer = tuple[str, str, list[str]]
"""`sat | unsat | unknown`, why unknown, and the values asked for as SMT-LIB text."""

_MARGIN = 0.1

_EXPANDING = (
    "(then (using-params simplify :som true) solve-eqs (using-params simplify :som true) smt)"
)
"""Products as sums of monomials: equal polynomials are the same then, without a look at bits."""

_MORE_THAN_BITS = re.compile(
    r"\b(Int|Real|Array|FloatingPoint|RoundingMode|forall|exists|declare-fun|declare-datatypes?)\b"
)
"""Found in scripts that are about more than bit-vectors and truth values."""

_NEGATIVE, _LITERAL = re.compile(r"(\(as const [^|]*?\)) \(- ([0-9.]+)\)"), r"\1 -\2"
"""Constant arrays of a negative number: cvc5 takes only a literal for a constant there."""


def answer(text: str) -> str:
    """Decide the scripts of a request; see `logic.solvers`."""
    request = json.loads(text)
    decide = _SOLVERS[request["solver"]]
    end = time.monotonic() + request["seconds"]
    answers: list[Answer] = []
    for script in request["scripts"]:
        left = min(request["each"], end - time.monotonic())
        if left < _MARGIN:
            answers.append(("unknown", "time limit", []))
        else:
            answers.append(_guarded(decide, script, request["wanted"], left))
    return json.dumps(answers)


def _guarded(
    decide: Callable[[str, Sequence[str], int], Answer],
    script: str,
    wanted: Sequence[str],
    seconds: float,
) -> Answer:
    try:
        return decide(script, wanted, int(seconds * 1000))
    except Exception as error:  # each solver has exceptions of its own
        noted_in_solver(error)
        return "unknown", message(error), []


def message(failure: Exception) -> str:
    """What a solver says in an exception, in one line; z3 says it in bytes."""
    said = getattr(failure, "value", None)
    text = said.decode(errors="replace") if isinstance(said, bytes) else str(failure)
    return " ".join(text.split()) or type(failure).__name__


def _z3(script: str, wanted: Sequence[str], milliseconds: int) -> Answer:
    import z3

    context = z3.Context()
    text = f"(set-option :timeout {milliseconds})\n{script}\n"
    if "(bvmul" in script and "(forall" not in script:
        ask = f"(check-sat-using (try-for {_EXPANDING} {milliseconds // 4}))"
        if z3.Z3_eval_smtlib2_string(context.ref(), f"{text}{ask}").strip() == "unsat":
            return "unsat", "", []
        text = ""
    status = z3.Z3_eval_smtlib2_string(context.ref(), f"{text}(check-sat)\n").strip()
    if status != "sat":
        return _status(status), "" if status == "unsat" else "z3 gave up", []
    queries = [f"(eval {name} :completion true)" for name in wanted]
    return "sat", "", [z3.Z3_eval_smtlib2_string(context.ref(), q).strip() for q in queries]


def _cvc5(script: str, wanted: Sequence[str], milliseconds: int) -> Answer:
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("produce-models", "true" if wanted else "false")
    solver.setOption("tlimit-per", str(milliseconds))
    only_bits = "(_ BitVec" in script and not _MORE_THAN_BITS.search(script)
    if only_bits:
        solver.setOption("bitblast", "eager")  # a twentieth of the time on bounded programs
    else:
        solver.setOption("arrays-exp", "true")  # constant arrays, which Z3's values are made of
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    text = _NEGATIVE.sub(_LITERAL, f"(set-logic {'QF_BV' if only_bits else 'ALL'})\n{script}\n")
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    while not (command := parser.nextCommand()).isNull():
        message = command.invoke(solver, symbols)
        if message.startswith("(error"):
            return "unknown", message.strip(), []
    result = solver.checkSat()
    if not result.isSat():
        reason = "" if result.isUnsat() else str(result.getUnknownExplanation())
        return ("unsat" if result.isUnsat() else "unknown"), reason, []
    values = []
    for name in wanted:
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, name, "value")
        values.append(str(solver.getValue(parser.nextTerm())))
    return "sat", "", values


def _bitwuzla(script: str, wanted: Sequence[str], milliseconds: int) -> Answer:
    import bitwuzla

    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, bool(wanted))
    options.set(bitwuzla.Option.TIME_LIMIT_PER, milliseconds)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(f"(set-logic ALL)\n{script}\n", True, False)
    solver = parser.bitwuzla()
    status = _status(str(solver.check_sat()))
    if status != "sat":
        return status, "" if status == "unsat" else "bitwuzla gave up", []
    values: list[Any] = [solver.get_value(parser.parse_term(name)) for name in wanted]
    return status, "", [str(value) for value in values]


def _status(text: str) -> str:
    return text if text in ("sat", "unsat") else "unknown"


_SOLVERS: dict[str, Callable[[str, Sequence[str], int], Answer]] = {
    "z3": _z3,
    "cvc5": _cvc5,
    "bitwuzla": _bitwuzla,
}
