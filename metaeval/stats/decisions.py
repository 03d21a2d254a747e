"""Pairwise accuracy with calibrated ties of measures at every level: values, tests of differences, and intervals.

The threshold of a measure is the one that maximises its accuracy, so small errors of it hardly change the accuracy
(the envelope theorem). Tests and intervals of the accuracy hold it fixed and use the effects of items and systems on
the accuracy (`effects`): its derivatives by their weights, which are 1 in the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from metaeval.arrays import Bools, Indices, Integers, Ints, Scores
from metaeval.stats._arrays import CountsBefore
from metaeval.stats._resamples import resampled_means
from metaeval.stats.association import AtLevel, level_vectors
from metaeval.stats.correlation import bootstrap_draws
from metaeval.stats.correlation_tests import DifferenceTest, effect_test
from metaeval.stats.effects import Effects, errors_of, student_intervals
from metaeval.stats.intervals import defined_deviation, percentile_interval
from metaeval.stats.ratio import divide, effective_number
from metaeval.stats.resample import generator, seed_for
from metaeval.steps import steps

PAIRS_TOGETHER, SPAN = 1 << 25, 1 << 22
"""Floats of pairs, in all and in memory, above which thresholds that cannot be the best are left out unseen."""

SHORT = 64
"""Length of vectors up to which all are bisected together."""


@dataclass(frozen=True)
class TieAccuracy:
    """Pairwise accuracy with calibrated ties.

    Attributes
    ----------
    accuracy
        Mean over the vectors of the share of pairs that both order in the same way or both tie; NaN without pairs.
    epsilon
        Threshold up to which differences of the metric are ties; NaN without pairs.
    vectors
        Number of vectors that have a pair.
    """

    accuracy: float
    epsilon: float
    vectors: int


def tie_calibrated_accuracy(metric: Scores, human: Scores) -> TieAccuracy:
    """acc-eq of Deutsch, Foster & Freitag (2023): pairwise accuracy with ties up to a threshold of the metric.

    The threshold is the smallest one with the highest mean accuracy over the vectors, among 0 and all differences of
    two scores of the metric in one vector.

    Parameters
    ----------
    metric, human : array (V, L)
        Scores, NaN where missing.

    Examples
    --------
    >>> tie_calibrated_accuracy(np.array([[0.1, 0.2, 0.9]]), np.array([[1.0, 1.0, 2.0]]))
    TieAccuracy(accuracy=1.0, epsilon=0.1, vectors=1)
    """
    return Decisions(metric, human).calibrate()


def _without_infinities(scores: Scores) -> Scores:
    """Scores of which infinite ones are farther from the others than those from each other."""
    finite = scores[np.isfinite(scores)]
    if not np.isinf(scores).any() or not len(finite):
        return scores
    far = 2 * np.ptp(finite) + 1
    return np.clip(scores, finite.min() - far, finite.max() + far)


class Decisions:
    """Decisions of a metric on the pairs of entries of vectors, (V, L), at any threshold of ties.

    Entries are sorted by the metric, so that those that differ by up to a threshold are neighbours. How many of the
    first entries have lower human scores follows from the bits of their ranks.
    """

    def __init__(self, metric: Scores, human: Scores) -> None:
        missing, metric = np.isnan(metric) | np.isnan(human), _without_infinities(metric)
        # Missing scores are last, infinitely far from all others.
        self.order = np.argsort(np.where(missing, np.inf, metric), axis=-1, kind="stable")
        self.metric = np.take_along_axis(np.where(missing, np.inf, metric), self.order, axis=-1)
        ranks = np.unique(np.where(missing, np.inf, human), return_inverse=True)[1].reshape(metric.shape)
        self.human = np.take_along_axis(ranks, self.order, axis=-1).astype(np.int64)
        self.length = (~missing).sum(axis=-1, keepdims=True)
        self.present = np.arange(metric.shape[1]) < self.length
        self.vectors = int((self.length > 1).sum())
        # All pairs of a vector share its weight in the mean.
        self.weight = divide(1.0, self.length * (self.length - 1) / 2 * max(1, self.vectors), undefined=0.0)
        self.before = CountsBefore(self.human)
        everyone = np.broadcast_to(self.length, metric.shape).astype(np.int64)
        self.higher = everyone - self.before.count(everyone, self.human + 1)
        self.shares_by_epsilon: dict[float, tuple[float, float, int]] = {}

    def right(self, epsilon: float) -> Ints:
        """Partners of each entry that both order in the same way, or that both tie, (V, L), in the input's order."""
        concordant, tied, _ = self._partners(epsilon)
        partners = np.empty_like(concordant)
        np.put_along_axis(partners, self.order, concordant + tied, axis=-1)
        return partners

    def _partners(self, epsilon: float) -> tuple[Ints, Ints, Ints]:
        """Partners that both order in the same way, that both tie, and that the metric ties, (V, L), in its order."""
        lower, within = (_first(self.metric, self.length, epsilon, side) for side in (-1, 1))
        below_lower, below_within = (self.before.count(upto, self.human) for upto in (lower, within))
        upto_lower, upto_within = (self.before.count(upto, self.human + 1) for upto in (lower, within))
        concordant = below_lower + self.higher - (within - upto_within)
        tied = (upto_within - below_within) - (upto_lower - below_lower) - 1
        concordant, tied, tied_by_metric = (
            np.where(self.present, number, 0) for number in (concordant, tied, within - lower - 1)
        )
        return concordant, tied, tied_by_metric

    def calibrate(self) -> TieAccuracy:
        """The smallest threshold with the highest accuracy."""
        if not self.vectors:
            return TieAccuracy(np.nan, np.nan, 0)
        lowest, highest = self.metric[:, 0], np.where(np.isinf(self.metric), -np.inf, self.metric).max(axis=-1)
        spans = [(0.0, float(np.where(self.length[:, 0] > 1, highest - lowest, 0.0).max()))]
        # Between two thresholds, at most the ordered pairs of the first and the tied ones of the second are right.
        while max(sizes := [self._size(*span) for span in spans], default=0) > SPAN or sum(sizes) > PAIRS_TOGETHER:
            parts = [part for span in spans for part in self._split(*span)]
            best = max(sum(self._shares(end)[:2]) for span in (*spans, *parts) for end in span) - 1e-12
            spans = [(low, high) for low, high in parts if self._shares(low)[0] + self._shares(high)[1] >= best]
        candidates = [(sum(self._shares(epsilon)[:2]), epsilon) for epsilon in sorted({0.0, *self.shares_by_epsilon})]
        candidates += [candidate for low, high in spans for candidate in self._between(low, high)]
        most = max(accuracy for accuracy, _ in candidates) - 1e-12
        epsilon = min(epsilon for accuracy, epsilon in candidates if accuracy >= most)
        # From whole numbers by length of vectors, so that equal accuracies are equal numbers.
        right = np.bincount(self.length[:, 0], self.right(epsilon).sum(axis=1))
        partners = np.arange(len(right)) * (np.arange(len(right)) - 1.0)
        accuracy = divide(right, partners * self.vectors, undefined=0.0).sum()
        return TieAccuracy(min(float(accuracy), 1.0), float(epsilon), self.vectors)

    def _shares(self, epsilon: float) -> tuple[float, float, int]:
        """Shares of pairs that both order in the same way, and that both tie, and the number that the metric ties."""
        if epsilon not in self.shares_by_epsilon:
            # Each pair has two partners.
            pairs = [partners.sum(axis=1, keepdims=True) // 2 for partners in self._partners(epsilon)]
            concordant, tied = (float((number * self.weight).sum()) for number in pairs[:2])
            self.shares_by_epsilon[epsilon] = concordant, tied, int(pairs[2].sum())
        return self.shares_by_epsilon[epsilon]

    def _size(self, low: float, high: float) -> int:
        return self._shares(high)[2] - self._shares(low)[2]

    def _split(self, low: float, high: float) -> list[tuple[float, float]]:
        """Halves of the thresholds between two, at a difference of two scores; none without such a difference."""
        position = _first(self.metric, self.length, (low + high) / 2, 1)
        nearest = self._differences(position - 1)
        middle = float(nearest[nearest <= (low + high) / 2].max(initial=low))
        if middle <= low:
            following = self._differences(np.minimum(position, self.metric.shape[1] - 1))
            middle = float(following[following > (low + high) / 2].min(initial=high))
        return [] if middle >= high else [(low, middle), (middle, high)]

    def _differences(self, position: Ints) -> Scores:
        differences = np.take_along_axis(self.metric, position, axis=-1)[self.present] - self.metric[self.present]
        return np.asarray(differences[np.isfinite(differences)])

    def _between(self, low: float, high: float) -> list[tuple[float, float]]:
        """The best accuracy, with its first threshold, of those above the first and up to the second."""
        begin, end = (_first(self.metric, self.length, epsilon, 1) for epsilon in (low, high))
        number = np.where(self.present, end - begin, 0).reshape(-1)
        one = np.repeat(np.arange(number.size), number)
        starts = begin + np.arange(len(begin))[:, np.newaxis] * begin.shape[1]
        other = np.arange(len(one)) + np.repeat(starts.reshape(-1) - (np.cumsum(number) - number), number)
        flat, ranks = self.metric.reshape(-1), self.human.reshape(-1)
        rise = ranks[other] - ranks[one]
        one, other, gains = one[rise >= 0], other[rise >= 0], rise[rise >= 0] == 0
        if not len(one):
            return []
        difference = flat[other] - flat[one]
        weights = np.unique(self.weight[self.weight > 0])
        if len(weights) == 1:
            # One sort carries in the lowest bit whether an accuracy rises.
            keys = difference.view(np.uint64) << np.uint64(1) | gains
            keys.sort()
            signs = (keys & np.uint64(1)).astype(np.int8) * np.int8(2) - np.int8(1)
            steps = np.cumsum(signs, dtype=np.int64) * weights[0]
            sorted_differences = (keys >> np.uint64(1)).view(np.float64)
        else:
            order = np.argsort(difference)
            sorted_differences = difference[order]
            share = self.weight[:, 0][one // begin.shape[1]]
            steps = np.cumsum(np.where(gains, share, -share)[order])
        last = np.flatnonzero(np.append(sorted_differences[1:] != sorted_differences[:-1], True))
        accuracy = sum(self._shares(low)[:2]) + steps[last]
        first = last[np.argmax(accuracy >= accuracy.max() - 1e-12)]
        return [(float(accuracy.max()), float(sorted_differences[first]))]


def _first(metric: Scores, present: Ints, epsilon: float, side: int) -> Ints:
    """For each entry of sorted vectors, how many are lower by more than a threshold (−1), or not higher by more (1).

    present: number of the first entries that are not missing, (V, 1).
    """
    rows, length = metric.shape
    low, high = np.zeros(metric.shape, dtype=np.int64), np.repeat(present, length, axis=1)
    starts, flat = np.arange(rows)[:, np.newaxis] * length, metric.reshape(-1)
    with np.errstate(invalid="ignore"):
        if length > SHORT:
            # All but values within rounding errors.
            limit, margin = metric + side * epsilon, 4e-16 * (np.abs(metric) + epsilon)
            for row, scores in enumerate(metric):
                low[row] = np.minimum(np.searchsorted(scores, limit[row] - margin[row], side="left"), high[row])
                high[row] = np.minimum(np.searchsorted(scores, limit[row] + margin[row], side="right"), high[row])
        while (unknown := low < high).any():
            middle = (low + high) // 2
            middle_scores = flat[starts + np.minimum(middle, length - 1)]
            counts = metric - middle_scores > epsilon if side < 0 else middle_scores - metric <= epsilon
            counts &= unknown
            low, high = np.where(counts, middle + 1, low), np.where(counts, high, middle)
    return low


THRESHOLDS = 16
"""Number of thresholds among which the best one of each resample is found, twice."""

PAIRS_SAMPLED = 1 << 14


@dataclass(frozen=True)
class _Parts:
    """acc-eq of one measure, its threshold, and the effects of items, (N,), systems, (S,), and cells, (S, N), on it.

    They are its derivatives by weights, which add up to 0.
    """

    accuracy: float
    epsilon: float
    items: Scores
    systems: Scores
    cells: Scores


def calibrated_accuracy(metric: Scores, human: Scores, *, level: str = "item") -> AtLevel:
    """acc-eq (Deutsch, Foster & Freitag 2023), with one threshold for each measure and set of human scores, (M, H)."""
    shape = (len(metric), len(human))
    values = np.empty(shape)
    units, left_out = np.empty((2, *shape), dtype=np.int64)
    for position in np.ndindex(shape):
        vectors = _vectors(metric[position[0]], human[position[1]], level)
        accuracy = tie_calibrated_accuracy(*vectors)
        pairs = np.array([accuracy.vectors, len(vectors[0]) - accuracy.vectors])
        if level in ("system", "global"):
            present = int(np.count_nonzero(~np.isnan(vectors[0] + vectors[1])))
            pairs = np.array([present, vectors[0].size - present]) * accuracy.vectors
        values[position], (units[position], left_out[position]) = accuracy.accuracy, pairs
    return AtLevel(values, units, left_out)


def _vectors(metric: Scores, human: Scores, level: str) -> tuple[Scores, Scores]:
    """Vectors, (V, L), of one measure and human scores, (S, N)."""
    x, y = level_vectors(metric, human, level=level)
    return x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1])


