# %% [markdown]
# # A first proof, in Python
#
# You need `pip install seahorn-py`, or a checkout. Run the script in the folder of the checkout, or paste its cells into a notebook.
#
# The program counts two numbers. Is there a run in which they differ at the end?

# %%
from pathlib import Path
from tempfile import TemporaryDirectory

from seahorn_py import Answer, verify

PROGRAM = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
    int n = __VERIFIER_nondet_int();
    int up = 0, down = n;
    while (up < n) {
        up++;
        down--;
    }
    if (n >= 0 && down != 0)
        reach_error();
}
"""


def answer_of(text, timeout=30, **options):
    """The answer for the text of a program."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "counters.c"
        file.write_text(text)
        return verify(file, timeout=timeout, **options)


# %% [markdown]
# `verify` gives the answer and what it rests on. `evidence` says what was checked before the answer was given: a solver that had no part
# in finding the proof has proved it again. An empty `ledger` means that nothing was left out or assumed.

# %%
result = answer_of(PROGRAM)
print(result)
print(result.answer is Answer.SAFE, *result.evidence, sep="\n")
print("ledger:", result.ledger)

# %% [markdown]
# The invariants say why: they hold each time a run comes to the head of the loop.

# %%
for invariant in result.invariants:
    print(f"{invariant.function}: {invariant.text}")

# %% [markdown]
# Now with a mistake: `down` is counted down twice in each round. The answer is a run. It was executed, or followed by an interpreter, before it
# is shown. In a notebook `result.violation` is a table.

# %%
wrong = answer_of(PROGRAM.replace("down--;", "down -= 2;"))
print(wrong)
print("inputs:", [value.value for value in wrong.violation.inputs])
for step in wrong.violation.trace[-3:]:
    print(step)

# %% [markdown]
# An answer may be unknown. It names the stage that failed and the reason: here bounded model checking alone was asked, and had one second.

# %%
late = answer_of(PROGRAM, timeout=1, engines=["bmc"], encoding="int")
print(late)
