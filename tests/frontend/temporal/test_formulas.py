"""Formulas of linear time: what is read, and automata that accept just the words they should."""

from __future__ import annotations

from random import Random

import pytest

from seahorn_py.base.errors import SeaError, StageFailure
from seahorn_py.frontend.temporal.branching import linear
from seahorn_py.frontend.temporal.buechi import Buechi, buechi
from seahorn_py.frontend.temporal.formula import (
    TRUE,
    Both,
    Constant,
    Either,
    Formula,
    Literal,
    Next,
    Release,
    Until,
    atoms,
    negation,
    read_formula,
)
from seahorn_py.frontend.temporal.product import certain, is_of_safety

Word = list[frozenset[str]]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('FG"x==1"', 'F (G "x==1")'),
        ("[] (p -> <> q)", "G (!p || F q)"),
        ("p U q U r", "p U (q U r)"),
        ("! p && q", "(!p) && q"),
        ("p ==> q ==> r", "p ==> (q ==> r)"),
        ("!(p R q)", "!p U !q"),
        ("p W q", "q R (p || q)"),
        ("p && q || r", "(p && q) || r"),
        ("!true", "false"),
    ],
)
def test_what_is_the_same(text: str, same: str) -> None:
    assert read_formula(text) == read_formula(same)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("G (p", "'(p'"),
        ("p q", "'q'"),
        ("p &&", "at its end"),
        ("", "at its end"),
        ('G ""', "'\"\"'"),
        ("G x == 1", "'== 1'"),
        ("p U", "at its end"),
        ('G "1); } int y; int f(void) { return (0"', "1);"),
        ('G "({ while (1); 1; })"', "while"),
        ('G "x == 0 /* "', "/*"),
    ],
)
def test_where_a_formula_is_wrong(text: str, place: str) -> None:
    with pytest.raises(SeaError) as caught:
        read_formula(text)
    assert place in str(caught.value)


@pytest.mark.parametrize(
    "text", ["(" * 90 + "p" + ")" * 90, "p ==> " * 300 + "p", "p <==> " * 30 + "p"]
)
def test_formulas_that_are_too_large(text: str) -> None:
    with pytest.raises(SeaError, match="more than"):
        read_formula(text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("AG(p ==> AF q)", "G(p ==> F q)"),
        ("!EF p && A[p U q]", "G !p && p U q"),
        ("AG(p || AG(q || A[p W q]))", "G(p || G(q || p W q))"),
    ],
)
def test_what_ctl_says_of_all_runs_is_linear(text: str, same: str) -> None:
    assert linear(read_formula(text)) == read_formula(same)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("AG EF p", 'EF "p"'),
        ("AF AG p", 'AF AG "p"'),
        ("AG p || AG q", '(AG "p" || AG "q")'),
        ("A[AF p U q]", 'A[AF "p" U "q"]'),
        ("AX p", 'AX "p"'),
    ],
)
def test_other_parts_of_ctl_are_refused(text: str, part: str) -> None:
    with pytest.raises(SeaError) as caught:
        linear(read_formula(text))
    assert str(caught.value).startswith(f"{part}: this part")


def test_automata_that_are_too_large() -> None:
    with pytest.raises(StageFailure, match="too large"):
        buechi(read_formula(" && ".join(f"F p{k}" for k in range(8))))


def test_atoms_are_texts_of_c() -> None:
    assert atoms(read_formula('G("a[0] > 0" ==> F p) && "a[0] > 0"')) == ("a[0] > 0", "p")
    assert atoms(read_formula("G \"x  == '('\"")) == ("x == '('",)


def test_automata_accept_the_words_of_their_formulas() -> None:
    """Random formulas and random words that end in a cycle, by the meaning of the operators."""
    random = Random(5)
    for _ in range(300):
        formula = drawn(random, random.randrange(4))
        automaton = buechi(formula)
        for _ in range(10):
            word = [frozenset(a for a in "pq" if random.random() < 0.5) for _ in range(5)]
            word = word[: random.randrange(1, 6)]
            back = random.randrange(len(word))
            expected = truth(formula, word, back)[0]
            assert accepts(automaton, word, back) == expected, (formula, word, back)
            assert truth(negation(formula), word, back)[0] != expected


@pytest.mark.parametrize(
    ("text", "is_safe"),
    [("G p", True), ("p W q", True), ("G (p ==> G q)", True), ("F p", False), ("p U q", False)],
)
def test_which_formulas_are_safety_properties(text: str, is_safe: bool) -> None:
    automaton = buechi(negation(read_formula(text)))
    assert is_of_safety(automaton) == is_safe
    assert bool(certain(automaton)) == (text in ("G p", "p W q", "G (p ==> G q)", "p U q"))


def drawn(random: Random, depth: int) -> Formula:
    if depth == 0:
        is_literal = random.random() < 0.9
        return Literal(random.choice("pq"), random.random() < 0.5) if is_literal else TRUE
    left, right = drawn(random, depth - 1), drawn(random, random.randrange(depth))
    match random.randrange(6):
        case 0:
            return Both(left, right)
        case 1:
            return Either(left, right)
        case 2:
            return Until(left, right)
        case 3:
            return Release(left, right)
        case 4:
            return Next(left)
    return Until(TRUE, left)


def truth(formula: Formula, word: Word, back: int) -> list[bool]:
    """Whether the formula holds at each place of the word, which goes on at `back` for ever."""
    after = [*range(1, len(word)), back]
    match formula:
        case Literal(atom, holds):
            return [(atom in letter) == holds for letter in word]
        case Constant(value):
            return [value] * len(word)
        case Both(left, right):
            return [a and b for a, b in zip(*both(left, right, word, back), strict=True)]
        case Either(left, right):
            return [a or b for a, b in zip(*both(left, right, word, back), strict=True)]
        case Next(inner):
            later = truth(inner, word, back)
            return [later[k] for k in after]
        case Until(left, right) | Release(left, right):
            one, other = both(left, right, word, back)
            is_until = isinstance(formula, Until)
            found = [not is_until] * len(word)
            for _ in range(len(word) + 1):
                later = [found[k] for k in after]
                step = zip(one, other, later, strict=True)
                found = [b or (a and n) if is_until else b and (a or n) for a, b, n in step]
            return found


def both(left: Formula, right: Formula, word: Word, back: int) -> tuple[list[bool], list[bool]]:
    return truth(left, word, back), truth(right, word, back)


def accepts(automaton: Buechi, word: Word, back: int) -> bool:
    """Whether an accepting cycle can be reached in the product with the word."""
    after = [*range(1, len(word)), back]

    def fits(state: int, at: int) -> bool:
        return all((lit.atom in word[at]) == lit.holds for lit in automaton.labels[state])

    def steps(node: tuple[int, int]) -> list[tuple[int, int]]:
        state, at = node
        return [(f, after[at]) for f in automaton.follow[state] if fits(f, after[at])]

    def reached(start: list[tuple[int, int]]) -> set[tuple[int, int]]:
        found, waiting = set(start), list(start)
        while waiting:
            for node in steps(waiting.pop()):
                if node not in found:
                    found.add(node)
                    waiting.append(node)
        return found

    begun = reached([(state, 0) for state in automaton.first if fits(state, 0)])
    return any(n[0] in automaton.accepting and n in reached(steps(n)) for n in begun)
