"""Plug-ins of another distribution take part and are named; a wrong one changes no answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command import EXAMPLES, ROOT, sea_py

from seahorn_py import (
    Answer,
    FrontendOptions,
    SeaError,
    VerificationResult,
    VerifyOptions,
    solve,
    verify,
)
from seahorn_py.base.plugins import Kind, find, known
from seahorn_py.horn import read_horn
from seahorn_py.verification.shortcuts import has_plug_ins

SAMPLE = ROOT / "tests" / "support" / "sample_plugin"
SAFE, UNSAFE = EXAMPLES / "counter_safe.c", EXAMPLES / "counter_unsafe.c"


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SAMPLE))
    for name in [name for name in sys.modules if name.partition(".")[0] == "sea_sample"]:
        monkeypatch.delitem(sys.modules, name)


def ledger(result: VerificationResult) -> list[str]:
    return [f"{entry.kind.value}: {entry.text}" for entry in result.ledger]


def test_an_engine_takes_part_and_is_named() -> None:
    result = verify(SAFE, engines=("asking",), timeout=30, encoding="int")
    assert result.answer is Answer.SAFE and "re-proved" in result.evidence[0]
    took = "the engine asking of sea-sample 1.5 took part; its evidence was checked"
    assert ledger(result)[-1] == f"over: {took}"
    strict = verify(SAFE, engines=("asking",), timeout=30, encoding="int", strict=True)
    assert strict.answer is Answer.SAFE


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("lying", "is not valid under the model"),
        ("accusing", "accusing: step 0"),
        ("raising", "raising: LookupError: nowhere to be found"),
    ],
)
def test_a_wrong_engine_is_believed_nothing(engine: str, said: str) -> None:
    result = verify(SAFE, engines=(engine,), encoding="int", timeout=20)
    assert result.answer is Answer.UNKNOWN, result
    assert not result.internal_errors and said in result.reason


def test_what_cannot_be_loaded_is_an_error_with_its_name() -> None:
    for name, said in (
        ("absent", "the engine absent of sea-sample 1.5 cannot be loaded: ModuleNotFoundError"),
        ("nothing", "sea_sample.engines:NOTHING is no engine; expected"),
    ):
        with pytest.raises(SeaError, match=said):
            verify(SAFE, engines=(name,))
        done = sea_py("pf", "--engine", name, SAFE)
        assert (done.returncode, done.stdout) == (2, "") and said in done.stderr
        assert "Traceback" not in done.stderr
    with pytest.raises(ValueError, match="expected one of execute"):
        verify(SAFE, engines=("nowhere",))


def test_horn_clauses_by_an_engine_and_a_domain() -> None:
    text = """(declare-fun p (Int Int) Bool) (assert (p 0 0))
    (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x y 2) (+ y 4)))))
    (assert (forall ((x Int) (y Int)) (=> (and (p x y) (= x 77)) false)))"""
    system = read_horn(text, "t")
    found = solve(system, engine="parities", timeout=20)
    assert found.status == "sat" and found.plug_ins == ("the domain parities of sea-sample 1.5",)
    assert solve(system, engine="first", timeout=20).status != "unsat"
    assert "LookupError" in solve(system, engine="raising", timeout=20).reason


def test_passes() -> None:
    result = verify(SAFE, VerifyOptions(passes=("simplify",), timeout=30))
    assert result.answer is Answer.SAFE
    kept = "the pass simplify of sea-sample 1.5 keeps what the program does"
    assert f"assumed: {kept}" in ledger(result)
    assert verify(SAFE, VerifyOptions(passes=("simplify",), strict=True)).reason.endswith(kept)
    assert verify(UNSAFE, VerifyOptions(passes=("dropping",))).answer is Answer.UNSAFE  # by a run
    for name in ("raising", "breaking"):
        failed = verify(SAFE, VerifyOptions(passes=(name,)))
        assert failed.answer is Answer.UNKNOWN and not failed.internal_errors
        assert failed.reason.startswith(f"the pass {name} of sea-sample 1.5 failed: ")


def test_a_model_of_a_function(tmp_path: Path) -> None:
    file = tmp_path / "halves.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void); int sample_half(int); void reach_error(void) {}\n"
        "int main(void) { int x = __VERIFIER_nondet_int();"
        " if (x > 0 && sample_half(x) >= x) reach_error(); }"
    )
    assert verify(file).answer is Answer.UNSAFE
    result = verify(file, VerifyOptions(FrontendOptions(library_models=("halves",)), timeout=30))
    assert result.answer is Answer.SAFE
    told = "the library model halves of sea-sample 1.5 does what the functions do"
    assert f"assumed: {told}" in ledger(result)
    with pytest.raises(SeaError, match=r"the library model wrong-c of .* does not compile"):
        verify(file, VerifyOptions(FrontendOptions(library_models=("wrong-c",))))


def test_a_rule(tmp_path: Path) -> None:
    file = tmp_path / "twice.c"
    file.write_text(
        "void sample_begin(void); int main(int c, char **v)"
        " { sample_begin(); if (c > 3) sample_begin(); }"
    )
    result = verify(file, rules=("sample:once",), timeout=30)
    assert result.answer is Answer.UNSAFE
    assert "assumed: the rule sample of sea-sample 1.5 is what is meant" in ledger(result)
    with pytest.raises(SeaError, match="has no rule sample:twice; known: sample:once"):
        verify(file, rules=("sample:twice",))


def test_several_distributions_with_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "other-2.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 2\n")
    (folder / "entry_points.txt").write_text("[seahorn_py.engines]\nasking = a:b\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SeaError, match="several distributions have the engine asking: other, sea"):
        find(Kind.ENGINE, "asking")
    assert [one.name for one in known(Kind.RULE)] == ["sample"]


def test_options_that_name_one() -> None:
    """`sea-py check` keeps no answer of these."""
    frontends = (
        FrontendOptions(rules=("sample:once",)),
        FrontendOptions(library_models=("halves",)),
    )
    others = VerifyOptions(engines=("asking",)), VerifyOptions(passes=("simplify",))  # type: ignore[arg-type]
    assert all(map(has_plug_ins, (*map(VerifyOptions, frontends), *others)))
    ours = FrontendOptions(rules=("all", "locks.yml"))
    assert not any(map(has_plug_ins, (VerifyOptions(), VerifyOptions(ours))))


def test_nothing_is_looked_for_unless_it_is_named() -> None:
    """Neither the entry points nor the module that would load them."""
    code = (
        "import sys; from seahorn_py import verify, VerifyOptions;"
        f"verify({str(SAFE)!r}, engines=('spacer',), rules=(), timeout=30);"
        "from seahorn_py.options import FrontendOptions; VerifyOptions(FrontendOptions());"
        "print([n for n in ('importlib.metadata', 'seahorn_py.verification.plugged')"
        " if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
