"""Calls of functions without a body that are given pointers and of which nothing is known.

Such a call becomes one of `sea.silent.NAME`, and its result an input of its own.  In proofs it may
change whatever it can reach (`passes.environment`); in a run it changes nothing, which is one of
the things that such a function may do.  What an error rests on then, the interpreter tells: a
pointer that the function could have set makes no error of memory (`ir.memory`).

A call stays as it is, and no run goes through it, where doing nothing need not be allowed: the
function is one of the C library, only reads (equal results for equal memory), or fills a result in
memory.  So it is where an error would rest on what never happens: for termination, temporal
formulas, and between threads.
"""

from __future__ import annotations

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, argument
from seahorn_py.frontend.llvmtext.module import ModuleText
from seahorn_py.frontend.lowering.events.events import Meaning, asks_validity
from seahorn_py.frontend.lowering.events.primitives import is_interleaved
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import MEMORY_SAFETY, FrontendOptions, Property

_PLAIN = pattern(r"[\w$][\w.$]*$")
_OF_SYSTEM = ("/usr/include/", "/usr/lib/", "/usr/local/include/")
_OF_COMPILER = "/ziglang/lib/"
"""In the names of files whose functions are those of libraries."""

_NOT_NULL = pattern(r"\bnonnull\b")
_OF_MEMORY = (*MEMORY_SAFETY, Property.VALID_MEMCLEANUP, Property.NULL_DEREF)


class Silent:
    """Tells and rewrites such calls in one module."""

    def __init__(
        self,
        module: ModuleText,
        meaning: Meaning,
        inputs: Inputs,
        debug: DebugText,
        options: FrontendOptions,
    ) -> None:
        self._module = module
        self._meaning = meaning
        self._inputs = inputs
        self._debug = debug
        is_endless = options.wants(Property.TERMINATION) or bool(options.formula)
        self._is_asked = not (is_endless or is_interleaved(module, options))
        self._of_memory = any(map(options.wants, _OF_MEMORY)) or asks_validity(module)

    def allows(self, call: CallText) -> bool:
        """Whether a run may go through the call."""
        name = call.callee
        return (
            self._is_asked
            and name in self._module.declarations
            and _PLAIN.match(name) is not None
            and self._meaning.may_do_nothing(name)
            and not self._is_of_system(name)
            and self._has_result(call)
            and not any(" sret(" in text for text in call.arguments)
        )

    def _is_of_system(self, name: str) -> bool:
        """Whether a header of the system or of the compiler declares the function.

        What such a function does is known, though not here, and it is seldom nothing.
        """
        declared = self._module.signature(name)
        file = self._debug.file(declared.debug) if declared else ""
        return file.startswith(_OF_SYSTEM) or _OF_COMPILER in file

    def lines(self, call: CallText) -> list[str]:
        """The call that does nothing in a run, and the input that is its result."""
        given = ", ".join(" ".join(argument(text)) for text in call.arguments)
        called = self._inputs.silent(call.callee, given, call.debug)
        if call.result is None:
            return [called]
        declared = self._module.signature(call.callee)
        subprogram = declared.debug.removeprefix(" !dbg !") if declared else ""
        cause = (SiteKind.EXTERN, call.callee, *self._debug.returned_type(subprogram))
        return [called, *self._inputs.value(call.result, call.type, cause, call.debug)]

    def _has_result(self, call: CallText) -> bool:
        """The result is nothing or a scalar; a pointer may be null, and is not followed."""
        if call.type == "void":
            return True
        if call.type == "ptr":
            return not (self._of_memory or _NOT_NULL.search(call.prefix))
        return self._inputs.is_scalar(call.type)
