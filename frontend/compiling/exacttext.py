"""Functions of the C library that the compiler has in Zig, as LLVM text that is linked like models.

Only exact functions are taken, under the names of C: what is optimised is made plain again, so that
nothing but what the instructions say is assumed of their callers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from seahorn_py.base.patterns import pattern

NAMES = frozenset(
    {
        *("memchr", "memrchr", "memmem", "mempcpy", "strcpy", "stpcpy", "strncpy", "stpncpy"),
        *("strcat", "strncat", "strlcpy", "strlcat", "strnlen", "strchr", "strrchr", "strchrnul"),
        *("strstr", "strspn", "strcspn", "strpbrk", "strtok", "strtok_r", "strsep"),
        *("ffs", "ffsl", "ffsll", "insque", "remque"),
        *("wcslen", "wcsnlen", "wcscpy", "wcpcpy", "wcsncpy", "wcpncpy", "wcscat", "wcschr"),
        *("wcsrchr", "wcsstr", "wcsspn", "wcscspn", "wcspbrk", "wmemchr", "wmemcpy", "wmemmove"),
        *("wmemset",),
    }
)
"""The exact functions that are taken.

The others of Zig are wrong: memccpy, index, wcsncat, and the end that strtol gives.
"""

NUMBERS = frozenset(
    {
        *("strtol", "strtoll", "strtoul", "strtoull", "strtoimax", "strtoumax"),
        *("atoi", "atol", "atoll", "__isoc23_strtol", "__isoc23_strtoul", "__xpg_basename"),
    }
)
"""Exact functions whose sources in C are those of musl (`libc/exact.c`)."""

TARGETS = {32: ("x86-linux-musl", "i686-mmx"), 64: ("x86_64-linux-musl", "x86_64-mmx-sse-sse2")}
"""Targets, and processors without vectors, by width."""

_ALIAS = pattern(r"^@(\w+) = weak_odr hidden alias [^@\n]*@([\w.]+)\n", re.MULTILINE)
_ASSUMED = pattern(
    r"(?: (?:noalias|nonnull|readonly|writeonly|readnone|returned|noundef|dead_on_unwind"
    r"|unnamed_addr|local_unnamed_addr|captures\([^()]*\)|dereferenceable(?:_or_null)?\(\d+\)"
    r"|range\([^()]*\)|sret\([^()]*\)|fastcc|nuw|nsw|inbounds|exact|disjoint|nneg|samesign)"
    r"|(?<!,) align \d+)(?=[ ,)])"
)
_GROUP = pattern(r" #\d+(?= \{$|$)", re.MULTILINE)
_ATTACHED = pattern(r", ![\w.]+ !\d+")
_FLAGS = '!llvm.module.flags = !{!0}\n!0 = !{i32 2, !"Debug Info Version", i32 3}\n'


def plain(text: str, layout: str) -> str:
    """The text with functions of C in the place of aliases, and of the `layout` of the models."""
    chosen = {real: name for name, real in _ALIAS.findall(text) if name in NAMES}
    text = _ALIAS.sub("", text)
    for real, name in chosen.items():
        text = re.sub(rf"@{re.escape(real)}(?![\w.])", f"@{name}", text)
    return "\n".join([layout, *_lines(text, frozenset(chosen.values())), _FLAGS])


def _lines(text: str, public: frozenset[str]) -> Iterator[str]:
    """The entities without what only optimisers, linkers and debuggers look at."""
    for line in text.split("\n"):
        if line.startswith((";", "!", "attributes", "target", "source")) or "(metadata " in line:
            continue
        line = _GROUP.sub("", _ATTACHED.sub("", line.replace(" tail call ", " call ")))
        line = _ASSUMED.sub("", line)
        if line.startswith("define "):
            line = re.sub(
                r"^define (?:private|hidden|internal|weak_odr) ", "define internal ", line
            )
            name = line.partition("@")[2].partition("(")[0]
            if name in public:
                line = line.replace("define internal ", "define dso_local ", 1)
        yield line
