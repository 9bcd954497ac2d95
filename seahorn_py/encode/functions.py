"""The rules of one function: regions, calls, checks and obligations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from seahorn_py.base.errors import InternalError, Origin
from seahorn_py.encode.builder import Builder, Findings, Question
from seahorn_py.encode.effects.effects import translate
from seahorn_py.encode.integers.wrapping import WrapPolicy, operation_id, where
from seahorn_py.encode.machine import Mode
from seahorn_py.encode.names import register_names
from seahorn_py.encode.paths import Path, Walk, path_to_block, path_to_cut
from seahorn_py.encode.relations import FunctionRelations, origin_of
from seahorn_py.encode.relevance import demands
from seahorn_py.encode.whole_program import Related, WholeProgram
from seahorn_py.horn.ledger import LedgerEntry
from seahorn_py.horn.system import Atom, Check, CheckId, Obligation, OperationId, Query, Rule
from seahorn_py.ir.algebra import signed
from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.program import (
    Call,
    CheckSite,
    Fail,
    Function,
    IntConst,
    Operand,
    Phi,
    Register,
    Return,
    Stop,
    StopKind,
)
from seahorn_py.passes.cuts import ControlRegion, call_of, regions

V = TypeVar("V")

REPEATED_BLOCKS = 20_000
"""How many blocks the obligations of a function may repeat."""

STATEMENTS = 10
"""A long block counts as one block for every so many statements."""


class FunctionRules(Generic[V]):
    """Builds the rules of a function; `relations` are those of all functions."""

    def __init__(
        self,
        whole: WholeProgram[V],
        function: Function,
        relations: Mapping[str, FunctionRelations],
        ledger: dict[LedgerEntry, None],
    ) -> None:
        self._whole = whole
        self._function = function
        self._relations = relations
        self._own = relations[function.name]
        self._blocks = blocks_by_label(function)
        self._policy = WrapPolicy(function, whole.options, whole.wrapping)
        self._names = register_names(function)
        self._ledger = ledger

    def rules(self) -> tuple[Rule, ...]:
        """All of them, region by region.

        Each obligation repeats the formula of the blocks before it.  Where that would make a
        quadratic amount of text, all cases are written out instead.
        """
        found = self._all_rules()
        if found is None:
            options = replace(self._whole.options, split_all=True)
            self._policy = WrapPolicy(self._function, options, self._whole.wrapping)
            found = self._all_rules()
        if found is None:
            raise InternalError(f"{self._function.name}: obligations after all cases are split")
        return found

    def _all_rules(self) -> tuple[Rule, ...] | None:
        """The rules; None when their obligations are too much."""
        rules: list[Rule] = []
        repeated = 0
        for region in regions(self._function, small=self._whole.options.small_steps):
            call = call_of(self._blocks[region.start])
            if call is not None:
                rules.append(self._context(region.start, call))
            findings = Findings(self._ledger)
            for rule in self._leading_on(region, findings):
                rules.append(rule)
                if repeated + self._repeated(region, findings) > REPEATED_BLOCKS:
                    return None
            repeated += self._repeated(region, findings)
            rules.extend(self._questions(region, findings))
        return tuple(rules)

    def _repeated(self, region: ControlRegion, findings: Findings) -> int:
        """How many blocks the obligations of a region repeat, at most."""
        questions = findings.questions.values()
        statements = sum(len(self._blocks[label].statements) for label in region.blocks)
        blocks = max(len(region.blocks), statements // STATEMENTS)
        return blocks * sum(q.mode is Mode.OBLIGATION for q in questions)

    def _leading_on(self, region: ControlRegion, findings: Findings) -> Iterator[Rule]:
        """The rules to the ends of a region."""
        for end in region.ends:
            yield self._step(region, end, findings)
        for label in region.blocks:
            yield from self._leaving(region, label, findings)

    def _questions(self, region: ControlRegion, findings: Findings) -> Iterator[Rule]:
        """A rule for each operation that may wrap in the region."""
        asked: set[str] = set()
        while pending := [name for name in findings.questions if name not in asked]:
            asked.update(pending)
            for name in pending:
                yield self._question(region, findings.questions[name], findings)

    def _builder(self, start: str, findings: Findings) -> Builder[V]:
        """A rule that begins at the start of a region, or after the call it begins with."""
        builder = Builder(self._whole, self._function, self._policy, findings)
        builder.premise(self._own.starting(start))
        call = call_of(self._blocks[start])
        if call is not None:
            self._join(builder, call)
        return builder

    def _join(self, builder: Builder[V], call: Call) -> None:
        """The summary of the function called: its arguments, and results that are bound by it."""
        summary = self._callee(call).exit
        numbers = self._whole.relevance.returns(self._whole.program.functions[str(call.callee)])
        for register in call.results:
            builder.hold(register, builder.local(register))
        values = [*self._arguments(call), *(call.results[k] for k in numbers)]
        builder.body.append(builder.head(summary, values))

    def _callee(self, call: Call) -> FunctionRelations:
        found = self._relations.get(call.callee) if isinstance(call.callee, str) else None
        if found is None:
            raise InternalError(f"{self._function.name}: call of {call.callee}, which has no body")
        return found

    def _arguments(self, call: Call) -> list[Operand]:
        """The arguments that the relations of the function called carry."""
        callee = self._whole.program.functions[str(call.callee)]
        carried = self._whole.carried(callee.name)
        pairs = zip(callee.parameters, call.arguments, strict=True)
        return [argument for parameter, argument in pairs if parameter in carried]

    def _context(self, label: str, call: Call) -> Rule:
        """The function called is entered with the values at the call."""
        callee = self._callee(call)
        builder = Builder(self._whole, self._function, self._policy, Findings(self._ledger))
        related = self._own.starting(label)
        builder.premise(related)
        builder.at(call)
        head = builder.head(callee.entry, self._arguments(call))
        name = f"{related.relation.name} calls {head.relation}"
        return builder.rule(name, head, call.origin)

    def _step(self, region: ControlRegion, end: str, findings: Findings) -> Rule:
        """From the start of a region to a cut point."""
        path = path_to_cut(region, end)
        target = self._own.blocks[end]
        phis = {phi.result: phi for phi in self._blocks[end].phis}
        last = {source for source, to in path.edges if to == end}
        roots: list[Operand] = []
        for register in target.cut.registers:
            phi = phis.get(register)
            incoming = () if phi is None else phi.incoming
            roots.extend(value for source, value in incoming if source in last)
            if phi is None:
                roots.append(register)
        builder = self._builder(region.start, findings)
        walk = Walk(builder, path, self._blocks, roots)
        walk.run()
        head = self._arrive(builder, walk, target, phis)
        name = f"{self._own.starting(region.start).relation.name} -> {head.relation}"
        return builder.rule(name, head, self._origin(region.start))

    def _arrive(
        self,
        builder: Builder[V],
        walk: Walk[V],
        target: Related,
        phis: Mapping[Register, Phi],
    ) -> Atom:
        """The atom of a cut point just after its phis."""
        arguments = []
        for register, _, shape in target.parameters:
            incoming = walk.arriving(phis[register]) if register in phis else {"": register}
            values = set(incoming.values())
            if len(values) == 1:
                arguments.append(builder.term(values.pop(), shape))
                continue
            symbol = builder.local(register, "!next")
            walk.merge(target.cut.label, symbol, shape, incoming)
            arguments.append(symbol)
        return Atom(target.relation.name, tuple(arguments))

    def _leaving(self, region: ControlRegion, label: str, findings: Findings) -> Iterator[Rule]:
        """A return gives the summary its fact; a failing check answers its query."""
        match self._blocks[label].terminator:
            case Return(values=values):
                numbers = self._whole.relevance.returns(self._function)
                returned = [
                    *self._whole.carried(self._function.name),
                    *(values[k] for k in numbers),
                ]
                path = path_to_block(region, label)
                builder = self._walked(region, path, returned, findings)
                head = builder.head(self._own.exit, returned)
                name = self._named(region, f"{head.relation} at {label}")
                yield builder.rule(name, head, self._origin(region.start))
            case Fail(check=check):
                builder = self._walked(region, path_to_block(region, label), (), findings)
                name = self._named(region, f"check {check.number} at {label}")
                yield builder.rule(name, check_query(check), self._origin(region.start))
            case Stop(kind=StopKind.EXHAUSTED) if self._whole.asks_for_room:
                builder = self._walked(region, path_to_block(region, label), (), findings)
                name = self._named(region, f"no room at {label}")
                yield builder.rule(name, self._no_room(label), self._origin(region.start))
            case _:
                return

    def _no_room(self, label: str) -> Query:
        """The obligation that there are addresses for an object."""
        name = self._function.name
        text = "addresses do not run out"
        operation = OperationId(name, label, text, origin_of(self._blocks[label]))
        return Query(f"obligation.{name}.{label}", Obligation(operation))

    def _walked(
        self, region: ControlRegion, path: Path, roots: Sequence[Operand], findings: Findings
    ) -> Builder[V]:
        builder = self._builder(region.start, findings)
        Walk(builder, path, self._blocks, roots).run()
        return builder

    def _question(self, region: ControlRegion, question: Question, findings: Findings) -> Rule:
        """Whether an operation can wrap, under the path condition up to it only."""
        statement = question.statement
        path = path_to_block(region, question.label, statement)
        builder = self._walked(region, path, demands(statement), findings)
        builder.question = statement
        translate(builder, statement)
        if builder.asked is None:
            raise InternalError(f"{self._function.name}: {statement.result} does not wrap")
        builder.facts.append(builder.asked)
        left, right = (self._text(operand) for operand in demands(statement))
        operation = operation_id(self._function.name, statement, left, right)
        asked = f"obligation.{operation.function}.{operation.register}"
        query = Query(asked, Obligation(operation))
        name = self._named(region, f"obligation of {statement.result.name}")
        return builder.rule(name, query, self._origin(region.start))

    def _named(self, region: ControlRegion, what: str) -> str:
        return f"{self._own.starting(region.start).relation.name} -> {what}"

    def _origin(self, start: str) -> Origin:
        origin = origin_of(self._blocks[start])
        return origin if origin.chain else self._function.origin

    def _text(self, operand: Operand) -> str:
        if isinstance(operand, Register):
            return self._names.get(operand, str(operand))
        if isinstance(operand, IntConst) and operand.type.width > 1:
            return str(signed(operand.type.width, operand.value))
        return str(operand)


def check_query(check: CheckSite) -> Query:
    """The query of a check; copies by inlining have one identity."""
    identity = CheckId(check.property, check.text, where(check.origin))
    return Query(f"check.{check.number}", Check(identity, check.number))
