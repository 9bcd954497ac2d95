"""The automaton of a formula put into a program: atoms beside `main`, the automaton as a module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.compiling.support import RULE_FOLDER
from seahorn_py.frontend.llvmtext.module import split_module
from seahorn_py.frontend.temporal import choosing
from seahorn_py.frontend.temporal.branching import check_branching, linear, written
from seahorn_py.frontend.temporal.buechi import Buechi, buechi
from seahorn_py.frontend.temporal.formula import (
    Formula,
    atoms,
    has_next,
    is_branching,
    negation,
    read_formula,
)
from seahorn_py.frontend.temporal.marks import Marks, check_calls, declared, read_marks
from seahorn_py.frontend.temporal.product import ASSUMED, CHOSEN, INPUT, Fuel, atom_code, code
from seahorn_py.frontend.temporal.stepping import MAIN, NAMES, Module, Stepping
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

_RETURN = "functions of the vocabulary that give values return, though a file says noreturn"
_NO_WAITING = "that some run goes on is not known: no state of the automaton waits"
_MISLABELLED = pattern(
    rb"(__VERIFIER_(?:nondet_\w+|assume)\s*\([^()]*\)\s*)"
    rb"(__attribute__\s*\(\(\s*(?:__)?noreturn(?:__)?\s*\)\))"
)


def automaton_of(formula: str) -> tuple[Buechi, tuple[str, ...]]:
    """The automaton of the words that violate a formula, and its atoms; or SeaError."""
    read = read_formula(formula)
    if is_branching(read):
        check_branching(read)
        read = linear(read)
    refuse_next(read)
    return buechi(negation(read)), atoms(read)


def refuse_next(formula: Formula) -> None:
    """UnsupportedError if the formula speaks of the next step."""
    if has_next(formula):
        said = f"{written(formula)}: a program of C has no steps, so X has no meaning"
        raise UnsupportedError(said)


def with_formula(
    paths: Sequence[Path],
    texts: Sequence[str],
    options: FrontendOptions,
    deadline: Deadline,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The modules of a program with that of its formula, gaps, and what is assumed.

    InputError where an atom is no expression over the globals of the file that defines `main`.
    """
    automaton, own = automaton_of(options.formula)
    first = atoms(read_formula(options.looked_at)) if options.looked_at else own
    asked = tuple(dict.fromkeys((*first, *own)))
    at = next((k for k, text in enumerate(texts) if MAIN in split_module(text).functions), None)
    if at is None or options.entries:
        raise UnsupportedError("a temporal formula is about a program that begins in main")
    text = _text_of(paths[at], options)
    plain_text = _MISLABELLED.sub(lambda m: m[1] + b" " * len(m[2]), text)
    marks = read_marks(asked)
    begun = declared(marks, [split_module(text) for text in texts] if marks.names else ())
    begun += f"_Bool {CHOSEN};\n" if options.choices else ""
    atoms_text = plain_text + atom_code(marks.texts, begun).encode()
    modules = _with_atoms(paths, at, texts, atoms_text, marks, options, deadline)
    split = [Module(text, split_module(text), k == at) for k, text in enumerate(modules)]
    check_calls(marks, [module.parts for module in split])
    stepping = Stepping(split, marks, len(first), options.choices)
    woven = stepping.woven()
    file = Path(f"{RULE_FOLDER}formula.c")
    product = code(automaton, asked, Fuel(options.fuel), options.choices).encode()
    plain = FrontendOptions(bits=options.bits, clang=options.clang, edited=((file, product),))
    made = compile_files((file,), plain, deadline)[0]
    for name, value in NAMES.items():
        made = made.replace(f"@{name}(", f"@{value}(")
    made = made.replace(f"@{ASSUMED}(", f"@{choosing.ASSUMED}(")
    made = made.replace(f"@{INPUT}", f"@{choosing.INPUT}")
    assumed = () if text == plain_text else (_RETURN,)
    gaps = tuple(stepping.gaps)
    if options.choices and not automaton.waits():
        gaps += (_NO_WAITING,)
    return (*woven, made), gaps, assumed


def _text_of(path: Path, options: FrontendOptions) -> bytes:
    """The C text of the file that defines `main`."""
    given = dict(options.edited)
    if path not in given and path.suffix not in (".c", ".i"):
        raise UnsupportedError(f"{path}: a temporal formula needs the C text of the file with main")
    return given[path] if path in given else path.read_bytes()


def _with_atoms(
    paths: Sequence[Path],
    at: int,
    texts: Sequence[str],
    text: bytes,
    marks: Marks,
    options: FrontendOptions,
    deadline: Deadline,
) -> list[str]:
    """The modules; that of the file that defines `main` has the functions of atoms.

    All files are compiled, since clang must not take a function that another file defines for one
    of its own.  It leaves calls that are watched as they are.
    """
    own = replace(options, edited=tuple({**dict(options.edited), paths[at]: text}.items()))
    own = replace(own, flags=(*own.flags, *(f"-fno-builtin-{name}" for name in marks.calls)))
    try:
        made = compile_files(paths, own, deadline)
    except InputError as error:
        raise InputError(f"the formula {options.formula} with the program: {error}") from None
    return [
        new if k == at or marks.calls else old
        for k, (new, old) in enumerate(zip(made, texts, strict=True))
    ]
