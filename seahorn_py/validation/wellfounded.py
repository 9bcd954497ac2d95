r"""Whether a relation is a strict order, and whether it is well-founded: asked of small programs.

A relation R is a strict order if R(a, b) and R(b, c) imply R(a, c), and R(a, a) never holds.  Then
R is well-founded, since variables of C have finitely many values.  Any relation is well-founded if
all runs of this program end, whatever they choose:

    for (;;) { before = now; now = anything; if (!R(before, now)) break; }

Both questions are answered as for any program, with ranks and a second solver.  A union of
relations, each of which is well-founded, proves termination too if it holds between any two visits
(A. Podelski, A. Rybalchenko: "Transition invariants", LICS 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.processes import scratch
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.validation.expression import disjuncts
from seahorn_py.validation.relating import COPY, Relation
from seahorn_py.verification.pipeline import verify

_FAILS = "sea_witness_fails"
_INPUTS = {
    "_Bool": "bool",
    "signed char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned int": "uint",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
    "__int128": "int128",
    "unsigned __int128": "uint128",
}


@dataclass(frozen=True)
class Between:
    """A relation between the values of C variables before and now, as a C expression.

    `always` are expressions that hold at each visit.
    """

    variables: tuple[tuple[str, str], ...]
    """(type, name)"""
    expression: str
    always: tuple[str, ...] = ()


def between(relations: Sequence[Relation], always: Sequence[str], names: Sequence[str]) -> Between:
    """All relations of one loop as one; `always` are invariants, `names` all variables."""
    first = relations[0]
    variables = tuple((first.type_of(name), name) for name in names)
    whole = " && ".join(f"({one.expression.text})" for one in relations)
    return Between(variables, whole, tuple(always))


def strict_orders(found: Sequence[Between], options: VerifyOptions, deadline: Deadline) -> bool:
    """Whether each relation is proved a strict order, if need be with what always holds."""
    alone = [replace(one, always=()) for one in found]
    return _are_strict(alone, options, deadline.share(0.5)) or (
        any(one.always for one in found) and _are_strict(found, options, deadline)
    )


def _are_strict(found: Sequence[Between], options: VerifyOptions, deadline: Deadline) -> bool:
    body = "".join(f"order_{k}(); " for k in range(len(found)))
    parts = [_functions(one, k) + _order(one, k) for k, one in enumerate(found)]
    text = _program(found, parts, body)
    return _is_safe(text, Property.UNREACH_CALL, options, deadline)


def well_founded(found: Between, options: VerifyOptions, deadline: Deadline) -> bool:
    """Whether the relation, or else each operand of its `||`, is proved well-founded."""
    if _ends([found], options, deadline.share(0.5)):
        return True
    parts = disjuncts(found.expression)
    union = [replace(found, expression=part) for part in parts]
    return len(parts) > 1 and _ends(union, options, deadline)


def all_well_founded(found: Sequence[Between], options: VerifyOptions, deadline: Deadline) -> bool:
    """Whether each relation is proved well-founded: all in one program, or one by one."""
    if len(found) > 1 and _ends(found, options, deadline.share(0.5)):
        return True
    return all(
        well_founded(one, options, deadline.share(1 / (len(found) - number)))
        for number, one in enumerate(found)
    )


def _ends(found: Sequence[Between], options: VerifyOptions, deadline: Deadline) -> bool:
    body = "".join(f"choose_{k}(); " for k in range(len(found)))
    parts = [_functions(one, k) + _choosing(one, k) for k, one in enumerate(found)]
    return _is_safe(_program(found, parts, body), Property.TERMINATION, options, deadline)


def _program(found: Sequence[Between], parts: Sequence[str], body: str) -> str:
    """The C text of the small program: declarations, its parts, and the body of `main`."""
    kinds = sorted({kind for one in found for kind, _ in one.variables})
    inputs = "".join(f"extern {kind} __VERIFIER_nondet_{_INPUTS[kind]}(void);\n" for kind in kinds)
    head = f"{inputs}extern void {_FAILS}(void);\n"
    return f"{head}{''.join(parts)}int main(void) {{ {body}return 0; }}\n"


def _is_safe(text: str, asked: Property, options: VerifyOptions, deadline: Deadline) -> bool:
    frontend = FrontendOptions(
        bits=options.frontend.bits,
        properties=frozenset({asked}),
        error_functions=(_FAILS,) if asked is Property.UNREACH_CALL else (),
    )
    with scratch.folder() as folder:
        file = folder / "relation.c"
        file.write_text(text)
        limited = replace(
            options,
            frontend=frontend,
            timeout=max(deadline.remaining, 0.1),
            witness=False,
        )
        try:
            return verify(file, limited).answer is Answer.SAFE
        except InputError:  # a type of the program that is not known here
            return False


def _functions(found: Between, number: int) -> str:
    before = [f"{kind} {COPY}{name}" for kind, name in found.variables]
    now = [f"{kind} {name}" for kind, name in found.variables]
    related = f"static int related_{number}({', '.join([*before, *now])})"
    holds = " && ".join(f"({text})" for text in found.always) or "1"
    return (
        f"{related} {{ return !!({found.expression}); }}\n"
        f"static int holds_{number}({', '.join(now)}) {{ return {holds}; }}\n"
    )


def _order(found: Between, number: int) -> str:
    visits = [[f"v{visit}_{name}" for _, name in found.variables] for visit in range(3)]
    chosen = "".join(_declared(found, visit) for visit in visits)
    held = " && ".join(f"holds_{number}({', '.join(visit)})" for visit in visits)
    one, two, all_ = ((0, 1), (1, 2), (0, 2))

    def related(pair: tuple[int, int]) -> str:
        return f"related_{number}({', '.join([*visits[pair[0]], *visits[pair[1]]])})"

    gap = f"{related(one)} && {related(two)} && !{related(all_)}"
    code = f"{chosen}if ({held} && (({gap}) || {related((0, 0))})) {_FAILS}(); "
    return f"static void order_{number}(void) {{ {code}}}\n"


def _choosing(found: Between, number: int) -> str:
    now = [f"now_{name}" for _, name in found.variables]
    before = [f"before_{name}" for _, name in found.variables]
    kept = "".join(
        f"{kind} {b} = {n}; " for (kind, _), b, n in zip(found.variables, before, now, strict=True)
    )
    chosen = "".join(
        f"{n} = {_input(kind)}; " for (kind, _), n in zip(found.variables, now, strict=True)
    )
    is_related = (
        f"related_{number}({', '.join([*before, *now])}) && holds_{number}({', '.join(now)})"
    )
    loop = f"for (;;) {{ {kept}{chosen}if (!({is_related})) break; }} "
    return f"static void choose_{number}(void) {{ {_declared(found, now)}{loop}}}\n"


def _declared(found: Between, names: Sequence[str]) -> str:
    pairs = zip(found.variables, names, strict=True)
    return "".join(f"{kind} {name} = {_input(kind)}; " for (kind, _), name in pairs)


def _input(kind: str) -> str:
    return f"__VERIFIER_nondet_{_INPUTS[kind]}()"
