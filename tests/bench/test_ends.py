"""What a benchmark run leaves behind when it is killed, and what it believes of broken runs."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command import EXAMPLES, sea_py

from seahorn_py.bench import cluster, jobs, watch
from seahorn_py.bench.answers import answer_of
from seahorn_py.bench.jobs import Job
from seahorn_py.bench.report.columns import read_results
from seahorn_py.bench.report.exports import as_junit
from seahorn_py.bench.rows import Ended, Limits, Status, Verdict
from seahorn_py.bench.store import read_rows
from seahorn_py.bench.tasks.task import Task
from seahorn_py.bench.tools import DEFAULT, OtherTool, SeaPy, this_sea_py
from seahorn_py.bench.watch import Measured, start_watching
from seahorn_py.processes import child
from seahorn_py.processes.deadline import Deadline

STUBBORN = """
trap '' TERM
setsid sh -c 'trap "" TERM; echo $$ >> "$0"; touch $TMPDIR/left; sleep 60' "$0" &
sleep 60 & echo $! >> "$0"
wait
"""
"""A process in a session of its own and one that is a child of a child; SIGTERM ends neither."""


def begun(folder: Path) -> jobs.Running:
    """A job that runs the stubborn command; its temporary files are in `folder`."""
    (folder / "a.c").touch()
    task = Task("a.c", "", folder, ("a.c",), "unreach-call")
    tool = OtherTool("stubborn", ("sh", "-c", STUBBORN, str(folder / "pids")))
    running = jobs.begin(Job(task, DEFAULT, tool, Limits(60, None, 1000), None))
    assert isinstance(running, jobs.Running)
    return running


def pids(folder: Path) -> list[int]:
    """The processes of the stubborn command, when they are there."""
    file, deadline = folder / "pids", Deadline.after(20)
    while not file.exists() or file.read_text().count("\n") < 2:
        assert deadline.remaining
        time.sleep(0.01)
    return list(map(int, file.read_text().split()))


def is_there(pid: int) -> bool:
    """Whether a process runs; a zombie that nobody has reaped yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def assert_soon(is_so: Callable[[], bool]) -> None:
    deadline = Deadline.after(20)
    while not is_so():
        assert deadline.remaining
        time.sleep(0.01)


def nothing_left(folder: Path, found: list[int]) -> bool:
    temporary = [path.name for path in folder.iterdir() if path.name.startswith("sea-py-")]
    return not any(map(is_there, found)) and not temporary


def test_the_processes_of_a_stopped_job_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    running = begun(tmp_path)
    found = pids(tmp_path)
    assert all(map(is_there, found))
    jobs.stop([running])
    assert_soon(lambda: nothing_left(tmp_path, found))


def test_the_processes_of_a_killed_run_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run = os.fork()
    if run == 0:
        begun(tmp_path)
        time.sleep(60)
        os._exit(0)
    found = pids(tmp_path)
    os.kill(run, signal.SIGKILL)
    os.waitpid(run, 0)
    assert_soon(lambda: nothing_left(tmp_path, found))


def watched(*argv: str, wall: float = 20) -> Measured:
    with start_watching(argv, Limits(wall, None, 1000), None) as running:
        return Measured.from_json(child.result(running))


def test_output_is_limited_also_after_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_OUTPUT", 1 << 10)
    monkeypatch.setattr(watch, "GRACE_S", 20.0)
    loud = "trap 'while :; do echo xxxxxxxxxxxxxxxxxxxxx; sleep 0.001; done' TERM; sleep 9 & wait"
    done = watched("sh", "-c", loud, wall=0.2)
    assert done.ended is Ended.TIMEOUT
    assert done.wall_s < 19


