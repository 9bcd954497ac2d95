"""Views of a program for people: regions, control flow, calls, Horn clauses; text or Graphviz."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import assert_never

from seahorn_py.horn.text.smtlib import print_horn
from seahorn_py.ir.graph import call_graph
from seahorn_py.ir.printer import print_program
from seahorn_py.ir.program import Program
from seahorn_py.options import VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.passes.pointsto.pointsto import points_to
from seahorn_py.passes.pointsto.text import render_dot, render_text
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.export import encoded
from seahorn_py.verification.pipeline import load
from seahorn_py.verification.views import graphviz


class View(Enum):
    """A view of a program."""

    REGIONS = "regions"
    CFG = "cfg"
    CALLS = "calls"
    HORN = "horn"


def inspected(
    files: Sequence[Path],
    options: VerifyOptions,
    views: Sequence[View],
    *,
    passes: bool = False,
    dot: bool = False,
) -> str:
    """The views one after the other; `passes` shows control flow and calls in encoding form."""
    _, source = load(files, options, Deadline.after(options.timeout))
    shown = prepare(source, track=options.track) if passes else source
    return "\n".join(_view(view, source, shown, options, dot) for view in views)


def _view(view: View, source: Program, shown: Program, options: VerifyOptions, dot: bool) -> str:
    match view:
        case View.REGIONS:
            found = points_to(source)
            return render_dot(found) if dot else render_text(found)
        case View.CFG:
            return graphviz.control_flow(shown) if dot else print_program(shown)
        case View.CALLS:
            return graphviz.calls(shown) if dot else _calls(shown)
        case View.HORN:
            system = encoded(source, options).system
            return graphviz.horn_system(system) if dot else print_horn(system)
        case _:
            assert_never(view)


def _calls(program: Program) -> str:
    graph = call_graph(program)
    return "\n".join(f"{caller}: {', '.join(callees)}" for caller, callees in graph.items())
