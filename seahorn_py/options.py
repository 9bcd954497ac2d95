"""Options of a verification, as small frozen dataclasses; the command line derives from them."""

from __future__ import annotations

from dataclasses import dataclass, field
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


class Encodings(Enum):
    """INT: unbounded integers with wrap obligations.  BV: bit-vectors.  AUTO: both."""

    AUTO = "auto"
    INT = "int"
    BV = "bv"


class Overflow(Enum):
    """WRAP: two's complement.  ASSUME: does not happen (recorded).  CHECK: it is an error."""

    WRAP = "wrap"
    ASSUME = "assume"
    CHECK = "check"


class Track(Enum):
    """What is modelled.  REG: registers only.  PTR: pointers too.  MEM: what memory holds too."""

    REG = "reg"
    PTR = "ptr"
    MEM = "mem"


class Step(Enum):
    """What a Horn rule spans.  LARGE: a loop-free region between cut points."""

    LARGE = "large"


@dataclass(frozen=True)
class VerifyOptions:
    """A verification: `timeout` in wall seconds, `memory_mib` a process, `jobs` processes.

    `strict` turns an answer that rests on any ledger entry into unknown.  `executions` is the time
    in seconds for runs on random and boundary inputs before solving.
    """

    frontend: FrontendOptions = field(default_factory=FrontendOptions)
    encoding: Encodings = Encodings.AUTO
    overflow: Overflow = Overflow.WRAP
    timeout: float = 60.0
    memory_mib: int = 4096
    jobs: int = 2
    strict: bool = False
    track: Track = Track.MEM
    step: Step = Step.LARGE
    executions: float = 0.4
