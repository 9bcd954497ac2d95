"""A body of LLVM text that is written anew, with blocks that are split."""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import LABEL
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME

_INCOMING = pattern(rf"(, %)({NAME})( \])")


class Body:
    """The lines as far as they are written; phis are told of blocks whose ends have new labels."""

    def __init__(self, function: FunctionText, inputs: Inputs) -> None:
        self._inputs = inputs
        self._lines: list[str] = []
        self._block = entry_label(function)
        self._last: dict[str, str] = {}

    def label(self) -> str:
        """A label that the function does not have."""
        return self._inputs.name()[1:]

    def keep(self, *lines: str) -> None:
        """Write lines."""
        for line in lines:
            label = LABEL.match(line) if line[:1] not in ("", " ") else None
            if label:
                self._block = label[1]
        self._lines += lines

    def add(self, *lines: str) -> None:
        """Write lines with blocks of their own, in the middle of one of the function."""
        self._lines += lines

    def begin(self, label: str) -> None:
        """Split the block here: what follows has a label of its own."""
        self._lines.append(f"{label}:")
        self._last[self._block] = label

    def finished(self, start: Sequence[str]) -> list[str]:
        """All lines, those at the start of the function first."""
        lines = [self._renamed(line) if " = phi " in line else line for line in self._lines]
        first = 1 if lines and LABEL.match(lines[0]) else 0
        return [*lines[:first], *start, *lines[first:]]

    def _renamed(self, line: str) -> str:
        return _INCOMING.sub(lambda m: m[1] + self._last.get(m[2], m[2]) + m[3], line)


def entry_label(function: FunctionText) -> str:
    """The label of the first block, which takes the next number if it is not written."""
    names = (parameter.rpartition(" %")[2] for parameter in function.parameters)
    return str(max((int(name) for name in names if name.isdigit()), default=-1) + 1)
