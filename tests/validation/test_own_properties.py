"""Witnesses of rules of use, and of properties that SV-COMP has no formula for."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import EXAMPLES, sea_py

from seahorn_py.options import Property
from seahorn_py.properties import NAMED
from seahorn_py.witness.fields import specification, specified

STRTOK = """#include <string.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  char text[] = "a,b";
  if (__VERIFIER_nondet_int() > 3)
    strtok(text, ",");
  strtok(0, ",");
  return 0;
}
"""
DIVISION = """extern int __VERIFIER_nondet_int(void);
int main(void) {
  int by = __VERIFIER_nondet_int();
  return 7 / by;
}
"""
DOOR, DOORS = EXAMPLES / "rules" / "door.yml", EXAMPLES / "rules" / "door.c"


def last(*arguments: str | Path) -> str:
    """The last line of the output, or of the errors."""
    done = sea_py(*arguments)
    return (done.stdout or done.stderr).splitlines()[-1]


@pytest.mark.parametrize("asked", [p for p in NAMED if p is not Property.VALID_MEMSAFETY])
def test_a_property_is_read_as_it_is_written(asked: Property) -> None:
    assert specified(specification(frozenset({asked}))) == (frozenset({asked}), ())


def test_rules_are_read_as_they_are_written() -> None:
    asked = frozenset({Property.RULE}), ("door", "linux_mutex")
    assert specified(specification(*asked)) == asked


@pytest.mark.parametrize("ending", ["yml", pytest.param("graphml", marks=pytest.mark.full)])
def test_a_violation_of_a_rule_is_confirmed_and_of_another_refused(
    tmp_path: Path, ending: str
) -> None:
    source, witness = tmp_path / "a.c", tmp_path / f"w.{ending}"
    source.write_text(STRTOK)
    assert last("pf", "--rule", "heap", "--rule", "strtok", "--witness", witness, source) == "sat"
    assert "LTL(G ! violates(strtok))" in witness.read_text()
    assert last("validate", witness, source) == "confirmed"
    assert "it is about another rule: strtok" in last("validate", "--rule", "heap", witness, source)
    refused = last("validate", "--property", "no-overflow", witness, source)
    assert "it is about another property: rule" in refused


@pytest.mark.full
def test_the_file_of_a_rule_is_asked_for(tmp_path: Path) -> None:
    witness = tmp_path / "w.yml"
    assert last("pf", "-DBUG", "--rule", DOOR, "--witness", witness, DOORS) == "sat"
    refused = last("validate", "-DBUG", witness, DOORS)
    assert "the file of the rule door is missing: --rule FILE" in refused
    assert last("validate", "-DBUG", "--rule", DOOR, witness, DOORS) == "confirmed"
    assert last("validate", "--rule", DOOR, witness, DOORS) != "confirmed"


@pytest.mark.full
def test_a_proof_of_a_rule_is_confirmed(tmp_path: Path) -> None:
    witness = tmp_path / "w.yml"
    assert last("pf", "--rule", DOOR, "--witness", witness, DOORS) == "unsat"
    assert last("validate", "--rule", DOOR, witness, DOORS) == "confirmed"


def test_a_division_by_zero_is_confirmed(tmp_path: Path) -> None:
    source, witness = tmp_path / "a.c", tmp_path / "w.yml"
    source.write_text(DIVISION)
    assert last("pf", "--property", "div-by-zero", "--witness", witness, source) == "sat"
    assert last("validate", witness, source) == "confirmed"
