"""An automaton as code of the program: C functions that are called when an event happens.

What an automaton knows are static variables, so that all that looks at programs looks at the
automaton as well: engines, replay, traces.  Where there is one automaton for each object, and a
call makes the objects, the code watches one of them: which one, an input chooses when an object is
made.  An error of any object is then an error of the one that some run watches.  Where two calls
may give the same number or address, an input foretells it, so that no object with it is passed
over.  Objects that no event makes have a place each; where all are taken, `FULL` is reached.
Globals whose addresses calls hand to events have the first places, and no run looks for them.
For proofs one of such objects is watched as well, whose address an input foretells (`ONE`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.rules.automaton import (
    NOT_BOUND,
    OTHERS,
    VIOLATED,
    Automaton,
    Transition,
    When,
    matching,
)
from seahorn_py.frontend.rules.guards import condition, differs
from seahorn_py.frontend.rules.sets import FULL, literal, set_code
from seahorn_py.ir.program import BORN

IN_C = "__sea_rule_"
"""Begins the names of the functions that events call, in C: no program can have the real ones."""

CHOICE = "__sea_choice"
"""The function that lets a run choose, in C; it is an arbitrary value that a rule gives."""

NUMBER, ADDRESS = "__sea_number", "__sea_address"
"""The functions that give an arbitrary number and address, in C."""

NOT_WATCHED = "are not watched by a rule"
"""Ends the message of errors where events may have been missed."""

_HEAD = f"""\
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
extern void {VIOLATED}(const char *message);
extern void __VERIFIER_assume(int condition);
extern _Bool {CHOICE}(void);
#define violated(message) {VIOLATED}(message)
extern long long {NUMBER}(void);
extern const void *{ADDRESS}(void);
#define in(set, element) set##_in((const void *)(element))
#define add(set, element) set##_add((const void *)(element))
#define remove(set, element) set##_remove((const void *)(element))
#define empty(set) set##_empty()
"""


_ELEMENT = pattern(r"\b(?:in|add|remove)\(\w+, *(\w+)\)")


@dataclass(frozen=True, slots=True)
class Value:
    """A value that an event hands over: its type in C, and the type in which it is handed over."""

    type: str
    raw: str


@dataclass(frozen=True, slots=True)
class Hook:
    """The function that is called at an event of one function or global.

    `values` has those of the arguments by their positions, and that of the result at `RESULT`.
    `is_arbitrary` says that nothing is known of a result: it may be that of an earlier call.
    """

    symbol: str
    when: When
    name: str
    values: tuple[tuple[int, Value], ...] = ()
    is_arbitrary: bool = False


ONE = 1
"""So many places: one object is watched, whichever it is, where that is enough."""

KEY = "key"

RESULT = -1
"""The position of what a call returns, or what is read or written."""


def place_name(prefix: str, place: int) -> str:
    """The constant, in C, that has the address of a global with a place of its own."""
    return f"{IN_C}{prefix}_place_{place}"


def monitor(
    automaton: Automaton,
    prefix: str,
    hooks: Sequence[Hook],
    places: int,
    missed: str = "",
    settled: int = 0,
) -> str:
    """The C text of an automaton that has places for so many objects and elements of sets.

    Beside these it has places for `settled` globals, whose addresses are in constants.

    Its symbols begin with the prefix; `KEY` behind it is the function that gives an object a place
    before anything is known of the object.  `missed` says which events the automaton may not be
    told of; it is then the message of all errors, for none is certain.
    """
    return "\n".join(_Monitor(automaton, prefix, places, missed, settled).lines(hooks)) + "\n"


def keys(transition: Transition, automaton: Automaton) -> frozenset[int]:
    """The positions of arguments that get a place: objects, and what is asked of sets."""
    text = " ".join((transition.guard, *transition.actions))
    asked = {automaton.per} if automaton.per and not automaton.has_births else set()
    asked.update(_ELEMENT.findall(text))
    return frozenset(k for name, k in positions(transition) if name in asked and k != RESULT)


def positions(transition: Transition) -> Iterator[tuple[str, int]]:
    """The names that are bound, each with the position of its value."""
    event = transition.event
    for k, name in enumerate(event.parameters):
        if name not in (NOT_BOUND, OTHERS):
            yield name, k
    if event.result:
        yield event.result, RESULT


@dataclass(frozen=True)
class _Monitor:
    automaton: Automaton
    prefix: str
    places: int
    missed: str
    settled: int

    def lines(self, hooks: Iterable[Hook]) -> Iterator[str]:
        yield _HEAD
        if self.missed:
            yield "#undef violated"
            yield f"#define violated(message) {VIOLATED}({literal(self.missed)})"
        automaton = self.automaton
        states = ", ".join(f"IN_{state}" for state in automaton.states)
        yield f"enum state {{ {states} }};"
        yield from (f"enum {{ {names} }};" for names in automaton.constants)
        ghosts = [g for g in automaton.ghosts if not g.is_set]
        members = " ".join(f"{g.type} {g.name};" for g in ghosts)
        yield f"struct automaton {{ enum state state; const void *object; {members} }};"
        for ghost in automaton.ghosts:
            if ghost.is_set:
                yield from set_code(ghost.name, self.places)
        yield from self._variables()
        yield from (f"#define {g.name} (self->{g.name})" for g in ghosts)
        for hook in hooks:
            yield from self._hook(hook)
        yield from self._key()

    # ------------------------------------------------------------------------------ what is known

    def _variables(self) -> Iterator[str]:
        values = ", ".join(g.initial for g in self.automaton.ghosts if not g.is_set)
        first = f"IN_{self.automaton.states[0]}, 0" + (f", {values}" if values else "")
        for place in range(self._count):
            yield f"static struct automaton known_{place} = {{ {first} }};"
        if self.automaton.per:
            yield "static int count;"
        for k in self._settled:
            yield f"extern const void *const {place_name(self.prefix, k)}; static _Bool told_{k};"
        if self._watches_one:
            yield "static _Bool tells_address; static const void *address;"
        if self.automaton.has_births:
            yield f"static const struct automaton fresh = {{ {first} }};"
            yield "static _Bool tells_number, tells_address;"
            yield "static long long number; static const void *address;"
            is_known = "return count == 1 && known_0.object == object;"
            yield f"static _Bool {BORN}(const void *object) {{ {is_known} }}"

    @property
    def _count(self) -> int:
        """How many objects are known at a time."""
        return len(self._free) + self.settled if self._has_places else 1

    @property
    def _watches_one(self) -> bool:
        return self.places == ONE and self.automaton.is_of_single_objects

    @property
    def _has_places(self) -> bool:
        """Whether objects that no event makes are told apart."""
        without = self.automaton.has_births or self._watches_one
        return bool(self.automaton.per) and not without

    @property
    def _settled(self) -> range:
        """The places of globals."""
        return range(self.settled)

    @property
    def _free(self) -> range:
        """The places of other objects, as many as `count` says of them."""
        return range(self.settled, self.settled + self.places)

    def _is_known(self, place: int) -> str:
        return f"count > {place - self.settled}"

    def _taken(self, place: int) -> str:
        """What gives an object a place."""
        return f"count = {place - self.settled + 1}; known_{place}.object = object;"

    # ------------------------------------------------------------------------------- what happens

    def _hook(self, hook: Hook) -> Iterator[str]:
        """The function of an event: a step for each value that an object is bound to."""
        transitions = matching(self.automaton, hook.when, hook.name)
        given = ", ".join(f"{value.raw} {_raw(k)}" for k, value in hook.values)
        handed = ", ".join(_raw(k) for k, _ in hook.values)
        told: list[str] = []
        for at, (position, own) in enumerate(self._by_object(transitions)):
            yield from self._told(hook, given, handed, at, position, own)
            told.append(f"at_{at}_{hook.symbol}({handed});")
        yield f"void {IN_C}{hook.symbol}({given or 'void'}) {{ {' '.join(told)} }}"

    def _by_object(
        self, transitions: Iterable[Transition]
    ) -> Iterable[tuple[int | None, list[Transition]]]:
        """Transitions by the position of the object; those without one are about all objects."""
        found: dict[int | None, list[Transition]] = {}
        for transition in transitions:
            of = (k for name, k in positions(transition) if name == self.automaton.per)
            found.setdefault(next(of, None), []).append(transition)
        return found.items()

    def _told(
        self,
        hook: Hook,
        given: str,
        handed: str,
        at: int,
        position: int | None,
        transitions: Sequence[Transition],
    ) -> Iterator[str]:
        own = f"{at}_{hook.symbol}"
        arguments = f", {handed}" if handed else ""
        before = [t for t in transitions if not t.is_birth]
        births = [t for t in transitions if t.is_birth]
        for word, steps in (("before", before), ("step", births if births else before)):
            if steps and (word == "step" or births):
                head = f"struct automaton *self{', ' + given if given else ''}"
                yield f"static _Bool {word}_{own}({head}) {{"
                yield from self._steps(steps, hook)
                yield "return 0; }"
        step = f"step_{own}(&%s{arguments});"
        yield f"static void at_{own}({given or 'void'}) {{"
        if position is not None:
            yield f"const void *object = {self._object(position, hook)};"
            yield "if (object == 0) return;"
            if births:
                first = f"before_{own}(&known_0{arguments})" if before else "0"
                yield from self._born(step, first, position, hook)
            else:
                yield from self._found(step)
        else:
            yield from self._of_all(step)
        yield "}"

    def _object(self, position: int, hook: Hook) -> str:
        """The object that a value names, null for none.  Addresses never become numbers."""
        none = self.automaton.nothing
        if dict(hook.values)[position].raw == "void *" and none == 0:
            return _raw(position)
        return f"(const void *)((intptr_t){_raw(position)} - ({none}))"

    def _of_all(self, step: str) -> Iterator[str]:
        """An event that is about all objects."""
        if self._has_places:
            for place in self._settled:
                yield f"if (told_{place}) {step % f'known_{place}'}"
            for place in self._free:
                yield f"if ({self._is_known(place)}) {step % f'known_{place}'}"
        elif self.automaton.per:
            yield f"if (count > 0) {step % 'known_0'}"
        else:
            yield step % "known_0"

    def _born(self, step: str, before: str, position: int, hook: Hook) -> Iterator[str]:
        """An object is made: it may be the one that is watched from here on.

        What is said of an object that had its address is said before.
        """
        yield f"if ({BORN}(object)) {{"
        yield f"if ({before}) return; known_0 = fresh; known_0.object = object; }}"
        is_number = dict(hook.values)[position].raw != "void *"
        chosen = f"{CHOICE}()"
        if is_number or hook.is_arbitrary:
            word, given = ("number", NUMBER) if is_number else ("address", ADDRESS)
            yield f"if (!tells_{word}) {{ tells_{word} = 1; {word} = {given}(); }}"
            chosen = f"{word} == {_raw(position)}"
        yield f"if (count == 0 && {chosen}) {{ count = 1; known_0.object = object; }}"
        yield f"if ({BORN}(object)) {step % 'known_0'}"

    def _found(self, step: str) -> Iterator[str]:
        """What is known of an object makes the step; one that is new gets a place."""
        if self._watches_one:
            yield from self._foretold()
            yield f"if (object == address) {{ count = 1; {step % 'known_0'} }}"
            return
        if self.automaton.has_births:
            yield f"if ({BORN}(object)) {{ {step % 'known_0'} return; }}"
            return
        for place in self._settled:
            own = f"told_{place} = 1; {step % f'known_{place}'} return;"
            yield f"if (object == {place_name(self.prefix, place)}) {{ {own} }}"
        for place in self._free:
            known = f"known_{place}"
            found = f"{self._is_known(place)} && {known}.object == object"
            yield f"if ({found}) {{ {step % known} return; }}"
        for place in self._free:
            taken = f"{self._taken(place)} {step % f'known_{place}'} return;"
            yield f"if (count == {place - self.settled}) {{ {taken} }}"
        yield f"{VIOLATED}({literal(FULL)});"

    @staticmethod
    def _foretold() -> Iterator[str]:
        yield f"if (!tells_address) {{ tells_address = 1; address = {ADDRESS}(); }}"

    def _key(self) -> Iterator[str]:
        """The function that gives an object a place, if there is one left."""
        yield f"void {IN_C}{self.prefix}_{KEY}(const void *object) {{"
        yield "if (object == 0) return;"
        for ghost in self.automaton.ghosts:
            if ghost.is_set:
                yield f"{ghost.name}_keep(object);"
        if self._watches_one:
            yield from self._foretold()
            yield "if (object == address) count = 1;"
        if self._has_places:
            for place in self._settled:
                own = f"told_{place} = 1; return;"
                yield f"if (object == {place_name(self.prefix, place)}) {{ {own} }}"
            for place in self._free:
                yield f"if ({self._is_known(place)} && known_{place}.object == object) return;"
            for place in self._free:
                taken = f"{self._taken(place)} return;"
                yield f"if (count == {place - self.settled}) {{ {taken} }}"
        yield "}"

    def _steps(self, transitions: Sequence[Transition], hook: Hook) -> Iterator[str]:
        """The first transition that fits, or a later one where a run may choose."""
        values = dict(hook.values)
        for at, transition in enumerate(transitions):
            bound = [
                f"{values[k].type} {name} = ({values[k].type}){_raw(k)};"
                for name, k in positions(transition)
            ]
            fits = condition(transition)
            if transition.is_choice:
                later = [
                    f"({condition(t)})"
                    for t in transitions[at + 1 :]
                    if t.is_choice and t.event == transition.event and differs(t, transition)
                ]
                if later:
                    fits += f" && (!({' || '.join(later)}) || {CHOICE}())"
            yield f"{{ {' '.join(bound)} if ({fits}) {{"
            yield from self._effects(transition)
            yield "return 1; } }"

    def _effects(self, transition: Transition) -> Iterator[str]:
        if transition.error:
            yield f"{VIOLATED}({literal(self.missed or transition.error)});"
        if transition.blocks:
            yield "__VERIFIER_assume(0);"
        for action in transition.actions:
            yield action if action.rstrip().endswith((";", "}")) else f"{action};"
        if transition.target:
            yield f"self->state = IN_{transition.target};"


def _raw(position: int) -> str:
    return "__sea_raw_result" if position == RESULT else f"__sea_raw_{position}"
