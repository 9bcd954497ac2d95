"""Interpolants by Spacer, bitwuzla and cvc5, in the child process: JSON in, JSON out.

The request is `{"backend", "symbols": {NAME: SORT}, "formulas": [TEXT], "parents": [NUMBER],
"shared": [[NAME]], "seconds"}`: a tree as in `interpolation`, with the symbols that the interpolant
of each node may use.  The answer is one of

    {"answer": "found", "interpolants": [TEXT]}
    {"answer": "satisfiable"}
    {"answer": "none", "reason": TEXT}

Spacer takes the whole tree (`logic.solvers.spacer.trees`).  bitwuzla and cvc5 split a tree into
pairs, node by node: what is below a node is replaced by the interpolants already found.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.solver_child import message
from seahorn_py.processes.internal_errors import noted_in_solver


@dataclass(frozen=True)
class Request:
    """What the parent asks for; `end` is on the monotonic clock."""

    symbols: Mapping[str, str]
    formulas: Sequence[str]
    parents: Sequence[int]
    shared: Sequence[Sequence[str]]
    end: float

    @property
    def milliseconds(self) -> int:
        """The time left."""
        return max(1, int((self.end - time.monotonic()) * 1000))

    def script(self, formulas: Sequence[str]) -> str:
        """SMT-LIB text that declares all symbols and asserts some formulas."""
        declared = [f"(declare-const {name} {sort})" for name, sort in self.symbols.items()]
        return "\n".join([*declared, *(f"(assert {text})" for text in formulas)])

    @property
    def path(self) -> bool:
        """Whether the tree is a sequence."""
        return list(self.parents) == list(range(1, len(self.formulas)))


class _Satisfiable(Exception):
    """There is a model."""


class _NotFound(Exception):
    """The solver gave up; the text says why."""


def answer(text: str) -> str:
    """Answer a request; whatever a solver raises becomes the reason for no interpolants."""
    data = json.loads(text)
    end = time.monotonic() + data.pop("seconds")
    find = _BACKENDS[data.pop("backend")]
    try:
        found = find(Request(**data, end=end))
        if len(found) != len(data["parents"]):
            raise _NotFound(f"{len(found)} interpolants instead of {len(data['parents'])}")
        return json.dumps({"answer": "found", "interpolants": found})
    except _Satisfiable:
        return json.dumps({"answer": "satisfiable"})
    except _NotFound as failure:
        return json.dumps({"answer": "none", "reason": str(failure)})
    except Exception as failure:  # each solver has exceptions of its own
        noted_in_solver(failure)
        return json.dumps({"answer": "none", "reason": message(failure)})


# ---------------------------------------------------------------------------------------- Spacer


def _spacer(request: Request) -> list[str]:
    from seahorn_py.logic.solvers.spacer import trees  # z3 loads slowly

    tree = trees.Tree(request.symbols, request.formulas, request.parents, request.shared)
    try:
        found = trees.interpolants(tree, request.end)
    except trees.NotFound as failure:
        raise _NotFound(str(failure)) from None
    if found is None:
        raise _Satisfiable
    return found


# --------------------------------------------------------------------------- bitwuzla and cvc5


def _bitwuzla(request: Request) -> list[str]:
    return _bitwuzla_sequence(request) if request.path else _by_pairs(request, _bitwuzla_pair)


def _by_pairs(
    request: Request, pair: Callable[[Request, Sequence[str], Sequence[str]], str]
) -> list[str]:
    """One question a node: A is what lies below, B everything else, both by interpolants."""
    found: list[str] = []
    for node in range(len(request.parents)):
        inside = [found[k] for k in range(node) if request.parents[k] == node]
        outside = [found[k] for k in range(node) if request.parents[k] > node]
        a, b = [request.formulas[node], *inside], [*request.formulas[node + 1 :], *outside]
        found.append(pair(request, a, b))
    return found


def _bitwuzla_pair(request: Request, a: Sequence[str], b: Sequence[str]) -> str:
    one, other = f"(and true {' '.join(a)})", f"(and true {' '.join(b)})"
    found = _bitwuzla_interpolants(request, [one, other])
    if len(found) != 1:
        raise _NotFound(f"{len(found)} interpolants instead of 1")
    return found[0]


def _bitwuzla_sequence(request: Request) -> list[str]:
    return _bitwuzla_interpolants(request, request.formulas)


def _bitwuzla_interpolants(request: Request, formulas: Sequence[str]) -> list[str]:
    """Interpolants of a sequence."""
    import bitwuzla

    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_INTERPOLANTS, True)
    options.set(bitwuzla.Option.TIME_LIMIT_PER, request.milliseconds)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(f"(set-logic ALL)\n{request.script([])}\n", True, False)
    solver = parser.bitwuzla()
    asserted = [parser.parse_term(text) for text in formulas]
    for formula in asserted:
        solver.assert_formula(formula)
    status = solver.check_sat()
    if status == bitwuzla.Result.SAT:
        raise _Satisfiable
    if status != bitwuzla.Result.UNSAT:
        raise _NotFound("bitwuzla gave up")
    if len(asserted) == 1:
        return []  # bitwuzla refuses to give none
    return [str(i) for i in solver.get_interpolants([[a] for a in asserted[:-1]])]


def _cvc5(request: Request) -> list[str]:
    return _by_pairs(request, _cvc5_pair)


def _cvc5_pair(request: Request, a: Sequence[str], b: Sequence[str]) -> str:
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("produce-interpolants", "true")
    solver.setOption("tlimit-per", str(request.milliseconds))
    solver.setOption("arrays-exp", "true")
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    text = f"(set-logic ALL)\n{request.script(a)}\n"
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "a")
    while not (command := parser.nextCommand()).isNull():
        message = command.invoke(solver, symbols)
        if message.startswith("(error"):
            raise _NotFound(message)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(not (and true {' '.join(b)}))", "b")
    goal = parser.nextTerm()
    solver.push()
    solver.assertFormula(goal.notTerm())
    status = solver.checkSat()
    solver.pop()
    if status.isSat():
        raise _Satisfiable
    found = solver.getInterpolant(goal)
    if found.isNull():
        raise _NotFound("cvc5 finds no interpolant")
    return str(found)


_BACKENDS: Mapping[str, Callable[[Request], list[str]]] = {
    "spacer": _spacer,
    "bitwuzla": _bitwuzla,
    "cvc5": _cvc5,
}
