"""Runs on texts: what characters are drawn from, what is found, which watched runs fail."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from models import lowered

from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn, amounts, dictionary, texts
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.runtime.native import Executable, build
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.processes.deadline import Deadline

LIMITS = RunLimits(seconds=5.0)
COMMAND = """
int main(void) {
  char line[16], *end;
  while (fgets(line, sizeof line, stdin)) {
    if (strncmp(line, "limit ", 6) == 0 && strtol(line + 6, &end, 10) > 1000 && *end == '\\n')
      reach_error();
  }
  return 0;
}
"""
MEMORY = FrontendOptions(properties=frozenset({Property.VALID_DEREF, Property.VALID_FREE}))
OBJECTS = """
extern int __VERIFIER_nondet_int(void);
static int table[4] = {1, 2, 3, 4}, zeros[4];
static int *kept(int k) { int a[4] = {0}; int *p = a; p[k & 3] = k; return k > 3 ? p : table; }
static int copy(const char *text) { char t[4]; strcpy(t, text); return t[0]; }
int main(void) {
  int k = __VERIFIER_nondet_int(), at = k % 2 ? 4 : 3, i, n = 0, local[4] = {0}, *p = local;
  char *block = malloc(8);
  if (!block) return 0;
  switch (k / 2) {
    case 0: n = p[at]; break;
    case 1: p[at] = 1; break;
    case 2: n = table[at]; break;
    case 3: zeros[at] = 1; break;
    case 4: block[2 * at] = 1; break;
    case 5: if (at == 4) free(block); n = block[0]; break;
    case 6: free(block); if (at == 4) free(block); return 0;
    case 7: n = *kept(at); break;
    case 8: n = copy(at == 4 ? "four" : "abc"); break;
    case 9: {
      int *q = p;
      for (i = 0; i < 1; i++) { int inner = 1; if (at == 4) q = &inner; }
      n = *q;
    }
  }
  return n;
}
"""
KINDS = 10


def built(low: Lowered, watch: bool = False) -> Executable:
    result = build(low.native, 64, Path(tempfile.mkdtemp()), Deadline.after(60), watch)
    assert isinstance(result, Executable), result
    return result


@pytest.fixture(scope="module")
def objects() -> Iterator[tuple[Executable, int]]:
    """The executable, and the site of its only input."""
    low = lowered(OBJECTS, MEMORY)
    site = next(site.number for site in low.sites if "nondet" in site.name)
    yield built(low, watch=True), site


def test_words_and_characters_of_a_program() -> None:
    found = texts(lowered(COMMAND))
    assert b"limit " in found and b"limit" in found
    characters = [text for text in found if len(text) == 1]
    assert found[: len(characters)] == tuple(characters)


def test_there_are_no_texts_where_the_environment_gives_no_characters() -> None:
    drawn = "extern char __VERIFIER_nondet_char(void); int main(void) {"
    text = " if (__VERIFIER_nondet_char() == 'a') reach_error(); return READ; }"
    assert texts(lowered(drawn + text.replace("READ", "0"))) == ()
    assert b"a" in texts(lowered(drawn + text.replace("READ", "getchar()")))


def test_a_line_that_a_program_asks_for_is_found() -> None:
    low = lowered(COMMAND)
    executable, words = built(low), dictionary(low.native)
    with_texts = Drawn(0, words, texts=texts(low))
    deadline = Deadline.after(60)
    found = native.exploration(executable, with_texts, deadline, most=20_000).outcomes
    assert [run.ending for run in found] == [Ending.FAILED]
    without = native.exploration(executable, Drawn(0, words), deadline, most=2_000)
    assert not without.outcomes
    again = native.run(executable, found[0].feed, LIMITS)
    assert (again.ending, again.reads) == (Ending.FAILED, found[0].reads)


DATE = """
int main(int argc, char **argv) {
  int year, month;
  if (argc == 2 && sscanf(argv[1], "%d-%d", &year, &month) == 2 && month == 12)
    reach_error();
  return 0;
}
"""


def test_an_argument_that_a_format_reads_is_found() -> None:
    low = lowered(DATE)
    executable, words = built(low), dictionary(low.native)
    drawn = Drawn(0, words, amounts=amounts(low.sites), texts=texts(low))
    found = native.exploration(executable, drawn, Deadline.after(60), most=40_000).outcomes
    assert [run.ending for run in found] == [Ending.FAILED]


RECORDS = {
    "a key and a value": """
