"""What a trace knows of the heap, and of functions that call themselves."""

from __future__ import annotations

import pytest

from seahorn_py import VerifyOptions, verify
from seahorn_py.evidence.trace.text import steps
from seahorn_py.options import EngineName, FrontendOptions, Property
from seahorn_py.result import HeapDeed, HeapEvent, VerificationResult

TEXT = """\
#include <stdlib.h>
#include <string.h>
void reach_error(void);
static int sum(int n) {
  if (n == 0)
    return 0;
  return n + sum(n - 1);
}
int main(void) {
  int *a = malloc(8);
  char *b = calloc(3, 2);
  if (!a || !b)
    return 0;
  a[1] = 7;
  memset(b, 1, 4);
  memcpy(b, a, 2);
  a = realloc(a, 16);
  free(b);
  if (a && sum(2) == 3 && a[1] == 7)
    reach_error();
  return 0;
}
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> VerificationResult:
    file = tmp_path_factory.mktemp("heap") / "a.c"
    file.write_text(TEXT)
    asked = frozenset({Property.UNREACH_CALL, Property.VALID_FREE})
    options = VerifyOptions(FrontendOptions(properties=asked), engines=(EngineName.EXECUTE,))
    found = verify(file, options)
    assert found.violation is not None
    return found


def events(result: VerificationResult) -> dict[int, list[HeapEvent]]:
    """What each line of the program does to the heap."""
    assert result.violation is not None
    found: dict[int, list[HeapEvent]] = {}
    for line in steps(result.violation):
        if line.step.heap:
            found.setdefault(line.step.place.line, []).extend(line.step.heap)
    return found


def test_blocks_are_followed(result: VerificationResult) -> None:
    seen = events(result)
    first, second = seen[10][0].base, seen[11][0].base
    assert [(e.deed, e.size) for e in seen[10]] == [(HeapDeed.ALLOCATED, 8)]
    assert [(e.deed, e.size, e.value) for e in seen[11]] == [
        (HeapDeed.ALLOCATED, 6, ""),
        (HeapDeed.FILLED, 6, "0"),
    ]
    [wrote] = seen[14]
    assert (wrote.deed, wrote.base, wrote.offset, wrote.value) == (HeapDeed.WRITTEN, first, 4, "7")
    assert [(e.deed, e.base, e.size) for e in seen[15]] == [(HeapDeed.FILLED, second, 4)]
    made, copied, freed = seen[17]
    assert (made.deed, made.size) == (HeapDeed.ALLOCATED, 16)
    assert (copied.deed, copied.base, copied.source) == (HeapDeed.COPIED, made.base, first)
    assert (freed.deed, freed.base) == (HeapDeed.FREED, first)
    assert [(e.deed, e.base) for e in seen[18]] == [(HeapDeed.FREED, second)]


def test_each_activation_has_its_arguments(result: VerificationResult) -> None:
    assert result.violation is not None
    told = [line.step for line in steps(result.violation) if line.step.place.function == "sum"]
    given = {step.activation: change.value for step in told for change in step.changes}
    assert list(given.values()) == ["2", "1", "0"]
    assert len({step.activation for step in told}) == 3
