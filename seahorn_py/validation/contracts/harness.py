"""The C text with which one function is proved, or found to violate its contract.

    wrapper     assume(requires); remember; call; assert(ensures); compare the frame
    stub        assert(requires); remember; havoc(assigns); any result; assume(ensures)

The wrapper is the function that `--entry` calls with any arguments.  A call of a function with a
contract becomes a call of a stub, if the contract says all that the call may do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from seahorn_py.base.errors import Span
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.compiler import line_marker
from seahorn_py.validation.contracts.formulas import OLD, RESULT, Formula, formula, skolem
from seahorn_py.validation.contracts.frames import BYTES, PLACE, SIZE, Frame, places
from seahorn_py.validation.contracts.model import Contract, Kind, Refused
from seahorn_py.validation.contracts.targets import Target

PROVE, USE = "__sea_prove_", "__sea_use_"
REACHED = "__sea_reached"
_FAILED = "__sea_failed_"


@dataclass
class Checks:
    """The error functions of one analysis: name -> the text of the error, and its clause's place.

    `heads` are places in the texts; behind them on their lines, clauses of loops are evaluated.
    """

    found: dict[str, tuple[str, Span]] = field(default_factory=dict)
    heads: list[Span] = field(default_factory=list)

    def add(self, said: str, place: Span) -> str:
        """The name of a new error function with a text and the place of a clause."""
        name = f"{_FAILED}{len(self.found)}"
        self.found[name] = (said, place)
        return name

    def is_of_clause(self, place: Span) -> bool:
        """Whether an error at a place may come from the evaluation of a clause of a loop."""
        near = (h for h in self.heads if (h.file, h.line) == (place.file, place.line))
        return any(head.column <= place.column for head in near)


@dataclass(frozen=True)
class Statement:
    """C text made from a clause; errors in the text have the place of the clause."""

    text: str
    place: Span


def lines(statements: Sequence[Statement]) -> bytes:
    """The statements, each at the place of its clause."""
    parts = [
        line_marker(max(one.place.line, 1), one.place.file) + one.text.encode() + b"\n"
        for one in statements
    ]
    return b"\n" + b"".join(parts)


def _parameters(contract: Contract) -> str:
    return ", ".join(p.declared for p in contract.parameters) or "void"


def prototype(contract: Contract, name: str) -> str:
    """The declaration of a function of another name with the same signature."""
    return f"{contract.result} {name}({_parameters(contract)})"


def _names(contract: Contract) -> str:
    return ", ".join(p.name for p in contract.parameters)


def is_void(contract: Contract) -> bool:
    """Whether the function returns nothing."""
    return contract.result.split() == ["void"]


def formulas(contract: Contract, kind: Kind) -> list[Formula]:
    """The formulas of all clauses of a kind; their remembered values have different names."""
    found: list[Formula] = []
    pointers = tuple(p.name for p in contract.parameters if "*" in p.declared or "[" in p.declared)
    for clause in contract.of(kind):
        found.append(formula(clause, sum(len(one.old) for one in found), pointers))
    return found


def _remember(made: Sequence[Formula]) -> Iterator[Statement]:
    number = 0
    for one in made:
        for text in one.old:
            code = f"__typeof__({text}) {OLD}{number} = {text};"
            yield Statement(code, one.clause.place)
            number += 1


def assumed(made: Sequence[Formula]) -> Iterator[Statement]:
    """Statements that block runs on which a formula is false."""
    for one in made:
        yield Statement(f"__SEA_assume(({one.text}) != 0);", one.clause.place)


def asserted(
    made: Sequence[Formula], checks: Checks, said: str, rounds: bool = True
) -> Iterator[Statement]:
    """Checks of formulas; an error is told by `said` and the text of its clause."""
    for one in made:
        name = checks.add(f"{said}{one.clause.text}", one.clause.place)
        chosen = None if one.old else skolem(one.clause, rounds)
        code = f"if (!({one.text})) {name}();"
        if chosen is not None:
            of, bound, range_, body = chosen
            any_ = f"__SEA_nondet_any_{name}"
            code = (
                f"{{ extern {of} {any_}(void); {of} {bound} = {any_}();"
                f" if (({range_}) && !({body})) {name}(); }}"
            )
        yield Statement(f"extern void {name}(void); {code}", one.clause.place)


# ---------------------------------------------------------------------------------- the wrapper


@dataclass(frozen=True)
class Wrapped:
    """What the wrapper of a function needs.

    `frame` and `failing`: its frame and the error function of that.  `arbitrary`: variables that
    become arbitrary before the call.
    """

    contract: Contract
    name: str
    frame: Frame | None = None
    failing: str = ""
    arbitrary: tuple[str, ...] = ()
    probe: int | None = None
    """If set: so many required clauses are assumed, and to come behind them is an error."""
    body: str = ""
    """If set: the function of this name is called, and the wrapper returns its result."""
    apart: tuple[str, ...] | None = None
    """As in `Replacing`."""


def wrapper(one: Wrapped, checks: Checks) -> bytes:
    """The function that `--entry` calls, or that all calls of a function become."""
    contract, place = one.contract, one.contract.place
    required, ensured = _assumable(one), formulas(contract, Kind.ENSURES)
    declared = f"void {one.name}({_parameters(contract)})"
    head = (
        "extern void __SEA_assume(_Bool); extern void __SEA_nondet_memory(void *, "
        f"{SIZE}); {VALIDITY} {prototype(contract, one.name) if one.body else declared} {{"
    )
    body = [Statement(head, place)]
    body += [
        Statement(f"__SEA_nondet_memory((void *)&{name}, sizeof {name});", place)
        for name in one.arbitrary
    ]
    if one.probe is not None:
        body += assumed(required[: one.probe])
        body.append(Statement(f"extern void {REACHED}(void); {REACHED}(); }}", place))
        return lines(body)
    body += [*assumed(required), *_remember(ensured), *_frame_before(one)]
    keep = "" if is_void(contract) else f"__auto_type {RESULT} = "
    body.append(Statement(f"{keep}{one.body or contract.function}({_names(contract)});", place))
    body += [*asserted(ensured, checks, "ensures "), *_frame_after(one)]
    result = f"return {RESULT}; " if keep and one.body else ""
    return lines([*body, Statement(f"{result}}}", place)])


def _assumable(one: Wrapped) -> list[Formula]:
    """What the wrapper assumes: at calls with any arguments, of bytes as they are."""
    made = formulas(one.contract, Kind.REQUIRES)
    if one.apart is None:
        return made
    return [formula(w.clause, 0, w.pointers, rounds=False, variables=one.apart) for w in made]


def _frame_before(one: Wrapped) -> Iterator[Statement]:
    if one.frame is None:
        return
    if one.frame.by_address:
        for number, target in enumerate(places(one.contract)):
            yield from _places(number, target)
    yield from (Statement(text, one.contract.place) for text in one.frame.before)


def _frame_after(one: Wrapped) -> Iterator[Statement]:
    if one.frame is not None and one.frame.after:
        where = one.contract.of(Kind.ASSIGNS)[0].place
        yield Statement(f"extern void {one.failing}(void);", where)
        yield from (Statement(text, where) for text in one.frame.after)


VALIDITY = (
    "extern _Bool sea_is_dereferenceable(const void *, long); "
    "extern _Bool __CPROVER_w_ok(const void *, " + SIZE + ");"
)


# ------------------------------------------------------------------------------------ the stub


@dataclass(frozen=True)
class Replacing:
    """A contract that stands for calls.

    `single`: parameters that are null or lead to one object.  `whole`: C text of objects that may
    become anything, since the contract does not say less.  With `calls_body`, the stub checks the
    required clauses and then calls the function itself.
    """

    contract: Contract
    name: str
    single: tuple[str, ...]
    whole: tuple[str, ...]
    calls_body: bool = False
    apart: tuple[str, ...] | None = None
    """If set: calls may have any arguments, and what is fresh lies in none of these variables."""


def stub(one: Replacing, checks: Checks) -> bytes:
    """The function that is called in the place of a function with a contract."""
    contract = one.contract
    place, ensured = contract.place, formulas(contract, Kind.ENSURES)
    head = (
        "extern void __SEA_assume(_Bool); extern void __SEA_nondet_memory(void *, "
        f"{SIZE}); {VALIDITY} {prototype(contract, one.name)} {{"
    )
    body = [Statement(head, place), *_required(one, checks)]
    for name in one.single:
        failing = checks.add(f"what {name} of {contract.function} leads to is one object", place)
        test = f"{name} && !sea_is_dereferenceable((void *){name}, sizeof(*{name}))"
        body.append(Statement(f"extern void {failing}(void); if ({test}) {failing}();", place))
    if one.calls_body:
        keep = "" if is_void(contract) else "return "
        call = f"{keep}{contract.function}({_names(contract)}); }}"
        return lines([*body, Statement(call, place)])
    body += _remember(ensured)
    body += _havocs(one, checks)
    if not is_void(contract):
        any_ = f"__SEA_nondet_result_{one.name}"
        body.append(
            Statement(
                f"extern {contract.result} {any_}(void); {contract.result} {RESULT} = {any_}();",
                place,
            )
        )
    body += assumed(ensured)
    body.append(Statement("}" if is_void(contract) else f"return {RESULT}; }}", place))
    return lines(body)


def _required(one: Replacing, checks: Checks) -> Iterator[Statement]:
    """The checks of required clauses: as they are, and rounded up to whole elements.

    The proof of the function is about whole elements, if arguments lead to different objects.
    """
    whole, name = formulas(one.contract, Kind.REQUIRES), one.contract.function
    exact = [formula(w.clause, 0, w.pointers, rounds=False, variables=one.apart) for w in whole]
    yield from asserted(exact, checks, f"a call of {name} requires ", rounds=False)
    if one.apart is not None:
        return
    rounded = [w for w, other in zip(whole, exact, strict=True) if w.text != other.text]
    yield from asserted(rounded, checks, f"what {name} requires holds of whole elements: ")


def _havocs(one: Replacing, checks: Checks) -> Iterator[Statement]:
    found = list(places(one.contract))
    for number, target in enumerate(found):
        yield from _places(number, target)
    for number, target in enumerate(found):
        name = checks.add(f"what {target.clause.text} names can be written", target.clause.place)
        at, size = f"{PLACE}{number}", f"{BYTES}{number}"
        test = f"{size} && {at} && !__CPROVER_w_ok({at}, {size})"
        code = f"extern void {name}(void); if ({test}) {name}();"
        code += f" if ({size} && {at}) __SEA_nondet_memory({at}, {size});"
        yield Statement(code, target.clause.place)
    for text in one.whole:
        code = f"if (&{text}) __SEA_nondet_memory((void *)&{text}, sizeof {text});"
        yield Statement(code, one.contract.place)


def _places(number: int, target: Target) -> Iterator[Statement]:
    """Statements that remember, before any change, the address of a target and its bytes."""
    at, size = f"{PLACE}{number}", f"{BYTES}{number}"
    if target.is_whole:
        raise Refused(f"{target.clause.place}: assigns: an object of unknown size")
    count = "1"
    last = target.steps[-1] if target.steps else None
    if last is not None and not last.member:
        count = f"({last.count})"
    bytes_ = f"({target.size})" if target.size else f"sizeof({target.place}) * {count}"
    code = f"char *{at} = 0; {SIZE} {size} = 0;"
    code += f" if ({target.condition or '1'}) {{ {at} = (char *)&({target.place});"
    yield Statement(f"{code} {size} = {bytes_}; }}", target.clause.place)
