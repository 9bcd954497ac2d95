"""Calls of the functions of the heap have the arguments that the C library's have.

`char *malloc();` lets old C call `malloc()`.  What the library does then is not known, and every
later stage relies on the number and the kinds of the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call
from seahorn_py.frontend.llvmtext.module import ModuleText

_NUMBER = r"i\d+"
_PARAMETERS = {
    "malloc": (_NUMBER,),
    "calloc": (_NUMBER, _NUMBER),
    "realloc": ("ptr", _NUMBER),
    "aligned_alloc": (_NUMBER, _NUMBER),
    "alloca": (_NUMBER,),
    "free": ("ptr",),
}
_NAMED = pattern(rf" call .*@(?:{'|'.join(_PARAMETERS)})\(")


def check_allocation(module: ModuleText) -> None:
    """UnsupportedError at the first such call that is made in another way."""
    for call in _calls(module):
        given = [argument(text)[0] for text in call.arguments]
        if not _fits(call, given):
            shown = ", ".join(given)
            message = f"{call.callee}({shown}) is not how the C library is called"
            raise DebugText(module.metadata).refusal(message, call.debug)


def _calls(module: ModuleText) -> Iterator[CallText]:
    """Calls of the library's functions: not of those that the program defines."""
    if module.declarations.keys().isdisjoint(_PARAMETERS):
        return
    for function in module.functions.values():
        for line in function.lines:
            call = read_call(line) if _NAMED.search(line) else None
            if (
                call is not None
                and call.callee in _PARAMETERS
                and call.callee in module.declarations
            ):
                yield call


def _fits(call: CallText, given: list[str]) -> bool:
    parameters = _PARAMETERS[call.callee]
    return (
        call.type in ("ptr", "void")
        and len(given) == len(parameters)
        and all(map(re.fullmatch, parameters, given))
    )
