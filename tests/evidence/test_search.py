"""Native runs find errors that lie a million steps deep, behind constants of the program."""

from __future__ import annotations

from pathlib import Path

from seahorn_py import verify
from seahorn_py.options import EngineName, VerifyOptions
from seahorn_py.result import Answer

DEEP = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 0, n = __VERIFIER_nondet_int();
  for (int i = 0; i < 1000000; i++) x++;
  if (x == 1000000 && n == 12345) reach_error();
  return 0;
}
"""
HASHED = """
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = x * 2654435761u;
  if ((y ^ (y >> 15)) == 0xdeadbeefu) reach_error();
  return 0;
}
"""


def answer(text: str, place: Path, *engines: EngineName) -> Answer:
    file = place / "case.c"
    file.write_text(text)
    return verify(file, VerifyOptions(engines=engines, timeout=60)).answer


def test_execute_reaches_a_million_steps(tmp_path: Path) -> None:
    assert answer(DEEP, tmp_path, EngineName.EXECUTE) is Answer.UNSAFE


def test_bounded_model_checking_finds_an_exact_value(tmp_path: Path) -> None:
    assert answer(HASHED, tmp_path, EngineName.BMC) is Answer.UNSAFE