int main(void) {
  char line[16], *equals;
  while (fgets(line, sizeof line, stdin)) {
    if ((equals = strchr(line, '=')) == NULL) continue;
    *equals = 0;
    if (strcmp(line, "wait") == 0 && strtol(equals + 1, NULL, 10) > 2000000) reach_error();
  }
  return 0;
}
""",
    "an option with a value": """
int main(void) {
  char line[16], *arguments[3] = {"tool", line, NULL};
  while (fgets(line, sizeof line, stdin)) {
    optind = 1;
    if (getopt(2, arguments, "vj:s:") == 's' && atoi(optarg) > 20000000) reach_error();
  }
  return 0;
}
""",
    "a command and two numbers": """
int main(void) {
  char line[16], *rest;
  while (fgets(line, sizeof line, stdin)) {
    if (line[0] != '+') continue;
    long base = strtol(line + 1, &rest, 10), step = strtol(rest, NULL, 10);
    if (base >= 2147483647 && step > 0) reach_error();
  }
  return 0;
}
""",
}


@pytest.mark.full
@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_is_found(kind: str) -> None:
    low = lowered(RECORDS[kind])
    executable, words = built(low), dictionary(low.native)
    drawn = Drawn(0, words, texts=texts(low))
    found = native.exploration(executable, drawn, Deadline.after(60), most=40_000).outcomes
    assert [run.ending for run in found] == [Ending.FAILED]


def test_what_the_program_asks_for_comes_before_what_the_library_asks_for() -> None:
    asks = "int main(void) { char line[8]; if (fgets(line, 8, stdin)) switch (line[0]) {"
    cases = " case '~': return 4711; case '^': return 4712; } printf(\"%d\", 1); return 0; }"
    low = lowered(asks + cases)
    characters = [text for text in texts(low) if len(text) == 1]
    assert set(characters[:2]) == {b"~", b"^"}
    assert {4711, 4712} <= set(dictionary(low.native)[:12])


def test_characters_that_code_names_in_a_row_are_a_word() -> None:
    asks = "int main(void) { char s[8]; return fgets(s, 8, stdin) && s[0] == ';' && s[1] == '~'"
    assert b";~/" in texts(lowered(asks + " && s[2] == '/'; }"))


@pytest.mark.parametrize("kind", range(KINDS))
def test_a_watched_run_fails_where_memory_is_not_valid(
    kind: int, objects: tuple[Executable, int]
) -> None:
    executable, site = objects
    for wrong, ending in ((0, Ending.ENDED), (1, Ending.FAILED)):
        given = Drawn(0, given={site: (2 * kind + wrong,)}, watched=True)
        assert native.run(executable, given, LIMITS).ending is ending


OF_ANY_SIZE = """
extern int __VERIFIER_nondet_int(void);
int main(int argc, char **argv) {
  int k = __VERIFIER_nondet_int(), i, n = 0;
  char block[argc + 3];
  for (i = 0; i < argc; i++) n += argv[i] != NULL;
  switch (k / 2) {
    case 0: return argv[argc + k % 2] != NULL;
    case 1: return argv[0][strlen(argv[0]) + k % 2];
    case 2: block[argc + 2 + k % 2] = 1;
  }
  return n;
}
"""


def test_objects_of_any_size_are_watched() -> None:
    low = lowered(OF_ANY_SIZE, MEMORY)
    executable, words = built(low, watch=True), dictionary(low.native)
    site = next(site.number for site in low.sites if "nondet" in site.name)
    for k in range(6):
        given = Drawn(3, words, {site: (k,)}, amounts=amounts(low.sites), watched=True)
        assert native.run(executable, given, LIMITS).ending is (
            Ending.FAILED if k % 2 else Ending.ENDED
        )


def test_nothing_is_suspected_where_no_object_is_named() -> None:
    low = lowered(OF_ANY_SIZE, MEMORY)
    executable = built(low, watch=False)
    drawn = Drawn(0, amounts=amounts(low.sites), watched=True)
    found = native.exploration(executable, drawn, Deadline.after(60), most=50)
    assert not found.outcomes


def test_a_run_that_is_not_watched_says_nothing_of_memory(objects: tuple[Executable, int]) -> None:
    executable, site = objects
    given = Drawn(0, given={site: (1,)})
    assert native.run(executable, given, LIMITS).ending is Ending.ENDED
