"""How many items, systems or annotators are enough?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from metaeval.analyses.plan.goals import (
    MIN_ANNOTATORS,
    MIN_SYSTEMS,
    Pilot,
    Requirement,
    amounts,
    plan_annotators,
    plan_difference,
    plan_measures,
    plan_ranking,
    plan_score,
    plan_systems,
    unknown,
)
from metaeval.analyses.plan.settings import PlanSettings
from metaeval.arrays import Floats, Indices, Scores
from metaeval.errors import setting
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.labels import score_counts
from metaeval.stats.association import mean_scores
from metaeval.stats.intervals import BONETT_WRIGHT
from metaeval.stats.resample import seed_for
from metaeval.study.capabilities import ITEM_SCORES, LABELS
from metaeval.study.evidence import check_several, check_testable, gather_evidence
from metaeval.study.human import HumanScores, human_scores_of, mean_of_raters, oriented_scores
from metaeval.study.intervals import parts_of_scores
from metaeval.study.study import Progress, Study

LARGE_SHARE = 0.9
"""The share of the pairs of systems for which a second number of items is planned, beside that for the median pair."""

MAX_GROUPS = 200
"""Groups of items that are left out one by one."""

SHARE_OF_ERRORS = 0.01
"""The difference to be found is by default what this share of the items made wrong costs."""


class Purpose(Enum):
    """What an amount is enough for: values of the measure, or its correlation with human scores."""

    RANKING = "agreement of rankings"
    DIFFERENCE = "a difference of the median pair of systems"
    MOST_DIFFERENCES = "a difference of most pairs of systems"
    SCORE = "the interval of a score"
    CORRELATION = "the interval of a correlation"
    DIFFERENCE_OF_CORRELATIONS = "a difference of correlations"


@dataclass(frozen=True)
class Goal:
    """A goal for a measure, and what it requires.

    unit: of the requirement: items, systems or annotators. missing: why no number is known; '' where one is.
    """

    purpose: Purpose
    measure: str
    text: str
    unit: str
    requirement: Requirement
    missing: str = ""


Goals = tuple[Goal, ...]


def check(study: Study, settings: PlanSettings) -> None:
    """Raise an `InputError` where there are too few items or no systems, or scores have no parts."""
    if len(study.systems) != 1:
        check_testable(study)
        return
    study.check_measures()
    study.samples("a plan of items")
    check_several(study, "a plan uses how scores vary")


def analyse(study: Study, settings: PlanSettings, *, progress: Progress) -> list[Goal]:
    """Plan the number of items, and with human scores those of systems and annotators."""
    human = human_scores_of(study, progress=progress) if study.config.data.human else None
    goals = _plan_items(study, settings, progress=progress)
    return [*goals, *(_plan_ratings(study, settings, human) if human is not None else [])]


def _plan_items(study: Study, settings: PlanSettings, *, progress: Progress) -> list[Goal]:
    check(study, settings)
    if len(study.systems) == 1:
        return _score_goals(study, settings)
    evidence_by_measure = gather_evidence(study, "plan", permutations=settings.permutations)
    sizes = _sizes(study, settings)
    deltas = costs_of_errors(study) if settings.delta is None else np.full(len(evidence_by_measure), settings.delta)
    by_measure = [
        _item_goals(name, Pilot.of(evidence, alpha=settings.alpha), delta, settings, sizes)
        for name, evidence, delta in zip(
            study.measure_names, progress(evidence_by_measure, "Planning"), deltas.tolist(), strict=True
        )
    ]
    return [goal for by_goal in zip(*by_measure, strict=True) for goal in by_goal]


def _sizes(study: Study, settings: PlanSettings) -> Floats:
    """The numbers of items at which the goals are shown."""
    return np.unique(settings.sizes).astype(np.float64) if settings.sizes else amounts(len(study.items), 2)


def _score_goals(study: Study, settings: PlanSettings) -> list[Goal]:
    """The goals of the only system: nothing is ranked, and no differences are found."""
    sizes = _sizes(study, settings)
    goals = []
    for name, (groupings, bounds) in zip(study.measure_names, parts_of_scores(study), strict=True):
        # As all goals of items, for these runs.
        item_groupings = [replace(parts, runs=None) for parts in groupings]
        half = settings.interval_width / 2
        requirement = plan_score(item_groupings, bounds, half_width=half, sizes=sizes)
        missing = "the score does not vary between items" if np.isnan(requirement.amount) else ""
        goals.append(Goal(Purpose.SCORE, name, f"score ± {half:g}", "items", requirement, missing=missing))
    return goals


def costs_of_errors(study: Study) -> Scores:
    """What 1 % of the items made wrong costs each measure, (M,), rounded to two digits; NaN where that is unknown.

    Of labels, right ones of the median system become wrong as labels of all systems are; of scores, the highest becomes
    the lowest. The goal should be exactly the number that its text has.
    """
    runs, scores = study.find(LABELS), study.find(ITEM_SCORES)
    costs = np.full(len(study.measure_names), np.nan)
    if runs is not None:
        before = counts_of(runs).astype(np.float64)
        cubes = (
            score_counts(counts, study.measures, scale=runs.scale, systems=runs.systems).oriented().values
            for counts in (before, with_errors(before, SHARE_OF_ERRORS))
        )
        costs = np.array(
            [float(np.nanmedian(row)) if not np.isnan(row).all() else np.nan for row in np.subtract(*cubes)]
        )
    elif scores is not None:
        item_scores = scores.values.reshape(len(scores.values), -1)
        costs = SHARE_OF_ERRORS * (np.fmax.reduce(item_scores, axis=1) - np.fmin.reduce(item_scores, axis=1))
    return np.array([float(f"{cost:.2g}") if cost > 0 else np.nan for cost in costs.tolist()])


def with_errors(counts: Scores, share: float) -> Scores:
    """Counts (S, C, C) after a share of the items of each system, right before, became wrong as others are wrong.

    It is at most the share that a system gets right. Labels of a gold class with no error go to all other classes.
    """
    right = np.diagonal(counts, axis1=1, axis2=2)
    total = right.sum(axis=1)
    new_errors = right * np.minimum(share * counts.sum(axis=(1, 2)) / np.maximum(total, 1), 1.0)[:, np.newaxis]
    classes = counts.shape[-1]
    errors = counts.sum(axis=0) * (1 - np.eye(classes))
    errors += np.where(errors.sum(axis=1, keepdims=True) > 0, 0.0, 1 - np.eye(classes))
    rates = errors / np.maximum(errors.sum(axis=1, keepdims=True), 1e-300)
    new_counts: Scores = counts + new_errors[:, :, np.newaxis] * (rates - np.eye(classes))
    return new_counts


def _item_goals(name: str, pilot: Pilot, delta: float, settings: PlanSettings, sizes: Scores) -> Goals:
    """The goals of one measure whose unit is items."""
    size = f" of {delta:g}" if delta > 0 else ""
    difference = f"difference{size} with power {settings.power:g}"
    missing = pilot.missing
    if not missing and not delta > 0:
        missing = f"no error lowers the score; choose {setting('delta')}"
    elif not missing and np.isinf(pilot.critical):
        missing = "too few groups of items"
    elif not missing and not pilot.pairs.error.any():
        missing = "no difference varies between items"

    ranking, no_ranking = plan_ranking(pilot, tau=settings.tau, sizes=sizes), pilot.missing
    if not no_ranking and len(pilot.pairs.t) == 1:
        # The curve is that of many pairs: with one pair, three in four intervals hold the number.
        ranking, no_ranking = unknown(sizes), "only two systems"
    goals = [Goal(Purpose.RANKING, name, f"tau ≥ {settings.tau:g}", "items", ranking, missing=no_ranking)]
    for purpose, end, share in (
        (Purpose.DIFFERENCE, "", 0.5),
        (Purpose.MOST_DIFFERENCES, f", {100 * LARGE_SHARE:.0f} % of pairs", LARGE_SHARE),
    ):
        requirement = plan_difference(pilot, delta=delta, power=settings.power, share=share, sizes=sizes)
        goals.append(Goal(purpose, name, f"{difference}{end}", "items", requirement, missing=missing))
    return tuple(goals)


def _plan_ratings(study: Study, settings: PlanSettings, scores: HumanScores) -> list[Goal]:
    """The goals for the correlation with human scores, whose units are systems and annotators."""
    metric, human = oriented_scores(study, scores)
    # Means of measures and of ratings over the same items.
    rated = ~np.isnan(human).all(axis=0)
    metric_means = mean_scores(np.where(rated, metric, np.nan))
    width, coefficient = settings.interval_width, coefficient_of(study)
    requirements = {
        "systems": plan_systems(
            metric_means,
            mean_scores(mean_of_raters(human)),
            coefficient=coefficient,
            width=width,
            resamples=settings.resamples,
            seed=seed_for(study.config.seed, "plan systems"),
        ),
    }
    if len(human) > 1:
        requirements["annotators"] = plan_annotators(
            metric_means,
            mean_scores(human),
            coefficient=coefficient,
            width=width,
            resamples=settings.resamples,
            seed=seed_for(study.config.seed, "plan annotators"),
        )
    missing = {
        "systems": f"fewer than {MIN_SYSTEMS} systems, or equal scores",
        "annotators": f"fewer than {MIN_ANNOTATORS} annotators, or equal scores",
    }
    missing["items"] = missing["systems"]
    differences = {}
    if len(metric) > 1:
        differences = plan_measures(
            metric,
            mean_of_raters(human),
            _groups(study, human.shape[-1]),
            delta=settings.correlation_delta,
            power=settings.power,
            alpha=settings.alpha,
        )
    difference = f"difference of {settings.correlation_delta:g} in correlation with power {settings.power:g}"
    return [
        Goal(purpose, name, text, unit, requirement, missing=missing[unit] if np.isnan(requirement.amount) else "")
        for purpose, text, requirements_by_unit in (
            (Purpose.CORRELATION, f"interval of width {width:g}", requirements),
            (Purpose.DIFFERENCE_OF_CORRELATIONS, difference, differences),
        )
        for unit, unit_requirements in requirements_by_unit.items()
        for name, requirement in zip(study.measure_names, unit_requirements, strict=True)
    ]


def _groups(study: Study, items: int) -> Indices:
    """Groups of items, or of whole clusters of the first column, that the jackknife leaves out, (N,)."""
    codes = next((clusters.codes for clusters in study.origin.clusters if clusters.codes is not None), np.arange(items))
    return np.unique(codes % MAX_GROUPS, return_inverse=True)[1] if len(codes) == items else np.arange(items)


def coefficient_of(study: Study) -> str:
    """The first coefficient of `correlate` with known intervals, else Pearson's."""
    correlate = study.config.section("correlate")
    coefficients = correlate.coefficients if correlate is not None else ()
    return next((name for name in coefficients if name in BONETT_WRIGHT), "pearson")
