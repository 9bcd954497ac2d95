"""Debug records of values that a run may not have made when it comes to the record.

LLVM's passes move and join blocks; a record is no use of a value for them, so its value may be
defined on some of the paths only.  Such a variable is unknown there.
"""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.ir.graph import DominatorTree, dominator_tree
from seahorn_py.ir.program import Bind, Block, Function, Register, Statement
from seahorn_py.ir.traverse import results


def with_known_values(function: Function) -> Function:
    """The function, in which a record of a value that may be missing says that it is unknown."""
    homes = _homes(function)
    if not any(_is_elsewhere(s, b, homes) for b in function.blocks for s in b.statements):
        return function
    tree = dominator_tree(function)
    blocks = tuple(_known(block, homes, tree) for block in function.blocks)
    return replace(function, blocks=blocks)


def _homes(function: Function) -> dict[str, str]:
    """The block in which each register is defined; parameters have none."""
    homes: dict[str, str] = {}
    for block in function.blocks:
        homes.update((phi.result.name, block.label) for phi in block.phis)
        homes.update((r.name, block.label) for s in block.statements for r in results(s))
    return homes


def _is_elsewhere(statement: Statement, block: Block, homes: dict[str, str]) -> bool:
    """Whether it is a record of a value that another block defines."""
    if not isinstance(statement, Bind) or not isinstance(statement.value, Register):
        return False
    return homes.get(statement.value.name, block.label) != block.label


def _known(block: Block, homes: dict[str, str], tree: DominatorTree) -> Block:
    made = {phi.result.name for phi in block.phis}
    statements: list[Statement] = []
    for statement in block.statements:
        if isinstance(statement, Bind) and isinstance(statement.value, Register):
            name = statement.value.name
            home = homes.get(name)
            here = home is None or (
                name in made if home == block.label else tree.dominates(home, block.label)
            )
            statement = statement if here else replace(statement, value=None)
        made.update(r.name for r in results(statement))
        statements.append(statement)
    return replace(block, statements=tuple(statements))
