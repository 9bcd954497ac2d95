"""Drawn values for runs in the interpreter, of the kinds that the native run time draws.

Each seed prefers some kinds: a run with small numbers only goes where mixed ones seldom do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from seahorn_py.ir.program import Site
from seahorn_py.ir.types import IntType

_OTHER_BITS = 64
"""The width of what is drawn for a site that is no integer."""

_Kind = Callable[[Random, int], int]


def drawing(seed: int, words: Sequence[int]) -> Callable[[Site], int]:
    """Values for the reads of one run; `words` are the constants of the program, frequent first."""
    random = Random(seed)

    def word(random: Random, width: int) -> int:
        return words[int(len(words) * random.random() ** 2)] if words else _near_zero(random, width)

    kinds: tuple[_Kind, ...] = (_small, _near_zero, _boundary, _uniform, word)
    preferred = kinds if seed % 2 else (kinds[seed // 2 % len(kinds)],)

    def draw(site: Site) -> int:
        width = site.type.width if isinstance(site.type, IntType) else _OTHER_BITS
        return random.choice(preferred)(random, width) % (1 << width)

    return draw


def _small(random: Random, width: int) -> int:
    return random.randrange(10 if random.random() < 0.7 else 300)


def _near_zero(random: Random, width: int) -> int:
    return random.randint(-8, 8)


def _boundary(random: Random, width: int) -> int:
    """A power of two and its neighbours, of either sign; the sign bit itself is preferred."""
    power = 1 << random.choice((width - 1, random.randrange(width)))
    return random.choice((1, -1)) * (power + random.randint(-1, 1))


def _uniform(random: Random, width: int) -> int:
    return random.getrandbits(width)
