"""Registers that are not defined on every way to a use of them."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.blocks import BlockText, reverse_postorder, split_blocks
from seahorn_py.frontend.llvmtext.lines import REGISTER
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.jumps.splitting import entry_label

_DEFINITION = pattern(rf"  (%{NAME}) = ")
_INCOMING = pattern(rf"\[ (%{NAME}), %({NAME}) \]")


def has_unset_register(function: FunctionText) -> bool:
    """Whether some way to a use of a register does not define it."""
    order = reverse_postorder(split_blocks(function.lines, entry_label(function)))
    sources = _sources(order)
    known = _known_behind(order, sources)
    everything = set[str]().union(*map(_defined, order))
    return any(
        register
        for block in order
        for register in _unset(block, _before(sources[block.label], known), known, everything)
    )


def _unset(
    block: BlockText, before: set[str], known: dict[str, set[str]], everything: set[str]
) -> Iterator[str]:
    now = set(before)
    for line in block.lines:
        if line.startswith("    #"):
            continue
        if " = phi " in line:
            yield from (r for r, label in _INCOMING.findall(line) if r not in known.get(label, {r}))
        found = _DEFINITION.match(line)
        if " = phi " not in line:
            used = REGISTER.findall(line, found.end() if found else 0)
            yield from (r for r in used if r in everything and r not in now)
        if found:
            now.add(found[1])


def _known_behind(order: list[BlockText], sources: dict[str, list[str]]) -> dict[str, set[str]]:
    """What is defined on every way to the end of each block: the greatest solution."""
    known: dict[str, set[str]] = {}
    changed = True
    while changed:
        changed = False
        for block in order:
            after = _before(sources[block.label], known) | _defined(block)
            if known.get(block.label) != after:
                known[block.label] = after
                changed = True
    return known


def _sources(order: list[BlockText]) -> dict[str, list[str]]:
    sources: dict[str, list[str]] = {block.label: [] for block in order}
    for block in order:
        for successor in block.successors:
            sources[successor].append(block.label)
    return sources


def _before(sources: list[str], known: dict[str, set[str]]) -> set[str]:
    """What all of these blocks that were looked at define; the first one has no sources."""
    ends = [known[label] for label in sources if label in known]
    return set.intersection(*ends) if ends else set()


def _defined(block: BlockText) -> set[str]:
    return {m[1] for line in block.lines if (m := _DEFINITION.match(line))}
