"""The narrow waist: constrained Horn systems with provenance, and the evidence about them.

Every front end ends in a `HornSystem`, every engine starts from one (McMillan, Rybalchenko 2013;
Bjorner, Gurfinkel, McMillan, Rybalchenko 2015).  A rule reads

    body[0](...) and ... and constraint  ->  head(...)

with all its symbols universally quantified.  The system is *solvable* (the program safe) when
relations have an interpretation that makes every rule valid with every `Query` false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import Enum

from seahorn_py.base.errors import NOWHERE, InternalError, Origin, Span
from seahorn_py.base.notebook import Shown
from seahorn_py.base.records import dataclass
from seahorn_py.horn.ledger import Ledger
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term

# ------------------------------------------------------------------------------------- relations


class Role(Enum):
    """What a parameter holds: a value at the entry, a current value, memory, a global."""

    ENTRY = "entry"
    CURRENT = "current"
    REGION = "region"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A position of a relation.

    `symbol` names the position in models.  `c_name` is the C variable whose value this is, None
    when it has no name there; `c_type` its C type.  `width` is that of the machine integer, or of
    the elements of a region (None for Booleans and other sorts), `signed` how an integer of the
    `int` encoding represents it, and `range` the inclusive bounds known for it.
    """

    symbol: Term
    role: Role = Role.CURRENT
    c_name: str | None = None
    c_type: str = ""
    scope: str = ""
    width: int | None = None
    signed: bool = True
    range: tuple[int, int] | None = None
    inlined_at: tuple[Span, ...] = ()

    @property
    def sort(self) -> Sort:
        """The sort of the position."""
        return terms.sort_of(self.symbol)


@dataclass(frozen=True, slots=True)
class Relation(Shown):
    """An unknown predicate; `origin` is the C place of its cut point."""

    name: str
    parameters: tuple[Parameter, ...]
    origin: Origin = NOWHERE

    @property
    def symbols(self) -> tuple[Term, ...]:
        """The symbols of the parameters, in order."""
        return tuple(p.symbol for p in self.parameters)


@dataclass(frozen=True, slots=True)
class Atom:
    """`relation(arguments)`; the arguments are terms over the rule's symbols."""

    relation: str
    arguments: tuple[Term, ...]


# --------------------------------------------------------------------------------------- queries


@dataclass(frozen=True, slots=True)
class CheckId:
    """A check as the user sees it: copies by inlining are one."""

    property: str
    text: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class OperationId:
    """An operation of the program that must not wrap for plain arithmetic to mean the same."""

    function: str
    register: str
    text: str
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Check:
    """The query asks whether a check can be violated; `site` is its occurrence in the program."""

    id: CheckId
    site: int


@dataclass(frozen=True, slots=True)
class Obligation:
    """The query asks whether an operation can wrap."""

    operation: OperationId


@dataclass(frozen=True, slots=True)
class Vacuity:
    """The query asks whether a place can be reached at all."""

    place: str


QueryKind = Check | Obligation | Vacuity


@dataclass(frozen=True, slots=True)
class Query:
    """The head `false`, with what it stands for."""

    id: str
    kind: QueryKind


# ----------------------------------------------------------------------------------------- rules


@dataclass(frozen=True, slots=True)
class Extent:
    """The elements that `size` bytes from `address` are; each takes `element` bytes.

    The terms are integers or bit-vectors.
    """

    address: Term
    size: Term
    element: int


@dataclass(frozen=True, slots=True)
class InputRead:
    """The rule reads `symbol` from input site `site` when `guard` holds; see `Program.sites`.

    With an extent, `symbol` is an array, and the values read, one a byte, are the elements of the
    extent.
    """

    symbol: Term
    site: int
    guard: Term
    extent: Extent | None = None


@dataclass(frozen=True, slots=True)
class BlockMark:
    """`symbol` is the Boolean that says whether basic block `label` of `function` ran."""

    symbol: Term
    function: str
    label: str


@dataclass(frozen=True, slots=True)
class Rule(Shown):
    """A Horn clause; names are unique in a system.

    `inputs` are in execution order; `blocks` are the Booleans of the basic blocks, in topological
    order.  `origin` is the C place at which the rule begins.
    """

    name: str
    body: tuple[Atom, ...]
    constraint: Term
    head: Atom | Query
    inputs: tuple[InputRead, ...] = ()
    blocks: tuple[BlockMark, ...] = ()
    origin: Origin = NOWHERE


