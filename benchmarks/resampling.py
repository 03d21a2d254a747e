"""A thousand split halves, rank correlations and Tukey's test, against loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from benchmarks.careful import careful_loop
from benchmarks.paired import Comparison, faster
from benchmarks.score_table import USERS_LOOP, reference_runs, user_loop
from metaeval.analyses.stability.compute import SplitHalfAgreement, split_half_consistency
from metaeval.measures import preset
from metaeval.model.runs import Codes, LabelledRuns
from metaeval.scoring.labels import LabelSamples, score_labels
from metaeval.scoring.resamples import split_halves
from metaeval.stats.association import kendall_b
from metaeval.stats.tests import ranges_by_chance

TRIALS, REPLICATES, PERMUTATIONS = 1_000, 10_000, 5_000
MIN_SYSTEMS, MANY_SYSTEMS = 14, 1_000
MEASURES = preset("stance-nine")

Loop = Callable[[Codes, Codes], NDArray[np.float64]]
"""Gold (N,) and predictions (S, N) to scores (M, S)."""


def taus(first: NDArray[np.float64], second: NDArray[np.float64]) -> list[float]:
    """SciPy's tau-b, row by row."""
    return [kendalltau(one, other).statistic for one, other in zip(first, second, strict=True)]


def split_loop(runs: LabelledRuns, score: Loop, trials: int) -> None:
    """What one would write: a loop over trials; a table of scores for each half, and SciPy's tau for each measure."""
    random = np.random.default_rng(1)
    items = len(runs.items)
    for _ in range(trials):
        order = random.permutation(items)
        first, second = (score(runs.gold[half], runs.predicted[:, half]) for half in np.split(order, [items // 2]))
        taus(first, second)


def bootstrap_loop(runs: LabelledRuns, score: Loop, replicates: int) -> Iterator[NDArray[np.float64]]:
    """Likewise the table of scores of each bootstrap sample."""
    random = np.random.default_rng(1)
    for _ in range(replicates):
        sample = random.integers(len(runs.items), size=len(runs.items))
        yield score(runs.gold[sample], runs.predicted[:, sample])


def stability(runs: LabelledRuns, trials: int = TRIALS) -> SplitHalfAgreement:
    """The way of metaeval, from codes to tau, one thread."""
    plan = split_halves(LabelSamples(runs, MEASURES), trials=trials, seed=1)
    return SplitHalfAgreement.concatenate(split_half_consistency(plan.score(block)) for block in plan.blocks)


def compare_halves(rounds: int, *, trials: int = TRIALS) -> Comparison:
    """The reference job against what a user writes, of which a few trials run."""
    peer = f"{USERS_LOOP}, and SciPy"
    return _compare_halves(rounds, trials, peer, user_loop, 2, "≥ 5000 times faster")


def compare_halves_with_numpy(rounds: int, *, trials: int = TRIALS) -> Comparison:
    """The reference job against what a careful user writes."""
    return _compare_halves(rounds, trials, "careful numpy loop", careful_loop, 10, "≥ 150 times faster")


def _compare_halves(rounds: int, trials: int, peer: str, score: Loop, few: int, claim: str) -> Comparison:
    runs = reference_runs()
    np.testing.assert_allclose(score(runs.gold, runs.predicted), score_labels(runs, MEASURES).values, rtol=1e-9)
    return faster(
        f"{trials:,} halves × {len(runs.systems)} systems × {len(MEASURES)} measures, {len(runs.items):,} items",
        lambda: stability(runs, trials),
        peer=peer,
        theirs=lambda: split_loop(runs, score, few),
        claim=claim,
        rounds=rounds,
        share_of_their_work=few / trials,
    )


def compare_tau(rounds: int, *, pairs: int = 9_000) -> Comparison:
    """Kendall's tau-b of many pairs of short rankings."""
    return _compare_tau(rounds, pairs, MIN_SYSTEMS, "≥ 300 times faster")


def compare_long_tau(rounds: int, *, pairs: int = 500) -> Comparison:
    """Kendall's tau-b of pairs of long rankings."""
    return _compare_tau(rounds, pairs, MANY_SYSTEMS, "≥ 1.5 times faster")


def _compare_tau(rounds: int, pairs: int, systems: int, claim: str) -> Comparison:
    random = np.random.default_rng(1)
    x = random.normal(size=(pairs, systems))
    y = x + random.normal(size=x.shape)
    few = pairs // 10
    np.testing.assert_allclose(kendall_b(x[:few], y[:few]), taus(x[:few], y[:few]), rtol=1e-9, atol=1e-12)
    return faster(
        f"{pairs:,} tau-b of {systems:,} systems",
        lambda: kendall_b(x, y),
        peer="scipy.stats.kendalltau",
        theirs=lambda: taus(x[:few], y[:few]),
        claim=claim,
        rounds=rounds,
        share_of_their_work=few / pairs,
    )


def compare_tukey(rounds: int, *, permutations: int = PERMUTATIONS) -> Comparison:
    """Tukey's test of 9 measures over 1,000 trials; the loop runs a tenth of the permutations."""
    scores = np.random.default_rng(1).normal(size=(TRIALS, len(MEASURES)))
    few = permutations // 10

    def theirs() -> None:
        random = np.random.default_rng(1)
        for _ in range(few):
            np.ptp(random.permuted(scores, axis=1).mean(axis=0))

    return faster(
        f"randomised Tukey HSD, {TRIALS:,} × {len(MEASURES)}, {permutations:,} permutations",
        lambda: ranges_by_chance(scores.T, resamples=permutations, random=np.random.default_rng(1)),
        peer="loop over rng.permuted",
        theirs=theirs,
        claim="≥ 15 times faster",
        rounds=rounds,
        share_of_their_work=few / permutations,
    )