def test_the_end_of_a_line_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of a long output begins with a whole line."""
    monkeypatch.setattr(watch, "TAIL", len("true\n"))
    done = watched("echo", "that is not true")
    assert done.output == ""
    assert answer_of(done, False).verdict is Verdict.NONE
    assert watched("printf", "x\\ntrue\\n").output == ""
    monkeypatch.setattr(watch, "TAIL", len("\ntrue\n"))
    assert watched("printf", "x\\ntrue\\n").output == "true\n"


def test_a_run_of_ours_that_was_broken_off_has_no_answer() -> None:
    codes = this_sea_py().codes
    assert codes == {0, 1, 3}
    assert answer_of(Measured(Ended.EXIT, 0, output="true\n"), False, codes).verdict is Verdict.TRUE
    refused = Measured(Ended.EXIT, 2, output="true\n", errors="sea-py: error: no\ntrue\n")
    assert answer_of(refused, False, codes).verdict is Verdict.NONE
    crashed = Measured(Ended.KILLED, -11, output="true\n")
    assert answer_of(crashed, False, codes).reason == "ended by SIGSEGV"
    assert answer_of(crashed, False).verdict is Verdict.TRUE


def test_an_internal_error_is_a_category_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an unknown nor a verdict, whatever was printed."""
    fake = tmp_path / "seahorn_py" / "cli.py"
    fake.parent.mkdir()
    (fake.parent / "__init__.py").touch()
    fake.write_text(
        "import sys\nprint('true')\nsys.stderr.write('sea-py: internal error: X: y')\nsys.exit(4)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    out = tmp_path / "rows.jsonl"
    done = sea_py("bench", "-o", out, "--timeout", "20", EXAMPLES / "counter_safe.c")
    (row,) = read_rows(out)
    assert (row.ended, row.verdict, row.status) == (Ended.INTERNAL, Verdict.NONE, Status.UNKNOWN)
    assert row.reason == "sea-py: internal error: X: y"
    assert done.returncode == 4 and "internal errors: 1" in done.stdout
    assert "<error" in as_junit(read_results([out]))


def test_a_tool_that_says_nothing_has_its_exit_code_told() -> None:
    assert answer_of(Measured(Ended.EXIT, 127), False).reason == "ended with code 127"


def test_results_of_what_has_changed_are_told(tmp_path: Path) -> None:
    for name in ("a.c", "b.c", "c.c"):
        (tmp_path / name).write_text("// expected: safe\n")
    common = ("bench", tmp_path, "-o", tmp_path / "r.jsonl", "--no-logs", "--tool", "echo unsat")
    assert sea_py(*common).returncode == 0
    assert sea_py(*common, "--resume").returncode == 0
    (tmp_path / "a.c").write_text("// expected: safe; changed\n")
    (tmp_path / "b.c").write_text("// expected: unsafe\n")
    done = sea_py(*common, "--resume")
    assert done.returncode == 2
    told = [line.rpartition("/")[2] for line in done.stdout.splitlines()[:-1]]
    assert told == [
        "a.c unreach-call LP64: a.c has changed since its result was made",
        "b.c unreach-call LP64: the expected verdict has changed since its result was made",
    ]
    assert len(list(read_rows(tmp_path / "r.jsonl"))) == 3


def test_only_what_is_asked_for_is_counted(tmp_path: Path) -> None:
    for name in ("a.c", "b.c"):
        (tmp_path / name).write_text("// expected: safe\n")
    common = ("bench", tmp_path, "-o", tmp_path / "r.jsonl", "--no-logs", "--tool", "echo unsat")
    sea_py(*common, "--match", "a.c")
    done = sea_py(*common, "--match", "b.c", "--resume")
    assert done.stdout.startswith("[1/1] ")
    assert "default: 1 tasks: score 2 of 2" in done.stdout


def test_where_there_is_no_task_it_is_told_why(tmp_path: Path) -> None:
    (tmp_path / "x.yml").write_text("a: b: c")
    done = sea_py("bench", tmp_path / "x.yml", "-o", tmp_path / "r.jsonl")
    assert done.returncode == 2
    assert done.stdout.startswith(f"problem: {tmp_path}/x.yml:1: not YAML")
    assert "no task to run in" in done.stderr


@pytest.mark.parametrize("limit", ["--timeout", "--cpu"])
def test_a_limit_is_a_number(tmp_path: Path, limit: str) -> None:
    done = sea_py("bench", tmp_path, "-o", tmp_path / "r.jsonl", limit, "nan")
    assert done.returncode == 2
    assert "nan is not a number" in done.stderr


def test_a_worker_of_another_version_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.c").touch()
    task = Task("a.c", "", tmp_path, ("a.c",), "unreach-call")
    row = cluster.run_on_worker(Job(task, DEFAULT, SeaPy("sea-py 99"), Limits(9, None, 900), None))
    assert row.ended is Ended.ERROR
    assert row.reason == f"the worker has {this_sea_py().name}, not sea-py 99"
