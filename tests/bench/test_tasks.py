"""Task definitions, sets, folders, lists and programs become tasks; what is broken is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import EXAMPLES

from seahorn_py.bench.rows import Expected, Status, Verdict
from seahorn_py.bench.scoring import by_category, judge, normalised, tally
from seahorn_py.bench.tasks.sources import TaskList, Wanted, read_tasks
from seahorn_py.bench.tasks.task import Task

DEFINITION = """
format_version: '2.0'
input_files: 'foo.i'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: true
  - property_file: ../properties/valid-memsafety.prp
    expected_verdict: false
    subproperty: valid-deref
  - property_file: ../properties/termination.prp
options:
  language: C
  data_model: ILP32
"""

BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
BOMB += "format_version: *a59\n"
"""Its text, with all aliases written out, has 2^60 letters."""


def read(*sources: Path, wanted: Wanted | None = None, root: Path | None = None) -> TaskList:
    return read_tasks(sources, wanted or Wanted(), root)


def only(reading: TaskList) -> Task:
    (task,) = reading.tasks
    assert not reading.problems
    return task


def problem(reading: TaskList) -> str:
    (found,) = reading.problems
    assert not reading.tasks
    return str(found)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Two folders of tasks and the sets of them."""
    for name in ("loops/foo", "loops/bar", "arrays/foo"):
        file = tmp_path / "c" / f"{name}.yml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(DEFINITION)
    (tmp_path / "c" / "Loops.set").write_text("# all loops\n\nloops/*.yml\n")
    (tmp_path / "c" / "Both.set").write_text("arrays/*.yml\nloops/foo.yml\nnothing/*.yml\n")
    return tmp_path / "c"


def test_a_definition_has_a_task_for_each_property(collection: Path) -> None:
    reach, memory, end = read(collection / "loops" / "foo.yml").tasks
    assert reach == Task(
        name="loops/foo.yml",
        category="loops",
        folder=collection / "loops",
        files=("foo.i",),
        property_name="unreach-call",
        property_file=collection / "loops" / "../properties/unreach-call.prp",
        data_model="ILP32",
        expected=Expected.TRUE,
    )
    assert reach.id == "loops/foo.yml unreach-call ILP32"
    assert reach.paths == (collection / "loops" / "foo.i",)
    assert (memory.expected, memory.subproperty) == (Expected.FALSE, "valid-deref")
    assert end.expected is None


def test_sets_name_the_category_and_tasks_are_taken_once(collection: Path) -> None:
    wanted = Wanted(("unreach-call",))
    loops = read(collection / "Loops.set", wanted=wanted)
    assert [(t.name, t.category) for t in loops.tasks] == [
        ("loops/bar.yml", "Loops"),
        ("loops/foo.yml", "Loops"),
    ]
    both = read(collection / "Loops.set", collection / "Both.set", wanted=wanted)
    assert [(t.name, t.category) for t in both.tasks[2:]] == [("arrays/foo.yml", "Both")]
    assert list(map(str, both.problems)) == [
        f"{collection}/Both.set:3: nothing matches nothing/*.yml"
    ]


def test_folders_are_searched_for_definitions(collection: Path) -> None:
    (collection / "loops" / "witness.yml").write_text("- entry_type: invariant_set\n")
    (collection / "loops" / "foo.i").touch()
    names = [task.name for task in read(collection, wanted=Wanted(("termination",))).tasks]
    assert names == ["arrays/foo.yml", "loops/bar.yml", "loops/foo.yml"]


def test_programs_state_their_verdict(tmp_path: Path) -> None:
    safe = only(read(EXAMPLES / "counter_safe.c"))
    assert (safe.expected, safe.property_name) == (Expected.TRUE, "unreach-call")
    overrun = only(read(EXAMPLES / "heap_overrun_unsafe.c"))
    assert (overrun.expected, overrun.property_name) == (Expected.FALSE, "valid-memsafety")
    other = only(read(EXAMPLES / "counter_safe.c", wanted=Wanted(("no-overflow",))))
    assert (other.expected, other.property_name) == (None, "no-overflow")


