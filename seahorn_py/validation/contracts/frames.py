"""The frame of a contract: a function changes nothing but the targets of its `assigns`.

Before the call, an arbitrary index is chosen in each array, and the scalar there is remembered.
After the call, the scalar is the same or lies in a target.  Since the index is arbitrary, this
holds for all elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace

from seahorn_py.base.records import dataclass
from seahorn_py.validation.contracts.compiled import Compiled
from seahorn_py.validation.contracts.model import Contract, Kind, Refused
from seahorn_py.validation.contracts.project import Name
from seahorn_py.validation.contracts.targets import Step, Target, targets

SIZE = "__typeof__(sizeof 0)"
MOST = f"(({SIZE})-1 >> 9)"
"""A number greater than the size in bytes of any object that an entry is called with."""

PLACE, BYTES = "__sea_to_", "__sea_size_"
"""Variables with the address of a target before the call, and its bytes; a number follows."""

_MOST_LEAVES = 48


@dataclass(frozen=True, slots=True)
class _Object:
    """An object that the call may change.

    `place`: C text for it, or for the pointer to its first element.  `root` and `steps`: its path.
    `kind`: the type of an element.  `guard`: C text that is true if the object exists.  It
    `is_array` if it has any number of elements.  `equals`: other parameters that may lead to it.
    `depth`: how often its pointers are followed.
    """

    place: str
    root: str
    steps: tuple[Step, ...]
    kind: str | None
    guard: str
    is_array: bool
    is_pointer: bool
    depth: int
    equals: tuple[str, ...] = ()


@dataclass
class Frame:
    """The statements before and after the call, and the number of scalars that they compare."""

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    count: int = 0
    by_address: bool = False


def places(contract: Contract) -> Iterator[Target]:
    """The targets of a contract that a caller can see: a parameter itself is a copy."""
    copies = {parameter.name for parameter in contract.parameters}
    named = (t for clause in contract.of(Kind.ASSIGNS) for t in targets(clause))
    return (t for t in named if t.steps or t.root not in copies)


def frame(
    contract: Contract,
    variables: Iterable[Name],
    compiled: Compiled,
    signature: tuple[str | None, ...],
    depth: int,
    failing: str,
    by_address: bool = False,
) -> Frame:
    """The frame of a contract with `assigns`.

    `variables` are those that the function touches, `failing` the function to call if something
    outside of the targets has changed.  If it is `by_address`, arguments may lead to one object,
    and the wrapper knows the addresses of the targets (`PLACE`, `BYTES`).  Raises Refused if that
    cannot be decided.
    """
    made = Frame(by_address=by_address)
    wanted = list(places(contract))
    remembered = [_remembered(made, k, target) for k, target in enumerate(wanted)]
    work = [*_objects(contract, variables, compiled, signature, depth)]
    while work:
        one = work.pop(0)
        work += _framed(made, one, contract.unit, compiled, remembered, failing)
        if made.count > _MOST_LEAVES:
            raise Refused(f"{contract.place}: assigns: too many parts to compare")
    return made


def _objects(
    contract: Contract,
    variables: Iterable[Name],
    compiled: Compiled,
    signature: tuple[str | None, ...],
    depth: int,
) -> Iterator[_Object]:
    unit = contract.unit
    kinds = zip(contract.parameters, signature, strict=True)
    pointers = [p.name for p, kind in kinds if compiled.target(unit, kind)[0]]
    for parameter, kind in zip(contract.parameters, signature, strict=True):
        is_pointer, target = compiled.target(unit, kind)
        if is_pointer:
            is_array = not compiled.is_struct(unit, target)
            name = parameter.name
            others = tuple(p for p in pointers if p != name)
            yield _Object(name, name, (), target, name, is_array, True, depth, others)
        elif compiled.is_struct(unit, kind):
            yield _Object(name, name, (), kind, "1", False, False, depth)
    for variable in sorted(variables, key=lambda v: v.name):
        name, kind = variable.name, compiled.variable(variable)
        if variable.unit != unit:
            raise Refused(f"{contract.place}: assigns: {name} is a variable of another file")
        yield _Object(name, name, (), kind, "1", False, False, depth)


def _remembered(made: Frame, number: int, target: Target) -> tuple[Target, str]:
    """Remember the indices of a target before the call; gives it with its condition's name."""
    condition = f"__sea_if_{number}"
    made.before.append(f"_Bool {condition} = {target.condition or '1'};")
    for k, step in enumerate(target.steps):
        if not step.member:
            count = step.count or "0"
            name = f"__sea_at_{number}_{k}"
            made.before.append(f"{SIZE} {name} = {condition} ? ({step.first}) : 0;")
            made.before.append(f"{SIZE} {name}_n = {condition} ? ({count}) : 0;")
    return target, condition


