"""The same inputs, two ways to run: natively and in the interpreter, before and after the passes.

The native run shows the result of a function by the sites it reads.  The interpreter is then given
that result as the oracle and must reach the error with the same inputs, in the same order.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator import File

from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn, dictionary
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.frontend.runtime.native import Executable, Refusal, build
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Block, Call, Program, SiteKind, Stop, StopKind
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.ir.types import PointerType
from seahorn_py.ir.verifier import check
from seahorn_py.options import FrontendOptions, Inlining
from seahorn_py.passes.pipeline import prepare
from seahorn_py.passes.simplify.blocks import drop_unreachable
from seahorn_py.passes.slicing.slicing import drop_uncalled
from seahorn_py.processes.deadline import Deadline

LIMITS = RunLimits(seconds=20.0, steps=200_000, reads=1 << 14)
SHOWN_BITS = 64


@dataclass(frozen=True)
class Mismatch:
    """Two runs that should have been alike; `what` says which and how they differ."""

    function: int
    what: str


@dataclass(frozen=True)
class Roles:
    """The sites of `main` in a generated program."""

    which: int
    oracle: int
    one: int
    zero: int


@dataclass(frozen=True)
class Observation:
    """What a native run did, without the part that shows the result.

    `expected` has the oracle equal to the result (None: the run ended before it).
    """

    expected: Outcome
    result: int | None


@dataclass(frozen=True)
class Compiled:
    """A generated file in the forms that are compared."""

    source: Program
    executable: Executable
    roles: Roles
    dictionary: tuple[int, ...]


def compile_text(text: str, bits: int, place: Path, inlining: Inlining = Inlining.AUTO) -> Compiled:
    """Compile, lower, read and build; raises where a step refuses."""
    file = place / "generated.c"
    file.write_text(text)
    options = FrontendOptions(bits=bits, inlining=inlining)
    deadline = Deadline.after(120)
    lowered = optimizer.lower(compiler.compile_files([file], options, deadline), options, deadline)
    built = build(lowered.native, bits, place, deadline)
    if isinstance(built, Refusal):
        raise AssertionError(f"no native run: {built.reason}")
    words = dictionary(lowered.native)
    return Compiled(reader.read(lowered), built, _roles(lowered), words)


def _roles(lowered: Lowered) -> Roles:
    sites = {site.name.removeprefix("__VERIFIER_nondet_"): site.number for site in lowered.sites}
    return Roles(sites["which"], sites["oracle"], sites["one"], sites["zero"])


def observe(compiled: Compiled, function: int, draws: int, seed: int) -> Iterator[Observation]:
    """Native runs of one function on drawn inputs."""
    inputs = Drawn(seed, compiled.dictionary, {compiled.roles.which: (function,)})
    sampled = native.sample(compiled.executable, inputs, draws, Deadline.after(30), LIMITS)
    if sampled.refusal:
        raise AssertionError(sampled.refusal)
    for outcome in sampled.outcomes:
        yield _observation(outcome, compiled.roles)


def _observation(outcome: Outcome, roles: Roles) -> Observation:
    """Read the result off the sites at the end of a run."""
    reads = outcome.reads
    sites = [site for site, _ in reads]
    if roles.oracle not in sites:
        return Observation(outcome, None)
    end = sites.index(roles.oracle)
    if outcome.ending is Ending.FAILED:
        return Observation(outcome, reads[end][1])
    shown = sites[end + 1 :]
    assert len(shown) == SHOWN_BITS, outcome
    result = sum((site == roles.one) << k for k, site in enumerate(shown))
    expected = (*reads[:end], (roles.oracle, result))
    return Observation(Outcome(Ending.FAILED, 0, expected), result)


def _compared(
    interpreter: Interpreter, program: Program, form: str, function: int, seen: Observation
) -> Iterator[Mismatch]:
    expected = seen.expected
    outcome = interpreter.run(expected.feed, LIMITS)
    kinds = {site.number: site.kind for site in program.sites}
    if any(kinds[site] is SiteKind.HAVOC for site, _ in outcome.reads):
        return
    # whatever is drawn for a pointer, it is null
    null = {site.number for site in program.sites if isinstance(site.type, PointerType)}
    reads = tuple((n, 0 if n in null else v) for n, v in expected.reads if n in kinds)
    if outcome.ending is not expected.ending:
        yield Mismatch(function, f"{form}: {outcome.ending} not {expected.ending} {outcome.reason}")
    elif form == "read" and outcome.reads != reads:
        yield Mismatch(function, f"{form}: reads {outcome.reads} not {reads}")


@dataclass(frozen=True)
class Observed:
    """A file with the native runs of its functions; `prepared` is the program in encoding form."""

    compiled: Compiled
    prepared: Program
    runs: Mapping[int, Sequence[Observation]]

    @property
    def count(self) -> int:
        """How many native runs there are."""
        return sum(map(len, self.runs.values()))

    def only(self, functions: Collection[int]) -> Observed:
        """Of the prepared program and the runs those of these functions; calls of others end."""
        left = {f"f{number}" for number in self.runs.keys() - set(functions)}
        main = self.prepared.functions["main"]
        blocks = tuple(_ended(b) if _callee(b) in left else b for b in main.blocks)
        cut = drop_unreachable(replace(main, blocks=blocks))
        kept = {**self.prepared.functions, main.name: cut}
        program = check(drop_uncalled(replace(self.prepared, functions=kept)), "only")
        return Observed(self.compiled, program, {k: self.runs[k] for k in functions})


def _callee(block: Block) -> object:
    """The function that the block begins by calling, if any."""
    return call.callee if block.statements and isinstance(call := block.statements[0], Call) else ""


def _ended(block: Block) -> Block:
    return replace(block, statements=(), terminator=Stop(StopKind.END, block.terminator.origin))


def observed(
    file: File, bits: int, draws: int, seed: int, inlining: Inlining = Inlining.AUTO
) -> Observed:
    """Compile a file and run each of its functions natively on drawn inputs."""
    with tempfile.TemporaryDirectory(prefix="sea-differential-") as folder:
        compiled = compile_text(file.text(), bits, Path(folder), inlining)
        runs = {k: list(observe(compiled, k, draws, seed)) for k, _ in file.functions}
    return Observed(compiled, prepare(compiled.source), runs)


def differences(seen: Observed) -> list[Mismatch]:
    """Where the interpreter does not do what the native runs did."""
    found: list[Mismatch] = []
    for form, program in (("read", seen.compiled.source), ("prepared", seen.prepared)):
        interpreter = Interpreter(program)
        for function, observations in seen.runs.items():
            for one in observations:
                found += _compared(interpreter, program, form, function, one)
    return found
