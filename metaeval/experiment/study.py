"""What every analysis begins with: data that were read, measures that were settled; and how it ends: a report."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np

from metaeval import __version__
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import InputError, counted
from metaeval.experiment.settings import Section, signature_fields
from metaeval.io.columns import Columns
from metaeval.io.dataset import Dataset, Track, read_dataset
from metaeval.io.policies import Policies
from metaeval.io.tasks import TASKS, Task
from metaeval.measures import Measure, preset
from metaeval.model.labels import LabelledRuns, NumericRuns
from metaeval.model.report import Provenance, Report, Table, signature
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.labels import score_labels
from metaeval.scoring.numeric import check_reads_numbers, score_numbers

Item = TypeVar("Item")

ANALYSES = ("similarity", "stability", "merge-classes", "summary")
"""The analyses of measures; a `run` may hold a table of scores, too."""


def silently(items: Sequence[Item], doing: str) -> Iterable[Item]:  # noqa: ARG001 (the shape of a `Track`)
    """The `Track` that shows nothing."""
    return items


@dataclass(frozen=True)
class Study:
    """A data set and the measures it is scored with: what every analysis begins with."""

    config: ExperimentConfig
    dataset: Dataset
    measures: tuple[Measure, ...]

    @property
    def runs(self) -> LabelledRuns | NumericRuns:
        """The data set's runs."""
        return self.dataset.runs

    @cached_property
    def scores(self) -> ScoreCube:
        """Every system under every measure, (M, S): what the analyses begin with, computed once for all of them."""
        return score_runs(self.runs, self.measures)

    def report(
        self,
        command: str,
        tables: Sequence[Table],
        notes: Sequence[str],
        *,
        command_line: str,
        sections: Sequence[Section] = (),
    ) -> Report:
        """A report with the signature and the provenance of this study; sections: how its analyses were made."""
        config = (self.config.file,) if self.config.file else ()
        # Analyses of measures rank the systems that were named; trivial ones are only scored.
        trivial = self.config.score is not None and self.config.score.trivial and command not in ANALYSES
        settings = signature_fields(self.config, self.runs, sections, trivial=trivial)
        return Report(
            command,
            signature(__version__, settings),
            tuple(tables),
            (*self.dataset.notes, *notes),
            Provenance(
                __version__,
                command_line,
                (*self.dataset.files, *config),
                {"python": platform.python_version(), "numpy": np.__version__},
                dict(settings),
                self.dataset.touched,
            ),
        )


def read_study(config: ExperimentConfig, *, track: Track = silently, needs_runs: bool = True) -> Study:
    """Read the data of an experiment and settle its measures; raises `InputError` for whatever is wrong.

    needs_runs: whether gold alone is an error; it never is where trivial systems are scored.
    """
    data = config.data
    if data.gold is None:
        raise InputError.at(
            config.file.path if config.file else None,
            found="no gold",
            expected="a file of gold labels",
            hint="name it with --gold, or as 'gold:' under 'data:' in the config",
        )
    task = TASKS[data.task]
    dataset = read_dataset(
        data.gold,
        data.runs,
        task=task,
        scale=_declared_scale(data, task),
        columns=Columns(data.id_column, data.label_column),
        policies=Policies(data.on_missing, data.on_unknown, data.on_extra == "drop", data.drop_gold),
        track=track,
        needs_runs=needs_runs and not (config.score and config.score.trivial),
    )
    scale, notes = _with_numbers(dataset.runs.scale, data, task)
    measures = _measures(config, task, scale)
    notes += _check_numbers(measures, scale, task)
    dataset = replace(dataset, runs=replace(dataset.runs, scale=scale), notes=(*dataset.notes, *notes))
    return Study(config, dataset, measures)


def _declared_scale(data: DataConfig, task: Task) -> ClassScale | None:
    """The scale that the user declared, else the task's; a task's weights stay with its classes."""
    if data.labels is None or task.scale is None:
        return data.labels or task.scale
    if task.scale.weights is not None and set(data.labels.labels) == set(task.scale.labels):
        return data.labels.with_weights(dict(zip(task.scale.labels, task.scale.weights, strict=True)))
    return data.labels


def _with_numbers(scale: ClassScale, data: DataConfig, task: Task) -> tuple[ClassScale, tuple[str, ...]]:
    """The scale with its class weights and values, and what to say of them.

    Where systems predict numbers and the classes are rising numbers themselves, these are their values.
    """
    if data.class_weights is not None:
        scale = scale.with_weights(data.class_weights)
    if data.class_values is not None:
        return scale.with_values(data.class_values), ()
    values = _rising_numbers(scale.labels) if task.numeric else None
    if values is None:
        return scale, ()
    named = ", ".join(scale.labels)
    return scale.with_values(values), (f"classes stand for the numbers that they are called ({named})",)


