"""What each group of items adds to each score, and the signed sums of it that stand for chance.

Variance components of scores that are means over items, and the reliability of rankings by them.

Scores of items are the sum of what the system, the item, its cluster, their interactions and, where a system was run
repeatedly, the run add by chance (generalisability theory: Brennan 2001). The components are those of the analysis of
variance, with the usual coefficients for clusters of unequal size: unbiased, and therefore below 0 at times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Indices, Integers
from metaeval.stats.intervals import LEVEL
from metaeval.stats.ratio import divide
from metaeval.steps import steps

CELLS_IN_CACHE = 1 << 16
"""Differences that are computed together, so that they stay in the cache of a processor."""

SIGNS_IN_CACHE = 1 << 17
"""Random signs that are multiplied together, likewise."""

TOLERANCE = 1e-12
"""Parts of two systems whose deviations are less, relative to the largest score, do not differ: they are no scores,
which are on a grid, but sums in any order."""


@dataclass(frozen=True)
class RunVariance:
    """What the runs of each system add to the variance of its mean score; arrays are (S,).

    whole: variance of the mean by the scores of runs: see `moderate`. extra: what this exceeds the variance by that
    items give the same deviations; at least 0. freedom: degrees of freedom.
    """

    whole: Floats
    extra: Floats
    freedom: Floats

    @classmethod
    def of(cls, run_parts: Parts, system_of_run: Indices) -> RunVariance:
        """From the parts of runs, at least two of each system; system_of_run: the system of each, from 0, (R,)."""
        numbers = np.bincount(system_of_run)
        deviations = run_parts.deviations
        between, by_items = np.empty(len(numbers)), np.empty(len(numbers))
        for system in range(len(numbers)):
            runs = system_of_run == system
            between[system] = run_parts.scores[runs].var(ddof=1)
            by_items[system] = deviations[:, runs].var(axis=1, ddof=1).sum()
        moderated, freedom = moderate(between, (numbers - 1).astype(np.float64))
        return cls(moderated / numbers, np.maximum(moderated - by_items, 0.0) / numbers, freedom)

    def select(self, systems: Integers | Bools) -> RunVariance:
        """That of some systems."""
        return RunVariance(self.whole[systems], self.extra[systems], self.freedom[systems])


MODERATED_FROM = 4
"""Systems from which variances between their runs are moderated; fewer do not show whether these are alike."""


def moderate(variances: Floats, freedom: Floats) -> tuple[Floats, Floats]:
    """Variances of several systems that learn from each other, and their degrees of freedom, (S,) (Smyth 2004).

    With few runs each variance is badly known by itself. The spread of the variances tells how many degrees of freedom
    their mean is worth for each of them, at most those of all. A variance that is larger than its moderated one stays,
    and half of these degrees of freedom count, because systems may differ more in how much their runs vary than a few
    variances show. Runs without any variation take no part.
    """
    from scipy.special import polygamma

    vary = variances > 0
    moderated, moderated_freedom = variances.copy(), freedom.copy()
    if vary.sum() < MODERATED_FROM:
        return moderated, moderated_freedom
    single, single_freedom = variances[vary], freedom[vary]
    total_freedom = float(single_freedom.sum())
    spread = float(np.log(single).var(ddof=1) - polygamma(1, single_freedom / 2).mean())
    # The spread of the logarithms of true variances is the trigamma function of half of the degrees of freedom.
    prior_freedom = min(2 * _inverse_trigamma(spread), total_freedom) if spread > 0 else total_freedom
    mean = float(single_freedom @ single) / total_freedom
    pooled = (prior_freedom * mean + single_freedom * single) / (prior_freedom + single_freedom)
    moderated[vary] = np.maximum(single, pooled)
    moderated_freedom[vary] = np.minimum(prior_freedom / 2 + single_freedom, total_freedom)
    return moderated, moderated_freedom


def _inverse_trigamma(value: float) -> float:
    """The x whose trigamma function has a value above 0, by Newton's method on its reciprocal."""
    from scipy.special import polygamma

    x = 0.5 + 1 / value
    for _ in range(20):
        trigamma = float(polygamma(1, x))
        x += trigamma * (1 - trigamma / value) / float(polygamma(2, x))
    return x