class _Effects:
    """_Parts of items and systems for any threshold. metric, human: (S, N)."""

    def __init__(self, metric: Scores, human: Scores, level: str) -> None:
        self.level, self.shape = level, metric.shape
        self.vectors = _vectors(metric, human, level)
        self.decisions = Decisions(*self.vectors)

    def at(self, epsilon: float) -> _Parts:
        decisions = self.decisions
        right = decisions.right(epsilon).astype(np.float64)
        present = ~(np.isnan(self.vectors[0]) | np.isnan(self.vectors[1]))
        partners = np.where(present, decisions.length - 1, 0)
        shares = divide(right.sum(axis=1), partners.sum(axis=1))
        defined = ~np.isnan(shares)
        shares = np.where(defined, shares, 0.0)
        accuracy = float(divide(shares.sum(), np.count_nonzero(defined)))
        vector_effects = divide(np.where(defined, shares - accuracy, 0.0), np.count_nonzero(defined), undefined=0.0)
        cells = (right - shares[:, np.newaxis] * partners) * decisions.weight
        if self.level == "by-system":
            return _Parts(accuracy, epsilon, cells.sum(axis=0), vector_effects, cells)
        # Pairs of few systems: without one of them, as the jackknife has it.
        jackknife = divide(self.shape[0] - 1, max(0, self.shape[0] - 2), undefined=1.0)
        if self.level == "item":
            effects = jackknife * cells.T
            return _Parts(accuracy, epsilon, vector_effects, effects.sum(axis=1), effects)
        effects = jackknife * cells.reshape(self.shape[0], -1)
        # At level system, items have no cells of their own.
        item_effects = cells.reshape(self.shape).sum(axis=0) if self.level == "global" else np.zeros(self.shape[1])
        return _Parts(accuracy, epsilon, item_effects, effects.sum(axis=1), np.broadcast_to(effects, self.shape))

    def best(self) -> _Parts:
        return self.at(self.decisions.calibrate().epsilon)


