"""Swap tests and bootstrap intervals of correlations with human scores, against nlpstats."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from benchmarks.paired import Comparison, faster
from metaeval.stats.correlation import bootstrap_draws, resampled_correlations
from metaeval.stats.correlation_tests import swap_tests

SYSTEMS, ITEMS, MEASURES, SWAPPED, DRAWN = 16, 100, 10, 9_999, 10_000

Scores = NDArray[np.float64]


def rated(measures: int) -> tuple[Scores, Scores]:
    """Scores of measures (M, S, N) and human scores (S, N), from 1 to 5."""
    random = np.random.default_rng(1)
    human = random.normal(size=(SYSTEMS, ITEMS)) + random.normal(size=(SYSTEMS, 1))
    metric = human + random.normal(size=(measures, *human.shape))
    return metric, np.clip(np.round(human) + 3, 1, 5)


def item_level(x: Scores, z: Scores) -> float:
    """Mean of SciPy's tau over the items where it is defined, as nlpstats has it."""
    taus = [float(kendalltau(one, other).statistic) for one, other in zip(x.T, z.T, strict=True)]
    return float(np.nanmean(taus))


def swap_loop(x: Scores, y: Scores, z: Scores, resamples: int) -> float:
    """What nlpstats does where it is not installed: p-value of swaps of systems and then of items."""
    x, y = ((scores - scores.mean()) / scores.std() for scores in (x, y))
    random = np.random.default_rng(1)
    observed, count = item_level(x, z) - item_level(y, z), 0
    for _ in range(resamples):
        swapped = (random.random((len(x), 1)) > 0.5) ^ (random.random((1, x.shape[1])) > 0.5)
        sample = item_level(np.where(swapped, y, x), z) - item_level(np.where(swapped, x, y), z)
        count += abs(sample) >= abs(observed)
    return count / resamples


def bootstrap_loop(x: Scores, z: Scores, resamples: int) -> tuple[float, float]:
    """Likewise the interval from resampled systems and items."""
    random = np.random.default_rng(1)
    sample = []
    for _ in range(resamples):
        cells = np.ix_(random.integers(len(x), size=len(x)), random.integers(x.shape[1], size=x.shape[1]))
        sample.append(item_level(x[cells], z[cells]))
    low, high = np.percentile(sample, [2.5, 97.5])
    return float(low), float(high)


def _nlpstats() -> Any:
    return import_module("nlpstats.correlations") if find_spec("nlpstats") else None


def _their_swaps(x: Scores, y: Scores, z: Scores, resamples: int) -> Callable[[], object]:
    if theirs := _nlpstats():
        return lambda: theirs.permutation_test(x, y, z, "input", "kendall", "both", n_resamples=resamples)
    return lambda: swap_loop(x, y, z, resamples)


def _their_bootstrap(x: Scores, z: Scores, resamples: int) -> Callable[[], object]:
    if theirs := _nlpstats():
        return lambda: theirs.bootstrap(x, z, "input", "kendall", "both", n_resamples=resamples)
    return lambda: bootstrap_loop(x, z, resamples)


def _peer() -> str:
    return "nlpstats" if _nlpstats() else "the loop of nlpstats, written out, over scipy.stats.kendalltau"


def compare_swaps(rounds: int, *, resamples: int = SWAPPED, their_resamples: int = 99) -> Comparison:
    """PERM-BOTH of two measures at item level; each the way it swaps, cell by cell here.

    their_resamples: the peer runs so many and is extrapolated.
    """
    metric, human = rated(2)
    return faster(
        f"swap test of two item-level tau-b, {SYSTEMS} systems × {ITEMS} items, {resamples:,} resamples",
        lambda: swap_tests(metric, human, coefficients=["kendall-b"], resamples=resamples),
        peer=_peer(),
        theirs=_their_swaps(metric[0], metric[1], human, their_resamples),
        claim="≥ 100 times faster",
        rounds=rounds,
        share_of_their_work=their_resamples / resamples,
    )


def compare_global_swaps(rounds: int, *, resamples: int = SWAPPED, their_resamples: int = 99) -> Comparison:
    """PERM-BOTH of all pairs of measures over all cells; the peer does one pair."""
    metric, human = rated(MEASURES)
    first, second, ratings = metric[0].ravel(), metric[1].ravel(), human.ravel()

    def theirs() -> float:
        random = np.random.default_rng(1)
        sample = []
        for swapped in random.random((their_resamples, ratings.size)) > 0.5:
            pair = np.where(swapped, second, first), np.where(swapped, first, second)
            sample.append(kendalltau(pair[0], ratings).statistic - kendalltau(pair[1], ratings).statistic)
        return float(np.std(sample))

    return faster(
        f"swap tests of {MEASURES} global tau-b, {SYSTEMS} systems × {ITEMS} items, {resamples:,} resamples",
        lambda: swap_tests(metric, human, coefficients=["kendall-b"], level="global", resamples=resamples),
        peer="a loop over scipy.stats.kendalltau",
        theirs=theirs,
        claim="≥ 100 times faster",
        rounds=rounds,
        share_of_their_work=their_resamples / resamples / (MEASURES * (MEASURES - 1) / 2),
    )


def bootstrapped(
    metric: Scores, human: Scores, coefficient: str, *, level: str, resampled: str, resamples: int
) -> Scores:
    """Correlations in bootstrap resamples, (R, M, H)."""
    draws = bootstrap_draws(*metric.shape[-2:], resampled=resampled, clusters=None, resamples=resamples, seed=1)
    parts = [resampled_correlations(metric, human, *draw, level=level, coefficient=coefficient) for draw in draws]
    return np.concatenate(parts)


def compare_bootstrap(rounds: int, *, resamples: int = DRAWN, their_resamples: int = 100) -> Comparison:
    """BOOT-BOTH of ten measures at item level; the peer does one of them."""
    metric, human = rated(MEASURES)
    return faster(
        f"{resamples:,} bootstrap samples of {MEASURES} item-level tau-b, {SYSTEMS} systems × {ITEMS} items",
        lambda: bootstrapped(
            metric, human[np.newaxis], "kendall-b", level="item", resampled="both", resamples=resamples
        ),
        peer=_peer(),
        theirs=_their_bootstrap(metric[0], human, their_resamples),
        claim="≥ 100 times faster",
        rounds=rounds,
        share_of_their_work=their_resamples / resamples / MEASURES,
    )
