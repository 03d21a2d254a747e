"""How often metrics prefer the output that people prefer: Kendall-like tau and pairwise accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.preferences.ratios import Groups, Ratio
from metaeval.analyses.preferences.settings import Ties
from metaeval.analyses.preferences.verdicts import Verdicts
from metaeval.inference.order import Order
from metaeval.inference.pairs import PairTests, compare_pairs

STATISTICS = ("discordant", "left-out", "half", "accuracy")
"""Kendall-like tau with ties of the metric as discordant pairs, left out and half concordant; pairwise accuracy."""


@dataclass(frozen=True)
class MetricAgreement:
    """The agreement of M metrics with the verdicts of people on a language pair.

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


def agreement_of_metrics(verdicts: Verdicts, people: NDArray[np.bool_], ties: Ties, seed: int) -> list[MetricAgreement]:
    """The agreement on each language pair where some metric has scores, on the verdicts that all its metrics score."""
    results = []
    for code, language_pair in enumerate(verdicts.names_of_language_pairs):
        rows = people & (verdicts.language_pairs == code)
        scored = {name: ~np.isnan(scores).any(axis=1) & rows for name, scores in verdicts.scores.items()}
        metrics = tuple(name for name, own in scored.items() if own.any())
        complete = np.flatnonzero(np.logical_and.reduce([rows, *(scored[name] for name in metrics)]))
        if metrics and len(complete):
            excluded = int(rows.sum()) - len(complete)
            results.append(_agreement(verdicts, complete, metrics, ties, seed, language_pair, excluded))
    return results


def _agreement(
    verdicts: Verdicts,
    rows: NDArray[np.intp],
    metrics: tuple[str, ...],
    ties: Ties,
    seed: int,
    language_pair: str,
    excluded: int,
) -> MetricAgreement:
    groups = Groups.of(verdicts.clusters[rows], seed)
    scores = np.stack([verdicts.scores[name][rows] for name in metrics])
    sums = ratios_of(np.sign(scores[..., 0] - scores[..., 1]), verdicts.winner[rows], groups)
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
        language_pair, metrics, estimates, np.where(decided > 0, tied, np.nan), tests, order, len(rows),
        int(decided[0]), excluded, groups,
    )  # fmt: skip


def ratios_of(
    preferred: NDArray[np.float64], winner: NDArray[np.int8], groups: Groups
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Numerators and denominators of the statistics, by group and metric, (G, M).

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
