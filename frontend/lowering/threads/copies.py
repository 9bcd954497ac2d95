"""The threads of a program: a copy of its function for each place that makes a thread.

A place in a loop makes several threads; they get a number of copies, and where a run needs one more
nothing is known.  Threads that make threads by their own function end in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.blocks import split_blocks
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call, references
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.events import primitives
from seahorn_py.frontend.lowering.threads.accesses import MAKE, Called
from seahorn_py.ir.graph import strong_components

_BODY = "sea.product.body."
GIVEN = "sea.product.given."
"""Begins the name of the variable with the argument of a thread."""

_FUNCTION = re.compile(rf"@({NAME})$")
_CONSTANT = re.compile(r"null$|@")
_QUIET_CALL = re.compile(r"@(?:sea\.(?:input|check)\b|llvm\.|__sea_thread_self\()")
_RETURN = re.compile(r"  ret (ptr|i32) (.+?)((?:, !dbg !\d+)?)$")


@dataclass(frozen=True, slots=True)
class Instance:
    """A thread: its number (0 is that of `main`), and the function with its copy."""

    number: int
    function: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where threads are made: the numbers of the threads that it makes, one after the other."""

    threads: tuple[int, ...]


@dataclass(frozen=True)
class Threads:
    """The module with a function for each thread, the threads, and the places by their numbers."""

    module: ModuleText
    instances: tuple[Instance, ...]
    places: dict[int, Place]


