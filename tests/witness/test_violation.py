"""Violation witnesses: waypoints from inputs and C text, YAML that fits the schema of 2.0."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from seahorn_py import VerifyOptions, verify
from seahorn_py.base.errors import SeaError, Span
from seahorn_py.cli.answers.written_files import leave
from seahorn_py.cli.whole_files import write_whole
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.result import Answer, InputValue, VerificationResult, Violation
from seahorn_py.witness.fields import specification, this_producer
from seahorn_py.witness.origins import c_constant
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.told import Holding, Told, by_statements
from seahorn_py.witness.violation import waypoints
from seahorn_py.witness.witness import Assumption, Branching, Entered, Returned, Target
from seahorn_py.witness.yaml import witnesses as witness_yaml

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "c_examples"
SCHEMAS = ROOT.parent / "shared" / "witness-schemas"

TEXT = """\
int in(void); unsigned char byte(void); double real(void); void *mem(void);
void reach_error(void);
struct s { int m; } s;
int main(void) {
  int x = in(), y = in();
  int z; int *p;
  signed char c = byte();
  double d = real();
  int a[3]; a[x & 1] = in();
  s.m = in(); p = mem();
  while (in()) {
    z = in();
    if (z) y = in(); else x = in();
    y += in();
    y = in() % 3;
    x = in();
  }
  if (x + y > 3) { x = 1; } else reach_error();
  return x
    + z;
}
"""


def subject(tmp_path: Path, text: str = TEXT, bits: int = 64) -> Sources:
    file = tmp_path / "a.c"
    file.write_text(text)
    return Sources.read([file], FrontendOptions(bits=bits))


def read(of: Sources, line: int, value: int, name: str = "in", column: int = 0) -> InputValue:
    """The input in a line, or in a column of it."""
    kinds = {"in": "int", "byte": "unsigned char", "real": "double", "mem": "void *", "z": "int"}
    text = of.texts[0].text.decode().split("\n")[line - 1]
    place = Span(
        of.texts[0].name,
        line,
        column or text.index(f"{name}(" if name != "z" else "z;") + 1,
        "main",
    )
    return InputValue(name, value, kinds[name], place, "uninit" if name == "z" else "nondet")


def violated(of: Sources, line: int, column: int, *inputs: InputValue, what: str = "") -> Violation:
    place = Span(of.texts[0].name, line, column, "main")
    return Violation(what or "unreach-call", "reach_error()", place, inputs)


def shown(of: Sources, path: Sequence[Told]) -> list[str]:
    """The waypoints, as they are told at statements."""
    found = []
    for segment in by_statements(of.about(frozenset()), path).segments:
        assert segment.avoid == ()
        place = segment.follow.place
        at = f"{place.line}:{place.column}"
        match segment.follow:
            case Assumption(_, facts):
                found.append(f"{at} assume {' and '.join(facts)}")
            case Returned(_, condition):
                value = condition.removeprefix("\\result == ")
                found.append(f"{at} return {value}")
            case Target():
                found.append(f"{at} target")
            case Branching() | Entered():
                raise AssertionError
    return found


def path(of: Sources, *inputs: InputValue) -> list[str]:
    found = waypoints(violated(of, 18, 34, *inputs), of)
    assert found is not None
    *before, target = shown(of, found.path)
    assert target == "18:34 target"
    return before


def test_inputs_of_one_declaration_are_one_assumption(tmp_path: Path) -> None:
    of = subject(tmp_path)
    first, second = read(of, 5, 7), read(of, 5, -1, column=21)
    assert path(of, first, second) == ["6:3 assume x == 7 && y == -1"]


def test_a_local_without_a_value(tmp_path: Path) -> None:
    of = subject(tmp_path)
    assert path(of, read(of, 6, 3, "z")) == ["7:3 assume z == 3"]


def test_a_value_is_converted_to_the_type_of_the_variable(tmp_path: Path) -> None:
    of = subject(tmp_path)
    assert path(of, read(of, 7, 200, "byte")) == ["8:3 assume c == -56"]
    bits = 4609434218613702656
    assert path(of, read(of, 8, bits, "real")) == ["9:3 assume d == 1.5"]
    bits = 0x7FF8 << 48
    assert path(of, read(of, 8, bits, "real")) == ["9:3 assume d != d"]
    bits = 0xFFF0 << 48
    assert path(of, read(of, 8, bits, "real")) == ["9:3 assume d < -1.7976931348623157e+308"]


def test_elements_take_values_and_members_do_not(tmp_path: Path) -> None:
    of = subject(tmp_path)
    assert path(of, read(of, 9, 4)) == ["10:3 assume a[x & 1] == 4"]
    assert path(of, read(of, 10, 4)) == ["10:12 return 4"]


def test_a_pointer_has_no_constant(tmp_path: Path) -> None:
    of = subject(tmp_path)
    found = waypoints(violated(of, 18, 34, read(of, 10, 0, "mem")), of)
    assert found is not None
    assert (len(found.path), len(found.left_out)) == (1, 1)


def test_a_loop_is_passed_once_an_iteration(tmp_path: Path) -> None:
    """Assumptions of different iterations stay apart, even at one place."""
    of = subject(tmp_path)
    inputs = [read(of, 11, 1), read(of, 12, 1), read(of, 13, 5), read(of, 14, 6)]
    inputs += [read(of, 15, 7), read(of, 16, 8), read(of, 11, 1), read(of, 13, 9, column=29)]
    assert path(of, *inputs) == [
        "11:13 return 1",
        "13:5 assume z == 1",
        "14:5 assume y == 5",
        "14:13 return 6",
        "15:12 return 7",
        "16:12 return 8",
        "11:13 return 1",
        "14:5 assume x == 9",
    ]


def test_branches_of_two_iterations_are_not_one_assumption(tmp_path: Path) -> None:
    of = subject(tmp_path)
    found = path(of, read(of, 13, 5), read(of, 13, 9, column=29))
    assert found == ["14:5 assume y == 5", "14:5 assume x == 9"]


@pytest.mark.parametrize(
    ("line", "column", "where"),
    [(18, 9, "18:7"), (18, 22, "18:20"), (19, 10, "19:3"), (20, 5, "19:3")],
)
def test_the_target_of_an_overflow_is_a_statement_or_full_expression(
    tmp_path: Path, line: int, column: int, where: str
) -> None:
    of = subject(tmp_path)
    found = waypoints(violated(of, line, column, what="no-overflow"), of)
    assert found is not None
    assert shown(of, found.path) == [f"{where} target"]


def test_no_witness_without_a_place_in_the_text(tmp_path: Path) -> None:
    of = subject(tmp_path)
    elsewhere = Violation("unreach-call", "", Span("b.h", 1, 1, "f"), ())
    assert waypoints(elsewhere, of) is None


def test_constants_have_their_value_in_both_models() -> None:
    assert c_constant(-(1 << 31)) == "(-2147483647 - 1)"
    assert c_constant((1 << 32) - 1) == "4294967295U"
    assert c_constant(1 << 40) == "1099511627776LL"
    assert c_constant(-(1 << 63)) == "(-9223372036854775807LL - 1)"
    assert c_constant((1 << 64) - 1) == "18446744073709551615ULL"
    assert c_constant(1 << 64) is None


def test_specifications() -> None:
    assert specification(frozenset()) == "CHECK( init(main()), LTL(G ! call(reach_error())) )"
    lines = specification(frozenset({Property.VALID_MEMSAFETY})).split("\n")
    assert [x.split("LTL(")[1] for x in lines] == [
        "G valid-free) )",
        "G valid-deref) )",
        "G valid-memtrack) )",
    ]


# -------------------------------------------------------------------------------------- writing


class Plain(yaml.SafeLoader):
    """Dates stay text."""


Plain.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if not tag.endswith("timestamp")]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def check_schema(witness: Any, name: str) -> None:
    if not SCHEMAS.is_dir():
        pytest.skip("the schemas of witnesses are not beside the checkout")
    import jsonschema

    schema = json.loads((SCHEMAS / f"{name}-witness.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(witness)


def test_the_yaml(tmp_path: Path) -> None:
    of = subject(tmp_path, bits=32)
    found = waypoints(violated(of, 18, 34, read(of, 5, 7), read(of, 14, 6)), of)
    assert found is not None
    told = by_statements(of.about(frozenset()), found.path)
    (witness,) = yaml.load(witness_yaml.text(told, this_producer()), Plain)
    assert witness["metadata"]["format_version"] == "2.1"
    name = str(tmp_path / "a.c")
    assert witness["metadata"]["task"] == {
        "input_files": [name],
        "input_file_hashes": {name: hashlib.sha256(TEXT.encode()).hexdigest()},
        "specification": "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        "data_model": "ILP32",
        "language": "C",
    }
    (first,), (second,), (last,) = (s["segment"] for s in witness["content"])
    assert first["waypoint"]["constraint"] == {"value": "x == 7", "format": "c_expression"}
    assert second["waypoint"]["constraint"]["value"] == "\\result == 6"
    assert last["waypoint"] == {
        "type": "target",
        "action": "follow",
        "location": {"file_name": name, "line": 18, "column": 34, "function": "main"},
    }
    check_schema([witness], "violation")


@pytest.mark.parametrize(
    ("name", "asked"),
    [("counter_unsafe", None), ("heap_overrun_unsafe", Property.VALID_MEMSAFETY)],
)
def test_from_the_file_to_the_witness(tmp_path: Path, name: str, asked: Property | None) -> None:
    file = EXAMPLES / f"{name}.c"
    properties = frozenset({asked}) if asked else frozenset()
    options = VerifyOptions(FrontendOptions(properties=properties))
    out = tmp_path / "w.yml"
    result = verify(file, options)
    (told,) = leave([file], result, options, {"witnesses": (out,)})
    assert told.startswith(f"witness: {out}: violation, ")
    (witness,) = yaml.load(out.read_text(), Plain)
    check_schema([witness], "violation")
    target = witness["content"][-1]["segment"][0]["waypoint"]
    assert result.violation is not None
    assert result.violation.place is not None
    assert target["location"]["line"] == result.violation.place.line


def test_an_unknown_answer_has_no_witness(tmp_path: Path) -> None:
    out = tmp_path / "w.yml"
    unknown = VerificationResult(Answer.UNKNOWN)
    (told,) = leave([tmp_path], unknown, VerifyOptions(), {"witnesses": (out,)})
    assert "not written" in told
    assert not out.exists()


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    write_whole("text", tmp_path / "w.yml")
    assert [p.name for p in tmp_path.iterdir()] == ["w.yml"]
    with pytest.raises(SeaError, match="cannot write"):
        write_whole("text", tmp_path / "none" / "w.yml")


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("int main(int argc, char **argv) {", "argc"),
        ("int main(const int count, char *argv[]) {", "count"),
        ("int main(n, v) int n; char **v; {", "n"),
        ("int main(int, char *argv[]) {", ""),
        ("int main(void) {", ""),
    ],
)
def test_the_number_of_arguments_is_read_where_main_is_named(
    tmp_path: Path, head: str, name: str
) -> None:
    """It holds at the first statement, which a label or a declaration of a function is not."""
    text = f"void reach_error(void);\nstatic int other; {head}\n\n"
    text += "  int in(void);\nagain:\n  if (in()) reach_error();\n}\n"
    of = subject(tmp_path, text)
    found = waypoints(violated(of, 6, 13, InputValue("argc", 3, "int", None, "extern")), of)
    assert found is not None
    first = found.path[0]
    if not name:
        assert isinstance(first, Target) and found.left_out == ("?: argc = 3",)
        return
    assert shown(of, found.path)[0] == f"6:3 assume {name} == 3"
    assert isinstance(first, Holding)
    assert [place and (place.line, place.function) for _, place in first.facts] == [(2, "main")]
