"""The table of the C library: complete, true of the code that gives functions a meaning, shown."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest
from command import ROOT, sea_py

from seahorn_py import verify
from seahorn_py.base.errors import UnsupportedError
from seahorn_py.frontend.compiling.support import libc_modules, model_modules
from seahorn_py.frontend.library.contracts import (
    Kind,
    Source,
    contract_of,
    contracts,
    names_of,
    plain_name,
)
from seahorn_py.frontend.library.listing import page, table
from seahorn_py.frontend.llvmtext.lines import references
from seahorn_py.frontend.llvmtext.module import ModuleText, split_module
from seahorn_py.frontend.lowering.checks import unmodelled
from seahorn_py.frontend.lowering.events.events import FREEING, Event, Meaning
from seahorn_py.frontend.lowering.library import allocation, libcalls
from seahorn_py.frontend.reading.intrinsics import FUNCTIONS
from seahorn_py.frontend.runtime.native import LIBRARY
from seahorn_py.options import Encodings, FrontendOptions, VerifyOptions
from seahorn_py.passes.environment import ALLOCATION
from seahorn_py.result import Answer, VerificationResult

PUBLIC = r"^define (?!internal)[^@\n]*@([\w.]+)\("


def models_of(bits: int) -> set[str]:
    """The functions of the library that models define."""
    found: set[str] = set()
    for text in model_modules(bits).values():
        public = re.findall(PUBLIC, text.decode(), re.MULTILINE)
        found.update(name for name in public if not name.startswith("sea."))
    return found


@pytest.mark.parametrize("bits", (32, 64))
def test_every_model_has_a_contract_and_every_contract_its_model(bits: int) -> None:
    ends = {"exit", "quick_exit"}  # these end the run as well
    assert models_of(bits) - ends == names_of(Source.MODEL)


def test_what_every_stage_knows_has_a_contract() -> None:
    heap = names_of(Source.HEAP)
    assert {*allocation._PARAMETERS, *FREEING} == heap
    assert heap - {"cfree"} == ALLOCATION
    rewritten = {plain_name(name) for name in (*libcalls._SCANNING, *libcalls._PRINTING)}
    assert rewritten == names_of(Source.REWRITTEN)
    assert FUNCTIONS.keys() - {"sqrt"} <= names_of(Source.OPERATION)
    assert all(map(contract_of, libcalls.REWRITTEN | LIBRARY))


def test_what_is_known_of_arguments_is_of_functions_in_the_table() -> None:
    printing = {plain_name(name) for name in unmodelled._PRINTING}
    nullable = {name for name, _ in unmodelled._NULLABLE}
    assert printing | nullable <= contracts().keys()
    for pattern in unmodelled._OBJECTS:
        assert any(re.match(pattern, name) for name in contracts())


def test_kinds_and_sources_belong_together() -> None:
    refused = {Source.UNKNOWN, Source.STOP}
    for contract in contracts().values():
        assert (contract.kind is Kind.REFUSED) == (contract.source in refused), contract.name
        assert bool(contract.assumed) == (contract.kind is Kind.FIXED), contract.name
        assert all(hasattr(errno, reason) for reason in contract.errno), contract.name


@pytest.mark.parametrize("source", (Source.MODEL, Source.LIBC))
def test_the_reasons_in_the_table_are_those_of_the_code(source: Source) -> None:
    """What sets `errno` has a contract with reasons, and the other way round."""
    built = model_modules(64) if source is Source.MODEL else libc_modules(64, names_of(source))
    texts = [text.decode() for text in built.values()]

    def sets_errno(module: ModuleText, name: str, seen: set[str]) -> bool:
        if name in seen or name not in module.functions or name == "__errno_location":
            return name == "__errno_location"
        seen.add(name)
        lines = module.functions[name].lines
        mentioned = {found for line in lines for found in references(line)}
        return any(sets_errno(module, found, seen) for found in mentioned)

    names = names_of(source) - {"__errno_location"}
    wrong = [
        name
        for text, module in ((text, split_module(text)) for text in texts)
        for name in names.intersection(re.findall(PUBLIC, text, re.MULTILINE))
        if sets_errno(module, name, set()) != bool(contracts()[name].errno)
    ]
    assert wrong == []


def test_variants_have_the_contract_of_what_they_vary() -> None:
    names = ("__sprintf_chk", "__isoc99_sscanf", "stat64", "readdir64_r", "_exit", "strlen")
    found = [contract_of(name) for name in names]
    assert [c.name for c in found if c] == [
        *("sprintf", "sscanf", "stat", "readdir_r", "_exit", "strlen"),
    ]
    assert contract_of("reach_error") is None


def test_the_page_of_the_documentation() -> None:
    assert (ROOT / "docs/reference/library.md").read_text() == page(), "run scripts/library"


def test_the_command_shows_the_table() -> None:
    done = sea_py("inspect", "--library")
    assert done.returncode == 0
    assert done.stdout == table() + "\n"
    rows = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert " string.h " in rows["strcmp"] and " relational " in rows["strcmp"]
    assert "ERANGE" in rows["strtol"] and " refused " in rows["vfork"]


# ------------------------------------------------------------------------------ what follows of it


def answered(folder: Path, text: str, **options: bool) -> VerificationResult:
    file = folder / "case.c"
    file.write_text(f"extern void reach_error(void);\n{text}\n")
    chosen = VerifyOptions(FrontendOptions(**options), Encodings.INT, timeout=20, executions=0.1)
    return verify([file], chosen)


CHOICES = {
    "allocation": "void *malloc(unsigned long); int main(void) { if (!malloc(4)) reach_error(); }",
    "resizing": """
