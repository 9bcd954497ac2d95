"""SV-LIB: scripts read, answers checked, witnesses written; random programs and all their runs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from seahorn_py.base.errors import InputError
from seahorn_py.cli.commands.svlib import svlib
from seahorn_py.horn.svlib.emitting import emit
from seahorn_py.horn.svlib.following import Chosen, OtherRun, follow, recorded
from seahorn_py.horn.svlib.scripts import read_script
from seahorn_py.horn.svlib.tasks import Task
from seahorn_py.horn.text.smtlib import print_horn, read_horn
from seahorn_py.logic.terms import terms
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.svlib import Answered, answer

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "c_examples" / "svlib").glob("*.svlib"))


def answers(text: str) -> list[Answered]:
    return [answer(one, Deadline.after(120), 4096, 1) for one in read_script(text, "a.svlib")]


def main(statement: str, promised: str = "", variables: str = "(x Int) (y Int)") -> str:
    return f"""
(declare-const k Int) (assert (<= 0 k)) (declare-var g Int)
(define-proc twice ((n Int)) ((r Int)) () (! (assign (r (+ n n)) (g (+ g n))) :tag twice))
(define-proc main ((a Int)) ((o Int)) ({variables}) (! {statement} :tag main))
{promised}
(verify-call main (k))"""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_the_answer_that_they_state(path: Path) -> None:
    expected = path.read_text().split("\n")[0].removeprefix("; expected: ")
    assert [one.word for one in answers(path.read_text())] == [expected]


@pytest.mark.parametrize(
    ("statement", "promised", "expected"),
    [
        ("(assign (x a) (y x))", "(annotate-tag main :ensures (= x a))", "correct"),
        ("(assign (x a) (y x))", "(annotate-tag main :ensures (= y a))", "incorrect"),
        ("(call twice (a) (o))", "(annotate-tag main :ensures (= g (+ (old g) a)))", "correct"),
        ("(call twice (a) (g))", "(annotate-tag main :ensures (= g (+ (old g) a)))", "incorrect"),
        ("(call twice (a) (g))", "(annotate-tag main :ensures (= g (* 2 a)))", "correct"),
        # a contract says nothing of calls that do not fulfil what it requires
        ("(assign (o a))", "(annotate-tag main :requires (< a 0) :ensures false)", "correct"),
        ("(assign (o a))", "(annotate-tag main :requires (< a 9) :ensures false)", "incorrect"),
        # what is left by `return` does not reach the end of an inner statement, only of the body
        ("(sequence (! (return) :ensures false))", "", "correct"),
        ("(sequence (return))", "(annotate-tag main :ensures false)", "incorrect"),
        ("(! (return) :check-true true)", "(annotate-tag main :ensures false)", "incorrect"),
        ("(sequence (assume (< a 0)) (! (sequence) :check-true false))", "", "correct"),
        ("(sequence (goto e) (! (sequence) :check-true false) (label e))", "", "correct"),
        ("(sequence (goto e) (! (label e) :check-true (< a 5)))", "", "incorrect"),
        ("(sequence (havoc x) (assume (< 3 x)) (! (sequence) :check-true (< 2 x)))", "", "correct"),
        ("(choice ((assign (x 1)) (! (sequence) :check-true (= x 1))))", "", "incorrect"),
        (
            "(sequence (assign (x 0)) (! (while (< x a) (if (= x 3) (break)"
            " (sequence (assign (x (+ x 1))) (continue)))) :tag w))",
            "(annotate-tag w :invariant (<= x 3) :decreases (- a x))",
            "correct",
        ),
        (
            "(sequence (assign (x 0)) (! (while (< x 9) (assign (x (+ x 1)))) :tag w))",
            "(annotate-tag w :decreases (- 8 x))",  # is -1 when the loop goes on for the last time
            "incorrect",
        ),
        (
            "(! (while (< x a) (assign (y (+ y 1)))) :tag w)",
            "(annotate-tag w :decreases (- a y))",
            "incorrect",
        ),
    ],
)
def test_annotations(statement: str, promised: str, expected: str) -> None:
    (found,) = answers(main(statement, promised))
    assert found.word == expected, found.reason


def test_each_call_is_a_question_and_a_loop_without_measure_is_open() -> None:
    text = main(
        "(! (while (< x a) (assign (x (+ x 1)))) :tag w)", "(annotate-tag w :not-recurring)"
    )
    later = "(annotate-tag main :ensures (< x a)) (verify-call main (3))"
    first, second = answers(f"{text}\n{later}")
    assert first.word == "unknown" and ":not-recurring of line 5" in first.reason
    assert second.word == "incorrect" and second.violated is not None
    assert (second.violated.tag, second.violated.kind) == ("main", ":ensures")
    measured = text.replace(":not-recurring", ":not-recurring :decreases (- a x)")
    assert [one.word for one in answers(measured)] == ["correct"]


def test_recursion() -> None:
    text = """
