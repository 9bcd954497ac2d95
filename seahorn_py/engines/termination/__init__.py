"""Ranking functions and recurrent sets of Horn systems.

Step -> code:

    what a round of a loop does                    `engines.termination.cycles`
    ranks by Farkas' lemma                         `engines.termination.ranking`
    states from which runs go on for ever          `engines.termination.recurrent`

All that is found is a candidate, which others prove or refuse.

Limitations, the most common first:

1. Measures are linear in the integers at the head of a loop: those of contents of memory, of
   floats and of products are not found, nor are ranks that need a case distinction.
2. Of unsigned integers that wrap, or whose bits are shifted out, ranks are rarely found.
3. A recurrent set is the limit of a few shrinkings, or of steps away from borders: sets that need
   an invariant of another kind are not found.
4. Recurrent sets need steps with one premise: a loop that needs the summary of a call has none.
5. Functions that call each other have no rank.
"""
