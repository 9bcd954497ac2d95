"""Attacks by the program that is analysed: nothing gets out, and no error is made up.

By every route to code of its own a program tries to write a file, to fork, to connect, to kill, to
execute, to leave as a failed check does.  The first half goes through the gates, as `sea-py pf`
does; the second takes away the gates and asks what the walls hold.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from seahorn_py.base.errors import SeaError, StageFailure
from seahorn_py.cli.commands.executable import confirmed
from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn
from seahorn_py.evidence.runs.launching import ALL_LAYERS, REQUIRED, Layers
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.compiling.support import TARGETS, runtime_objects
from seahorn_py.frontend.lowering.optimizer import lower
from seahorn_py.frontend.runtime import elf, objects
from seahorn_py.frontend.runtime.alone import build_alone
from seahorn_py.frontend.runtime.native import (
    Executable,
    Refusal,
    RunTime,
    build,
    completed,
    link,
    zig,
)
from seahorn_py.frontend.runtime.nativetext import Peculiar
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import verify

LIMITS = RunLimits(seconds=1.0)
NO_FILTER = ALL_LAYERS & ~Layers.SECCOMP
ONLY_REQUIRED = REQUIRED
MAIN = "define i32 @main() {\n  ret i32 0\n}\n"
ENTRY = "define void @sea.main() {\n  ret void\n}\n"


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture(params=[32, 64])
def bits(request: pytest.FixtureRequest, runnable: dict[int, str]) -> int:
    width: int = request.param
    if runnable[width]:
        pytest.skip(runnable[width])
    return width


@pytest.fixture(scope="module")
def runnable() -> Iterator[dict[int, str]]:
    """Why this kernel cannot run programs of a width; empty where it can."""
    found: dict[int, str] = {}
    for width in (32, 64):
        with tempfile.TemporaryDirectory() as folder:
            built = build(ENTRY, width, Path(folder), Deadline.after(60))
            assert isinstance(built, Executable), built
            found[width] = native.run(built, {}, LIMITS).reason
    yield found


def outcomes(text: str, suffix: str, bits: int, place: Path) -> tuple[Outcome, ...] | str:
    """Runs of a program that came as a file, on zeros and drawn inputs; or why there is none."""
    file = place / f"program{suffix}"
    file.write_text(text)
    options, deadline = FrontendOptions(bits=bits), Deadline.after(60)
    try:
        lowered = lower(compile_files([file], options, deadline), options, deadline)
    except (SeaError, StageFailure) as error:
        return str(error)
    built = build(lowered.native, bits, place, deadline)
    if isinstance(built, Refusal):
        return built.reason
    drawn = native.sample(built, Drawn(0, tuple(range(64))), 60, deadline, LIMITS)
    assert not drawn.refusal
    return (native.run(built, {}, LIMITS, NO_FILTER), *drawn.outcomes)


def nothing_happened(found: tuple[Outcome, ...] | str, place: Path) -> None:
    assert not (place / "marker").exists()
    if not isinstance(found, str):
        assert found
        assert not [run for run in found if run.ending in (Ending.FAILED, Ending.REFUSED)]


# ------------------------------------------------------------------------- from C, with gates


SECTIONS = [
    ".interp",
    ".init_array",
    ".fini_array",
    ".preinit_array",
    ".ctors",
    ".deplibs",
    ".linker-options",
    ".dynamic",
    ".note.gnu.property",
    ".sea.server",
    ".sea.fork",
    ".sea.run",
    ".eh_frame",
    ".llvmbc",
    ".gnu.warning.main",
    ".tdata",
    ".got",
    ".plt",
    ".debug_gdb_scripts",
]
SECTIONED = "".join(
    f'const char v{k}[] __attribute__((used, retain, section("{name}"))) = "{{evil}}";\n'
    for k, name in enumerate(SECTIONS)
)
CODE_SECTIONS = "".join(
    f'__attribute__((section("{name}"))) void f{k}(void) {{{{ char *p = 0; *p = {k}; }}}}\n'
    for k, name in enumerate((".init", ".fini", ".text.startup", ".sea.code", ".preinit"))
)
USED = "".join(f" + v{k}[0]" for k in range(len(SECTIONS)))


def test_sections_of_a_program_are_plain_data_again(bits: int, place: Path) -> None:
    """`.interp` made the kernel start another ELF file, without any limit."""
    evil = place / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch {place / 'marker'}\n")
    evil.chmod(0o700)
    text = (SECTIONED + CODE_SECTIONS).format(evil=evil)
    text += (
        f"int main(void) {{ if ((0{USED}) == -1) {{ f0(); f1(); f2(); f3(); f4(); }} return 0; }}\n"
    )
    found = outcomes(text, ".c", bits, place)
    nothing_happened(found, place)
    assert not isinstance(found, str)
    assert {run.ending for run in found} == {Ending.ENDED}
    data = elf.read((place / "native.exe").read_bytes())
    assert {s.type for s in data.header.segments} <= {elf.LOAD, elf.STACK}


def test_linker_directives_do_nothing(bits: int, place: Path) -> None:
    """`evil.lds` was read as a linker script, which redefined `sea.begin`."""
    script = place / "evil.lds"
    script.write_text('"sea.begin" = evil; "sea.main" = evil; INPUT(missing.o)\n')
    text = (
        f'#pragma comment(lib, "{script}")\n#pragma comment(linker, "--script={script}")\n'
        f'#pragma comment(lib, "{script.name}")\n'
        '#pragma clang section bss=".interp" data=".preinit_array"\n'
        "int zero, one = 1;\nvoid evil(void) { reach_error(); }\n"
        "int main(void) { return zero - one == 5 ? (evil(), 1) : 0; }\n"
    )
    found = outcomes("extern void reach_error(void);\n" + text, ".c", bits, place)
    nothing_happened(found, place)
    assert not isinstance(found, str)


HOSTILE_C = {
    "ifunc": "void f(void) {} void *r(void) { return f; }\n"
    'void g(void) __attribute__((ifunc("r")));\nint main(void) { g(); return 0; }',
    "top-level assembly": '__asm__(".globl sea.begin\\nsea.begin: hlt");\n'
    "int main(void) { return 0; }",
    "assembly": 'int main(void) { __asm__ volatile("hlt"); return 0; }',
    "assembly with a result": 'int main(void) { int x; __asm__("hlt" : "=r"(x)); return x; }',
    "goto from assembly": 'int main(void) { __asm__ goto("hlt" :::: out); out: return 0; }',
    "naked": '__attribute__((naked)) void f(void) { __asm__("hlt"); }\n'
    "int main(void) { f(); return 0; }",
    "own names": "".join(
        f'int a{k}(void) __asm__("{name}");\nint a{k}(void) {{ *(char *)0 = 1; return 0; }}\n'
        for k, name in enumerate(("sea.begin", "sea.start", "sea.child", "sea.draw", "\\1sea.run"))
    )
    + "int main(void) { return a0() + a1() + a2() + a3() + a4(); }",
    "alias": 'void f(void) {} void g(void) __attribute__((alias("f"))) __asm__("sea.begin");\n'
    "int main(void) { g(); return 0; }",
    "variables": 'int v __asm__("sea.run_area") = 3; int w __asm__("sea.start") = 4;\n'
    "int main(void) { return v + w; }",
    "used from outside": 'extern int v __asm__("sea.request");\nint main(void) { return v; }',
    "library": "void *malloc(unsigned long n) { return (void *)n; }\n"
    "void *memcpy(void *a, const void *b, unsigned long n) { return a; }\n"
    "void *memset(void *a, int b, unsigned long n) { return a; }\nvoid free(void *p) {}\n"
    "struct s { char c[400]; } a, b;\n"
    "int main(void) { a = b; memset(&a, 1, sizeof a); return malloc(3) == 0; }",
    "helpers": "long long __divdi3(long long a, long long b) { return 1; }\n"
    "int main(void) { volatile long long x = 6; return x / 2 == 3; }",
    "constructor": "int n; __attribute__((constructor)) void f(void) { n = 1; *(char *)1 = 2; }\n"
    "int main(void) { return n; }",
    "destructor": "__attribute__((destructor)) void f(void) { *(char *)1 = 2; }\n"
    "int main(void) { return 0; }",
    "thread": "__thread int n = 3; int main(void) { return n++; }",
    "segments": "int main(void) { int __attribute__((address_space(256))) *p = 0; return *p; }",
    "alignment": "int main(void) { int x __attribute__((aligned(1 << 28))) = 0; return x; }",
    "interrupt": "struct f; __attribute__((interrupt)) void f(struct f *p) {}\n"
    "int main(void) { ((void (*)(void))f)(); return 0; }",
    "instrumented": '__attribute__((patchable_function_entry(64, 32), target("avx2")))\n'
    "void f(void) {}\n"
    "int main(void) { f(); return 0; }",
    "stack": "int main(void) { void **p = __builtin_frame_address(0); p[1] = (void *)main;\n"
    "return p == __builtin_return_address(0); }",
}


@pytest.mark.parametrize("route", HOSTILE_C)
def test_hostile_c_does_nothing(route: str, place: Path, runnable: dict[int, str]) -> None:
    width = 32 if len(route) % 2 else 64
    if runnable[width]:
        pytest.skip(runnable[width])
    nothing_happened(outcomes(HOSTILE_C[route], ".c", width, place), place)


def shellcode(bits: int, place: Path) -> bytes:
    """Machine code that makes a file and leaves as a failed check does."""
    source = _assembly("write", bits, place) + _assembly("exit", bits, place)
    (place / "code.s").write_text(source)
    done = zig(
        ["clang", "-target", TARGETS[bits], "-c", "code.s", "-o", "code.o"],
        place,
        Deadline.after(30),
    )
    assert done.code == 0, done.errors
    data = (place / "code.o").read_bytes()
    text = next(s for s in elf.read(data).sections if s.name == ".text")
    return data[text.offset : text.offset + text.size]


def test_no_verdict_is_made_up(place: Path, runnable: dict[int, str]) -> None:
    """Code in a constant array that left with 99 was the answer unsafe."""
    if runnable[64]:
        pytest.skip(runnable[64])
    code = ", ".join(map(str, shellcode(64, place)))
    file = place / "program.c"
    file.write_text(
        f"extern void reach_error(void);\nconst unsigned char code[] = {{{code}}};\n"
        "int main(int argc, char **argv) {\n  if (argc > 1) ((void (*)(void))code)();\n"
        "  return 0;\n}\n"
    )
    options = VerifyOptions(FrontendOptions(bits=64), timeout=30.0)
    assert verify(file, options).answer is not Answer.UNSAFE
    assert not (place / "marker").exists()


def test_data_are_no_code(bits: int, place: Path) -> None:
    """A constant array called as a function ran; arrays that can be written and locals too."""
    code = shellcode(bits, place)
    array = f"unsigned char code[{len(code)}] = {{{', '.join(map(str, code))}}};"
    text = (
        "extern int __VERIFIER_nondet_int(void);\n"
        f"static const {array.replace('code', 'constant')}\n"
        f"static {array.replace('code', 'data')}\n"
        f"int main(void) {{\n  volatile {array.replace('code', 'local')}\n  void *chosen = 0;\n"
        "  switch (__VERIFIER_nondet_int()) {\n    case 0: chosen = (void *)constant; break;\n"
        "    case 1: chosen = data; break;\n    case 2: chosen = (void *)local; break;\n"
        f"    case 3: chosen = __builtin_memcpy(__builtin_malloc(999), data, {len(code)});\n  }}\n"
        "  ((void (*)(void))chosen)();\n  return 0;\n}\n"
    )
    nothing_happened(outcomes(text, ".c", bits, place), place)


def test_wild_writes_do_not_reach_the_server(bits: int, place: Path) -> None:
    """Words around our data and on the stack are taken for pointers, and written through."""
    text = """
