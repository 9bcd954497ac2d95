"""File names are data: whatever a file is called, nothing but that file is read or written."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from command import Done, sea_py
from diagonal import diagonal
from witness_files import UNREACH, correctness, graph, violation, waypoint
from witness_files import edge as graph_edge
from witness_files import node as graph_node

from seahorn_py.base.errors import InputError
from seahorn_py.frontend.compiling import compiler
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

NAMES = {
    "list of options": "@a",
    "option": "-o",
    "space": "a b",
    "command": "$(touch x)`touch y`;touch z",
    "newline": "a\nunsat\nb",
    "quotes": "'\";",
    "format": "%s%n",
    "bytes": os.fsdecode(b"\xff\xfe"),
    "long": "n" * 240,
    "end of comment": "*" + "\\" + "?",
    "escape": "\x1b[31m\x07",
    "yaml": "a: {[#&*!|>",
    "xml": "<a>&]]>",
    "astral": "é\U0001f600",
}
"""What is odd about each name, which has no ending yet."""

UNSAFE = """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 7) reach_error();
  return 0;
}
"""
SAFE = """extern void reach_error(void);
int main(void) {
  int i = 0;
  while (i < 3) i++;
  if (i != 3) reach_error();
  return 0;
}
"""
CLAUSES = "(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (= x 0) (p x))))\n"
RIP = "int x;\nvoid main() { assert(x == x); }\n"
BOOLEAN = "void main() begin assert(T); end\n"
HEADER = "#define LIMIT 7\n"
FAST = ("--timeout", "90")

each_name = pytest.mark.parametrize("odd", NAMES.values(), ids=NAMES.keys())
some_names = pytest.mark.parametrize(
    "odd",
    [NAMES[n] for n in ("list of options", "option", "newline", "bytes", "long")],
    ids=("list", "option", "newline", "bytes", "long"),
)


few_names = pytest.mark.parametrize(
    "odd", [NAMES[n] for n in ("option", "newline", "bytes")], ids=("option", "newline", "bytes")
)


@pytest.fixture(autouse=True)
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, in which commands run, with a file that nothing may touch."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("-o victim.txt -DX=1")
    (tmp_path / "a.c").write_text("-o victim.txt -DX=1")
    (tmp_path / "victim.txt").write_text("as it was")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@contextlib.contextmanager
def writes(folder: Path, *expected: str) -> Iterator[None]:
    """Nothing is made or changed but these files, and they are made."""
    before = contents(folder)
    yield
    after = contents(folder)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == set(expected)


def is_clean(done: Done) -> None:
    """What is printed has no line that a name has made, and nothing that a terminal obeys."""
    said = done.stdout + done.stderr
    lines = said.split("\n")
    assert all(line.replace("\t", " ").isprintable() for line in lines), said
    assert "Traceback" not in said
    answers = [line for line in lines if line in ("sat", "unsat", "unknown")]
    assert len(answers) <= 1, said


def run(*arguments: str | Path) -> Done:
    done = sea_py(*arguments)
    is_clean(done)
    return done


# ------------------------------------------------------------------------------------------ inputs


@each_name
def test_where_a_program_lies_changes_nothing(there: Path, odd: str) -> None:
    """The compiler hands the last part of a path on to itself."""
    (there / "deep").mkdir()
    for file in (there / f"{odd}.c", Path("deep") / f"{odd}.c"):
        file.write_text(UNSAFE)
        with writes(there):
            assert run("smt", "--", file).returncode == 0


@each_name
def test_a_program_is_verified_whatever_it_is_called(there: Path, odd: str) -> None:
    (there / f"{odd}.c").write_text(UNSAFE)
    with writes(there, "out.yml", "out.graphml", "t.json"):
        done = run(
            *("pf", *FAST, "--witness", "out.yml", "--witness", "out.graphml"),
            *("--trace-json", "t.json", "--", f"{odd}.c"),
        )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "sat")
    assert "trace: " in done.stdout and "int x = __VERIFIER_nondet_int();" in done.stdout
    steps = json.loads((there / "t.json").read_text())["trace"]
    assert {step["file"] for step in steps} == {f"{odd}.c"}
    (entry,) = yaml.safe_load((there / "out.yml").read_text())
    shown = os.fsencode(f"{odd}.c").decode("utf-8", "replace").replace("\ufffd", "?")
    assert entry["metadata"]["task"]["input_files"] == [shown]
    witness = "out.yml" if len(odd) % 2 else "out.graphml"
    with writes(there):
        validated = run("validate", witness, *FAST, "--", f"{odd}.c")
    assert validated.returncode == 0, validated


COMMANDS = [
    ("bpf --bound 3", 1),
    ("smt", 0),
    ("clp", 0),
    ("lfe-smt", 0),
    ("inspect --cfg --regions", 0),
    ("svcomp", 1),
    ("pf --json", 1),
]
ODD = [("list of options",), ("option",), ("newline",), ("bytes",), ("long",)]


@pytest.mark.parametrize(("command", "code", "name"), diagonal(COMMANDS, ODD))
def test_every_command_that_reads_c(there: Path, command: str, code: int, name: str) -> None:
    odd = NAMES[name]
    (there / f"{odd}.c").write_text(UNSAFE)
    with writes(there):
        done = sea_py(*command.split(), "--", f"{odd}.c")
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr


@some_names
def test_what_is_no_program_is_refused_in_one_line(there: Path, odd: str) -> None:
    (there / f"{odd}.c").write_text("int main(void) { return x; }\n#error \x1b[31m\n")
    for name in (f"{odd}.c", f"{odd}.h", f"{odd}{odd}{odd}.c"):
        with writes(there):
            done = run("pf", *FAST, "--", name)
        assert done.returncode == 2
        assert 1 <= len(done.stderr.splitlines()) <= 3
        assert len(done.stderr) < 5000


@some_names
def test_modules_and_other_texts(there: Path, odd: str) -> None:
    (there / "plain.c").write_text(UNSAFE)
    (module,) = compiler.compile_files([Path("plain.c")], FrontendOptions(), Deadline.after(60))
    inputs = {".ll": module, ".smt2": CLAUSES, ".rip": RIP, ".bp": BOOLEAN}
    for ending, text in inputs.items():
        (there / f"{odd}{ending}").write_text(text)
    with writes(there):
        assert run("inspect", "--", f"{odd}.ll").returncode == 0
        assert run("chc", *FAST, "--", f"{odd}.smt2").returncode == 0
        assert run("rip", "--smt", "--", f"{odd}.rip").returncode == 0
        assert run("bp", "--", f"{odd}.bp").returncode == 0


@some_names
def test_folders_and_headers(there: Path, odd: str) -> None:
    folder = there / odd
    folder.mkdir()
    (folder / "x.h").write_text(HEADER)
    (folder / "@x.h").write_text("#define MORE 0\n")
    text = UNSAFE.replace("7", "LIMIT + MORE")
    (folder / "x.c").write_text(f'#include "x.h"\n#include "@x.h"\n{text}')
    (there / "y.c").write_text(f"#include <x.h>\n#include <@x.h>\n{text}")
    with writes(there):
        assert run("inspect", "--", Path(odd) / "x.c").returncode == 0
        assert run("inspect", "-I", odd, "y.c").returncode == 0
        validated = compiler.macros(Path(odd) / "x.c", FrontendOptions(), Deadline.after(60))
    assert "LIMIT" in {macro.name for macro in validated}


@pytest.mark.parametrize("folder", ["@x", "-x", "=x", "=", "$SYSROOT"])
def test_a_folder_of_headers_is_no_option_and_no_other_root(there: Path, folder: str) -> None:
    (there / folder).mkdir()
    (there / folder / "x.h").write_text(HEADER)
    (there / folder.lstrip("@=-")).mkdir(exist_ok=True)
    (there / "y.c").write_text(f"#include <x.h>\n{UNSAFE.replace('7', 'LIMIT')}")
    with writes(there):
        assert run("inspect", "-I", folder, "y.c").returncode == 0


def test_definitions_are_no_options(there: Path) -> None:
    (there / "y.c").write_text(UNSAFE)
    for value in ("@a", "X=@a", "X -o victim.txt", "X=1\n#error", "-o", "", "X=\x1b", "X=\udcff"):
        with writes(there):
            assert run("inspect", "-D", value, "y.c").returncode in (0, 2)


@pytest.mark.parametrize("name", ["@clang", "-clang", "./@clang"])
def test_another_compiler_is_one_file(there: Path, name: str) -> None:
    (there / "y.c").write_text(UNSAFE)
    with writes(there):
        done = run("inspect", "--clang", name, "y.c")
    assert done.returncode == 2 and "cannot be run" in done.stderr


def test_the_environment_steers_no_compiler(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (there / "inc").mkdir()
    (there / "inc" / "stdlib.h").write_text("#error taken from the environment\n")
    (there / "y.c").write_text(f"#include <stdlib.h>\n{UNSAFE}")
    for name in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH"):
        monkeypatch.setenv(name, str(there / "inc"))
    for name in ("CCC_OVERRIDE_OPTIONS", "CC_PRINT_OPTIONS", "CLANG_CONFIG_FILE_USER_DIR"):
        monkeypatch.setenv(name, "# +-DX=1 x-g")
    monkeypatch.setenv("CC_PRINT_OPTIONS_FILE", str(there / "victim.txt"))
    monkeypatch.setenv("DEPENDENCIES_OUTPUT", str(there / "deps.txt"))
    monkeypatch.setenv("SUNPRO_DEPENDENCIES", str(there / "deps.txt"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "no number")
    with writes(there):
        assert run("inspect", "y.c").returncode == 0


# ---------------------------------------------------------------------------- files beside programs


@pytest.mark.full
@few_names
def test_witnesses_invariants_properties_schedules(there: Path, odd: str) -> None:
    (there / "a.c").write_text(UNSAFE)
    (there / "safe.c").write_text(SAFE)
    told = violation(UNSAFE, waypoint("target", "5:15"))
    (there / f"{odd}.yml").write_text(json.dumps(told))
    body = graph_node("q", entry="true") + graph_node("e", violation="true")
    body += graph_edge("q", "e", 5)
    (there / f"{odd}.graphml").write_text(graph(UNSAFE, "violation_witness", body))
    (there / f"{odd}.prp").write_text(f"{UNREACH}\n")
    (there / f"{odd}.yaml").write_text("int: [bmc]\nbv: [bmc]\n")
    (there / f"{odd}.inv").write_text(
        json.dumps(correctness(SAFE, ("loop_invariant", "4:3", "i <= 3")))
    )
    with writes(there):
        assert run("validate", *FAST, "--", f"{odd}.yml", "a.c").returncode == 0
        assert run("validate", *FAST, "--", f"{odd}.graphml", "a.c").returncode == 0
        options = ("--property", f"{odd}.prp", "--schedule", f"{odd}.yaml")
        assert run("pf", *FAST, *options, "a.c").returncode == 1
        assert run("pf", *FAST, "--invariants", f"{odd}.inv", "safe.c").returncode == 0
        assert run("svcomp", "--spec", f"{odd}.prp", "a.c").returncode == 1


@some_names
def test_broken_files_beside_programs_are_refused_in_one_line(there: Path, odd: str) -> None:
    (there / "y.c").write_text(UNSAFE)
    for ending in ("yml", "prp", "json", "inv"):
        (there / f"{odd}.{ending}").write_text("[\x1b\x00: {")
    with writes(there):
        for arguments in (
            ("validate", "--", f"{odd}.yml", "y.c"),
            ("pf", "--property", f"{odd}.prp", "y.c"),
            ("pf", "--schedule", f"{odd}.yml", "y.c"),
            ("pf", "--precision", f"{odd}.json", "y.c"),
            ("pf", "--invariants", f"{odd}.inv", "y.c"),
            ("pf", "--trace-cegar", f"{odd}/x.jsonl", "y.c"),
            ("pf", "--witness", f"{odd}.txt", "y.c"),
        ):
            done = run(*arguments)
            assert done.returncode == 2, (arguments, done)
            assert len(done.stderr.splitlines()) <= 5  # click shows the usage


# ----------------------------------------------------------------------------------------- outputs


@pytest.mark.full
@few_names
def test_outputs_have_the_names_that_were_asked_for(there: Path, odd: str) -> None:
    (there / "y.c").write_text(UNSAFE)
    (there / "safe.c").write_text(SAFE)
    with writes(there, f"{odd}.yml", f"{odd}.graphml", f"{odd}.cex", f"{odd}.json"):
        outputs = ("--witness", f"{odd}.yml", "--witness", f"{odd}.graphml")
        more = ("--cex", f"{odd}.cex", "--trace-json", f"{odd}.json")
        assert run("pf", *FAST, *outputs, *more, "y.c").returncode == 1
    with writes(there, f"{odd}.acsl", f"{odd}.pre", f"{odd}.jsonl"):
        outputs = ("--emit-acsl", f"{odd}.acsl", "--precision", f"{odd}.pre")
        more = ("--trace-cegar", f"{odd}.jsonl", "--engine", "cegar")
        assert run("pf", *FAST, *outputs, *more, "safe.c").returncode == 0
    with writes(there, f"{odd}.smt2", f"{odd}.dump"):
        assert run("smt", "-o", f"{odd}.smt2", "y.c").returncode == 0
        assert run("bpf", "--bound", "2", "--dump-smt", f"{odd}.dump", "y.c").returncode == 0


@pytest.mark.full
@some_names
def test_executables_tests_and_certificates(there: Path, odd: str) -> None:
    (there / f"{odd}.c").write_text(UNSAFE)
    (there / "safe.c").write_text(SAFE)
    with writes(there, f"{odd}.exe", f"{odd}.t.c"):
        done = run("exe", *FAST, "-o", f"{odd}.exe", "--test", f"{odd}.t.c", "--", f"{odd}.c")
    assert done.returncode == 1
    ran = subprocess.run([there / f"{odd}.exe"], capture_output=True, check=False, cwd=there)
    assert ran.returncode == 1 and b"check failed" in ran.stderr and b"\x1b" not in ran.stderr
    # the test is one file of C, whatever names are in its comments
    text = (there / f"{odd}.t.c").read_bytes()
    (there / "beside.c").write_bytes(text)
    compiler.compile_files([there / "beside.c"], FrontendOptions(), Deadline.after(60))
    before = contents(there)
    done = run("pf", *FAST, "--engine", "spacer", "--certificate", odd, "safe.c")
    assert done.returncode == 0
    new = contents(there).keys() - before.keys()
    assert f"{odd}/check.py" in new and all(name.startswith(f"{odd}/") for name in new)


@each_name
def test_the_command_in_a_generated_test_works(there: Path, odd: str) -> None:
    """Words of a shell: what is not one file would run, or be written to."""
    from seahorn_py.evidence.harness.ctest import command_line

    words = command_line(["-I", "x"], [Path(f"{odd}.c"), Path(odd) / "b.c"])
    script = f"set -- {words}; printf '%s\\0' \"$@\""
    shown = subprocess.run(["sh", "-c", script], capture_output=True, check=True, cwd=there).stdout
    parts = [os.fsdecode(part) for part in shown.split(b"\0")[:-1]]
    assert [os.path.normpath(part) for part in parts[-2:]] == [f"{odd}.c", f"{odd}/b.c"]
    assert not any(part.startswith(("-", "@")) for part in parts[-2:])


# ------------------------------------------------------------------------------------------- lists


@few_names
def test_lists_of_tasks(there: Path, odd: str) -> None:
    (there / f"{odd}.c").write_text(UNSAFE)
    (there / f"{odd}.jsonl").write_text(json.dumps({"file": f"{odd}.c", "expected": False}) + "\n")
    with writes(there, f"{odd}.rows"):
        arguments = ("-o", f"{odd}.rows", *FAST, "--jobs", "1", "--no-logs")
        done = run("bench", "run", *arguments, "--", f"{odd}.jsonl")
    assert done.returncode == 0, done
    (row,) = map(json.loads, (there / f"{odd}.rows").read_text().splitlines())
    assert row["verdict"] == "false" and row["inputs"][0]["path"] == f"{odd}.c"


@some_names
def test_benchexec_hands_files_over_as_files(odd: str) -> None:
    from seahorn_py.bench.toolinfo import Tool

    class Task:
        property_file = f"{odd}.prp"
        input_files = (f"{odd}.c",)
        options = None

    class Limits:
        cpu_cores = walltime = cputime = memory = None

    words = Tool().cmdline("sea-py", [], Task(), Limits())
    assert words[-2:] == ["--", f"{odd}.c"]
    assert words[words.index("--spec") + 1] == f"{odd}.prp"


def test_a_process_of_its_own(there: Path) -> None:
    """The test above run in this process, which has no arguments; here the shell's words count."""
    for odd in (NAMES["list of options"], NAMES["bytes"]):
        (there / f"{odd}.c").write_text(UNSAFE)
        with writes(there):
            argv = [sys.executable, "-m", "seahorn_py.cli", "smt", "--", os.fsencode(f"{odd}.c")]
            done = subprocess.run(argv, capture_output=True, check=False, cwd=there)
        assert done.returncode == 0 and not done.stderr, done


