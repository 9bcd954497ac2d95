"""Regular expressions of modules, compiled when they are first used.

To compile one takes 0.3 ms and more.  A run imports some hundred of them and uses a third.
`pattern` takes what `re.compile` takes and gives what behaves like its result, but it must not be
handed to functions of `re`, which know their own type only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

__all__ = ["compile_all", "pattern"]

_made: WeakSet[Any] = WeakSet()
"""Those of all modules."""

_USES = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer", "pattern")

if TYPE_CHECKING:
    from re import compile as pattern
else:

    class pattern:
        """As `re.compile`."""

        def __init__(self, text: str | bytes, flags: int = 0) -> None:
            self._given = text, flags
            _made.add(self)

        def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
            """Copies are compiled when they are used."""
            return type(self), self._given

        def __getattr__(self, name: str) -> Any:
            """What the compiled expression has of that name, kept so that later uses are direct."""
            compiled = re.compile(*self._given)
            self.__dict__.update((use, getattr(compiled, use)) for use in _USES)
            return getattr(compiled, name)


def compile_all() -> None:
    """Compile all that there are, for the copies of this process."""
    for one in list(_made):
        one.match  # noqa: B018  that compiles it
