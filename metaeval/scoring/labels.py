"""Scores of label predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.measures.spec import Measure
from metaeval.model.labels import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import WeighableItems, count
from metaeval.stats.resample import Draws


def score_labels(runs: LabelledRuns, measures: Sequence[Measure]) -> ScoreCube:
    """Every system under every measure; values (M, S).

    A measure that can't be computed on the scale of the runs is an `InputError`.
    """
    counts = count(runs.gold, runs.predicted, classes=len(runs.scale))
    return score_counts(counts, measures, scale=runs.scale, systems=runs.systems)


def score_counts(
    counts: NDArray[Any],
    measures: Sequence[Measure],
    *,
    scale: ClassScale,
    systems: Sequence[str],
    axes: Sequence[str] = (),
) -> ScoreCube:
    """Every system under every measure, for every leading axis.

    counts: (*axes, S, C, C). axes: the names of what stands before the systems. Returns values (*axes, M, S).
    """
    for measure in measures:
        measure.check_order(scale)
    # Measures compute in float64; to turn the counts once is cheaper than once a measure.
    exact = counts.astype(np.float64, copy=False)
    leading = counts.shape[:-3]
    # As in the counts, what varies most lies together in memory: systems before trials, and trials last.
    buffer = np.empty((len(measures), len(systems), *reversed(leading)), dtype=np.float64)
    values = buffer.transpose(*range(len(leading) + 1, 1, -1), 0, 1)
    for position, measure in enumerate(measures):
        values[..., position, :] = measure(exact, scale)
    names = tuple(str(measure) for measure in measures)
    return ScoreCube(values, tuple(axes), names, tuple(systems), tuple(measure.better for measure in measures))


@dataclass(frozen=True)
class LabelSamples:
    """Label predictions that any sample of the items can be scored of: `scoring.resamples.Samples`."""

    runs: LabelledRuns
    measures: tuple[Measure, ...]

    @cached_property
    def items(self) -> WeighableItems:
        """The items, sorted by gold class and alike ones together."""
        return WeighableItems.of(self.runs.gold, self.runs.predicted, classes=len(self.runs.scale))

    @property
    def multiplicities(self) -> NDArray[np.integer]:
        """How many items have each pattern of gold and predictions, (U,)."""
        return self.items.multiplicities

    @property
    def classes(self) -> list[slice]:
        """The rows of each gold class that has any."""
        return [slice(begin, end) for begin, end in pairwise(self.items.boundaries.tolist()) if end > begin]

    @property
    def bytes_a_trial(self) -> int:
        """Draws of both halves as whole numbers and on their way to weights; counts, and what measures make of them."""
        systems, rows = self.items.predicted.shape
        return int(32 * rows + 64 * systems * self.items.classes**2)

    def score_samples(self, draws: Draws) -> ScoreCube:
        """Scores of samples, axes ('replicate',)."""
        return self._scored(self.items.counts_of_rows(draws), ("replicate",))

    def score_halves(self, first: Draws, second: Draws | None) -> ScoreCube:
        """Scores of both halves of trials, axes ('trial', 'half')."""
        of_first = self.items.counts_of_rows(first).transpose(2, 3, 1, 0)
        if second is None:
            of_second = self.items.counts_of_all.transpose(2, 3, 1, 0) - of_first
        else:
            of_second = self.items.counts_of_rows(second).transpose(2, 3, 1, 0)
        # The trials are last in memory, as measures like them.
        return self._scored(np.stack([of_first, of_second], axis=3).transpose(4, 3, 2, 0, 1), ("trial", "half"))

    def _scored(self, counts: NDArray[np.float64], axes: Sequence[str]) -> ScoreCube:
        return score_counts(counts, self.measures, scale=self.runs.scale, systems=self.runs.systems, axes=axes)
