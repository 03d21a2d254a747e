"""Measures beside people: the functions of the commands that take ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from metaeval import experiment
from metaeval.api.call import carry_out
from metaeval.config import (
    SensitivityConfig,
    overlay,
)
from metaeval.render.result import Result
from metaeval.settings.kinds import as_tuple
from metaeval.study.arguments import Path, path_of
from metaeval.study.runs import (
    Experiment,
    Measures,
    People,
    experiment_of,
)

Grid: TypeAlias = str | Sequence[str] | Mapping[str, Sequence[object]]
"""Values of parameters: 'lambda=0:1:0.1', several of these, or values by name."""


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
