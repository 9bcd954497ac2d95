"""Why there is an answer or none: what engines did, what stood in the way, and what to try next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from seahorn_py.base.errors import Span, Stage
from seahorn_py.ir.graph import (
    blocks_by_label,
    loop_heads,
    recursive_functions,
    strong_components,
    successors,
)
from seahorn_py.ir.operations import BinaryOp
from seahorn_py.ir.program import Block, Function, IntConst, Program
from seahorn_py.ir.statements import Binary, FloatOp, Load, RegionLoad, RegionStore, Statement
from seahorn_py.options import EngineName
from seahorn_py.processes.journal import Attempt
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.answers.reasons import with_what_matters

MOST_OBSTACLES = 6
MOST_ENGINES = 4
MOST_REASON = 200
"""The most characters that are shown of an engine's reason."""

_DIVISIONS = {BinaryOp.UDIV, BinaryOp.SDIV, BinaryOp.UREM, BinaryOp.SREM}


def explained(result: VerificationResult, program: Program) -> VerificationResult:
    """The result; if it is unknown, with short reasons and what stood in the way."""
    if result.answer is not Answer.UNKNOWN:
        return result
    return replace(with_what_matters(result), obstacles=obstacles(program))


def obstacles(program: Program) -> tuple[str, ...]:
    """Reads of volatile objects, then loops and recursive functions, with what makes them hard."""
    found = [*_volatile(program)]
    found += [
        f"recursive function {name} at {program.functions[name].origin}"
        for name in sorted(recursive_functions(program))
    ]
    for function in program.functions.values():
        found.extend(_loops(function))
    return tuple(dict.fromkeys(found))


def _volatile(program: Program) -> Iterator[str]:
    """A line about the first read of a volatile object, which a run and a proof see otherwise."""
    blocks = (block for function in program.functions.values() for block in function.blocks)
    reads = (s for b in blocks for s in b.statements if isinstance(s, Load) and s.volatile)
    first = next((read.origin for read in reads if read.origin.span is not None), None)
    if first is not None:
        yield f"volatile object read at {first.span}: --volatile any or stored says what it holds"


def _loops(function: Function) -> Iterator[str]:
    """One line for each outermost loop."""
    heads, blocks, after = loop_heads(function), blocks_by_label(function), successors(function)
    for component in strong_components(after, after.__getitem__):
        inside = [head for head in heads if head in component]
        if inside:
            body = [blocks[label] for label in component]
            traits = _traits(body, len(inside))
            yield f"loop at {_place(body)}{', with ' * bool(traits)}{', '.join(traits)}"


def _traits(blocks: Sequence[Block], heads: int) -> list[str]:
    statements = [s for block in blocks for s in block.statements]
    traits = {
        "loops inside": heads > 1,
        "products of variables": any(_is_nonlinear(s, {BinaryOp.MUL}) for s in statements),
        "divisions by variables": any(_is_nonlinear(s, _DIVISIONS) for s in statements),
        "floating point": any(isinstance(s, FloatOp) for s in statements),
        "contents of memory": any(isinstance(s, RegionLoad | RegionStore) for s in statements),
    }
    return [name for name, present in traits.items() if present]


def _is_nonlinear(statement: Statement, operations: set[BinaryOp]) -> bool:
    return (
        isinstance(statement, Binary)
        and statement.op in operations
        and not isinstance(statement.left, IntConst)
        and not isinstance(statement.right, IntConst)
    )


def _place(body: Iterable[Block]) -> Span | str:
    """The first C place in a loop."""
    origins = (part.origin for block in body for part in (*block.statements, block.terminator))
    spans = [origin.span for origin in origins if origin.span is not None and origin.span.line]
    return min(spans, key=lambda span: (span.file, span.line, span.column), default="?")


# ------------------------------------------------------------------------------------- in words


