"""The files of a program as preprocessed C texts, with their functions and contracts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path

from tree_sitter import Node

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText, within
from seahorn_py.validation.contracts.cbmc import Cut, Places, cut, owner, with_loops
from seahorn_py.validation.contracts.model import (
    Clause,
    Contract,
    Kind,
    LoopContract,
    Parameter,
    Refused,
)

_CONTAINERS = frozenset({"translation_unit", "linkage_specification", "declaration_list"})


@dataclass(frozen=True)
class Name:
    """A function or a global variable; `unit` is the number of the file that defines it."""

    unit: int
    name: str


@dataclass(frozen=True)
class Unit:
    """A file: its text without clauses, and without line markers, for the parser.

    `plain`: the same text with line markers, for the compiler.  `places`: the places by these
    markers.  `functions`: name -> definition.  `linked`: functions that other files see.
    `refused`: function -> why its clauses are not understood.
    """

    path: Path
    text: CText
    plain: bytes
    places: Places
    functions: Mapping[str, Node]
    linked: frozenset[str]
    contracts: Mapping[str, Contract]
    loops: tuple[LoopContract, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


def read_unit(number: int, path: Path, text: bytes) -> Unit:
    """A file from its preprocessed text.  Raises InputError for a clause without an owner."""
    text = with_loops(text)
    try:
        plain, for_compiler, cuts = cut(str(path), text)
    except Refused as why:
        raise InputError(str(why)) from None
    functions: dict[str, Node] = {}
    hidden: set[str] = set()
    for node in _top(plain.root):
        if node.type == "function_definition":
            name = plain.function_name(node)
            functions[name] = node
            hidden |= {name} if _has(plain, node, "static") else set()
    places = Places(str(path), text)
    unit = Unit(path, plain, for_compiler, places, functions, frozenset(functions) - hidden, {})
    return _with_contracts(number, unit, cuts)


def _top(root: Node) -> Iterator[Node]:
    for child in root.children:
        if child.type in _CONTAINERS:
            yield from _top(child)
        else:
            yield child


def _has(text: CText, node: Node, word: str) -> bool:
    return any(
        c.type == "storage_class_specifier" and text.source(c) == word for c in node.children
    )


def _wrapped(node: Node) -> Node | None:
    if node.type != "parenthesized_declarator":
        return None
    return next(iter(node.named_children), None)


# ----------------------------------------------------------------------------------- contracts


def _with_contracts(number: int, unit: Unit, cuts: Iterable[Cut]) -> Unit:
    contracts: dict[str, Contract] = {}
    refused: dict[str, str] = {}
    loops: dict[int, LoopContract] = {}
    for one in cuts:
        try:
            node = owner(unit.text, one)
        except Refused as why:
            raise InputError(str(why)) from None
        if node.type != "function_declarator":
            loop = loops.get(node.start_byte) or LoopContract(number, node.start_byte, ())
            loops[node.start_byte] = replace(loop, clauses=(*loop.clauses, one.clause))
            continue
        name = _named(unit.text, node)
        try:
            added = _contract(number, unit, node, name, one)
            one = replace(one, clause=_of_objects(one, added))
            known = contracts.get(name, added)
            if [p.name for p in known.parameters] != [p.name for p in added.parameters]:
                raise Refused(f"{one.clause.place}: other names of parameters than {known.place}")
            contracts[name] = replace(known, clauses=(*known.clauses, one.clause))
        except Refused as why:
            refused.setdefault(name, str(why))
            contracts.setdefault(name, _empty(number, unit, node, name))
    return replace(unit, contracts=contracts, loops=tuple(loops.values()), refused=refused)


def _of_objects(one: Cut, contract: Contract) -> Clause:
    """The clause; ESBMC's `assigns(p)` of a parameter means the object that p leads to."""
    clause = one.clause
    if clause.kind is not Kind.ASSIGNS or not one.is_statement:
        return clause
    pointers = {p.name for p in contract.parameters if "*" in p.declared or "[" in p.declared}
    parts = [part.strip() for part in clause.text.split(",")]
    whole = (f"__CPROVER_object_whole({part})" if part in pointers else part for part in parts)
    return replace(clause, text=", ".join(whole))


def _named(text: CText, declarator: Node) -> str:
    inner = declarator.child_by_field_name("declarator")
    return text.source(inner) if inner is not None else ""


def _empty(number: int, unit: Unit, node: Node, name: str) -> Contract:
    return Contract(name, number, unit.places.at(node.start_byte, name), (), (), "")


def _contract(number: int, unit: Unit, node: Node, name: str, one: Cut) -> Contract:
    """An empty contract with the signature that the clause stands at."""
    parameters = node.child_by_field_name("parameters")
    where = one.clause.place
    if parameters is None or not name.isidentifier():
        raise Refused(f"{where}: the contract is of no plain function")
    found = []
    for child in parameters.named_children:
        if child.type == "variadic_parameter":
            raise Refused(f"{where}: contracts of variadic functions are not supported")
        if child.type == "parameter_declaration" and unit.text.source(child) != "void":
            found.append(Parameter(_parameter(unit.text, child, where), unit.text.source(child)))
        elif child.type not in ("parameter_declaration", "comment"):
            raise Refused(f"{where}: the parameters are not understood")
    empty = _empty(number, unit, node, name)
    return replace(empty, parameters=tuple(found), result=_result(unit.text, node, where))


def _parameter(text: CText, node: Node, where: object) -> str:
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.type != "identifier":
        inner = inner.child_by_field_name("declarator") or _wrapped(inner)
    if inner is None:
        raise Refused(f"{where}: a parameter has no name")
    return text.source(inner)


def _result(text: CText, declarator: Node, where: object) -> str:
    """The C text of the result's type.  Raises Refused if the declaration is no ordinary one."""
    stars = ""
    node = declarator.parent
    while node is not None and node.type == "pointer_declarator":
        stars, node = stars + "*", node.parent
    if node is None or node.type not in ("declaration", "function_definition"):
        raise Refused(f"{where}: the declaration is not understood")
    if len(node.children_by_field_name("declarator")) != 1:
        raise Refused(f"{where}: a function with a contract is declared alone")
    kind = node.child_by_field_name("type")
    if kind is None or any(c.type == "declaration" for c in node.named_children):
        raise Refused(f"{where}: the declaration is not understood")
    words = [text.source(c) for c in node.children if c.type == "type_qualifier"]
    return " ".join((*words, text.source(kind), stars)).strip()


# ---------------------------------------------------------------------------------------- cones


@dataclass(frozen=True)
class Project:
    """All files of a program."""

    units: tuple[Unit, ...]

    def function(self, unit: int, name: str) -> Name | None:
        """The definition of the function that a name means in a file; None if there is none."""
        if name in self.units[unit].functions:
            return Name(unit, name)
        for k, other in enumerate(self.units):
            if name in other.functions and name in other.linked:
                return Name(k, name)
        return None

    def contract(self, unit: int, name: str) -> Contract | None:
        """The contract of the function that a name means in a file."""
        home = self.function(unit, name)
        if home is not None and home.name in self.units[home.unit].contracts:
            return self.units[home.unit].contracts[home.name]
        is_hidden = home is not None and home.name not in self.units[home.unit].linked
        near = [unit] if is_hidden else [unit, *range(len(self.units))]
        return next(
            (u.contracts[name] for k in near if name in (u := self.units[k]).contracts), None
        )


def calls(text: CText, node: Node) -> Iterator[Node]:
    """The calls in a part of a text."""
    return (n for n in within(node) if n.type == "call_expression")
