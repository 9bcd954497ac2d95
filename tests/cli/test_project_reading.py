"""`sea.toml`: what is read, what is refused and in which words; its schema and its page."""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import EXAMPLES, ROOT

from seahorn_py.base.errors import SeaError
from seahorn_py.cli.project.keys import Key, Kind, keys
from seahorn_py.cli.project.toml_reading import OWN_KEYS, TEXT_KEYS, found, read
from seahorn_py.result import Answer

pytestmark = pytest.mark.all_variants

PAGE = ROOT / "docs" / "reference" / "sea-toml.md"
SCHEMA = ROOT / "docs" / "reference" / "sea-toml.schema.json"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("counter_safe.c", "counter_unsafe.c"):
        (tmp_path / name).write_text((EXAMPLES / name).read_text())
    (tmp_path / "a.prp").write_text("CHECK( init(main()), LTL(G ! overflow) )\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str) -> Path:
    (folder / "sea.toml").write_text(text)
    return Path("sea.toml")


GOOD = """
[defaults]
timeout = 30
flags = ["-Iinclude"]

[[proof]]
name = "first"
sources = ["counter_safe.c"]

[[proof]]
name = "second/b"
sources = "counter_*.c"   # two files
expected = "unsafe"
property = ["no-overflow", "a.prp"]
flags = []
bits = 32
malloc-may-fail = true
may-alias = false
no-native = true
"""


def test_a_proof_has_its_keys_and_those_of_all(folder: Path) -> None:
    first, second = read(write(folder, GOOD)).proofs
    assert (first.name, first.place.line, first.expected) == ("first", 6, Answer.SAFE)
    assert first.command == "sea-py pf --timeout=30 --cflag=-Iinclude counter_safe.c"
    assert [path.name for path in second.sources] == ["counter_safe.c", "counter_unsafe.c"]
    assert second.expected is Answer.UNSAFE
    expected = "--timeout=30 --property=no-overflow --property=a.prp -m32 --malloc-may-fail"
    assert " ".join(second.arguments) == f"{expected} --no-native"
    assert second.inputs == (Path("a.prp"),)


def test_rules_and_drivers_are_keys(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "door.yml").touch()
    text = '[[proof]]\nname = "a"\nsources = "counter_safe.c"\n'
    write(folder, text + 'drive = "operations"\nrule = ["linux-mutex", "door.yml"]\n')
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    proof = read(Path("../sea.toml")).proofs[0]
    assert proof.arguments == ("--drive=operations", "--rule=linux-mutex", "--rule=../door.yml")
    assert proof.inputs == (Path("../door.yml"),)


def test_files_are_found_from_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, GOOD)
    inner = folder / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert found(Path.cwd()) == folder / "sea.toml"
    first, second = read(Path("../sea.toml")).proofs
    assert first.sources == (Path("../counter_safe.c"),)
    assert f"--cflag=-I{folder / 'include'}" in first.arguments
    assert "--property=../a.prp" in second.arguments


