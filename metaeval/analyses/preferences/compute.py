"""Agreement of metrics and judges with people, and the strengths of the systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.preferences.davidson import (
    Counts,
    bootstrap_strengths,
    corrected_interval,
    influences,
    strengths,
)
from metaeval.analyses.preferences.judges import JudgeComparison, JudgeStatistic, compare_judges, statistics_of_judges
from metaeval.analyses.preferences.metrics import MetricAgreement, agreement_of_metrics
from metaeval.analyses.preferences.ratios import Groups
from metaeval.analyses.preferences.settings import PreferencesSettings
from metaeval.analyses.preferences.study import PreferencesStudy
from metaeval.analyses.preferences.verdicts import Verdicts
from metaeval.errors import pluralize, setting
from metaeval.inference.clusters import MAX_GROUPS, number_of_different
from metaeval.inference.order import Order
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts
from metaeval.stats.intervals import expanded_level
from metaeval.stats.resample import generator, seed_for
from metaeval.study.study import MOST_SECONDS, Progress, refuse_long_work

Numbers = NDArray[np.float64]

_FEWEST_RESAMPLES = 100
"""Number of resamples below which fewer are not proposed."""


@dataclass(frozen=True)
class Strengths:
    """The strengths of S systems on a language pair: logarithms with mean 0, with intervals, (S,).

    NaN where a system won or lost all verdicts against the others. ties: ν, the tendency to ties. order: which systems
    are significantly stronger. results: wins, ties and losses, (S, 3).
    """

    language_pair: str
    systems: tuple[str, ...]
    values: Numbers
    low: Numbers
    high: Numbers
    ties: float
    order: Order
    results: NDArray[np.intp]
    groups: Groups


@dataclass(frozen=True)
class Preferences:
    """The result of the analysis; each part is empty where the verdicts do not allow it."""

    metrics: list[MetricAgreement]
    judges: list[JudgeStatistic]
    comparisons: list[JudgeComparison]
    strengths: list[Strengths]


def check(study: PreferencesStudy, settings: PreferencesSettings) -> None:
    """Refuse what would take more than about half a minute, from the measured costs of each part of the work."""
    verdicts, people = study.verdicts, ~study.judged
    codes, systems = verdicts.language_pairs[people], len(verdicts.systems)
    language_pairs = len(np.unique(codes))
    sides = np.sort([verdicts.left[people], verdicts.right[people]], axis=0)
    # By language pair: its clusters, its systems, and pairs of these.
    clusters = number_of_different(codes, verdicts.clusters[people])
    several = number_of_different(np.tile(codes, 2), sides.ravel()).astype(np.float64)
    pairs = number_of_different(codes, sides[0] * systems + sides[1])
    resample = 2e4 * language_pairs + 1.2e3 * pairs.sum() + 0.26 * (several**3).sum()
    measures = len(verdicts.scores)
    test = 1e6 * language_pairs + 2e3 * np.minimum(clusters, MAX_GROUPS).sum()
    tests_of_pairs = 1e4 * (language_pairs * measures**2 + (several**2).sum())
    work = 2e7 * language_pairs + test * 4 * measures + tests_of_pairs
    most = int(max(0.0, MOST_SECONDS * 1e9 - work) / max(resample, 1.0))
    refuse_long_work(
        work + resample * settings.resamples,
        f"verdicts on {pluralize(systems, 'system')} ({pluralize(int(pairs.sum()), 'pair')}), "
        f"{pluralize(language_pairs, 'language pair')} and {pluralize(measures, 'metric')}, "
        f"with {settings.resamples:,} resamples",
        f"set {setting('resamples', str(most))}" if most >= _FEWEST_RESAMPLES
        else "leave out systems, language pairs or metrics",
    )  # fmt: skip


def analyse(study: PreferencesStudy, settings: PreferencesSettings, *, progress: Progress) -> Preferences:
    """Compute every statistic that the verdicts allow."""
    check(study, settings)
    verdicts, seed, people = study.verdicts, study.config.seed, ~study.judged
    metrics = agreement_of_metrics(verdicts, people, settings.ties, seed)
    judges = statistics_of_judges(verdicts, study.judged, seed), compare_judges(verdicts, study.judged, seed)
    codes = np.unique(verdicts.language_pairs[people]).tolist()
    fitted = [
        strengths_of(verdicts, np.flatnonzero(people & (verdicts.language_pairs == code)), settings.resamples, seed)
        for code in codes
    ]
    return Preferences(metrics, *judges, fitted)


def strengths_of(verdicts: Verdicts, rows: NDArray[np.intp], resamples: int, seed: int) -> Strengths:
    """The strengths by some verdicts, all of one language pair."""
    present, both = np.unique(np.stack([verdicts.left[rows], verdicts.right[rows]]), return_inverse=True)
    left, right = both.reshape(2, -1)
    winner, groups = verdicts.winner[rows], Groups.of(verdicts.clusters[rows], seed)
    counts = Counts.of(left, right, winner, groups.codes, len(present))
    values, low, high = np.full((3, len(present)), np.nan)
    order, ties = Order(values, np.zeros((len(present), len(present)), dtype=np.bool_), ~np.isnan(values)), np.nan
    if counts.connected:
        fitted = strengths(counts, counts.all[np.newaxis])[0]
        values, ties = fitted[:-1], float(np.exp(fitted[-1]))
        random = generator(seed_for(seed, "resamples of verdicts"))
        if len(groups.sizes) > 1:
            sample = bootstrap_strengths(counts, fitted, random, resamples)
            low, high = corrected_interval(values, sample, level=expanded_level(groups.effective))
        sizes = groups.sizes.astype(np.float64)[:, np.newaxis]
        parts = sizes * values + sizes.sum() * influences(counts, fitted)
        evidence = Evidence((Parts(values, parts, sizes[:, 0], jackknife=True),), (groups.signs,))
        order = Order.of(values, compare_pairs(evidence), evidence.defined)
    sides, outcome = np.concatenate([left, right]), np.concatenate([winner, -winner])
    results = np.bincount(sides * 3 + 1 - outcome, minlength=3 * len(present)).reshape(-1, 3)
    systems = tuple(verdicts.systems[code] for code in present.tolist())
    name = verdicts.names_of_language_pairs[verdicts.language_pairs[rows[0]]]
    return Strengths(name, systems, values, low, high, ties, order, results, groups)
