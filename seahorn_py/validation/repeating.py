"""A run of the edited program is repeated in the program as it is.

The code put into the edited program has no inputs, apart from objects of its own that are not
initialised.  So both programs read the same inputs in the same order.  If an object has no name in
the compiled program, nothing tells whether it belongs to that code; then both ways are tried.  A
run that is too long for the interpreter is repeated natively, if each input has a site of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.execution import NOT_WANTED, watches_memory
from seahorn_py.evidence.runs.subject import REPLAY_LIMITS
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.runtime import native as building
from seahorn_py.ir import interpreter
from seahorn_py.ir.graph import recursive_functions
from seahorn_py.ir.program import Program, Site, SiteKind
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits
from seahorn_py.options import VerifyOptions
from seahorn_py.processes import scratch
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

MAX_NAMELESS = 16
ENDLESS_LIMITS = RunLimits(seconds=1.0, steps=3_000_000)


@dataclass(frozen=True)
class Original:
    """The program as it is; without `native`, no executable of it is built or run."""

    lowered: Lowered
    source: Program
    bits: int
    native: bool

    @staticmethod
    def of(files: Sequence[Path], options: VerifyOptions, deadline: Deadline) -> Original:
        """Compile and read the files.  Raises SeaError for wrong input."""
        lowered, source = load(files, options, deadline)
        return Original(lowered, source, options.frontend.bits, options.native)


@dataclass
class Kept:
    """A change of the program to be verified, which keeps the changed program."""

    change: Callable[[Program], Program] | None = None
    program: Program | None = None

    def __call__(self, program: Program) -> Program:
        """Change the program and keep it."""
        self.program = program if self.change is None else self.change(program)
        return self.program

    @property
    def sites(self) -> tuple[Site, ...]:
        """The sites of the kept program."""
        return () if self.program is None else self.program.sites


class Differs(Exception):
    """The program reads other inputs than the edited one, or ends where that one goes on."""


def repeated(
    original: Original, sites: Sequence[Site], run: Outcome, deadline: Deadline
) -> tuple[Outcome, str]:
    """The run in the original program, and in words what made it: interpreter, native run or both.

    `sites` are the sites of the edited program, which made `run`.
    """
    limits = replace(REPLAY_LIMITS, seconds=max(deadline.remaining, REPLAY_LIMITS.seconds))
    outcome = _interpreted(original, sites, run, 0, limits)
    known = {site.number: site for site in sites}
    nameless = sum(_is_nameless(known[number]) for number, _ in run.reads)
    for skipped in range(1, min(nameless, MAX_NAMELESS) + 1):
        if outcome.ending is Ending.FAILED:
            break
        outcome = _interpreted(original, sites, run, skipped, limits)
    if outcome.ending is not Ending.FAILED or watches_memory(original.source):
        return outcome, "interpreter"
    natively = run_natively(original, original.lowered, outcome.feed, deadline)
    if natively.ending is Ending.REFUSED:
        return outcome, "interpreter"
    agrees = natively.ending is Ending.FAILED and natively.check == outcome.check
    return (outcome, "interpreter and native run") if agrees else (natively, "native run")


def goes_on(
    original: Original, sites: Sequence[Site], run: Outcome, deadline: Deadline
) -> Iterator[str]:
    """What followed a run that never ends: interpreter, native run.

    Raises Differs if the run ends before it has read all known inputs.  A native run of a program
    with recursion may end, since its stack is full then; the interpreter has no such stack.
    """
    inputs, recurses = _Inputs(sites, run, 0), bool(recursive_functions(original.source))
    outcome = interpreter.run(original.source, {}, ENDLESS_LIMITS, draw=inputs.draw)
    natively = run_natively(original, original.lowered, outcome.feed, deadline, ENDLESS_LIMITS)
    for how, one in ("interpreter", outcome), ("native run", natively):
        is_past = inputs.is_past or len(one.reads) > len(outcome.reads)
        is_out_of_stack = recurses and one is natively and one.ending is Ending.ENDED
        if one.ending is Ending.LIMIT:
            yield how
        elif not is_out_of_stack and one.ending is not Ending.REFUSED and not is_past:
            raise Differs(f"it is {one.ending.value} ({how})")


def repeated_natively(
    original: Original, sites: Sequence[Site], run: Outcome, deadline: Deadline
) -> Outcome | None:
    """The run in a native process alone; None if it does not fail, or if that would say nothing."""
    feed = _feed(original.source.sites, sites, run)
    if feed is None or watches_memory(original.source):
        return None
    outcome = run_natively(original, original.lowered, feed, deadline)
    return outcome if outcome.ending is Ending.FAILED else None


def run_natively(
    original: Original,
    lowered: Lowered,
    feed: Feed,
    deadline: Deadline,
    limits: RunLimits = REPLAY_LIMITS,
) -> Outcome:
    """One native run of `lowered`, the original or an edited form of it.

    Its ending is REFUSED if it could not be made.
    """
    if not original.native:
        return Outcome(Ending.REFUSED, reason=NOT_WANTED)
    with scratch.folder() as place:
        built = building.build(lowered.native, original.bits, place, deadline)
        if isinstance(built, building.Refusal):
            return Outcome(Ending.REFUSED, reason=built.reason)
        return native.run(built, feed, limits)


def _feed(here: Sequence[Site], sites: Sequence[Site], run: Outcome) -> Feed | None:
    """The inputs of the run for the sites `here`; None if it is open which site reads which."""
    known = {site.number: site for site in sites}
    numbers = {_key(site): site.number for site in here}
    counts = Counter(map(_key, here))
    found: dict[int, list[int]] = {}
    for number, value in run.reads:
        site = known[number]
        count = counts[_key(site)]
        is_own = count == 0 and site.kind is SiteKind.UNINIT
        if is_own or (_is_nameless(site) and value == 0):
            continue
        if count != 1 or _is_nameless(site):
            return None
        found.setdefault(numbers[_key(site)], []).append(value)
    return {number: tuple(values) for number, values in found.items()}


def _interpreted(
    original: Original, sites: Sequence[Site], run: Outcome, skipped: int, limits: RunLimits
) -> Outcome:
    """The run if the first `skipped` nameless objects belong to the edited program's own code."""
    return interpreter.run(original.source, {}, limits, draw=_Inputs(sites, run, skipped).draw)


class _Inputs:
    """The inputs of a run, given to another program; behind their end (`is_past`) there are 0."""

    def __init__(self, sites: Sequence[Site], run: Outcome, skipped: int) -> None:
        known = {site.number: site for site in sites}
        reads = [(known[number], value) for number, value in run.reads]
        self._open = iter(_without_nameless(reads, skipped))
        self.is_past = False

    def draw(self, site: Site) -> int:
        """The next value.  Raises Differs if the edited program reads something else here."""
        if not site.native:
            return 0
        for given, value in self._open:
            if _is_same(given, site):
                return value
            if given.native and given.kind is not SiteKind.UNINIT:
                raise Differs(f"it reads {site.name} where the other reads {given.name}")
        self.is_past = True
        return 0


def _without_nameless(
    reads: Iterable[tuple[Site, int]], skipped: int
) -> Iterator[tuple[Site, int]]:
    for site, value in reads:
        if skipped and _is_nameless(site):
            skipped -= 1
        else:
            yield site, value


def _is_nameless(site: Site) -> bool:
    return site.kind is SiteKind.UNINIT and not site.name and site.origin.span is None


def _is_same(given: Site, site: Site) -> bool:
    return _key(given) == _key(site)


def _key(site: Site) -> tuple[str, SiteKind, Span | None]:
    return site.name, site.kind, site.origin.span
