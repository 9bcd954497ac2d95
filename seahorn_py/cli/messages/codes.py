"""Which code a message has.  A code means the same for ever; a message without one of its own has
the last code of its kind.
"""

from __future__ import annotations

import re
from functools import cache

from seahorn_py.base.patterns import pattern
from seahorn_py.cli.messages.message import Message

CODE = pattern(r" \[([ULE]\d{3})\](?=$|\n)")
"""How a code stands behind a message."""

_FILE = pattern(r"[^\s:]*/[^\s:]*|[^\s:]+\.(?:[chi]|ll|bc|o|toml|ya?ml|json|prp|smt2)\b")
"""The name of a file, which says nothing of the kind of a message."""


def with_code(kind: str, text: str) -> str:
    """The text with the code that it has among the messages of a kind: `U`, `L` or `E`."""
    first, newline, rest = text.partition("\n")
    return f"{first} [{code_of(kind, text)}]{newline}{rest}"


def code_of(kind: str, text: str) -> str:
    """The code of a message of a kind."""
    said = _FILE.sub("FILE", text)
    return next(m.code for m in known() if m.code[0] == kind and re.search(m.pattern, said))


@cache
def known() -> tuple[Message, ...]:
    """All kinds of messages; those that fit many texts come last in their kind."""
    from seahorn_py.cli.messages.ledger_entries import LEDGER_ENTRIES
    from seahorn_py.cli.messages.refusals import REFUSALS
    from seahorn_py.cli.messages.unknowns import UNKNOWNS

    return (*UNKNOWNS, *LEDGER_ENTRIES, *REFUSALS)
