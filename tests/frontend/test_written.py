"""Constant formats of `snprintf`: the models of their parts write what the real library writes."""

from __future__ import annotations

import ctypes
import random

import pytest
from models import holds, lowered

from seahorn_py.options import FrontendOptions, Libc

LIBC = ctypes.CDLL(None)
NUMBERS = (0, 1, -1, 7, 42, -300, 65535, 2**31 - 1, -(2**31))
TEXTS = ("", "a", "word", "much longer")


def conversion(draw: random.Random) -> tuple[str, list[object]]:
    """A conversion, and what it takes."""
    flags = "".join(draw.sample("-+ #0", draw.randrange(3)))
    width, given = draw.choice(("", "3", "12", "*")), list[object]()
    if width == "*":
        given.append(draw.choice((-6, 0, 9)))
    precision = draw.choice(("", "", ".0", ".4"))
    match draw.choice("diuxXocs%"):
        case "%":
            return "%%", []
        case "c":
            return f"%{'-' * ('-' in flags)}{width}c", [*given, ord(draw.choice("xyz"))]
        case "s":
            return f"%{'-' * ('-' in flags)}{width}{precision}s", [*given, draw.choice(TEXTS)]
        case letter:
            if letter not in "xXo":
                flags = flags.replace("#", "")
            if letter not in "di":
                flags = flags.replace("+", "").replace(" ", "")
            return f"%{flags}{width}{precision}{letter}", [*given, draw.choice(NUMBERS)]


def case(draw: random.Random) -> str:
    """A call with random conversions, and what the real library makes of it."""
    parts = [conversion(draw) for _ in range(draw.randrange(1, 4))]
    text = draw.choice(("", "<", "a=")) + "|".join(part for part, _ in parts)
    given = [argument for _, arguments in parts for argument in arguments]
    room = draw.choice((0, 1, 5, 64))
    buffer = ctypes.create_string_buffer(b"?" * 99)
    arguments = [a.encode() if isinstance(a, str) else ctypes.c_int(int(str(a))) for a in given]
    length = LIBC.snprintf(buffer, ctypes.c_size_t(room), text.encode(), *arguments)
    shown = [f'"{a}"' if isinstance(a, str) else f"(int){a}ll" for a in given]
    call = ", ".join([f'snprintf(b, {room}, "{text}"', *shown])
    kept = buffer.raw[: room + 1].decode("latin-1").replace("\0", "\\0")
    return (
        f'memset(b, 63, 99); CHECK({call}) == {length}); CHECK(!memcmp(b, "{kept}", {room + 1}));'
    )


def test_random_formats_are_written_as_the_real_library_writes_them() -> None:
    draw = random.Random(1)
    cases = "\n".join(case(draw) for _ in range(40))
    source = f"int main(void) {{ char b[100]; {cases} return 0; }}"
    assert "musl" not in lowered(source).native
    holds(source)


def test_the_length_counts_what_has_no_room() -> None:
    holds(
        'int main(void) { char b[4]; CHECK(snprintf(b, 4, "%d", 123456) == 6);'
        ' CHECK(!strcmp(b, "123") && snprintf(0, 0, "%s", "four") == 4);'
        ' CHECK(sprintf(b, "%c%%", 65) == 2 && !strcmp(b, "A%")); return 0; }'
    )


@pytest.mark.full
@pytest.mark.parametrize("format_", ('"%.2f"', "argv[1]"))
def test_other_formats_are_left_to_the_sources_of_the_library(format_: str) -> None:
    text = lowered(
        f"int main(int argc, char **argv) {{ char b[9]; snprintf(b, 9, {format_}, 1); }}"
    )
    assert "musl" in text.native


def test_real_is_real() -> None:
    text = 'int main(void) { char b[9]; snprintf(b, 9, "%d", 1); }'
    assert "musl" in lowered(text, FrontendOptions(libc=Libc.REAL)).native