@dataclass(frozen=True)
class Parts:
    """Scores of systems under a measure, and the parts of it that each group of items adds.

    scores: scores of all items, higher better, (S,); NaN where undefined. parts: sum over the groups is N times the
    score, (G, S); a column of NaN where the score, or that without any group, is undefined. sizes: number of items of
    each group, (G,). unit: factor of scores and parts: scores near the end of the range of numbers have no squares.
    jackknife: whether the parts are pseudo-values, and not sums of what the items add. runs: what repeated runs add to
    the variance, where each system has enough of them.
    """

    by_pair: ClassVar[bool] = False
    """Whether each pair of systems has its own parts."""

    scores: Floats
    parts: Floats
    sizes: Floats
    unit: float = 1.0
    jackknife: bool = False
    runs: RunVariance | None = None

    @classmethod
    def from_jackknife(cls, scores: Floats, without: Floats, sizes: Integers | Floats) -> Parts:
        """The parts of other measures: jackknife pseudo-sums of scores without each group, (G, S), less a surplus."""
        column, items = sizes.astype(np.float64)[:, np.newaxis], float(sizes.sum())
        influence = (items - column) * (scores - without)
        parts = column * scores + influence - column / items * influence.sum(axis=0)
        return cls(scores, parts, column[:, 0], jackknife=True)

    @property
    def items(self) -> float:
        """Number of items, N."""
        return float(self.sizes.sum())

    @property
    def smallest(self) -> float:
        """The largest deviation of parts, in units of scores, that is rounding alone."""
        return TOLERANCE * max(float(np.nanmax(np.abs(self.scores), initial=0.0)), 1e-300)

    @property
    def defined(self) -> Bools:
        """Systems whose score is defined, with and without every group, (S,)."""
        return ~(np.isnan(self.scores) | np.isnan(self.parts).any(axis=0))

    @cached_property
    def are_whole(self) -> bool:
        """Whether all parts are whole numbers, as those of the mean of counts."""
        return not self.by_pair and bool(np.all((self.parts == np.round(self.parts)) | np.isnan(self.parts)))

    def select(self, systems: Integers | Bools) -> Parts:
        """The parts of some systems."""
        return replace(self, **self.select_fields(systems))

    def select_fields(self, systems: Integers | Bools) -> dict[str, Any]:
        """The fields of some systems."""
        runs = None if self.runs is None else self.runs.select(systems)
        return {"scores": self.scores[systems], "parts": self.parts[:, systems], "runs": runs}

    def differences(self, one: Indices, other: Indices) -> Floats:
        """Differences of the scores of pairs of systems, (P,)."""
        differences: Floats = self.scores[one] - self.scores[other]
        return differences

    def pair_sums(self, one: Indices, other: Indices) -> PairSums:
        """Sums of the parts of the differences of pairs of systems."""
        return PairSums.of(self.parts, self.sizes, self.scores, one, other)

    @property
    def numbers_a_trial(self) -> int:
        """Number of signed sums in `flips` for each trial."""
        return len(self.scores)

    def flips(self, signs: Signs) -> Any:
        """What `signed` needs of random signs: signed sums of the parts, (S, T)."""
        return signs.sums(self.parts)

    def signed(self, flips: Any, one: Indices, other: Indices) -> Floats:
        """Signed sums of the parts of the differences of pairs of systems, (P, T)."""
        return differences_of_rows(flips, one, other)

    @property
    def without_pairs(self) -> Parts:
        """The parts of systems by themselves, where those of pairs are others."""
        return self

    @property
    def deviations(self) -> Floats:
        """What each group adds to the deviations of the scores from the expected ones, (G, S)."""
        groups = len(self.sizes)
        deviations: Floats = self.parts - self.sizes[:, np.newaxis] * self.scores
        deviations *= np.sqrt(groups / max(groups - 1, 1)) / self.items
        return deviations