extern int __VERIFIER_nondet_int(void);
unsigned long near = 1;
int main(void) {
  unsigned long local = 1, *from = __VERIFIER_nondet_int() & 1 ? &near : &local;
  int at = __VERIFIER_nondet_int() % 64 * 8, step = __VERIFIER_nondet_int() & 1 ? 1 : -1;
  for (int i = 0; i < 8; i++) {
    unsigned long *found = (unsigned long *)from[step * (at + i)];
    if ((unsigned long)found < 65536 || found == from) continue;
    for (int k = 0; k < 8; k++) found[k] = 99;
  }
  return 0;
}
"""
    nothing_happened(outcomes(text, ".c", bits, place), place)


def test_the_code_of_the_server_is_not_there(bits: int, place: Path) -> None:
    text = """
extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned at = 0x400000 + (unsigned)__VERIFIER_nondet_int() % 0x2000;
  ((void (*)(int))(unsigned long)at)(99);
  while (1) ;
}
"""
    found = outcomes(text, ".c", bits, place)
    nothing_happened(found, place)
    assert {run.ending for run in found if not isinstance(run, str)} == {Ending.ENDED}


# ------------------------------------------------------------------------- from LLVM text


LL = {
    "section": '@s = global [4 x i8] c"evil", section ".interp"\n',
    "note": '@s = global [4 x i8] c"evil", section ".note.evil", align 4\n',
    "libraries": '!llvm.dependent-libraries = !{!0}\n!0 = !{!"/evil.lds"}\n',
    "options": '!llvm.linker.options = !{!0}\n!0 = !{!"--script=/evil.lds"}\n',
    "command line": '!llvm.commandline = !{!0}\n!0 = !{!"evil"}\n',
    "embedded": '@llvm.embedded.module = private constant [4 x i8] c"evil", section ".llvmbc"\n'
    "@llvm.compiler.used = appending global [1 x ptr] [ptr @llvm.embedded.module],"
    ' section "llvm.metadata"\n',
    "symbols": '!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"cf-protection-branch", i32 1}\n',
    "partition": '@s = global i32 1, partition "evil"\n',
    "comdat": '$"sea.begin" = comdat any\n@s = global i32 1, comdat($"sea.begin")\n',
    "attributes": "define void @f() #0 {\n  ret void\n}\nattributes #0 = {"
    ' "probe-stack"="sea.begin" "patchable-function-entry"="9" "fentry-call"="true"'
    ' "split-stack" "implicit-section-name"=".interp" sspreq naked safestack shadowcallstack }\n',
    "attribute of a variable": "@s = global i32 0 #0\n"
    'attributes #0 = { "bss-section"=".interp" }\n',
    "metadata of code": "define void @f() {\n  ret void, !pcsections !0\n}\n"
    '!0 = !{!".interp", !{i32 1}}\n',
    "associated": '@s = global i32 1, section ".interp", !associated !0\n@t = global i32 2\n'
    "!0 = !{ptr @t}\n",
}
REFUSED_LL = {
    "assembly": 'module asm ".globl sea.begin"\n',
    "assembly called": "define void @f() {\n"
    '  call void asm sideeffect "hlt", ""()\n  ret void\n}\n',
    "assembly with a string": "define void @f(ptr %p) {\n"
    '  store [5 x i8] c"\\22 a\\22", ptr %p\n  call void asm "hlt", ""()\n  ret void\n}\n',
    "assembly goes on": "define void @f() {\n"
    '  callbr void asm "hlt", "!i"() to label %a [label %b]\na:\n  ret void\nb:\n  ret void\n}\n',
    "assembly invoked": "declare i32 @p(...)\ndefine void @f() personality ptr @p {\n"
    '  invoke void asm "hlt", ""() to label %a unwind label %b\na:\n  ret void\n'
    "b:\n  %x = landingpad { ptr, i32 } cleanup\n  ret void\n}\n",
    "ifunc": "@i = ifunc void (), ptr @r\ndefine ptr @r() {\n  ret ptr null\n}\n",
    "prefix": "define void @f() prefix i64 -1 {\n  ret void\n}\n",
    "prologue": "define void @f() prologue i8 -12 {\n  ret void\n}\n",
    "gc": 'define void @f() gc "shadow-stack" {\n  ret void\n}\n',
    "escape": 'define void @"\\01sea.begin"() {\n  ret void\n}\n',
    "escaped check": 'define void @"\\01sea.check"(i1 %b, i32 %n) {\n  ret void\n}\n',
    "check": "define void @sea.check(i1 %b, i32 %n) {\n  ret void\n}\n",
    "input": "define i32 @sea.input.i32(i32 %n) {\n  ret i32 0\n}\n",
    "begin": "declare void @sea.begin()\n",
    "stack": "declare ptr @llvm.returnaddress(i32 immarg)\n",
    "trampoline": "declare void @llvm.init.trampoline(ptr, ptr, ptr)\n",
    "interrupt": "declare void @llvm.x86.int(i8 immarg)\n",
    "register": "declare void @llvm.write_register.i64(metadata, i64)\n",
    "patchpoint": "declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)\n",
    "segment": "define void @f() {\n  store i8 1, ptr addrspace(256) null\n  ret void\n}\n",
    "segment of a variable": "@s = addrspace(257) global i32 1\n",
    "layout": 'target datalayout = "e-A256"\n',
    "convention": "define x86_intrcc void @f(ptr byval(i32) %p) {\n  ret void\n}\n",
    "bundle": 'define void @f() {\n  call void @g() [ "kcfi"(i32 1) ]\n  ret void\n}\n'
    "define void @g() {\n  ret void\n}\n",
    "threads": "@t = thread_local global i32 1\n",
    "alignment": "define void @f() {\n  %x = alloca i8, align 4294967296\n  ret void\n}\n",
}


def test_other_names_of_the_same_machine_are_welcome() -> None:
    text = (
        'target datalayout = "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128'
        '-n8:16:32:64-S128"\ntarget triple = "x86_64-pc-linux-gnu"\n'
    )
    assert "pc-linux" not in completed(text + ENTRY, 64)


@pytest.mark.parametrize("debug", [False, True])
def test_what_steers_the_tools_is_left_out(debug: bool, place: Path) -> None:
    """Each by itself is gone from the text; together they are linked, and plain."""
    for route, text in LL.items():
        left = completed(text + ENTRY, 64, debug)
        for word in ("section", "comdat", "sea.begin", "patchable", "naked", "!llvm.d", "!llvm.l"):
            assert word not in left, (route, word)
        built = build(text + ENTRY, 64, place, Deadline.after(60))
        assert isinstance(built, Executable), (route, built)


@pytest.mark.parametrize("route", REFUSED_LL)
def test_what_has_another_meaning_is_refused(route: str) -> None:
    for debug in (False, True):
        with pytest.raises(Peculiar):
            completed(REFUSED_LL[route] + ENTRY, 64, debug)


@pytest.mark.parametrize(
    "route", ["section", "libraries", "attributes", "escape", "begin", "check"]
)
def test_hostile_llvm_files_do_nothing(route: str, place: Path, runnable: dict[int, str]) -> None:
    if runnable[64]:
        pytest.skip(runnable[64])
    text = {**LL, **REFUSED_LL}[route].replace("evil", str(place / "evil")) + MAIN
    nothing_happened(outcomes(text, ".ll", 64, place), place)


def test_words_in_names_and_strings_are_no_assembly(place: Path) -> None:
    text = (
        '@"call asm" = global [12 x i8] c"asm \\22hlt\\22 ()"\n@asm = global ptr @"call asm"\n'
        "define void @sea.main() {\n  br label %asm\nasm:\n  %metadata = load ptr, ptr @asm\n"
        '  store [9 x i8] c"call asm ", ptr %metadata\n  ret void\n}\n'
    )
    built = build(text, 64, place, Deadline.after(60))
    assert isinstance(built, Executable), built


# --------------------------------------------------------------------- objects and executables


VERSIONED = {
    "label": 'void g(void) __attribute__((alias("f"))) __asm__("memset@@V");\nvoid f(void) {}',
    "old version": 'void g(void) __attribute__((alias("f"))) __asm__("free@V");\nvoid f(void) {}',
    "calling convention": "__attribute__((vectorcall)) void f(void) {}\n"
    'void g(void) __attribute__((vectorcall, alias("f"))) __asm__("memcpy");',
}


@pytest.mark.parametrize("route", VERSIONED)
def test_no_name_becomes_one_of_the_run_time_in_the_linker(route: str, place: Path) -> None:
    """`memset@@V` was the `memset` that `alone.c` called before it gave up any system call."""
    text = VERSIONED[route] + "\nint main(void) { g(); return 0; }\n"
    found = outcomes(text, ".c", 64, place)
    assert isinstance(found, str), found
    assert found.startswith("a name with a version: "), found


@pytest.mark.parametrize("bits", [32, 64])
def test_the_run_time_itself_calls_nothing_that_a_program_may_define(bits: int) -> None:
    given = runtime_objects(bits)
    for name in ("start.o", "alone.o", "inputs.o", "draw.o"):
        symbols = elf.read(given[name]).symbols
        needed = {s.name for s in symbols if s.section == elf.UNDEFINED and s.binding != elf.LOCAL}
        assert not {one for one in needed if not one.startswith("sea.")}, name


def assembled(source: str, bits: int, place: Path) -> bytes:
    (place / "peculiar.s").write_text(source)
    argv = ["clang", "-target", TARGETS[bits], "-c", "peculiar.s", "-o", "peculiar.o"]
    done = zig(argv, place, Deadline.after(30))
    assert done.code == 0, done.errors
    return (place / "peculiar.o").read_bytes()


PECULIAR_OBJECTS = {
    '.section .interp\n.asciz "/evil"\n': "section .interp",
    ".section .init_array\n.quad 1\n": "section .init_array",
    '.section .deplibs,"MS",@llvm_dependent_libraries,1\n.asciz "evil.lds"\n': "section .deplibs",
    '.section .text,"ax"\n.section .note.evil,"a",@note\n.long 1\n': "section .note.evil",
    '.section .sea.server,"ax"\nnop\n': "section .sea.server",
    ".globl sea.begin\nsea.begin:\n": "use of the run time's sea.begin",
    ".weak malloc\nmalloc:\n": "use of the run time's malloc",
    ".type f,@gnu_indirect_function\nf: ret\n": "a symbol of another kind: f",
    '.section .tdata,"awT"\nx: .long 1\n': "section .tdata",
    ".text\ncall sea.draw\n": "use of the run time's sea.draw",
    '.globl "memset@@V"\n"memset@@V":\n': "a name with a version: memset@@V",
    '.weak "sea.check@@V"\n"sea.check@@V":\n': "a name with a version: sea.check@@V",
    '.text\ncall "f@V"\n': "a name with a version: f@V",
    ".text\ncall sea.check\n": "",
}


def test_objects_with_anything_peculiar_are_not_linked(place: Path) -> None:
    ours, needed = {"sea.begin", "sea.draw", "sea.check", "malloc"}, {"sea.check"}
    for source, reason in PECULIAR_OBJECTS.items():
        for width in (32, 64):
            data = assembled(source.replace(".quad", ".long"), width, place)
            assert objects.peculiar(data, width, ours, needed, False) == reason, source
            assert objects.peculiar(data, 96 - width, ours, needed, False)
            assert objects.peculiar(data[: len(data) // 2], width, ours, needed, False)


def test_executables_that_the_kernel_would_enter_elsewhere_are_not_run(place: Path) -> None:
    built = build(ENTRY, 64, place, Deadline.after(60))
    assert isinstance(built, Executable)
    good = built.path.read_bytes()
    assert objects.unsafe_to_run(good, 64) == ""
    entry, segments = 24, 64
    peculiar = {
        "another entry": _patched(good, entry, (0x402000).to_bytes(8, "little")),
        "a segment of type 0x3": _patched(good, segments, b"\x03"),
        "data can be executed": _patched(good, segments + 4, b"\x07"),
        "another kind": _patched(good, 16, b"\x03"),
        "is no code": _patched(good, segments + 4, b"\x04"),
        "cut off": good[: len(good) - 40],
    }
    for reason, data in peculiar.items():
        assert reason in objects.unsafe_to_run(data, 64), reason
        built.path.write_bytes(data)
        built.path.chmod(0o700)
        if reason not in ("another entry", "cut off"):
            assert native.run(built, {}, LIMITS).ending is Ending.REFUSED


def _patched(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


# ------------------------------------------------------------------- the walls, without gates


CALLS = {
    "write": (2, 5, "0x41, 0x180"),
    "exec": (59, 11, "0, 0"),
    "fork": (57, 2, "0, 0"),
    "connect": (41, 359, "1, 0"),
    "kill": (62, 37, "0, 0"),
    "protect": (10, 125, "4096, 7"),
    "map": (9, 90, "4096, 7"),
    "group": (231, 252, "0, 0"),
    "exit": (60, 1, "0, 0"),
}
"""System calls of both machines; the first argument is the name of a file, -1 for `kill` and 99
for `exit`."""


def _assembly(action: str, bits: int, place: Path, old: bool = False) -> str:
    """Make the system call, then leave as a run does; with `old` by the gate of i386."""
    number = CALLS[action][0 if bits == 64 and not old else 1]
    second, third = CALLS[action][2].split(", ")
    first = {"kill": -1, "exit": 99, "group": 99, "connect": 1, "map": 0, "protect": 0x402000}
    file = place / ("evil.sh" if action == "exec" else "marker")
    names = "edi esi edx" if bits == 64 and not old else "ebx ecx edx"
    registers = names.split()
    gate = "syscall" if bits == 64 and not old else "int $0x80"
    lines = [f'call 1f\n.asciz "{file}"\n1: pop %{"r" if bits == 64 else "e"}{registers[0][1:]}']
    if action in first:
        lines.append(f"mov ${first[action]}, %{registers[0]}")
    lines += [f"mov ${second}, %{registers[1]}", f"mov ${third}, %{registers[2]}"]
    lines += [f"mov ${number}, %eax", gate]
    return "\n".join(lines) + "\n"


def escaping(source: str, bits: int, place: Path) -> Executable:
    """An executable whose run is this machine code, as no gate would let it through."""
    (place / "escape.s").write_text(f".globl escape\n.text\nescape:\n{source}\n")
    argv = ["clang", "-target", TARGETS[bits], "-c", "escape.s", "-o", "escape.o"]
    done = zig(argv, place, Deadline.after(30))
    assert done.code == 0, done.errors
    text = (
        "declare void @escape()\ndefine void @sea.main() {\n  call void @escape()\n  ret void\n}\n"
    )
    extra = [place / "escape.o"]
    path = place / "escape.exe"
    built = link(text, bits, place, path, RunTime.SERVER, Deadline.after(60), extra)
    assert isinstance(built, Executable), built
    return built


def leaving(bits: int) -> str:
    return (
        "mov $0, %edi\nmov $60, %eax\nsyscall\n"
        if bits == 64
        else ("mov $0, %ebx\nmov $1, %eax\nint $0x80\n")
    )


@pytest.mark.parametrize("action", CALLS)
def test_machine_code_has_no_system_calls(action: str, bits: int, place: Path) -> None:
    (place / "evil.sh").write_text(f"#!/bin/sh\ntouch {place / 'marker'}\n")
    (place / "evil.sh").chmod(0o700)
    built = escaping(_assembly(action, bits, place) + leaving(bits), bits, place)
    for layers in (ALL_LAYERS, ONLY_REQUIRED, NO_FILTER, Layers.LIMITS):
        outcome = native.run(built, {}, LIMITS, layers)
        assert (outcome.ending, outcome.check) == (Ending.LIMIT, None), layers
        filtered = layers & Layers.SECCOMP and action != "exit"
        assert (outcome.reason == "a system call") == bool(filtered), outcome
    assert not (place / "marker").exists()


@pytest.mark.parametrize("gate", ["old", "wide"])
def test_the_other_gates_of_the_kernel_are_closed(gate: str, place: Path) -> None:
    """64-bit code that makes system calls as i386 or x32 code does."""
    code = _assembly("write", 64, place, old=gate == "old")
    if gate == "wide":
        code = code.replace("mov $2, %eax", f"mov ${2 | 1 << 30}, %eax")
    built = escaping(code + leaving(64), 64, place)
    outcome = native.run(built, {}, LIMITS)
    assert (outcome.ending, outcome.reason) == (Ending.LIMIT, "a system call")
    assert not (place / "marker").exists()


@dataclass(frozen=True)
class Entered:
    """An executable that the kernel enters in the middle, and how the process ended."""

    code: int
    held: Layers


def entered(action: str, bits: int, place: Path, layers: Layers) -> Entered:
    """Start machine code itself, not the server, behind these walls."""
    built = escaping(_assembly(action, bits, place) + _told(bits), bits, place)
    data = built.path.read_bytes()
    at = next(s.value for s in elf.read(data).symbols if s.name == "escape")
    word = at.to_bytes(8 if bits == 64 else 4, "little")
    built.path.write_bytes(_patched(data, 24, word))
    built.path.chmod(0o700)
    order = native._Order({}, LIMITS, 2.0, 1, 0, True, layers)
    with native._ended(built, order, 5.0, None) as (code, content, start):
        held = Layers(int.from_bytes(content[start : start + 8], "little"))
    return Entered(code, held)


def _told(bits: int) -> str:
    """Leave with 1 if the last call failed, with 0 otherwise."""
    if bits == 64:
        return "shr $63, %rax\nmov %eax, %edi\nmov $60, %eax\nsyscall\n"
    return "shr $31, %eax\nmov %eax, %ebx\nmov $1, %eax\nint $0x80\n"


@pytest.mark.parametrize("action", ["write", "exec", "connect", "fork"])
def test_walls_do_not_depend_on_the_entry(action: str, bits: int, place: Path) -> None:
    (place / "evil.sh").write_text(f"#!/bin/sh\ntouch {place / 'marker'}\n")
    (place / "evil.sh").chmod(0o700)
    found = entered(action, bits, place, ALL_LAYERS)
    killed = -31 if not found.held & Layers.PROCESSES else 128 + 31
    assert found.code == killed
    if action in ("write", "exec"):
        for layers in (Layers.LIMITS | Layers.PRIVILEGES, Layers.USER | Layers.MOUNT):
            layers |= Layers.LANDLOCK | Layers.LIMITS
            found = entered(action, bits, place, layers)
            if found.held & (Layers.LANDLOCK | Layers.MOUNT):
                assert found.code == 1
    assert not (place / "marker").exists()


def test_an_error_that_no_check_found_is_none(bits: int, place: Path) -> None:
    """What stands in a run's area is believed within bounds, a verdict with its number alone."""
    area, store = ("%gs:8", "q") if bits == 64 else ("%gs:4", "l")
    a = "rax" if bits == 64 else "eax"
    for writes, reason in (
        ([(0, 1), (8, 0)], "as if a check had failed"),
        ([(0, 0), (16, 1 << 30)], "impossible inputs"),
    ):
        code = f"mov {area}, %{a}\n"
        code += "".join(f"mov{store} ${value}, {at}(%{a})\n" for at, value in writes)
        built = escaping(code + _assembly("exit", bits, place), bits, place)
        for layers in (ALL_LAYERS, NO_FILTER):
            outcome = native.run(built, {}, LIMITS, layers)
            assert outcome.ending is Ending.LIMIT
            assert reason in outcome.reason


