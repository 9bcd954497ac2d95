"""What fuzzing has found: readers refuse odd texts in a line, whatever is odd about them."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command import sea_py
from horn_examples import counter
from witness_files import edge as graph_edge
from witness_files import graph, node, violation, waypoint

from seahorn_py.base.errors import InputError, SeaError, Span, UnsupportedError, printable, visible
from seahorn_py.bench.tasks.sources import Wanted, read_tasks
from seahorn_py.csource.syntax import CText
from seahorn_py.engines.boolean.bebop import read_program
from seahorn_py.engines.boolean.flow import rules_of
from seahorn_py.engines.refinement.precision import read_precision
from seahorn_py.engines.schedules import MOST_BYTES, read_schedule
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.horn.text.smtlib import print_horn, read_horn
from seahorn_py.ir.interpreter import run
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.logic.terms import terms
from seahorn_py.logic.text.reading import MAX_DIGITS
from seahorn_py.logic.text.smtlib import parse_term, print_term
from seahorn_py.options import FrontendOptions, Inlining, Property
from seahorn_py.processes.deadline import Deadline
from seahorn_py.properties import read_properties
from seahorn_py.rip.parsing import read as read_rip
from seahorn_py.validation.expression import ExpressionError, c_expression
from seahorn_py.validation.guide import guide
from seahorn_py.witness.reading import read_witness
from seahorn_py.witness.witness import ViolationWitness

LONG = "1" * (MAX_DIGITS + 1)
HUGE = "9" * 1_000_000


def refusal(read: Callable[[], object], name: str) -> str:
    """The one printable line with which something is refused, soon."""
    began = time.process_time()
    with pytest.raises(SeaError) as caught:
        read()
    assert time.process_time() - began < 5
    text = str(caught.value)
    assert name in text and text.isprintable() and len(text) < 2000
    return text


# ---------------------------------------------------------------------------------------- messages


def test_messages_are_printable_lines_of_bounded_length() -> None:
    error = InputError("a\nb\x1b[31m\udcff.c:1: " + "x" * 10_000 + " end")
    assert str(error).startswith("a\\nb\\x1b[31m\\udcff.c:1: xxx") and str(error).endswith("x end")
    assert str(error).isprintable() and len(str(error)) <= 1500
    assert str(InputError("one\n", "two\t\u202e")) == "one\\n\ntwo\t\\u202e"
    assert str(InputError(*error.args)) == str(error)
    assert printable("é = ½") == "é = ½" == visible("é = ½")
    assert str(Span("a\nb.c", 1, 2, "f")) == "a\\nb.c:1:2"


def test_a_long_text_that_is_only_shown_is_not_cut() -> None:
    assert visible("x" * 5000 + "\0") == "x" * 5000 + "\\x00"


# ---------------------------------------------------------------------------------------- numerals


@pytest.mark.parametrize("digits", [LONG, HUGE], ids=["long", "huge"])
@pytest.mark.parametrize(
    "formula",
    ["(p {})", "(p (- {}))", "(< 1.5 {}.0)", "(< 1.5 0.{})", "(= (_ bv{} 8) #x00)"],
)
def test_a_number_that_is_too_long_is_refused_at_its_line(formula: str, digits: str) -> None:
    text = f"(declare-fun p (Int) Bool)\n(assert\n {formula.format(digits)})\n"
    said = refusal(lambda: read_horn(text, "a.smt2"), "a.smt2:3: ")
    assert f"a number of more than {MAX_DIGITS} digits" in said


def test_the_longest_numbers_are_read_and_written() -> None:
    digits = "7" * MAX_DIGITS
    text = f"(declare-fun p (Int Real) Bool)\n(assert (p {digits} 0.{digits[:-1]}))\n"
    again = print_horn(read_horn(text, "a.smt2"))
    (rule,) = read_horn(again, "b.smt2").rules
    (first,) = read_horn(text, "a.smt2").rules
    assert digits in again and print_term(rule.constraint) == print_term(first.constraint)


def test_wide_bit_vectors_are_written_without_decimals() -> None:
    width = 1 << 17
    text = "#b1" + "0" * (width - 1)
    term = parse_term(f"(bvadd v {text})", {"v": terms.variable("v", terms.bv_sort(width))})
    assert terms.sort_of(term) == terms.bv_sort(width)
    clauses = f"(declare-fun p ((_ BitVec {width})) Bool)\n(assert (p {text}))\n"
    assert "#x8000" in print_horn(read_horn(clauses, "a.smt2"))


@pytest.mark.parametrize("digits", ["\u0663", "\uff11", "1\u0663", "\u00b2"])
def test_only_ascii_digits_are_numbers(digits: str) -> None:
    for formula in (f"(p {digits})", f"(p (_ bv{digits} 8))", f"((_ extract {digits} 0) x)"):
        text = f"(declare-fun p (Int) Bool)\n(assert {formula})"
        refusal(lambda text=text: read_horn(text, "a.smt2"), "a.smt2:2: ")  # type: ignore[misc]
    sort = f"(declare-fun p ((_ BitVec {digits})) Bool)"
    refusal(lambda: read_horn(sort, "a.smt2"), "a.smt2:1: ")


@pytest.mark.parametrize("width", ["0", "1048577", LONG, "9" * 12], ids=["0", "wide", "long", "12"])
def test_widths(width: str) -> None:
    refusal(lambda: read_horn(f"(declare-fun p ((_ BitVec {width})) Bool)", "a.smt2"), "a.smt2:1")


def test_numbers_of_other_languages() -> None:
    text = f"int x;\nvoid main() {{\n x = {LONG}; }}\n"
    assert "digits" in refusal(lambda: read_rip(text, "a.rip"), "a.rip:3: ")
    bebop = f"decl g;\nbool <{LONG}> f() begin return g; end\nvoid main() begin skip; end\n"
    refusal(lambda: rules_of(read_program(bebop, "a.bp"), "a.bp"), "a.bp:")


@pytest.mark.parametrize(
    "value",
    ["x == nan", "x == inf", "x == -infinity", "x == 1e999", f"x == {HUGE}", f"x == 0x{HUGE}.0"],
    ids=lambda value: value[:16],
)
def test_a_witness_may_tell_any_number(tmp_path: Path, value: str) -> None:
    program = "int f(void);\nint main(void) { int x = f();\n x++; x++; }\n"
    text = CText("a.c", program.encode())
    file = tmp_path / "w.yml"
    told = violation(program, waypoint("assumption", "3:2", value), waypoint("target", "3:7"))
    file.write_text(json.dumps(told))
    path = node("q", entry="true") + node("e", violation="true")
    xml = graph(program, "violation_witness", path + graph_edge("q", "e", 3, assumption=value))
    (tmp_path / "w.graphml").write_text(xml)
    for name in ("w.yml", "w.graphml"):
        read = read_witness(tmp_path / name)
        assert isinstance(read, ViolationWitness)
        found = guide(read, [text])
        numbers = [n for queue in (*found.calls.values(), *found.variables.values()) for n in queue]
        assert all(math.isfinite(number) for number in numbers)


def test_what_is_no_expression_is_given_up_soon() -> None:
    began = time.process_time()
    with pytest.raises(ExpressionError, match="in time"):
        c_expression("x -3f< 3 " + "^ ~ " * 20_000 + "y")
    assert time.process_time() - began < 4
    assert c_expression("x < 3").text == "x < 3"


# --------------------------------------------------------------------------------------- SMT-LIB


@pytest.mark.parametrize(
    "command",
    [
        "((declare-fun) p)",
        "(())",
        "()",
        "(assert (forall ((|| Int)) (p ||)))",
        "(define-fun f ((|| Int)) Int 1)",
        "(declare-var || Int)",
    ],
)
def test_commands_and_names_that_are_none(command: str) -> None:
    text = f"(declare-fun p (Int) Bool)\n{command}\n"
    refusal(lambda: read_horn(text, "a.smt2"), "a.smt2:2: ")


# ------------------------------------------------------------------------------- YAML, JSON, lists


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000,
        f"int: [{{engine: bmc, seconds: {'1' * 5000}}}]",
        "int: [{engine: bmc, seconds: .nan}]",
        "int: [{engine: bmc, share: .nan}]",
        "int: [{engine: bmc, share: .inf}]",
        "int: [{engine: bmc, seconds: -.inf}]",
        "int: [{engine: bmc, seconds: true}]",
        "int: [{engine: bmc, seconds: 0x}]",
        "int: [{engine: !!int x}]",
        "int: [!!timestamp x]",
        "int: [\x1b]",
        "int: [bmc] # " + "x" * MOST_BYTES,
    ],
    ids=lambda text: text[:40],
)
def test_schedules_that_are_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "s.yml"
    file.write_text(text)
    refusal(lambda: read_schedule(file), str(file))


@pytest.mark.parametrize(
    ("seconds", "read"),
    [("2", 2.0), ("1:30", 90.0), ("1e3", None), ("1.0e+3", 1000.0), (".inf", math.inf)],
)
def test_seconds_as_yaml_writes_numbers(tmp_path: Path, seconds: str, read: float | None) -> None:
    file = tmp_path / "s.yml"
    file.write_text(f"int: [{{engine: bmc, seconds: {seconds}}}]")
    if read is None:  # a text in YAML 1.1
        refusal(lambda: read_schedule(file), str(file))
        return
    plan = read_schedule(file).int
    assert plan is not None and plan[0].seconds == read


def test_very_many_seconds_are_no_limit(tmp_path: Path) -> None:
    file = tmp_path / "s.yml"
    file.write_text(f"int: [{{engine: bmc, seconds: {'9' * 400}}}]")
    plan = read_schedule(file).int
    assert plan is not None and plan[0].seconds == math.inf


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ' * 5000, "1" * 5000, '{"a": NaN}'])
def test_precisions_that_are_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "p.json"
    file.write_text(text)
    refusal(lambda: read_precision(file, counter(3, 4)), str(file))


@pytest.mark.parametrize("pattern", ["/**", "../**/x.c", "a/../../**", "/usr/**/*.yml"])
def test_a_set_does_not_walk_through_other_folders(tmp_path: Path, pattern: str) -> None:
    file = tmp_path / "a.set"
    file.write_text(f"{pattern}\n")
    (problem,) = read_tasks([file], Wanted()).problems
    assert str(problem).startswith(f"{file}:1: ** outside")


@pytest.mark.parametrize(
    "pattern", ["**/" * 60 + "*.yml", "./**" * 2000, "a\0b", "[" * 3000, "x" * 5000]
)
def test_patterns_of_a_set(tmp_path: Path, pattern: str) -> None:
    for number in range(6):
        (tmp_path / "/".join("abcdef"[: number + 1])).mkdir()
    file = tmp_path / "a.set"
    file.write_text(f"{pattern}\n")
    began = time.process_time()
    (problem,) = read_tasks([file], Wanted()).problems
    assert str(problem).startswith(f"{file}:1: nothing matches") and str(problem).isprintable()
    assert time.process_time() - began < 5 and len(str(problem)) < 4000


@pytest.mark.parametrize(
    "text", ["CHECK( init(main()), LTL(F halt) )", "CHECK\0", "\x1b[31m", "x" * 5000]
)
def test_properties_that_are_none_name_their_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "p.prp"
    file.write_text(text)
    assert "supported: unreach-call" in refusal(lambda: read_properties([str(file)]), str(file))


def test_an_enforced_condition_of_unknown_variables() -> None:
    text = "decl g;\nvoid main() begin\n decl a; enforce !(a & b); skip; end\n"
    assert "no variable b" in refusal(lambda: rules_of(read_program(text, "a.bp"), "a.bp"), "a.bp:")


# ------------------------------------------------------------------------------------ C and LLVM


def lowered(folder: Path, text: str, *properties: Property, name: str = "a.c") -> object:
    file = folder / name
    file.write_text(text)
    options = FrontendOptions(properties=frozenset(properties))
    deadline = Deadline.after(60)
    return optimizer.lower(compiler.compile_files([file], options, deadline), options, deadline)


@pytest.mark.parametrize("properties", [(), (Property.VALID_MEMSAFETY,)], ids=["calls", "memory"])
@pytest.mark.parametrize("arguments", ["", "1", "&x", "1.0, 2", "&x, &x"])
def test_blocks_that_are_given_something_else(
    tmp_path: Path, arguments: str, properties: tuple[Property, ...]
) -> None:
    text = f"void __VERIFIER_nondet_memory(); void reach_error(void); int x;\n\
int main(void) {{ __VERIFIER_nondet_memory({arguments}); reach_error(); }}\n"
    with pytest.raises(UnsupportedError, match="without a"):
        lowered(tmp_path, text, *properties)


@pytest.mark.parametrize("arguments", ["", "i32 1", "double 1.0, ptr null"])
def test_what_is_freed_is_a_pointer(tmp_path: Path, arguments: str) -> None:
    types = ", ".join(part.split()[0] for part in arguments.split(", ") if part)
    text = f"declare void @reach_error()\ndeclare void @free({types})\ndefine i32 @main() {{\n\
  call void @free({arguments})\n  call void @reach_error()\n  ret i32 0\n}}\n"
    with pytest.raises(UnsupportedError, match=r"is not how the C library is called"):
        lowered(tmp_path, text, Property.VALID_MEMSAFETY, name="a.ll")


@pytest.mark.parametrize(
    "attribute", ['"odd"', '"odd"="a b"', '"odd"="(,"', "noundef", "range(i32 0, 9)"]
)
@pytest.mark.parametrize("place", ["result", "parameter", "call", "given"])
def test_attributes_that_are_strings(tmp_path: Path, place: str, attribute: str) -> None:
    at = dict.fromkeys(("result", "parameter", "call", "given"), "") | {place: f"{attribute} "}
    text = f"""declare void @reach_error()
