"""Bug bundles: what a developer needs when our own parts contradict each other.

Written whenever a proof that a second solver accepted is contradicted by an execution: one of the
encoder, the reader, the passes or a solver is wrong, and the answer is unknown.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from seahorn_py.base.version import VERSION
from seahorn_py.encode.encoding import Encoding
from seahorn_py.evidence.runs.subject import Subject
from seahorn_py.horn.system import Model
from seahorn_py.horn.text.smtlib import print_horn, print_model
from seahorn_py.ir.printer import print_program
from seahorn_py.ir.run import Outcome


def write(
    subject: Subject, encoding: Encoding, model: Model, run: Outcome, reason: str, folder: Path
) -> Path:
    """Write a bundle into `folder` and return its path; the file is whole or not there."""
    content = {
        "version": VERSION,
        "reason": reason,
        "inputs": {str(site): list(values) for site, values in run.feed.items()},
        "ending": run.ending.value,
        "source": print_program(subject.source),
        "program": print_program(encoding.program),
        "clauses": print_horn(encoding.system),
        "model": print_model(encoding.system, model),
    }
    descriptor, name = tempfile.mkstemp(prefix="sea-py-bug-", suffix=".json", dir=folder)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(content, stream, indent=1)
    return Path(name)
