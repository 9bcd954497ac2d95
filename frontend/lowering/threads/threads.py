"""A program with threads to one without: all interleavings of their steps, as one function.

Functions that touch what threads share are inlined.  Each thread has a copy of its function
(`instances`); a copy is cut into steps (`cutting`), for which `accesses` tells what others may
reach; `product` puts the steps of all threads into one function, the entry of the program.  Values
that live longer than a step are in memory for that, and come back to registers as all others do.

The meaning is that of sequentially consistent memory, in which an access of a scalar is one step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText, split_module
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering import llvm
from seahorn_py.frontend.lowering.entry import ENTRY
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.library.endings import AT_EXIT
from seahorn_py.frontend.lowering.threads.accesses import (
    MAKE,
    Access,
    Touched,
    conflict,
    globals_escaping,
)
from seahorn_py.frontend.lowering.threads.constant_parts import with_constant_parts
from seahorn_py.frontend.lowering.threads.copies import Making, Threads, not_inlined, with_own
from seahorn_py.frontend.lowering.threads.cutting import TOUCH, Cutting, Touch
from seahorn_py.frontend.lowering.threads.parallel import beside_each_other
from seahorn_py.frontend.lowering.threads.pointed import with_choices
from seahorn_py.frontend.lowering.threads.product import Product
from seahorn_py.frontend.lowering.threads.races import Races
from seahorn_py.frontend.lowering.threads.reduction import Key, Reduction, Step, steps_in
from seahorn_py.frontend.lowering.threads.scheduler import Scheduler
from seahorn_py.frontend.lowering.threads.steps import MARK, Parts, one_asked, steps_of
from seahorn_py.frontend.lowering.threads.weak_orders import Atomic, without_meaning
from seahorn_py.frontend.lowering.threads.written_out import with_wishes
from seahorn_py.ir.program import LARGE, NO_REUSE, SEQUENTIAL
from seahorn_py.options import FrontendOptions, Property

_THREADS, _IN_LOOP = 9, 3
_DEFINED = re.compile(rf"^define [^@\n]*@({NAME})\(", re.MULTILINE)
_ERRNO = re.compile(
    rf"^define [^\n]*@__errno_location\(.*?\n  ret ptr @({NAME})", re.MULTILINE | re.DOTALL
)
_LOCAL = re.compile(r"(?:\w+ )*?thread_local\b")
_SLOT = re.compile(rf"  (%{NAME}) = alloca ")
_PLAIN_LOAD = re.compile(rf"  (%{NAME}) = load (?!atomic |volatile ).*?, ptr (%{NAME}|.)")
_GIVES_UP = re.compile(
    r" call .*@(?:(?:pthread|mtx|cnd|sem)_\w*(?:try|timed|clock)\w*|sem_getvalue)\("
)
"""Calls after which no rule says that memory is in order, where they fail."""

_MOVE = re.compile(r"  call void @llvm\.mem(?:cpy|move|set)\.")


def sequential(
    text: str, globals_: Mapping[str, str], inputs: Inputs, options: FrontendOptions
) -> tuple[str, str]:
    """The text of a module with one thread; UnsupportedError for what is not followed.

    The second text has the threads beside each other, for a native run; it is "" where there is
    one thread, and where a check is of the product alone.  `text` has the primitives of threads in
    its functions; what touches shared memory is marked to be inlined.  `globals_` are those of the
    program, before anything was rewritten.
    """
    _refuse_properties(options)
    races = options.wants(Property.NO_DATA_RACE)
    threads, copies = _copied(text, _of_threads(text, globals_), inputs, options)
    names = frozenset(instance.name for instance in threads.instances)
    cut = _cut(copies, threads, options)
    in_memory = split_module(llvm.to_memory(_printed(cut.module, names), options.bits))
    steps = [steps_of(in_memory.functions[each.name]) for each in threads.instances]
    meeting = Races(cut.touches, cut.escaped, inputs)
    debug = DebugText(in_memory.metadata)
    parts = Parts(steps, threads.places, inputs, cut.reduction, meeting, debug, options)
    parts.note_makers()
    body, main_may_end_first = _interleaved(parts)
    entry = replace(in_memory.functions[ENTRY], lines=body)
    others = {n: f for n, f in in_memory.functions.items() if n not in names}
    whole = replace(in_memory, functions={**others, ENTRY: entry})
    declared = [*inputs.declarations(), f"declare void @{MARK}(i32)"]
    product_text = _printed(whole, frozenset({ENTRY}), declared)
    if len(names) == 1:
        return product_text, ""
    _note_memory(text, cut, races, inputs)
    if main_may_end_first and (f"@{AT_EXIT}(" in text or _asks_at_end(options)):
        inputs.gap("what runs when the last thread ends, after main, is not followed")
    if races and (cut.frees or NO_REUSE in inputs.assumptions):
        inputs.gap("a block may be freed while another thread accesses it")
    if races or options.wants(Property.NO_DEADLOCK):
        return product_text, ""
    threaded = beside_each_other(cut.module, threads)
    return product_text, _printed(threaded, frozenset({ENTRY}), inputs.declarations())


def _note_memory(text: str, cut: _Cut, races: bool, inputs: Inputs) -> None:
    """Record what is taken for granted of memory, and where that may not be."""
    inputs.assume(SEQUENTIAL)
    if _GIVES_UP.search(text):
        inputs.assume("locks that are not taken order memory as those that are, and so do waits")
    if primitives.has_sections(text):
        inputs.assume("all threads see atomic sections and atomic accesses in one order")
    if cut.large and not races:
        inputs.gap(f"{LARGE}, {cut.large[0]}")
    if place := without_meaning(cut.atomics):
        inputs.gap(f"an atomic access is weaker than memory_order_seq_cst, {place}")


def _interleaved(parts: Parts) -> tuple[tuple[str, ...], bool]:
    """The lines of all orders of steps, and whether `main` may end before other threads.

    The states of threads are control, unless they are too many.
    """
    inputs = parts.inputs
    sites, checks = len(inputs.sites), len(inputs.checks)
    product = Product(parts)
    lines = product.body()
    if lines is not None:
        return lines, product.main_may_end_first
    del inputs.sites[sites:], inputs.checks[checks:], inputs.steps[:]
    loop = Scheduler(parts)
    return loop.body(), loop.main_may_end_first


def _asks_at_end(options: FrontendOptions) -> bool:
    """Whether a property is about the end of a run."""
    return any(map(options.wants, (Property.VALID_MEMCLEANUP, Property.VALID_MEMTRACK)))


def _copied(
    text: str, own: frozenset[str], inputs: Inputs, options: FrontendOptions
) -> tuple[Threads, ModuleText]:
    """The threads of a module, and the module with a copy of its function for each of them."""
    bits = options.bits
    races = options.wants(Property.NO_DATA_RACE)
    text = _with_atomic_functions(text)
    prepared = split_module(llvm.prepare(_with_all_loads(text) if races else text, bits))
    inlined = _unrolled(_with_direct_calls(prepared, inputs, options), bits)
    if inlined.aliases:
        name = next(iter(inlined.aliases))
        raise UnsupportedError(f"{name}: other names of objects are not followed in threads")
    threads = Making(inlined, ENTRY, own, _THREADS, _IN_LOOP).threads()
    names = frozenset(instance.name for instance in threads.instances)
    made = llvm.prepare(_printed(_with_makers(threads), names), bits)
    whole = _shortened(with_own(split_module(made), threads, own), names, options)
    return threads, _with_plain_accesses(whole) if races else whole


def _with_direct_calls(module: ModuleText, inputs: Inputs, options: FrontendOptions) -> ModuleText:
    """The module with what is called through pointers inlined."""
    direct = with_choices(module, inputs, one_asked(options))
    if direct is None:
        return module
    whole = _printed(direct, frozenset({ENTRY}), inputs.declarations())
    return split_module(llvm.prepare(whole, options.bits))


def _shortened(module: ModuleText, names: frozenset[str], options: FrontendOptions) -> ModuleText:
    """The module without what constants decide; marks of `_with_all_loads` stay."""
    shorter = with_constant_parts(module, options.wants(Property.NO_DATA_RACE))
    if shorter is None:
        return module
    return split_module(llvm.prepare(_printed(shorter, names), options.bits))


def _unrolled(module: ModuleText, bits: int) -> ModuleText:
    """The module in which loops that make threads are copies of their bodies, where LLVM can."""
    marked = with_wishes(module)
    if marked is None:
        return module
    return split_module(llvm.prepare(llvm.unroll(_printed(marked, frozenset({ENTRY})), bits), bits))


def _refuse_properties(options: FrontendOptions) -> None:
    """UnsupportedError for questions that are not about the steps of threads alone."""
    if options.wants(Property.TERMINATION) or options.formula:
        raise UnsupportedError("the termination of programs with threads is not supported")
    if options.rules:
        raise UnsupportedError("rules of use for programs with threads are not supported")


def _of_threads(text: str, globals_: Mapping[str, str]) -> frozenset[str]:
    """The globals of which each thread has its own, as the program says: `errno` too."""
    found = _ERRNO.search(text)
    own = {name for name, body in globals_.items() if _LOCAL.match(body)}
    return frozenset(own | ({found[1]} if found else set()))


def _with_atomic_functions(text: str) -> str:
    """The text of a module in which functions whose names say so are atomic sections."""
    if not any(map(primitives.is_atomic, _DEFINED.findall(text))):
        return text
    lines: list[str] = []
    is_atomic = begins = False
    for line in text.split("\n"):
        if (found := _DEFINED.match(line)) is not None:
            is_atomic = begins = primitives.is_atomic(found[1])
        elif is_atomic and begins and line.startswith("  "):
            lines.append(f"  call void @{primitives.BEGIN}()")
            begins = False
        elif is_atomic and line.startswith("  ret "):
            lines.append(f"  call void @{primitives.END}()")
        lines.append(line)
    for name in (primitives.BEGIN, primitives.END):
        if f"declare void @{name}()" not in text:
            lines.append(f"declare void @{name}()")
    return "\n".join(lines)


def _with_all_loads(text: str) -> str:
    """The text of a module whose loads stay though nothing uses their values: they may race."""
    lines: list[str] = []
    slots: set[str] = set()
    for line in text.split("\n"):
        if line.startswith("define "):
            slots = set()
        elif (found := _SLOT.match(line)) is not None:
            slots.add(found[1])
        elif (found := _PLAIN_LOAD.match(line)) is not None and found[2] not in slots:
            line = line.replace(" = load ", " = load volatile ", 1)
        elif _MOVE.match(line):
            line = line.replace(", i1 false)", ", i1 true)", 1)
        lines.append(line)
    return "\n".join(lines)


def _with_plain_accesses(module: ModuleText) -> ModuleText:
    """The module without the marks of `_with_all_loads`."""

    def plain(line: str) -> str:
        if _MOVE.match(line):
            return line.replace(", i1 true)", ", i1 false)", 1)
        return line.replace(" = load volatile ", " = load ", 1)

    bodies = module.functions.items()
    functions = {n: replace(f, lines=tuple(map(plain, f.lines))) for n, f in bodies}
    return replace(module, functions=functions)


def _with_makers(threads: Threads) -> ModuleText:
    """The module with declarations of what makes threads."""
    module = threads.module
    declarations = dict(module.declarations)
    used = {
        found[0]
        for function in module.functions.values()
        for line in function.lines
        for found in re.finditer(rf"(void|i32) @({re.escape(MAKE)}\d+)\(", line)
    }
    for call in used:
        kind, _, name = call[:-1].partition(" @")
        declarations[name] = FunctionText(name, kind, ("ptr",), " nounwind", "")
    return replace(module, declarations=declarations)


@dataclass(frozen=True)
class _Cut:
    """The module in which the functions of threads are cut, and what chooses among their steps."""

    module: ModuleText
    reduction: Reduction
    touches: dict[str, Touch]
    atomics: tuple[Atomic, ...]
    large: tuple[str, ...]
    escaped: frozenset[str]
    frees: bool


def _cut(module: ModuleText, threads: Threads, options: FrontendOptions) -> _Cut:
    """The functions of threads cut into steps."""
    bodies = [module.functions[instance.name] for instance in threads.instances]
    touched, escaped = _touched(module, bodies)
    accesses = [
        frozenset(a for line in body.lines for a in each.accesses(line))
        for body, each in zip(bodies, touched, strict=True)
    ]
    functions = dict(module.functions)
    debug = DebugText(module.metadata)
    steps: dict[Key, Step] = {}
    cuttings: list[Cutting] = []
    for number, body in enumerate(bodies):
        others = frozenset(a for k, found in enumerate(accesses) if k != number for a in found)

        def is_shared(access: Access, others: frozenset[Access] = others) -> bool:
            return any(conflict(access, other, escaped) for other in others)

        cuttings.append(Cutting(body, touched[number], is_shared, number, debug, options))
        functions[body.name] = cut = cuttings[-1].cut()
        steps |= steps_in(cut, number, touched[number], threads.places)
    first = {n: next(label for k, label in steps if k == n) for n in range(len(bodies))}
    whole = replace(module, functions=functions)
    frees = any(a.type == "block" for found in accesses for a in found)
    return _noted(whole, Reduction(steps, first, escaped), cuttings, escaped, frees)


def _noted(
    module: ModuleText,
    chooser: Reduction,
    cuttings: Sequence[Cutting],
    escaped: frozenset[str],
    frees: bool,
) -> _Cut:
    """What was noted while the functions were cut; marks of accesses are functions."""
    touches = {
        f"{TOUCH}{number}.{k}": touch
        for number, cutting in enumerate(cuttings)
        for k, touch in enumerate(cutting.touches)
    }
    atomics = tuple(each for cutting in cuttings for each in cutting.atomics)
    large = tuple(place for cutting in cuttings for place in cutting.large)
    declared = {name: FunctionText(name, "void", ("ptr",), " nounwind", "") for name in touches}
    whole = replace(module, declarations={**module.declarations, **declared})
    return _Cut(whole, chooser, touches, atomics, large, escaped, frees)


def _touched(
    module: ModuleText, bodies: Sequence[FunctionText]
) -> tuple[list[Touched], frozenset[str]]:
    """What the functions of threads touch, and whose addresses any function hands on."""
    names = frozenset(body.name for body in bodies)
    rest = {name: body for name, body in module.functions.items() if name not in names}
    called = not_inlined(rest)
    touched = [Touched(body.lines, called) for body in bodies]
    everywhere = [*touched, *(Touched(body.lines, called) for body in rest.values())]
    return touched, globals_escaping(module.globals).union(*(t.escaped for t in everywhere))


def _printed(module: ModuleText, roots: frozenset[str], declared: Sequence[str] = ()) -> str:
    """The text of a module, in which the roots are functions that others may call."""
    lines = [*module.target]
    lines += (f"%{name} = type {body}" for name, body in module.types.items())
    lines += (f"@{name} = {body}" for name, body in module.globals.items())
    lines += (f"@{name} = {body}" for name, body in module.aliases.items())
    for function in module.functions.values():
        linkage = "" if function.name in roots else "internal "
        header = (
            f"define {linkage}{function.prefix} @{function.name}({', '.join(function.parameters)})"
        )
        lines += (f"{header}{function.group}{function.debug} {{", *function.lines, "}")
    lines += _declarations(module, declared)
    lines += module.groups
    lines += module.named_metadata
    lines += (f"!{number} = {body}" for number, body in module.metadata.items())
    return "\n".join(lines) + "\n"


def _declarations(module: ModuleText, declared: Sequence[str]) -> Iterator[str]:
    yield from declared
    for name, function in module.declarations.items():
        if not any(f"@{name}(" in line for line in declared):
            parameters = ", ".join(function.parameters)
            yield f"declare {function.prefix} @{name}({parameters}){function.group}"
