"""What formulas say of one state of a Boolean program: expressions over variables and labels.

A state is a place, which is before a statement or behind the last one, and the values of variables
there.  A name is that of a global, or `f.x`: the variable or label `x` of the procedure `f`, false
in states of other procedures.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.errors import InputError
from seahorn_py.engines.boolean.bebop import read_proposition
from seahorn_py.engines.boolean.expressions import (
    FALSE,
    TRUE,
    Expression,
    Name,
    leaves,
    mapped,
)
from seahorn_py.engines.boolean.programs import BooleanProgram, Procedure


def proposition(text: str, program: BooleanProgram) -> Expression:
    """What an atom says; InputError where it has not one value in each state."""
    expression = read_proposition(text)
    for name in (leaf.name for leaf in leaves(expression) if isinstance(leaf, Name)):
        meanings = len(list(_meanings(name, program)))
        if meanings != 1:
            said = "more than one" if meanings else "no"
            raise InputError(f"{text}: {name} is {said} global, variable or label")
    return expression


def at_place(
    expression: Expression, program: BooleanProgram, procedure: Procedure | None, position: int = 0
) -> Expression:
    """The expression over variables that the procedure sees, at one of its places.

    Without a procedure no variable and no label of one holds.
    """

    def meaning(name: str) -> Expression:
        if name in program.globals:
            return Name(name)
        if procedure is None or not name.startswith(f"{procedure.name}."):
            return FALSE
        inner = name.removeprefix(f"{procedure.name}.")
        if inner in (*procedure.parameters, *procedure.locals):
            return Name(inner)
        at_label = position < len(procedure.body) and inner in procedure.body[position].labels
        return TRUE if at_label else FALSE

    return mapped(expression, meaning)


def _meanings(name: str, program: BooleanProgram) -> Iterator[str]:
    """What the name may be."""
    if name in program.globals:
        yield name
    for procedure in program.procedures:
        if name.startswith(f"{procedure.name}."):
            labels = (label for statement in procedure.body for label in statement.labels)
            known = (*procedure.parameters, *procedure.locals, *labels)
            yield from (one for one in known if f"{procedure.name}.{one}" == name)
