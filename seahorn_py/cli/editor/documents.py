"""What the server knows of each file: the answers to its questions, and what is shown of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from seahorn_py.base.records import dataclass
from seahorn_py.cli.editor.buffer import Buffer
from seahorn_py.cli.editor.shown_answers import Asked, ProvedLine, Remark, Shown

PROPERTY_OPTIONS = ("--property", "--rule")
FIND = ("--engine", "execute,bmc")
"""What looks for an input that fails, and for nothing else."""


@dataclass
class Document:
    """A file; `answers` has the last one to each question, `is_changed` since it was saved."""

    file: str
    answers: dict[str, Shown] = field(default_factory=dict)
    is_changed: bool = False

    def remarks(self) -> Iterator[Remark]:
        """What is said of places, each once."""
        yield from dict.fromkeys(
            remark for shown in self.answers.values() for remark in shown.remarks
        )

    def proved(self) -> Iterator[ProvedLine]:
        """What holds at lines; nothing while the text is another one than that of the proofs."""
        if not self.is_changed:
            proved = (one for shown in self.answers.values() for one in shown.proved)
            yield from dict.fromkeys(one for one in proved if one.at.file == self.file)


@dataclass(frozen=True)
class Settings:
    """What a user has chosen: options of `pf` for every question, whether to ask on save."""

    arguments: tuple[str, ...] = ()
    on_save: bool = True
    lenses: bool = True
    hints: bool = True

    @classmethod
    def of(cls, given: object) -> Settings:
        """The settings that an editor sends; what is no setting is left alone."""
        found = given if isinstance(given, dict) else {}
        arguments = found.get("arguments", ())
        texts = arguments if isinstance(arguments, list) else ()
        switches = (found.get(name) is not False for name in ("onSave", "lenses", "hints"))
        return cls(tuple(text for text in texts if isinstance(text, str)), *switches)


def of_whole_file(file: str, root: str, buffer: Buffer, settings: Settings) -> Asked | None:
    """The question of a file that was saved: about `main`, or about all of its functions."""
    if buffer.has_main:
        return Asked(file, root, (*settings.arguments, *_every(buffer.asserts)))
    if not buffer.has_functions:
        return None
    arguments = (*settings.arguments, *_every(buffer.asserts), "--entry", "all")
    return Asked(file, root, arguments, "all")


def of_line(
    file: str, root: str, buffer: Buffer, settings: Settings, at: tuple[int, str, bool]
) -> Asked:
    """The question of a lens: its line, its function, whether an input is looked for."""
    line, entry, finds = at
    about = [q for q in buffer.questions if q.line == line]
    is_assertion = any(question.is_assertion for question in about)
    arguments = [*settings.arguments, *_every(is_assertion)]
    if entry:
        arguments += ["--entry", entry]
    is_chosen = any(text.startswith(PROPERTY_OPTIONS) for text in settings.arguments)
    if entry and not is_assertion and not is_chosen and buffer.asserts:
        arguments += ["--property", "default"]
    if finds:
        arguments += FIND
    return Asked(file, root, tuple(arguments), entry, line)


def _every(asserts: bool) -> tuple[str, ...]:
    """Each assertion has an answer of its own."""
    return ("--all-checks",) if asserts else ()


def key(asked: Asked) -> str:
    """Two questions with the same key replace each other."""
    return asked.entry