(define-procs-rec ((up ((n Int)) ((r Int)) ()) (down ((n Int)) ((r Int)) ()))
  ((! (if (<= n 0) (assign (r 0)) (call down (n) (r))) :tag up)
   (sequence (call up ((- n 1)) (r)) (assign (r (+ r 1))))))
(annotate-tag up :ensures (=> (<= 0 n) (<= r n)))
(verify-call up (4))"""
    assert [one.word for one in answers(text)] == ["correct"]
    assert [one.word for one in answers(text.replace("<= r n", "< r n"))] == ["incorrect"]


def test_the_annotations_of_a_proof_hold_in_the_program() -> None:
    text = EXAMPLES[-1].read_text()
    (found,) = answers(text)
    promised = found.witness.strip()[1:-1]
    assert "(annotate-tag each :invariant" in promised
    again = text.replace("(verify-call", f"{promised}\n(verify-call")
    assert [one.word for one in answers(again)] == ["correct"]


def test_the_trace_of_a_run_names_what_it_violates_and_all_choices() -> None:
    statement = "(sequence (choice ((havoc x) (return))) (! (sequence) :tag t :check-true (< x a)))"
    (found,) = answers(main(statement))
    lines = [line.strip() for line in found.witness.split("\n")]
    assert lines[0] == "((select-trace" and lines[1] == "(model"
    assert lines[2].startswith("(define-fun k () Int ")
    assert "(entry-proc main)" in lines and "(choice 0)" in lines
    assert any(line.startswith("(havoc (x ") for line in lines)
    assert lines[-2] == "(incorrect-annotation t :check-true (< x a))))"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(define-proc p () () () (assign (x 1)))\n(verify-call p ())", "is no variable"),
        ("(define-proc p () () () (goto e))\n(verify-call p ())", "no label e"),
        ("(define-proc p () () () (break))\n(verify-call p ())", "not understood here"),
        ("(define-proc p () () () (sequence))\n(verify-call q ())", "no procedure q"),
        ("(define-proc p () () () (sequence))", "no verify-call"),
        ("(define-proc p ((x Int)) () () (sequence))\n(verify-call p (true))", "another sort"),
        ("(define-proc p () () () (sequence))\n(annotate-tag t)\n(verify-call p ())", "the tag t"),
        (
            "(define-proc p () () () (! (sequence) :decreases-lex (1 2)))\n(verify-call p ())",
            "attribute",
        ),
        (
            "(define-proc p () () () (! (while true (sequence)) :check-true false))\n"
            "(verify-call p ())",
            "cannot stand at while",
        ),
        (
            "(define-proc p () () () (! (sequence) :check-true (old true)))\n(verify-call p ())",
            "old",
        ),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InputError, match=r"^a\.svlib:\d+: ") as refused:
        answers(text)
    assert said in str(refused.value)


def test_the_command(tmp_path: Path) -> None:
    file, witness = tmp_path / "a.svlib", tmp_path / "w.svlib"
    file.write_text(main("(assign (o a))", "(annotate-tag main :ensures (< o 7))"))
    done = CliRunner().invoke(svlib, ["--timeout", "120", "--witness", str(witness), str(file)])
    assert done.exit_code == 1 and done.output.endswith("\nincorrect\n"), done.output
    assert witness.read_text().startswith("((select-trace")
    printed = CliRunner().invoke(svlib, ["--smt", str(file)])
    assert read_horn(printed.output, "a.smt2").queries


# ------------------------------------------------------------------ random programs, all their runs

VALUES = (0, 1, 2)


def random_statement(rng: random.Random, depth: int) -> str:
    """Over `x`, `y` and the global `g`, whose values stay among three."""
    name = rng.choice("xyg")
    leaf = rng.choice(
        (
            f"(assign ({name} (mod (+ x {rng.randrange(3)} y) 3)))",
            f"(sequence (havoc {name}) (assume (and (<= 0 {name}) (<= {name} 2))))",
            f"(assume (<= {name} {rng.randrange(3)}))",
            f"(! (sequence) :check-true (not (= {name} {rng.randrange(3)} y)))",
            f"(call step ({name}) ({rng.choice('xy')}))",
            "(return)" if depth < 2 else "(sequence)",
        )
    )
    if depth == 0:
        return leaf
    first, second = (random_statement(rng, depth - 1) for _ in range(2))
    return rng.choice(
        (
            f"(sequence {first} {second})",
            f"(sequence {first} {leaf})",
            f"(if (< x {rng.randrange(3)}) {first} {second})",
            f"(choice ({first} {second}))",
            f"(! (sequence {first} {leaf}) :requires (= y 0) :ensures (<= (old {name}) {name}))",
        )
    )


def random_script(rng: random.Random) -> str:
    among = "(assume (and (<= 0 x) (<= x 2) (<= 0 y) (<= y 2)))"
    return f"""
