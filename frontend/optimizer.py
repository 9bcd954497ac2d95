"""LLVM modules to one lowered program, in a child that may crash without harm."""

from __future__ import annotations

import json
from collections.abc import Sequence

from seahorn_py.child import ChildError, Deadline, call
from seahorn_py.errors import InputError, Stage, StageFailure, UnsupportedError
from seahorn_py.frontend.lowered import Lowered, RawCheck, RawSite
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import FrontendOptions

__all__ = ["Lowered", "RawCheck", "RawSite", "lower"]

_MEMORY_MIB = 8192


def lower(modules: Sequence[str], options: FrontendOptions, deadline: Deadline) -> Lowered:
    """Link, initialise, instrument, inline, number and simplify.

    `modules` are texts as `compile_files` gives them.  InputError: clashing definitions, no `main`.
    UnsupportedError: a construct that the program can reach and that has no meaning here.
    StageFailure: LLVM rejects the text or crashes, or the time is over.
    """
    request = {
        "modules": list(modules),
        "bits": options.bits,
        "property": options.property.value if options.property else None,
        "inlining": options.inlining.value,
        "error_functions": list(options.error_functions),
        "error_labels": list(options.error_labels),
    }
    try:
        target = "seahorn_py.frontend.lowering:lower_child"
        answer = json.loads(call(target, json.dumps(request), deadline, _MEMORY_MIB))
    except ChildError as error:
        raise StageFailure(Stage.FRONT_END, f"lowering: {error}") from None
    if "input" in answer:
        raise InputError(answer["input"])
    if "unsupported" in answer:
        raise UnsupportedError(answer["unsupported"])
    if "failure" in answer:
        raise StageFailure(Stage.FRONT_END, f"lowering: {answer['failure']}")
    return Lowered(
        answer["native"],
        answer["optimized"],
        tuple(RawSite(**site | {"kind": SiteKind(site["kind"])}) for site in answer["sites"]),
        tuple(RawCheck(**check) for check in answer["checks"]),
        tuple(answer["assumptions"]),
    )
