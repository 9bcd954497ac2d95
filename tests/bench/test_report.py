"""Reports: results side by side, and nothing that a hostile name could do in any format."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import tomllib
from fnmatch import fnmatch
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from command import ROOT, sea_py
from sample_rows import row, write

from seahorn_py.bench.report.columns import Results, link, read_results, side_by_side
from seahorn_py.bench.report.exports import as_csv, as_junit, as_markdown
from seahorn_py.bench.report.page import as_html
from seahorn_py.bench.rows import Ended, Expected, Row, Verdict
from seahorn_py.cli.reports.junit import clean

HERE = Path("results")
ROWS = (
    row("a.c", Verdict.TRUE, Expected.TRUE, cpu_s=1.25),
    row("b.c", Verdict.FALSE, Expected.FALSE, category="heap", subproperty="valid-deref"),
    row("c.c", Verdict.UNKNOWN, Expected.TRUE, stage="solve", reason="time limit"),
    row("a.c", Verdict.FALSE, Expected.TRUE, configuration="second", cpu_s=0.5),
    row("b.c", Verdict.NONE, Expected.FALSE, category="heap", configuration="second"),
)
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'><!--",
    '=HYPERLINK("http://evil.example")',
    "javascript:alert(1)",
    "a|b`c`[d](http://evil.example)",
    "two\nlines\tand\x00\x1b\ud800 no text",
)


def results(*rows: Row) -> Results:
    return side_by_side([(HERE / "results.jsonl", rows)])


def hostile_rows() -> list[Row]:
    return [
        row(
            name,
            Verdict.UNKNOWN,
            Expected.TRUE,
            **dict.fromkeys(("category", "property", "configuration", "reason", "log"), name),
            witnesses=(name,),
        )
        for name in HOSTILE
    ]


# ---------------------------------------------------------------- side by side


def test_configurations_are_columns_and_tasks_are_in_order() -> None:
    found = results(*ROWS)
    assert [column.label for column in found.columns] == ["first", "second"]
    assert list(found.tasks) == ["a.c", "b.c", "c.c"]
    assert found.columns[1].rows.get("c.c") is None
    assert [column.total.score for column in found.columns] == [3, -16]
    assert found.categories == ("heap", "loops")


def test_a_task_may_be_of_another_category_in_another_run() -> None:
    other = row("a.c", Verdict.TRUE, Expected.TRUE, category="Loops", configuration="second")
    assert results(ROWS[0], other).categories == ("Loops", "loops")
    scores = as_markdown(results(ROWS[0], other)).split("## Tasks")[0]
    assert "| Loops | second | 1 | 2 |" in scores


def test_a_configuration_in_two_files_is_two_columns(tmp_path: Path) -> None:
    old = write([ROWS[0]], tmp_path / "old.jsonl")
    new = write(ROWS, tmp_path / "new.jsonl")
    labels = [column.label for column in read_results([old, new]).columns]
    assert labels == [f"first ({old})", f"first ({new})", "second"]
    assert len(read_results([old, old]).columns) == 1


# ---------------------------------------------------------------- CSV


def test_csv_has_a_line_for_each_row() -> None:
    lines = list(csv.DictReader(io.StringIO(as_csv(results(*ROWS)))))
    assert [(x["configuration"], x["task"], x["answer"]) for x in lines] == [
        ("first", "a.c", "true"),
        ("first", "b.c", "false(valid-deref)"),
        ("first", "c.c", "unknown"),
        ("second", "a.c", "false"),
        ("second", "b.c", "no answer"),
    ]
    assert lines[0]["cpu_s"] == "1.250"
    assert lines[2]["why"] == "solve: time limit"
    assert [x["score"] for x in lines] == ["2", "1", "0", "-16", "0"]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t=", " =", "|", "\uff1d", "\r\n="])
def test_csv_has_no_formula(sign: str) -> None:
    text = as_csv(results(row(f"{sign}1+1", Verdict.TRUE, None, reason=f"{sign}2")))
    (line,) = csv.DictReader(io.StringIO(text, newline=""))
    assert line["task"] == f"'{sign}1+1"
    assert line["why"] == f"'{sign}2"


def test_csv_of_hostile_names_reads_back() -> None:
    lines = list(csv.DictReader(io.StringIO(as_csv(results(*hostile_rows())), newline="")))
    assert [x["task"].removeprefix("'") for x in lines] == [clean(name) for name in HOSTILE]


# ---------------------------------------------------------------- JUnit


def test_junit_tells_wrong_from_open_from_broken() -> None:
    crash = row("d.c", Verdict.NONE, Expected.TRUE, ended=Ended.KILLED, exit_code=-11)
    root = ElementTree.fromstring(as_junit(results(*ROWS, crash)))
    first, second = root
    assert first.attrib | {"time": ""} == {
        "name": "first", "tests": "4", "failures": "0", "errors": "1", "skipped": "1", "time": ""
    }  # fmt: skip
    outcomes = {case.get("name"): [child.tag for child in case] for case in first}
    assert outcomes == {"a.c": [], "b.c": [], "c.c": ["skipped"], "d.c": ["error"]}
    (failure,) = second.iter("failure")
    assert failure.get("message") == "false, expected true"
    assert first[1].get("classname") == "heap.unreach-call"


def test_junit_of_hostile_names_is_xml() -> None:
    root = ElementTree.fromstring(as_junit(results(*hostile_rows())))
    assert [case.get("name") for case in root.iter("testcase")] == [clean(n) for n in HOSTILE]


# ---------------------------------------------------------------- Markdown


def test_markdown() -> None:
    assert as_markdown(results(*ROWS)) == (ROOT / "tests" / "bench" / "report.md").read_text()


def test_markdown_of_hostile_names_stays_a_table() -> None:
    text = as_markdown(results(*hostile_rows()))
    rows = text[text.index("## Tasks") :].splitlines()[4:]
    cells = [re.split(r"(?<!\\)\|", line) for line in rows]
    assert len(rows) == len(HOSTILE)
    assert {len(found) for found in cells} == {len(HOSTILE) + 4}
    assert not re.search(r"(?<!\\)[<`\[]|(?<!\\):(?=//)", text)


# ---------------------------------------------------------------- the page


class Page(HTMLParser):
    """The elements of a page with their attributes, and the texts of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and data.strip():
            self.texts.append((self.elements[-1][0], data))

    def data(self) -> Any:
        return json.loads(next(text for tag, text in self.texts if tag == "script"))


