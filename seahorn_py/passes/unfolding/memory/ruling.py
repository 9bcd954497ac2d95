"""Options of an address that no run takes: an oracle rules them out, and a check says so.

An option that comes from outside of the program stands in the way of an access.  A read gives an
arbitrary value; after a write all that was written is arbitrary, since others can reach it.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.ir.program import FALSE, NULL, TRUE, Fail, Operand, Register
from seahorn_py.passes.unfolding.bounds import Oracle
from seahorn_py.passes.unfolding.code import choices
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.expectations import Expectations
from seahorn_py.passes.unfolding.code.values import Choice, Pointer, Value
from seahorn_py.passes.unfolding.state.followed import Run
from seahorn_py.passes.unfolding.state.ways import learned


class Ruling:
    """Rules options of addresses out, in the run that is followed."""

    def __init__(
        self, code: Code, run: Run, expectations: Expectations, oracle: Oracle | None
    ) -> None:
        self._code = code
        self._run = run
        self._expectations = expectations
        self._oracle = oracle

    def possible(self, address: Value) -> Value:
        """The address with null in the place of options from outside that no run takes."""
        if not isinstance(address, Choice) or not any(map(_is_own, _options(address))):
            return address
        return self._kept(address, TRUE)

    def _kept(self, value: Value, condition: Operand) -> Value:
        code = self._code
        value = choices.narrowed(code, value)
        if isinstance(value, Choice):
            possible = dict(choices.options(code, value))
            return Choice(
                value.selector,
                tuple(
                    self._kept(option, code.both(condition, choices.is_option(code, value, number)))
                    if number in possible
                    else option
                    for number, option in enumerate(value.options)
                ),
            )
        is_outside = isinstance(value, Register) and not code.is_astray(value)
        return NULL if is_outside and self._is_ruled_out(condition) else value

    def _is_ruled_out(self, condition: Operand) -> bool:
        """Whether no run has the condition; if the oracle says so, it is known from here on."""
        code = self._code
        if condition == FALSE or learned(code, condition, True) is None:
            return True
        if self._oracle is None or self._oracle.possible(code, condition):
            return False
        failing, code.draft = code.split(condition, code.origin)
        failing.terminator = Fail(self._expectations.impossible(code.origin), code.origin)
        self._run.state.facts.update(learned(code, condition, False) or {})
        return True


def _options(choice: Choice) -> Iterator[Value]:
    for option in choice.options:
        if isinstance(option, Choice):
            yield from _options(option)
        else:
            yield option


def _is_own(value: Value) -> bool:
    """Whether it leads to an object of the program."""
    return isinstance(value, Pointer)
