"""Options are what they say: a wrong one is refused by name, and never without effect."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import user_program
from command import EXAMPLES, sea_py

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.base.errors import InputError, SeaError
from seahorn_py.options import (
    AbstractionOptions,
    Encodings,
    EngineName,
    Planned,
    Property,
    Schedule,
    Semantics,
)
from seahorn_py.result import Answer

WRONG: list[tuple[type, str, object, str]] = [
    (FrontendOptions, "bits", 16, "32 or 64"),
    (FrontendOptions, "bits", "64", "32 or 64"),
    (FrontendOptions, "bits", True, "32 or 64"),
    (FrontendOptions, "include_dirs", "include", "a tuple of paths"),
    (FrontendOptions, "include_dirs", Path("include"), "a tuple of paths"),
    (FrontendOptions, "include_dirs", (3,), "a path"),
    (FrontendOptions, "defines", "X=1", "a tuple of macros"),
    (FrontendOptions, "defines", ("1X",), "macros, NAME or NAME=VALUE"),
    (FrontendOptions, "defines", ("X=1\n#define Y",), "macros, NAME or NAME=VALUE"),
    (FrontendOptions, "clang", "", "a path"),
    (FrontendOptions, "properties", {"nonsense"}, "one of unreach-call, valid-memsafety"),
    (FrontendOptions, "properties", {"DIV_BY_ZERO"}, "one of unreach-call"),
    (FrontendOptions, "properties", "div-by-zero", "a set of Property"),
    (FrontendOptions, "properties", Property.SHIFT, "a set of Property"),
    (FrontendOptions, "properties", None, "a set of Property"),
    (FrontendOptions, "inlining", "some", "one of auto, none, all"),
    (FrontendOptions, "error_functions", "fail", "a tuple of names"),
    (FrontendOptions, "error_functions", ("f()",), "names of C"),
    (FrontendOptions, "error_labels", ("",), "names of C"),
    (FrontendOptions, "malloc_may_fail", 1, "True or False"),
    (FrontendOptions, "edited", ((Path("a.c"), "text"),), "pairs of a path and bytes"),
    (VerifyOptions, "frontend", {"bits": 32}, "FrontendOptions"),
    (VerifyOptions, "encoding", "float", "one of auto, int, bv"),
    (FrontendOptions, "overflow", False, "one of wrap, assume, check"),
    (VerifyOptions, "timeout", 0, "a number above 0 and"),
    (VerifyOptions, "timeout", -1.5, "a number above 0 and"),
    (VerifyOptions, "timeout", math.nan, "a number above 0 and"),
    (VerifyOptions, "timeout", math.inf, "a number above 0 and"),
    (VerifyOptions, "timeout", True, "a number above 0 and"),
    (VerifyOptions, "timeout", "20", "a number above 0 and"),
    (VerifyOptions, "timeout", None, "a number above 0 and"),
    (VerifyOptions, "timeout", 10**400, "a number above 0 and 1000000 at most"),
    (VerifyOptions, "memory_mib", 255, "a whole number, 256 at least"),
    (VerifyOptions, "memory_mib", 4096.0, "a whole number, 256 at least"),
    (VerifyOptions, "memory_mib", 1 << 60, "a whole number, 256 at least"),
    (VerifyOptions, "jobs", 0, "a whole number, 1 at least"),
    (VerifyOptions, "strict", "no", "True or False"),
    (VerifyOptions, "track", "all", "one of reg, ptr, mem"),
    (VerifyOptions, "step", None, "one of large, small"),
    (VerifyOptions, "executions", -0.1, "a number, 0 at least"),
    (VerifyOptions, "minimise", math.nan, "a number, 0 at least"),
    (VerifyOptions, "engines", "bmc", "a tuple of engines"),
    (VerifyOptions, "engines", ("bmc", "horn"), "one of execute, bmc, spacer"),
    (VerifyOptions, "bound", -1, "a whole number, 0 at least"),
    (VerifyOptions, "bound", False, "a whole number, 0 at least"),
    (VerifyOptions, "every_check", None, "True or False"),
    (VerifyOptions, "schedule", (), "Schedule"),
    (VerifyOptions, "witness", "w.yml", "True or False"),
    (VerifyOptions, "certificate", 0, "True or False"),
    (VerifyOptions, "abstraction", "", "AbstractionOptions"),
    (AbstractionOptions, "choices", None, "a string"),
    (AbstractionOptions, "trace", 3, "a path"),
    (AbstractionOptions, "semantics", "between", "one of over, under, belnap"),
    (Schedule, "int", ("spacer",), "Planned"),
    (Schedule, "bv", Planned(EngineName.BMC), "a tuple of Planned"),
]


@pytest.mark.parametrize(("kind", "name", "value", "expected"), WRONG)
def test_a_wrong_value_is_named(kind: type, name: str, value: object, expected: str) -> None:
    with pytest.raises(ValueError, match=f"^{kind.__name__}: {name}=") as refusal:
        kind(**{name: value})
    assert f"expected {expected}" in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("engine", "horn"), ("share", 0.0), ("share", 1.5), ("seconds", math.nan), ("seconds", 0)],
)
def test_a_wrong_turn_is_named(name: str, value: Any) -> None:
    given: dict[str, Any] = {"engine": EngineName.BMC, name: value}
    with pytest.raises(ValueError, match=f"^Planned: {name}="):
        Planned(**given)


def test_what_is_meant_is_taken() -> None:
    given: dict[str, Any] = {
        "include_dirs": ["include"],
        "defines": ["A", "B=", "C=1 2", "D(x,y)=x+y"],
        "clang": "clang",
        "properties": ["div-by-zero", Property.SHIFT],
        "inlining": "none",
        "error_functions": ["fail", "f.1", "$g"],
    }
    options = FrontendOptions(**given)
    assert options.include_dirs == (Path("include"),)
    assert options.defines == ("A", "B=", "C=1 2", "D(x,y)=x+y")
    assert options.clang == Path("clang")
    assert options.properties == {Property.DIV_BY_ZERO, Property.SHIFT}
    assert options.wants(Property.DIV_BY_ZERO)
    assert not options.wants_error_calls
    assert hash(options) == hash(replace(options))
    whole: dict[str, Any] = {"engines": ["bmc"], "encoding": "bv", "bound": 0, "timeout": 1}
    chosen = VerifyOptions(options, **whole)
    assert chosen.engines == (EngineName.BMC,)
    assert chosen.encoding is Encodings.BV
    with pytest.raises(ValueError, match="jobs=0"):
        replace(chosen, jobs=0)
    semantics: Any = "under"
    assert AbstractionOptions(semantics=semantics).semantics is Semantics.UNDER


@pytest.mark.parametrize(
    "options",
    [
        VerifyOptions(abstraction=AbstractionOptions(choices="domain=none")),
        VerifyOptions(schedule=Schedule(int=(Planned(EngineName.SPACER, "sideways"),))),
        VerifyOptions(schedule=Schedule(bv=(Planned(EngineName.BMC, "plain"),))),
    ],
)
def test_what_no_engine_knows_is_wrong_input(options: VerifyOptions) -> None:
    with pytest.raises(SeaError, match=r"domain|no engine is called"):
        verify(EXAMPLES / "counter_safe.c", options)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--error-function", "f()"),
        ("--error-label", "a b"),
        ("-D", "1X"),
        ("--timeout", "inf"),
        ("--timeout", "nan"),
        ("--timeout", "1e9"),
        ("--memory", "99999999999999"),
    ],
)
def test_the_command_line_says_so_in_a_line(arguments: tuple[str, str]) -> None:
    done = sea_py("pf", *arguments, EXAMPLES / "counter_safe.c")
    assert done.returncode == 2
    assert arguments[1] in done.stderr or arguments[0] in done.stderr


# ------------------------------------------------------------------------------------ shortcuts


def test_shortcuts_and_a_function_for_progress() -> None:
    told: list[str] = []
    result = verify(
        EXAMPLES / "heap_overrun_unsafe.c",
        property="valid-memsafety",
        timeout=20,
        progress=told.append,
    )
    assert result.answer is Answer.UNSAFE
    assert result.violation is not None
    assert result.violation.property == "valid-deref"
    assert "front end" in told


def test_shortcuts_override_options(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int main(void) { int x = 2147483647; long y = 1; return x + (int)y; }\n")
    base = VerifyOptions(FrontendOptions(properties=frozenset({Property.SHIFT})))
    assert verify(file, base).answer is Answer.SAFE
    assert verify(file, base, property=Property.NO_OVERFLOW).answer is Answer.UNSAFE
    prp = tmp_path / "p.prp"
    prp.write_text("CHECK( init(main()), LTL(G ! overflow) )\n")
    for chosen in (prp, str(prp), [prp, "shift"], ("no-overflow",)):
        assert verify([file], base, property=chosen, bits=32).answer is Answer.UNSAFE


@pytest.mark.parametrize(
    ("shortcuts", "message"),
    [
        ({"property": "nonsense"}, "properties="),
        ({"property": ()}, "property="),
        ({"property": None}, "property=None"),
        ({"engines": 5}, "engines=5"),
        ({"progress": 5}, "progress=5"),
        ({"timeout": "20"}, "timeout='20'"),
        ({"bits": 16}, "bits=16"),
        ({"engines": "bmc"}, "engines='bmc'"),
        ({"encoding": "float"}, "encoding='float'"),
        ({"jobs": 0}, "jobs=0"),
    ],
)
def test_a_wrong_shortcut_is_named(shortcuts: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        verify(EXAMPLES / "counter_safe.c", **shortcuts)


def test_an_unknown_shortcut_is_a_type_error_with_the_nearest() -> None:
    wrong: dict[str, Any] = {"timout": 3}
    with pytest.raises(TypeError, match=r"no option 'timout'; did you mean 'timeout'\?"):
        verify(EXAMPLES / "counter_safe.c", **wrong)


def test_files(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"files=\(\)"):
        verify([])
    for wrong in (None, 5, b"a.c", [None], ["a.c", b"a.c"]):
        with pytest.raises(ValueError, match="files="):
            verify(wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="missing"):
        verify(tmp_path / "missing.c")
    text = str(EXAMPLES / "counter_safe.c")
    for files in (text, [text], (Path(text),)):
        assert verify(files, timeout=30).answer is Answer.SAFE


@pytest.mark.full
def test_the_program_of_a_user_runs(capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third, fourth = user_program.main(EXAMPLES)
    assert first.startswith("safe: in ")
    assert second.startswith("safe: in ")
    assert third.startswith("unsafe: ")
    assert fourth.startswith("unsafe: in bit-vectors")
    assert "front end\n" in capsys.readouterr().out
