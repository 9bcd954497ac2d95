"""Executable counterexamples and C tests reach the error that was found; never run unbounded."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from command import EXAMPLES, ROOT, sea_py

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.base.errors import Origin, Span
from seahorn_py.cli.commands.executable import left
from seahorn_py.evidence.harness.initialisers import kind_of, table
from seahorn_py.ir.program import Site, SiteKind
from seahorn_py.ir.types import POINTER, FloatKind, FloatType, IntType, Type
from seahorn_py.options import Property
from seahorn_py.processes.child import Completed, command
from seahorn_py.processes.deadline import Deadline

GCC = shutil.which("gcc")
UNSAFE = sorted(EXAMPLES.glob("*_unsafe.c"))
ASAN_MIB = 1 << 26  # its shadow memory is address space only
needs_gcc = pytest.mark.skipif(GCC is None, reason="no gcc here")


def bounded(*argv: str | Path, cwd: Path, memory_mib: int = 2048) -> Completed:
    env = {"PATH": "/usr/bin:/bin"}
    return command(list(map(str, argv)), Deadline.after(60), memory_mib, cwd=cwd, env=env)


def gcc_test(test: Path, programs: Sequence[Path], folder: Path) -> Completed:
    """Build the test as its first lines say, and run it."""
    found = re.search(r"^     cc (.*) THIS\.c ", test.read_text(), re.MULTILINE)
    assert found is not None and GCC is not None
    headers = ("-I", str(ROOT / "frontend" / "include"))
    flags = (*found[1].split(), *headers, "-o", str(folder / "t"))
    built = bounded(GCC, *flags, test, *programs, cwd=folder)
    assert built.code == 0, built.errors
    memory = ASAN_MIB if "address" in found[1] else 2048
    return bounded(folder / "t", cwd=folder, memory_mib=memory)


def files_for(program: Path, folder: Path, asked: str = "") -> list[str]:
    properties = frozenset({Property(asked)}) if asked else frozenset()
    options = VerifyOptions(FrontendOptions(properties=properties))
    result = verify(program, options)
    return list(left([program], result, options, folder / "prog", folder / "t.c"))


def program(folder: Path, text: str) -> Path:
    path = folder / "p.c"
    path.write_text(text)
    return path


COUNTS = """\
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int odd = 0;
  for (int i = 0; i < 3; i++)
    if (__VERIFIER_nondet_int() == 100 + i) odd++;
  if (__VERIFIER_nondet_int() == -7 && odd == 3) reach_error();
  return 5;
}
"""


def test_the_executable_feeds_every_site_by_visit_and_says_which_check_fails(
    tmp_path: Path,
) -> None:
    file = program(tmp_path, COUNTS)
    done = sea_py("exe", file, "-o", tmp_path / "prog", "--test", tmp_path / "t.c")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "sat"
    ran = bounded(tmp_path / "prog", cwd=tmp_path)
    assert (ran.code, ran.output) == (1, "")
    assert ran.errors == f"{file}:7:50: check failed: unreach-call: reach_error()\n"
    table = re.search(r"values_of___VERIFIER_nondet_int\[\] = \{(.*)\};", file_text(tmp_path))
    assert table is not None and table[1] == "100, 101, 102, -7"


def file_text(folder: Path) -> str:
    return (folder / "t.c").read_text()


@needs_gcc
def test_the_c_test_fails_until_the_bug_is_fixed(tmp_path: Path) -> None:
    file = program(tmp_path, COUNTS)
    files_for(file, tmp_path)
    # the program's own reach_error does nothing; the test's wins
    assert gcc_test(tmp_path / "t.c", [file], tmp_path).code == 1
    fixed = program(tmp_path, COUNTS.replace("odd == 3", "odd == 4"))
    # whatever main returns, the test has passed
    assert gcc_test(tmp_path / "t.c", [fixed], tmp_path).code == 0


@needs_gcc
def test_the_c_test_of_an_overflow_traps(tmp_path: Path) -> None:
    text = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 1000) x = x + 2147483000;
  return 0;
}
"""
    file = program(tmp_path, text)
    files_for(file, tmp_path, "no-overflow")
    failed = gcc_test(tmp_path / "t.c", [file], tmp_path)
    assert failed.code == 1
    assert "no-overflow: signed integer addition overflow" in failed.errors


@pytest.mark.full
@needs_gcc
def test_an_assertion_without_header_and_many_values_that_do_not_matter(tmp_path: Path) -> None:
    """Every byte of the array is a value that the run reads, and none that a function gives."""
    text = "int main() { char a[200000]; int k = 3; a[k] = 1; assert(a[k] != 1); }"
    file = program(tmp_path, text)
    said = files_for(file, tmp_path)
    assert said[0] == f"test: {tmp_path / 't.c'}: compile it as its first lines say"
    assert gcc_test(tmp_path / "t.c", [file], tmp_path).code == 1


