"""Formulas of LTL and CTL about Boolean programs, as `sea-py bp --property` asks for them."""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.base.errors import Stage
from seahorn_py.engines.boolean.branching import branched
from seahorn_py.engines.boolean.ctl import (
    Atom,
    Conjunction,
    Negation,
    SomeAlways,
    SomeNext,
    SomeUntil,
)
from seahorn_py.engines.boolean.ctl import Formula as Branching
from seahorn_py.engines.boolean.expressions import Constant as Value
from seahorn_py.engines.boolean.expressions import Expression, conjunction
from seahorn_py.engines.boolean.expressions import negation as negated
from seahorn_py.engines.boolean.lassos import Automaton, is_accepted
from seahorn_py.engines.boolean.programs import BooleanProgram
from seahorn_py.engines.boolean.propositions import proposition
from seahorn_py.frontend.temporal.branching import check_branching, written
from seahorn_py.frontend.temporal.buechi import buechi
from seahorn_py.frontend.temporal.formula import (
    FALSE,
    Both,
    Constant,
    Either,
    Formula,
    Literal,
    Next,
    Quantified,
    Release,
    Until,
    is_branching,
    negation,
    parts,
    read_formula,
)
from seahorn_py.processes.journal import enter

IsOver = Callable[[], bool]


def about_formula(program: BooleanProgram, text: str, is_over: IsOver) -> tuple[str, str]:
    """Whether all runs, or all first states, of a program fulfil a formula, and why.

    SeaError if it is no formula about the program; OutOfTime; MemoryError where diagrams have no
    room.
    """
    formula = read_formula(text, lambda atom: bool(atom.strip()))
    if is_branching(formula) or not any(
        isinstance(p, Next | Until | Release) for p in parts(formula)
    ):
        check_branching(formula)
        asked = _branching(formula, program)
        enter(Stage.SOLVE.value)
        found = branched(program, asked, is_over)
        if not found.runs:
            return "safe", f"no run goes on for ever or ends, so all fulfil {text}"
        if found.holds:
            return "safe", f"all first states fulfil {text}; {found.contexts} contexts"
        return "unsafe", f"a first state does not fulfil {text}"
    automaton = _automaton(formula, program)
    enter(Stage.SOLVE.value)
    if is_accepted(program, automaton, is_over):
        return "unsafe", f"a run does not fulfil {text}"
    return "safe", f"all runs fulfil {text}"


def _automaton(formula: Formula, program: BooleanProgram) -> Automaton:
    """The automaton of the runs that violate a formula of LTL."""
    made = buechi(negation(formula))
    labels = (
        conjunction(_literal(literal, program) for literal in sorted(label, key=written))
        for label in made.labels
    )
    return Automaton(tuple(labels), made.first, made.follow, made.accepting)


def _literal(literal: Literal, program: BooleanProgram) -> Expression:
    expression = proposition(literal.atom, program)
    return expression if literal.holds else negated(expression)


def _branching(formula: Formula, program: BooleanProgram) -> Branching:
    """A formula of CTL, by EX, E U and EG."""

    def inside(part: Formula) -> Branching:
        return _branching(part, program)

    match formula:
        case Constant(value):
            return Atom(Value(value))
        case Literal():
            return Atom(_literal(formula, program))
        case Both(left, right):
            return Conjunction(inside(left), inside(right))
        case Either(left, right):
            return Negation(Conjunction(Negation(inside(left)), Negation(inside(right))))
        case Quantified(False, Next(inner)):
            return SomeNext(inside(inner))
        case Quantified(False, Until(left, right)):
            return SomeUntil(inside(left), inside(right))
        case Quantified(False, Release(left, right)):  # right until both, or right for ever
            always = Negation(SomeAlways(inside(right)))
            if left == FALSE:
                return Negation(always)
            met = SomeUntil(inside(right), Conjunction(inside(left), inside(right)))
            return Negation(Conjunction(always, Negation(met)))
        case _:  # for all runs, which `check_branching` left
            return Negation(inside(negation(formula)))
