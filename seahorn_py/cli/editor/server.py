"""The server of an editor: what it is asked, and what it tells.

Protocol: "Language Server Protocol Specification", version 3.17.  Each question is answered in a
process of its own (`asking`), with the limits of `pf`; a change of the text ends it at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from seahorn_py.base.patterns import pattern
from seahorn_py.base.version import VERSION
from seahorn_py.cli.editor import documents
from seahorn_py.cli.editor.asking import Desk
from seahorn_py.cli.editor.buffer import Buffer, looked_at
from seahorn_py.cli.editor.documents import Document, Settings
from seahorn_py.cli.editor.shown_answers import Asked, Level, Remark, Shown, Spot

PROVE, FIND_INPUT, RUN = "sea-py.prove", "sea-py.findInput", "sea-py.run"
CANCELLED = "cancelled"
MOST_HINT = 120
"""Characters of what always holds behind a line; all of it is shown on hovering."""
C_FILES = (".c", ".i")
_LINE_END = pattern(r"\r\n|\n|\r")
_SEVERITIES = {
    Level.ERROR: types.DiagnosticSeverity.Error,
    Level.INFORMATION: types.DiagnosticSeverity.Information,
}


class Editor(LanguageServer):
    """A server with what it knows of the files that are open."""

    def __init__(self) -> None:
        super().__init__("sea-py", VERSION)
        self._desk = Desk()
        self._settings = Settings()
        self._documents: dict[str, Document] = {}
        self._tasks: dict[str, asyncio.Task[Shown]] = {}
        self._published: dict[str, set[str]] = {}
        self._number = 0
        for name, handler in (
            (types.INITIALIZE, self.initialized),
            (types.WORKSPACE_DID_CHANGE_CONFIGURATION, self.configured),
            (types.TEXT_DOCUMENT_DID_OPEN, self.opened),
            (types.TEXT_DOCUMENT_DID_CHANGE, self.changed),
            (types.TEXT_DOCUMENT_DID_SAVE, self.saved),
            (types.TEXT_DOCUMENT_DID_CLOSE, self.closed),
            (types.TEXT_DOCUMENT_CODE_LENS, self.lenses),
            (types.TEXT_DOCUMENT_HOVER, self.hover),
            (types.TEXT_DOCUMENT_INLAY_HINT, self.hints),
            (types.WINDOW_WORK_DONE_PROGRESS_CANCEL, self.stopped),
            (types.SHUTDOWN, self.ended),
        ):
            self.feature(name)(partial(handler))  # which it may remark as its own
        for name, command in ((PROVE, self.prove), (FIND_INPUT, self.find), (RUN, self.run)):
            self.command(name)(partial(command))

    # --------------------------------------------------------------------- what is told to us

    def initialized(self, params: types.InitializeParams) -> None:
        """Take the settings that come with the first message."""
        self._settings = Settings.of(params.initialization_options)

    def configured(self, params: types.DidChangeConfigurationParams) -> None:
        """Take other settings."""
        given = params.settings
        self._settings = Settings.of(given.get("sea-py") if isinstance(given, dict) else None)

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """Know a file; nothing is asked until it is saved."""
        self._document(params.text_document.uri)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """End what is asked about the text that was there."""
        self._cancel(params.text_document.uri)
        document = self._document(params.text_document.uri)
        if not document.is_changed:
            document.is_changed = True
            self._refresh()

    async def saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """Ask about the file, if that is wanted."""
        uri = params.text_document.uri
        document = self._document(uri)
        if not document.file.endswith(C_FILES):
            return
        self._cancel(uri)
        document.is_changed = False
        document.answers.clear()
        asked = documents.of_whole_file(
            document.file, self._root(uri), self._buffer(uri), self._settings
        )
        if asked is None or not self._settings.on_save:
            self._publish(uri)
            return
        await self._answer(uri, asked)

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a file, and what was said of it."""
        uri = params.text_document.uri
        self._cancel(uri)
        self._documents.pop(uri, None)
        self._publish(uri)

    def stopped(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The user has no more patience."""
        for uri in [uri for uri in self._tasks if str(params.token).startswith(f"{uri}#")]:
            self._cancel(uri)

    def ended(self, _: object) -> None:
        """End all work."""
        for uri in [*self._tasks]:
            self._cancel(uri)

    # ------------------------------------------------------------------------- what we tell

    def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """`prove` and `find input` at functions and assertions."""
        uri = params.text_document.uri
        if not self._settings.lenses or not self._document(uri).file.endswith(C_FILES):
            return []
        found = []
        for question in self._buffer(uri).questions:
            for title, command in (("prove", PROVE), ("find input", FIND_INPUT)):
                given: list[Any] = [uri, question.line, question.entry]
                call = types.Command(title=title, command=command, arguments=given)
                found.append(types.CodeLens(range=_line(question.line), command=call))
        return found

    def hover(self, params: types.HoverParams) -> types.Hover | None:
        """What the last proof says of a line."""
        document = self._document(params.text_document.uri)
        line = params.position.line + 1
        told = [one.text for one in document.proved() if one.at.line == line]
        if not told:
            return None
        text = "\n".join(["proved by sea-py, each time a run comes here:", *told])
        content = types.MarkupContent(kind=types.MarkupKind.PlainText, value=text)
        return types.Hover(contents=content, range=_line(line))

    def hints(self, params: types.InlayHintParams) -> list[types.InlayHint]:
        """What always holds, behind the text of its line."""
        uri = params.text_document.uri
        if not self._settings.hints:
            return []
        lines = self._lines(uri)
        told: dict[int, list[str]] = {}
        for one in self._document(uri).proved():
            row = one.at.line - 1
            if params.range.start.line <= row <= params.range.end.line and row < len(lines):
                told.setdefault(row, []).append(one.text)
        units = self.workspace.position_codec.client_num_units
        ends = {row: units(lines[row]) for row in told}
        return [_hint(types.Position(row, ends[row]), texts) for row, texts in told.items()]

    async def prove(self, uri: str, line: int, entry: str) -> Any:
        """Ask about a function or an assertion; the answer, its sentence and its run."""
        return await self._at_line(uri, (line, entry, False))

    async def find(self, uri: str, line: int, entry: str) -> Any:
        """Look for an input that fails."""
        return await self._at_line(uri, (line, entry, True))

    def run(self, uri: str, line: int) -> list[Any]:
        """The run behind what is said of a line, as locations with what happens there."""
        for remark in self._document(uri).remarks():
            if remark.at.line == line and remark.run:
                return self._steps(remark)
        return []

    # ------------------------------------------------------------------------------ questions

    async def _at_line(self, uri: str, at: tuple[int, str, bool]) -> dict[str, Any]:
        document, why = self._document(uri), ""
        if document.is_changed:
            why = "save the file first: what is proved is the file"
        elif not document.file.endswith(C_FILES):
            why = "this is no file of C"
        if why:
            self._say(why, is_error=False)
            return {"answer": CANCELLED, "headline": "", "run": []}
        self._cancel(uri)
        asked = documents.of_line(
            document.file, self._root(uri), self._buffer(uri), self._settings, at
        )
        shown = await self._answer(uri, asked)
        remarks = sorted(
            shown.remarks, key=lambda remark: (remark.at.line != at[0], not remark.run)
        )
        if shown.answer != CANCELLED:
            self._say(shown.headline, is_error=shown.answer == "refused")
        run = self._steps(remarks[0]) if remarks else []
        return {"answer": shown.answer, "headline": shown.headline, "run": run}

    async def _answer(self, uri: str, asked: Asked) -> Shown:
        """Ask, and show what comes of it unless it is cancelled."""
        task = asyncio.ensure_future(self._asked(uri, asked))
        self._tasks[uri] = task
        try:
            shown = await task
        except asyncio.CancelledError:
            return Shown(CANCELLED, "")
        finally:
            task.cancel()  # whoever waits for the answer may have been cancelled
            if self._tasks.get(uri) is task:
                del self._tasks[uri]
        self._document(uri).answers[documents.key(asked)] = shown
        self._publish(uri)
        self._refresh()
        return shown

    async def _asked(self, uri: str, asked: Asked) -> Shown:
        """The answer, with progress in editors that show it."""
        window = self.client_capabilities.window
        if window is None or not window.work_done_progress:
            return await self._desk.answer(asked, lambda _: None)
        self._number += 1
        token = f"{uri}#{self._number}"
        progress = self.work_done_progress
        await asyncio.shield(progress.create_async(token))  # the editor answers all the same
        about = asked.entry if asked.entry not in ("", "all") else Path(asked.file).name
        title = f"sea-py: {about}"
        progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))

        def tick(seconds: float) -> None:
            message = f"{seconds:.0f} s"
            progress.report(token, types.WorkDoneProgressReport(message=message))

        try:
            return await self._desk.answer(asked, tick)
        finally:
            progress.end(token, types.WorkDoneProgressEnd())

    def _cancel(self, uri: str) -> None:
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()

    # --------------------------------------------------------------------------------- shows

    def _document(self, uri: str) -> Document:
        return self._documents.setdefault(uri, Document(to_fs_path(uri) or ""))

    def _buffer(self, uri: str) -> Buffer:
        return looked_at(self._document(uri).file, self._text(uri).encode(errors="replace"))

    def _text(self, uri: str) -> str:
        """The text that an editor has; of a file that is not open that on the disk, if any."""
        try:
            return self.workspace.get_text_document(uri).source
        except OSError:
            return ""
        except UnicodeDecodeError:
            return Path(self._document(uri).file).read_bytes().decode(errors="replace")

    def _lines(self, uri: str) -> list[str]:
        """The lines as the compiler and the protocol count them: a form feed ends none."""
        return _LINE_END.split(self._text(uri))

    def _root(self, uri: str) -> str:
        """The innermost folder of the workspace around a file, else its own folder."""
        file = Path(self._document(uri).file)
        known = [to_fs_path(one) for one in self.workspace.folders]
        roots = [Path(one) for one in (*known, self.workspace.root_path) if one]
        around = [root for root in roots if root in file.parents]
        return str(max(around, key=lambda root: len(root.parts), default=file.parent))

    def _publish(self, uri: str) -> None:
        """Tell what is said of a file, and of others on the way."""
        by_file: dict[str, list[types.Diagnostic]] = {uri: []}
        document = self._documents.get(uri)
        for remark in document.remarks() if document is not None else ():
            by_file.setdefault(self._uri(remark.at), []).append(self._diagnostic(remark))
        for old in self._published.get(uri, set()) - set(by_file):
            by_file[old] = []
        self._published[uri] = {name for name, found in by_file.items() if found}
        for name, found in by_file.items():
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri=name, diagnostics=found)
            )

    def _diagnostic(self, remark: Remark) -> types.Diagnostic:
        related = [
            types.DiagnosticRelatedInformation(self._location(step.at), step.text)
            for step in remark.run
        ]
        return types.Diagnostic(
            range=self._location(remark.at).range,
            message=remark.text,
            severity=_SEVERITIES[remark.level],
            code=remark.code,
            code_description=types.CodeDescription(remark.page) if remark.page else None,
            source="sea-py",
            related_information=related or None,
        )

    def _steps(self, remark: Remark) -> list[Any]:
        return [
            {"location": self._location(step.at), "text": step.text}
            for step in (*remark.run, *(() if remark.run else (remark,)))
        ]

    def _uri(self, at: Spot) -> str:
        """The URI of a file, as the editor spells it if it has told."""
        known = (uri for uri, one in self._documents.items() if one.file == at.file)
        return next(known, None) or from_fs_path(at.file) or ""

    def _location(self, at: Spot) -> types.Location:
        """A place, from its column to the end of the text of its line."""
        uri, row = self._uri(at), at.line - 1
        is_open = uri in self._documents
        lines = self._lines(uri) if is_open else ()
        if row >= len(lines):
            start = types.Position(row, max(at.column - 1, 0))
            return types.Location(uri, types.Range(start, types.Position(row, start.character + 1)))
        text = lines[row].rstrip()
        before = text.encode(errors="replace")[: max(at.column - 1, 0)].decode(errors="replace")
        first = len(before) if at.column else len(text) - len(text.lstrip())
        codec = self.workspace.position_codec
        ends = (codec.client_num_units(text[:first]), codec.client_num_units(text))
        return types.Location(uri, types.Range(*(types.Position(row, end) for end in ends)))

    def _refresh(self) -> None:
        """Have the editor ask for hints again, if it can."""
        workspace = self.client_capabilities.workspace
        hint = workspace.inlay_hint if workspace is not None else None
        if hint is not None and hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    def _say(self, text: str, is_error: bool) -> None:
        kind = types.MessageType.Error if is_error else types.MessageType.Info
        self.window_show_message(types.ShowMessageParams(kind, f"sea-py: {text}"))


def _line(line: int) -> types.Range:
    return types.Range(types.Position(line - 1, 0), types.Position(line - 1, 0))


def _hint(at: types.Position, told: Sequence[str]) -> types.InlayHint:
    """What holds at a line, where its text ends; of much the start."""
    text = ", ".join(told)
    short = text if len(text) <= MOST_HINT else f"{text[:MOST_HINT]} …"
    return types.InlayHint(position=at, label=f" ⊢ {short}", padding_left=True, tooltip=text)
