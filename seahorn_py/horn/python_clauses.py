"""Horn systems that are made in Python, of formulas of pySMT or z3.

    clauses = Clauses()
    clauses.rule(inv(0), name="start")                  # inv is a function of z3, x a constant
    clauses.rule(inv(x + 1), inv(x), x < 10, name="step")
    clauses.query(inv(x), x > 10, name="too far")
    system = clauses.system()

Formulas become SMT-LIB text and are read as a file is, so a system means what its text means.  A
function to Bool that takes arguments is a relation.  Each error names the clause.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.horn.system import Atom, HornSystem, Model, Query, Rule
from seahorn_py.horn.text.chcfiles import HornReader
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text import foreign
from seahorn_py.logic.text.foreign import Written
from seahorn_py.logic.text.sexpr import Form, quoted, read
from seahorn_py.logic.text.smtlib import parse_term, print_sort

_PLACE = pattern(r"^(?:<python>)?:\d+: ")
"""Where readers of texts say something is wrong; what is given in Python has no lines."""

Formula = object
"""A formula of pySMT, in any environment, or of z3, in any context."""


class Clauses:
    """Clauses in the order in which they are added, for a `HornSystem`."""

    def __init__(self) -> None:
        self._reader = HornReader("<python>", has_lines=False)
        self._sorts: dict[str, tuple[str, ...]] = {}

    def relation(self, name: str, *sorts: object) -> None:
        """Declare a relation; its sorts are those of pySMT, of z3, or SMT-LIB text.

        Relations that take arguments need no declaration.  InputError if it has other sorts.
        """
        with _named(f"relation {name}"):
            self._declare(name, tuple(map(_sort_text, sorts)))

    def rule(self, head: Formula, *body: Formula, name: str = "") -> None:
        """`body` implies `head`, a relation, for all values of all constants in them.

        InputError, with the name of the rule, for what is no such clause.
        """
        self._clause(name or self._next, (head,), body)

    def query(self, *body: Formula, name: str = "") -> None:
        """Ask whether `body` holds for some values of the constants in it."""
        self._clause(name or self._next, (), body)

    def add(self, formula: Formula, name: str = "") -> None:
        """The clauses of a formula without free constants; with a head `false` they are queries."""
        name = name or self._next
        with _named(f"rule {name}"):
            found = _written(formula)
            for free in self._variables([found]):
                raise InputError(f"{free} is free: quantify it, or declare it as a relation")
            self._read(name, found.text)

    def system(self) -> HornSystem:
        """The system of what was added so far."""
        return HornSystem(dict(self._reader.relations), tuple(self._reader.rules))

    @property
    def _next(self) -> str:
        return f"clause {len(self._reader.rules) + 1}"

    def _clause(self, name: str, heads: Sequence[Formula], bodies: Sequence[Formula]) -> None:
        with _named(f"rule {name}"):
            head, body = list(map(_written, heads)), list(map(_written, bodies))
            variables = self._variables([*head, *body])
            for one in (*head, *body):
                if one.sort != "Bool":
                    raise InputError(f"{one.text} is no formula; its sort is {one.sort}")
            text = " ".join(["and", "true", *(one.text for one in body)])
            text = f"(=> ({text}) {head[0].text if head else 'false'})"
            if variables:
                bound = " ".join(f"({quoted(n)} {sort})" for n, sort in variables.items())
                text = f"(forall ({bound}) {text})"
            self._read(name, text, is_query=not head)

    def _read(self, name: str, text: str, is_query: bool | None = None) -> None:
        """Read a closed formula; `is_query` says what its clauses are to be, if that is known."""
        before = len(self._reader.rules)
        (formula,) = read(text, "")
        try:
            self._reader.command(Form(["rule", formula, quoted(_plain(name))], 0))
            _as_wanted(self._reader.rules[before:], is_query)
        except InputError:
            del self._reader.rules[before:]
            raise

    def _variables(self, parts: Iterable[Written]) -> Mapping[str, str]:
        """The free constants of a clause that are no relations, with their sorts."""
        found: dict[str, str] = {}
        for part in parts:
            for name, (sorts, result) in part.functions.items():
                if sorts and result == "Bool":
                    self._declare(name, sorts)
                elif sorts:
                    raise InputError(f"{name} is a function to {result}; only relations can be")
                elif name in self._sorts:
                    self._declare(name, ())
                elif found.setdefault(name, result) != result:
                    raise InputError(f"{name} has the sorts {found[name]} and {result}")
        return found

    def _declare(self, name: str, sorts: tuple[str, ...]) -> None:
        known = self._sorts.get(name)
        if known is None:
            (listed,) = read(f"({' '.join(sorts)})", "")
            self._reader.command(Form(["declare-rel", quoted(name), listed], 0))
            self._sorts[name] = sorts
        elif known != sorts:
            raise InputError(f"{name} is a relation of {_listed(known)}, not of {_listed(sorts)}")


def system_of(
    formulas: Iterable[Formula] | Mapping[str, Formula], relations: Iterable[str] = ()
) -> HornSystem:
    """The system of closed formulas, which may have names; InputError names the one that is none.

    `relations` are those without arguments.
    """
    clauses = Clauses()
    for relation in relations:
        clauses.relation(relation)
    if isinstance(formulas, Mapping):
        for name, formula in formulas.items():
            clauses.add(formula, name)
    else:
        for formula in formulas:
            clauses.add(formula)
    return clauses.system()


def model_of(
    system: HornSystem, formulas: Mapping[str, tuple[Sequence[Formula], Formula]]
) -> Model:
    """A model that says of each relation a formula over these constants, in their order.

    InputError names the relation of which that cannot be said.
    """
    found = {}
    for name, (constants, formula) in formulas.items():
        with _named(f"model of {name}"):
            relation = system.relations.get(name)
            if relation is None:
                raise InputError("there is no such relation")
            symbols = _matched(relation.symbols, [_written(one) for one in constants])
            whole = _written(formula)
            for free in sorted(whole.functions.keys() - symbols.keys()):
                raise InputError(f"{free} is none of its parameters")
            if whole.sort != "Bool":
                raise InputError(f"{whole.text} is no formula; its sort is {whole.sort}")
            found[name] = parse_term(whole.text, symbols, "")
    return Model(found)


def in_pysmt(system: HornSystem, model: Model) -> dict[str, tuple[tuple[Term, ...], Term]]:
    """Of each relation symbols for its parameters and a formula over them, in pySMT."""
    return {
        name: (relation.symbols, model.interpretations.get(name, terms.TRUE))
        for name, relation in system.relations.items()
    }


def in_z3(system: HornSystem, model: Model) -> Mapping[str, object]:
    """Of each relation constants for its parameters and a formula over them, in z3."""
    from seahorn_py.logic.solvers.z3terms import definitions  # z3 loads slowly

    return definitions(in_pysmt(system, model))


# ------------------------------------------------------------------------------------ what is given


def _matched(symbols: Sequence[Term], given: Sequence[Written]) -> dict[str, Term]:
    """The symbols by the names of the constants that stand for them."""
    if len(symbols) != len(given):
        raise InputError(f"{len(given)} constants for {len(symbols)} parameters")
    found: dict[str, Term] = {}
    for symbol, one in zip(symbols, given, strict=True):
        expected = print_sort(terms.sort_of(symbol))
        if len(one.functions) != 1 or one.sort != expected:
            raise InputError(f"{one.text} is no constant of the sort {expected}")
        (name,) = one.functions
        found[name] = symbol
    return found


def _written(formula: Formula) -> Written:
    """The text of a formula, by whichever library it is."""
    if isinstance(formula, Term):
        return foreign.written(formula)
    if formula is True or formula is False:
        return Written(str(formula).lower(), "Bool", {})
    if type(formula).__module__.partition(".")[0] != "z3":
        raise InputError(f"{formula!r}: expected a formula of z3 or pySMT")
    from seahorn_py.logic.solvers import z3terms  # z3 loads slowly

    return z3terms.written(formula)


def _sort_text(sort: object) -> str:
    if isinstance(sort, str):
        return sort
    if isinstance(sort, Sort):
        return print_sort(sort)
    return str(sort.sexpr()) if hasattr(sort, "sexpr") else str(sort)


def _as_wanted(rules: Sequence[Rule], is_query: bool | None) -> None:
    """InputError if clauses are queries that should be rules, or the other way round."""
    for rule in rules:
        if isinstance(rule.head, Query) and is_query is False:
            raise InputError("the head is no relation; what has no head is a query")
        if isinstance(rule.head, Atom) and is_query is True:
            raise InputError(f"{rule.head.relation} is negated in the body of a query")


def _plain(name: str) -> str:
    return "".join("!" if c in "|\\" else c for c in name)


def _listed(sorts: Sequence[str]) -> str:
    return f"({' '.join(sorts)})"


class _named:
    """Puts the name of what is read in front of what is wrong with it, without a line."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        """Nothing is known yet."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, InputError):
            text = _PLACE.sub("", str(error))
            raise InputError(f"{self._name}: {text}") from None
