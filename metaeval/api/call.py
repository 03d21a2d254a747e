"""The Python function of an analysis: its keywords are its options, with those of the experiment."""

from __future__ import annotations

from functools import partial
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

from metaeval.analyses.declaration import RUNS
from metaeval.api.experiments import Experiment, Measures, People, carry_out, experiment_of, with_people
from metaeval.api.result import Result
from metaeval.config import DataConfig, ExperimentConfig, overlay
from metaeval.runner.one import run_analysis
from metaeval.settings import PYTHON, options_of

if TYPE_CHECKING:
    from metaeval.analyses.declaration import Analysis


def call(analysis: Analysis[Any, Any], runs: Experiment, measures: Measures | None, given: dict[str, Any]) -> Result:
    """What an analysis finds; None among the keywords is what the experiment says, else the default."""
    signature_of(analysis).bind(runs, measures, **given)
    options = options_of(analysis.settings)
    of_experiment = {name: value for name, value in given.items() if name not in options}
    return _result(analysis, experiment_of(runs, measures, **of_experiment), given)


def call_with_ratings(analysis: Analysis[Any, Any], ratings: People, given: dict[str, Any]) -> Result:
    """What an analysis of ratings finds."""
    signature_of(analysis).bind(ratings, **given)
    config = overlay(ExperimentConfig(data=with_people(DataConfig(), ratings)), seed=given.get("seed"))
    return _result(analysis, config, given)


def _result(analysis: Analysis[Any, Any], config: ExperimentConfig, given: dict[str, Any]) -> Result:
    options = options_of(analysis.settings)
    own = {name: value for name, value in given.items() if name in options}
    config = config.with_settings(config.settings_of(analysis.settings).overlaid(**own))
    return carry_out(partial(run_analysis, analysis), config)


def signature_of(analysis: Analysis[Any, Any]) -> Signature:
    """For `help()`; type checkers know the types from the settings."""
    own = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.kind.python)
        for name, option in options_of(analysis.settings).items()
        if PYTHON in option.where
    ]
    of_experiment = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in keywords_of_experiment(analysis)]
    positional = [Parameter(analysis.begins_with, Parameter.POSITIONAL_OR_KEYWORD)]
    if analysis.begins_with == RUNS:
        positional.append(Parameter("measures", Parameter.POSITIONAL_OR_KEYWORD, default=None))
    return Signature([*positional, *own, *of_experiment], return_annotation="Result")


def keywords_of_experiment(analysis: Analysis[Any, Any]) -> list[str]:
    """Keywords that are no options of the analysis: seed, workers, and data as human."""
    of_constructor = set(signature(analysis.settings).parameters) - set(options_of(analysis.settings))
    return sorted(of_constructor if analysis.begins_with == RUNS else of_constructor - {"workers"})
