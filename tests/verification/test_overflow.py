"""What signed overflow means: `--overflow`."""

from __future__ import annotations

from pathlib import Path

import pytest

import seahorn_py
from seahorn_py.base.errors import InputError
from seahorn_py.options import Encodings, FrontendOptions, Overflow, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = "extern int I(void); extern unsigned U(void); extern void reach_error(void);\n"
SIGNED = {
    "a sum": "int a = I(), b = a + 1; if (b < a) reach_error();",
    "a product": "int a = I(); if (a > 127 && 36 * a < 0) reach_error();",
    "a negation": "int a = I(); if (a < 0 && -a < 0) reach_error();",
    "a quotient": "int a = I(), b = I(); if (a < 0 && b < 0 && a / b < 0) reach_error();",
    "a loop": "int x = -5000, y = I(); while (x < 0) x += y++; if (y <= 0) reach_error();",
}
DEFINED = {
    "unsigned": "unsigned a = U(); if (a + 1 < a) reach_error();",
    "converted": "int a = I(); if ((int)((unsigned)a + 1u) < a) reach_error();",
    "narrow": "short a = I(); a++; if (a == -32768) reach_error();",
    "a shift": "int a = I(); if (a > 0 && a << 1 < 0) reach_error();",
    "no overflow": "int a = I(); if (a + 1 > 4) reach_error();",
}


def asked(folder: Path, body: str, overflow: Overflow, encoding: Encodings) -> VerificationResult:
    file = folder / "a.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    options = VerifyOptions(FrontendOptions(overflow=overflow), encoding, timeout=30)
    return seahorn_py.verify(file, options)


@pytest.mark.parametrize("encoding", [Encodings.INT, Encodings.BV])
@pytest.mark.parametrize("body", SIGNED.values(), ids=SIGNED)
def test_a_run_that_overflows_does_not_count(
    body: str, encoding: Encodings, tmp_path: Path
) -> None:
    result = asked(tmp_path, body, Overflow.ASSUME, encoding)
    assert result.answer is Answer.SAFE, result
    assert "signed arithmetic does not overflow" in [entry.text for entry in result.ledger]


@pytest.mark.parametrize("body", DEFINED.values(), ids=DEFINED)
def test_what_c_defines_counts(body: str, tmp_path: Path) -> None:
    result = asked(tmp_path, body, Overflow.ASSUME, Encodings.AUTO)
    assert result.answer is Answer.UNSAFE, result


@pytest.mark.parametrize("body", SIGNED.values(), ids=SIGNED)
def test_an_overflow_is_an_error(body: str, tmp_path: Path) -> None:
    result = asked(tmp_path, body, Overflow.CHECK, Encodings.AUTO)
    assert result.answer is Answer.UNSAFE and result.violation is not None
    assert result.violation.property == "no-overflow"


def test_it_is_not_known_of_llvm_text(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text("define i32 @main() { ret i32 0 }\n")
    with pytest.raises(InputError, match="--overflow assume needs a C file"):
        seahorn_py.verify(file, VerifyOptions(FrontendOptions(overflow=Overflow.ASSUME)))
