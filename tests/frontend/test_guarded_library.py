"""What functions of the library demand of their caller: each case with a safe sibling."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from diagonal import one_in

from seahorn_py import verify
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer

HEAD = """
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_nondet_memory(void *, size_t);
extern void reach_error(void);
int less(const void *x, const void *y) { return 0; }
int *at;
_Atomic int count;
struct block { int a[8]; } one, two, whole, *shared = &whole;
"""
DEREF = Property.VALID_DEREF
NULL = Property.NULL_DEREF
OVERFLOW = Property.NO_OVERFLOW
CALLS = Property.UNREACH_CALL
EXCHANGED = "whole.a[0] = 1; __atomic_exchange(shared, &one, &two, 5);"
COMPARED = "whole.a[0] = 1; __atomic_compare_exchange(shared, &one, &two, 0, 5, 5);"
SIZED = "int n = __VERIFIER_nondet_int(); if (n < {least} || n > 9) return 0; at = malloc(4);"


@dataclass(frozen=True)
class Pair:
    """Two bodies of `main`: the property does not hold of the first, and holds of the second."""

    asked: Property
    unsafe: str
    safe: str
    bits: int = 64


PAIRS = {
    "atomic addition, null": Pair(
        DEREF, "_Atomic int *p = 0; (*p)++;", "_Atomic int *p = &count; (*p)++;"
    ),
    "atomic addition, null dereference": Pair(
        NULL, "__sync_fetch_and_add(at, 1);", "at = (int *)&count; __sync_fetch_and_add(at, 1);"
    ),
    "atomic addition, out of bounds": Pair(
        DEREF,
        "int a[2] = {0}; at = a + 2; __sync_fetch_and_add(at, 1);",
        "int a[2] = {0}; at = a + 1; __sync_fetch_and_add(at, 1);",
    ),
    "atomic subtraction of wide values": Pair(
        DEREF,
        "at = malloc(4); *at = 1; __sync_fetch_and_sub((long long *)at, 1);",
        "at = calloc(2, 4); __sync_fetch_and_sub((long long *)at, 1);",
    ),
    "compare and swap, freed": Pair(
        DEREF,
        "at = malloc(4); *at = 1; free(at); __sync_bool_compare_and_swap(at, 1, 2);",
        "at = malloc(4); *at = 1; __sync_bool_compare_and_swap(at, 1, 2); free(at);",
    ),
    "load of an atomic struct": Pair(
        DEREF, "shared = 0; __atomic_load(shared, &one, 5);", "__atomic_load(shared, &one, 5);"
    ),
    "store of an atomic struct": Pair(
        DEREF,
        "shared = malloc(31); __atomic_store(shared, &one, 5);",
        "shared = malloc(32); __atomic_store(shared, &one, 5);",
    ),
    "exchange of an atomic struct": Pair(DEREF, "shared = calloc(1, 31);" + EXCHANGED, EXCHANGED),
    "comparison of an atomic struct": Pair(DEREF, "shared = calloc(1, 31);" + COMPARED, COMPARED),
    "exchange of an atomic struct, values": Pair(
        CALLS,
        EXCHANGED + "if (two.a[0] == 1 && whole.a[0] == 0) reach_error();",
        EXCHANGED + "if (two.a[0] != 1 || whole.a[0] != 0) reach_error();",
    ),
    "comparison of an atomic struct, values": Pair(
        CALLS,
        COMPARED + "if (one.a[0] == 1) reach_error();",
        COMPARED + "if (one.a[0] != 1) reach_error();",
    ),
    "fread": Pair(DEREF, "char b[4]; fread(b, 1, 5, stdin);", "char b[4]; fread(b, 1, 4, stdin);"),
    "characters of scanf": Pair(
        DEREF, 'char b[4]; scanf("%8c", b);', 'char b[4]; scanf("%4c", b);'
    ),
    "fwrite": Pair(
        DEREF,
        "char b[4] = {0}; fwrite(b, 1, 5, stdout);",
        "char b[4] = {0}; fwrite(b, 1, 4, stdout);",
    ),
    "read": Pair(DEREF, "char b[4]; read(0, b, 100);", "char b[4]; read(0, b, 4); read(0, 0, 0);"),
    "write": Pair(
        DEREF,
        "char b[4] = {0}; write(1, b, 5);",
        "char b[4] = {0}; write(1, b, 4); write(1, 0, 0);",
    ),
    "nondet_memory": Pair(
        DEREF,
        "char b[4]; __VERIFIER_nondet_memory(b, 5);",
        "char b[4]; __VERIFIER_nondet_memory(b, 4);",
    ),
    "open": Pair(DEREF, "open(0, 0);", 'open("f", 0);'),
    "unlink": Pair(DEREF, "char b[1] = {1}; unlink(b);", "char b[1] = {0}; unlink(b);"),
    "fopen": Pair(
        DEREF,
        'char *p = calloc(1, 1); free(p); fopen(p, "r");',
        'char *p = calloc(1, 1); fopen(p, "r"); free(p);',
    ),
    "mode of fopen": Pair(DEREF, 'fopen("f", 0);', 'fopen("f", "r");'),
    "system": Pair(DEREF, "char b[1] = {1}; system(b);", "char b[1] = {0}; system(b); system(0);"),
    "getenv": Pair(DEREF, "getenv(0);", 'getenv("A");'),
    "puts": Pair(DEREF, "char b[1] = {1}; puts(b);", "char b[1] = {0}; puts(b);"),
    "buffer of a stream": Pair(
        DEREF,
        "char b[8]; setvbuf(stdin, b, 0, 9);",
        "char b[8]; setvbuf(stdin, b, 0, 8); setbuf(stdin, 0);",
    ),
    "fclose": Pair(DEREF, "fclose(0);", "fclose(stdin);"),
    "fclose of null": Pair(NULL, "fclose(0);", "fclose(stdin);"),
    "fflush": Pair(DEREF, "fflush((FILE *)1);", "fflush(stdout); fflush(0);"),
    "fgetc": Pair(
        DEREF, 'FILE *f = fopen("f", "r"); fgetc(f);', 'FILE *f = fopen("f", "r"); if (f) fgetc(f);'
    ),
    "memcmp": Pair(
        DEREF,
        "char a[3] = {1}, b[3] = {2}; return memcmp(a, b, 4);",
        "char a[3] = {1}, b[3] = {2}; return memcmp(a, b, 3);",
    ),
    "strings that end or differ before": Pair(
        DEREF,
        "char a[3] = {1, 1, 1}; return strncmp(a, a, 4);",
        "char a[3] = {1}, b[3] = {2}; return strncmp(a, b, 9) + (memchr(a, 1, 9) != 0);",
    ),
    "bsearch": Pair(NULL, "bsearch(&at, 0, 3, 4, less);", "bsearch(&at, 0, 0, 4, less);"),
    "div": Pair(
        OVERFLOW,
        "return div(__VERIFIER_nondet_int(), -1).rem;",
        "return div(__VERIFIER_nondet_int(), -2).rem;",
    ),
    "ldiv": Pair(OVERFLOW, "ldiv(LONG_MIN, -1);", "ldiv(LONG_MIN, 1);"),
    "lldiv": Pair(OVERFLOW, "lldiv(LLONG_MIN, -1);", "lldiv(-LLONG_MAX, -1);", 32),
    "imaxdiv": Pair(OVERFLOW, "imaxdiv(INTMAX_MIN, -1);", "imaxdiv(INTMAX_MAX, -1);", 32),
    "abs by pointer": Pair(
        OVERFLOW,
        "int (*f)(int) = abs; int n = __VERIFIER_nondet_int(); f(n);",
        "int (*f)(int) = abs; int n = __VERIFIER_nondet_int(); if (n > INT_MIN) f(n);",
    ),
    "labs by pointer": Pair(
        OVERFLOW, "long (*f)(long) = labs; f(LONG_MIN);", "long (*f)(long) = labs; f(-LONG_MAX);"
    ),
    "imaxabs": Pair(OVERFLOW, "imaxabs(INTMAX_MIN);", "imaxabs(-INTMAX_MAX);"),
    "more than sixteen streams": Pair(
        CALLS,
        'int n = 0; while (n < 17 && fopen("f", "r")) n++; if (n == 17) reach_error();',
        'int n = 0; while (n < 17 && fopen("f", "r")) n++; if (n > 17) reach_error();',
    ),
    "a long value of the environment": Pair(
        CALLS,
        'char *p = getenv("A"); if (p && p[64]) reach_error();',
        'char *p = getenv("A"); if (p && p[0] && p[1] == p[0] + 300) reach_error();',
    ),
    "behind a value of the environment": Pair(
        DEREF,
        'char *p = getenv("A"); if (p && p[0] == 0) return p[1];',
        'char *p = getenv("A"); if (p && p[0] != 0) return p[1];',
    ),
    "a value of the environment or another text": Pair(
        DEREF,
        'char *p = getenv("A"); return p[0];',
        'char *p = getenv("A"); if (!p) p = "/"; return p[0];',
    ),
    "a stream that was closed": Pair(
        DEREF,
        'FILE *f = fopen("f", "r"); if (f) { fclose(f); fgetc(f); }',
        'FILE *f = fopen("f", "r"); if (f) { fgetc(f); fclose(f); }',
    ),
    "text for a stream that was closed": Pair(
        DEREF,
        'FILE *f = fopen("f", "w"); if (f) { fclose(f); fprintf(f, "%d", 1); }',
        'FILE *f = fopen("f", "w"); if (f) { fprintf(f, "%d", 1); fclose(f); }',
    ),
    "a stream that is closed again": Pair(
        DEREF,
        'FILE *f = fopen("f", "r"); if (f) { fclose(f); fclose(f); }',
        'FILE *f; for (int i = 0; i < 2; i++) if ((f = fopen("f", "r"))) fclose(f);',
    ),
    "a stream that could not be opened again": Pair(
        DEREF,
        'freopen("f", "r", stdin); getchar();',
        'if (freopen("f", "r", stdin)) getchar();',
    ),
    "padding of a long double": Pair(
        DEREF,
        "char a[12]; long double *z = (void *)a; *z = 1;",
        "char a[16]; long double *z = (void *)a; *z = 1;",
    ),
    "padding of a long double, 32 bits": Pair(
        DEREF,
        "char a[11]; long double *z = (void *)a; *z = 1;",
        "char a[12]; long double *z = (void *)a; *z = 1;",
        32,
    ),
    "realloc to nothing frees": Pair(
        Property.VALID_FREE,
        SIZED.format(least=0) + "realloc(at, n); if (n == 0) free(at);",
        SIZED.format(least=1) + "at = realloc(at, n); free(at);",
    ),
    "realloc to nothing leaves nothing": Pair(
        Property.VALID_MEMCLEANUP, "at = realloc(0, 0);", "at = realloc(malloc(4), 0);"
    ),
    "realloc to nothing is null": Pair(
        CALLS,
        "if (realloc(malloc(4), 0) == 0) reach_error();",
        "if (realloc(malloc(4), 0) != 0) reach_error();",
    ),
}
MAIN = "int main(void) {{ {} return 0; }}\n"
HANDLERS = """
int calls;
void handler(void) {{ if (++calls == 33) reach_error(); }}
int main(void) {{
  for (int i = 0; i < {}; i++) atexit(handler);
  return 0;
}}
"""


def answer(tmp_path: Path, text: str, asked: Property, bits: int, seconds: float) -> Answer:
    """The verdict on a program that follows the common head."""
    file = tmp_path / "case.c"
    file.write_text(HEAD + text)
    frontend = FrontendOptions(properties=frozenset({asked}), bits=bits)
    options = VerifyOptions(frontend, Encodings.AUTO, timeout=seconds, executions=0.1)
    return verify(file, options).answer


@pytest.mark.parametrize("name", one_in(2, PAIRS))
def test_violation(name: str, tmp_path: Path) -> None:
    pair = PAIRS[name]
    text = MAIN.format(pair.unsafe)
    assert answer(tmp_path, text, pair.asked, pair.bits, 30) is Answer.UNSAFE


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.full if k % 2 else ()) for k, n in enumerate(PAIRS)],
)
def test_safe_sibling(name: str, tmp_path: Path) -> None:
    pair = PAIRS[name]
    text = MAIN.format(pair.safe)
    assert answer(tmp_path, text, pair.asked, pair.bits, 30) is Answer.SAFE


@pytest.mark.full
@pytest.mark.parametrize(("count", "expected"), [(32, Answer.SAFE), (33, Answer.UNKNOWN)])
def test_handlers_beyond_the_room_of_the_model(
    count: int, expected: Answer, tmp_path: Path
) -> None:
    seconds = 2 if expected is Answer.UNKNOWN else 30
    assert answer(tmp_path, HANDLERS.format(count), CALLS, 64, seconds) is expected
