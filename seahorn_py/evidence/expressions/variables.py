"""Which C variables have a register's value for certain just after the phis of a block.

A forward analysis of debug records over all paths: at the end of every predecessor the variable has
the value that the block, or the phi in it, takes over.  A record at the start of the block may say
that a variable has the value of a phi.  Where that is an assignment still to come in the C text
(`while (1) { y = x; ...`), the variable that the phi was made for has such a record, too.  So the
record counts, whatever the predecessors say, if no other variable has one for the same phi.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import blocks_by_label, predecessors, reverse_postorder
from seahorn_py.ir.program import (
    Bind,
    Block,
    Call,
    Function,
    Operand,
    Phi,
    Register,
    Return,
    Scope,
    Variable,
)

_MAX_ROUNDS = 1_000


@dataclass(frozen=True, slots=True)
class Held:
    """A C variable of one inlined copy of its function; of a global there is one."""

    variable: Variable
    inlined_at: tuple[Span, ...]

    @staticmethod
    def of(record: Bind) -> Held:
        """The variable that a debug record is about."""
        is_global = record.variable.scope is Scope.GLOBAL
        return Held(record.variable, () if is_global else record.origin.chain[1:])


_Facts = dict[Held, frozenset[Operand]]
"""A variable and what it is equal to."""


def holders(function: Function) -> Mapping[str, Mapping[Register, tuple[Held, ...]]]:
    """Label -> register -> the variables that are equal to it just after the phis of the block."""
    found: dict[str, dict[Register, tuple[Held, ...]]] = {}
    for label, facts in (_analyse(function) or {}).items():
        here = found[label] = {}
        for held, values in facts.items():
            for value in values:
                if isinstance(value, Register):
                    here[value] = (*here.get(value, ()), held)
    return found


def globals_at_entry(function: Function) -> Mapping[Register, Variable]:
    """The parameters that globals are equal to when the function is entered."""
    records = takewhile(lambda s: isinstance(s, Bind), function.entry.statements)
    return {
        record.value: record.variable
        for record in records
        if isinstance(record, Bind)
        and record.value in function.parameters
        and record.variable.scope is Scope.GLOBAL
    }


@dataclass(frozen=True)
class AtExit:
    """What globals are equal to whenever a function returns.

    `results` has the global that is equal to a result, by the number of the result; `unchanged`
    those parameters that are equal to globals at the entry and then still are.
    """

    results: Mapping[int, Variable]
    unchanged: frozenset[Register]


def globals_at_exit(function: Function) -> AtExit:
    """What is known where a function returns; nothing if it never does."""
    returns = list(_at_returns(function))
    if not returns:
        return AtExit({}, frozenset())
    unchanged = [
        register
        for register, variable in globals_at_entry(function).items()
        if all(register in facts.get(Held(variable, ()), _NOTHING) for _, facts in returns)
    ]
    results: dict[int, Variable] = {}
    for number in range(len(function.results)):
        equal = [
            held.variable
            for held in returns[0][1]
            if held.variable.scope is Scope.GLOBAL
            and all(end.values[number] in facts.get(held, _NOTHING) for end, facts in returns)
        ]
        # of globals that are equal each result gets its own, if there are enough
        own = [variable for variable in equal if variable not in results.values()] or equal
        if own:
            results[number] = own[0]
    return AtExit(results, frozenset(unchanged))


def _at_returns(function: Function) -> Iterator[tuple[Return, _Facts]]:
    blocks = blocks_by_label(function)
    for label, facts in (_analyse(function) or {}).items():
        end = blocks[label].terminator
        if isinstance(end, Return):
            yield end, _through(blocks[label], facts)


def _analyse(function: Function) -> Mapping[str, _Facts] | None:
    """The facts after the phis of each block; None if there is no fixpoint in time."""
    blocks, before = blocks_by_label(function), predecessors(function)
    order = reverse_postorder(function)
    at_start: dict[str, _Facts] = {}
    at_end: dict[str, _Facts] = {}
    for _ in range(_MAX_ROUNDS):
        changed = False
        for label in order:
            known = {p: at_end[p] for p in before[label] if p in at_end}
            at_start[label] = _joined(blocks[label], known)
            after = _through(blocks[label], at_start[label])
            if at_end.get(label) != after:
                at_end[label], changed = after, True
        if not changed:
            return at_start
    return None


def _joined(block: Block, known: Mapping[str, _Facts]) -> _Facts:
    """What holds on every edge that has been seen; phis take over what is equal on all edges.

    What a register of the block itself was equal to is of the last visit, so it is dropped.
    """
    edges = list(known.values())
    if not edges:
        return {}
    own = _results(block)
    facts: _Facts = {}
    for held, values in edges[0].items():
        common = values.intersection(*(there.get(held, _NOTHING) for there in edges[1:])) - own
        taken = {p.result for p in block.phis if _takes_over(p, held, known)}
        if common or taken:
            facts[held] = common | taken
    return facts | _made_for(block)


def _made_for(block: Block) -> _Facts:
    """The variables that alone have the value of a phi by the records at the start of its block."""
    bound: dict[Operand, set[Held]] = {}
    for record in takewhile(lambda s: isinstance(s, Bind), block.statements):
        if isinstance(record, Bind) and record.value is not None:
            held = Held.of(record)
            bound.setdefault(record.value, set()).add(held)
    own = (phi.result for phi in block.phis)
    single = ((result, bound.get(result, set())) for result in own)
    return {next(iter(h)): frozenset({result}) for result, h in single if len(h) == 1}


_NOTHING: frozenset[Operand] = frozenset()


def _results(block: Block) -> frozenset[Operand]:
    found: set[Operand] = {phi.result for phi in block.phis}
    for statement in block.statements:
        if isinstance(statement, Call):
            found.update(statement.results)
        elif hasattr(statement, "result"):
            found.add(statement.result)
    return frozenset(found)


def _takes_over(phi: Phi, held: Held, known: Mapping[str, _Facts]) -> bool:
    """On each edge the variable is equal to what the phi takes from there."""
    return all(
        value in known[label].get(held, _NOTHING) for label, value in phi.incoming if label in known
    )


def _through(block: Block, facts: _Facts) -> _Facts:
    """The facts at the end of a block."""
    after = dict(facts)
    for record in block.statements:
        if isinstance(record, Bind):
            bound = Held.of(record)
            for other in [h for h in after if _overlap(h, bound)]:
                del after[other]
            if record.value is not None:
                after[bound] = frozenset({record.value})
    return after


def _overlap(one: Held, other: Held) -> bool:
    """Both are parts of one object, and one lies in the other."""
    a, b = one.variable, other.variable
    if (a.name, a.span, one.inlined_at) != (b.name, b.span, other.inlined_at):
        return False
    return a.path.startswith(b.path) or b.path.startswith(a.path)
