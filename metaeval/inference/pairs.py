"""Differences of every two systems: adjusted p-values and simultaneous intervals.

One statistic decides on all of them, so that none can contradict another. With d the difference of the parts of two
systems, z = Σ d / √(Σ d²); chance gives each group a random sign, the same for all pairs; M* is the largest |z*| of all
pairs, and the adjusted p-value is the share of signs whose M* reaches |z|. The interval holds the differences δ with
|Σ d − δ N| ≤ c √(Σ (d − δ m)²), the roots of a quadratic, where c is the critical value of M*.

One-sided tests use max(z, 0) instead of |z|, and intervals of the level 1 − 2α.

Where the parts of a difference are skewed, the studentised difference t is shrunk by Hall's transformation; the smaller
of both statistics counts, and the union of the intervals.

Where runs of the systems are random, too, each system has a normal deviation that adds to the signed sums and to their
variance, and z is the normal quantile of the same probability as Student's t, whose degrees of freedom are those of
Satterthwaite: few runs estimate their variance badly.

With two crossed groupings there are two such tests, one in each grouping, widened by what the other grouping adds to
the variance; the larger p-value counts, and the union of the intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.inference.clusters import CELLS_AT_ONCE
from metaeval.inference.parts import (
    CELLS_IN_CACHE,
    PairSums,
    Parts,
    RunVariance,
    Signs,
    as_normal,
    as_student,
    differences_of_rows,
    in_errors,
)
from metaeval.inference.skewness import expand, shrink, skewness
from metaeval.stats.intervals import last_inside
from metaeval.stats.ratio import divide
from metaeval.stats.tests import compact_letters
from metaeval.steps import steps

REACHED = 1 - 1e-9
"""A statistic that falls short of another by rounding alone reaches it."""

MOST_FLIPS = 1 << 23
"""Signed sums of the parts under all measures that stay in memory, for further tests of the same evidence."""

ROUNDING = 1e-7
"""Standard errors of less, relative to the difference, are rounding of its square."""


@dataclass(frozen=True)
class Evidence:
    """The parts of systems in one grouping of the items, or in two crossed ones, and random signs of the groups.

    groupings: the parts by the groups; of two crossed groupings those by rows, by columns and by cells. signs: random
    signs of the groups: of one grouping, or of two. normals: random normal deviations of the systems, (S, T), where
    their runs are random, too.
    """

    groupings: tuple[Parts, ...]
    signs: tuple[Signs, ...]
    normals: Floats | None = None

    @classmethod
    def draw(cls, groupings: Sequence[Parts], random: np.random.Generator, permutations: int) -> Evidence:
        """With signs from a generator."""
        return cls(
            tuple(groupings),
            tuple(Signs.draw(random, len(parts.sizes), permutations) for parts in groupings[: 1 + len(groupings) // 2]),
        )

    def select(self, systems: Indices) -> Evidence:
        """The evidence of some systems, with the same signs."""
        normals = None if self.normals is None else self.normals[systems]
        return Evidence(tuple(parts.select(systems) for parts in self.groupings), self.signs, normals)

    def select_trials(self, trials: slice) -> Evidence:
        """The evidence with some of the signs."""
        normals = None if self.normals is None else self.normals[:, trials]
        return Evidence(self.groupings, tuple(signs.select_trials(trials) for signs in self.signs), normals)

    def with_other_runs(self, random: np.random.Generator) -> Evidence:
        """The evidence on other items and other runs of the systems, where these have enough runs."""
        if self.runs is None:
            return self
        return replace(self, normals=random.standard_normal((len(self.scores), len(self.signs[0]))))

    @property
    def runs(self) -> RunVariance | None:
        """What repeated runs add to the variance of scores: of two crossed groupings beyond that by cells."""
        return self.groupings[-1].runs

    @property
    def without_pairs(self) -> Evidence:
        """With the parts of systems by themselves, where pairs have others."""
        return Evidence(tuple(parts.without_pairs for parts in self.groupings), self.signs, self.normals)

    @property
    def scores(self) -> Floats:
        """Scores of all items, (S,)."""
        return self.groupings[0].scores * self.groupings[0].unit

    @property
    def smallest_p(self) -> float:
        """The smallest p-value of any difference: that of all groups having the same sign."""
        return max(2.0 ** (1 - len(parts.sizes)) for parts in self.groupings[: len(self.signs)])

    @cached_property
    def defined(self) -> Bools:
        """Systems whose score is defined, with and without every group, (S,)."""
        return np.asarray(np.all([parts.defined for parts in self.groupings], axis=0))

    @cached_property
    def flips(self) -> tuple[Any, ...]:
        """What `signed` needs of the signs in each grouping."""
        return tuple(parts.flips(signs) for parts, signs in zip(self.groupings, self.signs, strict=False))

    def forget(self) -> None:
        """Free the memory of `flips`."""
        self.__dict__.pop("flips", None)

    def signed(self, way: int, one: Indices, other: Indices) -> Floats:
        """Signed sums of the parts of differences of systems in a grouping, (P, T)."""
        return self.groupings[way].signed(self.flips[way], one, other)


@dataclass(frozen=True)
class PairTests:
    """Tests of the differences of pairs of systems, one less other; arrays are (P,), NaN where undefined.

    z: difference in units of its variation by chance. raw, p: p-values, by itself and adjusted for all pairs.
    low, high: simultaneous interval at the level 1 − α; NaN also where the difference does not vary. threshold:
    difference from which the pair would be significant, likewise. criticals: critical values in standard errors: the
    same for all pairs unless systems lack items.
    """

    one: Indices
    other: Indices
    difference: Floats
    z: Floats
    raw: Floats
    p: Floats
    low: Floats
    high: Floats
    threshold: Floats
    alpha: float
    criticals: Floats

    @property
    def critical(self) -> float:
        """The largest critical value; infinite where no pair is tested."""
        criticals = self.criticals[~np.isnan(self.criticals)]
        return float(criticals.max()) if len(criticals) else np.inf

    @property
    def significant(self) -> Bools:
        """Pairs whose adjusted p-value is at most α, (P,)."""
        significant: Bools = self.p <= self.alpha
        return significant

    @property
    def directions(self) -> NDArray[np.int8]:
        """1 where the first system is significantly better, −1 where the other one is, else 0, (P,)."""
        return np.where(self.significant, np.sign(np.nan_to_num(self.difference)), 0).astype(np.int8)

    def interval(self, sign: int) -> tuple[Floats, Floats]:
        """Lower and upper ends of the differences times a sign, which is −1 for a measure of which lower is better."""
        return (self.low, self.high) if sign > 0 else (-self.high, -self.low)


@dataclass(frozen=True)
class Statistic:
    """The statistic of pairs in one grouping (way); arrays are (P,).

    total: sums of the differences. vary: whether they vary. sums: their squares. extra: what the other grouping, and
    runs, add to the variance. share: of the signed sums of the other grouping in the distribution by chance. by_runs:
    what runs add to the signed sums of each system, (S, T); None where they are not random. one_sided: see
    `compare_measures`.
    """

    evidence: Evidence
    way: int
    one: Indices
    other: Indices
    total: Floats
    vary: Bools
    sums: PairSums
    extra: Floats
    share: Floats
    by_runs: Floats | None
    one_sided: bool

    @property
    def difference(self) -> Floats:
        """Differences of the scores, in units of the parts, (P,)."""
        return self.total / self.items

    @cached_property
    def root(self) -> Floats:
        """Variation of the sums by chance, (P,); 1 where they do not vary."""
        return np.sqrt(np.where(self.vary, self.sums.square + self.extra, 1.0))

    @cached_property
    def z(self) -> Floats:
        """The sums in units of their variation by chance, (P,), shrunk where they are skewed, or runs are few."""
        z = np.where(self.vary, self.total / self.root, 0.0)
        t = as_normal(shrink(np.where(self.adjusted, self.t, 0.0), self.skewness), self.freedom)
        # The variance of t by chance; 0 of a single group without a difference.
        variance = 1 - 1 / self.sums.groups + t**2 * self.sums.sizes / self.items**2
        shrunk = divide(t, np.sqrt(variance), undefined=0.0)
        return np.where(self.adjusted & (np.abs(shrunk) < np.abs(z)), shrunk, z)

    @property
    def items(self) -> float:
        """Number of items, N."""
        return self.evidence.groupings[0].items

    @cached_property
    def _variance(self) -> Floats:
        """Σ (d − δ m)² at the difference δ, and what the other grouping adds, (P,)."""
        return np.maximum(self.sums.centred(self.difference) + self.extra, 0.0)

    @cached_property
    def error(self) -> Floats:
        """Standard errors of the differences, (P,)."""
        return np.sqrt(self._variance * self.sums.groups / np.maximum(self.sums.groups - 1, 1)) / self.items

    @cached_property
    def t(self) -> Floats:
        """Differences in standard errors, (P,); infinite without variation."""
        return in_errors(self.difference, np.where(self.vary, self.error, 0.0))

    @cached_property
    def skewness(self) -> Floats:
        """Of the parts of each difference, (P,): see `inference.skewness`."""
        return np.where(np.isfinite(self.t), skewness(self.sums.cube, self._variance, self.sums.groups), 0.0)

    @cached_property
    def freedom(self) -> Floats:
        """Degrees of freedom of the standard errors by Satterthwaite, (P,); infinite where runs are not random."""
        runs = self.evidence.runs
        if self.by_runs is None or runs is None:
            return np.full(len(self.total), np.inf)
        terms = runs.whole**2 / runs.freedom
        freedom = divide(self.error**4, terms[self.one] + terms[self.other], undefined=np.inf)
        return np.where(self.vary, np.maximum(freedom, 1.0), np.inf)

    @cached_property
    def adjusted(self) -> Bools:
        """Pairs whose t is finite, and shrunk for its skewness or for few runs, (P,)."""
        return np.asarray(((self.skewness != 0) | np.isfinite(self.freedom)) & np.isfinite(self.t))

    def chance(self) -> Iterator[tuple[Indices, Floats]]:
        """Blocks of the pairs that vary, and the statistic under random signs, (pairs, T)."""
        pairs = np.flatnonzero(self.vary)
        # Before the first block, because blocks are alike.
        _ = self.evidence.flips
        # Where pairs have parts of their own, signs are multiplied with those of many at once.
        cells = CELLS_AT_ONCE if self.evidence.groupings[0].by_pair else CELLS_IN_CACHE
        step = max(1, cells // max(1, len(self.evidence.signs[0])))
        for begin in steps(range(0, len(pairs), step), "Differences by chance"):
            block = pairs[begin : begin + step]
            one, other = self.one[block], self.other[block]
            sums = self.evidence.signed(self.way, one, other)
            if len(self.evidence.signs) > 1:
                sums += self.share[block, np.newaxis] * self.evidence.signed(1 - self.way, one, other)
            if self.by_runs is not None:
                sums += differences_of_rows(self.by_runs, one, other)
            sums /= self.root[block, np.newaxis]
            yield block, sums

    @cached_property
    def by_chance(self) -> tuple[Floats, Floats]:
        """The largest of what is tested of z* for each row of signs, (T,), and the p-value of each pair by itself."""
        return largest_and_raw(self.chance(), self.z, len(self.evidence.signs[0]), one_sided=self.one_sided)

    def limit_in_errors(self, critical: float) -> Floats:
        """A critical value in standard errors, (P,); infinite where no difference can be significant."""
        # N² / c² − Σ m²: 0 or less where no difference can be significant.
        slack = np.broadcast_to(self.items**2 / max(critical, 1e-9) ** 2 - self.sums.sizes, self.z.shape)
        possible = np.where(slack > 0, slack, 1.0)
        normal = np.where(slack > 0, self.items * np.sqrt((1 - 1 / self.sums.groups) / possible), np.inf)
        return as_student(normal, self.freedom)

    def thresholds(self, critical: float) -> Floats:
        """The differences from which the pairs would be significant, if their deviations stayed the same."""
        skewed = self.skewness * np.where(self.difference < 0, -1.0, 1.0)
        limit = expand(self.limit_in_errors(critical), skewed)
        possible = np.isfinite(limit)
        return np.where(possible, np.where(possible, limit, 0.0) * self.error, np.inf)

    def test(self, most: Floats, critical: float) -> tuple[Floats, Floats, Floats]:
        """Adjusted p-values, and the simultaneous intervals; most: the largest statistics by chance, sorted, (T,)."""
        low, high = self.interval(critical)
        tested = self.vary & np.isfinite(high)
        size = sizes_of(self.z, one_sided=self.one_sided)
        return np.where(tested, share_reaching(size, most), 1.0), low, high

    def interval(self, critical: float) -> tuple[Floats, Floats]:
        """The differences that do not deviate by more than a critical value; infinite where it cannot be exceeded."""
        low, high = self._roots(critical)
        adjusted = np.flatnonzero(self.adjusted & np.isfinite(high))
        difference, limit, error, k = (
            array[adjusted] for array in (self.difference, self.limit_in_errors(critical), self.error, self.skewness)
        )
        low[adjusted] = np.minimum(low[adjusted], difference - expand(limit, k) * error)
        high[adjusted] = np.maximum(high[adjusted], difference + expand(limit, -k) * error)
        few = np.flatnonzero(self._counts_few & np.isfinite(high))
        if len(few):
            low_of_few, high_of_few = ends_of_few(self.total[few], self.sums.square[few], self.items, critical)
            low[few], high[few] = np.minimum(low[few], low_of_few), np.maximum(high[few], high_of_few)
        return low, high

    @property
    def _counts_few(self) -> Bools:
        """Pairs of systems of which only few items differ, by whole numbers, (P,); none where runs are random."""
        if self.by_runs is not None or not self.evidence.groupings[0].are_whole:
            return np.zeros(len(self.total), dtype=np.bool_)
        return self.vary & (self.sums.square < self.items / 2)

    def _roots(self, critical: float) -> tuple[Floats, Floats]:
        """The same where nothing is adjusted: the roots of a quadratic."""
        items = self.items
        # The statistic cannot exceed the root of the effective number of groups.
        bounded = np.broadcast_to(critical**2 < items**2 / self.sums.sizes, self.z.shape)
        if not bounded.any():
            unbounded = np.full(len(self.z), np.inf)
            return -unbounded, unbounded
        # (Σ d − δ N)² ≤ c² (Σ d² + extra − 2 δ Σ d m + δ² Σ m²)
        square = items**2 - critical**2 * self.sums.sizes
        linear = self.total * items - critical**2 * self.sums.cross
        constant = self.total**2 - critical**2 * (self.sums.square + self.extra)
        root = np.sqrt(np.maximum(linear**2 - square * constant, 0.0))
        divisor = np.where(bounded, square, 1.0)
        low, high = (linear - root) / divisor, (linear + root) / divisor
        return np.where(bounded, low, -np.inf), np.where(bounded, high, np.inf)


def ends_of_few(total: Floats, square: Floats, items: float, critical: float) -> tuple[Floats, Floats]:
    """Ends of the differences between shares of items, (P,), where few items differ (the score method of Tango 1998).

    Few items say little of how many would differ if the true difference were another: the variance is that of the most
    likely shares with this difference, which is Σ d² for the difference 0, so that the same intervals exclude it.
    """
    worse = (square - total) / 2

    def is_inside(difference: Floats) -> Bools:
        slope = (2 * items - total) * difference - square
        both = worse * difference * (1 - difference)
        worse_share = (np.sqrt(np.maximum(slope**2 + 8 * items * both, 0.0)) - slope) / (4 * items)
        variance = items * np.maximum(2 * worse_share + difference * (1 - difference), 0.0)
        return np.asarray(np.abs(total - items * difference) <= critical * np.sqrt(variance))

    low, high = (last_inside(total / items, np.full(len(total), furthest), is_inside) for furthest in (-1.0, 1.0))
    return low, high


def sizes_of(z: Floats, *, one_sided: bool, out: Floats | None = None) -> Floats:
    """What is tested of statistics: |z|, or of one-sided tests z, at least 0."""
    return np.maximum(z, 0.0, out=out) if one_sided else np.abs(z, out=out)


def largest_and_raw(
    chance: Iterable[tuple[Indices, Floats]], z: Floats, trials: int, *, one_sided: bool = False
) -> tuple[Floats, Floats]:
    """The largest |z*| of each trial, (T,), and the p-value of each pair by itself, (P,).

    chance: blocks of the pairs, and their statistics by chance, (pairs, T), which are overwritten.
    """
    most, raw, sizes = np.zeros(trials), np.ones(len(z)), sizes_of(z, one_sided=one_sided)
    for block, statistics in chance:
        sizes_of(statistics, one_sided=one_sided, out=statistics)
        np.maximum(most, statistics.max(axis=0), out=most)
        reached = statistics >= sizes[block, np.newaxis] * REACHED
        raw[block] = (np.count_nonzero(reached, axis=1) + 1) / (trials + 1)
    return most, raw


def critical_rank(trials: int, alpha: float) -> int:
    """The rank from above of the largest value of chance that is not significant; 0 where trials are too few for any.

    trials: number of values of chance, without the statistic, which counts as one of them. alpha: significance level.
    """
    return int(np.floor(alpha * (trials + 1) * (1 + 1e-12)))


def fewest_permutations(alpha: float) -> int:
    """The fewest values of chance of which `critical_rank` is not 0."""
    return int(np.ceil(1 / alpha * (1 - 1e-12))) - 1


def share_reaching(statistics: Floats, most: Floats) -> Floats:
    """Shares (k + 1) / (T + 1) of sorted values of chance, (T,), that reach statistics, (P,), up to rounding."""
    below = np.searchsorted(most, statistics * REACHED, side="left")
    shares: Floats = (len(most) - below + 1) / (len(most) + 1)
    return shares


def compare_pairs(
    evidence: Evidence, *, alpha: float = 0.05, pairs: tuple[Indices, Indices] | None = None
) -> PairTests:
    """Test the differences of a family of pairs of systems: two arrays, by default `numpy.triu_indices(S, 1)`.

    alpha: significance level of the family. Intervals are infinite where the groups are too few for any difference to
    be significant, and p = 1, too, where they are too unequal.
    """
    (tests,) = compare_measures([evidence], alpha=alpha, pairs=pairs)
    return tests


def compare_measures(
    evidence: Sequence[Evidence],
    *,
    alpha: float = 0.05,
    pairs: tuple[Indices, Indices] | None = None,
    one_sided: bool = False,
) -> list[PairTests]:
    """Test the differences of pairs of systems under several measures as one family; see `compare_pairs`.

    evidence: under each measure, with the same signs. one_sided: whether to test if the first system of each pair is
    better: p is 1 where it is not, and the intervals, which have the level 1 − 2 α, are above 0 exactly where p ≤ α.
    """
    one, other = np.triu_indices(len(evidence[0].scores), k=1) if pairs is None else pairs
    defined = [ranking.defined[one] & ranking.defined[other] for ranking in evidence]
    statistics_by_measure = [
        statistics_of(ranking, one[mask], other[mask], one_sided=one_sided) if mask.any() else []
        for ranking, mask in zip(evidence, defined, strict=True)
    ]
    ways = range(max(map(len, statistics_by_measure)))
    numbers = [parts.numbers_a_trial for ranking in evidence for parts in ranking.groupings[: len(ranking.signs)]]
    many = sum(numbers) * len(evidence[0].signs[0]) > MOST_FLIPS
    largest = np.zeros((len(ways), len(evidence[0].signs[0])))
    for ranking, statistics in zip(evidence, statistics_by_measure, strict=True):
        for statistic, row in zip(statistics, largest, strict=False):
            np.maximum(row, statistic.by_chance[0], out=row)
        if many:
            ranking.forget()
    most = [*np.sort(largest, axis=1)]
    criticals = [critical_value(maxima, alpha) for maxima in most]
    results = []
    for ranking, mask, statistics in zip(evidence, defined, statistics_by_measure, strict=True):
        columns = _pair_columns(ranking, statistics, most, criticals, alpha=alpha) if statistics else {}
        arrays = {name: np.full(len(one), np.nan) for name in _OF_PAIRS}
        for name, values in columns.items():
            arrays[name][mask] = values
        results.append(PairTests(one=one, other=other, alpha=alpha, **arrays))
    return results


_OF_PAIRS = ("difference", "z", "raw", "p", "low", "high", "threshold", "criticals")
"""The arrays of `PairTests`."""


def critical_value(most: Floats, alpha: float) -> float:
    """The largest statistic that is not significant; infinite where there are too few signs for any to be.

    most: the largest statistics by chance, sorted, (T,).
    """
    rank = critical_rank(len(most), alpha)
    return float(most[-rank]) * (1 + 2e-9) if rank else np.inf


def _pair_columns(
    evidence: Evidence,
    statistics: Sequence[Statistic],
    most: Sequence[Floats],
    criticals: Sequence[float],
    alpha: float,
) -> dict[str, Floats]:
    """The arrays of the tests of pairs whose systems have defined scores, from the statistic in each grouping."""
    first = evidence.groupings[0]
    vary, total = statistics[0].vary, statistics[0].total
    smallest_p = evidence.smallest_p / 2 if statistics[0].one_sided else evidence.smallest_p
    family = [*zip(statistics, most, criticals, strict=True)]
    outcomes = [statistic.test(by_chance, critical) for statistic, by_chance, critical in family]
    every_p, lows, highs = (np.stack(values) for values in zip(*outcomes, strict=True))
    wide = np.inf if smallest_p > alpha else 0.0
    low, high = lows.min(axis=0) - wide, highs.max(axis=0) + wide
    # A difference that is the same in every group says nothing of how it would vary.
    rounding = np.maximum(first.smallest, ROUNDING * np.abs(total / first.items))
    spread = vary & np.all([statistic.error > rounding for statistic in statistics], axis=0)
    # Of two groupings the one with the larger p-value decides.
    decides = np.argmax(every_p, axis=0)[np.newaxis]
    threshold = np.max([statistic.thresholds(critical) for statistic, _, critical in family], axis=0) + wide
    in_units = {
        "difference": total / first.items,
        "low": np.where(spread | np.isinf(low), low, np.nan),
        "high": np.where(spread | np.isinf(high), high, np.nan),
        "threshold": np.where(spread, threshold, np.nan),
    }
    # Thresholds with few groups may exceed the range of numbers.
    with np.errstate(over="ignore"):
        scaled = {name: values * first.unit for name, values in in_units.items()}
    return {
        **scaled,
        "z": np.take_along_axis(np.stack([statistic.z for statistic in statistics]), decides, axis=0)[0],
        # Of the signs that were drawn, fewer may be all alike than of all signs.
        "raw": np.maximum(np.max([statistic.by_chance[1] for statistic in statistics], axis=0), smallest_p),
        "p": np.maximum(every_p.max(axis=0), smallest_p),
        "criticals": np.max([statistic.limit_in_errors(critical) for statistic, _, critical in family], axis=0) + wide,
    }


def statistics_of(evidence: Evidence, one: Indices, other: Indices, *, one_sided: bool = False) -> list[Statistic]:
    """The statistic of pairs of systems with defined scores, in each grouping."""
    first = evidence.groupings[0]
    items, smallest = first.items, first.items * first.smallest
    total = items * first.differences(one, other)
    sums = [parts.pair_sums(one, other) for parts in evidence.groupings]
    ways = range(len(evidence.signs))
    vary = np.min([sums[way].square for way in ways], axis=0) > smallest**2
    extra = share = [np.zeros(len(total))]
    if len(ways) > 1:
        cells = sums[2].centred(total / items)
        extra = [np.where(vary, np.maximum(sums[way].centred(total / items) - cells, 0.0), 0.0) for way in ways]
        share = [np.sqrt(np.where(vary, divide(extra[way], sums[way].square, undefined=0.0), 0.0)) for way in ways]
    by_runs = None
    if evidence.runs is not None and evidence.normals is not None:
        run_variance = evidence.runs.extra * items**2
        extra = [variance + run_variance[one] + run_variance[other] for variance in extra]
        by_runs = np.sqrt(run_variance)[:, np.newaxis] * evidence.normals
    # Each grouping is widened by what the other one adds, if there is another.
    return [
        Statistic(
            evidence=evidence,
            way=way,
            one=one,
            other=other,
            total=total,
            vary=vary,
            sums=sums[way],
            extra=extra[-1 - way],
            share=share[-1 - way],
            by_runs=by_runs,
            one_sided=one_sided,
        )
        for way in ways
    ]


def significant_directions(evidence: Evidence, ones: Indices, others: Indices, *, alpha: float) -> NDArray[np.int8]:
    """1 where a system of ones (K,) is significantly better than one of others (L,), −1 where worse, else 0, (K, L)."""
    tests = compare_pairs(evidence, alpha=alpha, pairs=(np.repeat(ones, len(others)), np.tile(others, len(ones))))
    return tests.directions.reshape(len(ones), len(others))


@dataclass(frozen=True)
class Order:
    """Which systems are significantly better than which.

    scores: oriented, (S,). better: whether the system of the row is better than that of the column, (S, S). defined:
    systems whose differences are defined, (S,); the others have no rank set, letters and tier.
    """

    scores: Floats
    better: Bools
    defined: Bools

    @classmethod
    def of(cls, scores: Floats, tests: PairTests, defined: Bools) -> Order:
        """The order of systems of which all pairs were tested."""
        better = np.zeros((len(scores), len(scores)), dtype=np.bool_)
        up, down = (tests.significant & (tests.difference * sign > 0) for sign in (1, -1))
        better[tests.one[up], tests.other[up]] = True
        better[tests.other[down], tests.one[down]] = True
        return cls(scores, better, defined)

    @property
    def different(self) -> Bools:
        """Whether two systems are significantly different, (S, S)."""
        different: Bools = self.better | self.better.T
        return different

    def best(self, systems: Sequence[str]) -> list[str]:
        """The names of the systems with the highest score, whose differences are defined."""
        highest = self.scores[self.defined].max(initial=-np.inf)
        return [systems[index] for index in np.flatnonzero(self.defined & (self.scores == highest)).tolist()]

    @property
    def rank_sets(self) -> tuple[Ints, Ints]:
        """Lowest and highest rank that each system may have, from 1; the sets of all systems hold jointly."""
        return self.rank_sets_among(np.ones(len(self.scores), dtype=np.bool_))

    def rank_sets_among(self, ranked: Bools) -> tuple[Ints, Ints]:
        """The same where only some systems have a rank; ranked: which, (S,)."""
        low = 1 + self.better[ranked].sum(axis=0)
        high = int((self.defined & ranked).sum()) - self.better[:, ranked].sum(axis=1)
        return low.astype(np.int64), high.astype(np.int64)

    @property
    def letters(self) -> list[str]:
        """Letters that two systems share exactly where they are not significantly different."""
        return compact_letters(np.where(self.defined, self.scores, np.nan), self.different)

    @property
    def tiers(self) -> list[int]:
        """Tiers, 1 the best: a system opens a new one if it is significantly worse than a best one of the tier above.

        Systems with equal scores are in one tier. 0 where the differences are undefined.
        """
        tier_of = np.zeros(len(self.scores), dtype=np.int64)
        heights = np.unique(self.scores[self.defined])[::-1]
        best, tier = np.array([], dtype=np.intp), 0
        for height in heights:
            level = np.flatnonzero(self.defined & (self.scores == height))
            if not tier or self.better[np.ix_(best, level)].any():
                best, tier = level, tier + 1
            tier_of[level] = tier
        return tier_of.tolist()
