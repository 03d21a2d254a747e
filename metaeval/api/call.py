"""The Python function of an analysis: its keywords are its options, with those of the experiment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from metaeval.analyses.declaration import Analysis
from metaeval.config import ExperimentConfig
from metaeval.model.report import Report
from metaeval.render.result import Result
from metaeval.runner.one import run_analysis
from metaeval.settings import options_of
from metaeval.study.runs import Experiment, Measures, experiment_of
from metaeval.work.cluster import at_work


def call(analysis: Analysis[Any, Any], runs: Experiment, measures: Measures | None, given: dict[str, Any]) -> Result:
    """What an analysis finds; None among the keywords is what the experiment says, else the default."""
    analysis.__signature__.bind(runs, measures, **given)
    options = options_of(analysis.settings)
    own = {name: value for name, value in given.items() if name in options}
    config = experiment_of(runs, measures, **{name: value for name, value in given.items() if name not in options})
    config = config.with_settings(config.settings_of(analysis.settings).overlaid(**own))
    return carry_out(partial(run_analysis, analysis), config)


def carry_out(use_case: Callable[[ExperimentConfig], Report], config: ExperimentConfig) -> Result:
    """What a use case finds, as a result."""
    with at_work(config):
        return Result.of(use_case(config))


Analysis.function = staticmethod(call)
