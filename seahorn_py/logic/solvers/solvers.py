"""Satisfiability by z3, cvc5 and bitwuzla, each in a bounded child that gets SMT-LIB text.

Many scripts share one child, so that starting a solver is paid once.  When a child dies, its
scripts are asked again in halves: one script that crashes a solver costs only its own answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from enum import Enum
from functools import partial
from math import inf

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text.smtlib import (
    parse_term,
    print_datatypes,
    print_folds,
    print_sort,
    print_symbol,
    print_term,
)
from seahorn_py.policy.policy import policy
from seahorn_py.processes import child
from seahorn_py.processes.child import Child, ChildError, ChildFailed, ChildTimeout
from seahorn_py.processes.deadline import Deadline

_TARGET = "seahorn_py.logic.solvers.solver_child:answer"


class Status(Enum):
    """What a solver says of a script."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


def warm_up() -> None:
    """Make the context of z3, 14 MB, which forked copies of this process share."""
    import z3

    z3.main_ctx()


def solver_for(formulas: Iterable[Term]) -> Solver:
    """Bitwuzla where everything is bits and nothing is quantified, z3 elsewhere."""
    return Solver.BITWUZLA if are_bits(formulas, quantified=False) else Solver.Z3


def are_bits(formulas: Iterable[Term], *, quantified: bool) -> bool:
    """Whether bitwuzla knows all sorts in the formulas; if `quantified`, below quantifiers too."""
    seen: set[Term] = set()
    open_ = list(formulas)
    while open_:
        for node in nodes(open_.pop()):
            if node in seen:
                continue
            seen.add(node)
            if node.is_quantifier():
                if not quantified:
                    return False
                open_ += [*node.quantifier_vars(), node.arg(0)]
            elif not is_bits(terms.sort_of(node)):
                return False
    return True


def is_bits(sort: Sort) -> bool:
    """Whether bitwuzla knows the sort: Booleans, bit-vectors, and arrays of what it knows.

    The indices of an array are no arrays.
    """
    if sort.is_array_type():
        return not sort.index_type.is_array_type() and all(
            map(is_bits, (sort.index_type, sort.elem_type))
        )
    return bool(sort.is_bv_type() or sort.is_bool_type())


@dataclass(frozen=True)
class Answer:
    """The status, why it is unknown, and the values asked for (SMT-LIB text) when it is SAT."""

    status: Status
    reason: str = ""
    values: tuple[str, ...] = ()


def check_scripts(
    scripts: Sequence[str],
    solver: Solver,
    deadline: Deadline,
    *,
    seconds_each: float = 20.0,
    memory_mib: int = 4096,
    wanted: Sequence[str] = (),
) -> list[Answer]:
    """One answer for each script, which declares and asserts (no `set-logic`, no `check-sat`).

    `wanted` are SMT-LIB terms whose values a SAT answer gives.  Never raises: what fails or runs
    out of time is UNKNOWN with the reason.
    """
    if not scripts:
        return []
    try:
        with _asked(scripts, solver, deadline, seconds_each, memory_mib, wanted) as asked:
            return _answers(asked)
    except ChildTimeout:
        return [Answer(Status.UNKNOWN, "time limit")] * len(scripts)
    except ChildFailed as failure:
        if len(scripts) == 1 or deadline.remaining == 0:
            return [Answer(Status.UNKNOWN, f"{solver.value} failed: {failure}")] * len(scripts)
        half = len(scripts) // 2
        again = partial(
            check_scripts,
            solver=solver,
            deadline=deadline,
            seconds_each=seconds_each,
            memory_mib=memory_mib,
            wanted=wanted,
        )
        return [*again(scripts[:half]), *again(scripts[half:])]


