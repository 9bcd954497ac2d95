"""The automaton of the negated formula as code of the program, which steps where letters change.

A run violates the formula if the automaton has an accepting path for its letters.  The steps of
the automaton are choices of the run.  Whether there is an accepting path becomes whether a run
goes on for ever: a number, `fuel`, falls with each step, and the run is blocked at zero.  Only an
accepting state gives new fuel.

- `Fuel.ANY`: any number.  An infinite run is exactly a run with an accepting path (as fairness
  becomes termination in B. Cook, E. Koskinen: "Reasoning about nondeterminism in programs", PLDI
  2013).
- `Fuel.FIXED`: always the same.  Infinite runs are those that come to accepting states soon again
  and again: some of them, in which a state comes back where it does in the program.

A component of accepting states needs no fuel.  A state after which all words are accepted is an
endless loop at once: no more of the run is needed to violate the formula.  If all accepting states
are such, the formula is a safety property, and an error takes the place of the loop (`Fuel.NONE`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.support import RULE_FOLDER
from seahorn_py.frontend.rules.automaton import VIOLATED
from seahorn_py.frontend.temporal.buechi import Buechi, certain
from seahorn_py.frontend.temporal.formula import Literal
from seahorn_py.ir.graph import reached

ATOM = "__sea_formula_atom_"
"""Begins the names of the functions that evaluate atoms; C code of the program itself."""

BEGIN, STEP, END = "__sea_formula_begin", "__sea_formula_step", "__sea_formula_end"
"""What is called at the first letter, where letters may have changed, where the run ends, in C."""

STATE = "__sea_formula_state"
"""The variable that has the state of the automaton."""

CHOICE, NUMBER = "__sea_choice", "__sea_number"
"""The functions that let a run choose, in C."""

CHOSEN = "__sea_formula_chosen"
"""The global that says whether inputs are chosen; an atom may read it."""

ASSUMED, INPUT = "__sea_formula_assumed", "__sea_formula_input_"
"""What is called before assumptions and behind inputs, if inputs are chosen, in C."""

FIXED = 64
"""Steps between two accepting states, where the number is the same always."""


class Fuel(Enum):
    """How much fuel an accepting state gives."""

    NONE = "none"
    ANY = "any"
    FIXED = "fixed"


def is_of_safety(automaton: Buechi) -> bool:
    """Whether each accepted word has a beginning that is enough."""
    found = certain(automaton)
    return all(part <= found for part in automaton.components() if part & automaton.accepting)


def accepting_components(automaton: Buechi) -> list[tuple[int, int]]:
    """The first and the last state of each component in which a path can be accepted."""
    parts = (part for part in automaton.components() if part & automaton.accepting)
    return [(min(part), max(part)) for part in parts]


def code(automaton: Buechi, atoms: Sequence[str], fuel: Fuel, choices: Sequence[str] = ()) -> str:
    """The C text of the automaton; `choices` are those of inputs (`choosing`)."""
    return "\n".join(_Product(automaton, atoms, fuel, choices).lines()) + "\n"


def atom_code(atoms: Sequence[str], declared: str = "") -> str:
    """The C text of the functions for the atoms, to be put behind the text of the program.

    `declared` are globals that they read.
    """
    begun = f'\n# 1 "{RULE_FOLDER}formula"\n{declared}' if declared else ""
    functions = (
        f'# 1 "{RULE_FOLDER}formula"\n_Bool {ATOM}{k}(void) {{ return ({atom}) != 0; }}\n'
        for k, atom in enumerate(atoms)
    )
    return begun + "\n" + "".join(functions)


@dataclass(frozen=True)
class _Product:
    automaton: Buechi
    atoms: Sequence[str]
    fuel: Fuel
    choices: Sequence[str]

    def lines(self) -> Iterator[str]:
        yield f"extern _Bool {CHOICE}(void); extern long long {NUMBER}(void);"
        yield "extern void __VERIFIER_assume(int condition);"
        yield f"extern void {VIOLATED}(const char *message);"
        yield from (f"extern _Bool {ATOM}{k}(void);" for k in range(len(self.atoms)))
        yield f"static int {STATE};"
        yield "static long long fuel;"
        yield from self._choosing()
        yield f"void {BEGIN}(void) {{"
        yield from self._letter()
        if self.fuel is not Fuel.NONE:
            yield self._given()
        yield from self._steps(self.automaton.first)
        yield "}"
        yield f"void {STEP}(void) {{"
        yield from self._letter()
        *cases, default = self._alike().items()
        yield f"switch ({STATE}) {{"
        for follow, states in cases:
            yield " ".join(f"case {state}:" for state in states)
            yield from self._steps(follow)
        yield "default:"
        yield from self._steps(default[0])
        yield "} }"
        if self.fuel is Fuel.NONE:  # with one letter no more states are new after so many steps
            steps = f"{STEP}(); " * len(self.automaton.labels)
            yield f"void {END}(void) {{ {steps}__builtin_trap(); }}"
        else:
            yield f"void {END}(void) {{ for (;;) {STEP}(); }}"

    def _choosing(self) -> Iterator[str]:
        """What inputs are once they are chosen."""
        if not self.choices:
            return
        yield f"extern _Bool {CHOSEN};"
        are_chosen = " || ".join((CHOSEN, *(f"{STATE} == {k}" for k in self._behind_choice)))
        blocked = f"if (({are_chosen}) && !holds) {self._violated}"
        yield f"void {ASSUMED}(_Bool holds) {{ {blocked} }}"
        for number, value in enumerate(self.choices):
            same = f"if ({are_chosen}) __VERIFIER_assume(value == ({value or 'value'}));"
            yield f"void {INPUT}{number}(long long value) {{ {same} }}"

    def _letter(self) -> Iterator[str]:
        """Which atoms hold now."""
        if self.choices:
            yield f"if (!{CHOSEN}) {CHOSEN} = {CHOICE}();"
        yield from (f"_Bool atom_{k} = {ATOM}{k}();" for k in range(len(self.atoms)))

    def _alike(self) -> dict[tuple[int, ...], list[int]]:
        """States by their followers."""
        found: dict[tuple[int, ...], list[int]] = {}
        for state, follow in enumerate(self.automaton.follow):
            if state not in self._certain:
                found.setdefault(follow, []).append(state)
        return found or {(): []}

    def _steps(self, follow: Sequence[int]) -> Iterator[str]:
        """The step into one of these states."""
        for k in follow:
            if k in self._certain:
                yield f"if ({self._label(k)}) {self._violated}"
        others = [k for k in follow if k not in self._certain]
        for k in others[:-1]:
            yield f"if ({self._label(k)} && {CHOICE}()) {{ {self._entered(k)} return; }}"
        for k in others[-1:]:
            yield f"__VERIFIER_assume({self._label(k)}); {self._entered(k)} return;"
        if not others:
            yield "__VERIFIER_assume(0); return;"

    def _entered(self, into: int) -> str:
        """The step into a state."""
        if self.fuel is Fuel.NONE:
            fuel = ""
        elif into not in self.automaton.accepting:
            fuel = "__VERIFIER_assume(fuel > 0); fuel--;"
        elif into in self._fuelled:
            fuel = ""
        else:
            fuel = self._given() if self.fuel is Fuel.ANY else f"fuel = {FIXED};"
        return f"{STATE} = {into}; {fuel}"

    def _given(self) -> str:
        return f"fuel = {NUMBER}(); __VERIFIER_assume(fuel >= 0);"

    @property
    def _violated(self) -> str:
        """What shows that no more of the run is needed."""
        return f'{VIOLATED}("formula");' if self.fuel is Fuel.NONE else "for (;;) { }"

    @cached_property
    def _fuelled(self) -> frozenset[int]:
        """The accepting states after which only accepting ones come."""
        found = self.automaton.accepting
        while True:
            left = frozenset(k for k in found if found.issuperset(self.automaton.follow[k]))
            if left == found:
                return found
            found = left

    @cached_property
    def _behind_choice(self) -> list[int]:
        """The states to which no path leads unless inputs are chosen; so they are, in them."""
        chosen = {k for k, label in enumerate(self.automaton.labels) if Literal(CHOSEN) in label}
        edges = {k: () if k in chosen else after for k, after in enumerate(self.automaton.follow)}
        others = reached(self.automaton.first, edges) - chosen
        return [k for k in range(len(self.automaton.labels)) if k not in others]

    @cached_property
    def _certain(self) -> frozenset[int]:
        return certain(self.automaton)

    def _label(self, state: int) -> str:
        """The condition for being in a state."""
        label = sorted(self.automaton.labels[state], key=self._number)
        return " && ".join(map(self._literal, label)) or "1"

    def _literal(self, literal: Literal) -> str:
        return f"{'' if literal.holds else '!'}atom_{self.atoms.index(literal.atom)}"

    def _number(self, literal: Literal) -> int:
        return self.atoms.index(literal.atom)