@pytest.mark.full
@needs_gcc
def test_an_assertion_of_the_programs_own_keeps_its_meaning(tmp_path: Path) -> None:
    text = COUNTS.replace("int main", "void assert(int c) {}\nint main").replace(
        "int odd = 0;", "int odd = 0; assert(odd);"
    )
    file = program(tmp_path, text)
    files_for(file, tmp_path)
    assert gcc_test(tmp_path / "t.c", [file], tmp_path).code == 1
    file.write_text(text.replace("reach_error();\n", ";\n"))
    assert gcc_test(tmp_path / "t.c", [file], tmp_path).code == 0


def test_a_value_that_no_function_gives_is_fed_to_the_executable_alone(tmp_path: Path) -> None:
    lines = files_for(EXAMPLES / "uninitialised_unsafe.c", tmp_path)
    assert not (tmp_path / "t.c").exists()
    assert "the error may depend on what no function gives: x (" in lines[0]
    assert bounded(tmp_path / "prog", cwd=tmp_path).code == 1


def test_an_invalid_access_ends_the_executable_where_the_interpreter_saw_it(
    tmp_path: Path,
) -> None:
    files_for(EXAMPLES / "heap_overrun_unsafe.c", tmp_path, "valid-memsafety")
    ran = bounded(tmp_path / "prog", cwd=tmp_path)
    assert ran.code == 1
    assert "heap_overrun_unsafe.c:13:16: check failed: valid-deref: invalid write" in ran.errors


def test_nothing_is_written_for_a_safe_program(tmp_path: Path) -> None:
    done = sea_py("exe", EXAMPLES / "mask_safe.c", "-o", tmp_path / "prog")
    assert done.returncode == 0
    assert "exe: nothing is written: the answer is safe" in done.stdout
    assert not (tmp_path / "prog").exists()


def test_exe_needs_to_be_told_what_to_write() -> None:
    done = sea_py("exe", EXAMPLES / "mask_safe.c")
    assert done.returncode == 2
    assert (
        done.stderr
        == "sea-py: error: nothing to write: give -o PROG, --test FILE.c or both [E105]\n"
    )


def site(kind: Type, c_type: str) -> Site:
    place = Origin((Span("p.c", 1, 1, "main"),))
    return Site(0, SiteKind.NONDET, kind, "f", c_type, place)


@pytest.mark.parametrize(
    ("kind", "c_type", "values", "returned", "shown"),
    [
        (IntType(32), "int", (5, 0xFFFF_FFFF), "signed int", "5, -1"),
        (IntType(32), "int", (1 << 31,), "signed int", "-2147483648ll"),
        (IntType(32), "unsigned int", (1 << 31,), "unsigned int", "2147483648ll"),
        (IntType(64), "long", (1 << 63,), "signed long long", "-9223372036854775807ll - 1"),
        (IntType(64), "unsigned long", ((1 << 64) - 1,), "unsigned long long", f"{2**64 - 1}ull"),
        (IntType(1), "_Bool", (1,), "_Bool", "1"),
        (IntType(128), "__int128", (1 << 64,), "__int128", "(unsigned __int128)1ull << 64 | 0ull"),
        (FloatType(FloatKind.SINGLE), "float", (0x3F80_0000,), "float", "1065353216"),
        (POINTER, "void *", (0,), "void *", "0"),
        (IntType(8), "char", (), "signed char", "0"),
    ],
)
def test_values_in_c(
    kind: Type, c_type: str, values: tuple[int, ...], returned: str, shown: str
) -> None:
    found = kind_of(site(kind, c_type))
    assert found is not None
    assert (found.c_type, table(found, values)) == (returned, shown)


def test_a_width_that_no_c_type_has_cannot_be_given() -> None:
    assert kind_of(site(IntType(24), "_BitInt(24)")) is None


@pytest.mark.full
@pytest.mark.parametrize("path", UNSAFE, ids=lambda p: p.stem)
def test_every_unsafe_example_has_an_executable_and_a_test(path: Path, tmp_path: Path) -> None:
    asked = re.search(r"property: ([\w-]+)", path.read_text())
    files_for(path, tmp_path, asked[1] if asked else "")
    ran = bounded(tmp_path / "prog", cwd=tmp_path)
    assert (ran.code, "check failed" in ran.errors) == (1, True)
    if GCC is not None and (tmp_path / "t.c").exists():
        assert gcc_test(tmp_path / "t.c", [path], tmp_path).code == 1
    fed = path.stem not in (
        "uninitialised_unsafe",
        "switch_bypassed_unsafe",
        "shift_too_far_unsafe",
    )
    assert (tmp_path / "t.c").exists() == fed
