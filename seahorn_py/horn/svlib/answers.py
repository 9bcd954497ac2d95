"""Witnesses of SV-LIB: annotations that prove a task, or the choices of a run that violates it.

A correctness witness has `annotate-tag` for each loop and label with a tag that a model speaks of,
and the contract of each procedure whose body has one.  The value of a variable at the entry is
`(old x)` in a contract, and bound by `exists` in an invariant, as ghosts are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from seahorn_py.horn.svlib.emitting import Emitted
from seahorn_py.horn.svlib.following import Chosen
from seahorn_py.horn.svlib.tasks import Annotation, Procedure, Task, Variable
from seahorn_py.horn.system import Atom, Model, Refutation
from seahorn_py.horn.walking import run_backwards
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import Value, evaluate
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.printing import print_sort, print_term
from seahorn_py.logic.text.sexpr import quoted


def choices(emitted: Emitted, refutation: Refutation) -> Iterator[Chosen]:
    """What the run of a refutation chooses, in order.

    Raises NotEvaluable for a value that no run here can have, as one of a datatype.
    """
    rules = {rule.name: rule for rule in emitted.system.rules}
    for number in reversed(run_backwards(emitted.system, refutation)):
        step = refutation.steps[number]
        made = emitted.made.get(step.rule)
        if made is None:
            continue
        head = rules[step.rule].head
        name = head.relation.rpartition(".")[0] if isinstance(head, Atom) else ""
        values = {v: evaluate(step.arguments[k], {}) for v, k in made.variables}
        yield Chosen(made.kind, values, made.number, name)


# ------------------------------------------------------------------------------------- violations


def violation_witness(task: Task, chosen: Sequence[Chosen], violated: Annotation) -> str:
    """A `select-trace` command; empty if the statement has no tag, by which it could be named."""
    if not violated.tag:
        return ""
    first, *steps = chosen
    model = "".join(f"\n    {_definition(v, first.values[v])}" for v in task.constants)
    initial = "".join(f" {_pair(v, first.values[v])}" for v in task.globals)
    lines = [
        "((select-trace",
        f"  (model{model})",
        f"  (init-global-vars{initial})",
        f"  (entry-proc {quoted(task.entry)})",
        "  (steps",
        *(f"    {_step(one)}" for one in steps),
        "  )",
        f"  (incorrect-annotation {quoted(violated.tag)} {violated.kind} {violated.text})))",
    ]
    return "\n".join(lines) + "\n"


def _definition(variable: Variable, value: Value) -> str:
    sort = print_sort(variable.sort)
    return f"(define-fun {quoted(variable.name)} () {sort} {_written(value, variable)})"


def _step(one: Chosen) -> str:
    if one.kind == "choice":
        return f"(choice {one.number})"
    name = f" {quoted(one.procedure)}" if one.kind == "init-proc-vars" else ""
    values = "".join(f" {_pair(v, value)}" for v, value in one.values.items())
    return f"({one.kind}{name}{values})"


def _pair(variable: Variable, value: Value) -> str:
    return f"({quoted(variable.name)} {_written(value, variable)})"


def _written(value: Value, variable: Variable) -> str:
    """A value as steps have it: a constant, negative ones with their sign."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if variable.sort.is_bv_type():
        return f"#b{value:0{variable.sort.width}b}"
    if isinstance(value, Fraction):
        return f"{float(value)}"
    return str(value)


# -------------------------------------------------------------------------------------- proofs


def correctness_witness(task: Task, emitted: Emitted, model: Model) -> str:
    """The `annotate-tag` commands of a model."""
    lines = []
    for procedure in task.procedures.values():
        names = _names(task, procedure)
        for tag, place in procedure.heads.items():
            known = model.interpretations.get(emitted.points.get((procedure.name, place), ""))
            if known is not None:
                text = print_term(_bound(known, names), names)
                lines.append(f"(annotate-tag {quoted(tag)} :invariant {text})")
        lines += _contract(procedure, names, model)
    return "(" + "\n ".join(lines) + ")\n"


def _names(task: Task, procedure: Procedure) -> Mapping[Term, str]:
    """The names that terms at a place of the procedure may have."""
    variables = (*task.constants, *task.globals, *procedure.inputs, *procedure.fresh)
    return {v.symbol: v.name for v in variables}


def _bound(term: Term, names: Mapping[Term, str]) -> Term:
    hidden = terms.by_name(s for s in terms.free_symbols(term) if s not in names)
    return terms.exists(hidden, term) if hidden else term


def _contract(procedure: Procedure, names: Mapping[Term, str], model: Model) -> Iterator[str]:
    """The contexts and summaries of a procedure as `:requires` and `:ensures`."""
    if not procedure.tags:
        return
    tag = quoted(procedure.tags[0])
    entry = model.interpretations.get(f"{procedure.name}.entry")
    summary = model.interpretations.get(f"{procedure.name}.exit")
    before = {f"{s.symbol_name()}@entry": s for s in names}
    if entry is not None:
        now = {
            s: before[s.symbol_name()]
            for s in terms.free_symbols(entry)
            if s.symbol_name() in before
        }
        text = print_term(_bound(terms.substitute(entry, now), names), names)
        yield f"(annotate-tag {tag} :requires {text})"
    if summary is not None:
        old = {
            s: before[s.symbol_name()]
            for s in terms.free_symbols(summary)
            if s.symbol_name() in before
        }
        written = {**names, **{s: f"(old {quoted(names[one])})" for s, one in old.items()}}
        text = _with_old(_bound(summary, written), names, old)
        yield f"(annotate-tag {tag} :ensures {text})"


def _with_old(term: Term, names: Mapping[Term, str], old: Mapping[Term, Term]) -> str:
    """The text of a term in which some symbols stand for the old value of others."""
    if not old:
        return print_term(term, names)
    holders = {s: f"old!{k}" for k, s in enumerate(old)}
    text = print_term(term, {**names, **holders})
    bindings = " ".join(f"({name} (old {quoted(names[old[s]])}))" for s, name in holders.items())
    return f"(let ({bindings}) {text})"
