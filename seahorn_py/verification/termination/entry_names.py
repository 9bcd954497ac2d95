"""C names for values at the entry of a loop.

A name that is told must be right, though debug records may be lost with blocks that become empty.
So a value that the loop does not change has the name of a variable into which the native text
stores once (`frontend.llvmtext.stored`).  A value that the loop changes has the name of the only
variable with a debug record for it at the head.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.evidence.expressions.variables import Held, holders
from seahorn_py.frontend.llvmtext.stored import Named
from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.program import Bind, Function, IntConst, Operand, Register, Scope, Variable
from seahorn_py.passes.termination.loops import Loop, head_origin


class Names:
    """The names for one loop; `once` are the variables into which is stored once."""

    def __init__(self, function: Function, loop: Loop, once: frozenset[Named]) -> None:
        self._head, self._loop, self._once = blocks_by_label(function)[loop.head], loop, once
        self._held = holders(function).get(loop.head, {})
        self._origin = head_origin(self._head)
        records = [s for b in function.blocks for s in b.statements if isinstance(s, Bind)]
        self._variables = {record.variable for record in records}

    def entered(self, register: Register, signed: bool) -> Operand:
        """What a register of the head is at the entry of the loop.

        This is the one value that all edges into the loop bring, if it is a constant or has a name.
        Otherwise it is the register itself, which then stands for its value at the entry.
        """
        phi = next((phi for phi in self._head.phis if phi.result == register), None)
        if phi is None:
            return register
        values = {value for label, value in phi.incoming if label not in self._loop.body}
        (value, *others) = values
        is_simple = isinstance(value, IntConst) or bool(self.of(value, signed))
        return value if not others and is_simple else register

    def is_chosen(self, value: Operand) -> bool:
        """Whether the rounds of the loop may change it."""
        return any(phi.result == value for phi in self._head.phis)

    def of(self, value: Operand, signed: bool) -> str:
        """The variable that is equal to a value, read as signed or unsigned; "" if none is."""
        found = self._chosen(value) if self.is_chosen(value) else self._kept(value)
        names = {str(v) for v in found if v.signed is signed and not v.name.startswith("&")}
        return min(names, default="")

    def _chosen(self, value: Operand) -> Iterator[Variable]:
        """The variable for which the phi was made."""
        records = [s for s in self._head.statements if isinstance(s, Bind) and s.value == value]
        if len({record.variable for record in records}) == 1:
            yield records[0].variable

    def _kept(self, value: Operand) -> Iterator[Variable]:
        held = self._held.get(value, ()) if isinstance(value, Register) else ()
        for one in held:
            variable = one.variable
            if variable.scope is Scope.GLOBAL or (self._is_near(one) and self._is_sure(variable)):
                yield variable

    def _is_near(self, held: Held) -> bool:
        """Whether the variable belongs to the same inlined copy of a function as the loop."""
        span, place = held.variable.span, self._origin.span
        inside = span is not None and place is not None and span.function == place.function
        return inside and held.inlined_at == self._origin.chain[1:]

    def _is_sure(self, variable: Variable) -> bool:
        """Whether the variable has one value, and no other one of the function has its name."""
        span = variable.span
        if span is None or variable.path or (variable.name, span.line) not in self._once:
            return False
        alike = (v.span for v in self._variables if v.name == variable.name and v.span != span)
        return all(one is not None and one.function != span.function for one in alike)
