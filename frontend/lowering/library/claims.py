"""What models of the C library claim of their own runs: how far they follow the real function.

All rest on a bit that every run reads as 0, as the result of an undefined shift: no error stands
that needs it to be 1, and a proof holds for both.
"""

from __future__ import annotations

from collections.abc import Iterable

from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lowered import RawCheck
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import Property

POINTER = "a call through a pointer"
"""In the place of the name of a function: what runs call is one of the functions that are tried."""

_WHY = {
    "signal": "handlers of signals may run at any time",
    POINTER: f"{POINTER} may lead to no function of its type whose address the program takes",
}
_UNTRUSTED = (SiteKind.EXTERN, "shl", "", None)
_NO_ROOM = "() is called more often than its model can follow"
_CHOSEN = "() does here is the choice of each library"


def room(inputs: Inputs, condition: str, of: str, debug: str, asked: Property) -> list[str]:
    """The model of a function has room, else the answer is unknown: a check that no run fails."""
    return unproved(inputs, condition, _WHY.get(of, f"{of}{_NO_ROOM}"), debug, asked)


def chosen(inputs: Inputs, of: str, debug: str, asked: Property) -> list[str]:
    """What the function does is the library's choice: no proof stands, and no error."""
    text = f"what {of}{_CHOSEN}"
    return [*unproved(inputs, "false", text, debug, asked), *unfollowed(inputs, debug)]


def is_asked(checks: Iterable[RawCheck]) -> bool:
    """Whether one of the checks is an error that the program itself asks about."""
    errors = (check for check in checks if check.property == Property.UNREACH_CALL.value)
    return any(not check.text.endswith((_NO_ROOM, _CHOSEN, *_WHY.values())) for check in errors)


def unproved(inputs: Inputs, condition: str, text: str, debug: str, asked: Property) -> list[str]:
    """A check of the condition that no run fails: it makes the answer unknown."""
    free, bound, bit = (inputs.name() for _ in range(3))
    return [
        *inputs.value(free, "i1", _UNTRUSTED, debug),
        f"  {bound} = xor i1 {free}, true{debug}",
        f"  {bit} = or i1 {condition}, {bound}{debug}",
        *inputs.check(bit, text, debug, asked),
    ]


def unfollowed(inputs: Inputs, debug: str) -> list[str]:
    """From here on the function may do anything: proofs look at it, runs end here."""
    goes_on = inputs.name()
    lines = inputs.value(goes_on, "i1", _UNTRUSTED, debug)
    return [*lines, f"  call void @sea.assume(i1 {goes_on}){debug}"]
