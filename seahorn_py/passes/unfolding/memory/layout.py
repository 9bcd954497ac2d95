"""What depends on where objects lie, as inputs of the new program.

The address of an object is any multiple of its alignment.  Which of two objects lies before the
other is any bit, and so is whether they touch.  Each is the same on all ways that follow.  Nothing
ties the bits to the addresses, or those of two objects to those of a third one.  So the new program
has the runs of every layout, and more.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.ir.program import Address, BinaryOp, IntConst, Operand, Predicate
from seahorn_py.ir.types import BOOL
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import Pointer
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import offset_of

ORDERS: Mapping[Predicate, tuple[bool, bool]] = {
    Predicate.ULT: (False, False),
    Predicate.UGT: (True, False),
    Predicate.ULE: (True, True),
    Predicate.UGE: (False, True),
}
"""An order -> whether `<` asks for it if the sides are exchanged, and if it is negated."""


def number_of(code: Code, run: Run, address: Pointer | Address) -> Operand:
    """The address of an object or function, or of a place in an object, as an integer."""
    if isinstance(address, Address):
        assert address.symbol is not None
        code.numbered.add(address.symbol)
        return code.add(
            code.unknown(address.symbol, code.word), IntConst(address.offset, code.word)
        )
    code.numbered.add(address.object)
    base = code.unknown(address.object, code.word)
    align = run.objects[address.object].align
    if align & align - 1 == 0 < align - 1:
        mask = IntConst((1 << code.word.width) - align, code.word)
        base = code.binary(BinaryOp.AND, base, mask)
    return code.add(base, offset_of(code, address))


def is_before(code: Code, run: Run, left: Pointer, right: Pointer) -> Operand:
    """Whether `left < right`, as an i1.

    The objects differ and live, and each pointer leads into its object or right behind it.
    """
    low, high = sorted((left.object, right.object))
    first = code.unknown(("before", low, high), BOOL)
    if low != left.object:
        first = code.negated(first)
    end = code.compare(Predicate.EQ, offset_of(code, left), run.size(left.object))
    start = code.compare(Predicate.EQ, offset_of(code, right), IntConst(0, code.word))
    at_border = code.both(end, start)
    if isinstance(at_border, IntConst) and not at_border.value:
        return first
    touch = code.unknown(("touch", left.object, right.object), BOOL)
    return code.both(first, code.negated(code.both(at_border, touch)))


def ordered(code: Code, run: Run, predicate: Predicate, left: Pointer, right: Pointer) -> Operand:
    """One of `ORDERS` between places in two objects, as an i1, where `is_before` tells it."""
    exchanged, negated = ORDERS[predicate]
    found = is_before(code, run, right, left) if exchanged else is_before(code, run, left, right)
    return code.negated(found) if negated else found
