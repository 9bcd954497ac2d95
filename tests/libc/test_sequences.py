"""Sequences of calls of the C library: what a real library shows is among what the models can."""

from __future__ import annotations

from pathlib import Path

import pytest
from sequences import modelled, real
from sequences.compare import compare
from sequences.coverage import COUNT, SEED, coverage
from sequences.faults import faulty_models
from sequences.generate import sequences
from sequences.modelled import Models
from sequences.real import Real

HERE = Path(__file__).parent
FEW = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sequences")


@pytest.fixture(scope="module")
def reals(folder: Path) -> list[Real]:
    return [real.build(library, folder) for library in real.compilers()]


@pytest.fixture(scope="module")
def faulty(folder: Path) -> Models:
    """The models, and which faults they can have."""
    place = folder / "faulty"
    place.mkdir()
    return modelled.build(place, faulty_models())


def test_real_outcomes_are_among_those_of_the_models(reals: list[Real], faulty: Models) -> None:
    found = list(compare(reals, faulty, list(sequences(SEED, COUNT))))
    assert not found, "\n".join(map(str, found[:5]))


def test_every_function_is_called_or_there_is_a_reason() -> None:
    assert (HERE / "coverage.txt").read_text() == coverage(), "scripts/libc-sequences --coverage"
