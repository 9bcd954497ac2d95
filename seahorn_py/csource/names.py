"""Which declaration a name means at a place of the C text (C11, 6.2.1), and the types of names."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText, within
from seahorn_py.csource.types import IntegerType, integer_type

_BLOCKS = frozenset({"compound_statement", "case_statement"})
_CONDITIONAL = frozenset({"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"})
_DERIVED = frozenset(
    {
        "pointer_declarator",
        "array_declarator",
        "function_declarator",
        "init_declarator",
        "parenthesized_declarator",
        "attributed_declarator",
    }
)
_MAX_TYPEDEFS = 20


@dataclass(frozen=True, slots=True)
class Declared:
    """What a declaration says of a name.

    `specifier` is the type without the declarator's `*`, `[]` and `()`, which are in `derived` as
    characters from the name outwards: `int *a[3]` is `[*`.  `line` counts from 1; `function` is ""
    for what the whole file sees.
    """

    name: str
    specifier: str
    derived: str
    line: int
    function: str


def visible(text: CText, name: str, at: Node) -> Declared | None:
    """The declaration that `name` means just before the node `at`."""
    node: Node | None = at
    while node is not None and node.parent is not None:
        parent = node.parent
        for declaration in _declarations(parent, node):
            found = _declared(text, declaration, name)
            if found is not None:
                return found
        node = parent
    return None


def parameter_position(text: CText, definition: Node, name: str) -> int | None:
    """Which parameter of a function has this name, from 0; None if none has."""
    for place, parameter in enumerate(_parameters(definition)):
        if parameter.type == "parameter_declaration" and _declared(text, parameter, name):
            return place
    return None


def _declarations(scope: Node, before: Node) -> Iterator[Node]:
    """The declarations of one scope that are visible at its child `before`, the latest first."""
    if scope.type in _BLOCKS or scope.type == "translation_unit" or scope.type in _CONDITIONAL:
        yield from reversed(list(_flat(c for c in scope.children if _ends_before(c, before))))
    elif scope.type == "for_statement":
        first = scope.child_by_field_name("initializer")
        if first is not None and first.type == "declaration" and first != before:
            yield first
    elif scope.type == "function_definition":
        yield from _parameters(scope)


def _ends_before(node: Node, before: Node) -> bool:
    return node.end_byte <= before.start_byte


def _flat(nodes: Iterator[Node]) -> Iterator[Node]:
    for node in nodes:
        if node.type in _CONDITIONAL:
            yield from _flat(iter(node.children))
        elif node.type == "declaration":
            yield node


def _parameters(definition: Node) -> Iterator[Node]:
    """The parameters of a definition, of one in the old style too."""
    declarator = definition.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    found = None if declarator is None else declarator.child_by_field_name("parameters")
    if found is not None:
        yield from (c for c in found.children if c.type == "parameter_declaration")
    yield from (c for c in definition.children if c.type == "declaration")


def _declared(text: CText, declaration: Node, name: str) -> Declared | None:
    kind = declaration.child_by_field_name("type")
    for declarator in declaration.children_by_field_name("declarator"):
        found, derived = _name(declarator)
        if found is not None and kind is not None and text.source(found) == name:
            specifier = text.source(kind)
            if kind.type in ("struct_specifier", "union_specifier", "enum_specifier"):
                specifier = kind.type.removesuffix("_specifier")
            row = found.start_point.row + 1
            return Declared(name, specifier, derived, row, text.function_of(declaration))
    return None


def _name(declarator: Node) -> tuple[Node | None, str]:
    """The name that a declarator declares, and what derives its type."""
    derived = ""
    node: Node | None = declarator
    while node is not None and node.type in _DERIVED:
        signs = {"pointer_declarator": "*", "array_declarator": "[", "function_declarator": "("}
        derived = signs.get(node.type, "") + derived
        inner = node.child_by_field_name("declarator")
        if inner is None:
            inner = next(
                (c for c in node.named_children if c.type in _DERIVED | {"identifier"}), None
            )
        node = inner
    return (node, derived) if node is not None and node.type == "identifier" else (None, derived)


# --------------------------------------------------------------------------------------- types


class Types:
    """The typedefs of a file, and the integer types that names have."""

    def __init__(self, text: CText, bits: int) -> None:
        self._bits = bits
        self._aliases: dict[str, tuple[str, bool]] = {}
        for node in within(text.root):
            if node.type == "type_definition":
                self._read(text, node)

    def _read(self, text: CText, definition: Node) -> None:
        kind = definition.child_by_field_name("type")
        for declarator in definition.children_by_field_name("declarator"):
            if kind is not None:
                is_plain = declarator.type in ("type_identifier", "primitive_type")
                is_text = kind.type in ("primitive_type", "sized_type_specifier", "type_identifier")
                self._aliases[text.source(declarator)] = (text.source(kind), is_plain and is_text)

    def of(self, declared: Declared, subscripts: int = 0) -> IntegerType | None:
        """The type of the name behind so many subscripts, if that is an integer type."""
        if declared.derived[:subscripts].strip("[*") or len(declared.derived) != subscripts:
            return None
        return self.named(declared.specifier)

    def named(self, specifier: str) -> IntegerType | None:
        """The integer type of a specifier, through typedefs."""
        for _ in range(_MAX_TYPEDEFS):
            found = integer_type(specifier, self._bits)
            if found is not None:
                return found
            specifier, is_plain = self._aliases.get(specifier, ("", False))
            if not is_plain:
                return None
        return None
