"""A condition on the values with which a loop is entered, under which the loop ends.

Candidates are signs of values and comparisons of two values, the weaker ones first.  A candidate is
promising if each round under it decreases a guard of the loop.  Then the program is made in which
runs enter the loop under the condition alone (`passes.termination.entering`), and the rank is
proved there like any check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations

from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Encoding, Wrapping
from seahorn_py.engines.termination.rates import guarded
from seahorn_py.frontend.llvmtext.stored import Named
from seahorn_py.horn.system import Model, Parameter
from seahorn_py.ir.program import IntConst, Predicate, Program, Register
from seahorn_py.ir.types import IntType
from seahorn_py.logic.terms import terms
from seahorn_py.passes.termination.entering import Condition, entered_only_if
from seahorn_py.passes.termination.loops import is_parted, natural_loops
from seahorn_py.passes.termination.ranked import Rank, TooWide, ranked
from seahorn_py.policy.policy import policy
from seahorn_py.processes.child import ChildError, Fork
from seahorn_py.verification.encodings.one_encoding import Task
from seahorn_py.verification.termination.counting import proof
from seahorn_py.verification.termination.entry_names import Names
from seahorn_py.verification.termination.loop_places import CyclePlace
from seahorn_py.verification.termination.searching import measured

MOST_PAIRED, MOST_PROVED = 4, 3
"""So many values are compared with each other, and proofs of so many candidates are tried."""

_SIGNS = {">=": ("sge", "uge"), ">": ("sgt", "ugt"), "<=": ("sle", "ule"), "<": ("slt", "ult")}


@dataclass(frozen=True)
class _Candidate:
    text: str
    condition: Condition
    known: Model


def condition(
    task: Task,
    readings: Sequence[Wrapping],
    encoding: Encoding,
    place: CyclePlace,
    once: frozenset[Named],
) -> tuple[str, bool]:
    """A condition that is proved, as C text; "" if there is none.

    The second value says that the proof holds only for runs without signed overflow.
    """
    function = task.subject.program.functions[place.key[0]]
    loop = next((one for one in natural_loops(function) if one.head == place.key[1]), None)
    if loop is None or is_parted(function, loop):
        return "", False
    task = replace(task, deadline=task.deadline.at_most(policy().termination.condition_seconds))
    candidates = list(_candidates(task.subject.program, encoding, place, once))
    for candidate, rank in _promising(task, encoding, place, candidates):
        try:
            program = _restricted(task.subject.program, place, candidate, rank)
        except TooWide:
            continue
        found = proof(task, readings, program)
        if found is not None:
            return candidate.text, found.needs_no_overflow
    return "", False


def _restricted(program: Program, place: CyclePlace, candidate: _Candidate, rank: Rank) -> Program:
    """The program that enters the loop under the condition, with the check of its rank."""
    name, head = place.key
    loops = natural_loops(program.functions[name])
    loop = next(one for one in loops if one.head == head)
    guarded = entered_only_if(program, name, loop, candidate.condition)
    return ranked(guarded, {place.key: rank}, {place.key: place.text})


def _promising(
    task: Task, encoding: Encoding, place: CyclePlace, candidates: Sequence[_Candidate]
) -> Iterator[tuple[_Candidate, Rank]]:
    """Candidates under which the loop decreases a guard, with that guard as the rank.

    They are looked for in a process of its own, since isl may take any time.
    """
    registers = place.cut.registers
    usable = [k for k, r in enumerate(registers) if isinstance(r.type, IntType)]
    limit = task.deadline.at_most(policy().termination.rank_seconds)
    models = [candidate.known for candidate in candidates]
    work = partial(guarded, place.cycle, encoding.system, models, usable, MOST_PROVED)
    try:
        with Fork(work, limit, task.options.memory_mib) as fork:
            found = fork.result()
    except ChildError:
        return
    assert isinstance(found, list)
    parameters = encoding.system.relations[place.cycle.head].parameters
    for number, expression in found:
        yield candidates[number], Rank((measured(expression, registers, parameters),))


def _candidates(
    program: Program, encoding: Encoding, place: CyclePlace, once: frozenset[Named]
) -> Iterator[_Candidate]:
    """Signs of values, then comparisons; values that the loop does not change come first."""
    function = program.functions[place.key[0]]
    loop = next(one for one in natural_loops(function) if one.head == place.key[1])
    names = Names(function, loop, once)
    parameters = encoding.system.relations[place.cycle.head].parameters
    named = [
        (register, parameter, names.of(register, parameter.signed))
        for register, parameter in zip(place.cut.registers, parameters, strict=True)
        if _is_number(register, parameter) and names.of(register, parameter.signed)
    ]
    named.sort(key=lambda one: names.is_chosen(one[0]))
    for register, parameter, name in named:
        if isinstance(names.entered(register, parameter.signed), IntConst):
            continue  # its sign is known
        assert isinstance(register.type, IntType)
        zero = IntConst(0, register.type)
        for sign in _SIGNS if parameter.signed else (">",):
            known = _formula(place, sign, parameter.symbol, terms.int_const(0))
            yield _Candidate(
                f"{name} {sign} 0", Condition(register, _predicate(sign, parameter), zero), known
            )
    for (left, first, one), (right, second, other) in permutations(named[:MOST_PAIRED], 2):
        if (left.type, first.signed) == (right.type, second.signed):
            for sign in (">=", ">"):
                known = _formula(place, sign, first.symbol, second.symbol)
                test = Condition(left, _predicate(sign, first), right)
                yield _Candidate(f"{one} {sign} {other}", test, known)


def _is_number(register: Register, parameter: Parameter) -> bool:
    is_wide = isinstance(register.type, IntType) and register.type.width > 1
    return is_wide and parameter.sort is terms.INT


def _predicate(sign: str, parameter: Parameter) -> Predicate:
    return Predicate(_SIGNS[sign][0 if parameter.signed else 1])


def _formula(place: CyclePlace, sign: str, left: terms.Term, right: terms.Term) -> Model:
    """What holds at the head if the rounds keep the condition."""
    formula = {
        ">=": terms.le(right, left),
        ">": terms.lt(right, left),
        "<=": terms.le(left, right),
        "<": terms.lt(left, right),
    }[sign]
    return Model({place.cycle.head: formula})
