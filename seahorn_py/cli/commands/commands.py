"""What all commands share: how they are found, how they are bounded, how errors end them.

A command lives in the room of what it does and is imported when it is asked for, so that
`sea-py --version` starts at once.  It works in a process of its own (`supervision`): what it prints
is collected there and printed here, when it is whole.
"""

from __future__ import annotations

import functools
import importlib
import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from seahorn_py.base.errors import SeaError, Stage
from seahorn_py.base.records import dataclass
from seahorn_py.cli.options.click_types import is_terminal
from seahorn_py.cli.options.help_groups import Grouped
from seahorn_py.cli.options.input_options import Command
from seahorn_py.cli.whole_files import write_whole
from seahorn_py.processes.internal_errors import InternalErrorReport

if TYPE_CHECKING:
    from seahorn_py.processes.journal import Journal
    from seahorn_py.processes.supervision import Crashed, Ended, Ending, Worker
    from seahorn_py.result import VerificationResult

EXIT_USAGE = 2
EXIT_INTERNAL = 4
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143
EXIT_CODES = {"safe": 0, "unsafe": 1, "unknown": 3}


def exit_code(result: VerificationResult) -> int:
    """The exit code of a command that has this answer."""
    return code_beside(EXIT_CODES[result.answer.value], result.internal_errors)


def code_beside(code: int, bugs: Sequence[InternalErrorReport]) -> int:
    """The exit code, or that of an internal error where one may have cost the answer."""
    return EXIT_INTERNAL if bugs and code == EXIT_CODES["unknown"] else code


def finish(code: int, bugs: Sequence[InternalErrorReport], chosen: dict[str, Any]) -> NoReturn:
    """End with the exit code; of an internal error a line names the bundle."""
    if code == EXIT_INTERNAL:
        say(f"sea-py: {bundled(bugs[0], chosen)}", err=True)
    sys.exit(code)


INPUTS = ("file", "files", "witness", "hints", "spec", "schedule", "precision")
"""Parameters of commands that name files to read."""
WRITTEN_ALWAYS = frozenset({"report", "sarif", "junit"})
"""Parameters that name what is written of any answer, an unknown one too."""
WARM_AFTER_S, WARM_SHARE = 1.0, 0.5
"""When a supervisor loads what it needs to answer by itself: seconds, or a share of the time."""
_CHUNK = 1 << 24

ELSEWHERE: dict[str, str] = {
    "bench": "seahorn_py.bench.command:bench",
    "bp": "seahorn_py.cli.commands.bp:bp",
    "chc": "seahorn_py.cli.commands.chc:chc",
    "cc": "seahorn_py.cli.cc:cc",
    "check": "seahorn_py.cli.project.check:check",
    "clp": "seahorn_py.cli.commands.clp:clp",
    "completion": "seahorn_py.cli.guide.completion:completion",
    "exe": "seahorn_py.cli.commands.executable:exe",
    "explain": "seahorn_py.cli.guide.explain:explain",
    "init": "seahorn_py.cli.project.init:init",
    "lfe-smt": "seahorn_py.cli.commands.clp:lfe_smt",
    "lsp": "seahorn_py.cli.editor.lsp:lsp",
    "rules": "seahorn_py.cli.guide.rule_pages:rules",
    "serve": "seahorn_py.cli.serving.serve:serve",
    "svcomp": "seahorn_py.cli.commands.svcomp:svcomp",
    "rip": "seahorn_py.cli.commands.rip:rip",
    "validate": "seahorn_py.cli.commands.validate:validate",
}
"""Name of a command -> "module:object" of those that are not in `cli`."""


class Commands(click.Group):
    """The commands of `sea-py`, those of other rooms among them."""

    command_class = Grouped

    def list_commands(self, context: click.Context) -> list[str]:
        """All names in alphabetical order."""
        return sorted([*super().list_commands(context), *ELSEWHERE])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name, imported if need be."""
        if name not in ELSEWHERE:
            return super().get_command(context, name)
        module, _, attribute = ELSEWHERE[name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command and its arguments, flags of compilers among them behind `--cflag`."""
        is_wrong = self.get_command(context, args[0]) is None and not args[0].startswith("-")
        if is_wrong and not context.resilient_parsing:
            from seahorn_py.properties import nearest

            near = nearest(args[0], self.list_commands(context))
            context.fail(f"no command {args[0]}{near or ';'} sea-py --help lists them")
        name, command, rest = super().resolve_command(context, args)
        names = {parameter.name for parameter in command.params} if command else set()
        if "cflags" in names:
            from seahorn_py.frontend.compiling.flags import as_options

            rest = as_options(rest)
        return name, command, rest


