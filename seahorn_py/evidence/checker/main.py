"""Re-prove the certificate in a folder, with cvc5 or z3 and nothing else.

    python check.py [FOLDER] [--solver cvc5|z3] [--seconds S]

`system.smt2` holds Horn clauses: the program is safe if relations exist for which all of them hold.
`proof.json` says how that is proved, or refuted:

    model        model.smt2 defines the relations: every clause is valid
    k-induction  model.smt2 holds of the first k states of every run, and of the next one after any
                 k states in a row for which it holds (Sheeran, Singh, Stalmarck 2000); with
                 "simple", k states that are pairwise different
    unrolling    loops are passed at most so often: no clause with the head `false` can be applied,
                 nor can a run come back to the head of a loop once more
    refutation   instances of clauses, each from facts that earlier ones derive, the last one of
                 `false`

Exit code 0: accepted.  1: rejected.  2: the solver did not decide, or the files are none of these.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from .clauses import Malformed, Rejected, read_model, read_system
from .conditions import Condition, model_conditions, refutation_conditions
from .induction import Induction
from .solving import SOLVERS, decided, installed
from .unrolling import Unrolled


def conditions(folder: Path) -> Iterator[Condition]:
    """What the certificate in the folder asks of a solver."""
    system = read_system((folder / "system.smt2").read_text(encoding="utf-8"))
    proof = json.loads((folder / "proof.json").read_text(encoding="utf-8"))
    match proof["kind"]:
        case "model" | "k-induction" as kind:
            model = read_model((folder / "model.smt2").read_text(encoding="utf-8"), system)
            if kind == "model":
                return model_conditions(system, model)
            return Induction(system, model, proof["k"], proof["simple"]).conditions()
        case "unrolling":
            return Unrolled(system, proof["bounds"]).conditions()
        case "refutation":
            return refutation_conditions(system, proof["steps"])
    raise Malformed("proof.json has no known kind")


def main(arguments: Sequence[str]) -> int:
    """Check one folder; the exit code."""
    options = argparse.ArgumentParser(description="Re-prove a certificate.")
    options.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent.parent)
    options.add_argument("--solver", choices=list(SOLVERS), default="")
    options.add_argument("--seconds", type=float, default=60.0, help="for each condition")
    given = options.parse_args(arguments)
    count, open_ = 0, ""
    try:
        solver = installed(given.solver)
        for condition in conditions(given.folder):
            count += 1
            found = decided(solver, condition.script, condition.splits, given.seconds)
            if found not in ("sat", "unsat"):
                open_ = open_ or f"{condition.about}: {found}"
            elif (found == "sat") != condition.satisfiable:
                raise Rejected(f"{condition.about} does not hold")
        if open_:
            raise Malformed(open_)
    except Rejected as error:
        sys.stdout.write(f"not accepted, rejected: {error}\n")
        return 1
    except (Malformed, RecursionError, LookupError, TypeError, ValueError, OSError) as error:
        sys.stdout.write(f"not accepted, not decided: {error}\n")
        return 2
    sys.stdout.write(f"accepted: {count} conditions proved by {solver}\n")
    return 0
