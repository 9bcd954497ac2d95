"""Constant formats of `sscanf`: the models of their parts read what the real library reads."""

from __future__ import annotations

import ctypes
import random

import pytest
from models import RUN, holds, lowered

from seahorn_py.frontend.reading.reader import read
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.run import Ending
from seahorn_py.options import FrontendOptions, Libc

LIBC = ctypes.CDLL(None)
PIECES = ("7", "-12", "+3", "0", "255", "-", "", "abc", "x1", " ", "\t", ",", ":", "=", "%", "a-b")
PARTS = ("%d", "%u", "%2d", "%hd", "%hhu", "%lld", "%c", "%s", "%3s", "%*d", "%*s", "%n", "%%")
SETS = ("%[a-z]", "%2[^,]", "%[0-9-]", "%*[ab]", "%[]x]", "%[^:=]")
KINDS = {"%d": ctypes.c_int, "%2d": ctypes.c_int, "%u": ctypes.c_uint, "%n": ctypes.c_int}
KINDS |= {"%hd": ctypes.c_short, "%hhu": ctypes.c_ubyte, "%lld": ctypes.c_longlong}
NAMES = {ctypes.c_int: "int", ctypes.c_uint: "unsigned", ctypes.c_short: "short"}
NAMES |= {ctypes.c_ubyte: "unsigned char", ctypes.c_longlong: "long long"}


def case(draw: random.Random, number: int) -> str:
    """A call with a random format and text, and what the real library makes of it."""
    parts = [draw.choice((*PARTS, *SETS)) for _ in range(draw.randrange(1, 4))]
    between = draw.choice(("", " ", ",", "-", ": "))
    text = "".join(draw.choice(PIECES) for _ in range(draw.randrange(1, 6)))
    given: list[ctypes.Array[ctypes.c_char] | ctypes._SimpleCData[int]] = []
    declared: list[str] = []
    for part in parts:
        if part == "%%" or "*" in part:
            continue
        kind = KINDS.get(part)
        name = f"v{number}_{len(given)}"
        given.append(kind(99) if kind else ctypes.create_string_buffer(b"?" * 40))
        declared.append(f"{NAMES[kind]} {name} = 99;" if kind else f'char {name}[] = "{"?" * 40}";')
    names = [f"v{number}_{k}" for k in range(len(given))]
    targets = [f"&{n}" if d.endswith("= 99;") else n for n, d in zip(names, declared, strict=True)]
    form = between.join(parts)
    count = LIBC.sscanf(text.encode(), form.encode(), *(ctypes.byref(g) for g in given))
    call = ", ".join([f'sscanf("{escaped(text)}", "{escaped(form)}"', *targets])
    checks = [f"CHECK({call}) == {count});"]
    for name, value in zip(names, given, strict=True):
        if isinstance(value, ctypes.Array):
            kept = value.raw[:8].decode("latin-1").replace("\0", "\\000").replace("\t", "\\t")
            checks.append(f'CHECK(!memcmp({name}, "{kept}", 8));')
        else:
            checks.append(f"CHECK({name} == {value.value});")
    return "{ " + " ".join((*declared, *checks)) + " }"


def escaped(text: str) -> str:
    return text.replace("\t", "\\t")


def test_random_formats_read_what_the_real_library_reads() -> None:
    draw = random.Random(1)
    cases = "\n".join(case(draw, k) for k in range(60))
    source = f"int main(void) {{ {cases} return 0; }}"
    assert "musl" not in lowered(source).native
    holds(source)


@pytest.mark.parametrize("format_", ('"%f"', '"%x"', '"%i"', '"%p"', '"%2c"', "argv[1]"))
def test_other_formats_are_left_to_the_sources_of_the_library(format_: str) -> None:
    text = lowered(f"int main(int argc, char **argv) {{ long b; sscanf(argv[0], {format_}, &b); }}")
    assert "musl" in text.native


@pytest.mark.full
def test_errno_and_real_sources_are_left_to_them_too() -> None:
    text = 'int main(int c, char **v) { int b; return sscanf(v[0], "%d", &b); }'
    assert "musl" in lowered(text, FrontendOptions(libc=Libc.REAL)).native
    assert (
        "musl" in lowered(f"#include <errno.h>\n{text.replace('return', 'return errno +')}").native
    )


@pytest.mark.parametrize("bits", (32, 64))
def test_numbers_that_do_not_fit_are_unknown(bits: int) -> None:
    """No run goes on behind one; one that fits just so is read."""
    greatest = 2 ** (bits - 1) - 1
    source = "int main(void) {{ long x = 0; {}; return 0; }}"
    fitting = (
        f'CHECK(sscanf("{greatest}", "%ld", &x) == 1); CHECK(x == {greatest}L);'
        f'CHECK(sscanf("-{greatest + 1}", "%ld", &x) == 1); CHECK(x == -{greatest}L - 1)'
    )
    holds(source.format(fitting), bits, bits)
    too_large = source.format(f'sscanf("{greatest + 1}", "%ld", &x); CHECK(0)')
    program = read(lowered(too_large, FrontendOptions(bits=bits)))
    assert Interpreter(program).run({}, RUN).ending is Ending.BLOCKED
