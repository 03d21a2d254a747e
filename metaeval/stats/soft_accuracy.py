"""Soft pairwise accuracy of measures: values with their Monte Carlo error, intervals, and tests of differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from metaeval.arrays import Bools, Indices, Integers, Ints, Scores
from metaeval.stats.correlation import bootstrap_draws
from metaeval.stats.correlation_tests import DifferenceTest, difference_test
from metaeval.stats.effects import NEGLIGIBLE, student_intervals
from metaeval.stats.intervals import defined_deviation, defined_mean, percentile_interval
from metaeval.stats.ratio import divide, effective_number
from metaeval.stats.resample import generator, seed_for

FLIPS = 1_000
"""Sign flips, as in Thompson et al. (2024)."""

SIGNS_TOGETHER = 1 << 22
"""Maximum number of sums with flipped signs in memory."""

_Resampled = tuple[Scores, list[Scores]]


def sign_flips(scores: Scores, signs: Integers) -> tuple[Bools, Bools]:
    """Whether flipped sums of the differences of each pair of systems reach the observed one, and pairs without items.

    scores: (S, N). signs: (R, N). Returns (P, R) and (P,); with k flips that reach it, p is (k + 1) / (R + 1).
    """
    difference, missing = _differences(scores)
    none = np.empty((len(difference), 0), dtype=np.bool_)
    return np.concatenate([none, *_reached(difference, signs)], axis=1), missing


def _differences(scores: Scores) -> tuple[Scores, Bools]:
    """Differences of pairs of systems, (..., P, N), 0 where a score is missing, and whether all are, (..., P)."""
    one, other = np.triu_indices(scores.shape[-2], 1)
    difference = scores[..., one, :] - scores[..., other, :]
    missing = np.isnan(difference)
    return np.where(missing, 0.0, difference), np.asarray(missing.all(axis=-1))


def _reached(difference: Scores, signs: Integers) -> Iterator[Bools]:
    """Whether sums of flipped differences reach the observed ones, (..., P, r), in blocks of r resamples."""
    # Sums that are equal up to rounding errors count.
    observed = difference.sum(axis=-1) - 1e-12 * np.abs(difference).sum(axis=-1)
    together = max(1, SIGNS_TOGETHER // max(1, observed.size))
    for begin in range(0, len(signs), together):
        flipped = difference @ signs[begin : begin + together].T.astype(np.float64)
        yield flipped >= observed[..., np.newaxis]


@dataclass(frozen=True)
class SoftAccuracy:
    """Soft pairwise accuracies of M measures with H sets of human scores.

    Attributes
    ----------
    values
        Accuracies, (M, H).
    units
        Numbers of pairs of systems with common items, (M, H).
    left_out
        Numbers of pairs of systems without any, (M, H).
    error
        Standard errors over the random sign flips, (M, H).
    gaps
        Absolute differences of the two p-values of each pair of `numpy.triu_indices(S, 1)`, (M, H, P).
    """

    values: Scores
    units: Ints
    left_out: Ints
    error: Scores
    gaps: Scores

    def without(self, left_out: Bools) -> Scores:
        """Accuracies without some systems, (M, H).

        Parameters
        ----------
        left_out : array (S,)
            Whether a system is left out.
        """
        one, other = np.triu_indices(len(left_out), 1)
        return 1 - defined_mean(self.gaps[..., ~(left_out[one] | left_out[other])], axis=-1)


def soft_accuracy(
    metric: Scores, human: Scores, *, clusters: Indices | None = None, flips: int = FLIPS, seed: int = 20201
) -> SoftAccuracy:
    """Soft pairwise accuracy of systems (Thompson et al. 2024), with common sign flips.

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    clusters : array (N,), optional
        Codes of clusters of items, whose differences flip together; each item is one by default.
    flips
        Number of sign flips.
    seed
        Random seed.
    """
    random = generator(seed_for(seed, "soft pairwise accuracy"))
    groups = metric.shape[-1] if clusters is None else int(clusters.max()) + 1
    signs = (2 * random.integers(2, size=(flips, groups), dtype=np.int8) - 1).astype(np.int8)
    signs = signs if clusters is None else signs[:, clusters]
    systems = metric.shape[1]
    gaps = np.empty((len(metric), len(human), systems * (systems - 1) // 2))
    error = np.empty(gaps.shape[:2])
    for other, scores in enumerate(human):
        of_all = sign_flips(scores, signs)
        for one, own in enumerate(metric):
            missing = np.isnan(own)
            of_metric, none = sign_flips(np.where(np.isnan(scores), np.nan, own), signs)
            of_human, _ = sign_flips(np.where(missing, np.nan, scores), signs) if missing.any() else of_all
            # The mean over the pairs, of each flip, of what it adds to the differences of the p-values.
            added = of_metric.astype(np.int8) - of_human.astype(np.int8)
            difference = np.where(none, np.nan, added.sum(axis=1, dtype=np.int64) / (flips + 1))
            gaps[one, other] = np.abs(difference)
            sign = np.where(none, 0.0, np.sign(np.nan_to_num(difference)))
            of_flips = divide(sign @ added, np.count_nonzero(~none))
            error[one, other] = of_flips.std() / np.sqrt(flips)
    defined = (~np.isnan(gaps)).sum(axis=-1)
    return SoftAccuracy(1 - defined_mean(gaps, axis=-1), defined, gaps.shape[-1] - defined, error, gaps)


def soft_intervals(
    metric: Scores, human: Scores, *, values: Scores, resampled: str = "both", **options: Any
) -> tuple[Scores, Scores]:
    """Bootstrap intervals of soft pairwise accuracies, (M,): percentiles, moved by the bias of the resamples.

    p-values of resampled items are noisier than those of the data, which lowers the accuracy of resamples. Where all
    resamples have the same accuracy, other units may not: the interval is that of a single correlation of as many.
    """
    deviations = _widest(_normal_values(metric, human, resampled, options)[1])
    below, above = percentile_interval(deviations)
    codes = options.get("clusters")
    items = np.arange(metric.shape[2]) if codes is None else codes
    units = {"systems": metric.shape[1], "items": effective_number(np.bincount(items))}
    freedom = np.full(values.shape, units.get(resampled, min(units.values())) - 1)
    low, high = student_intervals(values, np.zeros(values.shape), freedom, lowest=0.0)
    varies = above - below > NEGLIGIBLE
    low = np.where(varies, np.clip(values + np.minimum(below, 0.0), 0.0, 1.0), low)
    high = np.where(varies, np.clip(values + np.maximum(above, 0.0), 0.0, 1.0), high)
    return low, high


def soft_tests(metric: Scores, human: Scores, *, values: Scores, swap: str = "both", **options: Any) -> DifferenceTest:
    """Tests of the differences of soft pairwise accuracies of all pairs of measures, by a bootstrap of the differences.

    Two measures are compared on the cells that both have. values: the accuracies, whose differences are tested; those
    of the normal approximation where measures lack scores of different cells.
    """
    observed, sample = [], []
    missing = np.isnan(metric) | np.isnan(human)
    same = bool((missing == missing[0]).all())
    of_all = _normal_values(metric, human, swap, options) if same else None
    for one, other in combinations(range(len(metric)), 2):
        pair = np.where(missing[one] | missing[other], np.nan, metric[[one, other]])
        own, parts = (values, of_all[1]) if of_all else _normal_values(pair, human, swap, options)
        first, second = (one, other) if of_all else (0, 1)
        observed.append(own[first] - own[second])
        sample.append(_widest([part[:, first] - part[:, second] for part in parts]))
    resamples = len(sample[0]) if sample else 0
    return difference_test(np.array(observed), np.reshape(sample, (len(sample), resamples)).T, len(metric))


def _normal_values(metric: Scores, human: Scores, resampled: str, options: dict[str, Any]) -> _Resampled:
    """Accuracies of the data, (M,), and of resamples, (R, M), of each kind."""
    kinds = ("systems", "items") if resampled == "both" else (resampled,)
    values = resampled_soft_accuracy(metric, human, resampled="none", **options)[0]
    return values, [resampled_soft_accuracy(metric, human, resampled=kind, **options) for kind in kinds]


def _widest(parts: Sequence[Scores]) -> Scores:
    """Deviations (R, ...) from the mean, of the kind of resamples with the largest ones.

    Errors of single cells are part of resamples of systems as well as of items, so resamples of both count them twice.
    """
    deviations = [part - defined_mean(part) for part in parts]
    largest = np.argmax([np.nan_to_num(defined_deviation(part)) for part in parts], axis=0)
    return np.asarray(np.take_along_axis(np.stack(deviations), largest[np.newaxis, np.newaxis], axis=0)[0])


def resampled_soft_accuracy(
    metric: Scores,
    human: Scores,
    *,
    resampled: str = "both",
    clusters: Indices | None = None,
    resamples: int = 1000,
    seed: int = 20201,
) -> Scores:
    """Soft pairwise accuracies in bootstrap resamples of systems, items or both, (R, M).

    p-values are those of the normal approximation of the sign flips, z = Σd / √Σd², with d the differences of the items
    or clusters. Copies of a system form no pair.
    """
    from scipy.special import ndtr

    systems, items = human.shape
    one, other = np.triu_indices(systems, 1)
    codes = np.arange(items) if clusters is None else clusters
    groups = int(codes.max()) + 1
    member = np.zeros((items, groups))
    member[np.arange(items), codes] = 1
    draws: Iterable[tuple[Integers, Integers]] = [(np.ones((1, systems), np.int64), np.ones((1, groups), np.int64))]
    if resampled != "none":
        draws = bootstrap_draws(systems, groups, resampled=resampled, clusters=None, resamples=resamples, seed=seed)

    def p_values(scores: Scores, of_groups: Scores) -> Scores:
        difference, missing = _differences(scores)
        of_clusters = difference if clusters is None else difference @ member
        total, squares = (of_groups @ part.T for part in (of_clusters, of_clusters**2))
        p = np.where(squares > 0, ndtr(-divide(total, np.sqrt(squares), undefined=0.0)), 1.0)
        return np.where(missing, np.nan, p)

    parts = [np.empty((0, len(metric)))]
    for of_systems, of_groups in draws:
        weights = of_groups.astype(np.float64) if resampled not in ("systems", "none") else np.ones((1, groups))
        pairs = (of_systems[:, one] * of_systems[:, other]).astype(np.float64)
        of_all, columns = p_values(human, weights), []
        for own in metric:
            missing = np.isnan(own)
            p = p_values(np.where(np.isnan(human), np.nan, own), weights)
            gap = np.abs(p - (p_values(np.where(missing, np.nan, human), weights) if missing.any() else of_all))
            known = pairs * ~np.isnan(gap)
            columns.append(1 - divide((known * np.nan_to_num(gap)).sum(axis=1), known.sum(axis=1)))
        parts.append(np.stack(columns, axis=1))
    return np.concatenate(parts)
