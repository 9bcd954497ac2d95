"""The programs of scripts/eureka: what they are, and that engines answer them whatever N is."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from seahorn_py import verify
from seahorn_py.base.errors import Stage
from seahorn_py.horn.transform.acceleration.linearpart import ARBITRARY
from seahorn_py.horn.transform.acceleration.stages import INEXACT
from seahorn_py.options import (
    Encodings,
    EngineName,
    FrontendOptions,
    Overflow,
    VerifyOptions,
)
from seahorn_py.result import Answer

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"
SECONDS = 60.0
LOOPING = ("swap_iter", "delay_iter", "delay_recur", "parity")


def script(name: str) -> ModuleType:
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(SCRIPTS / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


EUREKA = script("eureka")
PROCEDURE = re.compile(r"static void (\w+)\(void\) \{\n  (\w+)\(\);\n  (\w+)\(\);")


def answer(folder: Path, family: str, n: int | None, bug: bool) -> Answer:
    """What the engines made for these programs say; runs on drawn inputs are left out."""
    file = folder / "program.c"
    file.write_text(EUREKA.program(family, n, bug))
    engine = EngineName.ACCELERATED if family == "sum" else EngineName.LINEAR
    options = VerifyOptions(timeout=SECONDS, engines=(engine,), executions=0.05)
    return verify(file, options).answer


@pytest.mark.parametrize("bug", [False, True], ids=["safe", "bug"])
def test_a_loop_of_any_length(tmp_path: Path, bug: bool) -> None:
    assert answer(tmp_path, "delay_iter", None, bug) is (Answer.UNSAFE if bug else Answer.SAFE)


@pytest.mark.full
@pytest.mark.parametrize("bug", [False, True], ids=["safe", "bug"])
@pytest.mark.parametrize("n", [10, 1000, 1_000_000, None])
@pytest.mark.parametrize("family", LOOPING)
def test_every_looping_family(tmp_path: Path, family: str, n: int | None, bug: bool) -> None:
    assert answer(tmp_path, family, n, bug) is (Answer.UNSAFE if bug else Answer.SAFE)


@pytest.mark.full
@pytest.mark.parametrize("bug", [False, True], ids=["safe", "bug"])
def test_a_million_summands(tmp_path: Path, bug: bool) -> None:
    assert answer(tmp_path, "sum", 1_000_000, bug) is (Answer.UNSAFE if bug else Answer.SAFE)


@pytest.mark.full
@pytest.mark.parametrize("bug", [False, True], ids=["safe", "bug"])
@pytest.mark.parametrize("n", [10, 1000, 1_000_000])
def test_calls_in_a_row(tmp_path: Path, n: int, bug: bool) -> None:
    assert answer(tmp_path, "swap_seq", n, bug) is (Answer.UNSAFE if bug else Answer.SAFE)


def test_swaps_are_counted() -> None:
    """Procedures that call each other twice make as many swaps as calls written out."""
    for count in (5, 64, 2001, 2_000_000):
        text, calls = EUREKA.doubled(count)
        sizes = {"swap": 1}
        for name, first, second in PROCEDURE.findall(text):
            sizes[name] = sizes[first] + sizes[second]
        assert sum(sizes[call] for call in calls) == count


def test_a_symbolic_sequence_is_refused() -> None:
    command = [sys.executable, str(SCRIPTS / "eureka"), "swap_seq", "--symbolic"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "needs a number" in done.stderr


def test_the_figure_is_a_table_and_a_plot(tmp_path: Path) -> None:
    figure = script("eureka-figure")
    points = [
        figure.Point("parity", "linear", 10, "safe", 1.5, 0.9),
        figure.Point("parity", "linear", 1000, "safe", 1.6, 1.0),
        figure.Point("parity", "bmc", 1000, "unknown", 30.0, 29.0),
    ]
    figure.table(points, (0.2, 0.1), tmp_path / "e.csv")
    assert (tmp_path / "e.csv").read_text().splitlines() == [
        "family,engine,N,answer,wall,CPU",
        "start,,,,0.2,0.1",
        "parity,linear,10,safe,1.5,0.9",
        "parity,linear,1000,safe,1.6,1.0",
        "parity,bmc,1000,unknown,30.0,29.0",
    ]
    figure.plot(points, ["linear", "bmc"], tmp_path / "e.svg")
    lines = ElementTree.parse(tmp_path / "e.svg").getroot().findall("{*}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [2, 0]


LEAVES_AT_N = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
  long long sum = 0, i = 0;
  while (i < 1000000 && i != n) {
    sum = sum + i;
    i = i + 1;
  }
  if (i > n && sum != 0) reach_error();
  return 0;
}
"""


def without_wrapping(engine: EngineName, *, certificate: bool = False) -> VerifyOptions:
    """For one engine on integers, after hardly any executions."""
    return VerifyOptions(
        FrontendOptions(overflow=Overflow.ASSUME),
        timeout=SECONDS,
        encoding=Encodings.INT,
        engines=(engine,),
        executions=0.05,
        certificate=certificate,
    )


def test_a_refutation_by_more_than_the_iterations_says_so(tmp_path: Path) -> None:
    """The closure asks the guard of the first and the last iteration: it passes `i == n`."""
    file = tmp_path / "program.c"
    file.write_text(LEAVES_AT_N)
    result = verify(file, without_wrapping(EngineName.ACCELERATED))
    assert (result.answer, result.stage) == (Answer.UNKNOWN, Stage.REPLAY)
    assert result.reason.endswith(INEXACT)


BEHIND_PRODUCTS = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[100000];
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 100000) return 0;
  int i = 0;
  while (i < n) { a[i] = i * n; i++; }
  if (i == 77777 && a[3] != 5) reach_error();
  return 0;
}
"""


@pytest.mark.full
def test_an_error_of_the_linear_part_that_a_run_confirms(tmp_path: Path) -> None:
    """The certificate says that its clauses are not those of the program alone."""
    file = tmp_path / "program.c"
    file.write_text(BEHIND_PRODUCTS)
    result = verify(file, without_wrapping(EngineName.LINEAR, certificate=True))
    assert result.answer is Answer.UNSAFE
    assert result.violation is not None
    assert [read.value for read in result.violation.inputs] == [77777]
    assert result.certificate is not None
    assert ARBITRARY in result.certificate["proof.json"]
    assert ARBITRARY not in {entry.text for entry in result.ledger}
