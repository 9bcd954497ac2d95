"""Inputs that are chosen from some moment of a run on: some run is followed, and not all of them.

That a formula about all runs holds where inputs are chosen shows that some run fulfils it, if the
choice blocks none.  At each letter the run decides whether inputs are chosen from then on; so all
states that are looked at are asked about (B. Cook, E. Koskinen: "Reasoning about nondeterminism in
programs", PLDI 2013).  A choice is a number for each call of an input, by the order of the text.
Where there is none, any value is taken.

An assumption that fails once inputs are chosen violates the formula.  What may end or block a run
otherwise is a gap: then nothing is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.lines import CallText, argument, read_call
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.events.vocabulary import is_value, words
from seahorn_py.frontend.rules.automaton import RULES

ASSUMED, INPUT = f"{RULES}formula.assumed", f"{RULES}formula.input."
"""What is called before an assumption, and behind an input, by its number."""

_ASSUMPTIONS = frozenset(name for name, event in words() if event == "ASSUME")
_HARMLESS = frozenset(name for name, event in words() if event == "DROP")
_MARKS = ("llvm.dbg.", "llvm.lifetime.")
_INPUTS = "__VERIFIER_nondet_"
_INSTRUCTION = pattern(rf"  (?:%{NAME} = )?(?:(?:tail|musttail|notail) )?([a-z]+)")
_PLAIN = (
    *("alloca", "load", "store", "icmp", "add", "sub", "mul", "and", "or", "xor", "select", "phi"),
    *("zext", "sext", "trunc", "br", "switch", "ret", "call", "unreachable"),
)
_BY_NUMBER = pattern(r"  %\S+ = (?:[us]div|[us]rem|shl|[al]shr)\b[^,]*, (\d+)\b")
_ALLOCATED = pattern(rf"  (%{NAME}) = alloca ")
_ACCESS = pattern(rf"  (?:%{NAME} = load|store) .*, ptr (\S+), align")
_CASES = ("    ", "  ]")
"""What a line of a `switch` begins with."""
_WIDTH = pattern(r"i(\d+)")
_BOOLEAN = "bool"
"""In the names of inputs that are 0 or 1, whatever their type is."""
_MOST_WIDTH = 64
_LEAST_WIDTH = 32
"""Of what is divided or shifted; a smaller number of C is made an `int` first."""


Is = Callable[[str], bool]


class Choosing:
    """Says what is put around calls, and notes what may end or block a run."""

    def __init__(self, choices: Sequence[str]) -> None:
        self._choices = choices
        self.gaps: dict[str, None] = {}
        self._inputs = self._calls = 0
        self.begin(_none, _none)

    def begin(self, is_defined: Is, ends_runs: Is) -> None:
        """A definition begins, of a module that defines functions, and where some end runs."""
        self._is_defined, self._ends_runs = is_defined, ends_runs
        self._allocated: set[str] = set()
        self._has_ended = False

    def before(self, line: str) -> Iterator[str]:
        """Before an instruction of the program."""
        if not self._choices:
            return
        call = read_call(line) if " call " in line else None
        self._note(line, call)
        if call is not None and call.callee in _ASSUMPTIONS and call.arguments:
            kind, value = argument(call.arguments[0])
            self._calls += 1
            holds = f"%sea.assumed.{self._calls}"
            yield f"  {holds} = icmp ne {kind} {value}, 0"
            yield f"  call void @{ASSUMED}(i1 {holds}){call.debug}"

    def behind(self, line: str) -> Iterator[str]:
        """Behind an instruction of the program: what an input is."""
        call = read_call(line) if self._choices and " call " in line else None
        if call is None or not self._is_input(call.callee):
            return
        number, self._inputs = self._inputs, self._inputs + 1
        chosen = self._choices[number] if number < len(self._choices) else ""
        width = _WIDTH.fullmatch(call.type)
        if not chosen or call.result is None or width is None:
            return
        if not _fits(int(chosen), 1 if _BOOLEAN in call.callee.lower() else int(width[1])):
            return
        value = call.result
        if int(width[1]) < _MOST_WIDTH:
            value, extend = f"%sea.input.{number}", "zext" if width[1] == "1" else "sext"
            yield f"  {value} = {extend} {call.type} {call.result} to i{_MOST_WIDTH}"
        yield f"  call void @{INPUT}{number}(i{_MOST_WIDTH} {value}){call.debug}"

    def declarations(self) -> Iterator[str]:
        """What a module calls."""
        if self._choices:
            yield f"declare void @{ASSUMED}(i1)"
            yield from (
                f"declare void @{INPUT}{number}(i{_MOST_WIDTH})"
                for number in range(len(self._choices))
            )

    def _is_input(self, name: str) -> bool:
        return name.startswith(_INPUTS) or (is_value(name) and not self._is_defined(name))

    def _note(self, line: str, call: CallText | None) -> None:
        """What may end or block a run."""
        if line.startswith(_CASES):
            return
        has_ended, self._has_ended = self._has_ended, False
        found = _INSTRUCTION.match(line)
        kind = found[1] if found else ""
        if allocated := _ALLOCATED.match(line):
            self._allocated.add(allocated[1])
        if kind == "call":
            self._note_call(call)
        elif kind == "unreachable" and not has_ended:
            self._gap("a place that is taken to be unreachable")
        elif kind in ("load", "store"):
            access = _ACCESS.match(line)
            if access is None or not (access[1][0] == "@" or access[1] in self._allocated):
                self._gap("an access through a pointer")
        elif kind not in _PLAIN and not _is_by_number(line):
            self._gap(f"the instruction {kind or line.strip()}" if kind else "a part of the text")

    def _note_call(self, call: CallText | None) -> None:
        if call is None:
            self._gap("a call through a pointer")
        elif self._ends_runs(call.callee):
            self._has_ended = True
        elif not self._is_known(call.callee):
            self._gap(f"{call.callee}()")

    def _is_known(self, name: str) -> bool:
        is_ours = self._is_input(name) or name in _ASSUMPTIONS or name in _HARMLESS
        return is_ours or self._is_defined(name) or name.startswith((*_MARKS, RULES))

    def _gap(self, what: str) -> None:
        self.gaps[f"that some run goes on is not known: {what} may end it"] = None


def _none(_: str) -> bool:
    return False


def _is_by_number(line: str) -> bool:
    """Whether it is a division or shift by a number that has a result."""
    found = _BY_NUMBER.match(line)
    return found is not None and 0 < int(found[1]) < _LEAST_WIDTH


def _fits(value: int, width: int) -> bool:
    """Whether an input of this width can be the number."""
    if width == 1:
        return value in (0, 1)
    return width <= _MOST_WIDTH and -(1 << width - 1) <= value < 1 << width - 1
