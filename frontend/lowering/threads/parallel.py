"""The threads of a program as functions that run beside each other, for native replays.

The run time (`frontend/runtime/baton.c`) gives each thread a stack.  Where a cut begins a step, the
thread asks for its turn.  The product has no part in this text: it only says which thread makes the
next step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.frontend.llvmtext.lines import argument, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.threads.accesses import MAKE
from seahorn_py.frontend.lowering.threads.copies import GIVEN, Instance, Place, Threads
from seahorn_py.frontend.lowering.threads.cutting import CUT

_TURN = "  call void @sea.turn()"
_OVER = ("  call void @sea.over()", "  unreachable")
_ANY_SITE = re.compile(r"(@sea\.(?:input\.\w+|havoc)\((?:.*, )?i32 )\d+\)")
_DECLARED = {
    "sea.turn": ("void", ()),
    "sea.over": ("void", ()),
    "sea.ended": ("i32", ("i32",)),
    "sea.begin_thread": ("void", ("i32", "ptr")),
    "sea.assume": ("void", ("i1",)),
}


def beside_each_other(cut: ModuleText, threads: Threads) -> ModuleText:
    """The module in which threads take turns; `cut` has the functions of threads as cut."""
    functions = dict(cut.functions)
    made = {f"sea.made.{place}": "internal global i32 0, align 4" for place in threads.places}
    for instance in threads.instances:
        functions[instance.name] = _taking_turns(functions[instance.name], instance)
    for number, place in threads.places.items():
        function = _maker(number, place, threads, cut)
        if function is not None:
            functions[function.name] = function
    declarations = {n: f for n, f in cut.declarations.items() if n not in functions}
    for name, (kind, parameters) in _DECLARED.items():
        declarations[name] = FunctionText(name, kind, parameters, " nounwind", "")
    globals_ = {**cut.globals, **made}
    return replace(cut, functions=functions, declarations=declarations, globals=globals_)


def _taking_turns(function: FunctionText, instance: Instance) -> FunctionText:
    lines = list(_lines(function, instance.number))
    if instance.number == 0:
        first = 0 if lines[0].startswith(" ") else 1
        lines.insert(first, _TURN)
    return replace(function, lines=tuple(lines))


def _lines(function: FunctionText, number: int) -> Iterator[str]:
    for line in function.lines:
        if line.startswith(CUT):
            yield from (line, _TURN)
        elif number and line.startswith("  ret "):
            yield from _OVER
        elif " call " in line and "@__" in line:
            yield from _meaning(line)
        else:
            yield _ANY_SITE.sub(r"\g<1>0)", line)


def _meaning(line: str) -> Iterator[str]:
    """What a primitive means among threads; another line as it is."""
    call = read_call(line)
    if call is None or call.callee not in primitives.PRIMITIVES:
        yield line
    elif call.callee == primitives.WAIT:
        yield f"  call void @sea.assume(i1 {argument(call.arguments[0])[1]})"
    elif call.callee == primitives.ENDED:
        word = f"%sea.word.{str(call.result).strip('%')}"
        yield f"  {word} = call i32 @sea.ended({call.arguments[0]})"
        yield f"  {call.result} = trunc i32 {word} to i1"
    elif call.callee == primitives.EXIT:
        yield _OVER[0]


def _maker(number: int, place: Place, threads: Threads, module: ModuleText) -> FunctionText | None:
    """The function that makes the threads of a place, one at each call."""
    name = f"{MAKE}{number}"
    declared = module.declarations.get(name)
    if declared is None:
        return None
    names = {instance.number: instance.name for instance in threads.instances}
    lines = ["entry:", f"  %k = load i32, ptr @sea.made.{number}, align 4"]
    lines += ("  %next = add i32 %k, 1", f"  store i32 %next, ptr @sea.made.{number}, align 4")
    cases = " ".join(f"i32 {k}, label %make.{k}" for k in range(len(place.threads)))
    lines += (f"  switch i32 %k, label %none [ {cases} ]", "none:")
    lines += ("  call void @sea.assume(i1 false)", "  unreachable")
    for k, thread in enumerate(place.threads):
        lines.append(f"make.{k}:")
        if f"{GIVEN}{thread}" in module.globals:
            lines.append(f"  store ptr %given, ptr @{GIVEN}{thread}, align 8")
        lines.append(f"  call void @sea.begin_thread(i32 {thread}, ptr @{names[thread]})")
        lines.append(f"  ret {f'i32 {thread}' if declared.result == 'i32' else 'void'}")
    return FunctionText(name, declared.result, ("ptr %given",), " nounwind", "", tuple(lines))
