"""Certificates: what a proof or a refutation says, with a checker that needs nothing of ours.

    system.smt2   the Horn clauses that the encoder made
    proof.json    the kind of the proof, its numbers or steps, and what it is about
    model.smt2    the relations, where the proof has them
    check.py      the checker, with its modules in `checker/`

A proof speaks of the system that the encoder made, however engines transformed it on their way.
Conjuncts that a model does not need are left out, so each one that is written is essential.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from seahorn_py.base.errors import Stage, StageFailure
from seahorn_py.evidence.certificate.needed_conjuncts import needed
from seahorn_py.horn.system import (
    HornSystem,
    KInductive,
    Model,
    Proof,
    Refutation,
    Unrolling,
)
from seahorn_py.horn.text.smtlib import datatype_lines, print_horn, print_model, relation_names
from seahorn_py.logic.text.smtlib import print_term, quoted
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

Files = Mapping[str, str]
"""Name -> text."""

MAX_ROUNDS = 16
"""The most rounds of all loops together: the checker has nothing that folds constants in them."""

CHECKER = (
    *("__init__", "clauses", "instances", "conditions", "induction", "unrolling"),
    *("solving", "main"),
)
_START = '''"""Re-prove the certificate in this folder; --help says how."""

import sys

from checker.main import main

sys.exit(main(sys.argv[1:]))
'''


def of_proof(system: HornSystem, proof: Proof) -> Files:
    """The certificate of a proof; StageFailure for unrollings of calls and of long loops."""
    match proof:
        case Model():
            model = needed(system, proof, Deadline.after(policy().confirming.certificate_seconds))
            return _files(system, {"kind": "model"}, model)
        case KInductive(k, model, simple):
            return _files(system, {"kind": "k-induction", "k": k, "simple": simple}, model)
        case Unrolling(bounds):
            if not system.linear or sum(bounds.values()) > MAX_ROUNDS:
                reason = "no certificate for an unrolling of calls or long loops"
                raise StageFailure(Stage.REPROOF, reason)
            names = relation_names(system)
            shown = {quoted(names[n]): bound for n, bound in bounds.items() if n in names}
            return _files(system, {"kind": "unrolling", "bounds": shown}, None)


def of_refutation(system: HornSystem, refutation: Refutation) -> Files:
    """The certificate of a refutation."""
    numbers = {rule.name: number for number, rule in enumerate(system.rules)}
    steps = [
        {
            "clause": numbers[step.rule],
            "arguments": [print_term(a, {}) for a in step.arguments],
            "premises": list(step.premises),
        }
        for step in refutation.steps
    ]
    return _files(system, {"kind": "refutation", "steps": steps}, None)


def _files(system: HornSystem, proof: dict[str, Any], model: Model | None) -> Files:
    if datatype_lines(system):
        raise StageFailure(Stage.REPROOF, "no certificate for datatypes")
    about = [f"{entry.kind.value}: {entry.text}" for entry in system.ledger]
    files = {
        "system.smt2": print_horn(system),
        "proof.json": json.dumps({**proof, "ledger": about}, indent=1) + "\n",
    }
    if model is not None:
        files["model.smt2"] = print_model(system, model) + "\n"
    return files


def with_checker(files: Files) -> Files:
    """The files of a certificate, and those of the checker; names are paths in its folder."""
    folder = resources.files("seahorn_py.evidence.checker")
    modules = {f"checker/{m}.py": folder.joinpath(f"{m}.py").read_text("utf-8") for m in CHECKER}
    return {**files, "check.py": _START, **modules}


def prepare(folder: Path) -> None:
    """Make the folders of a certificate; OSError if that is not possible."""
    (folder / "checker").mkdir(parents=True, exist_ok=True)
    for name in ("system.smt2", "proof.json", "model.smt2"):
        (folder / name).unlink(missing_ok=True)
