"""Quantified models: witnesses for what is denied, instances for what is claimed.

A clause is asked about with its head negated.  A `forall` in the head then fails for some values,
and these get names.  A premise with a `forall` is asserted once more with some instances of each
`forall` beside it, which changes nothing.  The instances are taken at the cells that the clause
accesses (Bradley, Manna, Sipma: "What's decidable about arrays?", VMCAI 2006); which ones matters
to success only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from .clauses import Rule, Sexp, read, show, tokens

MAX_INSTANCES = 64
MAX_DEPTH, MAX_TOKENS = 5, 200
"""How deep `let` may nest in an index, and how many tokens an index may have."""
_QUANTIFIERS = frozenset({"forall", "exists"})


def is_quantified(formula: Sexp) -> bool:
    """Whether a quantifier is in it."""
    return any(token in _QUANTIFIERS for token in tokens(formula))


def nodes(formula: Sexp) -> Iterator[list[Sexp]]:
    """All lists in an expression, the outer before the inner."""
    todo = [formula]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            yield node
            todo.extend(reversed(node))


class Instances:
    """What is added to a clause's script, in the order in which it is told."""

    def __init__(self, rule: Rule, script: str) -> None:
        self.lines: list[str] = []
        self._count = 0
        self._prefix = "sk!"
        while self._prefix in script:
            self._prefix += "!"
        arguments = [a for atom in (*rule.body, rule.head) if atom for a in atom.arguments]
        texts = (*rule.constraint, *arguments)
        self._cells = [cell for text in texts for cell in _cells(read(text)[0])]
        self._witnesses: dict[str, list[str]] = {}

    def denied(self, formula: Sexp) -> None:
        """The formula does not hold; if it is a `forall`, not for some values, which get names."""
        around, inner = within_lets(formula)
        if isinstance(inner, list) and inner[0] == "forall":
            _, bound, body = inner
            names: dict[str, Sexp] = {}
            for variable, sort in bound:
                names[variable] = self._named(show(sort))
                self._witnesses.setdefault(show(sort), []).append(str(names[variable]))
            # the outermost are parameters, whose names may stand in their values
            first = dict(around[0]) if around else {}
            cells = _cells(with_lets(around[1:], body))
            self._cells += [_put(cell, first | names) for cell in cells]
            inner = ["let", [[variable, name] for variable, name in names.items()], body]
        self.lines.append(f"(assert (not {show(with_lets(around, inner))}))")

    def claimed(self, formula: Sexp) -> None:
        """The formula holds."""
        if is_quantified(formula):
            self.lines.append(f"(assert {show(self._enriched(formula))})")

    def _enriched(self, formula: Sexp) -> Sexp:
        if isinstance(formula, str) or not is_quantified(formula):
            return formula
        if formula[0] != "forall":
            return [self._enriched(part) for part in formula]
        _, bound, body = formula
        choices = [self._values(str(name), show(sort), body) for name, sort in bound]
        instances: list[Sexp] = []
        for values in islice(product(*choices), MAX_INSTANCES):
            pairs: list[Sexp] = [[n, v] for (n, _), v in zip(bound, values, strict=True)]
            instances.append(["let", pairs, body])
        return ["and", formula, *instances]

    def _values(self, name: str, sort: str, body: Sexp) -> list[str]:
        """Values at which the body reads a cell of the clause; if none, those that have names."""
        found = [_solution(pattern, cell, name) for pattern in _cells(body) for cell in self._cells]
        texts = dict.fromkeys(show(value) for value in found if value is not None)
        return [self._named(sort, text) for text in texts] or self._witnesses.get(sort, [])

    def _named(self, sort: str, value: str = "") -> str:
        """A new constant, with the value if one is given: a term means the same inside of `let`."""
        name = f"{self._prefix}{self._count}"
        self._count += 1
        self.lines.append(f"(declare-const {name} {sort})")
        if value:
            self.lines.append(f"(assert (= {name} {value}))")
        return name


def _cells(formula: Sexp) -> Iterator[Sexp]:
    """The indices at which arrays are read and written, short ones, without names of a `let`."""
    meant: dict[str, Sexp] = {}
    for node in nodes(formula):
        if node[:1] == ["let"]:
            bindings: Any = node[1]
            meant.update((str(name), term) for name, term in bindings)
        elif node[:1] in (["select"], ["store"]):
            cell = node[2]
            for _ in range(MAX_DEPTH):
                if _is_short(cell):
                    cell = _put(cell, meant)
            if _is_short(cell):
                yield cell


def _is_short(formula: Sexp) -> bool:
    return sum(1 for _ in islice(tokens(formula), MAX_TOKENS)) < MAX_TOKENS


def _put(formula: Sexp, values: Mapping[str, Sexp]) -> Sexp:
    if isinstance(formula, str):
        return values.get(formula, formula)
    return [_put(part, values) for part in formula]


def _solution(pattern: Sexp, cell: Sexp, name: str) -> Sexp | None:
    """What the name in the pattern stands for where that is the cell, if they look alike."""
    same = _same(pattern, cell, name)
    match pattern:
        case ["+", ["*", str(factor), str(variable)], rest] if (
            same is None and variable == name and factor.isdecimal() and int(factor) > 0
        ):
            return ["div", ["-", cell, rest], factor]
    return same


def _same(pattern: Sexp, cell: Sexp, name: str) -> Sexp | None:
    """What stands in the cell where the pattern has the name; None if they differ elsewhere."""
    while pattern != name:
        if isinstance(pattern, str) or isinstance(cell, str) or len(pattern) != len(cell):
            return None
        different = [(p, c) for p, c in zip(pattern, cell, strict=True) if p != c]
        if len(different) != 1:
            return None
        ((pattern, cell),) = different
    return cell


def within_lets(formula: Sexp) -> tuple[list[Any], Sexp]:
    """The bindings around a formula, the outermost first, and the formula inside of them."""
    around: list[Any] = []
    while isinstance(formula, list) and formula[0] == "let":
        around.append(formula[1])
        formula = formula[2]
    return around, formula


def with_lets(around: Sequence[Any], formula: Sexp) -> Sexp:
    """The way back."""
    for bindings in reversed(around):
        formula = ["let", bindings, formula]
    return formula
