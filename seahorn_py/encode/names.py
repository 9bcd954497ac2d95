"""Names of registers at the cut points of a function, from the debug records that dominate them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.ir.graph import DominatorTree, blocks_by_label, dominator_tree
from seahorn_py.ir.program import Bind, Block, Function, Operand, Register, Scope, Variable
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term


def symbol(text: str, sort: Sort) -> Term:
    """The symbol of this name.

    A name has one sort in a process, and several programs may be encoded in one: Booleans end in
    `?`, bit-vectors in `~WIDTH`, arrays in `[]` with the widths of indices and elements.
    """
    return terms.symbol(text + _suffix(sort), sort)


def _suffix(sort: Sort) -> str:
    if sort.is_array_type():
        return f"[{_suffix(sort.index_type)}]{_suffix(sort.elem_type)}"
    if sort is terms.BOOL:
        return "?"
    return "" if sort is terms.INT else f"~{sort.width}"


@dataclass(frozen=True, slots=True)
class Naming:
    """A C variable in a function: its unique text there, such as `f.x` or `f.x!2`."""

    text: str
    variable: Variable
    inlined_at: tuple[Span, ...]

    @property
    def scope(self) -> str:
        """The C function the variable belongs to; empty for a global."""
        return _scope(self.variable)


def _scope(variable: Variable) -> str:
    if variable.scope is Scope.GLOBAL or variable.span is None:
        return ""
    return variable.span.function


_Key = tuple[Variable, tuple[Span, ...]]


def _key(record: Bind) -> _Key:
    """One variable of one inlined copy."""
    return record.variable, record.origin.chain[1:]


def _namings(function: Function) -> dict[int, Naming]:
    """Unique texts in the order of the function's debug records, by the identity of a record.

    What was inlined through n calls has n places, so records are compared by identity first.
    """
    found: dict[int, Naming] = {}
    same: dict[tuple[int, ...], Naming] = {}
    equal: dict[_Key, Naming] = {}
    count: dict[str, int] = {}
    for block in function.blocks:
        for record in block.statements:
            if not isinstance(record, Bind):
                continue
            parts = (id(record.variable), *map(id, record.origin.chain[1:]))
            if parts not in same:
                key = _key(record)
                if key not in equal:
                    equal[key] = _naming(function, *key, count)
                same[parts] = equal[key]
            found[id(record)] = same[parts]
    return found


def _naming(
    function: Function, variable: Variable, inlined_at: tuple[Span, ...], count: dict[str, int]
) -> Naming:
    prefix = "global" if variable.scope is Scope.GLOBAL else _scope(variable) or function.name
    text = f"{prefix}.{variable}"
    count[text] = count.get(text, 0) + 1
    unique = text if count[text] == 1 else f"{text}!{count[text]}"
    return Naming(unique, variable, inlined_at)


@dataclass
class _Scopes:
    """The variables' values at a point of a walk over the dominator tree, with the way back.

    Variables are keys by the unique text of their naming.
    """

    namings: Mapping[int, Naming]
    values: dict[str, tuple[Naming, Operand | None]] = field(default_factory=dict)
    undo: list[tuple[str, tuple[Naming, Operand | None] | None]] = field(default_factory=list)

    def bind(self, record: Bind) -> None:
        """Re-insert, so that the order of `values` is that of the last records."""
        naming = self.namings[id(record)]
        self.undo.append((naming.text, self.values.pop(naming.text, None)))
        self.values[naming.text] = naming, record.value

    def back_to(self, length: int) -> None:
        """Forget all records after the first `length`."""
        while len(self.undo) > length:
            text, before = self.undo.pop()
            del self.values[text]
            if before is not None:
                self.values[text] = before


def names_at(
    function: Function, labels: Collection[str]
) -> Mapping[str, Mapping[Register, Naming]]:
    """Label -> register -> the C variable whose value it is just after the phis of that block.

    Of several variables with one value the last bound one is taken, one that is not inlined first.
    """
    namings, tree = _namings(function), dominator_tree(function)
    blocks, wanted = blocks_by_label(function), set(labels)
    scopes = _Scopes(namings)
    result: dict[str, dict[Register, Naming]] = {}
    for label, depth in _with_depth(tree, scopes):
        scopes.back_to(depth)
        head, rest = _records(blocks[label])
        for record in head:
            scopes.bind(record)
        if label in wanted:
            result[label] = _registers(scopes.values.values())
        for record in rest:
            scopes.bind(record)
    return result


def _with_depth(tree: DominatorTree, scopes: _Scopes) -> Iterator[tuple[str, int]]:
    """The preorder, each label with the number of records made when its dominator was left."""
    open_blocks: list[tuple[str, int]] = []
    for label in tree.preorder:
        while open_blocks and not tree.dominates(open_blocks[-1][0], label):
            open_blocks.pop()
        yield label, open_blocks[-1][1] if open_blocks else 0
        open_blocks.append((label, len(scopes.undo)))


def _records(block: Block) -> tuple[list[Bind], list[Bind]]:
    """The debug records before and after the first other statement."""
    head: list[Bind] = []
    for position, statement in enumerate(block.statements):
        if not isinstance(statement, Bind):
            return head, [s for s in block.statements[position:] if isinstance(s, Bind)]
        head.append(statement)
    return head, []


def _registers(values: Iterable[tuple[Naming, Operand | None]]) -> dict[Register, Naming]:
    found: dict[Register, Naming] = {}
    for naming, value in values:
        if not isinstance(value, Register):
            continue
        before = found.get(value)
        if before is None or len(naming.inlined_at) <= len(before.inlined_at):
            found[value] = naming
    return found


def parameter_names(function: Function) -> Mapping[Register, Naming]:
    """The C parameters whose values at the entry the parameters of the function are."""
    namings = _namings(function)
    found: dict[Register, Naming] = {}
    for block in function.blocks:
        for record in block.statements:
            if isinstance(record, Bind) and isinstance(record.value, Register):
                is_own = not record.origin.chain[1:] and record.variable.scope is Scope.PARAMETER
                if is_own and record.value in function.parameters:
                    found.setdefault(record.value, namings[id(record)])
    return found


def register_names(function: Function) -> Mapping[Register, str]:
    """Registers by the first C variable that had their value, for texts about operations."""
    found: dict[Register, str] = {}
    for block in function.blocks:
        for record in block.statements:
            if isinstance(record, Bind) and isinstance(record.value, Register):
                found.setdefault(record.value, str(record.variable))
    return found