def _asked(
    scripts: Sequence[str],
    solver: Solver,
    deadline: Deadline,
    seconds_each: float,
    memory_mib: int,
    wanted: Sequence[str] = (),
) -> Child:
    """A child that decides the scripts."""
    request = {
        "solver": solver.value,
        "scripts": list(scripts),
        "wanted": list(wanted),
        "seconds": deadline.remaining,
        "each": seconds_each,
    }
    limit = Deadline(deadline.at + policy().solving.solver_grace_seconds)
    return child.start(_TARGET, json.dumps(request), limit, memory_mib)


def _answers(asked: Child) -> list[Answer]:
    """What the child found, once it has ended; ChildError."""
    found = json.loads(child.result(asked))
    return [Answer(Status(s), reason, tuple(values)) for s, reason, values in found]


def check_side_by_side(
    script: str, solvers: Sequence[Solver], deadline: Deadline, apart: float, memory_mib: int = 4096
) -> tuple[Solver | None, Answer]:
    """The first answer that is not unknown, and whose it is; otherwise what the last one says.

    Each of the solvers begins so many seconds after the one before, or when that has given up.
    """
    waiting, last = list(solvers), Answer(Status.UNKNOWN, "no solver")
    running: dict[Child, Solver] = {}
    with ExitStack() as stack:
        while waiting or running:
            if waiting:
                solver = waiting.pop(0)
                asked = _asked([script], solver, deadline, deadline.remaining, memory_mib)
                running[stack.enter_context(asked)] = solver
            for ended in child.wait_any(list(running), apart if waiting else inf):
                solver = running.pop(ended)
                try:
                    (last,) = _answers(ended)
                except ChildError as failure:
                    last = Answer(Status.UNKNOWN, f"{solver.value}: {failure}")
                if last.status is not Status.UNKNOWN:
                    return solver, last
    return None, last


def check_unsat(script: str, solver: Solver, deadline: Deadline, memory_mib: int = 4096) -> Answer:
    """The answer of one solver to one script."""
    limit = deadline.remaining
    answers = check_scripts([script], solver, deadline, seconds_each=limit, memory_mib=memory_mib)
    return answers[0]


def solve_script(
    script: str,
    wanted: Sequence[str],
    solver: Solver,
    deadline: Deadline,
    memory_mib: int = 4096,
) -> dict[str, Term] | None:
    """Values of the terms `wanted` (SMT-LIB text) in a model of the script, None without one.

    InputError when the solver prints a value that is no term of ours.
    """
    (answer,) = check_scripts(
        [script],
        solver,
        deadline,
        seconds_each=deadline.remaining,
        memory_mib=memory_mib,
        wanted=wanted,
    )
    if answer.status is not Status.SAT:
        return None
    return {
        name: parse_term(value, {}, f"{solver.value}'s value of {name}")
        for name, value in zip(wanted, answer.values, strict=True)
    }


def solve(
    assertions: Sequence[Term], wanted: Sequence[Term], solver: Solver, deadline: Deadline
) -> dict[Term, Term] | None:
    """Constants for the symbols `wanted` in a model of the assertions, None without one."""
    script = script_of(assertions, wanted)
    names = {print_symbol(s): s for s in wanted}
    values = solve_script(script, list(names), solver, deadline)
    return None if values is None else {names[name]: value for name, value in values.items()}


def script_of(assertions: Iterable[Term], declared: Iterable[Term] = ()) -> str:
    """A script that asserts the terms; `declared` are symbols to declare in any case."""
    formulas = list(assertions)
    symbols = dict.fromkeys(declared)
    for formula in formulas:
        symbols.update(dict.fromkeys(sorted(terms.free_symbols(formula), key=print_symbol)))
    asserted = (f"(assert {print_term(f)})" for f in formulas)
    return "\n".join(
        [
            *print_datatypes([*formulas, *symbols]),
            *print_folds(formulas),
            *map(declaration, symbols),
            *asserted,
        ]
    )


def declaration(symbol: Term) -> str:
    """The declaration of a symbol as a constant."""
    return f"(declare-const {print_symbol(symbol)} {print_sort(symbol.symbol_type())})"
