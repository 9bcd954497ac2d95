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


@pytest.mark.parametrize("kind", range(KINDS))
def test_a_watched_run_fails_where_memory_is_not_valid(
    kind: int, objects: tuple[Executable, int]
) -> None:
    executable, site = objects
    for wrong, ending in ((0, Ending.ENDED), (1, Ending.FAILED)):
        given = Drawn(0, given={site: (2 * kind + wrong,)}, watched=True)
        assert native.run(executable, given, LIMITS).ending is ending


def test_a_run_that_is_not_watched_says_nothing_of_memory(objects: tuple[Executable, int]) -> None:
    executable, site = objects
    given = Drawn(0, given={site: (1,)})
    assert native.run(executable, given, LIMITS).ending is Ending.ENDED
