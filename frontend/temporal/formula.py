"""Formulas of temporal logic, of linear (LTL) or branching time (CTL).

    formula  = "true" | "false" | atom | "!" f | "G" f | "F" f | "X" f | "(" f ")"
             | f "U" f | f "R" f | f "W" f | f "&&" f | f "||" f | f "==>" f | f "<==>" f
             | "A" f | "E" f | "[" f "]"
    atom     = a text in double quotes, such as an expression of C, or a name

`A` and `E` are of CTL: `f` is then `G`, `F`, `X`, `U`, `R` or `W` of formulas about one state, as
in `AG EF p` and `A[p U q]`.  As names of atoms they stand in quotes.  Unary operators bind most,
then `U`, `R` and `W` (to the right), `&&`, `||`, `==>` (to the right) and `<==>`.  `[]`, `<>`, `V`,
`WU`, `->` and `<->` are other spellings, `FG p` is `F G p`.  (SV-COMP's property files; A. Pnueli:
"The temporal logic of programs", FOCS 1977; E. A. Emerson, E. M. Clarke: "Using branching time
temporal logic to synthesize synchronization skeletons", SCP 1982.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from seahorn_py.base.errors import SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom, or that it does not hold."""

    atom: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Constant:
    """True or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Both:
    """Conjunction."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Either:
    """Disjunction."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Next:
    """It holds one step later."""

    inner: Formula


@dataclass(frozen=True, slots=True)
class Until:
    """`right` holds some time, and `left` before."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Release:
    """`right` holds up to the time, that one too, at which `left` does, or for ever."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Quantified:
    """All runs from here, or some run, fulfil `path`, which is `Next`, `Until` or `Release`."""

    is_universal: bool
    path: Formula


Formula = Literal | Constant | Both | Either | Next | Until | Release | Quantified
"""In negation normal form."""

TRUE, FALSE = Constant(True), Constant(False)


def negation(formula: Formula) -> Formula:
    """The formula that holds where this one does not."""
    match formula:
        case Literal(atom, holds):
            return Literal(atom, not holds)
        case Constant(value):
            return Constant(not value)
        case Both(left, right):
            return Either(negation(left), negation(right))
        case Either(left, right):
            return Both(negation(left), negation(right))
        case Next(inner):
            return Next(negation(inner))
        case Until(left, right):
            return Release(negation(left), negation(right))
        case Release(left, right):
            return Until(negation(left), negation(right))
        case Quantified(is_universal, path):
            return Quantified(not is_universal, negation(path))


def atoms(formula: Formula) -> tuple[str, ...]:
    """The atoms in the order in which they are written, each once."""
    match formula:
        case Literal(atom, _):
            return (atom,)
        case Constant():
            return ()
        case Next(inner) | Quantified(_, inner):
            return atoms(inner)
        case Both(left, right) | Either(left, right) | Until(left, right) | Release(left, right):
            return tuple(dict.fromkeys((*atoms(left), *atoms(right))))


def parts(formula: Formula) -> Iterator[Formula]:
    """The formula and all its parts."""
    yield formula
    match formula:
        case Next(inner) | Quantified(_, inner):
            yield from parts(inner)
        case Both(left, right) | Either(left, right) | Until(left, right) | Release(left, right):
            yield from parts(left)
            yield from parts(right)


def has_next(formula: Formula) -> bool:
    """Whether the formula speaks of the next step."""
    return any(isinstance(part, Next) for part in parts(formula))


def is_branching(formula: Formula) -> bool:
    """Whether the formula speaks of some or of all runs from a state."""
    return any(isinstance(part, Quantified) for part in parts(formula))


def _size(formula: Formula, known: dict[int, int]) -> int:
    """The number of its parts, with those that are equal counted again."""
    if id(formula) not in known:
        match formula:
            case Next(inner) | Quantified(_, inner):
                below = _size(inner, known)
            case Both(left, right) | Either(left, right):
                below = _size(left, known) + _size(right, known)
            case Until(left, right) | Release(left, right):
                below = _size(left, known) + _size(right, known)
            case _:
                below = 0
        known[id(formula)] = below + 1
    return known[id(formula)]


# ---------------------------------------------------------------------------------------- reading

_TOKEN = pattern(
    r'\s*(?:(?P<atom>"[^"]*")|(?P<word>[A-Za-z_]\w*)'
    r"|(?P<sign>\[\]|<>|<==>|==>|<->|->|&&|\|\||[!()[\]]))"
)
_CHARACTER = pattern(r"'(?:\\.|[^'\\])*'")
_NO_EXPRESSION = pattern(r"[;{}#\\]|//|/\*|<%|%:")
"""In no expression of C, except in a character; it would let an atom be other code."""
_PAIRS = {"(": ")", "[": "]"}
_MOST_LEVELS = 60
_MOST_WORDS, _MOST_PARTS = 200, 500
_SPELLINGS = {"[]": "G", "<>": "F", "V": "R", "WU": "W", "->": "==>", "<->": "<==>"}
_UNARY = pattern(r"(?:[AE]?[GFX])+")
_QUANTIFIER = pattern(r"\s*[\[(]|\s+(?:[AE]?[GFX])+\b")
"""What comes behind an `A` or `E` that is no atom."""
_WORDS = frozenset("URW")


def _implies(left: Formula, right: Formula) -> Formula:
    return Either(negation(left), right)


def _same(left: Formula, right: Formula) -> Formula:
    return Both(_implies(left, right), _implies(right, left))


def _weakly(left: Formula, right: Formula) -> Formula:
    return Release(right, Either(left, right))


_PREFIXES: Mapping[str, Callable[[Formula], Formula]] = {
    "!": negation,
    "G": lambda inner: Release(FALSE, inner),
    "F": lambda inner: Until(TRUE, inner),
    "X": Next,
    "A": lambda path: Quantified(True, path),
    "E": lambda path: Quantified(False, path),
}
_Binary = Callable[[Formula, Formula], Formula]
_LEVELS: tuple[tuple[Mapping[str, _Binary], bool], ...] = (
    ({"<==>": _same}, False),
    ({"==>": _implies}, True),
    ({"||": Either}, False),
    ({"&&": Both}, False),
    ({"U": Until, "R": Release, "W": _weakly}, True),
)
"""Operators from the weakest on, and whether they bind to the right."""


def read_formula(text: str, is_atom: Callable[[str], bool] | None = None) -> Formula:
    """The formula of a text; SeaError says what is wrong where.

    `is_atom` says whether a text in quotes is an atom; without it these are expressions of C.
    """
    return _Reader(text, is_atom or is_expression).whole()


class _Reader:
    """Reads by recursive descent, one level of operators after the other."""

    def __init__(self, text: str, is_atom: Callable[[str], bool]) -> None:
        self._text, self._is_atom = text, is_atom
        self._tokens: list[tuple[str, int]] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise self._wrong(at)
            self._tokens += _split(found)
            at = found.end()
        self._at = self._depth = 0
        if len(self._tokens) > _MOST_WORDS:
            raise SeaError(f"a temporal formula of more than {_MOST_WORDS} words")

    def whole(self) -> Formula:
        """The formula that the text is."""
        formula = self._binary(0)
        if self._at < len(self._tokens):
            raise self._wrong(self._tokens[self._at][1])
        return formula

    def _binary(self, level: int) -> Formula:
        if level == len(_LEVELS):
            return self._unary()
        operators, is_right = _LEVELS[level]
        left = self._binary(level + 1)
        while self._next in operators:
            operator = operators[self._take()]
            if is_right:
                return _bounded(operator(left, self._binary(level)))
            left = _bounded(operator(left, self._binary(level + 1)))
        return left

    def _unary(self) -> Formula:
        place = self._place
        self._depth += 1
        if self._depth > _MOST_LEVELS:
            raise SeaError(f"a temporal formula with more than {_MOST_LEVELS} levels")
        formula = self._operand(place)
        self._depth -= 1
        return formula

    def _operand(self, place: int) -> Formula:
        match self._take():
            case token if token in _PREFIXES:
                return _PREFIXES[token](self._unary())
            case "(" | "[" as opened:
                formula = self._binary(0)
                if self._take() != _PAIRS[opened]:
                    raise self._wrong(place)
                return formula
            case "true":
                return TRUE
            case "false":
                return FALSE
            case token if token.startswith('"') and self._is_atom(token[1:-1]):
                return Literal(" ".join(token[1:-1].split()))
            case token if token.isidentifier() and token not in _WORDS:
                return Literal(token)
        raise self._wrong(place)

    @property
    def _next(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    @property
    def _place(self) -> int:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else len(self._text)

    def _take(self) -> str:
        token = self._next
        self._at += 1
        return token

    def _wrong(self, at: int) -> SeaError:
        rest = self._text[at:].strip()
        where = f"at {rest[:20]!r}" if rest else "at its end"
        return SeaError(
            f"the temporal formula {self._text!r} is wrong {where};"
            ' an example is G("req > 0" ==> F "ack")'
        )


def _bounded(formula: Formula) -> Formula:
    """The formula, if it is not too large; `<==>` has both sides twice."""
    if _size(formula, {}) > _MOST_PARTS:
        raise SeaError(f"a temporal formula of more than {_MOST_PARTS} parts")
    return formula


def is_expression(text: str) -> bool:
    """Whether a text may be one expression of C: its brackets match, and nothing ends it."""
    plain = _CHARACTER.sub("0", text)
    awaited: list[str] = []
    for sign in plain:
        if sign in _PAIRS:
            awaited.append(_PAIRS[sign])
        elif sign in _PAIRS.values() and (not awaited or awaited.pop() != sign):
            return False
    return bool(plain.strip()) and not awaited and not _NO_EXPRESSION.search(plain)


def _split(found: re.Match[str]) -> list[tuple[str, int]]:
    """A token and its place; a word of unary operators is several."""
    token, at = found[found.lastgroup or 0], found.start(found.lastgroup or 0)
    if token in ("A", "E") and not _QUANTIFIER.match(found.string, found.end()):
        return [(f'"{token}"', at)]
    if _UNARY.fullmatch(token):
        return [(letter, at + k) for k, letter in enumerate(token)]
    return [(_SPELLINGS.get(token, token), at)]
