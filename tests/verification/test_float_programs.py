"""C programs with floats: natively and in the interpreter as the circuits say, and verified."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.evidence.runs import native
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.reading import reader
from seahorn_py.frontend.runtime.native import Refusal, build
from seahorn_py.ir.floats import floats
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.ir.types import FloatKind, FloatType
from seahorn_py.options import Encodings, EngineName, FrontendOptions, Property, VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import verify

FUNCTIONS = {
    "x + y": "fadd",
    "x - y": "fsub",
    "x * y": "fmul",
    "x / y": "fdiv",
    "FMOD(x, y)": "frem",
    "SQRT(x)": "llvm.sqrt",
    "FLOOR(x)": "llvm.floor",
    "CEIL(x)": "llvm.ceil",
    "TRUNC(x)": "llvm.trunc",
    "RINT(x)": "llvm.rint",
    "ROUND(x)": "llvm.round",
    "FABS(x)": "llvm.fabs",
    "COPYSIGN(x, y)": "llvm.copysign",
}
TEXT = """
#include <math.h>
#define FABS fabs{s}
#define FMOD fmod{s}
#define SQRT sqrt{s}
#define FLOOR floor{s}
#define CEIL ceil{s}
#define TRUNC trunc{s}
#define RINT rint{s}
#define ROUND round{s}
#define COPYSIGN copysign{s}
extern int __VERIFIER_nondet_which(void);
extern {type} __VERIFIER_nondet_x(void), __VERIFIER_nondet_y(void), __VERIFIER_nondet_z(void);
extern void reach_error(void);
int main(void) {{
  int which = __VERIFIER_nondet_which();
  {type} x = __VERIFIER_nondet_x(), y = __VERIFIER_nondet_y(), z = __VERIFIER_nondet_z(), r = 0;
  switch (which) {{
{cases}
  }}
  if (r != r ? z != z : r == z && !signbit(r) == !signbit(z)) reach_error();
}}
"""
TYPES = {
    "float": ("f", FloatKind.SINGLE),
    "double": ("", FloatKind.DOUBLE),
    "long double": ("l", FloatKind.X87),
}
PAIRS = [
    (5.5, 2.0),
    (-7.25, 0.1),
    (-0.5, 3.0),
    (2.5, -0.0),
    (0.49999997, 1e-40),
    (8388607.5, 3.0),
    (4503599627370495.5, 7.0),
    (1e30, 1e-30),
    (math.inf, 2.0),
    (3.0, math.inf),
    (-3.0, math.nan),
]


def converted(kind: FloatKind, x: float) -> int:
    bits, double, type_ = floats.DOUBLE.encode(x), FloatType(FloatKind.DOUBLE), FloatType(kind)
    if kind is FloatKind.DOUBLE:
        return bits
    op = floats.CastOp.FPEXT if kind is FloatKind.X87 else floats.CastOp.FPTRUNC
    convert = floats.conversion(op, double, type_)
    assert convert is not None
    return convert(bits)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", TYPES)
def test_the_machine_the_interpreter_and_the_circuits(bits: int, name: str, tmp_path: Path) -> None:
    suffix, kind = TYPES[name]
    cases = "\n".join(f"    case {k}: r = {c}; break;" for k, c in enumerate(FUNCTIONS))
    file = tmp_path / "floats.c"
    file.write_text(TEXT.format(s=suffix, type=name, cases=cases))
    options = FrontendOptions(bits=bits, properties=frozenset({Property.UNREACH_CALL}))
    deadline = Deadline.after(60)
    lowered = optimizer.lower(compiler.compile_files([file], options, deadline), options, deadline)
    executable = build(lowered.native, bits, tmp_path, deadline)
    assert not isinstance(executable, Refusal), executable.reason
    sites = {s.name.removeprefix("__VERIFIER_nondet_"): s.number for s in lowered.sites}
    runner, limits = Interpreter(reader.read(lowered)), RunLimits(seconds=5.0)
    for k, op in enumerate(FUNCTIONS.values()):
        compute = floats.operation(op, FloatType(kind), FloatType(kind))
        for pair in PAIRS if compute else ():
            x, y = (converted(kind, v) for v in pair)
            arity = 1 if op.startswith("llvm.") and op != "llvm.copysign" else 2
            z = compute(*(x, y)[:arity])  # type: ignore[misc]
            given = {"which": (k,), "x": (x,), "y": (y,), "z": (z,)}
            feed = {sites[site]: values for site, values in given.items()}
            assert native.run(executable, feed, limits).ending is Ending.FAILED, (op, pair)
            assert runner.run(feed, limits).ending is Ending.FAILED, (op, pair)


HEAD = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
"""
VERDICTS = {
    "sums of decimals are not exact": (
        Answer.SAFE,
        """
int main(void) {
  double a = 0.1, b = 0.2;
  float s = 0, n = 0;
  if (a + b == 0.3) reach_error();
  for (int i = 0; i < 10; i++) s += 0.1f;
  for (float x = 0; x < 5.0f; x += 0.5f) n++;
  if (s == 1.0f || n != 10) reach_error();
}
""",
    ),
    "a compensated sum keeps what a plain one loses": (
        Answer.SAFE,
        """
int main(void) {
  float s = 1, c = 0, n = 1;
  for (int i = 0; i < 20; i++) {
    float y = 1e-8f - c, t = s + y;
    c = (t - s) - y;
    s = t;
    n += 1e-8f;
  }
  if (n != 1.0f || s <= 1.0f) reach_error();
}
""",
    ),
    "2**24 + 1 is no float": (
        Answer.UNSAFE,
        """
int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i >= 0 && i <= 16777217 && (int)(float)i != i) reach_error();
}
""",
    ),
    "all integers up to 2**24 are floats": (
        Answer.SAFE,
        """
int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i >= 0 && i <= 16777216 && (int)(float)i != i) reach_error();
}
""",
    ),
    "a NaN is in no order": (
        Answer.UNSAFE,
        """
int main(void) {
  double x = __VERIFIER_nondet_double();
  if (!(x < 1.0) && !(x >= 1.0)) reach_error();
}
""",
    ),
    "zeros are equal and different": (
        Answer.UNSAFE,
        """
int main(void) {
  float x = __VERIFIER_nondet_float();
  if (x == 0.0f && 1 / x < 0.0f) reach_error();
}
""",
    ),
    "a float is the same double": (
        Answer.SAFE,
        """
int main(void) {
  float x = __VERIFIER_nondet_float();
  double d = x;
  if (x == x && ((float)d != x || d != x)) reach_error();
}
""",
    ),
    "extended precision has more bits, bits of floats are known": (
        Answer.SAFE,
        """
int main(void) {
  long double x = 1.0L / 3.0L;
  double d = 1.0 / 3.0;
  union { float f; unsigned u; } one = {1.0f};
  if (x == d || (double)x != d || one.u != 0x3f800000) reach_error();
}
""",
    ),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts(name: str, tmp_path: Path) -> None:
    expected, text = VERDICTS[name]
    file = tmp_path / "a.c"
    file.write_text(HEAD + text)
    options = VerifyOptions(
        FrontendOptions(bits=32),
        encoding=Encodings.BV,
        engines=(EngineName.BMC,),
        executions=0,
    )
    assert verify(file, options).answer is expected


def test_a_change_of_the_rounding_mode_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(HEAD + "int fesetround(int);\nint main(void) { fesetround(0x400); }\n")
    with pytest.raises(UnsupportedError, match="fesetround"):
        verify(file)
