"""`sea-py init`: what it finds in folders, and that `sea-py check` can run what it writes."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command import Done, sea_py

from seahorn_py.cli.project.builds import found
from seahorn_py.cli.project.init import quoted

HEADER = "struct queue { int item[SLOTS]; unsigned count; };\nint put(struct queue *q, int x);\n"
QUEUE = """#include "queue.h"
static int is_full(struct queue *q) { return q->count >= SLOTS; }
int put(struct queue *q, int x) {
    if (is_full(q))
        return 0;
    q->item[q->count++] = x;
    return 1;
}
"""
HARNESS = """#include <assert.h>
#include "queue.h"
int main(void) {
    struct queue q = {.count = 0};
    for (int i = 0; i < 3; i++)
        put(&q, i);
    assert(q.count <= SLOTS);
}
"""
MAKEFILE = """CFLAGS = -Iinclude -DSLOTS=2 -Wall -O2
all: test_queue
%.o: %.c
\t$(CC) $(CFLAGS) -c -o $@ $<
test_queue: tests/test_queue.o queue.o
\t$(CC) -o $@ $^
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (
        ("include/queue.h", HEADER),
        ("queue.c", QUEUE),
        ("tests/test_queue.c", HARNESS),
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return tmp_path


def init(folder: Path, *arguments: str, **environment: str) -> tuple[dict[str, Any], Done]:
    done = sea_py("init", *arguments, cwd=folder, **environment)
    assert done.returncode == 0, done.stderr
    return tomllib.loads((folder / "sea.toml").read_text()), done


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_makefile_gives_flags_and_check_runs_at_once(folder: Path) -> None:
    (folder / "Makefile").write_text(MAKEFILE)
    written, done = init(folder)
    assert written["defaults"] == {"timeout": 60, "flags": ["-Iinclude", "-DSLOTS=2"]}
    sources = ["tests/test_queue.c", "queue.c"]
    assert written["proof"] == [{"name": "test_queue", "sources": sources}]
    assert done.stdout.splitlines() == [
        "found: Makefile: 2 C files",
        "proof: test_queue: test_queue.c: main, 1 assertion (test_queue.c, queue.c)",
        "functions without a proof, as comments in the file: put",
        "sea.toml: 1 proof; run them: sea-py check",
    ]
    assert not list(folder.rglob("*.o"))
    checked = sea_py("check", cwd=folder)
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "passed"), checked.stdout
    again = sea_py("init", cwd=folder)
    assert again.returncode == 2 and "stays as it is" in again.stderr


def test_a_makefile_that_enters_folders_and_refuses_flags(folder: Path, tmp_path: Path) -> None:
    """What make says is given by a make of ours."""
    (folder / "Makefile").write_text("")
    said = f"""make: Entering directory '{folder}'
make[1]: Entering directory '{folder}/tests'
ccache cc -I ../include -DSLOTS=2 -ffast-math -c test_queue.c -o test_queue.o && echo done
make[1]: Leaving directory '{folder}/tests'
x86_64-linux-gnu-gcc-12 -Iinclude -DSLOTS=2 -std=c11 \\
   -c queue.c; ar rcs lib.a queue.o
make: Leaving directory '{folder}'
"""
    _, done = init(folder, PATH=tool(tmp_path / "bin", "make", f"cat <<'E'\n{said}E\n"))
    assert "note: Makefile: -ffast-math: this flag changes what the program means" in done.stdout
    files = dict(found_in(folder, tmp_path / "bin"))
    flags = ("-Iinclude", "-DSLOTS=2")
    assert files == {"queue.c": (*flags, "-std=c11"), "tests/test_queue.c": flags}


def tool(folder: Path, name: str, script: str) -> str:
    """A PATH on which the tool is a script of ours."""
    folder.mkdir()
    (folder / name).write_text(f"#!/bin/sh\n{script}")
    (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def found_in(folder: Path, tools: Path) -> list[tuple[str, tuple[str, ...]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
        patch.chdir(folder)
        return sorted((str(path), flags) for path, flags in found(Path()).files)


def test_cmake_is_asked_in_a_folder_of_ours(folder: Path, tmp_path: Path) -> None:
    (folder / "CMakeLists.txt").write_text("project(q C)\n")
    flags = ["cc", f"-I{folder}/include", "-DSLOTS=2", "-c"]
    entries = [
        {"directory": str(folder), "file": name, "arguments": [*flags, name]}
        for name in ("queue.c", "tests/test_queue.c")
    ]
    script = f"cat >\"$4/compile_commands.json\" <<'E'\n{json.dumps(entries)}\nE\n"
    written, _ = init(folder, PATH=tool(tmp_path / "bin", "cmake", script))
    assert written["defaults"]["flags"] == ["-Iinclude", "-DSLOTS=2"]
    assert not (folder / "compile_commands.json").exists()


def test_a_build_that_says_nothing_leaves_the_files(folder: Path, tmp_path: Path) -> None:
    (folder / "CMakeLists.txt").write_text("project(q C)\n")
    path = tool(tmp_path / "bin", "cmake", "echo 'no generator' >&2; exit 1\n")
    written, done = init(folder, PATH=path)
    assert "note: CMakeLists.txt: cmake: no generator\n" in done.stdout
    assert written["defaults"]["flags"] == ["-Iinclude"]


def test_a_database_is_named(folder: Path) -> None:
    build = folder / "out"
    build.mkdir()
    (build / "compile_commands.json").write_text(
        json.dumps(
            [
                {"directory": str(folder), "file": name, "command": f"cc -Iinclude -c {name}"}
                for name in ("queue.c", "gone.c")
            ]
        )
    )
    written, _ = init(folder)
    assert written["defaults"]["compdb"] == "out/compile_commands.json"
    assert [proof["name"] for proof in written["proof"]] == ["put"]
    assert written["proof"][0]["entry"] == "put"


def test_contracts_are_proved_once(folder: Path) -> None:
    (folder / "queue.c").write_text(f"/*@ requires x > 0; */\n{QUEUE}")
    (folder / "more.c").write_text("/*@ ensures \\result; */\nint more(void) { return put(0, 1); }")
    written, _ = init(folder, ".")
    proofs = {proof["name"]: proof for proof in written["proof"]}
    assert list(proofs) == ["test_queue", "more-contracts"]
    assert proofs["more-contracts"]["modular"] is True
    assert proofs["more-contracts"]["sources"] == ["more.c", "queue.c"]


def test_odd_names_are_names_in_the_file(tmp_path: Path) -> None:
    (tmp_path / 'a "b"\\.c').write_text("int main(void) { return 0; }\n")
    (tmp_path / "--x.c").write_text("int main(void) { return 0; }\n")
    written, _ = init(tmp_path)
    assert [proof["name"] for proof in written["proof"]] == ["x", "a_b_"]
    assert tomllib.loads(f"a = {quoted(chr(127) + chr(1) + 'ä')}")["a"] == chr(127) + chr(1) + "ä"


def test_a_folder_without_files(tmp_path: Path) -> None:
    empty = sea_py("init", cwd=tmp_path)
    assert (empty.returncode, empty.stderr) == (2, "sea-py: error: .: no C file found [E102]\n")
    missing = sea_py("init", "nowhere", cwd=tmp_path)
    assert missing.stderr == "sea-py: error: nowhere: no such folder [E102]\n"
