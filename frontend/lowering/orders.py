"""All orders of evaluation of a statement that C leaves open (`--order all`).

Where values meet that came from calls which disturb each other (`sequence`), the instructions that
lead there are written once for each order of these calls and loads, and an input chooses one of
them.  What takes its operands from registers comes behind them in all orders.  An expression stays
in the order of clang, and in the ledger, where the text does not tell what is sequenced in it:
where it stores, calls for effect only or branches on the way, or has more than `MOST` orders.  What
is on an earlier line and no operand is taken for another statement, which the ledger says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG, LABEL, REGISTER, leading_type, result_type
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.checks.sequence import Sequencing
from seahorn_py.frontend.lowering.jumps.splitting import Body
from seahorn_py.ir.program import SiteKind

MOST = 6

_RESULT = pattern(rf"  (%{NAME}) = ")
_CAST = pattern(r" to (?P<type>[^,]*?)(?:, !.*)?$")
_CASTS = pattern(r"(?:[sz]ext|trunc|bitcast|ptrtoint|inttoptr|[us]itofp|fp\w+) ")
_PLAIN = pattern(
    r"(?:(?:load|add|sub|mul|[us]div|[us]rem|f\w+|shl|[la]shr|and|or|xor)(?: (?!ptr)[a-z]+)*) "
)
_MANY = 4
"""The most calls and loads that are put in order."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """The lines from `first` on, up to the one where values meet, in several orders."""

    first: int
    meeting: int
    orders: tuple[tuple[int, ...], ...]
    results: tuple[tuple[str, str], ...]
    """The registers that are used later, with their types."""


def in_all_orders(
    function: FunctionText, sequencing: Sequencing, inputs: Inputs, debug: DebugText
) -> tuple[str, ...]:
    """The lines of a function, with a choice of the order where it matters."""
    met = [(at, tuple(pairs)) for at, pairs in sequencing.meetings(function)]
    met = [(at, pairs) for at, pairs in met if pairs]
    choices: dict[int, _Choice] = {}
    covered = len(function.lines)
    for at, _ in reversed(met):
        if at >= covered:
            continue
        choice = _choice(function.lines, at, met)
        if choice is None or _has_more_parts(function.lines, choice, inputs, debug):
            sequencing.note(function.lines[at])
        else:
            choices[choice.first] = choice
            covered = choice.first
    return tuple(_written(function, choices, inputs)) if choices else function.lines


def _choice(
    lines: Sequence[str], at: int, met: Sequence[tuple[int, Sequence[tuple[int, int]]]]
) -> _Choice | None:
    """The orders of what leads to a line; None where the text does not tell them."""
    start = _start(lines, at)
    needs = _needs(lines, start, at)
    moved = {k for where, pairs in met if start <= where <= at for pair in pairs for k in pair}
    moved &= needs[at]
    own = {k for where, pairs in met if where == at for pair in pairs for k in pair}
    if not own <= moved or len(moved) > _MANY:
        return None
    first = min(moved)
    region = range(first, at)
    if any(k not in needs[at] for k in region):
        return None
    orders = tuple(islice(_orders(sorted(moved), region, needs), MOST + 1))
    results = tuple(_results(lines, region))
    if not 1 < len(orders) <= MOST or not all(kind for _, kind in results):
        return None
    return _Choice(first, at, orders, results)


def _has_more_parts(
    lines: Sequence[str], choice: _Choice, inputs: Inputs, debug: DebugText
) -> bool:
    """Whether a call or store that gives no operand may be in the same expression, as by a comma.

    One before it may be if it is on the same line, or if what takes the result stands before it in
    the text; one behind it if something later takes the result.
    """
    start = _start(lines, choice.first)
    needs = _needs(lines, start, choice.meeting)[choice.meeting]
    takers = _takers(lines, choice.meeting)
    if any(_acts(lines[k]) and k not in takers for k in range(choice.meeting + 1, max(takers))):
        return True
    before = [lines[k] for k in range(start, choice.first) if k not in needs and _acts(lines[k])]
    places = [place for line in before if (place := _position(line, debug)) != (0, 0)]
    if not places:
        return False
    own = min(_position(lines[k], debug) for k in range(choice.first, choice.meeting + 1))
    begins = min((own[0], 0), *(_position(lines[k], debug) for k in takers))
    inputs.assume("an expression whose order is open has no comma at the end of a line")
    return any(place >= begins for place in places)


def _acts(line: str) -> bool:
    is_marked = "@llvm.lifetime." in line or line.startswith("    #")
    return line.startswith("  store ") or (" call " in line and not is_marked)


def _takers(lines: Sequence[str], at: int) -> list[int]:
    """A line, and those of its block that take its result, directly or not."""
    taken: set[str] = set()
    takers: list[int] = []
    for k in range(at, len(lines)):
        if not lines[k].startswith("  "):
            break
        found = _RESULT.match(lines[k])
        used = REGISTER.findall(lines[k], found.end() if found else 0)
        if k == at or not taken.isdisjoint(used):
            takers.append(k)
            taken |= {found[1]} if found else set()
    return takers


def _position(line: str, debug: DebugText) -> tuple[int, int]:
    """Line and column; 0 and 0 where that is not known."""
    numbers = debug.place(line).rsplit(":", 2)[1:]
    return (int(numbers[0]), int(numbers[1])) if len(numbers) == 2 else (0, 0)


def _start(lines: Sequence[str], at: int) -> int:
    """The first line of a block that is no phi."""
    start = at
    while start > 0 and not LABEL.match(lines[start - 1]) and lines[start - 1]:
        start -= 1
    while " = phi " in lines[start]:
        start += 1
    return start


def _needs(lines: Sequence[str], start: int, at: int) -> dict[int, set[int]]:
    """For each line of a block those of the block that its operands come from, directly or not."""
    made: dict[str, int] = {}
    needs: dict[int, set[int]] = {}
    for k in range(start, at + 1):
        found = _RESULT.match(lines[k])
        used = REGISTER.findall(lines[k], found.end() if found else 0)
        direct = {made[r] for r in used if r in made}
        needs[k] = direct.union(*(needs[d] for d in direct))
        if found:
            made[found[1]] = k
    return needs


def _orders(
    moved: Sequence[int], region: range, needs: dict[int, set[int]]
) -> Iterator[tuple[int, ...]]:
    """The lines of a region in each order of those that are moved."""
    for order in permutations(moved):
        if any(later in needs[k] for i, k in enumerate(order) for later in order[i + 1 :]):
            continue
        done: dict[int, None] = {}
        for k in (*order, *region):
            done.update(dict.fromkeys(n for n in (*sorted(needs[k]), k) if n in region))
        yield tuple(done)


def _results(lines: Sequence[str], region: range) -> Iterator[tuple[str, str]]:
    """The registers of a region that are used elsewhere, with their types, "" for unknown ones."""
    outside = (*lines[: region.start], *lines[region.stop :])
    behind = {register for line in outside for register in REGISTER.findall(line)}
    for k in region:
        found = _RESULT.match(lines[k])
        if found and found[1] in behind:
            yield found[1], _type(lines[k][found.end() :])


def _type(text: str) -> str:
    """The type of what an instruction gives."""
    cast = _CAST.search(text) if _CASTS.match(text) else None
    if cast is not None:
        return cast["type"]
    if " call " in f" {text}":
        return result_type(text.partition("call ")[2])
    if text.startswith("getelementptr "):
        return "ptr"
    if text.startswith(("icmp", "fcmp")):
        return "i1"
    plain = _PLAIN.match(text)
    return leading_type(text[plain.end() :])[0] if plain else ""


def _written(function: FunctionText, choices: dict[int, _Choice], inputs: Inputs) -> Iterator[str]:
    body = Body(function, inputs)
    at = 0
    while at < len(function.lines):
        choice = choices.get(at)
        if choice is None:
            body.keep(function.lines[at])
            at += 1
        else:
            _write_choice(body, function.lines, choice, inputs)
            at = choice.meeting
    yield from body.finished(())


def _write_choice(body: Body, lines: Sequence[str], choice: _Choice, inputs: Inputs) -> None:
    found = DEBUG.search(lines[choice.meeting])
    debug = found[0] if found else ""
    labels = [body.label() for _ in choice.orders]
    chosen, joined = inputs.name(), body.label()
    site = (SiteKind.EXTERN, "order of evaluation", "unsigned char", False)
    body.keep(
        *inputs.value(chosen, "i8", site, debug),
        f"  switch i8 {chosen}, label %{labels[0]} [",
        *(f"    i8 {k}, label %{label}" for k, label in enumerate(labels) if k),
        f"  ]{debug}",
    )
    named: list[dict[str, str]] = []
    for label, order in zip(labels, choice.orders, strict=True):
        made = [m[1] for k in order if (m := _RESULT.match(lines[k]))]
        names = {register: inputs.name() for register in made}
        named.append(names)
        copies = (_renamed(lines[k], names) for k in order)
        body.add(f"{label}:", *copies, f"  br label %{joined}{debug}")
    body.begin(joined)
    for register, kind in choice.results:
        incoming = (f"[ {n[register]}, %{label} ]" for n, label in zip(named, labels, strict=True))
        body.keep(f"  {register} = phi {kind} {', '.join(incoming)}{debug}")


def _renamed(line: str, names: Mapping[str, str]) -> str:
    return REGISTER.sub(lambda found: names.get(found[0], found[0]), line)
