"""Unfolding: a program all of whose runs are bounded becomes one without loops, calls and memory.

This is symbolic execution that joins states where control flow joins, as in CBMC (Clarke, Kroening,
Lerda: "A tool for checking ANSI-C programs", TACAS 2004); its result is a program.  Every copy of a
block is written once, after all copies that lead to it (`order`).  What does not depend on inputs
is computed; what does becomes statements of the new program.  Memory is followed object by object,
so that a pointer is an object and an offset.  Intervals of the new program's registers end loops
whose bound is an input.

The new program is equivalent: a run reads the same inputs, by site and visit, and ends in the same
way.  Unfolding is all or nothing.

Limitations, the most common first; `Unfit` says which was met:

1. A loop or recursion must end within `Bounds`, as intervals show.
2. A number that was computed of an address, other than by moving it, is no address again.
3. Pointers from outside of the program are accessed only as if they led to no object of it.
4. Objects accessed at unknown offsets have logs, whose length is limited.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import replace

from seahorn_py.ir.program import (
    ENDLESS,
    FALSE,
    NO_REUSE,
    TRUE,
    Branch,
    Call,
    Fail,
    Function,
    IntConst,
    Jump,
    Load,
    Offset,
    Operand,
    Program,
    Return,
    Select,
    Stop,
    StopKind,
    Terminator,
)
from seahorn_py.passes.environment import shared_globals
from seahorn_py.passes.meeting import literals
from seahorn_py.passes.promotion.cells import FOREIGN, VALID
from seahorn_py.passes.unfolding.bounds import Bounds, Oracle
from seahorn_py.passes.unfolding.calling import Calls
from seahorn_py.passes.unfolding.code.code import Code, Facts
from seahorn_py.passes.unfolding.code.drafts import Draft, Into
from seahorn_py.passes.unfolding.code.expectations import Expectations
from seahorn_py.passes.unfolding.code.sites import Sites
from seahorn_py.passes.unfolding.code.values import Failed, Invalid, Unfit, Value
from seahorn_py.passes.unfolding.joining import apart
from seahorn_py.passes.unfolding.joining.joining import Edge, Joining
from seahorn_py.passes.unfolding.memory.accessing import Memory
from seahorn_py.passes.unfolding.memory.slots import Slots
from seahorn_py.passes.unfolding.memory.validity import Validities
from seahorn_py.passes.unfolding.state.beginnings import Body, place_globals
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.order import Key
from seahorn_py.passes.unfolding.state.state import Frame, State
from seahorn_py.passes.unfolding.state.ways import learned
from seahorn_py.passes.unfolding.stepping import Statements


def unfold(
    program: Program,
    bounds: Bounds | None = None,
    is_late: Callable[[], bool] = lambda: False,
    oracle: Oracle | None = None,
    joins: dict[str, Facts] | None = None,
) -> Program:
    """The unfolded program.  Raises Unfit if it cannot be made, or as soon as it `is_late`.

    Calls of the program go to its functions or ask for memory (`passes.environment`).  A branch
    that the oracle rules out is not followed: it becomes a check that no run takes it.  `joins` is
    given the ranges that are known where many states were joined, by the label of the block.
    """
    unfolding = _Unfolding(program, bounds or Bounds(), is_late, oracle)
    return unfolding.run({} if joins is None else joins)


class _Unfolding:
    def __init__(
        self,
        program: Program,
        bounds: Bounds,
        is_late: Callable[[], bool],
        oracle: Oracle | None,
    ) -> None:
        self._program = program
        self._oracle = oracle
        self._expectations = Expectations(program)
        self._bounds = bounds
        self._is_late = is_late
        self._bodies = {name: Body(function) for name, function in program.functions.items()}
        self._sites = Sites(program)
        new, width = self._sites.arbitrary, program.pointer_width
        self._code = Code(width, bounds.written, new, hoists=bounds.apart > 1)
        self._run = Run(State(Frame("", (), (), {}, "", ()), {}, {}, {}), literals(program))
        self._run.frees_unseen = NO_REUSE in program.assumptions
        self._slots = Slots(self._code, self._run, new)
        named = place_globals(program, self._run)
        self._memory = memory = Memory(self._code, self._run, self._slots)
        validities = Validities(self._code, self._run, self._expectations, oracle)
        entries = {name: body.function.entry.label for name, body in self._bodies.items()}
        self._statements = Statements(self._code, self._run, memory, validities, named, entries)
        shared, known = shared_globals(program), self._expectations
        self._calls = Calls(self._code, self._statements, memory, self._bodies, known, shared)
        self._waiting: list[Key] = []
        self._edges: dict[Key, list[Edge]] = {}
        self._rounds: dict[Key, int] = {}
        self._other, self._left = self._code.draft, bounds.executed
        self._numbers = {name: number for number, name in enumerate(self._bodies)}

    # --------------------------------------------------------------------------------- the whole

    def run(self, joins: dict[str, Facts]) -> Program:
        """The unfolded program; what is known at joins is noted."""
        self._enter(self._run.state, (0,), self._program.entry, {})
        while self._waiting:
            key = heapq.heappop(self._waiting)
            edges = self._edges.pop(key)
            most = self._bounds.apart
            for together in apart.groups(edges, most) if most > 1 else (edges,):
                self._follow(self._joined(together), key)
        joins.update(self._code.joins)
        blocks = tuple(draft.block() for draft in self._code.drafts)
        entry = self._program.functions[self._program.entry]
        function = Function(entry.name, (), entry.results, blocks, entry.origin)
        program = self._program
        assumed = [*self._calls.assumed]
        assumed += [VALID, FOREIGN] if self._run.is_outside else []
        return replace(
            program,
            functions={entry.name: function},
            globals={},
            sites=self._sites.all,
            checks=(*program.checks, *self._expectations.sites),
            assumptions=tuple(dict.fromkeys((*program.assumptions, *assumed))),
            gaps=tuple(gap for gap in program.gaps if gap != ENDLESS),
        )

    # ------------------------------------------------------------------------------------- places

    def _push(self, key: Key, edge: Edge) -> None:
        edges = self._edges.get(key)
        if edges is None:
            self._edges[key] = [edge]
            heapq.heappush(self._waiting, key)
        else:
            edges.append(edge)

    def _enter(self, state: State, at: Key, name: str, registers: dict[str, Value]) -> None:
        """Begin an activation of a function, which is called at the place with key `at`."""
        body = self._bodies[name]
        label = body.function.entry.label
        iterations = body.order.first(label)
        caller = state.frame if state.frame.function else None
        depth = state.frame.depth + 1
        if depth > self._bounds.depth:
            raise Unfit(f"more than {self._bounds.depth} activations")
        prefix, back = (*at, self._numbers[name]), (*at[:-1], at[-1] + 1)
        state.frame = Frame(
            name, prefix, back, registers, label, iterations, caller=caller, depth=depth
        )
        self._push((*prefix, *body.order.key(label, iterations)), (self._code.draft, state))

    def _joined(self, edges: list[Edge]) -> State:
        code = self._code
        if len(edges) == 1:
            draft, state = edges[0]
            code.draft = draft
        else:
            code.draft = code.begun(*(Into(draft) for draft, _ in edges))
            state = Joining(code, self._run.objects, edges, self._slots.arbitrary).run()
            for draft, _ in edges:
                draft.terminator = Jump(code.draft.label)
        code.facts = state.facts
        self._run.state = state
        return state

    # --------------------------------------------------------------------------------- one block

    def _follow(self, state: State, key: Key) -> None:
        """Execute a block from where the state stands up to a call or the end of the block."""
        frame = state.frame
        block = self._bodies[frame.function].blocks[frame.label]
        self._spend(len(block.statements) + 1)
        try:
            for position in range(frame.position, len(block.statements)):
                statement = block.statements[position]
                if isinstance(statement, Call) and self._calls.is_followed(statement):
                    self._call(state, statement, position, key)
                    return
                self._statements.execute(statement)
                if isinstance(statement, Load | Select | Offset) and self._fork(
                    state, statement, position, key
                ):
                    return
        except Unfit as reason:
            self._give_up(reason)
            return
        except Invalid:
            self._code.draft.terminator = Stop(StopKind.END, self._code.origin)
            return
        except Failed:
            self._code.draft.terminator = Fail(self._expectations.valid(), self._code.origin)
            return
        self._leave(state, block.terminator)

    def _spend(self, statements: int) -> None:
        if self._is_late():
            raise Unfit("time limit")
        self._left -= statements
        if self._left < 0:
            raise Unfit(f"more than {self._bounds.executed} statements are executed")

    def _give_up(self, reason: Unfit) -> None:
        """Raise the reason with its place, unless no run comes here."""
        origin = self._code.origin
        if self._possible(TRUE):
            where = f" at {origin}" if str(origin) else ""
            raise Unfit(f"{reason}{where}") from reason
        self._code.draft.terminator = Fail(self._expectations.impossible(origin), origin)

    def _fork(self, state: State, made: Load | Select | Offset, position: int, key: Key) -> bool:
        """Follow each position of a pointer that was made on its own, if these are few."""
        name, code, most = made.result.name, self._code, self._bounds.apart
        if most < 2 or (found := apart.positions(code, self._memory, state, name, most)) is None:
            return False
        base = key[:-1] if state.frame.position else key
        state.frame = replace(state.frame, position=position + 1)
        for condition, pointer in found:
            facts = learned(code, condition, True)
            is_last = condition is found[-1][0]
            here = state if is_last else self._apart(state, condition, made)
            here.facts.update(facts or {})
            here.frame.registers[name] = pointer
            self._push((*base, 2 * position + 2), (code.draft, here))
            if not is_last:
                code.draft, code.facts, self._run.state = self._other, state.facts, state
        return True

    def _call(self, state: State, call: Call, position: int, key: Key) -> None:
        """Enter the called function; if a pointer may lead to several, each of them."""
        base = key[:-1] if state.frame.position else key
        at = (*base, 2 * position + 1)
        state.frame = replace(state.frame, position=position + 1)
        if isinstance(call.callee, str):
            self._enter_by(state, call, at, self._bodies[call.callee].function)
            return
        code, calls = self._code, self._calls
        found = calls.targets(self._statements.value(call.callee))
        for number, (condition, target) in enumerate(found, 1):
            if condition == FALSE:
                continue
            is_last = condition == TRUE or number == len(found)
            here = state if is_last else self._apart(state, condition, call)
            if (function := calls.function(target, call)) is not None:
                self._enter_by(here, call, at, function)
            elif (ending := calls.ending(target, call)) is not None:
                code.draft.terminator = ending
            else:
                here.frame = replace(here.frame, registers=calls.outside(here, call))
                self._push((*at[:-1], at[-1] + 1), (code.draft, here))
            if is_last:
                return
            code.draft, code.facts, self._run.state = self._other, state.facts, state

    def _apart(self, state: State, condition: Operand, at: Call | Load | Select | Offset) -> State:
        """A new state for runs in which the condition holds; `state` is left for the others."""
        code = self._code
        first, self._other = code.split(condition, at.origin)
        here = state.forked()
        code.draft, code.facts, self._run.state = first, here.facts, here
        return here

    def _enter_by(self, state: State, call: Call, at: Key, function: Function) -> None:
        given = [self._statements.value(argument) for argument in call.arguments]
        if len(given) < len(function.parameters):
            raise Unfit("a call with too few arguments")
        registers = {p.name: v for p, v in zip(function.parameters, given, strict=False)}
        self._enter(state, at, function.name, registers)

    def _leave(self, state: State, terminator: Terminator) -> None:
        match terminator:
            case Jump(target=target):
                self._go(state, self._code.draft, target)
            case Branch():
                self._branch(state, terminator)
            case Return():
                self._return(state, terminator)
            case Stop() | Fail():
                self._code.draft.terminator = terminator

    def _return(self, state: State, terminator: Return) -> None:
        values = [self._statements.value(value) for value in terminator.values]
        frame = state.frame
        for number in frame.objects:
            state.live[number] = FALSE
            state.memory.pop(number, None)
        caller = frame.caller
        if caller is None:
            results = [self._statements.number(value) for value in terminator.values]
            self._code.draft.terminator = Return(tuple(results), terminator.origin)
            return
        body = self._bodies[caller.function]
        call = body.blocks[caller.label].statements[caller.position - 1]
        assert isinstance(call, Call)
        registers = dict(caller.registers)
        registers.update((r.name, v) for r, v in zip(call.results, values, strict=False))
        state.frame = replace(caller, registers=registers)
        self._push(frame.back, (self._code.draft, state))

    def _branch(self, state: State, branch: Branch) -> None:
        code = self._code
        condition = self._statements.number(branch.condition)
        if isinstance(condition, IntConst):
            self._go(state, code.draft, branch.then if condition == TRUE else branch.otherwise)
            return
        sides = []
        for truth, target in ((True, branch.then), (False, branch.otherwise)):
            facts = learned(code, condition, truth)
            if facts is not None:
                sides.append((target, facts))
        if len(sides) == 2:
            self._part(state, branch, condition, sides)
            return
        for target, facts in sides:
            state.facts.update(facts)
            self._go(state, code.draft, target)
        if not sides:
            code.draft.terminator = Stop(StopKind.BLOCKED, branch.origin)

    def _part(
        self, state: State, branch: Branch, condition: Operand, sides: Sequence[tuple[str, Facts]]
    ) -> None:
        """Follow both sides of a branch; a side that the oracle rules out becomes a check."""
        code = self._code
        possible = [self._possible(condition), self._possible(code.negated(condition))]
        if all(possible):
            self._count(state, branch)
        drafts = code.split(condition, branch.origin)
        states = state, state.forked()
        for draft, here, (target, facts), goes_on in zip(
            drafts, states, sides, possible, strict=True
        ):
            here.facts = {**here.facts, **facts}
            if goes_on:
                self._go(here, draft, target)
            else:
                draft.terminator = Fail(self._expectations.impossible(branch.origin))

    def _possible(self, condition: Operand) -> bool:
        return self._oracle is None or self._oracle.possible(self._code, condition)

    def _count(self, state: State, branch: Branch) -> None:
        """Count a round of a loop that may go on and may end; Unfit if these are too many."""
        order = self._bodies[state.frame.function].order
        label = state.frame.label
        leaves = [order.leaves_loop(label, t) for t in (branch.then, branch.otherwise)]
        if leaves[0] == leaves[1]:
            return
        around = len(order.heads[label])
        loop = (*state.frame.prefix, *order.key(label, state.frame.iterations)[: 2 * around - 1])
        self._rounds[loop] = self._rounds.get(loop, 0) + 1
        if self._rounds[loop] > self._bounds.rounds * self._bounds.apart:
            where = f" at {branch.origin}" if str(branch.origin) else ""
            raise Unfit(f"a loop{where} goes on for more than {self._bounds.rounds} rounds")

    def _go(self, state: State, draft: Draft, target: str) -> None:
        """Follow an edge: take the values of phis, and keep registers that are needed later."""
        code = self._code
        before = code.draft, code.facts, self._run.state
        code.draft, code.facts, self._run.state = draft, state.facts, state
        frame = state.frame
        body = self._bodies[frame.function]
        block = body.blocks[target]
        values = {
            phi.result.name: self._statements.value(dict(phi.incoming)[frame.label])
            for phi in block.phis
        }
        live = body.live[target]
        registers = {n: v for n, v in frame.registers.items() if n in live} | values
        iterations = body.order.after(frame.label, frame.iterations, target)
        state.frame = replace(
            frame, registers=registers, label=target, iterations=iterations, position=0
        )
        self._push((*frame.prefix, *body.order.key(target, iterations)), (draft, state))
        code.draft, code.facts, self._run.state = before
