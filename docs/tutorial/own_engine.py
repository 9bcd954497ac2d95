# %% [markdown]
# # My own engine in 50 lines
#
# An engine is an object with the method `solve`. It is given a Horn system and a budget, and says that the system is solvable (with a
# model), that it is not (with a refutation), or that it does not know. It need not be trusted: what it says is checked.
#
# This engine is Houdini (Flanagan, Leino: Houdini, an annotation assistant for ESC/Java, FME 2001). It guesses bounds of all parameters, and
# throws away what a rule does not keep, until all that is left is kept by all rules.

# %%
from dataclasses import dataclass

from seahorn_py import solve
from seahorn_py.base.errors import Stage
from seahorn_py.engines.engine import Budget
from seahorn_py.horn import HornSystem, Model, Query, read_horn
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.result import Safe, Unknown


def candidates(system, relation):
    """Comparisons of each parameter with the numbers of the system and with other parameters."""
    numbers = {n for f in system.formulas() for n in nodes(f) if n.is_int_constant()}
    own = [s for s in relation.symbols if terms.sort_of(s) is terms.INT]
    pairs = [(s, other) for s in own for other in (*numbers, *own) if other is not s]
    return [bound for s, other in pairs for bound in (terms.le(s, other), terms.le(other, s))]


def at(system, atom, formula):
    """The formula about the arguments of an atom."""
    symbols = system.relations[atom.relation].symbols
    return terms.substitute(formula, dict(zip(symbols, atom.arguments, strict=True)))


@dataclass(frozen=True)
class Houdini:
    def solve(self, system: HornSystem, budget: Budget):
        held = {name: candidates(system, one) for name, one in system.relations.items()}
        changed = True
        while changed:
            changed = False
            for rule in system.rules:
                if not isinstance(rule.head, Query):
                    name = rule.head.relation
                    goals = [at(system, rule.head, one) for one in held[name]]
                    kept = self._proved(system, rule, held, goals, budget)
                    changed = changed or not all(kept)
                    held[name] = [one for one, good in zip(held[name], kept, strict=True) if good]
        if budget.deadline.remaining == 0:
            return Unknown(Stage.SOLVE, "houdini: time limit")
        for rule in system.queries:
            if not all(self._proved(system, rule, held, [terms.FALSE], budget)):
                return Unknown(Stage.SOLVE, f"houdini: {rule.name} is left")
        return Safe(Model({name: terms.and_(left) for name, left in held.items()}), Solver.Z3)

    def _proved(self, system, rule, held, goals, budget):
        """Of each goal whether the rule gives it, where all that is held holds in its body."""
        known = [at(system, atom, one) for atom in rule.body for one in held[atom.relation]]
        scripts = [script_of([rule.constraint, *known, terms.not_(goal)]) for goal in goals]
        answers = check_scripts(scripts, Solver.Z3, budget.deadline, seconds_each=1.0)
        return [answer.status is Status.UNSAT for answer in answers]


# %% [markdown]
# `solve` takes it as it takes the name of an engine of ours. The model is re-proved by another solver, cvc5.

# %%
SYSTEM = """
(declare-fun loop (Int Int) Bool)
(assert (forall ((n Int)) (=> (and (<= 0 n) (<= n 50)) (loop 0 n))))
(assert (forall ((i Int) (n Int)) (=> (and (loop i n) (< i n)) (loop (+ i 1) n))))
(assert (forall ((i Int) (n Int)) (=> (and (loop i n) (> i 50)) false)))
"""
solution = solve(read_horn(SYSTEM, "counter"), engine=Houdini(), timeout=20)
print(solution)
print(solution.model)

# %% [markdown]
# What if the engine were wrong? This one believes everything. Its answer is not given; the reason says which rule its model breaks.


# %%
class Credulous:
    def solve(self, system, budget):
        return Safe(Model({}))


believed = solve(read_horn(SYSTEM, "counter"), engine=Credulous(), timeout=20)
print(believed)

# %% [markdown]
# To use an engine in `verify` and by `sea-py pf --engine NAME`, put it into a distribution: [Write a plug-in](../how-to/write-a-plug-in.md)
# shows how, and how `seahorn_py.testing` tests it.
