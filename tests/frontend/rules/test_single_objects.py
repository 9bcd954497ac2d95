"""Rules whose objects do not depend on each other: one that stands for all is watched, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.frontend.rules import known
from seahorn_py.frontend.rules.monitor import ONE, monitor
from seahorn_py.frontend.rules.sets import FULL
from seahorn_py.options import Property
from seahorn_py.result import Answer

HEAD = """
struct mutex { int n; };
extern void mutex_lock(struct mutex *), mutex_unlock(struct mutex *);
extern unsigned any(void);
static struct mutex all[12], m, n;
"""
CASES = {
    "more objects than places": (
        "for (int k = 0; k < 12; k++) { mutex_lock(all + k); mutex_unlock(all + k); }",
        Answer.SAFE,
    ),
    "any of an array": (
        "while (any()) { struct mutex *p = all + any() % 12; mutex_lock(p); mutex_unlock(p); }",
        Answer.SAFE,
    ),
    "held on one way": (
        "while (any()) { mutex_lock(&m); mutex_lock(&n); if (any()) mutex_unlock(&m); else break;"
        " mutex_unlock(&n); } mutex_unlock(&n);",
        Answer.UNSAFE,
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("name", CASES)
def test_one_object_stands_for_all(name: str, tmp_path: Path) -> None:
    body, expected = CASES[name]
    file = tmp_path / "a.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    frontend = FrontendOptions(rules=("linux-mutex",), properties=frozenset({Property.RULE}))
    assert verify([file], VerifyOptions(frontend, timeout=60)).answer is expected


def test_which_rules_have_such_objects() -> None:
    asked = ("linux-mutex", "posix-rwlock", "descriptor", "linux-alloc-in-spinlock", "linux-rcu")
    found = [known.rule(name).automata[0].is_of_single_objects for name in asked]
    assert found == [True, True, False, False, False]


def test_one_object_needs_no_places() -> None:
    (automaton,) = known.rule("linux-mutex").automata
    assert FULL not in monitor(automaton, "0", [], ONE)
