"""What the primitives of threads mean in a program that makes no thread."""

from __future__ import annotations

from seahorn_py.frontend.llvmtext.lines import argument, read_call
from seahorn_py.frontend.lowering.events import primitives


def alone(text: str) -> str:
    """The text of a module without primitives: who waits for another thread waits for ever."""
    return "\n".join(_meant(line) for line in text.split("\n"))


def _meant(line: str) -> str:
    call = read_call(line) if " call " in line and "@__" in line else None
    if call is None or call.callee not in primitives.PRIMITIVES:
        return line
    match call.callee:
        case primitives.WAIT:
            return f"  call void @sea.assume(i1 {argument(call.arguments[0])[1]}){call.debug}"
        case primitives.SELF:
            return f"  {call.result} = add i32 0, 0{call.debug}"
        case primitives.ENDED:
            return f"  {call.result} = or i1 false, false{call.debug}"
        case _:
            return ""