class Making:
    """Makes the copies of one module; `most` copies in all, `in_loop` for a place in a loop.

    Each thread has its own copy of the globals `own`.
    """

    def __init__(
        self, module: ModuleText, entry: str, own: frozenset[str], most: int, in_loop: int
    ) -> None:
        self._own = own
        self._module = module
        self._debug = DebugText(module.metadata)
        self._entry = entry
        self._most, self._in_loop = most, in_loop
        self._instances = [Instance(0, entry, entry)]
        self._places: dict[int, Place] = {}
        self._functions = dict(module.functions)
        self._globals = dict(module.globals)
        self._given: dict[int, str] = {}
        self._ends: dict[int, str] = {}

    def threads(self) -> Threads:
        """All threads, found from the entry on."""
        at = 0
        while at < len(self._instances):
            self._copy(self._instances[at])
            at += 1
        module = replace(self._module, functions=self._functions, globals=self._globals)
        return Threads(module, tuple(self._instances), self._places)

    def _copy(self, instance: Instance) -> None:
        original = self._module.functions[instance.function]
        lines = list(self._lines(original, instance))
        if instance.number:
            ended = [self._at_end(line, instance.number, k) for k, line in enumerate(lines)]
            lines = [line for end in ended for line in end]
            at = int(not lines[0].startswith(" "))
            lines[at:at] = self._argument(original, instance)
        copy = replace(original, name=instance.name, parameters=(), debug="", lines=tuple(lines))
        self._functions[instance.name] = copy

    def _argument(self, original: FunctionText, instance: Instance) -> Iterator[str]:
        """The value of the parameter: what was given where the thread was made."""
        names = [parameter.rpartition(" ")[2] for parameter in original.parameters]
        given = self._given[instance.number]
        for name in names[:1]:
            if self._is_constant(given):
                yield f"  {name} = bitcast ptr {given} to ptr"
            else:
                yield f"  {name} = load ptr, ptr @{GIVEN}{instance.number}, align 8"

    def _is_constant(self, given: str) -> bool:
        """Whether an argument means the same in each thread."""
        return _CONSTANT.match(given) is not None and given[1:] not in self._own

    def _at_end(self, line: str, number: int, k: int) -> Iterator[str]:
        """A line; before the thread ends, its result goes to the function given for that."""
        found = _RETURN.match(line)
        if found is not None and self._ends.get(number):
            kind, result, debug = found.groups()
            if kind == "i32":
                yield f"  %sea.wide.{k} = sext i32 {result} to i64{debug}"
                yield f"  %sea.result.{k} = inttoptr i64 %sea.wide.{k} to ptr{debug}"
                result = f"%sea.result.{k}"
            yield f"  call void @{self._ends[number]}(ptr {result}){debug}"
        yield line

    def _lines(self, function: FunctionText, instance: Instance) -> Iterator[str]:
        loops = _in_loops(function)
        label = ""
        for line in function.lines:
            if not line.startswith(" "):
                label = line.partition(":")[0]
            call = read_call(line) if " call " in line and "@__sea" in line else None
            if call is None:
                yield line
            elif call.callee == primitives.SELF:
                yield _number_of(instance, call)
            elif call.callee == primitives.CREATE:
                yield from self._make(line, label in loops)
            else:
                yield line

    def _make(self, line: str, in_loop: bool) -> Iterator[str]:
        """A place that makes threads: the argument, then the call."""
        call = read_call(line)
        assert call is not None
        start, given, *end = (argument(text)[1] for text in call.arguments)
        function = self._start(start, call.debug)
        numbers = tuple(self._more(function, self._in_loop if in_loop else 1, given))
        if end and self._has_effect(end[0].removeprefix("@")):
            self._ends.update((number, end[0].removeprefix("@")) for number in numbers)
        place = len(self._places)
        self._places[place] = Place(numbers)
        result = call.result or f"%sea.made.{place}"
        if not in_loop and len(numbers) == 1:
            yield f"  {result} = add i32 {numbers[0]}, 0{call.debug}"
            yield f"  call void @{MAKE}{place}(ptr {given}){call.debug}"
        else:
            yield f"  {result} = call i32 @{MAKE}{place}(ptr {given}){call.debug}"

    def _has_effect(self, name: str) -> bool:
        """Whether a function calls something, or touches a global that others touch as well."""
        lines = self._module.functions[name].lines
        if any(" call " in line and not _QUIET_CALL.search(line) for line in lines):
            return True
        own = {found for line in lines for found in references(line)}
        return not own.isdisjoint(self._touched_by_others(name))

    def _touched_by_others(self, name: str) -> set[str]:
        """What code refers to that the program may reach otherwise than by the function."""
        found: set[str] = {self._entry}
        waiting = [self._entry]
        while waiting:
            current = waiting.pop()
            function = self._module.functions.get(current)
            if current == name or function is None:
                continue
            more = {each for line in function.lines for each in references(line)} - found
            found |= more
            waiting += more
        return found

    def _more(self, function: str, count: int, given: str) -> Iterator[int]:
        for _ in range(min(count, self._most - len(self._instances))):
            number = len(self._instances)
            self._instances.append(Instance(number, function, f"{_BODY}{number}"))
            self._given[number] = given
            if not self._is_constant(given):
                self._globals[f"{GIVEN}{number}"] = "internal global ptr null, align 8"
            yield number

    def _start(self, start: str, debug: str) -> str:
        found = _FUNCTION.match(start)
        function = self._module.functions.get(found[1]) if found else None
        if function is None:
            raise self._debug.refusal("the function of the new thread is not known here", debug)
        if len(function.parameters) > 1 or function.variadic:
            raise self._debug.refusal("the function of a thread has one parameter", debug)
        if function.parameter_types not in ((), ("ptr",)):
            message = "the parameter of the function of a thread is a pointer"
            raise self._debug.refusal(message, debug)
        return function.name


def _number_of(instance: Instance, call: CallText) -> str:
    """In place of a question of a thread for its number."""
    return f"  {call.result} = add i32 {instance.number}, 0{call.debug}"


def with_own(module: ModuleText, threads: Threads, own: frozenset[str]) -> ModuleText:
    """The module in which threads know their numbers and have copies of the globals `own`.

    So has what is inlined at their ends.
    """
    functions, globals_ = dict(module.functions), dict(module.globals)
    mine = {name: body for name, body in module.globals.items() if name in own}
    names = "|".join(map(re.escape, mine))
    found = re.compile(rf"@({names})(?![-\w.$])")
    for instance in threads.instances:
        function = functions[instance.name]
        lines = [_numbered(line, instance) for line in function.lines]
        if names and instance.number:
            lines = [found.sub(rf"@\g<1>.{instance.number}", line) for line in lines]
            globals_ |= {f"{n}.{instance.number}": body for n, body in mine.items()}
        functions[instance.name] = replace(function, lines=tuple(lines))
    return replace(module, functions=functions, globals=globals_)


