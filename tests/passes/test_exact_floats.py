"""Integers in floats: what is compared and converted back without rounding."""

from __future__ import annotations

import operator
import struct
from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.ir.program import Cast, CastOp, Compare, FloatConst, FloatOp, IntConst, Register
from seahorn_py.ir.types import BOOL, FloatKind, FloatType, IntType
from seahorn_py.options import Encodings, VerifyOptions
from seahorn_py.passes.simplify.folding import fold
from seahorn_py.result import Answer

DOUBLE = FloatType(FloatKind.DOUBLE)
RELATIONS = {
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
}
CONSTANTS = [
    *(-129.0, -128.0, -127.5, -1.0, -0.5, -0.0, 0.5),
    *(1.0, 126.5, 127.0, 128.0, 254.5, 255.0, 1e9),
]


def double(value: float) -> FloatConst:
    return FloatConst(int.from_bytes(struct.pack("<d", value), "little"), DOUBLE)


def holds(found: object, value: int, has_sign: bool) -> bool:
    if isinstance(found, IntConst):
        return bool(found.value)
    assert isinstance(found, Compare) and isinstance(found.right, IntConst)
    bound = found.right.value - 256 * (has_sign and found.right.value > 127)
    return RELATIONS[found.predicate.value[-2:]](value, bound)


@pytest.mark.parametrize("has_sign", [True, False])
@pytest.mark.parametrize("relation", RELATIONS)
def test_comparisons_with_constants_are_those_of_the_integer(relation: str, has_sign: bool) -> None:
    byte, number, result = Register("b", IntType(8)), Register("f", DOUBLE), Register("r", BOOL)
    made = Cast(number, CastOp.SITOFP if has_sign else CastOp.UITOFP, byte)
    ordered = "une" if relation == "ne" else f"o{relation}"
    for constant in CONSTANTS:
        found = fold(FloatOp(result, f"fcmp {ordered}", (number, double(constant))), {number: made})
        for value in range(-128, 128) if has_sign else range(256):
            assert holds(found, value, has_sign) == RELATIONS[relation](value, constant)


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_no_other_comparison_is_changed(odd: float) -> None:
    number, result = Register("f", DOUBLE), Register("r", BOOL)
    made = Cast(number, CastOp.SITOFP, Register("l", IntType(64)))
    assert fold(FloatOp(result, "fcmp olt", (number, double(1.0))), {number: made}) is None
    small = Cast(number, CastOp.SITOFP, Register("b", IntType(8)))
    assert fold(FloatOp(result, "fcmp olt", (number, double(odd))), {number: small}) is None


BACK = {
    "int a = any(); double d = a; if ((int)d != a) reach_error();": True,
    "int a = any(); double d = a; if (d >= 2147483647 && a < d) reach_error();": True,
    "unsigned char c = any(); float f = c; if ((long)f != c) reach_error();": True,
    "int a = any(); float f = a; if (a == 16777217 && (int)f != a) reach_error();": False,
    "long l = any(); l += 1L << 53; double d = l; if ((long)d != l) reach_error();": False,
    "int a = any(); double d = a; if ((short)d != a && a == 40000) reach_error();": False,
}


@pytest.mark.parametrize("body", BACK)
def test_what_is_converted_back(body: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    head = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);"
    any_ = body.replace("any()", "__VERIFIER_nondet_int()")
    file.write_text(f"{head} int main(void) {{ {any_} }}\n")
    found = verify(file, VerifyOptions(encoding=Encodings.INT, timeout=30))
    assert found.answer is (Answer.SAFE if BACK[body] else Answer.UNSAFE), found.reason
