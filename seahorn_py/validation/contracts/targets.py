"""The targets of `assigns`: parts of objects that parameters point to, and of global variables.

A target is an access path: a root, then members and indices.  A part of an object is in a target if
their paths say so.  To be compared, paths are in normal form: `*p` is `p[0]`, `p->m` is `p[0].m`,
and a range of elements has the index of its first one and their number.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import within
from seahorn_py.validation.contracts.formulas import parsed
from seahorn_py.validation.contracts.model import Clause, Refused

_ESBMC = pattern(r"\b__ESBMC_(?=object_)")
_RANGES = ("__CPROVER_object_upto", "__CPROVER_object_whole", "__CPROVER_object_from")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a path: a member, or `count` elements from index `first` on ("": all of them)."""

    member: str = ""
    first: str = ""
    count: str = "1"


@dataclass(frozen=True, slots=True)
class Target:
    """A part of an object that `assigns` names, all as C text.

    `place`: its first element.  `condition`: when the target counts ("": always).  `size`: the
    number of its bytes, if the clause has it.
    """

    root: str
    steps: tuple[Step, ...]
    place: str
    condition: str
    size: str
    clause: Clause

    @property
    def is_whole(self) -> bool:
        """Whether the target is a whole object whose size is not known."""
        return any(step.count == "" for step in self.steps)


def targets(clause: Clause) -> tuple[Target, ...]:
    """The targets of a clause.  Raises Refused for one that is not understood."""
    try:
        return tuple(_targets(clause, _ESBMC.sub("__CPROVER_", clause.text)))
    except Refused as why:
        raise Refused(f"{clause.place}: assigns: {why}") from None


def _targets(clause: Clause, text: str) -> Iterator[Target]:
    for group in text.split(";"):
        condition, colon, rest = _condition(group)
        if condition:
            node, _ = parsed(condition)
            if any(n.type == "call_expression" for n in within(node)):
                raise Refused("a condition with a call")
        for part in _parts(rest if colon else group):
            if part not in ("", "\\nothing", "0", "NULL"):
                yield _target(clause, part, condition)


def _condition(group: str) -> tuple[str, str, str]:
    depth = 0
    for k, character in enumerate(group):
        depth += (character in "([") - (character in ")]")
        if character == "?":
            break
        if character == ":" and depth == 0:
            return group[:k].strip(), ":", group[k + 1 :]
    return "", "", group


def _parts(text: str) -> Iterator[str]:
    depth, at = 0, 0
    for k, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            yield text[at:k].strip()
            at = k + 1
    yield text[at:].strip()


def _target(clause: Clause, text: str, condition: str) -> Target:
    node, whole = parsed(text)
    while node.type == "parenthesized_expression":
        node = node.named_children[0]
    if node.type == "call_expression":
        return _range(clause, node, whole, condition)
    root, steps = _path(node, whole)
    return Target(root, steps, text, condition, "", clause)


def _range(clause: Clause, node: Node, whole: bytes, condition: str) -> Target:
    """The target of `__CPROVER_object_...`: bytes of an object from where a pointer leads."""
    callee, given = node.children[0], node.children[1].named_children
    name = _text(callee, whole)
    if name == "__SEA_range" and len(given) == 3:
        return _elements(clause, given, whole, condition)
    if name not in _RANGES or len(given) != (2 if name == _RANGES[0] else 1):
        raise Refused(f"a call of {name} is not supported in it")
    if any(n.type == "call_expression" for argument in given for n in within(argument)):
        raise Refused("a call in it")
    pointer = given[0]
    while pointer.type in ("parenthesized_expression", "cast_expression"):
        pointer = pointer.named_children[-1]
    text = _text(pointer, whole)
    root, steps = _path(pointer, whole)
    size = _text(given[1], whole) if len(given) == 2 else ""
    count = f"({size}) / sizeof(*({text}))" if size else ""
    step = Step(first="0", count=count)
    return Target(root, (*steps, step), f"*({text})", condition, size, clause)


def _elements(clause: Clause, given: list[Node], whole: bytes, condition: str) -> Target:
    """The target of `__SEA_range(pointer, first, count)`: elements of an array."""
    if any(n.type == "call_expression" for argument in given for n in within(argument)):
        raise Refused("a call in it")
    pointer, first, count = (_text(argument, whole) for argument in given)
    root, steps = _path(given[0], whole)
    step = Step(first=f"({first})", count=f"({count})")
    place, size = f"({pointer})[{first}]", f"({count}) * sizeof(*({pointer}))"
    return Target(root, (*steps, step), place, condition, size, clause)


def _path(node: Node, whole: bytes) -> tuple[str, tuple[Step, ...]]:
    match node.type:
        case "identifier":
            return _text(node, whole), ()
        case "parenthesized_expression":
            return _path(node.named_children[0], whole)
        case "field_expression":
            root, steps = _path(node.children[0], whole)
            arrow = (Step(first="0"),) if node.children[1].type == "->" else ()
            return root, (*steps, *arrow, Step(member=_text(node.children[2], whole)))
        case "subscript_expression":
            root, steps = _path(node.children[0], whole)
            index = node.named_children[1]
            _check_index(index)
            return root, (*steps, Step(first=_text(index, whole)))
        case "pointer_expression" if node.children[0].type == "*":
            return _dereferenced(node.named_children[0], whole)
    raise Refused(f"{_text(node, whole)} is no part of an object that it can be decided about")


def _dereferenced(node: Node, whole: bytes) -> tuple[str, tuple[Step, ...]]:
    while node.type == "parenthesized_expression":
        node = node.named_children[0]
    if node.type == "binary_expression" and node.children[1].type == "+":
        root, steps = _path(node.children[0], whole)
        _check_index(node.children[2])
        return root, (*steps, Step(first=_text(node.children[2], whole)))
    root, steps = _path(node, whole)
    return root, (*steps, Step(first="0"))


def _check_index(node: Node) -> None:
    if any(n.type == "call_expression" for n in within(node)):
        raise Refused("a call in an index")


def _text(node: Node, whole: bytes) -> str:
    return whole[node.start_byte : node.end_byte].decode()
