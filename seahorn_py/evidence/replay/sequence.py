"""From a refutation, a DAG of facts, to the run it stands for, a sequence of rule instances.

The run is made of chains, which end in the fact of a step:

    run(query)   = chain(atom of the query), then the query's rule
    chain(f.l)   = down the first premises to f.entry, then on with the caller's atom of the rule
                   that derived that context; at a join rule chain(caller atom), then inner(f.exit)
    inner(f.exit) = down the first premises to f.entry, and stop there: how that context was derived
                   may belong to another call

The order of the result is that of execution.  A context rule of an inner chain is left out: the
arguments are those of the join rule that uses the summary.

A DAG of a few steps may stand for millions of instances, of which most read nothing.  Where the run
is long, an inner chain that reads no input is left out.  The values of its fact are then given, and
they are the same for every call that uses the fact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.base.errors import Stage, StageFailure
from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Cut, CutKind
from seahorn_py.horn.system import Atom, HornSystem, Refutation, Rule, Step
from seahorn_py.logic.terms import terms

MAX_INSTANCES = 50_000

WRITTEN_OUT = 1_000
"""A run of so many instances is written out whole."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule instance of the run.

    `sources` are the indices in the run of the instances whose heads are this one's body atoms,
    in the order of the atoms; None where an inner chain begins at its context.
    """

    rule: Rule
    step: int
    sources: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class _Visit:
    """Work: expand the fact of `step`; `inner` stops at the entry of the function."""

    step: int
    inner: bool


@dataclass(frozen=True, slots=True)
class _Emit:
    """Work: all premises of `step` were emitted; `premises` of them, `inner` as above."""

    step: int
    premises: int


def sequence(
    system: HornSystem, refutation: Refutation, cuts: Mapping[str, Cut]
) -> tuple[Instance, ...]:
    """The run of `refutation`; StageFailure when it is longer than MAX_INSTANCES."""
    rules = {rule.name: rule for rule in system.rules}
    known = _without_inputs(refutation, rules, cuts)
    run: list[Instance] = []
    derived: list[int | None] = []  # a stack: indices in the run of the facts just derived
    work: list[_Visit | _Emit] = [_Visit(len(refutation.steps) - 1, inner=False)]
    while work:
        item = work.pop()
        step = refutation.steps[item.step]
        rule = rules[step.rule]
        match item:
            case _Visit(inner=inner) if inner and _kind(rule, cuts) is CutKind.ENTRY:
                derived.append(None)
            case _Visit(number, inner=True) if number in known:
                derived.append(len(run))
                run.append(Instance(_as_found(rule, step), number, ()))
            case _Visit(number, inner):
                work.append(_Emit(number, len(step.premises)))
                work.extend(_premises(step.premises, inner))
            case _Emit(number, count):
                sources = tuple(derived[len(derived) - count :])
                del derived[len(derived) - count :]
                derived.append(len(run))
                run.append(Instance(rule, number, sources))
        if len(run) > MAX_INSTANCES:
            raise StageFailure(Stage.REPLAY, f"the run has more than {MAX_INSTANCES} steps")
    return tuple(run)


def _without_inputs(
    refutation: Refutation, rules: Mapping[str, Rule], cuts: Mapping[str, Cut]
) -> frozenset[int]:
    """The steps whose inner chains read no input; none where the run is short."""
    whole: list[int] = []  # instances of the chain of each step, and of the inner one
    inner: list[int] = []
    reads: list[bool] = []
    for step in refutation.steps:
        rule = rules[step.rule]
        stops = _kind(rule, cuts) is CutKind.ENTRY
        first, others = step.premises[:1], step.premises[1:]
        called = sum(inner[p] for p in others)
        whole.append(1 + called + sum(whole[p] for p in first))
        inner.append(0 if stops else 1 + called + sum(inner[p] for p in first))
        read = bool(rule.inputs) or any(reads[p] for p in step.premises)
        reads.append(read and not stops)
    if whole[-1] <= WRITTEN_OUT:
        return frozenset()
    return frozenset(number for number, read in enumerate(reads) if not read)


def _as_found(rule: Rule, step: Step) -> Rule:
    """A rule that derives the fact of a step from nothing."""
    assert isinstance(rule.head, Atom)
    head = replace(rule.head, arguments=step.arguments)
    name = f"{rule.name}: {', '.join(map(str, step.arguments))}"
    return Rule(name, (), terms.TRUE, head)


def _premises(premises: tuple[int, ...], inner: bool) -> list[_Visit]:
    """Visits in the order in which a stack must hold them: the first premise runs first."""
    visits = [_Visit(p, inner if i == 0 else True) for i, p in enumerate(premises)]
    return visits[::-1]


def _kind(rule: Rule, cuts: Mapping[str, Cut]) -> CutKind | None:
    if not isinstance(rule.head, Atom) or rule.head.relation not in cuts:
        return None
    return cuts[rule.head.relation].kind
