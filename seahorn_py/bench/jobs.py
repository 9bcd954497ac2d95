"""A job is one configuration on one task; its result is a row.

`begin` starts a job in a child, and `finish` makes the row when the child has ended.  `run` does
both; the workers of a cluster call it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import shutil
import signal
import stat
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from seahorn_py.base.errors import SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.bench.answers import Answer, answer_of
from seahorn_py.bench.rows import Ended, Input, Limits, Machine, Row, Status
from seahorn_py.bench.scoring import judge
from seahorn_py.bench.tasks.task import Task
from seahorn_py.bench.tools import WITNESS_ENDINGS, Configuration, Order, Tool
from seahorn_py.bench.watch import Measured, start_watching
from seahorn_py.cli.commands.commands import EXIT_INTERNAL
from seahorn_py.processes.child import Child, ChildError, result, wait_any
from seahorn_py.processes.deadline import Deadline

PAGE_ENDING = ".page"
_LONGEST_NAME = 120
_LEAVING_S = 5.0
"""Seconds that a stopped job has to end its processes."""
_UNUSUAL = pattern(r"[^A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Kept:
    """Where logs, witnesses and pages go: a folder beside the result file."""

    folder: Path
    witnesses: bool = False
    pages: bool = False

    def stem(self, job: Job) -> Path:
        """The path of all that is kept of a job, without ending."""
        name = _UNUSUAL.sub("_", job.task.id)[-_LONGEST_NAME:].strip("_")
        mark = hashlib.sha256(job.task.id.encode(errors="surrogatepass")).hexdigest()[:8]
        return self.folder / job.configuration.name / f"{name}-{mark}"

    def prepare(self, configurations: Iterable[Configuration]) -> None:
        """Make the folders; SeaError if that is not possible."""
        try:
            for configuration in configurations:
                (self.folder / configuration.name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = error.strerror
            raise SeaError(f"{self.folder}: cannot keep logs and witnesses: {why}") from None

    def named(self, file: Path) -> str:
        """A kept file as rows name it."""
        return file.relative_to(self.folder.parent).as_posix()


@dataclass(frozen=True, slots=True)
class Job:
    """All that is needed to run a task, here or elsewhere; None for `kept` keeps nothing."""

    task: Task
    configuration: Configuration
    tool: Tool
    limits: Limits
    kept: Kept | None

    @property
    def key(self) -> tuple[str, str]:
        """What it is known by in a result file."""
        return self.configuration.name, self.task.id


@dataclass(frozen=True, slots=True)
class Running:
    """A job whose child runs."""

    job: Job
    child: Child
    inputs: tuple[Input, ...]
    started: str


def run(job: Job) -> Row:
    """Run a job to its end."""
    running = begin(job)
    return running if isinstance(running, Row) else finish(running)


def begin(job: Job) -> Running | Row:
    """Start a job; the row at once where it cannot be started."""
    started = _now()
    inputs, missing = _read_inputs(job.task)
    if missing:
        return _row(job, inputs, started, Measured(Ended.ERROR, problem=missing))
    log = None if job.kept is None else _with_ending(job.kept.stem(job), ".log")
    try:
        order = Order(job.task, job.configuration, job.limits, _witness(job), _page(job))
        child = start_watching(job.tool.command(order), job.limits, log)
    except OSError as error:
        problem = f"cannot start: {error.strerror}"
        return _row(job, inputs, started, Measured(Ended.ERROR, problem=problem))
    return Running(job, child, inputs, started)


def finish(running: Running) -> Row:
    """The row of a job, when its child has ended."""
    with running.child:
        try:
            measured = Measured.from_json(result(running.child))
        except (ChildError, OSError, ValueError) as error:
            measured = Measured(Ended.ERROR, problem=f"the run could not be watched: {error}")
    return _row(running.job, running.inputs, running.started, measured)


def stop(running: Iterable[Running]) -> None:
    """End jobs before their time, with all of their processes and temporary files."""
    children = [one.child for one in running]
    for child in children:
        if child.running:
            os.kill(child.pid, signal.SIGTERM)
    until, waiting = Deadline.after(_LEAVING_S), children
    while waiting and until.remaining:
        ended = wait_any(waiting, until.remaining)
        waiting = [child for child in waiting if child not in ended]
    for child in children:
        child.kill()


def not_run(job: Job, problem: str) -> Row:
    """The row of a job that could not be run, and why."""
    inputs, _ = _read_inputs(job.task)
    return _row(job, inputs, _now(), Measured(Ended.ERROR, problem=problem))


def changed(row: Row, task: Task) -> str:
    """What has changed in a task since its row was made; "" if nothing has."""
    if (row.expected, row.expected_subproperty) != (task.expected, task.subproperty):
        return "the expected verdict"
    inputs, _ = _read_inputs(task)
    new = [entry.path for entry in inputs if entry not in row.inputs]
    known = all(entry.sha256 for entry in row.inputs)
    return new[0] if new and known else ""


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _witness(job: Job) -> Path | None:
    """Where the witnesses go; those of an earlier, unfinished run are removed."""
    if job.kept is None or not job.kept.witnesses:
        return None
    stem = job.kept.stem(job)
    for ending in WITNESS_ENDINGS:
        _with_ending(stem, ending).unlink(missing_ok=True)
    return stem


def _page(job: Job) -> Path | None:
    """Where the page goes; that of an earlier, unfinished run is removed."""
    if job.kept is None or not job.kept.pages:
        return None
    folder = _with_ending(job.kept.stem(job), PAGE_ENDING)
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _with_ending(stem: Path, ending: str) -> Path:
    return stem.with_name(stem.name + ending)


def _read_inputs(task: Task) -> tuple[tuple[Input, ...], str]:
    """The hashes of the inputs, and what is missing, if anything."""
    inputs: list[Input] = []
    missing = ""
    for file, path in zip(task.files, task.paths, strict=True):
        digest, problem = _hash(path)
        missing = missing or problem
        inputs.append(Input(file, digest))
    if task.property_file is not None and not task.property_file.is_file():
        missing = missing or f"{task.property_file}: no such property file"
    return tuple(inputs), missing


def _hash(path: Path) -> tuple[str, str]:
    """The SHA-256 of a file, or why there is none."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "", f"{path}: not a file"
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest(), ""
    except OSError as error:
        return "", f"{path}: cannot read: {error.strerror}"
    except ValueError as error:
        return "", f"{path}: no name of a file: {error}"


