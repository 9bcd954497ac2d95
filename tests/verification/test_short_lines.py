"""`--line-length N`: lines that are read, and arguments of main, have at most N characters."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from models import OPTIONS, lowered

from seahorn_py import verify
from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn, amounts, dictionary, texts
from seahorn_py.frontend.runtime.native import Executable, build
from seahorn_py.ir.run import Ending
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult

LENGTH = 4
READERS = {
    "fgets": "char s[64]; if (!fgets(s, sizeof s, stdin)) return 0;",
    "gets": "extern char *gets(char *); char s[1000]; if (!gets(s)) return 0;",
    "getline": "char *s = NULL; size_t n = 0; if (getline(&s, &n, stdin) < 0) return 0;",
    "an argument": "if (argc < 2) return 0; char *s = argv[1];",
    "an argument among all": "if (argc < 3) return 0; char *s = argv[argc - 1];",
}
"""How a program comes to a line or an argument `s`."""

_TEXT = 'int main(int argc, char **argv) {{ {} s[strcspn(s, "\\n")] = 0;'
PROGRAM = (
    "#include <assert.h>\n#include <stdio.h>\n#include <string.h>\n"
    "int main(void) { char s[256]; if (!fgets(s, sizeof s, stdin)) return 0;"
    ' s[strcspn(s, "\\n")] = 0; assert(strlen(s) <= LEAST); return 0; }'
)


def failing(reader: str, at_most: int) -> list[Ending]:
    """How the failing run ends that shows a line with more characters, if there is one."""
    source = f"{_TEXT.format(READERS[reader])} CHECK(strlen(s) <= {at_most}); return 0; }}"
    low = lowered(source, FrontendOptions(properties=OPTIONS.properties, line_length=LENGTH))
    assert any(text.endswith(f"at most {LENGTH} characters") for text in low.assumptions)
    executable = build(low.native, 64, Path(tempfile.mkdtemp()), Deadline.after(60))
    assert isinstance(executable, Executable)
    drawn = Drawn(0, dictionary(low.native), amounts=amounts(low.sites), texts=texts(low))
    found = native.exploration(executable, drawn, Deadline.after(60), most=3_000)
    return [run.ending for run in found.outcomes]


@pytest.mark.full
@pytest.mark.parametrize("reader", READERS)
def test_lines_have_that_length_and_no_more(reader: str) -> None:
    assert failing(reader, LENGTH) == []
    assert failing(reader, LENGTH - 1) == [Ending.FAILED]


def answer(least: int, *, strict: bool = False) -> VerificationResult:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lines.c"
        file.write_text(PROGRAM.replace("LEAST", str(least)))
        frontend = FrontendOptions(line_length=LENGTH)
        return verify(file, VerifyOptions(frontend=frontend, timeout=120, strict=strict))


def test_the_answer_says_for_which_lines_it_is() -> None:
    result = answer(LENGTH)
    assert result.answer is Answer.SAFE
    assert result.meaning.endswith(f"at most {LENGTH} characters")
    assert any(entry.text in result.meaning for entry in result.ledger)


@pytest.mark.full
def test_an_error_within_the_limit_is_found_and_strict_answers_rest_on_nothing() -> None:
    assert answer(LENGTH - 1).answer is Answer.UNSAFE
    assert answer(LENGTH, strict=True).answer is Answer.UNKNOWN
