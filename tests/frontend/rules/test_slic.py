"""Rules in SLIC: what is read, and the answers of small programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from seahorn_py import Answer, verify
from seahorn_py.base.errors import InputError
from seahorn_py.cli.main import main
from seahorn_py.frontend.rules.automaton import When
from seahorn_py.frontend.rules.slic import slic_of

TEXT = """\
// a lock is taken in turn
state { enum {Free, Held} s = Free; int depth; }
take.exit { if ($return == 0) { s = Held; depth++; } }
take.entry { if (s == Held) abort "taken twice"; }
give.entry { if (s == Free) abort; else s = Free; }
"""
PROGRAM = """\
struct lock;
extern int take(struct lock *);
extern void give(struct lock *);
int main(void) {{
  struct lock *l;
  {body}
  return 0;
}}
"""


def test_what_is_read() -> None:
    (automaton,) = slic_of(TEXT, "turn.slic").automata
    assert [(g.name, g.type, g.initial) for g in automaton.ghosts] == [
        ("s", "int", "Free"),
        ("depth", "int", "0"),
    ]
    assert automaton.constants == ("Free, Held",)
    first = automaton.transitions[0]
    assert (first.event.when, first.event.name, first.event.result) == (
        When.RETURN,
        "take",
        "result",
    )
    assert [t.place for t in automaton.transitions] == [f"turn.slic:{line}" for line in (3, 4, 5)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("state { int s; }\nf.enter { }", "t.slic:2: expected state, f.entry or f.exit"),
        ("\nf.entry { if (1) {", "t.slic:2: the block has no end"),
        ("f.entry { if ($return) abort; }", "t.slic:1: a call that begins has no result"),
        ("state { 7; }", "t.slic:1: 7: expected a type, a name"),
    ],
)
def test_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        slic_of(text, "t.slic")
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("body", "answer", "told"),
    [
        ("if (take(l) == 0) give(l);", Answer.SAFE, ""),
        ("if (take(l) == 0) take(l);", Answer.UNSAFE, "taken twice"),
        ("take(l); give(l);", Answer.UNSAFE, "abort in give.entry"),
    ],
)
def test_answers(body: str, answer: Answer, told: str, tmp_path: Path) -> None:
    file, rule = tmp_path / "a.c", tmp_path / "turn.slic"
    file.write_text(PROGRAM.format(body=body))
    rule.write_text(TEXT)
    result = verify(file, rules=(str(rule),), timeout=20)
    assert result.answer is answer
    assert told in (result.violation.text if result.violation else "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--property", "rule"), "rules of use are asked for by --rule NAME"),
        (("--modular", "--rule", "heap"), "--rule: a contract says nothing about a rule"),
    ],
)
def test_where_no_rule_can_be_asked_for(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.c"
    file.write_text("int main(void) { return 0; }\n")
    done = CliRunner().invoke(main, ["pf", *arguments, str(file)])
    assert (done.exit_code, message in done.output) == (2, True)
