"""Pages about answers: what they say, that nothing breaks out of them, how they are written."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answers import FIRST, HOSTILE, LIST, Told
from command import EXAMPLES, sea_py

from seahorn_py.base.errors import SeaError
from seahorn_py.base.option_values import MOST_SECONDS
from seahorn_py.cli.commands import commands
from seahorn_py.cli.reports.page.drawn_graph import drawn
from seahorn_py.cli.reports.page.of_answer import conjuncts, page_of, parts_of
from seahorn_py.cli.reports.page.of_table import written_table
from seahorn_py.cli.reports.page.page_model import Pointer, Value
from seahorn_py.cli.reports.page.written_pages import as_html, write_page
from seahorn_py.cli.reports.page.written_report import written_report
from seahorn_py.evidence.trace.source import Source
from seahorn_py.options import VerifyOptions
from seahorn_py.processes.journal import Journal
from seahorn_py.result import Answer, Change, Invariant
from seahorn_py.validation.contracts.conclusions import Table
from seahorn_py.validation.contracts.model import Row, Status


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path / "list.c")


def data_of(text: str) -> Any:
    """What the script of a page reads."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found is not None
    return json.loads(found[1])


# ---------------------------------------------------------------------------------- the run


def test_a_call_is_one_step_with_all_its_arguments(told: Told) -> None:
    run = page_of(told.unsafe(), [told.file], "a").run
    assert run is not None
    first = run.steps[0]
    assert first.text.startswith("static struct node *push")
    assert [(c.name, c.text) for c in first.changes] == [("head", "NULL"), ("key", "7")]
    assert [step.at.line for step in run.steps[:5]] == [4, 6, 7, 8, 9]
    assert (run.frames[first.frame].function, run.frames[first.frame].at.line) == ("push", 14)


def test_pointers_lead_to_numbered_blocks(told: Told) -> None:
    run = page_of(told.unsafe(), [told.file], "a").run
    assert run is not None
    events = [event for step in run.steps for event in step.heap]
    assert [(e.deed, e.block, e.label) for e in events] == [
        *(("allocated", 0, ""), ("written", 0, "key"), ("written", 0, "next")),
        *(("allocated", 1, ""), ("written", 1, "key"), ("written", 1, "next")),
        ("freed", 1, ""),
    ]
    assert (events[5].text, events[5].to) == ("→ block 1", Pointer(0, 0))
    changed = [change for step in run.steps for change in step.changes if change.to is not None]
    assert changed[0] == Value("n", "→ block 1", Pointer(0, 0))


def test_an_address_that_leads_nowhere_stays_a_number(told: Told) -> None:
    result = told.unsafe()
    assert result.violation is not None
    far = Change("head", f"(void *)0x{FIRST + 4096:x}")
    step = replace(result.violation.trace[-3], changes=(far,))
    violation = replace(result.violation, trace=(*result.violation.trace, step))
    run = page_of(replace(result, violation=violation), [told.file], "a").run
    assert run is not None
    assert run.steps[-2].changes == (Value("head", far.value, None),)


def test_activations_have_frames_of_their_own(told: Told) -> None:
    """A function that calls itself is on the stack as often as it is active."""
    result = told.unsafe()
    assert result.violation is not None
    inner = replace(told.step(15), activation=1)
    steps = (told.step(15), inner, replace(inner, activation=2), told.step(17))
    run = page_of(
        replace(result, violation=replace(result.violation, trace=steps)), [told.file], "a"
    ).run
    assert run is not None
    assert [step.frame for step in run.steps[:4]] == [0, 1, 2, 0]
    assert [frame.parent for frame in run.frames] == [-1, 0, 1]


# ---------------------------------------------------------------------------------- at lines


def test_invariants_are_told_part_by_part() -> None:
    assert conjuncts("0 <= i && (a && b) && f(x && y)") == ["0 <= i", "(a && b)", "f(x && y)"]
    assert conjuncts("a && b || c") == ["a && b || c"]
    assert conjuncts("a && (b || c)") == ["a", "(b || c)"]


def test_a_proof_has_its_invariants_in_the_graph(told: Told) -> None:
    page = page_of(told.safe(), [told.file], "a")
    assert [(note.kind, note.at.line) for note in page.notes] == [("invariant", 15)] * 2
    main = next(graph for graph in page.graphs if graph.function == "main")
    head = next(box for box in main.boxes if box.texts == ("for (i < 2)",))
    assert head.notes == ("always 0 <= i", "always (i <= 2 && count >= 1)")


def test_what_stands_in_the_way_is_at_its_line(told: Told) -> None:
    page = page_of(told.unknown(), [told.file], "a")
    assert [(note.kind, note.at.line) for note in page.notes] == [("obstacle", 15)]
    assert page.facts[0].title == "What stands in the way"
    assert page.headline == "no answer: solve: time limit"