PROOF = '[[proof]]\nname = "a"\nsources = ["counter_safe.c"]\n'
NAMED = '[[proof]]\nname = "a"\n'
WHY = 'reason = "r"\nexpires = 2027-01-01\n'
EXCUSE = f'{PROOF}[[suppress]]\nfile = "*"\n'
WRONG = {
    "x = [": "sea.toml: no TOML: Invalid value (at end of document)",
    "[[proof]]\nname = \n": "sea.toml:2:8: no TOML: Invalid value",
    "": "sea.toml: no [[proof]] in this file",
    "[[prof]]": "sea.toml: prof: unknown table, did you mean proof?; known: defaults, ...",
    "[proof]": "sea.toml:1: proof: write [[proof]], for there may be several",
    "[[proof]]\nsources = []": "sea.toml:1: proof.name: is missing: each proof has one",
    '[[proof]]\nname = "a b"': "sea.toml:2: proof.name: 'a b': letters, digits and _ . / - make a"
    " name",
    '[[proof]]\nname = "a"': "sea.toml:1: proof.sources: expected a list of files, not nothing",
    f"{NAMED}sources = []": "sea.toml:3: proof.sources: names no file",
    f'{NAMED}sources = ["*.d"]': "sea.toml:3: proof.sources: *.d: no file is called so",
    f'{NAMED}sources = ["counter_saf.c"]': "sea.toml:3: proof.sources: counter_saf.c:"
    " no such file, did you mean counter_safe.c?",
    f"{PROOF}{PROOF}": "sea.toml:5: proof[1].name: a is the name of the proof in line 1",
    f'{PROOF}propery = "x"': "sea.toml:4: proof.propery: unknown key, did you mean property?;"
    " docs/reference/sea-toml.md has all",
    f'{PROOF}timeout = "3"': "sea.toml:4: proof.timeout: expected a number above 0, ...",
    f"{PROOF}timeout = nan": "sea.toml:4: proof.timeout: expected a number above 0, ...",
    f"{PROOF}memory = true": "sea.toml:4: proof.memory: expected a whole number, 256 at least,"
    " 1073741824 at most, not true",
    f"{PROOF}bits = 16": "sea.toml:4: proof.bits: expected 32 or 64, not 16",
    f'{PROOF}strict = "yes"': "sea.toml:4: proof.strict: expected true or false, not 'yes'",
    f'{PROOF}encoding = "z"': "sea.toml:4: proof.encoding: expected one of auto, int, bv, not 'z'",
    f"{PROOF}define = [1]": "sea.toml:4: proof.define: expected a text or a list of texts, not [1]",
    f'{PROOF}expected = "ok"': "sea.toml:4: proof.expected: expected one of safe, unsafe, unknown,"
    " not 'ok'",
    f'{PROOF}flags = ["-m32"]': "sea.toml:4: proof.flags: -m32: write bits = 32",
    f'{PROOF}flags = ["b.c"]': "sea.toml:4: proof.flags: b.c: files are named in `sources`",
    f'{PROOF}flags = ["-ffast-math"]': "sea.toml:4: proof.flags: -ffast-math: this flag changes...",
    f'{PROOF}engine = "bcm"': "sea.toml:1: proof: unknown engine bcm, did you mean bmc?...",
    f'{PROOF}compdb = "b.json"': "sea.toml:4: proof.compdb: b.json: no such file",
    f"{NAMED}memory = {'9' * 5000}": "sea.toml: no TOML: Exceeds the limit...",
    f'{NAMED}compdb = ""': "sea.toml:3: proof.compdb: .: Is a directory",
    '[defaults]\nname = "a"': "sea.toml:2: defaults.name: belongs into each [[proof]]",
    f"{EXCUSE}": "sea.toml:4: suppress.reason: is missing: why does this finding not count?",
    f'{EXCUSE}reason = "r"\nexpires = "2027-01-01"': "sea.toml:7: suppress.expires: expected a day"
    " such as 2027-12-31, without quotes: when is it looked at again?",
    f"{PROOF}[[suppress]]\n{WHY}": "sea.toml:4: suppress: say which"
    " findings: property, file, function or check",
    f'{EXCUSE}{WHY}proof = "b"': "sea.toml:8: suppress.proof: no proof b",
    f'{EXCUSE}line = 3\nreason = "r"': "sea.toml:6: suppress.line: unknown key...",
    f"{EXCUSE}reason = 3": "sea.toml:6: suppress.reason: expected a text, not 3",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_told_with_its_line(text: str, folder: Path) -> None:
    with pytest.raises(SeaError) as error:
        read(write(folder, text))
    head, dots, _ = WRONG[text].partition("...")
    assert str(error.value) == head if not dots else str(error.value).startswith(head)


def test_a_suppression_is_read(folder: Path) -> None:
    text = f'{EXCUSE}{WHY}property = "shift"'
    (one,) = read(write(folder, text)).suppressions
    assert (one.reason, one.expires, one.property) == ("r", datetime.date(2027, 1, 1), "shift")
    assert not one.is_expired(datetime.date(2027, 1, 1))
    assert one.is_expired(datetime.date(2027, 1, 2))


# ------------------------------------------------------------------------- schema and page


def _type(key: Key) -> dict[str, Any]:
    match key.kind:
        case Kind.FLAG:
            return {"type": "boolean"}
        case Kind.CHOICE:
            return {"enum": [*key.choices]}
        case Kind.BITS:
            return {"enum": [32, 64]}
        case Kind.TEXT:
            return {"type": "string"}
        case Kind.TEXTS:
            return {"$ref": "#/$defs/texts"}
        case Kind.WHOLE | Kind.NUMBER:
            found: dict[str, Any] = {"type": "integer" if key.kind is Kind.WHOLE else "number"}
            if key.least is not None:
                found["exclusiveMinimum" if key.is_open else "minimum"] = key.least
            return found if key.most is None else found | {"maximum": key.most}


def schema() -> dict[str, Any]:
    options = {
        key.name: _type(key)
        | {"description": key.meaning}
        | ({} if key.default is None else {"default": key.default})
        for key in keys().values()
    }
    text = {"type": "string", "minLength": 1}
    own = {
        "name": {"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_./-]*$"},
        "sources": {"$ref": "#/$defs/texts"},
        "expected": {"enum": [answer.value for answer in Answer], "default": "safe"},
    }
    assert tuple(own) == OWN_KEYS
    day = {"description": "A day of TOML, without quotes."}
    excuse = {**dict.fromkeys(TEXT_KEYS, text), "expires": day}
    closed = {"type": "object", "additionalProperties": False}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "sea.toml: the proofs of a project",
        **closed,
        "required": ["proof"],
        "properties": {
            "defaults": {**closed, "properties": options},
            "proof": {
                "type": "array",
                "minItems": 1,
                "items": {**closed, "required": ["name"], "properties": {**own, **options}},
            },
            "suppress": {
                "type": "array",
                "items": {**closed, "required": ["reason", "expires"], "properties": excuse},
            },
        },
        "$defs": {
            "texts": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
        },
    }