def in_one_line(attempts: Sequence[Attempt]) -> str:
    """What goes on now, in one line for a terminal, and whether a loop has no bound yet."""
    running = [f"{a.place} {a.engine} {a.seconds:.0f} s" for a in attempts if not a.outcome]
    beyond = next((a.outcome for a in attempts if "beyond" in a.outcome), "")
    return "; ".join([*running, *([f"no bound for a loop yet ({beyond})"] if beyond else [])])


def so_far(attempts: Sequence[Attempt]) -> Iterator[str]:
    """The lines to print when the work is interrupted."""
    for attempt in attempts:
        yield f"known: {_line(attempt)}"
    yield "unknown: interrupted"


def lines(result: VerificationResult, files: Sequence[str]) -> Iterator[str]:
    """The explanation of a result for these files."""
    yield from _attempts(result.attempts)
    for error in result.internal_errors:
        yield f"{error.stage}: {error}"
        yield from (f"    {line}" for line in error.traceback.splitlines())
    if result.answer is Answer.UNKNOWN:
        shown = result.obstacles[:MOST_OBSTACLES]
        yield from (f"in the way: {obstacle}" for obstacle in shown)
        if len(result.obstacles) > len(shown):
            yield f"in the way: {len(result.obstacles) - len(shown)} more"
        commands = dict.fromkeys(next_commands(result, files))
        yield from (f"try: sea-py {command}" for command in commands)


def in_short(result: VerificationResult, files: Sequence[str]) -> Iterator[str]:
    """At most three lines: the nearest obstacle, what was tried, and what to try."""
    if result.obstacles:
        more = len(result.obstacles) - 1
        rest = f" (and {more} more: --explain)" if more else ""
        yield f"in the way: {result.obstacles[0]}{rest}"
    engines = [*dict.fromkeys(attempt.engine for attempt in result.attempts)]
    if engines:
        until = max(attempt.began + attempt.seconds for attempt in result.attempts)
        rest = f" and {len(engines) - MOST_ENGINES} more" if len(engines) > MOST_ENGINES else ""
        yield f"tried: {', '.join(engines[:MOST_ENGINES])}{rest}, in {until:.1f} s"
    if result.stage is not Stage.FRONT_END:
        yield f"try: sea-py {next_commands(result, files)[1]}"


def _attempts(attempts: Iterable[Attempt]) -> Iterator[str]:
    """A line for each attempt; attempts of an engine that ended alike share a line."""
    alike: dict[tuple[str, str, str], list[Attempt]] = {}
    for attempt in attempts:
        alike.setdefault((attempt.place, attempt.engine, attempt.outcome), []).append(attempt)
    for group in alike.values():
        last = max(a.began + a.seconds for a in group)
        whole = replace(group[0], seconds=last - group[0].began)
        yield _line(whole, len(group))


def _line(attempt: Attempt, times: int = 1) -> str:
    until = attempt.began + attempt.seconds
    when = f"{attempt.began:.1f} to {until:.1f} s"
    when += f", {times} times" if times > 1 else ""
    return f"{attempt.place} {attempt.engine}, {when}: {attempt.outcome[:MOST_REASON] or 'running'}"


def next_commands(result: VerificationResult, files: Sequence[str]) -> tuple[str, str]:
    """Arguments of two commands that may find more: one for errors, and one for a proof."""
    names = " ".join(files)
    if result.reason.startswith(OF_TERMINATION):
        loop_by_loop = f"term --all-checks --bounds --timeout 300 {names}"
        return loop_by_loop, loop_by_loop
    tried = {attempt.engine for attempt in result.attempts}
    engine = next((e for e in _PROVERS if e.value not in tried), EngineName.SPACER)
    deeper = f"bpf --timeout 300 {names}"
    return deeper, f"pf --engine {engine.value} --timeout 300 {names}"


OF_TERMINATION = "ranks: "
"""Begins the reason why it is not known whether all runs end."""

_PROVERS = (EngineName.KINDUCTION, EngineName.LEMMAS, EngineName.CELLS)
