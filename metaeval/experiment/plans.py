"""How many items, systems or annotators are enough?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.config import CorrelateConfig, ExperimentConfig, PlanConfig
from metaeval.errors import InputError
from metaeval.experiment.plan_tables import MOST_PAIRS, Goal, Goals, plan_tables, ranking_goal, told_share
from metaeval.io.dataset import Track
from metaeval.meta.correlation import BONETT_WRIGHT, pooled
from metaeval.meta.planning import Pilot, amounts, plan_difference, plan_ranking, typical_difference
from metaeval.meta.planning_with_people import FEWEST_ANNOTATORS, FEWEST_SYSTEMS, plan_annotators, plan_systems
from metaeval.model.report import Report
from metaeval.scoring.jackknife import groups_of, influences, jackknife
from metaeval.scoring.plan import Plan
from metaeval.scoring.resamples import Samples
from metaeval.stats.intervals import defined_mean
from metaeval.stats.resample import draw_bootstrap, generator, seed_for
from metaeval.study.human import People, oriented_scores, read_people
from metaeval.study.read import read_study
from metaeval.study.study import COMPARING_NUMBERS, Study, check_rankable, silently
from metaeval.work.blocks import map_blocks

Scores = NDArray[np.float64]

FEW_SCORES = "no plan of items, because fewer than two systems have a score whichever items are left out"
NO_DIFFERENCES = "no plan of items, because there are no two systems with scores that differ on any item"
NO_TYPICAL_DIFFERENCE = "no plan of a difference, because that of the median pair of systems is 0; name one by --delta"
TOO_FEW = {
    "systems": f"no plan of systems, because there are fewer than {FEWEST_SYSTEMS} with scores and ratings that differ",
    "annotators": f"no plan of annotators, because there are fewer than {FEWEST_ANNOTATORS}, or scores do not differ",
}
"""Why nothing is planned with people, by unit."""


def plan(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """How much data a next study takes, from this one as its pilot.

    Table `plan`: measure, goal, unit ('items', 'systems' or 'annotators'), needed, low, high, now. Table `plan_curve`:
    measure, goal, n, value, low, high.
    """
    study = read_study(config, track=track)
    people = read_people(study, track=track) if study.config.data.human else None
    part = plan_tables(study, people, find_plan(study, people, track=track))
    section = study.config.plan or PlanConfig()
    return study.report("plan", part, command_line=command_line, sections=[section])


def check_plan(study: Study) -> Samples:
    """The items; an `InputError` where they, or the systems, are too few to vary."""
    check_rankable(study)
    samples = study.samples("a plan", COMPARING_NUMBERS)
    if len(study.items) < 2:
        raise InputError.at(
            study.config.data.gold, found="one item", expected="at least two, because a plan looks at how items differ"
        )
    return samples


def find_plan(study: Study, people: People | None, *, track: Track) -> list[Goal]:
    """Compute what `plan` tells; people: None where only items are planned."""
    found = _for_items(study, track=track)
    return [*found, *(_with_people(study, people) if people is not None else [])]


def _for_items(study: Study, *, track: Track) -> list[Goal]:
    wanted = study.config.plan or PlanConfig()
    samples, config, items = check_plan(study), study.config, len(study.items)
    groups = groups_of(samples, seed=config.seed)
    without = np.concatenate(
        map_blocks(
            jackknife(samples, groups, memory=config.block_memory),
            lambda cube: cube.oriented().values,
            workers=config.workers,
            track=track,
            doing="Leaving out items",
        )
    )
    scores = study.scores.oriented().values
    influence = influences(scores, without, groups)
    once = np.ones(len(influence), dtype=np.int64)
    draws = draw_bootstrap(generator(seed_for(config.seed, "plan")), once, trials=wanted.resamples)
    sizes = np.unique(wanted.items).astype(np.float64) if wanted.items else amounts(items, 2)

    def of_measure(place: int) -> Goals:
        pilot = Pilot.of(scores[place], influence[:, place], draws, items=items)
        return _goals(study.measure_names[place], pilot, wanted, sizes)

    every = Plan(tuple(range(len(scores))), of_measure)
    found = map_blocks(every, lambda goals: goals, workers=config.workers, track=track, doing="Planning")
    # Goal by goal, and in each measure by measure.
    return [goals[number] for number in range(len(found[0])) for goals in found]


def _goals(name: str, pilot: Pilot, wanted: PlanConfig, sizes: Scores) -> Goals:
    """What is planned for one measure."""
    ranking = plan_ranking(pilot, tau=wanted.tau, sizes=sizes)
    delta = typical_difference(pilot) if wanted.delta is None else wanted.delta
    of_delta = f" of {delta:g}" if delta > 0 else ""
    difference = f"difference{of_delta} with power {wanted.power:g}"
    missing = _missing(pilot)

    def found_in(share: float) -> Goal:
        planned = plan_difference(pilot, delta=delta, power=wanted.power, alpha=wanted.alpha, share=share, sizes=sizes)
        told = difference if share == 0.5 else f"{difference}, {told_share(share)} of pairs"
        return Goal(name, told, "items", planned, missing or ("" if delta > 0 else NO_TYPICAL_DIFFERENCE))

    return Goal(name, ranking_goal(wanted), "items", ranking, missing), found_in(0.5), found_in(MOST_PAIRS)


def _missing(pilot: Pilot) -> str:
    """Why nothing is planned from a pilot; '' where something is."""
    if pilot.systems < 2:
        return FEW_SCORES
    return "" if len(pilot.difference) else NO_DIFFERENCES


def _with_people(study: Study, people: People) -> list[Goal]:
    """How many systems and annotators the correlations of measures with people take."""
    wanted = study.config.plan or PlanConfig()
    metric, human = oriented_scores(study, people)
    # Means of measures and of people over what anybody rated.
    rated = ~np.isnan(human).all(axis=0)
    of_measures = defined_mean(np.where(rated, metric, np.nan), axis=-1)
    coefficient = coefficient_of(study)
    told = f"interval of width {wanted.width:g}"
    names, seed = study.measure_names, study.config.seed
    systems = plan_systems(
        of_measures,
        defined_mean(pooled(human), axis=-1),
        coefficient=coefficient,
        width=wanted.width,
        resamples=wanted.resamples,
        seed=seed_for(seed, "plan systems"),
    )
    annotators = plan_annotators(
        of_measures,
        defined_mean(human, axis=-1),
        coefficient=coefficient,
        width=wanted.width,
        resamples=wanted.resamples,
        seed=seed_for(seed, "plan annotators"),
    )
    planned = {"systems": systems, **({"annotators": annotators} if len(human) > 1 else {})}
    return [
        Goal(name, told, unit, of_measure, TOO_FEW[unit] if np.isnan(of_measure.needed) else "")
        for unit, of_all in planned.items()
        for name, of_measure in zip(names, of_all, strict=True)
    ]


def coefficient_of(study: Study) -> str:
    """The first coefficient of `correlate` that intervals are known of, else Pearson's."""
    asked = (study.config.correlate or CorrelateConfig()).coefficients
    return next((name for name in asked if name in BONETT_WRIGHT), "pearson")
