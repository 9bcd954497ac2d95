"""Calls of sea functions: inputs, checks, assumptions, ends.

Their contract is in `docs/explanation/architecture.md`, section 2.
"""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.base.errors import InputError
from seahorn_py.frontend.reading.body import Body
from seahorn_py.ir.program import (
    NULL,
    REUSE,
    SILENT,
    Call,
    Fail,
    Havoc,
    Input,
    IntConst,
    Lifetime,
    Operand,
    Stop,
    StopKind,
    Valid,
    Validity,
)
from seahorn_py.ir.types import BOOL, IntType, Type

Arguments = tuple[Operand, ...]


def sea_call(body: Body, name: str, result: str, kinds: list[Type], arguments: Arguments) -> None:
    """A call of the sea function `name`, whose result has the types `kinds`."""
    if name.startswith("sea.input."):
        site = body.sites.site(_number(arguments[0]), kinds[0], body.origin)
        body.emit(Input(body.define(result, kinds[0]), site))
        return
    if name.startswith(SILENT):
        body.emit(Call((), name, arguments, body.origin))
        return
    reader = _READERS.get(name)
    if reader is None:
        raise InputError(f"LLVM text: unknown sea function {name}")
    reader(body, result, arguments)


def _havoc(body: Body, _result: str, arguments: Arguments) -> None:
    address, size, number = arguments
    site = body.sites.site(_number(number), IntType(8), body.origin)
    body.emit(Havoc(address, size, site, body.origin))


def _check(body: Body, _result: str, arguments: Arguments) -> None:
    condition, number = arguments
    check = body.sites.check(_number(number), body.origin)
    body.unless(condition, Fail(check, body.origin))


def _assume(body: Body, _result: str, arguments: Arguments) -> None:
    body.unless(arguments[0], Stop(StopKind.BLOCKED, body.origin))


def _defined(body: Body, _result: str, arguments: Arguments) -> None:
    body.unless(arguments[0], Stop(StopKind.END, body.origin))


def _valid(kind: Validity) -> Callable[[Body, str, Arguments], None]:
    def read(body: Body, result: str, arguments: Arguments) -> None:
        address = arguments[0] if arguments else NULL
        size = arguments[1] if len(arguments) > 1 else IntConst(0, body.types.word)
        body.emit(Valid(body.define(result, BOOL), kind, address, size, body.origin))

    return read


def _called(_body: Body, _result: str, _arguments: Arguments) -> None:
    """The call that follows ends the run by itself."""


def _reuse(body: Body, _result: str, arguments: Arguments) -> None:
    body.emit(Call((), REUSE, arguments, body.origin))


def _scope(body: Body, _result: str, arguments: Arguments) -> None:
    body.emit(Lifetime(arguments[0], _number(arguments[1]) == 1, body.origin))


def _stop(body: Body, _result: str, _arguments: Arguments) -> None:
    body.finish(Stop(StopKind.END, body.origin))


def _number(operand: Operand) -> int:
    if not isinstance(operand, IntConst):
        raise InputError("LLVM text: a site or check number that is no constant")
    return operand.value


_READERS: dict[str, Callable[[Body, str, Arguments], None]] = {
    "sea.havoc": _havoc,
    "sea.check": _check,
    "sea.assume": _assume,
    "sea.defined": _defined,
    **{f"sea.valid.{kind.value}": _valid(kind) for kind in Validity},
    "sea.called": _called,
    "sea.reuse": _reuse,
    "sea.scope": _scope,
    "sea.stop": _stop,
}
