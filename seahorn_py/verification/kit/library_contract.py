"""What every model of a library function keeps: it does what the function does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.operands import SiteKind
from seahorn_py.ir.run import Ending, RunLimits
from seahorn_py.options import FrontendOptions, VerifyOptions
from seahorn_py.processes import scratch
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

_LIMITS = RunLimits(seconds=1.0, steps=100_000)
_WIDTHS = {"signed char": 8, "short": 16, "int": 32, "long": 64, "long long": 64}


class LibraryModelContract:
    """Compares the model that a plug-in has with the function itself, on random arguments.

    Subclasses say the name of the `plugin` and of the `function`, the C types of its `parameters`
    and of its `result` (signed integers), and have the static method `native`, which calls the
    function, for instance through `ctypes`.  `draws` arguments are tried, among those that
    `accepts` takes.  Each method is a test of pytest.
    """

    plugin: str
    function: str
    parameters: tuple[str, ...]
    result: str
    native: Callable[..., int]
    draws: int = 100

    def accepts(self, *arguments: int) -> bool:
        """Whether the function may be called with these."""
        return True

    def test_it_does_what_the_function_does(self) -> None:
        """The program fails if the model gives something else than the function did."""
        interpreter = self._interpreter()
        sites = [s.number for s in interpreter.program.sites if s.kind is SiteKind.NONDET]
        for arguments in self._arguments():
            expected = type(self).native(*arguments)
            values = (*arguments, expected)
            types = (*self.parameters, self.result)
            feed = {
                site: (value % (1 << _WIDTHS[kind]),)
                for site, value, kind in zip(sites, values, types, strict=True)
            }
            outcome = interpreter.run(feed, _LIMITS)
            called = f"{self.function}({', '.join(map(str, arguments))})"
            assert outcome.ending is Ending.ENDED, f"{called} is {expected}: {outcome.ending.value}"

    def _interpreter(self) -> Interpreter:
        """Of the program that calls the function and compares the result with an input."""
        options = VerifyOptions(FrontendOptions(library_models=(self.plugin,)))
        with scratch.folder() as place:
            file = place / "driver.c"
            file.write_text(self._driver())
            _, program = load([file], options, Deadline.after(60))
        return Interpreter(program)

    def _driver(self) -> str:
        named = {kind: kind.replace(" ", "_") for kind in (*self.parameters, self.result)}
        inputs = [f"extern {kind} __VERIFIER_nondet_{name}(void);" for kind, name in named.items()]
        read = [
            f"{kind} x{k} = __VERIFIER_nondet_{named[kind]}();"
            for k, kind in enumerate(self.parameters)
        ]
        arguments = ", ".join(f"x{k}" for k in range(len(self.parameters)))
        lines = [
            *inputs,
            "void reach_error(void) {}",
            f"extern {self.result} {self.function}({', '.join(self.parameters) or 'void'});",
            "int main(void) {",
            *read,
            f"{self.result} expected = __VERIFIER_nondet_{named[self.result]}();",
            f"if ({self.function}({arguments}) != expected) reach_error();",
            "}",
        ]
        return "\n".join(lines)

    def _arguments(self) -> Iterator[tuple[int, ...]]:
        """Bounds and small numbers among others."""
        draw, found = random.Random(1), 0
        for _ in range(20 * self.draws):
            arguments = tuple(_drawn(draw, _WIDTHS[kind]) for kind in self.parameters)
            if found < self.draws and self.accepts(*arguments):
                found += 1
                yield arguments
        assert found, "no arguments are accepted"


def _drawn(draw: random.Random, width: int) -> int:
    least, most = -(1 << (width - 1)), (1 << (width - 1)) - 1
    return draw.choice((least, most, 0, draw.randint(-9, 9), draw.randint(least, most)))
