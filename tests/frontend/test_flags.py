"""Flags as builds give them: honoured, ignored, refused; databases of them; barriers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command import sea_py

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.base.errors import InputError
from seahorn_py.frontend.compiling.flags import as_options, read_flags
from seahorn_py.options import Property
from seahorn_py.result import Answer

PROGRAM = """#include "limits_of_mine.h"
#include <assert.h>
enum kind { A, B };
_Static_assert(sizeof(enum kind) == SIZE, "the size of an enumeration");
int main(void) { char c = -1; assert((c < 0) == SIGNED); assert(LIMIT == 5); return 0; }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "limits_of_mine.h").write_text("#define LIMIT 5\n")
    (tmp_path / "a.c").write_text(PROGRAM)
    return tmp_path


def test_flags_of_a_build_are_taken_as_they_are(project: Path) -> None:
    flags = ("-std=c11", "-Wall", "-O2", "-fPIC", "-MF", "a.d", "-isystem", "include", "-U", "X")
    done = sea_py("pf", *flags, "-DSIGNED=1", "-DSIZE=4", "a.c", cwd=project)
    assert done.returncode == 0, done
    (project / "flags").write_text('-funsigned-char -Iinclude "-DSIGNED=0" -DSIZE=1')
    done = sea_py("pf", "@flags", "a.c", "--", "-fshort-enums", "-O3", cwd=project)
    assert done.returncode == 0, done


def test_a_database_has_the_flags_of_each_file(project: Path) -> None:
    entry = {
        "directory": str(project / "build"),
        "file": "../a.c",
        "command": "cc -I../include -DSIGNED=0 -DSIZE=1 -funsigned-char -fshort-enums -O2 -c a.c",
    }
    (project / "db.json").write_text(json.dumps([entry]))
    assert sea_py("pf", "--compdb", "db.json", "a.c", cwd=project).returncode == 0
    done = sea_py("pf", "--compdb", "db.json", "b.c", cwd=project)
    assert done.returncode == 2 and "nothing is said there of b.c" in done.stderr
    done = sea_py("pf", "-m32", "--compdb", "a.c", "a.c", cwd=project)
    assert done.returncode == 2 and "no compilation database" in done.stderr


@pytest.mark.parametrize(
    "flag",
    [
        *("-Ofast", "-ffast-math", "-fpack-struct", "-fpack-struct=1", "-frounding-math", "-mx32"),
        *("-fopenmp", "-xc++", "-std=c++17", "-fplugin=x.so", "-Xclang"),
    ],
)
def test_what_means_something_else_is_refused(flag: str, project: Path) -> None:
    with pytest.raises(InputError, match=flag[:2]):
        read_flags([flag])


def test_which_tokens_are_flags_of_a_compiler() -> None:
    given = ["-I", "d", "--bound", "3", "-o", "x", "-include", "h.h", "-Wl,-z,now", "-m32", "a.c"]
    assert as_options(given) == [
        *("-I", "d", "--bound", "3", "-o", "x", "--cflag=-include", "--cflag=h.h"),
        *("--cflag=-Wl,-z,now", "-m32", "a.c"),
    ]
    read = read_flags(["-includeh.h", "-isystem", "/d", "-DX=1", "-O2", "-lm", "a.c"], Path("/p"))
    assert read.flags == ["-include/p/h.h", "-isystem/d", "-DX=1"]
    assert read.files == ["a.c"]


BARRIERS = """#include <assert.h>
int g = 4;
int main(void) {
  int x = 3; long y = 4; char c = 7, *p = &c; double d = 1;
  __asm__("" : "+r"(x));
  __asm__ volatile("" : "+r"(y) : : "memory");
  __asm__("" : "=r"(p) : "0"(p));
  __asm__ volatile("" : "+m"(g));
  __asm__ volatile("" :: "r"(x), "r"(p) : "memory");
  __asm__("" : "+r,m"(x));
  __asm__("" : "+r"(x), "+r"(y));
  __asm__ volatile("" : "+x"(d));
  assert(x + y + *p + (int)d + g %s 19);
}
"""


@pytest.mark.parametrize(("same", "answer"), [("==", Answer.SAFE), ("!=", Answer.UNSAFE)])
def test_barriers_compute_nothing(same: str, answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(BARRIERS % same)
    assert verify(file, VerifyOptions(timeout=60)).answer is answer


SWAPS = """
#include <assert.h>
unsigned long nondet_ulong(void);
int main(void) {
  unsigned long x = nondet_ulong(), v, back = 0;
  unsigned half = x;
  __asm__("bswap %%q0" : "=r"(v) : "0"(x));
  __asm__ volatile("bswapl %%0" : "+r"(half));
  for (int i = 0; i < 64; i += 8) back = back << 8 | (x >> i & 255);
  assert(v %s back);
  assert(half == (unsigned)(back >> 32));
}
"""


@pytest.mark.parametrize(("same", "answer"), [("==", Answer.SAFE), ("!=", Answer.UNSAFE)])
def test_the_bytes_of_a_register_are_swapped(same: str, answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(SWAPS % same)
    assert verify(file, VerifyOptions(timeout=60)).answer is answer


@pytest.mark.parametrize("template", ["bswapl %q0", "bswapq %k0", "bswap %1", "bswap %w0"])
def test_a_swap_of_another_size_is_refused(template: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    asm = f'__asm__("{template}" : "=r"(v) : "0"(x))'
    file.write_text(f"int main(int x, char **a) {{ long v; (void)a; {asm}; return v; }}")
    with pytest.raises(Exception, match=r"inline assembly is not supported|error"):
        verify(file, VerifyOptions(FrontendOptions(properties=frozenset({"uninit"}))))  # type: ignore[arg-type]


def test_an_output_without_a_value_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text('int main(void) { int x, y = 0; __asm__("" : "=r"(x) : "r"(y)); return x; }')
    with pytest.raises(Exception, match="inline assembly is not supported"):
        verify(file, VerifyOptions(FrontendOptions(properties=frozenset({"uninit"}))))  # type: ignore[arg-type]


TRAPS = """extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int x = __VERIFIER_nondet_int(), y = %s; if (%s) reach_error(); return y; }
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("sum_", "error"), [("x + 1", "y < x"), ("x - 7", "y > x"), ("-x", "x < -5 && y < 0")]
)
def test_with_ftrapv_an_overflow_ends_the_run(sum_: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(TRAPS % (sum_, error))
    trapping = FrontendOptions(flags=("-ftrapv",))
    assert verify(file, VerifyOptions(trapping, timeout=60)).answer is Answer.SAFE
    assert verify(file, VerifyOptions(timeout=60)).answer is Answer.UNSAFE
    asked = replace(trapping, properties=frozenset({Property.NO_OVERFLOW}))
    assert verify(file, VerifyOptions(asked, timeout=60)).answer is Answer.UNSAFE
