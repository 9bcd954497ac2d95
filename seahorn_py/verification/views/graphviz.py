"""Programs and Horn systems as Graphviz text (the DOT language)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seahorn_py.horn.system import Atom, HornSystem, Rule
from seahorn_py.ir.graph import call_graph
from seahorn_py.ir.printer import print_phi, print_statement, print_terminator
from seahorn_py.ir.program import Bind, Block, Branch, Function, Jump, Program

QUERY_NODE = "false"


def control_flow(program: Program) -> str:
    """A cluster for each function, a box with its statements for each block."""
    return _digraph("cfg", (line for f in program.functions.values() for line in _function(f)))


def calls(program: Program) -> str:
    """An edge from each function to those it calls by name."""
    edges = (
        f"{_quoted(caller)} -> {_quoted(callee)};"
        for caller, callees in call_graph(program).items()
        for callee in callees
    )
    nodes = (f"{_quoted(name)};" for name in program.functions)
    return _digraph("calls", [*nodes, *edges])


def horn_system(system: HornSystem) -> str:
    """A node for each relation, a hyperedge (through a dot) for each rule."""
    nodes = [f"{_quoted(name)} [shape=box];" for name in system.relations]
    nodes.append(f"{_quoted(QUERY_NODE)} [shape=octagon];")
    rules = (line for number, rule in enumerate(system.rules) for line in _rule(number, rule))
    return _digraph("horn", [*nodes, *rules])


def _digraph(name: str, lines: Iterable[str]) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"digraph {name} {{\n{body}\n}}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _function(function: Function) -> Iterator[str]:
    yield f"subgraph {_quoted('cluster ' + function.name)} {{ label={_quoted(function.name)};"
    for block in function.blocks:
        node = _quoted(f"{function.name}/{block.label}")
        yield f"  {node} [shape=box, fontname=monospace, label={_text(block)}];"
        for target, label in _edges(block):
            yield f"  {node} -> {_quoted(f'{function.name}/{target}')}{label};"
    yield "}"


def _text(block: Block) -> str:
    """The lines of a block, flushed left."""
    lines = [
        f"{block.label}:",
        *(print_phi(phi) for phi in block.phis),
        *(print_statement(s) for s in block.statements if not isinstance(s, Bind)),
        print_terminator(block.terminator),
    ]
    return "".join(_quoted(line)[1:-1] + "\\l" for line in lines).join(('"', '"'))


def _edges(block: Block) -> Iterator[tuple[str, str]]:
    match block.terminator:
        case Jump(target=target):
            yield target, ""
        case Branch(then=then, otherwise=otherwise):
            yield then, " [label=yes]"
            yield otherwise, " [label=no]"
        case _:
            return


def _rule(number: int, rule: Rule) -> Iterator[str]:
    head = rule.head.relation if isinstance(rule.head, Atom) else QUERY_NODE
    step = _quoted(f"rule {number}")
    yield f"{step} [shape=point, xlabel={_quoted(rule.name)}];"
    for atom in rule.body:
        yield f"{_quoted(atom.relation)} -> {step} [arrowhead=none];"
    yield f"{step} -> {_quoted(head)};"
