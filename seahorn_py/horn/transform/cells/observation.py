"""Arrays replaced by a few observed cells: Horn systems over arrays become systems without.

Monniaux, Gonnord: "Cell morphing: from array programs to array-free Horn clauses", SAS 2016.
A relation `R(a, x)` becomes `R'(k, v, x)`: of some cell of `a`, its number `k` and its content `v`.
A model of the new system gives the quantified model

    R(a, x)  :=  forall k. R'(k, a[k], x)

of the old one.  A rule of the old system is valid in it if it holds for finitely many instances of
the body's quantifiers (Bjorner, McMillan, Rybalchenko: "On solving universally quantified Horn
clauses", SAS 2013): those at the observed cells of the head and at every cell the rule reads.  So
each body atom becomes one atom for each of these cells, and each read a variable (`cellrules`).

Several arrays of one relation are observed at the same cell, or each at cells of its own; and one
may observe two cells at once, for facts that relate them.  What is observed is less than there was:
a refutation of the new system is none of the old one.

Step of the paper -> function: the new relations -> `_observed`; the rules -> `cellrules`; the
quantified model -> `_quantified`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Model, Parameter, Relation
from seahorn_py.horn.transform.cells.cellrules import MorphedRelation, Observed, morph_rule
from seahorn_py.horn.transform.cells.numbering import PLAIN, Numbering, Position, numberings
from seahorn_py.horn.transform.transformation import Models
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.linear import unit_form
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True)
class Observation:
    """How many cells are observed at once, and whether the arrays of a relation share them.

    `mixed`: the rules also observe pairs of a cell of their head and a cell that they read, which
    orders of any two elements need, and pays for with more atoms.  `followed`: rules only observe
    the cells of their head, so that what happens to a cell is a chain of facts; what other cells
    hold is then unknown.
    """

    cells: int = 1
    shared: bool = True
    mixed: bool = False
    followed: bool = False

    def apply(self, system: HornSystem) -> tuple[HornSystem, Models]:
        """The system with every array parameter replaced by observed cells.

        Its models become quantified ones.  Elements that are arrays stay arrays: apply it again.
        """
        shapes = numberings(system)
        morphed = {
            relation.name: _observed(relation, self, shapes)
            for relation in system.relations.values()
        }
        rules = tuple(
            morph_rule(rule, morphed, mixed=self.mixed, followed=self.followed)
            for rule in system.rules
        )
        relations = {name: m.relation for name, m in morphed.items()}

        def back(model: Model) -> Model:
            found = model.interpretations.items()
            return Model({name: _quantified(morphed[name], formula) for name, formula in found})

        return HornSystem(relations, rules, system.ledger), Models(back)


def has_arrays(system: HornSystem) -> bool:
    """Whether a relation has an array parameter."""
    return any(p.sort.is_array_type() for r in system.relations.values() for p in r.parameters)


def _observed(
    relation: Relation, observation: Observation, shapes: Mapping[Position, Numbering]
) -> MorphedRelation:
    """The new relation: the observed cells first, then the parameters that are no arrays."""
    groups: dict[object, list[int]] = {}
    for number, parameter in enumerate(relation.parameters):
        if parameter.sort.is_array_type():
            key = parameter.sort.index_type if observation.shared else number
            groups.setdefault(key, []).append(number)
    cells = [
        _cell(relation, numbers, shapes)
        for numbers in groups.values()
        for _ in range(observation.cells)
    ]
    parameters = [p for cell in cells for p in _cell_parameters(relation, cell)]
    parameters += [p for p in relation.parameters if not p.sort.is_array_type()]
    return MorphedRelation(relation, tuple(cells), replace(relation, parameters=tuple(parameters)))


def _cell(relation: Relation, numbers: list[int], shapes: Mapping[Position, Numbering]) -> Observed:
    sort = relation.parameters[numbers[0]].sort.index_type
    index = terms.fresh_like(terms.variable(f"{relation.name}.cell", sort))
    contents = {n: terms.fresh_like(_content(relation.parameters[n])) for n in numbers}
    own = {
        n: shapes.get((relation.name, n), PLAIN) if sort is terms.INT else PLAIN for n in numbers
    }
    return Observed(index, contents, own)


def _content(parameter: Parameter) -> Term:
    return terms.variable(f"{parameter.symbol.symbol_name()}.at", parameter.sort.elem_type)


def _cell_parameters(relation: Relation, cell: Observed) -> list[Parameter]:
    contents = [
        replace(relation.parameters[number], symbol=symbol, c_name=None, range=None)
        for number, symbol in cell.contents.items()
    ]
    return [Parameter(cell.index), *contents]


def _quantified(morphed: MorphedRelation, formula: Term) -> Term:
    """`forall cells. formula`, every content read from its array.

    Conjuncts about cells stay under one quantifier: all reads together tell a checker its
    instances.
    """
    parts = formula.args() if formula.is_and() else (formula,)
    ours = {s for cell in morphed.cells for s in (cell.index, *cell.contents.values())}
    about = [part for part in parts if terms.free_symbols(part) & ours]
    others = [part for part in parts if part not in about]
    return terms.and_([*others, _over_cells(morphed, terms.and_(about))])


def _over_cells(morphed: MorphedRelation, formula: Term) -> Term:
    symbols = morphed.old.symbols
    contents: dict[Term, Term] = {}
    for cell in morphed.cells:
        for number, content in cell.contents.items():
            numbering = cell.numberings[number]
            address = numbering.address(unit_form(cell.index)).term()
            contents[content] = terms.select(symbols[number], address)
    body = terms.substitute(formula, contents)
    free = terms.free_symbols(body)
    return terms.forall([c.index for c in morphed.cells if c.index in free], body)
