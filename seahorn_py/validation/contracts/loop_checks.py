"""The clauses of loops as statements before their conditions.

    a loop whose clauses are checked, round after round       at_condition
    a loop that is cut: one round stands for all later ones   at_cut

The former invariants are never assumed: engines may use them, since behind its check each holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.validation.contracts.formulas import OLD, Formula, formula
from seahorn_py.validation.contracts.frames import SIZE
from seahorn_py.validation.contracts.harness import VALIDITY, Checks, asserted, assumed
from seahorn_py.validation.contracts.loop_cuts import Written
from seahorn_py.validation.contracts.model import Clause, Kind, LoopContract


def at_condition(
    loop: LoopContract, number: int, checks: Checks, condition: str | None
) -> tuple[str, str]:
    """Declarations in front of a loop, and statements to execute before its condition.

    `condition` is that of the loop if it has no effect: an invariant need not hold where the loop
    is not entered.
    """
    made = _invariants(loop)
    before, entry = _entry(made)
    declared, code = "", ""
    for one in made:
        name = checks.add(f"invariant {one.clause.text}", one.clause.place)
        declared += f"extern void {name}(void); "
        code += f"if (!({one.text})) {name}(); "
    ran, is_told = f"__sea_ran_{number}", condition not in (None, "1")
    if made and (is_told or entry):
        declared += f"{before}_Bool {ran} = 0; "
        code = f"if ({ran} || ({condition})) {{ {code}}} " if is_told else code
        code = f"if (!{ran}) {{ {entry}}} {code}{ran} = 1; "
    for k, clause in enumerate(c for c in loop.clauses if c.kind is Kind.DECREASES):
        name = checks.add(f"decreases {clause.text}", clause.place)
        seen, last = f"__sea_seen_{number}_{k}", f"__sea_last_{number}_{k}"
        declared += f"extern void {name}(void); _Bool {seen} = 0; {_WIDE} {last} = 0; "
        now = _ordered(formula(clause).text)
        code += f"if ({seen} && !({now} < {last})) {name}(); {seen} = 1; {last} = {now}; "
    return declared, code


def at_cut(
    loop: LoopContract, number: int, checks: Checks, cut: Written, condition: str
) -> tuple[str, str]:
    """The same as `at_condition` for a loop that is cut: one round stands for all but the first.

    The first round is the program's own, so that what it finds out is known behind the loop.  Where
    it begins invariants are checked.  Where it ends, what rounds write becomes arbitrary, and the
    invariants are assumed.  Where the next round ends they are checked, and the run is blocked.
    The first round is one of those that this covers, so that it keeps the invariants too.
    """
    made = _invariants(loop)
    before, entry = _entry(made)
    rounds = f"__sea_rounds_{number}"
    checked = "".join(f"{one.text} " for one in asserted(made, checks, "invariant "))
    havoc = "".join(f"__SEA_nondet_memory((void *)&{w}, sizeof {w}); " for w in cut.places)
    begun = "".join(f"{one.text} " for one in assumed(made))
    declared = f"{before}extern void __SEA_assume(_Bool); "
    declared += f"extern void __SEA_nondet_memory(void *, {SIZE}); {VALIDITY} "
    declared += f"unsigned char {rounds} = 0; "
    again = checked
    for k, clause in enumerate(c for c in loop.clauses if c.kind is Kind.DECREASES):
        name = checks.add(f"decreases {clause.text}", clause.place)
        last = f"__sea_last_{number}_{k}"
        declared += f"extern void {name}(void); {_WIDE} {last} = 0; "
        now = _ordered(formula(clause).text)
        begun += f"{last} = {now}; "
        again += f"if (!({now} < {last})) {name}(); "
    for k, kept in enumerate(cut.kept):
        unchanged, first, after = _unchanged(kept, f"{number}_{k}", loop, checks)
        declared, begun, again = declared + unchanged, begun + first, again + after
    first = f"{entry}if ({condition}) {{ {checked}}}"
    second = f"{havoc}{begun}{rounds} = 2;"
    begin = f"if ({rounds} == 0) {{ {first} {rounds} = 1; }} else if ({rounds} == 1) {{ {second} }}"
    return declared, f"{begin} else {{ {again}__SEA_assume(0); }} "


def _invariants(loop: LoopContract) -> list[Formula]:
    found: list[Formula] = []
    for clause in (c for c in loop.clauses if c.kind is Kind.INVARIANT):
        found.append(formula(clause, sum(len(one.old) for one in found)))
    return found


def _entry(made: Sequence[Formula]) -> tuple[str, str]:
    """Declarations of what invariants say of the entry, and statements that remember it there."""
    told = [text for one in made for text in one.old]
    declared = (f"__typeof__(({{ ({text}); }})) {OLD}{k}; " for k, text in enumerate(told))
    return "".join(declared), "".join(f"{OLD}{k} = {text}; " for k, text in enumerate(told))


def _unchanged(kept: str, ending: str, loop: LoopContract, checks: Checks) -> tuple[str, str, str]:
    """Declarations, and statements before and after a round, which checks what a parameter leads to
    for a change at any one place.
    """
    name = checks.add(f"rounds do not change what {kept} leads to", loop.clauses[0].place)
    at, was, valid = (f"__sea_{word}_{ending}" for word in ("kept", "was", "valid"))
    declared = f"extern void {name}(void); extern {SIZE} __SEA_nondet_{at}(void); "
    declared += f"{SIZE} {at} = __SEA_nondet_{at}(); _Bool {valid} = 0; "
    declared += f"__typeof__(*{kept} + 0) {was} = 0; "
    declared += f"__SEA_assume({at} <= (({SIZE})-1 >> 9) / sizeof(*{kept})); "
    test = f"{kept} && sea_is_dereferenceable((void *){kept}, ({at} + 1) * sizeof(*{kept}))"
    before = f"{valid} = {test}; if ({valid}) {was} = {kept}[{at}]; "
    return declared, before, f"if ({valid} && {kept}[{at}] != {was}) {name}(); "


_WIDE = "unsigned long long"


def _ordered(text: str) -> str:
    """C text for an unsigned number in the order of the values of an integer, signed or not."""
    is_signed = f"(__typeof__(({text}) + 0))-1 < 0"
    return f"(({_WIDE})({text}) + ({is_signed} ? 1ULL << 63 : 0))"


def unchecked(clauses: Sequence[Clause]) -> Iterator[str]:
    """Notes about clauses of loops that nothing checks."""
    for clause in clauses:
        if clause.kind is Kind.ASSIGNS:
            yield f"not checked: {clause.place}: what a loop assigns"