(declare-var g Int)
(assert (and (<= 0 g) (<= g 2)))
(define-proc step ((n Int)) ((r Int)) () (assign (r (mod (+ n 1) 3)) (g n)))
(define-proc main () () ((x Int) (y Int)) (sequence {among} {random_statement(rng, 3)}))
(verify-call main ())"""


def some_run_fails(task: Task) -> bool:
    """Whether some choices, all of which are tried, lead to a violation."""
    waiting: list[list[Chosen]] = [[]]
    while waiting:
        chosen = waiting.pop()
        due: list[str] = []
        rest = recorded(chosen)

        def choose(kind: str, rest=rest, due=due) -> Chosen | None:  # type: ignore[no-untyped-def]
            known = rest(kind)
            if known is None:
                due.append(kind)
            return known  # type: ignore[no-any-return]

        try:
            if follow(task, choose) is not None:
                return True
        except OtherRun:
            if due:
                waiting += [[*chosen, one] for one in all_choices(task, due[0])]
    return False


def all_choices(task: Task, kind: str) -> Iterator[Chosen]:
    """All values among three; a choice has two ways, and `havoc` is of one variable."""
    if kind == "choice":
        yield from (Chosen(kind, {}, number) for number in range(2))
        return
    x, y = task.procedures["main"].locals
    (g,) = task.globals
    (r,) = task.procedures["step"].outputs
    for a in VALUES:
        for b in VALUES if kind == "init-proc-vars" else (a,):
            yield Chosen(kind, {x: a, y: b, g: a, r: 0})


@pytest.mark.full
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_have_the_answers_that_all_their_runs_have(seed: int) -> None:
    text = random_script(random.Random(seed))
    (task,) = read_script(text, "a.svlib")
    (found,) = answers(text)
    assert found.word == ("incorrect" if some_run_fails(task) else "correct"), text


def test_the_clauses_are_those_that_are_read_again() -> None:
    (task,) = read_script(main("(call twice (a) (o))"), "a.svlib")
    system = emit(task).system
    assert len(read_horn(print_horn(system), "a.smt2").rules) == len(system.rules)
    assert all(terms.sort_of(s) is terms.INT for r in system.relations.values() for s in r.symbols)
