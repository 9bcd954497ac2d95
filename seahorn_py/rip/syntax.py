"""Abstract syntax: what a `.rip` file says, with the line of each construct."""

from __future__ import annotations

from enum import Enum

from seahorn_py.base.records import dataclass


class Type(Enum):
    """Unlimited integers and truth values."""

    INT = "int"
    BOOL = "bool"


class Operator(Enum):
    """Operators by their text; `-` and `!` are unary too.  `/` rounds towards zero."""

    OR = "||"
    AND = "&&"
    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    NOT = "!"


ARITHMETIC = frozenset(
    {Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE},
)
CONNECTIVES = frozenset({Operator.AND, Operator.OR})
EQUALITIES = frozenset({Operator.EQUAL, Operator.UNEQUAL})


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or a truth value."""

    line: int
    value: int | bool


@dataclass(frozen=True, slots=True)
class Name:
    """The value of a variable."""

    line: int
    name: str


@dataclass(frozen=True, slots=True)
class Unary:
    """`-` or `!`."""

    line: int
    operator: Operator
    argument: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands; `&&` and `||` evaluate the second only if it matters."""

    line: int
    operator: Operator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise`; one of the two is evaluated."""

    line: int
    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Literal | Name | Unary | Binary | Conditional


def chain(expression: Binary) -> tuple[Expression, list[Binary]]:
    """The first operand of `a - b + c ...`, and what is done to it, in order: no part nests."""
    first: Expression = expression
    found = []
    while isinstance(first, Binary):
        found.append(first)
        first = first.left
    return first, found[::-1]


@dataclass(frozen=True, slots=True)
class If:
    """A branch; without `else` the other side is empty."""

    line: int
    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class While:
    """A loop."""

    line: int
    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call; globals carry arguments and results."""

    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Assign:
    """All expressions are evaluated before any variable changes."""

    line: int
    names: tuple[str, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Assert:
    """The run fails if the condition is false."""

    line: int
    condition: Expression


@dataclass(frozen=True, slots=True)
class Assume:
    """The run ends if the condition is false."""

    line: int
    condition: Expression


Statement = If | While | Call | Assign | Assert | Assume


@dataclass(frozen=True, slots=True)
class Variable:
    """A declaration."""

    line: int
    type: Type
    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A procedure without parameters."""

    line: int
    name: str
    variables: tuple[Variable, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Globals and functions; a run starts in `main`.  `file` is for messages."""

    file: str
    variables: tuple[Variable, ...]
    functions: tuple[Function, ...]

    def function(self, name: str) -> Function:
        """The function of this name, which exists."""
        return next(f for f in self.functions if f.name == name)
