"""The strategy of a configuration."""

from __future__ import annotations

from typing import assert_never

from seahorn_py.engines.refinement.configuration import Configuration, Refinement
from seahorn_py.engines.refinement.disjunctive import DisjunctiveInterpolation
from seahorn_py.engines.refinement.horn_interpolants import HornInterpolation
from seahorn_py.engines.refinement.refinement import Strategy
from seahorn_py.engines.refinement.skeleton import Problem
from seahorn_py.engines.refinement.strategies.core_atoms import CoreAtoms
from seahorn_py.engines.refinement.strategies.cut_interpolants import CutInterpolants
from seahorn_py.engines.refinement.strategies.path_invariants import PathInvariants
from seahorn_py.engines.refinement.strategies.preconditions import Preconditions
from seahorn_py.engines.refinement.strategies.tree_interpolants import TreeInterpolants
from seahorn_py.engines.refinement.text_interpolants import TextInterpolation
from seahorn_py.logic.interpolation.interpolation import Backend
from seahorn_py.logic.solvers.solver import Solver


def strategy(configuration: Configuration, problem: Problem, memory_mib: int = 4096) -> Strategy:
    """What teaches predicates; processes of their own have so much memory each."""
    formulas, solver = problem.formulas, problem.solver
    match configuration.refinement:
        case Refinement.TREE | Refinement.SEQUENCE | Refinement.DISJUNCTIVE as chosen:
            return trees(problem, paths=chosen is Refinement.SEQUENCE)
        case Refinement.CUTS:
            bits = solver is Solver.BITWUZLA
            backend = Backend.BITWUZLA if bits else Backend.SPACER
            return CutInterpolants(TextInterpolation(formulas, backend))
        case Refinement.WP:
            return Preconditions(formulas, solver)
        case Refinement.CORE:
            return CoreAtoms(formulas, solver)
        case Refinement.PATHS:
            others = trees(problem), CoreAtoms(formulas, solver)
            return PathInvariants(problem.system, others, memory_mib)
        case _:
            assert_never(configuration.refinement)


def trees(problem: Problem, *, paths: bool = False) -> TreeInterpolants:
    """Interpolants for all steps at once; bits are asked of bitwuzla before Spacer."""
    bits = problem.solver is Solver.BITWUZLA
    formulas = problem.formulas
    others = (TextInterpolation(formulas, Backend.BITWUZLA),) if bits else ()
    many = (DisjunctiveInterpolation(formulas, (Backend.BITWUZLA,)),) if bits else ()
    return TreeInterpolants(HornInterpolation(formulas), others, many, paths)
