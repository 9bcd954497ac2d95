"""`setjmp` and `longjmp` (C17, 7.13) in LLVM text, as ordinary control flow.

Each activation of a function that calls `setjmp` has a number of its own, which `setjmp` writes
into the buffer with the number of the place.  `longjmp` writes both into globals and returns, and
so does each caller, until the activation has that number: there control goes on behind the `setjmp`
of that place.  If none has, its frame is gone, which is undefined: the run ends (`arrived`).
`locals` tells what becomes of the locals.

Refused where they are reached are these functions as pointers, and places across which a value
lives in a register, such as the size of a variable-length array.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.lowering.checks.pointercalls import taken
from seahorn_py.frontend.lowering.events.jumpnames import JUMPING, JUMPS, SETTING
from seahorn_py.frontend.lowering.jumps.locals import Locals
from seahorn_py.frontend.lowering.jumps.registers import has_unset_register
from seahorn_py.frontend.lowering.jumps.splitting import Body
from seahorn_py.frontend.lowering.library.endings import ENDINGS
from seahorn_py.options import FrontendOptions

_TARGET, _SITE, _VALUE, _COUNT = (f"@sea.jump.{of}" for of in ("target", "site", "value", "count"))
_OBJECTS = {
    _TARGET[1:]: "internal global i64 0, align 8",
    _SITE[1:]: "internal global i32 0, align 4",
    _VALUE[1:]: "internal global i32 0, align 4",
    _COUNT[1:]: "internal global i64 1, align 8",
}
_LEAVE, _CAUGHT, _PASSED, _LOST = "sea.leave", "sea.caught", "sea.passed", "sea.lost"
_BACK = "%sea.back"
"""The slot of what `setjmp` returns."""


def without_jumps(module: ModuleText, inputs: Inputs, options: FrontendOptions) -> ModuleText:
    """The module without calls of these functions but for those that are refused when reached."""
    if JUMPS.isdisjoint(module.declarations):
        return module
    debug = DebugText(module.metadata)
    known = JUMPS & module.declarations.keys()
    leaving, indirect = _leaving(module, known)
    may_jump = known | leaving
    writing = _Writing(module, inputs, debug, options, frozenset(may_jump), indirect)
    functions, refused = dict(module.functions), dict(module.refused)
    for name in leaving:
        try:
            functions[name] = replace(functions[name], lines=tuple(writing.body(functions[name])))
        except UnsupportedError as refusal:
            refused[name] = str(refusal)
    objects = {**module.globals, **_OBJECTS}
    return replace(module, functions=functions, globals=objects, refused=refused)


def arrived(module: ModuleText, inputs: Inputs) -> list[str]:
    """Lines behind a call from the entry: a jump that is still under way leads to no frame."""
    if _TARGET[1:] not in module.globals:
        return []
    target, none = inputs.name(), inputs.name()
    return [
        f"  {target} = load i64, ptr {_TARGET}, align 8",
        f"  {none} = icmp eq i64 {target}, 0",
        f"  call void @sea.defined(i1 {none})",
    ]


def _leaving(module: ModuleText, known: frozenset[str] | set[str]) -> tuple[set[str], bool]:
    """The functions that a jump may leave or lead to, and whether calls of pointers may jump."""
    calls = {name: list(_calls(f)) for name, f in module.functions.items()}
    pointed = taken(module, module.functions.keys())
    leaving: set[str] = set()
    while True:
        indirect = not leaving.isdisjoint(pointed)
        found = {
            name
            for name, called in calls.items()
            if any(c in known or c in leaving or (not c and indirect) for c in called)
        }
        if found == leaving:
            return leaving, indirect
        leaving = found


def _calls(function: FunctionText) -> Iterator[str]:
    """The functions that are called, "" for one through a pointer."""
    for line in function.lines:
        if _is_call(line):
            call = read_call(line)
            yield call.callee if call else ""


def _is_call(line: str) -> bool:
    return " call " in line and " asm " not in line and line[:3] != "   "


class _Writing:
    """Writes the bodies of the functions that a jump may leave or lead to."""

    def __init__(
        self,
        module: ModuleText,
        inputs: Inputs,
        debug: DebugText,
        options: FrontendOptions,
        may_jump: frozenset[str],
        indirect: bool,
    ) -> None:
        self._inputs = inputs
        self._debug = debug
        self._options = options
        self._may_jump = may_jump
        self._indirect = indirect
        called = {name for f in module.functions.values() for name in _calls(f)}
        self._is_main_once = "main" not in called and not taken(module, {"main"})

    def body(self, function: FunctionText) -> list[str]:
        """The lines of a function; UnsupportedError for a value that lives across a `setjmp`."""
        body = Body(function, self._inputs)
        places = [c for line in function.lines if (c := self._place_in(line)) is not None]
        found = Locals(function, len(places), self._inputs, self._debug, self._options)
        start, mine = self._activation(function.name) if places else ([], "")
        backs: list[str] = []
        for line in function.lines:
            call = read_call(line) if _is_call(line) else None
            if call is not None and call.callee in SETTING & self._may_jump:
                backs.append(self._place(body, call, mine, len(backs), found))
            elif call is not None and call.callee in JUMPING & self._may_jump:
                self._jump(body, call)
            else:
                body.keep(*found.rewritten(line))
                if _is_call(line) and (call.callee in self._may_jump if call else self._indirect):
                    self._check(body)
        self._leave(body, function, mine, backs, found)
        written = replace(function, lines=tuple(body.finished([*found.slots(), *start])))
        if places and has_unset_register(written):
            text = f"{places[0].callee}() with a value that lives across it is not supported"
            raise self._debug.refusal(text, places[0].debug)
        return list(written.lines)

    def _place_in(self, line: str) -> CallText | None:
        call = read_call(line) if _is_call(line) else None
        return call if call and call.callee in SETTING & self._may_jump else None

    def _activation(self, name: str) -> tuple[list[str], str]:
        """Lines at the start of a function, and the number of the activation."""
        start = [f"  {_BACK} = alloca i32, align 4", f"  store i32 0, ptr {_BACK}, align 4"]
        if name == "main" and self._is_main_once:
            return start, "1"
        last, mine = self._inputs.name(), self._inputs.name()
        start += [
            f"  {last} = load i64, ptr {_COUNT}, align 8",
            f"  {mine} = add i64 {last}, 1",
            f"  store i64 {mine}, ptr {_COUNT}, align 8",
        ]
        return start, mine

    def _place(self, body: Body, call: CallText, mine: str, number: int, found: Locals) -> str:
        """What stands for a `setjmp`; the label at which control goes on behind it."""
        buffer, site, back = self._debug.pointer(call), self._inputs.name(), body.label()
        result = [f"  {call.result} = load i32, ptr {_BACK}, align 4{call.debug}"]
        body.keep(
            f"  store i64 {mine}, ptr {buffer}, align 4{call.debug}",
            f"  {site} = getelementptr i8, ptr {buffer}, i32 8{call.debug}",
            f"  store i32 {number}, ptr {site}, align 4{call.debug}",
            f"  store i32 0, ptr {_BACK}, align 4{call.debug}",
            *found.at_place(number),
            f"  br label %{back}{call.debug}",
        )
        body.begin(back)
        body.keep(*(result if call.result else ()))
        return back

    def _jump(self, body: Body, call: CallText) -> None:
        """What stands for a `longjmp`: what follows it is never reached."""
        if len(call.arguments) != 2 or argument(call.arguments[1])[0] != "i32":
            raise self._debug.refusal(f"{call.callee}() of another type", call.debug)
        buffer, value = self._debug.pointer(call), argument(call.arguments[1])[1]
        at, target, site, is_set, zero, given = (self._inputs.name() for _ in range(6))
        lines = (
            f"{target} = load i64, ptr {buffer}, align 4",
            f"{at} = getelementptr i8, ptr {buffer}, i32 8",
            f"{site} = load i32, ptr {at}, align 4",
            f"{is_set} = icmp ne i64 {target}, 0",
            f"call void @sea.defined(i1 {is_set})",
            f"{zero} = icmp eq i32 {value}, 0",
            f"{given} = select i1 {zero}, i32 1, i32 {value}",
            f"store i64 {target}, ptr {_TARGET}, align 8",
            f"store i32 {site}, ptr {_SITE}, align 4",
            f"store i32 {given}, ptr {_VALUE}, align 4",
            f"br label %{_LEAVE}",
        )
        body.keep(*(f"  {line}{call.debug}" for line in lines))
        body.begin(body.label())

    def _check(self, body: Body) -> None:
        """Behind a call: whether a jump is under way."""
        target, jumps, following = self._inputs.name(), self._inputs.name(), body.label()
        body.keep(
            f"  {target} = load i64, ptr {_TARGET}, align 8",
            f"  {jumps} = icmp ne i64 {target}, 0",
            f"  br i1 {jumps}, label %{_LEAVE}, label %{following}",
        )
        body.begin(following)

    def _leave(
        self, body: Body, function: FunctionText, mine: str, backs: list[str], found: Locals
    ) -> None:
        """Where jumps leave the function, or arrive in it."""
        ret = _return(function)
        body.begin(_LEAVE)
        if not backs:
            body.keep(*ret)
            return
        target, is_mine, value, site = (self._inputs.name() for _ in range(4))
        landings = [body.label() for _ in backs]
        cases = [f"    i32 {k}, label %{label}" for k, label in enumerate(landings)]
        body.keep(
            f"  {target} = load i64, ptr {_TARGET}, align 8",
            f"  {is_mine} = icmp eq i64 {target}, {mine}",
            f"  br i1 {is_mine}, label %{_CAUGHT}, label %{_PASSED}",
            *(f"{_PASSED}:", *ret, f"{_CAUGHT}:"),
            f"  store i64 0, ptr {_TARGET}, align 8",
            f"  {value} = load i32, ptr {_VALUE}, align 4",
            f"  store i32 {value}, ptr {_BACK}, align 4",
            f"  {site} = load i32, ptr {_SITE}, align 4",
            *(f"  switch i32 {site}, label %{_LOST} [", *cases, "  ]"),
            *(f"{_LOST}:", "  call void @sea.defined(i1 false)", "  unreachable"),
        )
        for number, (landing, back) in enumerate(zip(landings, backs, strict=True)):
            body.keep(f"{landing}:", *found.landing(number), f"  br label %{back}")


def _return(function: FunctionText) -> tuple[str, ...]:
    """How a jump leaves a function; out of what runs at the end of the program is undefined."""
    if function.name in ENDINGS:
        return "  call void @sea.defined(i1 false)", "  unreachable"
    result = function.result
    return ("  ret void" if result == "void" else f"  ret {result} zeroinitializer",)
