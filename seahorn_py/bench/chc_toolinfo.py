"""The tool-info module of BenchExec for `sea-py chc`: `tool="seahorn_py.bench.chc_toolinfo"`.

It is that of `sea-py` for files of Horn clauses.  A result is `true` for `sat`, that the clauses
have a solution, and `false` for `unsat`, as BenchExec's own modules for SMT solvers have it.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchexec import result
from benchexec.tools.template import BaseTool2

from seahorn_py.bench import toolinfo

MEANINGS = {
    "sat": result.RESULT_TRUE_PROP,
    "unsat": result.RESULT_FALSE_PROP,
    "unknown": result.RESULT_UNKNOWN,
}


class Tool(toolinfo.Tool):
    """The Horn solver of sea-py, every answer of which is checked."""

    def name(self) -> str:
        """The name in tables."""
        return "sea-py chc"

    def cmdline(
        self,
        executable: str,
        options: Sequence[str],
        task: BaseTool2.Task,
        rlimits: BaseTool2.ResourceLimits,
    ) -> list[str]:
        """The command for a file; options of the definition come last, so they win."""
        return [executable, "chc", *toolinfo.limits(rlimits), *options, "--", *task.input_files]

    def determine_result(self, run: BaseTool2.Run) -> str:
        """`true`, `false`, `unknown`, or what kind of error it was; the last line says it."""
        lines = [line.strip() for line in run.output]
        known = MEANINGS.get(lines[-1]) if lines else None
        return toolinfo.error_of(run) if known is None else str(known)
