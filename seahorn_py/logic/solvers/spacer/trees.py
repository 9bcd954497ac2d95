"""Interpolants of a tree of formulas, by Spacer.

A relation R over the shared symbols for each node, a rule

    R(child) and ... and formula  ->  R(node)

and `false` for the head of the root: each solution is a tree of interpolants (Rummer, Hojjat,
Kuncak: Disjunctive interpolants for Horn-clause verification, CAV 2013).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import z3

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.spacer.answer import Unreadable, definitions, formula_of
from seahorn_py.logic.solvers.spacer.fixedpoints import fixedpoint
from seahorn_py.policy.policy import policy


class NotFound(Exception):
    """Spacer gave up; the text says why."""


@dataclass(frozen=True)
class Tree:
    """Formulas in SMT-LIB, children first, the root last; all but the root have a parent.

    `symbols` are names with their sorts, `shared` those that the interpolant of each may use.
    """

    symbols: Mapping[str, str]
    formulas: Sequence[str]
    parents: Sequence[int]
    shared: Sequence[Sequence[str]]


def interpolants(tree: Tree, end: float) -> list[str] | None:
    """One for each node but the root, by a point of the clock; None where all hold at once.

    NotFound where Spacer gives up, or answers in a way that is not read.
    """
    declared = [f"(declare-const {name} {sort})" for name, sort in tree.symbols.items()]
    asserted = [f"(assert {formula})" for formula in tree.formulas]
    conjuncts = list(z3.parse_smt2_string("\n".join([*declared, *asserted])))
    assert len(conjuncts) == len(tree.formulas)
    solver = z3.Solver()
    solver.set("timeout", max(1, int(_milliseconds(end) * policy().interpolation.models_share)))
    if solver.check(*conjuncts) == z3.sat:
        return None
    return _solution(tree, conjuncts, end)


def _milliseconds(end: float) -> int:
    return max(1, int((end - time.monotonic()) * 1000))


def _solution(tree: Tree, formulas: Sequence[z3.ExprRef], end: float) -> list[str]:
    """The solution of the Horn clauses of the tree."""
    symbols = {name: _constant(name, sort) for name, sort in tree.symbols.items()}
    shared = [[symbols[name] for name in names] for names in tree.shared]
    query = z3.Function("query!", z3.BoolSort())
    relations = [
        z3.Function(f"r!{k}", *(s.sort() for s in own), z3.BoolSort())
        for k, own in enumerate(shared)
    ]
    engine = fixedpoint(None, _milliseconds(end))
    for relation in (*relations, query):
        engine.register_relation(relation)
    atoms = [relation(*own) for relation, own in zip(relations, shared, strict=True)]
    for node, formula in enumerate(formulas):
        body = [atoms[k] for k, parent in enumerate(tree.parents) if parent == node]
        head = atoms[node] if node < len(atoms) else query()
        rule = z3.Implies(z3.And(*body, formula), head)
        engine.add_rule(z3.ForAll(list(symbols.values()), rule) if symbols else rule)
    found = engine.query(query())
    if found != z3.unsat:
        raise NotFound(engine.reason_unknown() if found == z3.unknown else "Spacer finds a model")
    return _interpretations(engine.get_answer(), atoms)


def _constant(name: str, sort: str) -> z3.ExprRef:
    text = f"(declare-const {name} {sort})(assert (= {name} {name}))"
    return z3.parse_smt2_string(text)[0].arg(0)


def _interpretations(solution: z3.ExprRef, atoms: Sequence[z3.ExprRef]) -> list[str]:
    """The formulas of a solution, over the arguments of the atoms."""
    try:
        known = definitions(solution)
        return [formula_of(known, atom).sexpr() for atom in atoms]
    except Unreadable as failure:
        raise NotFound(f"its answer cannot be read: {failure}") from None
