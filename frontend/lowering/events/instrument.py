"""Rewrites the body of a function: events become calls of sea functions, shifts become defined.

A call that is an event becomes `sea.input`, `sea.check`, `sea.assume` or `sea.stop`, with the place
of the call.  A call whose type differs from the definition's (old-style C) gets the definition's
type where the arguments can be converted, so that it can be inlined.  `unreachable` becomes the end
of the run; `partial` has operations that are defined for some operands only.
"""

from __future__ import annotations

import re
from typing import assert_never

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.library.contracts import contract_of
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG, CallText, argument, plain, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.strings import Strings
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.assembly import understood
from seahorn_py.frontend.lowering.events.events import FREEING, Event, Meaning, is_another
from seahorn_py.frontend.lowering.events.partial import defined_shift, weak_exchange
from seahorn_py.frontend.lowering.events.shared import Shared
from seahorn_py.frontend.lowering.events.silent import Silent
from seahorn_py.frontend.lowering.events.vocabulary import recognised
from seahorn_py.frontend.lowering.library.libcalls import arbitrary
from seahorn_py.frontend.lowering.validity import as_word, validity
from seahorn_py.ir.operands import AGAIN
from seahorn_py.ir.program import NO_REUSE, SiteKind
from seahorn_py.options import FrontendOptions, Property

_WRAP_FLAGS = pattern(rf"^(  %{NAME} = (?:add|sub|mul|shl|trunc) )(?:(?:nuw|nsw) )+")
_ATTACHMENT = pattern(r", !(?!dbg )[a-zA-Z_][\w.]* !\d+")
_MASKED = pattern(rf"  (%{NAME}) = (?:and|urem) i\d+ [^,]+, (\d+)")
_LABEL = pattern(r"    #dbg_label\(!(\d+), (!\d+)\)")
_ASSEMBLY = pattern(r'call(?:br)? [^@"]*\basm ')
_GROUP = pattern(r" (#\d+)(?=,|$)")
_NEVER_RETURNS = pattern(r"\bnoreturn\b")
_INTEGER = pattern(r"i(\d+)$")
_ANOTHER = " and another type than the C library's"
_BOOLEAN_NAMES = frozenset({"bool", "_Bool", "Bool", "boolean"})
_FLOATS = frozenset({"float", "double", "x86_fp80", "half", "fp128"})