@dataclass(frozen=True)
class HornSystem:
    """Relations by name, rules, and the approximations made on the way.

    Construction checks that every atom names a relation and has its arity and sorts.
    """

    relations: Mapping[str, Relation]
    rules: tuple[Rule, ...]
    ledger: Ledger = ()

    def __post_init__(self) -> None:
        names = {rule.name for rule in self.rules}
        if len(names) != len(self.rules):
            raise InternalError("two rules share a name")
        for rule in self.rules:
            for atom in atoms(rule):
                self._verify(rule, atom)

    def _verify(self, rule: Rule, atom: Atom) -> None:
        relation = self.relations.get(atom.relation)
        if relation is None:
            raise InternalError(f"rule {rule.name}: no relation {atom.relation}")
        expected = [p.sort for p in relation.parameters]
        if [terms.sort_of(a) for a in atom.arguments] != expected:
            raise InternalError(f"rule {rule.name}: wrong arguments for {atom.relation}")

    @property
    def queries(self) -> tuple[Rule, ...]:
        """The rules whose head is a query."""
        return tuple(r for r in self.rules if isinstance(r.head, Query))

    @property
    def linear(self) -> bool:
        """At most one body atom in every rule."""
        return all(len(r.body) <= 1 for r in self.rules)

    def formulas(self) -> Iterator[Term]:
        """The arguments and constraints of all rules."""
        for rule in self.rules:
            yield from formulas(rule)


def is_obligation(rule: Rule) -> bool:
    """Whether a rule says that an operation wraps."""
    return isinstance(rule.head, Query) and isinstance(rule.head.kind, Obligation)


def atoms(rule: Rule) -> Iterator[Atom]:
    """All atoms of a rule, the body first."""
    yield from rule.body
    if isinstance(rule.head, Atom):
        yield rule.head


def formulas(rule: Rule) -> Iterator[Term]:
    """The arguments of all atoms, those of the body first, then the constraint."""
    for atom in atoms(rule):
        yield from atom.arguments
    yield rule.constraint


def symbols_of(rule: Rule) -> list[Term]:
    """The free symbols of a rule's constraint and arguments, by their names."""
    return terms.by_name({s for part in formulas(rule) for s in terms.free_symbols(part)})


# ---------------------------------------------------------------------------------------- proofs


@dataclass(frozen=True)
class Model(Shown):
    """Relation name -> formula over the relation's parameter symbols; a missing one is `true`."""

    interpretations: Mapping[str, Term]

    def shown(self) -> Mapping[str, object]:
        """The relations that it says something about, with formulas in infix form."""
        from seahorn_py.logic.text.infix import print_infix  # who shows nothing needs none

        return {name: print_infix(term, {}) for name, term in self.interpretations.items()}

    def __repr__(self) -> str:
        lines = (f"{name}: {text}" for name, text in self.shown().items())
        return f"<Model\n{chr(10).join(lines)}>"


@dataclass(frozen=True)
class KInductive(Shown):
    """An invariant that is inductive in `k` steps instead of one.

    With `simple` it need be so only where the `k` states are pairwise different.
    """

    k: int
    model: Model
    simple: bool = False


@dataclass(frozen=True)
class Unrolling(Shown):
    """A number of unwindings per relation beyond which nothing is reachable."""

    bounds: Mapping[str, int]


Proof = Model | KInductive | Unrolling

# ----------------------------------------------------------------------------------- refutations


@dataclass(frozen=True)
class Step(Shown):
    """A ground rule instance.

    `arguments` are the constants of the fact it derives (empty for a query); `premises` are
    indices of earlier steps, one per body atom of the rule, in order.  `values` may fix further
    symbols of the rule, or be empty when they are to be solved for.
    """

    rule: str
    arguments: tuple[Term, ...]
    premises: tuple[int, ...]
    values: Mapping[Term, Term] = field(default_factory=dict)


@dataclass(frozen=True)
class Refutation(Shown):
    """A DAG of ground rule instances in which premises come first; the last derives a query."""

    steps: tuple[Step, ...]

    @property
    def query(self) -> Step:
        """The step that derives the query."""
        return self.steps[-1]
