"""How far annotators agree, in numbers, each with a bootstrap over the units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.experiment.ratings import Ratings
from metaeval.io.dataset import Track
from metaeval.stats.agreement import (
    Agreements,
    Coefficient,
    Level,
    bootstrap_units,
    cohen_kappa,
    correlation,
    fleiss_kappa,
    krippendorff_alpha,
    leave_one_out,
)
from metaeval.stats.concordance import Concordance, kendall_w, kendall_w_permutation_p
from metaeval.stats.intervals import defined_mean
from metaeval.stats.resample import REPLICATES_MEMORY, Draws, Multiplicities, draw_bootstrap, generator, seed_for

Correlation = Literal["pearson", "spearman", "kendall-b"]
CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)

PERMUTATIONS = 1000
"""Of the ranks of each annotator, for the p-value of Kendall's W."""

_BYTES_A_UNIT = 512
"""What a coefficient of a pair may take for a unit in a sample."""


@dataclass(frozen=True)
class Statistic:
    """One number of how far annotators agree.

    of: ratings (A, U), and how often each unit counts, to the number. units: that it rests on. resampled: whether a
    bootstrap can tell how sure it is. p: of annotators whose ratings have nothing to do with each other, or NaN.
    pairs: the coefficient whose mean over pairs of annotators it is.
    """

    name: str
    of: Coefficient
    units: int
    resampled: bool = True
    p: float = float("nan")
    pairs: Coefficient | None = None


@dataclass(frozen=True)
class Found:
    """A statistic, its value, and those of the bootstrap replicates, (T,), T = 0 where it was not resampled."""

    statistic: Statistic
    value: float
    drawn: NDArray[np.float64]


def coefficient_of(name: Correlation) -> Coefficient:
    """A correlation of two annotators."""
    return partial(correlation, coefficient=name)


def find_agreement(
    ratings: Ratings, levels: Sequence[Level], *, bootstrap: int, seed: int, track: Track
) -> tuple[Found, ...]:
    """Every statistic that the ratings allow; levels: of alpha, empty for those that make sense."""
    statistics = _statistics(ratings, levels or _sensible_levels(ratings), seed=seed)
    draw_of_unit, _ = ratings.draws
    ones = np.ones(int(draw_of_unit.max()) + 1, dtype=np.int64)
    draws = draw_bootstrap(generator(seed_for(seed, "agreement")), ones, trials=bootstrap).astype(np.uint16)
    draws = draws[:, draw_of_unit]
    found = []
    for statistic in track(statistics, "Bootstrap of agreement"):
        value = float(statistic.of(ratings.values, multiplicities=None))
        drawn = _replicates(statistic, ratings.values, draws) if statistic.resampled and bootstrap else np.empty(0)
        found.append(Found(statistic, value, drawn))
    return tuple(found)


