"""Soft pairwise accuracy of measures: values with their Monte Carlo error, intervals, and tests of differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from metaeval.arrays import Bools, Indices, Integers, Scores
from metaeval.stats._arrays import portions
from metaeval.stats.correlation_tests import RESAMPLES, DifferenceTest, effect_test
from metaeval.stats.effects import GROUPS, Effects, errors_of, jackknife, student_intervals
from metaeval.stats.intervals import Interval, defined_mean
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator, seed_for

FLIPS = 1_000
"""Sign flips, as in Thompson et al. (2024)."""

CELLS_TOGETHER = 1 << 22
"""Maximum number of differences of pairs of systems, and of signs, in memory."""


def sign_flips(scores: Scores, signs: Integers) -> tuple[Bools, Bools]:
    """Whether flipped sums of the differences of each pair of systems reach the observed one, and pairs without items.

    scores: (S, N). signs: (R, N). Returns (P, R) and (P,); with k flips that reach it, p is (k + 1) / (R + 1).
    """

    def compare(difference: Scores) -> Bools:
        # Sums that are equal up to rounding errors count.
        observed = difference.sum(axis=1) - 1e-12 * np.abs(difference).sum(axis=1)
        blocks = portions(len(signs), max(signs.shape[1], len(difference)), CELLS_TOGETHER)
        sums = (difference @ signs[portion].T.astype(np.float64) for portion in blocks)
        return np.concatenate([flipped_sums >= observed[:, np.newaxis] for flipped_sums in sums], axis=1)

    parts = ((compare(difference), missing) for difference, missing in _differences(scores))
    is_reached, without_items = map(np.concatenate, zip(*parts, strict=True))
    return is_reached, without_items


def _differences(scores: Scores) -> Iterator[tuple[Scores, Bools]]:
    """Differences of pairs of systems, (p, N), 0 where a score is missing, and pairs of which all are, (p,)."""
    one, other = np.triu_indices(len(scores), 1)
    for block in portions(max(1, len(one)), scores.shape[1], CELLS_TOGETHER):
        difference = scores[one[block]] - scores[other[block]]
        missing = np.isnan(difference)
        yield np.where(missing, 0.0, difference), np.asarray(missing.all(axis=1))


@dataclass(frozen=True)
class SoftAccuracy:
    """Soft pairwise accuracies of M measures with H sets of human scores.

    Attributes
    ----------
    values
        Accuracies, (M, H).
    error
        Standard errors over the random sign flips, (M, H).
    gaps
        Absolute differences of the two p-values of each pair of `numpy.triu_indices(S, 1)`, NaN without common items,
        (M, H, P).
    """

    values: Scores
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
        all_human = sign_flips(scores, signs)
        for one, measure_scores in enumerate(metric):
            missing = np.isnan(measure_scores)
            by_metric, none = sign_flips(np.where(np.isnan(scores), np.nan, measure_scores), signs)
            by_human, _ = sign_flips(np.where(missing, np.nan, scores), signs) if missing.any() else all_human
            # The mean over the pairs, of each flip, of what it adds to the differences of the p-values.
            contributions = by_metric.astype(np.int8) - by_human.astype(np.int8)
            difference = np.where(none, np.nan, contributions.sum(axis=1, dtype=np.int64) / (flips + 1))
            gaps[one, other] = np.abs(difference)
            sign = np.where(none, 0.0, np.sign(np.nan_to_num(difference)))
            flip_means = divide(sign @ contributions, np.count_nonzero(~none))
            error[one, other] = flip_means.std() / np.sqrt(flips)
    return SoftAccuracy(1 - defined_mean(gaps, axis=-1), error, gaps)


def soft_intervals(effects: Effects, values: Scores, *, resampled: str) -> Interval:
    """95 % intervals of soft pairwise accuracies, (M,), by Student's t of their effects; see `soft_effects`."""
    errors = errors_of(effects, resampled=resampled)
    return student_intervals(values, errors.error, errors.freedom, lowest=0.0)


