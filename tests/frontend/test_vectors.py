"""Vectors: what is computed with them, what lies in memory, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagonal import one_in

from seahorn_py import verify
from seahorn_py.base.errors import UnsupportedError
from seahorn_py.options import Encodings, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = """
int __VERIFIER_nondet_int(void);
void reach_error(void);
#define VECTOR(type, name, bytes) typedef type name __attribute__((vector_size(bytes)))
VECTOR(int, ints, 16); VECTOR(unsigned, words, 16); VECTOR(float, floats, 16);
VECTOR(short, shorts, 16); VECTOR(signed char, chars, 16);
VECTOR(int, pair, 8); VECTOR(int, eight, 32);
typedef float three __attribute__((ext_vector_type(3)));
#define CHECK(c) if (!(c)) reach_error()
struct tagged { char tag; ints v; int id; } g[2] = {{1, {1, 2, 3, 4}, 5}, {6, {7, 8}, 9}};
ints table[3] = {{1}, {2}, {3, 4}};
static ints sum(ints a, ints b) { return a + b; }
static eight turned(eight a) { a[7] = a[0]; return a; }
#define SHUFFLE __builtin_shufflevector
#define CONVERT __builtin_convertvector
"""
BODIES = {
    "arithmetic": (
        "ints a = {x, 2, 3, 4}, b = {1, x, 1, x}, c = a + b * 2 - (a ^ b), d = a / b, r = a % b;"
        " CHECK(c[0] == x + 2 - (x ^ 1) && c[1] == 2 + 2 * x - (2 ^ x));"
        " CHECK(d[0] == x && d[1] == 2 / x && r[3] == 4 % x);"
        " ints s = a << 1, m = -a, n = ~a, q = a + x; CHECK(s[0] == 2 * x && s[3] == 8);"
        " CHECK(m[0] == -x && n[1] == ~2 && q[2] == 3 + x - WRONG);"
    ),
    "comparisons": (
        "ints a = {x, 2, 3, 4}, b = {5, x, 3, 0}, l = a < b, e = a == b, m = (a & ~l) | (b & l);"
        " CHECK(l[0] == (x < 5 ? -1 : 0) && l[1] == -(2 < x) && e[2] == -1 && e[3] == 0);"
        " CHECK(m[0] >= x && m[0] >= 5 && m[3] == 4 + WRONG);"
    ),
    "subscripts": (
        "int i = x & 3, s = 0; ints a = {1, 2, 3, 4}; a[i] = x; for (int k = 0; k < 4; k++)"
        " s += a[k]; CHECK(s == 9 - i + x && a[i] == x && a[(i + 1) & 3] != x + WRONG * (i - 3)"
        " || x < 5);"
    ),
    "shuffles": (
        "ints a = {x, 2, 3, 4}, b = {5, 6, 7, 8}, d = SHUFFLE(a, b, 0, 5, 2, 7);"
        " CHECK(d[0] == x && d[1] == 6 && d[3] == 8); pair p = SHUFFLE(a, b, 2, 3);"
        " eight w = SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7); ints z = SHUFFLE(a, a, 3, 2, 1, 0);"
        " CHECK(p[0] == 3 && p[1] == 4 && w[0] == x && w[7] == 8 && z[3] == x + WRONG);"
    ),
    "floats": (
        "ints a = {x, 2, -3, 4}; floats f = CONVERT(a, floats) * 2.0f; CHECK(f[1] == 4.0f);"
        " ints t = CONVERT(f / 4.0f, ints), g = f > 1.0f; CHECK(t[1] == 1 && t[2] == -1);"
        " f = -f; CHECK(g[2] == 0 && g[3] == -1 && f[2] == 6.0f + WRONG);"
    ),
    "memory": (
        "struct tagged l = g[1]; l.v[2] = x; g[0] = l; CHECK(sizeof l == 48 && g[0].tag == 6);"
        " CHECK(g[0].v[0] == 7 && g[0].v[2] == x && g[0].id == 9 && ((int *)&table[2])[1] == 4);"
        " int array[4] = {1, 2, 3, x}; ints q = sum(*(ints *)array, table[2]); *(ints *)array = q;"
        " CHECK(q[0] == 4 && array[1] == 6 && array[3] == x + WRONG);"
    ),
    "the same bits": (
        "ints a = {x, 0x01020304, -1, 0}; chars b = (chars)a; shorts h = (shorts)a;"
        " CHECK(b[4] == 4 && b[7] == 1 && b[8] == -1 && (b[0] & 255) == (x & 255));"
        " words u = (words)a >> 1; pair p = {1, 2}; CHECK(u[2] == 0x7fffffffu && h[2] == 0x304);"
        " CHECK((long long)p == 0x200000001LL + WRONG);"
    ),
    "reductions": (
        "ints a = {x, 2, 3, 4}, m = __builtin_elementwise_max(a, (ints){50, 0, 9, 0});"
        " CHECK(__builtin_reduce_add(a) == x + 9 && __builtin_reduce_max(a) >= x);"
        " CHECK(m[0] >= 50 && m[2] == 9); m = __builtin_elementwise_abs(-a);"
        " CHECK(m[1] == 2 + WRONG && __builtin_reduce_and(a) <= 4);"
    ),
    "choices and calls": (
        "ints c = x > 9 ? (ints){1, 1, 1, 1} : (ints){2}; eight w = turned((eight){x});"
        " CHECK(x > 9 ? c[3] == 1 : c[0] == 2 && c[3] == 0); CHECK(w[7] == x + WRONG);"
    ),
}
INDEX = "ints a = {1, 2, 3, 4}; a[x & (7 - 4 * OK)] = x; CHECK(a[0] == 1 || a[0] == x);"
REFUSED = {
    "three b = {1, 2, 3}; CHECK(b.z == 3);": "<3 x float> in memory",
    "_Float16 __attribute__((ext_vector_type(2))) h = {x}; CHECK(h[0]);": "<2 x half> in memory",
}


def answered(folder: Path, body: str, frontend: FrontendOptions) -> VerificationResult:
    file = folder / "case.c"
    start = "int x = __VERIFIER_nondet_int(); if (x < 1 || x > 100) return 0;"
    file.write_text(f"{HEAD}int main(void) {{ {start}\n{body}\nreturn 0; }}\n")
    options = VerifyOptions(frontend=frontend, encoding=Encodings.BV, timeout=20, executions=0.1)
    return verify([file], options)


@pytest.mark.parametrize("name", one_in(2, BODIES))
def test_vectors(name: str, tmp_path: Path) -> None:
    for bits, wrong in ((64, 0), (32, 0), (64, 1)):
        text = BODIES[name].replace("WRONG", str(wrong))
        found = answered(tmp_path, text, FrontendOptions(bits=bits)).answer
        assert found is (Answer.UNSAFE if wrong else Answer.SAFE)


@pytest.mark.parametrize("asked", (Property.VALID_DEREF, Property.BOUNDS))
def test_an_index_outside_of_a_vector(asked: Property, tmp_path: Path) -> None:
    frontend = FrontendOptions(properties=frozenset({asked}))
    assert answered(tmp_path, INDEX.replace("OK", "1"), frontend).answer is Answer.SAFE
    assert answered(tmp_path, INDEX.replace("OK", "0"), frontend).answer is Answer.UNSAFE


def test_an_index_outside_ends_the_run(tmp_path: Path) -> None:
    text = INDEX.replace("OK", "0").replace("|| a[0] == x", "|| x % 4 == 0")
    assert answered(tmp_path, text, FrontendOptions()).answer is Answer.SAFE


def test_what_is_checked_of_elements(tmp_path: Path) -> None:
    text = "ints a = {x, 2}, b = {x - 50, 1, 1, 1}; a += 1; a /= b;"
    for asked, answer in (
        (Property.DIV_BY_ZERO, Answer.UNSAFE),
        (Property.NO_OVERFLOW, Answer.UNKNOWN),
    ):
        frontend = FrontendOptions(properties=frozenset({asked}))
        assert answered(tmp_path, text, frontend).answer is answer


@pytest.mark.parametrize("body", REFUSED)
def test_vectors_that_are_refused_name_their_line(body: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=rf"case\.c:\d+:\d+: .*{REFUSED[body]}"):
        answered(tmp_path, body, FrontendOptions())
    unused = f"CHECK(x > 0); return 0; }} void unused(int x) {{ {body} }} int last(void) {{"
    assert answered(tmp_path, unused, FrontendOptions()).answer is Answer.SAFE
