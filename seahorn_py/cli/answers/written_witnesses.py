"""Witness files of an answer, each in the format that its name and the options ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from seahorn_py.base.records import dataclass
from seahorn_py.cli.whole_files import GRAPHML_ENDINGS, write_whole
from seahorn_py.options import Property, VerifyOptions
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.witness.between_visits import transitions
from seahorn_py.witness.correctness import invariants
from seahorn_py.witness.endless import lasso
from seahorn_py.witness.fields import this_producer
from seahorn_py.witness.graphml import witnesses as graphml
from seahorn_py.witness.texts import Sources
from seahorn_py.witness.told import by_lines, by_statements
from seahorn_py.witness.violation import waypoints
from seahorn_py.witness.witness import CorrectnessWitness, Witness
from seahorn_py.witness.yaml import witnesses as yaml
from seahorn_py.witness.yaml.witnesses import Version


@dataclass(frozen=True)
class _Wanted:
    """The files to write; `cex` is GraphML whatever it is called."""

    files: Sequence[Path]
    cex: Path | None
    version: Version

    def is_graphml(self, file: Path) -> bool:
        """The format of one of them."""
        return file == self.cex or file.suffix in GRAPHML_ENDINGS


def written(
    files: Sequence[Path],
    result: VerificationResult,
    options: VerifyOptions,
    wanted: tuple[Sequence[Path], Path | None, str],
) -> Iterator[str]:
    """Write the witnesses; lines that say what was written and what was left out."""
    sources = Sources.read(files, options.frontend)
    asked = _Wanted(wanted[0], wanted[1], Version(wanted[2]))
    if options.frontend.wants(Property.TERMINATION):
        yield from _of_termination(sources, result, asked)
    elif result.answer is Answer.SAFE:
        yield from _correctness(sources, result, asked)
    else:
        yield from _violation(sources, result, asked)


def _of_termination(sources: Sources, result: VerificationResult, wanted: _Wanted) -> Iterator[str]:
    """A proof or a run without end; version 2.1 alone has both."""
    for file in wanted.files:
        if wanted.is_graphml(file):
            yield f"witness: none about termination in GraphML: {file} not written"
        elif wanted.version is Version.TWO_0:
            yield f"witness: none about termination in version 2.0: {file} not written"
    files = [file for file in wanted.files if not wanted.is_graphml(file)]
    if wanted.version is not Version.TWO_0 and files:
        write = _ends if result.answer is Answer.SAFE else _endless
        yield from write(sources, result, files)


def _ends(sources: Sources, result: VerificationResult, files: Sequence[Path]) -> Iterator[str]:
    found, related = invariants(result.heads, sources), transitions(result.ranks, sources)
    about = sources.about(frozenset({Property.TERMINATION}))
    witness = CorrectnessWitness(about, found.invariants, related.transitions)
    counts = f"{len(found.invariants)} invariants, {len(related.transitions)} of transitions"
    for file in files:
        _write(witness, file, Version.TWO_1)
        yield f"witness: {file}: correctness, {counts}"
    yield from (f"witness: left out: {line}" for line in (*found.left_out, *related.left_out))


def _endless(sources: Sources, result: VerificationResult, files: Sequence[Path]) -> Iterator[str]:
    assert result.violation is not None
    found = lasso(result.violation, sources)
    if isinstance(found, str):
        yield f"witness: none: {found}"
        return
    about = sources.about(frozenset({Property.TERMINATION}))
    witness = by_statements(about, found.stem, found.cycle)
    for file in files:
        _write(witness, file, Version.TWO_1)
        counts = f"{len(found.stem)} waypoints and {len(found.cycle)} in a cycle"
        yield f"witness: {file}: violation, {counts}"
    yield from (f"witness: left out: {line}" for line in found.left_out)


def _correctness(sources: Sources, result: VerificationResult, wanted: _Wanted) -> Iterator[str]:
    found = invariants(result.heads, sources)
    about = sources.about(sources.frontend.properties, _names(sources.frontend.rules))
    witness = CorrectnessWitness(about, found.invariants)
    for file in wanted.files:
        _write(witness, file, None if wanted.is_graphml(file) else wanted.version)
        yield f"witness: {file}: correctness, {len(found.invariants)} invariants"
    yield from (f"witness: left out: {line}" for line in found.left_out)


def _violation(sources: Sources, result: VerificationResult, wanted: _Wanted) -> Iterator[str]:
    assert result.violation is not None
    found = waypoints(result.violation, sources)
    if found is None:
        yield f"witness: none: {result.violation.place or '?'} is not in the C files"
        return
    about = sources.about(*_violated(result, sources.frontend.rules))
    for file in wanted.files:
        is_graphml = wanted.is_graphml(file)
        witness = by_lines(about, found.path) if is_graphml else by_statements(about, found.path)
        _write(witness, file, None if is_graphml else wanted.version)
        yield f"witness: {file}: violation, {len(found.path)} waypoints"
    yield from (f"witness: left out: {line}" for line in found.left_out)


def _violated(
    result: VerificationResult, asked: Sequence[str]
) -> tuple[frozenset[Property], tuple[str, ...]]:
    """The property that does not hold; if it is a rule, with its name."""
    assert result.violation is not None
    found = Property(result.violation.property)
    if found is not Property.RULE:
        return frozenset({found}), ()
    rows = (row.property for row in result.properties if row.violation is result.violation)
    row = next(rows, f"{found.value} {asked[0]}")
    return frozenset({found}), _names([row.removeprefix(f"{found.value} ")])


def _names(rules: Sequence[str]) -> tuple[str, ...]:
    """The names of rules that are asked for by name or by file."""
    if not rules:
        return ()
    from seahorn_py.frontend.rules.known import names, rule  # loads slowly

    return tuple(rule(given).name for given in names(tuple(rules)))


def _write(witness: Witness, file: Path, version: Version | None) -> None:
    """In that version of YAML, or in GraphML."""
    producer = this_producer()
    if version is None:
        write_whole(graphml.text(witness, producer), file)
    else:
        write_whole(yaml.text(witness, producer, version), file)
