"""`sea-cc`: objects keep the sources that they were made of, and `pf` finds them there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command import sea_py

from seahorn_py.base.errors import InputError
from seahorn_py.cli.cc import compiled
from seahorn_py.frontend.compiling.compiler import zig_path
from seahorn_py.frontend.runtime.embedded import MAGIC, Record, is_binary, records

QUEUE = """#include "queue.h"
int pushed(struct queue *q, int x) { if (!q || q->count >= SIZE) return -1; return 100 / x; }
"""
MAIN = """#include "queue.h"
#include <assert.h>
int main(void) { struct queue q = {0}; char c = -1; assert(pushed(&q, SIZE) == 25 && c > 0); }
"""


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two objects of `sea-cc`, whose sources are gone."""
    script = tmp_path / "real-compiler"
    target = "-target x86_64-linux-gnu"
    script.write_text(f'#!/bin/sh\nexec {zig_path()} clang {target} -nostdinc "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("SEA_CC", str(script))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queue.h").write_text(
        "struct queue { unsigned count; };\nint pushed(struct queue *, int);\n"
    )
    (tmp_path / "queue.c").write_text(QUEUE)
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "assert.h").write_text("void __assert_fail(const char *, const char *, int);\n")
    flags = ["-O2", "-DSIZE=4", "-funsigned-char", "-I.", "-Wall", "-fPIC"]
    assert compiled([*flags, "-c", "queue.c", "-o", "queue.o"]) == 0
    (tmp_path / "assert.h").unlink()
    (tmp_path / "flags").write_text(" ".join(flags))
    (tmp_path / "assert.h").write_text("#define assert(x) ((x) ? (void)0 : __builtin_trap())\n")
    assert compiled(["@flags", "-isystem", "/nowhere", "-c", "main.c"]) == 0
    for name in ("queue.c", "main.c", "queue.h", "assert.h"):
        (tmp_path / name).unlink()
    return tmp_path


def archive(*members: Path) -> bytes:
    """The members as `ar` puts them together."""
    parts = [b"!<arch>\n"]
    for member in members:
        data = member.read_bytes()
        head = f"{member.name + '/':<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n"
        parts += [head.encode(), data, b"\n" * (len(data) % 2)]
    return b"".join(parts)


def test_objects_and_archives_are_programs(built: Path) -> None:
    done = sea_py("pf", "--property", "div-by-zero", "queue.o", "main.o")
    assert done.returncode == 0, done
    (built / "lib.a").write_bytes(archive(built / "queue.o", built / "main.o"))
    done = sea_py("pf", "--property", "div-by-zero", "--entry", "pushed", "lib.a")
    assert done.returncode == 1 and "call: pushed(q, x);" in done.stdout, done
    assert "unsafe: queue.c:2:" in done.stdout
    kept = records(built / "lib.a")
    assert [Path(r.path).name for r in kept] == ["queue.c", "main.c"]
    assert {r.flags for r in kept} == {("-funsigned-char",)}


def test_files_without_sources_are_refused(built: Path) -> None:
    (built / "plain.c").write_text("int f(void) { return 0; }\n")
    assert compiled(["-ffast-math", "-c", "plain.c", "-o", "plain.o"]) == 0
    done = sea_py("pf", "plain.o")
    assert done.returncode == 2 and "no source is kept in it" in done.stderr
    done = sea_py("pf", "-m32", "queue.o")
    assert done.returncode == 2 and "was built for 64 bits" in done.stderr
    whole = (built / "queue.o").read_bytes()
    for broken in (whole[:200], whole.replace(MAGIC, MAGIC[::-1]), whole[:-50]):
        (built / "broken.o").write_bytes(broken)
        with pytest.raises(InputError):
            records(built / "broken.o")


def test_what_is_wrong_is_the_compilers_to_say(built: Path) -> None:
    assert compiled(["-c", "missing.c"]) != 0


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = Record("/a/b.c", 32, ("-std=c11",), b"\xff\x00int x;")
    assert record.packed().startswith(MAGIC)
    assert not is_binary(tmp_path / "none") and is_binary(Path(sys.executable).resolve())
