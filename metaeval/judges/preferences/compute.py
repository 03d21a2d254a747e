"""Agreement of metrics with people, and the strengths of the systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.levels import LevelEstimate
from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import pluralize
from metaeval.inference.clusters import MAX_GROUPS, number_of_different
from metaeval.inference.pairs import Order, PairTests, compare_pairs
from metaeval.judges.preferences.biases import Biases, biases_of, work_on_biases
from metaeval.judges.preferences.groups import Groups, Ratio
from metaeval.judges.preferences.judges import (
    AGREEMENT,
    FLIPS,
    JudgeComparison,
    JudgeStatistic,
    compare_judges,
    statistics_of_judges,
)
from metaeval.judges.preferences.leaderboards import Leaderboards, compare_leaderboards
from metaeval.judges.preferences.runs import consistency_of
from metaeval.judges.preferences.settings import PreferencesSettings, Ties
from metaeval.judges.preferences.strengths import Strengths, WinRates, strengths_of, win_rates
from metaeval.judges.preferences.study import PEOPLE, PreferencesStudy, Raters, Verdicts
from metaeval.stats.rater_pairs import RunConsistency
from metaeval.stats.ratio import divide
from metaeval.study.study import Progress, refuse_long_work

STATISTICS = ("discordant", "left-out", "half", "accuracy")
"""Kendall-like tau with ties of the metric as discordant pairs, left out and half concordant; pairwise accuracy."""

AVERAGE = "all (average)"
"""The name of the average over language pairs, beside theirs."""


@dataclass(frozen=True)
class MetricAgreement:
    """The agreement of M metrics with the verdicts of people on a language pair, or on average over several.

    estimates: of each statistic, for each metric. ties: share of the decided verdicts that the metric ties, (M,).
    tests, order: of the differences of the chosen statistic. decisions: number of verdicts without ties. excluded:
    number of verdicts that lack a score. influences: what each cluster adds to the deviation of the chosen statistic of
    each metric, by its code.
    """

    language_pair: str
    metrics: tuple[str, ...]
    estimates: dict[str, list[Ratio]]
    ties: Floats
    tests: PairTests
    order: Order
    decisions: int
    groups: Groups
    influences: list[dict[int, float]]
    excluded: int = 0


StatisticSums = dict[str, tuple[Floats, Floats]]
"""Numerators and denominators of the statistics, by group and metric, (G, M)."""


def agreement_of_metrics(verdicts: Verdicts, people: Bools, ties: Ties, seed: int) -> list[MetricAgreement]:
    """The agreement on each language pair where some metric has scores, on the verdicts that all its metrics score.

    Of several language pairs the last is the average over them, of the metrics that have scores on all.
    """
    results: list[MetricAgreement] = []
    rows_by_pair: list[Indices] = []
    for code, language_pair in enumerate(verdicts.names_of_language_pairs):
        rows = people & (verdicts.language_pairs == code)
        rows_by_metric = {name: ~np.isnan(scores).any(axis=1) & rows for name, scores in verdicts.scores.items()}
        metrics = tuple(name for name, present in rows_by_metric.items() if present.any())
        complete = np.flatnonzero(np.logical_and.reduce([rows, *(rows_by_metric[name] for name in metrics)]))
        if metrics and len(complete):
            groups = Groups.of(verdicts.clusters[complete], seed, verdicts.weight[complete])
            sums = _sums_of(verdicts, complete, metrics, groups)
            excluded = int(rows.sum()) - len(complete)
            agreement = _agreement(language_pair, metrics, sums, ties, (groups, verdicts.clusters[complete]))
            results.append(replace(agreement, excluded=excluded))
            rows_by_pair.append(complete)
    common = tuple(name for name in verdicts.scores if all(name in one.metrics for one in results))
    if len(results) > 1 and common:
        every = np.concatenate(rows_by_pair)
        clusters = verdicts.clusters[every]
        groups = Groups.of(clusters, seed, verdicts.weight[every])
        codes = np.split(groups.codes, np.cumsum([len(rows) for rows in rows_by_pair])[:-1])
        sums_by_pair = [
            _sums_of(verdicts, rows, common, replace(groups, codes=codes_of_pair))
            for rows, codes_of_pair in zip(rows_by_pair, codes, strict=True)
        ]
        average = _agreement(AVERAGE, common, average_of(sums_by_pair), ties, (groups, clusters))
        shares = [[one.ties[one.metrics.index(name)] for name in common] for one in results]
        decisions = sum(one.decisions for one in results)
        average = replace(average, ties=np.mean(shares, axis=0), decisions=decisions)
        results.append(average)
    return results


def _sums_of(verdicts: Verdicts, rows: Indices, metrics: tuple[str, ...], groups: Groups) -> StatisticSums:
    scores = np.stack([verdicts.scores[name][rows] for name in metrics])
    preferred = np.sign(scores[..., 0] - scores[..., 1])
    return ratios_of(preferred, verdicts.winner[rows], groups, verdicts.certainty[rows], verdicts.weight[rows])


def _agreement(
    language_pair: str,
    metrics: tuple[str, ...],
    sums: StatisticSums,
    ties: Ties,
    clustering: tuple[Groups, Indices],
) -> MetricAgreement:
    """The agreement from sums over groups; clustering: these, and the cluster of each verdict, (V,)."""
    groups, clusters = clustering
    estimates = {
        name: [
            groups.ratio(*both, null=0.0, lowest=0.0 if name == "accuracy" else -1.0)
            for both in zip(numerators.T, denominators.T, strict=True)
        ]
        for name, (numerators, denominators) in sums.items()
    }
    evidence = groups.evidence(*sums[ties])
    tests = compare_pairs(evidence)
    decisions = sums["half"][1].sum(axis=0)
    tied = 1 - divide(sums["left-out"][1].sum(axis=0), decisions)
    return MetricAgreement(
        language_pair=language_pair,
        metrics=metrics,
        estimates=estimates,
        ties=tied,
        tests=tests,
        order=Order.of(evidence.scores, tests, evidence.defined),
        # Undefined in an average with a language pair that has ties only.
        decisions=int(np.nan_to_num(decisions[0])),
        groups=groups,
        influences=[
            groups.by_cluster(groups.deviations(*both), clusters)
            for both in zip(*(array.T for array in sums[ties]), strict=True)
        ],
    )


def average_of(sums: Sequence[StatisticSums]) -> StatisticSums:
    """The statistics averaged over language pairs, as ratios of sums over groups.

    sums: those of each language pair, over the same groups. A group adds to an average its share of the verdicts, times
    the average, and what it adds to the deviation of each pair from that pair's own value: language pairs are fixed,
    and differences between them are no variation by chance.
    """
    averages = {}
    for name in STATISTICS:
        weights = [pair["accuracy" if name == "accuracy" else "half"][1] for pair in sums]
        values = [divide(top.sum(axis=0), bottom.sum(axis=0)) for top, bottom in (pair[name] for pair in sums)]
        value = np.mean(values, axis=0)
        denominator = np.mean([divide(weight, weight.sum(axis=0)) for weight in weights], axis=0)
        deviations = [
            _deviations(*pair[name], np.where((pair[name][1] > 0).sum(axis=0) > 1, pair_value, value))
            for pair, pair_value in zip(sums, values, strict=True)
        ]
        averages[name] = (denominator * value + np.mean(deviations, axis=0), denominator)
    return averages


def _deviations(numerators: Floats, denominators: Floats, values: Floats) -> Floats:
    """What each group adds to the deviations of ratios from values, (G, M), as in an unbiased variance."""
    number = (denominators > 0).sum(axis=0)
    factor = np.sqrt(divide(number, number - 1.0, undefined=1.0))
    return divide(numerators - values * denominators, denominators.sum(axis=0)) * factor


def ratios_of(
    preferred: Floats,
    winner: NDArray[np.int8],
    groups: Groups,
    certainty: Floats | float = 1.0,
    weight: Floats | float = 1.0,
) -> StatisticSums:
    """The sums of the statistics.

    preferred: 1 where a metric prefers left, −1 right, 0 for a tie, (M, V). winner, certainty, weight: of the verdicts
    of people, see `Verdicts`, (V,).
    """
    every = np.broadcast_to(np.asarray(weight, dtype=np.float64), preferred.shape)
    decided, same = every * (winner != 0), preferred * winner
    chance = np.where(same > 0, certainty, np.where(same < 0, 1 - np.asarray(certainty), preferred == winner))
    product, tied = groups.sums(every * same * (2 * np.asarray(certainty) - 1)), groups.sums(decided * (preferred == 0))
    pairs = groups.sums(decided)
    return {
        "discordant": (product - tied, pairs),
        "left-out": (product, pairs - tied),
        "half": (product, pairs),
        "accuracy": (groups.sums(every * chance), groups.sums(every)),
    }


@dataclass(frozen=True)
class Preferences:
    """The result of the analysis; each part is empty where the verdicts do not allow it.

    strengths: by people, on each language pair.
    """

    metrics: list[MetricAgreement]
    judges: list[JudgeStatistic]
    biases: Biases
    comparisons: list[JudgeComparison]
    strengths: list[Strengths]
    strengths_of_judges: list[Strengths]
    leaderboards: list[Leaderboards]
    win_rates: list[WinRates]
    runs: dict[str, RunConsistency]


def check(study: PreferencesStudy, settings: PreferencesSettings) -> None:
    """Refuse what would take more than about half a minute, from the measured costs of each part of the work."""
    verdicts = study.verdicts
    codes, systems = verdicts.language_pairs, len(verdicts.systems)
    language_pairs = len(verdicts.names_of_language_pairs)
    sides = np.sort([verdicts.left, verdicts.right], axis=0)
    # By language pair: its clusters, its systems, and pairs of these.
    clusters = number_of_different(codes, verdicts.clusters)
    several = number_of_different(np.tile(codes, 2), sides.ravel()).astype(np.float64)
    pairs = number_of_different(codes, sides[0] * systems + sides[1])
    measures, rankings = len(verdicts.scores), 1 + 3 * len(study.judges)
    test = 1e6 * language_pairs + 2e3 * np.minimum(clusters, MAX_GROUPS).sum()
    fit = 2e7 * language_pairs + 90 * (np.minimum(clusters, MAX_GROUPS) * pairs).sum() + 5 * (several**3).sum()
    tests_of_pairs = 1e4 * (language_pairs * measures**2 + rankings * (several**2).sum())
    leaderboards = len(study.judges) * (4e8 * language_pairs + 1e3 * (several**3).sum())
    biases = work_on_biases(verdicts, len(study.judges))
    refuse_long_work(
        test * 4 * measures + rankings * fit + tests_of_pairs + leaderboards + biases,
        f"verdicts on {pluralize(systems, 'system')} ({pluralize(int(pairs.sum()), 'pair')}), "
        f"{pluralize(language_pairs, 'language pair')} and {pluralize(measures, 'metric')}, "
        f"with {pluralize(len(study.judges), 'judge')}",
        "leave out systems, judges, language pairs or metrics",
    )


def analyse(study: PreferencesStudy, settings: PreferencesSettings, *, progress: Progress) -> Preferences:
    """Compute every statistic that the verdicts allow."""
    check(study, settings)
    verdicts, seed, people = study.verdicts, study.config.seed, ~study.judged
    metrics = agreement_of_metrics(verdicts, people, settings.ties, seed)
    judges = study.judges
    # A level may lack the baseline.
    baseline = settings.baseline if settings.baseline in verdicts.systems else None
    biases = biases_of(verdicts, judges, Raters(study.people, people), seed)
    strengths: list[Strengths] = []
    judge_strengths: list[Strengths] = []
    leaderboards: list[Leaderboards] = []
    rates: list[WinRates] = []
    for code in range(len(verdicts.names_of_language_pairs)):
        in_pair = verdicts.language_pairs == code
        by_people = np.flatnonzero(people & in_pair)
        by_judges = [(name, np.flatnonzero(rows & in_pair)) for name, rows in judges]
        for by, rows in [(study.people, by_people), *by_judges]:
            if not len(rows):
                continue
            groups = Groups.of(verdicts.clusters[rows], seed, verdicts.weight[rows])
            (strengths if rows is by_people else judge_strengths).append(strengths_of(verdicts, rows, by, groups))
            if baseline and (rate := win_rates(verdicts, rows, by, baseline, groups)):
                rates.append(rate)
            if rows is not by_people and len(by_people):
                leaderboards += compare_leaderboards(verdicts, by_people, rows, (study.people, by), seed)
    return Preferences(
        metrics=metrics,
        judges=statistics_of_judges(verdicts, judges, people, seed),
        biases=biases,
        comparisons=compare_judges(verdicts, study.judged, seed),
        strengths=strengths,
        strengths_of_judges=judge_strengths,
        leaderboards=leaderboards,
        win_rates=rates,
        runs=consistency_of(verdicts, judges, people),
    )


def estimates_of_level(
    study: PreferencesStudy, settings: PreferencesSettings, result: Preferences
) -> list[LevelEstimate]:
    """The agreement of metrics and judges with people, flips, and biases, beyond those of people if these are known."""
    estimates = []

    names = study.verdicts.names_of_clusters

    def add(of: tuple[str, str], ratio: Ratio, by_code: Mapping[int, float], *, size: float, units: float) -> None:
        influences = {names[code]: value for code, value in by_code.items()}
        rater, statistic = of
        one = LevelEstimate(
            names=of,
            what=f"the {statistic} of {rater}",
            value=ratio.value,
            low=ratio.low,
            high=ratio.high,
            size=size,
            units=units,
            influences=influences,
        )
        estimates.append(one)

    # Of several language pairs, the average.
    for metrics in result.metrics[-1:]:
        rows = zip(metrics.metrics, metrics.estimates[settings.ties], metrics.influences, strict=True)
        for metric, ratio, by_code in rows:
            add((metric, "tau"), ratio, by_code, size=metrics.decisions, units=metrics.groups.effective)
    for one in result.judges:
        if one.judge != PEOPLE and one.name in (AGREEMENT, FLIPS):
            add((one.judge, one.name), one.share, one.influences, size=one.verdicts, units=one.units)
    groups, biases = result.biases.groups, [one for one in result.biases.estimates if one.judge != study.people]
    beyond = {(one.judge, one.name) for one in biases if one.against}
    for bias in biases:
        if bias.against or (bias.judge, bias.name) not in beyond:
            by_code = groups.by_cluster(bias.effect.influences, study.verdicts.clusters)
            name = f"bias {bias.name}{f' against {bias.against}' if bias.against else ''}"
            add((bias.judge, name), bias.share, by_code, size=bias.verdicts, units=bias.effect.units)
    return estimates
