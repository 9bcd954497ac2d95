"""Functions as entries: calls with any arguments in the place of main."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command import sea_py

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.base.errors import SeaError
from seahorn_py.options import Property
from seahorn_py.result import Answer, VerificationResult

LIBRARY = """#include <stdbool.h>
struct buf { unsigned char *data; const char *const label; bool open; struct { short x; } at[2]; };
typedef struct { int k; } plain;
typedef int *const fixed;
struct hidden;
static int limit = 4;
static int table[4];
int same(int *a, int *b) { return a && b ? 1 / (a != b) : 0; }
int lookup(int i) { return i < 0 || i >= limit ? 0 : table[i]; }
static int quotient(int x) { return 10 / x; }
int typed(plain *a, plain b, double d, fixed f) { return a && f ? a->k == b.k : d > 0; }
int member(struct buf *b) { return b && !b->data ? 1 : 0; }
int deep(struct buf *b) { return b && b->data ? b->data[0] : 0; }
int by_value(struct buf b, int many[][3], bool c) { return b.open + c + (many ? 1 : 0); }
int called(int (*f)(int)) { return f(1); }
static const char *title = "t";
int written(int *a, const int *b) { int old = b && a ? *b : 0; if (a && b) *a = old ^ 1;
  return a && b ? 1 / (*b == old) : 0; }
int titled(void) { return title[0]; }
const char *retitled(const char *other) { return title = other; }
int opaque(struct hidden *h) { return h != 0; }
int main(void) { return quotient(1); }
"""
DIVISION, ACCESS, NULL = Property.DIV_BY_ZERO, Property.VALID_DEREF, Property.NULL_DEREF


def entered(
    folder: Path, name: str, properties: set[Property], **chosen: Any
) -> VerificationResult:
    file = folder / "a.c"
    file.write_text(LIBRARY)
    frontend = FrontendOptions(properties=frozenset(properties), entries=(name,), **chosen)
    return verify(file, VerifyOptions(frontend, timeout=60))


CASES = [
    ("same", {DIVISION}, {}, Answer.SAFE),
    ("same", {DIVISION}, {"may_alias": True}, Answer.UNSAFE),
    ("written", {DIVISION}, {}, Answer.SAFE),
    ("written", {DIVISION}, {"may_alias": True}, Answer.UNSAFE),
    ("titled", {NULL}, {}, Answer.SAFE),
    ("titled", {NULL}, {"any_globals": True}, Answer.UNSAFE),
    ("lookup", {ACCESS}, {}, Answer.SAFE),
    ("lookup", {ACCESS}, {"any_globals": True}, Answer.UNSAFE),
    ("quotient", {DIVISION}, {}, Answer.UNSAFE),
    ("typed", {ACCESS}, {}, Answer.SAFE),
    ("member", {ACCESS}, {}, Answer.SAFE),
    ("deep", {NULL}, {}, Answer.SAFE),
    ("deep", {ACCESS}, {}, Answer.UNSAFE),
    ("deep", {ACCESS}, {"pointer_depth": 1}, Answer.SAFE),
    ("by_value", {ACCESS}, {"bits": 32}, Answer.SAFE),
]


@pytest.mark.parametrize(("name", "properties", "chosen", "answer"), CASES)
def test_a_function_is_called_with_any_arguments(
    name: str, properties: set[Property], chosen: Any, answer: Answer, tmp_path: Path
) -> None:
    result = entered(tmp_path, name, properties, **chosen)
    assert result.answer is answer, result.reason
    assumed = [entry.text for entry in result.ledger]
    assert any("an entry is called with pointers" in text for text in assumed)
    assert any("pointers that an entry is called with are different" in text for text in assumed)
    assert any("hold their initial values when an entry is called" in text for text in assumed)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("called", "an arbitrary function is not supported"),
        ("opaque", "an object of unknown type is not supported"),
        ("nothing", "no function nothing to enter"),
        ("main", "no function main to enter"),
    ],
)
def test_what_cannot_be_entered_is_refused(name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(SeaError, match=why):
        entered(tmp_path, name, {DIVISION})


def test_blocks_that_are_left_are_no_question(tmp_path: Path) -> None:
    with pytest.raises(SeaError, match="its caller frees"):
        entered(tmp_path, "same", {Property.VALID_MEMTRACK})
    done = sea_py("pf", "--entry", "same", "--property", "valid-memtrack", tmp_path / "a.c")
    assert done.returncode == 2 and "its caller frees" in done.stderr, done


def test_all_functions_that_others_can_call(tmp_path: Path) -> None:
    result = entered(tmp_path, "all", {DIVISION}, may_alias=True)
    assert result.answer is Answer.UNSAFE
    assert result.violation is not None and result.violation.place is not None
    assert result.violation.place.line in (8, 18)  # quotient() is static
    left_out = [e.text for e in result.ledger if e.text.startswith("not covered: calls of")]
    assert len(left_out) == 1 and "called (" in left_out[0] and "opaque (" in left_out[0]


def test_an_error_is_shown_as_a_call(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(LIBRARY)
    done = sea_py("pf", "--entry", "same", "--may-alias", "--property", "div-by-zero", file)
    calls = [line for line in done.stdout.splitlines() if line.startswith("call: ")]
    assert calls[-2:] == ["call: b = a;", "call: same(a, b);"]
    prog = tmp_path / "prog"
    done = sea_py("exe", "--function", "quotient", "--property", "div-by-zero", "-o", prog, file)
    assert "exits with 1 and says: " in done.stdout, done


def test_an_entry_of_several_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one.i", tmp_path / "two.c"
    one.write_text("int other(int);\nint first(int a, int *p) { return p ? other(a) : 0; }\n")
    two.write_text("int other(int x) { return 10 / x; }\nint first_of_two(long a) { return 1; }\n")
    frontend = FrontendOptions(properties=frozenset({DIVISION}), entries=("first", "first_of_two"))
    result = verify([one, two], VerifyOptions(frontend, timeout=60))
    assert result.violation is not None and str(result.violation.place).startswith(f"{two}:1")


DRIVER = """
struct file; struct request { int kind, size; };
struct operations { int (*open)(int); int (*take)(struct request *); long extra; };
static int users, kept;
static int enter(int mode) { if (users) return -1; users++; return 0; }
static int take(struct request *r) {
  if (users && r && r->kind == 7) kept++; return 10 / (3 - kept); }
