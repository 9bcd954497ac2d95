"""The body of a function cut into basic blocks, still as text."""

from __future__ import annotations

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.lines import LABEL, TARGET


@dataclass(frozen=True, slots=True)
class BlockText:
    """A basic block: its label, its lines (the last is the terminator), and its successors."""

    label: str
    lines: tuple[str, ...]
    successors: tuple[str, ...]


def split_blocks(lines: tuple[str, ...], entry: str) -> dict[str, BlockText]:
    """Cut a body into blocks; `entry` is the label of the first if it is not written."""
    blocks: dict[str, BlockText] = {}
    label, body = entry, list[str]()
    switch: list[str] = []
    for line in lines:
        if switch or (line.startswith("  switch ") and "]" not in line):
            switch.append(line)
            if line.startswith("  ]"):
                body.append("".join(switch))
                switch = []
        elif line.startswith("  "):
            body.append(line)
        elif found := LABEL.match(line):
            if body:
                blocks[label] = _block(label, body)
            label, body = found[1], []
    if body:
        blocks[label] = _block(label, body)
    return blocks


def _block(label: str, body: list[str]) -> BlockText:
    terminator = body[-1]
    if "label %" not in terminator:
        return BlockText(label, tuple(body), ())
    targets = dict.fromkeys(TARGET.findall(terminator))
    return BlockText(label, tuple(body), tuple(targets))


def reverse_postorder(blocks: dict[str, BlockText]) -> list[BlockText]:
    """The blocks that the first one reaches, definitions before their uses (loops apart)."""
    entry = next(iter(blocks))
    order: list[str] = []
    seen = {entry}
    stack = [(entry, iter(reversed(blocks[entry].successors)))]
    while stack:
        label, rest = stack[-1]
        following = next((s for s in rest if s not in seen), None)
        if following is None:
            order.append(label)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(reversed(blocks[following].successors))))
    return [blocks[label] for label in reversed(order)]
