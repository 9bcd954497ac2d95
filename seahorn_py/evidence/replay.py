"""From a refutation to inputs, and from inputs to a run that reaches the error.

The run (`evidence.sequence`) becomes one formula: every rule instance with symbols of its own,
each body atom equal to the head it was derived by, cut-point values left open.  Its solution gives
the inputs, which are fed **by site and visit** to the unsliced program: natively, or in the
interpreter where no native run is possible.  Only a run that violates a check confirms the answer,
and it must do so with 0 for the results of undefined shifts: real machines do not give every value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from seahorn_py.child import Deadline
from seahorn_py.encode.encoding import Encoding
from seahorn_py.errors import Stage, StageFailure
from seahorn_py.evidence.inputs import undefined_shifts
from seahorn_py.evidence.sequence import Instance, sequence
from seahorn_py.evidence.subject import Subject
from seahorn_py.horn.system import Atom, Refutation, Rule
from seahorn_py.ir.program import Havoc, Input, IntConst, Site, SiteKind
from seahorn_py.ir.run import Ending, Feed, Outcome, feed_of
from seahorn_py.ir.types import IntType
from seahorn_py.logic import terms
from seahorn_py.logic.smtlib import parse_term, print_sort, print_symbol, print_term
from seahorn_py.logic.solvers import Solver, Status, check_scripts
from seahorn_py.logic.terms import Term
from seahorn_py.result import InputValue, Violation


def confirm(
    subject: Subject, encoding: Encoding, refutation: Refutation, deadline: Deadline
) -> tuple[Violation, str]:
    """The violation and how it was confirmed; StageFailure(REPLAY) when no run reaches it."""
    feed = feed_from(encoding, refutation, deadline)
    shifts = undefined_shifts(subject.source.sites)
    outcome, how = subject.run({site: v for site, v in feed.items() if site not in shifts})
    if outcome.ending is Ending.FAILED:
        if not subject.follows(outcome):
            reason = "the error depends on an invalid access or on addresses"
            raise StageFailure(Stage.REPLAY, reason)
        return violation(subject, outcome), how
    if subject.run(feed)[0].ending is Ending.FAILED:
        raise StageFailure(Stage.REPLAY, "the error depends on the result of an undefined shift")
    raise StageFailure(
        Stage.REPLAY, f"the run with the inputs found is {outcome.ending.value} ({how})"
    )


def violation(subject: Subject, outcome: Outcome) -> Violation:
    """What a FAILED outcome shows."""
    check = next(c for c in subject.source.checks if c.number == outcome.check)
    shown = {site.number: site for site in _sites_that_matter(subject)}
    inputs = tuple(_input_value(shown[n], v) for n, v in outcome.reads if n in shown)
    return Violation(check.property, check.text, check.origin.span, inputs)


def _sites_that_matter(subject: Subject) -> Iterator[Site]:
    """Calls of input functions, and other sites where the sliced program still reads a value."""
    for site in subject.source.sites:
        if site.kind is SiteKind.NONDET:
            yield site
    for function in subject.program.functions.values():
        for block in function.blocks:
            for statement in block.statements:
                if isinstance(statement, Input | Havoc):
                    yield statement.site


def _input_value(site: Site, value: int) -> InputValue:
    signed = "unsigned" not in site.c_type and "_Bool" not in site.c_type
    if isinstance(site.type, IntType) and signed and value >> (site.type.width - 1):
        value -= 1 << site.type.width
    return InputValue(site.name, value, site.c_type, site.origin.span, site.kind.value)


def feed_from(encoding: Encoding, refutation: Refutation, deadline: Deadline) -> Feed:
    """The inputs of the run of `refutation`; StageFailure when its formula has no solution."""
    run = sequence(encoding.system, refutation, encoding.cuts)
    sites = {site.number: site for site in encoding.program.sites}
    formula = _RunFormula(run)
    wanted = formula.wanted()
    (found,) = check_scripts(
        [formula.script()], Solver.Z3, deadline, seconds_each=deadline.remaining, wanted=wanted
    )
    if found.status is not Status.SAT:
        reason = f"the run of the refutation is {found.status.value}: {found.reason}"
        raise StageFailure(Stage.REPLAY, reason.rstrip(": "))
    parsed = (parse_term(value, {}, "a value of the run") for value in found.values)
    values = dict(zip(wanted, parsed, strict=True))
    reads = []
    for read, value, guard in formula.reads(values):
        if guard and read in sites and sites[read].native:
            reads.append((read, _canonical(sites[read], value)))
    return feed_of(tuple(reads))


def _canonical(site: Site, value: int) -> int:
    width = site.type.width if isinstance(site.type, IntType) else 64
    return IntConst(value % (1 << width), IntType(width)).value


@dataclass(frozen=True)
class _RunFormula:
    """The formula of a run as SMT-LIB text.

    A rule is a predicate over its symbols and *ports*, the values of its atoms' arguments and of
    its inputs' guards; an instance applies it to constants of its own, and shares the head ports of
    the instances that derived its body atoms.
    """

    run: Sequence[Instance]

    def script(self) -> str:
        """Definitions of the rules, then one application an instance."""
        rules = {i.rule.name: i.rule for i in self.run}
        index = {name: k for k, name in enumerate(rules)}
        lines = [_definition(index[name], rule) for name, rule in rules.items()]
        for number, instance in enumerate(self.run):
            arguments = list(self._arguments(number, instance))
            shared = {n for n, _ in arguments if not n.startswith(f"i{number}.")}
            lines += [f"(declare-const {n} {s})" for n, s in arguments if n not in shared]
            applied = " ".join(n for n, _ in arguments)
            name = f"rule{index[instance.rule.name]}"
            lines.append(f"(assert ({name} {applied}))" if applied else f"(assert {name})")
        return "\n".join(lines)

    def _arguments(self, number: int, instance: Instance) -> Iterator[tuple[str, str]]:
        """Names and sorts of an instance's constants, in the order of the rule's definition."""
        rule = instance.rule
        for k, symbol in enumerate(_symbols(rule)):
            yield f"i{number}.s{k}", print_sort(terms.sort_of(symbol))
        for a, (atom, source) in enumerate(zip(rule.body, instance.sources, strict=True)):
            owner = f"i{number}.b{a}" if source is None else f"i{source}.h"
            for k, argument in enumerate(atom.arguments):
                yield f"{owner}.{k}", print_sort(terms.sort_of(argument))
        if isinstance(rule.head, Atom):
            for k, argument in enumerate(rule.head.arguments):
                yield f"i{number}.h.{k}", print_sort(terms.sort_of(argument))
        for k, _ in enumerate(rule.inputs):
            yield f"i{number}.g{k}", "Bool"

    def wanted(self) -> tuple[str, ...]:
        """The constants whose values are the inputs and their guards."""
        return tuple(n for _, value, guard in self._reads() for n in (value, guard))

    def _reads(self) -> Iterator[tuple[int, str, str]]:
        for number, instance in enumerate(self.run):
            position = {s: k for k, s in enumerate(_symbols(instance.rule))}
            for k, read in enumerate(instance.rule.inputs):
                yield read.site, f"i{number}.s{position[read.symbol]}", f"i{number}.g{k}"

    def reads(self, values: Mapping[str, Term]) -> Iterator[tuple[int, int, bool]]:
        """Site, value and whether it was read, in execution order."""
        for site, value, guard in self._reads():
            yield site, int(values[value].constant_value()), values[guard].is_true()


def _symbols(rule: Rule) -> tuple[Term, ...]:
    """All symbols of a rule, in a fixed order."""
    found: dict[Term, None] = {}
    for term in _ports(rule):
        found.update(dict.fromkeys(terms.free_symbols(term)))
    found.update(dict.fromkeys(terms.free_symbols(rule.constraint)))
    found.update(dict.fromkeys(read.symbol for read in rule.inputs))
    return tuple(sorted(found, key=lambda s: str(s.symbol_name())))


def _ports(rule: Rule) -> list[Term]:
    """What the ports stand for: the arguments of the body and the head, the guards."""
    head = rule.head.arguments if isinstance(rule.head, Atom) else ()
    body = [argument for atom in rule.body for argument in atom.arguments]
    return [*body, *head, *(read.guard for read in rule.inputs)]


def _definition(index: int, rule: Rule) -> str:
    ports = _ports(rule)
    parameters = [f"({print_symbol(s)} {print_sort(terms.sort_of(s))})" for s in _symbols(rule)]
    parameters += [f"(port{k} {print_sort(terms.sort_of(p))})" for k, p in enumerate(ports)]
    equalities = [f"(= port{k} {print_term(p)})" for k, p in enumerate(ports)]
    body = f"(and true {print_term(rule.constraint)} {' '.join(equalities)})"
    return f"(define-fun rule{index} ({' '.join(parameters)}) Bool {body})"


def needs_extern(violation: Violation) -> bool:
    """The violating run reads a value that no C function with a body gave."""
    return any(i.kind == SiteKind.EXTERN.value for i in violation.inputs)
