"""A process in large pages, of which copies are made sooner."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

LARGE = 1 << 21
"""Bytes of a large page."""

COLLAPSE = 25
"""The advice `MADV_COLLAPSE` of madvise(2), Linux 6.1: put what is there into large pages."""

WRITABLE = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ 00:00 0\s*(?:\[heap\])?$", re.MULTILINE)
"""A line of /proc/self/maps for memory of this process alone that is in no file."""


def in_large_pages() -> int:
    """Put the memory of this process into large pages; how many, 0 where the system cannot."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return 0
    madvise, found = ctypes.CDLL(None).madvise, 0
    for begin, end in WRITABLE.findall(maps.read_text()):
        first, last = -(-int(begin, 16) // LARGE), int(end, 16) // LARGE
        size = (last - first) * LARGE
        if (
            size > 0
            and madvise(ctypes.c_void_p(first * LARGE), ctypes.c_size_t(size), COLLAPSE) == 0
        ):
            found += last - first
    return found
