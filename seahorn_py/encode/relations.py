"""One relation for each cut point, with what is known of its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.base.records import dataclass
from seahorn_py.encode import names
from seahorn_py.encode.encoding import Arithmetic, Cut, CutKind, Wrapping
from seahorn_py.encode.machine import Shape
from seahorn_py.encode.names import Naming
from seahorn_py.encode.whole_program import Related, WholeProgram
from seahorn_py.horn.system import Parameter, Relation, Role
from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.program import Block, Function, Register, Scope
from seahorn_py.passes.cuts import live_registers

V = TypeVar("V")


@dataclass(frozen=True)
class FunctionRelations:
    """The relations of one function; `blocks` by the label of the cut point."""

    entry: Related
    exit: Related
    blocks: Mapping[str, Related]

    def all(self) -> Iterable[Related]:
        """All of them, entry first."""
        return (self.entry, *self.blocks.values(), self.exit)

    def starting(self, label: str) -> Related:
        """The relation at the start of a region."""
        return self.blocks.get(label, self.entry)


def relations_of(whole: WholeProgram[V], function: Function, taken: set[str]) -> FunctionRelations:
    """The relations of a function, under names that are not in `taken`, to which they are added."""
    carried = whole.carried(function.name)
    own = names.parameter_names(function)
    entry_values = [(r, own.get(r), Role.ENTRY) for r in carried]
    live = live_registers(function, small=whole.options.small_steps)
    found = names.names_at(function, live)
    blocks: dict[str, Related] = {}

    def related(kind: CutKind, label: str, rows: list[_Row], origin: Origin) -> Related:
        place = label if kind is CutKind.BLOCK else kind.value
        name = _unique(f"{function.name}.{place}", taken)
        shapes = tuple(whole.shape(function.name, register) for register, _, _ in rows)
        relation = Relation(name, _parameters(whole, function.name, rows), origin)
        cut = Cut(function.name, kind, label, tuple(register for register, _, _ in rows))
        return Related(relation, cut, shapes)

    entry = related(CutKind.ENTRY, function.entry.label, entry_values, function.origin)
    numbers = whole.relevance.returns(function)
    returned: list[_Row] = [(whole.result(function.name, k), None, Role.CURRENT) for k in numbers]
    exit_ = related(CutKind.EXIT, "", entry_values + returned, function.origin)
    for label, block in blocks_by_label(function).items():
        if label in live:
            wanted = (r for r in live[label] if whole.relevance.needs(function.name, r))
            current = [(r, found[label].get(r), Role.CURRENT) for r in wanted if r not in carried]
            rows = entry_values + current
            blocks[label] = related(CutKind.BLOCK, label, rows, origin_of(block))
    return FunctionRelations(entry, exit_, blocks)


_Row = tuple[Register, Naming | None, Role]


def _unique(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "!"
    taken.add(name)
    return name


def _parameters(whole: WholeProgram[V], function: str, rows: list[_Row]) -> tuple[Parameter, ...]:
    taken: set[str] = set()
    return tuple(_parameter(whole, function, row, taken) for row in rows)


def _parameter(whole: WholeProgram[V], function: str, row: _Row, taken: set[str]) -> Parameter:
    register, naming, role = row
    shape = whole.shape(function, register)
    text = f"{function}.%{register.name}" if naming is None else naming.text
    text = _unique(f"{text}@entry" if role is Role.ENTRY else text, taken)
    variable = naming.variable if naming is not None else None
    is_global = variable is not None and variable.scope is Scope.GLOBAL
    integer = whole.options.arithmetic is Arithmetic.INT and shape.width > 1
    has_range = integer and shape.addresses is None and not shape.pointer
    has_range = has_range and whole.options.wrapping is not Wrapping.IDEAL
    return Parameter(
        symbol=names.symbol(text, whole.sort(shape)),
        role=_role(role, is_global, shape),
        c_name=str(variable) if variable is not None else None,
        c_type=variable.c_type if variable is not None else "",
        scope=naming.scope if naming is not None else "",
        width=shape.width if shape.width > 1 else None,
        signed=shape.signed,
        range=shape.bounds if has_range else None,
        inlined_at=naming.inlined_at if naming is not None else (),
    )


def _role(role: Role, is_global: bool, shape: Shape) -> Role:
    if shape.addresses is not None:
        return Role.REGION
    return Role.GLOBAL if is_global and role is Role.CURRENT else role


def origin_of(block: Block) -> Origin:
    """The first place in the C text that the block has."""
    for node in (*block.statements, block.terminator):
        origin: Origin = getattr(node, "origin", NOWHERE)
        if origin.span is not None and origin.span.line:
            return origin
    return NOWHERE
