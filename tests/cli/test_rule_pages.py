"""`sea-py rules`."""

from __future__ import annotations

from command import sea_py

from seahorn_py.frontend.rules.known import pack


def test_all_rules_of_the_pack_are_listed() -> None:
    done = sea_py("rules")
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(pack())


def test_a_rule_is_explained() -> None:
    shown = sea_py("rules", "descriptor").stdout
    assert "one automaton for each descriptor, -1 stands for none" in shown
    assert "  return of open(_, ...) = descriptor: a new one, to opened\n" in shown
    assert "end of the program in opened: error: the descriptor is still open" in shown


def test_a_rule_that_does_not_exist_is_refused() -> None:
    done = sea_py("rules", "posix-mutx")
    assert done.returncode == 2
    assert "did you mean posix-mutex?" in done.stderr
