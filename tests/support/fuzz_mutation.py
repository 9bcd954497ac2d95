"""Odd inputs from good ones: tokens, brackets, blocks and lines are moved, repeated, replaced.

All formats share the mutators; a `Style` says how a format is cut into tokens, what is odd in it.
Nothing here is random but the `random.Random` that is passed in.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

MOST_BYTES = 1 << 18
_OPEN, _CLOSE = "([{<", ")]}>"
_NUMERAL = re.compile(r"[-+]?(?:0[xX])?\d[\w.]*")
_WORD = re.compile(r"[\w.$@%!\\\"-]*[A-Za-z_][\w.$\"-]*")

NUMERALS = (
    *("0", "-0", "1", "-1", "2", "7", "8", "31", "32", "33", "63", "64", "65", "127", "128", "255"),
    *("256", "1023", "65535", "65536", "2147483647", "2147483648", "-2147483649", "4294967296"),
    *("9223372036854775807", "-9223372036854775808", "18446744073709551615", "8388608", "16777216"),
    *("18446744073709551616", "1048576", "1048577", "00", "007", "0x", "0x0", "0xffffffffffffffff"),
    *("1e9", "1e999", "-1e999", "1e-999", "1e99999999999", ".5", "5.", "1_000", "1:30", "0b11"),
    *(
        "0o17",
        "017",
        "099",
        "inf",
        ".inf",
        "-.inf",
        "nan",
        ".nan",
        "0.1",
        "1/0",
        "\u0663",
        "\uff11\uff12",
        "\u00b2",
    ),
)
DIGITS = (30, 310, 640, 4300, 4301, 5000, 40_000)
NAMES = (
    *("", "_", "x", "main", "sea.main", "sea.check", "sea.begin", "sea.start", "sea.input.i32"),
    *("\\01main", "malloc", "memcpy", "__VERIFIER_error", "reach_error", "llvm.memcpy.p0.p0.i64"),
    *("int", "if", "while", "void", "true", "false", "null", "~", "yes", "None", "nil", "Infinity"),
    *("é", "日本", "\u202e", "\u2028", "x" * 5000, "a b", "a.b", "|x|", "||", "|a b|", '"', "''"),
    *("and", "or", "let", "forall", "assert", "as", "const", "select", "bvadd", "Int", "Bool"),
    *("@", "%", "$", "!", "!!", "!0", "&a", "*a", "<<", "-", "--", "/*", "*/", "//", "#", "\\"),
)
ODD = (
    *("\0", "\ufeff", "\r\n", "\r", "\t", "\x0b", "\x0c", "\x1b[31m", "\x7f", "\x85", "\u2028"),
    *("\udcff", "\udc80\udcfe", "\u00a0", "\u200b", "\n\n", "\\\n", "'", '"', "`", "\U0001f600"),
)
"""Lone surrogates stand for bytes that are not UTF-8."""


@dataclass(frozen=True)
class Style:
    """How a format is cut; `words` are tokens of it that are put anywhere.

    `nests` are pairs of texts that go around a part, again and again; `kin` are tokens of which one
    can often stand for another.
    """

    tokens: re.Pattern[str]
    words: tuple[str, ...] = ()
    nests: tuple[tuple[str, str], ...] = (("(", ")"), ("[", "]"), ("{", "}"))
    kin: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Corpus:
    """The good inputs of a format."""

    style: Style
    texts: Sequence[str]

    def draw(self, random: Random) -> list[str]:
        """The tokens of one of them."""
        return self.style.tokens.findall(random.choice(self.texts))


def odd_text(corpus: Corpus, random: Random) -> bytes:
    """One input: a good text after one to four mutations."""
    tokens = corpus.draw(random)
    if random.random() < 0.2:
        tokens = _splice(tokens, corpus, random)
    for _ in range(min(4, 1 + int(random.expovariate(1.5)))):
        tokens = random.choices(*zip(*_MUTATORS, strict=True))[0](tokens, corpus, random)
        tokens = tokens or [""]
    data = "".join(tokens).encode("utf-8", "surrogateescape" if _is_lone(tokens) else "replace")
    if random.random() < 0.02:
        data = random.choice(_WHOLE)(data)
    return data[:MOST_BYTES]


def _is_lone(tokens: list[str]) -> bool:
    try:
        "".join(tokens).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


_WHOLE: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: data.replace(b"\n", b"\r\n"),
    lambda data: b"\xef\xbb\xbf" + data,
    lambda data: data.decode(errors="replace").encode("utf-16"),
    lambda data: data.replace(b"\n", b""),
    lambda data: b"",
    lambda data: data * 3,
    lambda data: data.rstrip(b"\n"),
)


# ---------------------------------------------------------------------------------------- mutators


def _part(tokens: Sequence[str], random: Random) -> tuple[int, int]:
    """A token, what is between brackets, a line, or any few tokens."""
    at = random.randrange(len(tokens))
    kind = random.random()
    if kind < 0.3:
        return at, at + 1
    if kind < 0.65:
        return _bracketed(tokens, at)
    if kind < 0.85:
        return _line(tokens, at)
    return at, min(len(tokens), at + random.randrange(1, 12))


def _bracketed(tokens: Sequence[str], at: int) -> tuple[int, int]:
    """From the next opening bracket to the one that closes it; a token where there is none."""
    start = next((k for k in range(at, len(tokens)) if tokens[k][-1:] in tuple(_OPEN)), None)
    if start is None:
        return at, at + 1
    depth = 0
    for k in range(start, len(tokens)):
        last = tokens[k][-1:]
        depth += (last in tuple(_OPEN)) - (tokens[k] in tuple(_CLOSE))
        if depth == 0:
            return start, k + 1
    return start, start + 1


def _line(tokens: Sequence[str], at: int) -> tuple[int, int]:
    ends = [k for k, token in enumerate(tokens) if "\n" in token]
    after = bisect_right(ends, at)
    start = ends[after - 1] + 1 if after else 0
    stop = ends[after] + 1 if after < len(ends) else len(tokens)
    return (start, stop) if start < stop else (at, at + 1)


def _splice(tokens: list[str], corpus: Corpus, random: Random) -> list[str]:
    other = corpus.draw(random)
    start, stop = _part(other, random) if other else (0, 0)
    return _replaced(tokens, other[start:stop], random)


def _replaced(tokens: list[str], by: Sequence[str], random: Random) -> list[str]:
    start, stop = _part(tokens, random)
    return [*tokens[:start], *by, *tokens[stop:]]


def _delete(tokens: list[str], _: Corpus, random: Random) -> list[str]:
    return _replaced(tokens, (), random)


def _duplicate(tokens: list[str], _: Corpus, random: Random) -> list[str]:
    start, stop = _part(tokens, random)
    return [*tokens[:stop], *tokens[start:stop], *tokens[stop:]]


def _many(tokens: list[str], _: Corpus, random: Random) -> list[str]:
    start, stop = _part(tokens, random)
    part = tokens[start:stop]
    times = min(random.choice((3, 20, 200, 3000)), 1 + MOST_BYTES // (1 + sum(map(len, part))) // 4)
    return [*tokens[:stop], *(part * times), *tokens[stop:]]


def _swap(tokens: list[str], _: Corpus, random: Random) -> list[str]:
    one, two = sorted((_part(tokens, random), _part(tokens, random)))
    if one[1] > two[0]:
        return tokens
    (a, b), (c, d) = one, two
    return [*tokens[:a], *tokens[c:d], *tokens[b:c], *tokens[a:b], *tokens[d:]]


def _move(tokens: list[str], _: Corpus, random: Random) -> list[str]:
    """Put one part into the place of another."""
    start, stop = _part(tokens, random)
    return _replaced(tokens, tokens[start:stop], random)


def _at_one(
    tokens: list[str], pattern: re.Pattern[str], by: Callable[[str], str], random: Random
) -> list[str]:
    places = [k for k, token in enumerate(tokens) if pattern.fullmatch(token)]
    if not places:
        return tokens
    k = random.choice(places)
    return [*tokens[:k], by(tokens[k]), *tokens[k + 1 :]]


def _numeral(tokens: list[str], _: Corpus, random: Random) -> list[str]:
    def other(old: str) -> str:
        kind = random.random()
        if kind < 0.6:
            return random.choice(NUMERALS)
        if kind < 0.8:
            return random.choice("19") * random.choice(DIGITS)
        return (
            f"{random.choice(('-', '+', '0', '1', ''))}{old}{random.choice(('', '0', '.0', 'u'))}"
        )

    return _at_one(tokens, _NUMERAL, other, random)


def _name(tokens: list[str], corpus: Corpus, random: Random) -> list[str]:
    known = [token for token in tokens if _WORD.fullmatch(token)]
    names = random.choice((NAMES, corpus.style.words or NAMES, known or NAMES))
    return _at_one(tokens, _WORD, lambda _: random.choice(names), random)


def _rename(tokens: list[str], corpus: Corpus, random: Random) -> list[str]:
    """All tokens that are equal to one become another."""
    known = [token for token in tokens if _WORD.fullmatch(token)]
    if not known:
        return tokens
    old = random.choice(known)
    new = random.choice(random.choice((NAMES, known)))
    return [new if token == old else token for token in tokens]


def _kin(tokens: list[str], corpus: Corpus, random: Random) -> list[str]:
    """A token, or all that are equal to it, become another of its kind."""
    if not corpus.style.kin:
        return _name(tokens, corpus, random)
    groups = [group for group in corpus.style.kin if not set(tokens).isdisjoint(group)]
    if not groups:
        return tokens
    group = random.choice(groups)
    places = [k for k, token in enumerate(tokens) if token in group]
    chosen, new = random.choice(places), random.choice(group)
    is_all = random.random() < 0.3
    return [
        new if k == chosen or (is_all and token == tokens[chosen]) else token
        for k, token in enumerate(tokens)
    ]


def _insert(tokens: list[str], corpus: Corpus, random: Random) -> list[str]:
    at = random.randrange(len(tokens) + 1)
    new = random.choice(random.choice((ODD, corpus.style.words or ODD, NAMES, NUMERALS)))
    return [*tokens[:at], new, *tokens[at:]]


def _nest(tokens: list[str], corpus: Corpus, random: Random) -> list[str]:
    start, stop = _part(tokens, random)
    before, after = random.choice(corpus.style.nests)
    size = len(before) + len(after)
    times = min(random.choice((1, 2, 20, 190, 260, 1100, 6000, 50_000)), MOST_BYTES // (2 * size))
    part = tokens[start:stop]
    return [*tokens[:start], before * times, *part, after * times, *tokens[stop:]]


def _truncate(tokens: list[str], _: Corpus, random: Random) -> list[str]:
    at = random.randrange(len(tokens))
    return [*tokens[:at], tokens[at][: random.randrange(len(tokens[at]) + 1)]]


_MUTATORS = (
    (_delete, 5),
    (_duplicate, 4),
    (_many, 1),
    (_swap, 4),
    (_move, 5),
    (_splice, 4),
    (_numeral, 6),
    (_name, 5),
    (_kin, 12),
    (_rename, 2),
    (_insert, 4),
    (_nest, 1.5),
    (_truncate, 1),
)


# ------------------------------------------------------------------------------------------- bytes


def odd_bytes(files: Sequence[bytes], random: Random) -> bytes:
    """One input for a binary format: a good file with bytes, words and pieces changed."""
    data = bytearray(random.choice(files))
    for _ in range(1 + int(random.expovariate(0.7))):
        at = random.randrange(max(1, len(data)))
        match random.randrange(8):
            case 0 | 1:
                data[at : at + 1] = bytes([data[at] ^ 1 << random.randrange(8)] if data else [])
            case 2:
                data[at : at + 1] = bytes([random.choice((0, 1, 0x7F, 0x80, 0xFF))])
            case 3:
                word = random.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000))
                at &= ~3
                data[at : at + 4] = word.to_bytes(4, "little")
            case 4:
                del data[at:]
            case 5:
                del data[at : at + random.choice((1, 4, 16, 64))]
            case 6:
                size = random.choice((1, 4, 16, 64))
                data[at:at] = data[at : at + size]
            case _:
                other = random.choice(files)
                start = random.randrange(max(1, len(other)))
                data[at : at + 32] = other[start : start + 32]
    return bytes(data[:MOST_BYTES])