def accuracy_tests(
    metric: Scores,
    human: Scores,
    *,
    level: str = "item",
    swap: str = "both",
    clusters: Indices | None = None,
    resamples: int = 1999,
    seed: int = 20201,
) -> DifferenceTest:
    """Tests of the differences of acc-eq of all pairs of measures, on the cells that both have, by their effects.

    They hold their level for measures of the same expected accuracy, whatever their thresholds and tie rates. At level
    system they are of systems.
    """
    groups = _groups(clusters, human.shape[1])
    parts_by_key: dict[tuple[int, bytes], _Parts] = {}

    def parts_of(index: int, shared: Bools) -> _Parts:
        key = (index, shared.tobytes())
        if key not in parts_by_key:
            parts_by_key[key] = _Effects(np.where(shared, metric[index], np.nan), human, level).best()
        return parts_by_key[key]

    present = ~(np.isnan(metric) | np.isnan(human))
    differences = []
    for one, other in combinations(range(len(metric)), 2):
        shared = present[one] & present[other]
        pair_effects = _effects([parts_of(measure, shared) for measure in (one, other)], groups)
        differences.append(pair_effects.differences())
    effects = Effects.concatenate(differences)
    resampled = "systems" if level == "system" else swap
    return effect_test(effects, len(metric), resampled=resampled, level=level, resamples=resamples, seed=seed)


