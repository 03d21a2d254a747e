"""How often metrics prefer the output that people prefer: Kendall-like tau and pairwise accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.preferences.ratios import Groups, Ratio
from metaeval.analyses.preferences.settings import Ties
from metaeval.analyses.preferences.verdicts import Verdicts
from metaeval.inference.order import Order
from metaeval.inference.pairs import PairTests, compare_pairs
from metaeval.stats.ratio import divide

STATISTICS = ("discordant", "left-out", "half", "accuracy")
"""Kendall-like tau with ties of the metric as discordant pairs, left out and half concordant; pairwise accuracy."""

AVERAGE = "all (average)"
"""The name of the average over language pairs, beside theirs."""


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
    ties: NDArray[np.float64]
    tests: PairTests
    order: Order
    verdicts: int
    decided: int
    excluded: int
    groups: Groups


Sums = dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Numerators and denominators of the statistics, by group and metric, (G, M)."""


def agreement_of_metrics(verdicts: Verdicts, people: NDArray[np.bool_], ties: Ties, seed: int) -> list[MetricAgreement]:
    """The agreement on each language pair where some metric has scores, on the verdicts that all its metrics score.

    Of several language pairs the last is the average over them, of the metrics that have scores on all.
    """
    results: list[MetricAgreement] = []
    chosen: list[NDArray[np.intp]] = []
    for code, language_pair in enumerate(verdicts.names_of_language_pairs):
        rows = people & (verdicts.language_pairs == code)
        scored = {name: ~np.isnan(scores).any(axis=1) & rows for name, scores in verdicts.scores.items()}
        metrics = tuple(name for name, own in scored.items() if own.any())
        complete = np.flatnonzero(np.logical_and.reduce([rows, *(scored[name] for name in metrics)]))
        if metrics and len(complete):
            groups = Groups.of(verdicts.clusters[complete], seed)
            sums = _sums_of(verdicts, complete, metrics, groups)
            excluded = int(rows.sum()) - len(complete)
            results.append(_agreement(language_pair, metrics, sums, ties, groups, len(complete), excluded))
            chosen.append(complete)
    common = tuple(name for name in verdicts.scores if all(name in one.metrics for one in results))
    if len(results) > 1 and common:
        groups = Groups.of(verdicts.clusters[np.concatenate(chosen)], seed)
        codes = np.split(groups.codes, np.cumsum([len(rows) for rows in chosen])[:-1])
        of_pairs = [
            _sums_of(verdicts, rows, common, replace(groups, codes=own))
            for rows, own in zip(chosen, codes, strict=True)
        ]
        average = _agreement(AVERAGE, common, average_of(of_pairs), ties, groups, len(groups.codes), 0)
        shares = [[one.ties[one.metrics.index(name)] for name in common] for one in results]
        decided = sum(one.decided for one in results)
        results.append(replace(average, ties=np.mean(shares, axis=0), decided=decided))
    return results


def _sums_of(verdicts: Verdicts, rows: NDArray[np.intp], metrics: tuple[str, ...], groups: Groups) -> Sums:
    scores = np.stack([verdicts.scores[name][rows] for name in metrics])
    return ratios_of(np.sign(scores[..., 0] - scores[..., 1]), verdicts.winner[rows], groups)


def _agreement(
    language_pair: str, metrics: tuple[str, ...], sums: Sums, ties: Ties, groups: Groups, verdicts: int, excluded: int
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
    order = Order.of(evidence.scores, tests, evidence.defined)
    decided = sums["half"][1].sum(axis=0)
    tied = 1 - sums["left-out"][1].sum(axis=0) / np.maximum(decided, 1)
    return MetricAgreement(
        language_pair, metrics, estimates, np.where(decided > 0, tied, np.nan), tests, order, verdicts,
        int(decided[0]), excluded, groups,
    )  # fmt: skip


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


def _deviations(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What each group adds to the deviations of ratios from values, (G, M), as in an unbiased variance."""
    number = (denominators > 0).sum(axis=0)
    factor = np.sqrt(divide(number, number - 1.0, undefined=1.0))
    return divide(numerators - values * denominators, denominators.sum(axis=0)) * factor


def ratios_of(preferred: NDArray[np.float64], winner: NDArray[np.int8], groups: Groups) -> Sums:
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
