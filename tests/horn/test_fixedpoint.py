"""z3's fixedpoint format there and back, and that z3 reads what is written."""

from __future__ import annotations

from pathlib import Path

import pytest
import z3
from command import sea_py
from horn_examples import EXAMPLES, Example

from seahorn_py.base.errors import InputError
from seahorn_py.horn import Clauses, print_fixedpoint, read_horn
from seahorn_py.horn.system import HornSystem

COUNTER = """(declare-rel p (Int) interval_relation)
(declare-rel bad ())
(declare-var |x y| Int)
(set-option :fixedpoint.engine spacer)
(rule (p 0) start)
(rule (=> (and (p |x y|) (< |x y| 5)) (p (+ |x y| 1))) step)
(rule (=> (and (p |x y|) (> |x y| 4)) bad) |too far|)
(query bad :print-certificate true)
"""


def stable(system: HornSystem) -> HornSystem:
    """The system as it is read back; once more nothing changes."""
    once = read_horn(print_fixedpoint(system), "t")
    again = read_horn(print_fixedpoint(once), "t")
    assert print_fixedpoint(again) == print_fixedpoint(once)
    return once


@pytest.mark.parametrize("example", EXAMPLES[::3], ids=lambda e: e.name)
def test_there_and_back(example: Example) -> None:
    """As many rules, and one for each query that is a rule with premises."""
    back = stable(example.system)
    heads = [rule.name for rule in example.system.rules]
    assert len(back.queries) == len(example.system.queries)
    assert len(heads) <= len(back.rules) <= len(heads) + len(back.queries)


def test_names_are_kept() -> None:
    system = read_horn(COUNTER, "t")
    assert stable(system).rules[2].name == "too far"
    assert print_fixedpoint(system).count("declare-rel") == 2
    odd = Clauses()
    odd.relation("and or", "Int", "Bool")
    odd.rule(z3.Function("and or", z3.IntSort(), z3.BoolSort(), z3.BoolSort())(3, z3.Bool("b")))
    assert [*stable(odd.system()).relations] == ["and or"]


def test_z3_reads_it_and_answers_the_other_way_round() -> None:
    for limit, derived in ((4, z3.sat), (5, z3.unsat)):
        text = print_fixedpoint(read_horn(COUNTER.replace("> |x y| 4", f"> |x y| {limit}"), "t"))
        engine = z3.Fixedpoint()
        engine.set("engine", "spacer")
        (query,) = engine.parse_string(text)
        assert engine.query(query) == derived


def test_what_z3_prints_is_read() -> None:
    x, p = z3.Int("x"), z3.Function("p", z3.IntSort(), z3.BoolSort())
    engine = z3.Fixedpoint()
    engine.register_relation(p)
    engine.declare_var(x)
    engine.rule(p(0))
    engine.rule(p(x + 1), [p(x), x < 5])
    assert len(read_horn(engine.sexpr(), "t").rules) == 2


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "counter.smt2"
    file.write_text(COUNTER)
    assert sea_py("chc", "--timeout", "30", file).stdout.endswith("unsat\n")
    for to, shown in (("fixedpoint", "(query bad)"), ("chc", "(check-sat)")):
        done = sea_py("chc", "--to", to, file)
        assert done.returncode == 0 and done.stdout.rstrip().endswith(shown)
        (tmp_path / "again.smt2").write_text(done.stdout)
        assert len(read_horn(done.stdout, "t").rules) == 4


@pytest.mark.parametrize("query", ["(and (p |x y|) (not bad))", "(not (p 1))", "(not bad)"])
def test_what_is_not_derived_cannot_be_asked(query: str) -> None:
    """As a clause it would be a rule, and nothing would be asked."""
    with pytest.raises(InputError, match="is negated in a query"):
        read_horn(f"{COUNTER}(query {query})", "t")


def test_nothing_is_read_behind_exit() -> None:
    assert len(read_horn(f"{COUNTER}(exit)\n(rule bad)(no command)", "t").rules) == 4


def test_truth_values_are_not_declared_again() -> None:
    for text in ("(declare-rel true ())", "(declare-var false Bool)", "(declare-fun true () Bool)"):
        with pytest.raises(InputError, match="means something in SMT-LIB"):
            read_horn(text, "t")
