"""Python text as an algebra: the table of operations, instantiated to generate code.

Values and truth values are Python expressions that cost nothing to repeat: numbers and local
variables.  Every primitive adds one assignment to `lines`.  A value of width 1 may be a Python
bool; all others are canonical ints.  Nothing but digits, operators, our own keywords and names made
of a letter and a number gets into the text.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping

from seahorn_py.ir.algebra import Concrete

_CONCRETE = Concrete()
HELPERS: dict[str, Callable[..., object]] = {
    "sdiv": _CONCRETE.sdiv,
    "srem": _CONCRETE.srem,
}


class Source:
    """`Algebra[str, str]`; `namespace` holds the objects that the text refers to by name."""

    def __init__(self, namespace: MutableMapping[str, object]) -> None:
        self.lines: list[str] = []
        self.namespace = namespace
        self._count = 0

    def let(self, expression: str) -> str:
        """A new local variable with the value of the expression."""
        self._count += 1
        name = f"t{self._count}"
        self.lines.append(f"{name} = {expression}")
        return name

    def name(self, thing: object) -> str:
        """A name by which the text can refer to an object."""
        name = f"c{len(self.namespace)}"
        self.namespace[name] = thing
        return name

    def _signed(self, width: int, a: str) -> str:
        """The two's complement value: `(a ^ 2**(w-1)) - 2**(w-1)`."""
        half = 1 << (width - 1)
        return str((int(a) ^ half) - half) if a.isdigit() else f"(({a} ^ {half}) - {half})"

    def _flipped(self, width: int, a: str) -> str:
        """`a` with its sign bit flipped: the unsigned order of these is the signed order."""
        half = 1 << (width - 1)
        return str(int(a) ^ half) if a.isdigit() else f"({a} ^ {half})"

    def _masked(self, width: int, expression: str) -> str:
        return self.let(f"({expression}) & {(1 << width) - 1}")

    def truth(self, value: bool) -> str:
        """A constant truth value."""
        return "1" if value else "0"

    def not_(self, a: str) -> str:
        """Negation."""
        return self.let(f"not {a}")

    def both(self, a: str, b: str) -> str:
        """Conjunction."""
        return self.let(f"{a} and {b}")

    def either(self, a: str, b: str) -> str:
        """Disjunction."""
        return self.let(f"{a} or {b}")

    def iff(self, a: str, b: str) -> str:
        """Equality of truth values."""
        return self.let(f"{a} == {b}")

    def to_bool(self, a: str) -> str:
        """The truth value of an i1."""
        return a

    def of_bool(self, a: str) -> str:
        """The i1 of a truth value."""
        return a

    def ite(self, width: int, condition: str, a: str, b: str) -> str:
        """`a` if the condition holds, else `b`."""
        return self.let(f"{a} if {condition} else {b}")

    def odd(self, width: int, a: str) -> str:
        """The lowest bit is set."""
        return self.let(f"{a} & 1")

    def const(self, width: int, value: int) -> str:
        """A constant."""
        return str(value)

    def add(self, width: int, a: str, b: str) -> str:
        """Sum."""
        return self._masked(width, f"{a} + {b}")

    def sub(self, width: int, a: str, b: str) -> str:
        """Difference."""
        return self._masked(width, f"{a} - {b}")

    def mul(self, width: int, a: str, b: str) -> str:
        """Product."""
        return self._masked(width, f"{a} * {b}")

    def udiv(self, width: int, a: str, b: str) -> str:
        """Unsigned quotient."""
        return self.let(f"{a} // {b}")

    def urem(self, width: int, a: str, b: str) -> str:
        """Unsigned remainder."""
        return self.let(f"{a} % {b}")

    def sdiv(self, width: int, a: str, b: str) -> str:
        """Signed quotient, towards 0."""
        return self.let(f"sdiv({width}, {a}, {b})")

    def srem(self, width: int, a: str, b: str) -> str:
        """Signed remainder with the sign of `a`."""
        return self.let(f"srem({width}, {a}, {b})")

    def shl(self, width: int, a: str, b: str) -> str:
        """`a * 2**b`."""
        return self._masked(width, f"{a} << {b}")

    def lshr(self, width: int, a: str, b: str) -> str:
        """Unsigned `a / 2**b`, rounded down."""
        return self.let(f"{a} >> {b}")

    def ashr(self, width: int, a: str, b: str) -> str:
        """Signed `a / 2**b`, rounded down."""
        return self._masked(width, f"{self._signed(width, a)} >> {b}")

    def and_(self, width: int, a: str, b: str) -> str:
        """Bitwise and."""
        return self.let(f"{a} & {b}")

    def or_(self, width: int, a: str, b: str) -> str:
        """Bitwise or."""
        return self.let(f"{a} | {b}")

    def xor(self, width: int, a: str, b: str) -> str:
        """Bitwise exclusive or."""
        return self.let(f"{a} ^ {b}")

    def eq(self, width: int, a: str, b: str) -> str:
        """Equal."""
        return self.let(f"{a} == {b}")

    def ult(self, width: int, a: str, b: str) -> str:
        """Unsigned less than."""
        return self.let(f"{a} < {b}")

    def ule(self, width: int, a: str, b: str) -> str:
        """Unsigned less than or equal."""
        return self.let(f"{a} <= {b}")

    def slt(self, width: int, a: str, b: str) -> str:
        """Signed less than."""
        return self.let(f"{self._flipped(width, a)} < {self._flipped(width, b)}")

    def sle(self, width: int, a: str, b: str) -> str:
        """Signed less than or equal."""
        return self.let(f"{self._flipped(width, a)} <= {self._flipped(width, b)}")

    def zext(self, width: int, to: int, a: str) -> str:
        """The same unsigned value in a larger width."""
        return a

    def sext(self, width: int, to: int, a: str) -> str:
        """The same signed value in a larger width."""
        return self._masked(to, self._signed(width, a))

    def trunc(self, width: int, to: int, a: str) -> str:
        """The low `to` bits."""
        return self.let(f"{a} & {(1 << to) - 1}")
