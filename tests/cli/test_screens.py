"""What people see of ten common bugs: golden files, to be read as someone who never saw the tool.

Each program says in its first line what is wrong with it.  `pytest --rewrite-golden` writes the
screens anew.  Lines that say who found the run first are left out: they depend on the machine.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

from seahorn_py.cli.screen.answer import as_text
from seahorn_py.options import EngineName, FrontendOptions, Property, VerifyOptions
from seahorn_py.verification.pipeline import verify

FOLDER = Path(__file__).parent / "screens"
ASKED = {
    "division": Property.DIV_BY_ZERO,
    "double_free": Property.VALID_FREE,
    "endless_loop": Property.TERMINATION,
    "null_check": Property.NULL_DEREF,
    "off_by_one": Property.VALID_DEREF,
    "size_overflow": Property.VALID_DEREF,
    "state_machine": Property.UNREACH_CALL,
    "uninitialised": Property.UNINIT,
    "unlock": Property.UNREACH_CALL,
    "use_after_free": Property.VALID_DEREF,
}
SLOW = {"size_overflow"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.full if n in SLOW else ()) for n in ASKED]
)
def test_screens(name: str, pytestconfig: pytest.Config) -> None:
    asked = ASKED[name]
    engines = () if asked is Property.TERMINATION else (EngineName.EXECUTE,)
    options = VerifyOptions(
        FrontendOptions(properties=frozenset({asked})), engines=engines, minimise=10, timeout=400
    )
    with contextlib.chdir(FOLDER):
        text = as_text(verify([Path(f"{name}.c")], options), False)
    found = [line for line in text.splitlines() if not line.startswith("evidence: ")]
    found = [_steady(line, asked) for line in found]
    shown = "\n".join(found) + "\n"
    golden = FOLDER / f"{name}.txt"
    if pytestconfig.getoption("--rewrite-golden"):
        golden.write_text(shown)
    assert golden.read_text() == shown


def _steady(line: str, asked: Property) -> str:
    """A line without numbers that depend on how fast the machine is."""
    if asked is Property.TERMINATION:
        return re.sub(r"= (-?\d+|'\d')", "= N", line)
    return re.sub(r"( reads) .*", r"\1 N", line)
