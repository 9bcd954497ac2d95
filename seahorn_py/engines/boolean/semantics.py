"""What unknown means: three semantics of Boolean programs, as diagrams of transitions.

Gurfinkel, Chechik: Why waste a perfectly good abstraction?, TACAS 2006 (Yasm); Belnap: A useful
four-valued logic, 1977; Ball, Podelski, Rajamani, TACAS 2001 (over-approximation).

    OVER    unknown is either value: what is not reached is not reached in the program
    UNDER   unknown ends the run: what is reached is reached in the program
    BELNAP  unknown is a value of its own; a state is reached for sure if everything on the way was
            known: both conclusions from one analysis, which follows fewer states than OVER

A bit has one variable with OVER and UNDER.  With BELNAP it has two, `known to be true` and `known
to be false`, of which at most one is 1, and a state ends in a bit that says *for sure*.

An expression is a pair of diagrams: where it may be true, and where it may be false.  It is true
for sure where it may not be false; connectives are Kleene's.
"""

from __future__ import annotations

from typing import assert_never

from seahorn_py.base.errors import InternalError
from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.diagrams import Diagram, Space
from seahorn_py.engines.boolean.expressions import (
    And,
    Anything,
    Bit,
    Choose,
    Constant,
    Expression,
    Iff,
    Name,
    Not,
    Or,
    Unknown,
)
from seahorn_py.options import Semantics


@dataclass(frozen=True)
class Pair:
    """Where an expression may be true and where it may be false."""

    true: Diagram
    false: Diagram


@dataclass(frozen=True)
class Meaning:
    """The semantics in a space."""

    space: Space
    semantics: Semantics

    def width(self, bits: int) -> int:
        """How many variables a state of so many bits has."""
        return 2 * bits + 1 if self.semantics is Semantics.BELNAP else bits

    def pair(self, expression: Expression) -> Pair:
        """The two diagrams of an expression over the bits of premises."""
        match expression:
            case Constant(value):
                sides = (self.space.true, self.space.false)
                return Pair(*(sides if value else reversed(sides)))
            case Unknown() | Anything():
                return Pair(self.space.true, self.space.true)
            case Bit(premise, index):
                return self._bit(premise, index)
            case Not(argument):
                inner = self.pair(argument)
                return Pair(inner.false, inner.true)
            case And(parts):
                return self._all([self.pair(p) for p in parts])
            case Or(parts):
                negated = self._all([self.pair(Not(p)) for p in parts])
                return Pair(negated.false, negated.true)
            case Iff(left, right):
                one, other = self.pair(left), self.pair(right)
                same = (one.true & other.true) | (one.false & other.false)
                return Pair(same, (one.true & other.false) | (one.false & other.true))
            case Choose(true_if, false_if):
                one, other = self.pair(true_if), self.pair(false_if)
                return Pair(one.true | ~(other.true & ~other.false), one.false)
            case Name(name):
                raise InternalError(f"the variable {name} is no bit of a rule")
        assert_never(expression)

    def _bit(self, premise: int, index: int) -> Pair:
        if self.semantics is Semantics.BELNAP:
            known, excluded = (self.space.variable(premise, 2 * index + k) for k in (0, 1))
            return Pair(~excluded, ~known)
        variable = self.space.variable(premise, index)
        return Pair(variable, ~variable)

    def _all(self, parts: list[Pair]) -> Pair:
        true, false = self.space.true, self.space.false
        for part in parts:
            true, false = true & part.true, false | part.false
        return Pair(true, false)

    # --------------------------------------------------------------------------- parts of a rule

    def guard(self, guard: Expression) -> Diagram:
        """Where a rule with this guard is taken."""
        pair = self.pair(guard)
        return pair.true & ~pair.false if self.semantics is Semantics.UNDER else pair.true

    def updates(self, index: int, value: Expression) -> list[tuple[int, Pair]]:
        """Each variable of a bit of the head, where it may be 1 and where it may be 0."""
        pair = self.pair(value)
        match self.semantics:
            case Semantics.OVER:
                return [(index, pair)]
            case Semantics.UNDER if value == Anything():
                return [(index, pair)]
            case Semantics.UNDER:
                return [(index, Pair(pair.true & ~pair.false, pair.false & ~pair.true))]
            case Semantics.BELNAP:
                known, excluded = ~pair.false, pair.false & ~pair.true
                both = (2 * index, known), (2 * index + 1, excluded)
                return [(variable, Pair(where, ~where)) for variable, where in both]
        assert_never(self.semantics)

    def sure(self, guard: Expression, premises: list[int]) -> Diagram:
        """With BELNAP: the rule is taken for sure; `premises` are the bits that say so of them."""
        found = ~self.pair(guard).false
        for premise, bit in enumerate(premises):
            found = found & self.space.variable(premise, bit)
        return found

    def concrete(self, states: Diagram, bits: int, column: int) -> Diagram:
        """What the states in column 0 stand for: valuations of the bits, in `column`.

        Bit k has variable k there, with BELNAP variable 2 k.
        """
        if self.semantics is not Semantics.BELNAP:
            pairs = [((0, bit), (column, bit)) for bit in range(bits)]
            return states.substitute(self.space.renaming(pairs)) if pairs else states
        found = states
        for bit in range(bits):
            known, excluded = (self.space.variable(0, 2 * bit + k) for k in (0, 1))
            value = self.space.variable(column, 2 * bit)
            found = found & (~known | value) & ~(excluded & value)
        gone = [(0, variable) for variable in range(self.width(bits))]
        return found.exists(self.space.cube(gone))
