"""Boolean programs as texts: procedures of labelled statements, jumps instead of structure."""

from __future__ import annotations

from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.expressions import Expression

INIT = "sea.init"
"""The procedure in which runs start; without one of this name it is `main`."""


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing."""


@dataclass(frozen=True, slots=True)
class Assign:
    """All values are worked out before any variable changes."""

    names: tuple[str, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Assume:
    """The run goes on where the condition is true."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Assert:
    """An error where the condition is false."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Goto:
    """On to any of the labels."""

    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call; what it returns goes to variables."""

    names: tuple[str, ...]
    procedure: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Return:
    """Back to the caller."""

    values: tuple[Expression, ...]


Action = Skip | Assign | Assume | Assert | Goto | Call | Return


@dataclass(frozen=True, slots=True)
class Statement:
    """An action with the labels that lead to it, its line in a text, and what it stands for."""

    action: Action
    labels: tuple[str, ...] = ()
    line: int = 0
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Procedure:
    """`results` values are returned; states that `enforce` excludes stand for nothing."""

    name: str
    parameters: tuple[str, ...]
    results: int
    locals: tuple[str, ...]
    body: tuple[Statement, ...]
    enforce: Expression
    line: int = 0


@dataclass(frozen=True, slots=True)
class BooleanProgram:
    """Runs start in the procedure `entry`.  `remarks` explain variables."""

    globals: tuple[str, ...]
    procedures: tuple[Procedure, ...]
    entry: str = "main"
    remarks: tuple[str, ...] = ()
