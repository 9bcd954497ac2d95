"""Globals that calls hand to a rule have places of their own: whichever way an event names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import Property
from seahorn_py.result import Answer

HEAD = """
struct mutex { int n; };
struct device { int size; struct mutex first, second; };
extern void mutex_lock(struct mutex *), mutex_unlock(struct mutex *);
extern int any(void);
static struct mutex m, *p = &m;
static struct device d;
"""
CASES = {
    "by a pointer": ("mutex_lock(&m); mutex_lock(p);", Answer.UNSAFE),
    "by a pointer first": ("mutex_lock(p); mutex_unlock(&m);", Answer.SAFE),
    "two members": (
        "mutex_lock(&d.first); mutex_lock(&d.second); struct mutex *q = &d.second;"
        " if (any()) q = &d.first; mutex_unlock(q); mutex_unlock(&d.first);",
        Answer.UNSAFE,
    ),
    "members by arithmetic": (
        "mutex_lock(&d.second); mutex_unlock((struct mutex *)((char *)&d + 8));",
        Answer.SAFE,
    ),
    "beside a local": (
        "struct mutex l; mutex_lock(&m); mutex_lock(&l); mutex_unlock(&l); mutex_unlock(&m);",
        Answer.SAFE,
    ),
    "held at the end": (
        "while (any()) { mutex_lock(&m); if (any()) break; mutex_unlock(&m); }",
        Answer.UNSAFE,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_object_is_the_same_by_all_its_names(name: str, tmp_path: Path) -> None:
    body, expected = CASES[name]
    file = tmp_path / "a.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    assert answer([file]) is expected


@pytest.mark.full
def test_files_share_a_global_and_have_statics_of_one_name(tmp_path: Path) -> None:
    one, two = tmp_path / "one.c", tmp_path / "two.c"
    head = HEAD.replace("static struct mutex m, *p = &m;", "static struct mutex s; %s")
    one.write_text(
        head % "struct mutex m; extern void other(void);"
        + "int main(void) { mutex_lock(&m); mutex_lock(&s); other(); mutex_unlock(&s); }\n"
    )
    body = "void other(void) { mutex_unlock(&m); mutex_lock(&s); mutex_unlock(&s); }\n"
    two.write_text(head % "extern struct mutex m;" + body)
    assert answer([one, two]) is Answer.SAFE
    two.write_text(head % "extern struct mutex m;" + body.replace("&m", "&s"))
    assert answer([one, two]) is Answer.UNSAFE


def answer(files: list[Path]) -> Answer:
    frontend = FrontendOptions(rules=("linux-mutex",), properties=frozenset({Property.RULE}))
    return verify(files, VerifyOptions(frontend, timeout=60)).answer