def refusal_line(error: SeaError) -> str:
    """What is said of wrong usage or input, with its code."""
    from seahorn_py.cli.messages.codes import with_code

    return f"sea-py: error: {with_code('E', str(error))}"


class Leaving(SystemExit):
    """The end of the command; `is_late` if there is no time to wait for what was killed."""

    def __init__(self, code: int, is_late: bool = False) -> None:
        super().__init__(code)
        self.is_late = is_late


def reports_errors(command: Command) -> Command:
    """Turn SeaError into one line and exit code 2, everything unexpected into exit code 4."""

    @functools.wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except SeaError as error:
            say(refusal_line(error), err=True)
            sys.exit(EXIT_USAGE)
        except KeyboardInterrupt:
            sys.exit(EXIT_INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit, OSError):
            raise
        except Exception as error:
            sys.exit(internal_error(error, kwargs))

    return guarded  # type: ignore[return-value]


# ---------------------------------------------------------------------------------- supervised


@dataclass(frozen=True)
class Unanswered:
    """Why a command has no answer: the stage and the reason, or a bug, or an interrupt.

    `chosen` are the parameters of the command, `journal` has what is known.
    """

    chosen: dict[str, Any]
    journal: Journal
    stage: str = ""
    reason: str = ""
    report: InternalErrorReport | None = None

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody interrupted the command."""
        return not self.reason

    def result(self) -> VerificationResult:
        """The same as the answer of a verification."""
        from seahorn_py.result import unanswered

        return unanswered(Stage(self.stage), self.reason, self.journal, self.report)


Voice = Callable[[Unanswered], str]
"""What a command prints, as its supervisor, where its worker gives no answer; "" for nothing."""


def silent(_: Unanswered) -> str:
    """The voice of a command that has no word for unknown: its line on standard error says it."""
    return ""


def in_words(why: Unanswered) -> str:
    """The voice of a command whose last line is `unknown` where there is no answer."""
    return "" if why.is_interrupted else f"unknown: {why.stage}: {why.reason}\nunknown"


def supervised(voice: Voice) -> Callable[[Command], Command]:
    """Run a command in a worker, within its `timeout` and `memory`, which it must have.

    The worker gets a little less time than there is, so that it may answer by itself.
    """

    def decorated(command: Command) -> Command:
        @functools.wraps(command)
        def guarded(**chosen: Any) -> NoReturn:
            began = click.get_current_context().obj or time.monotonic()
            _supervise(functools.partial(command), voice, chosen, began)

        return guarded  # type: ignore[return-value]

    return decorated


def _supervise(
    command: Callable[..., Any], voice: Voice, chosen: dict[str, Any], began: float
) -> NoReturn:
    from seahorn_py.processes import supervision, timeline
    from seahorn_py.processes.deadline import Deadline
    from seahorn_py.processes.journal import Journal

    if file := chosen.pop("trace_time", None):
        timeline.begin(file)
    bounds = supervision.Bounds(Deadline(began + chosen["timeout"]), chosen["memory"])
    limited = {**chosen, "timeout": supervision.earlier(max(bounds.deadline.remaining, 0.01))}
    nothing_yet = Unanswered(chosen, Journal(), Stage.FRONT_END.value, "time limit")
    with _captured() as (out, err):
        work = functools.partial(_worked, command, limited, out, err)
        with supervision.begin(work, bounds, nothing_yet.journal, alone=True) as worker:
            try:
                ending = _awaited(worker, voice, nothing_yet, began, chosen["timeout"])
            except (KeyboardInterrupt, SystemExit) as end:
                worker.kill()
                say(voice(Unanswered(chosen, nothing_yet.journal)))
                if isinstance(end, SystemExit):
                    raise
                raise SystemExit(EXIT_INTERRUPTED) from None
            code = _told(ending, voice, nothing_yet, out, err)
    raise Leaving(code, worker.is_late)


def _awaited(
    worker: Worker, voice: Voice, example: Unanswered, began: float, timeout: float
) -> Ending:
    """Wait for the worker; in time load what this process would need to answer in its place."""
    warm_at = began + min(WARM_AFTER_S, WARM_SHARE * timeout)
    is_warm = False

    def warm() -> None:
        nonlocal is_warm
        if not is_warm and time.monotonic() >= warm_at:
            is_warm = True
            kept = {k: v for k, v in example.chosen.items() if k not in WRITTEN_ALWAYS}
            voice(replace(example, chosen=kept))

    return worker.wait(warm)


def _told(ending: Ending, voice: Voice, example: Unanswered, out: int, err: int) -> int:
    """Print how the work ended; the exit code."""
    from seahorn_py.processes import supervision

    match ending:
        case supervision.Returned(code):
            _pour(err, is_err=True)
            _pour(out)
            assert isinstance(code, int)
            return code
        case supervision.Refused(error):
            say(refusal_line(error), err=True)
            return EXIT_USAGE
        case (
            supervision.Ended(settled=tuple(settled)) | supervision.Crashed(settled=tuple(settled))
        ):
            return _settled(ending, settled)
        case supervision.Ended(stage, reason):
            say(f"sea-py: {reason} in {stage}", err=True, unless=voice is not silent)
            say(voice(Unanswered(example.chosen, example.journal, stage, reason)))
            return EXIT_CODES["unknown"]
        case supervision.Crashed(stage, report):
            say(f"sea-py: {bundled(report, example.chosen)}", err=True)
            say(voice(Unanswered(example.chosen, example.journal, stage, str(report), report)))
            return EXIT_INTERNAL


def _settled(ending: Ended | Crashed, settled: tuple[Any, ...]) -> int:
    """Print the answer that stood before the work was broken off, and what is missing then."""
    from seahorn_py.processes import supervision

    text, code = settled
    why = ending.reason if isinstance(ending, supervision.Ended) else str(ending.report)
    say(f"sea-py: error: {why}: not all that was asked for is written", err=True)
    say(text)
    return int(code)


def bundled(report: InternalErrorReport, chosen: dict[str, Any]) -> str:
    """One line about a bug of ours, which names the bundle that is written for it."""
    from seahorn_py.verification import bugs

    facts = {
        "type": report.type,
        "message": report.message,
        "stage": report.stage,
        "arguments": sys.argv,
        "options": {name: ascii(value) for name, value in chosen.items()},
    }
    path = bugs.write(facts, report.traceback, _inputs(chosen))
    where = f"bug bundle: {path}" if path else "no bug bundle could be written"
    return f"{report}; stage: {report.stage}; {where}"


def _inputs(chosen: dict[str, Any]) -> Iterator[Path]:
    for name in INPUTS:
        given = chosen.get(name)
        yield from (Path(one) for one in (given if isinstance(given, tuple) else (given,)) if one)


def internal_error(error: BaseException, chosen: dict[str, Any] | None = None) -> int:
    """Say what is wrong with us in one line; the exit code."""
    try:
        say(f"sea-py: {bundled(InternalErrorReport.of(error), chosen or {})}", err=True)
    except Exception:  # no memory, no disk
        say(f"sea-py: internal error: {type(error).__name__}", err=True)
    return EXIT_INTERNAL


# ---------------------------------------------------------------------------- in the worker


def _worked(command: Callable[..., Any], chosen: dict[str, Any], out: int, err: int) -> int:
    """Run the command, print into files; its exit code."""
    sys.stdout, sys.stderr = _stream(out), _stream(err)
    code: object = 0
    try:
        command(**chosen)
    except SystemExit as end:
        code = end.code
    except click.ClickException as error:
        error.show()
        code = EXIT_USAGE
    except SeaError as error:
        say(refusal_line(error), err=True)
        code = EXIT_USAGE
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 0


def _stream(descriptor: int) -> io.TextIOWrapper:
    """What cannot be encoded is written in escapes: an answer does not fail for a file's name."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    raw = os.fdopen(descriptor, "wb", closefd=False)
    return io.TextIOWrapper(raw, encoding, "backslashreplace", write_through=True)


# -------------------------------------------------------------------------------- printing


@contextmanager
def _captured() -> Iterator[tuple[int, int]]:
    """Files for what the worker prints; what goes to a terminal goes there at once."""
    out = os.memfd_create("sea-out")
    err = os.dup(sys.stderr.fileno()) if is_terminal(sys.stderr) else os.memfd_create("sea-err")
    try:
        yield out, err
    finally:
        os.close(out)
        os.close(err)


def _pour(descriptor: int, is_err: bool = False) -> None:
    """Print what the worker has printed."""
    size = os.fstat(descriptor).st_size
    for at in range(0, size, _CHUNK):
        click.echo(os.pread(descriptor, _CHUNK, at), nl=False, err=is_err)


def say(text: str, err: bool = False, unless: bool = False) -> None:
    """Print lines, whatever characters are in them; nothing for no text."""
    if not text or unless:
        return
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace"), err=err)


def write(text: str, output: Path | None) -> None:
    """Print, or write a file."""
    if output is None:
        click.echo(text)
    else:
        write_whole(text, output)
