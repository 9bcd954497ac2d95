"""Systems, proofs and refutations as text, for the borders of processes and machines.

A text is one JSON object.  Terms stand in the table `terms` as SMT-LIB with `let`, over symbols
`s!0, s!1, ...`, as no function of a datatype is called, whose real names and sorts stand in the
table `symbols`: any name survives, and what is read back is equal to what was written, node for
node.  Datatypes have a table of their own.
Everything else refers to terms and to C places by number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pysmt.exceptions import PysmtException

from seahorn_py.base.errors import InputError, InternalError, Origin, Span
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.horn.system import (
    Atom,
    BlockMark,
    Check,
    CheckId,
    Extent,
    HornSystem,
    InputRead,
    KInductive,
    Model,
    Obligation,
    OperationId,
    Parameter,
    Proof,
    Query,
    QueryKind,
    Refutation,
    Relation,
    Role,
    Rule,
    Step,
    Unrolling,
    Vacuity,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import (
    datatypes_scope,
    parse_sort,
    parse_term,
    print_datatypes,
    print_sort,
    print_term,
)

Json = Any
T = TypeVar("T")


def system_to_text(system: HornSystem) -> str:
    """A system as text."""
    writer = _Writer()
    return writer.text(
        {
            "relations": [writer.relation(r) for r in system.relations.values()],
            "rules": [writer.rule(r) for r in system.rules],
            "ledger": [writer.entry(e) for e in system.ledger],
        }
    )


def system_from_text(text: str, source: str = "<system>") -> HornSystem:
    """The system of a text; InputError when it is none."""

    def build(reader: _Reader, top: Json) -> HornSystem:
        relations = [reader.relation(r) for r in top["relations"]]
        return HornSystem(
            {r.name: r for r in relations},
            tuple(reader.rule(r) for r in top["rules"]),
            tuple(reader.entry(e) for e in top["ledger"]),
        )

    return _read(text, source, build)


def model_to_text(model: Model) -> str:
    """A model as text."""
    return proof_to_text(model)


def model_from_text(text: str, source: str = "<model>") -> Model:
    """The model of a text; InputError when it is none."""
    proof = proof_from_text(text, source)
    if not isinstance(proof, Model):
        raise InputError(f"{source}: a proof of another kind than a model")
    return proof


def proof_to_text(proof: Proof) -> str:
    """A proof of any kind as text."""
    writer = _Writer()
    match proof:
        case Model(interpretations):
            return writer.text({"kind": "model", "model": writer.terms_of(interpretations)})
        case KInductive(k, model, simple):
            formulas = writer.terms_of(model.interpretations)
            top = {"kind": "k-inductive", "k": k, "simple": simple, "model": formulas}
            return writer.text(top)
        case Unrolling(bounds):
            return writer.text({"kind": "unrolling", "bounds": dict(bounds)})


def proof_from_text(text: str, source: str = "<proof>") -> Proof:
    """The proof of a text; InputError when it is none."""

    def build(reader: _Reader, top: Json) -> Proof:
        match top["kind"]:
            case "model":
                return Model(reader.terms_of(top["model"]))
            case "k-inductive":
                model = Model(reader.terms_of(top["model"]))
                return KInductive(int(top["k"]), model, bool(top.get("simple", False)))
            case "unrolling":
                return Unrolling({str(n): int(b) for n, b in top["bounds"].items()})
        raise KeyError("kind")

    return _read(text, source, build)


def refutation_to_text(refutation: Refutation) -> str:
    """A refutation as text."""
    writer = _Writer()
    return writer.text({"steps": [writer.step(s) for s in refutation.steps]})


def refutation_from_text(text: str, source: str = "<refutation>") -> Refutation:
    """The refutation of a text; InputError when it is none."""
    return _read(
        text, source, lambda reader, top: Refutation(tuple(map(reader.step, top["steps"])))
    )


def _read(text: str, source: str, build: Callable[[_Reader, Json], T]) -> T:
    try:
        top = json.loads(text)
        return build(_Reader(top, source), top)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(f"{source}: not a text of this kind ({error!r})") from None
    except (PysmtException, InternalError) as error:
        raise InputError(f"{source}: {error}") from None


class _Writer:
    """Collects the tables while the parts of the top object are written."""

    def __init__(self) -> None:
        self._terms: dict[Term, int] = {}
        self._texts: list[str] = []
        self._symbols: dict[Term, str] = {}
        self._origins: dict[tuple[Span, ...], int] = {}

    def text(self, top: dict[str, Json]) -> str:
        declared = print_datatypes([*self._terms, *self._symbols])
        tables = {
            "datatypes": declared,
            "symbols": [[s.symbol_name(), print_sort(s.symbol_type())] for s in self._symbols],
            "terms": self._texts,
            "origins": [
                [[s.file, s.line, s.column, s.function] for s in chain] for chain in self._origins
            ],
        }
        return json.dumps(tables | top)

    def term(self, term: Term) -> int:
        if term not in self._terms:
            self._name(term)
            self._terms[term] = len(self._texts)
            self._texts.append(print_term(term, self._symbols))
        return self._terms[term]

    def _name(self, term: Term) -> None:
        for node in nodes(term):
            if node.is_quantifier():
                for variable in node.quantifier_vars():
                    self._symbols.setdefault(variable, f"s!{len(self._symbols)}")
                self._name(node.arg(0))
            elif node.is_symbol():
                self._symbols.setdefault(node, f"s!{len(self._symbols)}")

    def many(self, parts: Sequence[Term]) -> list[int]:
        return [self.term(p) for p in parts]

    def terms_of(self, formulas: Mapping[str, Term]) -> dict[str, int]:
        return {name: self.term(formula) for name, formula in formulas.items()}

    def chain(self, chain: tuple[Span, ...]) -> int:
        return self._origins.setdefault(chain, len(self._origins))

    def relation(self, relation: Relation) -> Json:
        parameters = [self._parameter(p) for p in relation.parameters]
        return [relation.name, parameters, self.chain(relation.origin.chain)]

    def _parameter(self, p: Parameter) -> Json:
        head = [self.term(p.symbol), p.role.value, p.c_name, p.c_type, p.scope]
        return [*head, p.width, p.signed, p.range, self.chain(p.inlined_at)]

    def rule(self, rule: Rule) -> Json:
        return {
            "name": rule.name,
            "body": [self._atom(a) for a in rule.body],
            "constraint": self.term(rule.constraint),
            "head": self._head(rule.head),
            "inputs": [self._input(i) for i in rule.inputs],
            "blocks": [[self.term(b.symbol), b.function, b.label] for b in rule.blocks],
            "origin": self.chain(rule.origin.chain),
        }

    def _input(self, read: InputRead) -> Json:
        row = [self.term(read.symbol), read.site, self.term(read.guard)]
        extent = read.extent
        if extent is None:
            return [*row, None]
        return [*row, [self.term(extent.address), self.term(extent.size), extent.element]]

    def _atom(self, atom: Atom) -> Json:
        return [atom.relation, self.many(atom.arguments)]

    def _head(self, head: Atom | Query) -> Json:
        if isinstance(head, Atom):
            return self._atom(head)
        return {"query": head.id, "kind": self._kind(head.kind)}

    def _kind(self, kind: QueryKind) -> Json:
        match kind:
            case Check(CheckId(name, text, origin), site):
                return ["check", name, text, self.chain(origin.chain), site]
            case Obligation(OperationId(function, register, text, origin)):
                return ["obligation", function, register, text, self.chain(origin.chain)]
            case Vacuity(place):
                return ["vacuity", place]

    def entry(self, entry: LedgerEntry) -> Json:
        return [entry.kind.value, entry.text, self.chain(entry.origin.chain)]

    def step(self, step: Step) -> Json:
        values = [[self.term(s), self.term(v)] for s, v in step.values.items()]
        return [step.rule, self.many(step.arguments), list(step.premises), values]


class _Reader:
    """The tables of a text, and the inverse of each method of the writer."""

    def __init__(self, top: Json, source: str) -> None:
        scope = datatypes_scope(top.get("datatypes", ()), source)
        symbols = {
            f"s!{i}": terms.symbol(name, parse_sort(sort, source, scope))
            for i, (name, sort) in enumerate(top["symbols"])
        }
        self._terms = [parse_term(text, symbols, source, scope) for text in top["terms"]]
        self._chains = [tuple(Span(*span) for span in chain) for chain in top["origins"]]

    def many(self, numbers: Sequence[int]) -> tuple[Term, ...]:
        return tuple(self._terms[n] for n in numbers)

    def terms_of(self, numbers: Mapping[str, int]) -> dict[str, Term]:
        return {name: self._terms[n] for name, n in numbers.items()}

    def _origin(self, number: int) -> Origin:
        return Origin(self._chains[number])

    def relation(self, data: Json) -> Relation:
        name, parameters, origin = data
        return Relation(name, tuple(map(self._parameter, parameters)), self._origin(origin))

    def _parameter(self, data: Json) -> Parameter:
        symbol, role, c_name, c_type, scope, width, signed, bounds, inlined_at = data
        return Parameter(
            self._terms[symbol],
            Role(role),
            c_name,
            c_type,
            scope,
            width,
            signed,
            None if bounds is None else (bounds[0], bounds[1]),
            self._chains[inlined_at],
        )

    def rule(self, data: Json) -> Rule:
        return Rule(
            data["name"],
            tuple(self._atom(a) for a in data["body"]),
            self._terms[data["constraint"]],
            self._head(data["head"]),
            tuple(map(self._input, data["inputs"])),
            tuple(BlockMark(self._terms[s], f, b) for s, f, b in data["blocks"]),
            self._origin(data["origin"]),
        )

    def _input(self, data: Json) -> InputRead:
        symbol, site, guard, extent = data
        if extent is not None:
            address, size, element = extent
            extent = Extent(self._terms[address], self._terms[size], element)
        return InputRead(self._terms[symbol], site, self._terms[guard], extent)

    def _atom(self, data: Json) -> Atom:
        relation, arguments = data
        return Atom(relation, self.many(arguments))

    def _head(self, data: Json) -> Atom | Query:
        if isinstance(data, list):
            return self._atom(data)
        return Query(data["query"], self._kind(data["kind"]))

    def _kind(self, data: Json) -> QueryKind:
        match data:
            case ["check", name, text, origin, site]:
                return Check(CheckId(name, text, self._origin(origin)), site)
            case ["obligation", function, register, text, origin]:
                return Obligation(OperationId(function, register, text, self._origin(origin)))
            case ["vacuity", place]:
                return Vacuity(place)
        raise KeyError("kind")

    def entry(self, data: Json) -> LedgerEntry:
        kind, text, origin = data
        return LedgerEntry(Approximation(kind), text, self._origin(origin))

    def step(self, data: Json) -> Step:
        rule, arguments, premises, values = data
        fixed = {self._terms[s]: self._terms[v] for s, v in values}
        return Step(rule, self.many(arguments), tuple(premises), fixed)
