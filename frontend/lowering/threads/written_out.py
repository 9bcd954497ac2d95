"""Loops that make threads or wait for their ends, as copies of their bodies.

LLVM counts the rounds: here is only said which loops it should unroll.  So each thread has a place
of its own that makes it, and who waits for which one is known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.frontend.llvmtext.blocks import BlockText, split_blocks
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.ir.graph import strong_components

_LOOP = re.compile(r", !llvm\.loop !\d+")
_WISHES = "full", "disable"
_OF_THREADS = (f"@{primitives.CREATE}(", f"@{primitives.ENDED}(")


def with_wishes(module: ModuleText) -> ModuleText | None:
    """The module that says which loops are to be unrolled; None if none is."""
    first = max(map(int, module.metadata), default=0) + 1
    functions = {n: _marked(f, first) for n, f in module.functions.items()}
    wish = f", !llvm.loop !{first}"
    if not any(line.endswith(wish) for f in functions.values() for line in f.lines):
        return None
    metadata = dict(module.metadata)
    for k, name in enumerate(_WISHES):
        metadata[str(first + k)] = f"distinct !{{!{first + k}, !{first + k + len(_WISHES)}}}"
        metadata[str(first + k + len(_WISHES))] = f'!{{!"llvm.loop.unroll.{name}"}}'
    return replace(module, functions=functions, metadata=metadata)


def _marked(function: FunctionText, first: int) -> FunctionText:
    """The function whose outermost loops have wishes at their ends."""
    begin = next((line for line in function.lines if not line.startswith("    #")), "")
    blocks = split_blocks(function.lines, begin.partition(":")[0] if begin[:1] != " " else "")
    ends: dict[str, int] = {}
    graph = {label: block.successors for label, block in blocks.items()}
    for component in strong_components(graph, graph.__getitem__):
        is_of_threads = any(
            name in line
            for label in component
            for line in blocks[label].lines
            for name in _OF_THREADS
        )
        for label in _ends(frozenset(component), blocks):
            ends[label] = first + (not is_of_threads)
    lines = list[str]()
    label = next(iter(blocks), "")
    for line in function.lines:
        if not line.startswith(" ") and line:
            label = line.partition(":")[0]
        is_end = label in ends and line.startswith("  br ")
        lines.append(f"{_LOOP.sub('', line)}, !llvm.loop !{ends[label]}" if is_end else line)
    return replace(function, lines=tuple(lines))


def _ends(component: frozenset[str], blocks: Mapping[str, BlockText]) -> frozenset[str]:
    """The blocks that lead back to the only begin of a loop."""
    begins = {
        target
        for label, block in blocks.items()
        if label not in component
        for target in block.successors
        if target in component
    }
    if len(begins) != 1:
        return frozenset()
    return frozenset(n for n in component if not begins.isdisjoint(blocks[n].successors))
