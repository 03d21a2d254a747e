"""Which submissions are more similar than their scores explain.

Two systems that are independent given gold differ on E items, which follows from their confusion matrices. Real ones
differ less, because the same items are difficult for all: typically on a share of E that the other pairs show. A pair
is nearly identical if it differs on far fewer items than that, and significantly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Bools, Floats, Ints
from metaeval.model.runs import ClassRuns
from metaeval.scoring.confusion import counts_of
from metaeval.stats.ratio import divide

ALPHA = 0.05
"""Familywise level of the test of all pairs."""

LARGEST_RATIO = 0.2
"""Share of the expected differences up to which a pair is nearly identical.

Among the runs of FNC-1, two systems that share most of their code reach 0.24, and an ensemble and a part of it 0.33.
"""

LEAST_TYPICAL = 0.5
"""The least that is taken for typical, so that many copies do not pass for the rule."""

_BLOCK = 1 << 14
"""Number of items whose predictions are indicators at a time."""


@dataclass(frozen=True)
class SubmissionPairs:
    """All pairs of submissions, (S, S) each.

    constant: whether a submission predicts one class only, (S,).
    different: number of items on which they differ. independent: its expectation if they were independent given gold.
    expected: the same times the typical ratio of the other pairs. p: Bonferroni-adjusted over the tested pairs, which
    are those of different teams; NaN for others.
    """

    constant: Bools
    different: Ints
    independent: Floats
    expected: Floats
    p: Floats

    @property
    def identical(self) -> Bools:
        """Whether all predictions are equal, although the submissions are not constant."""
        same: Bools = (self.different == 0) & ~self.constant
        return same & ~np.eye(len(same), dtype=np.bool_)

    @property
    def nearly_identical(self) -> Bools:
        """Whether a pair of different teams differs on far fewer items than expected."""
        few: Bools = (self.different > 0) & (self.different <= LARGEST_RATIO * self.expected)
        return few & (self.p <= ALPHA)


def compare_predictions(runs: ClassRuns, teams: Sequence[str]) -> SubmissionPairs:
    """Compare all pairs of submissions; teams: of each."""
    from scipy.special import pdtr

    items = len(runs.items)
    different = items - equal_predictions(runs)
    counts = counts_of(runs)[:, : len(runs.scale)].astype(np.float64)
    constant = (counts.sum(axis=1) > 0).sum(axis=1) == 1
    # For each gold class Σ_k n_k m_k / n, the equal predictions of two systems that are independent given gold.
    scaled = divide(counts, np.sqrt(runs.gold_frequencies[: len(runs.scale), np.newaxis]), undefined=0.0)
    flat = scaled.reshape(len(counts), -1)
    # Sums of roots are exact only to a few digits: two constant systems would not have exactly 0.
    independent = np.maximum(np.round(items - flat @ flat.T, 6), 0.0)
    codes = np.unique(np.asarray(teams, dtype=object), return_inverse=True)[1]
    tested = (codes[:, np.newaxis] != codes) & (independent > 0)
    ratio = divide(different.astype(np.float64), np.where(tested, independent, np.nan))
    typical = _typical(ratio)
    expected = np.minimum(typical[:, np.newaxis], typical) * independent
    p = np.where(tested, pdtr(different, expected), np.nan)
    return SubmissionPairs(constant, different, independent, expected, np.minimum(p * max(tested.sum() / 2, 1), 1.0))


def _typical(ratio: Floats) -> Floats:
    """The median ratio of each submission with those of other teams, (S,), without the lowest; 1 without any other."""
    others = np.sort(ratio, axis=1)[:, 1:]
    has_others = ~np.isnan(others).all(axis=1)
    typical = np.ones(len(ratio))
    if has_others.any():
        typical[has_others] = np.nanmedian(others[has_others], axis=1)
    return np.clip(typical, LEAST_TYPICAL, 1.0)


def equal_predictions(runs: ClassRuns) -> Ints:
    """On how many items each pair of systems predicts the same class, (S, S)."""
    systems, columns = runs.predicted.shape
    equal = np.zeros((systems, systems))
    weights = runs.multiplicities
    for start in range(0, columns, _BLOCK):
        block = runs.predicted[:, start : start + _BLOCK]
        for code in np.unique(block):
            # Counts of a block are exact in single precision.
            indicator = (block == code).astype(np.float32 if weights is None else np.float64)
            weighted = indicator if weights is None else indicator * weights[start : start + _BLOCK]
            equal += weighted @ indicator.T
    return np.rint(equal).astype(np.int64)