def test_the_number_of_one_run_is_of_no_use_to_the_next(bits: int, place: Path) -> None:
    """Each run leaves its number, which lies in its memory, to the next in what they share."""
    if bits == 64:
        code = (
            "mov %gs:8, %rax\nmov 1024(%rax), %rcx\nmov %rcx, (%rax)\n"
            "mov %gs:40, %rcx\nmov %rcx, 1024(%rax)\n"
        )
    else:
        code = (
            "mov %gs:4, %eax\nmov 1024(%eax), %ecx\nmov %ecx, (%eax)\nmov 1028(%eax), %ecx\n"
            "mov %ecx, 4(%eax)\nmov %gs:20, %ecx\nmov %ecx, 1024(%eax)\n"
            "mov %gs:24, %ecx\nmov %ecx, 1028(%eax)\n"
        )
    built = escaping(code + _assembly("exit", bits, place), bits, place)
    found = native.sample(built, Drawn(0), 5, Deadline.after(10), LIMITS)
    assert [run.ending for run in found.outcomes] == [Ending.LIMIT] * 5
    assert {run.reason for run in found.outcomes} == {"the run ended as if a check had failed"}


def test_each_layer_can_be_had_by_itself(bits: int, place: Path) -> None:
    built = build(ENTRY, bits, place, Deadline.after(60))
    assert isinstance(built, Executable)
    everything = native.exploration(built, Drawn(0), Deadline.after(0.1)).layers
    assert REQUIRED in everything
    for layer in Layers:
        wanted = layer | (Layers.USER if layer.value > Layers.USER.value else layer)
        if layer in everything:
            deadline = Deadline.after(0.1)
            assert native.exploration(built, Drawn(0), deadline, layers=wanted).layers == wanted


