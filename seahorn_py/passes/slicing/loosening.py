"""Less of a program than decides its checks: a proof for it is one for the program.

The slice of M. Weiser ("Program slicing", IEEE TSE 10(4), 1984) without regard to runs that do not
end: a branch on which nothing depends that matters is a jump to where its ways meet, so that loops
in between are gone.  Beyond that values are left *open*, which makes them inputs (R. P. Kurshan:
"Computer-Aided Verification of Coordinating Processes", 1994, localization reduction).  What is
*close* is always followed: the questions of an automaton that watches the program, and the values
that they are about.  Of other values `Following` says which.

    what matters -> `loosening_marks`;  the program of it -> `_Rest`

The new program has all failing runs of the old one and more; an error in it may be none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from seahorn_py.base.errors import Span
from seahorn_py.ir.program import (
    Bind,
    Block,
    Branch,
    Call,
    Function,
    Input,
    Jump,
    Operand,
    Program,
    Register,
    Return,
    Site,
    SiteKind,
    Statement,
    Stop,
    StopKind,
    Terminator,
)
from seahorn_py.ir.traverse import results, targets
from seahorn_py.ir.types import Type
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.simplify.blocks import drop_unreachable
from seahorn_py.passes.slicing.dependence import EXIT
from seahorn_py.passes.slicing.loosening_marks import Following, Marks, is_in_form
from seahorn_py.passes.slicing.slicing import slice_program


def loosened(
    program: Program, is_watcher: Callable[[Span | None], bool], following: Following
) -> Program | None:
    """The program with what is close and is followed; None if it has calls or memory left.

    `is_watcher` says whether a place is in the code that watches the program.
    The program is in encoding form, before and after.
    """
    if not is_in_form(program, following):
        return None
    marks = Marks(program, is_watcher, following)
    marks.mark()
    rest = _Rest(program, marks)
    functions = {name: rest.function(program.functions[name]) for name in marks.kept}
    loose = replace(program, functions=functions, sites=(*program.sites, *rest.sites))
    made = isolate_calls(slice_program(loose))
    used = {
        s.site.number
        for f in made.functions.values()
        for b in f.blocks
        for s in b.statements
        if isinstance(s, Input)
    }
    added = (site for site in rest.sites if site.number in used)
    return replace(made, sites=(*program.sites, *added))


class _Rest:
    """Writes what is left of each function; `sites` are the new inputs."""

    def __init__(self, program: Program, marks: Marks) -> None:
        self._program = program
        self._marks = marks
        self._next = 1 + max((site.number for site in program.sites), default=0)
        self.sites: list[Site] = []

    def function(self, function: Function) -> Function:
        """The part of the function that matters."""
        left_out = self._marks.left_out(function.name)
        blocks = [self._block(function.name, b) for b in function.blocks if b.label not in left_out]
        return drop_unreachable(replace(function, blocks=tuple(blocks)))

    def _block(self, name: str, block: Block) -> Block:
        needed = self._marks.needed[name]
        phis = [phi for phi in block.phis if phi.result in needed]
        opened = [phi.result for phi in phis if self._marks.is_open(name, phi.result)]
        statements: list[Statement] = [self._any(result) for result in opened]
        for statement in block.statements:
            statements += self._statement(name, statement)
        ends, terminator = self._end(name, block)
        kept = tuple(phi for phi in phis if phi.result not in opened)
        return Block(block.label, kept, (*statements, *ends), terminator)

    def _statement(self, name: str, statement: Statement) -> Iterator[Statement]:
        needed = self._marks.needed[name]
        if isinstance(statement, Bind):
            lost = isinstance(statement.value, Register) and statement.value not in needed
            yield replace(statement, value=None) if lost else statement
        elif any(self._marks.is_open(name, r) for r in results(statement)):
            yield from (self._any(r) for r in results(statement) if r in needed)
        elif isinstance(statement, Call):
            if self._marks.is_kept(name, statement):
                made, arguments = self._given(name, statement.arguments)
                yield from made
                yield replace(statement, arguments=arguments)
        elif not needed.isdisjoint(results(statement)):
            yield statement

    def _end(self, name: str, block: Block) -> tuple[list[Statement], Terminator]:
        end = block.terminator
        if isinstance(end, Return):
            made, values = self._given(name, end.values)
            return made, replace(end, values=values)
        if not isinstance(end, Branch):
            return [], end
        ways = [t for t in targets(end) if t not in self._marks.left_out(name)]
        if len(ways) == 1:
            return [], Jump(ways[0], end.origin)
        if block.label not in self._marks.branches[name]:
            meeting = self._marks.dependences[name].meets.get(block.label, EXIT)
            if meeting == EXIT:
                return [], Stop(StopKind.END, end.origin)
            return [], Jump(meeting, end.origin)
        return [], end

    def _given(
        self, name: str, values: tuple[Operand, ...]
    ) -> tuple[list[Statement], tuple[Operand, ...]]:
        """The values, with inputs in the place of those that do not matter."""
        made: list[Statement] = []
        given: list[Operand] = []
        for value in values:
            if isinstance(value, Register) and value not in self._marks.needed[name]:
                value = Register(f"{value.name}.{self._next}.any", value.type)
                made.append(self._any(value))
            given.append(value)
        return made, tuple(given)

    def _any(self, result: Register) -> Input:
        return Input(result, self._site(result.type))

    def _site(self, kind: Type) -> Site:
        origin = self._program.functions[self._program.entry].origin
        name, text = "what is not followed", str(kind)
        site = Site(self._next, SiteKind.HAVOC, kind, name, text, origin, native=False)
        self._next += 1
        self.sites.append(site)
        return site
