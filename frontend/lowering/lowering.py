"""The lowering of LLVM text, as it runs in a child: text rewrites, inlining, numbering, passes.

The order is fixed: link, at last the models of the C library; lay out variable arguments; make
extern globals, constructors and `main` one entry `sea.main`; give uninitialised objects a value;
turn events into sea functions; mark what is inlined; inline; number sites and checks; then, on a
copy, simplify.  Only functions that the entry can reach are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.compiling.sanitizers import Traps
from seahorn_py.frontend.compiling.support import OUR_FOLDERS
from seahorn_py.frontend.library.contracts import Source, contracts
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import read_call, references
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.llvmtext.module import (
    FunctionText,
    ModuleText,
    extern_globals,
    split_module,
)
from seahorn_py.frontend.lowering import llvm
from seahorn_py.frontend.lowering.checks.inserted import InsertedChecks
from seahorn_py.frontend.lowering.checks.pointercalls import taken, through_register, with_called
from seahorn_py.frontend.lowering.checks.sequence import Sequencing
from seahorn_py.frontend.lowering.checks.uninit import initialise, unset_slots
from seahorn_py.frontend.lowering.devices import with_devices
from seahorn_py.frontend.lowering.entry import (
    ENTRY,
    constructors,
    entry_body,
    with_destructors,
)
from seahorn_py.frontend.lowering.events.events import Meaning
from seahorn_py.frontend.lowering.events.instrument import Instrumenter
from seahorn_py.frontend.lowering.events.primitives import is_interleaved, is_left, is_threaded
from seahorn_py.frontend.lowering.events.vocabulary import recognised
from seahorn_py.frontend.lowering.inlining import Body, to_inline
from seahorn_py.frontend.lowering.jumps.jumps import without_jumps
from seahorn_py.frontend.lowering.labels import without_label_values
from seahorn_py.frontend.lowering.library import models
from seahorn_py.frontend.lowering.library.allocation import check_allocation
from seahorn_py.frontend.lowering.library.claims import is_asked
from seahorn_py.frontend.lowering.library.endings import CONSTRUCTORS, DESTRUCTORS
from seahorn_py.frontend.lowering.library.results import Results
from seahorn_py.frontend.lowering.lives import with_lives
from seahorn_py.frontend.lowering.numbering import numbered
from seahorn_py.frontend.lowering.orders import in_all_orders
from seahorn_py.frontend.lowering.outside import with_bodies
from seahorn_py.frontend.lowering.pairs import without_pairs
from seahorn_py.frontend.lowering.vectors.vectors import with_array_types, without_vectors
from seahorn_py.frontend.rules.automaton import RULES
from seahorn_py.frontend.rules.known import tell_objects_apart
from seahorn_py.options import MEMORY_SAFETY, FrontendOptions, Libc, Order, Property

if TYPE_CHECKING:
    from seahorn_py.frontend.lowering.checks.unmodelled import Unmodelled

_OF_MEMORY = (*MEMORY_SAFETY, Property.VALID_MEMCLEANUP, Property.NULL_DEREF)
_GROUP = pattern(r"attributes (#\d+) = \{ (.*) \}$")
_KEPT_ATTRIBUTE = pattern(r'\bnull_pointer_is_valid\b|"target-(?:cpu|features)"="[^"]*"')
_SPECIAL = frozenset({CONSTRUCTORS, DESTRUCTORS, "llvm.used", "llvm.compiler.used"})
_DEFINED_GLOBAL = pattern(r"(?:[\w()]+ )*?(global|constant) (.*)")
_OF_LINKER = pattern(r"__(?:start|stop)_\w+|_?e(?:text|data)|_end|__(?:bss|data)_start")
"""Where a section begins or ends: such a symbol lies where objects of the program lie."""

_MEANT = {"sea.checked.realloc": "reallocarray"}
"""Models of ours, each with the function of the library whose choices are made in it."""

_OF_RULE = pattern(rf"^define [^@\n]*@{re.escape(RULES)}", re.MULTILINE)
_MARK = pattern(r"^  call void @sea\.mark\(i32 \d+\)[^\n]*\n", re.M)
_COMDAT = pattern(r", comdat(?:\(\$[^)]*\))?")


def lower_modules(
    texts: Sequence[str], library: models.Library, options: FrontendOptions
) -> Lowered:
    """Lower modules to one program, with what they need of those of the C library.

    LlvmError where LLVM rejects what we wrote.
    """
    module, exact = _linked(texts, library, options)
    inputs = Inputs(module)
    if exact and options.libc is Libc.REAL:
        inputs.assume(f"{', '.join(exact)}: as the sources of the compiler's library say")
    module = with_devices(module, inputs, options)
    module = with_destructors(without_vectors(module, inputs, options), inputs)
    module = without_jumps(_without_varargs(module, inputs), inputs, options)
    module = with_bodies(without_label_values(module, inputs), options)
    instrumented, threaded = _sequential(module, inputs, options)
    native, sites, checks, threaded_checks = numbered(
        llvm.inline(instrumented, options.bits), inputs
    )
    optimized = with_lives(llvm.simplify(_MARK.sub("", native), options.bits))
    return Lowered(
        with_called(native),
        optimized,
        sites,
        checks,
        tuple(inputs.assumptions),
        is_asked(inputs.checks) or Meaning(module, options).mentions_errors(),
        tuple(inputs.gaps),
        frozenset(check.property for check in inputs.checks),
        tuple(inputs.recognised),
        exact if options.libc is Libc.AUTO else (),
        with_called(llvm.inline(threaded, options.bits)) if threaded else "",
        threaded_checks if threaded else (),
        tuple(inputs.steps),
        inputs.makes,
    )


def _sequential(module: ModuleText, inputs: Inputs, options: FrontendOptions) -> tuple[str, str]:
    """The instrumented text of a program with one thread; the other text is "" for most."""
    instrumented = _Rewriting(module, inputs, options).text()
    if not is_threaded(module):
        return instrumented, ""
    from seahorn_py.frontend.lowering.threads.alone import alone
    from seahorn_py.frontend.lowering.threads.threads import sequential

    if not is_interleaved(module, options):
        return alone(instrumented), ""
    product, threaded = sequential(instrumented, module.globals, inputs, options)
    if is_left(llvm.inline(product, options.bits)):
        raise UnsupportedError("what threads do is not followed through calls by pointers")
    return product, threaded


def _linked(
    texts: Sequence[str], library: models.Library, options: FrontendOptions
) -> tuple[ModuleText, tuple[str, ...]]:
    """One module of the program and what it needs of the library, and the exact part of that."""
    try:
        program = llvm.link([without_pairs(_own_places(text)) for text in texts])
    except llvm.LlvmError as error:
        raise InputError(f"linking: {error}") from None
    own = split_module(program)
    check_allocation(own)
    parts = models.with_models(program, library, options)
    module = own if parts == [program] else split_module(llvm.link(parts))
    if module.assembly:
        raise UnsupportedError("assembly outside functions is not supported")
    taken_over = () if module is own else models.exact(module, library)
    exact = tuple(name for name in taken_over if name not in own.functions)
    return with_array_types(module), exact


def _without_varargs(module: ModuleText, inputs: Inputs) -> ModuleText:
    """The module with variable arguments laid out in memory, where it has any."""
    known = {**module.declarations, **module.functions}
    variadic = {name: f for name, f in known.items() if f.variadic}
    reached = taken(module, variadic) if variadic else {}
    is_read = any(name.startswith("llvm.va_") for name in module.declarations)
    if not reached and not is_read and variadic.keys().isdisjoint(module.functions):
        return module
    from seahorn_py.frontend.lowering.varargs import laid_out

    return laid_out(module, variadic, reached, inputs, DebugText(module.metadata))


def _own_places(text: str) -> str:
    """A module of the program, none of whose files is called as those of models and rules are."""
    if _OF_RULE.search(text):
        return text  # which no module of a program defines
    for folder in OUR_FOLDERS:
        text = text.replace(f'filename: "{folder}', f'filename: "./{folder}')
    return text


class _Rewriting:
    """One module on its way to the instrumented text; functions are rewritten when reached."""

    def __init__(self, module: ModuleText, inputs: Inputs, options: FrontendOptions) -> None:
        self._module = module
        self._inputs = inputs
        self._options = options
        self._debug = DebugText(module.metadata)
        self._traps = Traps(inputs, self._debug, options)
        self._inserted = InsertedChecks(module, inputs, self._debug, options)
        self._instrumenter = Instrumenter(module, inputs, self._debug, options)
        self._results = Results(module, self._debug, self._is_model)
        self._sequencing = Sequencing(module, self._debug)
        self._functions: dict[str, FunctionText] = {}
        self._globals: dict[str, str] = {}

    def text(self) -> str:
        """The instrumented module."""
        externals, most = extern_globals(self._module), self._options.line_length
        self._rewrite_reached(["main", *constructors(self._module)])
        body = entry_body(self._module, self._inputs, self._debug, externals, self._globals, most)
        body[-1:-1] = self._inserted.at_end(self._functions)
        entry = FunctionText(ENTRY, "void", (), " nounwind null_pointer_is_valid", "", tuple(body))
        self._functions[ENTRY] = entry
        self._rewrite_reached(_referenced(body))
        if self._sequencing.assumption:
            self._inputs.assume(self._sequencing.assumption)
        inlined = to_inline(self._bodies(), ENTRY, self._options.inlining) - self._inserted.kept
        if is_interleaved(self._module, self._options):
            from seahorn_py.frontend.lowering.threads import copies

            shared = copies.inlined(self._functions.values(), self._module) - {ENTRY}
            if not shared.isdisjoint(self._inserted.kept):
                self._inputs.gap("locals are not followed to the end of functions in threads")
            inlined |= shared
        lines = [*self._module.target, *self._types(), *self._global_lines(externals)]
        lines += self._inputs.objects
        for function in self._functions.values():
            lines.extend(_definition(function, function.name in inlined))
        lines.extend(self._declarations())
        lines.extend(self._inputs.declarations())
        lines.extend(_safe_group(line) for line in self._module.groups)
        lines.extend(self._module.named_metadata)
        lines.extend(f"!{number} = {body}" for number, body in self._module.metadata.items())
        return "\n".join(lines) + "\n"

    def _rewrite_reached(self, roots: Iterable[str]) -> None:
        """Rewrite all functions, and keep all globals, that the roots lead to."""
        waiting = list(roots)
        while waiting:
            name = waiting.pop()
            lines: Iterable[str] = ()
            if name in self._module.globals or name in self._module.aliases:
                if name not in self._globals:
                    body = self._module.globals.get(name) or self._module.aliases[name]
                    self._globals[name] = body
                    lines = [body]
            elif name not in self._functions:
                lines = self._rewrite(name)
            waiting.extend(_referenced(lines))

    def _rewrite(self, name: str) -> tuple[str, ...]:
        function = self._module.signature(name)
        if function is None or name.startswith("llvm."):
            return ()
        if name in self._module.weak:
            raise UnsupportedError(f"{name}() may be missing: weak symbols are not supported")
        if name in self._module.handlers:
            raise UnsupportedError(f"{name}: exceptions are not supported")
        if name in self._module.refused:
            raise UnsupportedError(self._module.refused[name])
        self._choose(name, function)
        if any(map(self._options.wants, _OF_MEMORY)):
            self._look_for_unmodelled(function)
        if name in self._module.functions and not self._is_model(function):
            function = self._ordered(function)
        if self._instrumenter.has_event_body(function):
            body = self._instrumenter.event_body(function)
            function = replace(function, parameters=function.parameter_types)
        elif name in self._module.functions:
            body = self._instrumenter.body(self._checked(function))
        else:
            return ()
        self._functions[name] = replace(function, lines=tuple(body))
        return self._functions[name].lines

    def _ordered(self, function: FunctionText) -> FunctionText:
        """The function, in all orders of evaluation if they are asked for."""
        if self._options.order is Order.CLANG:
            self._sequencing.read(function)
            return function
        lines = in_all_orders(function, self._sequencing, self._inputs, self._debug)
        return replace(function, lines=lines)

    @cached_property
    def _unmodelled(self) -> Unmodelled:
        from seahorn_py.frontend.lowering.checks.unmodelled import Unmodelled

        return Unmodelled(self._module, self._inputs, self._debug, self._options)

    def _look_for_unmodelled(self, function: FunctionText) -> None:
        if function.name in self._module.functions:
            self._unmodelled.read(function)
        else:
            self._unmodelled.refer(function.name)

    def _choose(self, name: str, function: FunctionText) -> None:
        """Record what is chosen where the standard leaves a function of the library a choice."""
        is_own = name in self._module.functions and not self._is_model(function)
        contract = None if is_own else contracts().get(_MEANT.get(name, name))
        if contract is not None:
            self._inputs.recognise(recognised(name, contract.header))
        if contract is None or not contract.assumed:
            return
        if not (contract.source is Source.HEAP and self._options.malloc_may_fail):
            self._inputs.assume(contract.assumed)

    def _is_model(self, function: FunctionText) -> bool:
        return self._debug.file(function.debug).startswith(OUR_FOLDERS)

    def _checked(self, function: FunctionText) -> list[str]:
        """The lines of a function with its checks, and a value for every object."""
        is_model = self._is_model(function)
        lines = function.lines if is_model else self._results.told(function.lines)
        lines = lines if is_model else self._traps.rewrite(lines)
        module, inputs = self._module, self._inputs
        called: list[str] = []
        for line in lines:
            called.extend(through_register(line, module, inputs) if " call " in line else (line,))
        checked = replace(function, lines=tuple(called))
        guarded = replace(checked, lines=tuple(self._inserted.rewrite(checked)))
        if self._options.wants(Property.UNINIT):
            from seahorn_py.frontend.lowering.checks.uninit_reads import check_reads

            unset = unset_slots(guarded, self._inputs, self._debug)
            assumes = self._options.assume_initialised
            read = check_reads(guarded, unset, self._inputs, self._debug, assumes=assumes)
            guarded = replace(guarded, lines=tuple(read))
        if is_model:
            return list(guarded.lines)  # a model reads nothing that it did not write
        own_objects = tell_objects_apart(self._options.rules)
        return initialise(guarded, self._inputs, self._debug, own_objects)

    def _bodies(self) -> dict[str, Body]:
        return {name: _body(function) for name, function in self._functions.items()}

    def _types(self) -> list[str]:
        return [f"%{name} = type {body}" for name, body in self._module.types.items()]

    def _global_lines(self, externals: Mapping[str, str]) -> list[str]:
        lines: list[str] = []
        for name, body in self._globals.items():
            if name in _SPECIAL:
                continue
            if name in self._module.aliases:
                lines.append(f"@{name} = {body}")
            elif name in externals:
                if _OF_LINKER.fullmatch(name):
                    raise UnsupportedError(f"{name}: a symbol of the linker is not supported")
                if self._inputs.is_open(externals[name]):
                    raise UnsupportedError(f"{name}: an extern object of unknown size")
                initial = f"{externals[name]} zeroinitializer"
                lines.append(f"@{name} = internal global {initial}{_alignment(body)}")
            else:
                lines.append(f"@{name} = {_internal(body)}")
        return lines

    def _declarations(self) -> list[str]:
        """What is still called or referred to without a definition."""
        referred = {
            name for f in self._functions.values() for line in f.lines for name in references(line)
        }
        referred |= {name for body in self._globals.values() for name in references(body)}
        lines: list[str] = []
        for name, function in self._module.declarations.items():
            if name in referred and name not in self._functions:
                parameters = ", ".join(function.parameters)
                lines.append(f"declare {function.prefix} @{name}({parameters}){function.group}")
        return lines


def _body(function: FunctionText) -> Body:
    callees = [
        call.callee
        for line in function.lines
        if " call " in line and (call := read_call(line)) is not None
    ]
    return Body(len(function.lines), tuple(callees))


def _referenced(lines: Iterable[str]) -> list[str]:
    return [name for line in lines for name in references(line)]


def _definition(function: FunctionText, inlined: bool) -> list[str]:
    linkage = "" if function.name == ENTRY else "internal "
    mark = " alwaysinline" if inlined else ""
    parameters = ", ".join(function.parameters)
    header = f"define {linkage}{function.prefix} @{function.name}({parameters})"
    return [f"{header}{mark}{function.group}{function.debug} {{", *function.lines, "}"]


def _safe_group(line: str) -> str:
    """An attribute group without what passes could exploit or what forbids inlining."""
    found = _GROUP.match(line)
    if found is None:
        return line
    kept = " ".join(["nounwind", *_KEPT_ATTRIBUTE.findall(found[2])])
    return f"attributes {found[1]} = {{ {kept} }}"


def _internal(body: str) -> str:
    found = _DEFINED_GLOBAL.match(body)
    if found is None or "external" in body.split(" ")[:3] or "extern_weak" in body.split(" ")[:3]:
        return body
    return f"internal {found[1]} {_COMDAT.sub('', found[2])}"


def _alignment(body: str) -> str:
    found = re.search(r", align \d+", body)
    return found[0] if found else ""
