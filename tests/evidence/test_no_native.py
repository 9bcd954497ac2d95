"""Without native runs nothing of a program is built or executed, and answers say so."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seahorn_py import verify
from seahorn_py.cli.commands import executable
from seahorn_py.cli.main import main
from seahorn_py.evidence.runs import native
from seahorn_py.frontend.runtime import native as building
from seahorn_py.frontend.runtime.native import Executable, Refusal
from seahorn_py.ir.run import Ending, Outcome
from seahorn_py.options import EngineName, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

EXAMPLES = Path(__file__).parent.parents[1] / "c_examples"
ALONE = "the error was reached in the interpreter alone, not natively: "
COMPARED = "the proof was compared with interpreted runs alone: "

SAMPLE = {
    "counter_safe.c": Answer.SAFE,
    "counter_unsafe.c": Answer.UNSAFE,
    "mask_safe.c": Answer.SAFE,
    "mask_unsafe.c": Answer.UNSAFE,
    "recursion_safe.c": Answer.SAFE,
    "recursion_unsafe.c": Answer.UNSAFE,
    "function_pointer_safe.c": Answer.SAFE,
    "function_pointer_unsafe.c": Answer.UNSAFE,
    "char_conversion_unsafe.c": Answer.UNSAFE,
    "struct_by_value_safe.c": Answer.SAFE,
    "unsigned_wrap_unsafe.c": Answer.UNSAFE,
    "union_safe.c": Answer.SAFE,
}


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Every way to build or start a program leaves a mark, in whatever process; the marks."""
    marks = tmp_path / "started"

    def marked(name: str) -> Callable[..., object]:
        def called(*_: object, **__: object) -> object:
            with marks.open("a") as stream:
                stream.write(f"{name}\n")
            raise OSError(f"{name} was called")

        return called

    for name in ("run", "explore", "exploration", "sample"):
        monkeypatch.setattr(native, name, marked(name))
    monkeypatch.setattr(building, "build", marked("build"))
    monkeypatch.setattr(executable, "confirmed", marked("confirmed"))
    monkeypatch.setattr(os, "posix_spawn", marked("posix_spawn"))
    return lambda: marks.read_text().split() if marks.exists() else []


def answer(
    name: str, engines: tuple[EngineName, ...] = (), strict: bool = False
) -> VerificationResult:
    options = VerifyOptions(timeout=30, engines=engines, strict=strict, native=False)
    return verify(EXAMPLES / name, options)


@pytest.mark.parametrize("name", SAMPLE)
def test_the_verdicts_are_right(name: str, started: Callable[[], list[str]]) -> None:
    result = answer(name)
    assert result.answer is SAMPLE[name]
    assert started() == []
    texts = [entry.text for entry in result.ledger]
    assert any(text.startswith((ALONE, COMPARED)) for text in texts)


@pytest.mark.parametrize("engine", [EngineName.EXECUTE, EngineName.BMC])
def test_an_error_is_reached_in_the_interpreter(
    engine: EngineName, started: Callable[[], list[str]]
) -> None:
    result = answer("counter_unsafe.c", (engine,))
    assert result.answer is Answer.UNSAFE
    assert any("(interpreter)" in line for line in result.evidence)
    assert started() == []


@pytest.mark.parametrize("name", ["counter_safe.c", "counter_unsafe.c"])
def test_strictly_nothing_stands_without_native_runs(name: str) -> None:
    result = answer(name, strict=True)
    assert result.answer is Answer.UNKNOWN
    assert "--no-native" in result.reason


def sea_py(*arguments: str | Path) -> Result:
    """The command in this process, where nothing can be built."""
    return CliRunner().invoke(main, [str(a) for a in arguments])


UNSAFE, SAFE = EXAMPLES / "counter_unsafe.c", EXAMPLES / "counter_safe.c"


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        (["pf", "--no-native", UNSAFE], "sat"),
        (["pf", "--no-native", SAFE], "unsat"),
        (["pf", "--no-native", "--all-checks", UNSAFE], "sat"),
        (["bpf", "--no-native", UNSAFE], "sat"),
        (["svcomp", "--no-native", UNSAFE], "sat"),
        (
            ["validate", "--no-native", EXAMPLES / "witnesses/counter_unsafe.yml", UNSAFE],
            "confirmed",
        ),
        (
            [
                *("pf", "--no-native", "--invariants"),
                *(EXAMPLES / "witnesses/two_counters_safe.yml", EXAMPLES / "two_counters_safe.c"),
            ],
            "unsat",
        ),
    ],
)
def test_no_command_starts_the_program(
    arguments: list[str | Path], last: str, started: Callable[[], list[str]]
) -> None:
    done = sea_py(*arguments)
    assert last in done.output.splitlines()[-3:]
    assert started() == []


@pytest.mark.plants_internal_errors
def test_otherwise_it_is_started(started: Callable[[], list[str]]) -> None:
    assert verify(SAFE, VerifyOptions(timeout=30)).answer is Answer.SAFE
    assert "build" in started()


def test_an_executable_is_written_but_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object) -> str:
        raise AssertionError("it was run")

    monkeypatch.setattr(executable, "confirmed", run)
    done = sea_py("exe", "--no-native", "-o", tmp_path / "prog", UNSAFE)
    assert "is written; it was not run" in done.output
    assert (tmp_path / "prog").stat().st_size


# ------------------------------------------------------------------ where no native run is possible


def refusing(*_: object) -> Executable | Refusal:
    return Refusal("the linker is broken")


@pytest.mark.parametrize("name", ["counter_safe.c", "counter_unsafe.c", "mask_safe.c"])
def test_a_native_run_that_could_not_be_made_is_said(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "build", refusing)
    result = verify(EXAMPLES / name, VerifyOptions(timeout=30))
    assert result.answer is SAMPLE[name]
    (entry,) = (e for e in result.ledger if "the linker is broken" in e.text)
    assert entry.text.startswith((ALONE, COMPARED))
    strict = verify(EXAMPLES / name, VerifyOptions(timeout=30, strict=True))
    assert (strict.answer, "the linker is broken" in strict.reason) == (Answer.UNKNOWN, True)


def test_a_native_run_that_ended_in_an_unknown_way_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    strange = Outcome(Ending.LIMIT, reason="a signal from elsewhere")
    ended = native.Exploration(1, (strange,))
    monkeypatch.setattr(native, "exploration", lambda *_, **__: ended)
    result = verify(SAFE, VerifyOptions(timeout=30))
    assert result.answer is Answer.SAFE
    assert any("a signal from elsewhere" in entry.text for entry in result.ledger)


def test_errors_of_memory_are_the_interpreter_s_to_judge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(building, "build", refusing)
    asked = FrontendOptions(properties=frozenset({Property.VALID_MEMSAFETY}))
    result = verify(EXAMPLES / "heap_overrun_unsafe.c", VerifyOptions(asked, timeout=30))
    assert result.answer is Answer.UNSAFE
    assert not any("the linker is broken" in entry.text for entry in result.ledger)
