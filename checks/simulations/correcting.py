"""Intervals and tests of `correct` on data with known means: scores, ratings with ties, clusters, labels, wins."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from metaeval.config import ExperimentConfig
from metaeval.errors import InputError
from metaeval.inference.clusters import Clusters
from metaeval.judges.correct.compute import WIDER, analyse
from metaeval.judges.correct.settings import CorrectSettings, Sample
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


def study_of(judge: Floats, human: Floats, clusters: Codes | None, random: np.random.Generator) -> CorrectStudy:
    """A study of scores, NaN where missing."""
    groupings = () if clusters is None else (Clusters("topic", clusters, np.bincount(clusters)),)
    codes = np.arange(judge.shape[1]) if clusters is None else clusters
    config, names = ExperimentConfig(seed=int(random.integers(1 << 31))), tuple(map(str, range(len(judge))))
    return CorrectStudy(config, Sources((), (), {}, (), groupings), names, judge, human, codes, ("item", "items"))


def outcomes(study: CorrectStudy, true: float, sampled_by: Sample | None = "random") -> Outcome:
    """Of systems with the same true mean, whether intervals cover it, and whether a test finds what is not there.

    A refusal is no wrong answer.
    """
    refused = {"covers": 1.0, "covers, human": 1.0, "no wider": 1.0, "false difference": 0.0, "false sample": 0.0}
    try:
        result = analyse(study, CorrectSettings(sampled_by=sampled_by), progress=no_progress)
    except InputError:
        return refused | {"refused": 1.0, "recognised": 0.0}
    assert result is not None
    (low, high), (human_low, human_high) = result.interval, result.human_interval
    is_defined = np.isfinite(high)
    return {
        "covers": float(((low <= true) & (true <= high))[is_defined].mean()),
        "covers, human": float(((human_low <= true) & (true <= human_high))[is_defined].mean()),
        "no wider": float((high - low <= WIDER * (human_high - human_low) + 1e-9)[is_defined].all()),
        "false difference": float(result.differences is not None and (result.differences.tests.p <= 0.05).any()),
        "false sample": float(result.sample is not None and result.sample.p <= 0.05),
        "refused": 0.0,
        "recognised": float(result.sampled_by != "random"),
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
        return outcomes(study_of(judge, human, clusters, random), mean_of(shape, number > 0))

    return Scenario(f"correct, {name}, {labelled} labels of {items:,} items", 600, quick, simulate, claims)


def _labels(
    name: str, share: float, skill: tuple[float, float], labelled: int, items: int, claims: dict[str, Bound], *,
    by: Sample = "random", declares_sample: bool = True, number: int = 0, ties: bool = False, systems: int = SYSTEMS,
    sets: int = 600, quick: int = 0,
) -> Scenario:  # fmt: skip
    """Labels of a judge with a sensitivity and a specificity, of which people know as many of each class or verdict.

    by: how people choose items. declares_sample: whether `correct` is told it. number: of clusters. ties: half of the
    labels that are 1 are ties.
    """
    clusters = np.arange(items) % number if number else None

    def simulate(random: np.random.Generator) -> Outcome:
        chance: float | Floats = share
        if clusters is not None:
            chance = random.beta(4 * share, 4 * (1 - share), (systems, number))[:, clusters]
        right = random.random((systems, items)) < chance
        says = random.random(right.shape) < np.where(right, skill[0], 1 - skill[1])
        order = random.random(right.shape)
        if by == "random":
            scored = np.broadcast_to(random.permutation(items) < labelled, right.shape)
        else:
            kind = right if by == "class" else says
            scored = np.zeros(right.shape, dtype=np.bool_)
            for stratum in (kind, ~kind):
                ranks = np.where(stratum, order, 2.0).argsort(axis=1).argsort(axis=1)
                scored |= stratum & (ranks < labelled // 2)
        worth = 1.0 - 0.5 * (ties & (random.random(right.shape) < 0.5))
        human = np.where(scored, right * worth, np.nan)
        study = study_of(says * worth, human, clusters, random)
        return outcomes(study, share * (0.75 if ties else 1.0), by if declares_sample else None)

    return Scenario(f"correct, {name}, {labelled} labels of {items:,} items", sets, quick, simulate, claims)


CLAIMS = {"covers": ABOUT, "covers, human": ABOUT, "false difference": LEVEL, "false sample": LEVEL}
NOTED = CLAIMS | {"covers": Bound(at_least=0.85), "covers, human": Bound(at_least=0.85)}
"""Of data for which a note says that intervals are too narrow."""

OF_SHARES = CLAIMS | {"no wider": Bound(at_least=1.0)}
ALONE = {"covers": ABOUT}
OF_CHOSEN = {"covers": ABOUT, "false difference": LEVEL, "refused": Bound()}
RECOGNISED = {"recognised": Bound(at_least=0.8)}

JUDGES = {"that knows nothing": (0.5, 0.5), "that is right on 90 and 80 %": (0.9, 0.8), "that is perfect": (1.0, 1.0)}


def _grid() -> list[Scenario]:
    """Shares from .02 to .98, 20 to 200 labels, judges from useless to perfect, items chosen in three ways."""
    ways: dict[Sample, str] = {"random": "at random", "verdict": "by the verdict", "class": "by the class"}
    return [
        _labels(
            f"a share of {share}, judge {judge}, items {way}", share, skill, labels, 1000,
            ALONE | ({"refused": Bound()} if by == "class" else {}), by=by, systems=1, sets=400,
        )
        for by, way in ways.items()
        for judge, skill in JUDGES.items()
        for share, labels in ((0.02, 50), (0.3, 20), (0.3, 200), (0.98, 50))
    ]  # fmt: skip


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
    *_grid(),
    _labels("labels", 0.3, (0.9, 0.8), 100, 1000, OF_SHARES, sets=200, quick=50),
    _labels("labels, items by the class", 0.3, (0.9, 0.8), 100, 1000, OF_CHOSEN, by="class", sets=200, quick=50),
    _labels("labels, items by the verdict", 0.3, (0.9, 0.8), 100, 1000, OF_CHOSEN, by="verdict", sets=200, quick=50),
    _labels("labels, 50 clusters", 0.1, (0.9, 0.8), 60, 1000, OF_SHARES, number=50, sets=200),
    _labels(
        "labels, 50 clusters, items by the class", 0.1, (0.9, 0.8), 60, 1000, OF_CHOSEN, by="class", number=50, sets=200
    ),
    _labels("wins and ties", 0.6, (0.9, 0.8), 50, 500, OF_SHARES, ties=True, sets=200),
    _labels(
        "labels, items by the class, not told",
        0.2,
        (0.9, 0.8),
        100,
        1000,
        RECOGNISED,
        by="class",
        declares_sample=False,
        systems=1,
    ),
    _labels(
        "labels, items by the verdict, not told",
        0.2,
        (0.9, 0.8),
        100,
        1000,
        RECOGNISED,
        by="verdict",
        declares_sample=False,
        systems=1,
    ),
]
