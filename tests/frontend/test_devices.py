"""Volatile objects and registers of devices: what their reads give, and where addresses lead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from command import sea_py

from seahorn_py import verify
from seahorn_py.options import FrontendOptions, Property, VerifyOptions, Volatile
from seahorn_py.result import Answer

HEAD = "void reach_error(void); typedef unsigned u; volatile u reg;\n"
FIXED = "(*(volatile u *)0x40001004)"
AREA = ((0x40001000, 16),)
BOTH = {
    "two reads": ("u a = reg; if (a != reg) reach_error();", "aus"),
    "a stored value": ("reg = 3; if (reg != 3) reach_error();", "aus"),
    "a local": ("volatile u v = 2; if (v != 2) reach_error();", "ass"),
    "a pointer to volatile": ("u x = 1; volatile u *p = &x; if (*p != 1) reach_error();", "aus"),
    "a part": ("if ((reg & 12) > 12) reach_error();", "sss"),
}
"""Programs, each with what auto, any and stored say: safe, unsafe, or (a) what is not asked."""

REGISTERS = {
    "a constant": (f"if ({FIXED} == 5) reach_error();", True),
    "a store is not kept": (f"{FIXED} = 7; if ({FIXED} != 7) reach_error();", True),
    "a pointer": ("volatile u *const p = (u *)0x40001000; if (p[3] > 8) reach_error();", True),
    "a number": ("u base = 0x40001000; if (*(volatile u *)(base + 8)) reach_error();", True),
    "a global": ("static volatile u *p = (u *)0x40001008; if (*p == 9) reach_error();", True),
    "below the mask": (f"if (({FIXED} & 15) > 15) reach_error();", False),
}


def answer(tmp_path: Path, body: str, **options: object) -> Answer:
    """The answer for a `main` with this body."""
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n", "utf-8")
    front = replace(FrontendOptions(bits=32), **options)  # type: ignore[arg-type]
    return verify(file, options=VerifyOptions(frontend=front, timeout=20)).answer


@pytest.mark.parametrize("name", BOTH)
def test_what_a_volatile_read_gives(tmp_path: Path, name: str) -> None:
    body, expected = BOTH[name]
    for volatile, one in zip(Volatile, expected, strict=True):
        if one != "a":
            found = answer(tmp_path, body, volatile=volatile)
            assert found is (Answer.SAFE if one == "s" else Answer.UNSAFE), volatile


@pytest.mark.parametrize("name", REGISTERS)
def test_registers(tmp_path: Path, name: str) -> None:
    body, fails = REGISTERS[name]
    assert answer(tmp_path, body, mmio=AREA) is (Answer.UNSAFE if fails else Answer.SAFE)


@pytest.mark.parametrize(("size", "safe"), [(8, True), (7, False)])
def test_an_area_has_bounds(tmp_path: Path, size: int, safe: bool) -> None:
    asked = frozenset({Property.VALID_DEREF})
    found = answer(tmp_path, f"{FIXED} = 1;", mmio=((0x40001000, size),), properties=asked)
    assert found is (Answer.SAFE if safe else Answer.UNSAFE)


def test_messages_name_the_option(tmp_path: Path) -> None:
    file = tmp_path / "fixed.c"
    file.write_text("int main(void) { *(volatile int *)0x40001000 = 1; return 0; }\n", "utf-8")
    told = sea_py("pf", "-q", "--property", "valid-deref", file)
    assert "invalid write of 4 bytes through the number 0x40001000 (see --mmio)" in told.stdout
    refused = sea_py("pf", "--mmio", "4096", file)
    assert "'4096' is no ADDRESS:SIZE, as in 0x40000000:0x1000" in refused.stderr


def test_an_area_is_checked() -> None:
    with pytest.raises(ValueError, match="pairs of an address above 0 and a size"):
        FrontendOptions(mmio=((0, 16),))
