"""Invariants of a witness as checks of the program (Beyer, Spiessl: MetaVal, CAV 2020).

An invariant becomes a condition at its place in the C text: where it does not hold, an error
function of its own is called.  So the compiler gives the expression its meaning, and a run that
contradicts the invariant is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import visible
from seahorn_py.csource.syntax import CText, within
from seahorn_py.validation.edits import Edits
from seahorn_py.validation.expression import Expression, ExpressionError, c_expression
from seahorn_py.validation.places import Places, text_at
from seahorn_py.validation.relating import DECLARED, Relation, put
from seahorn_py.validation.unchanged import Edited
from seahorn_py.witness.witness import Invariant

_PREFIX = "sea_witness_invariant_"


@dataclass(frozen=True)
class Asserted:
    """The edited texts; `names` are the error functions, one for each invariant and relation.

    `bare` are the texts with empty statements in place of the code.  With `may_end`, the evaluation
    of an invariant may end a run that goes on in the program.
    """

    edited: Edited
    bare: Edited
    names: tuple[str, ...]
    may_end: bool


def asserted(
    invariants: Sequence[Invariant],
    texts: Sequence[CText],
    relations: Sequence[tuple[Relation, bool]] = (),
) -> Asserted:
    """The program with invariants, and then relations, as checks.

    With each relation comes whether any two visits are compared, or only neighbouring ones.  Raises
    PlaceError if something has no place in the texts, ExpressionError if it is no C expression
    without effects.
    """
    edits = {text.name: Edits(text) for text in texts}
    places = {text.name: Places(text) for text in texts}
    names, may_end = [], False
    for number, invariant in enumerate(invariants):
        text = text_at(texts, invariant.place)
        expression = c_expression(invariant.expression)
        may_end = may_end or expression.may_end
        names.append(f"{_PREFIX}{number}")
        _put(edits[text.name], places[text.name], invariant, expression, names[-1])
    for number, (relation, any_two) in enumerate(relations):
        _refuse_new_names(relation.loop, frozenset(relation.variables), relation.text)
        names.append(f"{_PREFIX}{len(invariants) + number}")
        put(edits[relation.text.name], number, relation, names[-1], any_two=any_two)
    declared = " ".join(f"extern void {name}(void);" for name in names)
    declared = f"{declared} {DECLARED}" if relations else declared
    for edit in edits.values():
        edit.head = declared
    edited = tuple((Path(name), edit.edited()) for name, edit in edits.items())
    bare = tuple((Path(name), edit.bare()) for name, edit in edits.items())
    return Asserted(edited, bare, tuple(names), may_end)


def failed(asserted_: Asserted, text: str) -> int | None:
    """The number of the invariant that a check with this text is about."""
    name = text.removesuffix("()")
    return asserted_.names.index(name) if name in asserted_.names else None


def _put(
    edits: Edits, places: Places, invariant: Invariant, expression: Expression, name: str
) -> None:
    code = f"if (!({expression.text})) {name}();"
    if not invariant.loop:
        edits.before(places.statement(invariant.place), code)
        return
    loop = places.loop(invariant.place)
    _refuse_new_names(loop, expression.names, edits.text)
    edits.before_condition(loop, code)


def _refuse_new_names(loop: Node, names: frozenset[str], text: CText) -> None:
    """Refuse names that a `for` declares but that also mean something before the loop.

    At the keyword of a `for`, a name means what it means before the loop.  It is taken for the
    variable of the loop only if it means nothing else.
    """
    first = loop.child_by_field_name("initializer")
    if first is None or first.type != "declaration":
        return
    words = (text.source(node) for node in within(first) if node.type == "identifier")
    for name in names.intersection(words):
        if visible(text, name, loop) is not None and _declares(first, name, text):
            raise ExpressionError(f"the loop declares another {name}")


def _declares(declaration: Node, name: str, text: CText) -> bool:
    for declarator in declaration.children_by_field_name("declarator"):
        node: Node | None = declarator
        while node is not None and node.type != "identifier":
            node = node.child_by_field_name("declarator")
        if node is not None and text.source(node) == name:
            return True
    return False
