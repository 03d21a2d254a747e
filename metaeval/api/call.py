"""The Python function of an analysis: its keywords are its options, with those of the experiment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from metaeval.analyses.declaration import MEASURES, RATINGS, RUNS, Analysis
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.model.report import Report
from metaeval.render.result import Result
from metaeval.runner.one import run_analysis
from metaeval.settings import options_of
from metaeval.study.runs import Measures, People, experiment_of, names_of, with_people
from metaeval.work.cluster import at_work


def call(analysis: Analysis[Any, Any], positional: tuple[Any, ...], given: dict[str, Any]) -> Result:
    """What an analysis finds; None among the keywords is what the experiment says, else the default."""
    analysis.__signature__.bind(*positional, **given)
    options = options_of(analysis.settings)
    own = {name: value for name, value in given.items() if name in options}
    of_experiment = {name: value for name, value in given.items() if name not in options}
    config = _EXPERIMENT_OF[analysis.begins_with](*positional, **of_experiment)
    config = config.with_settings(config.settings_of(analysis.settings).overlaid(**own))
    return carry_out(partial(run_analysis, analysis), config)


def _of_ratings(ratings: People, *, seed: int | None = None) -> ExperimentConfig:
    return ExperimentConfig(data=with_people(DataConfig(), ratings)).overlaid(seed=seed)


def _of_measures(measures: Measures | None, *, seed: int | None = None) -> ExperimentConfig:
    names, preset = names_of(measures)
    return ExperimentConfig(measures=names, preset=preset).overlaid(seed=seed)


_EXPERIMENT_OF: dict[str, Callable[..., ExperimentConfig]] = {
    RUNS: experiment_of,
    RATINGS: _of_ratings,
    MEASURES: _of_measures,
}
"""The experiment of the arguments of a function, by what the function begins with."""


def carry_out(use_case: Callable[[ExperimentConfig], Report], config: ExperimentConfig) -> Result:
    """What a use case finds, as a result."""
    with at_work(config):
        return Result.of(use_case(config))


Analysis.function = staticmethod(call)
