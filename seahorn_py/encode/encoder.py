"""From a program in encoding form to a Horn system (docs/explanation/architecture.md, section 4).

For each function there are relations of path edges, from the values at its entry to those at a cut
point, and summary edges, from its entry to its exit (Reps, Horwitz, Sagiv: "Precise interprocedural
dataflow analysis via graph reachability", POPL 1995; Ball, Rajamani: "Bebop", SPIN 2000).  A rule
is a loop-free region between cut points.
"""

from __future__ import annotations

from seahorn_py.encode.bits.bvmachine import BvMachine
from seahorn_py.encode.encoding import Arithmetic, Cut, EncodeOptions, Encoding, Wrapping
from seahorn_py.encode.functions import FunctionRules
from seahorn_py.encode.integers.idealmachine import IdealMachine
from seahorn_py.encode.integers.intmachine import IntMachine
from seahorn_py.encode.machine import Machine, V
from seahorn_py.encode.pointers import layout
from seahorn_py.encode.relations import FunctionRelations, relations_of
from seahorn_py.encode.relevance import relevance
from seahorn_py.encode.signedness import signedness, wrapping_sums
from seahorn_py.encode.whole_program import WholeProgram
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.horn.system import Atom, HornSystem, Relation, Rule
from seahorn_py.ir.program import Program
from seahorn_py.logic.terms import terms
from seahorn_py.passes.ranges.ranges import Ranges


def encode(
    program: Program, options: EncodeOptions | None = None, ranges: Ranges | None = None
) -> Encoding:
    """The Horn system whose queries are the program's checks, and how it lies in the program.

    `program` is in encoding form.  In the integer encoding there is a query of kind `Obligation`
    for each operation that is taken not to wrap; the system speaks of the program only if none of
    them can be reached.  In bit-vectors there is one for each object of a program with `bit_gaps`,
    unless one of them was split: then the gaps are in the ledger.
    """
    options = EncodeOptions() if options is None else options
    match options.arithmetic:
        case Arithmetic.INT if options.wrapping is Wrapping.IDEAL:
            return _encode(_whole(program, options, None, IdealMachine(options.typed_inputs)))
        case Arithmetic.INT:
            return _encode(_whole(program, options, ranges, IntMachine()))
        case Arithmetic.BV:
            return _encode(_whole(program, options, ranges, BvMachine()))


def _whole(
    program: Program, options: EncodeOptions, ranges: Ranges | None, machine: Machine[V]
) -> WholeProgram[V]:
    is_lenient = options.wrapping is Wrapping.ASSUME and not options.strict
    return WholeProgram(
        program,
        options,
        machine,
        signedness(program),
        wrapping_sums(program) if is_lenient else frozenset(),
        relevance(program, floats=machine.floats() is not None),
        layout(program),
        ranges,
    )


def _encode(whole: WholeProgram[V]) -> Encoding:
    program = whole.program
    taken: set[str] = set()
    own = {name: relations_of(whole, f, taken) for name, f in program.functions.items()}
    ledger = {LedgerEntry(Approximation.ASSUMED, text): None for text in program.assumptions}
    cut = whole.options.arithmetic is Arithmetic.BV and not whole.asks_for_room
    gaps = (*program.gaps, *program.bit_gaps) if cut else program.gaps
    ledger |= {LedgerEntry(Approximation.UNDER, text): None for text in gaps}
    rules = [_start(own[program.entry])]
    for function in program.functions.values():
        rules.extend(FunctionRules(whole, function, own, ledger).rules())
    related = [r for relations in own.values() for r in relations.all()]
    by_name: dict[str, Relation] = {r.relation.name: r.relation for r in related}
    cuts: dict[str, Cut] = {r.relation.name: r.cut for r in related}
    system = HornSystem(by_name, tuple(rules), tuple(ledger))
    return Encoding(system, program, cuts, whole.options)


def _start(entry: FunctionRelations) -> Rule:
    """Runs begin in the entry function, which has no parameters."""
    relation = entry.entry.relation
    return Rule("start", (), terms.TRUE, Atom(relation.name, ()), origin=relation.origin)