@dataclass(frozen=True)
class Signs:
    """Random signs, one for each group, the same for all systems, measures and pairs: a bit each, 1 for a plus.

    bits: of each trial, from the lowest of each byte on, (T, at least G / 8). groups: number of groups, G.
    """

    bits: NDArray[np.uint8]
    groups: int

    @classmethod
    def draw(cls, random: np.random.Generator, groups: int, trials: int) -> Signs:
        """Each with probability ½."""
        words = -(-groups // 64)
        bits = random.bit_generator.random_raw(trials * words).reshape(trials, words)
        return cls(bits.view(np.uint8), groups)

    def __len__(self) -> int:
        """Number of trials, T."""
        return len(self.bits)

    def select_trials(self, trials: slice) -> Signs:
        """Those of some trials."""
        return Signs(self.bits[trials], self.groups)

    @property
    def matrix(self) -> Floats:
        """1 and −1, (T, G)."""
        signs = np.unpackbits(self.bits, axis=1, count=self.groups, bitorder="little").view(np.int8)
        signs *= 2
        signs -= 1
        return signs.astype(np.float64)

    def sums(self, parts: Floats) -> Floats:
        """Sums of the parts of the groups (G, P) with the signs, (P, T): what chance makes of the sums of the parts."""
        sums = np.empty((parts.shape[1], len(self)))
        # Blocks of trials stay in the cache: a matrix of all would take longer to write than to multiply.
        step = max(1, SIGNS_IN_CACHE // max(1, self.groups))
        for begin in steps(range(0, len(self), step), "Random signs"):
            trials = slice(begin, begin + step)
            sums[:, trials] = (self.select_trials(trials).matrix @ parts).T
        return sums


def joint_noise(rankings: Sequence[Sequence[Parts]], signs: Sequence[Signs]) -> list[Floats]:
    """Deviations (T, S) of the scores of another sample of groups, jointly for all rankings; groupings add up."""
    ends = np.cumsum([len(parts[0].scores) for parts in rankings])
    # One product with the parts of all is much faster than many with few columns.
    noise = [
        draw.sums(np.concatenate([parts[way].deviations for parts in rankings], axis=1))
        for way, draw in enumerate(signs)
    ]
    return [array.T for array in np.split(np.sum(noise, axis=0) if len(signs) > 1 else noise[0], ends[:-1])]


def factors_of_errors(rankings: Sequence[Sequence[Parts]], signs: Sequence[Signs]) -> list[tuple[Floats, Floats]]:
    """Two factors (G, S) of each ranking: those of two rankings give the products of their `joint_noise`, (S, S).

    The products of the signs are computed once, for groups, which are fewer than signs and than systems × rankings.
    """
    deviations = [np.concatenate([parts[way].deviations for way in range(len(signs))]) for parts in rankings]
    gram = np.zeros((len(deviations[0]), len(deviations[0])))
    step = max(1, SIGNS_IN_CACHE // len(gram))
    for begin in range(0, len(signs[0]), step):
        block = np.concatenate([draw.select_trials(slice(begin, begin + step)).matrix for draw in signs], axis=1)
        gram += block.T @ block
    return [(factor, gram @ factor) for factor in deviations]


def group_sums(values: Floats | Bools, groups: Integers, number: int) -> Floats:
    """Sums (G, S) of the values of items, or numbers of true ones, (S, N), over each group, (N,), from 0."""
    sums = np.empty((number, len(values)))
    for system, row in enumerate(values):
        sums[:, system] = np.bincount(groups, weights=row, minlength=number)
    return sums


@dataclass(frozen=True)
class PairSums:
    """Sums over groups with m items of the differences d of pairs of systems, δ those of the scores.

    square, cross: Σ d² and Σ d m, (P,). cube: Σ (d − δ m)³, (P,). sizes, groups: Σ m², and the number of groups with
    items, of all pairs or of each, (P,).
    """

    square: Floats
    cross: Floats
    cube: Floats
    sizes: float | Floats
    groups: float | Floats

    @classmethod
    def of(cls, parts: Floats, sizes: Floats, scores: Floats, one: Indices, other: Indices) -> PairSums:
        """The sums of pairs, whose systems are columns of the parts (G, S)."""
        gram, cross = parts.T @ parts, sizes @ parts
        both = gram[one, one] + gram[other, other]
        square = both - 2 * gram[one, other]
        centred = parts - sizes[:, np.newaxis] * scores
        squares = centred**2
        mixed, cubes = squares.T @ centred, (squares * centred).sum(axis=0)
        cube = cubes[one] - 3 * mixed[one, other] + 3 * mixed[other, one] - cubes[other]
        # Of near-copies the difference of large sums would be rounding alone.
        for pair in np.flatnonzero(square <= 1e-9 * both).tolist():
            difference = parts[:, one[pair]] - parts[:, other[pair]]
            square[pair] = difference @ difference
            cube[pair] = ((centred[:, one[pair]] - centred[:, other[pair]]) ** 3).sum()
        return cls(square, cross[one] - cross[other], cube, float(sizes @ sizes), float(len(sizes)))

    def centred(self, slope: Floats) -> Floats:
        """Σ (d − δ m)² for differences δ of each pair, (P,)."""
        centred: Floats = self.square - 2 * slope * self.cross + slope**2 * self.sizes
        return centred


@dataclass(frozen=True)
class PairParts(Parts):
    """Parts that each pair of systems has for itself; arrays of pairs are (P,), or (G, P)."""

    by_pair: ClassVar[bool] = True

    def blocks(self, one: Indices, other: Indices) -> Iterator[tuple[slice, Floats, Floats]]:
        """Blocks of the pairs, with the parts of their differences and the sizes of these, (G, pairs)."""
        raise NotImplementedError

    def pair_sums(self, one: Indices, other: Indices) -> PairSums:
        """See `Parts`."""
        sums = np.empty((5, len(one)))
        for block, parts, sizes in self.blocks(one, other):
            centred = parts - sizes * (parts.sum(axis=0) / self.items)
            sums[:, block] = (
                np.einsum("gp,gp->p", parts, parts),
                np.einsum("gp,gp->p", parts, sizes),
                np.einsum("gp,gp->p", centred * centred, centred),
                np.einsum("gp,gp->p", sizes, sizes),
                (sizes > 0).sum(axis=0),
            )
        return PairSums(*sums)

    @property
    def numbers_a_trial(self) -> int:
        """See `Parts`."""
        return 0

    def flips(self, signs: Signs) -> Any:
        """See `Parts`: the signs."""
        return signs

    def signed(self, flips: Any, one: Indices, other: Indices) -> Floats:
        """See `Parts`."""
        return np.concatenate([flips.sums(parts) for _, parts, _ in self.blocks(one, other)])


def standard_errors(parts: Parts, one: Indices, other: Indices) -> Floats:
    """Standard errors of the differences of pairs of systems, (P,); 0 where a difference does not vary."""
    groups, items = len(parts.sizes), parts.items
    variance = (
        parts.pair_sums(one, other).centred(parts.differences(one, other)) * (groups / max(groups - 1, 1)) / items**2
    )
    return np.asarray(np.sqrt(np.where(variance <= parts.smallest**2, 0.0, variance)))


def in_errors(difference: Floats, errors: Floats) -> Floats:
    """Differences in standard errors, (P,): 0 where a pair never differs, infinite if it differs without variation."""
    constant = np.where(difference == 0, difference, np.copysign(np.inf, difference))
    return np.where(errors == 0, constant, divide(difference, errors))


def as_normal(t: Floats, freedom: Floats) -> Floats:
    """Normal quantiles of the same probability as Student's t, (P,); infinite degrees of freedom change nothing.

    >>> as_normal(np.array([2.776, 2.776]), np.array([4.0, np.inf])).round(2).tolist()
    [1.96, 2.78]
    """
    from scipy.special import ndtri, stdtr

    finite = np.isfinite(freedom) & np.isfinite(t)
    size = np.abs(t)
    normal = -ndtri(stdtr(np.where(finite, freedom, 1.0), -size))
    return np.copysign(np.where(finite, np.minimum(normal, size), size), t)


def as_student(normal: Floats, freedom: Floats) -> Floats:
    """Student's t of the same probability as normal quantiles from 0 on, (P,): the inverse of `as_normal`.

    >>> as_student(np.array([1.96, 1.96]), np.array([4.0, np.inf])).round(2).tolist()
    [2.78, 1.96]
    """
    from scipy.special import ndtr, stdtrit

    finite = np.isfinite(freedom) & np.isfinite(normal)
    t = -stdtrit(np.where(finite, freedom, 1.0), ndtr(-normal))
    return np.where(finite, np.maximum(t, normal), normal)


def differences_of_rows(values: Floats, one: Indices, other: Indices) -> Floats:
    """Differences of pairs of rows of (S, T), (P, T): whole rows are faster than columns of the transpose."""
    rows = np.ascontiguousarray(values)
    differences = rows.take(one, axis=0)
    differences -= rows.take(other, axis=0)
    return differences


SAFE_EXPONENT = 200
"""Powers of 2 whose fourth power is a number."""


@dataclass(frozen=True)
class Components:
    """Variances of the scores of single items, by what causes them.

    system: of the systems, which a test should distinguish; NaN of one system. run: of the runs of a system, over all
    items; 0 without repeated runs. cluster, item: of the difficulty of clusters, and of items within them; the former 0
    without clusters. system_cluster, system_item: of the interactions of systems with them. run_cluster, run_item: of
    the interactions of runs with them; without repeated runs they are in those of systems. systems, items: number of
    systems and items. runs: runs of a system: their harmonic mean. spread: items that share a cluster with an item, on
    average, Σm² / N; 1 without clusters. freedom: degrees of freedom of the interactions of systems, and of the runs.
    kurtosis: of the means of the systems, about their median. exponent: of 2, the unit of the scores: those near
    the end of the range of numbers have no squares in units of 1.
    """

    system: float
    run: float
    cluster: float
    item: float
    system_cluster: float
    system_item: float
    run_cluster: float
    run_item: float
    systems: int
    items: int
    runs: float
    spread: float
    freedom: tuple[float, float]
    kurtosis: float
    exponent: int

    @classmethod
    def of(cls, scores: Floats, system_of_run: Indices, clusters: Indices | None = None) -> Components:
        """From scores of items.

        scores: of every item in each run, (R, N). system_of_run: the system of each run, from 0, (R,). clusters: the
        cluster of each item, from 0; None for items that are independent, (N,).
        """
        items, numbers = scores.shape[1], np.bincount(system_of_run)
        exponent = int(np.frexp(np.abs(scores).max(initial=0.0))[1])
        exponent = 0 if abs(exponent) < SAFE_EXPONENT else exponent
        scores = np.ldexp(scores, -exponent)
        means = group_sums(np.ascontiguousarray(scores.T), system_of_run, len(numbers)) / numbers[:, np.newaxis]
        groups = items if clusters is None else int(clusters.max()) + 1
        variances, run_variances, freedom = _two_way(means, clusters), np.zeros(5), int((numbers - 1).sum())
        for system in np.flatnonzero(numbers > 1).tolist():
            within = _two_way(scores[system_of_run == system], clusters)
            run_variances += within * (numbers[system] - 1) / freedom
        # The mean over the runs of a system has a share of what runs add.
        inverse = float((1 / numbers).mean())
        if len(numbers) > 1:
            variances -= np.array([1, 0, 0, 1, 1]) * inverse * run_variances
        elif freedom:
            # Of one system, items differ as they do in its runs.
            variances[1:3] = run_variances[1:3]
        row, cluster, item, row_cluster, row_item = variances.tolist()
        sizes = np.ones(items) if clusters is None else np.bincount(clusters).astype(np.float64)
        averages = means.mean(axis=1)
        fourth = ((averages - np.median(averages)) ** 4).mean()
        return cls(
            system=row,
            run=float(run_variances[0]),
            cluster=cluster,
            item=item,
            system_cluster=row_cluster,
            system_item=row_item,
            run_cluster=float(run_variances[3]),
            run_item=float(run_variances[4]),
            systems=len(numbers),
            items=items,
            runs=1 / inverse,
            spread=float(sizes @ sizes) / items,
            freedom=((len(numbers) - 1) * (groups - 1.0), float(freedom)),
            kurtosis=float(divide(fourth, averages.var() ** 2, undefined=3.0)),
            exponent=exponent,
        )

    def errors(self, items: float, runs: float) -> tuple[float, float]:
        """Variance of a score by items and by runs, of so many of each, relative to other scores on the same items.

        Estimates below 0 count as 0: otherwise larger tests could seem to be without errors.
        """
        by_items = (max(self.system_cluster, 0.0) * self.spread + max(self.system_item, 0.0)) / items
        within = max(self.run_cluster, 0.0) * self.spread + max(self.run_item, 0.0)
        return by_items, max(self.run, 0.0) / runs + within / (items * runs)

    def coefficient(self, items: float | None = None, runs: float | None = None, *, absolute: bool = False) -> float:
        """Share of the systems in the variance of their scores: 1 if chance adds nothing.

        items, runs: as in `errors`; by default those of the data. absolute: whether scores are compared with those on
        other items (Φ), and not with each other (Eρ²).
        """
        items, runs = items or self.items, runs or self.runs
        error = sum(self.errors(items, runs))
        if absolute:
            error += (max(self.cluster, 0.0) * self.spread + max(self.item, 0.0)) / items
        system = max(self.system, 0.0)
        return system / (system + error) if system + error > 0 else float("nan")

    @property
    def widening(self) -> float:
        """How much wider intervals are than for systems from a normal distribution, at least 1 (Bonett 2006).

        The variance of the logarithm of a sample variance is proportional to the kurtosis less (S − 3) / S. That of a
        sample is too low, in samples of the exponential distribution by about the factor 1 + 6 / S.
        """
        less = (self.systems - 3) / self.systems
        ratio = (self.kurtosis * (1 + 6 / self.systems) - less) / (3 - less)
        return float(np.sqrt(max(ratio, 1.0)))

    def error(self, items: float | None = None, runs: float | None = None) -> float:
        """Standard error of the score of a system, on other items and in other runs; items, runs: see `coefficient`."""
        items, runs = items or self.items, runs or self.runs
        item_variance = (max(self.cluster, 0.0) * self.spread + max(self.item, 0.0)) / items
        return float(np.ldexp(np.sqrt(item_variance + sum(self.errors(items, runs))), self.exponent))

    def interval(self) -> tuple[float, float]:
        """Confidence interval of the coefficient: that of the F distribution (Feldt 1965), with `widening` of log F."""
        parts, error = self.errors(self.items, self.runs), sum(self.errors(self.items, self.runs))
        unexplained = 1 - self.coefficient()
        if not error > 0 or not unexplained > 0 or self.systems < 2:
            return float("nan"), float("nan")
        from scipy.stats import f as f_distribution

        # Satterthwaite: the degrees of freedom of a sum of variances.
        freedom = error**2 / sum(part**2 / max(degrees, 1.0) for part, degrees in zip(parts, self.freedom, strict=True))
        tails = f_distribution.ppf(np.array([1 - LEVEL, 1 + LEVEL]) / 2, freedom, self.systems - 1)
        low, high = np.maximum(0.0, 1 - unexplained / tails**self.widening).tolist()
        return low, high


def tau_of_coefficient(coefficient: float) -> float:
    """Expected tau between the rankings by two tests of this coefficient, for systems from a normal distribution.

    >>> round(tau_of_coefficient(0.9), 3)
    0.713
    """
    return float(2 / np.pi * np.arcsin(np.clip(coefficient, -1, 1)))


def _two_way(scores: Floats, clusters: Indices | None) -> Floats:
    """Variances of rows, clusters, items, rows × clusters and rows × items of scores (S, N)."""
    rows, items = scores.shape
    item_means = scores.mean(axis=0)
    if clusters is None:
        codes, number = np.arange(items), items
    else:
        codes, number = clusters, int(clusters.max()) + 1
    sizes = np.bincount(codes, minlength=number).astype(np.float64)
    spread = float(sizes @ sizes) / items
    mean_size = (items - spread) / (number - 1) if number > 1 else np.nan
    within, between = _mean_squares(scores - item_means, codes, sizes)
    within_items, between_items = _mean_squares(item_means[np.newaxis], codes, sizes)
    if rows == 1:
        # Nothing is known of interactions.
        cluster = (between_items - within_items) / mean_size if items > number else 0.0
        return np.array([np.nan, cluster, within_items if items > number else between_items, 0.0, 0.0])
    if items == number:
        row_item, row_cluster = between / (rows - 1), 0.0
        item, cluster = between_items - row_item / rows, 0.0
    else:
        row_item = within / (rows - 1)
        row_cluster = (between / (rows - 1) - row_item) / mean_size
        item = within_items - row_item / rows
        cluster = (between_items - within_items) / mean_size - row_cluster / rows
    row = float(scores.mean(axis=1).var(ddof=1)) - (row_cluster * spread + row_item) / items
    return np.array([row, cluster, item, row_cluster, row_item])


def _mean_squares(scores: Floats, codes: Indices, sizes: Floats) -> tuple[float, float]:
    """Mean squares within and between groups of items, summed over the rows of scores (S, N)."""
    sums = group_sums(scores, codes, len(sizes))
    group_square = float((sums**2 / sizes[:, np.newaxis]).sum())
    between = group_square - float((sums.sum(axis=0) ** 2).sum()) / scores.shape[1]
    freedom = scores.shape[1] - len(sizes)
    within = (float((scores**2).sum()) - group_square) / freedom if freedom else np.nan
    return within, between / (len(sizes) - 1) if len(sizes) > 1 else np.nan
