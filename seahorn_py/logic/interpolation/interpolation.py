"""Craig interpolants of unsatisfiable formulas: pairs, sequences and trees, all of them verified.

Craig: Three uses of the Herbrand-Gentzen theorem in relating model theory and proof theory, JSL
1957.  McMillan: Lazy abstraction with interpolants, CAV 2006 (sequences).  Heizmann, Hoenicke,
Podelski: Nested interpolants, POPL 2010 (trees).

Everything is a tree whose formulas are unsatisfiable together.  Each node but the root gets a
formula over the symbols that occur both in its subtree and outside of it, such that

    the interpolants of the children of a node and its formula imply the node's interpolant,
    the interpolants of the children of the root and its formula are unsatisfiable.

A sequence is a tree without branches, a pair a sequence of two.  Nodes are numbered so that
children come first; `parents[k]` is the parent of node k, and the last node is the root.

Step -> code:

    which solver for which sorts                              `ORDER`
    Spacer, bitwuzla and cvc5, each in a child                `interpolation_child`
    the implications, by a solver other than the finder       `interpolation.check`

An interpolant that is not confirmed is refused, and the next solver asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum

from seahorn_py.base.errors import InputError, InternalError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.interpolation.check import Problem, refusal
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import is_bits
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_sort, print_term
from seahorn_py.policy.policy import policy
from seahorn_py.processes import child
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline

_TARGET = "seahorn_py.logic.interpolation.interpolation_child:answer"


class Backend(Enum):
    """SPACER: z3, a tree as Horn clauses.  BITWUZLA: from resolution proofs.  CVC5: by syntax."""

    SPACER = "spacer"
    BITWUZLA = "bitwuzla"
    CVC5 = "cvc5"

    @property
    def solver(self) -> Solver:
        """The solver that does the work."""
        return Solver.Z3 if self is Backend.SPACER else Solver(self.value)


class Theory(Enum):
    """PROPOSITIONAL: Booleans.  BITS: bit-vectors too.  BIT_ARRAYS: arrays of them too.

    NUMBERS: integers, reals and Booleans.  MIXED: everything else.
    """

    PROPOSITIONAL = "propositional"
    BITS = "bits"
    BIT_ARRAYS = "bit arrays"
    NUMBERS = "numbers"
    MIXED = "mixed"


ORDER: Mapping[Theory, tuple[Backend, ...]] = {
    Theory.PROPOSITIONAL: (Backend.BITWUZLA, Backend.SPACER),
    Theory.BITS: (Backend.BITWUZLA, Backend.SPACER, Backend.CVC5),
    Theory.BIT_ARRAYS: (Backend.BITWUZLA, Backend.SPACER, Backend.CVC5),
    Theory.NUMBERS: (Backend.SPACER, Backend.CVC5),
    Theory.MIXED: (Backend.SPACER, Backend.CVC5),
}
"""Whom to ask, in turn; the others in the list check what one finds.

Measured on 53 questions of runs of `engines.imc`, 10 s each (found of asked, CPU seconds, nodes of
the interpolants):

    bits      bitwuzla 20 of 20, 2.1 s, 1195     Spacer 20 of 20, 2.8 s, 170     cvc5 18, 8.7 s, 341
    numbers   Spacer 23 of 23, 3.1 s, 287        cvc5 21, 11.0 s, 368
    mixed     Spacer 10 of 10, 1.3 s, 150        cvc5 5, 15.1 s, 45

