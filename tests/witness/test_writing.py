"""What is written is read again as the same witness, whatever is in it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
import yaml

from seahorn_py.options import Property
from seahorn_py.witness.fields import specification, specified, this_producer
from seahorn_py.witness.graphml import witnesses as witness_graphml
from seahorn_py.witness.witness import (
    About,
    Assumption,
    Branching,
    CorrectnessWitness,
    Entered,
    Invariant,
    Place,
    Producer,
    Returned,
    Segment,
    Target,
    Transition,
    ViolationWitness,
    Waypoint,
    conjunction,
)
from seahorn_py.witness.yaml import witnesses as witness_yaml
from seahorn_py.witness.yaml.tree import Tree, parsed, printed

RETURNED = Returned(Place("a.c", 1, 1, 1), "\\result == 1")
ODD = (
    "2.0",
    "true",
    "y",
    "null",
    "~",
    "- a",
    "a: b",
    "#",
    "",
    " ",
    "\n\t",
    "é\u2028\x85\x7f",
    "😀",
)
TEXTS = (*ODD, "x == 1", "\\result == 'a' && \"b\" < s[3]", "<&>]]>", "a" * 300 + " " + "b" * 300)


def place(draw: random.Random) -> Place:
    line = draw.randrange(1, 99)
    column = draw.choice((None, draw.randrange(1, 99)))
    return Place(draw.choice(TEXTS), line, line, column, draw.choice(("", "main", "null")))


def waypoint(draw: random.Random) -> Waypoint:
    match draw.randrange(4):
        case 0:
            return Assumption(place(draw), (draw.choice(TEXTS),))
        case 1:
            return Branching(place(draw), draw.choice(("true", "false", "-3", "default")))
        case 2:
            return Entered(place(draw))
        case _:
            return Returned(place(draw), draw.choice(TEXTS))


def about(draw: random.Random) -> About:
    files = draw.sample(TEXTS, draw.randrange(1, 4))
    properties = draw.sample(
        (Property.UNREACH_CALL, Property.NO_OVERFLOW, Property.VALID_FREE), draw.randrange(1, 4)
    )
    hashes = tuple((file, f"{draw.getrandbits(256):064x}") for file in files)
    return About(hashes, frozenset(properties), draw.choice((32, 64)))


def violation(draw: random.Random) -> ViolationWitness:
    def avoided() -> tuple[Waypoint, ...]:
        return tuple(waypoint(draw) for _ in range(draw.randrange(3)))

    segments = [Segment(avoided(), waypoint(draw)) for _ in range(draw.randrange(5))]
    return ViolationWitness(about(draw), (*segments, Segment(avoided(), Target(place(draw)))))


def endless(draw: random.Random) -> ViolationWitness:
    segments = [Segment((waypoint(draw),), waypoint(draw)) for _ in range(draw.randrange(2, 6))]
    stem = draw.randrange(len(segments))
    task = replace(about(draw), properties=frozenset({Property.TERMINATION}))
    return ViolationWitness(task, tuple(segments[:stem]), cycle=tuple(segments[stem:]))


def correctness(draw: random.Random) -> CorrectnessWitness:
    loops = draw.choices((True, False), k=draw.randrange(4))
    found = tuple(Invariant(place(draw), draw.choice(TEXTS), loop) for loop in loops)
    related = (Transition(place(draw), draw.choice(TEXTS)),) * draw.randrange(2)
    return CorrectnessWitness(about(draw), found, related)


def test_version_2_0_is_a_choice() -> None:
    where = Place("a.c", 1, 1, 1)
    task = About((("a.c", "0" * 64),), frozenset({Property.UNREACH_CALL}), 64)
    witness = CorrectnessWitness(task, (Invariant(where, "1", True),), (Transition(where, "x"),))
    text = witness_yaml.text(witness, this_producer(), witness_yaml.Version.TWO_0)
    assert 'format_version: "2.0"' in text
    assert witness_yaml.witness(text.encode()) == replace(witness, transitions=())
    returned = ViolationWitness(task, tuple(Segment((), w) for w in (RETURNED, Target(where))))
    formats = ("2.0", "acsl_expression"), ("2.1", "ext_c_expression")
    for version, written in formats:
        text = witness_yaml.text(returned, this_producer(), witness_yaml.Version(version))
        assert written in text


@pytest.mark.parametrize("seed", range(40))
def test_yaml_is_read_as_what_was_written(seed: int) -> None:
    draw = random.Random(seed)
    for witness in (violation(draw), endless(draw), correctness(draw)):
        assert witness_yaml.witness(witness_yaml.text(witness, this_producer()).encode()) == witness


def lines_only(where: Place, function: str = "") -> Place:
    return Place("", where.line, where.last, None, function)


def in_lines(draw: random.Random) -> Iterator[Waypoint]:
    """Waypoints that GraphML can tell."""
    for _ in range(draw.randrange(5)):
        where = lines_only(place(draw), draw.choice(("", "main")))
        facts = tuple(draw.choices(("x == 1", 'y < "&" || z', "a[1] != b"), k=draw.randrange(1, 4)))
        yield draw.choice(
            (
                Assumption(where, facts),
                Branching(replace(where, function=""), draw.choice(("true", "false"))),
                Returned(where, "\\result == 7", draw.choice(("", "f"))),
            )
        )


@pytest.mark.parametrize("seed", range(40))
def test_graphml_is_read_as_what_was_written(seed: int) -> None:
    draw = random.Random(seed)
    segments = [Segment((), waypoint) for waypoint in in_lines(draw)]
    target = Target(lines_only(place(draw)), draw.choice(("", "reach_error")))
    task = replace(about(draw), hashes=(("a<b>.c", "ab" * 32),), only_first=True)
    witness = ViolationWitness(task, (*segments, Segment((), target)), is_dense=False)
    text = witness_graphml.text(witness, this_producer())
    assert witness_graphml.witness(text.encode()) == witness


def test_graphml_tells_the_lines_of_invariants() -> None:
    loops = tuple(
        Invariant(Place("a.c", line, line, 3, "f"), "x < 3 && y", loop)
        for line, loop in ((4, True), (6, False))
    )
    task = About((("a.c", "ab" * 32),), frozenset({Property.UNREACH_CALL}), 64, only_first=True)
    text = witness_graphml.text(CorrectnessWitness(task, loops), this_producer())
    read = witness_graphml.witness(text.encode())
    assert read == CorrectnessWitness(
        task,
        tuple(
            Invariant(lines_only(one.place), "(x < 3 && y)", one.loop, is_exact=one.loop)
            for one in loops
        ),
    )


def test_a_character_that_xml_does_not_have() -> None:
    task = About((("a\udce4\x00\x0b.c", "ab" * 32),), frozenset({Property.UNREACH_CALL}), 64)
    text = witness_graphml.text(CorrectnessWitness(task, ()), this_producer())
    read = witness_graphml.witness(text.encode())
    assert read.about.hashes == (("a???.c", "ab" * 32),)


@pytest.mark.parametrize("text", ODD)
def test_a_text_stays_a_text(text: str) -> None:
    """Also for readers that guess types, as PyYAML's own loader does."""
    document: Tree = [{"key": text, text: [text, 3, [], {}]}]
    assert yaml.safe_load(printed(document)) == document
    assert printed(document).isascii()


