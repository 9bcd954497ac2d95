"""The table of open descriptors against a set of numbers (`descriptor_table.c`)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import seahorn_py.frontend
from seahorn_py.frontend.compiling.support import STATIC, TARGETS
from seahorn_py.frontend.runtime.native import zig
from seahorn_py.processes.deadline import Deadline

HERE = Path(__file__).parent
MODELS = Path(seahorn_py.frontend.__file__).parent / "models"


def test_a_new_descriptor_is_the_lowest_number_that_is_free(tmp_path: Path) -> None:
    """It is, and none that the program opened comes a second time."""
    flags = ["-O1", "-w", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-fno-pic"]
    clang = [
        "clang",
        "-target",
        TARGETS[64],
        *flags,
        f"-I{MODELS}",
        str(HERE / "descriptor_table.c"),
    ]
    linker = [*STATIC, "-m", "elf_x86_64", "-e", "start", "-o", "table", "table.o"]
    for argv in ([*clang, "-c", "-o", "table.o"], linker):
        done = zig(argv, tmp_path, Deadline.after(60))
        assert done.code == 0, done.errors
    assert subprocess.run([str(tmp_path / "table")], check=False).returncode == 0