define {at["result"]}i32 @f(i32 {at["parameter"]}%x) noinline {{
  ret i32 %x
}}
define i32 @main() {{
  %y = call {at["call"]}i32 @f(i32 {at["given"]}3)
  %c = icmp eq i32 %y, 3
  br i1 %c, label %bad, label %good
bad:
  call void @reach_error()
  br label %good
good:
  ret i32 0
}}
"""
    file = _written(tmp_path / "a.ll", text)
    options = FrontendOptions(inlining=Inlining.NONE)
    deadline = Deadline.after(60)
    modules = compiler.compile_files([file], options, deadline)
    program = reader.read(optimizer.lower(modules, options, deadline))
    assert run(program, {}, RunLimits()).ending is Ending.FAILED


def test_exceptions_are_refused(tmp_path: Path) -> None:
    text = """declare void @reach_error()
declare i32 @__gxx_personality_v0(...)
define i32 @main() personality ptr @__gxx_personality_v0 {
  invoke void @reach_error() to label %ok unwind label %bad
ok:
  ret i32 0
bad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
"""
    with pytest.raises(UnsupportedError, match="main: exceptions"):
        lowered(tmp_path, text, name="a.ll")


def test_a_program_cannot_call_its_file_a_model(tmp_path: Path) -> None:
    """Objects of models have no arbitrary first value, since models write before they read."""
    text = """extern void reach_error(void);
int main(void) { int x; if (x == 5) reach_error(); return 0; }
"""
    (module,) = compiler.compile_files(
        [_written(tmp_path / "a.c", text)], FrontendOptions(), Deadline.after(60)
    )
    for found in {line for line in module.splitlines() if "!DIFile" in line}:
        name = found.split('filename: "')[1].split('"')[0]
        module = module.replace(f'filename: "{name}"', 'filename: "<libc>/a.c"')
    done = sea_py("pf", "--timeout", "60", _written(tmp_path / "b.ll", module))
    assert done.stdout.splitlines()[-1] == "sat"


def _written(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    "pattern", ["/", "[" * 100_000, "b[a-z]?.\tc", "tasks", "*" * 5000, "{" * 70_000 + "}"]
)
def test_a_problem_of_a_set_names_its_line_soon(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    file = tmp_path / "some.set"
    file.write_text(f"# first\n{pattern}\n")
    begin = time.monotonic()
    (problem,) = read_tasks([file], Wanted()).problems
    assert str(problem).startswith(f"{file}:2: ") and len(str(problem)) < 2000
    assert time.monotonic() - begin < 5
