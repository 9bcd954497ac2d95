"""What crosses between Spacer's child and the engine, as JSON; terms are SMT-LIB text.

A request is a line with a `Header`, then SMT-LIB in the shape that `spacer_child` describes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict


class Header(TypedDict):
    """Options of z3's fixedpoint engine, and the names of the relations, in order.

    A model is `checked` by z3's ordinary solver before it is handed over.
    """

    options: Mapping[str, bool | int]
    checked: bool
    relations: Sequence[str]


class Step(TypedDict):
    """A rule by position, the fact's arguments, premises by position, the values of its symbols."""

    rule: int
    arguments: Sequence[str]
    premises: Sequence[int]
    values: Mapping[str, str]


class Safe(TypedDict):
    """A formula for each relation, over the symbols `p!0`, `p!1`, ..."""

    answer: Literal["safe"]
    model: Sequence[str]


class Unsafe(TypedDict):
    """A refutation, premises first, the query last."""

    answer: Literal["unsafe"]
    steps: Sequence[Step]


class Unknown(TypedDict):
    """Why there is no other answer."""

    answer: Literal["unknown"]
    reason: str


Answer = Safe | Unsafe | Unknown
