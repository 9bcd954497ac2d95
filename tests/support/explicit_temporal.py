"""Boolean programs and formulas, state by state: nothing of it is shared with the engine.

A state is a stack of activations, each a procedure, a place in it and its variables, and the values
of globals.  Formulas are tuples: ("U", left, right), ("atom", text), ("A", path).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random
from typing import Any

from seahorn_py.engines.boolean.expressions import (
    TRUE,
    UNKNOWN,
    And,
    Choose,
    Expression,
    Iff,
    Name,
    Not,
    Or,
)
from seahorn_py.engines.boolean.programs import (
    Assert,
    Assign,
    Assume,
    BooleanProgram,
    Call,
    Goto,
    Return,
    Skip,
)

Formula = tuple[Any, ...]
Frame = tuple[str, int, tuple[bool, ...]]
State = tuple[tuple[Frame, ...], tuple[bool, ...]]
"""Without frames it is behind the end."""

Graph = dict[State, list[State]]


# ----------------------------------------------------------------------------------------- programs


def values(expression: Expression, known: Mapping[str, bool]) -> set[bool]:
    """The values that an expression may have."""
    match expression:
        case Name(name):
            return {known[name]}
        case Not(argument):
            return {not value for value in values(argument, known)}
        case And(parts):
            return {all(chosen) for chosen in product(*(values(p, known) for p in parts))}
        case Or(parts):
            return {any(chosen) for chosen in product(*(values(p, known) for p in parts))}
        case Iff(one, other):
            return {a == b for a, b in product(values(one, known), values(other, known))}
        case Choose(one, other):
            found: set[bool] = set()
            for true, false in product(values(one, known), values(other, known)):
                found |= {True} if true else {False} if false else {True, False}
            return found
    return {True, False} if expression == UNKNOWN else {expression == TRUE}


class Machine:
    """The steps of a program."""

    def __init__(self, program: BooleanProgram) -> None:
        self.program = program
        self.procedures = {p.name: p for p in program.procedures}

    def first(self) -> Iterator[State]:
        for chosen in product((False, True), repeat=len(self.program.globals)):
            yield from self._entered((), self.program.entry, None, chosen)

    def after(self, state: State) -> Iterator[State]:  # noqa: C901 - a flat match
        """The states that are one step on."""
        frames, outer = state
        if not frames:
            yield state
            return
        (name, place, own), below = frames[-1], frames[:-1]
        procedure, known = self.procedures[name], self.known(state)
        if place == len(procedure.body):
            if procedure.results == 0:
                yield from self._left(below, (), outer)
            return
        action = procedure.body[place].action
        on = (*below, (name, place + 1, own))
        match action:
            case Skip():
                yield from self._kept((on, outer))
            case Assume(condition):
                if True in values(condition, known):
                    yield from self._kept((on, outer))
            case Assert(condition):
                found = values(condition, known)
                if True in found:
                    yield from self._kept((on, outer))
                if False in found:
                    yield ((), outer)
            case Goto(labels):
                for label in labels:
                    at = next(k for k, s in enumerate(procedure.body) if label in s.labels)
                    yield from self._kept(((*below, (name, at, own)), outer))
            case Assign(names, new):
                for chosen in product(*(values(value, known) for value in new)):
                    yield from self._kept(self._set((on, outer), names, chosen))
            case Return(new):
                for chosen in product(*(values(value, known) for value in new)):
                    yield from self._left(below, chosen, outer)
            case Call(_, callee, arguments):
                for chosen in product(*(values(value, known) for value in arguments)):
                    yield from self._entered(frames, callee, chosen, outer)

    def known(self, state: State) -> dict[str, bool]:
        frames, outer = state
        found = dict(zip(self.program.globals, outer, strict=True))
        if frames:
            procedure = self.procedures[frames[-1][0]]
            names = (*procedure.parameters, *procedure.locals)
            found |= zip(names, frames[-1][2], strict=True)
        return found

    def holds(self, atom: str, state: State) -> bool:
        """Atoms are globals, and variables and labels of procedures."""
        frames, _ = state
        known = self.known(state)
        procedure, dot, inner = atom.partition(".")
        if not dot:
            return known[atom]
        if not frames or frames[-1][0] != procedure:
            return False
        body, place = self.procedures[procedure].body, frames[-1][1]
        if inner in known:
            return known[inner]
        return place < len(body) and inner in body[place].labels

    def _entered(
        self, frames: tuple[Frame, ...], name: str, given: Any, outer: tuple[bool, ...]
    ) -> Iterator[State]:
        procedure = self.procedures[name]
        free = len(procedure.locals) + (len(procedure.parameters) if given is None else 0)
        for chosen in product((False, True), repeat=free):
            yield from self._kept(((*frames, (name, 0, (*(given or ()), *chosen))), outer))

    def _left(
        self, below: tuple[Frame, ...], results: tuple[bool, ...], outer: tuple[bool, ...]
    ) -> Iterator[State]:
        if not below:
            yield ((), outer)
            return
        name, place, own = below[-1]
        call = self.procedures[name].body[place].action
        assert isinstance(call, Call)
        state = ((*below[:-1], (name, place + 1, own)), outer)
        names = call.names
        yield from self._kept(self._set(state, names, results[: len(names)]))

    def _set(self, state: State, names: tuple[str, ...], chosen: tuple[bool, ...]) -> State:
        frames, _ = state
        known = self.known(state) | dict(zip(names, chosen, strict=True))
        name, place, _ = frames[-1]
        procedure = self.procedures[name]
        own = tuple(known[v] for v in (*procedure.parameters, *procedure.locals))
        changed = tuple(known[v] for v in self.program.globals)
        return ((*frames[:-1], (name, place, own)), changed)

    def _kept(self, state: State) -> Iterator[State]:
        enforced = self.procedures[state[0][-1][0]].enforce
        if values(enforced, self.known(state)) == {True}:
            yield state


def explored(
    program: BooleanProgram, most: int, deepest: int
) -> tuple[Machine, Graph, list[State]]:
    """All states from which a run goes on for ever, and the first ones; ValueError if too many."""
    machine = Machine(program)
    graph: Graph = {}
    waiting = list(machine.first())
    while waiting:
        state = waiting.pop()
        if state in graph:
            continue
        if len(graph) > most or len(state[0]) > deepest:
            raise ValueError("too many states")
        graph[state] = list(dict.fromkeys(machine.after(state)))
        waiting += graph[state]
    while True:
        dead = {state for state, after in graph.items() if not after}
        if not dead:
            return machine, graph, [state for state in machine.first() if state in graph]
        graph = {
            state: [a for a in after if a not in dead]
            for state, after in graph.items()
            if state not in dead
        }


# ----------------------------------------------------------------------------------------- formulas


def text_of(formula: Formula) -> str:
    match formula:
        case ("atom", name):
            return f'"{name}"'
        case (("!" | "X" | "F" | "G") as sign, inner):
            return f"{sign} ({text_of(inner)})"
        case (("A" | "E") as sign, path):
            return f"{sign} ({text_of(path)})"
        case (sign, left, right):
            return f"({text_of(left)}) {sign} ({text_of(right)})"
    raise AssertionError(formula)


def drawn_linear(random: Random, atoms: list[str], size: int) -> Formula:
    """A formula of LTL with so many operators and atoms."""
    if size <= 1:
        return ("atom", random.choice(atoms))
    if size == 2 or random.random() < 0.4:
        return (random.choice("!XFG"), drawn_linear(random, atoms, size - 1))
    left = random.randrange(1, size - 1)
    sign = random.choice(["&&", "||", "==>", "U", "R", "W"])
    sides = drawn_linear(random, atoms, left), drawn_linear(random, atoms, size - 1 - left)
    return (sign, *sides)


def drawn_branching(random: Random, atoms: list[str], size: int) -> Formula:
    """A formula of CTL with so many operators and atoms."""
    if size <= 1:
        return ("atom", random.choice(atoms))
    if size == 2 or random.random() < 0.4:
        inner = drawn_branching(random, atoms, size - 1)
        sign = random.choice("!XFGXFG")
        return ("!", inner) if sign == "!" else (random.choice("AE"), (sign, inner))
    left = random.randrange(1, size - 1)
    sides = drawn_branching(random, atoms, left), drawn_branching(random, atoms, size - 1 - left)
    sign = random.choice(["&&", "||", "U", "R", "W"])
    formula = (sign, *sides)
    return formula if sign in ("&&", "||") else (random.choice("AE"), formula)


def plain(formula: Formula) -> Formula:
    """The formula by !, &&, X, U, A and E."""
    match formula:
        case ("atom", _) | ("true",):
            return formula
        case ("F", inner):
            return ("U", ("true",), plain(inner))
        case ("G", inner):
            return ("!", plain(("F", ("!", inner))))
        case ("||", left, right):
            return ("!", ("&&", ("!", plain(left)), ("!", plain(right))))
        case ("==>", left, right):
            return plain(("||", ("!", left), right))
        case ("R", left, right):
            return ("!", ("U", ("!", plain(left)), ("!", plain(right))))
        case ("W", left, right):
            return plain(("||", ("U", left, right), ("G", left)))
    return (formula[0], *(plain(part) for part in formula[1:]))


def branching_states(  # noqa: C901 - a flat match
    machine: Machine, graph: Graph, formula: Formula
) -> set[State]:
    """The states that fulfil a formula of CTL."""
    every = set(graph)

    def inside(part: Formula) -> set[State]:
        return branching_states(machine, graph, part)

    match formula:
        case ("atom", name):
            return {state for state in graph if machine.holds(name, state)}
        case ("!", inner):
            return every - inside(inner)
        case ("&&", left, right):
            return inside(left) & inside(right)
        case ("||", left, right):
            return inside(left) | inside(right)
        case ("A", (sign, inner)):
            dual = {"X": "X", "F": "G", "G": "F"}[sign]
            return every - inside(("E", (dual, ("!", inner))))
        case ("A", ("U", left, right)):
            return every - inside(("E", ("R", ("!", left), ("!", right))))
        case ("A", ("R", left, right)):
            return every - inside(("E", ("U", ("!", left), ("!", right))))
        case (quantifier, ("W", left, right)):
            return inside((quantifier, ("R", right, ("||", left, right))))
        case ("E", ("X", inner)):
            return {state for state, after in graph.items() if inside(inner) & set(after)}
        case ("E", ("F", inner)):
            return _fixpoint(graph, every, inside(inner), set())
        case ("E", ("G", inner)):
            return _fixpoint(graph, inside(inner), set(), every)
        case ("E", ("U", left, right)):
            return _fixpoint(graph, inside(left), inside(right), set())
        case ("E", ("R", left, right)):
            return _fixpoint(graph, inside(right), inside(left) & inside(right), every)
    raise AssertionError(formula)


def _fixpoint(graph: Graph, held: set[State], met: set[State], found: set[State]) -> set[State]:
    """States that are met, or held with a next one that is found; from `found` on."""
    while True:
        new = {s for s, after in graph.items() if s in met or (s in held and found & set(after))}
        if new == found:
            return found
        found = new


def is_violated(  # noqa: C901 - the tableau in one place
    machine: Machine, graph: Graph, first: list[State], formula: Formula
) -> bool:
    """Whether some run does not fulfil a formula of LTL, by all guesses of what holds later.

    O. Lichtenstein, A. Pnueli: "Checking that finite state concurrent programs satisfy their linear
    specification", POPL 1985.
    """
    wanted = ("!", plain(formula))
    later = list(dict.fromkeys(_later(wanted)))
    guesses = [dict(zip(later, g, strict=True)) for g in product((False, True), repeat=len(later))]

    def holds(part: Formula, state: State, guess: int) -> bool:
        match part:
            case ("true",):
                return True
            case ("atom", name):
                return machine.holds(name, state)
            case ("!", inner):
                return not holds(inner, state, guess)
            case ("&&", left, right):
                return holds(left, state, guess) and holds(right, state, guess)
        return guesses[guess][part]

    def promised(state: State, guess: int) -> tuple[bool | None, ...]:
        """What each guess says of the next state; None where it says nothing of it."""
        found: list[bool | None] = []
        for part in later:
            now = guesses[guess][part]
            if part[0] == "X":
                found.append(now)
            elif holds(part[2], state, guess) or not holds(part[1], state, guess):
                if now != holds(part[2], state, guess):
                    return ()
                found.append(None)
            else:
                found.append(now)
        return tuple(found)

    def kept(state: State, guess: int) -> tuple[bool, ...]:
        return tuple(
            holds(part[1], state, guess) if part[0] == "X" else guesses[guess][part]
            for part in later
        )

    nodes: dict[tuple[State, int], tuple[bool | None, ...]] = {}
    said: dict[tuple[State, tuple[bool, ...]], list[int]] = {}
    for state in graph:
        for guess in range(len(guesses)):
            promise = promised(state, guess)
            if len(promise) == len(later):
                nodes[state, guess] = promise
                said.setdefault((state, kept(state, guess)), []).append(guess)
    edges = {}
    for (state, guess), promise in nodes.items():
        choices = [(False, True) if p is None else (p,) for p in promise]
        edges[state, guess] = [
            (after, other)
            for after in graph[state]
            for chosen in product(*choices)
            for other in said.get((after, chosen), ())
        ]
    begun = [n for n in nodes if n[0] in set(first) and holds(wanted, *n)]
    reached, waiting = set(begun), list(begun)
    while waiting:
        for node in edges[waiting.pop()]:
            if node not in reached:
                reached.add(node)
                waiting.append(node)
    return any(
        all(
            any(not guesses[g][u] or holds(u[2], s, g) for s, g in part)
            for u in later
            if u[0] == "U"
        )
        for part in _cycles(reached, edges)
    )


def _later(formula: Formula) -> Iterator[Formula]:
    for part in formula[1:]:
        if isinstance(part, tuple):
            yield from _later(part)
    if formula[0] in ("X", "U"):
        yield formula


def _cycles(nodes: set[Any], edges: Mapping[Any, list[Any]]) -> Iterator[list[Any]]:
    """The strongly connected parts with a cycle (Tarjan 1972), by a stack of iterators."""
    number: dict[Any, int] = {}
    low: dict[Any, int] = {}
    path: list[Any] = []
    for root in nodes:
        if root in number:
            continue
        work = [(root, iter(edges[root]))]
        number[root] = low[root] = len(number)
        path.append(root)
        while work:
            node, after = work[-1]
            other = next(after, None)
            if other is None:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == number[node]:
                    part = []
                    while not part or part[-1] != node:
                        part.append(path.pop())
                        low[part[-1]] = len(edges) * 2 + 1
                    if len(part) > 1 or node in edges[node]:
                        yield part
            elif other not in number:
                number[other] = low[other] = len(number)
                path.append(other)
                work.append((other, iter(edges[other])))
            else:
                low[node] = min(low[node], low[other])


# ---------------------------------------------------------------------------------- random programs


def drawn_program(random: Random) -> str:
    """A program of up to three procedures, of which some call others or themselves."""
    names = ["main", "f", "g"][: random.choice([1, 2, 2, 3, 3])]
    texts = [_procedure(random, name, names) for name in names]
    return "decl x, y;\n" + "\n".join(texts)


def _procedure(random: Random, name: str, names: list[str]) -> str:
    parameters = "" if name == "main" else "p"
    own = ["x", "y", *(["p"] if parameters else []), *(["v"] if random.random() < 0.4 else [])]
    declared = "decl v;\n" if "v" in own else ""
    enforce = "enforce !(x & y);\n" if random.random() < 0.1 else ""
    body = _block(random, own, names, name, 2)
    if random.random() < 0.5:
        body += f"L: {_simple(random, own)}\n"
    if random.random() < 0.2 and "L: " in body:
        body += "goto L;\n"
    kind, last = ("void", "") if name != "g" else ("bool", f"return {_expression(random, own)};\n")
    return f"{kind} {name}({parameters}) begin\n{declared}{enforce}{body}{last}end"


def _block(random: Random, own: list[str], names: list[str], here: str, depth: int) -> str:
    count = random.randrange(1, 4)
    return "".join(_statement(random, own, names, here, depth) for _ in range(count))


def _statement(random: Random, own: list[str], names: list[str], here: str, depth: int) -> str:
    choice = random.randrange(9)
    condition = _expression(random, own) if random.random() < 0.6 else "*"
    if choice == 0 and depth:
        other = _block(random, own, names, here, depth - 1) if random.random() < 0.5 else "skip;"
        then = _block(random, own, names, here, depth - 1)
        return f"if ({condition}) then {then} else {other} fi\n"
    if choice == 1 and depth:
        return f"while ({condition}) do {_block(random, own, names, here, depth - 1)} od\n"
    if choice == 2:
        return f"{random.choice(['assume', 'assert'])}({_expression(random, own)} | x);\n"
    if choice in (3, 4, 5):
        called = random.choice(names)
        if called == "main":
            return "skip;\n" if random.random() < 0.8 else "main();\n"
        given = _expression(random, own)
        result = f"{random.choice(own)} := " if called == "g" and random.random() < 0.8 else ""
        return f"{result}{called}({given});\n"
    return _simple(random, own) + "\n"


def _simple(random: Random, own: list[str]) -> str:
    if random.random() < 0.3:
        one, other = random.sample(own, 2)
        return f"{one}, {other} := {_expression(random, own)}, {_expression(random, own)};"
    return f"{random.choice(own)} := {_expression(random, own)};"


def _expression(random: Random, own: list[str]) -> str:
    one, other = random.choice([*own, "1", "0"]), random.choice(own)
    both = f"{one} & {other}", f"{one} | !{other}", f"{one} = {other}", f"choose({one}, {other})"
    return random.choice([one, f"!{other}", *both, "*"])


def atoms_of(program: BooleanProgram) -> list[str]:
    """Globals, and the variables and labels of procedures."""
    found = list(program.globals)
    for procedure in program.procedures:
        own = (*procedure.parameters, *procedure.locals)
        labels = (label for statement in procedure.body for label in statement.labels)
        found += [f"{procedure.name}.{name}" for name in (*own, *labels)]
    return found
