"""Where a run can no longer fail, it may as well end.

A block from which no failing check can be reached, neither in this function, nor in one it calls,
nor after it returns, becomes `Stop(END)`.  The first half of slicing (`passes.slicing`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import call_graph, calls, predecessors, reached
from seahorn_py.ir.program import Block, Call, Fail, Function, Program, Return, Stop, StopKind
from seahorn_py.ir.traverse import targets
from seahorn_py.passes.simplify.blocks import drop_unreachable


def end_where_nothing_fails(program: Program) -> Program:
    """Replace every block from which the run cannot fail any more by the end of the run."""
    failing = failing_functions(program)
    reach = {name: _reach(f, failing) for name, f in program.functions.items()}
    watched = _watched_returns(program, failing, reach)
    functions = {
        name: _ended(function, reach[name], name in watched)
        for name, function in program.functions.items()
    }
    return replace(program, functions=functions)


def failing_functions(program: Program) -> frozenset[str]:
    """Functions that contain a failing block or call one that does."""
    graph = call_graph(program)
    callers: dict[str, list[str]] = {name: [] for name in graph}
    for caller, callees in graph.items():
        for callee in callees:
            callers[callee].append(caller)
    fail = [
        name
        for name, function in program.functions.items()
        if any(isinstance(block.terminator, Fail) for block in function.blocks)
    ]
    return reached(fail, callers)


@dataclass(frozen=True)
class _Reach:
    """Labels from which a failure inside the activation, or its return, can be reached."""

    failure: frozenset[str]
    return_: frozenset[str]


def _reach(function: Function, failing: frozenset[str]) -> _Reach:
    fails = [
        block.label
        for block in function.blocks
        if isinstance(block.terminator, Fail) or any(_fails(block, 0, failing))
    ]
    returns = [b.label for b in function.blocks if isinstance(b.terminator, Return)]
    before = predecessors(function)
    return _Reach(reached(fails, before), reached(returns, before))


def _fails(block: Block, start: int, failing: frozenset[str]) -> Iterator[bool]:
    """For each call from statement `start` on: it may fail."""
    for statement in block.statements[start:]:
        if isinstance(statement, Call):
            yield statement.callee in failing or not isinstance(statement.callee, str)


def _watched_returns(
    program: Program, failing: frozenset[str], reach: Mapping[str, _Reach]
) -> frozenset[str]:
    """Functions after whose return the run may still fail."""
    watched: set[str] = set()
    passed_on: dict[str, set[str]] = {name: set() for name in program.functions}
    for name, function in program.functions.items():
        for block in function.blocks:
            for callee, fails, returns in _after_calls(block, failing, reach[name]):
                if callee in passed_on and fails:
                    watched.add(callee)
                elif callee in passed_on and returns:
                    passed_on[name].add(callee)
    if any(not isinstance(c.callee, str) for f in program.functions.values() for c in calls(f)):
        return frozenset(program.functions)
    pending = list(watched)
    while pending:
        for callee in passed_on[pending.pop()]:
            if callee not in watched:
                watched.add(callee)
                pending.append(callee)
    return frozenset(watched)


def _after_calls(
    block: Block, failing: frozenset[str], reach: _Reach
) -> Iterator[tuple[str, bool, bool]]:
    """Each call by name in the block: after it, this activation may fail; it may return."""
    following = targets(block.terminator)
    later = isinstance(block.terminator, Fail) or any(t in reach.failure for t in following)
    returns = block.label in reach.return_
    for statement in reversed(block.statements):
        if isinstance(statement, Call):
            if isinstance(statement.callee, str):
                yield statement.callee, later, returns
            later = later or statement.callee in failing


def _ended(function: Function, reach: _Reach, watched: bool) -> Function:
    relevant = reach.failure | (reach.return_ if watched else frozenset())
    blocks = tuple(
        block if block.label in relevant else Block(block.label, (), (), _stop(block))
        for block in function.blocks
    )
    return drop_unreachable(replace(function, blocks=blocks))


def _stop(block: Block) -> Stop:
    """How a run ends at a block after which nothing matters."""
    return block.terminator if isinstance(block.terminator, Stop) else Stop(StopKind.END)
