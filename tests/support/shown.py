"""Commands as documents show them: run in a folder with nothing but the examples.

A block of the language `console` has a command in its first line, behind `$ `; the lines below are
what it prints.  There `...` stands for anything: alone in a line for lines or none, else within the
line.  A command without lines below shows nothing of what it prints.  A block behind the comment
`<!-- long -->` is run with `--full` only.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from command import ROOT, Done, sea_py

from seahorn_py.cli.commands.commands import EXIT_CODES

_CONSOLE = re.compile(r"(<!-- long -->\n)?```console\n(.*?)```", re.DOTALL)
_LAST_LINES = {"unsat": 0, "confirmed": 0, "sat": 1, "rejected": 1, "unknown": 3}


@dataclass(frozen=True)
class Shown:
    """A command of a document, as words, and the lines that it is shown to print."""

    document: str
    command: str
    lines: tuple[str, ...] = ()
    is_long: bool = False

    def __str__(self) -> str:
        return f"{self.document}: {self.command}"

    def matches(self, output: str) -> bool:
        """Whether the output is what is shown; anything is if no line is."""
        if not self.lines:
            return True
        parts = ("(?:.*\n)?" if x == "..." else _pattern(x) + "\n" for x in self.lines)
        return re.fullmatch("".join(parts), output, re.DOTALL) is not None


def _pattern(line: str) -> str:
    return r"[^\n]*".join(map(re.escape, line.split("...")))


def commands_of(document: Path) -> list[Shown]:
    """The commands of a Markdown file, in their order."""
    found = []
    for long, block in _CONSOLE.findall(document.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.splitlines()
            found.append(Shown(document.name, command, tuple(lines), bool(long)))
    return found


@dataclass(frozen=True)
class Results:
    """What commands did that were run before, in one folder."""

    folder: Path
    done: dict[str, Done] = field(default_factory=dict)

    def of(self, command: str) -> Done:
        """How the command ends, with what it wrote."""
        if command not in self.done:
            script, *arguments = command.split()
            assert script == "scripts/sea-py"
            assert (ROOT / script).is_file()
            self.done[command] = sea_py(*arguments, cwd=self.folder)
        return self.done[command]


def results_in(folder: Path) -> Results:
    """Results of commands that are run in this empty folder."""
    (folder / "c_examples").symlink_to(ROOT / "c_examples")
    return Results(folder)


def ends_well(done: Done) -> bool:
    """Whether the exit code is that of the verdict in JSON, else 0 or that of the last line."""
    if done.stdout.startswith("{"):
        return done.returncode == EXIT_CODES[json.loads(done.stdout)["verdict"]]
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    return done.returncode in (0, _LAST_LINES.get(last))
