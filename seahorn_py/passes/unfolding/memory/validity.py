"""Whether accesses are valid, where the program asks for it and where unfolding expects it."""

from __future__ import annotations

from seahorn_py.ir.program import (
    FALSE,
    NULL,
    TRUE,
    Address,
    Fail,
    IntConst,
    Operand,
    Predicate,
    Register,
    Validity,
)
from seahorn_py.ir.types import IntType
from seahorn_py.passes.unfolding.bounds import Oracle
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.expectations import Expectations
from seahorn_py.passes.unfolding.code.values import (
    Failed,
    Invalid,
    Pointer,
    Unfit,
    Value,
    is_operand,
)
from seahorn_py.passes.unfolding.memory.locations import FIRST_PAGE, Places
from seahorn_py.passes.unfolding.memory.outside import is_indeterminate
from seahorn_py.passes.unfolding.memory.ruling import Ruling
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.state import offset_of
from seahorn_py.passes.unfolding.state.storage import Kind
from seahorn_py.passes.unfolding.state.ways import learned


class Validities:
    """Tells whether accesses in the run that is followed are valid.

    `ruling` tells which options of an address are impossible, as far as the oracle knows.
    """

    def __init__(
        self, code: Code, run: Run, expectations: Expectations, oracle: Oracle | None
    ) -> None:
        self._code = code
        self._run = run
        self._places = Places(code, run)
        self._expectations = expectations
        self.ruling = Ruling(code, run, expectations, oracle)

    def holds(self, kind: Validity, address: Value, size: Operand) -> Operand:
        """Whether an access, a call or a free is valid, as an i1; `address` is no choice."""
        match kind, address:
            case Validity.CALL, Address(str(), 0):
                return TRUE
            case Validity.CALL, Pointer() | Address():
                return FALSE
            case Validity.FREE, _ if address == NULL:
                return TRUE
            case _, Pointer():
                return self._in_object(kind, address, size)
            case _, Address() if isinstance(size, IntConst):
                return TRUE if size.value == 0 else FALSE
            case (Validity.ACCESS | Validity.WRITE, Address() | Register()) if self._is_astray(
                address
            ):
                return self._is_nothing(size)
            case _:
                raise Unfit("whether a pointer from outside is valid")

    def _in_object(self, kind: Validity, pointer: Pointer, size: Operand) -> Operand:
        code = self._code
        found = self._run.objects[pointer.object]
        live = self._run.live(pointer.object)
        offset = offset_of(code, pointer)
        if kind is Validity.FREE:
            at_start = code.compare(Predicate.EQ, offset, IntConst(0, code.word))
            return code.both(at_start, live) if found.kind is Kind.HEAP else FALSE
        size, whole = code.resized(size, code.word), self._run.size(pointer.object)
        fits = code.compare(Predicate.ULE, size, whole)
        room = code.difference(whole, size)
        inside = code.both(fits, code.compare(Predicate.ULE, offset, room))
        if kind is Validity.WRITE and not found.writable:
            inside = FALSE
        return code.either(self._is_nothing(size), code.both(inside, live))

    def _is_nothing(self, size: Operand) -> Operand:
        assert isinstance(size.type, IntType)
        return self._code.compare(Predicate.EQ, size, IntConst(0, size.type))

    def _is_astray(self, address: Value) -> bool:
        """Whether it is made of constants and indices, or of objects without initial value."""
        return self._code.is_astray(address) or is_indeterminate(self._code, address)

    def _is_nowhere(self, address: Value) -> bool:
        if isinstance(address, Address):
            return address.symbol is None and address.offset not in FIRST_PAGE
        return self._is_astray(address)

    def expect_answer(self, address: Value, size: Operand) -> None:
        """Let the run fail here if the program asks about null plus an index, about a number, or
        about what was never written.

        Nobody knows where such an address leads.
        """
        told = choices.each(
            self._code,
            [address],
            lambda a: self._is_nothing(size) if self._is_nowhere(a) else TRUE,
        )
        assert is_operand(told)
        known = self._code.range(told)
        if known is None or known.value != 1:
            self._end_unless(told)

    def expect(self, kind: Validity, address: Value, size: Operand) -> None:
        """Let the run fail here if the access is invalid, since real runs may go on behind it.

        No check is written if the access is known to be valid, as where the program asked before.
        Raises Failed if the access is invalid in any case.
        """
        valid = choices.each(self._code, [address], lambda a: self._expected(kind, a, size))
        assert is_operand(valid)
        known = self._code.range(valid)
        if known is None or known.value is None:
            self._end_unless(valid)
        elif not known.value:
            raise Failed

    def expect_told(self, told: Value) -> None:
        """Let the run fail here unless the condition `told` of `Pointers.telling` holds."""
        assert is_operand(told)
        known = self._code.range(told)
        if known is not None and known.value == 0:
            raise Unfit("a comparison that depends on where objects lie")
        if known is None or known.value is None:
            self._end_unless(told)

    def _end_unless(self, valid: Operand) -> None:
        """Let the run fail unless the condition holds, which is known from here on."""
        code = self._code
        facts = learned(code, valid, True)
        code.draft, failing = code.split(valid, code.origin)
        failing.terminator = Fail(self._expectations.valid(), code.origin)
        if facts is None:
            raise Invalid
        self._run.state.facts.update(facts)

    def _expected(self, kind: Validity, address: Value, size: Operand) -> Operand:
        """Whether an access is valid, or ends the run as those of the first page do."""
        match address:
            case Pointer():
                is_plain = self._is_plain(kind, address, size)
                return TRUE if is_plain else self._in_object(kind, address, size)
            case Address(None, offset) if kind is not Validity.FREE and offset in FIRST_PAGE:
                return TRUE
            case Address():
                return self.holds(kind, address, size)
            case _:
                return FALSE if self._is_astray(address) else TRUE

    def _is_plain(self, kind: Validity, pointer: Pointer, size: Operand) -> bool:
        """Whether intervals show that the access is valid."""
        found = self._run.objects[pointer.object]
        if kind is Validity.FREE or not isinstance(size, IntConst):
            return False
        is_allowed = kind is not Validity.WRITE or found.writable
        lives = self._run.live(pointer.object) == TRUE
        return is_allowed and lives and self._places.is_inside(pointer, size.value)
