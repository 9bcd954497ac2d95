"""Children are bounded and reaped, whatever they do."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.processes.child import (
    Child,
    ChildFailed,
    ChildTimeout,
    Command,
    Fork,
    as_completed,
    call,
    command,
    result,
    start,
)
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer


@pytest.fixture
def another_thread() -> Iterator[None]:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    yield
    end.set()
    thread.join()


@pytest.fixture(params=["copy", "fresh"])
def kind(request: pytest.FixtureRequest) -> type[Child]:
    """Children of either kind: with another thread they are no copies."""
    if request.param == "copy":
        return Fork
    request.getfixturevalue("another_thread")
    return Command


def test_a_python_target_gets_a_text_and_returns_one(kind: type[Child]) -> None:
    with start("os.path:basename", "a/ü", Deadline.after(20)) as child:
        assert isinstance(child, kind)
        assert result(child) == "ü"


@pytest.mark.plants_internal_errors
@pytest.mark.usefixtures("kind")
def test_a_failing_target_says_why() -> None:
    with pytest.raises(ChildFailed, match="TypeError"):
        call("math:sqrt", "four", Deadline.after(20))


@pytest.mark.usefixtures("kind")
def test_children_come_back_as_they_end() -> None:
    children = [start("os.path:basename", f"a/{i}", Deadline.after(20)) for i in range(3)]
    assert sorted(result(c) for c in as_completed(children)) == ["0", "1", "2"]


@pytest.mark.usefixtures("another_thread")
def test_programs_are_verified_beside_another_thread() -> None:
    example = Path(__file__).parent.parent.parent / "c_examples" / "counter_safe.c"
    assert verify(example, VerifyOptions(FrontendOptions(bits=32))).answer is Answer.SAFE


def test_a_command_is_killed_at_its_deadline() -> None:
    begin = time.monotonic()
    with pytest.raises(ChildTimeout):
        command(["sleep", "60"], Deadline.after(0.2))
    assert time.monotonic() - begin < 10


def test_memory_is_bounded() -> None:
    hoard = [sys.executable, "-c", "bytearray(1 << 31)"]
    completed = command(hoard, Deadline.after(20), memory_mib=512)
    assert completed.code == 1
    assert "MemoryError" in completed.errors


def test_a_fork_returns_plain_data() -> None:
    with Fork(lambda: {"pid": os.getpid()}, Deadline.after(20)) as fork:
        answer = fork.result()
    assert isinstance(answer, dict)
    assert answer["pid"] != os.getpid()


@pytest.mark.plants_internal_errors
def test_a_fork_that_raises_says_why() -> None:
    def fail() -> None:
        raise ValueError("no")

    with Fork(fail, Deadline.after(20)) as fork, pytest.raises(ChildFailed, match="ValueError: no"):
        fork.result()


def test_a_fork_and_its_children_end_at_the_deadline() -> None:
    def hang() -> None:
        command(["sleep", "61.5"], Deadline.after(60))

    with Fork(hang, Deadline.after(0.5)) as fork, pytest.raises(ChildTimeout):
        fork.result()
    time.sleep(0.2)
    commands = command(["ps", "-eo", "args"], Deadline.after(20)).output
    assert "sleep 61.5" not in commands
