"""How a system is unrolled along bounds: which rules are calls, and in which order loops nest.

The first relation of `bounds` in a strongly connected component is its head, and how often a run
comes back to it is bounded; what is left without the edges to the head is taken apart in the same
way.  A bound on the entry of a function says how deep its calls may nest.

A rule with two body atoms uses the summary of a call.  Only the summary of the call at hand is
unrolled for such a rule.  Nothing is lost if the function carries its parameters unchanged from
entry to exit and the rule asks for the parameters that the call gives.  That is verified first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.logic.terms.connectives import conjuncts


class NoUnrolling(Exception):
    """The system cannot be unrolled along these bounds; the text says why."""


# ----------------------------------------------------------------------------------------- calls


def calls_of(system: HornSystem) -> dict[str, str]:
    """The rules that enter a function whose summary is used, and the relation of that summary."""
    entries: dict[str, str] = {}
    for join in (rule for rule in system.rules if len(rule.body) > 1):
        if len(join.body) > 2:
            raise NoUnrolling(f"rule {join.name} has more than two body atoms")
        context = next((r for r in system.rules if _enters(r, join)), None)
        if context is None:
            raise NoUnrolling(f"rule {join.name} uses a summary without a call")
        summary = join.body[1].relation
        if entries.setdefault(_head(context), summary) != summary:
            raise NoUnrolling(f"{_head(context)} has two summaries")
    contexts = [rule for rule in system.rules if rule.body and _head(rule) in entries]
    callers = [rule.body[0].relation for rule in contexts]
    if len(set(callers)) != len(callers) or any(len(rule.body) > 1 for rule in contexts):
        raise NoUnrolling("two calls begin at one relation")
    calls = {rule.name: entries[_head(rule)] for rule in contexts}
    for entry in entries:
        _carried(system, calls, entry)
    return calls


def _enters(rule: Rule, join: Rule) -> bool:
    """The rule enters, whenever `join` can be used, the function whose summary `join` asks for."""
    caller, summary = join.body
    if len(rule.body) != 1 or not isinstance(rule.head, Atom) or rule.body[0] != caller:
        return False
    if not all(argument.is_symbol() for argument in caller.arguments):
        return False
    given = rule.head.arguments
    same = given == summary.arguments[: len(given)] and rule.head.relation != summary.relation
    return same and set(conjuncts(rule.constraint)) <= set(conjuncts(join.constraint))


def _carried(system: HornSystem, calls: Mapping[str, str], entry: str) -> None:
    """Every way from the entry to anywhere in its function keeps the parameters, in front.

    And nothing but a call or a fact of the entry leads into the function.
    """
    count = len(system.relations[entry].parameters)
    inside = {entry}
    while True:
        before = len(inside)
        for rule in system.rules:
            if rule.body and rule.name not in calls and rule.body[0].relation in inside:
                inside.add(_head(rule))
        inside.discard("")
        if len(inside) == before:
            break
    for rule in system.rules:
        head = _head(rule)
        if head not in inside or rule.name in calls:
            continue
        if not rule.body:
            if head != entry:
                raise NoUnrolling(f"rule {rule.name} leads into the middle of a function")
            continue
        assert isinstance(rule.head, Atom)
        first = rule.body[0]
        if first.relation not in inside or first.arguments[:count] != rule.head.arguments[:count]:
            raise NoUnrolling(f"rule {rule.name} does not keep the parameters of {entry}")


def _head(rule: Rule) -> str:
    return rule.head.relation if isinstance(rule.head, Atom) else ""


# ----------------------------------------------------------------------------------------- loops


@dataclass(frozen=True)
class Visit:
    """Treat what has arrived at a relation."""

    relation: str


@dataclass(frozen=True)
class Begin:
    """A loop begins: the relation of its head, and the position of its `End`."""

    head: str
    end: int


@dataclass(frozen=True)
class End:
    """A loop ends: go back to the position after its `Begin`, or leave it."""

    head: str
    begin: int


Instruction = Visit | Begin | End


def order_of(
    system: HornSystem, calls: Mapping[str, str], bounds: Mapping[str, int]
) -> list[Instruction]:
    """A program that visits the relations so that all edges go forward or to the head of a loop."""
    edges: dict[str, set[str]] = {name: set() for name in system.relations}
    for rule in system.rules:
        if rule.body and rule.name not in calls and isinstance(rule.head, Atom):
            edges[rule.body[0].relation].add(rule.head.relation)
    code: list[Instruction] = []
    todo: list[tuple[set[str], frozenset[str]] | str | tuple[int, str]] = [
        (set(edges), frozenset())
    ]
    while todo:
        item = todo.pop()
        match item:
            case str():
                code.append(Visit(item))
            case (int() as begin, str() as head):
                code[begin] = Begin(head, len(code))
                code.append(End(head, begin))
            case (set() as inside, frozenset() as cut):
                pieces = _pieces(inside, edges, cut)
                if _is_loop(pieces, inside, edges, cut):
                    first = next((h for h in bounds if h in inside and h not in cut), None)
                    if first is None:
                        raise NoUnrolling(f"no bound for the loop of {min(inside)}")
                    todo.append((len(code), first))
                    code.append(Begin(first, 0))
                    cut = cut | {first}
                    pieces = _pieces(inside, edges, cut)
                todo.extend(_parts_of(pieces, edges, cut))
    return code


def _parts_of(
    pieces: list[set[str]], edges: Mapping[str, set[str]], cut: frozenset[str]
) -> Iterator[tuple[set[str], frozenset[str]] | str]:
    """Loops and single relations, in the order of a stack."""
    for piece in reversed(pieces):
        yield (piece, cut) if _is_loop([piece], piece, edges, cut) else min(piece)


def _is_loop(
    pieces: list[set[str]], inside: set[str], edges: Mapping[str, set[str]], cut: frozenset[str]
) -> bool:
    """All of `inside` is one component, or one relation with an edge to itself."""
    if len(pieces) != 1 or len(inside) != 1:
        return len(pieces) == 1
    (one,) = inside
    return one in edges[one] and one not in cut


def _pieces(inside: set[str], edges: Mapping[str, set[str]], cut: frozenset[str]) -> list[set[str]]:
    """Strongly connected components in topological order, without the edges to `cut` (Kosaraju)."""

    def after(vertex: str) -> list[str]:
        return sorted(w for w in edges[vertex] if w in inside and w not in cut)

    before: dict[str, list[str]] = {v: [] for v in inside}
    for vertex in inside:
        for following in after(vertex):
            before[following].append(vertex)
    finished = list(_postorder(sorted(inside), after, set()))
    placed: set[str] = set()
    pieces = []
    for root in reversed(finished):
        piece = set(_postorder([root], before.__getitem__, placed))
        if piece:
            pieces.append(piece)
    return pieces


def _postorder(
    roots: Iterable[str], after: Callable[[str], list[str]], met: set[str]
) -> Iterator[str]:
    """What a depth-first walk that never enters `met` leaves, in order; `met` grows."""
    for root in roots:
        if root in met:
            continue
        met.add(root)
        stack = [(root, iter(after(root)))]
        while stack:
            vertex, successors = stack[-1]
            following = next((w for w in successors if w not in met), None)
            if following is None:
                stack.pop()
                yield vertex
            else:
                met.add(following)
                stack.append((following, iter(after(following))))
