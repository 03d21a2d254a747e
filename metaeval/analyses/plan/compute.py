"""How many items, systems or annotators are enough?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.plan.human import MIN_ANNOTATORS, MIN_SYSTEMS, plan_annotators, plan_systems
from metaeval.analyses.plan.items import Pilot, Requirement, amounts, plan_difference, plan_ranking, typical_difference
from metaeval.analyses.plan.settings import PlanSettings
from metaeval.errors import InputError, setting
from metaeval.scoring.jackknife import groups_of, influences, jackknife
from metaeval.scoring.plan import Plan
from metaeval.scoring.resamples import Samples
from metaeval.stats.correlation import BONETT_WRIGHT, pooled
from metaeval.stats.intervals import defined_mean
from metaeval.stats.resample import draw_bootstrap, generator, seed_for
from metaeval.study.human import HumanScores, human_scores_of, oriented_scores
from metaeval.study.study import Progress, Study, check_rankable
from metaeval.work.blocks import map_blocks

Scores = NDArray[np.float64]

LARGE_SHARE = 0.9
"""The share of the pairs of systems for which a second number of items is planned, beside that for the median pair."""


@dataclass(frozen=True)
class Goal:
    """A goal for a measure, and what it requires.

    unit: of the requirement: items, systems or annotators. missing: why there is no plan; '' where there is one.
    """

    measure: str
    text: str
    unit: str
    requirement: Requirement
    missing: str = ""


Goals = tuple[Goal, ...]


def ranking_goal(settings: PlanSettings) -> str:
    """The text of the goal for rankings."""
    return f"tau ≥ {settings.tau:g}"


def share_text(share: float) -> str:
    """A share as '90 %'."""
    return f"{100 * share:.0f} %"


def check(study: Study, settings: PlanSettings) -> Samples:
    """The items; an `InputError` where there are too few items or systems."""
    check_rankable(study)
    samples = study.samples("a plan")
    if len(study.items) < 2:
        gold = study.config.data.gold
        raise InputError.at(gold, found="one item", expected="at least two, because a plan uses how items differ")
    return samples


def analyse(study: Study, settings: PlanSettings, *, progress: Progress) -> list[Goal]:
    """Plan the number of items, and with human scores those of systems and annotators."""
    human = human_scores_of(study, progress=progress) if study.config.data.human else None
    of_items = _plan_items(study, settings, progress=progress)
    return [*of_items, *(_plan_ratings(study, settings, human) if human is not None else [])]


def _plan_items(study: Study, settings: PlanSettings, *, progress: Progress) -> list[Goal]:
    samples, config, items = check(study, settings), study.config, len(study.items)
    groups = groups_of(samples, seed=config.seed)
    without = np.concatenate(
        map_blocks(
            jackknife(samples, groups, memory=config.block_memory),
            lambda cube: cube.oriented().values,
            workers=config.workers,
            progress=progress,
            description="Leaving out items",
        )
    )
    scores = study.scores.oriented().values
    influence = influences(scores, without, groups)
    once = np.ones(len(influence), dtype=np.int64)
    draws = draw_bootstrap(generator(seed_for(config.seed, "plan")), once, trials=settings.resamples)
    sizes = np.unique(settings.sizes).astype(np.float64) if settings.sizes else amounts(items, 2)

    def goals_of(place: int) -> Goals:
        pilot = Pilot.of(scores[place], influence[:, place], draws, items=items)
        return _item_goals(study.measure_names[place], pilot, settings, sizes)

    plan = Plan(tuple(range(len(scores))), goals_of)
    by_measure = map_blocks(
        plan, lambda goals: goals, workers=config.workers, progress=progress, description="Planning"
    )
    return [goal for by_goal in zip(*by_measure, strict=True) for goal in by_goal]


def _item_goals(name: str, pilot: Pilot, settings: PlanSettings, sizes: Scores) -> Goals:
    """The goals of one measure whose unit is items."""
    ranking = plan_ranking(pilot, tau=settings.tau, sizes=sizes)
    delta = typical_difference(pilot) if settings.delta is None else settings.delta
    of_delta = f" of {delta:g}" if delta > 0 else ""
    text = f"difference{of_delta} with power {settings.power:g}"
    missing = ""
    if pilot.systems < 2:
        missing = "no plan of items, because fewer than two systems have a score in every jackknife sample"
    elif not len(pilot.difference):
        missing = "no plan of items, because no two systems have scores that differ on any item"
    no_delta = f"no plan of a difference, because the median difference of two systems is 0; choose {setting('delta')}"

    def difference_goal(text: str, share: float) -> Goal:
        requirement = plan_difference(
            pilot, delta=delta, power=settings.power, alpha=settings.alpha, share=share, sizes=sizes
        )
        return Goal(name, text, "items", requirement, missing or ("" if delta > 0 else no_delta))

    return (
        Goal(name, ranking_goal(settings), "items", ranking, missing),
        difference_goal(text, 0.5),
        difference_goal(f"{text}, {share_text(LARGE_SHARE)} of pairs", LARGE_SHARE),
    )


def _plan_ratings(study: Study, settings: PlanSettings, scores: HumanScores) -> list[Goal]:
    """The goals for the correlation with human scores, whose units are systems and annotators."""
    metric, human = oriented_scores(study, scores)
    # Means of measures and of ratings over the same items.
    rated = ~np.isnan(human).all(axis=0)
    of_measures = defined_mean(np.where(rated, metric, np.nan), axis=-1)
    width, resamples, coefficient = settings.interval_width, settings.resamples, coefficient_of(study)
    requirements = {
        "systems": plan_systems(
            *(of_measures, defined_mean(pooled(human), axis=-1)), coefficient=coefficient, width=width,
            resamples=resamples, seed=seed_for(study.config.seed, "plan systems"),
        ),
    }  # fmt: skip
    if len(human) > 1:
        requirements["annotators"] = plan_annotators(
            *(of_measures, defined_mean(human, axis=-1)), coefficient=coefficient, width=width, resamples=resamples,
            seed=seed_for(study.config.seed, "plan annotators"),
        )  # fmt: skip
    missing = {
        "systems": f"no plan of systems, because it requires {MIN_SYSTEMS} systems with scores and ratings that differ",
        "annotators": f"no plan of annotators, because it requires {MIN_ANNOTATORS} annotators, and scores that differ",
    }
    text = f"interval of width {width:g}"
    return [
        Goal(name, text, unit, requirement, missing[unit] if np.isnan(requirement.needed) else "")
        for unit, of_unit in requirements.items()
        for name, requirement in zip(study.measure_names, of_unit, strict=True)
    ]


def coefficient_of(study: Study) -> str:
    """The first coefficient of `correlate` with known intervals, else Pearson's."""
    correlate = study.config.section("correlate")
    coefficients = correlate.coefficients if correlate is not None else ()
    return next((name for name in coefficients if name in BONETT_WRIGHT), "pearson")
