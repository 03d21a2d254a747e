"""Measures beside people: the functions of the commands that take ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from metaeval import experiment
from metaeval.api.call import carry_out
from metaeval.config import (
    AgreementConfig,
    Alignment,
    DataConfig,
    ExperimentConfig,
    SensitivityConfig,
    overlay,
)
from metaeval.render.result import Result
from metaeval.settings.kinds import as_tuple
from metaeval.stats.agreement import Level
from metaeval.study.arguments import Path, path_of
from metaeval.study.runs import (
    Experiment,
    Labels,
    Measures,
    People,
    experiment_of,
    scale_of,
    with_people,
)

Grid: TypeAlias = str | Sequence[str] | Mapping[str, Sequence[object]]
"""Values of parameters: 'lambda=0:1:0.1', several of these, or values by name."""


def agreement(
    ratings: People,
    *,
    annotator_column: str | None = None,
    id_column: str | None = None,
    label_column: str | None = None,
    labels: Labels | None = None,
    class_values: Mapping[str, float] | None = None,
    levels: Level | Sequence[Level] = (),
    by: str | None = None,
    bootstrap: int | None = None,
    judges: str | Sequence[str] = (),
    epsilon: float | None = None,
    alignment: Alignment | None = None,
    seed: int | None = None,
) -> Result:
    """Do annotators agree? And would a judge do as well? Tables `agreement`, `leave_one_out`, `judges` and others.

    ratings: files, or a table: a row a rating (annotator, item, label) or a column an annotator (item, ann, bob …),
    with a column 'system' where systems were rated. labels: where ratings are words. levels: of Krippendorff's alpha.
    by: 'cell', or 'system' for the means of systems. judges: files, or annotators who are judges here.

    >>> import metaeval
    >>> ratings = {"item": ["q1", "q2", "q3"], "ann": [1, 2, 3], "bob": [1, 2, 2]}
    >>> result = metaeval.agreement(ratings, levels="nominal", bootstrap=0)
    >>> result.to_pandas().set_index("statistic")["value"]["alpha:level=nominal"].item()
    0.54...
    """
    data = overlay(
        with_people(DataConfig(), ratings),
        id_column=id_column,
        label_column=label_column,
        labels=scale_of(labels),
        class_values=class_values,
    )
    wanted = overlay(
        AgreementConfig(),
        annotator_column=annotator_column,
        levels=as_tuple(levels),
        by=by,
        bootstrap=bootstrap,
        judges=as_tuple(judges),
        epsilon=epsilon,
        alignment=alignment,
    )
    return carry_out(experiment.agreement, overlay(ExperimentConfig(data=data, agreement=wanted), seed=seed))


def sensitivity(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    grid: Grid = (),
    weights: Path | None = None,
    human: People | None = None,
    coefficient: str | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """What does a parameter do? Tables `sensitivity`, `sensitivity_best` and others.

    grid: values of parameters, as 'lambda=0:1:0.1' or {'lambda': [0, 0.5, 1]}. weights: a file of weightings of the
    classes. human, coefficient: how well each setting follows people, as of `correlate`.

    >>> import metaeval
    >>> result = metaeval.sensitivity("configs/stance.yaml", "f-beta", grid={"beta": [0.5, 1, 2]})
    >>> [row["beta"] for row in result.to_dict()["tables"]["sensitivity"]]
    ['0.5', '1', '2']
    """
    config = experiment_of(runs, measures, human=human, seed=seed, workers=workers)
    section = overlay(
        config.sensitivity or SensitivityConfig(),
        grid=_axes(grid),
        weights=None if weights is None else path_of(weights, "weights"),
        coefficient=coefficient,
    )
    return carry_out(experiment.sensitivity, overlay(config, sensitivity=section))


def _axes(grid: Grid) -> tuple[str, ...]:
    """The axes of a grid, as on the command line."""
    if isinstance(grid, Mapping):
        return tuple(f"{name}={','.join(map(str, as_tuple(values)))}" for name, values in grid.items())
    return as_tuple(grid)
