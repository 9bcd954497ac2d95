"""Bounded model checking of Horn systems.

Biere, Cimatti, Clarke, Zhu: Symbolic model checking without BDDs, TACAS 1999.  Clarke, Kroening,
Lerda: A tool for checking ANSI-C programs, TACAS 2004 (CBMC).  Merz, Falke, Sinz: LLBMC, VSTTE
2012.

Step of the papers -> place:

    loops and recursion are unwound up to a bound, states merged     `bmc_unwind.Unwinder`
    one assignment form a rule; constants are propagated             `bmc_code`, `bmc_values`
    the order in which loops nest                                    `bmc_shape` (Bourdoncle 1993)
    is a query reached?  does a run go beyond the bound
    (unwinding assertion)?  deepen                                   `bmc_rounds.Rounds.run`
    the counterexample                                               `bmc_refutation`
    the bit-vector and array solver                                  `bmc_terms` (bitwuzla, z3)

An answer *safe* says that nothing goes beyond the bounds; a bound that does not suffice is
*unknown* and named.  Systems of bit-vectors, Booleans and arrays of bit-vectors go to bitwuzla,
others to z3.  The solver works in a child process.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from seahorn_py import child
from seahorn_py.engines.engine import Budget
from seahorn_py.errors import InputError, Stage
from seahorn_py.horn.system import HornSystem, Unrolling, atoms
from seahorn_py.horn.wire import refutation_from_text, system_to_text
from seahorn_py.logic import terms
from seahorn_py.logic.binding import nodes
from seahorn_py.logic.solvers import Solver
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

_MODULE = "seahorn_py.engines.bmc_child"
_GRACE_SECONDS = 1.0


@dataclass(frozen=True)
class Bmc:
    """`bound` is how often every loop and recursion may go on, None for growing bounds.

    `bounds` gives single loops bounds of their own, by the relation of the loop head or of the
    function's entry.
    """

    bound: int | None = None
    bounds: Mapping[str, int] = field(default_factory=dict)

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Unwind ever deeper until a query is reached, nothing is left, or the end."""
        began = time.monotonic()
        finder = solver_for(system)
        try:
            answer = json.loads(self._ask("solve", system, budget))
            statistics = dict(answer.get("statistics", {}))
            statistics["seconds"] = round(time.monotonic() - began, 3)
            match answer["answer"]:
                case "safe":
                    return Safe(Unrolling(answer["bounds"]), finder, statistics)
                case "unsafe":
                    return Unsafe(refutation_from_text(answer["refutation"]), statistics)
                case _:
                    return Unknown(Stage.SOLVE, f"BMC: {answer['reason']}", statistics)
        except (child.ChildError, InputError) as failure:
            return Unknown(Stage.SOLVE, f"BMC: {failure}")

    def formula(self, system: HornSystem, budget: Budget) -> str:
        """The question whether a query is reached within `bound` (1 without), as SMT-LIB text.

        ChildError when it cannot be written in the budget.
        """
        return self._ask("formula", system, budget)

    def _ask(self, function: str, system: HornSystem, budget: Budget) -> str:
        request = {
            "system": system_to_text(system),
            "solver": solver_for(system).value,
            "bound": self.bound,
            "bounds": dict(self.bounds),
            "seconds": budget.deadline.remaining,
        }
        limit = child.Deadline(budget.deadline.at + _GRACE_SECONDS)
        text = json.dumps(request)
        return budget.call(f"{_MODULE}:{function}", text, limit)


def solver_for(system: HornSystem) -> Solver:
    """The solver that knows all sorts of a system."""
    seen: set[terms.Term] = set()
    for rule in system.rules:
        for term in (rule.constraint, *(a for atom in atoms(rule) for a in atom.arguments)):
            for node in nodes(term):
                if node not in seen:
                    seen.add(node)
                    if not node.is_quantifier() and not _only_bits(terms.sort_of(node)):
                        return Solver.Z3
    return Solver.BITWUZLA


def _only_bits(sort: terms.Sort) -> bool:
    """Whether bitwuzla knows the sort."""
    if sort.is_array_type():
        index, element = sort.index_type, sort.elem_type
        return all(s.is_bv_type() for s in (index, element))
    return bool(sort.is_bv_type() or sort.is_bool_type())
