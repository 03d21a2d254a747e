"""Scores of label predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from metaeval.arrays import Array, Floats, Integers
from metaeval.grid import round_to_grid
from metaeval.measures.spec import Measure
from metaeval.model.labels import ClassRuns, PatternRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import WeighableItems, WeighableRows, counts_of


def score_labels(runs: ClassRuns, measures: Sequence[Measure]) -> ScoreCube:
    """Scores of every system under every measure.

    Parameters
    ----------
    runs
        Labels of S systems.
    measures
        M measures.

    Returns
    -------
    ScoreCube
        Values (M, S).

    Raises
    ------
    InputError
        If a measure cannot be computed on the scale of the runs.
    """
    return score_counts(counts_of(runs), measures, scale=runs.scale, systems=runs.systems)


def score_counts(
    counts: Array,
    measures: Sequence[Measure],
    *,
    scale: ClassScale,
    systems: Sequence[str],
    axes: Sequence[str] = (),
) -> ScoreCube:
    """Scores of every system under every measure, for every leading axis.

    Parameters
    ----------
    counts : array (*axes, S, C, C)
        Confusion counts.
    measures
        M measures.
    scale
        Classes.
    systems
        Names of the systems.
    axes
        Names of the axes before the systems.

    Returns
    -------
    ScoreCube
        Values (*axes, M, S).
    """
    for measure in measures:
        measure.check_order(scale)
    # Measures compute in float64; to convert the counts once is cheaper than once per measure.
    exact = counts.astype(np.float64, copy=False)
    leading = counts.shape[:-3]
    # As in the counts, trials are the last axis in memory, after systems.
    buffer = np.empty((len(measures), len(systems), *reversed(leading)), dtype=np.float64)
    values = buffer.transpose(*range(len(leading) + 1, 1, -1), 0, 1)
    for position, measure in enumerate(measures):
        values[..., position, :] = round_to_grid(measure(exact, scale), measure.unit(scale))
    names = tuple(str(measure) for measure in measures)
    return ScoreCube(values, tuple(axes), names, tuple(systems), tuple(measure.better for measure in measures))


@dataclass(frozen=True)
class LabelSamples:
    """Samples of label predictions: `scoring.resamples.Samples`."""

    runs: ClassRuns
    measures: tuple[Measure, ...]

    @cached_property
    def rows(self) -> WeighableRows:
        """The items, sorted by gold class, identical ones together."""
        if isinstance(self.runs, PatternRuns):
            return WeighableRows.of_patterns(self.runs)
        return WeighableItems.of(self.runs.gold, self.runs.predicted, classes=self.runs.scale.codes)

    @property
    def multiplicities(self) -> Integers:
        """How many items each row stands for, (U,)."""
        return self.rows.multiplicities

    @property
    def classes(self) -> list[slice]:
        """The rows of each gold class that has any."""
        return [slice(begin, end) for begin, end in pairwise(self.rows.boundaries.tolist()) if end > begin]

    @property
    def bytes_a_trial(self) -> int:
        """Bytes of the draws of both halves, of their counts, and of what measures compute from them."""
        return int(self.rows.bytes_a_trial + 64 * self.rows.systems * self.rows.classes**2)

    def rows_of_items(self, draws: Integers) -> Integers:
        """How many items of each row samples of the items in memory have, (T, U); draws: in their order, (T, N)."""
        assert isinstance(self.rows, WeighableItems)  # clusters of other items are refused when they are read
        return self.rows.weights_of_rows(draws)

    def score_halves(self, first: Integers, second: Integers | None) -> ScoreCube:
        """Scores of both halves of trials, axes ('trial', 'half')."""
        halves = [counts.transpose(2, 3, 1, 0) for counts in self.rows.counts_of_halves(first, second)]
        # The trials are the last axis in memory, in which measures are fastest.
        return self._score(np.stack(halves, axis=3).transpose(4, 3, 2, 0, 1), ("trial", "half"))

    def _score(self, counts: Floats, axes: Sequence[str]) -> ScoreCube:
        return score_counts(counts, self.measures, scale=self.runs.scale, systems=self.runs.systems, axes=axes)
