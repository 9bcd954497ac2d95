"""What a transformation of Horn systems is: a new system, and the way back from answers about it.

A model of the new system is carried to one of the original, and so is a refutation, as far as the
transformation keeps what it needs: the type of the way back says which of the two can be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Model, Refutation

ModelBack: TypeAlias = Callable[[Model], Model]
RefutationBack: TypeAlias = Callable[[Refutation], Refutation]


class Inapplicable(Exception):
    """There is nothing to transform in a system, or it is none of those understood."""


class NotCarried(Exception):
    """A model or a refutation of the new system that cannot be written as one of the original."""


@dataclass(frozen=True)
class Models:
    """Only models go back: the new system derives more, and its refutations may be none.

    NotCarried where a model cannot be written.
    """

    model: ModelBack


@dataclass(frozen=True)
class Refutations:
    """Only refutations go back: the new system derives less, and its models may be none."""

    refutation: RefutationBack


@dataclass(frozen=True)
class Both:
    """Models and refutations go back; NotCarried where one cannot be written."""

    model: ModelBack
    refutation: RefutationBack


Back: TypeAlias = Models | Refutations | Both


class Transformation(Protocol):
    """A frozen dataclass of options that makes one Horn system of another."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Back]:
        """The new system and the way back; Inapplicable where there is none."""


def same_model(model: Model) -> Model:
    """For a transformation that leaves models what they are."""
    return model


def same_refutation(refutation: Refutation) -> Refutation:
    """For a transformation that leaves refutations what they are."""
    return refutation
