"""A rule as Z3 terms, ready to be instantiated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

import z3

from seahorn_py.base.records import dataclass
from seahorn_py.policy.policy import policy

QUERY = "query!"
"""The one relation that every rule with a query for its head implies."""


@dataclass(frozen=True)
class Clause:
    """`body and constraint -> head` over constants of its own, and the closed formula of it.

    `constants` are those of the quantified symbols, by their names in the text.
    """

    formula: z3.ExprRef
    constants: Mapping[str, z3.ExprRef]
    body: tuple[z3.ExprRef, ...]
    constraint: z3.ExprRef
    head: z3.ExprRef
    _solver: list[z3.Solver] = field(default_factory=list)

    def model(self, head: z3.ExprRef, premises: Sequence[z3.ExprRef]) -> z3.ModelRef | None:
        """A Z3 model of the instance that derives `head` from `premises`; None if there is none.

        The facts are atoms of the same relations, in the order of the body.
        """
        equations = list(_equations((self.head, *self.body), (head, *premises)))
        solver = self._incremental()
        solver.push()
        solver.add(equations)
        found = solver.check()
        model = solver.model() if found == z3.sat else None
        solver.pop()
        return model if found != z3.unknown else self._model_afresh(equations)

    def _incremental(self) -> z3.Solver:
        if not self._solver:
            self._solver.append(new_solver())
            self._solver[0].add(self.constraint)
        return self._solver[0]

    def _model_afresh(self, equations: list[z3.ExprRef]) -> z3.ModelRef | None:
        solver = new_solver()
        solver.add(self.constraint, *equations)
        return solver.model() if solver.check() == z3.sat else None


def clause_of(formula: z3.ExprRef, relations: frozenset[str]) -> Clause:
    """The parts of a rule in the shape that `spacer_child` describes."""
    matrix = formula
    constants: dict[str, z3.ExprRef] = {}
    if z3.is_quantifier(formula):
        for index in range(formula.num_vars()):
            constants[formula.var_name(index)] = z3.FreshConst(formula.var_sort(index), "v")
        # variable 0 is the innermost one, the last of the list
        matrix = z3.substitute_vars(formula.body(), *reversed(constants.values()))
    tail, head = matrix.children()
    parts = tail.children()
    body = [p for p in parts if is_atom(p, relations)]
    constraint = z3.And([p for p in parts if not is_atom(p, relations)])
    return Clause(formula, constants, tuple(body), constraint, head)


def relations_of(formula: z3.ExprRef, relations: frozenset[str]) -> Iterator[z3.FuncDeclRef]:
    """The relations of a rule in that shape, and its head's."""
    matrix = formula.body() if z3.is_quantifier(formula) else formula
    tail, head = matrix.children()
    yield head.decl()
    yield from (part.decl() for part in tail.children() if is_atom(part, relations))


def is_atom(term: z3.ExprRef, relations: frozenset[str]) -> bool:
    """Whether `term` is a relation applied to arguments."""
    return (
        z3.is_app(term)
        and term.decl().kind() == z3.Z3_OP_UNINTERPRETED
        and term.decl().name() in relations
    )


def is_query(head: z3.ExprRef) -> bool:
    """Whether a head is the query and not an atom of a relation."""
    return bool(head.decl().name() == QUERY)


def new_solver() -> z3.Solver:
    """An ordinary solver with the time limit of one question."""
    solver = z3.Solver()
    solver.set("timeout", round(1000 * policy().spacer.step_seconds))
    return solver


def parameter(number: int, sort: z3.SortRef) -> z3.ExprRef:
    """The symbol that stands for a position of a relation in a model."""
    return z3.Const(f"p!{number}", sort)


def _equations(atoms: Sequence[z3.ExprRef], facts: Sequence[z3.ExprRef]) -> Iterator[z3.ExprRef]:
    for atom, fact in zip(atoms, facts, strict=True):
        for argument, value in zip(atom.children(), fact.children(), strict=True):
            yield argument == value
