"""The documentation: it builds, and its commands, Python lines, programs and schema are true."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
from command import EXAMPLES, ROOT, sea_py
from models import holds
from programs import (
    FAIL,
    Branch,
    Predicate,
    Return,
    bit,
    block,
    compare,
    const,
    endings,
    function,
    program,
    read,
    reg,
)
from shown import Results, commands_of, ends_well, results_in

from seahorn_py.engines.engine import Budget
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.text.chcfiles import read_horn
from seahorn_py.ir.printer import print_function
from seahorn_py.ir.verifier import verify
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown

pytestmark = pytest.mark.all_variants

DOCS = ROOT / "docs"
TUTORIAL = sorted((DOCS / "tutorial").glob("*.md"))
HOW_TO = sorted((DOCS / "how-to").glob("*.md"))
PAGES = [page for page in (*TUTORIAL, *HOW_TO) if commands_of(page)]
NAME = re.compile(r"`(seahorn_py(?:\.\w+)+)`")
PATH = re.compile(r"`((?:seahorn_py|frontend|tests|scripts|c_examples)/[\w./-]+)`")
EXAMPLES_OF_HOW_TO = {"seahorn_py/engines/unreached.py", "seahorn_py/passes/ordered.py"}


def code(page: Path, language: str) -> list[str]:
    """The blocks of a language in a page."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return results_in(tmp_path_factory.mktemp("checkout"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands(page: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """In their order, in one folder: later ones may use what earlier ones wrote."""
    results = results_in(tmp_path)
    is_full = pytestconfig.getoption("--full")
    for shown in (one for one in commands_of(page) if is_full or not one.is_long):
        done = results.of(shown.command)
        assert ends_well(done), (shown.command, done.stderr)
        assert shown.matches(done.stdout), (shown.command, done.stdout)


def test_programs_of_the_tutorial_are_those_of_the_examples() -> None:
    texts = [file.read_text() for file in EXAMPLES.glob("*.c")]
    shown = [part for page in TUTORIAL for part in code(page, "c")]
    assert shown
    assert [part for part in shown if not any(part in text for text in texts)] == []


def test_use_from_python(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for lines in code(DOCS / "how-to" / "use-from-python.md", "python"):
        exec(compile(lines, "use-from-python.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "counter_unsafe.c:14:9 [" in printed
    assert "(set-logic HORN)" in printed


def test_debugging_from_pass_to_pass(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (lines,) = code(DOCS / "how-to" / "debug-a-wrong-answer.md", "python")
    exec(compile(lines, "debug-a-wrong-answer.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) > 5
    assert [line for line in printed if not line.endswith(": failed")] == []


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda p: str(p.relative_to(DOCS)))
def test_modules_and_files_that_are_named_exist(page: Path) -> None:
    text = page.read_text()
    assert [name for name in NAME.findall(text) if not _exists(name)] == []
    files = set(PATH.findall(text)) - EXAMPLES_OF_HOW_TO
    assert [name for name in files if not (ROOT / name).exists()] == []


def _exists(name: str) -> bool:
    """Whether the dotted name is a module, or something in one."""
    try:
        if importlib.util.find_spec(name) is not None:
            return True
    except ModuleNotFoundError:
        pass
    module, _, last = name.rpartition(".")
    found = importlib.util.find_spec(module)
    return found is not None and hasattr(import_module(module), last)


def recipe(name: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the module defines that a recipe writes."""
    (text,) = (part for part in code(DOCS / "how-to" / name, "python") if part[:3] == '"""')
    module = ModuleType("recipe")
    monkeypatch.setitem(sys.modules, "recipe", module)  # where dataclasses look up annotations
    exec(compile(text, name, "exec"), module.__dict__)
    return module.__dict__


UNREACHED = """
(set-logic HORN)
(declare-fun P (Int) Bool)
(declare-fun Q (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (P x))))
(assert (forall ((x Int)) (=> (and (Q x) (P x)) (Q (+ x 1)))))
(assert (forall ((x Int)) (=> (%s x) false)))
"""


