"""Calls of the automaton of a formula, put into the modules of a program.

Letters are the values of the atoms.  The automaton steps

- where `main` begins, and behind each store to a global that an atom reads;
- once a round of each loop and recursion, for an infinite run has infinitely many letters: at
  labels to which a later line jumps, and in functions that an earlier one calls;
- for ever where the run ends: by `exit` and its like, and where `main` returns.  So the last letter
  stays (as in LTL over finite runs by stuttering).

What `marks` asks for is put there, too.  An atom that reads more than globals by their names, a
global that is written in another way, and an end that cannot be told by the text make gaps: then
nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.library.contracts import Source, names_of
from seahorn_py.frontend.llvmtext.lines import (
    DEBUG,
    DEFINITION,
    LABEL,
    SYMBOL,
    TARGET,
    CallText,
    read_call,
)
from seahorn_py.frontend.llvmtext.module import ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.events.events import ERROR_CALLS
from seahorn_py.frontend.lowering.events.vocabulary import words
from seahorn_py.frontend.rules.automaton import RULES
from seahorn_py.frontend.rules.missed import internal
from seahorn_py.frontend.temporal.choosing import Choosing
from seahorn_py.frontend.temporal.marks import Marking, Marks
from seahorn_py.frontend.temporal.product import (
    ATOM,
    BEGIN,
    CHOICE,
    END,
    NUMBER,
    STEP,
)

NAMES = {
    CHOICE: "sea.any.rule.choice",
    NUMBER: "sea.any.rule.number",
    BEGIN: f"{RULES}formula.begin",
    STEP: f"{RULES}formula.step",
    END: f"{RULES}formula.end",
}
"""The names of functions in C -> those that no program can have."""

MAIN = "main"
_ENDS = (
    ERROR_CALLS
    | names_of(Source.END)
    | {name for name, event in words() if event in ("STOP", "FAIL")}
    | {"llvm.trap", "llvm.debugtrap", "llvm.ubsantrap"}
)
_NEVER_RETURNS = pattern(r"\bnoreturn\b")
_GOES_AWAY = (
    "atexit at_quick_exit on_exit longjmp _longjmp siglongjmp"
    " err errx verr verrx error error_at_line pthread_exit thrd_exit"
    " kill killpg tgkill gsignal pthread_kill pthread_cancel sigqueue alarm ualarm"
    " execl execle execlp execv execve execvp execvpe execveat fexecve"
)
_MAY_END = frozenset(_GOES_AWAY.split()) | {
    name for name, event in words() if event in ("CHECK", "ASSERT")
}
"""Behind a call of one of them a run may go on, or not."""
_BEFORE_AND_AFTER = {
    "llvm.global_ctors": "functions run before main",
    "llvm.global_dtors": "functions run after main",
}
_RETURN = pattern(r"  ret ")
_PHI = pattern(r" = phi ")
_STORE = pattern(r"  store (?:volatile )?(?P<value>.+), (?P<place>ptr .+?), align")
_LOAD = pattern(rf"  %{NAME} = load (?:volatile )?[^,]+, (?P<place>ptr .+?), align")
_BY_REGISTER = "ptr %"
_EXTERNAL = ("external ", "extern_weak ")
_VALUE = pattern(rf"  %{NAME} = load (?!volatile )[^,]+, (?P<place>ptr .+?), align")
_PARTIAL = pattern(rf"  %{NAME} = (?:[us]div|[us]rem|shl|[al]shr) .*, %")
_LABEL_VALUE = pattern(rf"blockaddress\(@{NAME}, %{NAME}\)")


@dataclass(frozen=True)
class Module:
    """A module, and whether it has the functions of atoms."""

    text: str
    parts: ModuleText
    has_atoms: bool


class Stepping:
    """Puts calls into modules, which are those of a whole program.

    Letters change where one of the first `observed` atoms may; the others are only evaluated there.
    """

    def __init__(
        self, modules: Sequence[Module], marks: Marks, observed: int, choices: Sequence[str] = ()
    ) -> None:
        self._modules, self._marks, self._observed = modules, marks, observed
        self._atoms = tuple(f"{ATOM}{k}" for k in range(len(marks.texts)))
        self._choosing = Choosing(choices)
        self.gaps: dict[str, None] = {}
        self._shared = frozenset(name for module in modules for name in _shared(module))
        self._watched = self._read()
        self._recursive = self._called_back()

    def woven(self) -> tuple[str, ...]:
        """The modules with calls."""
        return tuple(map(self._woven, self._modules))

    def _read(self) -> frozenset[str]:
        """The globals that atoms read."""
        found: set[str] = set()
        asked = self._atoms[: self._observed]
        own = (m.parts.functions[name] for m in self._modules if m.has_atoms for name in asked)
        for line in (line for function in own for line in function.lines):
            names = SYMBOL.findall(line)
            loaded = _VALUE.match(line)
            if loaded is not None and names and not loaded["place"].startswith(_BY_REGISTER):
                found.update(names)
            elif names:
                self.gaps[f"an atom uses {names[0]} other than by its value"] = None
            elif " = load " in line:
                self.gaps["an atom reads through a pointer"] = None
            elif _PARTIAL.match(line):
                self.gaps["an atom divides or shifts by what is no constant"] = None
        for name in sorted(found):
            values = (m.parts.globals.get(name, _EXTERNAL[0]) for m in self._modules)
            if all(value.startswith(_EXTERNAL) for value in values):
                self.gaps[f"{name} may be written where it is defined, in no file here"] = None
        return frozenset(found)

    def _called_back(self) -> frozenset[str]:
        """Functions that one before them, or they themselves, may call: each recursion has one."""
        parts = [module.parts for module in self._modules]
        order = {name: k for k, name in enumerate(n for p in parts for n in p.functions)}
        found: set[str] = set()
        for one in parts:
            for name, function in one.functions.items():
                for line in (line for line in function.lines if "@" in line):
                    call, others = _symbols(line)
                    found.update(others)
                    if call is not None and order.get(call.callee, -1) >= order[name]:
                        found.add(call.callee)
            for value in (*one.globals.values(), *one.aliases.values()):
                found.update(SYMBOL.findall(value))
        return frozenset(found)

    def _woven(self, module: Module) -> str:
        self._note_values(module.parts)
        place = _Place(module.parts, Marking(self._marks, module.parts, _call(STEP, "")))
        ours = self._atoms if module.has_atoms else ()
        out: list[str] = []
        for line in module.text.split("\n"):
            header = DEFINITION.match(line) if line.startswith("define ") else None
            if header is not None:
                place.begin(header[1], header["subprogram"])
                self._choosing.begin(
                    partial(self._is_defined, parts=module.parts),
                    partial(self._ends_runs, parts=module.parts),
                )
                out.append(line)
            elif not place.function or place.function in ours:
                out.append(line)
            elif line == "}":
                place.function = ""
                out.append(line)
            else:
                out += self._line(line, place)
        declared = [f"declare void @{NAMES[name]}()" for name in (BEGIN, STEP, END)]
        if not module.has_atoms:
            declared += place.marking.declarations()
        declared += self._choosing.declarations()
        self.gaps |= {**place.marking.gaps, **self._choosing.gaps}
        return "\n".join([*out, *declared, *place.locations, ""])

    def _note_values(self, parts: ModuleText) -> None:
        for name, value in parts.globals.items():
            if name in _BEFORE_AND_AFTER:
                self.gaps[_BEFORE_AND_AFTER[name]] = None
            elif not name.startswith("llvm."):
                self._note(_symbols(value)[1], parts)
        for name, value in parts.aliases.items():
            self._note([name, *SYMBOL.findall(value)], parts)
            if name in self._marks.calls:
                self.gaps[f"{name}() is another name of a function"] = None

    def _note(self, names: Iterable[str], parts: ModuleText) -> None:
        """These names are used in a way that is not followed."""
        for name in names:
            if name in self._watched:
                self.gaps[f"{name} may be written through pointers"] = None
            elif name == MAIN or self._ends_runs(name, parts) or self._may_end(name, parts):
                self.gaps[f"{name}() may be called through pointers"] = None
            if name in self._marks.calls and not self._is_defined(name, parts):
                self.gaps[f"{name}() may be called through pointers"] = None

    def _line(self, line: str, place: _Place) -> Iterator[str]:
        if line.startswith("    #") or not line.strip():
            yield line
            yield from place.marking.labelled(line)
        elif label := LABEL.match(line):
            place.at_head = label[1] in place.heads
            yield line
        else:
            debug = found[0] if (found := DEBUG.search(line)) else ""
            if not _PHI.search(line):
                yield from self._rounds(place)
            yield from self._ends(line, place, debug)
            yield from self._choosing.before(line)
            yield line
            yield from self._choosing.behind(line)
            yield from self._writes(line, place, debug)
            yield from place.marking.stored(line, debug)

    def _rounds(self, place: _Place) -> Iterator[str]:
        """Before the first instruction of a function or of a label."""
        is_first, place.is_first = place.is_first, False
        at_head, place.at_head = place.at_head, False
        if is_first and place.function == MAIN:
            yield _call(BEGIN, place.location())
        elif at_head or (is_first and place.function in self._recursive):
            yield _call(STEP, place.location())
        if is_first:
            yield from place.marking.entered(place.location)

    def _ends(self, line: str, place: _Place, debug: str) -> Iterator[str]:
        """Before what ends the run."""
        if _RETURN.match(line) and place.function == MAIN:
            yield _call(END, debug)
            return
        call = read_call(line) if " call " in line else None
        if call is None:
            return
        if not self._is_defined(call.callee, place.parts):
            yield from place.marking.called(call.callee, debug)
        if self._ends_runs(call.callee, place.parts):
            yield _call(END, debug)
        elif self._may_end(call.callee, place.parts):
            self.gaps[f"a run may go on or end in {call.callee}()"] = None
        elif call.callee == MAIN:
            self.gaps["main() is called by the program itself"] = None

    def _writes(self, line: str, place: _Place, debug: str) -> Iterator[str]:
        """Behind a store to what an atom reads."""
        if "@" not in line:
            return
        stored, loaded = _STORE.match(line), _LOAD.match(line)
        if stored and not stored["place"].startswith(_BY_REGISTER):
            self._note(SYMBOL.findall(stored["value"]), place.parts)
            if not self._watched.isdisjoint(SYMBOL.findall(stored["place"])):
                yield _call(STEP, debug)
        elif not (loaded and not loaded["place"].startswith(_BY_REGISTER)):
            self._note(_symbols(line)[1], place.parts)

    def _ends_runs(self, name: str, parts: ModuleText) -> bool:
        """Whether a run ends where it calls the function."""
        return name in _ENDS and not self._is_defined(name, parts)

    def _may_end(self, name: str, parts: ModuleText) -> bool:
        """Whether a run that calls the function may end in it, or go on elsewhere."""
        if name in _MAY_END and not self._is_defined(name, parts):
            return True
        return self._never_returns(name, parts)

    def _is_defined(self, name: str, parts: ModuleText) -> bool:
        """Whether a function of the program has the name, as this module sees it."""
        return name in self._shared or name in parts.functions or name in parts.aliases

    def _never_returns(self, name: str, parts: ModuleText) -> bool:
        declared = parts.declarations.get(name)
        if declared is None or name.startswith(("llvm.", "sea.")):
            return False
        group = next((g for g in parts.groups if g.startswith(f"attributes{declared.group} ")), "")
        return bool(_NEVER_RETURNS.search(group) or _NEVER_RETURNS.search(declared.prefix))


def _shared(module: Module) -> Iterator[str]:
    """The functions of a module that other modules see."""
    yield from frozenset(module.parts.functions) - internal(module.text)
    for name, value in module.parts.aliases.items():
        if not value.startswith(("internal ", "private ")):
            yield name


def _symbols(line: str) -> tuple[CallText | None, list[str]]:
    """The call that a line is, and the symbols in it beside what it calls."""
    call = read_call(line) if " call " in line else None
    names = SYMBOL.findall(_LABEL_VALUE.sub("", line))
    if call is not None and call.callee in names:
        names.remove(call.callee)
    return call, names


def _call(name: str, debug: str) -> str:
    return f"  call void @{NAMES[name]}(){debug}"


class _Place:
    """Where a module is read."""

    def __init__(self, parts: ModuleText, marking: Marking) -> None:
        self.parts, self.marking = parts, marking
        self.function = ""
        self.is_first = False
        self.at_head = False
        self.heads: frozenset[str] = frozenset()
        self.locations: list[str] = []
        self._number = 1 + max(map(int, parts.metadata), default=0)
        self._subprogram = ""

    def begin(self, function: str, subprogram: str | None) -> None:
        """A definition begins."""
        self.function, self._subprogram = function, subprogram or ""
        self.is_first, self.at_head = True, False
        self.heads = _heads(self.parts.functions[function].lines)
        self.marking.begin(function)

    def location(self) -> str:
        """A place in the function that is no line of it."""
        if not self._subprogram:
            return ""
        number = self._number + len(self.locations)
        self.locations.append(f"!{number} = !DILocation(line: 0, scope: !{self._subprogram})")
        return f", !dbg !{number}"


def _heads(lines: Sequence[str]) -> frozenset[str]:
    """The labels to which a later line jumps: each cycle of blocks has one."""
    seen: set[str] = set()
    found: set[str] = set()
    for line in lines:
        label = LABEL.match(line)
        if label:
            seen.add(label[1])
        found.update(name for name in TARGET.findall(line) if name in seen)
    return frozenset(found)
