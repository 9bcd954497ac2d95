"""The C files that a page shows, each read once and numbered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from seahorn_py.base.errors import Span
from seahorn_py.base.patterns import pattern
from seahorn_py.cli.reports.page.drawn_graph import drawn
from seahorn_py.cli.reports.page.page_model import File, Graph, Note, Place, Scope
from seahorn_py.evidence.trace.source import Source, SourceView
from seahorn_py.frontend.compiling.support import LIBRARY_FOLDER

MOST_FILES, MOST_BYTES = 40, 8 << 20
MOST_GRAPHS = 24
_PLACE = pattern(r"(\S+?):(\d+):(\d+)")


class SourceFiles:
    """The files of a page; those of the models of the C library are not shown."""

    def __init__(self, first: Iterable[str] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self._sources: list[Source] = []
        self._views: list[SourceView] = []
        self._bytes = 0
        for name in first:
            self.number(name)

    def number(self, name: str) -> int:
        """The number of a file, which is read if it is new; -1 if it is not shown."""
        if name in self._numbers:
            return self._numbers[name]
        is_full = len(self._sources) >= MOST_FILES or self._bytes > MOST_BYTES
        if not name or name.startswith(LIBRARY_FOLDER) or is_full:
            return -1
        source = Source(name)
        view = source.view()
        if view.lines == ("",):
            self._numbers[name] = -1
            return -1
        self._bytes += sum(map(len, view.lines))
        self._sources.append(source)
        self._views.append(view)
        self._numbers[name] = len(self._sources) - 1
        return self._numbers[name]

    def place(self, span: Span | None) -> Place:
        """A place by the number of its file."""
        return Place() if span is None else Place(self.number(span.file), span.line)

    def named(self, text: str) -> Place:
        """The first place that a text names, if it is in a file that is shown."""
        for found in _PLACE.finditer(text):
            if found[1] in self._numbers and self._numbers[found[1]] >= 0:
                return Place(self._numbers[found[1]], int(found[2]))
        return Place()

    def written(self, span: Span | None) -> str:
        """What the statement at a place sets, as it is written there."""
        number = -1 if span is None else self.number(span.file)
        return "" if number < 0 or span is None else self._sources[number].written(span)

    def files(self) -> tuple[File, ...]:
        """All of them, as a page has them."""
        return tuple(map(_file, self._views))

    def graphs(self, wanted: Iterable[tuple[int, str]], notes: Sequence[Note]) -> Iterator[Graph]:
        """The control flow of functions, each given by its file and name."""
        for number, function in [*dict.fromkeys(wanted)][:MOST_GRAPHS]:
            if number < 0 or not function:
                continue
            found = self._sources[number].graph(function)
            here = [note for note in notes if note.at.file == number]
            graph = None if found is None else drawn(found, number, here)
            if graph is not None:
                yield graph

    def function_at(self, place: Place) -> str:
        """The function around a place, "" outside of all."""
        if place.file < 0:
            return ""
        around = self._views[place.file].functions
        return next((f.name for f in around if f.first <= place.line <= f.last), "")

    def all_functions(self) -> Iterator[tuple[int, str]]:
        """Every function, `main` first."""
        every = [(k, f.name) for k, view in enumerate(self._views) for f in view.functions]
        yield from sorted(every, key=lambda pair: pair[1] != "main")


def _file(view: SourceView) -> File:
    scopes = tuple(
        Scope(
            region.name,
            region.first,
            region.last,
            tuple(Scope(local.name, local.first, local.last) for local in region.locals),
        )
        for region in view.functions
    )
    tokens = tuple(tuple((a, b, kind.value) for a, b, kind in line) for line in view.tokens)
    return File(view.name, view.lines, tokens, scopes, view.globals)
