"""Rules as texts: what is read, and what is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from seahorn_py.base.errors import InputError
from seahorn_py.frontend.rules.automaton import When
from seahorn_py.frontend.rules.known import names, pack, rule
from seahorn_py.frontend.rules.rulefiles import rule_of
from seahorn_py.frontend.rules.spc import automata_of

pytestmark = pytest.mark.all_variants

ROOT = Path(__file__).parents[3]
FILES = sorted((ROOT / "frontend" / "rules" / "pack").glob("*.yml"))
SCHEMA = json.loads((ROOT / "docs" / "reference" / "rule.schema.json").read_text())
GOOD = "rule: one\nstates: [a, b]\non:\n  - enter: f(x)\n    in: a\n    to: b\n"


class Plain(yaml.SafeLoader):
    """YAML in which on and off are texts."""


Plain.yaml_implicit_resolvers = {
    key: [(tag, pattern) for tag, pattern in known if not tag.endswith(":bool") or key in "tf"]
    for key, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_of_the_pack_fits_the_schema_and_has_a_page(file: Path) -> None:
    jsonschema.validate(yaml.load(file.read_text(), Plain), SCHEMA)
    known = pack()[file.stem]
    assert known.page
    assert "Source: " in known.page or "POSIX" in known.page
    assert "\n" not in known.about


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace("to: b", "to: c"), "here:4: there is no state c"),
        (GOOD.replace("enter", "entr"), "here:4: unknown key entr (meant: enter?)"),
        (GOOD.replace("enter: f(x)", "enter: f(1)"), "here:4: 1: a parameter is bound to a name"),
        (GOOD.replace("enter: f(x)", "enter: f"), "here:4: f: expected f(a, b) = result"),
        (GOOD.replace("    to: b", "    new: true"), "here:4: new: the event does not bind"),
        (GOOD.replace("rule: one", "rule: 1 2"), "here:1: 1 2: expected a name"),
        (GOOD.replace("[a, b]", "[a, a]"), "here:2: expected states with different names"),
        (GOOD + "nothing: -1\n", "here:7: nothing: there is no object without per"),
        (GOOD + "pattern: {never: f}\n", "a rule needs the key on, or the key pattern"),
        ("rule: one\npattern: {never: f, and: g}\n", "here:2: expected the keys of one pattern"),
        ("rule: one\npattern: {neve: f}\n", "unknown key neve (meant: never?)"),
        ("rule: one\nper: x\npattern: {never: f}\n", "here:2: per: a pattern needs names alone"),
        ("rule: [", "here: no YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        rule_of(text, "here")
    assert message in str(caught.value)


def test_a_pattern_with_an_end_watches_the_end() -> None:
    (automaton,) = rule_of("rule: once\npattern: {at-least-once: f}\n", "here").automata
    assert [t.event.when for t in automaton.transitions] == [When.ENTER, When.END]


def test_all_stands_for_the_pack_and_a_name_is_known() -> None:
    assert set(names(("all",))) == {file.stem for file in FILES}
    assert rule("heap").name == "heap"


SPC = """OBSERVER AUTOMATON own
LOCAL int depth = 0;
LOCAL set<string> held = [];
INITIAL STATE First;
STATE USEFIRST First :
  MATCH {enter($1)} -> DO depth=depth+1 DO held[$1]=true GOTO First;
  MATCH {$1 = leave($2)} -> ASSUME {$1; $$held[$2]} GOTO First;
  MATCH {stop($?)} && (depth != 0) -> ERROR("still inside");
  MATCH EXIT -> STOP;
END AUTOMATON
"""


def test_an_automaton_is_read() -> None:
    (automaton,) = automata_of(SPC, "own.spc").automata
    assert [ghost.name for ghost in automaton.ghosts] == ["depth", "held"]
    entered, left, stopped, ended, *_ = automaton.transitions
    assert entered.actions == ("depth = depth+1;", "add(held, joker1);")
    assert "in(held, joker2)" in left.guard
    assert stopped.error == "still inside"
    assert ended.blocks


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("GOTO First;\n  MATCH {$1", "GOTO Second;\n  MATCH {$1", "own.spc:6: there is no state"),
        ("LOCAL int", "LOCAL float", "own.spc:2: a variable of the type float"),
        ("END AUTOMATON", "", "own.spc:11: the text ends too early"),
        ("stop($?)", "stop(x)", "own.spc:8: x: expected $1, $2, ... or $?"),
        ("USEFIRST", "USENONE", "own.spc:5: unexpected 'First"),
    ],
)
def test_a_wrong_automaton_is_told_with_its_line(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        automata_of(SPC.replace(old, new), "own.spc")
    assert message in str(caught.value)