def test_the_recipe_of_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = recipe("add-an-engine.md", monkeypatch)["Unreached"]()
    system = read_horn(UNREACHED % "Q", "recipe")
    verdict = engine.solve(system, Budget(Deadline.after(5)))
    assert isinstance(verdict, Safe)
    deadline = Deadline.after(60)
    assert check_proof(system, verdict.proof, finder=verdict.finder, deadline=deadline).ok
    reached = engine.solve(read_horn(UNREACHED % "P", "recipe"), Budget(Deadline.after(5)))
    assert isinstance(reached, Unknown)


def test_the_recipe_of_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    order_comparisons = recipe("add-a-pass.md", monkeypatch)["order_comparisons"]
    main = function(
        "main",
        block(
            "entry",
            read("x", 1),
            compare("c", Predicate.SLT, const(5), reg("x")),
            Branch(bit("c"), "fail", "end"),
        ),
        block("fail", FAIL),
        block("end", Return(())),
    )
    before = program(main)
    after = order_comparisons(before)
    assert verify(after) == ()
    assert "sgt i32 %x, 5" in print_function(after.functions["main"])
    runs = endings(before, after, seed=1, runs=30)
    assert runs and all(a == b for a, b in runs)


def test_the_recipe_of_a_model() -> None:
    """The model, as a part of the program, does what the page says."""
    model, _ = code(DOCS / "how-to" / "add-a-library-model.md", "c")
    own = re.sub(r"\bmemfrob\b", "invert", re.sub(r"^.*claim_.*\n", "", model, flags=re.MULTILINE))
    holds(
        f"typedef unsigned char byte; {own}"
        'int main(void) { char a[4] = "abc"; CHECK(invert(a, 2) == a && !strcmp(a, "KHc"));'
        ' invert(a, 0); invert(a, 2); CHECK(!strcmp(a, "abc")); }'
    )


SCHEMA = json.loads((DOCS / "reference" / "result.schema.json").read_text())
OUTPUTS = {
    "safe": ["--show-invars", "--all-checks", "c_examples/recursion_safe.c"],
    "unsafe": ["--all-checks", "c_examples/two_checks_unsafe.c"],
    "unknown": ["--engine", "bmc", "--bound", "2", "c_examples/counter_safe.c"],
}


@pytest.mark.parametrize("verdict", OUTPUTS)
def test_schema(verdict: str, results: Results) -> None:
    found = json.loads(sea_py("pf", "--json", *OUTPUTS[verdict], cwd=results.folder).stdout)
    assert found["verdict"] == verdict
    jsonschema.Draft202012Validator(SCHEMA).validate(found)


def test_schema_refuses_what_is_something_else(results: Results) -> None:
    given = sea_py("pf", "--json", *OUTPUTS["unknown"], cwd=results.folder).stdout
    found = json.loads(given)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    wrong = [
        {"verdict": "maybe"},
        {"stage": "later"},
        {"more": 1},
        {"attempts": [{"place": "int"}]},
    ]
    assert not [change for change in wrong if validator.is_valid(found | change)]


def test_every_field_is_told() -> None:
    told = set(re.findall(r"`(\w+)`", (DOCS / "reference" / "json.md").read_text()))
    assert set(SCHEMA["properties"]) <= told


def test_the_site_builds(tmp_path: Path) -> None:
    """Every link leads somewhere, every page of the navigation is there, and nothing is fetched."""
    pytest.importorskip(
        "mkdocs", reason="the extra docs is not installed: pip install -e '.[docs]'"
    )
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(site)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    pages = {str(page.relative_to(site)): page.read_text() for page in site.rglob("*.html")}
    assert "Usage: sea-py bench diff " in pages["reference/commands.html"]
    assert "Usage: sea-py validate " in pages["reference/commands.html"]
    assert "malloc_may_fail" in pages["reference/python.html"]
    fetched = re.compile(r"<(?:script|link|img)[^>]*(?:src|href)=\"?https?://", re.IGNORECASE)
    assert [name for name, text in pages.items() if fetched.search(text)] == []
