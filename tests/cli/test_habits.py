"""What people expect of any command: help in groups, completion, manual pages, many words."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from command import EXAMPLES, SEA_PY, sea_py

from seahorn_py.cli.main import main
from seahorn_py.cli.man_pages import EXIT_STATUS, pages, write
from seahorn_py.cli.options.help_groups import Grouped

SAFE = EXAMPLES / "counter_safe.c"
NAMES = main.list_commands(click.Context(main))


def commands() -> list[tuple[click.Context, click.Command]]:
    whole = click.Context(main, info_name="sea-py", **main.context_settings)
    found = [(name, main.get_command(whole, name)) for name in NAMES]
    return [(click.Context(c, whole, name), c) for name, c in found if c is not None]


def test_every_default_is_shown() -> None:
    for context, command in commands():
        for option in command.get_params(context):
            record = option.get_help_record(context)
            if record is None or not isinstance(option, click.Option) or option.is_flag:
                continue
            if option.default not in (None, "", (), []) and "UNSET" not in repr(option.default):
                assert "[default: " in record[1], (command.name, option.name)


def test_options_stand_in_groups() -> None:
    text = sea_py("pf", "--help").stdout
    titles = [line[:-1] for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert titles == [
        "Files and how they are compiled",
        "What is checked",
        "Functions as entries",
        "How C is read",
        "Encoding",
        "Limits",
        "Engines",
        "Engines that abstract",
        "The answer",
        "Files that are written",
        "Proofs in pieces",
        "Options",
    ]
    long = [c.name for _, c in commands() if len(c.params) > 12 and not isinstance(c, Grouped)]
    assert not [name for name in long if name not in ("bench", "cc")]


def test_the_nearest_command_is_told() -> None:
    done = sea_py("explian", "U101")
    assert done.returncode == 2 and "no command explian, did you mean explain?" in done.stderr


def test_few_words_and_many() -> None:
    quiet = sea_py("pf", "--quiet", SAFE)
    assert quiet.stdout == "safe: no run reaches an error\nunsat\n" and not quiet.stderr
    many = sea_py("pf", "--verbose", SAFE)
    assert "explain: " in many.stdout and "invariant: " in many.stdout, many
    assert many.stdout.endswith(quiet.stdout)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("sea-py expl", "plain,explain"),
        ("sea-py pf --engine bmc,spa", "plain,bmc,spacer"),
        ("sea-py pf --property valid-d", "plain,valid-deref"),
        ("sea-py pf --encoding b", "plain,bv"),
        ("sea-py nothing b", "plain,bench plain,bp plain,bpf"),
    ],
)
def test_a_shell_completes(words: str, expected: str) -> None:
    asked = {"_SEA_PY_COMPLETE": "bash_complete", "COMP_WORDS": words}
    environment = {**os.environ, **asked, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(SEA_PY, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_read_the_completion(shell: str) -> None:
    done = sea_py("completion", shell)
    assert done.returncode == 0 and "_SEA_PY_COMPLETE" in done.stdout, done
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=done.stdout, text=True, check=True)


def test_there_is_a_manual_page_for_each_command(tmp_path: Path) -> None:
    write(tmp_path / "man1")
    names = {file.name for file in (tmp_path / "man1").iterdir()}
    assert names == {"sea-py.1", *(f"sea-py-{name}.1" for name in NAMES)}
    text = dict(pages())["sea-py-pf.1"]
    assert ".SH ENGINES\n" in text and "\\-\\-timeout" in text
    assert all(f".TP\n{code}\n" in text for code, _ in EXIT_STATUS)
    groff = shutil.which("groff")
    if groff is not None:
        page = tmp_path / "man1" / "sea-py-pf.1"
        done = subprocess.run(
            [groff, "-man", "-Tascii", "-ww", page], capture_output=True, text=True, check=True
        )
        assert "--timeout" in re.sub(".\b", "", done.stdout) and not done.stderr, done


def test_the_pages_are_made_beside_nothing_but_what_the_build_has() -> None:
    """The build of the wheel has a few packages; the commands must be described with these."""
    blocked = "z3 pysmt llvmlite cvc5 bitwuzla islpy lark oxidd ziglang pygls pytest dask".split()  # noqa: SIM905
    text = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked}))\n"
        "from seahorn_py.cli.man_pages import pages; print(len([*pages()]))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(NAMES) + 1
