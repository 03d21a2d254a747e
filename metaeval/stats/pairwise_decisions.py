"""Right and wrong decisions of a metric on pairs of entries, with ties up to a calibrated threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Ints, Scores
from metaeval.stats._swaps.counts import CountsBefore
from metaeval.stats.ratio import divide

PAIRS_TOGETHER, SPAN = 1 << 25, 1 << 22
"""Numbers of pairs, in all and in memory, above which thresholds that cannot be the best are left out unseen."""

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


class Decisions:
    """Decisions of a metric on the pairs of entries of vectors, at any threshold of ties.

    Entries are sorted by the metric, so that those that differ by up to a threshold are neighbours. How many of the
    first entries have lower human scores follows from the bits of their ranks.

    Parameters
    ----------
    metric, human : array (V, L)
        Scores, NaN where missing.
    """

    def __init__(self, metric: Scores, human: Scores) -> None:
        missing = np.isnan(metric) | np.isnan(human)
        finite = metric[np.isfinite(metric)]
        if np.isinf(metric).any() and len(finite):
            # Infinite scores are farther from the others than those from each other.
            far = 2 * np.ptp(finite) + 1
            metric = np.clip(metric, finite.min() - far, finite.max() + far)
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
        by_human = np.lexsort((self.metric, np.where(self.present, self.human, self.human.max(initial=0) + 1)), axis=-1)
        self.by_human = np.take_along_axis(self.metric, by_human, axis=-1)
        self.present_by_human = np.take_along_axis(self.present, by_human, axis=-1)
        ranks = np.take_along_axis(self.human, by_human, axis=-1)
        self.places = np.broadcast_to(np.arange(metric.shape[1]), metric.shape)
        ends = np.append(ranks[:, 1:] != ranks[:, :-1], np.ones((len(ranks), 1), dtype=np.bool_), axis=1)
        ends = np.where(ends, self.places + 1, metric.shape[1])[:, ::-1]
        self.last_equal = np.minimum.accumulate(ends, axis=1)[:, ::-1]
        self.seen: dict[float, tuple[float, float, int]] = {}

    def right(self, epsilon: float) -> tuple[Ints, Ints]:
        """Partners of each entry that both order in the same way, and that both tie, (V, L), in the order of the input.

        Parameters
        ----------
        epsilon
            Threshold up to which differences of the metric are ties.
        """
        lower, within = (_first(self.metric, self.length, epsilon, side) for side in (-1, 1))
        below_lower, below_within = (self.before.count(upto, self.human) for upto in (lower, within))
        upto_lower, upto_within = (self.before.count(upto, self.human + 1) for upto in (lower, within))
        above = self.higher - (within - upto_within)
        tied = (upto_within - below_within) - (upto_lower - below_lower) - 1
        result = []
        for counts in (below_lower + above, tied):
            restored = np.zeros_like(counts)
            np.put_along_axis(restored, self.order, np.where(self.present, counts, 0), axis=-1)
            result.append(restored)
        return result[0], result[1]

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
            parts = [(low, high) for low, high in parts if self._shares(low)[0] + self._shares(high)[1] >= best]
            if parts == spans:
                break
            spans = parts
        found = [(sum(self._shares(epsilon)[:2]), epsilon) for epsilon in sorted({0.0, *self.seen})]
        found += [each for low, high in spans for each in self._between(low, high)]
        most = max(accuracy for accuracy, _ in found) - 1e-12
        accuracy, epsilon = min((each for each in found if each[0] >= most), key=lambda each: each[1])
        return TieAccuracy(float(accuracy), float(epsilon), self.vectors)

    def _shares(self, epsilon: float) -> tuple[float, float, int]:
        """Shares of pairs that both order in the same way, and that both tie, and the number that the metric ties."""
        if epsilon not in self.seen:
            ordered = self.before.count(_first(self.metric, self.length, epsilon, -1), self.human)
            # In the order of the human scores, partners with equal ones are neighbours.
            tied = _first(self.by_human, self.last_equal, epsilon, 1, begin=self.places)
            shares = [
                float((np.where(present, counts, 0) * self.weight).sum())
                for counts, present in ((ordered, self.present), (tied - self.places - 1, self.present_by_human))
            ]
            within = _first(self.metric, self.length, epsilon, 1)
            self.seen[epsilon] = shares[0], shares[1], int(within[self.present].sum())
        return self.seen[epsilon]

    def _size(self, low: float, high: float) -> int:
        return self._shares(high)[2] - self._shares(low)[2]

    def _split(self, low: float, high: float) -> list[tuple[float, float]]:
        """Halves of the thresholds between two, at a difference of two scores; itself if there is none."""
        position = _first(self.metric, self.length, (low + high) / 2, 1)
        nearest = self._differences(position - 1)
        middle = float(nearest[nearest <= (low + high) / 2].max(initial=low))
        if middle <= low:
            following = self._differences(np.minimum(position, self.metric.shape[1] - 1))
            middle = float(following[following > (low + high) / 2].min(initial=high))
        return [(low, high)] if middle >= high else [(low, middle), (middle, high)]

    def _differences(self, position: Ints) -> Scores:
        found = np.take_along_axis(self.metric, position, axis=-1)[self.present] - self.metric[self.present]
        return np.asarray(found[np.isfinite(found)])

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
            ordered = (keys >> np.uint64(1)).view(np.float64)
        else:
            order = np.argsort(difference)
            ordered = difference[order]
            share = self.weight[:, 0][one // begin.shape[1]]
            steps = np.cumsum(np.where(gains, share, -share)[order])
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        accuracy = sum(self._shares(low)[:2]) + steps[last]
        first = last[np.argmax(accuracy >= accuracy.max() - 1e-12)]
        return [(float(accuracy.max()), float(ordered[first]))]


def _first(metric: Scores, end: Ints, epsilon: float, side: int, *, begin: Ints | None = None) -> Ints:
    """For each entry of sorted vectors, how many are lower by more than a threshold (−1), or not higher by more (1).

    begin, end: between which entries the number must lie, (V, L) or what broadcasts.
    """
    rows, length = metric.shape
    bounds = (0 if begin is None else begin, end)
    low, high = (np.array(np.broadcast_to(bound, metric.shape), dtype=np.int64) for bound in bounds)
    starts, flat = np.arange(rows)[:, np.newaxis] * length, metric.reshape(-1)
    with np.errstate(invalid="ignore"):
        if length > SHORT and begin is None:
            # All but values within rounding errors.
            limit, margin = metric + side * epsilon, 4e-16 * (np.abs(metric) + epsilon)
            for row, scores in enumerate(metric):
                low[row] = np.minimum(np.searchsorted(scores, limit[row] - margin[row], side="left"), high[row])
                high[row] = np.minimum(np.searchsorted(scores, limit[row] + margin[row], side="right"), high[row])
        while (unknown := low < high).any():
            middle = (low + high) // 2
            found = flat[starts + np.minimum(middle, length - 1)]
            counts = metric - found > epsilon if side < 0 else found - metric <= epsilon
            counts &= unknown
            low, high = np.where(counts, middle + 1, low), np.where(counts, high, middle)
    return low
