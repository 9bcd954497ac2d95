"""Spacer's refutations, as Z3 prints them, turned into a DAG of instances of the rules we gave.

The answer to a reachable query is a proof whose inner nodes are hyper-resolutions (Hoder, Bjorner
2012, section 5): a rule, the proofs of the premises, and last the ground fact they derive.  The
rule in a node was rewritten by Z3 and has lost its name, so each step is matched again: a rule of
ours fits if its head and body have the relations of the fact and its premises, and its constraint
is satisfiable together with their values.  That also checks every step; a proof in which one does
not fit is refused.  Values that Z3 left open are completed from the model of the instance.

Proofs are deep and share: the walk is iterative and visits each node once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

import z3

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.spacer.native_rules import Clause, is_query

if TYPE_CHECKING:
    from seahorn_py.logic.solvers.spacer.messages import Step

ASSIGNMENTS = 64
"""How many ways to give premises to body atoms of the same relation are tried for one rule."""


class ProofError(Exception):
    """A proof that does not follow from the rules as we gave them."""


@dataclass(frozen=True)
class _Node:
    """A proof node: the fact it derives, the proofs of its premises, and Z3's form of the rule."""

    fact: z3.ExprRef
    premises: tuple[z3.ExprRef, ...]
    rule: z3.ExprRef


@dataclass
class _Dag:
    """The steps so far; equal facts are one step, and `facts[i]` is what step i derives."""

    clauses: Sequence[Clause]
    facts: list[z3.ExprRef] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    step_of: dict[int, int] = field(default_factory=dict)
    fits: dict[int, int] = field(default_factory=dict)

    def add(self, node: _Node, premises: Sequence[int]) -> int:
        """The step that derives the fact of `node` from earlier steps."""
        known = self.step_of.get(node.fact.get_id())
        if known is not None:
            return known
        for number, chosen in self._candidates(node, premises):
            clause = self.clauses[number]
            model = clause.model(node.fact, [self.facts[p] for p in chosen])
            if model is not None:
                self.fits[node.rule.get_id()] = number
                return self._append(node.fact, number, model, chosen)
        raise ProofError(f"no rule derives {node.fact.decl().name()} from the premises given")

    def _candidates(
        self, node: _Node, premises: Sequence[int]
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        likely = self.fits.get(node.rule.get_id(), -1)
        for number in sorted(range(len(self.clauses)), key=lambda n: n != likely):
            clause = self.clauses[number]
            if clause.head.decl().eq(node.fact.decl()):
                for chosen in self._assignments(clause, premises):
                    yield number, chosen

    def _assignments(self, clause: Clause, premises: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Premises for each body atom; those that use every premise come first.

        Z3 drops an atom that occurs twice in a body, so one premise may serve several atoms.
        """
        choices = [
            [p for p in premises if self.facts[p].decl().eq(atom.decl())] for atom in clause.body
        ]
        used = {p for options in choices for p in options}
        if used != set(premises):
            return
        ways = itertools.islice(itertools.product(*choices), ASSIGNMENTS)
        yield from sorted(ways, key=lambda way: -len(set(way)))

    def _append(
        self, raw: z3.ExprRef, rule: int, model: z3.ModelRef, premises: tuple[int, ...]
    ) -> int:
        clause = self.clauses[rule]
        fact = _completed(clause, model)
        step: Step = {
            "rule": rule,
            "arguments": [argument.sexpr() for argument in fact.children()],
            "premises": premises,
            "values": {
                name: model.eval(constant, model_completion=True).sexpr()
                for name, constant in clause.constants.items()
            },
        }
        self.steps.append(step)
        self.facts.append(fact)
        position = len(self.steps) - 1
        self.step_of[raw.get_id()] = position
        self.step_of.setdefault(fact.get_id(), position)
        return position


def steps_of(proof: z3.ExprRef, clauses: Sequence[Clause]) -> list[Step]:
    """The steps of a refutation, premises first, the query last; ProofError if one does not fit."""
    dag = _Dag(clauses)
    root = _root(proof)
    position: dict[int, int] = {}
    nodes: dict[int, _Node] = {}
    todo = [root]
    while todo:
        term = todo[-1]
        key = term.get_id()
        node = nodes.setdefault(key, _node_of(term)) if key not in nodes else nodes[key]
        missing = [p for p in node.premises if p.get_id() not in position]
        if key not in position and missing:
            todo.extend(reversed(missing))
            continue
        todo.pop()
        if key not in position:
            position[key] = dag.add(node, [position[p.get_id()] for p in node.premises])
    return _cone(dag.steps, position[root.get_id()])


def _root(proof: z3.ExprRef) -> z3.ExprRef:
    """The node that derives `query!`: Z3 wraps it into steps for a goal relation of its own."""
    todo = [proof]
    while todo:
        term = todo.pop()
        if _is_proof(term):
            if is_query(_conclusion(term)):
                return term
            todo.extend(term.children()[:-1])
    raise ProofError("it does not derive the query")


def _is_proof(term: z3.ExprRef) -> bool:
    return bool(z3.is_app(term) and term.sort().name() == "Proof")


def _conclusion(term: z3.ExprRef) -> z3.ExprRef:
    return term.arg(term.num_args() - 1)


def _node_of(term: z3.ExprRef) -> _Node:
    kind = term.decl().kind()
    if kind == z3.Z3_OP_PR_HYPER_RESOLVE:
        rule, *premises, fact = term.children()
        return _Node(fact, tuple(premises), rule)
    if kind == z3.Z3_OP_PR_ASSERTED:
        return _Node(term.arg(0), (), term)
    raise ProofError(f"unexpected proof step {term.decl().name()}")


def _completed(clause: Clause, model: z3.ModelRef) -> z3.ExprRef:
    """The fact that the head becomes in `model`, every argument a constant."""
    return clause.head.decl()(
        *(model.eval(argument, model_completion=True) for argument in clause.head.children())
    )


def _cone(steps: list[Step], last: int) -> list[Step]:
    """The steps that `last` rests on, in order, renumbered."""
    needed = {last}
    for position in range(last, -1, -1):
        if position in needed:
            needed.update(steps[position]["premises"])
    kept = sorted(needed)
    renumbered = {old: new for new, old in enumerate(kept)}
    return [
        {**steps[old], "premises": [renumbered[p] for p in steps[old]["premises"]]} for old in kept
    ]
