"""The report in a browser: it sorts, filters and draws, complains about nothing and asks nobody.

Needs a Chromium (`tests/support/browsing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Seen, chromium, opened
from sample_rows import row

from seahorn_py.bench.report.columns import side_by_side
from seahorn_py.bench.report.page import as_html
from seahorn_py.bench.rows import Expected, Row, Verdict

HOSTILE = "</script><img src=http://evil.example onerror=alert(1)>"
VERDICTS = (Verdict.TRUE, Verdict.FALSE, Verdict.UNKNOWN)


def rows_of(configuration: str, count: int) -> Iterator[Row]:
    """Tasks of which the first configuration solves a third more, the second what is left over."""
    for number in range(count):
        expected = Expected.TRUE if number % 2 else Expected.FALSE
        right = Verdict(expected.value)
        verdict = right if configuration == "quick" or number % 3 else Verdict.UNKNOWN
        yield row(
            f"task{number}.c",
            verdict,
            expected,
            category=("loops", "heap")[number % 2],
            configuration=configuration,
            cpu_s=(number * 37 % count + 1) / 10 * (1 if configuration == "quick" else 3),
            reason="time limit" if verdict is Verdict.UNKNOWN else "",
            log=f"logs/{number}.txt",
            witnesses=(f"witnesses/{number}.yml",),
        )


class Table(Seen):
    """The report, with the table in it."""

    def column(self, number: int) -> list[str]:
        """The texts of a column, as far as they are drawn."""
        cells = f"#tasks tbody tr:not(.space) td:nth-child({number})"
        return list(self.page.locator(cells).all_text_contents())

    def count(self) -> str:
        return str(self.page.locator("#count").text_content())


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def shown(browser: Any, file: Path, rows: Iterator[Row]) -> Table:
    file.write_text(as_html(side_by_side([(file.with_name("results.jsonl"), rows)]), file.parent))
    return Table(**vars(opened(browser, file)))


@pytest.mark.full
def test_the_page_in_a_browser(browser: Any, tmp_path: Path) -> None:
    rows = [row(HOSTILE, Verdict.FALSE, Expected.TRUE, configuration="quick", reason=HOSTILE)]
    rows += [row for name in ("quick", "slow") for row in rows_of(name, 30)]
    file = tmp_path / "report.html"
    seen = shown(browser, file, iter(rows))
    assert seen.count() == "31 of 31 tasks"
    assert seen.column(1)[:3] == [HOSTILE, "task0.c", "task1.c"]
    sorts(seen)
    filters(seen)
    draws(seen)
    tells(seen)
    assert seen.complaints == []
    assert [url for url in seen.requests if url != file.as_uri() and url != "data:,"] == []


def sorts(seen: Table) -> None:
    """By numbers as numbers, up, down and not at all; what is missing comes last."""
    heads = seen.page.locator("#tasks thead button")
    heads.nth(8).click()
    slow = seen.column(9)
    assert slow[-1] == ""
    assert [float(text) for text in slow[:-1]] == sorted(float(text) for text in slow[:-1])
    heads.nth(8).click()
    assert seen.column(9) == [*reversed(slow[:-1]), ""]
    assert seen.page.locator("th[aria-sort=descending]").text_content() == "CPU s ▼"
    heads.nth(8).click()
    assert seen.column(1)[:2] == [HOSTILE, "task0.c"]
    heads.nth(0).click()
    assert seen.column(1)[1:4] == ["task0.c", "task1.c", "task2.c"]
    assert seen.column(1)[-1] == "task29.c"


def filters(seen: Table) -> None:
    """By a part of the name, a category, an answer, and where configurations differ."""
    page = seen.page
    page.fill("input[type=search]", "TASK2")
    assert seen.count() == "11 of 31 tasks"
    page.get_by_label("category").select_option("heap")
    assert seen.column(1) == ["task21.c", "task23.c", "task25.c", "task27.c", "task29.c"]
    assert seen.page.locator("th.sums").first.text_content() == "5 right, 10 pts"
    page.get_by_label("answer of slow").select_option("unknown")
    assert seen.column(1) == ["task21.c", "task27.c"]
    page.click("#reset")
    assert seen.count() == "31 of 31 tasks"
    page.check("#differs")
    assert seen.count() == "11 of 31 tasks"
    page.click("#reset")


def draws(seen: Table) -> None:
    """A line for each configuration, and a dot for each task that both have."""
    page = seen.page
    assert page.locator("#quantile path.line").count() == 2
    assert page.locator("#quantile path.line").first.get_attribute("d").count("L") == 29
    dots = page.locator("#scatter path.dots").evaluate_all("(all) => all.map((p) => p.outerHTML)")
    assert [text.count("h0") for text in dots] == [20, 10]
    box = page.locator("#scatter svg").bounding_box()
    assert box["width"] > 300 < box["height"]
    before = page.locator("#quantile svg").inner_html()
    page.select_option("#measure", "memory MiB")
    page.select_option("#counted", "score")
    assert page.locator("#quantile svg").inner_html() != before
    assert page.locator("#tasks thead button").nth(6).text_content() == "memory MiB"


def tells(seen: Table) -> None:
    """Everything of a task, with links that lead to its files and none that leads elsewhere."""
    page = seen.page
    page.get_by_role("button", name="task3.c", exact=True).click()
    assert page.locator("#details a").evaluate_all("(all) => all.map((a) => a.href)") == [
        seen.page.url.replace("report.html", f"{name}/3.{ending}")
        for name, ending in [("logs", "txt"), ("witnesses", "yml")] * 2
    ]
    assert "time limit" in page.locator("#facts").text_content()
    page.get_by_role("button", name="close").click()
    assert not page.locator("#details").is_visible()


@pytest.mark.full
def test_ten_thousand_tasks(browser: Any, tmp_path: Path) -> None:
    """Only what is seen is in the document, and the last task can be scrolled to."""
    rows = (row for name in ("quick", "slow") for row in rows_of(name, 10_000))
    seen = shown(browser, tmp_path / "report.html", rows)
    assert seen.count() == "10000 of 10000 tasks"
    assert len(seen.column(1)) < 200
    assert seen.page.evaluate("document.querySelectorAll('*').length") < 3_000
    seen.page.evaluate("document.getElementById('window').scrollTop = 1e9")
    seen.page.get_by_role("button", name="task9999.c", exact=True).wait_for()
    click = "document.querySelector('#tasks thead button').click()"
    seen.page.evaluate(f"began = performance.now(); {click}; took = performance.now() - began")
    assert seen.page.evaluate("took") < 10_000
    assert seen.complaints == []
