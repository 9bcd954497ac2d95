# %% [markdown]
# # Comparing abstractions on one program
#
# The same program, the same Horn clauses, several ways to abstract: predicates found by refinement (`cegar`), lazy abstraction with interpolants
# (`impact`), Boolean programs (`boolean`), and numerical domains (`lemmas`, with Spacer behind them). Which facts does each find, and how long
# does it take?

# %%
from pathlib import Path
from tempfile import TemporaryDirectory

from seahorn_py import VerifyOptions, solve
from seahorn_py.engines.cegar.cegar import Cegar
from seahorn_py.engines.refinement.configuration import configured
from seahorn_py.horn import read_horn
from seahorn_py.logic.text.infix import print_infix
from seahorn_py.verification.export import horn_clauses

PROGRAM = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
    int x = 0, y = 0;
    while (__VERIFIER_nondet_int() && x < 12) {
        x++;
        if (y < 5)
            y++;
    }
    if (y > x)
        reach_error();
}
"""

with TemporaryDirectory() as folder:
    file = Path(folder) / "program.c"
    file.write_text(PROGRAM)
    system = read_horn(horn_clauses([file], VerifyOptions()), "program.c")
print(len(system.relations), "relations,", len(system.rules), "rules")

# %% [markdown]
# An engine by name has its usual choices. `Cegar` with a configuration has others: here states are values where these are few, beside
# predicates ([predicate abstraction](../explanation/cegar.md) lists all choices).

# %%
ENGINES = {
    "cegar": "cegar",
    "cegar, values too": Cegar(configured("domain=both")),
    "impact": "impact",
    "boolean": "boolean",
    "lemmas": "lemmas",
}
solutions = {}
for name, engine in ENGINES.items():
    solutions[name] = solve(system, engine=engine, timeout=15, jobs=1)
    seconds = sum(attempt.seconds for attempt in solutions[name].attempts)
    print(f"{name:18} {solutions[name].status:8} {seconds:5.2f} s  {solutions[name].reason}")

# %% [markdown]
# All models were re-proved by a second solver, so each is a proof. They say different things: an abstraction finds what its language can
# say. The longest formula of each model shows how much of the program the abstraction had to look at.

# %%
for name, solution in solutions.items():
    if solution.model is not None:
        texts = [print_infix(one, {}) for one in solution.model.interpretations.values()]
        longest = max(texts, key=len, default="true")
        print(f"{name}: {sum(map(len, texts))} characters, for instance {longest[:70]}")
