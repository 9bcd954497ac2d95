"""Violation witnesses of termination: a run is looked for that goes round the cycle without end.

The program is changed so that it blocks every run that does not follow the witness, and every run
that passes no waypoint for long.  So a run of it that never ends passes the stem, and then the
cycle without end; it is a run of the program itself too.

1. Such a run is looked for as in any other program (`verification.termination`), first with the
   inputs that the witness tells.
2. A run that is found is followed in the program as it is; then the witness is confirmed.
3. The witness is rejected if all runs that follow it end, also those that pass no waypoint for
   long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import NOWHERE, InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText
from seahorn_py.frontend.compiling.support import OUR_FOLDERS
from seahorn_py.ir import interpreter
from seahorn_py.ir.graph import (
    blocks_by_label,
    recursive_functions,
    strong_components,
    successors,
)
from seahorn_py.ir.program import Binary, BinaryOp, Function, Input, IntConst, Program, Site
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.ir.statements import Statement
from seahorn_py.ir.types import IntType
from seahorn_py.options import Overflow, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.validation.expression import ExpressionError
from seahorn_py.validation.guide import guide
from seahorn_py.validation.macros import looping
from seahorn_py.validation.places import PlaceError, resolved
from seahorn_py.validation.repeating import Differs, Kept, Original, goes_on
from seahorn_py.validation.unchanged import unchanged
from seahorn_py.validation.verdict import Validation, Verdict, unknown
from seahorn_py.validation.watching import MAX_SEGMENTS, Circled, circled
from seahorn_py.verification.pipeline import load, verify
from seahorn_py.witness.witness import ViolationWitness

_FOLLOWED = RunLimits(seconds=2.0, steps=1_000_000)
_PLACE = pattern(r"^loop at \S+: need not end: ")
_TURNS = 200
"""The rounds of a cycle for which the values of its inputs are given."""


@dataclass(frozen=True)
class _Task:
    """The witness, the program, and the time that is left."""

    witness: ViolationWitness
    files: Sequence[Path]
    texts: Sequence[CText]
    options: VerifyOptions
    deadline: Deadline

    def edited(self, program: Circled, share: float) -> VerifyOptions:
        """The options for an edited program, in a share of the time that is left."""
        frontend = replace(self.options.frontend, edited=program.edited)
        timeout = max(self.deadline.share(share).remaining, 0.1)
        return replace(self.options, frontend=frontend, timeout=timeout, witness=False)


def go_round(
    witness: ViolationWitness,
    files: Sequence[Path],
    texts: Sequence[CText],
    options: VerifyOptions,
) -> Validation:
    """Look for a run that follows the witness.  SeaError if the program itself is wrong input."""
    task = _Task(witness, files, texts, options, Deadline.after(options.timeout))
    original = Original.of(files, options, task.deadline)
    try:
        program = circled(witness, texts, gated=True)
    except (PlaceError, ExpressionError) as error:
        return unknown(f"the witness cannot be followed: {error}")
    if not unchanged(files, texts, program.bare, options.frontend, task.deadline):
        return unknown("a waypoint cannot be put in its place without changing the program")
    try:
        source = load(files, task.edited(program, 1.0), task.deadline)[1]
    except InputError as error:
        return unknown(f"what the witness says does not compile: {str(error).splitlines()[0]}")
    told = _as_told(task, original, program, source)
    return told or _searched(task, original, program)


def _as_told(
    task: _Task, original: Original, program: Circled, source: Program
) -> Validation | None:
    """Confirmed by a run on the inputs that the witness tells; otherwise None.

    A site that the witness gives one value at all visits has this value in the program.
    """
    turns = max(1, min(_TURNS, MAX_SEGMENTS // len(task.witness.cycle)))
    unrolled = replace(
        task.witness, segments=(*task.witness.segments, *task.witness.cycle * turns), cycle=()
    )
    draw = guide(unrolled, task.texts).draw
    run = interpreter.run(source, {}, _FOLLOWED, draw=draw)
    if run.ending is not Ending.LIMIT or task.options.frontend.overflow is Overflow.ASSUME:
        return None
    values = _single(run)
    share = policy().validation.guided_share
    # In this program sites have the told values, so a native run would not read what it reads.
    options = replace(task.edited(program, share), native=False)
    result = verify(task.files, options, adapt=_choosing(values))
    if result.answer is not Answer.UNSAFE:
        return None
    found = _confirmed(task, original, source.sites, run, result)
    return found if found.verdict is Verdict.CONFIRMED else None


def _single(run: Outcome) -> Mapping[int, int]:
    """Site -> its value, for sites with the same value at each visit."""
    return {site: values[0] for site, values in run.feed.items() if len(set(values)) == 1}


def _choosing(values: Mapping[int, int]) -> Callable[[Program], Program]:
    """A change of programs: sites get these values."""

    def changed(program: Program) -> Program:
        functions = {name: _fixed(f, values) for name, f in program.functions.items()}
        return replace(program, functions=functions)

    return changed


def _fixed(function: Function, values: Mapping[int, int]) -> Function:
    blocks = (
        replace(block, statements=tuple(_chosen(s, values) for s in block.statements))
        for block in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


def _chosen(statement: Statement, values: Mapping[int, int]) -> Statement:
    if not isinstance(statement, Input) or statement.site.number not in values:
        return statement
    kind = statement.result.type
    if not isinstance(kind, IntType):
        return statement
    value = IntConst(values[statement.site.number] % (1 << kind.width), kind)
    return Binary(statement.result, BinaryOp.OR, value, IntConst(0, kind), statement.origin)


def _searched(task: _Task, original: Original, program: Circled) -> Validation:
    """What engines find among all runs that follow the witness."""
    kept = Kept()
    share = policy().validation.searched_share
    result = verify(task.files, task.edited(program, share), adapt=kept)
    if result.answer is Answer.UNSAFE and result.violation and result.violation.run:
        return _confirmed(task, original, kept.sites, result.violation.run, result)
    slow = circled(task.witness, task.texts, gated=False)
    ending = verify(task.files, task.edited(slow, 1.0))
    if ending.answer is Answer.SAFE:
        proof = "; ".join(ending.evidence)
        return Validation(Verdict.REJECTED, f"all runs that follow the witness end: {proof}")
    stage = "" if result.stage is None else f"{result.stage.value}: "
    return unknown(f"no run that goes round the cycle was found; {stage}{result.reason}")


def _confirmed(
    task: _Task,
    original: Original,
    sites: Sequence[Site],
    run: Outcome,
    result: VerificationResult,
) -> Validation:
    """Follow the run in the program as it is."""
    uncounted = _uncounted(task, original.source)
    if uncounted:
        return unknown(f"{uncounted} are not counted")
    try:
        followed = "; ".join(_followed(task, original, sites, run))
    except Differs as error:
        return unknown(f"the run that follows the witness is not one of the program: {error}")
    stem, cycle = len(task.witness.segments), len(task.witness.cycle)
    told = (_PLACE.sub("", line) for line in (*result.evidence, followed))
    proof = "; ".join(filter(None, told))
    count = f"{stem} waypoint{'' if stem == 1 else 's'}"
    reason = f"a run follows {count}, then goes round a cycle of {cycle} for ever: {proof}"
    return Validation(Verdict.CONFIRMED, reason)


def _uncounted(task: _Task, source: Program) -> str:
    """Rounds outside of the cycle that a run may make without end; "" if there are none."""
    for path, text in zip(task.files, task.texts, strict=True):
        for name in looping(path, text, task.options.frontend, task.deadline):
            return f"rounds behind the name {name}"
    files = {resolved(text.name) for text in task.texts}
    for name in _files(source):
        if resolved(name) not in files and not name.startswith(OUR_FOLDERS):
            return f"rounds of loops in {name}"
    return ""


def _files(source: Program) -> frozenset[str]:
    """The files that have code in cycles of the program."""
    recursive, found = recursive_functions(source), set[str]()
    for name, function in source.functions.items():
        follow = successors(function)
        for part in strong_components(follow, follow.__getitem__):
            if name in recursive or len(part) > 1 or part[0] in follow[part[0]]:
                blocks = (blocks_by_label(function)[label] for label in part)
                nodes = (node for b in blocks for node in (*b.statements, b.terminator))
                places = (getattr(node, "origin", NOWHERE).span for node in nodes)
                found.update(place.file for place in places if place is not None)
    return frozenset(found)


def _followed(
    task: _Task, original: Original, sites: Sequence[Site], run: Outcome
) -> Iterator[str]:
    """How far the run goes on in the program as it is, in words.  Raises Differs if it ends."""
    if task.options.frontend.overflow is Overflow.ASSUME:
        yield "no run was compared, since runs wrap around"
        return
    for how in goes_on(original, sites, run, task.deadline):
        yield f"in the program itself it goes on for as long as it was followed ({how})"
