"""Pointers that a program is given: in runs they are null or small numbers, as error codes are."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import Answer, verify
from seahorn_py.ir.run import nowhere

TEXT = """\
extern void reach_error(void);
extern void *__VERIFIER_nondet_pointer(void);
int main(void) {{
  void *p = __VERIFIER_nondet_pointer();
  if ({condition}) reach_error();
  return 0;
}}
"""


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ("(long)p == -12", Answer.UNSAFE),
        ("p == (void *)2012", Answer.UNSAFE),
        ("p != p", Answer.SAFE),
        ("(long)p == 1000000", Answer.UNKNOWN),
    ],
)
@pytest.mark.parametrize("bits", [32, 64])
def test_a_number_in_a_pointer(condition: str, answer: Answer, bits: int, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(TEXT.format(condition=condition))
    result = verify(file, bits=bits, timeout=20)
    assert result.answer is answer
    if answer is Answer.UNSAFE:
        assert any("native run" in line for line in result.evidence)


@pytest.mark.parametrize(
    ("value", "width", "pointer"),
    [
        (0, 64, 0),
        (4095, 64, 4095),
        (4096, 64, 0),
        (-4096, 64, 2**64 - 4096),
        (-4097, 64, 0),
        (2**32 - 1, 32, 2**32 - 1),
        (2**32 - 1, 64, 0),
    ],
)
def test_what_a_run_takes_a_number_for(value: int, width: int, pointer: int) -> None:
    assert nowhere(value, width) == pointer


@pytest.mark.full
@pytest.mark.parametrize(("number", "answer"), [(12, Answer.UNSAFE), (-12, Answer.UNKNOWN)])
def test_a_pointer_that_is_never_set_is_no_error_code(
    number: int, answer: Answer, tmp_path: Path
) -> None:
    file = tmp_path / "a.c"
    text = TEXT.replace(" = __VERIFIER_nondet_pointer()", "")
    file.write_text(text.format(condition=f"(long)p == {number}"))
    assert verify(file, timeout=20).answer is answer