def test_property_files_choose_by_name_and_are_what_programs_are_asked(collection: Path) -> None:
    wanted = Wanted((str(collection / "x" / "termination.prp"),))
    assert [t.property_name for t in read(collection / "loops", wanted=wanted).tasks] == [
        "termination",
        "termination",
    ]
    asked = only(read(EXAMPLES / "counter_safe.c", wanted=wanted))
    assert asked.property_file == collection / "x" / "termination.prp"


def test_lists(tmp_path: Path) -> None:
    lines = [
        {"file": "a.c", "expected": True, "arch": "32bit", "category": "loops"},
        {"file": "a.c", "expected": False, "arch": "64bit", "property": "no-overflow"},
        {"file": "b.c", "extra_files": ["c.c"], "expected": "unsupported"},
        {"file": "d.smt2", "expected": "unsat", "track": "LIA"},
    ]
    file = tmp_path / "x.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    tasks = read(file, root=tmp_path / "root").tasks
    assert [(t.id, t.category, t.expected) for t in tasks] == [
        ("a.c unreach-call ILP32", "loops", Expected.TRUE),
        ("a.c no-overflow LP64", "x", Expected.FALSE),
        ("b.c unreach-call", "x", Expected.UNSUPPORTED),
        ("d.smt2 chc", "LIA", Expected.UNSAT),
    ]
    assert tasks[2].paths == (tmp_path / "root" / "b.c", tmp_path / "root" / "c.c")
    assert tasks[3].is_horn


