"""Studies of distributions over classes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.arrays import Indices
from metaeval.config import ExperimentConfig
from metaeval.errors import InputError, setting
from metaeval.inference.parts import Parts
from metaeval.io.dataset import Progress
from metaeval.io.labels.tasks import Task
from metaeval.measures import Measure, measure
from metaeval.measures.distributions.spec import of_whole_runs
from metaeval.model.data_kind import DataKind
from metaeval.model.distributions import DistributionRuns
from metaeval.model.report import Table
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ItemScores
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.study.capabilities import (
    DISTRIBUTIONS,
    GAMING,
    MERGES,
    RESCORE,
    TRIVIAL,
    Capability,
    Merges,
)
from metaeval.study.files import table_of_distributions
from metaeval.study.items import ItemStudy, Runs, measures_of
from metaeval.study.study import Sources, required_gold

if TYPE_CHECKING:
    from metaeval.scoring.merges import MergedScores

ENOUGH_GROUPS = 5
"""Tests of the logarithm of a share hold their level if it is that of this many groups of items."""


@dataclass(frozen=True)
class DistributionStudy(ItemStudy):
    """Systems that predict distributions over classes."""

    runs: DistributionRuns

    def provided(self) -> Collection[Capability[Any]]:
        return {*super().provided(), DISTRIBUTIONS, MERGES, GAMING, RESCORE}

    @property
    def distributions(self) -> DistributionRuns:
        return self.runs

    @property
    def merges(self) -> Merges:
        from metaeval.scoring.distributions import check_distributions

        return Merges(
            self.runs.scale,
            self.measures,
            check_distributions,
            score=self._score_merges,
            parts=lambda groups, random: lambda merged: parts_of_item_scores(self._merged(merged), groups, random()),
            of_cells=lambda merged, cells: parts_of_item_scores(self._merged(merged), cells),
        )

    def _merged(self, merged: ClassScale) -> ItemScores:
        """Scores of the items on a scale with merged classes."""
        from metaeval.scoring.merges import merge_distributions

        return self.scoring(merge_distributions(self.runs, merged), self.measures, "Scores of merged classes")

    def _score_merges(self, merges: Sequence[ClassScale]) -> MergedScores:
        from metaeval.scoring.merges import MergedScores

        values = np.stack([self._merged(merged).mean().values for merged in merges], axis=-3)
        return MergedScores(self.scores, replace(self.scores, values=values, axes=("merge",)))

    def _trivial_outputs(self, seed: int) -> Runs:
        from metaeval.scoring.distributions import trivial_distributions

        return trivial_distributions(self.runs, seed=seed)

    def _parts_of(
        self, scores: ItemScores, groups: Indices | None, random: np.random.Generator | None = None
    ) -> list[Parts]:
        self._check_logarithms(len(self.items) if groups is None else int(groups.max()) + 1)
        return super()._parts_of(scores, groups, random)

    def _check_logarithms(self, groups: int) -> None:
        """Reject tests of logarithms of class shares that a few groups of items decide."""
        # Rounded, so that the number of the remedy is enough.
        runs, enough = self.runs, float(f"{min(ENOUGH_GROUPS / groups, 1.0):.2g}")
        few = np.argwhere((runs.predicted.mean(axis=1) < enough) & (runs.gold.sum(axis=0) > 0))
        of_runs = (each for each in self.measures if of_whole_runs(each) and each.declaration.name == "cross-entropy")
        fragile = [each for each in of_runs if float(str(each.parameters["epsilon"])) < enough]
        if fragile and len(few):
            (system, label), measure_name = few[0].tolist(), str(fragile[0])
            share = f"{runs.predicted[system, :, label].mean():.2g} of class {runs.scale.labels[label]}"
            raise InputError.at(
                found=f"a test of {measure_name}, where {runs.systems[system]} predicts {share}",
                expected=f"shares of at least {enough:g} ({ENOUGH_GROUPS} of {groups:,} groups of items): a few items "
                "decide the logarithms of smaller ones",
                hint=f"set epsilon={enough:g} in the measure, or choose jsd:level=run",
            )

    @property
    def _trivial_notes(self) -> tuple[str, ...]:
        order = f"shuffled gold is one random order: its scores change with {setting('seed')}"
        if not any(map(of_whole_runs, self.measures)):
            return (order,)
        return (
            order,
            "mean of gold and shuffled gold have the class shares of gold: no system can be better at level=run",
        )

    def files_table(self) -> Table:
        return table_of_distributions(self, self.runs)


def read_distribution_study(
    config: ExperimentConfig, task: Task, *, progress: Progress, needs_runs: bool
) -> DistributionStudy:
    """Read the distributions of an experiment, and check its measures."""
    from metaeval.io.distributions import read_distributions

    if config.scores_trivial:
        raise TRIVIAL.missing("trivial systems", task.name)
    data = config.data
    for name in config.measures:
        measure(name).check_reads(DataKind.DISTRIBUTIONS)
    dataset = read_distributions(
        required_gold(config, "gold distributions"),
        data.runs,
        scale=data.labels,
        columns=data.columns,
        policies=data.policies,
        progress=progress,
        needs_runs=needs_runs,
        open_file=data.open,
        member=data.member,
    )
    scale = dataset.runs.scale
    if data.class_values is not None:
        scale = scale.with_values(data.class_values)
    default = "ordinal-distributions" if scale.ordered else "distributions"
    # All measures are those that the classes allow.
    config_of_measures = replace(config, preset=default) if config.preset == "all" else config
    measures = measures_of(config_of_measures, task.data_kind, default)
    for each in measures:
        each.check_order(scale, task.data_kind)
    origin = Sources.of(dataset)
    values = zip(scale.labels, scale.values or (), strict=False)
    settings = [("scale", str(scale)), ("values", ",".join(f"{label}={value:g}" for label, value in values))]
    return DistributionStudy(
        config,
        origin,
        measures,
        replace(dataset.runs, scale=scale),
        tuple((name, text) for name, text in settings if text),
        scoring=_score,
    )


def _score(runs: Runs, measures: Sequence[Measure], _description: str) -> ItemScores:
    from metaeval.scoring.distributions import score_distributions

    assert isinstance(runs, DistributionRuns)
    return score_distributions(runs, measures)
