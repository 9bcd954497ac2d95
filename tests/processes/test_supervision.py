"""Limits hold at every stage of every command, and a bug of ours never looks like a verdict."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import planted
import pytest
from command import EXAMPLES, ROOT, Done
from diagonal import diagonal, one_in

from seahorn_py import Answer, VerifyOptions, verify
from seahorn_py.base.errors import InputError, Stage
from seahorn_py.cli.messages.codes import CODE
from seahorn_py.processes import supervision
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import VARIABLE
from seahorn_py.processes.journal import Journal, enter
from seahorn_py.processes.limits import descendants, resident_kib
from seahorn_py.verification import pipeline
from seahorn_py.verification.encodings.side_by_side import Race

SAFE, UNSAFE = EXAMPLES / "counter_safe.c", EXAMPLES / "counter_unsafe.c"
WITNESS = EXAMPLES / "witnesses" / "counter_unsafe.yml"
RIP = sorted((ROOT / "rip_examples").glob("*.rip"))[0]
HORN = "(set-logic HORN)\n(declare-fun p (Int) Bool)\n(assert (p 0))\n(check-sat)\n"
BOOLEAN = "decl x;\nmain() begin x := F; assert(!x); end\n"

STAGES = {
    "reading": ("seahorn_py.frontend.reading.reader:read", "front end", ["pf", SAFE]),
    "compiling": (
        "seahorn_py.frontend.compiling.compiler:compile_files",
        "front end",
        ["pf", SAFE],
    ),
    "passes": ("seahorn_py.verification.pipeline:prepare", "front end", ["pf", SAFE]),
    "bpf": ("seahorn_py.verification.pipeline:prepare", "front end", ["bpf", SAFE]),
    "svcomp": ("seahorn_py.verification.pipeline:prepare", "front end", ["svcomp", SAFE]),
    "exe": ("seahorn_py.verification.pipeline:prepare", "front end", ["exe", "-o", "prog", SAFE]),
    "Horn reading": ("seahorn_py.verification.chc:read_questions", "front end", ["chc", "a.smt2"]),
    "Horn solving": ("seahorn_py.verification.chc:solve", "solve", ["chc", "a.smt2"]),
    "witness": (
        "seahorn_py.cli.commands.validate:read_witness",
        "front end",
        ["validate", WITNESS, UNSAFE],
    ),
    "hints": (
        "seahorn_py.witness.reading:read_invariants",
        "front end",
        ["pf", "--invariants", WITNESS, SAFE],
    ),
    "rip": ("seahorn_py.rip.parsing:read_file", "front end", ["rip", RIP]),
    "bp": ("seahorn_py.engines.boolean.bebop:read_program", "front end", ["bp", "a.bp"]),
    "printing": ("seahorn_py.verification.export:print_horn", "encode", ["smt", SAFE]),
    "clp": ("seahorn_py.verification.export:encode", "encode", ["clp", SAFE]),
    "lfe-smt": ("seahorn_py.verification.export:check", "front end", ["lfe-smt", SAFE]),
    "inspect": (
        "seahorn_py.verification.views.inspection:points_to",
        "front end",
        ["inspect", "--regions", SAFE],
    ),
}
SILENT = {"printing", "clp", "lfe-smt", "inspect"}


def run(place: str, what: str, *arguments: str | Path, cwd: Path) -> Done:
    (cwd / "a.smt2").write_text(HORN)
    (cwd / "a.bp").write_text(BOOLEAN)
    scratch = cwd / "scratch"
    scratch.mkdir(exist_ok=True)
    others = {name: value for name, value in os.environ.items() if name != VARIABLE}
    done = subprocess.run(
        [sys.executable, planted.__file__, place, what, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**others, "TMPDIR": str(scratch)},
        timeout=100,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert list(scratch.iterdir()) == []
    return Done(done.returncode, done.stdout, done.stderr)


def assert_said(name: str, stage: str, reason: str, done: Done) -> None:
    """In the last lines of those that have a word for it, on standard error by the others."""
    assert done.returncode == 3, done
    if name in SILENT:
        assert done.stdout == ""
        assert done.stderr == f"sea-py: {reason} in {stage}\n"
    else:
        said, last = done.stdout.splitlines()[-2:]
        plain = CODE.sub("", said.removeprefix("unknown: "))
        assert last == "unknown" and plain == f"{stage}: {reason}"


# ------------------------------------------------------------------------------ the commands


@pytest.mark.full
@pytest.mark.parametrize("name", one_in(6, STAGES))
def test_the_time_limit_holds_in_a_loop(name: str, tmp_path: Path) -> None:
    place, stage, (command, *arguments) = STAGES[name]
    done = run(place, "loops", command, "--timeout", "2.5", *arguments, cwd=tmp_path)
    spent = time.monotonic() - float((tmp_path / "began").read_text())
    assert spent < 4 + 2  # on a busy machine
    if name != "compiling":
        assert_said(name, stage, "time limit", done)
    assert done.returncode == 3


@pytest.mark.parametrize(
    "name", one_in(3, ["reading", "Horn reading", "rip", "witness", "printing"])
)
def test_the_time_limit_holds_in_c(name: str, tmp_path: Path) -> None:
    place, stage, (command, *arguments) = STAGES[name]
    done = run(place, "sleeps", command, "--timeout", "2.5", *arguments, cwd=tmp_path)
    assert_said(name, stage, "time limit", done)


@pytest.mark.parametrize("what", ["allocates", "wants_too_much"])
@pytest.mark.parametrize("name", ["passes", "Horn reading", "rip", "bp", "printing"])
def test_the_memory_limit_holds(what: str, name: str, tmp_path: Path) -> None:
    place, stage, (command, *arguments) = STAGES[name]
    bounds = ("--memory", "400", "--timeout", "60")
    done = run(place, what, command, *bounds, *arguments, cwd=tmp_path)
    assert_said(name, stage, "memory limit (400 MiB)", done)


def test_a_compiler_that_takes_too_much_is_no_wrong_input(tmp_path: Path) -> None:
    place, _, (command, *arguments) = STAGES["compiling"]
    done = run(place, "allocates", command, "--memory", "400", *arguments, cwd=tmp_path)
    assert done.returncode == 3 and "memory" in done.stdout.lower()


def test_json_says_it_too(tmp_path: Path) -> None:
    bounds = ("--json", "--timeout", "2")
    done = run(
        "seahorn_py.verification.pipeline:prepare", "loops", "pf", *bounds, SAFE, cwd=tmp_path
    )
    found = json.loads(done.stdout)
    assert (found["verdict"], found["stage"], found["reason"]) == (
        "unknown",
        "front end",
        "time limit",
    )


@pytest.mark.full
def test_an_answer_outlives_what_is_late_after_it(tmp_path: Path) -> None:
    arguments = ("--timeout", "12", "--witness", "w.yml", UNSAFE)
    done = run(
        "seahorn_py.cli.answers.written_witnesses:_violation",
        "sleeps",
        "pf",
        *arguments,
        cwd=tmp_path,
    )
    assert done.stdout.splitlines()[-1] == "sat" and done.returncode == 1
    assert done.stderr == "sea-py: error: time limit: not all that was asked for is written\n"


# ---------------------------------------------------------------------------- internal errors


@pytest.mark.parametrize(
    ("what", "name"),
    diagonal(
        [(what,) for what in ("raises", "recurses", "crashes", "interrupts", "lacks")],
        [("passes",), ("Horn reading",), ("bp",), ("printing",)],
    ),
)
def test_a_bug_is_no_verdict(what: str, name: str, tmp_path: Path) -> None:
    place, stage, (command, *arguments) = STAGES[name]
    done = run(place, what, command, *arguments, cwd=tmp_path)
    assert done.returncode == 4
    assert len(done.stderr.splitlines()) == 1
    assert (
        done.stderr.startswith("sea-py: internal error in ") and f"stage: {stage};" in done.stderr
    )
    assert name in SILENT or done.stdout.splitlines()[-1] == "unknown"


def test_a_bug_leaves_a_bundle(tmp_path: Path) -> None:
    large = tmp_path / "large.c"
    large.write_text(SAFE.read_text() + f"/* {'x' * (1 << 20)} */\n")
    for file in (SAFE, large):
        arguments = ("--json", "--timeout", "50", file)
        done = run(
            "seahorn_py.verification.pipeline:prepare", "raises", "pf", *arguments, cwd=tmp_path
        )
        crash = json.loads(done.stdout)["internal_errors"][0]
        assert (crash["type"], crash["message"]) == ("ValueError", "planted")
        assert "in raises" in crash["traceback"]
        path = Path(done.stderr.partition("bug bundle: ")[2].strip())
        assert path.parent == tmp_path
        with zipfile.ZipFile(path) as bundle:
            facts = json.loads(bundle.read("bug.json"))
            assert facts["stage"] == "front end" and "50" in facts["arguments"]
            assert "ValueError: planted" in bundle.read("traceback.txt").decode()
            (said,) = facts["inputs"]
            assert said["size"] == file.stat().st_size and len(said["sha256"]) == 64
            assert ("as" in said) == (file is SAFE)
            if file is SAFE:
                assert bundle.read(said["as"]) == SAFE.read_bytes()
    assert len(list(tmp_path.glob("sea-py-bug-*.zip"))) == 2


@pytest.mark.parametrize(
    ("place", "arguments", "what"),
    diagonal(
        [
            ("seahorn_py.cli.main:adopt_orphans", ("--version",)),
            ("seahorn_py.processes.supervision:begin", ("pf", SAFE)),
            ("seahorn_py.cli.commands.commands:_told", ("pf", SAFE)),
            ("seahorn_py.cli.guide.doctor:examine", ("doctor",)),
            ("seahorn_py.bench.command:read_tasks", ("bench", SAFE)),
        ],
        [("raises",), ("recurses",), ("lacks",), ("has_no_memory",)],
    ),
)
def test_a_bug_of_the_command_itself_is_no_verdict(
    what: str, place: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    done = run(place, what, *arguments, cwd=tmp_path)
    assert done.returncode == 4, done
    assert "internal error" in done.stderr


def test_who_reads_no_answer_gets_no_verdict() -> None:
    argv = [sys.executable, "-m", "seahorn_py.cli"]
    for arguments in (["--help"], ["pf", str(UNSAFE)]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([*argv, *arguments], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        assert (done.returncode, done.stderr) == (141, b"")
    with open("/dev/full", "w") as full:
        done = subprocess.run([*argv, "--help"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"cannot print" in done.stderr


def test_closed_streams_cost_no_answer() -> None:
    argv = f"{sys.executable} -m seahorn_py.cli pf"
    done = subprocess.run(["sh", "-c", f"exec {argv} {UNSAFE} <&- >&- 2>&-"], check=False)
    assert done.returncode == 1


def test_what_cannot_be_encoded_is_written_in_escapes(tmp_path: Path) -> None:
    done = run("seahorn_py.verification.export:print_horn", "surrogate", "smt", SAFE, cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "\\udcff")


# ------------------------------------------------------------------------------------- the API


def answered_within(seconds: float, options: VerifyOptions, **others: object) -> Answer:
    begin = time.monotonic()
    result = verify(SAFE, options, **others)  # type: ignore[arg-type]
    assert time.monotonic() - begin < seconds
    assert result.reason == "time limit" and result.stage is Stage.FRONT_END
    return result.answer


@pytest.mark.parametrize("what", [planted.loops, planted.sleeps])
def test_a_caller_gets_an_answer_in_time(
    what: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "prepare", what)
    assert answered_within(6, VerifyOptions(timeout=2)) is Answer.UNKNOWN
    assert not [pid for pid in descendants(os.getpid()) if resident_kib(pid)]


def test_a_caller_with_threads_gets_the_same() -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    phases: list[str] = []

    class Listener:
        def phase(self, name: str) -> None:
            phases.append(name)

    try:
        assert verify(SAFE, VerifyOptions(timeout=60), Listener()).answer is Answer.SAFE
        with pytest.raises(InputError, match=r"nowhere\.c"):
            verify("nowhere.c")
    finally:
        end.set()
        thread.join()
    assert phases[:2] == ["front end", "solve"]


def test_progress_is_told_to_the_caller() -> None:
    phases: list[str] = []

    class Listener:
        def phase(self, name: str) -> None:
            phases.append(name)

    verify(SAFE, progress=Listener())
    assert phases[0] == "front end" and "solve" in phases


@pytest.mark.plants_internal_errors
def test_a_bug_is_told_to_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Race, "run", planted.raises)
    result = verify(SAFE)
    assert result.answer is Answer.UNKNOWN and result.stage is Stage.SOLVE
    assert [error.type for error in result.internal_errors] == ["ValueError"]


def supervised(work: Callable[[], object], memory_mib: int = 4096) -> supervision.Ending:
    bounds = supervision.Bounds(Deadline.after(20), memory_mib)
    with supervision.begin(work, bounds, Journal()) as worker:
        return worker.wait()


def test_what_a_worker_started_ends_with_it() -> None:
    def leaves() -> int:
        enter(Stage.ENCODE.value)
        return subprocess.Popen(["sleep", "77.5"], start_new_session=True).pid

    ending = supervised(leaves)
    assert isinstance(ending, supervision.Returned) and isinstance(ending.value, int)
    until = time.monotonic() + 5
    while resident_kib(ending.value) and time.monotonic() < until:
        time.sleep(0.01)
    assert not resident_kib(ending.value)


def test_a_limit_on_address_space_is_for_all_below_and_for_good() -> None:
    def looks() -> object:
        code = "import resource; print(resource.getrlimit(resource.RLIMIT_AS))"
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        return told.stdout.strip()

    _, before = resource.getrlimit(resource.RLIMIT_AS)
    limit = (1000 + supervision.HEADROOM_MIB) << 20
    assert before == resource.RLIM_INFINITY or before > limit
    assert supervised(looks, 1000) == supervision.Returned(f"({limit}, {limit})")


def test_other_processes_of_the_worker_count() -> None:
    def shares_it_out() -> None:
        code = "x = b'x' * (250 << 20); import time; time.sleep(60)"
        for _ in range(2):
            subprocess.Popen([sys.executable, "-c", code])
        time.sleep(60)

    ending = supervised(partial(shares_it_out), 400)
    assert ending == supervision.Ended("front end", "memory limit (400 MiB)")
