"""Questions of the program whether memory is valid: `__CPROVER_r_ok` and its kind."""

from __future__ import annotations

from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, argument
from seahorn_py.ir.program import ASKED


def validity(call: CallText, kind: str, inputs: Inputs, debug: DebugText) -> list[str]:
    """Lines for whether as many bytes as the second argument says are in a live object.

    `kind` is that of the sea function.  UnsupportedError for other arguments.
    """
    if len(call.arguments) != 2:
        raise debug.refusal(f"{call.callee}() without a size is not supported", call.debug)
    (pointer, address), (width, given) = map(argument, call.arguments)
    is_number = width[:1] == "i" and width[1:].isdigit()
    if pointer != "ptr" or not is_number or int(width[1:]) > int(inputs.word[1:]):
        raise debug.refusal(f"{call.callee}() of these types is not supported", call.debug)
    inputs.assume(ASKED)
    lines, size = as_word(width, given, inputs, call.debug)
    bit = inputs.name()
    asked = f"call i1 @sea.valid.{kind}(ptr {address}, {inputs.word} {size})"
    lines.append(f"  {bit} = {asked}{call.debug}")
    if call.result is None:
        return lines
    cast = "bitcast" if call.type == "i1" else "zext"
    return [*lines, f"  {call.result} = {cast} i1 {bit} to {call.type}{call.debug}"]


def as_word(kind: str, size: str, inputs: Inputs, debug: str) -> tuple[list[str], str]:
    """Lines and a word for a number of bytes."""
    if kind == inputs.word:
        return [], size
    wide = inputs.name()
    cast = "trunc" if kind == "i64" else "zext"
    return [f"  {wide} = {cast} {kind} {size} to {inputs.word}{debug}"], wide
