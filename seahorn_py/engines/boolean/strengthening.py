"""F(phi): the weakest formula over Boolean variables that implies phi, as a union of cubes.

Ball, Majumdar, Millstein, Rajamani: Automatic predicate abstraction of C programs, PLDI 2001.

Cubes are tried by their length, so those that are found are prime.  A valuation in which phi is
false rules out every cube that contains it.  So the solver is asked once for each cube of the
answer and once for each such valuation, not for every cube.  With few variables cubes have any
length and the formula is the weakest; with many they have up to three literals, as in the paper: a
stronger formula is still right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product

from seahorn_py.base.records import dataclass

ALL_LENGTHS = 6
"""Up to so many variables cubes have any length."""

SHORT, SHORTER = 3, 2
MANY = 12
"""Beyond so many variables cubes are shorter still."""


@dataclass(frozen=True, slots=True)
class Cube:
    """A conjunction of literals: bit sets of the variables that are true and false."""

    true: int
    false: int

    def covers(self, other: Cube) -> bool:
        """Whether the other one has all literals of this one."""
        return not (self.true & ~other.true or self.false & ~other.false)

    def has(self, valuation: int) -> bool:
        """Whether the literals hold in a valuation, given as the set of true variables."""
        return not (self.true & ~valuation or self.false & valuation)


def strengthening(
    positions: Sequence[int],
    ask: Callable[[Cube], bool | None],
    falsifying: list[int],
    known: Iterable[Cube] = (),
) -> list[Cube]:
    """The prime cubes over the variables at `positions` that imply phi.

    `ask` says of a cube whether it implies phi, None where that is open; where it does not, it adds
    a valuation to `falsifying`.  Cubes that one of `known` covers are left out.
    """
    covered = list(known)
    found: list[Cube] = []
    valuations = _Valuations(falsifying)
    for cube in _cubes(positions):
        if valuations.has_one_in(cube) or any(k.covers(cube) for k in covered):
            continue
        if ask(cube):
            covered.append(cube)
            found.append(cube)
    return found


class _Valuations:
    """Valuations by variable: the set of those in which it is true."""

    def __init__(self, valuations: list[int]) -> None:
        self._valuations = valuations
        self._counted = 0
        self._true: dict[int, int] = {}

    def has_one_in(self, cube: Cube) -> bool:
        """Whether the literals hold in one of the valuations."""
        for number in range(self._counted, len(self._valuations)):
            for position in _positions(self._valuations[number]):
                self._true[position] = self._true.get(position, 0) | 1 << number
        self._counted = len(self._valuations)
        left = (1 << self._counted) - 1
        for position in _positions(cube.true):
            left &= self._true.get(position, 0)
        for position in _positions(cube.false):
            left &= ~self._true.get(position, 0)
        return bool(left)


def _positions(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _cubes(positions: Sequence[int]) -> Iterator[Cube]:
    count = len(positions)
    longest = count if count <= ALL_LENGTHS else SHORT if count <= MANY else SHORTER
    for length in range(longest + 1):
        for chosen in combinations(positions, length):
            for signs in product((True, False), repeat=length):
                pairs = list(zip(chosen, signs, strict=True))
                yield Cube(
                    sum(1 << p for p, sign in pairs if sign),
                    sum(1 << p for p, sign in pairs if not sign),
                )
