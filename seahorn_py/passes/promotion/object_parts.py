"""Objects, addresses in them and their parts, as promotion knows them."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.ir.program import Address, Operand, Register
from seahorn_py.ir.types import FloatKind, FloatType, IntType, PointerType, Type
from seahorn_py.passes.ranges.intervals import Bounds


@dataclass(frozen=True)
class ObjectName:
    """A global (`function` is None) or the `Alloca` of a function with that register as result."""

    function: str | None
    name: str


@dataclass(frozen=True)
class Pointer:
    """An address inside an object: `owner + offset + sum(index * scale)`.

    `extent` are the first byte, and the one behind the last, of the array that the terms index.
    `within` has inclusive bounds of the only index, where they are known.
    """

    owner: ObjectName
    offset: int
    terms: tuple[tuple[Operand, int], ...] = ()
    extent: tuple[int, int] | None = None
    within: Bounds | None = None


@dataclass(frozen=True)
class Part:
    """The bytes `offset .. offset + size - 1` of an object, one scalar of type `type`."""

    offset: int
    size: int
    type: Type


@dataclass(frozen=True)
class Layout:
    """The parts of each promotable object in order, and what each address register points to.

    `partial` has the sizes of the objects of which the rest stays in memory.
    """

    parts: Mapping[ObjectName, tuple[Part, ...]]
    pointers: Mapping[str, Mapping[str, Pointer]]
    partial: Mapping[ObjectName, int]

    def pointer(self, function: str, operand: Operand) -> Pointer | None:
        """The constant offset in a promotable object that the operand points to."""
        found = resolve(self.pointers[function], operand)
        if found is None or found.terms or found.owner not in self.parts:
            return None
        return found

    def element(self, function: str, operand: Operand) -> Pointer | None:
        """The address in a promotable object that the operand points to by one variable index."""
        found = resolve(self.pointers[function], operand)
        if found is None or len(found.terms) != 1 or found.owner not in self.parts:
            return None
        return None if found.owner in self.partial else found

    def subscript(self, function: str, operand: Operand) -> Pointer | None:
        """The address by variable indices in an object of which the rest stays."""
        found = resolve(self.pointers[function], operand)
        return found if found is not None and found.terms and found.owner in self.partial else None


def elements(pointer: Pointer, object_size: int, size: int) -> dict[int, int]:
    """Index -> offset, for the indices with which an access of `size` bytes is in the object."""
    (_, scale), start = pointer.terms[0], pointer.offset
    if scale <= 0 or scale < size:
        return {}
    first = -(start // scale)
    last = (object_size - size - start) // scale
    if pointer.within is not None:
        first, last = max(first, pointer.within[0]), min(last, pointer.within[1])
    return {k: start + k * scale for k in range(first, last + 1)}


def byte_size(type_: Type, pointer_width: int) -> int:
    """How many bytes a load or store of that type touches."""
    match type_:
        case IntType(width):
            return (width + 7) // 8
        case PointerType():
            return pointer_width // 8
        case FloatType(FloatKind.SINGLE):
            return 4
        case FloatType(FloatKind.DOUBLE):
            return 8
        case FloatType(FloatKind.X87):
            return 10
    raise ValueError(type_)


def resolve(pointers: Mapping[str, Pointer], operand: Operand) -> Pointer | None:
    """What the operand points to, if that is one known object."""
    match operand:
        case Address(symbol=str() as symbol, offset=offset):
            return Pointer(ObjectName(None, symbol), offset)
        case Register(name=name):
            return pointers.get(name)
    return None
