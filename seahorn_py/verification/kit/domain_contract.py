"""What every abstract domain keeps: the set contains all points, and does not grow for ever."""

from __future__ import annotations

import random
from collections.abc import Iterator

from seahorn_py.invariants.domains import AtMost, Congruent, Constraint, Equation, MakesDomain, dot

LINEAR = ((1, 0), (0, 1), (1, 1), (1, -1))
THRESHOLDS = (-10, -1, 0, 1, 7, 100)


class DomainContract:
    """Subclasses have the static method `domain`, which makes the empty set; see `MakesDomain`.

    Each method is a test of pytest.  Sets of `points` vectors are drawn with each of `seeds`.
    """

    domain: MakesDomain
    seeds: range = range(30)
    points: int = 25

    def test_it_is_sound(self) -> None:
        """All constraints hold for all points that were added."""
        for seed in self.seeds:
            value, added = type(self).domain(LINEAR, THRESHOLDS), list[tuple[int, int]]()
            for point in _points(seed, self.points):
                value.join(point)
                added.append(point)
                for constraint in value.constraints():
                    wrong = [one for one in added if not holds(constraint, one)]
                    assert not wrong, f"seed {seed}: {constraint} does not hold for {wrong[0]}"

    def test_it_says_when_it_grows(self) -> None:
        """A point within the set changes nothing, and one outside changes what is said."""
        for seed in self.seeds:
            value = type(self).domain(LINEAR, THRESHOLDS)
            known: set[Constraint] = set()
            for number, point in enumerate(_points(seed, self.points)):
                is_outside = not number or not all(holds(one, point) for one in known)
                grown, now = value.join(point), None
                now = set(value.constraints())
                assert grown or not is_outside, f"seed {seed}: {point} is outside, and not joined"
                assert grown or now == known, f"seed {seed}: it has grown and does not say so"
                assert not value.join(point), f"seed {seed}: {point} is new twice"
                known = now

    def test_it_ends(self) -> None:
        """Along a line it does not grow for ever."""
        value = type(self).domain(LINEAR, THRESHOLDS)
        grown = sum(value.join((k, 3 * k)) for k in range(-2000, 2000))
        assert grown < 200, f"it grew {grown} times along a line"


def holds(constraint: Constraint, point: tuple[int, int]) -> bool:
    """Whether a constraint holds for a point."""
    value = dot(constraint.coefficients, point)
    match constraint:
        case Equation(constant=constant):
            return value == constant
        case AtMost(constant=constant):
            return value <= constant
        case Congruent(modulus=modulus, remainder=remainder):
            return value % modulus == remainder


def _points(seed: int, count: int) -> Iterator[tuple[int, int]]:
    """Points about a line, on a grid, or anywhere."""
    draw = random.Random(seed)
    factor, step, spread = draw.randint(-3, 3), draw.choice((1, 2, 6)), draw.choice((0, 0, 1, 50))
    for _ in range(count):
        x = draw.randint(-20, 20) * step
        yield x, factor * x + draw.randint(-spread, spread)
