"""Agreement of metrics with people, and the strengths of the systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import join_names
from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import pluralize, setting
from metaeval.inference.clusters import MAX_GROUPS, number_of_different
from metaeval.inference.pairs import Evidence, Order, PairTests, compare_pairs
from metaeval.inference.parts import Parts
from metaeval.judges.preferences.biases import Biases, Raters, biases_of, work_on_biases
from metaeval.judges.preferences.davidson import Counts, bootstrap_strengths, corrected_interval, influences, strengths
from metaeval.judges.preferences.groups import Groups, Ratio
from metaeval.judges.preferences.judges import (
    PEOPLE,
    JudgeComparison,
    JudgeStatistic,
    compare_judges,
    statistics_of_judges,
)
from metaeval.judges.preferences.settings import PreferencesSettings, Ties
from metaeval.judges.preferences.study import PreferencesStudy, Verdicts
from metaeval.stats.intervals import expanded_level
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator, seed_for
from metaeval.study.study import MOST_SECONDS, Progress, refuse_long_work

STATISTICS = ("discordant", "left-out", "half", "accuracy")
"""Kendall-like tau with ties of the metric as discordant pairs, left out and half concordant; pairwise accuracy."""

AVERAGE = "all (average)"
"""The name of the average over language pairs, beside theirs."""

_FEWEST_RESAMPLES = 100
"""Number of resamples below which fewer are not proposed."""


@dataclass(frozen=True)
class MetricAgreement:
    """The agreement of M metrics with the verdicts of people on a language pair, or on average over several.

    estimates: of each statistic, for each metric. ties: share of the decided verdicts that the metric ties, (M,).
    tests, order: of the differences of the chosen statistic. verdicts, decided: numbers of verdicts, and of those
    without ties. excluded: number of verdicts that lack a score.
    """

    language_pair: str
    metrics: tuple[str, ...]
    estimates: dict[str, list[Ratio]]
    ties: Floats
    tests: PairTests
    order: Order
    decided: int
    groups: Groups
    verdicts: int = 0
    excluded: int = 0


Sums = dict[str, tuple[Floats, Floats]]
"""Numerators and denominators of the statistics, by group and metric, (G, M)."""


def agreement_of_metrics(verdicts: Verdicts, people: Bools, ties: Ties, seed: int) -> list[MetricAgreement]:
    """The agreement on each language pair where some metric has scores, on the verdicts that all its metrics score.

    Of several language pairs the last is the average over them, of the metrics that have scores on all.
    """
    results: list[MetricAgreement] = []
    chosen: list[Indices] = []
    for code, language_pair in enumerate(verdicts.names_of_language_pairs):
        rows = people & (verdicts.language_pairs == code)
        scored = {name: ~np.isnan(scores).any(axis=1) & rows for name, scores in verdicts.scores.items()}
        metrics = tuple(name for name, present in scored.items() if present.any())
        complete = np.flatnonzero(np.logical_and.reduce([rows, *(scored[name] for name in metrics)]))
        if metrics and len(complete):
            groups = Groups.of(verdicts.clusters[complete], seed)
            sums = _sums_of(verdicts, complete, metrics, groups)
            excluded = int(rows.sum()) - len(complete)
            agreement = _agreement(language_pair, metrics, sums, ties, groups=groups)
            results.append(replace(agreement, verdicts=len(complete), excluded=excluded))
            chosen.append(complete)
    common = tuple(name for name in verdicts.scores if all(name in one.metrics for one in results))
    if len(results) > 1 and common:
        groups = Groups.of(verdicts.clusters[np.concatenate(chosen)], seed)
        codes = np.split(groups.codes, np.cumsum([len(rows) for rows in chosen])[:-1])
        sums_by_pair = [
            _sums_of(verdicts, rows, common, replace(groups, codes=codes_of_pair))
            for rows, codes_of_pair in zip(chosen, codes, strict=True)
        ]
        average = _agreement(AVERAGE, common, average_of(sums_by_pair), ties, groups=groups)
        shares = [[one.ties[one.metrics.index(name)] for name in common] for one in results]
        decided = sum(one.decided for one in results)
        average = replace(average, ties=np.mean(shares, axis=0), verdicts=len(groups.codes), decided=decided)
        results.append(average)
    return results


def _sums_of(verdicts: Verdicts, rows: Indices, metrics: tuple[str, ...], groups: Groups) -> Sums:
    scores = np.stack([verdicts.scores[name][rows] for name in metrics])
    return ratios_of(np.sign(scores[..., 0] - scores[..., 1]), verdicts.winner[rows], groups)


def _agreement(
    language_pair: str, metrics: tuple[str, ...], sums: Sums, ties: Ties, *, groups: Groups
) -> MetricAgreement:
    estimates = {
        name: [
            groups.ratio(*both, null=0.0, lowest=0.0 if name == "accuracy" else -1.0)
            for both in zip(numerators.T, denominators.T, strict=True)
        ]
        for name, (numerators, denominators) in sums.items()
    }
    evidence = groups.compared(*sums[ties])
    tests = compare_pairs(evidence)
    decided = sums["half"][1].sum(axis=0)
    tied = 1 - sums["left-out"][1].sum(axis=0) / np.maximum(decided, 1)
    return MetricAgreement(
        language_pair=language_pair,
        metrics=metrics,
        estimates=estimates,
        ties=np.where(decided > 0, tied, np.nan),
        tests=tests,
        order=Order.of(evidence.scores, tests, evidence.defined),
        decided=int(decided[0]),
        groups=groups,
    )


def average_of(sums: Sequence[Sums]) -> Sums:
    """The statistics averaged over language pairs, as ratios of sums over groups.

    sums: those of each language pair, over the same groups. A group adds to an average its share of the verdicts, times
    the average, and what it adds to the deviation of each pair from that pair's own value: language pairs are fixed,
    and differences between them are no variation by chance.
    """
    averages = {}
    for name in STATISTICS:
        weights = [each["accuracy" if name == "accuracy" else "half"][1] for each in sums]
        values = [divide(top.sum(axis=0), bottom.sum(axis=0)) for top, bottom in (each[name] for each in sums)]
        value = np.mean(values, axis=0)
        denominator = np.mean([divide(each, each.sum(axis=0)) for each in weights], axis=0)
        deviations = [
            _deviations(*each[name], np.where((each[name][1] > 0).sum(axis=0) > 1, own, value))
            for each, own in zip(sums, values, strict=True)
        ]
        averages[name] = (denominator * value + np.mean(deviations, axis=0), denominator)
    return averages


def _deviations(numerators: Floats, denominators: Floats, values: Floats) -> Floats:
    """What each group adds to the deviations of ratios from values, (G, M), as in an unbiased variance."""
    number = (denominators > 0).sum(axis=0)
    factor = np.sqrt(divide(number, number - 1.0, undefined=1.0))
    return divide(numerators - values * denominators, denominators.sum(axis=0)) * factor


def ratios_of(preferred: Floats, winner: NDArray[np.int8], groups: Groups) -> Sums:
    """The sums of the statistics.

    preferred: 1 where a metric prefers left, −1 right, 0 for a tie, (M, V). winner: that of people, (V,).
    """
    decided = np.broadcast_to(winner != 0, preferred.shape).astype(np.float64)
    product, tied = groups.sums(preferred * winner), groups.sums(decided * (preferred == 0))
    pairs, every = groups.sums(decided), groups.sums(np.ones(preferred.shape))
    equal = groups.sums((preferred == winner).astype(np.float64))
    return {
        "discordant": (product - tied, pairs),
        "left-out": (product, pairs - tied),
        "half": (product, pairs),
        "accuracy": (equal, every),
    }


@dataclass(frozen=True)
class Strengths:
    """The strengths of S systems on a language pair: logarithms with mean 0, with intervals, (S,).

    NaN without strengths, see `obstacle`. ties: ν, the tendency to ties. order: which systems
    are significantly stronger. wins: verdicts for the row against the column, (S, S). tied: verdicts of ties, (S, S).
    """

    language_pair: str
    systems: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    ties: float
    order: Order
    wins: Indices
    tied: Indices
    groups: Groups

    @property
    def obstacle(self) -> tuple[str, str]:
        """Why there are no strengths, and the remedy."""
        from scipy.sparse.csgraph import connected_components

        beaten = (self.wins + self.tied) > 0
        number, parts = connected_components(beaten, connection="weak")
        names = [join_names([self.systems[row] for row in np.flatnonzero(parts == part)]) for part in range(number)]
        if number > 1:
            groups = f"{number} groups, which were never compared with each other ({'; '.join(names)})"
            return f"the systems are in {groups}", "add verdicts on systems of different groups"
        if not self.wins.any():
            return "all verdicts are ties", "add verdicts that prefer an output"
        number, parts = connected_components(beaten, connection="strong")
        inside = parts[:, np.newaxis] == parts
        first = next(part for part in range(number) if not (beaten & ~inside)[:, parts == part].any())
        best = join_names([self.systems[row] for row in np.flatnonzero(parts == first)])
        return f"no other system wins or ties against {best}", f"add such verdicts, or remove the rows of {best}"


@dataclass(frozen=True)
class Preferences:
    """The result of the analysis; each part is empty where the verdicts do not allow it."""

    metrics: list[MetricAgreement]
    judges: list[JudgeStatistic]
    biases: Biases
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
    work += work_on_biases(verdicts, len(np.unique(verdicts.judges[study.judged])))
    most = int(max(0.0, MOST_SECONDS * 1e9 - work) / max(resample, 1.0))
    remedy = "leave out systems, language pairs or metrics"
    if most >= _FEWEST_RESAMPLES:
        remedy = f"set {setting('resamples', str(most))}"
    refuse_long_work(
        work + resample * settings.resamples,
        f"verdicts on {pluralize(systems, 'system')} ({pluralize(int(pairs.sum()), 'pair')}), "
        f"{pluralize(language_pairs, 'language pair')} and {pluralize(measures, 'metric')}, "
        f"with {settings.resamples:,} resamples",
        remedy,
    )


def analyse(study: PreferencesStudy, settings: PreferencesSettings, *, progress: Progress) -> Preferences:
    """Compute every statistic that the verdicts allow."""
    check(study, settings)
    verdicts, seed, people = study.verdicts, study.config.seed, ~study.judged
    metrics = agreement_of_metrics(verdicts, people, settings.ties, seed)
    judges = statistics_of_judges(verdicts, study.judged, seed), compare_judges(verdicts, study.judged, seed)
    by_judge = [
        Raters(name, study.judged & (verdicts.judges == code)) for code, name in enumerate(verdicts.names_of_judges)
    ]
    biases = biases_of(verdicts, [judge for judge in by_judge if judge.verdicts.any()], Raters(PEOPLE, people), seed)
    codes = np.unique(verdicts.language_pairs[people]).tolist()
    fitted = [
        strengths_of(verdicts, np.flatnonzero(people & (verdicts.language_pairs == code)), settings.resamples, seed)
        for code in codes
    ]
    return Preferences(metrics, judges[0], biases, judges[1], fitted)


def strengths_of(verdicts: Verdicts, rows: Indices, resamples: int, seed: int) -> Strengths:
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
    wins, tied = np.zeros((2, len(present), len(present)), dtype=np.intp)
    np.add.at(wins, (np.where(winner > 0, left, right), np.where(winner > 0, right, left)), winner != 0)
    np.add.at(tied, (left, right), winner == 0)
    return Strengths(
        language_pair=verdicts.names_of_language_pairs[verdicts.language_pairs[rows[0]]],
        systems=tuple(verdicts.systems[code] for code in present.tolist()),
        values=values,
        low=low,
        high=high,
        ties=ties,
        order=order,
        wins=wins,
        tied=tied + tied.T,
        groups=groups,
    )
