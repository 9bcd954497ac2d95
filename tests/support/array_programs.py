"""Array programs as Horn systems, in the shape that regions have in the integer encoding.

Memory is an array from addresses to elements; `(A i)` is the address of element `i` of a global
array of 4-byte integers, `(B i)` that of an element of another region.  In `{right|wrong}` the
second text plants a bug.
"""

from __future__ import annotations

import re

from seahorn_py.horn.system import HornSystem
from seahorn_py.horn.text.smtlib import read_horn

_PRELUDE = """
(define-fun A ((i Int)) Int (+ 4096 (* 4 i)))
(define-fun B ((i Int)) Int (+ 8192 (* 4 i)))
"""

PROGRAMS: dict[str, str] = {
    "initialisation": """
        loop i n a
        : (<= 0 n) --> (loop 0 n a)
        : (loop i n a) (< i n) --> (loop (+ i 1) n (store a (A i) 7))
        : (loop i n a) (>= i n) (<= 0 z) (< z n) (not (= (select a (A z)) {7|8})) --> false
    """,
    "initialisation, checked in a loop": """
        loop i n a
        check i n a
        : (<= 0 n) --> (loop 0 n a)
        : (loop i n a) (< i n) --> (loop (+ i 1) n (store a (A i) i))
        : (loop i n a) (>= i n) --> (check 0 n a)
        : (check i n a) (< i n) (= (select a (A i)) i) --> (check (+ i 1) n a)
        : (check i n a) (< i {n|(+ n 1)}) (not (= (select a (A i)) i)) --> false
    """,
    "copy": """
        loop i n a b
        check i n a b
        : (<= 0 n) --> (loop 0 n a b)
        : (loop i n a b) (< i n) --> (loop (+ i 1) n a (store b (B i) (select a (A i))))
        : (loop i n a b) (>= i n) --> (check 0 n a b)
        : (check i n a b) (< i n) --> (check (+ i 1) n a b)
        : (check i n a b) (< i {n|(+ n 1)}) (not (= (select a (A i)) (select b (B i)))) --> false
    """,
    "maximum": """
        loop i n m a
        : (<= 1 n) --> (loop 1 n (select a (A 0)) a)
        : (loop i n m a) (< i n) (> (select a (A i)) m) --> (loop (+ i 1) n (select a (A i)) a)
        : (loop i n m a) (< i n) (<= (select a (A i)) m) --> (loop (+ i 1) n m a)
        : (loop i n m a) (>= i n) (<= 0 z) (< z n) ({>|>=} (select a (A z)) m) --> false
    """,
    "find": """
        loop i n x a
        : (<= 0 n) --> (loop 0 n x a)
        : (loop i n x a) (< i n) (not (= (select a (A i)) x)) --> (loop (+ i 1) n x a)
        : (loop i n x a) (or (>= i n) (= (select a (A i)) x))
          (<= 0 z) ({<|<=} z i) (= (select a (A z)) x) --> false
    """,
    "reverse": """
        loop i n a b
        : (<= 0 n) --> (loop 0 n a b)
        : (loop i n a b) (< i n)
          --> (loop (+ i 1) n a (store b (B (- (- n 1) i)) (select a (A i))))
        : (loop i n a b) (>= i n) (<= 0 z) (< z n)
          (not (= (select b (B z)) (select a (A (- (- n {1|2}) z))))) --> false
    """,
    "reverse in place": """
        loop i n a b
        : (<= 0 n) --> (loop 0 n a a)
        : (loop i n a b) (< i (- (- n 1) i)) --> (loop (+ i 1) n a
            (store (store b (A i) (select b (A (- (- n 1) i)))) (A (- (- n 1) i)) (select b (A i))))
        : (loop i n a b) (>= i (- (- n 1) i)) (<= 0 z) (< z n)
          (not (= (select b (A z)) (select a (A (- (- n {1|2}) z))))) --> false
    """,
    "partition": """
        loop i j n x a
        : (<= 0 n) --> (loop 0 n n x a)
        : (loop i j n x a) (< i j) (< (select a (A i)) x) --> (loop (+ i 1) j n x a)
        : (loop i j n x a) (< i j) (>= (select a (A i)) x) --> (loop i (- j 1) n x
            (store (store a (A i) (select a (A (- j 1)))) (A (- j 1)) (select a (A i))))
        : (loop i j n x a) (>= i j) (<= 0 z) (< z {i|n}) (>= (select a (A z)) x) --> false
    """,
    "equality": """
        loop i n r a b
        : (<= 0 n) --> (loop 0 n 1 a b)
        : (loop i n r a b) (< i n) (= (select a (A i)) (select b (B i))) --> (loop (+ i 1) n r a b)
        : (loop i n r a b) (< i n) (not (= (select a (A i)) (select b (B i))))
          --> (loop (+ i 1) n 0 a b)
        : (loop i n r a b) (>= i n) (= r 1) (<= 0 z) ({<|<=} z n)
          (not (= (select a (A z)) (select b (B z)))) --> false
    """,
    "prefix sums": """
        loop i n a b
        : (<= 1 n) --> (loop 1 n a (store b (B 0) (select a (A 0))))
        : (loop i n a b) (< i n) --> (loop (+ i 1) n a
            (store b (B i) (+ (select b (B (- i 1))) (select a (A i)))))
        : (loop i n a b) (>= i n) (<= {1|0} z) (< z n)
          (not (= (select b (B z)) (+ (select b (B (- z 1))) (select a (A z))))) --> false
    """,
    "a block on the heap": """
        loop i n p a
        : (<= 0 n) (< 0 p) --> (loop 0 n p a)
        : (loop i n p a) (< i n) --> (loop (+ i 1) n p (store a (+ p (* 4 i)) 7))
        : (loop i n p a) (>= i n) (<= 0 z) (< z n)
          (not (= (select a (+ p (* 4 z))) {7|8})) --> false
    """,
    "a copy from block to block": """
        loop i n p q a b
        : (<= 0 n) (< 0 p) (= q (+ p (* 4 n))) --> (loop 0 n p q a b)
        : (loop i n p q a b) (< i n)
          --> (loop (+ i 1) n p q a (store b (+ q (* 4 i)) (select a (+ p (* 4 i)))))
        : (loop i n p q a b) (>= i n) (<= 0 z) (< z n)
          (not (= (select a (+ p (* 4 z))) (select b (+ q (* 4 {z|(- z 1)}))))) --> false
    """,
    "two indices in a rule": """
        loop i n a
        : (<= 0 n) --> (loop 0 n a)
        : (loop i n a) (< i n) --> (loop (+ i 2) n (store (store a (A i) 1) (A (+ i 1)) 2))
        : (loop i n a) (>= i n) (<= 0 z) (< z i)
          (not (or (= (select a (A z)) 1) (= (select a (A z)) {2|3}))) --> false
    """,
    "a guarded change": """
        loop i n a
        : (<= 0 n) --> (loop 0 n a)
        : (loop i n a) (< i n) (=> c (= b (store a (A i) 0))) (=> (not c) (= b a))
          (= c (< (select a (A i)) 0)) --> (loop (+ i 1) n b)
        : (loop i n a) (>= i n) (<= 0 z) (< z n) (< (select a (A z)) {0|1}) --> false
    """,
}


