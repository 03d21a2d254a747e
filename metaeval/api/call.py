"""The Python function of an analysis, whose keywords are the options of the analysis and of the experiment."""

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
from metaeval.study.runs import HumanRatings, Measures, experiment_of, names_of, with_human
from metaeval.work.cluster import at_work


def call(analysis: Analysis[Any, Any], positional: tuple[Any, ...], keywords: dict[str, Any]) -> Result:
    """Run an analysis; for keywords that are None the experiment decides, or else the default."""
    try:
        analysis.__signature__.bind(*positional, **keywords)
    except TypeError as error:
        raise TypeError(f"{analysis.attribute}() {error}") from None
    options = options_of(analysis.settings)
    own = {name: value for name, value in keywords.items() if name in options}
    of_experiment = {name: value for name, value in keywords.items() if name not in options}
    config = _EXPERIMENT_OF[analysis.begins_with](*positional, **of_experiment)
    config = config.with_settings(config.settings_of(analysis.settings).overlaid(**own))
    return run_use_case(partial(run_analysis, analysis), config)


def _of_ratings(ratings: HumanRatings, *, seed: int | None = None) -> ExperimentConfig:
    return ExperimentConfig(data=with_human(DataConfig(), ratings)).overlaid(seed=seed)


def _of_measures(measures: Measures | None, *, seed: int | None = None) -> ExperimentConfig:
    names, preset = names_of(measures)
    return ExperimentConfig(measures=names, preset=preset).overlaid(seed=seed)


_EXPERIMENT_OF: dict[str, Callable[..., ExperimentConfig]] = {
    RUNS: experiment_of,
    RATINGS: _of_ratings,
    MEASURES: _of_measures,
}
"""The experiment of the arguments of a function, by its first parameter."""


def run_use_case(use_case: Callable[[ExperimentConfig], Report], config: ExperimentConfig) -> Result:
    """The result of a use case."""
    with at_work(config):
        return Result.of(use_case(config))


Analysis.function = staticmethod(call)
