"""Pages as files: one document with everything in it, which loads nothing from anywhere.

The policy of a page (Content Security Policy, level 2) allows its script and its style by their
hashes and nothing else.  The script writes names only as text, never as HTML; data are JSON inside
a script element, which only `<` could end.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from string import Template

from seahorn_py.base.errors import SeaError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.version import VERSION
from seahorn_py.cli.reports.junit import clean
from seahorn_py.cli.reports.page.page_model import Entry, Page, plain
from seahorn_py.cli.whole_files import write_whole

INDEX = "index.html"
_SCRIPTS = ("parts.js", "source.js", "run.js", "memory.js", "graph.js", "answer.js", "page.js")
_NUMBERED = pattern(r"answer-\d+\.html")


def as_html(page: Page) -> str:
    """The document of a page."""
    text = json.dumps(plain(page), separators=(",", ":")).replace("<", "\\u003c")
    script = "".join(map(_part, _SCRIPTS))
    return _filled("page.html", page.title, script, data=text)


def index(title: str, entries: Sequence[Entry]) -> str:
    """The document that leads to several pages."""
    rows = "\n".join(map(_row, entries))
    counts = ", ".join(
        f"{count} {answer}"
        for answer in ("unsafe", "unknown", "safe")
        if (count := sum(entry.answer == answer for entry in entries))
    )
    script = _part("index.js")
    return _filled("index.html", title, script, rows=rows, counts=html.escape(counts))


def _row(entry: Entry) -> str:
    title = _text(entry.title)
    link = f'<a href="{html.escape(entry.link)}">{title}</a>' if entry.link else title
    badge = f'<span class="badge {html.escape(entry.answer)}">{html.escape(entry.answer)}</span>'
    cells = (badge, link, f"<code>{_text(entry.place)}</code>", _text(entry.headline))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _filled(name: str, title: str, script: str, **parts: str) -> str:
    style = _part("page.css")
    return Template(_part(name)).substitute(
        title=_text(title),
        version=html.escape(VERSION),
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        **parts,
    )


def _part(name: str) -> str:
    asset = resources.files("seahorn_py.cli.reports.page").joinpath("assets", name)
    return asset.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _text(text: str) -> str:
    return html.escape(clean(text))


# ------------------------------------------------------------------------------------- files


def write_page(folder: Path, page: Page) -> None:
    """Write the only page of a folder."""
    _made(folder)
    write_whole(as_html(page), folder / INDEX)
    _without_others(folder, frozenset())


def write_pages(folder: Path, title: str, pages: Sequence[tuple[Entry, Page | None]]) -> None:
    """Write pages under the names in their entries, and then the index, which leads to them."""
    _made(folder)
    for entry, page in pages:
        if page is not None:
            write_whole(as_html(page), folder / entry.link)
    write_whole(index(title, [entry for entry, _ in pages]), folder / INDEX)
    _without_others(folder, frozenset(entry.link for entry, _ in pages))


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SeaError(f"{folder}: cannot write: {error.strerror}") from None


def _without_others(folder: Path, kept: frozenset[str]) -> None:
    """Pages of an earlier run, to which the index does not lead any more, go."""
    for file in folder.iterdir():
        if _NUMBERED.fullmatch(file.name) and file.name not in kept:
            file.unlink(missing_ok=True)
