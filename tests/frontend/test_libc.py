"""Functions whose source is a real library: natively, in the interpreter and in proofs."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import partial
from pathlib import Path

import models as support
import pytest
from diagonal import diagonal, one_in

from seahorn_py import verify
from seahorn_py.frontend.compiling.support import LIBC, libc_modules
from seahorn_py.frontend.library.contracts import Source, names_of
from seahorn_py.frontend.lowering.library import models
from seahorn_py.options import FrontendOptions, Libc, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = """
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
"""
VARIANTS = {"__isoc99_sscanf", "__isoc99_vsscanf"}


@pytest.mark.parametrize("bits", (32, 64))
def test_what_is_compiled_is_what_the_table_has(bits: int) -> None:
    known = names_of(Source.LIBC) | VARIANTS
    texts = {file: text.decode() for file, text in libc_modules(bits, known).items()}
    found = {
        file: re.findall(r"^define (?!internal)[^@\n]*@([\w.]+)\(", text, re.M)
        for file, text in texts.items()
    }
    assert {file: sorted(names) for file, names in found.items()} == {
        file: sorted(names.split()) for file, names in LIBC.items()
    }
    assert {name for names in found.values() for name in names} == known
    assert not any(" asm " in text for text in texts.values())


def test_other_programs_do_not_compile_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(bits: int, names: Container[str]) -> Mapping[str, bytes]:
        raise AssertionError([name for name in names_of(Source.LIBC) if name in names])

    monkeypatch.setattr(models, "libc_modules", asked)
    assert models.library(["declare i64 @strlen(ptr)\n"], FrontendOptions()).texts
    with pytest.raises(AssertionError, match="snprintf"):
        models.library(["declare i32 @snprintf(ptr, i64, ptr, ...)\n"], FrontendOptions())


holds = partial(support.holds, is_open=True)


def test_texts_that_are_written() -> None:
    holds(
        "int main(void) { char b[64];"
        ' CHECK(snprintf(b, sizeof b, "%5d|%-5d|%05d|%+d|%x|%#o", 42, -7, 42, 3, 255u, 8u) == 27);'
        ' CHECK(!strcmp(b, "   42|-7   |00042|+3|ff|010"));'
        ' CHECK(snprintf(b, 4, "%s", "abcdef") == 6 && !strcmp(b, "abc"));'
        ' CHECK(snprintf(0, 0, "%.3s-%*d", "abcdef", 5, 1) == 9);'
        ' CHECK(sprintf(b, "%.2f %g %5.1f", 2.675, 0.0001, -0.05) == 17);'
        ' CHECK(!strcmp(b, "2.67 0.0001  -0.1")); }'
    )


@pytest.mark.full
def test_texts_that_are_read() -> None:
    holds(
        "int main(void) { int x, n; unsigned h; char w[8], *e; double d;"
        ' CHECK(sscanf(" 12 xyz 0x1f 2.5", "%d %3s %x %lf%n", &x, w, &h, &d, &n) == 4);'
        ' CHECK(x == 12 && !strcmp(w, "xyz") && h == 31 && d == 2.5 && n == 16);'
        ' CHECK(sscanf("", "%d", &x) == EOF && sscanf("q", "%d", &x) == 0);'
        ' CHECK(strtod("3.25xyz", &e) == 3.25 && !strcmp(e, "xyz"));'
        ' errno = 0; CHECK(strtod("1e999", &e) > 1e308 && errno == ERANGE && *e == 0);'
        ' CHECK(strtof("0.1", 0) == 0.1f && strtod("0.1", 0) == 0.1 && strtold("0.1", 0) == 0.1L);'
        ' CHECK(atof("1e23") == 1e23 && atof("9007199254740993") == 9007199254740992.0); }'
    )


@pytest.mark.parametrize(
    "condition",
    (
        "strchr(text, 256 + 'b') == text + 1",
        "!strchr(text, 256) || strchr(text, 256) == text + 3",
        'wcscmp(L"ab", L"aa") > 0 && strchr(text, -158) == text + 1',
    ),
)
def test_what_a_compiler_computes_otherwise(condition: str) -> None:
    """Clang evaluates calls in conditions; of strchr it forgets that the character is converted."""
    head = "#include <wchar.h>\nint main(void) { char text[] = {'a', 'b', 'c', 0};"
    holds(f"{head} if (!({condition})) CHECK(0); }}")


def test_parts_of_floats() -> None:
    holds(
        "#include <math.h>\nint main(void) { int n;"
        " CHECK(remainder(5.0, 3.0) == -1 && remainderl(7.0L, 2.0L) == -1);"
        " CHECK(remquo(29.0, 3.0, &n) == -1 && (n & 7) == 2 && n > 0);"
        " CHECK(frexp(-48.0, &n) == -0.75 && n == 6 && frexp(5e-324, &n) == 0.5 && n == -1073);"
        " CHECK(ldexp(0.75, 6) == 48 && ldexp(1, -1074) == 5e-324 && scalbnf(1.0f, 3) == 8); }"
    )


PROVED = {
    "length": 'char b[16]; if (snprintf(b, 16, "%d-%s", 42, "xy") {} 5) reach_error();',
    "any number": 'char b[16]; int x = __VERIFIER_nondet_int(); int n = snprintf(b, 16, "%x", x);'
    " if (n < 1 || n {} 8) reach_error();",
    "float": 'char b[16]; sprintf(b, "%.1f", 2.25); if (strcmp(b, "2.2") {} 0) reach_error();',
    "scan": 'int x; if (sscanf("7 8", "%*d %d", &x) != 1 || x {} 8) reach_error();',
    "number": 'char *e; if (strtod("2.5e1kg", &e) {} 25.0 || *e != 107) reach_error();',
    "date": "time_t t = 86400; char b[20];"
    ' if (strftime(b, 20, "%F", gmtime(&t)) {} 10 || strcmp(b, "1970-01-02")) reach_error();',
    "address": 'struct in_addr a; if (inet_aton("10.1", &a) {} 1 || a.s_addr != 0x100000a)'
    " reach_error();",
    "remainder": "if (remainder(7.0, 2.0) {} -1.0) reach_error();",
    "option": 'char *v[] = {"p", "-ofile", "-v", "rest", 0};'
    ' if (getopt(4, v, "vo:") != \'o\' || strcmp(optarg, "file") || getopt(4, v, "vo:") != \'v\''
    ' || getopt(4, v, "vo:") != -1 || optind {} 3) reach_error();',
}
"""The comparison that is wrong; its opposite is right."""


def answered(
    folder: Path, body: str, timeout: float = 30, libc: Libc = Libc.AUTO
) -> VerificationResult:
    file = folder / "case.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    return verify([file], VerifyOptions(FrontendOptions(libc=libc), timeout=timeout))


@pytest.mark.parametrize(
    ("name", "is_right"), diagonal([(name,) for name in PROVED], [(True,), (False,)])
)
def test_the_right_check_is_proved_and_the_wrong_one_fails(
    name: str, is_right: bool, tmp_path: Path
) -> None:
    right, wrong = (">", "<") if name == "any number" else ("!=", "==")
    result = answered(tmp_path, PROVED[name].replace("{}", right if is_right else wrong))
    assert result.answer is (Answer.SAFE if is_right else Answer.UNSAFE), result.reason


UNKNOWN = {
    "pointer": 'char b[32]; if (sprintf(b, "%p", (void *)b) == 18) reach_error();',
    "null": 'char b[32]; if (sprintf(b, "%s", (char *)0) == 6) reach_error();',
    "small": 'if (strtod("1e-400", 0) == 0) reach_error();',
    "parts": 'if (inet_network("1.2") == 0x1000002) reach_error();',
    "rest": 'struct in_addr a; if (inet_aton("1.2.3.4 x", &a) == 0) reach_error();',
}


@pytest.mark.full
@pytest.mark.parametrize("name", one_in(3, UNKNOWN))
def test_no_error_rests_on_a_choice_of_the_library(name: str, tmp_path: Path) -> None:
    assert answered(tmp_path, UNKNOWN[name], timeout=4).answer is Answer.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        UNKNOWN["rest"].replace("== 0", "!= 0"),
        "double wcstod(const __WCHAR_TYPE__ *, __WCHAR_TYPE__ **); errno = 0;"
        ' if (wcstod(L"4.9e-324", 0) == 0 || errno) reach_error();',
    ],
)
def test_no_proof_rests_on_a_choice_of_the_library(text: str, tmp_path: Path) -> None:
    """What musl says of these is no proof: glibc takes the address, and tells that it is small."""
    assert answered(tmp_path, text, timeout=4).answer is Answer.UNKNOWN


@pytest.mark.full
def test_a_choice_is_assumed(tmp_path: Path) -> None:
    result = answered(tmp_path, PROVED["option"].replace("{}", "!="))
    assert [e for e in result.ledger if "getopt stops at the first" in str(e)]
    result = answered(tmp_path, PROVED["remainder"].replace("{}", "!="))
    assert not [entry for entry in result.ledger if "assumed" in str(entry)]


@pytest.mark.full
def test_whose_code_it_is(tmp_path: Path) -> None:
    """A model, a source in its place with an entry in the ledger, or neither."""
    body = (
        'char b[8]; strcpy(b, "ab"); if (strchr(b, 98) != b + 1 || atoi("7") != 7) reach_error();'
    )
    entry = "atoi, stpcpy, strchr, strcpy: as the sources"
    for libc in Libc:
        result = answered(tmp_path, body, libc=libc)
        assert result.answer is Answer.SAFE, result.reason
        assert (entry in str(result.ledger)) == (libc is Libc.REAL)
    body = 'if (sscanf("7", "%*d") == 0) reach_error();'
    assert answered(tmp_path, body).answer is Answer.UNSAFE
    assert answered(tmp_path, body, 4, Libc.MODELS).answer is Answer.UNKNOWN
