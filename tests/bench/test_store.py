"""Result files: written row by row, mended when torn, by one run at a time."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from seahorn_py.base.errors import SeaError
from seahorn_py.bench.rows import Ended, Expected, Input, Limits, Machine, Row, Status, Verdict
from seahorn_py.bench.scoring import by_category, normalised, tally
from seahorn_py.bench.store import Store, read_rows

ROW = Row(
    task="c/a.c unreach-call ILP32",
    category="loops",
    property="unreach-call",
    data_model="ILP32",
    inputs=(Input("c/a.c", "ab" * 32),),
    expected=Expected.TRUE,
    expected_subproperty="",
    configuration="default",
    arguments=("--encoding", "bv"),
    tool="sea-py 0.1.0",
    limits=Limits(60.0, None, 5000),
    machine=Machine("host", "Linux 6", "CPU", 2, 8000),
    verdict=Verdict.TRUE,
    subproperty="",
    status=Status.CORRECT,
    score=2,
    stage="",
    reason='"quoted" \udcff ünïcode\n',
    ended=Ended.EXIT,
    exit_code=0,
    cpu_s=1.25,
    wall_s=1.5,
    memory_mib=100,
    started="2026-11-28T10:00:00Z",
    log="r.files/default/a.log",
    witnesses=("r.files/default/a.yml",),
)


def rows(count: int) -> list[Row]:
    return [replace(ROW, task=f"task {number}") for number in range(count)]


def written(file: Path, count: int, resume: bool = False) -> None:
    with Store.open(file, resume) as store:
        for row in rows(count):
            if (row.configuration, row.task) not in store:
                assert store.append(row) == ""


def test_rows_come_back_as_they_were() -> None:
    line = ROW.as_json()
    assert "\n" not in line
    assert Row.from_json(line) == ROW
    bare = replace(ROW, expected=None, exit_code=None, limits=Limits(1.0, 2.0, 3))
    assert Row.from_json(bare.as_json()) == bare


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"format": 1', '"format": 9', "format 9 of rows is not known here"),
        ('"task"', '"tusk"', "no task in the row"),
        ('"score": 2', '"score": "2"', "score is '2'"),
        ('"verdict": "true"', '"verdict": "maybe"', "'maybe' is not a valid Verdict"),
        ('"wall_s": 60.0', '"wahl": 60.0', "no wall_s in the row"),
        ('"wall_s": 60.0', '"wall_s": "60"', "wall_s is '60'"),
        ('"cpu_s": 1.25', '"cpu_s": NaN', "cpu_s is nan"),
        ('"cpu_s": 1.25', '"cpu_s": 1e999', "cpu_s is inf"),
        ('"cpu_s": 1.25', f'"cpu_s": 1{"0" * 400}', "int too large"),
        ('"score": 2', '"score": true', "score is True"),
        ('"path": "c/a.c"', '"path": 5', "path is 5"),
        ('"cores": 2', '"cores": null', "cores is None"),
        ('["--encoding", "bv"]', '"--encoding"', "arguments is '--encoding'"),
    ],
)
def test_what_is_no_row(old: str, new: str, said: str) -> None:
    line = ROW.as_json()
    assert old in line
    with pytest.raises(ValueError, match=said):
        Row.from_json(line.replace(old, new))


def test_a_file_is_not_written_over(tmp_path: Path) -> None:
    written(tmp_path / "r.jsonl", 2)
    with pytest.raises(SeaError, match="has results already; --resume goes on"):
        Store.open(tmp_path / "r.jsonl", False)
    written(tmp_path / "r.jsonl", 3, resume=True)
    assert list(read_rows(tmp_path / "r.jsonl")) == rows(3)


def test_a_file_torn_at_any_byte_is_mended(tmp_path: Path) -> None:
    whole, torn = tmp_path / "whole.jsonl", tmp_path / "torn.jsonl"
    written(whole, 3)
    data = whole.read_bytes()
    starts = [0, *(at + 1 for at, byte in enumerate(data) if byte == ord("\n"))]
    for size in (0, 1, starts[1] - 2, starts[1] - 1, starts[1], starts[2] + 9, len(data) - 1):
        torn.write_bytes(data[:size])
        readable = list(read_rows(torn))
        seen: list[Row] = []
        with Store.open(torn, True, seen.append):
            pass
        assert seen == readable == rows(3)[: len(seen)]
        assert torn.read_bytes() == data[: starts[len(seen)]]
        written(torn, 3, resume=True)
        assert torn.read_bytes() == data


def test_zeros_at_the_end_after_a_crash_are_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    written(file, 1)
    with file.open("ab") as stream:
        stream.write(b"\0" * 100)
    written(file, 2, resume=True)
    assert list(read_rows(file)) == rows(2)


def test_a_broken_line_inside_is_told_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    written(file, 2)
    data = b"broken\n" + file.read_bytes()
    file.write_bytes(data)
    with pytest.raises(SeaError, match=r"r\.jsonl:1: Expecting value"):
        Store.open(file, True)
    assert file.read_bytes() == data


def test_a_task_twice_is_told(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    written(file, 1)
    file.write_bytes(file.read_bytes() * 2)
    with pytest.raises(SeaError, match="task 0 is there twice"):
        Store.open(file, True)


def test_two_runs_into_one_file_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    other = (
        "import sys; from pathlib import Path; from seahorn_py.bench.store import Store\n"
        "try: Store.open(Path(sys.argv[1]), True)\n"
        "except Exception as error: print(error)"
    )
    with Store.open(file, False) as store:
        store.append(ROW)
        argv = [sys.executable, "-c", other, str(file)]
        said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        assert said == f"{file}: another run writes this file\n"
    assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout == ""


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Like a full disk: writes beyond it fail, one that crosses it is short."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_rows_wait_for_room(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    first, second, third = rows(3)
    size = len(first.as_json()) + 1
    with Store.open(file, False) as store:
        with file_size_limit(size + 10):
            assert store.append(first) == ""
            assert "cannot write" in store.append(second)
            assert file.stat().st_size == size
            assert store.append(third).endswith("2 rows wait")
        assert store.flush() == ""
    assert list(read_rows(file)) == rows(3)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(SeaError, match="cannot write: No such file or directory"):
        Store.open(tmp_path / "no" / "r.jsonl", False)
    with pytest.raises(SeaError, match="cannot write: Is a directory"):
        Store.open(tmp_path, False)
    with Store.open(Path("/dev/full"), False) as store:
        assert "No space left on device; 1 row waits" in store.append(ROW)


def test_descriptors_are_closed(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    written(tmp_path / "r.jsonl", 1)
    with pytest.raises(SeaError):
        Store.open(tmp_path / "r.jsonl", False)
    assert len(os.listdir("/proc/self/fd")) == before


def test_sums() -> None:
    wrong = replace(ROW, category="heap", verdict=Verdict.TRUE, status=Status.WRONG, score=-32)
    alarm = replace(ROW, verdict=Verdict.FALSE, status=Status.CORRECT, score=1)
    unknown = replace(ROW, verdict=Verdict.NONE, status=Status.UNKNOWN, score=0)
    sums = tally([ROW, wrong, alarm, unknown])
    assert (sums.tasks, sums.correct_true, sums.correct_false) == (4, 1, 1)
    assert (sums.wrong_true, sums.wrong_false, sums.unknown, sums.score) == (1, 0, 1, -29)
    assert (sums.cpu_s, sums.cpu_s_correct) == (5.0, 2.5)
    assert tally([ROW, wrong]) + tally([alarm, unknown]) == sums
    categories = by_category([ROW, wrong, alarm, unknown])
    assert {name: c.score for name, c in categories.items()} == {"heap": -32, "loops": 3}
    assert normalised(categories.values()) == (-32 / 1 + 3 / 3) * 4 / 2
