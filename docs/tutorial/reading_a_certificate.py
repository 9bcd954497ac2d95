# %% [markdown]
# # Reading a certificate
#
# A certificate is an answer for people who do not trust us: the Horn clauses, the proof or the refutation, and a checker that needs Python
# and one solver, cvc5 or z3, and nothing of ours.

# %%
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from seahorn_py import VerifyOptions, verify
from seahorn_py.evidence.certificate.certificate import with_checker

PROGRAM = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
    int i = 0;
    while (__VERIFIER_nondet_int() && i < 100)
        i += 2;
    if (i > 100)
        reach_error();
}
"""

folder = TemporaryDirectory()
place = Path(folder.name)
(place / "even.c").write_text(PROGRAM)
options = VerifyOptions(certificate=True, engines=("spacer",), encoding="int", timeout=30)
result = verify(place / "even.c", options)
print(result)

# %% [markdown]
# `system.smt2` has the clauses, in the format of CHC-COMP: any Horn solver reads it. `proof.json` says what kind of proof it is, and
# `model.smt2` what holds at each relation.

# %%
for name, text in with_checker(result.certificate).items():
    (place / name).parent.mkdir(exist_ok=True)
    (place / name).write_text(text)
print(sorted(name for name in result.certificate if "/" not in name))
print(json.loads(result.certificate["proof.json"])["kind"])
print(result.certificate["model.smt2"])

# %% [markdown]
# The checker asks a solver one question for each clause: does the model make it valid?


# %%
def checked():
    """What the checker says, and whether it is content."""
    command = [sys.executable, str(place / "check.py"), "--solver", "z3"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=place)
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()[-1]


print(checked())

# %% [markdown]
# Now the model is changed: it claims that nothing is ever reached. The checker finds the clause that contradicts it.

# %%
model = place / "model.smt2"
lines = [line.partition(" Bool ")[0] + " Bool false)" for line in model.read_text().splitlines()]
model.write_text("\n".join(lines))
code, said = checked()
print(code, said)
assert code != 0

# %% [markdown]
# A certificate speaks of the clauses. That these are the clauses of the program is what our encoder promises; [certificates](../explanation/certificates.md)
# tells how far that is checked, by runs.

# %%
folder.cleanup()
