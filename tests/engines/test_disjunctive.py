"""Disjunctive interpolants: solutions of random Horn systems without recursion, and the loop's."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from horn_examples import EXAMPLES, Example, atom, number, query, relation, system, variables, x, y

from seahorn_py.base.errors import InternalError
from seahorn_py.engines.cegar.cegar import Cegar
from seahorn_py.engines.cegar.loop import Loop
from seahorn_py.engines.conclusion import Proved
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.refinement.abstraction import TOP
from seahorn_py.engines.refinement.configuration import configured
from seahorn_py.engines.refinement.derivation import Derivation, Formulas, all_derivations
from seahorn_py.engines.refinement.disjunctive import DisjunctiveInterpolation, recursion_free
from seahorn_py.engines.refinement.horn_interpolants import HornInterpolation
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.engines.refinement.reachability import Edge, Node
from seahorn_py.engines.refinement.rounds import Round
from seahorn_py.engines.refinement.skeleton import Problem
from seahorn_py.engines.refinement.strategies.choice import strategy
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Rule
from seahorn_py.logic.interpolation.disjunctive import MOST_COPIES, Clause, RecursionFree, solution
from seahorn_py.logic.interpolation.interpolation import (
    Backend,
    Interpolants,
    NotFound,
    Satisfiable,
)
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.folding import folded
from seahorn_py.logic.terms.terms import INT, TRUE, Term, bv_sort
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unsafe

SECONDS = 30.0
BYTE = bv_sort(8)
MANY = [pytest.param(s, marks=[pytest.mark.full] if s > 1 else []) for s in range(6)]


def soon() -> Deadline:
    return Deadline.after(SECONDS)


class Drawn:
    """Random Horn systems without recursion over one sort."""

    def __init__(self, seed: int, sort: terms.Sort) -> None:
        self._random, self._sort = random.Random(seed), sort

    def system(self) -> RecursionFree:
        count = self._random.randint(3, 5)
        parameters = [tuple(self._fresh(f"p{k}") for _ in range(2)) for k in range(count)]
        clauses = [
            tuple(self._clause(k, parameters) for _ in range(self._random.randint(1, 2)))
            for k in range(count)
        ]
        head = self._clause(count, [*parameters, ()])
        return RecursionFree((*parameters, ()), (*clauses, (head,)))

    def _clause(self, number_: int, parameters: Sequence[tuple[Term, ...]]) -> Clause:
        uses = 0 if not number_ else self._random.randint(1, min(2, number_))
        body = tuple(
            (self._random.randrange(max(0, number_ - 3), number_), self._pair())
            for _ in range(uses)
        )
        head = tuple(terms.fresh_like(s) for s in parameters[number_])
        sources = [s for _, own in body for s in own]
        parts = [self._equation(s, sources) for s in head]
        parts += [self._guard(sources)] * (self._random.random() < 0.4)
        if not head:
            parts = [
                terms.eq(sources[0], self._constant(self._random.randint(0, 6))),
                self._guard(sources),
            ]
        return Clause(terms.and_(parts), body, head)

    def _equation(self, symbol: Term, sources: Sequence[Term]) -> Term:
        if not sources:
            return terms.eq(symbol, self._constant(self._random.randint(0, 2)))
        value = self._random.choice(sources)
        step = self._constant(self._random.choice([0, 1, 2]))
        return terms.eq(symbol, self._sum(value, step))

    def _guard(self, sources: Sequence[Term]) -> Term:
        if not sources:
            return TRUE
        left, right = (self._random.choice(sources) for _ in range(2))
        return self._random.choice([terms.eq(left, right), terms.not_(terms.eq(left, right))])

    def _pair(self) -> tuple[Term, ...]:
        return self._fresh("u"), self._fresh("u")

    def _fresh(self, name: str) -> Term:
        return terms.fresh_like(terms.variable(f"disjunctive.{name}.{self._sort}", self._sort))

    def _constant(self, value: int) -> Term:
        return number(value) if self._sort is INT else terms.bv_const(value, 8)

    def _sum(self, left: Term, right: Term) -> Term:
        return terms.plus(left, right) if self._sort is INT else terms.bv("bvadd", left, right)


def assert_solved(of: RecursionFree, found: Sequence[Term]) -> None:
    """Every clause holds under the formulas; the last relation is false."""
    said = [*found, terms.FALSE]
    scripts = []
    for number_, own in enumerate(of.clauses):
        for clause in own:
            facts = [
                folded(said[k], dict(zip(of.parameters[k], arguments, strict=True)))
                for k, arguments in clause.body
            ]
            values = dict(zip(of.parameters[number_], clause.head, strict=True))
            goal = terms.not_(folded(said[number_], values))
            scripts.append(script_of([clause.formula, *facts, goal]))
    answers = check_scripts(scripts, Solver.CVC5, soon())
    assert all(answer.status is Status.UNSAT for answer in answers)


def possible(of: RecursionFree) -> bool:
    """Whether the last relation has a derivation, by trying all of them."""
    facts: list[list[tuple[tuple[Term, ...], Term]]] = []
    for own in of.clauses:
        derived = []
        for clause in own:
            choices: list[tuple[dict[Term, Term], list[Term]]] = [({}, [])]
            for used, arguments in clause.body:
                choices = [
                    (values | dict(zip(arguments, fact, strict=True)), [*so_far, formula])
                    for values, so_far in choices
                    for fact, formula in facts[used]
                ]
            for values, so_far in choices:
                head = tuple(terms.fresh_like(s) for s in clause.head)
                values = values | dict(zip(clause.head, head, strict=True))
                derived.append((head, terms.and_([*so_far, folded(clause.formula, values)])))
        facts.append(derived)
    scripts = [script_of([formula]) for _, formula in facts[-1]]
    answers = check_scripts(scripts, Solver.CVC5, soon())
    return any(answer.status is Status.SAT for answer in answers)


@pytest.mark.parametrize("seed", MANY)
@pytest.mark.parametrize(("sort", "backend"), [(INT, Backend.SPACER), (BYTE, Backend.BITWUZLA)])
def test_interpolants_solve_random_systems(seed: int, sort: terms.Sort, backend: Backend) -> None:
    drawn, solved = Drawn(seed, sort), 0
    for _ in range(6):
        of = drawn.system()
        match solution(of, soon(), [backend]):
            case Interpolants(found):
                assert_solved(of, found)
                solved += 1
            case Satisfiable():
                assert possible(of)
            case NotFound(reason):
                pytest.fail(reason)
    assert solved


def test_a_relation_that_is_not_empty_has_no_interpolants() -> None:
    of, (a,) = doubled(3), variables("a")
    real = Clause(terms.le(a, number(4)), of.clauses[-1][0].body, ())
    wrong = RecursionFree(of.parameters, (*of.clauses[:-1], (real,)))
    assert possible(wrong)
    assert isinstance(solution(wrong, soon()), Satisfiable)


def doubled(depth: int) -> RecursionFree:
    """Each relation uses the one before twice, so a tree has two to the depth copies."""
    a, b, c = variables("a b c")
    parameters = [(terms.variable(f"doubled.{k}", INT),) for k in range(depth)]
    base = Clause(terms.eq(c, number(1)), (), (c,))
    sum_ = [
        Clause(terms.eq(c, terms.plus(a, b)), ((k, (a,)), (k, (b,))), (c,))
        for k in range(depth - 1)
    ]
    last = Clause(terms.le(a, number(0)), ((depth - 1, (a,)),), ())
    return RecursionFree((*parameters, ()), ((base,), *((s,) for s in sum_), (last,)))


def test_a_relation_used_twice_has_what_holds_of_both_copies() -> None:
    of = doubled(3)
    found = solution(of, soon())
    assert isinstance(found, Interpolants), found
    assert_solved(of, found.formulas)


def test_a_tree_that_would_be_too_large_is_none() -> None:
    assert solution(doubled(9), soon()) == NotFound(f"more than {MOST_COPIES} copies of relations")


def test_clauses_that_use_what_comes_later_are_refused() -> None:
    (a,) = variables("a")
    with pytest.raises(InternalError, match="no earlier"):
        RecursionFree(((a,), ()), ((Clause(TRUE, ((0, (a,)),), (a,)),), ()))
    with pytest.raises(InternalError, match="arguments"):
        RecursionFree(((a,),), ((),))


# ----------------------------------------------------------------------------------- in the loop


def several() -> tuple[HornSystem, list[Node], Edge]:
    """`p(0)`, `p(2)`, two of which are added; the sum is never one."""
    p, q = relation("p", INT), relation("q", INT)
    of = system(
        [p, q],
        ((), terms.eq(x, number(0)), atom("p", x)),
        ((), terms.eq(x, number(2)), atom("p", x)),
        ((atom("p", x), atom("p", y)), TRUE, atom("q", terms.plus(x, y))),
        ((atom("q", x),), terms.eq(x, number(1)), query()),
    )
    zero, two, add, error = of.rules
    first = Node(0, "p", TOP, zero, ())
    sum_ = Node(1, "q", TOP, add, (first, first))
    return of, [first, sum_, Node(2, "", TOP, error, (sum_,))], Edge(two, ())


def every() -> tuple[HornSystem, Derivation]:
    of, nodes, other = several()
    return of, all_derivations(nodes[-1], lambda node: [other] if node is nodes[0] else [])


def test_all_derivations_of_a_query_are_one_system() -> None:
    of, found = every()
    assert [(s.node.relation, s.premises) for s in found.steps] == [
        ("p", ()),
        ("q", (0, 0)),
        ("", (1,)),
    ]
    assert [(a.step, a.rule.name, a.premises) for a in found.alternatives] == [
        (0, of.rules[1].name, ())
    ]
    assert not found.tree
    assert not found.path


def test_an_edge_from_a_younger_node_is_left_out() -> None:
    _, nodes, other = several()
    back = Edge(other.rule, (nodes[1],))
    found = all_derivations(nodes[-1], lambda node: [back] if node is nodes[0] else [])
    assert found.alternatives == ()


@pytest.mark.parametrize("of_bits", [False, True])
def test_what_is_said_of_a_fact_holds_however_it_is_derived(of_bits: bool) -> None:
    of, found = every()
    formulas = Formulas(of)
    asked = DisjunctiveInterpolation(formulas, (Backend.SPACER,)) if of_bits else None
    said = (asked or HornInterpolation(formulas)).ask(found, soon().at, SECONDS)
    assert isinstance(said, list), said
    assert_solved(recursion_free(found, formulas), said)


def test_a_real_derivation_among_them_is_no_lesson() -> None:
    of, found = every()
    last = found.steps[-1]
    real = Rule("real", last.rule.body, terms.eq(x, number(2)), last.rule.head)
    node = Node(last.node.number, "", TOP, real, last.node.premises)
    steps = (*found.steps[:-1], type(last)(node, last.premises))
    formulas = Formulas(of)
    wrong = Derivation(steps, found.alternatives)
    asked = DisjunctiveInterpolation(formulas, (Backend.SPACER,))
    assert asked.ask(wrong, soon().at, SECONDS) == "there is a derivation"
    assert HornInterpolation(formulas).ask(wrong, soon().at, SECONDS) == "Spacer finds a derivation"


def run(of: HornSystem, choices: str) -> tuple[object, list[Round]]:
    chosen, rounds = configured(choices), list[Round]()
    problem = Problem(of, soon())
    loop = Loop(problem, chosen, strategy(chosen, problem), rounds.append)
    return loop.run(Precision()), rounds


def test_a_round_learns_from_several_derivations() -> None:
    """A tree of interpolants is about the first way to each fact, so it takes more rounds."""
    of, _, _ = several()
    outcome, many = run(of, "refinement=disjunctive,initial=none")
    assert isinstance(outcome, Proved)
    assert any(r.counterexample.alternatives for r in many)
    outcome, single = run(of, "refinement=tree,initial=none")
    assert isinstance(outcome, Proved)
    assert len(many) < len(single)


@pytest.mark.parametrize(
    "example",
    [pytest.param(e, marks=[pytest.mark.full] if k % 3 else []) for k, e in enumerate(EXAMPLES)],
    ids=lambda e: e.name,
)
def test_the_contract_of_engines(example: Example) -> None:
    engine = Cegar(configured("refinement=disjunctive"))
    verdict = engine.solve(example.system, Budget(soon()))
    match verdict:
        case Safe(proof, finder):
            assert example.safe
            assert check_proof(example.system, proof, finder=finder, deadline=soon()).ok
        case Unsafe(refutation):
            assert not example.safe
            assert check_refutation(example.system, refutation, soon()).ok
        case _:
            pytest.fail(verdict.reason)
