"""Proofs in pieces: each function with a contract by itself, and what each answer rests on.

    read        the files, preprocessed, and the contracts in them      contract_files
    plan        which calls a contract stands for                       pieces
    vacuity     does some input satisfy the required clauses?           verify, the wrapper alone
    prove       no run of the wrapper violates anything                 verify
    confirm     a violation, with bodies in the place of contracts      verify, again
    conclude    proved, if all contracts that it rests on are           conclusions

A proof rests on the contracts that it uses, perhaps on that of the function itself.  For recursive
calls this is an induction over the depth of calls.  It is sound for properties that a call of
finite depth violates, so nothing is said about whether calls end.

Limitations, the most common first:

1. Contracts stand for calls only if parameters lead to objects without pointers (`pieces`).
2. Arguments must lead to different objects, as the text of a call shows (`separation`).
3. A violation that needs a contract in the place of a body is unknown.
4. Weak names, aliases, and names in several files are refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import InputError, SeaError
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.flags import is_about_text, takes_value
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.validation.contracts.compiled import compiled
from seahorn_py.validation.contracts.conclusions import Table, resting, violated
from seahorn_py.validation.contracts.contract_files import read_project
from seahorn_py.validation.contracts.harness import REACHED
from seahorn_py.validation.contracts.kept import Kept, KeptProof, key_of
from seahorn_py.validation.contracts.left_over import left_over
from seahorn_py.validation.contracts.linkage import check_names
from seahorn_py.validation.contracts.model import Contract, Kind, Refused, Row, Status
from seahorn_py.validation.contracts.pieces import Piece, Pieces
from seahorn_py.validation.contracts.project import Name, Project
from seahorn_py.verification.pipeline import verify

ALWAYS = frozenset({Property.UNREACH_CALL, Property.VALID_DEREF, Property.VALID_FREE})
"""Properties that are always asked: after an invalid access anything may have changed."""

BY_DEFAULT = ALWAYS | {Property.DIV_BY_ZERO, Property.SHIFT, Property.NO_OVERFLOW}

Tell = Callable[[str], object]


def prove_contracts(
    files: Sequence[Path],
    options: VerifyOptions,
    side_files: Sequence[Path] = (),
    cache: Path | None = None,
    tell: Tell = lambda _: None,
) -> Table:
    """The table of the functions with contracts in these files, and in the side files.

    If the options name entries, these functions alone are asked about, and the others are assumed
    to keep their contracts.  Proofs are kept in the folder `cache`.  `tell` gets a line of text for
    each step.  Raises SeaError for wrong input, or if there is no contract.
    """
    deadline = Deadline.after(options.timeout)
    frontend = options.frontend
    project = read_project(files, frontend, side_files, deadline)
    plain = without_macros(frontend)
    without = tuple(bodiless(project))
    made = compiled(project.units, without, plain, deadline)
    check_names(project.units, made)
    pieces = Pieces(project, made, frontend.pointer_depth)
    asked = _properties(frontend)
    kept = None if cache is None else Kept.at(cache)
    chosen = replace(options, frontend=plain, certificate=kept is not None)
    work = _Work(pieces, chosen, asked, deadline, tell, kept)
    return _concluded(work, without, frontend.entries)


def without_macros(frontend: FrontendOptions) -> FrontendOptions:
    """The options for texts that have gone through the preprocessor already."""
    flags = tuple(_without_macros(frontend.flags))
    flags_of = tuple((path, tuple(_without_macros(own))) for path, own in frontend.flags_of)
    return replace(
        frontend, flags=flags, flags_of=flags_of, defines=(), include_dirs=(), entries=()
    )


def _without_macros(flags: Sequence[str]) -> Iterator[str]:
    is_value = False
    for flag in flags:
        if not is_value and not is_about_text(flag):
            yield flag
        is_value = not is_value and takes_value(flag)


def _properties(frontend: FrontendOptions) -> frozenset[Property]:
    asked = frontend.properties
    if Property.TERMINATION in asked:
        raise SeaError("whether calls end is no question that --modular answers")
    if asked & {Property.VALID_MEMTRACK, Property.VALID_MEMCLEANUP}:
        raise SeaError("which blocks are left is no question about a function: its caller frees")
    return ALWAYS | asked if asked else BY_DEFAULT


def bodiless(project: Project) -> Iterator[Contract]:
    """Contracts of functions that no file defines, each once."""
    seen: set[str] = set()
    for number, unit in enumerate(project.units):
        for name, contract in unit.contracts.items():
            is_plain = name not in unit.refused and contract.result
            if project.function(number, name) is None and name not in seen and is_plain:
                seen.add(name)
                yield contract


@dataclass
class _Work:
    """All that the analyses of functions share; they are made one after the other."""

    pieces: Pieces
    options: VerifyOptions
    asked: frozenset[Property]
    deadline: Deadline
    tell: Tell
    kept: Kept | None

    def without_certificates(self) -> _Work:
        """The same without kept proofs, and so without certificates."""
        return replace(self, options=replace(self.options, certificate=False))

    def ask(
        self, piece: Piece, properties: frozenset[Property], seconds: float, has_any: bool
    ) -> VerificationResult:
        """The answer of `verify` for a piece; `has_any` says that its entry has objects of any
        number of elements.
        """
        options = self.options_of(piece, properties, seconds, has_any)
        return verify([path for path, _ in piece.texts], options)

    def options_of(
        self, piece: Piece, properties: frozenset[Property], seconds: float, has_any: bool
    ) -> VerifyOptions:
        """The options with which a piece is analysed."""
        frontend = replace(
            self.options.frontend,
            edited=piece.texts,
            entries=(piece.entry,) if piece.entry else (),
            error_functions=(*self.options.frontend.error_functions, *piece.checks.found, REACHED),
            properties=properties,
            any_globals=has_any,
            may_alias=has_any,
            assume_initialised=True,
        )
        return replace(
            self.options,
            frontend=frontend,
            timeout=max(seconds, 0.1),
            each_property=False,
            ask_default=False,
            every_check=False,
        )


def _concluded(work: _Work, bodiless: Sequence[Contract], wanted: Sequence[str]) -> Table:
    project = work.pieces.project
    jobs = list(_jobs(project))
    if not any(unit.contracts for unit in project.units):
        raise InputError("no function has a contract")
    asked = [name for name, _ in jobs if not wanted or name.name in wanted]
    missing = set(wanted) - {name.name for name in asked}
    if missing:
        raise InputError(f"no function {min(missing)} has a contract")
    rows: dict[str, Row] = {}
    for name, contract in jobs:
        if name in asked:
            left = len(asked) - asked.index(name)
            work.tell(f"{shown_name(project, name)} ({left} to go)")
            seconds = work.deadline.remaining * max(1 / left, policy().validation.function_share)
            row = _row(work, name, contract, seconds)
        else:
            row = _unasked(name, contract, project)
        rows[row.function] = row
    for contract in bodiless:
        row = Row(contract.function, contract.place, Status.ASSUMED, _texts(contract))
        rows[row.function] = replace(row, reason="no file defines it")
    for row in left_over(project, work.pieces.compiled, asked) if not wanted else ():
        rows.setdefault(row.function, row)
    return Table(tuple(resting(rows).values()), tuple(sorted(_inlined(project))))


def _unasked(name: Name, contract: Contract | None, project: Project) -> Row:
    unit = project.units[name.unit]
    place = unit.places.at(unit.functions[name.name].start_byte, name.name)
    row = Row(shown_name(project, name), place, Status.ASSUMED, _texts(contract))
    return replace(row, reason="not asked about", is_asked=False)


def _inlined(project: Project) -> set[str]:
    """The functions without contracts of the files (not of headers); callers analyse them."""
    files = {str(unit.path) for unit in project.units}
    jobs = {name for name, _ in _jobs(project)}
    return {
        name
        for number, unit in enumerate(project.units)
        for name, node in unit.functions.items()
        if Name(number, name) not in jobs and unit.places.at(node.start_byte).file in files
    }


def shown_name(project: Project, name: Name) -> str:
    """The name of a function, together with its file if two files have such a name."""
    homes = [k for k, unit in enumerate(project.units) if name.name in unit.functions]
    return name.name if len(homes) == 1 else f"{name.name} ({project.units[name.unit].path})"


def _jobs(project: Project) -> Iterator[tuple[Name, Contract | None]]:
    """The functions to analyse: those with contracts, and `main`."""
    for number, unit in enumerate(project.units):
        for name in unit.functions:
            contract = unit.contracts.get(name)
            seen = [k for k, u in enumerate(project.units) if name in u.contracts]
            is_told = any(project.function(k, name) == Name(number, name) for k in seen)
            if is_told or name == "main":
                yield Name(number, name), contract


# ----------------------------------------------------------------------------- one function


def _texts(contract: Contract | None) -> tuple[str, ...]:
    clauses = contract.clauses if contract is not None else ()
    return tuple(f"{clause.kind.value} {clause.text}" for clause in clauses)


def _row(work: _Work, name: Name, contract: Contract | None, seconds: float) -> Row:
    """The row of one function, as if all contracts that it rests on were proved."""
    began = time.monotonic()
    unit = work.pieces.project.units[name.unit]
    place = unit.places.at(unit.functions[name.name].start_byte, name.name)
    row = Row(shown_name(work.pieces.project, name), place, Status.UNKNOWN, _texts(contract))
    try:
        _refuse(work, name)
        found = _found(work, name, contract, row)
        if found is not None:
            return replace(found, seconds=time.monotonic() - began)
        row = _vacuity(work, name, contract, row, seconds / 4)
        if row.status is not Status.VACUOUS and not row.reason:
            left = seconds - (time.monotonic() - began)
            row = _proved(work, name, contract, row, left)
    except Refused as why:
        row = replace(row, reason=str(why))
    except SeaError as error:
        row = replace(row, reason=f"front end: {error}".split("\n")[0])
    return replace(row, seconds=time.monotonic() - began)


def _refuse(work: _Work, name: Name) -> None:
    """Raises Refused for a contract that is not understood, or that its own file does not see."""
    project = work.pieces.project
    own = project.units[name.unit]
    if name.name in own.refused:
        raise Refused(own.refused[name.name])
    places = (
        {c.place for c in own.contracts[name.name].clauses} if name.name in own.contracts else set()
    )
    for number, unit in enumerate(project.units):
        if project.function(number, name.name) != name or name.name not in unit.contracts:
            continue
        if name.name not in own.contracts:
            where = unit.contracts[name.name].place
            raise Refused(f"{where}: the file that defines it does not see this contract")
        for clause in unit.contracts[name.name].clauses:
            if clause.place not in places:
                raise Refused(f"{clause.place}: the file that defines it does not see this clause")


def _key(work: _Work, name: Name, contract: Contract | None, piece: Piece) -> str:
    """The key of the kept proof of a function."""
    pieces = [piece]
    if contract is not None and contract.of(Kind.REQUIRES):
        pieces.append(work.pieces.probe(name, contract, len(contract.of(Kind.REQUIRES))))
    return key_of(pieces, work.options_of(piece, work.asked, 1.0, contract is not None))


def _found(work: _Work, name: Name, contract: Contract | None, row: Row) -> Row | None:
    """The row of a function whose kept proof holds again; None if there is none."""
    if work.kept is None:
        return None
    pieces = [work.pieces.piece(name, contract, cuts=cuts) for cuts in (True, False)]
    proofs = [(one, work.kept.proof(_key(work, name, contract, one))) for one in pieces]
    piece, proof = next((pair for pair in proofs if pair[1] is not None), proofs[0])
    if proof is None:
        return None
    used = tuple(_home_name(work, one) for one in piece.used)
    status = Status.ASSUMED if piece.assumed else Status.PROVED
    row = replace(row, status=status, engine=proof.engine, used=used, is_kept=True)
    return replace(row, rests_on=piece.assumed, notes=piece.notes, assumed=proof.assumed)


def _vacuity(work: _Work, name: Name, contract: Contract | None, row: Row, seconds: float) -> Row:
    """The row, which becomes VACUOUS if no input satisfies the required clauses of the function.

    It gets a reason if that is not known.
    """
    clauses = contract.of(Kind.REQUIRES) if contract is not None else ()
    if contract is None or not clauses:
        return row
    deadline = Deadline.after(seconds)

    def answer(count: int) -> Answer:
        piece = work.pieces.probe(name, contract, count)
        asked = frozenset({Property.UNREACH_CALL})
        return work.ask(piece, asked, deadline.remaining, True).answer

    match answer(len(clauses)):
        case Answer.UNSAFE:
            return row
        case Answer.UNKNOWN:
            return replace(row, reason="no input was found that satisfies what it requires")
    count = next((n for n in range(1, len(clauses)) if answer(n) is Answer.SAFE), len(clauses))
    clause = clauses[count - 1]
    why = f"{clause.place}: no input satisfies: {clause.text}"
    return replace(row, status=Status.VACUOUS, reason=why)


def _proved(work: _Work, name: Name, contract: Contract | None, row: Row, seconds: float) -> Row:
    deadline = Deadline.after(seconds)
    has_any = contract is not None
    piece = work.pieces.piece(name, contract, cuts=True)
    share = deadline.remaining * policy().validation.cut_share
    result = _certified(work, piece, share, has_any) if piece.is_cut else None
    if result is None or result.answer is not Answer.SAFE:
        piece = work.pieces.piece(name, contract)
        result = _certified(work, piece, deadline.remaining, has_any)
    if result.answer is Answer.UNSAFE and _can_confirm(work, piece):
        piece = work.pieces.piece(name, contract, calls_bodies=True)
        result = work.ask(piece, work.asked, deadline.remaining, has_any)
    row = _told(piece, result, work, row)
    if work.kept is not None and result.answer is Answer.SAFE and result.certificate:
        key = _key(work, name, contract, piece)
        work.kept.keep(key, KeptProof(row.engine, row.assumed), dict(result.certificate))
    return row


def _certified(work: _Work, piece: Piece, seconds: float, has_any: bool) -> VerificationResult:
    """The answer about a piece, with a certificate if proofs are kept and there is time for it."""
    deadline = Deadline.after(seconds)
    share = 1.0 if work.kept is None else policy().validation.certified_share
    result = work.ask(piece, work.asked, deadline.remaining * share, has_any)
    if result.answer is Answer.UNKNOWN and work.kept is not None:
        return work.without_certificates().ask(piece, work.asked, deadline.remaining, has_any)
    return result


def _can_confirm(work: _Work, piece: Piece) -> bool:
    """Whether some contract that stands for calls is one of a function with a body."""
    made = work.pieces.compiled
    return any(made.home(one.unit, one.function) is not None for one in piece.used)


def _told(piece: Piece, result: VerificationResult, work: _Work, row: Row) -> Row:
    """The row for the answer about a piece."""
    used = tuple(_home_name(work, one) for one in piece.used)
    row = replace(row, result=result, engine=_engine(result), notes=piece.notes)
    row = replace(row, assumed=result.assumed)
    match result.answer:
        case Answer.SAFE:
            status = Status.ASSUMED if piece.assumed else Status.PROVED
            return replace(row, status=status, used=used, rests_on=piece.assumed)
        case Answer.UNKNOWN:
            stage = result.stage.value if result.stage is not None else "?"
            return replace(row, reason=f"{stage}: {result.reason}")
        case Answer.UNSAFE:
            assert result.violation is not None
            return violated(piece, result.violation, row)


def _home_name(work: _Work, contract: Contract) -> str:
    home = work.pieces.compiled.home(contract.unit, contract.function)
    return contract.function if home is None else shown_name(work.pieces.project, home)


def _engine(result: VerificationResult) -> str:
    claims = [a.engine for a in result.attempts if a.outcome.startswith("claims")]
    return claims[-1] if claims else "executions" if result.answer is Answer.UNSAFE else "passes"
