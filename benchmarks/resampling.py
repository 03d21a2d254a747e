"""A thousand split halves, ten thousand bootstrap samples, rank correlations and Tukey's test, against loops."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from benchmarks.careful import careful_loop
from benchmarks.paired import Comparison, faster
from benchmarks.score_table import reference_runs, user_loop
from metaeval.measures import preset
from metaeval.meta.stability import Consistency, split_half_consistency
from metaeval.model.labels import LabelledRuns
from metaeval.scoring.labels import LabelSamples, score_labels
from metaeval.scoring.resamples import bootstrap, split_halves
from metaeval.stats.rank_correlation import kendall_b
from metaeval.stats.tests import randomised_tukey

TRIALS, REPLICATES, PERMUTATIONS = 1_000, 10_000, 5_000
MEASURES = preset("stance-nine")


def _halved(runs: LabelledRuns, random: np.random.Generator) -> tuple[LabelledRuns, LabelledRuns]:
    order = random.permutation(len(runs.items))
    return _part(runs, order[: len(order) // 2]), _part(runs, order[len(order) // 2 :])


def _part(runs: LabelledRuns, items: NDArray[np.intp]) -> LabelledRuns:
    names = tuple(map(str, range(len(items))))
    return LabelledRuns(names, runs.gold[items], runs.predicted[:, items], runs.systems, runs.scale)


def _taus(first: NDArray[np.float64], second: NDArray[np.float64]) -> list[float]:
    return [kendalltau(one, other).statistic for one, other in zip(first, second, strict=True)]


def split_loop(runs: LabelledRuns, score: Callable[[LabelledRuns], NDArray[np.float64]], trials: int) -> None:
    """What one would write: a loop over trials; a table of scores for each half, and SciPy's tau for each measure."""
    random = np.random.default_rng(1)
    for _ in range(trials):
        first, second = _halved(runs, random)
        _taus(score(first), score(second))


def stability(runs: LabelledRuns, trials: int = TRIALS) -> Consistency:
    """The way of metaeval, from codes to tau, one thread."""
    plan = split_halves(LabelSamples(runs, MEASURES), trials=trials, seed=1)
    full = score_labels(runs, MEASURES)
    return Consistency.joined(split_half_consistency(plan.score(block), full) for block in plan.blocks)


def compare_halves(rounds: int) -> list[Comparison]:
    """The reference job against both loops, which run a few trials and are extrapolated."""
    runs = reference_runs()
    np.testing.assert_allclose(careful_loop(runs), score_labels(runs, MEASURES).values, rtol=1e-9)
    name = f"{TRIALS:,} halves × {len(runs.systems)} systems × {len(MEASURES)} measures, {len(runs.items):,} items"
    peers = (
        ("loop over scikit-learn, krippendorff and SciPy", user_loop, 2, "≥ 5000 times faster"),
        ("careful numpy loop", careful_loop, 10, "≥ 150 times faster"),
    )
    return [
        faster(
            name,
            lambda: stability(runs),
            peer=peer,
            theirs=partial(split_loop, runs, score, trials),
            claim=claim,
            rounds=rounds,
            share_of_their_work=trials / TRIALS,
        )
        for peer, score, trials, claim in peers
    ]


def compare_bootstrap(rounds: int) -> Comparison:
    """Bootstrap scores of all systems and measures."""
    runs = reference_runs()

    def ours() -> None:
        plan = bootstrap(LabelSamples(runs, MEASURES), replicates=REPLICATES, seed=1)
        for block in plan.blocks:
            plan.score(block)

    def theirs() -> None:
        random = np.random.default_rng(1)
        user_loop(_part(runs, random.integers(len(runs.items), size=len(runs.items))))

    return faster(
        f"{REPLICATES:,} bootstrap samples of the same",
        ours,
        peer="loop over scikit-learn and krippendorff",
        theirs=theirs,
        claim="≥ 2000 times faster",
        rounds=rounds,
        share_of_their_work=1 / REPLICATES,
    )


def compare_tau(rounds: int, systems: int, pairs: int, claim: str) -> Comparison:
    """Kendall's tau-b of many pairs of rankings."""
    random = np.random.default_rng(1)
    x = random.normal(size=(pairs, systems))
    y = x + random.normal(size=x.shape)
    few = pairs // 10
    return faster(
        f"{pairs:,} tau-b of {systems:,} systems",
        lambda: kendall_b(x, y),
        peer="scipy.stats.kendalltau",
        theirs=lambda: _taus(x[:few], y[:few]),
        claim=claim,
        rounds=rounds,
        share_of_their_work=few / pairs,
    )


def compare_tukey(rounds: int) -> Comparison:
    """Tukey's test of 9 measures over 1,000 trials."""
    scores = np.random.default_rng(1).normal(size=(TRIALS, len(MEASURES)))

    def theirs() -> None:
        random = np.random.default_rng(1)
        for _ in range(PERMUTATIONS // 10):
            np.ptp(random.permuted(scores, axis=1).mean(axis=0))

    return faster(
        f"randomised Tukey HSD, {TRIALS:,} × {len(MEASURES)}, {PERMUTATIONS:,} permutations",
        lambda: randomised_tukey(scores, replicates=PERMUTATIONS, random=np.random.default_rng(1)),
        peer="loop over rng.permuted",
        theirs=theirs,
        claim="≥ 15 times faster",
        rounds=rounds,
        share_of_their_work=1 / 10,
    )
