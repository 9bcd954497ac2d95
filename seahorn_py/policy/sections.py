"""What the policy holds: sections of numbers, each under a name and of a kind."""

from collections.abc import Mapping
from typing import Any, NewType

from seahorn_py.base import run_time

Share = NewType("Share", float)
"""Of a time or a number; more than 0, at most 1."""

Seconds = NewType("Seconds", float)
"""What the machine takes for something, however long the run may be."""

Limit = NewType("Limit", float)
"""Seconds for work on which an answer may depend: as in the file where that is more, otherwise the
share `of_run` of the time limit of the run.  So a slower machine with a longer limit answers what a
faster one does."""

Count = NewType("Count", int)
"""At least 1."""

Turns = NewType("Turns", tuple[Any, ...])
"""Turns of engines, each as in a file for `--schedule`."""


def limited(seconds: float, of_run: float) -> float:
    """So many seconds, or the share of the run if that is more."""
    return max(seconds, of_run * run_time.whole())


class Section:
    """Numbers under the names that a class of them declares; they stay what they are.

    But for limits, of which `limits` has the seconds and the share of the run.
    """

    limits: Mapping[str, tuple[float, float]]

    def __init__(self, limits: Mapping[str, tuple[float, float]] = {}, **given: Any) -> None:
        self.__dict__.update(given, limits=limits)

    def __getattr__(self, name: str) -> float:
        """A limit, for the run that goes on."""
        if name not in self.limits:
            raise AttributeError(name)
        return limited(*self.limits[name])

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse."""
        raise AttributeError(f"{name} is given by the policy")


class Solving(Section):
    """What engines have of the time of a question."""

    share: Share
    clauses_share: Share
    prepared_share: Share
    answering_seconds: Seconds
    grace_seconds: Seconds
    grace_share: Share
    alone_seconds: Seconds
    own_process_grace_seconds: Seconds
    solver_grace_seconds: Seconds


class Schedules(Section):
    """The turns for Horn systems over integers or bit-vectors, by what they look like."""

    int: Turns
    files_of_arrays: Turns
    files_of_threads: Turns
    files_of_calls: Turns
    files: Turns
    states: Turns
    int_control: Turns
    int_calls: Turns
    int_products: Turns
    int_straight: Turns
    int_straight_calls: Turns
    real: Turns
    datatypes: Turns
    int_arrays: Turns
    bv: Turns
    bv_products: Turns
    bv_calls: Turns
    bv_straight: Turns
    bv_arrays: Turns
    int_ranks: Turns
    bv_ranks: Turns
    int_loosened: Turns
    bv_loosened: Turns
    int_counted: Turns
    bv_counted: Turns
    spacer: Turns
    cells: Turns


class Choosing(Section):
    """Which schedule is taken, and how much of it."""

    many_blocks: Count
    many_places: Count
    many_values: Count
    alone_share: Share
    least_turn_seconds: Seconds
    as_written: Share
    real_as_written: Share


class Race(Section):
    """Runs and both encodings, side by side or in turn."""

    head_start_seconds: Seconds
    first_share: Share
    search_times: Count
    text_search_share: Share
    first_runs_share: Share
    runs_alone_seconds: Seconds
    before_search_seconds: Seconds
    patience: Count
    patience_share: Share
    watch_seconds: Seconds
    unfolded_share: Share
    one_check_share: Share
    unfolding_alone_seconds: Seconds
    loose_share: Share
    unfolding_share: Share
    large_statements: Count
    large_seconds: Seconds
    loosened_share: Share
    opened_share: Share
    apart_share: Share
    feasible_question_seconds: Limit
    feasible_seconds: Limit


class Checks(Section):
    """An answer for each check."""

    together_share: Share
    easy_seconds: Limit
    telling_seconds: Seconds
    telling_share: Share
    least_seconds: Seconds


class Properties(Section):
    """An answer for each property."""

    brief_seconds: Limit
    violated_share: Share
    question_share: Share
    after_error_seconds: Seconds
    vacuity_seconds: Limit
    race_seconds: Limit


class Confirming(Section):
    """What is done with the verdict of an engine before it counts."""

    first_share: Share
    lists_share: Share
    split_briefly_share: Share
    first_share_of_text: Share
    most_single_splits: Count
    agreement_seconds: Seconds
    agreement_share: Share
    agreement_seconds_at_first: Limit
    reproof_seconds_at_first: Limit
    reproof_seconds: Limit
    cases_share: Share
    goals_share: Share
    modular_seconds: Limit
    modular_share: Share
    casing_share: Share
    step_seconds: Limit
    unrolling_apart_seconds: Seconds
    unrolling_together_share: Share
    unrolling_first_share: Share
    unrolling_end_share: Share
    certificate_seconds: Seconds
    conjunct_seconds: Seconds
    minimise_share: Share


class Validation(Section):
    """Witnesses and hints of others, contracts and kept proofs."""

    others_share: Share
    guided_share: Share
    hinted_share: Share
    searched_share: Share
    founded_share: Share
    checked_share: Share
    alone_share: Share
    cut_share: Share
    function_share: Share
    certified_share: Share
    kept_seconds: Limit


class Bmc(Section):
    """Bounded model checking."""

    round_share: Share
    last_round_share: Share
    guard_seconds: Limit
    exclusion_seconds: Limit
    pruning_seconds: Limit
    free_iterations: Count
    reading_iterations: Count
    free_calls: Count


class SpacerRefutations(Section):
    """Refutations of Spacer, made anew rule by rule."""

    step_seconds: Limit


class KInduction(Section):
    """Induction beside the generation of invariants."""

    reducing_seconds: Limit
    outright_seconds: Limit
    outright_share: Share
    first_try_seconds: Limit


class Refinement(Section):
    """The engines that refine abstractions."""

    invariants_share: Share
    question_seconds: Limit
    boolean_question_seconds: Limit
    feasibility_seconds: Limit
    tree_seconds: Limit
    cut_seconds: Limit
    preconditions_seconds: Limit
    core_seconds: Limit
    values_seconds: Limit
    path_program_share: Share
    path_program_seconds: Limit
    entailment_seconds: Limit
    forced_seconds: Limit
    most_forced: Count


class Linear(Section):
    """Linear arithmetic with exact closures of loops."""

    cells_share: Share


class Heap(Section):
    """Facts about blocks of the heap."""

    question_seconds: Limit
    most_facts: Count


class Elements(Section):
    """Facts about the elements of arrays."""

    preparing_seconds: Seconds
    question_seconds: Limit


class Polynomials(Section):
    """Polynomials that vanish at the states of runs."""

    leaving_out_seconds: Seconds
    ways_share: Share
    runs_share: Share
    question_seconds: Limit


class Interpolation(Section):
    """Interpolants of Spacer."""

    models_share: Share
    grace_seconds: Seconds
    power_seconds: Seconds
    elimination_seconds: Seconds


class Invariants(Section):
    """The generation of invariants."""

    level_share: Share
    at_once_seconds: Seconds
    grace_seconds: Seconds
    decided_seconds: Limit
    core_question_seconds: Limit
    image_question_seconds: Limit
    most_predicates: Count
    most_values: Count
    most_paired: Count
    most_cases: Count
    most_thresholds: Count


class Termination(Section):
    """Ranks, recurrent sets, and states that come back."""

    integers_share: Share
    prompt_share: Share
    counted_share: Share
    guess_share: Share
    small_share: Share
    inductive_seconds: Limit
    exact_share: Share
    head_start_seconds: Seconds
    invariants_seconds: Limit
    rank_seconds: Limit
    rounds_seconds: Limit
    drawn_seconds: Limit
    draw_seconds: Limit
    bound_seconds: Limit
    condition_seconds: Limit
    loops_share: Share
    recurrent_seconds: Limit
    closed_seconds: Limit
    entering_seconds: Limit
    runs_seconds: Limit
    run_seconds: Limit
    followed_seconds: Limit
    most_shrinkings: Count
    most_phases: Count


class Policy(Section):
    """All of it."""

    solving: Solving
    schedules: Schedules
    choosing: Choosing
    race: Race
    properties: Properties
    checks: Checks
    confirming: Confirming
    validation: Validation
    bmc: Bmc
    spacer: SpacerRefutations
    kinduction: KInduction
    refinement: Refinement
    linear: Linear
    heap: Heap
    elements: Elements
    polynomials: Polynomials
    interpolation: Interpolation
    invariants: Invariants
    termination: Termination
