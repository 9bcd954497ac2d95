"""The checker of refutations: a DAG of ground rule instances that ends in a query.

Each step must name a rule of the system; its premises must be earlier steps, one for each body
atom, that derive a fact of that relation; and some values of the rule's remaining symbols must make
constraint, body arguments (the premises' facts) and head arguments (the step's fact) come true.
Where all values are given that is worked out here; what is left open is asked of a solver.
SMT-LIB leaves integer and real division by 0 open, and what a selector reads of another
constructor's value, and a refutation must not rest on a choice of its value: every divisor is
required to differ from 0, and every selector to read what is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pysmt import operators as op

from seahorn_py.base.errors import InputError
from seahorn_py.horn.checking.proofs import Checked
from seahorn_py.horn.system import Atom, HornSystem, Query, Refutation, Rule, Step
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.datatypes import Part, function_of, tested
from seahorn_py.logic.terms.evaluate import NotEvaluable, compile_term
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline


def check_refutation(
    system: HornSystem,
    refutation: Refutation,
    deadline: Deadline,
    solvers: Sequence[Solver] = (Solver.CVC5,),
) -> Checked:
    """Whether every step is an instance of its rule; the first that is not is named.

    `solvers` are asked in turn for what the earlier ones leave open; by default the one that the
    engines do not use.
    """
    wrong = misshapen(system, refutation)
    if wrong:
        return Checked(False, "", wrong)
    rules = {rule.name: rule for rule in system.rules}
    try:
        instances = [
            _instance(rules[step.rule], step, [refutation.steps[p] for p in step.premises])
            for step in refutation.steps
        ]
        scripts = {k: script_of(parts) for k, parts in enumerate(instances) if parts}
    except InputError as error:
        return Checked(False, "", str(error))
    return _all_sat(refutation, scripts, solvers, deadline)


def misshapen(system: HornSystem, refutation: Refutation) -> str:
    """What is wrong with rules, premises and sorts; empty when nothing is."""
    rules = {rule.name: rule for rule in system.rules}
    if not refutation.steps:
        return "an empty refutation"
    for number, step in enumerate(refutation.steps):
        rule = rules.get(step.rule)
        if rule is None:
            return f"step {number}: no rule {step.rule}"
        wrong = (
            _wrong_constants(step)
            or _wrong_head(system, rule, step)
            or _wrong_premises(refutation, rules, number)
        )
        if wrong:
            return f"step {number} ({step.rule}): {wrong}"
    last = rules[refutation.query.rule]
    return "" if isinstance(last.head, Query) else f"the last step, {last.name}, derives no query"


def _wrong_constants(step: Step) -> str:
    if any(terms.free_symbols(a) for a in (*step.arguments, *step.values.values())):
        return "an argument or a value is not constant"
    if any(terms.sort_of(s) != terms.sort_of(v) for s, v in step.values.items()):
        return "a value has another sort than its symbol"
    return ""


def _wrong_head(system: HornSystem, rule: Rule, step: Step) -> str:
    if isinstance(rule.head, Query):
        return "a query has arguments" if step.arguments else ""
    expected = [p.sort for p in system.relations[rule.head.relation].parameters]
    if [terms.sort_of(a) for a in step.arguments] != expected:
        return f"the arguments do not fit {rule.head.relation}"
    return ""


def _wrong_premises(refutation: Refutation, rules: dict[str, Rule], number: int) -> str:
    step = refutation.steps[number]
    body = rules[step.rule].body
    if len(step.premises) != len(body):
        return f"{len(step.premises)} premises for {len(body)} body atoms"
    for premise, atom in zip(step.premises, body, strict=True):
        if not 0 <= premise < number:
            return f"premise {premise} is no earlier step"
        head = rules[refutation.steps[premise].rule].head
        if not isinstance(head, Atom) or head.relation != atom.relation:
            return f"premise {premise} derives no fact of {atom.relation}"
    return ""


def _instance(rule: Rule, step: Step, premises: Sequence[Step]) -> list[Term]:
    """The conjuncts that say: these premises give this fact by this rule; true ones left out."""
    known = dict(step.values)
    parts = [terms.substitute(rule.constraint, known)]
    for atom, premise in zip(rule.body, premises, strict=True):
        parts += _equal(atom.arguments, premise.arguments, known)
    if isinstance(rule.head, Atom):
        parts += _equal(rule.head.arguments, step.arguments, known)
    parts += [
        *(_nonzero(divisor) for part in parts for divisor in _divisors(part)),
        *(test for part in parts for test in _tests(part)),
    ]
    return [p for p in dict.fromkeys(parts) if not _is_true(p)]


def _is_true(part: Term) -> bool:
    """The conjunct has no symbols left and holds."""
    try:
        return bool(compile_term(part, ())(()))
    except NotEvaluable:
        return False


def _equal(
    symbolic: Sequence[Term], constants: Sequence[Term], known: Mapping[Term, Term]
) -> list[Term]:
    """Equations in which the known symbols are replaced by their values.

    An equation between an array and a constant array would be beyond cvc5.
    """
    pairs = zip(symbolic, constants, strict=True)
    return [terms.eq(terms.substitute(a, known), b) for a, b in pairs]


def _divisors(term: Term) -> Iterator[Term]:
    for node in nodes(term):
        if node.is_quantifier():
            yield from (terms.int_const(0) for d in _divisors(node.arg(0)))
        elif node.node_type() == op.DIV or _is_integer_division(node):
            divisor = node.arg(1)
            if not (divisor.is_constant() and divisor.constant_value()):
                yield divisor


def _tests(term: Term) -> Iterator[Term]:
    """That each selector in a term reads a value of its constructor; false below a quantifier."""
    for node in nodes(term):
        if node.is_quantifier():
            yield from (terms.FALSE for _ in _tests(node.arg(0)))
        function = function_of(node)
        if function is not None and function.part is Part.SELECTOR:
            yield tested(function, node.arg(0))


def _is_integer_division(node: Term) -> bool:
    if not node.is_function_application():
        return False
    return node.function_name().symbol_name() in ("div", "mod")


def _nonzero(divisor: Term) -> Term:
    sort = terms.sort_of(divisor)
    zero = terms.int_const(0) if sort is terms.INT else terms.real_const(0)
    return terms.not_(terms.eq(divisor, zero))


def _all_sat(
    refutation: Refutation, scripts: dict[int, str], solvers: Sequence[Solver], deadline: Deadline
) -> Checked:
    open_ = dict(scripts)
    used: list[str] = []
    for solver in solvers:
        if not open_:
            break
        each = policy().confirming.step_seconds
        answers = check_scripts(list(open_.values()), solver, deadline, seconds_each=each)
        used.append(solver.value)
        decided = dict(zip(open_, answers, strict=True))
        for number, answer in decided.items():
            if answer.status is Status.UNSAT:
                name = refutation.steps[number].rule
                return Checked(False, solver.value, f"step {number} is no instance of {name}")
        open_ = {k: open_[k] for k, a in decided.items() if a.status is Status.UNKNOWN}
    names = " and ".join(used)
    if not open_:
        return Checked(True, names)
    number = next(iter(open_))
    name = refutation.steps[number].rule
    return Checked(False, names, f"{names} did not decide step {number} ({name})")
