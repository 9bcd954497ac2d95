"""BenchExec runs `sea-py` by its tool-info module, and its tables agree with ours."""

from __future__ import annotations

import csv
import importlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import ROOT, sea_py

from seahorn_py.base.errors import Stage
from seahorn_py.bench.report.columns import answer, read_results
from seahorn_py.bench.rows import Row
from seahorn_py.cli.commands.svcomp import answer_lines
from seahorn_py.result import Answer, VerificationResult, Violation

pytest.importorskip("benchexec", reason="BenchExec is not installed")
toolinfo = importlib.import_module("seahorn_py.bench.toolinfo")
template = importlib.import_module("benchexec.tools.template")
util = importlib.import_module("benchexec.util")

FOLDER = ROOT / "docs" / "benchexec"
SCRIPTS = Path(sys.executable).parent
TOOL = toolinfo.Tool()
NO_CGROUPS = re.compile(
    "Required cgroups|cgroup subsystems were required|not able to use cgroups|delegate all cgroups"
)
"""What BenchExec says where it has no rights on cgroups."""

FAKE = """#!/bin/sh
# answers by the name of the file and the property; some answers are wrong on purpose
says() { echo "BRUNCH_STAT Result $1"; }
fails() { says FALSE; echo "BRUNCH_STAT Property $1"; echo "false($1)"; exit 1; }
property=$(echo "$*" | sed 's:.*/\\([a-z-]*\\)[.]prp.*:\\1:')
case "$*" in
--version) echo "sea-py, version 0.0";;
*no-overflow*counter_safe*) echo "sea-py: error: not this one" >&2; exit 2;;
*mask_safe*) fails unreach-call;;
*mccarthy91*) says UNKNOWN; echo unknown; exit 3;;
*recursion_unsafe*) says TRUE; echo true;;
*two_counters*) kill -SEGV $$;;
*heap_overrun*) fails valid-free;;
*_unsafe*) fails "$property";;
*) says TRUE; echo true;;
esac
"""
FAKE_SCORE = 2 + 1 - 16 + 0 - 32 + 0 + 1 + 0 + 1 + 0 + 2


def task(*files: str, **facts: Any) -> Any:
    return template.BaseTool2.Task.with_files(files or ("a.c",), **facts)


def limits(**given: Any) -> Any:
    return template.BaseTool2.ResourceLimits(**given)


def result(*lines: str, code: int = 0, signal: int | None = None, tool: Any = TOOL) -> str:
    ended = util.ProcessExitCode.create(value=None if signal else code, signal=signal)
    output = template.BaseTool2.RunOutput([f"{line}\n" for line in lines])
    return str(tool.determine_result(template.BaseTool2.Run([], ended, output, None)))


# ---------------------------------------------------------------- the module


def test_the_command_of_a_task() -> None:
    facts = {"property_file": "p.prp", "options": {"language": "C", "data_model": "ILP32"}}
    given = limits(cputime=900, walltime=1000, memory=15_000 << 20, cpu_cores=4)
    assert TOOL.cmdline("sea-py", ["--jobs", "3"], task("a.i", "b.c", **facts), given) == [
        *("sea-py", "svcomp", "--jobs", "4", "--timeout", "225", "--memory", "13500"),
        *("-m32", "--spec", "p.prp", "--jobs", "3", "--", "a.i", "b.c"),
    ]
    assert TOOL.cmdline("sea-py", [], task(), limits()) == [
        *("sea-py", "svcomp", "--jobs", "2", "--", "a.c")
    ]
    assert "--timeout 60 " in " ".join(TOOL.cmdline("x", [], task(), limits(walltime=60)))


@pytest.mark.parametrize(
    "options",
    [{"language": "Java"}, {"data_model": "LLP64"}, {"witness_input_file": "witness.yml"}],
)
def test_tasks_that_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(template.UnsupportedFeatureException):
        TOOL.cmdline("sea-py", [], task(options=options), limits())


def test_what_the_output_means() -> None:
    assert result("BRUNCH_STAT Result TRUE", "safe: no run reaches an error", "unsat") == "true"
    found = ("BRUNCH_STAT Result FALSE", "BRUNCH_STAT Property valid-deref", "sat")
    assert result(*found, code=1) == "false(valid-deref)"
    assert result("BRUNCH_STAT Result UNKNOWN", "unknown", code=3) == "unknown"
    assert result("sea-py: error: a.c: no such file", code=2) == "ERROR (refused)"
    assert result("BRUNCH_STAT Resu", signal=9) == "ERROR (signal 9)"
    assert result(code=5) == "ERROR (exit code 5)"
    assert result("trace: BRUNCH_STAT Result TRUE", code=3) == "ERROR (exit code 3)"


def test_columns() -> None:
    lines = ["unknown: a", "unknown: solve: <time> limit"]
    assert TOOL.get_value_from_output(lines, "unknown") == "solve: &lt;time&gt; limit"
    assert TOOL.get_value_from_output(lines, "safe") is None