def test_other_tasks_of_one_name_are_numbered(tmp_path: Path) -> None:
    for folder in ("one/x", "two/x"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.c").touch()
    reading = read(*(tmp_path / folder / "x" for folder in ("one", "two", "one")))
    assert [task.name for task in reading.tasks] == ["x/a.c", "x/a.c#2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "not YAML: "),
        ("- a", "not a task definition: no format_version"),
        ("format_version: '3.0'", "format_version is not known; known: 1.0, 2.0, 2.1"),
        ("format_version: 2.0", "input_files is not a file or a list of files"),
        ("{format_version: 2.0, input_files: [1]}", "input_files is not a file or a list of files"),
        ("{format_version: 2.0, input_files: a.c}", "no properties"),
        ("{format_version: 2.0, input_files: a.c, properties: x}", "properties is not a list"),
        (
            "{format_version: 2.0, input_files: a.c, properties: [{}]}",
            "a property without property_file",
        ),
        (
            "{format_version: 2.0, input_files: a.c,"
            " properties: [{property_file: p.prp, expected_verdict: maybe}]}",
            "p.prp: expected_verdict is not true or false",
        ),
        (
            "{format_version: 2.0, input_files: a.c, properties: [], options: {data_model: LP}}",
            "options: data_model is not ILP32 or LP64",
        ),
        ("[" * 5000, "not YAML: "),
        ("\0", "not YAML: "),
        ("!!timestamp x", "not YAML: AttributeError"),
        ("!!int ''", "not YAML: IndexError"),
        ("!!bool x", "not YAML: KeyError"),
        (
            "{format_version: 2.0, input_files: a.c,"
            " properties: [{property_file: chc.prp, expected_verdict: true}]}",
            "chc.prp: the property chc is one of Horn systems (.smt2)",
        ),
        (BOMB, "format_version is not known"),
    ],
)
def test_broken_definitions(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "a.yml"
    file.write_text(text)
    assert said in problem(read(file))


def test_one_broken_property_costs_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_text(DEFINITION.replace("expected_verdict: true", "expected_verdict: 1"))
    reading = read(file)
    assert [t.property_name for t in reading.tasks] == ["valid-memsafety", "termination"]
    assert "expected_verdict is not true or false" in str(reading.problems[0])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "x.jsonl:2: not JSON: "),
        ("[]", "x.jsonl:2: not an object"),
        ("{}", "x.jsonl:2: no file in the task"),
        ('{"file": 1}', "x.jsonl:2: file is not a text"),
        ('{"file": "a", "extra_files": "b"}', "x.jsonl:2: extra_files is not a list of files"),
        ('{"file": "a", "arch": "16bit"}', "x.jsonl:2: arch 16bit is not 32bit or 64bit"),
        ('{"file": "a", "expected": 1}', "x.jsonl:2: expected 1 is not true, false, sat"),
        ('{"file": "a", "expected": []}', "x.jsonl:2: expected [] is not true, false, sat"),
        ('{"file": "a.c", "expected": "sat"}', "x.jsonl:2: expected is sat, not true or false"),
        ('{"file": "a.smt2", "expected": true}', "x.jsonl:2: expected is true, not sat or unsat"),
        ('{"file": "a.c", "property": "chc"}', "x.jsonl:2: the property chc is one of Horn"),
        ('{"file": "a\u2028.c", "property": 1}', "x.jsonl:2: property is not a text"),
    ],
)
def test_broken_lines(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(f'{{"file": "good.c"}}\n{line}\n')
    reading = read(file)
    assert [task.name for task in reading.tasks] == ["good.c"]
    assert said in str(reading.problems[0])


def test_null_is_nothing(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    names = ("property", "expected", "arch", "category", "extra_files", "subproperty")
    file.write_text(json.dumps({"file": "a.c", **dict.fromkeys(names)}))
    assert only(read(file)).id == "a.c unreach-call"


def test_a_mark_of_the_byte_order_is_no_part_of_a_list(tmp_path: Path) -> None:
    (tmp_path / "a.c").touch()
    (tmp_path / "x.set").write_text("a.c\n", encoding="utf-8-sig")
    (tmp_path / "x.jsonl").write_text('{"file": "a.c"}', encoding="utf-8-sig")
    assert only(read(tmp_path / "x.set")).files == ("a.c",)
    assert only(read(tmp_path / "x.jsonl")).files == ("a.c",)


def test_many_tasks_of_one_name(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}" / "x").mkdir(parents=True)
        (tmp_path / f"{number:03}" / "x" / "a.smt2").touch()
    names = [task.name for task in read(tmp_path).tasks]
    assert names == ["x/a.smt2", *(f"x/a.smt2#{number}" for number in range(2, 301))]


def test_what_is_no_task(tmp_path: Path) -> None:
    assert problem(read(tmp_path / "x.yml")).endswith("x.yml: no such file or folder")
    assert problem(read(tmp_path)).endswith("no tasks in this folder")
    assert problem(read(tmp_path / ("x" * 5000))).endswith(": no such file or folder")
    (tmp_path / "x.txt").touch()
    assert "not a task; known are folders and .yml" in problem(read(tmp_path / "x.txt"))
    (tmp_path / "x.set").write_bytes(b"\xff\xfe")
    assert "cannot read: not a text file" in problem(read(tmp_path / "x.set"))


@pytest.mark.parametrize(
    ("verdict", "expected", "status", "score"),
    [
        (Verdict.TRUE, Expected.TRUE, Status.CORRECT, 2),
        (Verdict.FALSE, Expected.FALSE, Status.CORRECT, 1),
        (Verdict.TRUE, Expected.FALSE, Status.WRONG, -32),
        (Verdict.FALSE, Expected.TRUE, Status.WRONG, -16),
        (Verdict.UNKNOWN, Expected.TRUE, Status.UNKNOWN, 0),
        (Verdict.NONE, Expected.FALSE, Status.UNKNOWN, 0),
        (Verdict.TRUE, None, Status.UNSCORED, 0),
        (Verdict.NONE, None, Status.UNKNOWN, 0),
        (Verdict.SAT, Expected.SAT, Status.CORRECT, 1),
        (Verdict.UNSAT, Expected.SAT, Status.WRONG, -32),
        (Verdict.TRUE, Expected.UNSUPPORTED, Status.WRONG, -32),
        (Verdict.NONE, Expected.UNSUPPORTED, Status.CORRECT, 0),
    ],
)
def test_scores(verdict: Verdict, expected: Expected | None, status: Status, score: int) -> None:
    assert judge(verdict, expected) == (status, score)


def test_an_alarm_must_name_the_right_part() -> None:
    found = Verdict.FALSE, Expected.FALSE
    assert judge(*found, "valid-free", "valid-deref") == (Status.UNKNOWN, 0)
    assert judge(*found, "", "valid-deref") == (Status.UNKNOWN, 0)
    assert judge(*found, "valid-deref", "valid-deref") == (Status.CORRECT, 1)
    assert judge(*found, "valid-deref", "") == (Status.CORRECT, 1)


def test_nothing_has_no_score() -> None:
    assert tally([]).score == 0
    assert by_category([]) == {}
    assert normalised([]) == 0.0
