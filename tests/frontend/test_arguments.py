"""The arguments of `main`: natively, in the interpreter, and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.evidence.runs import native
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.frontend.runtime.native import Refusal, build
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import verify

LIMITS = RunLimits(seconds=10.0, steps=200_000, reads=1 << 12)
HEAD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
"""
MAIN = "int main(int argc, char **argv) {{ {} }}"


def lowered(folder: Path, text: str, bits: int = 64, wanted: str = "unreach-call") -> Lowered:
    file = folder / "program.c"
    file.write_text(HEAD + text)
    options = FrontendOptions(bits=bits, properties=frozenset({Property(wanted)}))
    deadline = Deadline.after(60)
    return optimizer.lower(compiler.compile_files([file], options, deadline), options, deadline)


def given(program: Lowered, argc: int, *strings: str) -> dict[int, tuple[int, ...]]:
    """The inputs that make these arguments; sites of the same name are visited in turn."""
    feed: dict[int, tuple[int, ...]] = {}
    sites = [(s.number, s.name) for s in program.sites]
    lengths = [number for number, name in sites if name == "length of an argument"]
    letters = [number for number, name in sites if name == "argv"]
    feed.update({number: (argc,) for number, name in sites if name == "argc"})
    for k, string in enumerate(strings):
        length, letter = lengths[min(k, len(lengths) - 1)], letters[min(k, len(letters) - 1)]
        feed[length] = (*feed.get(length, ()), len(string))
        feed[letter] = (*feed.get(letter, ()), *map(ord, string))
    return feed


CONSTANT = (
    "if (argc == 3 && argv[1][0] == 'a' && argv[1][1] == 'b' && !argv[1][2] && argv[2][0] == 'c'"
    " && !argv[3]) reach_error();"
)
SUM = 2 * (2 * ord("a") + ord("b")) + ord("c")
VARIABLE = (
    "int n = 0; for (int i = 1; i < argc; i++) for (char *s = argv[i]; *s; s++) n = 2 * n + *s;"
    f"if (argc == 3 && !argv[argc] && n == {SUM}) reach_error();"
)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("body", [CONSTANT, VARIABLE], ids=["constant", "variable"])
def test_main_reads_what_it_is_given(tmp_path: Path, body: str, bits: int) -> None:
    program = lowered(tmp_path, MAIN.format(body), bits)
    executable = build(program.native, bits, tmp_path, Deadline.after(60))
    assert not isinstance(executable, Refusal)
    interpreter = Interpreter(reader.read(program))

    def endings(*arguments: str) -> set[Ending]:
        feed = given(program, len(arguments), *arguments)
        runs: list[Outcome] = [native.run(executable, feed, LIMITS), interpreter.run(feed, LIMITS)]
        assert runs[0].reads == runs[1].reads
        return {run.ending for run in runs}

    assert endings("name", "ab", "c") == {Ending.FAILED}
    assert endings("name", "ab", "d") == {Ending.ENDED}
    assert endings("", "ab", "c", "") == {Ending.ENDED}
    assert endings("name") == {Ending.ENDED}


def test_what_main_does_not_use_is_not_made(tmp_path: Path) -> None:
    def made(body: str) -> int:
        return lowered(tmp_path, MAIN.format(body)).native.count("sea.input.i17(i32 ")

    assert made("return argc;") == 0
    assert made("return argv[0][0] + argv[2][0];") == 3
    assert made("return argv[argc] != 0;") == 1
    assert made("argv++; return argv[0][0];") == 1


ANSWERS = {
    "unused": ("valid-memsafety", "return argc > 0;", "safe"),
    "the name": ("valid-memsafety", "return argv[0][0];", "safe"),
    "null behind the last": ("valid-deref", "return argc > 1 ? argv[1][0] : 0;", "safe"),
    "may be null": ("null-deref", "return argv[1][0];", "unsafe"),
    "beyond the vector": ("valid-deref", "return argv[2] != 0;", "unsafe"),
    "of the system": ("valid-free", "free(argv[0]); return 0;", "unsafe"),
    "not freed": ("valid-memcleanup", "void *p = malloc(1); free(p); return argv[0][0];", "safe"),
    "argc is positive": ("unreach-call", "if (argc < 1 || !argv[0]) reach_error();", "safe"),
    "any string": ("unreach-call", "if (argv[0][0] == 'q') reach_error();", "unsafe"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answer(tmp_path: Path, name: str) -> None:
    wanted, body, expected = ANSWERS[name]
    file = tmp_path / "program.c"
    file.write_text(HEAD + MAIN.format(body))
    options = FrontendOptions(properties=frozenset({Property(wanted)}))
    result = verify(file, VerifyOptions(options, Encodings.INT, timeout=30, executions=0.1))
    assert result.answer.value == expected, result.reason


ENVIRONMENT = "int main(int argc, char **argv, char *envp[]) {{ {} }}"
THREE_PARAMETERS = {
    "unused": ("if (argc < 1 || argv[argc]) reach_error();", "safe"),
    "only the others are used": ("if (argc > 1 && argv[1][0] == 'x') reach_error();", "unsafe"),
    "nothing is used": ("reach_error();", "unsafe"),
}


@pytest.mark.parametrize("name", THREE_PARAMETERS)
def test_the_environment_that_nothing_uses_may_be_a_parameter(tmp_path: Path, name: str) -> None:
    body, expected = THREE_PARAMETERS[name]
    file = tmp_path / "program.c"
    file.write_text(HEAD + ENVIRONMENT.format(body))
    result = verify(file, VerifyOptions(FrontendOptions(), timeout=60, executions=0.1))
    assert result.answer.value == expected, result.reason


@pytest.mark.parametrize("use", ["return envp[0] != 0;", "return envp == 0;", "envp++; return 0;"])
def test_an_environment_that_is_used_is_refused(tmp_path: Path, use: str) -> None:
    with pytest.raises(UnsupportedError, match="uses its third parameter"):
        lowered(tmp_path, ENVIRONMENT.format(use))
