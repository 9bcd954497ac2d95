"""The texts of a certificate: expressions, Horn clauses, models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Sexp = str | list[Any]
"""A token, or a list of such."""

TOKEN = re.compile(r'\|[^|]*\||"(?:[^"]|"")*"|;[^\n]*|[()]|[^\s()|";]+')


class Malformed(Exception):
    """The files are no certificate; the text says why."""


class Rejected(Exception):
    """The certificate proves nothing; the text says why."""


# ------------------------------------------------------------------------------------------- text


def read(text: str) -> list[Sexp]:
    """All expressions of a text."""
    stack: list[list[Sexp]] = [[]]
    for token in TOKEN.findall(text):
        if token.startswith(";"):
            continue
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise Malformed("a closing parenthesis too many")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) > 1:
        raise Malformed("a parenthesis is not closed")
    return stack[0]


def tokens(expression: Sexp) -> Iterator[str]:
    """The text of an expression, piece by piece."""
    todo: list[Sexp] = [expression]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        else:
            yield "("
            todo.append(")")
            todo.extend(reversed(item))


def show(expression: Sexp) -> str:
    """The text of an expression."""
    return " ".join(tokens(expression))


def call(name: str, arguments: Sequence[str]) -> str:
    """A predicate applied."""
    return f"({name} {' '.join(arguments)})" if arguments else name


def all_of(parts: Iterable[str]) -> str:
    """A conjunction."""
    return f"(and true {' '.join(parts)})"


_LITERAL = re.compile(r"\d+(\.\d+)?|#b[01]+|#x[\da-fA-F]+|true|false")
_POSITIVE = re.compile(r"0*[1-9]\d*(\.\d+)?")


def value(text: object) -> str:
    """The text, if it is one closed value: it means the same wherever it stands.

    Rejected for all else: a symbol may be another value in each step, as may a quotient by 0.
    """
    found = read(text) if isinstance(text, str) else []
    todo = list(found)
    while todo:
        match todo.pop():
            case str(literal) if _LITERAL.fullmatch(literal):
                pass
            case ["-", part] | [["as", "const", _], part]:
                todo.append(part)
            case ["/", part, str(divisor)] if _POSITIVE.fullmatch(divisor):
                todo.append(part)
            case ["_", str(bits), str(width)] if (
                bits[:2] == "bv" and (bits[2:] + width).isdecimal()
            ):
                pass
            case ["store", array, index, element]:
                todo += [array, index, element]
            case _:
                raise Rejected(f"no value: {str(text)[:80]}")
    if len(found) != 1:
        raise Rejected(f"no value: {str(text)[:80]}")
    return show(found[0])


# ----------------------------------------------------------------------------------------- system


@dataclass(frozen=True)
class Atom:
    """A relation and the texts of its arguments."""

    relation: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Rule:
    """A clause; without a head it is a query.  `number` counts from 0."""

    number: int
    variables: tuple[tuple[str, str], ...]
    body: tuple[Atom, ...]
    constraint: tuple[str, ...]
    head: Atom | None

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"clause {self.number + 1}"


@dataclass(frozen=True)
class System:
    """The sorts of the relations, and the clauses."""

    relations: Mapping[str, tuple[str, ...]]
    rules: tuple[Rule, ...]


def read_system(text: str) -> System:
    """The clauses of an SMT-LIB text of the logic HORN."""
    relations: dict[str, tuple[str, ...]] = {}
    found: list[Sexp] = []
    for command in read(text):
        match command:
            case ["declare-fun", str(name), [*sorts], "Bool"]:
                relations[name] = tuple(show(s) for s in sorts)
            case ["assert", formula]:
                found.append(formula)
            case ["set-logic", "HORN"] | ["check-sat"]:
                pass
            case _:
                raise Malformed(f"no part of a system: {show(command)[:80]}")
    return System(relations, tuple(_rule(n, f, relations) for n, f in enumerate(found)))


def _rule(number: int, formula: Sexp, relations: Mapping[str, tuple[str, ...]]) -> Rule:
    variables: tuple[tuple[str, str], ...] = ()
    match formula:
        case ["forall", [*bound], inner]:
            variables = tuple((str(name), show(sort)) for name, sort in bound)
            formula = inner
    match formula:
        case ["=>", ["and", *parts], head]:
            pass
        case ["=>", part, head]:
            parts = [part]
        case _:
            raise Malformed(f"assertion {number + 1} is no clause")
    atoms = [_atom(part, relations) for part in parts]
    body = tuple(atom for atom in atoms if atom is not None)
    rest = [part for part, atom in zip(parts, atoms, strict=True) if atom is None]
    derived = _atom(head, relations)
    if derived is None and head != "false":
        raise Malformed(f"assertion {number + 1} derives no relation")
    for part in rest:
        _without_relations(part, relations)
    return Rule(number, variables, body, tuple(map(show, rest)), derived)


def _atom(part: Sexp, relations: Mapping[str, tuple[str, ...]]) -> Atom | None:
    name, arguments = (part, []) if isinstance(part, str) else (part[0], part[1:])
    if not isinstance(name, str) or name not in relations:
        return None
    if len(arguments) != len(relations[name]):
        raise Malformed(f"{name} has another number of arguments")
    for argument in arguments:
        _without_relations(argument, relations)
    return Atom(name, tuple(map(show, arguments)))


def _without_relations(part: Sexp, relations: Mapping[str, tuple[str, ...]]) -> None:
    if any(token in relations for token in tokens(part)):
        raise Malformed("a relation stands inside a term")


def read_model(text: str, system: System) -> dict[str, str]:
    """The definitions of a model, by relation."""
    found: dict[str, str] = {}
    for command in read(text):
        match command:
            case ["define-fun", str(name), [*bound], "Bool", formula]:
                sorts = tuple(show(sort) for _, sort in bound)
                is_twice = name in found or len({show(n) for n, _ in bound}) < len(sorts)
                if is_twice or system.relations.get(name) != sorts:
                    raise Malformed(f"{name} is no relation with these parameters")
                _without_relations(formula, system.relations)
                found[name] = show(command)
            case _:
                raise Malformed(f"no definition: {show(command)[:80]}")
    for name, sorts in system.relations.items():
        parameters = " ".join(f"(x!{k} {sort})" for k, sort in enumerate(sorts))
        found.setdefault(name, f"(define-fun {name} ({parameters}) Bool true)")
    return found
