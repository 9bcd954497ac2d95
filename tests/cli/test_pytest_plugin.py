"""The plug-in of pytest, in runs of pytest below this one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_check import SAFE, UNSAFE

from seahorn_py.cli.project import pytest_plugin

pytest_plugins = ["pytester"]

SEA_TOML = """
[defaults]
property = "unreach-call"
[[proof]]
name = "good"
sources = ["good.c"]
[[proof]]
name = "bad"
sources = ["bad.c"]
[[proof]]
name = "excused"
sources = ["bad.c"]
[[suppress]]
proof = "excused"
file = "*.c"
reason = "issue 7"
expires = 2999-01-01
[[suppress]]
proof = "bad"
file = "*.c"
reason = "issue 8"
expires = 2020-01-01
"""
TESTS = """
def test_of_python(verify):
    outcome = verify("bad.c", expected="unsafe", malloc_may_fail=True)
    assert outcome.findings[0].place.line == 3

def test_that_fails(verify):
    verify("bad.c")

def test_with_a_wrong_key(verify):
    verify("good.c", tmeout=3)
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    (pytester.path / "good.c").write_text(SAFE % "0")
    (pytester.path / "bad.c").write_text(UNSAFE)
    (pytester.path / "sea.toml").write_text(SEA_TOML)
    return pytester


@pytest.mark.full
def test_a_failure_shows_the_run_in_c(project: pytest.Pytester) -> None:
    done = project.runpytest_inprocess("-rx", "--junit-xml=a.xml")
    done.assert_outcomes(passed=1, failed=1, xfailed=1)
    done.stdout.fnmatch_lines(
        [
            "bad: expected safe, is unsafe: bad.c:3:3: reach_error() is reached",
            "trace: bad.c:3: main: reach_error();",
            "alone: sea-py pf --property=unreach-call bad.c",
            "expired: sea.toml:18: this suppression ended on 2020-01-01 (issue 8): mend*",
            "XFAIL sea.toml::excused - *issue 7*",
        ]
    )
    cases = ElementTree.parse(project.path / "a.xml").getroot().findall(".//testcase")
    told = {case.get("name"): [child.tag for child in case] for case in cases}
    assert told == {"good": [], "bad": ["failure"], "excused": ["skipped"]}
    last = project.runpytest_inprocess("--lf", "--collect-only", "-q")
    last.stdout.fnmatch_lines(["sea.toml::bad"])
    last.stdout.no_fnmatch_line("*sea.toml::good*")


def test_the_fixture(project: pytest.Pytester) -> None:
    project.makepyfile(TESTS)
    done = project.runpytest_inprocess("--deselect", "sea.toml")
    done.assert_outcomes(passed=1, failed=2, deselected=3)
    done.stdout.fnmatch_lines(
        [
            ">       verify(*bad.c*)",
            "E       Failed: proof: expected safe, is unsafe: bad.c:3:3: reach_error() is reached",
            "E       trace: bad.c:3: main: reach_error();",
            "E       Failed: verify(): proof.tmeout: unknown key, did you mean timeout?*",
        ]
    )
    done.stdout.no_fnmatch_line("*reading.py*")


def test_wrong_files_are_errors_of_collection(project: pytest.Pytester) -> None:
    (project.path / "sea.toml").write_text('[[proof]]\nname = "a"\nsources = ["b.c"]\n')
    done = project.runpytest_inprocess()
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["sea.toml:3: proof.sources: b.c: no such file*"])


@pytest.mark.full
def test_workers_of_xdist_run_proofs(project: pytest.Pytester) -> None:
    done = project.runpytest_subprocess("-n", "1", "-k", "good", "-p", "no:hypothesispytest")
    done.assert_outcomes(passed=1)


def test_the_plug_in_costs_nothing_without_a_file(tmp_path: Path) -> None:
    """All that it imports, beside pytest, are packages with nothing in them."""
    code = (
        "import sys, pytest; before = set(sys.modules);"
        f" import {pytest_plugin.__name__};"
        " print(*sorted(n for n in set(sys.modules) - before if n.count('seahorn_py')))"
    )
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True)
    packages = "seahorn_py seahorn_py.base seahorn_py.base.version seahorn_py.cli"
    assert done.stdout.split() == [
        *packages.split(),
        "seahorn_py.cli.project",
        "seahorn_py.cli.project.pytest_plugin",
    ]
