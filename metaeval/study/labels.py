"""Studies of systems that predict classes, or numbers for items that have classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval import registry
from metaeval.arrays import Indices
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import InputError, conflict, empty, leave_out, refuse, setting
from metaeval.inference.parts import Parts
from metaeval.io.dataset import Dataset, Progress, read_dataset
from metaeval.io.labels.tasks import LabelTask
from metaeval.io.parquet import UnreadableData, check_all_parquet, parquet_bytes, parquet_cells, partitioned
from metaeval.measures import Measure, candidates, fits, fitting, preset, select_measures
from metaeval.measures import measure as parse_measure
from metaeval.measures.presets import CANDIDATES, check_measure_names
from metaeval.model.report import Table
from metaeval.model.runs import ClassRuns, DataKind, LabelledRuns, Numbered, NumericRuns
from metaeval.model.scale import ClassScale, rising_numbers
from metaeval.model.scores import ScoreCube
from metaeval.scoring.confusion import check_cells, counts_of
from metaeval.scoring.evaluation import Plan
from metaeval.scoring.labels import (
    LabelSamples,
    MergedScores,
    balanced_merges,
    is_additive,
    item_scores,
    merge_runs,
    score_counts,
    score_labels,
    score_merges,
)
from metaeval.scoring.numeric import check_reads_numbers, numeric_parts, score_numbers
from metaeval.scoring.parts import cell_parts, cell_parts_of_systems, count_groups
from metaeval.scoring.resamples import Draw
from metaeval.scoring.trivial import check_free, trivial_counts, with_trivial_systems
from metaeval.study.capabilities import (
    ADDITIVE,
    GAMING,
    ITEM_SCORES,
    LABELS,
    MEAN_RECALL,
    MERGES,
    PARTS,
    PREDICTIONS,
    RESCORE,
    REWEIGHTED,
    AdditiveMeasures,
    Capability,
    GamingSystems,
    GroupParts,
    Merges,
)
from metaeval.study.study import (
    Sources,
    Study,
    required_gold,
    table_of_labels,
    table_of_numbers,
    without_excluded,
)

BIG_BYTES = 64 << 20
"""Size from which Parquet is read by DuckDB: as text in memory it is a hundred times as large."""

BIG_CELLS = 1 << 24
"""Number of cells from which it is, too: labels of few classes take bits in a file, and a hundred bytes as text."""


MOST_NUMBERS = 20
"""Number of classes up to which a signature has all of them, where they are numbers."""

_BY_SIMILARITY = "compare measures of predicted numbers by similarity"


@dataclass(frozen=True)
class LabelStudy(Study):
    """Systems that predict classes or numbers, and the measures they are scored with."""

    runs: ClassRuns | NumericRuns

    @property
    def systems(self) -> tuple[str, ...]:
        return self.runs.systems

    @property
    def items(self) -> Sequence[str]:
        return self.runs.items

    @property
    def measure_names(self) -> tuple[str, ...]:
        return tuple(map(str, self.measures))

    @cached_property
    def scores(self) -> ScoreCube:
        return score_runs(self.runs, self.measures)

    def samples(self, what: str) -> LabelSamples:
        if isinstance(self.runs, NumericRuns):
            raise self.missing(LABELS, what)
        return self._samples

    @cached_property
    def _samples(self) -> LabelSamples:
        # Cached: sorting the items is expensive.
        assert not isinstance(self.runs, NumericRuns)
        return LabelSamples(self.runs, self.measures)

    def provided(self) -> Collection[Capability[Any]]:
        runs = self.runs
        provided: set[Capability[Any]] = {GAMING, RESCORE, REWEIGHTED}
        if not isinstance(runs, NumericRuns):
            provided |= {LABELS, PARTS, MERGES}
        if isinstance(runs, (LabelledRuns, NumericRuns)) and not isinstance(runs.items, Numbered):
            provided.add(PREDICTIONS)
        if isinstance(runs, LabelledRuns):
            provided.add(ADDITIVE)
        return provided

    @property
    def gaming(self) -> GamingSystems:
        note = f"the random systems are one random draw each: their scores change with {setting('seed')}"
        by_recall = replace(self, measures=(parse_measure(MEAN_RECALL),))
        return GamingSystems(self._trivial, (note,), by_recall._trivial)

    def _trivial(self, seed: int) -> tuple[ScoreCube, GroupParts | None]:
        """See `GamingSystems`."""
        runs, measures = self.runs, self.measures
        if isinstance(runs, (LabelledRuns, NumericRuns)):
            both = with_trivial_systems(runs, seed=seed)
            cube = score_runs(both, measures)
            values = cube.values[:, len(runs.systems) :]
            return replace(cube, values=values, systems=both.trivial), _group_parts(both, measures)
        names, counts = trivial_counts(runs.gold_frequencies, runs.scale, seed=seed)
        check_free(names, runs.systems)
        return score_counts(counts, measures, scale=runs.scale, systems=names), None

    def rescore(self, measures: Sequence[Measure], _description: str) -> tuple[ScoreCube, None]:
        """See `Rescore`."""
        return score_runs(self.runs, measures), None

    @property
    def group_parts(self) -> GroupParts:
        return _group_parts(self.runs, self.measures)

    @property
    def merges(self) -> Merges:
        return Merges(
            self.runs.scale,
            Measure.check,
            score=self._score_merges,
            parts=self._parts_of_merges,
            cell_parts=self._cells_of_merge,
            balanced=self._balanced_merges,
        )

    def _score_merges(self, merges: Sequence[ClassScale]) -> MergedScores:
        runs = self.need(LABELS, "merges")
        return score_merges(counts_of(runs), self.measures, merges, scale=runs.scale, systems=runs.systems)

    def _parts_of_merges(
        self, groups: Indices | None, random: Callable[[], np.random.Generator]
    ) -> Callable[[ClassScale], list[Parts]]:
        counts = count_groups(self.need(LABELS, "merges"), groups, random())
        return lambda merged: counts.merged(merged).parts_of_systems(self.measures)

    def _cells_of_merge(self, merged: ClassScale, cells: Indices) -> list[Parts]:
        assert isinstance(self.runs, LabelledRuns)  # clusters of other items are refused when they are read
        return list(cell_parts_of_systems(merge_runs(self.runs, merged), cells, self.measures))

    def _balanced_merges(self, merges: Sequence[ClassScale], trials: int) -> Plan[Draw, MergedScores]:
        config = self.config
        return balanced_merges(self._samples, merges, trials=trials, seed=config.seed, memory=config.block_memory)

    @property
    def additive(self) -> AdditiveMeasures:
        indices = tuple(index for index, measure in enumerate(self.measures) if is_additive(measure))
        return AdditiveMeasures(indices, self._worths)

    def _worths(self, index: int) -> NDArray[np.float64]:
        """Oriented worths of the items under a measure, (S, N)."""
        assert isinstance(self.runs, LabelledRuns)
        worths = item_scores(self.runs, self.measures[index])
        oriented: NDArray[np.float64] = worths * self.scores.directions[index].sign
        return oriented

    def missing(self, capability: Capability[Any], what: str) -> InputError:
        """The error of a capability that this study lacks; where systems predict numbers, it lacks all of labels."""
        if not isinstance(self.runs, NumericRuns) or capability not in (LABELS, MERGES, ADDITIVE, ITEM_SCORES):
            return super().missing(capability, what)
        hint = _BY_SIMILARITY if capability in (LABELS, MERGES) else ""
        return refuse(None, conflict(what, "predicted numbers", "systems that predict labels", hint))

    def check_measures(self) -> None:
        for measure in self.measures:
            if isinstance(self.runs, NumericRuns):
                check_reads_numbers(measure)
            measure.check(self.runs.scale)

    def files_table(self) -> Table:
        runs = self.runs
        return table_of_numbers(self, runs) if isinstance(runs, NumericRuns) else table_of_labels(self, runs)

    def settings(self) -> list[tuple[str, str]]:
        """The scale, its class weights and values."""
        scale = self.runs.scale
        if len(scale) > MOST_NUMBERS and rising_numbers(scale.labels):
            return [("scale", f"{scale.labels[0]}<…<{scale.labels[-1]}"), ("numbers", str(len(scale)))]
        numbers = ("weights", _numbers_of(scale, scale.weights)), ("values", _numbers_of(scale, scale.values))
        return [("scale", str(scale)), *numbers]


def _group_parts(runs: ClassRuns | NumericRuns, measures: Sequence[Measure]) -> GroupParts:
    if isinstance(runs, NumericRuns):
        return GroupParts(partial(numeric_parts, runs, measures), partial(numeric_parts, runs, measures))

    def compute_cell_parts(cells: Indices) -> list[Parts]:
        assert isinstance(runs, LabelledRuns)  # two columns of clusters of other items are refused when they are read
        return list(cell_parts(runs, cells, measures))

    return GroupParts(
        lambda groups, random: count_groups(runs, groups, random).parts(measures),
        compute_cell_parts,
        lambda groups, random: count_groups(runs, groups, random).parts(measures, given_gold=False),
    )


def score_predictions(
    runs: LabelledRuns | NumericRuns, measures: tuple[Measure, ...], systems: Sequence[str], predicted: NDArray[Any]
) -> tuple[GroupParts, ScoreCube]:
    """Parts of the scores of predictions of other systems, (S, N), and these scores."""
    changes: dict[str, Any] = {"systems": tuple(systems), "predicted": predicted}
    if isinstance(runs, LabelledRuns):
        changes["scale"] = replace(runs.scale, misses=bool((predicted == len(runs.scale)).any()))
    others: LabelledRuns | NumericRuns = replace(runs, **changes)
    return _group_parts(others, measures), score_runs(others, measures)


def _numbers_of(scale: ClassScale, numbers: Sequence[float] | None) -> str:
    return ",".join(f"{label}={number:g}" for label, number in zip(scale.labels, numbers or (), strict=False))


def score_runs(runs: ClassRuns | NumericRuns, measures: Sequence[Measure]) -> ScoreCube:
    """Scores (M, S) of systems that predict classes or numbers."""
    return score_numbers(runs, measures) if isinstance(runs, NumericRuns) else score_labels(runs, measures)


def read_label_study(config: ExperimentConfig, task: LabelTask, *, progress: Progress, needs_runs: bool) -> LabelStudy:
    """Read the labels or numbers of an experiment, and check its measures."""
    data = config.data
    gold = required_gold(config, "gold labels")
    # Wrong names are reported before files are read.
    check_measure_names(config.measures, DataKind.LABELS)
    dataset = _read(config, gold, task, progress, needs_runs and not config.scores_trivial)
    if not isinstance(dataset.runs, NumericRuns):
        check_cells(dataset.runs)
    scale, notes = _with_numbers(dataset.runs.scale, data, task)
    measures, preset_notes = _measures(config, task, scale)
    notes += preset_notes + _check_numbers(measures, scale, task)
    origin = Sources.of(dataset, notes)
    return LabelStudy(config, origin, measures, replace(dataset.runs, scale=scale))


def _read(
    config: ExperimentConfig, gold: str, task: LabelTask, progress: Progress, needs_runs: bool
) -> Dataset[ClassRuns] | Dataset[ClassRuns | NumericRuns]:
    """Read the data set with the requested engine, or the one that fits the files."""
    data, scale = config.data, declared_scale(config.data, task)

    def read_in_memory() -> Dataset[ClassRuns | NumericRuns]:
        return read_dataset(
            gold,
            data.runs,
            task=task,
            scale=scale,
            columns=data.columns,
            policies=data.policies,
            progress=progress,
            needs_runs=needs_runs,
            open_file=data.open,
            member=data.member,
        )

    if engine_of(data, gold, task) == "memory":
        return read_in_memory()
    read = registry.load("metaeval.engines.labels", "read_labels")
    try:
        dataset: Dataset[ClassRuns] = read(
            config, gold, scale=scale, task=task, needs_runs=needs_runs, progress=progress
        )
        return dataset
    except UnreadableData:
        if engine_of(replace(data, engine=None), gold, task) == "memory":
            read_in_memory()
        raise


def engine_of(data: DataConfig, gold: str, task: LabelTask) -> str:
    """The requested engine, else DuckDB for Parquet that is large or in partitions, else memory."""
    fits = task.columns and task.data_kind is DataKind.LABELS and not data.memory
    size = parquet_bytes(gold, data.runs) if fits else None
    if data.engine == "duckdb" and not fits:
        expected, hint = f"Parquet files of labels, with {setting('task', 'labels')}", leave_out(setting("engine"))
        raise refuse(None, conflict(setting("engine", "duckdb"), setting("task", task.name), expected, hint))
    if data.engine == "duckdb" and size is None:
        check_all_parquet(gold, data.runs)
    folder = partitioned(gold, data.runs) if size is not None else None
    if data.engine == "memory" and folder is not None:
        expected = "one file of gold labels, and one per system"
        hint = f"leave out {setting('engine')} to read them with DuckDB, or write each table to one file"
        raise refuse(folder, conflict("a folder of partitions", setting("engine", "memory"), expected, hint))
    if data.engine is not None or size is None:
        return data.engine or "memory"
    large = folder is not None or size >= BIG_BYTES or parquet_cells(gold, data.runs) >= BIG_CELLS
    return "duckdb" if large else "memory"


def declared_scale(data: DataConfig, task: LabelTask) -> ClassScale | None:
    """The declared scale, with the weights of the task for the same classes; else the scale of the task."""
    if data.labels is None or task.scale is None:
        return data.labels or task.scale
    if task.scale.weights is not None and set(data.labels.labels) == set(task.scale.labels):
        return data.labels.with_weights(dict(zip(task.scale.labels, task.scale.weights, strict=True)))
    return data.labels


def with_numbers(scale: ClassScale, data: DataConfig) -> ClassScale:
    """The scale with the declared class weights and values."""
    scale = scale.with_weights(data.class_weights) if data.class_weights is not None else scale
    return scale.with_values(data.class_values) if data.class_values is not None else scale


def _with_numbers(scale: ClassScale, data: DataConfig, task: LabelTask) -> tuple[ClassScale, tuple[str, ...]]:
    """The scale with its class weights and values, and notes on them.

    Where systems predict numbers and the class labels are increasing numbers, these are the class values.
    """
    scale = with_numbers(scale, data)
    has_values = data.class_values is not None or task.data_kind is not DataKind.NUMBERS
    values = None if has_values else rising_numbers(scale.labels)
    if values is None:
        return scale, ()
    if len(scale) > MOST_NUMBERS:
        return scale.with_values(values), ()
    return scale.with_values(values), (f"the class labels are the class values ({', '.join(scale.labels)})",)


def _check_numbers(measures: Sequence[Measure], scale: ClassScale, task: LabelTask) -> tuple[str, ...]:
    """Notes on the class weights that measures compute with.

    A measure that subtracts predicted numbers from class positions is an `InputError`: their units may differ.
    """
    numeric = task.data_kind is DataKind.NUMBERS
    for measure in measures:
        if numeric and measure.subtracts_numbers and scale.values is None:
            noun = f"class values for measure '{measure}' of predicted numbers"
            values = f"declare a value for each of {', '.join(scale.labels)} in {setting('class_values')}"
            hint = f"{values}, or choose measures of order, such as spearman and kendall"
            raise refuse(None, empty(noun, "a value for each class", hint))
    summing = [str(measure) for measure in measures if measure.declaration.sums_weights]
    total = sum(scale.weights or ())
    if not summing or scale.weights is None or math.isclose(total, 1.0):
        return ()
    return (f"class weights sum to {total:g}, so that {', '.join(summing)} can reach {total:g} instead of 1",)


def _measures(
    config: ExperimentConfig, task: LabelTask, scale: ClassScale
) -> tuple[tuple[Measure, ...], tuple[str, ...]]:
    """The measures of the experiment and of its preset; where it names neither, of the preset of its task or scale.

    The last are without those in which missing predictions have no place, and a note says so.
    """
    measures = select_measures(config.measures, lambda: fitting(scale))
    name = config.preset if config.preset is not None or measures else _preset_of(task, scale)
    if name == CANDIDATES:
        task_measures = preset(task.preset) if task.preset and _preset_of(task, scale) == task.preset else ()
        measures += [*candidates(scale), *(measure for measure in task_measures if fits(measure, scale))]
    elif name is not None:
        measures += fitting(scale) if name == "all" else preset(name)
    for measure in measures:
        measure.check_reads(DataKind.LABELS)
    if name in ("all", CANDIDATES) and task.data_kind is DataKind.NUMBERS:
        subtracting = scale.values is not None
        numeric = (measure for measure in measures if measure.reads_numbers)
        measures = [measure for measure in numeric if subtracting or not measure.subtracts_numbers]
    remaining = without_excluded(tuple(dict.fromkeys(measures)), config.data.exclude_measures)
    if not scale.misses or config.measures or config.preset is not None:
        return remaining, ()
    left = [str(measure) for measure in remaining if not fits(measure, scale)]
    note = f"left out, because a missing prediction has no place in them: {', '.join(left)}"
    return tuple(measure for measure in remaining if str(measure) not in left), (note,) if left else ()


def _preset_of(task: LabelTask, scale: ClassScale) -> str:
    if task.preset and (task.scale is None or (not scale.ordered and set(scale.labels) == set(task.scale.labels))):
        return task.preset
    return "stance-nine" if scale.ordered else "nominal"