def test_the_page_knows_all_rows() -> None:
    data = Page(as_html(results(*ROWS), HERE)).data()
    assert data["tasks"][1] == ["b.c", "heap", "unreach-call", "LP64", "false"]
    first, second = data["columns"]
    assert [cell[1] for cell in first["cells"]] == ["true", "false(valid-deref)", "unknown"]
    assert second["cells"][2] is None
    assert data["texts"][first["cells"][2][6]] == "solve: time limit"


def test_scores_are_there_without_a_script() -> None:
    texts = [text for tag, text in Page(as_html(results(*ROWS), HERE)).texts if tag in ("b", "td")]
    assert "-16" in texts
    assert "3.00" in texts  # first, categories alike: (1/1 + 2/2) / 2 * 3
    assert "-16.00" in texts  # second: (0/1 - 16/1) / 2 * 2


def test_hostile_names_add_nothing_to_the_page() -> None:
    harmless = Page(as_html(results(*(row(f"{n}.c", Verdict.UNKNOWN, None) for n in "ab")), HERE))
    rows = [row(name, Verdict.UNKNOWN, None, reason=name, log=name) for name in HOSTILE]
    hostile = Page(as_html(results(*rows), HERE))
    assert hostile.elements == harmless.elements
    assert [task[0] for task in hostile.data()["tasks"]] == [clean(name) for name in HOSTILE]
    columns = Page(as_html(results(*hostile_rows()), HERE))
    assert {tag for tag, _ in columns.elements} == {tag for tag, _ in harmless.elements}
    assert sum(tag == "script" for tag, _ in columns.elements) == 2


def test_the_page_asks_nobody() -> None:
    text = as_html(results(*ROWS), HERE)
    page = Page(text)
    (policy,) = (a["content"] for _, a in page.elements if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    for element in ("script", "style"):
        inside = text.rpartition(f"<{element}>")[2].partition(f"</{element}>")[0]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy
    addresses = [a.get("src") or a.get("href") for _, a in page.elements]
    assert set(filter(None, addresses)) == {"data:,"}


def test_links_lead_to_the_files_of_the_run() -> None:
    assert link("logs/a b#1.txt", "../runs") == "./../runs/logs/a%20b%231.txt"
    assert link("javascript:alert(1)", ".") == "./javascript%3Aalert%281%29"
    for outside in ("/etc/passwd", "../x", "a/../../x", "a\0"):
        assert link(outside, ".") == ""
    cells = Page(as_html(results(row("a.c", Verdict.TRUE, None, log="x.txt")), Path())).data()
    assert cells["columns"][0]["cells"][0][9] == [["x.txt", "./results/x.txt"]]


def test_the_parts_of_the_page_are_packaged() -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (pattern,) = patterns["tool"]["setuptools"]["package-data"]["seahorn_py.bench.report"]
    parts = list((ROOT / "seahorn_py" / "bench" / "report" / "assets").iterdir())
    assert parts
    assert all(fnmatch(f"assets/{part.name}", pattern) for part in parts)


# ---------------------------------------------------------------- the command


def test_report_into_a_folder_and_into_a_file(tmp_path: Path) -> None:
    file = write(ROWS, tmp_path / "results.jsonl")
    done = sea_py("bench", "report", file, "-o", tmp_path / "new" / "dir", "-o", tmp_path / "x.csv")
    assert done.returncode == 0
    made = sorted(path.name for path in (tmp_path / "new" / "dir").iterdir())
    assert made == ["report.csv", "report.html", "report.md", "report.xml"]
    assert (tmp_path / "x.csv").read_text() == (tmp_path / "new/dir/report.csv").read_text()
    assert sea_py("bench", "report", file).stdout == (tmp_path / "new/dir/report.md").read_text()


def test_report_says_what_is_wrong(tmp_path: Path) -> None:
    empty = write([], tmp_path / "empty.jsonl")
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{}\n")
    good = write(ROWS, tmp_path / "good.jsonl")
    for arguments, what in (
        ([empty], "no results"),
        ([tmp_path / "none.jsonl"], "cannot read"),
        ([broken], "not a row"),
        ([good, "-o", good / "x.html"], "cannot write"),
    ):
        done = sea_py("bench", "report", *arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("sea-py: error: ")
        assert what in done.stderr


@pytest.mark.full
def test_ten_thousand_tasks_are_no_trouble(tmp_path: Path) -> None:
    rows = [
        row(f"task {n}", Verdict.TRUE, Expected.TRUE, configuration=c)
        for c in "ab"
        for n in range(10_000)
    ]
    found = results(*rows)
    assert len(as_html(found, tmp_path)) < 4_000_000
    assert as_junit(found).count("<testcase") == 20_000
