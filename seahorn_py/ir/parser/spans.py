"""Places and C variables in the text of a program."""

from __future__ import annotations

from seahorn_py.base.errors import NOWHERE, Origin, Span
from seahorn_py.base.patterns import pattern
from seahorn_py.ir.parser.tokens import NAME, ParseError, unquoted
from seahorn_py.ir.program import Scope, Variable

_SPAN = rf"{NAME}:\d{{1,9}}:\d{{1,9}} in {NAME}"
_PARTS = pattern(rf"({NAME}):(\d{{1,9}}):(\d{{1,9}}) in ({NAME})")
_PLACE = pattern(rf"  ; ({_SPAN}(?: <- {_SPAN})*)$")
_VARIABLE = pattern(
    r"([^.[\s]*)(\S*) : (.*), (?:(signed|unsigned) )?"
    rf"({'|'.join(scope.value for scope in Scope)})(?: at ({_SPAN}))?"
)
_SIGNS = {None: None, "signed": True, "unsigned": False}


def placed(line: str) -> tuple[str, Origin]:
    """A line without its place, and the place."""
    found = _PLACE.search(line)
    if found is None:
        return line, NOWHERE
    chain = tuple(_span(*parts.groups()) for parts in _PARTS.finditer(found[1]))
    return line[: found.start()], Origin(chain)


def _span(file: str, line: str, column: str, function: str) -> Span:
    return Span(unquoted(file), int(line), int(column), unquoted(function))


def variable(text: str) -> Variable:
    """A C variable: `x : unsigned int, unsigned local`."""
    found = _VARIABLE.fullmatch(text)
    if found is None:
        raise ParseError(f"no variable: {text[:40]}")
    name, path, c_type, sign, scope, place = found.groups()
    parts = _PARTS.fullmatch(place) if place else None
    span = None if parts is None else _span(*parts.groups())
    return Variable(name, c_type, _SIGNS[sign], Scope(scope), span, path)
