"""Choices among several values: a computation with a choice is made with each of its options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from seahorn_py.ir.program import TRUE, IntConst, Operand, Predicate, Register
from seahorn_py.passes.unfolding.code.code import Code
from seahorn_py.passes.unfolding.code.values import SELECTOR, Choice, Invalid, Value, is_number


def narrowed(code: Code, value: Value) -> Value:
    """The value without the options that the facts rule out."""
    while isinstance(value, Choice):
        range_ = code.range(value.selector)
        assert range_ is not None
        low, high = range_.unsigned
        if low != high or low >= len(value.options):
            return value
        value = value.options[low]
    return value


def options(code: Code, choice: Choice) -> Iterator[tuple[int, Value]]:
    """The options that are possible, with their numbers."""
    range_ = code.range(choice.selector)
    assert range_ is not None
    low, high = range_.unsigned
    for number, option in enumerate(choice.options):
        if low <= number <= high:
            yield number, option


def is_option(code: Code, choice: Choice, number: int) -> Operand:
    """Whether it is the option of that number, as an i1."""
    return code.compare(Predicate.EQ, choice.selector, IntConst(number, SELECTOR))


def each(code: Code, values: Sequence[Value], compute: Callable[..., Value]) -> Value:
    """What `compute` gives for the values; a choice of results if some of the values are choices.

    Choices by one selector take the same option.  An option for which `compute` raises Invalid is
    left out; Invalid if no option is left.
    """
    values = [narrowed(code, value) for value in values]
    at = next((k for k, value in enumerate(values) if isinstance(value, Choice)), None)
    if at is None:
        return compute(*values)
    choice = values[at]
    assert isinstance(choice, Choice)
    found: list[tuple[int, Value]] = []
    for number, _ in options(code, choice):
        meant = [_meant(value, choice.selector, number) for value in values]
        with suppress(Invalid):
            found.append((number, each(code, meant, compute)))
    if not found:
        raise Invalid
    return chosen(code, choice, found)


def _meant(value: Value, selector: Register, number: int) -> Value:
    """The value where the selector is that number."""
    if isinstance(value, Choice) and value.selector == selector and number < len(value.options):
        return value.options[number]
    return value


def chosen(code: Code, choice: Choice, results: Sequence[tuple[int, Value]]) -> Value:
    """The result of the option that the choice takes; `results` has them by number of option."""
    values = [value for _, value in results]
    if all(value == values[0] for value in values):
        return values[0]
    kinds = {value.type for value in values if is_number(value)}
    if len(kinds) == 1 and all(is_number(value) for value in values):
        found = _number(values[-1])
        for number, value in reversed(results[:-1]):
            found = code.select(is_option(code, choice, number), _number(value), found)
        return found
    by_number = dict(results)
    filled = (by_number.get(k, values[0]) for k in range(len(choice.options)))
    return Choice(choice.selector, tuple(filled))


def _number(value: Value) -> Operand:
    assert is_number(value)
    return value


def one_of(code: Code, condition: Operand, then: Value, otherwise: Value) -> Value:
    """`condition ? then : otherwise`."""
    if isinstance(condition, IntConst):
        return then if condition == TRUE else otherwise
    if then == otherwise:
        return then
    if is_number(then) and is_number(otherwise) and then.type == otherwise.type:
        return code.select(condition, then, otherwise)
    selector = code.select(condition, IntConst(0, SELECTOR), IntConst(1, SELECTOR))
    if isinstance(selector, IntConst):
        return (then, otherwise)[selector.value]
    assert isinstance(selector, Register)
    return Choice(selector, (then, otherwise))
