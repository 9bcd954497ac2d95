"""The solvers: a script in, `sat`, `unsat` or why neither."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .clauses import Malformed

_NEGATIVE, _LITERAL = re.compile(r"(\( as const [^|]*?\)) \( - ([0-9.]+) \)"), r"\1 -\2"
"""A constant array of a negative number: to cvc5 only a literal is a constant there."""
_QUANTIFIER = re.compile(r"\b(forall|exists)\b")

SOON_SHARE = 0.05
"""The share of the time for a condition that a first try gets, as a whole and in each case."""

Options = Mapping[str, str]


PLAIN: Options = {}
INSTANCES: Options = {"enum-inst": "true", "enum-inst-interleave": "true"}
SKOLEM: Options = {"full-saturate-quant": "true", "pre-skolem-quant": "on"}
MODELS: Options = {"mbqi": "true"}
"""Ways in which cvc5 instantiates quantifiers, each good at what others are not; the last one finds
solutions too."""


def cvc5_answer(script: str, seconds: float) -> str:
    """sat, unsat or why neither."""
    if not _QUANTIFIER.search(script):
        return _cvc5(script, seconds, PLAIN)
    found = ""
    for options in (INSTANCES, SKOLEM, PLAIN, MODELS):
        found = _cvc5(script, seconds / 4, options)
        if found in ("sat", "unsat"):
            break
    return found


def _cvc5(script: str, seconds: float, options: Options) -> str:
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    for name, value in {"arrays-exp": "true", **options}.items():
        solver.setOption(name, value)
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    text = f"(set-logic ALL)\n{_NEGATIVE.sub(_LITERAL, script)}\n"
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "certificate")
    while not (command := parser.nextCommand()).isNull():
        message = command.invoke(solver, symbols)
        if message.startswith("(error"):
            return str(message).strip()
    result = solver.checkSat()
    if result.isSat() or result.isUnsat():
        return "sat" if result.isSat() else "unsat"
    return f"unknown: {result.getUnknownExplanation()}"


def z3_answer(script: str, seconds: float) -> str:
    """sat, unsat or why neither."""
    import z3

    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", int(seconds * 1000))
    solver.from_string(script)
    answer = str(solver.check())
    return answer if answer != "unknown" else f"unknown: {solver.reason_unknown()}"


def answer(solver: str, script: str, seconds: float) -> str:
    """sat, unsat or why neither, also where the solver does not take the script."""
    try:
        return SOLVERS[solver](script, seconds)
    except Exception as error:  # each solver has exceptions of its own
        return " ".join(str(error).split()) or type(error).__name__


def decided(solver: str, script: str, splits: Sequence[Sequence[str]], seconds: float) -> str:
    """sat, unsat or why neither: a moment for the whole, then for each case, then all the time."""
    if splits and _by_cases(solver, script, splits, seconds * SOON_SHARE):
        return "unsat"
    return answer(solver, script, seconds)


def _by_cases(solver: str, script: str, splits: Sequence[Sequence[str]], seconds: float) -> bool:
    """Whether the script is shown unsatisfiable, or that with any one assertion of a split is."""
    found = answer(solver, script, seconds)
    if found in ("sat", "unsat") or not splits:
        return found == "unsat"
    first, *others = splits
    return all(_by_cases(solver, f"{script}\n{case}", others, seconds) for case in first)


SOLVERS = {"cvc5": cvc5_answer, "z3": z3_answer}


def installed(wanted: str) -> str:
    """The solver wanted, or the first that is there."""
    for name in [wanted] if wanted else list(SOLVERS):
        try:
            __import__(name)
        except ImportError:
            continue
        return name
    raise Malformed(f"no solver: install {wanted or ' or '.join(SOLVERS)}")