def _rising_numbers(labels: Sequence[str]) -> dict[str, float] | None:
    """The labels as the numbers they are written as; None where one is none, or they do not rise."""
    try:
        numbers = {label: float(label) for label in labels}
    except ValueError:
        return None
    values = list(numbers.values())
    rising = all(low < high for low, high in pairwise(values))
    return numbers if rising and all(map(math.isfinite, values)) else None


def _check_numbers(measures: Sequence[Measure], scale: ClassScale, task: Task) -> tuple[str, ...]:
    """What to say of the class weights and values that measures compute with.

    Predicted numbers less the positions of classes would be an `InputError`: nobody knows whether both count alike.
    """
    for wanted in measures:
        if task.numeric and wanted.subtracts_numbers and scale.values is None:
            raise InputError.at(
                found=f"measure '{wanted}' of predicted numbers, and no numbers that the classes stand for",
                expected="a value for each class, in the unit of the predictions",
                hint=f"declare them, as in --class-values {','.join(f'{label}=…' for label in scale.labels)}, "
                "or choose measures of order, as spearman and kendall",
            )
    summing = [str(wanted) for wanted in measures if wanted.declaration.sums_weights]
    total = sum(scale.weights or ())
    if not summing or scale.weights is None or math.isclose(total, 1.0):
        return ()
    return (f"class weights sum to {total:g}, so that {', '.join(summing)} can reach {total:g} instead of 1",)


def _measures(config: ExperimentConfig, task: Task, scale: ClassScale) -> tuple[Measure, ...]:
    """The measures asked for, of `-m` and `--preset`; with neither those of the task, or those its scale calls for."""
    wanted = [*config.measures, *(preset(config.preset, scale) if config.preset is not None else ())]
    if not wanted:
        wanted = [*preset(_preset_of(task, scale), scale)]
    if config.preset == "all" and task.numeric:
        known = scale.values is not None
        wanted = [
            candidate for candidate in wanted if candidate.reads_numbers and (known or not candidate.subtracts_numbers)
        ]
    return tuple(dict.fromkeys(wanted))


def _preset_of(task: Task, scale: ClassScale) -> str:
    if task.preset and (task.scale is None or (not scale.ordered and set(scale.labels) == set(task.scale.labels))):
        return task.preset
    return "stance-nine" if scale.ordered else "nominal"


def check_measures(study: Study) -> None:
    """Raise where a measure that was asked for can't be computed on these runs: an `InputError` or `UnknownName`."""
    for wanted in study.measures:
        if isinstance(study.runs, NumericRuns):
            check_reads_numbers(wanted)
        wanted.check(study.runs.scale)


def score_runs(runs: LabelledRuns | NumericRuns, measures: Sequence[Measure]) -> ScoreCube:
    """Systems under measures, whatever they predict; values (M, S)."""
    return score_numbers(runs, measures) if isinstance(runs, NumericRuns) else score_labels(runs, measures)


def undefined_notes(cube: ScoreCube) -> list[str]:
    """A sentence for each measure that is undefined for some system."""
    return [
        f"{name} is undefined (—) for {undefined} of {counted(len(cube.systems), 'system')}, ranked last"
        for name, undefined in zip(cube.measures, cube.undefined.tolist(), strict=True)
        if undefined
    ]


def check_rankable(study: Study) -> None:
    """Raise an `InputError` where there is nothing to rank, or a measure can't be computed."""
    check_measures(study)
    if len(study.runs.systems) < 2:
        found = "one system" if study.runs.systems else "no system"
        raise InputError.at(
            study.config.data.gold,
            found=" ".join([found, *(f"({name})" for name in study.runs.systems)]),
            expected="at least two, because measures are compared by how they rank systems",
            hint="name more runs",
        )


COMPARING_NUMBERS = "compare the measures of predicted numbers by similarity --bootstrap 0"


def label_runs(study: Study, what: str, remedy: str = COMPARING_NUMBERS) -> LabelledRuns:
    """The runs, which have to predict labels; what: the analysis that needs it. remedy: how to do without."""
    if isinstance(study.runs, NumericRuns):
        raise InputError.at(
            found=f"{what} where systems predict numbers",
            expected="systems that predict labels",
            hint=remedy,
        )
    return study.runs