def _groups(clusters: Indices | None, items: int) -> Indices:
    """The groups of the items, (N,), which vary together."""
    return np.arange(items) if clusters is None else clusters


def _effects(parts: Sequence[_Parts], groups: Indices) -> Effects:
    """Effects on the accuracies of measures."""
    systems, items, cells = (
        np.stack([getattr(part, name) for part in parts], axis=-1) for name in ("systems", "items", "cells")
    )
    return Effects.from_parts(np.array([part.accuracy for part in parts]), systems, items, cells, groups)


@dataclass(frozen=True)
class AccuracyIntervals:
    """95 % intervals of acc-eq, (M,), and of its thresholds, epsilon."""

    low: Scores
    high: Scores
    epsilon: Scores
    epsilon_low: Scores
    epsilon_high: Scores


def accuracy_intervals(
    metric: Scores,
    human: Scores,
    *,
    level: str = "item",
    resampled: str = "both",
    clusters: Indices | None = None,
    resamples: int = 1000,
    seed: int = 20201,
) -> AccuracyIntervals:
    """Intervals of acc-eq at the threshold of the data, and of the threshold, which each bootstrap resample calibrates.

    Those of the accuracy are by Student's t of the effects of items and systems; at level system, of the effects of
    systems, or of the accuracies of the means on resampled items. The threshold of a resample is one of a grid, which
    becomes finer where the best ones of all resamples lie.
    """
    systems, items = human.shape
    groups = _groups(clusters, items)
    effective = effective_number(np.bincount(groups))
    units = {"systems": systems, "items": effective}.get(resampled, min(systems, effective))
    if units <= 1:
        return AccuracyIntervals(*np.full((5, len(metric)), np.nan))
    blocks = bootstrap_draws(systems, items, resampled=resampled, clusters=clusters, resamples=resamples, seed=seed)
    system_counts, item_counts = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    rows = []
    for scores in steps(list(metric), "Intervals of accuracies"):
        bootstrap = _Resamples(scores, human, level, system_counts, item_counts)
        parts = bootstrap.effects.best()
        effects = _effects([parts], groups)
        errors = errors_of(effects, resampled="systems" if level == "system" else resampled, level=level)
        if (level, resampled) == ("system", "items"):
            deviation = defined_deviation(bootstrap.accuracies(np.array([parts.epsilon])).T)
            errors = replace(errors, error=deviation, freedom=np.array([effective - 1]))
        low, high = student_intervals(effects.values, errors.error, errors.freedom, lowest=0.0)
        rows.append((float(low[0]), float(high[0]), parts.epsilon, *bootstrap.thresholds(parts.epsilon, seed)))
    return AccuracyIntervals(*np.array(rows).T)