def test_benchexecs_own_test_of_such_modules(tmp_path: Path) -> None:
    module = ("seahorn_py.bench.toolinfo", "--tool-directory", fake(tmp_path), "--no-container")
    command = [sys.executable, "-m", "benchexec.test_tool_info", *map(str, module)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "Version: “0.0”" in done.stderr
    assert "does not support" not in done.stderr
    assert "'--timeout', '450', '-m32', '--spec', 'PROPERTY.PRP'" in done.stderr


def test_the_older_module_for_seahorn_understands_svcomp(tmp_path: Path) -> None:
    old = importlib.import_module("benchexec.tools.seahorn").Tool()
    wrapper = tmp_path / "bin" / "sea_svcomp"
    wrapper.parent.mkdir()
    wrapper.write_text('#!/bin/sh\nexec sea-py svcomp "$@"\n')
    wrapper.chmod(0o755)
    command = old.executable(template.BaseTool2.ToolLocator(tool_directory=str(tmp_path)))
    words = old.cmdline(command, ["-m32"], task("a.c", property_file="p.prp"), limits())
    assert words == [str(wrapper), "-m32", "--spec=p.prp", "a.c"]
    unsafe = VerificationResult(Answer.UNSAFE, violation=Violation("no-overflow", "", None, ()))
    for answered, word in (
        (VerificationResult(Answer.SAFE), "true"),
        (unsafe, "false(unreach-call)"),
        (VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit"), "FAILURE"),
    ):
        lines = "\n".join(answer_lines(answered)).splitlines()
        assert result(*lines, tool=old) == word


# ---------------------------------------------------------------- real runs


def fake(folder: Path) -> Path:
    """A folder with a `sea-py` that only pretends."""
    command = folder / "bin" / "sea-py"
    command.parent.mkdir()
    command.write_text(FAKE)
    command.chmod(0o755)
    return folder


def run_benchexec(tool: Path, folder: Path, *options: str) -> int:
    """Run the examples; the score that BenchExec tells."""
    where = ("--no-container", "--tool-directory", tool, "-o", f"{folder / 'out'}/")
    command = [SCRIPTS / "benchexec", FOLDER / "sea-py.xml", *where, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode and NO_CGROUPS.search(done.stderr):
        pytest.skip(f"BenchExec cannot use cgroups here: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    score = re.search(r"Score: +(-?\d+)", done.stdout)
    assert score is not None, done.stdout
    return int(score[1])


def table(folder: Path) -> dict[tuple[str, str], str]:
    """What BenchExec's table says of each task definition and property."""
    files = sorted(folder.glob("out/*.xml.bz2"))
    command = [SCRIPTS / "table-generator", "-f", "csv", "-n", "table", "-o", folder, *files]
    subprocess.run(command, capture_output=True, check=True, cwd=folder)
    with (folder / "table.table.csv").open() as stream:
        lines = list(csv.reader(stream, delimiter="\t"))
    statuses = [number for number, title in enumerate(lines[2]) if title == "status"]
    return {(line[0], line[1]): "".join(line[number] for number in statuses) for line in lines[3:]}


def ours(folder: Path, *options: str) -> Sequence[Row]:
    """The rows of our own run of the same tasks."""
    found = folder / "results.jsonl"
    sea_py("bench", str(FOLDER / "tasks"), "-o", str(found), "--jobs", "1", *options)
    (column,) = read_results([found]).columns
    return list(column.rows.values())


def disagreements(table: dict[tuple[str, str], str], rows: Sequence[Row]) -> Iterator[str]:
    """Where the answers differ; errors and unknowns are the same to the score."""
    assert len(table) == len(rows)
    for row in rows:
        name = row.task.split()[0].rpartition("/")[2]
        answers = [table[name, row.property], answer(row)]
        plain = [text.removesuffix(f"({row.property})") for text in answers]
        if plain[0] != plain[1] and any(text.startswith(("true", "false")) for text in plain):
            yield f"{row.task}: {answers[0]}, but {answers[1]}"


@pytest.mark.full
def test_tables_agree_also_on_what_is_wrong(tmp_path: Path) -> None:
    tool = fake(tmp_path)
    assert run_benchexec(tool, tmp_path) == FAKE_SCORE
    command = shlex.join([str(tool / "bin" / "sea-py"), "svcomp"])
    rows = ours(tmp_path, "--tool", f"{command} --spec {{property_file}} -- {{file}}")
    assert list(disagreements(table(tmp_path), rows)) == []
    assert sum(row.score for row in rows) == FAKE_SCORE


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_tables_agree_on_the_examples(tmp_path: Path) -> None:
    score = run_benchexec(SCRIPTS.parent, tmp_path)
    assert sorted(path.suffix for path in tmp_path.glob("witness.*")) == [
        *[".graphml"] * 11,
        *[".yml"] * 11,
    ]
    rows = ours(tmp_path)
    assert list(disagreements(table(tmp_path), rows)) == []
    assert sum(row.score for row in rows) == score == 17


# ---------------------------------------------------------------- the description for fm-tools


def test_the_description_has_what_fm_tools_requires() -> None:
    entry = yaml.safe_load((FOLDER / "sea-py.yml").read_text())
    required = {
        *("id", "name", "input_languages", "project_url", "spdx_license_identifier"),
        *("benchexec_toolinfo_module", "fmtools_format_version", "fmtools_entry_maintainers"),
        *("maintainers", "versions", "competition_participations", "techniques"),
        *("frameworks_solvers", "literature"),
    }
    assert required - set(entry) == set()
    assert entry["id"] == "sea-py"
    assert entry["fmtools_format_version"] == "2.0"
    for maintainer in entry["maintainers"]:
        assert set(maintainer) == {"orcid", "name", "institution", "country", "url"}
        assert re.fullmatch(r"(\d{4}-){3}\d{3}[\dX]", maintainer["orcid"])
    for version in entry["versions"]:
        assert {"version", "benchexec_toolinfo_options", "required_ubuntu_packages"} <= set(version)
        assert ("doi" in version) != ("url" in version)
        assert all(isinstance(o, str) for o in version["benchexec_toolinfo_options"])
    assert importlib.import_module(entry["benchexec_toolinfo_module"]) is toolinfo