def test_the_name_of_a_file_may_have_what_is_no_character() -> None:
    assert parsed(printed([{"a\udce4.c": "b\ud800"}]).encode()) == [{"a?.c": "b?"}]


def test_the_shape_of_a_document() -> None:
    document: Tree = [{"a": "x", "b.c": [{"d": 1}, "y"], "e": [], "f": {"g": "z" * 200 + " z"}}]
    long = "z" * 200
    assert printed(document) == (
        f'- a: "x"\n  "b.c":\n  - d: 1\n  - "y"\n  e: []\n  f:\n    g: "{long} z"\n'
    )


def test_the_same_evidence_has_the_same_name() -> None:
    """Whoever writes it, whenever."""

    def name(witness: CorrectnessWitness, producer: Producer) -> str:
        (entry,) = yaml.safe_load(witness_yaml.text(witness, producer))
        return str(entry["metadata"]["uuid"])

    one = correctness(random.Random(3))
    other = replace(one, about=replace(one.about, bits=96 - one.about.bits))
    first = Producer("sea-py", "1", "sea-py pf a.c", "2026-01-01T00:00:00Z")
    assert name(one, first) == name(one, this_producer()) != name(other, first)


def test_a_fact_stays_an_operand() -> None:
    assert conjunction(("x || y",)) == "x || y"
    assert conjunction(("x || y", "z")) == "(x || y) && (z)"


@pytest.mark.parametrize(
    "properties", [{Property.NO_OVERFLOW}, {Property.VALID_FREE, Property.VALID_DEREF}]
)
def test_a_specification_means_the_properties(properties: set[Property]) -> None:
    assert specified(specification(frozenset(properties))) == (properties, ())