def _numbered(line: str, instance: Instance) -> str:
    call = read_call(line) if f"@{primitives.SELF}(" in line else None
    return line if call is None else _number_of(instance, call)


def _in_loops(function: FunctionText) -> frozenset[str]:
    """The labels of blocks that a run may pass more than once."""
    first = next((line for line in function.lines if not line.startswith("    #")), "")
    entry = first.partition(":")[0] if not first.startswith(" ") else ""
    blocks = split_blocks(function.lines, entry)
    found: set[str] = set()
    graph = {label: block.successors for label, block in blocks.items()}
    for component in strong_components(graph, graph.__getitem__):
        if len(component) > 1 or component[0] in graph[component[0]]:
            found.update(component)
    return frozenset(found)


def inlined(functions: Iterable[FunctionText], module: ModuleText) -> frozenset[str]:
    """The functions that are inlined since they touch what threads share, or may end or wait.

    UnsupportedError where one of them calls itself.
    """
    known = {function.name: function for function in functions}
    calls = {name: _callees(function) for name, function in known.items()}
    found = _touching(known, calls)
    graph = {name: tuple(c for c in calls[name] if c in found) for name in known if name in found}
    debug = DebugText(module.metadata)
    for component in strong_components(graph, graph.__getitem__):
        if len(component) > 1 or component[0] in graph[component[0]]:
            name = component[0]
            spoken = debug.name(known[name].debug.removeprefix(" !dbg !")) or name
            raise UnsupportedError(f"{spoken}() calls itself and touches what threads share")
    return frozenset(found)


def not_inlined(known: Mapping[str, FunctionText]) -> Called:
    """What is to be known of functions that are left when others are inlined."""
    calls = {name: tuple(c for c in _callees(f) if c in known) for name, f in known.items()}
    touching = _touching(known, calls)
    cycles = strong_components(calls, calls.__getitem__)
    again = {n for c in cycles for n in c if len(c) > 1 or n in calls[n]}
    stays = {n for n, f in known.items() if _in_loops(f) or any(map(_CHECK.search, f.lines))}
    endless = _with_callers(again | stays, calls)
    return Called(frozenset(known.keys() - touching), frozenset(endless), frozenset(touching))


def _touching(known: Mapping[str, FunctionText], calls: Mapping[str, Iterable[str]]) -> set[str]:
    """The functions that do more than to compute with their arguments and locals."""
    return _with_callers({n for n, function in known.items() if _touches(function, known)}, calls)


def _with_callers(names: set[str], calls: Mapping[str, Iterable[str]]) -> set[str]:
    """These functions and those that call them."""
    found = more = set(names)
    while more:
        more = {n for n, called in calls.items() if n not in found and not found.isdisjoint(called)}
        found = found | more
    return found


def _callees(function: FunctionText) -> tuple[str, ...]:
    lines = (line for line in function.lines if " call " in line)
    return tuple(dict.fromkeys(c.callee for line in lines if (c := read_call(line)) is not None))


_OWN_ACCESS = re.compile(rf"  (?:%{NAME} = load|store) (?!atomic).*, ptr (%{NAME})(?:, |$)")
_MEMORY = re.compile(r" (?:load|store|atomicrmw|cmpxchg|fence) ")
_CHECK = re.compile(r" call void @sea\.check\(")
_QUIET = re.compile(r"sea\.(?:input|check)\b|llvm\.(?!mem|stack)")


def _touches(function: FunctionText, known: Mapping[str, FunctionText]) -> bool:
    """Whether a function does more than to compute with its arguments and locals."""
    slots = {m[1] for line in function.lines if (m := re.match(rf"  (%{NAME}) = alloca", line))}
    for line in function.lines:
        if line.startswith("    #"):
            continue
        if " call " in line:
            call = read_call(line)
            if call is None:
                return True
            if call.callee not in known and not _QUIET.match(call.callee):
                return True
            line = line.replace(f"@{call.callee}(", "(", 1)
        elif _MEMORY.search(f" {line}"):
            own = _OWN_ACCESS.match(line)
            if own is None or own[1] not in slots:
                return True
        if "@" in line:
            return True
    return False
