"""Systems that were run repeatedly, as with several random seeds: scores are means over the runs of a system."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from metaeval.arrays import Floats, Indices, Integers
from metaeval.config import DataConfig
from metaeval.errors import InputError, conflict, invalid, leave_out, pluralize, refuse, setting
from metaeval.grid import round_to_grid
from metaeval.inference.parts import Parts, RunVariance
from metaeval.inference.pooled import PooledParts
from metaeval.io.files.run_files import split_name
from metaeval.io.scores.cells import REPLICATE_MARK
from metaeval.model.report import Table
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.resamples import Samples
from metaeval.study.capabilities import (
    ADDITIVE,
    ITEM_SCORES,
    PARTS,
    REPLICATES,
    AdditiveMeasures,
    Capability,
    GroupParts,
    Replicates,
)
from metaeval.study.study import Study

FEWEST_RUNS = 3
"""Number of runs of each system from which tests are about other runs, too: two runs hardly tell how much runs vary."""


def with_replicates(study: Study) -> Study:
    """The study with the mean score of the runs of each system, where data have repeated runs."""
    data = study.config.data
    repeats = [name for name in study.systems if REPLICATE_MARK in name and (data.replicates or _is_named(data, name))]
    if not repeats:
        return study
    _check_averages(study)
    systems = [name.rpartition(REPLICATE_MARK)[0] if name in repeats else name for name in study.systems]
    names = tuple(dict.fromkeys(systems))
    system_of_run = np.array([names.index(name) for name in systems], dtype=np.intp)
    counts = np.bincount(system_of_run)
    few, most = int(counts.min()), int(counts.max())
    runs = f"{few} to {most} runs" if few < most else pluralize(few, "run")
    if not all(names):
        raise refuse(None, invalid("system", ", ".join(repeats), f"SYSTEM{REPLICATE_MARK}RUN"))
    if few >= FEWEST_RUNS:
        about = (
            "differences are tested for other items and other runs, unless compare has another --over or --revised; "
            "other tests and intervals are about other items, for these runs"
        )
    else:
        about = (
            "tests and intervals are about other items, for these runs, because fewer than "
            f"{FEWEST_RUNS} runs of a system do not show how much runs vary"
        )
    note = f"scores are means over {runs} of each system ({len(systems):,} in all); {about}"
    if most == 1:
        note = f"each system has one run, whose name after '{REPLICATE_MARK}' is left out"
    origin = replace(study.origin, notes=(*study.origin.notes, note))
    return ReplicatedStudy(study.config, origin, study.measures, study, system_of_run, names=names)


def _check_averages(study: Study) -> None:
    """Raise an `InputError` for scores of runs that are not averaged."""
    scores = study.find(ITEM_SCORES) if study.has_gaps or study.config.data.task == "table" else None
    names = [] if scores is None else [scores.measures[score.index] for score in scores.sums]
    found = "missing scores" if study.has_gaps else f"measures of sums ({', '.join(names)})" if names else ""
    if found:
        expected = "a score of every item in every run, under measures that are means over items"
        hint = f"set {setting('on_missing', 'drop')}" if study.has_gaps else leave_out("these measures")
        raise refuse(None, conflict("repeated runs", found, expected, hint))


def _is_named(data: DataConfig, system: str) -> bool:
    """Whether a system has its name from the user, as in `bert@1=bert-seed1.csv`."""
    return any(system == (run if data.holds(run) else split_name(run)[0]) for run in data.runs)


@dataclass(frozen=True)
class ReplicatedStudy(Study):
    """A study of systems whose scores are means over their runs.

    study_of_runs: of R runs. system_of_run: the system of each, (R,). names: of the systems.
    """

    study_of_runs: Study
    system_of_run: Indices
    names: tuple[str, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        return self.names

    @property
    def items(self) -> Sequence[str]:
        return self.study_of_runs.items

    @property
    def measure_names(self) -> tuple[str, ...]:
        return self.study_of_runs.measure_names

    @cached_property
    def scores(self) -> ScoreCube:
        return _mean_cube(self.study_of_runs.scores, self.system_of_run, self.names)

    def samples(self, what: str) -> Samples:
        return _MeanSamples(self.study_of_runs.samples(what), self.system_of_run, self.names)

    def check_measures(self) -> None:
        self.study_of_runs.check_measures()

    def files_table(self) -> Table:
        return self.study_of_runs.files_table()

    def settings(self) -> list[tuple[str, str]]:
        return [("runs", str(len(self.system_of_run))), *self.study_of_runs.settings()]

    def provided(self) -> Collection[Capability[Any]]:
        has, choices = self.study_of_runs.has, (PARTS, ITEM_SCORES, ADDITIVE)
        provided: set[Capability[Any]] = {capability for capability in choices if has(capability)}
        return provided | {REPLICATES} if ADDITIVE in provided else provided

    @property
    def replicates(self) -> Replicates:
        return Replicates(self.study_of_runs.need(ADDITIVE, "runs"), self.system_of_run)

    def missing(self, capability: Capability[Any], what: str) -> InputError:
        """The error of a capability that this study lacks, where its runs have it."""
        if not self.study_of_runs.has(capability):
            return self.study_of_runs.missing(capability, what)
        expected = "one run of each system, because the scores of several are only averaged"
        hint = f"name one run of each system, without '{REPLICATE_MARK}' or {setting('replicates')}"
        return refuse(None, conflict(what, "repeated runs of a system", expected, hint))

    @property
    def has_repeated_runs(self) -> bool:
        return len(self.system_of_run) > len(self.names)

    @property
    def has_random_runs(self) -> bool:
        return int(np.bincount(self.system_of_run).min()) >= FEWEST_RUNS

    @property
    def group_parts(self) -> GroupParts:
        group_parts = self.study_of_runs.need(PARTS, "runs")

        def means(run_parts: Sequence[Parts]) -> list[Parts]:
            scores = self.scores.oriented().values
            return [self._mean_parts(parts, row / parts.unit) for parts, row in zip(run_parts, scores, strict=True)]

        with_gold = group_parts.with_gold or group_parts.by_group
        return GroupParts(
            lambda groups, random: means(group_parts.by_group(groups, random)),
            lambda cells: means(group_parts.by_cell(cells)),
            lambda groups, random: means(with_gold(groups, random)),
        )

    def _mean_parts(self, run_parts: Parts, scores: Floats) -> Parts:
        """The parts of the mean scores, (S,), over the runs of each system."""
        runs = RunVariance.of(run_parts, self.system_of_run) if self.has_random_runs else None
        parts = replace(run_parts, scores=scores, parts=_means(run_parts.parts, self.system_of_run), runs=runs)
        if isinstance(parts, PooledParts):
            sums = _means(parts.sums.transpose(1, 2, 0), self.system_of_run)
            parts = replace(parts, sums=np.ascontiguousarray(sums.transpose(2, 0, 1)))
        return parts

    @cached_property
    def item_scores(self) -> ItemScores:
        scores = self.study_of_runs.need(ITEM_SCORES, "runs")
        values = np.swapaxes(_means(np.swapaxes(scores.values, 1, 2), self.system_of_run), 1, 2)
        return replace(scores, values=np.ascontiguousarray(values), systems=self.names)

    @property
    def additive(self) -> AdditiveMeasures:
        additive = self.study_of_runs.need(ADDITIVE, "runs")
        return AdditiveMeasures(
            additive.indices, lambda index: _means(additive.worths(index).T, self.system_of_run).T.copy()
        )


@dataclass(frozen=True)
class _MeanSamples:
    """Samples of items, with the mean score over the runs of each system; see `Samples`."""

    run_samples: Samples
    system_of_run: Indices
    names: tuple[str, ...]

    @property
    def multiplicities(self) -> Integers:
        return self.run_samples.multiplicities

    @property
    def classes(self) -> Sequence[slice]:
        return self.run_samples.classes

    @property
    def bytes_a_trial(self) -> int:
        return self.run_samples.bytes_a_trial

    def rows_of_items(self, draws: Integers) -> Integers:
        return self.run_samples.rows_of_items(draws)

    def score_halves(self, first: Integers, second: Integers | None) -> ScoreCube:
        return _mean_cube(self.run_samples.score_halves(first, second), self.system_of_run, self.names)


def _mean_cube(cube: ScoreCube, system_of_run: Indices, names: tuple[str, ...]) -> ScoreCube:
    """Scores of systems, on the grid; a mean is undefined where the score of a run is."""
    run_scores = cube.values
    largest = np.nanmax(np.abs(run_scores), axis=(*range(run_scores.ndim - 2), run_scores.ndim - 1), initial=0.0)
    values = round_to_grid(_means(run_scores, system_of_run), np.maximum(largest, 1.0)[:, np.newaxis])
    return replace(cube, values=values, systems=names)


def _means(values: Floats, system_of_run: Indices) -> Floats:
    """Means over the runs of each system, (..., R) to (..., S)."""
    systems = range(int(system_of_run.max()) + 1)
    return np.stack([values[..., system_of_run == system].mean(axis=-1) for system in systems], axis=-1)
