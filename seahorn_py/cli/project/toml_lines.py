"""In which lines of a TOML text its tables and keys stand, which `tomllib` does not tell."""

from __future__ import annotations

from collections import Counter

from seahorn_py.base.patterns import pattern

_HEADER = pattern(r"""\s*\[\[?\s*["']?([\w-]+)["']?\s*\]\]?\s*(?:#.*)?$""")
_KEY = pattern(r"""\s*["']?([\w-]+)["']?\s*=""")

Table = tuple[str, int]
"""The name of a table, and which one of that name it is, from 0; "" for what is above them all."""


class Lines:
    """The first line of each table, and that of each key in it.

    A text of several lines that looks like a header or a key misleads, by a few lines.
    """

    def __init__(self, text: str) -> None:
        self._found: dict[tuple[Table, str], int] = {}
        counts: Counter[str] = Counter()
        table: Table = ("", 0)
        for number, line in enumerate(text.splitlines(), 1):
            header, key = _HEADER.match(line), _KEY.match(line)
            if header is not None:
                table = (header[1], counts[header[1]])
                counts[header[1]] += 1
                self._found[table, ""] = number
            elif key is not None:
                self._found.setdefault((table, key[1]), number)

    def of(self, table: Table, key: str = "") -> int:
        """The line of a key, or of the header of its table if it has none; 0 for neither."""
        return self._found.get((table, key)) or self._found.get((table, ""), 0)
