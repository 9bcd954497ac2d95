"""Options of a verification, as small frozen dataclasses; the command line derives from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Property(Enum):
    """What is checked."""

    UNREACH_CALL = "unreach-call"


class Inlining(Enum):
    """AUTO: functions that are small and not recursive.  NONE: nothing.  ALL: all but recursion."""

    AUTO = "auto"
    NONE = "none"
    ALL = "all"


@dataclass(frozen=True)
class FrontendOptions:
    """From C text to a program.

    `bits` is 32 or 64.  `property` None stands for every error call there is.  `clang` is another
    compiler than the bundled one.  `error_functions` and `error_labels` are further events.
    """

    bits: int = 64
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    clang: Path | None = None
    property: Property | None = None
    inlining: Inlining = Inlining.AUTO
    error_functions: tuple[str, ...] = ()
    error_labels: tuple[str, ...] = ()
