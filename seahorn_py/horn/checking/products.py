"""Verification conditions with products of integers, case by case, with equations solved.

A condition is split as `logic.terms.branches` does it: the solver gets conjunctions of comparisons,
in which symbols that stand by themselves in an equation are replaced.  To these come equations
multiplied by what turns a comparison into 0, which a solver would have to guess: from `e = 0`
follows `m * e = 0` (Cox, Little, O'Shea: Ideals, varieties, and algorithms, chapter 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seahorn_py.base.errors import InputError
from seahorn_py.horn.checking.instances import interpretation_at
from seahorn_py.horn.system import Atom, HornSystem, Model, Rule, atoms
from seahorn_py.logic.solvers.solvers import script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.branches import Branch, Relation, branches
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.polynomials import Polynomial
from seahorn_py.logic.terms.terms import Term
from seahorn_py.processes.deadline import Deadline

MOST_GOALS = 64
"""A head of more conjuncts is not looked at."""


def product_conditions(
    system: HornSystem, model: Model, rule: Rule, deadline: Deadline
) -> list[str]:
    """Scripts that are all unsatisfiable only if the model makes `rule` valid.

    There are some for each conjunct of the head, one for each case.  None at all when integers
    are not multiplied, or there are a quantifier or more cases than the time allows.
    """
    mentioned = [model.interpretations.get(atom.relation, terms.TRUE) for atom in atoms(rule)]
    mentioned += [rule.constraint, *(t for atom in atoms(rule) for t in atom.arguments)]
    if any(map(terms.is_quantified, mentioned)):
        return []
    if not any(is_integer_product(node) for term in mentioned for node in nodes(term)):
        return []
    known = [*(interpretation_at(system, model, atom) for atom in rule.body), rule.constraint]
    head = (
        interpretation_at(system, model, rule.head) if isinstance(rule.head, Atom) else terms.FALSE
    )
    goals = [*conjuncts(head)]
    if len(goals) > MOST_GOALS:
        return []
    try:
        found = [branches([*known, terms.not_(goal)], deadline, reducing=False) for goal in goals]
        if None in found:
            return []
        scripts = [script_of(_assertions(one)) for cases in found for one in cases or ()]
    except InputError:
        return []
    return scripts or [script_of([terms.FALSE])]


def is_integer_product(node: Term) -> bool:
    """Whether integers are multiplied of which none is a constant."""
    is_number = node.is_times() and terms.sort_of(node) is terms.INT
    return is_number and not any(factor.is_int_constant() for factor in node.args())


def _assertions(branch: Branch) -> list[Term]:
    """The comparisons of a case, with the multiples of its equations that help."""
    return [*(one.term() for one in branch.comparisons), *dict.fromkeys(_multiples(branch))]


def _multiples(branch: Branch) -> Iterator[Term]:
    for one in branch.comparisons:
        if one.relation is Relation.ZERO:
            continue
        for factor, number in branch.ideal.reduction(one.polynomial).multiples:
            if factor:
                equation = branch.ideal.equations[number]
                monomial = Polynomial({factor: Fraction(1)})
                product = terms.times(monomial.term(), equation.term(equation.denominator))
                yield terms.eq(product, terms.int_const(0))
