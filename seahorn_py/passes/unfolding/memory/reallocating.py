"""`realloc` while a program is unfolded: a new block that begins with what the old one has."""

from __future__ import annotations

from seahorn_py.ir.memory import HEAP_ALIGN
from seahorn_py.ir.program import NULL, IntConst, Operand, Predicate
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Pointer, Unfit, Value, is_operand
from seahorn_py.passes.unfolding.memory.accessing import Memory
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.storage import Kind


def reallocated(code: Code, run: Run, memory: Memory, block: Value, size: Operand) -> Pointer:
    """A new block of `size : iP` bytes in the place of a block of which it is known that it is null
    or the start of a block that lives (`validity.expect`).

    The old block may be one of several, and sizes may depend on inputs.
    """

    def kept(old: Value) -> Operand:
        if old == NULL:
            return IntConst(0, code.word)
        if not isinstance(old, Pointer):
            raise Unfit("realloc of a block from outside")
        whole = run.size(old.object)
        return code.select(code.compare(Predicate.ULT, size, whole), size, whole)

    count = choices.each(code, [block], kept)
    assert is_operand(count)
    source = choices.each(code, [block], _start)
    new = memory.allocate(Kind.HEAP, size, HEAP_ALIGN, None)
    memory.copy(new, source, count)
    memory.free(block)
    return new


def _start(block: Value) -> Value:
    """The start of the object to which a pointer leads."""
    return Pointer(block.object, 0) if isinstance(block, Pointer) else block
