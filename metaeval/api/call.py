"""The Python function of an analysis, whose keywords are the options of the analysis and of the experiment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from metaeval.analyses.declaration import FILES, MEASURES, RUNS, Analysis
from metaeval.config import ExperimentConfig
from metaeval.model.report import Report
from metaeval.render.result import Result
from metaeval.runner.one import run_analysis
from metaeval.settings import options_of
from metaeval.study.runs import Measures, experiment_of, names_of, tables_of
from metaeval.work.cluster import at_work


def call(analysis: Analysis[Any, Any], positional: tuple[Any, ...], keywords: dict[str, Any]) -> Result:
    """Run an analysis; for keywords that are None the experiment decides, or else the default."""
    try:
        arguments = analysis.__signature__.bind(*positional, **keywords).arguments
    except TypeError as error:
        raise TypeError(f"{analysis.attribute}() {error}") from None
    options = options_of(analysis.settings)
    first = {name: arguments.pop(name, None) for name in analysis.positional}
    own = {name: value for name, value in arguments.items() if name in options}
    of_experiment = {name: value for name, value in arguments.items() if name not in options}
    if analysis.begins_with == FILES:
        config, argument = _of_measures(first.get(MEASURES), **of_experiment), analysis.positional[0]
        if analysis.required or first[argument] is not None:
            data, own[argument] = tables_of(first[argument], argument)
            config = replace(config, data=data)
    else:
        config = (experiment_of if analysis.begins_with == RUNS else _of_measures)(*first.values(), **of_experiment)
    config = config.with_settings(config.settings_of(analysis.settings).overlaid(**own))
    return run_use_case(partial(run_analysis, analysis), config)


def _of_measures(measures: Measures | None, *, seed: int | None = None) -> ExperimentConfig:
    names, preset = names_of(measures)
    return ExperimentConfig(measures=names, preset=preset).overlaid(seed=seed)


def run_use_case(use_case: Callable[[ExperimentConfig], Report], config: ExperimentConfig) -> Result:
    """The result of a use case."""
    with at_work(config):
        return Result.of(use_case(config))


Analysis.function = staticmethod(call)