static const struct operations operations = { .open = enter, .take = take, .extra = 4 };
static int unused(int x) { return 1 / x; }
"""


def driven(folder: Path, table: str, text: str = DRIVER) -> VerificationResult:
    file = folder / "a.c"
    file.write_text(text)
    frontend = FrontendOptions(properties=frozenset({DIVISION}), entries=(table,), driven=True)
    return verify(file, VerifyOptions(frontend, timeout=60))


@pytest.mark.full
def test_operations_of_a_table_are_called_in_any_order(tmp_path: Path) -> None:
    result = driven(tmp_path, "operations")
    assert result.answer is Answer.UNSAFE and result.violation is not None
    called = [s.place.function for s in result.violation.trace if s.place.function == "take"]
    assert len(called) >= 3  # each counts one, and none does before `enter`
    assert any("are enter, take, called one after the other" in e.text for e in result.ledger)
    calm = DRIVER.replace("kept++", "kept = 1")
    assert driven(tmp_path, "operations", calm).answer is Answer.SAFE


@pytest.mark.parametrize("name", ["users", "nothing", "enter"])
def test_what_holds_no_operations_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SeaError, match="holds functions of it at first"):
        driven(tmp_path, name)


def test_the_command_drives(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(DRIVER)
    asked = ("--property", "div-by-zero", tmp_path / "a.c")
    done = sea_py("pf", "--drive", "operations", *asked)
    assert done.returncode == 1 and "call: " not in done.stdout, done
    done = sea_py("pf", "--drive", "operations", "--entry", "unused", *asked)
    assert done.returncode == 2 and "--drive goes with neither" in done.stderr, done
