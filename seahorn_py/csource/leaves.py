"""The scalars that an object of the C text consists of, in the order in which they lie in it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import Types
from seahorn_py.csource.syntax import CText, within
from seahorn_py.csource.types import IntegerType

MAX_LEAVES = 64
FLOATS = frozenset({"float", "double"})


@dataclass(frozen=True, slots=True)
class CLeaf:
    """A scalar: the expression for it, and its type (a name of `FLOATS`, None: a pointer)."""

    expression: str
    type: IntegerType | str | None


class Unsaid(Exception):
    """The text does not say what the object consists of."""


class Leaves:
    """The objects that a file declares; `count` scalars are expected of each."""

    def __init__(self, text: CText, types: Types) -> None:
        self._text = text
        self._types = types
        self._structs: dict[str, Node] = {}
        for node in within(text.root):
            if node.type == "struct_specifier" and node.child_by_field_name("body") is not None:
                name = node.child_by_field_name("name")
                if name is not None:
                    self._structs["struct " + text.source(name)] = node
            elif node.type == "type_definition":
                self._define(node)

    def _define(self, node: Node) -> None:
        kind = node.child_by_field_name("type")
        if kind is None or kind.type != "struct_specifier":
            return
        for declarator in node.children_by_field_name("declarator"):
            if declarator.type == "type_identifier":
                self._structs[self._text.source(declarator)] = kind

    def of(self, declaration: Node, name: str, count: int) -> tuple[CLeaf, ...] | None:
        """The scalars of the object `name`, if there are `count` of them, and not many."""
        kind = declaration.child_by_field_name("type")
        if kind is None or count > MAX_LEAVES:
            return None
        for declarator in declaration.children_by_field_name("declarator"):
            try:
                if self._name(declarator) == name:
                    found = tuple(self._object(kind, declarator, "", count))
                    return found if len(found) == count else None
            except Unsaid:
                return None
        return None

    def _name(self, declarator: Node) -> str:
        inner: Node | None = declarator
        while inner is not None and inner.type not in ("identifier", "field_identifier"):
            inner = inner.child_by_field_name("declarator")
        return "" if inner is None else self._text.source(inner)

    def _object(self, kind: Node, declarator: Node, prefix: str, count: int) -> Iterator[CLeaf]:
        """The leaves of what a declarator declares; `prefix` is what it is a member of."""
        dimensions: list[int | None] = []
        node: Node | None = declarator
        while node is not None and node.type == "array_declarator":
            dimensions.insert(0, self._size(node))
            node = node.child_by_field_name("declarator")
        if node is None:
            raise Unsaid
        if node.type == "pointer_declarator" and not dimensions:
            yield CLeaf(prefix + self._name(node), None)
            return
        if node.type not in ("identifier", "field_identifier"):
            raise Unsaid
        for path in _indices(_known(dimensions, count)):
            yield from self._scalars(kind, prefix + self._text.source(node) + path, count)

    def _size(self, declarator: Node) -> int | None:
        size = declarator.child_by_field_name("size")
        word = "" if size is None else self._text.source(size)
        return int(word) if word.isdigit() else None

    def _scalars(self, kind: Node, expression: str, count: int) -> Iterator[CLeaf]:
        word = " ".join(self._text.source(kind).split())
        if kind.type in ("union_specifier", "enum_specifier"):
            raise Unsaid
        if word in FLOATS:
            yield CLeaf(expression, word)
            return
        scalar = self._types.named(word)
        if scalar is not None:
            yield CLeaf(expression, scalar)
            return
        body = self._structs.get(word, kind).child_by_field_name("body")
        if body is None:
            raise Unsaid
        yield from self._members(body, expression, count)

    def _members(self, body: Node, expression: str, count: int) -> Iterator[CLeaf]:
        for field in body.named_children:
            if field.type != "field_declaration":
                continue
            kind = field.child_by_field_name("type")
            declarators = field.children_by_field_name("declarator")
            is_plain = not any(c.type == "bitfield_clause" for c in field.children)
            if kind is None or not declarators or not is_plain:
                raise Unsaid
            for declarator in declarators:
                yield from self._object(kind, declarator, expression + ".", count)


def _known(dimensions: list[int | None], count: int) -> list[int]:
    """The dimensions; a single one that the text does not say is what `count` leaves for it."""
    if dimensions == [None]:
        return [count]
    if any(size is None for size in dimensions):
        raise Unsaid
    return [size for size in dimensions if size is not None]


def _indices(dimensions: list[int]) -> list[str]:
    """The subscripts of all elements, at most a few more than are wanted."""
    paths = [""]
    for size in reversed(dimensions):
        paths = [f"[{k}]{path}" for k in range(min(size, MAX_LEAVES + 1)) for path in paths]
        if len(paths) > MAX_LEAVES:
            raise Unsaid
    return paths
