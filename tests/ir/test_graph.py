"""Graph algorithms on small graphs whose answers can be read off, and against their definitions."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable

import pytest
from programs import (
    Address,
    Call,
    Function,
    Global,
    Predicate,
    add,
    bit,
    block,
    compare,
    const,
    function,
    phi,
    program,
    ptr,
    reg,
    variable,
)

from seahorn_py.ir import graph, traverse
from seahorn_py.ir.program import ASTRAY, TRUE, Bind, Branch, Jump, Operand, Return, Terminator


def shape(text: str) -> Function:
    """A function from "a>b,c b>d ...": two targets branch, none returns."""

    def end(targets: str) -> Terminator:
        match targets.split(",") if targets else []:
            case []:
                return Return(())
            case [one]:
                return Jump(one)
            case [one, two]:
                return Branch(TRUE, one, two)
            case _:
                raise AssertionError(targets)

    edges = (edge.split(">") for edge in text.split())
    return function("f", *(block(label, end(targets)) for label, targets in edges))


DIAMOND = shape("e>a,b a>j b>j j>")
LOOPS = shape("e>h h>b,x b>i i>c,d c>i d>h x>")
IRREDUCIBLE = shape("e>a,b a>b b>a,x x>")
DEAD = shape("e>x d>x,d x>")


def test_edges() -> None:
    assert graph.successors(DIAMOND) == {"e": ("a", "b"), "a": ("j",), "b": ("j",), "j": ()}
    assert graph.predecessors(DIAMOND)["j"] == ("a", "b")
    same = shape("e>x,x x>")
    assert graph.predecessors(same)["x"] == ("e",)


def test_reverse_postorder_puts_blocks_before_their_successors() -> None:
    assert graph.reverse_postorder(DIAMOND) == ("e", "b", "a", "j")
    assert graph.reverse_postorder(DEAD) == ("e", "x")


def test_loop_heads() -> None:
    assert graph.loop_heads(DIAMOND) == ()
    assert graph.loop_heads(LOOPS) == ("h", "i")
    assert graph.loop_heads(IRREDUCIBLE) == ("a",)
    assert graph.loop_heads(DEAD) == ()
    assert graph.loop_heads(shape("e>s s>s,x x>")) == ("s",)


def test_dominators() -> None:
    assert graph.immediate_dominators(DIAMOND) == {"a": "e", "b": "e", "j": "e"}
    tree = graph.dominator_tree(LOOPS)
    assert tree.dominates("h", "d") and tree.dominates("i", "d") and tree.dominates("d", "d")
    assert not tree.dominates("c", "d") and not tree.dominates("b", "x")
    assert not graph.dominator_tree(DEAD).dominates("e", "d")


def test_frontiers() -> None:
    assert graph.dominance_frontiers(DIAMOND) == {"e": (), "a": ("j",), "b": ("j",), "j": ()}
    frontiers = graph.dominance_frontiers(LOOPS)
    assert frontiers["d"] == ("h",) and set(frontiers["i"]) == {"h", "i"}
    assert frontiers["h"] == ("h",) and frontiers["x"] == ()


def random_function(rng: random.Random, size: int) -> Function:
    labels = [f"b{k}" for k in range(size)]

    def targets(_: str) -> Iterable[str]:
        return rng.choices(labels[1:], k=rng.randrange(3))

    return shape(" ".join(f"{label}>{','.join(targets(label))}" for label in labels))


def reachable(function_: Function, without: str | None = None) -> set[str]:
    follow = graph.successors(function_)
    seen: set[str] = set()
    stack = [label for label in (function_.entry.label,) if label != without]
    while stack:
        label = stack.pop()
        if label not in seen:
            seen.add(label)
            stack.extend(t for t in follow[label] if t != without)
    return seen


@pytest.mark.parametrize("seed", range(40))
def test_dominance_is_what_it_is_defined_to_be(seed: int) -> None:
    function_ = random_function(random.Random(seed), 12)
    live = reachable(function_)
    tree = graph.dominator_tree(function_)
    frontiers = graph.dominance_frontiers(function_)
    before = graph.predecessors(function_)
    for a in live:
        cut_off = live - reachable(function_, without=a)
        assert {b for b in live if tree.dominates(a, b)} == cut_off
        frontier = {
            b for b in live if any(p in cut_off for p in before[b]) and (b not in cut_off or b == a)
        }
        assert set(frontiers[a]) == frontier
    assert set(graph.reverse_postorder(function_)) == live


@pytest.mark.parametrize("seed", range(40))
def test_every_cycle_contains_a_loop_head(seed: int) -> None:
    function_ = random_function(random.Random(seed), 10)
    follow = graph.successors(function_)
    heads = set(graph.loop_heads(function_))
    rest = [label for label in graph.reverse_postorder(function_) if label not in heads]
    components = graph.strong_components(rest, lambda n: [t for t in follow[n] if t not in heads])
    assert all(len(c) == 1 and c[0] not in follow[c[0]] for c in components)


def test_components_come_after_what_they_lead_to() -> None:
    edges = {1: [2], 2: [3, 4], 3: [2], 4: [5], 5: [4, 6], 6: [], 7: [1]}
    components = graph.strong_components(edges, edges.__getitem__)
    assert [set(c) for c in components] == [{6}, {4, 5}, {2, 3}, {1}, {7}]


def test_calls_and_recursion() -> None:
    def calls(name: str, *callees: str, through: bool = False) -> Function:
        statements = [Call((), callee, ()) for callee in callees]
        statements += [Call((), ptr("p"), ())] if through else []
        return function(name, block("entry", *statements, Return(())), parameters=[ptr("p")])

    table = Global("table", 8, 8, False, ((0, Address("c")),))
    prog = program(
        calls("main", "a", "printf"),
        calls("a", "b"),
        calls("b", "a", "d"),
        calls("c", through=True),
        calls("d", through=True),
        globals_=[table],
    )
    assert graph.call_graph(prog) == {
        "main": ("a",),
        "a": ("b",),
        "b": ("a", "d"),
        "c": ("c",),
        "d": ("c",),
    }
    assert graph.addresses_taken(prog) == {"c"}
    assert graph.recursive_functions(prog) == {"a", "b", "c"}


def test_liveness_after_phis() -> None:
    n, i, j, s, t, u = (reg(name) for name in "nijstu")
    f = function(
        "f",
        block("entry", add("u", n, n), Jump("head")),
        block(
            "head",
            phi("i", ("entry", const(0)), ("body", j)),
            phi("s", ("entry", u), ("body", t)),
            compare("c", Predicate.SLT, i, n),
            Branch(bit("c"), "body", "exit"),
        ),
        block("body", add("t", s, i), add("j", i, const(1)), Jump("head")),
        block("exit", Bind(variable("x"), i), Return((s,))),
        parameters=[n],
        results=[n.type],
    )
    assert graph.live_after_phis(f) == {
        "entry": {n},
        "head": {n, i, s},
        "body": {n, i, s},
        "exit": {s},
    }


def test_long_chains_take_no_recursion_and_linear_time() -> None:
    size = 6_000
    chain = shape(" ".join(f"b{k}>b{k + 1},x" for k in range(size)) + f" b{size}>x x>")
    begun = time.process_time()
    assert len(graph.dominator_tree(chain).preorder) == size + 2
    assert graph.loop_heads(chain) == ()
    assert len(graph.dominance_frontiers(chain)) == size + 2
    graph.live_after_phis(chain)
    edges = {k: [k + 1] for k in range(size)} | {size: [0]}
    assert len(graph.strong_components(edges, edges.__getitem__)) == 1
    assert time.process_time() - begun < 5


# ----------------------------------------------------------------------------------- traversing


def test_operands_can_be_replaced_one_by_one() -> None:
    x, y = reg("x"), reg("y")
    statement = add("z", x, y)
    assert traverse.operands(statement) == (x, y)
    renamed = traverse.map_operands(statement, lambda o: const(1) if o == x else o)
    assert renamed == add("z", const(1), y)
    assert traverse.map_results(statement, lambda r: reg(r.name + "!")) == add("z!", x, y)


def test_a_call_through_a_known_address_becomes_a_call_by_name() -> None:
    call = Call((), ptr("p"), (ptr("p"),))
    assert traverse.operands(call) == (ptr("p"), ptr("p"))

    def known(_: Operand) -> Operand:
        return Address("f")

    assert traverse.map_operands(call, known) == Call((), "f", (Address("f"),))
    astray = traverse.map_operands(call, lambda _: Address("f", 4))
    assert astray == Call((), ASTRAY, (Address("f", 4),))


def test_debug_records_are_operands_but_no_uses() -> None:
    bind = Bind(variable("x"), reg("x"))
    assert traverse.operands(bind) == (reg("x"),)
    assert traverse.uses(bind) == ()


def test_substitution_reaches_phis_and_terminators() -> None:
    x = reg("x")
    f = function(
        "f",
        block("entry", Jump("next")),
        block("next", phi("y", ("entry", x)), Return((x,))),
        parameters=[x],
        results=[x.type],
    )
    replaced = traverse.substitute(f, {x: const(5)})
    assert replaced.blocks[1] == block("next", phi("y", ("entry", const(5))), Return((const(5),)))


def test_retargeting() -> None:
    branch = Branch(bit("c"), "a", "b")
    assert traverse.retarget(branch, {"a": "z"}) == Branch(bit("c"), "z", "b")
    assert traverse.targets(Branch(bit("c"), "a", "a")) == ("a",)
