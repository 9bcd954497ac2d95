"""Random sequences: a few calls of functions that have to do with one another."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator

from sequences.calls import ARGUMENTS, ENVIRONMENT_WORDS, MEMORY_WORDS, Call, Sequence
from sequences.operations import Operation, by_header, operations

_MASK = (1 << 64) - 1
_BUFFER = 32
_SHORTEST, _LONGEST = 3, 9
_LETTERS = (
    b"ab",
    b"abAB",
    b"01",
    b"0129",
    b"a b,",
    b"xX0fF",
    b"-+19",
    b"aA\xe4\xc4\xff",
    b"\t\n z",
)
_NUMBERS = (
    *(b"0", b"-0", b"+7", b"42", b"-13", b" 99", b"0x1f", b"0X", b"017", b"08", b"zz", b"1e3"),
    *(b"2147483647", b"2147483648", b"-2147483648", b"9223372036854775807", b"--1", b"+", b""),
    *(b"9223372036854775808", b"-9223372036854775808", b"-9223372036854775809", b"0x", b" +"),
    *(b"18446744073709551615", b"18446744073709551616", b"-18446744073709551616", b"1.5", b".5e-3"),
    *(b"1e400", b"-1e400", b"inf", b"nan", b"0x1.8p3", b"1e", b"4.9e-324", b"123abc", b"\v\f5"),
)
_OPTIONS = (b"-a", b"-b", b"-ab", b"-bx", b"-", b"--", b"x", b"-q", b"-x1")
_INTS = (0, 1, -1, 2, 7, 10, 42, 127, 128, 255, 256, 4095, -100, 2**31 - 1, -(2**31), 10**9)
_LONGS = (*_INTS, 2**31, 2**32, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 10**18)
_DOUBLES = (
    *(0.0, -0.0, 0.5, -0.5, 1.0, 1.5, 2.5, -2.5, 3.0, 0.1, 1e10, 1e300, 5e-324, 1e-310, 2.0**52),
    *(2.0**53 + 2, 4503599627370495.5, float("inf"), float("-inf"), float("nan"), 123456.789, 1e17),
)
_BASES = (0, 10, 16, 2, 8, 36, 1, 37, -1, 7)
_OPENING = ("fopen", "fopen", "tmpfile", "setvbuf")


def sequences(seed: int, count: int) -> Iterator[Sequence]:
    """The same for the same seed."""
    for number in range(count):
        yield _sequence(random.Random(seed * 1_000_003 + number))


def _sequence(r: random.Random) -> Sequence:
    environment = (_kind(r, 5), _kind(r, 4), *_words(_text(r, 60), 8), *_words(_text(r, 60), 8))
    assert len(environment) == ENVIRONMENT_WORDS
    memory = b"".join(_text(r, _BUFFER - 1).ljust(_BUFFER, b"\0") for _ in range(4))
    return Sequence(environment, _words(memory, MEMORY_WORDS), tuple(_calls(r)))


def _kind(r: random.Random, kinds: int) -> int:
    return r.randrange(kinds) if r.random() < 0.3 else 0


def _words(text: bytes, count: int) -> tuple[int, ...]:
    return struct.unpack(f"<{count}Q", text.ljust(8 * count, b"\0"))


def _text(r: random.Random, most: int) -> bytes:
    match r.randrange(5):
        case 0:
            return r.choice(_NUMBERS)
        case 1:
            return b" ".join(r.choice(_NUMBERS) for _ in range(3))[:most]
        case 2 if most < _BUFFER:
            return r.choice(_OPTIONS)
        case _:
            letters = r.choice(_LETTERS)
            return bytes(r.choice(letters) for _ in range(r.randrange(min(most, 24))))


def _calls(r: random.Random) -> Iterator[Call]:
    groups = by_header()
    sizes = [len(group) for group in groups.values()]
    theme, other = r.choices(list(groups), sizes, k=2)
    if theme == "stdio.h" and r.random() < 0.7:
        opening = r.choice(_OPENING)
        yield _call(r, next(o for o in groups[theme] if o.function == opening))
    for _ in range(r.randint(_SHORTEST, _LONGEST)):
        chance = r.random()
        group = groups[theme] if chance < 0.7 else groups[other] if chance < 0.9 else operations()
        yield _call(r, r.choice(group))


def _call(r: random.Random, operation: Operation) -> Call:
    return Call(operation.number, _arguments(r, operation))


def _arguments(r: random.Random, operation: Operation) -> tuple[int, ...]:
    values = [_argument(r, kind) & _MASK for kind in operation.kinds]
    return (*values, *[0] * (ARGUMENTS - len(values)))


def argument_words(operation: Operation, seed: int) -> tuple[int, ...]:
    """Arguments of one call, the same for the same seed."""
    return _arguments(random.Random(seed), operation)


def _argument(r: random.Random, kind: str) -> int:
    drawn: dict[str, Callable[[], int]] = {
        "p": lambda: _BUFFER * r.randrange(4) + (0 if r.random() < 0.7 else r.randrange(12)),
        "n": lambda: r.randrange(7) if r.random() < 0.6 else r.randrange(21),
        "c": lambda: r.choice((*r.choice(_LETTERS), 0, r.randrange(-1, 256))),
        "i": lambda: r.choice(_INTS) if r.random() < 0.7 else r.getrandbits(32) - 2**31,
        "l": lambda: r.choice(_LONGS) if r.random() < 0.7 else r.getrandbits(64),
        "d": lambda: _double(r),
        "b": lambda: r.choice(_BASES),
        "s": lambda: r.randrange(4),
        "f": lambda: r.randrange(4),
        "k": lambda: r.randrange(4),
        "o": lambda: 2 + r.randrange(2),
        "x": lambda: r.choice((0, 1, -1, 5, -30, 52, -1074, 1023, 2000, -2000, 2**31 - 1)),
    }
    return drawn[kind]()


def _double(r: random.Random) -> int:
    chance = r.random()
    if chance < 0.5:
        value = r.choice(_DOUBLES)
    elif chance < 0.8:
        value = r.uniform(-1000, 1000)
    else:
        return _quiet(r.getrandbits(64))
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def _quiet(bits: int) -> int:
    """A NaN that does not signal in the place of one that does."""
    return bits | 1 << 51 if bits >> 52 & 0x7FF == 0x7FF else bits
