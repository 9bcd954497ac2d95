"""C text that makes arbitrary values of the types that debug information describes.

A pointer is null or leads to a fresh block: to one object of a structure, to any number of elements
of another type.  What such objects hold is arbitrary, and pointers in them are made in the same way
up to a depth, below which they are null.  In unions all bits are arbitrary.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.ctypes_text import CTypes
from seahorn_py.frontend.llvmtext.metadata import Metadata, Node

PREFIX = "__SEA_nondet_"
"""Begins the names of the functions that give what is arbitrary; then what it is, and of what."""

_SIZE = "__typeof__(sizeof 0)"
"""Without a macro, as a preprocessed text has none."""

DECLARATIONS = (
    "extern void __SEA_assume(_Bool);",
    f"extern void __SEA_nondet_memory(void *, {_SIZE});",
)
_MOST_MEMBERS = 16
_LARGEST = f"(({_SIZE})-1 >> 9)"


@dataclass(frozen=True, slots=True)
class Arbitrary:
    """Writes statements for types of one module; `most` bounds the elements of arrays, if not 0.

    `prefix` begins the names of the functions that are called for values; it is `PREFIX`, with a
    mark behind it where there are several calls.
    """

    metadata: Metadata
    types: CTypes
    most: int
    prefix: str = PREFIX

    def value(self, name: str, kind: str | None, depth: int) -> Iterator[str]:
        """Declares the variable `name` with any value of a type."""
        plain = self.types.stripped(kind)
        text = self._spelt(kind)
        if self._tag(plain) == "DW_TAG_pointer_type":
            yield f"{_declared(text)} {name} = 0;"
            yield from self.pointer(name, name, plain, depth)
            return
        yield f"extern {_declared(text)} {self.prefix}value_{name}(void);"
        yield f"{_declared(text)} {name} = {self.prefix}value_{name}();"
        yield from self.members(name, name, plain, depth)

    def pointer(self, place: str, name: str, kind: str | None, depth: int) -> Iterator[str]:
        """Gives the pointer at `place` a value; `name` is for what is read."""
        target = self.metadata.node(self.types.stripped(kind)).reference("baseType")
        stored = f"*(void **)(void *)&({place})"
        if depth == 0:
            yield f"{stored} = 0;"
            return
        self._check(target, name)
        is_one = self._tag(self.types.stripped(target)) == "DW_TAG_structure_type"
        element = _declared(self._spelt(target)) if target is not None else "char"
        yield f"extern _Bool {self.prefix}null_{name}(void); {stored} = 0;"
        yield f"if (!{self.prefix}null_{name}()) {{"
        if is_one:
            yield f"{_SIZE} count_{name} = 1;"
        else:
            yield f"extern {_SIZE} {self.prefix}count_{name}(void);"
            yield f"{_SIZE} count_{name} = {self.prefix}count_{name}();"
            most = str(self.most) if self.most else f"{_LARGEST} / sizeof({element})"
            yield f"__SEA_assume(count_{name} <= {most});"
        size = f"count_{name} * sizeof({element})"
        yield f"{stored} = __builtin_malloc({size});"
        yield f"if ({place}) {{ __SEA_nondet_memory((void *)({place}), {size});"
        yield from self._elements(place, name, target, is_one, depth - 1)
        yield "} }"

    def members(self, place: str, name: str, kind: str | None, depth: int) -> Iterator[str]:
        """Gives values to the pointers in an object whose other bits are arbitrary."""
        for _, path, part, _ in list(self.types.parts(kind))[: _MOST_MEMBERS * 8]:
            inner = self.types.stripped(part)
            inner_name = name + "".join(c if c.isalnum() else "_" for c in path)
            if self._tag(inner) == "DW_TAG_pointer_type":
                if self._is_function(inner):
                    yield f"*(void **)(void *)&({place}{path}) = 0;"
                else:
                    yield from self.pointer(place + path, inner_name, inner, depth)
            else:
                yield from self.members(place + path, inner_name, inner, depth)

    def _elements(
        self, place: str, name: str, target: str | None, is_one: bool, depth: int
    ) -> Iterator[str]:
        if is_one:
            yield from self.members(f"(*({place}))", name, target, depth)
        elif self._tag(self.types.stripped(target)) == "DW_TAG_pointer_type":
            yield f"for ({_SIZE} at_{name} = 0; at_{name} < count_{name}; at_{name}++) {{"
            yield from self.pointer(f"({place})[at_{name}]", f"{name}_at", target, depth)
            yield "}"

    def _check(self, target: str | None, name: str) -> None:
        """UnsupportedError for a pointer to what no object can be made of."""
        plain = self.types.stripped(target)
        node = self.metadata.node(plain)
        if node.kind == "DISubroutineType":
            raise UnsupportedError(f"{name}: an arbitrary function is not supported")
        if "DIFlagFwdDecl" in node.fields.get("flags", ""):
            raise UnsupportedError(f"{name}: an object of unknown type is not supported")

    def _is_function(self, pointer: str | None) -> bool:
        target = self.metadata.node(pointer).reference("baseType")
        return self.metadata.node(self.types.stripped(target)).kind == "DISubroutineType"

    def _tag(self, kind: str | None) -> str:
        return self._node(kind).fields.get("tag", "")

    def _node(self, kind: str | None) -> Node:
        return self.metadata.node(kind)

    def _spelt(self, kind: str | None) -> str:
        text = self.types.text(kind)
        if "<anonymous>" in text:
            raise UnsupportedError("a value of a type without a name is not supported")
        return text


def _declared(text: str) -> str:
    return f"__typeof__({text})"
