"""Benchmark runs: limits over the whole tree of processes, and rows that no kill loses."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from command import EXAMPLES, SEA_PY, interruptible, sea_py
from test_store import ROW

from seahorn_py.bench import watch
from seahorn_py.bench.answers import answer_of
from seahorn_py.bench.progress import progress_on
from seahorn_py.bench.rows import Ended, Limits, Row, Status, Verdict
from seahorn_py.bench.store import read_rows
from seahorn_py.bench.watch import Measured, start_watching
from seahorn_py.processes import child
from seahorn_py.processes.deadline import Deadline

FAKE = """
import sys, time, zlib
number = zlib.crc32(sys.argv[1].rsplit("/", 1)[-1].encode())
time.sleep(number % 5 / 20)
print(("unsat", "sat", "unknown")[number % 3])
"""


def watched(
    *argv: str,
    wall: float = 20,
    cpu: float | None = None,
    memory: int = 1000,
    log: Path | None = None,
) -> Measured:
    with start_watching(argv, Limits(wall, cpu, memory), log) as running:
        return Measured.from_json(child.result(running))


def test_temporary_files_of_a_killed_command_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # for a copy of this process
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # for a new one, as beside other threads
    done = watched("sh", "-c", "trap '' TERM; touch $TMPDIR/left; echo $TMPDIR; sleep 60", wall=1)
    assert done.ended is Ended.TIMEOUT and done.output.startswith(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def python(text: str) -> tuple[str, ...]:
    return sys.executable, "-S", "-E", "-c", text


def test_a_command_that_ends_by_itself() -> None:
    done = watched("sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.ended, done.exit_code) == (Ended.EXIT, 3)
    assert (done.output, done.errors) == ("out\n", "err\n")


def test_a_command_that_is_not_there() -> None:
    done = watched("/no/such/tool")
    assert done.ended is Ended.ERROR
    assert done.problem == "/no/such/tool: cannot start: No such file or directory"


def test_a_signal_of_somebody_else() -> None:
    done = watched("sh", "-c", "kill -SEGV $$")
    assert (done.ended, done.exit_code) == (Ended.KILLED, -signal.SIGSEGV)
    assert answer_of(done, False).reason == "ended by SIGSEGV"


def test_the_wall_limit_lets_a_command_say_something() -> None:
    done = watched("sh", "-c", "trap 'echo so far; exit' TERM; sleep 60 & wait", wall=2)
    assert (done.ended, done.output) == (Ended.TIMEOUT, "so far\n")
    assert done.wall_s < 20


def test_cpu_time_of_all_processes_counts_and_none_outlives_the_run(tmp_path: Path) -> None:
    """One spins in a session of its own, and its parent is gone."""
    note = tmp_path / "pid"
    spin = f"import os\nopen({str(note)!r}, 'w').write(str(os.getpid()))\nwhile 1: pass"
    script = f'setsid {python("")[0]} -S -E -c "$0" & sleep 60'
    done = watched("sh", "-c", script, spin, cpu=0.3)
    assert done.ended is Ended.CPU_TIMEOUT
    assert done.cpu_s >= 0.3
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def test_orphans_end_with_the_command() -> None:
    done = watched("sh", "-c", "setsid sleep 60 & echo $!")
    assert done.ended is Ended.EXIT
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.output), 0)


def test_memory_of_all_processes_counts() -> None:
    """Each of the two is below the limit."""
    hold = "x = b'1' * (60 << 20); import time; time.sleep(60)"
    two = f'{sys.executable} -S -E -c "$0" & {sys.executable} -S -E -c "$0" & wait'
    done = watched("sh", "-c", two, hold, memory=100)
    assert done.ended is Ended.OUT_OF_MEMORY
    assert done.memory_mib >= 100


def test_the_peak_of_memory_is_that_of_the_command() -> None:
    done = watched(*python("x = b'1' * (150 << 20); import time; time.sleep(0.3)"))
    assert 150 <= done.memory_mib < 250


def test_endless_output_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_OUTPUT", 1 << 20)
    assert watched("yes").ended is Ended.TOO_MUCH_OUTPUT


def test_logs_hold_command_and_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "x.log"
    assert watched("sh", "-c", "echo out; echo err >&2", log=log).logged
    assert log.read_text().splitlines()[1:] == ["out", "--- standard error", "err"]
    monkeypatch.setattr(watch, "KEPT", 4)
    watched("echo", "0123456789", log=log)
    assert log.read_text().splitlines()[1:] == ["0123", "--- 3 characters left out", "789"]


def test_a_log_that_cannot_be_written_costs_no_answer() -> None:
    done = watched("echo", "unsat", log=Path("/dev/full"))
    assert (done.ended, done.output, done.logged) == (Ended.EXIT, "unsat\n", False)
    assert "No space left" in done.problem


@pytest.mark.parametrize(
    ("output", "is_horn", "verdict", "rest"),
    [
        ("unsafe: a.c:3:4: reach_error() is reached\nsat\n", False, Verdict.FALSE, ("", "", "")),
        ("unsafe: a.c:3:4: valid-free: free\nsat\n", False, Verdict.FALSE, ("valid-free", "", "")),
        ("FALSE(valid-deref)\n", False, Verdict.FALSE, ("valid-deref", "", "")),
        (
            "sat\nunknown: solve: time limit\nunknown",
            False,
            Verdict.UNKNOWN,
            ("", "solve", "time limit"),
        ),
        ("unknown: re-proof: x\nunknown", False, Verdict.UNKNOWN, ("", "re-proof", "x")),
        ("sat\n", True, Verdict.SAT, ("", "", "")),
        ("unsatisfiable\n", False, Verdict.NONE, ("", "", "")),
        ("", False, Verdict.NONE, ("", "", "")),
    ],
)
def test_answers(output: str, is_horn: bool, verdict: Verdict, rest: tuple[str, ...]) -> None:
    answer = answer_of(Measured(Ended.EXIT, 0, output=output), is_horn)
    assert answer.verdict is verdict
    assert (answer.subproperty, answer.stage, answer.reason) == rest


def test_an_answer_after_the_limit_is_none() -> None:
    assert answer_of(Measured(Ended.TIMEOUT, -9, output="unsat\n"), False).verdict is Verdict.NONE


def test_a_refusal_is_quoted() -> None:
    refused = Measured(Ended.EXIT, 2, errors="x\nsea-py: error: a.c:3: threads\n")
    assert answer_of(refused, False).reason == "a.c:3: threads"


def programs(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        (folder / f"task{number}.c").write_text("// expected: safe\n")
    return folder


def fake(folder: Path) -> str:
    tool = folder / "fake.py"
    tool.write_text(FAKE)
    return f"{sys.executable} -S -E {tool} {{file}}"


def results(file: Path) -> dict[tuple[str, str], Row]:
    rows = list(read_rows(file))
    found = {(row.configuration, row.task): row for row in rows}
    assert len(found) == len(rows)
    return found


def verdicts(rows: dict[tuple[str, str], Row]) -> dict[tuple[str, str], Verdict]:
    return {key: row.verdict for key, row in rows.items()}


def kill_at(rows: int, arguments: Sequence[str], file: Path, later: float) -> None:
    """Start a run and kill it, some time after the file has so many rows."""
    with subprocess.Popen([*SEA_PY, *arguments], stdout=subprocess.DEVNULL) as running:
        while not file.exists() or file.read_bytes().count(b"\n") < rows:
            assert running.poll() is None
            time.sleep(0.005)
        time.sleep(later)
        assert running.poll() is None
        running.kill()


@pytest.mark.parametrize(("tasks", "kills"), [(8, 2), pytest.param(50, 10, marks=pytest.mark.full)])
def test_no_kill_loses_a_task(tmp_path: Path, tasks: int, kills: int) -> None:
    folder = programs(tmp_path / "tasks", tasks)
    common = ["bench", str(folder), "--tool", fake(tmp_path), "--jobs", "2", "-o"]
    whole, torn = tmp_path / "whole.jsonl", tmp_path / "torn.jsonl"
    assert sea_py(*common, whole).returncode in (0, 1)
    chance = random.Random(tasks)
    for rows in sorted(chance.sample(range(tasks - 4), kills)):
        kill_at(rows, [*common, str(torn), "--resume"], torn, chance.random() / 20)
    assert sea_py(*common, torn, "--resume").returncode in (0, 1)
    assert len(results(torn)) == tasks
    assert verdicts(results(torn)) == verdicts(results(whole))


@pytest.mark.full
def test_real_answers_with_witnesses_in_two_configurations(tmp_path: Path) -> None:
    output = tmp_path / "r.jsonl"
    done = sea_py(
        *("bench", EXAMPLES / "counter_unsafe.c", "-o", output, "--witnesses", "--pages"),
        *("-c", "both=--engine execute", "-c", "bits=--encoding bv --engine execute"),
    )
    assert done.returncode == 0, done.stdout
    rows = list(read_rows(output))
    assert [row.configuration for row in rows] == ["both", "bits"]
    for row in rows:
        assert (row.verdict, row.status, row.score) == (Verdict.FALSE, Status.CORRECT, 1)
        assert (tmp_path / row.log).read_text().endswith("\nsat\n")
        assert [Path(name).suffix for name in row.witnesses] == [".yml", ".graphml", ".html"]
        assert all((tmp_path / name).stat().st_size for name in row.witnesses)
        assert row.cpu_s > 0.1
        assert row.memory_mib > 10
    assert "both: 1 tasks: score 1 of 1, correct 0 safe + 1 unsafe" in done.stdout


def test_broken_tasks_are_told_and_the_others_run(tmp_path: Path) -> None:
    (tmp_path / "broken.yml").write_text("a: b: c")
    (tmp_path / "gone.yml").write_text(
        "format_version: '2.0'\ninput_files: gone.c\nproperties: [{property_file: p.prp}]\n"
    )
    (tmp_path / "p.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    (tmp_path / "good.c").write_text("// expected: safe\n")
    sources = [tmp_path / name for name in ("broken.yml", "gone.yml", "none.c", "good.c")]
    done = sea_py("bench", *sources, "-o", tmp_path / "r.jsonl", "--tool", "echo unsat")
    assert done.returncode == 2
    assert f"problem: {tmp_path}/broken.yml:1: not YAML" in done.stdout
    assert f"problem: {tmp_path}/none.c: no such file or folder" in done.stdout
    gone, good = read_rows(tmp_path / "r.jsonl")
    assert (gone.ended, gone.status) == (Ended.ERROR, Status.UNKNOWN)
    assert gone.reason == f"{tmp_path}/gone.c: cannot read: No such file or directory"
    assert gone.reason in done.stdout
    assert (good.ended, good.status) == (Ended.EXIT, Status.CORRECT)


def test_names_that_are_none(tmp_path: Path) -> None:
    """Nothing is read of a device, which has no end; strange names are no exception."""
    tasks = tmp_path / "x.jsonl"
    names = ("/dev/zero", "a\0.c", "\ud800.c", "x" * 300, ".", "good.c")
    tasks.write_text("".join(json.dumps({"file": name}) + "\n" for name in names))
    (tmp_path / "good.c").touch()
    done = sea_py("bench", tasks, "-o", tmp_path / "r.jsonl", "--tool", "echo unsat")
    assert done.returncode == 2
    *broken, good = read_rows(tmp_path / "r.jsonl")
    assert {row.ended for row in broken} == {Ended.ERROR}
    assert good.ended is Ended.EXIT
    again = sea_py("bench", tasks, "-o", tmp_path / "r.jsonl", "--tool", "echo unsat", "--resume")
    assert len(results(tmp_path / "r.jsonl")) == len(names)
    assert "6 tasks" in again.stdout


def test_an_unknown_property_is_told(tmp_path: Path) -> None:
    tasks = tmp_path / "x.jsonl"
    lines = [
        {"file": "a.c", "property": name, "expected": True} for name in ("odd", "def-behavior")
    ]
    tasks.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    done = sea_py("bench", tasks, "-o", tmp_path / "r.jsonl")
    assert done.returncode == 0
    odd, defined = read_rows(tmp_path / "r.jsonl")
    assert odd.reason.startswith("unknown property odd; supported: unreach-call")
    assert defined.reason.startswith("the property def-behavior is not supported")
    assert {odd.verdict, defined.verdict} == {Verdict.NONE}


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    folder = programs(tmp_path / "tasks", 3)
    done = sea_py("bench", folder, "-o", "/dev/full", "--no-logs", "--tool", "echo unsat")
    assert done.returncode == 2
    assert "problem: /dev/full: cannot write: No space left on device; 1 row waits" in done.stdout
    assert done.stdout.count("correct") == 3
    assert "3 rows wait and could not be stored" in done.stderr


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    folder = programs(tmp_path / "tasks", 1)
    done = sea_py("bench", folder, "-o", tmp_path / "no" / "r.jsonl", "--tool", "true")
    assert done.returncode == 2
    assert "no/r.jsonl: cannot write: No such file or directory" in done.stderr
    assert "Is a directory" in sea_py("bench", folder, "-o", "/", "--tool", "true").stderr
    (tmp_path / "r.files").write_text("in the way")
    done = sea_py("bench", folder, "-o", tmp_path / "r.jsonl", "--tool", "true")
    assert done.returncode == 2
    assert "r.files: cannot keep logs and witnesses" in done.stderr


def test_results_are_not_mixed(tmp_path: Path) -> None:
    folder = programs(tmp_path / "tasks", 1)
    common = ("bench", folder, "-o", tmp_path / "r.jsonl", "--no-logs")
    assert sea_py(*common, "--tool", "echo unsat").returncode == 0
    assert "--resume" in sea_py(*common, "--tool", "echo unsat").stderr
    other = sea_py(*common, "--resume", "--tool", "echo sat")
    assert other.returncode == 2
    assert "other tool: echo unsat, not echo sat" in other.stderr
    more = sea_py(*common, "--resume", "--tool", "echo sat", "-c", "more=")
    assert more.returncode == 1
    assert more.stdout.startswith("[1/1] wrong")
    assert set(verdicts(results(tmp_path / "r.jsonl")).values()) == {Verdict.TRUE, Verdict.FALSE}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-c", "--engine bmc"], "configuration --engine bmc: write NAME=ARGUMENTS"),
        (["-c", "a=--engin bmc"], "configuration a: No such option '--engin'"),
        (["-c", "a=", "-c", "a=-m32"], "configuration a is there twice"),
        (["-c", "a=engine bmc"], "configuration a: engine: a file is none of the arguments"),
        (["-c", "a=--property no-overflow"], "configuration a: --property is not for"),
        (["-c", "a=--json"], "configuration a: --json and --format are not for configurations"),
        (["-c", "a=--engine nope"], "configuration a: unknown engine nope"),
        (["-c", "a=--cegar nope=1"], "configuration a: --cegar: no choice"),
        (["-c", "a=--schedule /no/such.yml"], "configuration a: /no/such.yml"),
        (["--tool", "cat {fil}"], "--tool: {fil} is not known"),
        (["--tool", "'"], "No closing quotation"),
        (["--match", "elsewhere"], "no task to run in"),
    ],
)
def test_wrong_usage(tmp_path: Path, options: list[str], message: str) -> None:
    done = sea_py("bench", EXAMPLES / "counter_safe.c", "-o", tmp_path / "r.jsonl", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "r.jsonl").exists()


def test_the_fields_of_another_tool(tmp_path: Path) -> None:
    (tmp_path / "a.c").touch()
    (tmp_path / "b.c").touch()
    tasks = tmp_path / "x.jsonl"
    tasks.write_text(
        json.dumps({"file": "a.c", "extra_files": ["b.c"], "property": "p", "arch": "32bit"})
    )
    tool = "echo {bits} --spec={property} {property_file} {arguments} {file} {data_model}"
    sea_py("bench", tasks, "-o", tmp_path / "r.jsonl", "--tool", tool, "-c", "x=-a 'b c'")
    (row,) = read_rows(tmp_path / "r.jsonl")
    said = (tmp_path / row.log).read_text().splitlines()[1]
    assert said == f"-m32 --spec=p -a b c {tmp_path}/a.c {tmp_path}/b.c ILP32"
    assert row.status is Status.UNKNOWN


class Terminal(io.StringIO):
    """Remembers what is written to it, and says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class Closed(io.StringIO):
    """A pipe that nobody reads any more."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_a_terminal_shows_sums_and_what_runs() -> None:
    terminal = Terminal()
    table = progress_on(terminal, 3)
    table.row(replace(ROW, reason=""))
    table.idle(["default running.c"])
    assert terminal.getvalue().splitlines() == [
        "configuration  done  true  false  wrong  unknown  score  CPU s",
        "default           1     1      0      0        0      2      1",
        "1 of 3 done",
        "  default running.c",
    ]
    wrong = replace(ROW, verdict=Verdict.FALSE, status=Status.WRONG, score=-16)
    table.row(wrong)
    assert table.wrong == 1
    rest = terminal.getvalue().split("default running.c\n")[1]
    assert rest.startswith("\033[4F\033[J[2/3] wrong    false")


def test_a_pipe_gets_a_line_a_task_and_may_be_closed() -> None:
    pipe = io.StringIO()
    lines = progress_on(pipe, 2)
    lines.row(replace(ROW, verdict=Verdict.UNKNOWN, status=Status.UNKNOWN, reason="time limit"))
    lines.idle(["default running.c"])
    assert pipe.getvalue() == (
        "[1/2] unknown  unknown           1.25 s CPU     1.50 s    100 MiB"
        "  default  c/a.c unreach-call ILP32: time limit\n"
    )
    nobody = progress_on(Closed(), 1)
    nobody.row(replace(ROW, status=Status.WRONG))
    nobody.summary()
    assert nobody.wrong == 1


def test_what_tools_say_commands_no_terminal() -> None:
    pipe = io.StringIO()
    progress_on(pipe, 1).row(replace(ROW, reason="\033[2Jgone\nand \udcff"))
    assert pipe.getvalue().endswith(": ?[2Jgone?and ?\n")


def test_an_interrupted_run_ends_its_tasks(tmp_path: Path) -> None:
    folder = programs(tmp_path / "tasks", 3)
    tool = f"sh -c 'echo $$ > {tmp_path}/pid; sleep 60'"
    argv = [*SEA_PY, "bench", folder, "-o", tmp_path / "r.jsonl", "--tool", tool]
    quiet = subprocess.DEVNULL
    with subprocess.Popen([*map(str, argv)], stdout=quiet, preexec_fn=interruptible) as running:
        note = tmp_path / "pid"
        while not (note.exists() and note.read_text().endswith("\n")):
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == 130
    deadline = Deadline.after(10)
    while Path(f"/proc/{int(note.read_text())}").exists() and deadline.remaining:
        time.sleep(0.01)
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def test_waiting_for_children_may_end_before_them() -> None:
    with child.Command(["sleep", "60"], Deadline.after(60), None) as asleep:
        assert child.wait_any([asleep], 0.05) == []
        os.kill(asleep.pid, signal.SIGKILL)
        assert child.wait_any([asleep], 20) == [asleep]
