"""In the child: SMT-LIB scripts decided one after the other, each under its own time limit.

A script declares and asserts; it has no `set-logic` and no `check-sat`.  A script on which the
solver fails is answered *unknown* with the solver's message, and the next one is tried.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from seahorn_py.base.patterns import pattern
from seahorn_py.processes import timeline
from seahorn_py.processes.internal_errors import noted_in_solver
from seahorn_py.processes.timeline import Kind

Answer = tuple[str, str, list[str]]
"""`sat | unsat | unknown`, why unknown, and the values asked for as SMT-LIB text."""

_MARGIN = 0.1

_EXPANDING = (
    "(then (using-params simplify :som true) solve-eqs (using-params simplify :som true) smt)"
)
"""Products as sums of monomials: equal polynomials are the same then, without a look at bits."""

_AS_INTEGERS = "(then simplify propagate-values solve-eqs smt)"

_MOST_AS_INTEGERS = 300_000
"""The most characters of a script about bits that is asked as one about integers, too.

Sums and comparisons of wide numbers, which take minutes bit by bit, are linear there.
"""

_MORE_THAN_BITS = pattern(
    r"\b(Int|Real|Array|FloatingPoint|RoundingMode|forall|exists|declare-fun|declare-datatypes?)\b"
    r"|\((?:[-+*/]|<=?|div|mod) "
)
"""Found in scripts that are about more than bit-vectors and truth values.

Numbers may be there without a symbol of their sort.
"""

_MORE_THAN_REALS = pattern(
    r"\b(Int|BitVec|Array|FloatingPoint|RoundingMode|forall|exists|declare-datatypes?|to_int|is_int)\b"
    r"|\(declare-fun (?:\|[^|]*\||\S+) \([^)]"
    r"|\((?:div|mod|abs) "
)
"""Found in scripts that are about more than real numbers and truth values."""

_LINEAR = "decision", "justification"
_ANY = "arrays-exp", "true"  # constant arrays, which Z3's values are made of

_NEGATIVE, _LITERAL = pattern(r"(\(as const [^|]*?\)) \(- ([0-9.]+)\)"), r"\1 -\2"
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
        with timeline.span(Kind.SOLVER, decide.__name__.strip("_")):
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

    def said(text: str) -> str:
        return z3.Z3_eval_smtlib2_string(context.ref(), text).strip()

    said(script)
    expanding = f"(check-sat-using (try-for {_EXPANDING} {milliseconds // 4}))"
    if "(bvmul" in script and "(forall" not in script and said(expanding) == "unsat":
        return "unsat", "", []
    status = ""
    if _may_be_integers(script):
        status = said(f"(set-option :timeout {milliseconds // 4})\n(check-sat)")
        if _status(status) == "unknown" and is_unsat_in_integers(said, milliseconds // 4):
            status = "unsat"
    if _status(status) == "unknown":
        status = said(f"(set-option :timeout {milliseconds})\n(check-sat)")
    if status != "sat":
        return _status(status), "" if status == "unsat" else "z3 gave up", []
    return "sat", "", [said(f"(eval {name} :completion true)") for name in wanted]


def is_unsat_in_integers(said: Callable[[str], str], milliseconds: int) -> bool:
    """Whether z3 finds so of bits as integers modulo powers of two; the option is a global one."""
    said("(set-option :smt.bv.solver 2)")
    try:
        return said(f"(check-sat-using (try-for {_AS_INTEGERS} {milliseconds}))") == "unsat"
    finally:
        said("(set-option :smt.bv.solver 0)")


def _is_about_bits(script: str) -> bool:
    """Whether a script has bit-vectors, and beside them nothing but truth values."""
    return "(_ BitVec" in script and not _MORE_THAN_BITS.search(script)


def _is_about_reals(script: str) -> bool:
    """Whether a script has real numbers, and beside them nothing but truth values."""
    return "Real" in script and not _MORE_THAN_REALS.search(script)


def _may_be_integers(script: str) -> bool:
    return len(script) <= _MOST_AS_INTEGERS and _is_about_bits(script)


def _cvc5(script: str, wanted: Sequence[str], milliseconds: int) -> Answer:
    """A script about bits: by bits, as integers, and again by bits, with the time that is left."""
    bits = "bitblast", "eager"  # a twentieth of the time on bounded programs
    if _is_about_reals(script):
        return _cvc5_of_reals(script, wanted, milliseconds)
    if not _is_about_bits(script):
        return cvc5_with(script, wanted, milliseconds, *_ANY)
    if not _may_be_integers(script):
        return cvc5_with(script, wanted, milliseconds, *bits)
    soon = milliseconds // 4
    found = cvc5_with(script, wanted, soon, *bits)
    if found[0] == "unknown":
        found = cvc5_with(script, wanted, soon, "solve-bv-as-int", "sum")
    if found[0] == "unknown":
        found = cvc5_with(script, wanted, milliseconds - 2 * soon, *bits)
    return found


def _cvc5_of_reals(script: str, wanted: Sequence[str], milliseconds: int) -> Answer:
    """A script about real numbers, as a linear one first: a tenth of the time on long ones."""
    try:
        found = cvc5_with(script, wanted, milliseconds // 2, *_LINEAR)
    except Exception as error:  # there are products
        noted_in_solver(error)
        found = "unknown", message(error), []
    return found if found[0] != "unknown" else cvc5_with(script, wanted, milliseconds // 2, *_ANY)


def cvc5_with(
    script: str, wanted: Sequence[str], milliseconds: int, option: str, chosen: str
) -> Answer:
    """What cvc5 answers with an option; its logic is that of bits if it is told to look at them."""
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("produce-models", "true" if wanted else "false")
    solver.setOption("tlimit-per", str(milliseconds))
    solver.setOption(option, chosen)
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    logic = {"bitblast": "QF_BV", "decision": "QF_LRA"}.get(option, "ALL")
    text = _NEGATIVE.sub(_LITERAL, f"(set-logic {logic})\n{script}\n")
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
