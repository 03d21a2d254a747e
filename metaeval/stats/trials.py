"""Repeated trials of a system that succeeds or fails on items: pass^k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metaeval.arrays import Floats, Indices, Integers
from metaeval.stats.intervals import Bounded, jackknife_error
from metaeval.stats.ratio import divide, effective_number


def pass_shares(successes: Integers, trials: int) -> Floats:
    """The share of the sets of k trials of an item that all succeed, for k from 1 to the number of trials, (K, N).

    C(c, k) / C(n, k) with c successes in n trials, whose expectation is p^k where each trial succeeds with probability
    p (Yao et al. 2024). successes: of each item, (N,).

    >>> pass_shares(np.array([3, 2]), 3).tolist()
    [[1.0, 0.6666666666666666], [1.0, 0.3333333333333333], [1.0, 0.0]]
    """
    others = np.arange(trials)[:, np.newaxis]
    return np.cumprod(np.maximum(successes - others, 0) / (trials - others), axis=0)


class PassedAll(NamedTuple):
    """pass^k of a system for one k, the mean share over the items, with its 95 % interval."""

    k: int
    value: float
    low: float
    high: float


def passed_all(successes: Integers, trials: int, clusters: Indices) -> list[PassedAll]:
    """pass^k for k from 1 to the number of trials, with intervals for other clusters of items; NaN for fewer than two.

    successes, trials: see `pass_shares`. clusters: the cluster of each item, all numbers from 0 on, (N,).
    """
    sizes = np.bincount(clusters)
    result = []
    for k, shares in enumerate(pass_shares(successes, trials), start=1):
        sums = np.bincount(clusters, weights=shares)
        value = float(shares.mean())
        without = divide(sums.sum() - sums, sizes.sum() - sizes)
        error = jackknife_error(value, without, sizes)
        low, high = np.nan, np.nan
        if not np.isnan(error):
            low, high = Bounded.of(value, error, lowest=0.0, units=effective_number(sizes)).interval()
        result.append(PassedAll(k, value, low, high))
    return result