def _row(job: Job, inputs: tuple[Input, ...], started: str, measured: Measured) -> Row:
    answer = answer_of(measured, job.task.is_horn, job.tool.codes)
    status, score = _judged(job.task, measured, answer)
    return Row(
        task=job.task.id,
        category=job.task.category,
        property=job.task.property_name,
        data_model=job.task.data_model,
        inputs=inputs,
        expected=job.task.expected,
        expected_subproperty=job.task.subproperty,
        configuration=job.configuration.name,
        arguments=job.configuration.arguments,
        tool=job.tool.name,
        limits=job.limits,
        machine=this_machine(),
        verdict=answer.verdict,
        subproperty=answer.subproperty,
        status=status,
        score=score,
        stage=answer.stage,
        reason=_reason(answer, measured),
        ended=_ended(job, measured),
        exit_code=measured.exit_code,
        cpu_s=measured.cpu_s,
        wall_s=measured.wall_s,
        memory_mib=measured.memory_mib,
        started=started,
        log=_log(job, measured),
        witnesses=_witnesses(job),
    )


def _judged(task: Task, measured: Measured, answer: Answer) -> tuple[Status, int]:
    """What the answer is worth, in points of SV-COMP."""
    if measured.ended is Ended.ERROR:
        return Status.UNKNOWN, 0
    return judge(answer.verdict, task.expected, answer.subproperty, task.subproperty)


def _ended(job: Job, measured: Measured) -> Ended:
    """How the run ended; one of ours tells by its code that an error of its own ended it."""
    is_bug = job.tool.codes is not None and measured.exit_code == EXIT_INTERNAL
    return Ended.INTERNAL if is_bug and measured.ended is Ended.EXIT else measured.ended


def _reason(answer: Answer, measured: Measured) -> str:
    """Why there is no answer; else why there is no log."""
    return answer.reason or measured.problem


def _log(job: Job, measured: Measured) -> str:
    if job.kept is None or not measured.logged:
        return ""
    return job.kept.named(_with_ending(job.kept.stem(job), ".log"))


def _witnesses(job: Job) -> tuple[str, ...]:
    """The witnesses and the page that were written."""
    if job.kept is None:
        return ()
    stem = job.kept.stem(job)
    files = [_with_ending(stem, ending) for ending in WITNESS_ENDINGS if job.kept.witnesses]
    files += [_with_ending(stem, PAGE_ENDING) / "index.html"] if job.kept.pages else []
    return tuple(job.kept.named(file) for file in files if file.is_file())


@functools.cache
def this_machine() -> Machine:
    """The machine that this process runs on."""
    memory_kib = int((_proc_value("/proc/meminfo", "MemTotal") or "0").split()[0])
    return Machine(
        host=platform.node(),
        system=f"{platform.system()} {platform.release()}",
        cpu=_proc_value("/proc/cpuinfo", "model name") or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        memory_mib=memory_kib // 1024,
    )


def _proc_value(file: str, name: str) -> str:
    """The first value of that name in a file of `/proc` with a name and a value a line."""
    for line in Path(file).read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return ""
