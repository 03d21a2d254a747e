"""Kendall's tau between two rankings of the same systems, relative to what each reaches with itself.

Two measures on the same items share errors, which makes their rankings similar, and each has errors of its own, which
make them different. Between independent halves of the items only the true differences agree: with differences of t and
u standard errors and errors correlated by ρ, the halves have t + e and u − f. As for correlations of normal variables
(Greiner's relation), sin(π τ / 2) of the halves is divided by the root of the reliabilities of both rankings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, owens_t

from metaeval.arrays import Floats, Indices
from metaeval.inference.pairs import Evidence, critical_rank
from metaeval.inference.parts import CELLS_IN_CACHE
from metaeval.inference.statistics import PairDeviations, approximate_tau, expected_tau
from metaeval.stats.intervals import LEVEL
from metaeval.stats.ratio import divide
from metaeval.steps import steps

MIN_TAU = 0.1
"""Expected tau between halves below which a ranking is too unreliable to correct for."""

_DEVIATIONS_AT_ONCE = 1 << 22
"""Deviations by chance that are in memory together."""

_LARGEST, _STEP, _ANGLES = 5.0, 0.1, 65
_POINTS = round(2 * _LARGEST / _STEP) + 1


def expected_agreement(t: Floats, other: Floats, correlation: Floats) -> Floats:
    """Expected product of the signs of a difference on one half, and of another difference on the other half.

    t, other: differences on all items, in standard errors, (P,). correlation: correlation of their errors, (P,).
    Returns from −1 to 1, (P,).

    >>> expected_agreement(np.array([9.0, 9.0]), np.array([9.0, 0.0]), np.array([0.5, 0.5])).round(3).tolist()
    [1.0, 0.0]
    """
    limit = 8.0
    h, k = (np.clip(difference, -limit, limit) + np.where(difference == 0, 1e-9, 0.0) for difference in (t, other))
    rho = np.clip(-correlation, -1 + 1e-12, 1 - 1e-12)
    root = np.sqrt(1 - rho**2)
    opposite = np.where(h * k < 0, 2.0, 0.0)
    parts = owens_t(h, (k - rho * h) / (h * root)) + owens_t(k, (h - rho * k) / (k * root))
    return np.asarray(1 - opposite - 4 * parts)


@cache
def _agreements() -> NDArray[np.float32]:
    """`expected_agreement` on a grid, (angle, t, other): the correlation is the sine of the angle; then zeros."""
    grid = np.linspace(-_LARGEST, _LARGEST, _POINTS)
    h, k = grid[:, np.newaxis], grid
    fine = 4
    angles = np.linspace(-np.pi / 2, np.pi / 2, (_ANGLES - 1) * fine + 1)
    middle = (angles[1:] + angles[:-1]) / 2
    sine, cosine = np.sin(middle)[:, np.newaxis, np.newaxis], np.cos(middle)[:, np.newaxis, np.newaxis]
    density = np.exp(-(h**2 + 2 * sine * h * k + k**2) / (2 * cosine**2)) * ((angles[1] - angles[0]) * 2 / np.pi)
    below = np.concatenate([np.zeros((1, _POINTS, _POINTS)), density.cumsum(axis=0)])[::fine]
    independent = (2 * ndtr(h) - 1) * (2 * ndtr(k) - 1)
    agreements = independent + below[_ANGLES // 2] - below
    return np.concatenate([agreements, np.zeros_like(agreements[:1])], dtype=np.float32)


def _codes(t: Floats) -> NDArray[np.uint8]:
    """The nearest points of the grid of `_agreements`, (T, P) to (P, T): rows of pairs are contiguous."""
    return np.rint((np.clip(t.T, -_LARGEST, _LARGEST) + _LARGEST) / _STEP).astype(np.uint8)


class _Orders(NamedTuple):
    """Orders of pairs of systems on T samples: the signs of their differences, (P, T), and how many differ, (T,)."""

    signs: NDArray[np.int8]
    different: Floats

    @classmethod
    def of(cls, t: Floats) -> _Orders:
        """Of differences, (T, P)."""
        signs = np.sign(t.T).astype(np.int8)
        return cls(signs, np.count_nonzero(signs, axis=0).astype(np.float64))

    def tau(self, other: _Orders) -> Floats:
        """tau-b with other orders, (T,); pairs that do not vary have no order."""
        agreement = np.add.reduce(self.signs * other.signs, axis=0, dtype=np.int32)
        return divide(agreement, np.sqrt(self.different * other.different))


@dataclass(frozen=True)
class Agreement:
    """Agreement of Q pairs of rankings of the same systems.

    tau: tau-b on the items, (Q,); NaN where a ranking ties all systems. ratio: sin(π τ / 2) between independent halves,
    relative to the reliabilities of both rankings, (Q,): 1 if they differ by chance alone, NaN where one is too
    unreliable. tau_chance, ratio_chance: the same on other samples of the items, (T, Q); tau_chance is (0, Q) where it
    is not needed.
    """

    tau: Floats
    tau_chance: Floats
    ratio: Floats
    ratio_chance: Floats


def concatenate(parts: Sequence[Agreement]) -> Agreement:
    """The agreement of all pairs of several."""
    columns = ([getattr(part, name) for part in parts] for name in ("tau", "tau_chance", "ratio", "ratio_chance"))
    return Agreement(*(np.concatenate(column, axis=-1) for column in columns))


def corrected_tau(ratio: Floats) -> Floats:
    """Kendall's tau relative to the reliability of both rankings, from the ratio of `Agreement`.

    It is that of rankings without errors if systems are normal draws. In groups, or with one system far ahead, it is
    not: differences that halves of the items hardly show count little, whichever way they are.

    >>> corrected_tau(np.array([0.5, 1.0, 1.2])).round(3).tolist()
    [0.333, 1.0, 1.0]
    """
    return np.asarray(2 / np.pi * np.arcsin(np.clip(ratio, -1, 1)))


def compare_rankings(
    evidence: Sequence[Evidence],
    one: Indices,
    other: Indices,
    *,
    tau_by_chance: bool = True,
    trials: int | None = None,
) -> Agreement:
    """The agreement of pairs of rankings, one and other, (Q,), of the systems whose scores are defined in both.

    tau_by_chance: whether `tau_chance` is needed, too. trials: number of other samples, by default one for each of the
    signs.
    """
    trials = trials or len(evidence[0].signs[0])
    tau, ratio = np.full(len(one), np.nan), np.full(len(one), np.nan)
    tau_chance = np.full((trials if tau_by_chance else 0, len(one)), np.nan)
    ratio_chance = np.full((trials, len(one)), np.nan)
    defined = np.array([ranking.defined for ranking in evidence])
    common, group = np.unique(defined[one] & defined[other], axis=0, return_inverse=True)
    for number, systems in enumerate(common):
        pairs = np.flatnonzero(group.ravel() == number)
        if systems.sum() < 2:
            continue
        indices = np.unique([one[pairs], other[pairs]])
        rankings = PairDeviations.from_rankings([evidence[index] for index in indices.tolist()], systems, trials)
        ends = np.searchsorted(indices, one[pairs]), np.searchsorted(indices, other[pairs])
        joint = _Joint.of(rankings, *ends)
        tau[pairs] = joint.tau
        reliability = np.array([expected_tau(ranking.t, ranking.vary) for ranking in rankings])
        reliable = (reliability[ends[0]] > MIN_TAU) & (reliability[ends[1]] > MIN_TAU)
        ratio[pairs] = np.where(reliable, _ratio(joint.expected, reliability[ends[0]], reliability[ends[1]]), np.nan)
        # The differences by chance of all rankings, blocks of trials (T, P), of which the codes stay.
        chances = [ranking.chance(rankings=len(rankings)) for ranking in rankings]
        for rows in steps(rankings[0].blocks(len(rankings)), "Agreement of rankings by chance"):
            codes, orders, by_chance = [], [], []
            for ranking, t in zip(rankings, map(next, chances), strict=True):
                codes.append(_codes(t))
                orders.append(_Orders.of(t) if tau_by_chance else None)
                by_chance.append(approximate_tau(t, ranking.vary))
            roots = [np.sqrt(_sine(np.maximum(taus, MIN_TAU))) for taus in by_chance]
            for index, (pair, i, j) in enumerate(zip(pairs.tolist(), *(end.tolist() for end in ends), strict=True)):
                if (first := orders[i]) is not None and (second := orders[j]) is not None:
                    tau_chance[rows, pair] = first.tau(second)
                if not np.isnan(ratio[pair]):
                    cross = joint.expected_on_grid(index, codes[i], codes[j])
                    ratio_chance[rows, pair] = _sine(cross) / (roots[i] * roots[j])
    return Agreement(tau, tau_chance, ratio, ratio_chance)


def corrected_intervals(ratio: Floats, chance: Floats, *, smallest_p: float = 0.0) -> tuple[Floats, Floats]:
    """Confidence intervals of corrected taus, each by itself, (M,), from ratios (M,) and those by chance (T, M).

    They have the tails of chance, which are longer below a high tau than above it. Those of a ratio above 1, which is
    so by chance, are of 1: an interval beyond what is possible would have no width.
    """
    wide = np.inf if smallest_p > 1 - LEVEL else 0.0
    by_statistic = np.ascontiguousarray(chance.T)
    tails = np.quantile(by_statistic, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1) - by_statistic.mean(axis=1)
    # With few trials both quantiles may be on one side of the mean.
    below, above = np.minimum(tails[0], 0.0) - wide, np.maximum(tails[1], 0.0) + wide
    possible = np.clip(ratio, -1, 1)
    return corrected_tau(possible + below), corrected_tau(possible + above)


def simultaneous_intervals(agreement: Agreement) -> tuple[Floats, Floats]:
    """Confidence intervals of the corrected tau that hold jointly for all pairs, (Q,); NaN where it is undefined."""
    ratio, chance = agreement.ratio, agreement.ratio_chance
    spread, most = np.full(len(ratio), np.nan), np.zeros(len(chance))
    defined = np.flatnonzero(~np.isnan(ratio))
    step = max(1, _DEVIATIONS_AT_ONCE // max(1, len(chance)))
    for begin in range(0, len(defined), step):
        block = defined[begin : begin + step]
        ratios = chance[:, block]
        spread[block] = ratios.std(axis=0)
        deviations = np.abs(divide(ratios - ratios.mean(axis=0), spread[block], undefined=0.0))
        np.maximum(most, deviations.max(axis=1), out=most)
    rank = critical_rank(len(most), 1 - LEVEL)
    # Of too few trials none is beyond the critical value.
    half = np.where(spread > 0, float(np.sort(most)[-rank]) * spread, 0.0) if rank else np.full(len(ratio), np.inf)
    possible = np.clip(ratio, -1, 1)
    return corrected_tau(possible - half), corrected_tau(possible + half)


def _ratio(cross: Floats, one: Floats, other: Floats) -> Floats:
    """The sine of an expected tau, relative to those of the two rankings with themselves."""
    return np.asarray(_sine(cross) / np.sqrt(_sine(np.maximum(one, MIN_TAU)) * _sine(np.maximum(other, MIN_TAU))))


def _sine(tau: Floats) -> Floats:
    return np.asarray(np.sin(np.pi / 2 * tau))


@dataclass(frozen=True)
class _Joint:
    """Q pairs of rankings of the same systems, of which P pairs.

    tau: tau-b on the items, (Q,). expected: the expected tau between independent halves, (Q,). weight: what a pair of
    systems adds to tau-b, (Q,). angles: of each pair of systems in `_agreements`, by the correlation of the errors of
    their differences, (Q, P); that of zeros where they do not vary in both rankings.
    """

    tau: Floats
    expected: Floats
    weight: Floats
    angles: NDArray[np.uint8]

    @classmethod
    def of(cls, rankings: Sequence[PairDeviations], one: Indices, other: Indices) -> _Joint:
        """From the first and the second ranking of each pair, (Q,)."""
        t, vary = (np.array([getattr(ranking, name) for ranking in rankings]) for name in ("t", "vary"))
        numbers, signs = vary.sum(axis=1).astype(np.float64), np.sign(t)
        different = np.count_nonzero(signs, axis=1).astype(np.float64)
        squares = np.concatenate([ranking.products([ranking]) for ranking in rankings])
        joint = cls(
            tau=divide((signs @ signs.T)[one, other], np.sqrt(different[one] * different[other])),
            expected=np.empty(len(one)),
            weight=divide(1.0, np.sqrt(numbers[one] * numbers[other])),
            angles=np.empty((len(one), t.shape[1]), dtype=np.uint8),
        )
        step = max(1, CELLS_IN_CACHE // max(1, t.shape[1]))
        for first in steps(np.unique(one).tolist(), "Agreement of rankings"):
            indices = np.flatnonzero(one == first)
            for begin in range(0, len(indices), step):
                pairs = indices[begin : begin + step]
                second = other[pairs]
                across = rankings[first].products([rankings[index] for index in second.tolist()])
                # Rounding may leave a sum of squares just below 0.
                spread = np.sqrt(np.maximum(squares[first] * squares[second], 0.0))
                correlation = np.clip(divide(across, spread, undefined=0.0), -1, 1)
                both = vary[first] & vary[second]
                agreement = np.where(both, expected_agreement(t[first], t[second], correlation), 0.0)
                joint.expected[pairs] = agreement.sum(axis=1) * joint.weight[pairs]
                angles = np.rint((np.arcsin(correlation) / np.pi + 0.5) * (_ANGLES - 1))
                joint.angles[pairs] = np.where(both, angles, _ANGLES)
        return joint

    def expected_on_grid(self, pair: int, codes: NDArray[np.uint8], other: NDArray[np.uint8]) -> Floats:
        """The expected tau of a pair of rankings for codes of differences, (P, T) to (T,)."""
        index = codes * np.int32(_POINTS)
        index += other
        index += self.angles[pair][:, np.newaxis] * np.int32(_POINTS**2)
        # Without a check of the places, which are in bounds.
        values = _agreements().ravel().take(index, mode="clip")
        return np.asarray(values.sum(axis=0, dtype=np.float64) * self.weight[pair])
