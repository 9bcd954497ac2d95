"""C to LLVM text: dialects, places, other compilers, and what a user is told when it fails."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import tempfile
import time
from pathlib import Path

import pytest

from seahorn_py.base.errors import InputError
from seahorn_py.frontend import loading
from seahorn_py.frontend.compiling.compiler import compile_files, zig_path
from seahorn_py.frontend.lowering import llvm
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

OLD_C = """
f(a) short a; { return g(a) + a; }
main() { char *p = malloc(3); assert(f(1)); return 0; }
g(x) { return x; }
"""


def compile_text(file: Path, **options: object) -> str:
    (text,) = compile_files([file], FrontendOptions(**options), Deadline.after(60))  # type: ignore[arg-type]
    return text


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("suffix", [".c", ".i"])
def test_old_c_compiles_for_both_widths(tmp_path: Path, bits: int, suffix: str) -> None:
    text = compile_text(write(tmp_path, f"old{suffix}", OLD_C), bits=bits)
    assert f"i{bits}" in re.search(r"declare .*@malloc\((.*)\)", text).group(1)  # type: ignore[union-attr]
    assert "nsw" not in text


def test_variables_may_have_names_of_library_functions(tmp_path: Path) -> None:
    """Without the header; clang knows the functions all the same.  A chain of comparisons is C."""
    text = "int index, log; int main(void) { return index <= log <= 1; }\n"
    module = compile_text(write(tmp_path, "a.c", text))
    assert "@index = " in module
    assert "@log = " in module
    file = write(tmp_path, "b.c", f"#include <math.h>\n{text}")
    with pytest.raises(InputError, match="'log'"):
        compile_text(file)


def test_headers_includes_and_defines(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    write(tmp_path, "beside.h", "#define BESIDE 1\n")
    write(tmp_path / "lib", "far.h", "#define FAR 2\n")
    file = write(
        tmp_path,
        "p.c",
        '# 99 "elsewhere.c"\n#include "beside.h"\n#include <far.h>\n#include <seahorn/seahorn.h>\n'
        '#include "verifier-builtins.h"\n#include <seahorn/seasynth.h>\n#include <stdio.h>\n'
        "int x = BESIDE + FAR + GIVEN;\n",
    )
    text = compile_text(file, include_dirs=(tmp_path / "lib",), defines=("GIVEN=39",))
    assert "@x = dso_local global i32 42" in text
    smack = write(tmp_path, "s.c", '#include "smack.h"\nint main(void) { assert(1); return 0; }\n')
    assert "define" in compile_text(smack)


def test_line_markers_do_not_move_lines_and_the_user_path_stays(tmp_path: Path) -> None:
    file = write(
        tmp_path, "m.c", '# 77 "other.h"\nint a;\n#line 50 "b.h"\nint main() {return a;}\n'
    )
    text = compile_text(file)
    assert re.search(r'DISubprogram\(name: "main".* line: 4', text)
    # clang splits a path that shares its beginning with the current directory
    places = re.findall(r'DIFile\(filename: "(.*?)", directory: "(.*?)"', text)
    assert str(file) in [os.path.join(directory, name) for name, directory in places]
    assert "other.h" not in text and "b.h" not in text


def test_llvm_files_are_read_and_checked(tmp_path: Path) -> None:
    module = write(tmp_path, "m.ll", "define i32 @main() {\n   ret i32 3 ; three\n}\n")
    text = compile_text(module)
    assert "  ret i32 3\n" in text and "target datalayout" in text
    binding = pytest.importorskip("llvmlite.binding")
    bitcode = tmp_path / "m.bc"
    bitcode.write_bytes(binding.parse_assembly(text).as_bitcode())
    assert "  ret i32 3\n" in compile_text(bitcode)
    with pytest.raises(InputError, match="made for 64 bits, not 32"):
        compile_text(bitcode, bits=32)


@pytest.mark.parametrize("part", ["triple", "data_layout", "__str__"])
def test_a_module_whose_text_is_in_no_encoding_is_refused(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names in bitcode are any bytes, which llvmlite decodes when it is asked for them."""

    def undecodable(_: object) -> str:
        return b"\xfa".decode()

    class Odd:
        triple, data_layout = "x86_64-unknown-linux-gnu", "e-p:64:64"

        def verify(self) -> None:
            """It is fine."""

    setattr(Odd, part, undecodable if part == "__str__" else property(undecodable))
    monkeypatch.setattr(llvm, "_parse_any", lambda _: Odd())
    file = tmp_path / "m.bc"
    file.touch()
    answer = json.loads(llvm.normalise(json.dumps({"file": str(file), "bits": 64})))
    assert answer["error"].startswith("not a valid LLVM module: 'utf-8' codec")


LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
INJECTED = {
    "triple": f'target datalayout = "{LAYOUT}"\n'
    'target triple = "x86_64-unknown-linux-gnu\\22\\0Amodule asm \\22nop"\n',
    "hidden line": f'target datalayout = "{LAYOUT}"\n'
    'target triple = "x86_64-unknown-linux-gnu\\22\\0A; \\0D@sea.check = global i8 0\\0A; \\22"\n',
    "collector": 'define void @f() gc "erlang\\22 { ret void }\\0A; \\0D'
    'define void @sea.check(i1 %b, i32 %n) { ret void }\\0A; \\22" {\n  ret void\n}\n',
}


@pytest.mark.parametrize("route", INJECTED)
def test_no_name_in_an_llvm_file_becomes_a_line_of_it(tmp_path: Path, route: str) -> None:
    """LLVM prints the names of targets and of collectors as they are: they defined functions."""
    file = tmp_path / "p.ll"
    file.write_text(INJECTED[route] + "define i32 @main() {\n  ret i32 0\n}\n")
    with pytest.raises(InputError, match="not supported") as caught:
        compile_files([file], FrontendOptions(), Deadline.after(20))
    assert "\n" not in str(caught.value)


def test_llvm_files_lose_what_a_pass_could_exploit(tmp_path: Path) -> None:
    module = write(
        tmp_path,
        "m.ll",
        "define i32 @f(i32 noundef %x, ptr nonnull %p) {\n %y = add nsw i32 %x, 1\n"
        " %q = getelementptr inbounds i8, ptr %p, i32 %y\n ret i32 %y\n}\n"
        "define i32 @main() {\n %r = call i32 @f(i32 noundef 3, ptr nonnull null)\n"
        " ret i32 %r\n}\n",
    )
    text = compile_text(module)
    assert not re.search("nsw|inbounds|noundef|nonnull", text)
    assert "call i32 @f(i32 3, ptr null)" in text


BAD = {
    "syntax.c": ("int main() { return 1 }", r"syntax.c:1:22: error: expected ';'"),
    "broken.ll": ("define i32 @main( {", "broken.ll: not a valid LLVM module"),
    "broken.bc": ("BC\xc0\xde", "broken.bc: not a valid LLVM module"),
    "empty.ll.txt": ("", "unsupported file type"),
    "badnumber.ll": ("define i32 @main() {\n ret i64 3\n}\n", "badnumber.ll: not a valid LLVM"),
    "crash.c": ("#pragma clang __debug crash\n", "crash.c: the compiler crashed"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_an_input_error(tmp_path: Path, name: str) -> None:
    text, message = BAD[name]
    file = tmp_path / name
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=message) as caught:
        compile_text(file)
    assert str(file) in str(caught.value)
    assert str(caught.value).count("\n") < 3


def test_missing_file_and_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        compile_text(tmp_path / "none.c")
    with pytest.raises(InputError, match="is a directory"):
        compile_text(tmp_path)


def test_home_is_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    assert "@main" in compile_text(write(tmp_path, "p.c", "int main() { return 0; }"))


def test_another_compiler_may_not_know_all_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"""#!{sys.executable}
import subprocess, sys
for flag in ("-fwrapv-pointer", "-no-enable-noundef-analysis"):
    if flag in sys.argv:
        sys.exit(f"error: unknown argument: '{{flag}}'")
rest = [a for a in sys.argv[1:] if a not in ("-m32", "-m64")]
sys.exit(subprocess.run(["{zig_path()}", "clang", "-target", "i386-linux-gnu", *rest]).returncode)
"""
    other = write(tmp_path, "other-clang", script)
    other.chmod(other.stat().st_mode | stat.S_IXUSR)
    file = write(tmp_path, "p.c", "int main() { return sizeof(long); }")
    monkeypatch.setenv("SEA_CLANG", str(other))
    assert "i32 4" in compile_text(file, bits=32)
    with pytest.raises(InputError, match="cannot be run"):
        compile_text(file, clang=tmp_path / "missing")


def test_a_copy_that_is_ended_while_it_compiles_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(*_: object) -> None:
        tempfile.mkdtemp()
        (tmp_path / "started").touch()
        time.sleep(60)

    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setattr(loading.compiler, "compile_files", hang)
    with loading.begin([Path("a.c")], FrontendOptions(), Deadline.after(60)):
        while not (tmp_path / "started").exists():
            time.sleep(0.01)
    assert list(scratch.iterdir()) == []
