"""The paired randomisation test of two systems, against SciPy's and ranx's."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import permutation_test

from benchmarks.paired import Comparison, faster
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import Parts

ITEMS, RESAMPLES = 1_000, 10_000

Scores = NDArray[np.float64]


def two_systems(items: int) -> Scores:
    """Scores of the items, as of a mean over items, (2, N); the systems differ a little."""
    scores = np.random.default_rng(1).random((2, items))
    scores[0] += 0.02
    return scores


def randomised(scores: Scores, resamples: int) -> float:
    """The test of `metaeval compare`, with its interval."""
    parts = Parts(scores.mean(axis=1), np.ascontiguousarray(scores.T), np.ones(scores.shape[1]))
    return float(compare_pairs(Evidence.draw((parts,), np.random.default_rng(1), resamples)).p[0])


def compare_with_scipy(rounds: int, *, items: int = ITEMS, resamples: int = RESAMPLES) -> Comparison:
    """SciPy's test of pairs, vectorised."""

    def theirs(scores: Scores) -> float:
        result = permutation_test(
            scores,
            lambda one, other, axis: one.mean(axis=axis) - other.mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=resamples,
            batch=1_000,
            rng=np.random.default_rng(1),
        )
        return float(result.pvalue)

    return _compare(rounds, items, resamples, "scipy.stats.permutation_test", theirs, "≥ 50 times faster")


def compare_with_ranx(rounds: int, *, items: int = ITEMS, resamples: int = RESAMPLES) -> Comparison:
    """The test of ranx, compiled by Numba; compiling is not timed."""
    ranx: Any = import_module("ranx.statistical_tests.fisher_randomization_test")

    def theirs(scores: Scores) -> float:
        return float(ranx.fisher_randomization_test(scores[0], scores[1], n_permutations=resamples)[0])

    return _compare(rounds, items, resamples, "ranx", theirs)


def _compare(
    rounds: int, items: int, resamples: int, peer: str, theirs: Callable[[Scores], float], claim: str = ""
) -> Comparison:
    scores = two_systems(items)
    # The p-values are drawn: they agree within some standard errors.
    np.testing.assert_allclose(randomised(scores, resamples), theirs(scores), atol=4 / resamples**0.5)
    return faster(
        f"paired randomisation test, {items:,} items, {resamples:,} resamples",
        lambda: randomised(scores, resamples),
        peer=peer,
        theirs=lambda: theirs(scores),
        claim=claim,
        rounds=rounds,
    )
