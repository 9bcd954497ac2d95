"""The C code of waypoints: what is executed at a node of the syntax tree, and how it is put there.

A variable of the edited program counts the segments of the witness that have ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import within
from seahorn_py.validation.edits import Edits
from seahorn_py.validation.expression import RESULT
from seahorn_py.validation.places import PlaceError, Way

SEGMENT = "sea_witness_segment"
VALUE = "sea_witness_value"
_BLOCK = "sea_witness_assume"
_ARGUMENT = "sea_witness_argument"
_IDLE = "sea_witness_idle"
MOST_IDLE = 1_000
"""The most rounds of loops and calls that a run makes between two waypoints of a cycle."""
COUNTED = f"int {_IDLE};"
DECLARED = f'extern void {_BLOCK}(int) __asm__("__VERIFIER_assume");'


@dataclass(frozen=True, slots=True)
class Here:
    """A waypoint of a segment, as a condition in C.

    If `avoid`, a run where the condition holds is blocked; if `must_hold`, a run where it does not.
    `passed` is the code that is executed when a run passes the waypoint.
    """

    segment: int
    condition: str
    avoid: bool
    must_hold: bool
    passed: str = f"{SEGMENT}++;"


def next_of(segment: int, first: int, count: int) -> str:
    """The code at the end of a segment; after the last of `count`, segment `first` comes again."""
    step = f"{SEGMENT}++;" if segment + 1 < count else f"{SEGMENT} = {first};"
    return f"{step} {_IDLE} = 0;"


def idling() -> str:
    """Code that blocks a run which has passed no waypoint for long."""
    return f"if (++{_IDLE} > {MOST_IDLE}) {_BLOCK}(0); "


def stop(segment: int) -> str:
    """Code that blocks a run in any other segment."""
    return f"if ({SEGMENT} != {segment}) {_BLOCK}(0);"


def code_for(here: Sequence[Here], several: bool) -> str:
    """The code at a node for its waypoints; a run may pass `several` of them at once.

    Segments with the same code share it, since a loop may pass thousands of waypoints at one node.
    """
    cases: dict[int, list[Here]] = {}
    for one in here:
        cases.setdefault(one.segment, []).append(one)
    if several:
        parts = (f"if ({SEGMENT} == {k}) {{ {_case(found)} }} " for k, found in cases.items())
        return "".join(parts)
    sharing: dict[str, list[str]] = {}
    for k, found in cases.items():
        sharing.setdefault(_case(found), []).append(f"case {k}: ")
    whole = "".join(f"{''.join(labels)}{code} break; " for code, labels in sharing.items())
    return f"switch ({SEGMENT}) {{ {whole}}} "


def _case(here: Sequence[Here]) -> str:
    """The code of one segment at a node, for its waypoints there."""
    avoid = [f"if ({one.condition}) {_BLOCK}(0);" for one in here if one.avoid]
    follow = [
        f"if ({one.condition}) {{ {one.passed} }}"
        + (f" else {_BLOCK}(0);" if one.must_hold else "")
        for one in here
        if not one.avoid
    ]
    return " ".join(dict.fromkeys([*avoid, *follow]))


def put(edits: Edits, way: Way, node: Node, code: str) -> None:
    """Put code at a node.  Raises PlaceError where that is not supported."""
    match way:
        case Way.BEFORE:
            edits.before(node, code)
        case Way.AFTER:
            edits.after(node, code)
        case Way.CONDITION:
            edits.before_condition(node, code)
        case Way.BRANCH:
            _put_branch(edits, node, code)
        case Way.ENTER:
            _put_enter(edits, node, code)
        case Way.VALUE:
            edits.around(node, f"({{ __auto_type {RESULT} = ", f"; {code} {RESULT}; }})")
        case Way.EFFECT:
            edits.around(node, "({ ", f"; {code} }})")
        case _:
            assert_never(way)


def _put_branch(edits: Edits, node: Node, code: str) -> None:
    condition = node.child_by_field_name("condition")
    if node.type == "for_statement" and condition is None:
        raise PlaceError("a `for` without a condition, which never branches")
    assert condition is not None
    if node.type == "conditional_expression" and node.child_by_field_name("consequence") is None:
        raise PlaceError("a `?:` without a middle, which is not supported")
    is_switch = node.type == "switch_statement"
    before = f"({{ __auto_type {VALUE} = +(" if is_switch else f"({{ int {VALUE} = !!("
    after = f"); {code} {VALUE}; }})"
    if condition.type == "parenthesized_expression" and node.type != "conditional_expression":
        before, after = f"({before}", f"{after})"
    edits.around(condition, before, after)


def _put_enter(edits: Edits, call: Node, code: str) -> None:
    """Put code that is executed between the evaluation of the arguments and the call.

    If no argument contains a call, the code may as well be executed before the arguments.
    """
    arguments = call.child_by_field_name("arguments")
    given = (
        [] if arguments is None else [c for c in arguments.named_children if c.type != "comment"]
    )
    if not any(node.type == "call_expression" for g in given for node in within(g)):
        edits.around(call, f"(({{ {code} }}), ", ")")
        return
    edits.around(given[-1], f"({{ __auto_type {_ARGUMENT} = ", f"; {code} {_ARGUMENT}; }})")
