"""Which branches decide whether a run passes a block.

J. Ferrante, K. J. Ottenstein, J. D. Warren: "The program dependence graph and its use in
optimization", TOPLAS 9(3), 1987: a block depends on a branch of which one way always leads to the
block and another may pass it by.  Immediate postdominators after K. D. Cooper, T. J. Harvey,
K. Kennedy: "A simple, fast dominance algorithm", 2001.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import loop_heads, reached
from seahorn_py.ir.program import Function
from seahorn_py.ir.traverse import targets

EXIT = ""
"""Where all ways out of a function meet; no block has this label."""

Edges = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Dependence:
    """`meets` has the first block that all ways from a block lead to; `deciding` the branches."""

    meets: Mapping[str, str]
    deciding: Mapping[str, frozenset[str]]


def dependence(function: Function, left_out: Collection[str] = ()) -> Dependence:
    """The dependences of a function without the blocks that are left out.

    From a loop without an end a run is taken to leave the function at the head.
    """
    follow = _edges(function, left_out)
    meets = _meets(follow)
    deciding: dict[str, set[str]] = {label: set() for label in follow}
    for label, following in follow.items():
        for target in following if len(following) > 1 else ():
            runner = target
            while runner != meets[label]:
                deciding[runner].add(label)
                runner = meets[runner]
    return Dependence(meets, {label: frozenset(found) for label, found in deciding.items()})


def _edges(function: Function, left_out: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The blocks that can be reached, with what comes next; from all of them `EXIT` is reached."""
    every = {b.label: targets(b.terminator) for b in function.blocks if b.label not in left_out}
    open_ = {label: tuple(t for t in ts if t in every) for label, ts in every.items()}
    labels = reached([function.entry.label], open_)
    follow = {label: open_[label] or (EXIT,) for label in open_ if label in labels}
    ending = reached([EXIT], _reversed(follow))
    for head in loop_heads(function):
        if head in follow and head not in ending:
            follow[head] = (*follow[head], EXIT)
    return follow


def _reversed(follow: Edges) -> dict[str, list[str]]:
    before: dict[str, list[str]] = {label: [] for label in (EXIT, *follow)}
    for label, following in follow.items():
        for target in following:
            before[target].append(label)
    return before


def _meets(follow: Edges) -> dict[str, str]:
    """Label -> its immediate postdominator."""
    order = list(_postorder(_reversed(follow)))
    number = {label: k for k, label in enumerate(order)}
    found: dict[str, str] = {EXIT: EXIT}
    changed = True
    while changed:
        changed = False
        for label in reversed(order[:-1]):
            known = [target for target in follow[label] if target in found]
            meeting = known[0]
            for target in known[1:]:
                meeting = _common(meeting, target, found, number)
            if found.get(label) != meeting:
                found[label], changed = meeting, True
    return found


def _common(a: str, b: str, found: Mapping[str, str], number: Mapping[str, int]) -> str:
    while a != b:
        while number[a] < number[b]:
            a = found[a]
        while number[b] < number[a]:
            b = found[b]
    return a


def _postorder(before: Mapping[str, list[str]]) -> Iterator[str]:
    """The labels in postorder of a search against the edges, from `EXIT`, which comes last."""
    seen = {EXIT}
    stack = [(EXIT, iter(before[EXIT]))]
    while stack:
        label, rest = stack[-1]
        following = next((one for one in rest if one not in seen), None)
        if following is None:
            stack.pop()
            yield label
        else:
            seen.add(following)
            stack.append((following, iter(before[following])))
