"""Contributions of each kind of error to the difference of two systems: Shapley values over confusion cells.

A mixture of two systems has the errors of the first system in some cells of the confusion matrix, and those of the
second in the others. The contribution of a cell is the change of the score when its errors are exchanged, averaged over
all orders of the cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.arrays import Bools, Counts, Floats, Indices, Scores
from metaeval.measures.spec import Measure
from metaeval.model.runs import ClassRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.evaluation import Plan
from metaeval.scoring.labels import is_additive, worth_of_cells
from metaeval.stats.resample import generator, seed_for
from metaeval.stats.shapley import sampled_shapley_values, shapley_values

EXACT_PLAYERS = 14
"""Maximum number of cells in which two systems differ for which every coalition is evaluated."""

MAX_EVALUATIONS = 1 << EXACT_PLAYERS
"""Maximum number of mixtures of a pair that are scored, but at least `MIN_ORDERS` orders."""

MIN_ORDERS = 8

CELLS_AT_ONCE = 1 << 20
"""Cells of mixed confusion matrices that are scored together, so that memory stays bounded."""


@dataclass(frozen=True)
class Contributions:
    """Contributions of each cell to the difference of each pair of systems, the first minus the second.

    values: (M, P, C, C), not oriented; they sum to the difference, 0 on the diagonal; NaN where the measure is
    undefined for some mixture. errors: their standard errors, 0 where they are exact. sampled: whether random orders
    were drawn for a pair, (P,). by_mixtures: whether a measure was scored on mixtures, because it is not additive,
    (M,). mixtures: number of scored mixtures. scaled: number of mixtures in which errors had to be scaled down.
    """

    values: Floats
    errors: Floats
    sampled: Bools
    by_mixtures: Bools
    mixtures: int
    scaled: int

    @classmethod
    def concatenate(cls, blocks: Sequence[Contributions]) -> Contributions:
        """The contributions of all pairs, from blocks of pairs."""
        return cls(
            values=np.concatenate([block.values for block in blocks], axis=1),
            errors=np.concatenate([block.errors for block in blocks], axis=1),
            sampled=np.concatenate([block.sampled for block in blocks]),
            by_mixtures=blocks[0].by_mixtures,
            mixtures=sum(block.mixtures for block in blocks),
            scaled=sum(block.scaled for block in blocks),
        )


def plan_contributions(
    runs: ClassRuns, measures: Sequence[Measure], pairs: Indices, *, seed: int
) -> Plan[slice, Contributions]:
    """The contributions of error cells to the differences of pairs of systems, by blocks of pairs.

    pairs: (P, 2), indices of systems. Additive measures need no mixtures, because cells contribute independently. For
    the others, up to `EXACT_PLAYERS` cells are exact; for more, random orders of the cells are drawn.
    """
    counts = counts_of(runs).astype(np.float64)
    slopes = [cell_slopes(runs, measure) if is_additive(measure) else None for measure in measures]
    mixing = [measure for measure in measures if not is_additive(measure)]
    cells = runs.scale.codes * (runs.scale.codes - 1)
    keys = _order_keys(cells, seed) if cells > EXACT_PLAYERS else np.empty((0, cells))

    def explain(block: slice) -> Contributions:
        one, other = counts[pairs[block, 0]], counts[pairs[block, 1]]
        mixed = _mixed(one, other, mixing, runs.scale, keys)
        values, errors = np.zeros((2, len(measures), *one.shape))
        rest = iter(zip(mixed.values, mixed.errors, strict=True))
        for index, slope in enumerate(slopes):
            if slope is None:
                values[index], errors[index] = next(rest)
            else:
                values[index] = (one - other) * slope + 0.0  # no −0
        by_mixtures = np.array([slope is None for slope in slopes], dtype=np.bool_)
        return replace(mixed, values=values, errors=errors, by_mixtures=by_mixtures)

    # One pair at once where some pairs need random orders and others do not.
    size = max(1, CELLS_AT_ONCE // ((1 << cells) * runs.scale.codes**2)) if cells <= EXACT_PLAYERS else 1
    blocks = tuple(slice(begin, begin + size) for begin in range(0, len(pairs), size))
    return Plan(blocks or (slice(0, 0),), explain)


def cell_slopes(runs: ClassRuns, measure: Measure) -> Floats:
    """The change of the score by one more error of each cell under an additive measure, (C, C), 0 on the diagonal.

    Computed from systems that always predict the same class. NaN everywhere where the measure is undefined.
    """
    frequencies = runs.gold_frequencies
    worth = worth_of_cells(frequencies, measure, runs.scale)
    worth[np.flatnonzero(frequencies == 0)] = 0.0
    worth[len(frequencies) :] = 0.0
    slopes: Floats = (worth - np.diag(worth)[:, np.newaxis]) / max(1, int(frequencies.sum()))
    return slopes


def _order_keys(cells: int, seed: int) -> Floats:
    """Random sort keys of the cells, (U, cells), the same for every pair and measure."""
    orders = max(MIN_ORDERS, MAX_EVALUATIONS // (2 * (cells + 1)))
    return generator(seed_for(seed, "explain")).random((orders, cells))


def _mixed(one: Counts, other: Counts, measures: Sequence[Measure], scale: ClassScale, keys: Floats) -> Contributions:
    """Contributions under measures that need mixtures; one, other: counts of the systems of each pair, (P, C, C)."""
    errors_only = ~np.eye(scale.codes, dtype=np.bool_)
    # A cell in which no pair differs adds nothing in any coalition.
    gold, predicted = np.nonzero(errors_only & (one != other).any(axis=0))
    sampled = len(gold) > EXACT_PLAYERS
    values, errors = np.zeros((2, len(measures), *one.shape))
    if not measures:
        none = np.zeros(len(one), dtype=np.bool_)
        return Contributions(
            values=values, errors=errors, sampled=none, by_mixtures=np.ones(0, dtype=np.bool_), mixtures=0, scaled=0
        )
    game = _Mixtures(one, other, (gold, predicted), measures, scale)
    at_once = max(1, CELLS_AT_ONCE // max(1, one.size))
    if sampled:
        players = np.flatnonzero(np.isin(np.flatnonzero(errors_only), gold * scale.codes + predicted))
        estimates = sampled_shapley_values(game, np.argsort(keys[:, players], axis=1), at_once=at_once)
        errors[:, :, gold, predicted] = np.moveaxis(estimates.errors, 0, -1)
        values_by_cell = estimates.values
    else:
        values_by_cell = shapley_values(game, len(gold), at_once=at_once)
    values[:, :, gold, predicted] = np.moveaxis(values_by_cell, 0, -1)
    return Contributions(
        values=values,
        errors=errors,
        sampled=np.full(len(one), sampled),
        by_mixtures=np.ones(len(measures), dtype=np.bool_),
        mixtures=game.mixtures,
        scaled=game.scaled,
    )


class _Mixtures:
    """The game whose players are error cells: a coalition takes its cells from the first system of every pair.

    mixtures, scaled: how many were scored so far, and in how many the errors of a gold class exceeded its items, and
    were scaled down to their number.
    """

    def __init__(
        self,
        one: Counts,
        other: Counts,
        cells: tuple[Indices, Indices],
        measures: Sequence[Measure],
        scale: ClassScale,
    ) -> None:
        # As in all counts, the classes lead in memory: (C, C, 1, P).
        self._other = _errors(other)
        self._more = np.moveaxis(one - other, 0, -1)[cells]
        self._gold = np.moveaxis(other.sum(axis=-1), 0, -1)[:, np.newaxis]
        self._cells = cells
        self._measures = measures
        self._scale = scale
        self.mixtures = 0
        self.scaled = 0

    def __call__(self, members: Bools) -> Scores:
        """Scores of mixtures, (K, M, P); members: (K, players)."""
        classes, pairs = self._scale.codes, self._more.shape[-1]
        mixed = np.empty((classes, classes, len(members), pairs))
        mixed[:] = self._other
        mixed[self._cells] += members.T[:, :, np.newaxis] * self._more[:, np.newaxis]
        wrong = mixed.sum(axis=1)
        self.mixtures += len(members) * pairs
        too_many = wrong > self._gold
        if too_many.any():
            self.scaled += int(too_many.any(axis=0).sum())
            mixed *= np.divide(self._gold, wrong, out=np.ones_like(wrong), where=too_many)[:, np.newaxis]
            wrong = np.minimum(mixed.sum(axis=1), self._gold)
        diagonal = np.arange(classes)
        mixed[diagonal, diagonal] = self._gold - wrong
        counts = np.moveaxis(mixed, (0, 1), (-2, -1))
        return np.stack([measure(counts, self._scale) for measure in self._measures], axis=1)


def _errors(counts: Counts) -> Counts:
    """Counts (P, C, C) of errors only, as (C, C, 1, P)."""
    classes = counts.shape[-1]
    return np.moveaxis(counts * ~np.eye(classes, dtype=np.bool_), 0, -1)[:, :, np.newaxis]
