"""Scores of label predictions, of merged classes and of single items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from metaeval.arrays import Array, Floats, Integers
from metaeval.grid import round_to_grid
from metaeval.measures.spec import Measure, Trait
from metaeval.model.runs import ClassRuns, DistributionRuns, LabelledRuns, PatternRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import WeighableItems, WeighableRows, counts_of, merge
from metaeval.scoring.evaluation import Plan
from metaeval.scoring.resamples import BLOCK_MEMORY, Draw, blocks_of
from metaeval.stats.resample import draw_subsets, generator


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
            return WeighableRows.from_patterns(self.runs)
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
        counts = np.stack(halves, axis=3).transpose(4, 3, 2, 0, 1)
        axes = ("trial", "half")
        return score_counts(counts, self.measures, scale=self.runs.scale, systems=self.runs.systems, axes=axes)


def is_additive(measure: Measure) -> bool:
    """Whether each item contributes to the score independently of the others, for fixed gold labels."""
    return Trait.ADDITIVE in measure.traits


def item_scores(runs: LabelledRuns, measure: Measure) -> Floats:
    """Scores of single items, (S, N), whose mean over the items is the score of a system.

    measure: an additive one, else a `ValueError`. NaN everywhere where the measure is undefined for this gold.

    >>> from metaeval.measures import measure
    >>> from metaeval.model.scale import ClassScale
    >>> runs = LabelledRuns(("1", "2"), np.array([0, 1]), np.array([[0, 0]]), ("a",), ClassScale(("no", "yes")))
    >>> item_scores(runs, measure("accuracy"))
    array([[1., 0.]])
    """
    if not is_additive(measure):
        raise ValueError(f"{measure} is no mean over items")
    worth = worth_of_cells(np.bincount(runs.gold, minlength=len(runs.scale)), measure, runs.scale)
    return worth[runs.gold, runs.predicted]


def worth_of_cells(frequencies: Integers, measure: Measure, scale: ClassScale) -> Floats:
    """The score of an item by the codes of gold class and prediction; frequencies: of the gold classes, (C,).

    Computed from systems that predict one class for all items of a gold class, and all other items correctly.
    """
    classes = scale.codes
    gold = np.zeros(classes)
    gold[: len(frequencies)] = frequencies
    right = np.diag(gold)
    best = float(measure(right, scale))
    worth = np.full((classes, classes), best)
    every = np.arange(classes)
    # Class by class: of a hundred classes, all these counts at once would be a hundred million cells.
    for code in np.flatnonzero(gold).tolist():
        counts = np.repeat(right[np.newaxis], classes, axis=0)
        counts[:, code] = 0.0
        counts[every, code, every] = gold[code]
        worth[code] += (measure(counts, scale) - best) / gold[code] * int(frequencies.sum())
    return worth


@dataclass(frozen=True)
class MergedScores:
    """Scores on the declared scale, and on each merged one, with 'merge' as the last of the axes."""

    original: ScoreCube
    merged: ScoreCube


def score_merges(
    counts: Integers | Floats,
    measures: Sequence[Measure],
    merges: Sequence[ClassScale],
    *,
    scale: ClassScale,
    systems: Sequence[str],
    axes: Sequence[str] = (),
) -> MergedScores:
    """Scores on a scale and on scales with merged classes, without recounting.

    counts: (*axes, S, C, C). merges: results of `ClassScale.merge`.
    """
    original = score_counts(counts, measures, scale=scale, systems=systems, axes=axes)
    cubes = [
        score_counts(merge(counts, merged_groups(scale, merged)), measures, scale=merged, systems=systems, axes=axes)
        for merged in merges
    ]
    values = np.stack([cube.values for cube in cubes], axis=-3)
    return MergedScores(original, replace(original, values=values, axes=(*axes, "merge")))


def balanced_merges(
    samples: LabelSamples, merges: Sequence[ClassScale], *, trials: int, seed: int, memory: int = BLOCK_MEMORY
) -> Plan[Draw, MergedScores]:
    """`score_merges` of samples in which every gold class has as many items as the rarest.

    Axes ('trial',) and ('trial', 'merge'). A class without gold items remains so.
    """
    by_class = [samples.multiplicities[rows] for rows in samples.classes]
    rarest = min(int(multiplicities.sum()) for multiplicities in by_class)

    def score(block: Draw) -> MergedScores:
        seed, size = block
        random = generator(seed)
        subsets = [draw_subsets(random, multiplicities, trials=size, size=rarest) for multiplicities in by_class]
        counts = samples.rows.counts_of_rows(np.concatenate(subsets, axis=1))
        runs = samples.runs
        return score_merges(counts, samples.measures, merges, scale=runs.scale, systems=runs.systems, axes=("trial",))

    return Plan(blocks_of(seed, "balance", trials, samples, memory), score)


def merge_runs(runs: LabelledRuns, merged: ClassScale) -> LabelledRuns:
    """The runs on a scale with merged classes, a result of `ClassScale.merge`."""
    codes = np.empty(runs.scale.codes, dtype=np.intp)
    for code, group in enumerate(merged_groups(runs.scale, merged)):
        codes[group] = code
    return replace(runs, gold=codes[runs.gold], predicted=codes[runs.predicted], scale=merged)


def merge_distributions(runs: DistributionRuns, merged: ClassScale) -> DistributionRuns:
    """The runs on a scale with merged classes, whose probabilities are added."""
    groups = merged_groups(runs.scale, merged)
    predicted, gold = (
        np.stack([shares[..., group].sum(axis=-1) for group in groups], axis=-1)
        for shares in (runs.predicted, runs.gold)
    )
    return replace(runs, predicted=predicted, gold=gold, scale=merged)


def merged_groups(scale: ClassScale, merged: ClassScale) -> list[list[int]]:
    """The codes of `scale` for each code of a scale in which some of its classes are merged into one."""
    merged_codes = [code for code, label in enumerate(scale.labels) if label not in merged.labels]
    groups = [[scale.code(label)] if label in scale.labels else merged_codes for label in merged.labels]
    if sum(map(len, groups)) != len(scale):
        raise ValueError(f"'{merged}' is not '{scale}' with one merge")
    return groups + [[len(scale)]] * scale.misses