def _framed(
    made: Frame,
    one: _Object,
    unit: int,
    compiled: Compiled,
    wanted: list[tuple[Target, str]],
    failing: str,
) -> Iterator[_Object]:
    """Compare the scalars of an object; gives the objects that its pointers lead to."""
    number = made.count
    base, steps, guard = one.place, one.steps, one.guard
    if one.is_pointer:
        index, valid = f"__sea_k{number}", f"__sea_w{number}"
        base = f"({one.place})" if one.kind is not None else f"((char *)({one.place}))"
        size = f"sizeof(*{base})"
        at = _index(made, index, f"{MOST} / {size}") if one.is_array else "0"
        size = f"({at} + 1) * {size}"
        test = f"{guard} && sea_is_dereferenceable((void *)({one.place}), {size})"
        made.before.append(f"_Bool {valid} = {test};")
        base, guard, steps = f"{base}[{at}]", valid, (*steps, Step(first=at))
    for leaf in compiled.leaves(unit, one.kind):
        made.count += 1
        indices = [f"__sea_k{made.count}_{k}_" for k in range(len(leaf.counts))]
        for name, most in zip(indices, leaf.counts, strict=True):
            _index(made, name, str(most - 1))
        path = leaf.path.format(*indices)
        here = f"({base}){path}" if path else base
        own = (*steps, *_steps(path))
        before = f"__sea_v{made.count}"
        made.before.append(f"__auto_type {before} = {guard} ? {here} : 0;")
        same = _same(here, before, compiled.is_float(unit, leaf.kind))
        changes = f"{guard} && !({_allowed(made, wanted, one, own, here)}) && !({same})"
        made.after.append(f"if ({changes}) {failing}();")
        if leaf.is_pointer and one.depth > 1 and not compiled.is_function(unit, leaf.kind):
            _, target = compiled.target(unit, leaf.kind)
            is_array = not compiled.is_struct(unit, target)
            inner = replace(one, place=before, steps=own, kind=target, guard=before)
            yield replace(inner, is_array=is_array, is_pointer=True, depth=one.depth - 1)
    made.count += 1


def _allowed(
    made: Frame,
    wanted: list[tuple[Target, str]],
    one: _Object,
    own: tuple[Step, ...],
    here: str,
) -> str:
    """The condition under which a scalar may change."""
    tests = _near(here, len(wanted)) if made.by_address else _by_path(wanted, one, own)
    return " || ".join(tests) or "0"


def _by_path(
    wanted: list[tuple[Target, str]], one: _Object, own: tuple[Step, ...]
) -> Iterator[str]:
    """Conditions under which a scalar may change: a target has it, by its root or an equal one."""
    for number, (target, condition) in enumerate(wanted):
        yield _covers(number, target, condition, one.root, own)
        for other in one.equals:
            covered = _covers(number, target, condition, other, own)
            if covered != "0":
                yield f"((void *){one.root} == (void *){other} && {covered})"


def _near(here: str, count: int) -> Iterator[str]:
    """Conditions under which a scalar may change: its address is in a target."""
    for k in range(count):
        yield f"({SIZE})&({here}) - ({SIZE}){PLACE}{k} < {BYTES}{k}"


def _index(made: Frame, name: str, most: str) -> str:
    """Write the choice of an arbitrary number up to `most`; gives its name."""
    made.before.append(f"extern {SIZE} __SEA_nondet_{name}(void);")
    made.before.append(f"{SIZE} {name} = __SEA_nondet_{name}(); __SEA_assume({name} <= {most});")
    return name


def _same(here: str, before: str, is_float: bool) -> str:
    if not is_float:
        return f"{here} == {before}"
    is_long = f"__builtin_types_compatible_p(__typeof__({here}), long double)"
    size = f"({is_long} && sizeof {here} > 10 ? 10 : sizeof {here})"  # the rest is padding
    return f"__builtin_memcmp(&(__typeof__({here})){{{before}}}, (void *)&{here}, {size}) == 0"


def _steps(path: str) -> Iterator[Step]:
    for part in path.replace("[", ".[").split(".")[1:]:
        if part.startswith("["):
            yield Step(first=part[1:-1])
        else:
            yield Step(member=part)


def _covers(number: int, target: Target, condition: str, root: str, own: tuple[Step, ...]) -> str:
    """The condition that a scalar is in a target."""
    if target.root != root or len(target.steps) > len(own):
        return "0"
    tests = [condition]
    for k, (wanted, found) in enumerate(zip(target.steps, own, strict=False)):
        if wanted.member != found.member:
            return "0"
        if not wanted.member and wanted.count:
            first = f"__sea_at_{number}_{k}"
            tests.append(f"({found.first} >= {first} && {found.first} - {first} < {first}_n)")
    return f"({' && '.join(tests)})"
