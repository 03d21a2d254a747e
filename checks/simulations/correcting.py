"""Intervals and tests of `correct` on data with known means: scores, ratings with ties, clusters, labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from metaeval.config import ExperimentConfig
from metaeval.errors import InputError
from metaeval.inference.clusters import Clusters
from metaeval.judges.correct.compute import analyse
from metaeval.judges.correct.settings import CorrectSettings, Method
from metaeval.judges.correct.study import CorrectStudy
from metaeval.study.study import Sources, no_progress
from simulations.generators import Codes, Floats, unequal_clusters
from simulations.scenarios import LEVEL, Bound, Outcome, Scenario

SYSTEMS = 3

ABOUT = Bound(at_least=0.93)
"""About 95 %."""

Shape = Callable[[Floats], Floats]


def _normal(scores: Floats) -> Floats:
    return scores


def _ratings(scores: Floats) -> Floats:
    """Ratings from 1 to 5, with ties and a skew."""
    return np.clip(np.rint(2 + scores), 1, 5)


def _skewed(scores: Floats) -> Floats:
    return np.exp(scores)


@cache
def mean_of(shape: Shape, clustered: bool) -> float:
    """The expected score of a person."""
    random = np.random.default_rng(7)
    return float(shape(random.normal(0, np.sqrt(1.08 if clustered else 0.72), 4_000_000)).mean())


def study_of(
    judge: Floats, human: Floats, clusters: Codes | None, method: Method, random: np.random.Generator
) -> CorrectStudy:
    """A study of scores, NaN where missing."""
    named = () if clusters is None else (Clusters("topic", clusters, np.bincount(clusters)),)
    codes = np.arange(judge.shape[1]) if clusters is None else clusters
    config, names = ExperimentConfig(seed=int(random.integers(1 << 31))), tuple(map(str, range(len(judge))))
    return CorrectStudy(config, Sources((), (), {}, (), named), names, judge, human, codes, ("item", "items"), method)


def outcomes(study: CorrectStudy, true: float) -> Outcome:
    """Of systems with the same true mean, whether intervals cover it, and whether a test finds what is not there."""
    try:
        result = analyse(study, CorrectSettings(), progress=no_progress)
    except InputError:
        # Labels of one class, or a judge that looks like chance: they are refused, with no wrong answer.
        return {"covers": 1.0, "covers, human": 1.0, "false difference": 0.0, "false sample": 0.0}
    (low, high), (human_low, human_high) = result.interval, result.human_interval
    assert result.tests is not None
    assert result.sample is not None
    return {
        "covers": float(((low <= true) & (true <= high)).mean()),
        "covers, human": float(((human_low <= true) & (true <= human_high)).mean()),
        "false difference": float((result.tests.p <= 0.05).any()),
        "false sample": float(result.sample.p <= 0.05),
    }


def chosen(random: np.random.Generator, labelled: int, items: int, clusters: Codes | None, *, whole: bool) -> Codes:
    """Items that people score: random ones, or those of random clusters."""
    if clusters is not None and whole:
        number = int(clusters.max()) + 1
        return np.asarray(np.isin(clusters, random.permutation(number)[: labelled * number // items]))
    return np.asarray(random.permutation(items) < labelled)


def _scores(
    name: str, shape: Shape, labelled: int, items: int, claims: dict[str, Bound], *,
    number: int = 0, whole: bool = False, quick: int = 0,
) -> Scenario:  # fmt: skip
    """Scores of three systems; number: of unequal clusters of items, 0 for none. whole: people score whole ones."""
    clusters = unequal_clusters(number, items) if number else None

    def simulate(random: np.random.Generator) -> Outcome:
        quality = random.normal(0, 0.6, items)
        if clusters is not None:
            quality = quality + random.normal(0, 0.6, number)[clusters]
        person = quality + random.normal(0, 0.6, (SYSTEMS, items))
        judge = shape(person + random.normal(0.3, 0.7, person.shape))
        scored = chosen(random, labelled, items, clusters, whole=whole)
        human = np.where(scored, shape(person), np.nan)
        return outcomes(study_of(judge, human, clusters, "ppi", random), mean_of(shape, number > 0))

    return Scenario(f"correct, {name}, {labelled} labels of {items:,} items", 600, quick, simulate, claims)


def _labels(
    name: str, share: float, skill: tuple[float, float], labelled: int, items: int, claims: dict[str, Bound], *,
    balanced: bool = False, number: int = 0, method: Method = "rogan-gladen", quick: int = 0,
) -> Scenario:  # fmt: skip
    """Labels of a judge with a sensitivity and a specificity. balanced: as many labels of each class."""
    clusters = np.arange(items) % number if number else None

    def simulate(random: np.random.Generator) -> Outcome:
        chance = np.full(items, share)
        if clusters is not None:
            chance = random.beta(4 * share, 4 * (1 - share), number)[clusters]
        right = random.random((SYSTEMS, items)) < chance
        scored = random.permutation(items) < labelled
        if balanced:
            right[:, scored] = np.arange(labelled) % 2 == 0
        says = random.random(right.shape) < np.where(right, skill[0], 1 - skill[1])
        study = study_of(
            says.astype(np.float64), np.where(scored, right, np.nan).astype(np.float64), clusters, method, random
        )
        return outcomes(study, share)

    return Scenario(f"correct, {name}, {labelled} labels of {items:,} items", 600, quick, simulate, claims)


CLAIMS = {"covers": ABOUT, "covers, human": ABOUT, "false difference": LEVEL, "false sample": LEVEL}
NOTED = CLAIMS | {"covers": Bound(at_least=0.85), "covers, human": Bound(at_least=0.85)}
"""Of data for which a note says that intervals are too narrow."""

SHIFTED = {"covers": ABOUT, "false difference": LEVEL}

SCENARIOS = [
    _scores("normal scores", _normal, 30, 300, CLAIMS),
    _scores("normal scores", _normal, 100, 1000, CLAIMS),
    _scores("ratings with ties", _ratings, 50, 500, CLAIMS),
    _scores("ratings with ties, 60 unequal clusters", _ratings, 100, 600, CLAIMS, number=60, quick=100),
    _scores(
        "ratings with ties, whole ones of 120 unequal clusters", _ratings, 200, 600, CLAIMS, number=120, whole=True
    ),
    _scores("skewed scores", _skewed, 100, 1000, CLAIMS),
    _scores("skewed scores", _skewed, 30, 750, NOTED),
    _labels("labels", 0.3, (0.9, 0.8), 100, 1000, CLAIMS, quick=100),
    _labels("labels, rare class", 0.1, (0.9, 0.9), 100, 1000, CLAIMS),
    _labels("labels, of people as many of each class", 0.1667, (0.9, 0.7), 400, 1400, SHIFTED, balanced=True),
    _labels(
        "labels in 50 clusters, of people as many of each class",
        0.1,
        (0.9, 0.8),
        60,
        1000,
        SHIFTED,
        balanced=True,
        number=50,
    ),
    _labels("labels, 50 clusters", 0.4, (0.9, 0.8), 150, 1000, CLAIMS, number=50),
    _labels("labels, by ppi", 0.3, (0.9, 0.8), 100, 1000, CLAIMS, method="ppi"),
]
