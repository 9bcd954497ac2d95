"""Answers made by hand, and a program with a list for pages about them."""

from __future__ import annotations

from pathlib import Path

from seahorn_py.base.errors import Origin, Span, Stage
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.processes.journal import Attempt
from seahorn_py.result import (
    Answer,
    Change,
    CheckResult,
    HeapDeed,
    HeapEvent,
    InputValue,
    Invariant,
    TraceStep,
    VerificationResult,
    Violation,
)

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028<!--<script>&\"'"
LIST = """\
#include <stdlib.h>
struct node { int key; struct node *next; };
int count;
static struct node *push(struct node *head, int key)
{
    struct node *n = malloc(sizeof *n);
    n->key = key;
    n->next = head;
    count++;
    return n;
}
int main(void)
{
    struct node *head = push(0, 7);
    for (int i = 0; i < 2; i++)
        head = push(head, i);
    free(head);
    return head->key; /* HERE */
}
"""
FIRST, SECOND = 0x500000000000, 0x500000000050


class Told:
    """Steps of a run through the program in a file."""

    def __init__(self, file: Path, text: str = LIST) -> None:
        file.write_text(text)
        self.file = str(file)

    def at(self, line: int, function: str = "main") -> Span:
        return Span(self.file, line, 5, function)

    def step(
        self, line: int, *changes: tuple[str, str], heap: tuple[HeapEvent, ...] = ()
    ) -> TraceStep:
        return TraceStep(self.at(line), (), tuple(Change(*c) for c in changes), heap=heap)

    def pushed(self, call: int, base: int, before: str, key: str) -> list[TraceStep]:
        """A call of `push`, its arguments computed one after the other."""
        chain = (self.at(call),)
        wrote = [
            HeapEvent(HeapDeed.WRITTEN, base, 0, 4, key, place=Span(self.file, 7, 12, "push")),
            HeapEvent(HeapDeed.WRITTEN, base, 8, 8, before, place=Span(self.file, 8, 13, "push")),
        ]
        made = HeapEvent(HeapDeed.ALLOCATED, base, 0, 16, place=self.at(6, "push"))
        rows = (
            (4, (Change("head", before),), ()),
            (4, (Change("key", key),), ()),
            (6, (Change("n", f"(void *)0x{base:x}"),), (made,)),
            (7, (), (wrote[0],)),
            (8, (), (wrote[1],)),
            (9, (Change("count", "1"),), ()),
        )
        found = [TraceStep(self.at(line, "push"), chain, c, heap=h) for line, c, h in rows]
        found.insert(1, self.step(call))
        return found

    def violation(self) -> Violation:
        """An access of the block that was freed."""
        first, second = f"(void *)0x{FIRST:x}", f"(void *)0x{SECOND:x}"
        freed = HeapEvent(HeapDeed.FREED, SECOND, place=self.at(17))
        steps = (
            *self.pushed(14, FIRST, "NULL", "7"),
            self.step(14, ("head", first)),
            self.step(15, ("i", "0")),
            *self.pushed(16, SECOND, first, "0"),
            self.step(16, ("head", second)),
            self.step(17, heap=(freed,)),
            self.step(18),
        )
        inputs = (InputValue("getchar", 7, "int", self.at(14), "extern"),)
        return Violation("valid-deref", "invalid read of 4 bytes", self.at(18), inputs, steps)

    def unsafe(self) -> VerificationResult:
        entry = LedgerEntry(
            Approximation.ASSUMED, "allocation does not fail", Origin((self.at(6),))
        )
        return VerificationResult(
            Answer.UNSAFE,
            ("the inputs reach the error in a replay",),
            violation=self.violation(),
            ledger=(entry,),
            attempts=(Attempt("int", "spacer", 0.5, 1.0, "claims unsafe"),),
        )

    def safe(self) -> VerificationResult:
        """A proof with an invariant of the loop."""
        found = Invariant("main", self.at(15), "", "0 <= i && (i <= 2 && count >= 1)")
        return VerificationResult(Answer.SAFE, ("re-proved by cvc5",), invariants=(found,))

    def unknown(self) -> VerificationResult:
        return VerificationResult(
            Answer.UNKNOWN,
            stage=Stage.SOLVE,
            reason="time limit",
            obstacles=(f"loop at {self.file}:15:5, contents of memory",),
        )

    def each(self) -> VerificationResult:
        """An answer for each of three checks."""
        failed = self.violation()
        rows = (
            CheckResult(
                "valid-deref", "read of head->key", self.at(18), Answer.UNSAFE, (), violation=failed
            ),
            CheckResult("valid-free", "free(head)", self.at(17), Answer.SAFE, ("re-proved",)),
            CheckResult(
                "valid-deref", "n->key", self.at(7), Answer.UNKNOWN, (), Stage.SOLVE, "time limit"
            ),
        )
        return VerificationResult(Answer.UNSAFE, violation=failed, checks=rows)
