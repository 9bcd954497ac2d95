"""The program, annotated with what its proof says of it, in ACSL 1.20.

ACSL is the ANSI/ISO C Specification Language.  Loop invariants stand before their loops, assertions
before statements, and contracts before the definitions of functions.  The expressions are those of
witnesses, with one difference: ACSL computes with unbounded integers, but arithmetic in C wraps.
So of a conjunction only the comparisons without arithmetic are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import Types
from seahorn_py.csource.syntax import CText
from seahorn_py.result import Contract, LoopHead
from seahorn_py.witness.correctness import Found, invariants
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.witness import Invariant

_RESULT = "\\result"
_CAST = pattern(r"\((?:unsigned |signed )?(?:char|short|int|long long)\)")
_NEGATIVE = pattern(r"(^|\(|[<>=] )-(?=\d)")
_CONNECTIVE = pattern(r"&&|\|\|")
_ARITHMETIC = pattern(r"[-+*/%^~&|]|<<|>>")
_NOTE = "the proof says nothing that C can express"


@dataclass(frozen=True)
class Annotated:
    """The annotated texts of the files, one after the other; numbers of invariants and contracts.

    `left_out` has a line for each part of the proof that could not be written.
    """

    text: str
    invariants: int
    contracts: int
    left_out: tuple[str, ...]


def annotate(
    heads: Sequence[LoopHead], contracts: Sequence[Contract], sources: Sources
) -> Annotated:
    """The text of the program with invariants of loops and contracts of functions written in."""
    exact = [head for head in heads if head.is_exact]
    wrapping = [_comparisons(head) for head in heads if not head.is_exact]
    found = invariants([*exact, *wrapping], sources)
    left_out = list(found.left_out)
    texts, written = [], 0
    for text in sources.texts:
        edits = dict(_loops(text, found))
        clauses, missing = _contracts(text, contracts, sources.types[text.name])
        left_out += missing
        written += len(clauses)
        texts.append(_edited(text, {**edits, **clauses}))
    return Annotated("\n".join(texts), len(found.invariants), written, tuple(left_out))


def _comparisons(head: LoopHead) -> LoopHead:
    kept = tuple(c for c in head.conjuncts if is_comparison(c.text))
    return LoopHead(head.origin, kept, head.left_out, head.is_regular, head.is_exact)


def is_comparison(text: str) -> bool:
    """Whether the expression computes nothing, apart from casts."""
    bare = _CONNECTIVE.sub("", _NEGATIVE.sub(r"\1", _CAST.sub("", text)))
    return _ARITHMETIC.search(bare) is None


# ---------------------------------------------------------------------------------------- places


def _loops(text: CText, found: Found) -> Iterator[tuple[int, str]]:
    """The annotations of loops, each with the byte of the text at which it goes in."""
    for invariant in found.invariants:
        if invariant.place.file == text.name:
            yield _byte(text, invariant), _annotation(invariant)


def _byte(text: CText, invariant: Invariant) -> int:
    place = invariant.place
    start = text.line_start(place.line)
    line = text.text[start:].split(b"\n", 1)[0].decode("utf-8", "replace")
    return start + len(line[: (place.column or 1) - 1].encode())


def _annotation(invariant: Invariant) -> str:
    kind = "loop invariant" if invariant.loop else "assert"
    return f"/*@ {kind} {invariant.expression}; */"


def _contracts(
    text: CText, contracts: Sequence[Contract], types: Types
) -> tuple[dict[int, str], list[str]]:
    """The contracts of the functions that the text defines, and lines for what is left out."""
    known = {contract.function: contract for contract in contracts}
    edits: dict[int, str] = {}
    left_out: list[str] = []
    for node in text.root.children:
        if node.type != "function_definition":
            continue
        contract = known.get(text.function_name(node))
        if contract is not None:
            clauses = list(_clauses(contract, _returns_integer(node, text, types)))
            if clauses:
                edits[node.start_byte] = "/*@ " + "\n    ".join(clauses) + " */"
            where = f"{text.name}:{text.start(node).line}"
            left_out += [f"{where}: not in C: {part}" for part in contract.left_out]
    return edits, left_out


def _clauses(contract: Contract, returns_integer: bool) -> Iterator[str]:
    for word, texts in (("requires", contract.requires), ("ensures", contract.ensures)):
        for text in texts:
            is_meant = contract.is_exact or is_comparison(text)
            if is_meant and (returns_integer or _RESULT not in text):
                yield f"{word} {text};"


def _returns_integer(definition: Node, text: CText, types: Types) -> bool:
    kind = definition.child_by_field_name("type")
    declarator = definition.child_by_field_name("declarator")
    is_plain = declarator is not None and declarator.type == "function_declarator"
    return is_plain and kind is not None and types.named(text.source(kind)) is not None


def _edited(text: CText, edits: dict[int, str]) -> str:
    parts, at = [], 0
    for place, inserted in sorted(edits.items()):
        indent = b"\n" + b" " * (text.position(place).column - 1)
        between = indent if _is_alone(text, place) else b" "
        parts += [text.text[at:place], inserted.encode().replace(b"\n", indent), between]
        at = place
    return b"".join([*parts, text.text[at:]]).decode("utf-8", "replace")


def _is_alone(text: CText, place: int) -> bool:
    """Whether nothing but white space stands before the place on its line."""
    start = text.line_start(text.position(place).line)
    return not text.text[start:place].strip()


def summary(annotated: Annotated) -> Iterable[str]:
    """Lines that say what was written and what was left out."""
    if not annotated.invariants and not annotated.contracts:
        yield _NOTE
    yield f"{annotated.invariants} invariants, {annotated.contracts} contracts"
    yield from (f"left out: {line}" for line in annotated.left_out)
