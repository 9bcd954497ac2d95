"""What a register of a run holds, as the parameter of a relation represents it.

Programs in encoding form run with the layout of the encoding, so addresses can be compared, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Parameter
from seahorn_py.ir.floats.concrete import SOFT
from seahorn_py.ir.regions import Contents
from seahorn_py.ir.types import FloatType, PointerType, RegionType, Type
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import Value
from seahorn_py.logic.terms.terms import Sort, Term


class FarAddress(Exception):
    """An integer that runs do not tell from another one as an address.

    It may be below 0, beyond the last address, or so high that it may be one below 0.
    """


@dataclass(frozen=True)
class Observable:
    """A parameter with the type of its register; addresses have `address_width` bits."""

    parameter: Parameter
    type: Type
    address_width: int

    @property
    def symbol(self) -> Term:
        """The parameter's symbol."""
        return self.parameter.symbol

    @cached_property
    def is_region(self) -> bool:
        """The register holds contents of memory."""
        return isinstance(self.type, RegionType)

    @cached_property
    def value(self) -> Callable[[object], Value]:
        """What gives the parameter's value for what is held; FarAddress where it is not known.

        It is asked at each state of each run, so all that does not depend on the state is settled.
        """
        sort, width = self.parameter.sort, self.parameter.width
        is_number = sort is terms.INT and not isinstance(self.type, FloatType | PointerType)
        if not is_number or not self.parameter.signed or not width:
            return self._any_value
        least_negative, all_of_them = 1 << (width - 1), 1 << width

        def signed(held: object) -> Value:
            if not isinstance(held, int):
                return self._any_value(held)
            return held - all_of_them if held >= least_negative else held

        return signed

    def _any_value(self, held: object) -> Value:
        if isinstance(held, Contents):
            return Elements(self, held)
        assert isinstance(held, int)
        return self.scalar(self._sort, self.type, held)

    @cached_property
    def _sort(self) -> Sort:
        return self.parameter.sort

    def scalar(self, sort: Sort, of: Type, held: int) -> int | bool:
        """A machine integer as the sort represents it; one NaN stands for all."""
        if isinstance(of, FloatType):
            return SOFT.one_of_each(of.kind, held)
        if sort is terms.BOOL:
            return bool(held)
        if sort is not terms.INT:
            return held
        if isinstance(of, PointerType):
            self.require_near(held)
        width = self.parameter.width
        if self.parameter.signed and width and held >> (width - 1):
            return held - (1 << width)
        return held

    def require_near(self, address: int) -> None:
        """FarAddress unless it is that of one place only."""
        if not 0 <= address < 15 << (self.address_width - 4):
            raise FarAddress


@dataclass(frozen=True, slots=True)
class Elements:
    """`logic.terms.maps.Map`: the elements of a region."""

    observable: Observable
    contents: Contents

    def _value(self, held: int) -> int | bool:
        region, sort = self.observable.type, self.observable.parameter.sort
        assert isinstance(region, RegionType)
        return self.observable.scalar(sort.elem_type, region.element, held)

    def read(self, index: int) -> int | bool:
        """The element at an address; FarAddress where it is not known."""
        if self.observable.parameter.sort.index_type is terms.INT:
            self.observable.require_near(index)
        return self._value(self.contents.load(index))

    def places(self) -> Iterable[int]:
        """The addresses that were written."""
        return self.contents.written()

    @property
    def rest(self) -> int | bool:
        """What was there at first."""
        return self._value(self.contents.default)

    def __str__(self) -> str:
        shown = ", ".join(f"{a}: {e}" for a, e in self.contents.items())
        return f"[{shown}]"