def test_a_killed_parent_leaves_nothing(place: Path) -> None:
    """The server, its launcher and the run end with the process that started them."""
    built = build(
        "define void @sea.main() {\n  br label %a\na:\n  br label %a\n}\n",
        64,
        place,
        Deadline.after(60),
    )
    assert isinstance(built, Executable)
    code = (
        "import sys, pathlib\nfrom seahorn_py.evidence.runs import native\n"
        "from seahorn_py.frontend.runtime.native import Executable\n"
        "from seahorn_py.ir.run import RunLimits\n"
        "print('ready', flush=True)\n"
        "native.run(Executable(pathlib.Path(sys.argv[1]), 64), {}, RunLimits(seconds=60))\n"
    )
    argv = [sys.executable, "-c", code, str(built.path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert eventually(lambda: len(_commands(built.path)) >= 2)
        parent.kill()
    assert eventually(lambda: not _commands(built.path))


def eventually(holds: object, seconds: float = 10.0) -> bool:
    import time

    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if callable(holds) and holds():
            return True
        time.sleep(0.02)
    return False


def _commands(path: Path) -> list[Path]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(path).encode() in words and b"-c" not in words:
            found.append(process)
    return found


# --------------------------------------------------------------- executables that are given away


def test_an_executable_that_is_given_away_only_writes_and_ends(bits: int, place: Path) -> None:
    """Also where nobody put it behind walls: it makes a list of its own."""
    text = (
        "declare void @sea.check(i1, i32)\ndefine void @sea.main() {\n"
        "  call void @sea.check(i1 false, i32 0)\n  ret void\n}\n"
    )
    request, path = native.linked_request({}), place / "prog"
    texts = {0: "a.c:1: check failed\n"}
    built = build_alone(text, bits, path, request, texts, None, Deadline.after(60))
    assert isinstance(built, Executable), built
    assert confirmed(built) == texts[0].strip()
    done = subprocess.run([path], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stderr) == (1, texts[0])
    escape = place / "escape.s"
    escape.write_text(f".globl escape\nescape:\n{_assembly('write', bits, place)}{leaving(bits)}")
    argv = ["clang", "-target", TARGETS[bits], "-c", "escape.s", "-o", "escape.o"]
    assert zig(argv, place, Deadline.after(30)).code == 0
    (place / "inputs.s").write_text(
        '.data\n.globl sea.linked_request\nsea.linked_request:\n.incbin "request"\n'
        ".globl sea.linked_texts\nsea.linked_texts:\n.zero 64\n"
    )
    (place / "request").write_bytes(request)
    argv = ["clang", "-target", TARGETS[bits], "-c", "inputs.s", "-o", "inputs.o"]
    assert zig(argv, place, Deadline.after(30)).code == 0
    text = (
        "declare void @escape()\ndefine void @sea.main() {\n  call void @escape()\n  ret void\n}\n"
    )
    extra = [place / "escape.o", place / "inputs.o"]
    built = link(text, bits, place, path, RunTime.ALONE, Deadline.after(60), extra)
    assert isinstance(built, Executable), built
    assert isinstance(confirmed(built), Refusal)
    assert subprocess.run([path], timeout=20, check=False).returncode == -31
    assert not (place / "marker").exists()