def table() -> str:
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key in keys().values():
        value = key.expected.replace("one of ", "")
        default = "" if key.default is None else f"`{json.dumps(key.default).strip(chr(34))}`"
        meaning = " ".join(key.meaning.split()).replace("|", "\\|")
        rows.append(f"| `{key.name}` | {value} | {default} | {meaning} |")
    return "\n".join(rows) + "\n"


def test_the_schema_is_that_of_the_options(rewrite_golden: bool) -> None:
    text = json.dumps(schema(), indent=2) + "\n"
    if rewrite_golden:
        SCHEMA.write_text(text)
    assert SCHEMA.read_text() == text


def test_the_page_has_all_keys(rewrite_golden: bool) -> None:
    page = PAGE.read_text()
    parts = re.fullmatch(r"(.*<!-- keys -->\n)(.*)(<!-- end -->.*)", page, re.DOTALL)
    assert parts is not None
    if rewrite_golden:
        PAGE.write_text(parts[1] + table() + parts[3])
    assert parts[2] == table() or rewrite_golden


@pytest.mark.parametrize("text", [GOOD, PAGE.read_text().split("```toml\n")[1].split("```")[0]])
def test_what_is_right_fits_the_schema(text: str) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    validator.validate(tomllib.loads(text))


def test_what_is_wrong_does_not_fit_the_schema() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for part in ('propery = "x"', 'timeout = "3"', "memory = 3", "define = [1]", "bits = 16"):
        assert not validator.is_valid(tomllib.loads(f"{PROOF}{part}")), part