def test_the_ledger_says_what_its_kinds_mean(told: Told) -> None:
    [section] = page_of(told.unsafe(), [told.file], "a").assumptions
    assert section.title == "Assumed"
    assert section.lines == (f"allocation does not fail ({told.file}:6:5) [L102]",)
    assert section.about.startswith("The answer holds if this does.")


def test_a_file_that_is_not_there_is_not_shown(told: Told) -> None:
    Path(told.file).unlink()
    page = page_of(told.unsafe(), [told.file], "a")
    assert page.files == () and page.graphs == ()
    assert page.run is not None and page.run.steps[0].at.file == -1
    data_of(as_html(page))


# ------------------------------------------------------------------------------ control flow

JUMPS = """\
int f(int n)
{
    int k = 0;
again:
    do {
        switch (n) {
        case 1:
            k++;
        case 2:
            break;
        default:
            return k;
        }
        if (k > 3)
            continue;
        while (n--)
            if (n == 5)
                goto again;
    } while (k < n);
    for (;;)
        abort();
}
"""


def test_control_flow_of_jumps(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(JUMPS)
    graph = Source(str(tmp_path / "f.c")).graph("f")
    assert graph is not None
    names = [" ".join(node.texts) for node in graph.nodes]
    ways = {(names[a], names[b], label) for a, b, label in graph.edges}
    assert ("switch (n)", "k++;", "case 1") in ways
    assert ("switch (n)", "return k;", "default") in ways
    assert ("k++;", "break;", "") in ways and ("switch (n)", "break;", "case 2") in ways
    assert ("goto again;", "again:", "") in ways
    assert ("continue;", "while (k < n)", "") in ways
    assert ("while (k < n)", "switch (n)", "true") in ways
    assert ("for (;;)", "abort();", "") in ways
    assert [way for way in ways if way[1] == "end"] == [("return k;", "end", "")]
    assert not [way for way in ways if way[0] == "abort();"]


def test_boxes_do_not_overlap(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(JUMPS)
    flow = Source(str(tmp_path / "f.c")).graph("f")
    assert flow is not None
    graph = drawn(flow, 0, ())
    assert graph is not None
    boxes = graph.boxes
    for k, one in enumerate(boxes):
        assert one.x >= 0 and one.x + one.width <= graph.width
        assert one.y >= 0 and one.y + one.height <= graph.height
        for other in boxes[:k]:
            is_aside = one.x >= other.x + other.width or other.x >= one.x + one.width
            assert is_aside or one.y >= other.y + other.height or other.y >= one.y + one.height


def test_names_are_known_where_they_are_declared(told: Told) -> None:
    view = Source(told.file).view()
    assert view.globals == ("count",)
    push, main = view.functions
    assert (push.name, push.first, push.last) == ("push", 4, 11)
    assert [(local.name, local.first, local.last) for local in main.locals] == [
        ("head", 14, 19),
        ("i", 15, 16),
    ]


def test_tokens_have_colours_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text('/* ä\n b */ char *s = "ü"; /* c */\n')
    view = Source(str(tmp_path / "t.c")).view()
    shown = [
        [(line[a:b], kind.name) for a, b, kind in tokens]
        for line, tokens in zip(view.lines, view.tokens, strict=True)
    ]
    assert shown[0] == [("/* ä", "COMMENT")]
    assert shown[1] == [
        (" b */", "COMMENT"),
        ("char", "TYPE"),
        ('"ü"', "STRING"),
        ("/* c */", "COMMENT"),
    ]


# ---------------------------------------------------------------------------------- documents


def test_nothing_breaks_out_of_a_page(tmp_path: Path) -> None:
    told = Told(tmp_path / "l.c", LIST.replace("HERE", HOSTILE))
    invariant = Invariant("main", told.at(15), "", HOSTILE)
    result = replace(told.unsafe(), evidence=(HOSTILE,), invariants=(invariant,))
    text = as_html(page_of(result, [told.file], HOSTILE))
    assert text.count("</script>") == 2 and "<img" not in text
    read = data_of(text)
    assert read["title"] == HOSTILE
    assert read["notes"][1]["text"] == f"always {HOSTILE}"
    assert any(HOSTILE in line for line in read["files"][0]["lines"])


def test_nothing_breaks_out_of_an_index(told: Told, tmp_path: Path) -> None:
    each = told.each()
    row = replace(each.checks[0], text=HOSTILE)
    written_report(
        [Path(told.file)], replace(each, checks=(row,)), VerifyOptions(), tmp_path / "out"
    )
    text = (tmp_path / "out" / "index.html").read_text()
    assert text.count("</script>") == 1 and "<img" not in text


def test_a_page_asks_nobody(told: Told) -> None:
    """No address that a browser would fetch, and a policy that lets nothing in."""
    text = as_html(page_of(told.unsafe(), [told.file], "a"))
    assert "default-src 'none'" in text
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", text)


def test_several_answers_have_an_index(told: Told, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    line = written_report([Path(told.file)], told.each(), VerifyOptions(), folder)
    assert line == f"report: {folder}/index.html: answers: 3"
    text = (folder / "index.html").read_text()
    assert re.findall(r'href="(answer-\d+\.html)"', text) == [f"answer-{k}.html" for k in (1, 2, 3)]
    assert "1 unsafe, 1 unknown, 1 safe" in text
    read = data_of((folder / "answer-3.html").read_text())
    assert (read["answer"], read["back"]) == ("unknown", "index.html")
    assert [note["text"] for note in read["notes"]] == [
        "unsafe: valid-deref: read of head->key",
        "safe: valid-free: free(head)",
        "unknown: valid-deref: n->key",
    ]
    assert "<td>re-proved</td>" in text
    assert [one.answer for _, _, one in parts_of(told.each())] == [
        *(Answer.UNSAFE, Answer.SAFE, Answer.UNKNOWN)
    ]


def test_pages_of_an_earlier_run_go(told: Told, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    written_report([Path(told.file)], told.each(), VerifyOptions(), folder)
    (folder / "answer-of-mine.html").write_text("kept")
    write_page(folder, page_of(told.safe(), [told.file], "a"))
    assert sorted(path.name for path in folder.iterdir()) == ["answer-of-mine.html", "index.html"]


def test_a_page_is_whole_or_not_there(
    told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    page = page_of(told.safe(), [told.file], "a")
    write_page(folder, page)
    before = (folder / "index.html").read_text()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(SeaError, match="cannot write: No space left"):
        write_page(folder, replace(page, title="other"))
    assert (folder / "index.html").read_text() == before
    assert len(list(folder.iterdir())) == 1


def test_a_folder_that_cannot_be_made_is_told(told: Told, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SeaError, match="cannot write"):
        write_page(tmp_path / "file" / "out", page_of(told.safe(), [told.file], "a"))


def test_functions_with_contracts_have_pages(told: Told, tmp_path: Path) -> None:
    """One that was proved by itself is unknown where what it rests on is."""
    proved = replace(told.safe(), answer=Answer.SAFE)
    place = told.at(4, "push")
    rows = (
        Row("push", place, Status.PROVED, ("requires key > 0", "assigns"), "spacer", result=proved),
        Row("main", told.at(12), Status.UNKNOWN, reason="rests on push", result=proved),
        Row("push (2)", place, Status.REFUTED, ("ensures 0",), result=told.unsafe()),
        Row("push (3)", place, Status.REFUTED),
        Row("push (4)", place, Status.PROVED, is_kept=True),
    )
    folder = tmp_path / "out"
    line = written_table(Table(rows, ()), [told.file], folder)
    assert line == f"report: {folder}/index.html: functions: 5"
    pages = [data_of((folder / f"answer-{k}.html").read_text()) for k in range(1, 6)]
    assert [page["answer"] for page in pages] == ["safe", "unknown", "unsafe", "unsafe", "safe"]
    assert [(note["kind"], note["text"]) for note in pages[0]["notes"][:2]] == [
        ("requires", "requires key > 0"),
        ("contract", "assigns nothing"),
    ]
    assert pages[1]["headline"] == "main is unknown: rests on push"
    helps = [part["lines"] for part in pages[1]["facts"] if part["title"] == "What may help"]
    assert helps == [[f"sea-py pf --modular --entry main --timeout 300 {told.file}"]]
    assert pages[2]["run"]["steps"]


# ------------------------------------------------------------------------------- the command


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    done = sea_py("pf", "--report", tmp_path / "out", EXAMPLES / "counter_unsafe.c")
    assert f"report: {tmp_path}/out/index.html" in done.stdout
    read = data_of((tmp_path / "out" / "index.html").read_text())
    assert read["answer"] == "unsafe" and read["run"]["steps"]
    assert "(set-logic HORN)" in read["clauses"]


def test_who_may_have_to_answer_in_place_of_the_worker_writes_nothing_early() -> None:
    """A rehearsal must not write over what the worker has written."""
    chosen = {"report": Path("r"), "sarif": Path("s"), "junit": Path("j"), "files": ()}
    seen: list[dict[str, Any]] = []

    class Worker:
        def wait(self, warm: Any) -> None:
            warm()

    def voice(why: commands.Unanswered) -> str:
        seen.append(why.chosen)
        return ""

    example = commands.Unanswered(chosen, Journal(), "front end", "time limit")
    commands._awaited(Worker(), voice, example, 0.0, MOST_SECONDS)  # type: ignore[arg-type]
    assert seen == [{"files": ()}]
