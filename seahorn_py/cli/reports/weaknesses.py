"""What each property is about, for readers who meet it in the list of a code host."""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.options import Property


@dataclass(frozen=True)
class Rule:
    """A title, what violates the property, how that is mended, and the CWE that it is."""

    name: str
    title: str
    violated: str
    repair: str
    cwe: int

    @property
    def page(self) -> str:
        """The page about this weakness."""
        return f"https://cwe.mitre.org/data/definitions/{self.cwe}.html"


RULES: Mapping[Property, Rule] = {
    Property.UNREACH_CALL: Rule(
        "ErrorReached",
        "An error call is reached or an assertion fails",
        "A run calls an error function, or comes to an assertion whose condition is 0.",
        "Follow the run from its inputs to the assertion; either a step of it is wrong, or the"
        " assertion claims too much.",
        617,
    ),
    Property.NO_DATA_RACE: Rule(
        "DataRace",
        "Two threads access the same memory at once",
        "Two threads access the same bytes, one writes, not both accesses are atomic, and nothing"
        " orders them.",
        "Guard both accesses by the same lock, or make them atomic.",
        362,
    ),
    Property.NO_DEADLOCK: Rule(
        "Deadlock",
        "All threads wait for ever",
        "A run comes to a state in which each thread that has not ended waits for another.",
        "Take locks in the same order everywhere; signal a condition while its lock is held.",
        833,
    ),
    Property.RULE: Rule(
        "RuleOfUse",
        "A rule of use is violated",
        "A run calls functions in an order, or with values, that a rule of use forbids.",
        "`sea-py rules NAME` explains the rule; follow the states of its automaton along the run.",
        573,
    ),
    Property.LTL: Rule(
        "TemporalFormula",
        "A temporal formula does not hold",
        "A run does not fulfil a formula of linear temporal logic.",
        "Follow the values of the formula's variables along the run, and round its cycle.",
        691,
    ),
    Property.VALID_MEMSAFETY: Rule(
        "MemoryUnsafe",
        "Memory is used in a wrong way",
        "A run accesses or frees what is no live object, or loses a block of the heap.",
        "See valid-deref, valid-free and valid-memtrack.",
        119,
    ),
    Property.VALID_DEREF: Rule(
        "InvalidAccess",
        "An access outside of a live object",
        "A run reads or writes before or behind an object, or an object that is freed or left.",
        "Compare the index or the size with that of the object, and look where the object ends its"
        " life.",
        119,
    ),
    Property.VALID_FREE: Rule(
        "InvalidFree",
        "A free of what is no live heap block",
        "A run frees a block twice, or what no allocation returned.",
        "Let one place own the block, and set the pointer to NULL where it is freed.",
        415,
    ),
    Property.VALID_MEMTRACK: Rule(
        "LostBlock",
        "A heap block is lost",
        "No pointer leads to a block any more that was not freed.",
        "Free the block on each way out, errors among them.",
        401,
    ),
    Property.VALID_MEMCLEANUP: Rule(
        "BlockLeft",
        "A heap block is not freed at the end",
        "The program ends while a block of the heap is not freed.",
        "Free the block before the program ends.",
        401,
    ),
    Property.NO_OVERFLOW: Rule(
        "SignedOverflow",
        "Signed arithmetic overflows",
        "The result of signed arithmetic does not fit into its type, which C leaves undefined.",
        "Compare the operands with the limits before, or compute in a wider type.",
        190,
    ),
    Property.NULL_DEREF: Rule(
        "NullAccess",
        "An access through a null pointer",
        "A run accesses memory through a pointer that is null.",
        "Look whether the pointer is null before it is used; allocations may fail.",
        476,
    ),
    Property.BOUNDS: Rule(
        "IndexOutside",
        "A subscript outside of its array",
        "An index is negative, or not less than the number of elements.",
        "Compare the index with the number of elements.",
        129,
    ),
    Property.DIV_BY_ZERO: Rule(
        "DivisionByZero",
        "A division by 0",
        "The right operand of / or % is 0.",
        "Treat a divisor of 0 before the division.",
        369,
    ),
    Property.SHIFT: Rule(
        "WrongShift",
        "A shift by a wrong amount",
        "A shift goes by a negative amount or by the width of its type or more.",
        "Keep the amount between 0 and the width of the promoted left operand.",
        1335,
    ),
    Property.UNINIT: Rule(
        "NoValue",
        "A read of a local variable without a value",
        "A run reads a local variable that nothing was assigned to.",
        "Give the variable a value where it is declared, or on each way to the read.",
        457,
    ),
    Property.UNSIGNED_OVERFLOW: Rule(
        "UnsignedWrap",
        "Unsigned arithmetic wraps",
        "The result of unsigned arithmetic does not fit into its type, so it is reduced.",
        "Compare the operands with the limits before, or compute in a wider type.",
        190,
    ),
    Property.CONVERSION: Rule(
        "ValueChanged",
        "An implicit conversion changes the value",
        "A value does not fit into the type that it is converted to.",
        "Compare the value with the limits of the type, or keep the wider type.",
        681,
    ),
    Property.TERMINATION: Rule(
        "NeedNotEnd",
        "A run never ends",
        "A loop or a recursion goes on for ever with these inputs.",
        "Look for what should change in each round, and at the states that come back.",
        835,
    ),
}
"""Each property has one."""
