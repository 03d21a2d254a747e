"""The systems that may be the best (Hsu's multiple comparisons with the best)."""

from __future__ import annotations

import numpy as np

from metaeval.arrays import Floats
from metaeval.inference.pairs import Evidence, Statistic, share_reaching, statistics_of
from metaeval.steps import steps


def best_p_values(evidence: Evidence) -> Floats:
    """p-values of the hypotheses that each system is the best (Hsu's multiple comparisons with the best), (S,).

    The set of the systems whose p-value exceeds α contains the best system with probability 1 − α. Each test is
    one-sided, against the other systems, and stands outside the family of `compare_pairs`. NaN for undefined scores.
    """
    systems = np.flatnonzero(evidence.defined)
    p = np.full(len(evidence.scores), np.nan)
    p[systems] = 1.0
    for system in steps(systems.tolist(), "Tests of the best system"):
        others = systems[systems != system]
        if len(others):
            p[system] = max(_best_p(each) for each in statistics_of(evidence, others, np.full(len(others), system)))
    return p


def _best_p(statistic: Statistic) -> float:
    """The p-value of the hypothesis that no first system of a pair is better than the second of all pairs."""
    z = statistic.z.max()
    if z <= 0:
        return 1.0
    most = np.full(len(statistic.evidence.signs[0]), -np.inf)
    for _, chance in statistic.chance():
        np.maximum(most, chance.max(axis=0), out=most)
    return float(share_reaching(np.array([z]), np.sort(most))[0])
