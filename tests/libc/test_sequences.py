"""Sequences of calls of the C library: what real libraries show, and what models can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from models import OPTIONS, RUN, lowered, shown
from sequences import modelled, real
from sequences.allowed import wrong
from sequences.calls import Call, Library, Outcome, Sequence
from sequences.compare import Difference, compare
from sequences.coverage import COUNT, SEED, coverage
from sequences.faults import FAULTS, faulty_models
from sequences.generate import argument_words, sequences
from sequences.modelled import Models
from sequences.operations import Operation, operations
from sequences.real import Real

from seahorn_py.frontend.library.contracts import Kind, contracts
from seahorn_py.frontend.reading.reader import read
from seahorn_py.ir.interpreter import Interpreter

HERE = Path(__file__).parent
FEW, SOME = 6, 400
GIVEN = list(sequences(SEED, COUNT))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sequences")


@pytest.fixture(scope="module")
def library(folder: Path) -> Real:
    """That of the machine, whose compiler is quicker to start; else that of our compiler."""
    compilers = real.compilers()
    chosen = Library.GLIBC if Library.GLIBC in compilers else Library.MUSL
    return real.build(chosen, folder)


@pytest.fixture(scope="module")
def models(folder: Path) -> Models:
    """The models, which have a fault when one is asked for."""
    place = folder / "models"
    place.mkdir()
    return modelled.build(place, faulty_models())


@pytest.fixture(scope="module")
def fitting(library: Real) -> list[Sequence]:
    return [real.available(sequence, library.library) for sequence in GIVEN]


@pytest.fixture(scope="module")
def outcomes(library: Real, fitting: list[Sequence]) -> list[Outcome]:
    return real.run(library, fitting)


@pytest.mark.parametrize("looked_at", [COUNT // 2, pytest.param(COUNT, marks=pytest.mark.full)])
def test_real_outcomes_are_among_those_of_the_models(
    library: Real,
    models: Models,
    fitting: list[Sequence],
    outcomes: list[Outcome],
    looked_at: int,
) -> None:
    fitting, outcomes = fitting[:looked_at], outcomes[:looked_at]
    verdicts = modelled.search(models, fitting, outcomes)
    all_of_them = zip(fitting, outcomes, verdicts, strict=True)
    found = [Difference(library.library, s, o, v) for s, o, v in all_of_them if not v.possible]
    assert not found, "\n".join(map(str, found[:5]))
    assert len(verdicts) == looked_at and all(outcome.ended for outcome in outcomes)


@pytest.mark.full
def test_so_are_those_of_the_other_library(models: Models, folder: Path) -> None:
    found = list(compare([real.build(Library.MUSL, folder)], models, GIVEN))
    assert not found, "\n".join(map(str, found[:5]))


def test_outcomes_of_the_models_are_allowed(models: Models, fitting: list[Sequence]) -> None:
    drawn = modelled.draw(models, fitting, SEED)
    found = [text for s, o in zip(fitting, drawn, strict=True) for text in wrong(s, o)]
    assert not found, "\n".join(found[:5])
    assert sum(outcome.ended for outcome in drawn) > COUNT // 2


def test_real_outcomes_are_allowed(fitting: list[Sequence], outcomes: list[Outcome]) -> None:
    found = [text for s, o in zip(fitting, outcomes, strict=True) for text in wrong(s, o)]
    assert not found, "\n".join(found[:5])


def test_exact_functions_have_one_outcome(
    library: Real, models: Models, fitting: list[Sequence]
) -> None:
    def is_exact(call: Call) -> bool:
        return contracts()[operations()[call.operation].function].kind is Kind.EXACT

    kept = [replace(s, calls=tuple(filter(is_exact, s.calls))) for s in fitting[:SOME]]
    given = [sequence for sequence in kept if sequence.calls]
    drawn = modelled.draw(models, given, SEED)
    pairs = zip(real.run(library, given), drawn, strict=True)
    found = [(a.calls(), b.calls()) for a, b in pairs if b.ended and _results(a) != _results(b)]
    assert not found, found[0]


def _results(outcome: Outcome) -> list[tuple[int, ...]]:
    return [seen.shown for seen in outcome.calls()]


@pytest.mark.parametrize("number", range(1, len(FAULTS) + 1))
def test_a_planted_fault_is_found(
    number: int, models: Models, fitting: list[Sequence], outcomes: list[Outcome]
) -> None:
    function = FAULTS[number - 1].function
    concerned = [
        (sequence, outcome)
        for sequence, outcome in zip(fitting, outcomes, strict=True)
        if any(operations()[call.operation].function == function for call in sequence.calls)
    ]
    assert any(_is_found(models, number, pack) for pack in _packs(concerned))


def _packs(pairs: list[tuple[Sequence, Outcome]]) -> Iterator[list[tuple[Sequence, Outcome]]]:
    for start in range(0, len(pairs), FEW):
        yield pairs[start : start + FEW]


def _is_found(models: Models, number: int, pack: list[tuple[Sequence, Outcome]]) -> bool:
    given, seen = [sequence for sequence, _ in pack], [outcome for _, outcome in pack]
    drawn = modelled.draw(models, given, SEED, number)
    if any(text for s, o in zip(given, drawn, strict=True) for text in wrong(s, o)):
        return True
    return not all(v.possible for v in modelled.search(models, given, seen, number))


# ------------------------------------------------------------------------ without native runs

TYPES = {"": ("double", 8), "f": ("float", 4), "l": ("long double", 10)}
REPEATED = 12


def test_the_interpreter_gives_what_native_runs_do_not_have(library: Real) -> None:
    chosen = [o for o in operations() if not o.is_in(None)]
    given = [
        Sequence((0,) * 18, (0,) * 16, tuple(_call(o, k) for k in range(REPEATED))) for o in chosen
    ]
    lines = [
        _checked(operations()[call.operation], call, seen.results)
        for sequence, outcome in zip(given, real.run(library, given), strict=True)
        for call, seen in zip(sequence.calls, outcome.calls(), strict=True)
    ]
    assert len(lines) == len(chosen) * REPEATED > 0
    source = f"#include <math.h>\nint main(void) {{ {' '.join(lines)} }}\n"
    program = read(lowered(source, OPTIONS))
    assert shown(program, Interpreter(program).run({}, RUN)) == "ended"


def _call(operation: Operation, seed: int) -> Call:
    return Call(operation.number, argument_words(operation, seed))


def _checked(operation: Operation, call: Call, results: tuple[int, ...]) -> str:
    """A check that a call gives these words: -3 is any NaN; the sign of a zero does not count."""
    kind, size = TYPES[operation.function.removeprefix("fma").removeprefix("fmin").lstrip("x")]
    given = ", ".join(
        f"({kind})((union {{ unsigned long w; double d; }}){{{word}ul}}).d"
        for word in call.arguments[: len(operation.kinds)]
    )
    words = "".join(f" || w[{k}] != {word}ul" for k, word in enumerate(results))
    fails = "r == r" if results == (2**64 - 3,) else f"(r != 0 && (0{words}))"
    return (
        f"{{ unsigned long w[2] = {{0}}; {kind} r = {operation.function}({given});"
        f" memcpy(w, &r, {size}); CHECK(!({fails})); }}"
    )


def test_every_function_is_called_or_there_is_a_reason() -> None:
    assert (HERE / "coverage.txt").read_text() == coverage(), "scripts/libc-sequences --coverage"