def _replicates(statistic: Statistic, ratings: NDArray[np.float64], draws: Draws) -> NDArray[np.float64]:
    if statistic.pairs is not None:
        return defined_mean(of_pairs(ratings, statistic.pairs, multiplicities=draws), axis=-1)
    # None of these holds ratings of every two annotators, for which `bootstrap_units` leaves room.
    return bootstrap_units(ratings, statistic.of, draws, memory=REPLICATES_MEMORY * max(len(ratings) // 4, 1))


def _sensible_levels(ratings: Ratings) -> tuple[Level, ...]:
    """Levels of alpha that ratings have as they stand; that they are ratios only their owner knows."""
    nominal: tuple[Level, ...] = ("nominal",) if ratings.categories else ()
    return (*nominal, "ordinal", "interval") if ratings.ordered else nominal


def _statistics(ratings: Ratings, levels: Sequence[Level], *, seed: int) -> tuple[Statistic, ...]:
    beyond = [level for level in levels if level != "nominal"]
    if beyond and not ratings.ordered:
        raise InputError.at(
            found=f"alpha of level {', '.join(beyond)} with labels that have no order",
            expected="level nominal, or an ordered scale",
            hint="declare the order, as in --labels 'low<mid<high'",
        )
    compared = int((ratings.given >= 2).sum())
    found = [Statistic(f"alpha:level={level}", partial(krippendorff_alpha, level=level), compared) for level in levels]
    if ratings.categories:
        found.append(Statistic("fleiss", fleiss_kappa, compared))
        kappas: tuple[Literal["none", "linear", "quadratic"], ...] = ("none", "linear", "quadratic")
        for weights in kappas if ratings.ordered else kappas[:1]:
            found.append(_mean_of_pairs(f"cohen:weights={weights}", partial(cohen_kappa, weights=weights), compared))
    if not ratings.ordered:
        return tuple(found)
    means = [_mean_of_pairs(f"mean {name}", coefficient_of(name), compared) for name in CORRELATIONS]
    ceilings = [Statistic(f"ceiling {name}", _ceiling(coefficient_of(name)), compared) for name in CORRELATIONS]
    return (*found, *_concordances(ratings, seed=seed), *means, *ceilings)


def _concordances(ratings: Ratings, *, seed: int) -> tuple[Statistic, Statistic]:
    """Kendall's W corrected for ties, and not; with one p, because permutations leave the ties as they are."""
    complete = int((ratings.given == len(ratings.annotators)).sum())
    random = generator(seed_for(seed, "permutations of ranks"))
    p = kendall_w_permutation_p(ratings.values, replicates=PERMUTATIONS, random=random)
    uncorrected = _of_complete_units(lambda found: found.uncorrected)
    return (
        Statistic("kendall-w", _of_complete_units(lambda found: found.w), complete, p=p),
        # Units that a bootstrap draws twice tie, for which this one has no correction.
        Statistic("kendall-w uncorrected", uncorrected, complete, resampled=False, p=p),
    )


def _of_complete_units(part: Callable[[Concordance], Agreements]) -> Coefficient:
    def of(ratings: NDArray[np.float64], /, *, multiplicities: Multiplicities | None) -> Agreements:
        complete = ~np.isnan(ratings).any(axis=-2)
        chosen = None if multiplicities is None else multiplicities[..., complete]
        return part(kendall_w(ratings[..., complete], multiplicities=chosen))

    return of


def _mean_of_pairs(name: str, coefficient: Coefficient, units: int) -> Statistic:
    """The mean of a coefficient over every two annotators for whom it is defined."""

    def mean(ratings: NDArray[np.float64], /, *, multiplicities: Multiplicities | None) -> Agreements:
        return defined_mean(of_pairs(ratings, coefficient, multiplicities=multiplicities), axis=-1)

    return Statistic(name, mean, units, pairs=coefficient)


def of_pairs(
    ratings: NDArray[np.float64], coefficient: Coefficient, *, multiplicities: Multiplicities | None = None
) -> Agreements:
    """A coefficient of every two different annotators, (P,) or (T, P): as `stats.agreement.pairwise`, a pair at a time.

    Where everyone rates a little, two share few units, and only these are looked at. ratings: (A, U).
    multiplicities: (T, U), or None.
    """
    found = []
    for one, other in combinations(range(len(ratings)), 2):
        both = ratings[[one, other]]
        shared = ~np.isnan(both).any(axis=0)
        both = both[:, shared]
        if multiplicities is None:
            found.append(coefficient(both, multiplicities=None))
            continue
        block = max(1, REPLICATES_MEMORY // (_BYTES_A_UNIT * max(both.shape[1], 1)))
        starts = range(0, len(multiplicities), block)
        blocks = [_of_pair(both, coefficient, multiplicities[start : start + block][:, shared]) for start in starts]
        found.append(np.concatenate(blocks))
    return np.stack(found, axis=-1)


def _of_pair(both: NDArray[np.float64], coefficient: Coefficient, multiplicities: Multiplicities) -> Agreements:
    """A coefficient of two annotators on units that both rated, (T,). both: (2, U). multiplicities: (T, U)."""
    total = multiplicities.sum(axis=-1, keepdims=True)
    # A unit that nobody rated makes up for what a sample lacks, so that all have one size.
    padded = np.concatenate([multiplicities, total.max(initial=0) - total], axis=-1)
    return coefficient(np.pad(both, ((0, 0), (0, 1)), constant_values=np.nan), multiplicities=padded)


def _ceiling(coefficient: Coefficient) -> Coefficient:
    """The mean over annotators of their coefficient with the mean of the others."""

    def mean(ratings: NDArray[np.float64], /, *, multiplicities: Multiplicities | None) -> Agreements:
        return defined_mean(leave_one_out(ratings, coefficient, multiplicities=multiplicities), axis=-1)

    return mean
