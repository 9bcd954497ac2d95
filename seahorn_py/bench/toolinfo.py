"""The tool-info module of BenchExec for `sea-py`: `tool="seahorn_py.bench.toolinfo"`.

BenchExec (Beyer, Loewe, Wendler 2019) asks it for the command line of a task and for what the
output means.  It runs `sea-py svcomp`, and hands on the limits unless the benchmark definition
names them: the cores as `--jobs`, the memory, and as wall seconds of `--timeout` the CPU seconds
that each of the cores may use, so that the answer comes before BenchExec ends the run.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchexec import result
from benchexec.tools.template import BaseTool2, ToolNotFoundException, UnsupportedFeatureException

from seahorn_py.cli.commands.svcomp import MARK

DATA_MODELS = {"ILP32": "-m32", "LP64": "-m64"}
DEFAULT_JOBS = 2
MIB = 1 << 20
MEMORY_SHARE = 0.9
"""The share of the limit on memory that sea-py is told to keep to.

The rest is for what is counted besides processes, such as files.
"""
LEAST_MEMORY = 256
REFUSED = "sea-py: error: "


class Tool(BaseTool2):
    """sea-py, a software model checker for C whose every answer is checked."""

    def name(self) -> str:
        """The name in tables."""
        return "sea-py"

    def executable(self, tool_locator: BaseTool2.ToolLocator) -> str:
        """The command `sea-py`: in `bin`, on the PATH, or in the tool directory itself."""
        try:
            return str(tool_locator.find_executable("sea-py", subdir="bin"))
        except ToolNotFoundException:
            return str(tool_locator.find_executable("sea-py"))

    def version(self, executable: str) -> str:
        """What `sea-py --version` says."""
        return str(self._version_from_tool(executable, line_prefix="sea-py, version"))

    def environment(self, executable: str) -> dict[str, dict[str, str]]:
        """Runs have a home of their own, but share what is compiled once for all runs."""
        cache = os.environ.get("XDG_CACHE_HOME", "")
        return {"newEnv": {"XDG_CACHE_HOME": cache or str(Path.home() / ".cache")}}

    def cmdline(
        self,
        executable: str,
        options: Sequence[str],
        task: BaseTool2.Task,
        rlimits: BaseTool2.ResourceLimits,
    ) -> list[str]:
        """The command for a task; options of the definition come last, so they win."""
        spec = ["--spec", task.property_file] if task.property_file else []
        described = [*_limits(rlimits), *_data_model(task.options or {}), *spec]
        return [executable, "svcomp", *described, *options, "--", *task.input_files]

    def determine_result(self, run: BaseTool2.Run) -> str:
        """`true`, `false(property)`, `unknown`, or what kind of error it was."""
        lines = list(run.output)
        match _marked(lines, "Result"):
            case "TRUE":
                return str(result.RESULT_TRUE_PROP)
            case "FALSE":
                violated = _marked(lines, "Property")
                return f"{result.RESULT_FALSE_PROP}({violated})"
            case "UNKNOWN":
                return str(result.RESULT_UNKNOWN)
        if any(line.startswith(REFUSED) for line in lines):
            return f"{result.RESULT_ERROR} (refused)"
        if run.exit_code.signal:
            return f"{result.RESULT_ERROR} (signal {run.exit_code.signal})"
        return f"{result.RESULT_ERROR} (exit code {run.exit_code.value})"

    def get_value_from_output(self, output: Iterable[str], identifier: str) -> str | None:
        """What follows `identifier:` at the beginning of a line, the last time it is there."""
        found = [line for line in output if line.startswith(f"{identifier}:")]
        return html.escape(found[-1].removeprefix(f"{identifier}:").strip()) if found else None


def _limits(rlimits: BaseTool2.ResourceLimits) -> list[str]:
    jobs = rlimits.cpu_cores or DEFAULT_JOBS
    seconds = [s for s in (rlimits.walltime, rlimits.cputime and rlimits.cputime / jobs) if s]
    options = ["--jobs", str(jobs)]
    if seconds:
        options += ["--timeout", f"{min(seconds):g}"]
    if rlimits.memory:
        options += ["--memory", str(max(int(rlimits.memory / MIB * MEMORY_SHARE), LEAST_MEMORY))]
    return options


def _data_model(options: Mapping[str, object]) -> list[str]:
    """The flag for the data model that the task names; none if it names none."""
    if "witness_input_file" in options:
        raise UnsupportedFeatureException("sea-py svcomp does not validate witnesses")
    language = options.get("language", "C")
    if language != "C":
        raise UnsupportedFeatureException(f"sea-py does not read {language}")
    model = options.get("data_model")
    if model is None:
        return []
    if model not in DATA_MODELS:
        raise UnsupportedFeatureException(f"sea-py does not know the data model {model}")
    return [DATA_MODELS[model]]


def _marked(lines: Sequence[str], what: str) -> str:
    """The last word that is marked so; lines of the program cannot begin with the mark."""
    start = f"{MARK} {what} "
    found = [line for line in lines if line.startswith(start)]
    return found[-1].removeprefix(start).strip() if found else ""
