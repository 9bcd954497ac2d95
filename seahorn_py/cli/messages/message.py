"""What there is to know about a kind of message."""

from __future__ import annotations

from seahorn_py.base.records import dataclass


@dataclass(frozen=True)
class Message:
    """A kind of message: its code and title, the texts that it has, and what to know about it.

    `pattern` is a regular expression for some part of the text.  `example` is a program or a
    command that leads to it, `repair` says what to do.
    """

    code: str
    title: str
    pattern: str
    meaning: str
    example: str
    repair: str
