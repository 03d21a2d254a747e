"""The Python function of an analysis: its keywords are its options, with those of the experiment."""

from __future__ import annotations

from functools import partial
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

from metaeval.api.experiments import Experiment, Measures, carry_out, experiment_of
from metaeval.api.result import Result
from metaeval.runner.one import run_analysis
from metaeval.settings import PYTHON, options_of

if TYPE_CHECKING:
    from metaeval.analyses.declaration import Analysis


def call(analysis: Analysis[Any, Any], runs: Experiment, measures: Measures | None, given: dict[str, Any]) -> Result:
    """What an analysis finds; None among the keywords is what the experiment says, else the default."""
    signature_of(analysis).bind(runs, measures, **given)
    options = options_of(analysis.settings)
    own = {name: value for name, value in given.items() if name in options}
    config = experiment_of(runs, measures, **{name: value for name, value in given.items() if name not in options})
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
    positional = [
        Parameter("runs", Parameter.POSITIONAL_OR_KEYWORD),
        Parameter("measures", Parameter.POSITIONAL_OR_KEYWORD, default=None),
    ]
    return Signature([*positional, *own, *of_experiment], return_annotation="Result")


def keywords_of_experiment(analysis: Analysis[Any, Any]) -> list[str]:
    """Keywords that are no options of the analysis: seed, workers, and data as human."""
    of_constructor = signature(analysis.settings).parameters
    return sorted(set(of_constructor) - set(options_of(analysis.settings)))
