"""Measures beside people: the functions of the commands that take ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from metaeval import experiment
from metaeval.api.arguments import Path, listed, path_of
from metaeval.api.experiments import (
    Experiment,
    Measures,
    People,
    carry_out,
    experiment_of,
)
from metaeval.api.result import Result
from metaeval.config import (
    SensitivityConfig,
    overlay,
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
        return tuple(f"{name}={','.join(map(str, listed(values)))}" for name, values in grid.items())
    return listed(grid)