class _Resamples:
    """Accuracies of one measure in bootstrap resamples with multiplicities (R, S) and (R, N). metric, human: (S, N)."""

    def __init__(
        self, metric: Scores, human: Scores, level: str, system_counts: Integers, item_counts: Integers
    ) -> None:
        self.effects = _Effects(metric, human, level)
        self.more_systems, self.more_items = system_counts - 1.0, item_counts - 1.0
        self.means: tuple[Scores, ...] | None = None
        if level == "system" and self.more_items.any():
            missing = np.isnan(metric) | np.isnan(human)
            means = (resampled_means(np.where(missing, np.nan, scores), item_counts) for scores in (metric, human))
            self.means = tuple(map(_without_infinities, means))

    def accuracies(self, thresholds: Scores) -> Scores:
        """Accuracies of the resamples at rising thresholds, (E, R)."""
        parts_by_threshold = [self.effects.at(epsilon) for epsilon in thresholds.tolist()]
        values = np.zeros((len(parts_by_threshold), len(self.more_items)))
        if self.means is not None:
            values += self._mean_accuracies(self.means, thresholds)
        for row, parts in zip(values, parts_by_threshold, strict=True):
            if self.means is None:
                row += parts.accuracy
                if self.effects.level != "system":
                    row += self.more_items @ parts.items
            row += self.more_systems @ parts.systems
        return values

    @staticmethod
    def _mean_accuracies(means: tuple[Scores, ...], thresholds: Scores) -> Scores:
        """The same of resampled means of systems, (R, S), of which each pair is compared once for all thresholds."""
        metric, human = means
        one, other = np.triu_indices(metric.shape[1], k=1)
        values, columns = np.empty((len(thresholds), len(metric))), len(thresholds) + 1
        step = max(1, SPAN // 4 // max(1, len(one)))
        for begin in range(0, len(metric), step):
            rows = slice(begin, begin + step)
            difference, human_difference = (scores[rows][:, one] - scores[rows][:, other] for scores in (metric, human))
            concordant = np.sign(difference) * np.sign(human_difference) > 0
            tied = (human_difference == 0) & ~np.isnan(difference)
            # From the first threshold that its difference does not exceed, a pair is a tie of the metric.
            first_cell = columns * np.arange(len(concordant))[:, np.newaxis]
            cells = np.searchsorted(thresholds, np.abs(difference)) + first_cell
            gains = np.bincount(cells.ravel(), (tied - 1.0 * concordant).ravel(), minlength=columns * len(concordant))
            right = gains.reshape(-1, columns).cumsum(axis=1)[:, :-1] + concordant.sum(axis=1, keepdims=True)
            length = np.count_nonzero(~np.isnan(metric[rows] + human[rows]), axis=1)
            values[:, rows] = divide(2 * right.T, length * (length - 1))
        return values

    def thresholds(self, epsilon: float, seed: int) -> tuple[float, float]:
        """The interval of the threshold; epsilon: that of the data."""
        if np.isnan(epsilon):
            return np.nan, np.nan
        scores, random = self.effects.vectors[0], generator(seed_for(seed, "pairs of decisions"))
        row = random.integers(len(scores), size=PAIRS_SAMPLED)
        one, other = random.integers(scores.shape[1], size=(2, PAIRS_SAMPLED))
        with np.errstate(invalid="ignore"):
            differences = np.abs(scores[row, one] - scores[row, other])
        differences = differences[(differences > 0) & np.isfinite(differences)]
        best = np.full(len(self.more_systems), epsilon)
        # The second time, thresholds lie between those next to the best ones of the first time.
        first, last = 0.0, float(differences.max(initial=0.0))
        for _ in range(2):
            between = differences[(differences >= first) & (differences <= last)]
            shares = np.quantile(between, np.linspace(0, 1, THRESHOLDS)) if len(between) else []
            grid = np.unique([first, epsilon, *shares])
            indices = self.accuracies(grid).argmax(axis=0)
            best = grid[indices]
            first, last = float(grid[max(indices.min() - 1, 0)]), float(grid[min(indices.max() + 1, len(grid) - 1)])
        low, high = percentile_interval(best)
        return float(low), float(high)