class Instrumenter:
    """Rewrites bodies of the functions of one module."""

    def __init__(
        self, module: ModuleText, inputs: Inputs, debug: DebugText, options: FrontendOptions
    ) -> None:
        self.meaning = Meaning(module, options)
        self._module = module
        self._strings = Strings(module)
        self._inputs = inputs
        self._debug = debug
        self._labels = frozenset(options.error_labels)
        self._never_returns = {g.split(" ")[1] for g in module.groups if _NEVER_RETURNS.search(g)}
        self._shared = Shared(module, inputs, debug)
        self._silent = Silent(module, self.meaning, inputs, debug, options)

    def body(self, lines: list[str]) -> list[str]:
        """The rewritten lines of one function."""
        out: list[str] = []
        bounds: dict[str, int] = {}
        last, instruction = "", ""
        for raw in lines:
            last, instruction = instruction, raw
            if raw.startswith("    #"):
                out.append(raw)
                if raw.startswith("    #dbg_label"):
                    out.extend(self._label(raw))
                continue
            line = _ATTACHMENT.sub("", raw) if raw.count(", !") > (", !dbg " in raw) else raw
            if " nsw " in line or " nuw " in line:
                line = _WRAP_FLAGS.sub(r"\1", line)
            if " call " in line or " callbr " in line:
                out.extend(self._call(line))
            elif line.startswith("  unreachable"):
                self._end(line, last, out)
            elif " = shl " in line or "shr " in line:
                out.extend(defined_shift(line, bounds, self._inputs))
            elif " = cmpxchg weak " in line:
                out.extend(weak_exchange(line, self._inputs))
            else:
                masked = _MASKED.match(line)
                if masked:
                    bounds[masked[1]] = int(masked[2]) + (" = and " in line)
                out.append(plain(line))
        return out

    def has_event_body(self, function: FunctionText) -> bool:
        """Whether a function is an event whatever arguments it is given."""
        name = function.name
        event = self.meaning.of(name)
        if event is None or self.meaning.stands_alone(name):
            return event is not None
        return not (function.variadic or self._may_write(name, function.parameters))

    def event_body(self, function: FunctionText) -> list[str]:
        """A body for an event function whose address is used: the event, then the return."""
        kinds = function.parameter_types
        given = ", ".join(f"{kind} %{i}" for i, kind in enumerate(kinds))
        call = f"call {function.prefix} @{function.name}({given})"
        if function.result == "void":
            return [*self.body([f"  {call}"]), "  ret void"]
        result = self._inputs.name()
        body = self.body([f"  {result} = {call}"])
        return [*body, f"  ret {function.result} {result}"]

    # ------------------------------------------------------------------------------------ calls

    def _call(self, line: str) -> list[str]:
        if " asm " in line and _ASSEMBLY.search(line):
            return self._assembly(line)
        call = read_call(line)
        if call is None:
            return [line]
        event = self.meaning.of(call.callee)
        stays = event in (Event.EXTERN, Event.NONDET) and self._may_write(
            call.callee, call.arguments
        )
        if event is None or stays:
            return self._ordinary(call, line)
        return self._event(event, call)

    def _may_write(self, name: str, given: tuple[str, ...]) -> bool:
        """Whether an external function has a pointer, other than to return a struct."""
        if self.meaning.leaves_memory_alone(name):
            return False
        shares = self.meaning.is_outside(name) and self._shared.keep_addresses
        return shares or any(map(_is_pointer, given))

    def _event(self, event: Event, call: CallText) -> list[str]:  # noqa: C901
        self._inputs.recognise(recognised(call.callee))
        match event:
            case Event.ERROR:
                text = f"{call.callee}()"
                return [*self._inputs.check("false", text, call.debug), *self._unused(call)]
            case Event.RULE:
                text = self._strings.text(call.arguments[0]) or call.callee
                return self._inputs.check("false", text, call.debug, Property.RULE)
            case Event.CHECK:
                return self._assert(call, self.meaning.calls_are_errors)
            case Event.ASSERT:
                return self._assert(call, self.meaning.asserts_are_errors)
            case Event.FAIL:
                return self._fail(call)
            case Event.ASSUME:
                return [*self._assume(call), *self._unused(call)]
            case Event.NONDET:
                return self._nondet(call)
            case Event.EXTERN:
                return self._extern(call)
            case Event.MEMORY:
                return [*self._memory(call), *self._unused(call)]
            case Event.MODEL:
                return arbitrary(self._inputs, self._debug, self._module, call)
            case Event.STOP:
                return [f"  call void @sea.stop(){call.debug}", *self._unused(call)]
            case Event.COPY:
                kind, value = argument(call.arguments[0])
                return [f"  {call.result} = bitcast {kind} {value} to {kind}{call.debug}"]
            case Event.ZERO:
                return [f"  {call.result} = bitcast i1 false to i1{call.debug}"]
            case Event.SIZE:
                return self._object_size(call)
            case Event.VALID:
                return validity(call, "access", self._inputs, self._debug)
            case Event.WRITABLE:
                return validity(call, "write", self._inputs, self._debug)
            case Event.DROP:
                if call.callee in FREEING:
                    self._inputs.assume(NO_REUSE)
                return self._unused(call)
            case Event.REFUSE:
                raise self._refusal(f"{call.callee}() is not supported", call.debug)
        assert_never(event)

    def _unused(self, call: CallText) -> list[str]:
        """The result of an event that has none for us."""
        if call.result is None:
            return []
        return self._inputs.value(
            call.result, call.type, (SiteKind.EXTERN, call.callee, "", None), call.debug
        )

    def _nondet(self, call: CallText) -> list[str]:
        if call.type == "void":
            return self._filled_result(call)
        result = call.result or self._inputs.name()
        function = self._module.signature(call.callee)
        subprogram = function.debug.removeprefix(" !dbg !") if function else ""
        c_type, signed = self._debug.returned_type(subprogram)
        site = (SiteKind.NONDET, call.callee, c_type, signed)
        wide = _INTEGER.match(call.type)
        if wide and int(wide[1]) > 1 and call.callee.rpartition("nondet_")[2] in _BOOLEAN_NAMES:
            bit = self._inputs.name()
            lines = self._inputs.value(bit, "i1", site, call.debug)
            return [*lines, f"  {result} = zext i1 {bit} to {call.type}{call.debug}"]
        return self._inputs.value(result, call.type, site, call.debug)

    def _filled_result(self, call: CallText) -> list[str]:
        """A struct is returned through a hidden first argument."""
        found = re.match(r"ptr .*\bsret\((.*?)\)", call.arguments[0]) if call.arguments else None
        if found is None:
            return []
        address = argument(call.arguments[0])[1]
        site = (SiteKind.NONDET, call.callee, found[1], None)
        return self._inputs.fill(address, found[1], site, call.debug)

    def _extern(self, call: CallText) -> list[str]:
        if self._strings.may_count(call):
            raise self._refusal(f"{call.callee}() with %n is not supported", call.debug)
        contract = contract_of(call.callee)
        is_watched = self.meaning.stands_for(call.callee)
        another = contract is not None and is_another(contract) and not is_watched
        self._inputs.assume(
            f"{call.callee}, which has no body{_ANOTHER if another else ''}, returns and changes"
            " nothing in the program"
        )
        changed = self._shared.changed(call) if self.meaning.is_outside(call.callee) else []
        return [*changed, *self._unused(call)]

    def _memory(self, call: CallText) -> list[str]:
        address, given = self._debug.block(call)
        kind, size = argument(given)
        lines, size = as_word(kind, size, self._inputs, call.debug)
        site = (SiteKind.NONDET, call.callee, "", None)
        return [*lines, *self._inputs.havoc(address, size, site, call.debug)]

    def _object_size(self, call: CallText) -> list[str]:
        unknown = "0" if argument(call.arguments[1])[1] == "true" else "-1"
        return [f"  {call.result} = bitcast {call.type} {unknown} to {call.type}{call.debug}"]

    # --------------------------------------------------------------------------- checks, assumes

    def _assert(self, call: CallText, is_error: bool) -> list[str]:
        lines, bit = self._truth(call)
        text = f"{call.callee}()"
        if is_error:
            lines += self._inputs.check(bit, text, call.debug)
        else:
            lines.append(f"  call void @sea.assume(i1 {bit}){call.debug}")
        return [*lines, *self._unused(call)]

    def _fail(self, call: CallText) -> list[str]:
        lines: list[str] = []
        if self.meaning.asserts_are_errors:
            text = self._strings.text(call.arguments[0]) if call.arguments else ""
            shown = f"assert({text})" if text else f"{call.callee}()"
            lines = self._inputs.check("false", shown, call.debug)
        return [*lines, f"  call void @sea.stop(){call.debug}", *self._unused(call)]

    def _assume(self, call: CallText) -> list[str]:
        lines, bit = self._truth(call)
        return [*lines, f"  call void @sea.assume(i1 {bit}){call.debug}"]

    def _truth(self, call: CallText) -> tuple[list[str], str]:
        """Lines and an `i1` that says whether the first argument is not 0."""
        if not call.arguments:
            raise self._refusal(f"{call.callee}() without argument", call.debug)
        kind, value = argument(call.arguments[0])
        if kind == "i1":
            return [], value
        bit = self._inputs.name()
        zero = "null" if kind == "ptr" else "0"
        test = f"icmp ne {kind} {value}, {zero}"
        if kind in _FLOATS:
            test = f"fcmp une {kind} {value}, zeroinitializer"
        return [f"  {bit} = {test}{call.debug}"], bit

    def _label(self, line: str) -> list[str]:
        found = _LABEL.match(line)
        name = self._debug.name(found[1]) if found else ""
        if found is None or name not in self._labels:
            return []
        return self._inputs.check("false", f"{name}:", f", !dbg {found[2]}")

    def _end(self, line: str, last: str, out: list[str]) -> None:
        """The end of the run; `last` may be the call of a function that never returns."""
        is_written = "!dbg" in line  # other ones clang makes, where no way leads
        if is_written and not self._never_returns.intersection(_GROUP.findall(last)):
            self._inputs.assume("no run comes to __builtin_unreachable()")
        if not (out and out[-1].startswith("  call void @sea.stop()")):
            found = DEBUG.search(line)
            out.append(f"  call void @sea.stop(){found[0] if found else ''}")
        out.append(line)

    # --------------------------------------------------------------------------- ordinary calls

    def _ordinary(self, call: CallText, line: str) -> list[str]:
        function = self._module.functions.get(call.callee)
        if function is None:
            is_silent = self._silent.allows(call)
            return self._silent.lines(call) if is_silent else [*self._reuse(call), line]
        kinds = tuple(argument(a)[0] for a in call.arguments)
        exact = not call.prefix.endswith(")")
        if exact and kinds == function.parameter_types and call.type == function.result:
            return [line]
        return self._retyped(call, function) or [line]

    def _reuse(self, call: CallText) -> list[str]:
        """Let an input say whether the block that is asked for is one that was freed before."""
        if not self.meaning.reuses or call.callee not in ("malloc", "calloc"):
            return []
        again = self._inputs.name()
        site = (SiteKind.UNINIT, call.callee, AGAIN, False)
        read = self._inputs.value(again, "i1", site, call.debug)
        return [*read, f"  call void @sea.reuse(i1 {again}){call.debug}"]

    def _retyped(self, call: CallText, function: FunctionText) -> list[str] | None:
        """A call with the definition's type; None where an argument has no counterpart."""
        if len(call.arguments) < len(function.parameters):
            return None
        lines: list[str] = []
        given: list[str] = []
        for text, parameter in zip(call.arguments, function.parameters, strict=False):
            kind, value = argument(text)
            wanted = argument(parameter)[0]
            converted = self._converted(kind, value, wanted, call.debug)
            if converted is None:
                return None
            lines.extend(converted[0])
            given.append(f"{parameter.rpartition(' %')[0] or wanted} {converted[1]}")
        result = call.result
        if result is not None and function.result != call.type:
            result = None if function.result == "void" else self._inputs.name()
        target = f"{result} = " if result else ""
        lines.append(
            f"  {target}call {function.prefix} @{call.callee}({', '.join(given)})"
            f"{call.tail}{call.debug}"
        )
        returned = self._returned(call, function, result)
        return None if returned is None else [*lines, *returned]

    def _returned(
        self, call: CallText, function: FunctionText, result: str | None
    ) -> list[str] | None:
        if call.result is None or result == call.result:
            return []
        if result is None:
            return self._unused(call)
        converted = self._converted(function.result, result, call.type, call.debug)
        if converted is None:
            return None
        lines, value = converted
        return [*lines, f"  {call.result} = bitcast {call.type} {value} to {call.type}{call.debug}"]

    def _converted(
        self, kind: str, value: str, wanted: str, debug: str
    ) -> tuple[list[str], str] | None:
        """Lines and a value of the wanted type: narrower integers, integers for pointers."""
        if kind == wanted:
            return [], value
        if "ptr" in (kind, wanted):
            return self._converted_pointer(kind, value, wanted, debug)
        old, new = _INTEGER.match(kind), _INTEGER.match(wanted)
        if old is None or new is None:
            return None
        if int(old[1]) < int(new[1]):
            return None
        narrowed = self._inputs.name()
        return [f"  {narrowed} = trunc {kind} {value} to {wanted}{debug}"], narrowed

    def _converted_pointer(
        self, kind: str, value: str, wanted: str, debug: str
    ) -> tuple[list[str], str] | None:
        other = kind if wanted == "ptr" else wanted
        width = _INTEGER.match(other)
        if width is None or (wanted == "ptr" and other != self._inputs.word):
            return None
        result = self._inputs.name()
        cast = "inttoptr" if wanted == "ptr" else "ptrtoint"
        return [f"  {result} = {cast} {kind} {value} to {wanted}{debug}"], result

    # --------------------------------------------------------------------------------- assembly

    def _assembly(self, line: str) -> list[str]:
        """What the assembly does, where that is known; everything else is refused."""
        lines = understood(line, self._inputs)
        if lines is None:
            raise self._refusal("inline assembly is not supported", _debug_of(line))
        return lines

    def _refusal(self, message: str, debug: str) -> UnsupportedError:
        return self._debug.refusal(message, debug)


def _debug_of(line: str) -> str:
    found = DEBUG.search(line)
    return found[0] if found else ""


def _is_pointer(text: str) -> bool:
    """An argument or parameter is a pointer to an object that is not the result's."""
    return argument(text)[0] == "ptr" and " sret(" not in text
