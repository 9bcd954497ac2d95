"""Programs cannot take names of ours, by any kind of symbol and any way to write it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from seahorn_py import Answer, VerifyOptions, verify
from seahorn_py.base.errors import InputError
from seahorn_py.frontend.compiling.compiler import zig_path

MAIN = "void reach_error(void);\nint main(void) { reach_error(); return 0; }\n"

IN_C = {
    "a function": 'void f(void) __asm__("sea.begin"); void f(void) { }',
    "a static function": 'static void f(void) __asm__("sea.main") __attribute__((used));'
    " static void f(void) { }",
    "a declaration": 'void f(void) __asm__("sea.check"); void g(void) { f(); }',
    "a variable": 'int x __asm__("sea.linked_request") = 1;',
    "an extern variable": 'extern int x __asm__("sea.requested"); int g(void) { return x; }',
    "an alias": 'void g(void) { } void f(void) __asm__("sea.stop") __attribute__((alias("g")));',
    "an unknown name": 'void f(void) __asm__("sea.whatever"); void f(void) { }',
}
IN_LLVM = {
    "a function": "define void @sea.begin() { ret void }",
    "an escape": 'define void @"\\01sea.begin"() { ret void }',
    "quotes": 'define void @"sea.begin"() { ret void }',
    "a hexadecimal name": 'define void @"\\73ea.begin"() { ret void }',
    "a declaration": "declare i32 @sea.input.i32(i32)",
    "a variable": "@sea.x = global i32 0",
    "a private function": "define private void @sea.f() { ret void }",
    "an alias": "@sea.main = alias void (), ptr @g\ndefine void @g() { ret void }",
    "an ifunc": "@sea.stop = ifunc void (), ptr @g\ndefine ptr @g() { ret ptr null }",
    "behind an attribute": 'define "x"="@y" i32 @sea.main() { ret i32 0 }',
}


def refused(file: Path) -> str:
    with pytest.raises(InputError) as caught:
        verify(file, VerifyOptions(timeout=20))
    return str(caught.value)


@pytest.mark.parametrize("kind", IN_C)
def test_c(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(IN_C[kind] + "\n" + MAIN)
    message = refused(file)
    assert str(file) in message and "sea." in message and "\n" not in message


@pytest.mark.parametrize("kind", IN_LLVM)
@pytest.mark.parametrize("ending", [".ll", ".bc"])
def test_llvm(kind: str, ending: str, tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text(IN_LLVM[kind] + "\ndefine i32 @main() {\n  ret i32 0\n}\n")
    if ending == ".bc":
        text, file = file, tmp_path / "a.bc"
        argv = [str(zig_path()), "clang", "-target", "x86_64-linux-gnu", "-w"]
        subprocess.run([*argv, "-c", "-emit-llvm", text, "-o", file], check=True)
    message = refused(file)
    assert str(file) in message and "sea." in message and "\n" not in message


def test_all_files_are_looked_at(tmp_path: Path) -> None:
    files = [tmp_path / "a.c", tmp_path / "b.c"]
    files[0].write_text(MAIN)
    files[1].write_text(IN_C["a variable"])
    with pytest.raises(InputError, match=r"b\.c.*sea\.linked_request"):
        verify(files, VerifyOptions(timeout=20))


def test_a_function_that_is_called_sea_may_have_static_variables(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        "void reach_error(void);\n"
        "int sea(void) { static int begin = 3, check[2] = {1, 2};\n"
        '    const char *text = "@sea.begin"; begin += check[1];\n'
        "    return begin + (text[0] == '@' && text[1] == 's'); }\n"
        "int main(void) { if (sea() != 6 || sea() != 8) reach_error(); return 0; }\n"
    )
    assert verify(file, VerifyOptions(timeout=30)).answer is Answer.SAFE
    file.write_text(file.read_text().replace("!= 8", "!= 9"))
    assert verify(file, VerifyOptions(timeout=30)).answer is Answer.UNSAFE
