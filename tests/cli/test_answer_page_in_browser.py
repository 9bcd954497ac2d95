"""A page about an answer in a browser: keys, clicks, search, colours, long runs, hostile names.

Needs a Chromium (`tests/support/browsing.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answers import HOSTILE, LIST, Told
from browsing import Seen, chromium, opened

from seahorn_py.cli.reports.page.of_answer import page_of
from seahorn_py.cli.reports.page.page_model import Page, Place, Value
from seahorn_py.cli.reports.page.written_pages import as_html
from seahorn_py.cli.reports.page.written_report import written_report
from seahorn_py.options import VerifyOptions

Show = Callable[..., Seen]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Show]:
    """Opens a page; at the end it has complained about nothing and asked for nothing."""
    shown: list[tuple[Seen, Path]] = []

    def opening(page: Page, **how: Any) -> Seen:
        file = tmp_path / "page.html"
        file.write_text(as_html(page))
        seen = opened(browser, file, **how)
        shown.append((seen, file))
        return seen

    yield opening
    for seen, file in shown:
        assert seen.complaints == []
        assert [url for url in seen.requests if url not in (file.as_uri(), "data:,")] == []
        seen.page.close()


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path / "list.c")


def text(seen: Seen, selector: str) -> str:
    return str(seen.page.locator(selector).first.text_content())


def values(seen: Seen) -> dict[str, str]:
    """The variables that are shown, by name."""
    names = seen.page.locator(".values .name").all_text_contents()
    return dict(zip(names, seen.page.locator(".values .value").all_text_contents(), strict=True))


def test_going_through_a_run(show: Show, told: Told) -> None:
    seen = show(page_of(told.unsafe(), [told.file], "a"))
    page = seen.page
    assert text(seen, "#count") == "step 1 of 15"
    assert text(seen, "#source .here .code") == LIST.splitlines()[3]
    assert values(seen) == {"head": "NULL", "key": "7"}
    assert page.locator(".frame > div b").all_text_contents() == ["push", "main"]
    page.click("#next")
    assert values(seen)["n"] == "→ block 1"
    assert page.locator(".values .changed").all_text_contents() == ["→ block 1"]
    assert text(seen, "#memory .tag text") == "n"
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert text(seen, "#count") == "step 6 of 15"
    assert values(seen) == {"head": "→ block 1", "count": "1"}
    page.keyboard.press("ArrowLeft")
    assert page.locator(".frame > div b").all_text_contents() == ["push", "main", "globals"]
    page.locator("#steps .row", has_text="for (int i").first.click()
    assert text(seen, "#source .inline") == "false, i = 0"
    page.locator("#stack .place", has_text="list.c:15").click()
    assert page.locator(".values .changed").all_text_contents() == ["0"]


def test_blocks_of_the_heap(show: Show, told: Told) -> None:
    """Cells with their names, a pointer between blocks, and one that leads to what was freed."""
    seen = show(page_of(told.unsafe(), [told.file], "a"))
    page = seen.page
    page.keyboard.press("End")
    assert text(seen, "#count") == "step 15 of 15"
    blocks = page.locator("#memory g.block").all_text_contents()
    assert "block 1" in blocks[0] and "key7" in blocks[0] and "nextNULL" in blocks[0]
    assert page.locator("#memory g.freed").count() == 1
    assert "freed" in text(seen, "#memory g.freed")
    assert page.locator("#memory path.old").count() == 1
    assert text(seen, "#memory .hanging text") == "head"
    page.keyboard.press("Home")
    assert page.locator("#memory g.block").count() == 0
    page.keyboard.press("Shift+ArrowRight")
    assert text(seen, "#count") == "step 2 of 15"


def test_the_graph_follows_the_run(show: Show, told: Told) -> None:
    seen = show(page_of(told.unsafe(), [told.file], "a"))
    page = seen.page
    page.keyboard.press("End")
    page.keyboard.press("3")
    assert text(seen, "#graph .current text") == "free(head);"
    assert page.locator("#graph .node.seen").count() >= 4
    page.locator("#graph .node", has_text="for (i < 2)").click()
    assert text(seen, "#graph .current text") == "for (i < 2)"
    assert page.locator("#graph .way.seen").count() == 2
    page.keyboard.press("1")
    assert text(seen, "#count") == "step 7 of 15"


def test_search(show: Show, told: Told) -> None:
    seen = show(page_of(told.unsafe(), [told.file], "a"))
    page = seen.page
    page.keyboard.press("/")
    page.keyboard.type("COUNT++")
    kinds = page.locator("#found .kind").all_text_contents()
    assert kinds == ["list.c:9", "step 5", "step 12"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert text(seen, "#count") == "step 5 of 15"
    assert not page.locator("#found").is_visible()
    page.fill("#find", "no such text")
    assert text(seen, "#found") == "Nothing is found."
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    assert text(seen, "#count") == "step 6 of 15"


def test_light_and_dark(show: Show, told: Told) -> None:
    answer = page_of(told.safe(), [told.file], "a")
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = (show(answer, color_scheme=name) for name in ("light", "dark"))
    at_first = [seen.page.evaluate(ground) for seen in (light, dark)]
    assert at_first[0] != at_first[1]
    light.page.keyboard.press("t")
    dark.page.click("#theme")
    assert [seen.page.evaluate(ground) for seen in (light, dark)] == at_first[::-1]


def test_a_proof_and_an_unknown(show: Show, told: Told) -> None:
    seen = show(page_of(told.safe(), [told.file], "a", "(set-logic HORN)"))
    page = seen.page
    tabs = page.locator("#tabs button").all_text_contents()
    assert tabs == ["Answer", "Graph", "Clauses"]
    notes = page.locator("#source .note .text").all_text_contents()
    assert notes == ["always 0 <= i", "always (i <= 2 && count >= 1)"]
    page.keyboard.press("3")
    assert text(seen, "#clauses pre") == "(set-logic HORN)"
    page.keyboard.press("1")
    page.locator("#answer .place", has_text="list.c:15").first.click()
    assert text(seen, "#source .pointed .number") == "15"
    other = show(page_of(told.unknown(), [told.file], "a"))
    assert "contents of memory" in text(other, "#source .note.obstacle .text")


def test_several_answers(browser: Any, told: Told, tmp_path: Path) -> None:
    written_report([Path(told.file)], told.each(), VerifyOptions(), tmp_path / "out")
    seen = opened(browser, tmp_path / "out" / "index.html")
    page = seen.page
    page.keyboard.press("/")
    page.keyboard.type("free")
    assert page.locator("#answers tbody tr:visible").count() == 1
    page.locator("#answers tbody a:visible").click()
    assert text(seen, "#verdict") == "safe"
    page.click("#back")
    assert page.locator("#answers tbody tr").count() == 3
    assert seen.complaints == []
    page.close()


@pytest.mark.full
def test_ten_thousand_steps(show: Show, told: Told) -> None:
    """Only what is seen is in the document; from one end to the other it takes no time."""
    answer = page_of(told.unsafe(), [told.file], "a")
    assert answer.run is not None
    first, wrote, last = *answer.run.steps[:2], answer.run.steps[-1]
    again = replace(wrote.heap[0], deed="written", size=4, label="key")
    steps = [
        replace(
            last,
            text="for (;;)",
            at=Place(0, 15),
            changes=(Value("i", str(number)), Value(f"a[{number % 50}]", str(number))),
            heap=(replace(again, text=str(number)),),
        )
        for number in range(10_000)
    ]
    run = replace(answer.run, steps=(first, wrote, *steps, last))
    seen = show(replace(answer, run=run))
    page = seen.page
    assert text(seen, "#count") == "step 1 of 10003"
    took = page.evaluate(
        "() => { const t = performance.now(); walk.go(1e9); for (let k = 0; k < 40; k++)"
        " walk.go((k * 6007) % 10000); return performance.now() - t; }"
    )
    assert took < 10_000
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert values(seen)["i"] == "99989999"
    assert page.locator("#memory g.block").first.text_content().endswith("9999")
    assert page.locator("*").count() < 1_500


def test_hostile_names(show: Show, tmp_path: Path) -> None:
    told = Told(tmp_path / "a<b>&'.c", LIST.replace("HERE", HOSTILE))
    result = told.unsafe()
    assert result.violation is not None
    step = told.step(15, (HOSTILE, HOSTILE))
    violation = replace(result.violation, text=HOSTILE, trace=(*result.violation.trace[:-1], step))
    seen = show(page_of(replace(result, violation=violation), [told.file], HOSTILE))
    page = seen.page
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert HOSTILE in text(seen, "#source .inline")
    assert HOSTILE in text(seen, "#source .note .text")
    for number in "23451":
        page.keyboard.press(number)
    page.fill("#find", "onerror")
    assert page.locator("#found button").count() >= 3
    assert page.locator("img").count() == 0