Those of cvc5 are mostly values of the symbols, which generalise badly.
"""


@dataclass(frozen=True)
class Interpolants:
    """A verified formula for each node but the root; who found them, and who confirmed them."""

    formulas: tuple[Term, ...]
    finder: Solver
    checkers: tuple[Solver, ...]


@dataclass(frozen=True)
class Satisfiable:
    """There are none: the solver has found a model of all formulas together."""

    finder: Solver


@dataclass(frozen=True)
class NotFound:
    """No solver gave interpolants that were confirmed; what each of them said."""

    reason: str


Result = Interpolants | Satisfiable | NotFound


def interpolant(
    a: Term, b: Term, deadline: Deadline, backends: Sequence[Backend] | None = None
) -> Result:
    """One formula I over the symbols of both: `a` implies I, and I and `b` are unsatisfiable."""
    return sequence([a, b], deadline, backends)


def sequence(
    formulas: Sequence[Term], deadline: Deadline, backends: Sequence[Backend] | None = None
) -> Result:
    """I[0] follows from the first formula, I[k] from I[k-1] and formula k, `false` at the end."""
    return tree(formulas, range(1, len(formulas)), deadline, backends)


def tree(
    formulas: Sequence[Term],
    parents: Sequence[int],
    deadline: Deadline,
    backends: Sequence[Backend] | None = None,
) -> Result:
    """Interpolants of a tree; `parents` has an entry for each node but the last, the root.

    `backends` replaces those of `ORDER`.  Each gets an equal part of the time that is left; what it
    finds may be checked up to the deadline.
    """
    problem = Problem(tuple(formulas), tuple(parents))
    chosen = ORDER[theory_of(formulas)] if backends is None else backends
    reasons = []
    for position, backend in enumerate(chosen):
        part = deadline.share(1 / (len(chosen) - position))
        result = _found(problem, backend, part)
        if isinstance(result, Interpolants):
            result = _verified(problem, result, backend, deadline)
        if not isinstance(result, NotFound):
            return result
        reasons.append(result.reason)
    return NotFound("; ".join(reasons))


def theory_of(formulas: Sequence[Term]) -> Theory:
    """The smallest theory that has all sorts of the formulas."""
    sorts = {terms.sort_of(node) for formula in formulas for node in nodes(formula)}
    if any(sort.is_array_type() for sort in sorts):
        bits = all(is_bits(sort) for sort in sorts)
        return Theory.BIT_ARRAYS if bits else Theory.MIXED
    numbers = any(sort in (terms.INT, terms.REAL) for sort in sorts)
    if any(sort.is_bv_type() for sort in sorts):
        return Theory.MIXED if numbers else Theory.BITS
    return Theory.NUMBERS if numbers else Theory.PROPOSITIONAL


def _verified(
    problem: Problem, found: Interpolants, backend: Backend, deadline: Deadline
) -> Result:
    """What a backend has found, if solvers other than its own confirm it."""
    known = ORDER[theory_of(problem.formulas)]
    others = [other.solver for other in known if other is not backend]
    checkers, reason = refusal(problem, found.formulas, others, deadline)
    if reason:
        return NotFound(f"{backend.value}: {reason}")
    return replace(found, checkers=checkers)


def _found(problem: Problem, backend: Backend, deadline: Deadline) -> Result:
    """What a backend returns, before anything is checked."""
    names = {symbol: f"s!{k}" for k, symbol in enumerate(problem.symbols)}
    request = {
        "backend": backend.value,
        "symbols": {name: print_sort(terms.sort_of(s)) for s, name in names.items()},
        "formulas": [print_term(formula, names) for formula in problem.formulas],
        "parents": problem.parents,
        "shared": [[names[s] for s in problem.shared(k)] for k in range(len(problem.parents))],
        "seconds": deadline.remaining,
    }
    limit = Deadline(deadline.at + policy().interpolation.grace_seconds)
    try:
        reply = json.loads(child.call(_TARGET, json.dumps(request), limit))
        known = {name: symbol for symbol, name in names.items()}
        return _read(reply, backend, known)
    except (ChildError, InputError) as failure:
        return NotFound(f"{backend.value}: {failure}")


def _read(reply: Mapping[str, object], backend: Backend, known: Mapping[str, Term]) -> Result:
    match reply:
        case {"answer": "found", "interpolants": list(texts)}:
            read = [parse_term(t, known, f"{backend.value}'s interpolant") for t in texts]
            return Interpolants(tuple(read), backend.solver, ())
        case {"answer": "satisfiable"}:
            return Satisfiable(backend.solver)
        case {"answer": "none", "reason": str(reason)}:
            return NotFound(f"{backend.value}: {reason}")
    raise InternalError(f"an answer that interpolation_child does not give: {reply}")
