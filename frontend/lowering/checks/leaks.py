"""What must hold of the blocks of the heap where a run ends: `valid-memcleanup`, `valid-memtrack`.

A run must have freed its blocks wherever it ends, also in `exit` and `abort`.  What only locals
lead to is lost when `main` returns, but not in `exit` and `abort`, which leave no function (SV-COMP
rules and the discussions of its benchmarks).  A proof there has that global objects lead to all
blocks, which is more than is asked; no error rests on it.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, argument
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.lowering.checks.returns import allocates, may_go_on
from seahorn_py.frontend.lowering.events.events import ending_names
from seahorn_py.frontend.lowering.events.jumpnames import JUMPS
from seahorn_py.frontend.lowering.library.claims import unproved
from seahorn_py.ir.program import ENDLESS
from seahorn_py.options import FrontendOptions, Property

_LEFT = "a block of the heap is not freed"
_LOST = "a block of the heap is lost"
_STOPPED = "blocks lost in runs that do not return from main are not seen"
_INTEGER = pattern(r"i\d+$")
_NEVER_RETURNS = pattern(r"\bnoreturn\b")


class Leaks:
    """The checks of the ends of one module's runs."""

    def __init__(self, module: ModuleText, inputs: Inputs, options: FrontendOptions) -> None:
        self._module, self._inputs = module, inputs
        cleans, tracks = map(options.wants, (Property.VALID_MEMCLEANUP, Property.VALID_MEMTRACK))
        allocating = (cleans or tracks) and allocates(module.functions)
        self._cleans, self._tracks = cleans and allocating, tracks and allocating

    @property
    def are_asked(self) -> bool:
        """Whether the ends of runs have checks."""
        return self._cleans or self._tracks

    def at_return(self, debug: str, reached: Mapping[str, FunctionText]) -> list[str]:
        """The checks where `main` has returned, in a program of these functions."""
        lines = self._all_freed(debug)
        if self._tracks:
            bit, tracked = self._none_lost(debug)
            lines += [*tracked, *self._inputs.check(bit, _LOST, debug, Property.VALID_MEMTRACK)]
            if self._ends_outside():
                self._inputs.gap(_STOPPED)
            elif may_go_on(reached):
                self._inputs.gap(ENDLESS)
        return lines

    def at_stop(self, debug: str) -> list[str]:
        """The checks before a call in which the run ends."""
        lines = self._all_freed(debug)
        if self._tracks:
            bit, tracked = self._none_lost(debug)
            asked = Property.VALID_MEMTRACK
            lines += [*tracked, *unproved(self._inputs, bit, _STOPPED, debug, asked)]
        return lines

    def at_assertion(self, call: CallText) -> list[str]:
        """The checks before a call in which the run ends unless its first argument holds."""
        if self._cleans:
            self._inputs.gap("blocks that are left when an assertion fails are not seen")
        if not self._tracks:
            return []
        kind, value = argument(call.arguments[0]) if call.arguments else ("", "")
        if not _INTEGER.match(kind):
            self._inputs.gap(_STOPPED)
            return []
        holds, either = self._inputs.name(), self._inputs.name()
        bit, tracked = self._none_lost(call.debug)
        return [
            *tracked,
            f"  {holds} = icmp ne {kind} {value}, 0{call.debug}",
            f"  {either} = or i1 {holds}, {bit}{call.debug}",
            *unproved(self._inputs, either, _STOPPED, call.debug, Property.VALID_MEMTRACK),
        ]

    def _all_freed(self, debug: str) -> list[str]:
        if not self._cleans:
            return []
        bit = self._inputs.name()
        check = self._inputs.check(bit, _LEFT, debug, Property.VALID_MEMCLEANUP)
        return [f"  {bit} = call i1 @sea.valid.noleak(){debug}", *check]

    def _none_lost(self, debug: str) -> tuple[str, list[str]]:
        bit = self._inputs.name()
        return bit, [f"  {bit} = call i1 @sea.valid.nolost(){debug}"]

    def _ends_outside(self) -> bool:
        """Whether some run may end in a function without a body."""
        never = {g.split(" ")[1] for g in self._module.groups if _NEVER_RETURNS.search(g)}
        return any(
            f.group.strip() in never
            for name, f in self._module.declarations.items()
            if name not in ending_names() and name not in JUMPS and not name.startswith("llvm.")
        )
