"""Loop invariants at the places of the C text where they hold.

A head lies in the part of a loop that is evaluated first: the condition of `for` and `while`, or
the first statement of a `do`.  If a function was inlined, its loops have a head for each copy.  The
disjunction over the copies holds in C; it is given only if no copy can be missing.  A loop with two
heads in one copy was rearranged by the compiler, and gets no invariant.  An invariant about a
variable that the header of a `for` declares is put at the first statement of the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import visible
from seahorn_py.csource.syntax import LOOPS, SIMPLE, CText, enclosing, is_pure, statement_of, within
from seahorn_py.evidence.expressions.lvalue import joined
from seahorn_py.result import Conjunct, LoopHead
from seahorn_py.witness.texts import Sources, place_of
from seahorn_py.witness.witness import Invariant

MAX_CHARACTERS = 4_000
_MAX_PATHS = 1_000
_FIRST_OPERANDS = frozenset({"binary_expression", "conditional_expression"})


@dataclass(frozen=True)
class Found:
    """The invariants, and a line for each loop of which something is left out."""

    invariants: tuple[Invariant, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Placed:
    """A head and its loop in the text; at `place`, states of the text are those of the head.

    `place` is None if there is no such place.  `number` counts the given heads.
    """

    head: LoopHead
    text: CText
    loop: Node
    place: Node | None
    number: int

    @property
    def where(self) -> str:
        """The loop and its place, as shown to users."""
        return f"{self.text.name}:{self.text.start(self.loop).line}"


def invariants(heads: Sequence[LoopHead], sources: Sources) -> Found:
    """The invariants of the heads, in the order of the text."""
    found: list[Invariant] = []
    left_out: list[str] = []
    for group, reason in by_loop(heads, sources):
        where = group[0].where
        if reason:
            left_out.append(f"{where}: {reason}")
            continue
        left_out.extend(f"{where}: not in C: {m}" for p in group for m in p.head.left_out)
        found.extend(_said(group))
    return Found(tuple(found), tuple(left_out))


def by_loop(heads: Sequence[LoopHead], sources: Sources) -> Iterator[tuple[Sequence[Placed], str]]:
    """The heads of each loop, in the order of the text, with "" or why it has no invariant."""
    groups: dict[tuple[str, int], list[Placed]] = {}
    for number, head in enumerate(heads):
        placed = _placed(head, number, sources)
        if placed is not None:
            groups.setdefault((placed.text.name, placed.loop.start_byte), []).append(placed)
    paths = _Paths(sources)
    for _, group in sorted(groups.items()):
        yield group, _refusal(group, paths)


def _placed(head: LoopHead, number: int, sources: Sources) -> Placed | None:
    span = head.origin.span
    text = None if span is None else sources.text_of(span)
    node = None if span is None or text is None else text.node_at(span)
    loop = enclosing(node, LOOPS)
    if text is None or node is None or loop is None:
        return None
    return Placed(head, text, loop, _place(loop, node, text), number)


def _place(loop: Node, node: Node, text: CText) -> Node | None:
    """The loop, if `node` is what it evaluates first; for a `do`, its first statement."""
    condition = loop.child_by_field_name("condition")
    if loop.type != "do_statement" and condition is not None and not _is_constant(condition, text):
        return loop if _is_first(node, condition) else None
    body = loop.child_by_field_name("body")
    first = None if body is None else _first_statement(body)
    if first is None or not _begins(first, node):
        return None
    return first if loop.type == "do_statement" else loop


def _is_constant(condition: Node, text: CText) -> bool:
    """Whether the condition is a number or `true`; then the body begins where it would be."""
    word = text.source(condition).strip("() ")
    return word.isdigit() or word == "true"


def _first_statement(body: Node) -> Node | None:
    while body.type == "compound_statement":
        inner = [c for c in body.named_children if c.type != "comment"]
        if not inner:
            return None
        body = inner[0]
    return body


def _begins(first: Node, node: Node) -> bool:
    """Whether the statement evaluates the node first, and control comes from above only."""
    if statement_of(node) != first:
        return False
    if first.type in SIMPLE:
        return _is_first(node, first)
    condition = first.child_by_field_name("condition")
    return first.type == "if_statement" and condition is not None and _is_first(node, condition)


def _is_first(node: Node, whole: Node) -> bool:
    """Whether the node is inside of another one, and not behind `&&`, `||` or `?`."""
    current: Node | None = node
    while current is not None and current != whole:
        parent = current.parent
        if parent is None:
            return False
        if parent.type in _FIRST_OPERANDS and parent.children[0] != current and _is_lazy(parent):
            return False
        current = parent
    return current is not None


def _is_lazy(parent: Node) -> bool:
    operator = parent.child_by_field_name("operator")
    return operator is None or operator.type in ("&&", "||")


# ------------------------------------------------------------------------------------- copies


def _refusal(group: Sequence[Placed], paths: _Paths) -> str:
    """Why a loop gets no invariant; "" if it can get one."""
    if any(p.place is None or not p.head.is_regular for p in group):
        return "its head is not where the loop begins in the text"
    copies = [p.head.origin.chain[1:] for p in group]
    if len(set(copies)) < len(copies):
        return "the compiler made two loops of it"
    inlined = [c for c in copies if c]
    if inlined:
        expected = paths.to(group[0].text.function_of(group[0].loop))
        if expected is None or len(copies) < expected:
            return "not all copies of its function were looked at"
    return ""


class _Paths:
    """Counts the chains of calls from `main` to a function, by the text."""

    def __init__(self, sources: Sources) -> None:
        self._callers: dict[str, list[str]] = {}
        self._other: set[str] = set()
        for text in sources.texts:
            for node in within(text.root):
                if node.type == "identifier" and node.parent is not None:
                    self._mention(text, node, node.parent)
        self._known: dict[str, int | None] = {"main": 1}

    def _mention(self, text: CText, node: Node, parent: Node) -> None:
        name = text.source(node)
        if parent.type == "call_expression" and parent.child_by_field_name("function") == node:
            self._callers.setdefault(name, []).append(text.function_of(node))
        elif parent.type != "function_declarator":
            self._other.add(name)

    def to(self, function: str) -> int | None:
        """The number of chains of calls; None if it is not known, or large."""
        if function not in self._known:
            self._known[function] = None  # if it calls itself
            counts = [self.to(caller) for caller in self._callers.get(function, [])]
            known = [c for c in counts if c is not None]
            total = sum(known)
            if function not in self._other and len(known) == len(counts) and total <= _MAX_PATHS:
                self._known[function] = total
        return self._known[function]


# -------------------------------------------------------------------------------------- texts


def _said(group: Sequence[Placed]) -> Iterator[Invariant]:
    first = group[0]
    place = first.place or first.loop
    said = _combined(group, place)
    if said and (place == first.loop or _is_alone(first.text, place)):
        yield _at(first, place, said)
    inside = _inside(first)
    if inside is not None and (more := _combined(group, inside)) != said and more:
        yield _at(first, inside, more)


def _inside(placed: Placed) -> Node | None:
    """The first statement of the body of a `for`, if the state there is that at the condition.

    The variables that the header declares are in scope there, but not at the keyword.
    """
    header, condition, body = (
        placed.loop.child_by_field_name(name) for name in ("initializer", "condition", "body")
    )
    if header is None or header.type != "declaration" or body is None:
        return None
    if placed.place != placed.loop or (condition is not None and not is_pure(condition)):
        return None
    first = _first_statement(body)
    if first is None or first.type in (*LOOPS, "labeled_statement"):
        return None
    return first if _is_alone(placed.text, first) else None


def _is_alone(text: CText, statement: Node) -> bool:
    """Whether the statement stands first on its line, since validators do not look at columns."""
    parent = statement.parent
    is_in_block = parent is not None and parent.type == "compound_statement"
    return is_in_block and text.is_first_in_line(statement)


def _combined(group: Sequence[Placed], at: Node) -> str:
    """The disjunction over the copies of the conjuncts in scope; "" if a copy has none."""
    texts = []
    for placed in group:
        kept = [c.text for c in placed.head.conjuncts if _is_visible(c, placed.text, at)]
        texts.append(joined(_within_limit(kept), "&&"))
    return "" if "" in texts else joined(texts, "||")


def _within_limit(texts: Sequence[str]) -> Iterator[str]:
    total = 0
    for text in texts:
        total += len(text)
        if total > MAX_CHARACTERS:
            return
        yield text


def _is_visible(conjunct: Conjunct, text: CText, at: Node) -> bool:
    """Whether all variables of a conjunct mean the same just before a statement."""
    for name, span in conjunct.variables:
        declared = visible(text, name, at)
        if declared is None or span is None or declared.line != span.line:
            return False
    return True


def _at(placed: Placed, node: Node, text: str) -> Invariant:
    function = placed.text.function_of(placed.loop)
    where = place_of(placed.text, placed.text.start(node), function)
    return Invariant(where, text, loop=node == placed.loop)
