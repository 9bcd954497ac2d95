"""What glibc and musl do beside what comes to mind: models can do it too, and nothing else."""

from __future__ import annotations

import pytest
from models import RUN, executable, lowered
from sequences.faults import FAULTS

from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import Drawn
from seahorn_py.frontend.reading.reader import read
from seahorn_py.processes.deadline import Deadline

DRAWS = 400
HEAD = """
#include <math.h>
#include <stdarg.h>
unsigned char __VERIFIER_nondet_uchar(void);
static int printed(FILE *f, ...) {
  va_list list; va_start(list, f); int n = vfprintf(f, "%g", list); va_end(list); return n;
}
static void wrong(void) { reach_error(); }
static void seen(void) { reach_error(); }
static double minus = -1, infinite = 1 / 0.0, great = 1e308;
"""
ROWS = {
    "sqrt": ("double x = sqrt(minus);", "x != x && (!errno || errno == EDOM)", "errno", "!errno"),
    "sqrt of a square": ("double x = sqrt(4 * minus * minus);", "x == 2 && !errno"),
    "fmodf": ("float x = fmodf(infinite, 2);", "x != x && errno != EINVAL", "errno", "!errno"),
    "remainder": ("double x = remainder(3, 0 * minus);", "x != x", "errno == EDOM", "!errno"),
    "fdim": ("double x = fdim(great, -great);", "x > great", "errno == ERANGE", "!errno"),
    "ldexp": ("double x = ldexp(great, 5);", "x > great", "errno == ERANGE", "!errno"),
    "scalbnf": ("float x = scalbnf(1, 5);", "x == 32 && !errno"),
    "bcmp": ('int x = bcmp("a", "b", 1);', "x != 0", "x > 0", "x < 0"),
    "bcmp of the same": ('int x = bcmp("a", "a", 1);', "x == 0"),
    "difftime": ("double x = difftime(9007199254740993, 9007199254740992);", "x == 1"),
    "no locale": ("char *x = setlocale(99, 0);", "!x", "errno == EINVAL", "!errno"),
    "perror": ('perror("a"); int x = 0;', "errno >= 0", "errno == EINVAL", "!errno"),
    "empty text": ('int x = fputs("", stdin);', "x >= -1", "x == 0", "x == EOF"),
    "wrong way": ("int x = putc(7, stdin);", "x == EOF && ferror(stdin)", "!errno", "errno"),
    "pushed back": ("int x = ungetc(7, stdout);", "x == 7 || x == EOF", "x == 7", "x == EOF"),
    "descriptors": ("int x = dup(0);", "x >= -1 && (x >= 0 || errno)", "x > 7", "x == -1"),
    "sessions": ("int x = getsid(0);", "x >= -1", "x > 7"),
    "appended": (
        'FILE *f = fopen("a", "a+"); if (!f) break; long b = ftell(f); if (fputc(7, f) < 0) break;'
        " long x = ftell(f);",
        "(x == -1) == (b == -1) && x != 0",
        "x > b + 1",
    ),
    "a part is behind": (
        "char d[3]; long b = ftell(stdin); if (b < 0) break; int x = fread(d, 3, 1, stdin);",
        "x == 1 ? ftell(stdin) == b + 3 : ftell(stdin) < b + 3 && ftell(stdin) >= b",
        "x == 0 && ftell(stdin) > b",
    ),
    "another descriptor": (
        'FILE *f = fopen("a", "r"); if (!f) break; int y = fileno(f); f = freopen("b", "r", f);'
        " if (!f) break; int x = fileno(f);",
        "x >= 0",
        "x != 0",
    ),
    "no number": ('int x, n = sscanf("q", "%d", &x);', "!n", "errno == EINVAL", "!errno"),
    "no number in atof": ('double x = atof("q");', "x == 0", "errno == EINVAL", "!errno"),
    "removed": ('int x = remove("a");', "x == 0 || errno", "x == 0 && errno", "x == 0 && !errno"),
    "sought": ("int x = fseek(stdin, 1, SEEK_SET);", "x == 0 || errno", "!x && errno", "!x"),
    "flushed": ("int x = fflush(0);", "x == 0 || errno", "!x && errno == ESPIPE", "!x && !errno"),
    "before the begin": (
        "if (fseek(stdin, 0, SEEK_SET)) break; ungetc(7, stdin); long x = ftell(stdin);",
        "1",
        "x == 7 || x > 9",
    ),
}
"""A body, what always holds after it, and what sometimes does."""


@pytest.fixture(scope="module")
def failed() -> dict[tuple[str, int], set[str]]:
    """Which of `wrong` and `seen` some run of each row and further condition calls."""
    cases = [
        f"case {k}: {{ errno = 0; {body} if (!({always})) wrong(); "
        + " ".join(f"if (pick == {n} && ({end})) seen();" for n, end in enumerate(ends))
        + " break; }"
        for k, (body, always, *ends) in enumerate(ROWS.values())
    ]
    low = lowered(
        f"{HEAD}int main(void) {{ unsigned char row = __VERIFIER_nondet_uchar(),"
        f" pick = __VERIFIER_nondet_uchar(); switch (row) {{ {' '.join(cases)} }} }}"
    )
    names = {c.number: c.origin.chain[0].function for c in read(low).checks}
    row, pick = (site.number for site in low.sites if site.name == "__VERIFIER_nondet_uchar")
    found: dict[tuple[str, int], set[str]] = {}
    with executable(low, 64) as built:
        for k, name in enumerate(ROWS):
            for n in range(len(ROWS[name]) - 2 or 1):
                drawn = Drawn(1, (1, 2, 7, 10, 16), {row: (k,), pick: (n,)})
                runs = native.sample(built, drawn, DRAWS, Deadline.after(30), RUN).outcomes
                found[name, n] = {names[run.check] for run in runs if run.check is not None}
    return found


@pytest.mark.full
@pytest.mark.parametrize("name", ROWS)
def test_models_choose_what_libraries_do(
    name: str, failed: dict[tuple[str, int], set[str]]
) -> None:
    ends = len(ROWS[name]) - 2
    assert [failed[name, n] for n in range(ends or 1)] == [{"seen"} if ends else set()] * (
        ends or 1
    )


def test_ten_models_at_least_have_a_fault_to_plant() -> None:
    assert len({fault.function for fault in FAULTS}) >= 10