def array_program(name: str, *, wrong: bool = False) -> HornSystem:
    """The program, or the one with the bug."""
    text = re.sub(r"\{([^|{}]*)\|([^{}]*)\}", r"\2" if wrong else r"\1", PROGRAMS[name])
    return horn_system(text, _PRELUDE)


def horn_system(text: str, prelude: str = "", array: str = "(Array Int Int)") -> HornSystem:
    """Relations, one a line, and rules `: body --> head`.

    `a`, `b` and `d` are arrays, `c` is a Boolean, every other variable an integer.
    """
    sorts = {"a": array, "b": array, "d": array, "c": "Bool"}
    head, *rules = re.split(r"\n *: ", text)
    lines = [prelude]
    for name, *parameters in map(str.split, head.strip().splitlines()):
        declared = " ".join(sorts.get(p, "Int") for p in parameters)
        lines.append(f"(declare-fun {name} ({declared}) Bool)")
    for rule in rules:
        body, conclusion = rule.split("-->")
        names = sorted(set(re.findall(r"(?<![\w.])[a-z](?![\w.])", rule)))
        variables = " ".join(f"({n} {sorts.get(n, 'Int')})" for n in names)
        lines.append(f"(assert (forall ({variables}) (=> (and {body}) {conclusion})))")
    return read_horn("\n".join(lines), "array program")
