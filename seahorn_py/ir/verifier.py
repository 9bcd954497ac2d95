"""Whether a program keeps the promises of `ir.program`; run after every pass.

`verify` returns all errors; `check` is the one place that raises.  SSA is checked as in LLVM's
verifier: each use of a register lies behind its definition in the same block or in a block that the
definition's block dominates; the operand of a phi is used at the end of its predecessor.  Blocks
that cannot be reached need no dominance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from seahorn_py.base.errors import InternalError
from seahorn_py.ir import graph
from seahorn_py.ir.memory import end_of
from seahorn_py.ir.program import (
    Block,
    Branch,
    Call,
    Fail,
    Function,
    Global,
    Havoc,
    Input,
    Jump,
    Operand,
    Program,
    RegionHavoc,
    Register,
    Return,
    Statement,
    Stop,
    Terminator,
)
from seahorn_py.ir.traverse import operands, results, targets
from seahorn_py.ir.typerules import MAX_WIDTH, complaints
from seahorn_py.ir.types import BOOL, IntType


def check(program: Program, after: str, copies: bool = False) -> Program:
    """The program itself; InternalError with the broken functions if it does not verify."""
    errors = verify(program, copies)
    if not errors:
        return program
    from seahorn_py.ir.printer import print_function

    broken = [f for name, f in program.functions.items() if any(_names(e, name) for e in errors)]
    shown = "\n\n".join(print_function(function) for function in broken)
    raise InternalError(f"after {after}:\n" + "\n".join(errors) + "\n\n" + shown)


def _names(error: str, function: str) -> bool:
    return error.startswith((f"{function}: ", f"{function}."))


def verify(program: Program, copies: bool = False) -> tuple[str, ...]:
    """All errors, each with function and block; empty for a program that keeps its promises.

    With `copies`, a site or check may be in several blocks, of which a run passes them in order.
    """
    errors = [*_program_errors(program), *_mention_errors(program, copies)]
    for name, item in program.globals.items():
        errors += [f"@{name}: {error}" for error in _global_errors(name, item, program)]
    for name, function in program.functions.items():
        if not function.blocks:
            errors.append(f"{name}: no blocks")
            continue
        shape = [*_shape_errors(name, function)]
        errors += shape
        if not shape:
            errors += _Body(program, function).errors()
    return tuple(errors)


def _program_errors(program: Program) -> Iterator[str]:
    entry = program.functions.get(program.entry)
    if entry is None:
        yield f"no entry function {program.entry}"
    elif entry.parameters:
        yield f"{program.entry}: the entry function has parameters"
    sites = Counter(site.number for site in program.sites)
    checks = Counter(check_site.number for check_site in program.checks)
    yield from (f"site {n} is listed {k} times" for n, k in sites.items() if k > 1)
    yield from (f"check {n} is listed {k} times" for n, k in checks.items() if k > 1)


def _mention_errors(program: Program, copies: bool) -> Iterator[str]:
    """Sites and checks that are mentioned are listed, and are in one block each.

    One block may read a site several times: the bytes of an object, in order.
    """
    sites = {site.number for site in program.sites}
    checks = {check_site.number for check_site in program.checks}
    used: set[tuple[str, str, str]] = set()
    for function in program.functions.values():
        for block in function.blocks:
            for node in (*block.statements, block.terminator):
                match node:
                    case Input() | Havoc() | RegionHavoc():
                        used.add((f"site {node.site.number}", function.name, block.label))
                        if node.site.number not in sites:
                            yield f"{function.name}: site {node.site.number} is not listed"
                    case Fail():
                        used.add((f"check {node.check.number}", function.name, block.label))
                        if node.check.number not in checks:
                            yield f"{function.name}: check {node.check.number} is not listed"
    blocks = Counter(what for what, _, _ in used if not copies)
    yield from (f"{what} occurs {k} times in the code" for what, k in blocks.items() if k > 1)


def _global_errors(name: str, item: Global, program: Program) -> Iterator[str]:
    if item.name != name:
        yield f"named {item.name}"
    if name in program.functions:
        yield "a function has the same name"
    end = 0
    for offset, leaf in item.leaves:
        if isinstance(leaf, Register):
            yield f"the leaf at {offset} is no constant"
        if offset < end:
            yield f"the leaf at {offset} overlaps the one before"
        end = end_of(offset, leaf, program.pointer_width)
    if end > item.size:
        yield f"leaves up to {end}, size {item.size}"


def _shape_errors(name: str, function: Function) -> Iterator[str]:
    """What must hold for the graph algorithms to make sense."""
    if function.name != name:
        yield f"{name}: named {function.name}"
    labels = Counter(block.label for block in function.blocks)
    yield from (f"{name}: {k} blocks {label}" for label, k in labels.items() if k > 1)
    entry = function.entry
    if entry.phis:
        yield f"{name}.{entry.label}: phis in the entry block"
    for block in function.blocks:
        for target in targets(block.terminator):
            if target not in labels:
                yield f"{name}.{block.label}: no block {target}"
            elif target == entry.label:
                yield f"{name}.{block.label}: jumps to the entry block"


class _Body:
    """The registers, phis, types and calls of a function whose graph is well formed."""

    def __init__(self, program: Program, function: Function) -> None:
        self._program = program
        self._function = function
        self._tree = graph.dominator_tree(function)
        self._homes: dict[str, tuple[Register, str, int]] = {}
        self._found: list[str] = []

    def errors(self) -> list[str]:
        """All errors of the function."""
        self._define()
        before = graph.predecessors(self._function)
        for block in self._function.blocks:
            self._phis(block, before[block.label])
            for position, statement in enumerate(block.statements):
                self._statement(block, position, statement)
            self._uses(block, len(block.statements), block.terminator)
            self._terminator(block, block.terminator)
        return self._found

    def _complain(self, block: Block, error: str) -> None:
        self._found.append(f"{self._function.name}.{block.label}: {error}")

    def _define(self) -> None:
        """Where each register is assigned: block and position, -1 for phis and parameters."""
        for parameter in self._function.parameters:
            self._home(self._function.entry, parameter, -1)
        for block in self._function.blocks:
            for phi in block.phis:
                self._home(block, phi.result, -1)
            for position, statement in enumerate(block.statements):
                for register in results(statement):
                    self._home(block, register, position)

    def _home(self, block: Block, register: Register, position: int) -> None:
        if register.name in self._homes:
            self._complain(block, f"{register} is assigned twice")
        if isinstance(register.type, IntType) and not 1 <= register.type.width <= MAX_WIDTH:
            self._complain(block, f"{register} is {register.type}")
        self._homes[register.name] = (register, block.label, position)

    def _phis(self, block: Block, before: tuple[str, ...]) -> None:
        for phi in block.phis:
            labels = [label for label, _ in phi.incoming]
            if sorted(labels) != sorted(before):
                come, wanted = " ".join(sorted(labels)), " ".join(sorted(before))
                self._complain(block, f"{phi.result}: phi of [{come}], predecessors [{wanted}]")
            for label, value in phi.incoming:
                if value.type != phi.result.type:
                    error = f"{phi.result}: {value} is {value.type}, not {phi.result.type}"
                    self._complain(block, error)
                if isinstance(value, Register):
                    problem = self._problem(value, label, None)
                    if problem:
                        self._complain(block, f"{phi.result} from {label}: {problem}")

    def _statement(self, block: Block, position: int, statement: Statement) -> None:
        self._uses(block, position, statement)
        for complaint in complaints(statement):
            self._complain(block, f"{_title(statement)}: {complaint}")
        if isinstance(statement, Call) and isinstance(statement.callee, str):
            self._call(block, statement, statement.callee)

    def _uses(self, block: Block, position: int, node: Statement | Terminator) -> None:
        for operand in operands(node):
            if isinstance(operand, Register):
                problem = self._problem(operand, block.label, position)
                if problem:
                    self._complain(block, f"{_title(node)}: {problem}")

    def _problem(self, register: Register, label: str, position: int | None) -> str:
        """What is wrong with a use in block `label` before `position` (None: at its end)."""
        definition, home, place = self._homes.get(register.name, (None, "", 0))
        if definition is not register and definition != register:
            return f"no {register} of type {register.type}"
        if home == label:
            early = position is not None and place >= position
            return f"{register} is assigned later" if early else ""
        if label in self._tree.first and not self._tree.dominates(home, label):
            return f"{register} of {home} does not dominate {label}"
        return ""

    def _call(self, block: Block, call: Call, name: str) -> None:
        callee = self._program.functions.get(name)
        if callee is None:
            return
        taken = [parameter.type for parameter in callee.parameters]
        if [argument.type for argument in call.arguments] != taken:
            self._complain(block, f"call of {name}: {_types(call.arguments)} passed")
        if call.results and [r.type for r in call.results] != list(callee.results):
            self._complain(block, f"call of {name}: {_types(call.results)} wanted")

    def _terminator(self, block: Block, terminator: Terminator) -> None:
        match terminator:
            case Branch() if terminator.condition.type != BOOL:
                self._complain(block, f"branch on {terminator.condition.type}")
            case Return():
                if [value.type for value in terminator.values] != list(self._function.results):
                    self._complain(block, f"returns {_types(terminator.values)}")


def _types(values: tuple[Operand, ...]) -> str:
    return "(" + ", ".join(str(value.type) for value in values) + ")"


def _title(node: Statement | Terminator) -> str:
    kind = type(node).__name__.lower()
    if isinstance(node, Jump | Branch | Return | Stop | Fail):
        return kind
    return " ".join([kind, *map(str, results(node))])
