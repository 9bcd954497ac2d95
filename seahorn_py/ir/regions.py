"""The contents of a memory region while a program runs: a persistent map.

H. Baker: "Shallow binding makes functional arrays fast", SIGPLAN Notices 26(8), 1991.  All versions
of a region share one table, that of the version used last; every other version knows one difference
and the version it is a difference to.  Using a version makes it the owner of the table by turning
the differences on the way around, so the usual chain of stores costs as much as a mutable map.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator


class Contents:
    """A total map from addresses to elements, both canonical machine integers."""

    __slots__ = ("_default", "_element", "_key", "_next", "_table")

    def __init__(self, default: int = 0) -> None:
        self._default = default
        self._table: dict[int, int] = {}
        self._next: Contents | None = None
        self._key = self._element = 0

    def load(self, address: int) -> int:
        """The element at the address."""
        if self._next is not None:
            self._own()
        return self._table.get(address, self._default)

    def store(self, address: int, element: int) -> Contents:
        """The contents with another element at the address; these stay as they are."""
        if self._next is not None:
            self._own()
        changed = Contents(self._default)
        self._hand_over(changed, address, element)
        return changed

    def with_items(self, items: Iterable[tuple[int, int]]) -> Contents:
        """The contents with other elements at many addresses, in a table of their own."""
        if self._next is not None:
            self._own()
        changed = Contents(self._default)
        changed._table = self._table | dict(items)
        return changed

    @property
    def default(self) -> int:
        """The element at all addresses but those of `items`."""
        return self._default

    def written(self) -> Collection[int]:
        """The addresses of `items`, in no order; until the next use of a version."""
        if self._next is not None:
            self._own()
        return self._table.keys()

    def items(self) -> Iterator[tuple[int, int]]:
        """Addresses and elements, as far as they were written."""
        if self._next is not None:
            self._own()
        return iter(sorted(self._table.items()))

    def _hand_over(self, other: Contents, key: int, element: int) -> None:
        """Give the table to `other`, which differs in one element."""
        table = other._table = self._table
        self._key, self._element = key, table.get(key, self._default)
        self._next, other._next = other, None
        self._table = {}
        table[key] = element

    def _own(self) -> None:
        """Take the table over from the version that has it."""
        path: list[Contents] = []
        version: Contents = self
        while version._next is not None:
            path.append(version)
            version = version._next
        for nearer in reversed(path):
            owner = nearer._next
            assert owner is not None
            owner._hand_over(nearer, nearer._key, nearer._element)


Value = int | Contents
"""What a register holds while a program runs."""
