"""The contracts for plug-ins: right ones keep them, and each wrong one breaks the one it should."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

import pytest
from command import ROOT

from seahorn_py.horn.text.chcfiles import read_horn
from seahorn_py.testing import (
    DomainContract,
    EngineContract,
    LibraryModelContract,
    PassContract,
)
from seahorn_py.verification.kit.horn_texts import SYSTEMS

SAMPLED = {
    name: SYSTEMS[name]
    for name in ("the bound of a counter", "two premises, reached", "bits wrap evenly")
}
SAMPLE = ROOT / "tests" / "support" / "sample_plugin"
sys.path.append(str(SAMPLE))
from sea_sample import domains, engines, passes  # noqa: E402

sys.path.remove(str(SAMPLE))


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SAMPLE))


class TestAsking(EngineContract):
    engine = engines.Asking()
    systems = SAMPLED


@pytest.mark.full
class TestAskingAll(EngineContract):
    engine = engines.Asking()


class TestSimplify(PassContract):
    run = staticmethod(passes.simplify)
    seeds = range(3)


class TestParities(DomainContract):
    domain = staticmethod(domains.parities)


class TestHalves(LibraryModelContract):
    plugin, function, parameters, result = "halves", "sample_half", ("int",), "int"
    native = staticmethod(lambda x: int(x / 2))


def wrong(contract: type, **content: object) -> object:
    """An object of the contract with these attributes."""
    return type("Wrong", (contract,), content)()


def fails(test: Callable[[], None], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        test()


def test_wrong_engines_break_it() -> None:
    lying = wrong(EngineContract, engine=engines.Lying())
    fails(lying.test_it_is_never_wrong, "a fact is a query: wrong")  # type: ignore[attr-defined]
    raising = wrong(EngineContract, engine=engines.Raising())
    fails(raising.test_it_answers_something, "LookupError")  # type: ignore[attr-defined]
    accusing = wrong(EngineContract, engine=engines.Accusing())
    fails(accusing.test_it_is_never_wrong, "Error")  # type: ignore[attr-defined]


def test_wrong_passes_break_it() -> None:
    for run, said in ((passes.dropping, "instead of failed"), (passes.breaking, "not verify")):
        one = wrong(PassContract, run=staticmethod(run), seeds=range(3))
        fails(one.test_programs_verify_and_do_the_same, said)  # type: ignore[attr-defined]


def test_wrong_domains_break_it() -> None:
    first = wrong(DomainContract, domain=staticmethod(domains.first))
    fails(first.test_it_is_sound, "does not hold for")  # type: ignore[attr-defined]
    fails(first.test_it_says_when_it_grows, "outside, and not")  # type: ignore[attr-defined]


def test_wrong_models_break_it() -> None:
    given = {"plugin": "halves", "function": "sample_double", "parameters": ("int",)}
    given |= {"result": "int"}
    double = wrong(LibraryModelContract, **given, native=staticmethod(lambda x: 2 * x))
    fails(double.test_it_does_what_the_function_does, "sample_double")  # type: ignore[attr-defined]


def test_models_of_ours_against_the_library_of_this_machine() -> None:
    """Through `ctypes`, as a plug-in would do it."""
    given = {"plugin": "halves", "function": "labs", "parameters": ("long",), "result": "long"}
    real = ctypes.CDLL(None).labs
    real.argtypes, real.restype = [ctypes.c_long], ctypes.c_long
    one = wrong(
        LibraryModelContract,
        **given,
        native=staticmethod(real),
        accepts=lambda self, x: x > -(1 << 63),
    )
    one.test_it_does_what_the_function_does()  # type: ignore[attr-defined]


def test_the_systems_have_both_answers() -> None:
    read = [read_horn(text, name) for name, (text, _) in SYSTEMS.items()]
    assert len(read) > 12 and {is_solvable for _, is_solvable in SYSTEMS.values()} == {True, False}
