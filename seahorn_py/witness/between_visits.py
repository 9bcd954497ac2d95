r"""Ranks of loops as relations between two visits, in C (YAML 2.1).

A measure m counts as max(m, 0).  Let p be its value at an earlier visit.  Then

    m decreased               p > 0 && m < p
    m did not increase        m <= 0 || m <= p

A tuple decreased if one of its measures did, and no measure in front of that one increased.  This
relation is transitive: if it holds between neighbouring visits, it holds between any two visits.

A rank that lags need not decrease in the last round.  So a visit at which the loop is left is
related to every visit at which it is not left.  The same is done for a `do` loop: its rank is about
the states before its body, which are those at its condition where the condition holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import visible
from seahorn_py.csource.syntax import is_pure, within
from seahorn_py.evidence.expressions.lvalue import SIGNED, UNSIGNED
from seahorn_py.result import LoopRank, RankMeasure, RankTerm
from seahorn_py.witness.correctness import Placed, by_loop
from seahorn_py.witness.elements import INPUTS
from seahorn_py.witness.texts import Sources, place_of
from seahorn_py.witness.witness import Transition

_NOT_PLAIN = ("field_expression", "subscript_expression", "pointer_expression")
_JUMPS = ("break_statement", "goto_statement", "return_statement")
_MOST_BITS = 64
"""The width of the widest constants that C can write."""


@dataclass(frozen=True)
class Relations:
    """The relations, and a line for each loop that has none."""

    transitions: tuple[Transition, ...]
    left_out: tuple[str, ...]


def transitions(ranks: Sequence[LoopRank], sources: Sources) -> Relations:
    """The relations that the ranks give, in the order of the text."""
    found: list[Transition] = []
    widest = 2 * sources.frontend.bits
    groups = list(by_loop([rank.head for rank in ranks], sources))
    placed = {one.number for group, _ in groups for one in group}
    left_out = [
        ", ".join(rank.head.left_out) or f"{rank.head.origin}: no loop of the text"
        for number, rank in enumerate(ranks)
        if number not in placed
    ]
    for group, reason in groups:
        said = {_said(ranks[one.number], one, widest) for one in group}
        why = reason or ("" if len(said) == 1 else "its copies have different ranks")
        text = said.pop()
        if why or not text:
            left_out.append(f"{group[0].where}: {why or 'its rank is not in C'}")
            continue
        first = group[0]
        function = first.text.function_of(first.loop)
        place = place_of(first.text, first.text.start(first.loop), function)
        found.append(Transition(place, text))
    return Relations(tuple(found), tuple(left_out))


def _said(rank: LoopRank, placed: Placed, widest: int) -> str:
    """The relation of a rank; "" if C cannot say it at the loop, in integers of `widest` bits."""
    terms = [term for measure in rank.measures for term in measure.terms]
    if not rank.measures or not all(_is_visible(term, placed) for term in terms):
        return ""
    numbers = [*(m.constant for m in rank.measures), *(term.factor for term in terms)]
    if any(abs(number).bit_length() >= _MOST_BITS for number in numbers):
        return ""
    if any(measure.bits > widest for measure in rank.measures):
        return ""
    decrease = _lexicographic(rank.measures)
    is_do = placed.loop.type == "do_statement"
    if not rank.lags and not is_do:
        return decrease
    if rank.lags and (is_do or _is_left_within(placed)):
        return ""
    guard = _guard(placed)
    return guard and f"({_before(guard, placed)}) && (!({guard}) || {decrease})"


def _is_visible(term: RankTerm, placed: Placed) -> bool:
    """Whether the name means the variable at the condition, and nothing else before the loop."""
    body = placed.loop.child_by_field_name("body") or placed.loop
    inside = visible(placed.text, term.variable, body)
    is_meant = inside is not None and term.place is not None and inside.line == term.place.line
    return is_meant and _is_one(term.variable, placed)


# ------------------------------------------------------------------------------------ the relation


def _lexicographic(measures: Sequence[RankMeasure]) -> str:
    parts = []
    for number, measure in enumerate(measures):
        kept = [f"({_not_more(one)})" for one in measures[:number]]
        parts.append(" && ".join([*kept, _less(measure)]))
    return parts[0] if len(parts) == 1 else " || ".join(f"({part})" for part in parts)


def _less(measure: RankMeasure) -> str:
    before, now = _value(measure, past=True), _value(measure, past=False)
    return f"{before} > 0 && {now} < {before}"


def _not_more(measure: RankMeasure) -> str:
    before, now = _value(measure, past=True), _value(measure, past=False)
    return f"{now} <= 0 || {now} <= {before}"


def _value(measure: RankMeasure, *, past: bool) -> str:
    """The value of a measure, now or in the `past`, as C text of a type that is wide enough."""
    first = measure.terms[0] if measure.terms else None
    if first is not None and len(measure.terms) == 1 and first.factor == 1 and not measure.constant:
        return _read(first, f"\\at({first.variable}, AnyPrev)" if past else first.variable)
    wide = "long long" if measure.bits <= 64 else "__int128"
    text = ""
    for term in measure.terms:
        variable = f"\\at({term.variable}, AnyPrev)" if past else term.variable
        size = "" if abs(term.factor) == 1 else f"{abs(term.factor)} * "
        value = f"{size}({wide}){_read(term, variable)}"
        sign = "-" if term.factor < 0 else "+"
        text += f" {sign} {value}" if text else f"{'-' if term.factor < 0 else ''}{value}"
    if measure.constant or not text:
        number = measure.constant
        text += f" {'-' if number < 0 else '+'} {_constant(number)}" if text else str(number)
    return f"({text})" if " " in text.replace(f"({wide})", "") else text


def _constant(number: int) -> str:
    return f"{abs(number)}{'LL' if abs(number) >> 31 else ''}"


def _read(term: RankTerm, variable: str) -> str:
    """The variable as the signed or unsigned number that the rank means."""
    if term.signed == term.c_signed or term.width not in SIGNED:
        return variable
    return f"({(SIGNED if term.signed else UNSIGNED)[term.width]}){variable}"


# ------------------------------------------------------------------------------ where it is left


def _guard(placed: Placed) -> str:
    """The condition of the loop, if it reads plain variables only."""
    condition = placed.loop.child_by_field_name("condition")
    if condition is None or not is_pure(condition):
        return ""
    if any(node.type in _NOT_PLAIN for node in within(condition)):
        return ""
    names = (_text(node) for node in within(condition) if node.type == "identifier")
    return placed.text.source(condition) if all(_is_one(name, placed) for name in names) else ""


def _is_one(name: str, placed: Placed) -> bool:
    """Whether the name means a variable, and the same one before the loop and in it."""
    body = placed.loop.child_by_field_name("body") or placed.loop
    inside = visible(placed.text, name, body)
    return inside is not None and visible(placed.text, name, placed.loop) in (None, inside)


def _is_left_within(placed: Placed) -> bool:
    """Whether a statement inside of the loop may leave it."""
    for node in within(placed.loop):
        is_call = node.type == "call_expression"
        if node.type in _JUMPS or (is_call and not placed.text.callee(node).startswith(INPUTS)):
            return True
    return False


def _before(guard: str, placed: Placed) -> str:
    condition = placed.loop.child_by_field_name("condition")
    assert condition is not None
    text, start = placed.text.text, condition.start_byte
    parts, at = [], start
    for node in within(condition):
        if node.type == "identifier":
            parts += [text[at : node.start_byte].decode(), f"\\at({_text(node)}, AnyPrev)"]
            at = node.end_byte
    return "".join([*parts, text[at : condition.end_byte].decode()])


def _text(node: Node) -> str:
    assert node.text is not None
    return node.text.decode()
