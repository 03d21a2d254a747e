"""Difficulty, discrimination and disagreement of items, and tests of what better systems do on them.

The discrimination of an item is the rank correlation of its scores with the systems' scores on the other items, so that
one very bad system does not decide it. If the item has nothing to do with the systems' quality, all orders of its
scores are equally likely, and the correlation times √(S − 1) is nearly normal. The tails of the permutation
distribution are lighter, so that small p-values are a little too large.

A gold label is suspicious if better systems predict another class instead: the same correlation of 1 for gold, −1 for
the most frequent other class and 0 for all others is below 0. With a wrong label of three classes it is about twice as
far below as the discrimination. Where weaker systems predict a class more often, all items of this class correlate
negatively, and that says nothing of single labels: these are suspicious below the mean of their class.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metaeval.analyses.items.settings import ItemsSettings
from metaeval.arrays import Array, Bools, Floats, Indices
from metaeval.errors import pluralize, refuse
from metaeval.grid import round_to_grid
from metaeval.model.runs import LabelledRuns
from metaeval.model.scores import Direction
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide
from metaeval.steps import steps
from metaeval.study.capabilities import ADDITIVE, ITEM_SCORES, LABELS
from metaeval.study.study import Progress, Study

WHAT = "an analysis of items"

CELLS_AT_ONCE = 1 << 20
"""Scores whose ranks are computed at a time, so that memory stays bounded."""

RIGHT = "right"
"""The measure of labels: whether they are right."""


@dataclass(frozen=True)
class ItemCorrelations:
    """Rank correlations of N items with the systems' scores on the others, and one-sided tests; arrays are (N,).

    values: NaN where one side does not vary. p: of a correlation as far in the direction of the test. adjusted: the
    rate of false discoveries if it and all lower ones are discoveries; NaN for items that could not be significant.
    """

    values: Floats
    p: Floats
    adjusted: Floats

    @property
    def is_tested(self) -> bool:
        """Whether any item could be significant."""
        return not bool(np.isnan(self.adjusted).all())

    def significant(self, alpha: float) -> Bools:
        """Which items are significant, (N,)."""
        return np.asarray(np.nan_to_num(self.adjusted, nan=1.0) <= alpha)


class Others(NamedTuple):
    """The most frequent class of each item beside gold, and the share of the systems that predict it, (N,)."""

    codes: Indices
    share: Floats


@dataclass(frozen=True)
class Items:
    """N items under one measure; arrays are (N,).

    measure: its name. difficulty: mean score. disagreement: share of the pairs of systems that predict different
    classes, or the standard deviation of scores. right: the better score where all are 0 or 1. equal: whether all
    systems have the same score. discrimination: tested for positive correlations. preference: of predicting gold rather
    than the most frequent other class, tested for negative ones; of scores the discrimination, tested so. expected: the
    mean preference of the gold class where that is negative, else 0. copies: number of systems with the same scores or
    predictions as another one on every item. others: None without labels.
    """

    measure: str
    difficulty: Floats
    disagreement: Floats
    right: float | None
    equal: Bools
    discrimination: ItemCorrelations
    preference: ItemCorrelations
    expected: Floats
    copies: int
    others: Others | None = None

    def dead(self, *, right: bool) -> Bools:
        """On which items all systems are right, or all are wrong, (N,); none of scores that are not 0 or 1."""
        if self.right is None:
            return np.zeros(len(self.equal), dtype=np.bool_)
        return np.asarray(self.equal & (self.difficulty == (self.right if right else 1 - self.right)))


def check(study: Study, settings: ItemsSettings) -> None:
    """Raise an `InputError` where there are no scores of single items, or fewer than two systems or items."""
    if study.has(LABELS):
        if labels_of(study) is None:
            raise study.missing(ADDITIVE, WHAT)
    elif not study.has(ITEM_SCORES):
        raise study.missing(LABELS, WHAT)
    elif not study.need(ITEM_SCORES, WHAT).means:
        found = f"{WHAT} under measures of sums ({', '.join(study.measure_names)})"
        raise refuse(None, found, "a measure whose score is the mean over the items")
    for noun, number in {"system": len(study.systems), "item": len(study.items)}.items():
        if number < 2:
            raise refuse(None, pluralize(number, noun), f"at least two {noun}s", kind="count")


def labels_of(study: Study) -> LabelledRuns | None:
    """The labels of single items, if there are some."""
    runs = study.find(LABELS)
    return runs if isinstance(runs, LabelledRuns) else None


def analyse(study: Study, settings: ItemsSettings, *, progress: Progress) -> list[Items]:
    """The items of labels, or under each measure whose score is a mean over them."""
    check(study, settings)
    if (runs := labels_of(study)) is not None:
        return [analyse_labels(runs, settings.alpha)]
    scores = study.need(ITEM_SCORES, WHAT)
    return [
        analyse_scores(scores.measures[index], scores.values[index], scores.directions[index], settings.alpha)
        for index in scores.means
    ]


def analyse_labels(runs: LabelledRuns, alpha: float) -> Items:
    """The items of labels, which are right or wrong."""
    (systems, items), classes = runs.predicted.shape, runs.scale.codes
    gold, other = runs.gold.astype(np.intp), np.empty(items, dtype=np.intp)
    share, same = np.empty((2, items))
    for rows in blocks(items, systems + classes):
        predicted = runs.predicted[:, rows]
        numbers = np.arange(predicted.shape[1])
        cells = (predicted + classes * numbers).ravel()
        counts = np.bincount(cells, minlength=classes * len(numbers)).reshape(-1, classes)
        same[rows] = (counts * (counts - 1)).sum(axis=1) / (systems * (systems - 1))
        counts[numbers, gold[rows]] = -1
        other[rows], share[rows] = counts.argmax(axis=1), counts.max(axis=1) / systems
    right = runs.predicted == gold
    number = right.sum(axis=0)
    distinct = distinct_rows(runs.predicted)
    signs = right[distinct].astype(np.int8) - (runs.predicted[distinct] == other)
    totals = right[distinct].sum(axis=1, dtype=np.float64)
    correct, preference = RankCorrelations.empty(items), RankCorrelations.empty(items)
    for rows in blocks(items, len(distinct)):
        item_scores, preferences = (matrix[:, rows].T.astype(np.float64) for matrix in (right[distinct], signs))
        rest = centred_ranks(totals - item_scores)
        correct.correlate(rows, centred_ranks(item_scores), rest)
        preference.correlate(rows, centred_ranks(preferences), rest)
    defined = ~np.isnan(preference.values)
    sums = np.bincount(gold, np.where(defined, preference.values, 0.0))
    expected = np.minimum(divide(sums, np.bincount(gold, defined), undefined=0.0), 0.0)[gold]
    return Items(
        RIGHT,
        number / systems,
        1.0 - same,
        right=1.0,
        equal=np.isin(number, (0, systems)),
        discrimination=correct.test(1, alpha),
        preference=preference.test(-1, alpha, expected),
        expected=expected,
        copies=systems - len(distinct),
        others=Others(other, share),
    )


def analyse_scores(measure: str, values: Floats, better: Direction, alpha: float) -> Items:
    """The items under a measure; values: its scores, (S, N), NaN where there is none."""
    items = values.shape[1]
    missing = np.isnan(values)
    number = (~missing).sum(axis=0)
    means = divide(np.nansum(values, axis=0), number)
    spread = np.sqrt(divide(np.nansum((values - means) ** 2, axis=0), np.maximum(number - 1, 0)))
    lowest, highest = (extreme(np.where(missing, means, values), axis=0) for extreme in (np.min, np.max))
    is_binary = bool(np.isin(values[~missing], (0.0, 1.0)).all())
    distinct = distinct_rows(values)
    # Where scores are missing, the others are compared as differences from the means of their items.
    centres = means if missing.any() else np.zeros(items)
    totals = np.nansum(values[distinct] - centres, axis=1)
    others = (~missing[distinct]).sum(axis=1) - 1
    unit, correlations = float(np.abs(totals).max()), RankCorrelations.empty(items)
    for rows in blocks(items, len(distinct)):
        item_scores = values[distinct, rows].T
        rest = divide(totals - (item_scores - centres[rows, np.newaxis]), others)
        item_scores = np.where(np.isnan(rest), np.nan, item_scores)
        correlations.correlate(rows, centred_ranks(item_scores), centred_ranks(round_to_grid(rest, unit)))
    return Items(
        measure,
        means,
        spread,
        right=float(better is Direction.HIGHER) if is_binary else None,
        equal=lowest == highest,
        discrimination=correlations.test(1, alpha),
        preference=correlations.test(-1, alpha),
        expected=np.zeros(items),
        copies=len(values) - len(distinct),
    )


def blocks(items: int, cells: int) -> Iterator[slice]:
    """Slices of the items; cells: numbers for each of them."""
    step = max(1, CELLS_AT_ONCE // cells)
    for begin in steps(range(0, items, step), "Items"):
        yield slice(begin, begin + step)


def distinct_rows(values: Array) -> Indices:
    """The indices of the rows without those that equal an earlier one."""
    first: dict[bytes, int] = {}
    for index, row in enumerate(np.ascontiguousarray(values)):
        first.setdefault(row.tobytes(), index)
    return np.array(list(first.values()), dtype=np.intp)


@dataclass(frozen=True)
class RankCorrelations:
    """Rank correlations of N items, filled in block by block; arrays are (N,).

    largest: the largest correlation that the ties of the item allow. systems: number of those with a score.
    """

    values: Floats
    largest: Floats
    systems: Floats

    @classmethod
    def empty(cls, items: int) -> RankCorrelations:
        """Without numbers."""
        return cls(*np.empty((3, items)))

    def correlate(self, rows: slice, scores: Floats, rest: Floats) -> None:
        """Correlate the rows of two arrays of centred ranks (n, S), of the same systems."""
        numbers = (~np.isnan(scores)).sum(axis=1).astype(np.float64)
        one, other = np.nan_to_num(scores), np.nan_to_num(rest)
        squares, rest_squares, product = (
            np.einsum("ns,ns->n", *pair) for pair in ((one, one), (other, other), (one, other))
        )
        self.values[rows] = np.clip(divide(product, np.sqrt(squares * rest_squares)), -1.0, 1.0)
        self.largest[rows] = np.sqrt(divide(12 * squares, numbers * (numbers**2 - 1), undefined=0.0))
        self.systems[rows] = numbers

    def test(self, sign: int, alpha: float, expected: Floats | float = 0.0) -> ItemCorrelations:
        """Test whether correlations are above what is expected (sign 1) or below it (−1).

        Items that could not be significant in any case are not tested, so that they do not count among those that the
        others are adjusted for (Tarone 1990).
        """
        from scipy.special import ndtr
        from scipy.stats import false_discovery_control

        scale = np.sqrt(np.maximum(self.systems - 1, 0.0))
        p: Floats = ndtr(-scale * sign * (self.values - expected))
        smallest: Floats = ndtr(-scale * (self.largest - sign * np.asarray(expected)))
        tested = ~np.isnan(p) & (smallest <= _least(smallest[~np.isnan(p)], alpha))
        adjusted = np.full(len(p), np.nan)
        if tested.any():
            adjusted[tested] = false_discovery_control(p[tested])
        return ItemCorrelations(self.values, p, adjusted)


def centred_ranks(values: Floats) -> Floats:
    """Ranks within each row (n, S), less their mean; NaN where there is no value."""
    missing = np.isnan(values)
    numbers = (~missing).sum(axis=1, keepdims=True)
    return np.where(missing, np.nan, mean_ranks(values) - (numbers + 1) / 2)


def _least(smallest: Floats, alpha: float) -> float:
    """The p-value that items must be able to reach: a level over the number of those that are able to."""
    numbers = np.arange(1, len(smallest) + 2)
    able = np.searchsorted(np.sort(smallest), alpha / numbers, side="right")
    return alpha / float(numbers[np.argmax(able <= numbers)])


def systems_needed(items: int, alpha: float, *, binary: bool) -> int:
    """Number of systems from which one of so many items could be significant, with half of them right if binary."""
    from scipy.special import ndtri

    quantile = float(ndtri(alpha / max(items, 1)))
    return int(np.ceil(1 + (4 / 3 if binary else 1) * quantile**2))
