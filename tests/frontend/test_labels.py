"""Labels as values: jumps go where their pointer leads, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import sea_py

from seahorn_py import verify
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.result import Answer, VerificationResult

HEAD = """
int __VERIFIER_nondet_int(void);
void reach_error(void);
int g;
static int run(const unsigned char *code, int x) {
  static void *const operations[] = {&&more, &&less, &&twice, &&end};
  int at = 0;
  goto *operations[code[at++]];
more: x++; goto *operations[code[at++]];
less: x--; goto *operations[code[at++]];
twice: x *= 2; goto *operations[code[at++]];
end: return x;
}
static int kept(void) {
  static void *label;
  if (label) goto *label;
  label = &&second;
  return 0;
second: return 7;
}
"""
BODIES = {
    "a table": (
        "static const unsigned char code[] = {0, 2, 1, 3}; if (x < 0 || x > 99) return 0;"
        " if (run(code, x) + WRONG != 2 * x + 1) reach_error();"
    ),
    "a choice": (
        "void *p = x > 0 ? &&yes : &&no; if (!p || &&yes == &&no) reach_error(); goto *p;"
        " yes: if (x <= WRONG) reach_error(); return 0;"
        " no: if (x > 0) reach_error();"
    ),
    "what is no label": (
        "void *p = x ? &&here : (void *)&g; goto *p; reach_error();"
        " here: if (p != &&here || x == 0 || WRONG) reach_error();"
    ),
    "a label of another activation": (
        "if (x < 0) return 0; kept(); if (kept() != 7 + WRONG) reach_error();"
    ),
    "a loop": (
        "int i = 0, s = 0; void *next = &&body; if (x < 0 || x > 3) return 0;"
        " goto *next; body: s += i; next = i++ < x ? &&body : &&out; goto *next;"
        " out: if (s != x * (x + 1) / 2 + WRONG) reach_error();"
    ),
}
DISTANCES = (
    "static const int at[] = {&&zero - &&zero, &&one - &&zero, &&two - &&zero}; int s = 5;"
    " if (x < 0 || x > 2) return 0; goto *(&&zero + at[x]);"
    " zero: s = 0; goto out; one: s = 1; goto out; two: s = 2;"
    " out: if (s + WRONG != x) reach_error();"
)


def answered(folder: Path, body: str, wrong: int, bits: int) -> VerificationResult:
    file = folder / "case.c"
    text = body.replace("WRONG", str(wrong))
    file.write_text(f"{HEAD}int main(void) {{ int x = __VERIFIER_nondet_int(); {text} return 0; }}")
    options = VerifyOptions(frontend=FrontendOptions(bits=bits), timeout=20, executions=0.1)
    return verify([file], options)


@pytest.mark.full
@pytest.mark.parametrize("name", BODIES)
def test_computed_jumps(name: str, tmp_path: Path) -> None:
    bits = 32 if len(name) % 2 else 64
    right = answered(tmp_path, BODIES[name], 0, bits)
    assert right.answer is Answer.SAFE, right
    assert not any("labels" in entry.text for entry in right.ledger)
    assert answered(tmp_path, BODIES[name], 1, bits).answer is Answer.UNSAFE


@pytest.mark.parametrize("bits", (32, 64))
def test_how_far_labels_are_apart_is_a_choice_of_ours(bits: int, tmp_path: Path) -> None:
    right = answered(tmp_path, DISTANCES, 0, bits)
    assert right.answer is Answer.SAFE, right
    assert any("labels of a function" in entry.text for entry in right.ledger)


@pytest.mark.parametrize("asked", ["(char *)q - (char *)p != 1", "p > q"])
def test_distances_of_labels_in_variables_are_an_assumption(asked: str, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(f"""extern void __VERIFIER_error(void);
int main(void) {{
  void *p = &&one, *q = &&two;
  if ({asked}) __VERIFIER_error();
  goto *p;
one: return 0;
two: return 1;
}}
""")
    done = sea_py("pf", file)
    assert "the labels of a function lie one byte after the other" in done.stdout, done