# -------------------------------------------------------------------------------- debug information


@pytest.mark.parametrize(
    "name", ["/dev/zero", "/dev/stdin", "x" * 5000, "a\\00b", "\\0Aunsat\\0A", "\\FF", ""]
)
def test_debug_information_may_name_any_file(there: Path, name: str) -> None:
    (there / "plain.c").write_text(UNSAFE)
    (module,) = compiler.compile_files([Path("plain.c")], FrontendOptions(), Deadline.after(60))
    assert '!DIFile(filename: "plain.c"' in module
    text = module.replace('!DIFile(filename: "plain.c"', f'!DIFile(filename: "{name}"')
    (there / "odd.ll").write_text(text)
    with writes(there):
        done = run("pf", *FAST, "odd.ll")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "sat")


def test_a_marker_of_lines_says_any_name() -> None:
    for odd in NAMES.values():
        line = compiler.line_marker(3, f"{odd}.c")
        assert line.startswith(b'# 3 "') and line.endswith(b'"\n') and line.count(b"\n") == 1
        spelled = line[5:-2].decode("ascii")
        said = spelled.encode().decode("unicode_escape").encode("latin-1")
        assert os.fsdecode(said) == f"{odd}.c"


def test_a_missing_file_with_a_name_that_is_too_long() -> None:
    with pytest.raises(InputError, match="no such file"):
        compiler.compile_files([Path("x" * 300 + ".c")], FrontendOptions(), Deadline.after(9))
