r"""Relations between two visits of a loop: `\at(x, AnyPrev)` becomes a copy of `x` (YAML 2.1).

Copies are variables of a block around the loop, so they belong to one execution of the loop.  If a
relation is transitive, it is checked at neighbouring visits.  Otherwise the copy is made at an
arbitrary visit, so that the relation is checked at any two visits (B. Cook, A. Podelski, A.
Rybalchenko: "Termination proofs for systems code", PLDI 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import Types, visible
from seahorn_py.csource.syntax import CText, enclosing, within
from seahorn_py.csource.types import IntegerType
from seahorn_py.evidence.expressions.lvalue import SIGNED, UNSIGNED
from seahorn_py.validation.edits import Edits
from seahorn_py.validation.expression import Expression, ExpressionError, c_expression
from seahorn_py.validation.places import PlaceError, Places, text_at
from seahorn_py.witness.witness import Transition

COPY = "sea_witness_before_"
_SEEN = "sea_witness_seen_"
_CHOICE = "sea_witness_choice"
DECLARED = f'extern _Bool {_CHOICE}(void) __asm__("__VERIFIER_nondet_bool");'


@dataclass(frozen=True)
class Relation:
    """A relation, the loop that it is about, and the types of the variables in it."""

    transition: Transition
    text: CText
    loop: Node
    expression: Expression
    types: Types

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of the program's variables in the relation, sorted."""
        return tuple(sorted({name.removeprefix(COPY) for name in self.expression.names}))

    @property
    def copied(self) -> tuple[str, ...]:
        """The names of variables whose value at the earlier visit is meant."""
        return tuple(name for name in self.variables if COPY + name in self.expression.names)

    def type_of(self, name: str) -> str:
        """The C type of a variable.  Raises ExpressionError if it is no integer declared here."""
        body = self.loop.child_by_field_name("body") or self.loop
        declared = visible(self.text, name, body)
        kind = None if declared is None else self.types.of(declared)
        written = None if kind is None else _written(kind)
        if written is None:
            raise ExpressionError(f"{name} is not known as a variable of an integer type")
        return written


def relation(transition: Transition, texts: Sequence[CText], bits: int) -> Relation:
    """The relation of a witness in the texts of a program of `bits`-bit pointers.

    Raises PlaceError or ExpressionError if the relation has no meaning there.
    """
    text = text_at(texts, transition.place)
    loop = Places(text).loop(transition.place)
    expression = c_expression(transition.expression, COPY)
    if expression.may_end:
        raise ExpressionError("a relation that divides or reads memory")
    if not any(name.startswith(COPY) for name in expression.names):
        raise ExpressionError(r"a relation without \at(x, AnyPrev)")
    if _is_entered_inside(loop):
        raise PlaceError(f"the loop at {transition.place} may be entered by a jump")
    found = Relation(transition, text, loop, expression, Types(text, bits))
    for name in found.copied:
        found.type_of(name)
    return found


def put(edits: Edits, number: int, found: Relation, failing: str, *, any_two: bool) -> None:
    """Put copies into the text, and a call of `failing` where the relation does not hold."""
    own = f"{COPY}{number}_"
    expression = c_expression(found.transition.expression, own)
    seen = f"{_SEEN}{number}"
    copies = "".join(f"{found.type_of(n)} {own}{n} = 0; " for n in found.copied)
    edits.before_loop(found.loop, f"_Bool {seen} = 0; {copies}")
    taken = "".join(f"{own}{n} = {n}; " for n in found.copied)
    check = f"if ({seen} && !({expression.text})) {failing}(); "
    take = f"if ({_CHOICE}()) {{ {seen} = 1; {taken}}}" if any_two else f"{seen} = 1; {taken}"
    edits.before_condition(found.loop, check + take)


def _is_entered_inside(loop: Node) -> bool:
    """Whether the loop has a label to which control may come from outside."""
    switches = frozenset({"switch_statement"})
    for node in within(loop):
        if node.type == "labeled_statement":
            return True
        if node.type == "case_statement":
            around = enclosing(node, switches)
            if around is None or around.start_byte < loop.start_byte:
                return True
    return False


def _written(kind: IntegerType) -> str | None:
    if kind.truth:
        return "_Bool"
    wide = {128: "__int128" if kind.signed else "unsigned __int128"}
    return ((SIGNED if kind.signed else UNSIGNED) | wide).get(kind.width)
