"""Which variables the rounds of a loop may write, as far as its text tells.

A loop with invariants is cut if all that its rounds write is known: one round, begun with any
values of these for which the invariants hold, stands for all (Hoare 1969).  What is written where
control leaves the loop is no part of this.  A loop whose text does not show
what its rounds write is not cut: it has assembly, labels, writes through pointers other than
parameters, or calls that may write somewhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import Declared, Types, parameter_position, visible
from seahorn_py.csource.syntax import LOOPS, CText, enclosing, is_pure, within
from seahorn_py.validation.contracts.model import Refused

_STRANGE = frozenset({"goto_statement", "labeled_statement", "gnu_asm_expression", "ERROR"})
_WORD_BITS = 64
_EXITS = frozenset({"break_statement", "return_statement"})
_BREAKABLE = LOOPS | {"switch_statement"}
_DERIVING = frozenset({"pointer_declarator", "function_declarator", "abstract_pointer_declarator"})

Harmless = Callable[[str], bool]
"""Name of a function -> whether a call of it changes nothing but what its arguments lead to."""


@dataclass
class Written:
    """What rounds may write: variables of the function, and what parameters lead to.

    `kept`: parameters that are pointers, and given to calls, which must not write through them.
    """

    variables: dict[str, None] = field(default_factory=dict)
    pointees: dict[str, None] = field(default_factory=dict)
    kept: dict[str, None] = field(default_factory=dict)

    @property
    def places(self) -> tuple[str, ...]:
        """All that may be written, as C text."""
        return (*self.variables, *(f"(*{name})" for name in self.pointees))


def written(text: CText, loop: Node, harmless: Harmless) -> Written | None:
    """What the rounds of a loop may write; None if the text does not show it."""
    definition = enclosing(loop, frozenset({"function_definition"}))
    condition = loop.child_by_field_name("condition")
    if definition is None or definition.has_error:
        return None
    if condition is not None and not is_pure(condition):
        return None
    try:
        found = _Rounds(text, loop, definition, harmless).written()
    except Refused:
        return None
    several = (*found.variables, *found.pointees, *found.kept)
    return found if len(set(several)) == len(several) else None


class _Rounds:
    """The reading of one loop."""

    def __init__(self, text: CText, loop: Node, definition: Node, harmless: Harmless) -> None:
        self._text = text
        self._loop = loop
        self._definition = definition
        self._harmless = harmless
        self._types = Types(text, _WORD_BITS)
        self._found = Written()
        first = loop.child_by_field_name("initializer")
        self._first = (first.start_byte, first.end_byte) if first is not None else (0, 0)
        declared = list(self._declared())
        self._inner = frozenset(name for name, is_first in declared if not is_first)
        self._of_head = frozenset(name for name, is_first in declared if is_first)

    def written(self) -> Written:
        """All that rounds write.  Raises Refused if the text does not show it."""
        leaving = [(n.start_byte, n.end_byte) for n in self._leaving()]
        for node in within(self._loop):
            if node.type in _STRANGE:
                raise Refused(node.type)
            if any(a <= node.start_byte and node.end_byte <= b for a, b in (*leaving, self._first)):
                continue
            match node.type:
                case "assignment_expression":
                    self._write(node.child_by_field_name("left"))
                case "update_expression":
                    self._write(node.child_by_field_name("argument"))
                case "call_expression":
                    self._call(node)
        return self._found

    def _declared(self) -> Iterator[tuple[str, bool]]:
        """The names that the loop declares, and whether its head does."""
        for node in within(self._loop):
            is_first = self._first[0] <= node.start_byte < self._first[1]
            if node.type not in ("declaration", "parameter_declaration"):
                continue
            for inner in node.children_by_field_name("declarator"):
                name: Node | None = inner
                while name is not None and name.type != "identifier":
                    name = name.child_by_field_name("declarator")
                if name is None:
                    raise Refused("a declaration that is not understood")
                yield self._text.source(name), is_first

    def _leaving(self) -> Iterator[Node]:
        """Blocks that control enters only to leave the loop."""
        for node in within(self._loop):
            inner = [c for c in node.named_children if c.type != "comment"]
            if node.type != "compound_statement" or not inner or inner[-1].type not in _EXITS:
                continue
            if any(n.type == "continue_statement" for n in within(node)):
                continue
            around = enclosing(node.parent, _BREAKABLE)
            if inner[-1].type == "return_statement" or around == self._loop:
                yield node

    def _variable(self, name: Node) -> Declared | None:
        """The declaration of a variable of the function; None for one of the round."""
        word = self._text.source(name)
        outer = visible(self._text, word, name if word in self._of_head else self._loop)
        if word in self._inner:
            if outer is not None or word in self._of_head:
                raise Refused("a name with two meanings")
            return None
        if outer is None or outer.function != self._text.function_name(self._definition):
            raise Refused("no variable of the function")
        return outer

    def _is_parameter(self, word: str) -> bool:
        return parameter_position(self._text, self._definition, word) is not None

    def _write(self, place: Node | None) -> None:
        place = _plain(place)
        match place.type:
            case "identifier":
                declared = self._variable(place)
                if declared is not None:
                    self._add(declared)
            case "field_expression" if place.children[1].type == ".":
                self._write(place.children[0])
            case "field_expression":
                self._pointee(place.children[0])
            case "pointer_expression" if place.children[0].type == "*":
                self._pointee(place.named_children[0])
            case "subscript_expression":
                self._element(_plain(place.children[0]))
            case _:
                raise Refused("a write to an unknown place")

    def _element(self, array: Node) -> None:
        """A write to an element of an array of the function, or in a structure."""
        if array.type == "identifier":
            declared = self._variable(array)
            is_array = declared is None or declared.derived.startswith("[")
            if not is_array or self._is_parameter(self._text.source(array)):
                raise Refused("a write to an element somewhere")
            if declared is None and self._is_pointer_of_round(array):
                raise Refused("a write through a pointer of the round")
        elif array.type not in ("field_expression", "subscript_expression"):
            raise Refused("a write to an element somewhere")
        elif array.type == "field_expression" and not self._is_array_member(array):
            raise Refused("a write through a pointer in a structure")
        self._write(array)

    def _is_pointer_of_round(self, name: Node) -> bool:
        declared = visible(self._text, self._text.source(name), name)
        return declared is None or set(declared.derived) != {"["}

    def _is_array_member(self, place: Node) -> bool:
        """Whether all members of that name in the file are arrays of numbers."""
        member = self._text.source(place.children[2])
        found = [
            node
            for node in within(self._text.root)
            if node.type == "field_declaration"
            for inner in within(node)
            if inner.type == "field_identifier" and self._text.source(inner) == member
        ]
        return bool(found) and all(
            any(n.type == "array_declarator" for n in within(node))
            and not any(n.type in _DERIVING for n in within(node))
            for node in found
        )

    def _pointee(self, pointer: Node) -> None:
        pointer = _plain(pointer)
        word = self._text.source(pointer)
        is_name = pointer.type == "identifier" and word not in self._inner
        declared = self._variable(pointer) if is_name else None
        if declared is None or not self._is_parameter(word):
            raise Refused("a write through a pointer that is no parameter")
        if len(declared.derived) != 1 or not self._is_flat(declared.specifier):
            raise Refused("a parameter that may lead to pointers")
        self._found.pointees[word] = None

    def _add(self, declared: Declared) -> None:
        is_pointer = self._is_parameter(declared.name) and declared.derived
        if is_pointer or set(declared.derived) - {"["}:
            raise Refused("a pointer is written")
        if not self._is_flat(declared.specifier):
            raise Refused("a variable that may hold pointers is written")
        self._found.variables[declared.name] = None

    def _is_flat(self, specifier: str) -> bool:
        """Whether an object of the type has numbers in it alone."""
        if self._types.named(specifier) is not None:
            return True
        for node in within(self._text.root):
            names = [self._text.source(n) for n in node.children_by_field_name("declarator")]
            kind = node.child_by_field_name("type")
            if node.type == "type_definition" and names == [specifier] and kind is not None:
                return kind.type.endswith("_specifier") and self._is_of_numbers(kind)
        return False

    def _is_of_numbers(self, kind: Node) -> bool:
        if kind.type == "enum_specifier":
            return True
        inner = list(within(kind))
        named = (self._text.source(n) for n in inner if n.type == "type_identifier")
        return (
            kind.child_by_field_name("body") is not None
            and not any(n.type in _DERIVING for n in inner)
            and all(self._types.named(name) is not None for name in named)
        )

    # ------------------------------------------------------------------------------------ calls

    def _call(self, call: Node) -> None:
        callee, given = (call.child_by_field_name(w) for w in ("function", "arguments"))
        if callee is None or given is None or callee.type != "identifier":
            raise Refused("a call through a pointer")
        name = self._text.source(callee)
        local = visible(self._text, name, call)
        if (local is not None and local.function) or not self._harmless(name):
            raise Refused("a call that may write somewhere else")
        for argument in given.named_children:
            if argument.type not in ("comment", "string_literal"):
                self._argument(_plain(argument))

    def _argument(self, node: Node) -> None:
        """What a call may write through an argument."""
        match node.type:
            case "pointer_expression" if node.children[0].type == "&":
                self._address(_plain(node.named_children[0]))
            case "binary_expression" | "conditional_expression" | "cast_expression":
                if any(n.type in _DERIVING for n in within(node)):
                    raise Refused("a conversion to a pointer")
                for child in node.named_children:
                    self._argument(_plain(child))
            case "identifier":
                self._value(node)
            case "subscript_expression" | "field_expression" | "pointer_expression":
                if not self._is_number(node):
                    raise Refused("an element that may be a pointer")
            case "number_literal" | "char_literal" | "true" | "false" | "null":
                pass
            case "unary_expression" | "sizeof_expression" | "type_descriptor":
                pass
            case _:
                raise Refused("an argument that is not understood")

    def _address(self, place: Node) -> None:
        """The address of a place is given to a call."""
        base = place
        while base.type == "subscript_expression" or (
            base.type == "field_expression" and base.children[1].type == "."
        ):
            base = _plain(base.children[0])
        if base.type == "identifier" and self._is_pointer_parameter(base):
            self._keep(base)
            return
        self._write(place)

    def _keep(self, parameter: Node) -> None:
        """A pointer that is a parameter is given to a call."""
        declared = self._variable(parameter)
        if declared is None or len(declared.derived) != 1:
            raise Refused("a pointer to pointers")
        if self._types.named(declared.specifier) is None:
            raise Refused("a pointer to what is no number")
        self._found.kept[declared.name] = None

    def _is_pointer_parameter(self, name: Node) -> bool:
        if self._text.source(name) in self._inner:
            return False
        declared = self._variable(name)
        return declared is not None and bool(declared.derived) and self._is_parameter(declared.name)

    def _value(self, name: Node) -> None:
        """A variable is given to a call."""
        word = self._text.source(name)
        declared = visible(self._text, word, name)
        if declared is None:
            return  # a constant of an enumeration
        if word in self._inner:
            if declared.derived or not self._is_flat(declared.specifier):
                raise Refused("a pointer of the round")
        elif self._is_pointer_parameter(name):
            self._keep(name)
        elif declared.derived.startswith("["):
            self._write(name)
        elif declared.derived or not self._is_flat(declared.specifier):
            raise Refused("a pointer of the function")

    def _is_number(self, place: Node) -> bool:
        """Whether an element or member is a number, by the type of the variable before it."""
        base = place
        while base.type in ("subscript_expression", "field_expression", "pointer_expression"):
            if base.type == "pointer_expression" and base.children[0].type != "*":
                return False
            base = _plain(base.named_children[0])
        if base.type != "identifier" or place.type == "field_expression":
            return False
        declared = visible(self._text, self._text.source(base), base)
        if declared is None or len(declared.derived) != 1:
            return False
        return self._types.named(declared.specifier) is not None


def _plain(node: Node | None) -> Node:
    """An expression without the parentheses around it."""
    if node is None:
        raise Refused("nothing")
    while node.type == "parenthesized_expression" and len(node.named_children) == 1:
        node = node.named_children[0]
    return node
