"""How many items, systems or annotators are enough?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.plan.human import FEWEST_ANNOTATORS, FEWEST_SYSTEMS, plan_annotators, plan_systems
from metaeval.analyses.plan.items import Pilot, Planned, amounts, plan_difference, plan_ranking, typical_difference
from metaeval.analyses.plan.settings import PlanSettings
from metaeval.errors import InputError
from metaeval.scoring.jackknife import groups_of, influences, jackknife
from metaeval.scoring.plan import Plan
from metaeval.scoring.resamples import Samples
from metaeval.stats.correlation import BONETT_WRIGHT, pooled
from metaeval.stats.intervals import defined_mean
from metaeval.stats.resample import draw_bootstrap, generator, seed_for
from metaeval.study.human import People, oriented_scores, people_of
from metaeval.study.study import COMPARING_NUMBERS, Study, Track, check_rankable
from metaeval.work.blocks import map_blocks

Scores = NDArray[np.float64]

MOST_PAIRS = 0.9
"""The share of the pairs of systems for which a second number of items is told, beside that of the median pair."""

FEW_SCORES = "no plan of items, because fewer than two systems have a score whichever items are left out"
NO_DIFFERENCES = "no plan of items, because there are no two systems with scores that differ on any item"
NO_TYPICAL_DIFFERENCE = "no plan of a difference, because that of the median pair of systems is 0; name one by --delta"
TOO_FEW = {
    "systems": f"no plan of systems, because there are fewer than {FEWEST_SYSTEMS} with scores and ratings that differ",
    "annotators": f"no plan of annotators, because there are fewer than {FEWEST_ANNOTATORS}, or scores do not differ",
}
"""Why nothing is planned with people, by unit."""


@dataclass(frozen=True)
class Goal:
    """What is planned for a measure: the goal in words, the unit of what it takes, and how much that is.

    missing: that there is no plan, and why; '' where there is one.
    """

    measure: str
    text: str
    unit: str
    planned: Planned
    missing: str = ""


Goals = tuple[Goal, ...]


def ranking_goal(settings: PlanSettings) -> str:
    """In words."""
    return f"tau ≥ {settings.tau:g}"


def share_text(share: float) -> str:
    """As '90 %'."""
    return f"{100 * share:.0f} %"


def check(study: Study, settings: PlanSettings) -> Samples:
    """The items; an `InputError` where they, or the systems, are too few to vary."""
    check_rankable(study)
    samples = study.samples("a plan", COMPARING_NUMBERS)
    if len(study.items) < 2:
        raise InputError.at(
            study.config.data.gold, found="one item", expected="at least two, because a plan looks at how items differ"
        )
    return samples


def analyse(study: Study, settings: PlanSettings, *, track: Track) -> list[Goal]:
    """Plan the items, and where there are human scores the systems and the annotators."""
    people = people_of(study, track=track) if study.config.data.human else None
    of_items = _for_items(study, settings, track=track)
    return [*of_items, *(_with_people(study, settings, people) if people is not None else [])]


def _for_items(study: Study, settings: PlanSettings, *, track: Track) -> list[Goal]:
    samples, config, items = check(study, settings), study.config, len(study.items)
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
    draws = draw_bootstrap(generator(seed_for(config.seed, "plan")), once, trials=settings.resamples)
    sizes = np.unique(settings.sizes).astype(np.float64) if settings.sizes else amounts(items, 2)

    def of_measure(place: int) -> Goals:
        pilot = Pilot.of(scores[place], influence[:, place], draws, items=items)
        return _goals(study.measure_names[place], pilot, settings, sizes)

    every = Plan(tuple(range(len(scores))), of_measure)
    found = map_blocks(every, lambda goals: goals, workers=config.workers, track=track, doing="Planning")
    # Goal by goal, and in each measure by measure.
    return [goals[number] for number in range(len(found[0])) for goals in found]


def _goals(name: str, pilot: Pilot, settings: PlanSettings, sizes: Scores) -> Goals:
    """What is planned for one measure."""
    ranking = plan_ranking(pilot, tau=settings.tau, sizes=sizes)
    delta = typical_difference(pilot) if settings.delta is None else settings.delta
    of_delta = f" of {delta:g}" if delta > 0 else ""
    difference = f"difference{of_delta} with power {settings.power:g}"
    missing = _missing(pilot)

    def found_in(share: float) -> Goal:
        planned = plan_difference(
            pilot, delta=delta, power=settings.power, alpha=settings.alpha, share=share, sizes=sizes
        )
        text = difference if share == 0.5 else f"{difference}, {share_text(share)} of pairs"
        return Goal(name, text, "items", planned, missing or ("" if delta > 0 else NO_TYPICAL_DIFFERENCE))

    return Goal(name, ranking_goal(settings), "items", ranking, missing), found_in(0.5), found_in(MOST_PAIRS)


def _missing(pilot: Pilot) -> str:
    """Why nothing is planned from a pilot; '' where something is."""
    if pilot.systems < 2:
        return FEW_SCORES
    return "" if len(pilot.difference) else NO_DIFFERENCES


def _with_people(study: Study, settings: PlanSettings, people: People) -> list[Goal]:
    """How many systems and annotators the correlations of measures with people take."""
    metric, human = oriented_scores(study, people)
    # Means of measures and of people over what anybody rated.
    rated = ~np.isnan(human).all(axis=0)
    of_measures = defined_mean(np.where(rated, metric, np.nan), axis=-1)
    coefficient = coefficient_of(study)
    text = f"interval of width {settings.interval_width:g}"
    names, seed = study.measure_names, study.config.seed
    systems = plan_systems(
        of_measures,
        defined_mean(pooled(human), axis=-1),
        coefficient=coefficient,
        width=settings.interval_width,
        resamples=settings.resamples,
        seed=seed_for(seed, "plan systems"),
    )
    annotators = plan_annotators(
        of_measures,
        defined_mean(human, axis=-1),
        coefficient=coefficient,
        width=settings.interval_width,
        resamples=settings.resamples,
        seed=seed_for(seed, "plan annotators"),
    )
    planned = {"systems": systems, **({"annotators": annotators} if len(human) > 1 else {})}
    return [
        Goal(name, text, unit, of_measure, TOO_FEW[unit] if np.isnan(of_measure.needed) else "")
        for unit, of_all in planned.items()
        for name, of_measure in zip(names, of_all, strict=True)
    ]


def coefficient_of(study: Study) -> str:
    """The first coefficient of `correlate` that intervals are known of, else Pearson's."""
    correlate = study.config.section("correlate")
    asked = correlate.coefficients if correlate is not None else ()
    return next((name for name in asked if name in BONETT_WRIGHT), "pearson")
