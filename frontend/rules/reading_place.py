"""Where a module is read, and the new places in it."""

from __future__ import annotations

import re
from dataclasses import field

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.ctypes_text import CTypes
from seahorn_py.frontend.llvmtext.metadata import Metadata
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.rules.monitor import RESULT

_LINE = pattern(r"\bline: (\d+)")


@dataclass
class ReadingPlace:
    """The function that is being read, and new places in it."""

    parts: ModuleText
    function: str = ""
    subprogram: str = ""
    is_first: bool = False
    is_fresh: bool = False
    locations: list[str] = field(default_factory=list)
    wider: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The registers that are the low bits of others, with the type and name of these."""

    def begin(self, function: str, subprogram: str | None) -> None:
        """A definition begins."""
        self.function, self.subprogram, self.is_first = function, subprogram or "", True
        self.is_fresh = True
        self.wider = {}

    def end(self) -> None:
        """A definition has ended."""
        self.function = ""

    def location(self) -> str:
        """The place of the function itself."""
        if not self.subprogram:
            return ""
        number = 1 + max(map(int, self.parts.metadata)) + len(self.locations)
        found = _LINE.search(self.parts.metadata[self.subprogram])
        line = found[1] if found else "0"
        self.locations.append(f"!{number} = !DILocation(line: {line}, scope: !{self.subprogram})")
        return f", !dbg !{number}"

    def types(self, name: str) -> dict[int, tuple[str, bool | None]]:
        """The C types of the values of an event by position, as far as the text tells."""
        metadata = Metadata(self.parts.metadata)
        types = CTypes(metadata)
        function: FunctionText | None = self.parts.signature(name)
        number = re.search(r"!(\d+)", function.debug) if function else None
        if number is None:
            return {}
        listed = metadata.elements(metadata.follow(number[1], "type").reference("types"))
        found: dict[int, tuple[str, bool | None]] = {}
        for k, kind in enumerate(listed, RESULT):
            if kind is not None:
                plain = types.stripped(kind)
                found[k] = (types.text(plain), types.outline(plain)[1])
        return found