void *malloc(unsigned long), *realloc(void *, unsigned long);
unsigned long __VERIFIER_nondet_ulong(void);
int main(void) { unsigned long n = __VERIFIER_nondet_ulong();
  if (n < 9 && realloc(malloc(4), n) != 0 && n == 0) reach_error(); }""",
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_stands_in_the_ledger(name: str, tmp_path: Path) -> None:
    result = answered(tmp_path, CHOICES[name])
    fixed = {c.assumed for c in contracts().values() if c.assumed}
    assert result.answer is Answer.SAFE
    assert fixed & {entry.text for entry in result.ledger}


@pytest.mark.full
def test_a_model_of_another_type_is_unknown(tmp_path: Path) -> None:
    """Nothing is promised of the result, and no error rests on it."""
    head = "long isdigit(long); int main(void) { long x = isdigit(1);"
    for condition in ("x == 5", "x != 5"):
        text = f"{head} if ({condition}) reach_error(); return 0; }}"
        assert answered(tmp_path, text).answer is Answer.UNKNOWN
    text = f"{head} if (x + 1 == x) reach_error(); return 0; }}"
    result = answered(tmp_path, text)
    assert result.answer is Answer.SAFE
    assert any("isdigit" in entry.text for entry in result.ledger)


def test_a_function_that_cannot_be_the_librarys_is_told(tmp_path: Path) -> None:
    text = "int glob(int); int main(void) { if (glob(1) == 7) reach_error(); return 0; }"
    result = answered(tmp_path, text)
    assert result.answer is Answer.UNSAFE
    assert any("another type than the C library's" in entry.text for entry in result.ledger)


@pytest.mark.parametrize("name", ("kill(1, 2)", "sysconf(3)", "tolower(4)", "lgamma(5.0)"))
def test_no_error_rests_on_what_is_not_known(name: str, tmp_path: Path) -> None:
    head = "int kill(int, int), tolower(int); long sysconf(int); double lgamma(double);"
    text = f"{head} int main(void) {{ if ({name} == -5) reach_error(); return 0; }}"
    assert answered(tmp_path, text).answer is not Answer.UNSAFE


def test_the_heap_in_old_style_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="malloc"):
        answered(tmp_path, "char *malloc(); int main(void) { return malloc() != 0; }")


def test_each_end_of_the_run_is_one() -> None:
    meaning = Meaning(ModuleText(), FrontendOptions())
    for name in names_of(Source.END):
        assert meaning.of(name) in (Event.STOP, Event.FAIL)
    assert {meaning.of(name) for name in names_of(Source.STOP)} == {Event.REFUSE}
