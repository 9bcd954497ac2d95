r"""Clauses as Eldarica writes them, `p(Y) :- p(X), Y = X + 1, X =< 9.`, as SMT-LIB text.

    clause      atom :- literal, ... .          the head may be `false`
    literal     atom, or a condition
    condition   comparison; \+ condition; condition ; condition; (condition, ...)
    comparison  terms of +, -, * with = =< < >= > =\= !=

Arguments of atoms are variables, and all values are integers.  Names are letters, digits, `_` and
`'`.  `;` binds more than `,`.  Each clause stands in the line that it has in the text, so errors of
whoever reads the SMT-LIB text name the right one.  `/` and `mod` are refused: what they mean for
negative numbers is not written down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NoReturn

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass

_TOKEN = pattern(
    r"(?P<space>[ \t\f\r\n]+|%[^\n]*|//[^\n]*|/\*.*?\*/)|(?P<number>[0-9]{1,4000})"
    r"|(?P<name>[a-zA-Z][a-zA-Z0-9_']*)|(?P<sign>:-|=<|>=|=\\=|!=|\\\+|[,;+*\-/=<>.()])",
    re.DOTALL,
)
_COMPARED = {"=": "=", "=<": "<=", "<": "<", ">=": ">=", ">": ">", "=\\=": "distinct"}
_COMPARED["!="] = "distinct"
_RESERVED = {"mod", "false"}
MOST_NESTED = 200
"""So many brackets and negations may lie in each other."""


def as_smtlib(text: str, name: str) -> str:
    """Clauses of Eldarica as SMT-LIB text; other text as it is.  `name` is what errors call it."""
    first = text.lstrip()[:1]
    if not first or first in "(;":
        return text
    return _Clauses(list(_tokens(text, name)), name).text()


@dataclass(frozen=True)
class _Token:
    text: str
    kind: str
    line: int


def _tokens(text: str, name: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise InputError(f"{name}:{line}: no clause has {text[at : at + 1]!r} here")
        if found.lastgroup != "space":
            yield _Token(found[0], found.lastgroup or "", line)
        line += found[0].count("\n")
        at = found.end()
    yield _Token("", "end", line)


class _Clauses:
    """Reads clauses one after the other, by recursive descent."""

    def __init__(self, tokens: list[_Token], name: str) -> None:
        self._tokens = tokens
        self._name = name
        self._at = 0
        self._nested = 0
        self._arities: dict[str, int] = {}
        self._variables: dict[str, None] = {}

    def text(self) -> str:
        """The declarations and an assertion for each clause."""
        lines = [""] * self._tokens[-1].line
        while self._next.kind != "end":
            line = self._next.line
            lines[line - 1] += self._clause()
        declared = (
            f"(declare-fun |{name}| ({' '.join(['Int'] * arity)}) Bool)"
            for name, arity in self._arities.items()
        )
        lines[0] = "".join(declared) + lines[0]
        return "\n".join([*lines, ""])

    def _clause(self) -> str:
        self._variables = {}
        head = "false" if self._taken("false") else self._atom(self._name_token())
        self._expect(":-")
        body = [self._literal()]
        while self._taken(","):
            body.append(self._literal())
        self._expect(".")
        implied = f"(=> (and {' '.join(body)}) {head})"
        if not self._variables:
            return f"(assert {implied})"
        bound = " ".join(f"(|{name}| Int)" for name in self._variables)
        return f"(assert (forall ({bound}) {implied}))"

    def _literal(self) -> str:
        after = self._tokens[self._at + 1 : self._at + 2]
        if self._next.kind == "name" and after and after[0].text in ("(", ",", "."):
            return self._atom(self._name_token())
        return self._condition()

    def _atom(self, name: str) -> str:
        arguments: list[str] = []
        if self._taken("("):
            arguments.append(self._variable(self._name_token()))
            while self._taken(","):
                arguments.append(self._variable(self._name_token()))
            self._expect(")")
        if self._arities.setdefault(name, len(arguments)) != len(arguments):
            self._refuse(f"{name} has another number of arguments before")
        return f"(|{name}| {' '.join(arguments)})" if arguments else f"|{name}|"

    def _variable(self, name: str) -> str:
        self._variables[name] = None
        return f"|{name}|"

    def _condition(self) -> str:
        parts = [self._simple()]
        while self._taken(";"):
            parts.append(self._simple())
        return parts[0] if len(parts) == 1 else f"(or {' '.join(parts)})"

    def _simple(self) -> str:
        """A condition without `;` around it."""
        if self._taken("\\+"):
            return f"(not {self._deeper(self._simple)})"
        if self._next.text == "(" and self._is_condition():
            self._expect("(")
            parts = [self._deeper(self._condition)]
            while self._taken(","):
                parts.append(self._deeper(self._condition))
            self._expect(")")
            return f"(and {' '.join(parts)})"
        left = self._sum()
        sign = _COMPARED.get(self._next.text)
        if sign is None:
            self._refuse("expected a comparison")
        self._at += 1
        return f"({sign} {left} {self._sum()})"

    def _is_condition(self) -> bool:
        """Whether something is compared up to the bracket that closes this one."""
        depth = 0
        for token in self._tokens[self._at :]:
            depth += (token.text == "(") - (token.text == ")")
            if token.text in _COMPARED:
                return True
            if depth == 0:
                return False
        return False

    def _sum(self) -> str:
        found = self._product()
        while self._next.text in ("+", "-"):
            sign = self._take()
            found = f"({sign} {found} {self._product()})"
        return found

    def _product(self) -> str:
        found = self._factor()
        while self._next.text in ("*", "/", "mod"):
            if self._take() != "*":
                self._refuse("/ and mod are not read")
            found = f"(* {found} {self._factor()})"
        return found

    def _factor(self) -> str:
        if self._taken("-"):
            return f"(- {self._deeper(self._factor)})"
        if self._taken("("):
            found = self._deeper(self._sum)
            self._expect(")")
            return found
        if self._next.kind == "number":
            return self._take()
        return self._variable(self._name_token())

    # -------------------------------------------------------------------------------------- tokens

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> str:
        token = self._next
        self._at += 1
        return token.text

    def _taken(self, text: str) -> bool:
        found = self._next.text == text
        self._at += found
        return found

    def _expect(self, text: str) -> None:
        if not self._taken(text):
            self._refuse(f"expected {text}")

    def _name_token(self) -> str:
        if self._next.kind != "name" or self._next.text in _RESERVED:
            self._refuse("expected a name")
        return self._take()

    def _deeper(self, part: Callable[[], str]) -> str:
        self._nested += 1
        if self._nested > MOST_NESTED:
            self._refuse("nested too deeply")
        found = part()
        self._nested -= 1
        return found

    def _refuse(self, reason: str) -> NoReturn:
        found = self._next.text[:40] or "the end"
        raise InputError(f"{self._name}:{self._next.line}: {reason}, found {found!r}")