def soft_tests(
    metric: Scores,
    human: Scores,
    *,
    values: Scores,
    swap: str,
    clusters: Indices | None = None,
    resamples: int = RESAMPLES,
    seed: int = 20201,
) -> DifferenceTest:
    """Tests of the differences of soft pairwise accuracies of all pairs of measures, by their effects.

    Two measures are compared on the cells that both have. values: the accuracies, whose differences are tested; those
    of the normal approximation where measures lack scores of different cells.
    """
    missing = np.isnan(metric) | np.isnan(human)
    if (missing == missing[0]).all():
        effects = replace(soft_effects(metric, human, clusters=clusters), values=values).differences()
    else:
        pairs = combinations(range(len(metric)), 2)
        scores = (np.where(missing[one] | missing[other], np.nan, metric[[one, other]]) for one, other in pairs)
        effects = Effects.concatenate([soft_effects(pair, human, clusters=clusters).differences() for pair in scores])
    return effect_test(effects, len(metric), resampled=swap, resamples=resamples, seed=seed)


def soft_effects(metric: Scores, human: Scores, *, clusters: Indices | None = None) -> Effects:
    """Effects on soft pairwise accuracies, (M,), with p-values of the normal approximation of the sign flips.

    z = Σd / √Σd², with d the differences of the items or clusters, so that only their sums over the groups that are
    left out together are needed.
    """
    from scipy.special import ndtr

    one, other = np.triu_indices(len(human), 1)
    codes = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    item_codes = np.arange(human.shape[1]) if codes is None else codes
    groups = np.arange(int(item_codes.max()) + 1) % GROUPS
    an_item_of_each = np.unique(item_codes % GROUPS, return_index=True)[1]

    def sums(scores: Scores) -> tuple[Scores, Scores, Bools]:
        """Sums of the differences of pairs of systems, and of their squares, (P, G), and pairs without items, (P,)."""
        parts = []
        for difference, missing in _differences(scores):
            cluster_differences = difference if codes is None else _sums_over(difference, codes)
            parts.append((_sums_over(cluster_differences, groups), _sums_over(cluster_differences**2, groups), missing))
        totals, squares, without_items = map(np.concatenate, zip(*parts, strict=True))
        return totals, squares, without_items

    def p_values(weights: Integers, sums: Scores, squares: Scores, missing: Bools) -> Scores:
        total, square = weights @ sums.T, weights @ squares.T
        p = np.where(square > 0, ndtr(-divide(total, np.sqrt(square), undefined=0.0)), 1.0)
        return np.where(missing, np.nan, p)

    # Of each measure, and of people where both have a score.
    human_sums, sums_of_both = sums(human), []
    for scores in metric:
        lacking = np.isnan(scores)
        shared_sums = sums(np.where(lacking, np.nan, human)) if lacking.any() else human_sums
        sums_of_both.append((sums(np.where(np.isnan(human), np.nan, scores)), shared_sums))

    def accuracies(system_counts: Integers, item_counts: Integers) -> Scores:
        """Accuracies, (R, M), of systems and items that are there once or not."""
        weights, pairs = item_counts[:, an_item_of_each], system_counts[:, one] * system_counts[:, other] > 0
        gaps = (np.abs(p_values(weights, *first) - p_values(weights, *second)) for first, second in sums_of_both)
        return np.stack([1 - defined_mean(np.where(pairs, gap, np.nan), axis=-1) for gap in gaps], axis=1)

    return jackknife(accuracies, len(human), human.shape[1], codes)


def _sums_over(values: Scores, codes: Indices) -> Scores:
    """Sums of values (P, N) over the entries with each code, (P, G)."""
    from scipy.sparse import csr_array

    entries = np.arange(len(codes))
    return np.asarray(values @ csr_array((np.ones(len(codes)), (entries, codes))))
