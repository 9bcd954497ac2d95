"""Calls through pointers: which functions they may enter, and what other calls do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seahorn_py.ir.graph import accepts
from seahorn_py.ir.program import (
    FALSE,
    SAME_OBJECT,
    Address,
    Call,
    Fail,
    Function,
    Operand,
    Predicate,
    Register,
    Stop,
    StopKind,
    Terminator,
)
from seahorn_py.passes.environment import ALLOCATION, trusted
from seahorn_py.passes.pointsto.devirtualise import CALLED, TYPES
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.expectations import Expectations
from seahorn_py.passes.unfolding.code.values import Pointer, Unfit, Value
from seahorn_py.passes.unfolding.memory.accessing import Memory
from seahorn_py.passes.unfolding.state.beginnings import Body
from seahorn_py.passes.unfolding.state.state import State
from seahorn_py.passes.unfolding.stepping import Statements


class Calls:
    """Calls through pointers in the run that is followed.

    `assumed`: what the ledger says of those that were met.
    """

    def __init__(
        self,
        code: Code,
        statements: Statements,
        memory: Memory,
        bodies: Mapping[str, Body],
        expectations: Expectations,
        shared: Sequence[Address],
    ) -> None:
        self._code = code
        self._statements = statements
        self._memory = memory
        self._bodies = bodies
        self._expectations = expectations
        self._shared = shared
        self.assumed: dict[str, None] = {}

    def is_followed(self, call: Call) -> bool:
        """Whether the call enters a function, or leaves the program."""
        has_body = call.callee in self._bodies and call.callee != SAME_OBJECT
        return isinstance(call.callee, Register) or has_body

    def targets(self, callee: Value) -> Sequence[tuple[Operand, Value]]:
        """The addresses that a pointer may have, each with its condition; the last one otherwise.

        A number may be the address of any function that was compared with numbers before.
        """
        found: list[tuple[Operand, Value]] = []
        for condition, target in self._memory.alternatives(callee):
            if isinstance(target, Register):
                for name in self._compared():
                    address = Address(name)
                    same = self._statements.compared(Predicate.EQ, address, target)
                    found.append((self._code.both(condition, same), address))
            found.append((condition, target))
        return [one for one in found if one[0] != FALSE]

    def _compared(self) -> Sequence[str]:
        return [name for name in self._bodies if name in self._code.numbered]

    def function(self, target: Value, call: Call) -> Function | None:
        """The function of the program that is entered."""
        match target:
            case Address(str() as name, 0) if name in self._bodies:
                function = self._bodies[name].function
                return function if accepts(function, call) else None
            case _:
                return None

    def ending(self, target: Value, call: Call) -> Terminator | None:
        """How a call ends the run that enters no function of the program; None if it does not."""
        match target:
            case Address(str() as name, 0) if name in self._bodies:
                self.assumed[TYPES] = None
            case Address(str() as name, 0) if name not in ALLOCATION:
                self.assumed[trusted(name)] = None
                return None
            case Address() | Pointer():
                self.assumed[CALLED] = None
            case Register() if self._compared():
                return Fail(self._expectations.impossible(call.origin), call.origin)
            case _:
                raise Unfit("a function from outside is called")
        return Stop(StopKind.END, call.origin)

    def outside(self, state: State, call: Call) -> dict[str, Value]:
        """The registers behind a call of a function without a body."""
        for argument in (*call.arguments, *self._shared):
            self._memory.give_away(self._statements.value(argument))
        results = {r.name: self._memory.arbitrary(r.type) for r in call.results}
        return {**state.frame.registers, **results}
