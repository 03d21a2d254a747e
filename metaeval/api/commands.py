"""The Python functions of commands: of analyses, experiments, checks, reports and measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath
from typing import Any, TypeGuard

from metaeval.analyses.declaration import FILES, MEASURES, RUNS, Analysis
from metaeval.config import CheckSettings, ExperimentConfig
from metaeval.config.read import is_config
from metaeval.errors import conflict, invalid, leave_out, refuse
from metaeval.info import measures_report, samples_report
from metaeval.installation import doctor_report, working_packages
from metaeval.io.report_file import read_report
from metaeval.model.report import Report
from metaeval.render import render
from metaeval.render.files import refuse_overwriting_inputs, write_atomically
from metaeval.render.junit import cases_of
from metaeval.render.result import Result
from metaeval.runner.check import check_results, check_run
from metaeval.runner.one import run_analysis
from metaeval.runner.scoring_program import write_scoring_program
from metaeval.runner.several import run_experiment
from metaeval.runner.validate import validate_experiment
from metaeval.settings import documented_by, options_of
from metaeval.settings.kinds import as_tuple
from metaeval.study.runs import (
    Experiment,
    Measures,
    Path,
    declared_classes,
    experiment_of,
    names_of,
    path_of,
    tables_of,
)
from metaeval.work.executor import at_work


def call(analysis: Analysis[Any, Any], positional: tuple[Any, ...], keywords: dict[str, Any]) -> Result:
    """Run an analysis; for keywords that are None the experiment decides, or else the default."""
    try:
        arguments = analysis.__signature__.bind(*positional, **keywords).arguments
    except TypeError as error:
        raise TypeError(f"{analysis.__name__}() {error}") from None
    options = options_of(analysis.settings)
    first = {name: arguments.pop(name, None) for name in analysis.positional}
    settings = {name: value for name, value in arguments.items() if name in options}
    overrides = {name: value for name, value in arguments.items() if name not in options}
    if analysis.begins_with == FILES:
        config, argument = _from_measures(first.get(MEASURES), **overrides), analysis.positional[0]
        if analysis.required or first[argument] is not None:
            data, settings[argument] = tables_of(first[argument], argument)
            config = replace(config, data=data)
            if "labels" in options and settings.get("labels") is None and settings.get("task") is None:
                settings["labels"] = declared_classes(first[argument], settings.get("label_column"))
    else:
        config = (experiment_of if analysis.begins_with == RUNS else _from_measures)(*first.values(), **overrides)
    config = config.with_settings(config.settings_of(analysis.settings).overlaid(**settings))
    return run_use_case(partial(run_analysis, analysis), config)


def _from_measures(measures: Measures | None, *, seed: int | None = None) -> ExperimentConfig:
    names, preset = names_of(measures)
    return ExperimentConfig(measures=names, preset=preset).overlaid(seed=seed)


def run_use_case(use_case: Callable[[ExperimentConfig], Report], config: ExperimentConfig) -> Result:
    """The result of a use case."""
    with at_work(config):
        return Result.of(use_case(config))


Analysis.function = staticmethod(call)


@documented_by(ExperimentConfig)
def run(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    undefined: str | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """Run all analyses of an experiment. Files of its sections `output` and `report` are not written.

    Parameters
    ----------
    runs
        YAML file of an experiment, or the result of `read_config`.
    measures
        Names of measures, or a preset (default: those of the experiment or of the task).

    Examples
    --------
    >>> import metaeval
    >>> [table.name for table in metaeval.run("configs/ordinal.yaml").tables]
    ['scores'...]
    """
    return run_use_case(run_experiment, experiment_of(runs, measures, undefined=undefined, seed=seed, workers=workers))


def validate(runs: Experiment, measures: Measures | None = None) -> Result:
    """Check all files without computing anything; the tables `files` and `tables` describe them.

    Parameters
    ----------
    runs
        Data, an experiment, or the YAML file of one.
    measures
        Names of measures, or a preset (default: those of the experiment or of the task).

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> metaeval.validate(runs).to_dict()["tables"]["files"][1]
    {'system': 'a', 'file': "system 'a'", 'items': 2, 'no': 1, 'yes': 1}
    """
    return run_use_case(validate_experiment, experiment_of(runs, measures))


def list_measures() -> Result:
    """List all measures in the table `measures`, as the command `metaeval measures` does.

    Examples
    --------
    >>> import metaeval
    >>> metaeval.list_measures().to_pandas().columns.tolist()[0]
    'name'
    """
    return Result.of(measures_report())


def describe_measure(name: str) -> Result:
    """Describe one measure in the table `measure`.

    Parameters
    ----------
    name
        Name of the measure, with or without parameters.

    Examples
    --------
    >>> import metaeval
    >>> metaeval.describe_measure("accuracy").main.title
    'accuracy: ...'
    """
    return Result.of(measures_report(str(name)))


def scoring_program(experiment: ExperimentConfig | Path, output: Path, *, overwrite: bool = False) -> list[str]:
    """Write the scoring program and the reference data of an experiment for Codabench and CodaLab.

    Parameters
    ----------
    experiment
        An experiment, or the path of its YAML file. Its runs are not used.
    output
        Folder for `program.zip` and `reference.zip`.
    overwrite
        Whether these files may be replaced in a folder that has files.

    Returns
    -------
    list of str
        The keys of `scores.json`, which are those of the columns of the leaderboard.

    Raises
    ------
    InputError
        If the experiment has no gold that can be read, or if the folder has files.

    Examples
    --------
    >>> import metaeval, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     metaeval.scoring_program("configs/rumour2017.yaml", folder)[:2]
    ['accuracy', 'macro_f1']
    """
    columns = write_scoring_program(experiment_of(experiment), path_of(output, "output"), overwrite=overwrite)
    return [column.key for column in columns]


def demo(copy_to: Path | None = None) -> Result:
    """List the sample experiments and how to run them: table `samples`.

    Parameters
    ----------
    copy_to
        Folder for a copy of the samples.

    Raises
    ------
    InputError
        If the folder contains samples already.

    Examples
    --------
    >>> import metaeval
    >>> metaeval.demo().to_pandas().columns.tolist()
    ['name', 'shows', 'needs', 'command']
    """
    return Result.of(samples_report(None if copy_to is None else path_of(copy_to, "copy_to")))


def doctor() -> Result:
    """Show the versions of the packages that metaeval and its extras need, and what is missing: table `packages`.

    Raises
    ------
    InputError
        If a package that metaeval itself needs is missing or broken.

    Examples
    --------
    >>> import metaeval
    >>> metaeval.doctor().to_dict()["tables"]["packages"][0]["package"]
    'python'
    """
    return Result.of(doctor_report(working_packages()))


@documented_by(ExperimentConfig)
def report(
    results: Report | Experiment,
    path: Path,
    *,
    undefined: str | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """Write one HTML page of results and return them; plots need the extra `plots`.

    The section `report` of an experiment is not used.

    Parameters
    ----------
    results
        Result of a function, JSON file or folder of results, or an experiment, which is run first.
    path
        HTML file, whose name ends in .html.

    Examples
    --------
    >>> import metaeval, os, tempfile
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = metaeval.report(metaeval.score(runs, "accuracy"), f"{folder}/page.html")
    ...     os.listdir(folder), result.command
    (['page.html'], 'score')
    """
    page = path_of(path, "path")
    suffix = FilePath(page).suffix.lower()
    if suffix != ".html":
        raise refuse(page, invalid("suffix", suffix, ".html"))
    result = _results_of(results, undefined=undefined, seed=seed, workers=workers)
    result.save(page)
    return result


def _results_of(results: Report | Experiment, **experiment_options: Any) -> Result:
    """The results in memory or in files, or those of an experiment."""
    if isinstance(results, Report) or _are_results(results):
        _refuse_options(**experiment_options)
        return Result.of(results if isinstance(results, Report) else read_report(os.fspath(results)))
    config = experiment_of(results, **experiment_options)
    return run_use_case(run_experiment, config.without_item_file())


def _are_results(runs: Experiment) -> TypeGuard[Path]:
    """Whether an argument is the path of results, not of an experiment."""
    return isinstance(runs, (str, os.PathLike)) and not is_config(os.fspath(runs))


def _refuse_options(**options: object) -> None:
    """Raise an `InputError` if options of the computation are given for computed results."""
    for option in (name for name, value in options.items() if value is not None):
        raise refuse(None, conflict(option, "results that are computed already", "an experiment", leave_out(option)))


@documented_by(CheckSettings, ExperimentConfig)
def check(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    fail_if: str | Sequence[str] = (),
    baseline: Path | None = None,
    save_baseline: Path | None = None,
    alpha: float | None = None,
    permutations: int | None = None,
    undefined: str | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """Run an experiment and check its results: tables `gates` and, with a baseline, `baseline`.

    An experiment without analyses is scored.

    Parameters
    ----------
    runs
        Data, an experiment, the YAML file of one, or the JSON file or folder of results.
    measures
        Names of measures, or a preset (default: those of the experiment or of the task).
    fail_if
        Conditions on cells, such as 'stability.cem-ord.mean < 0.6', in addition to those of the experiment; the verdict
        of a condition that holds is 'failed'.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> result = metaeval.check(runs, "accuracy", fail_if=["scores.a.accuracy < 0.9", "scores.b.accuracy < 0.9"])
    >>> list(result.to_pandas()["verdict"])
    ['passed', 'failed']
    """
    config = ExperimentConfig()
    if _are_results(runs):
        _refuse_options(measures=measures, undefined=undefined, seed=seed, workers=workers)
    else:
        config = experiment_of(runs, measures, undefined=undefined, seed=seed, workers=workers)
    settings = config.check or CheckSettings()
    conditions = (*settings.fail_if, *as_tuple(fail_if))
    settings = settings.overlaid(
        fail_if=conditions, baseline=baseline, save_baseline=save_baseline, alpha=alpha, permutations=permutations
    )
    config = config.overlaid(check=settings)
    if _are_results(runs):
        result = check_results(os.fspath(runs), settings)
    else:
        with at_work(config):
            result = check_run(config)
    path = settings.save_baseline
    if result.baseline is not None and path and all(case.passed for case in cases_of(result.report)):
        refuse_overwriting_inputs(path, result.baseline)
        write_atomically(path, [render(result.baseline, "json")])
    return Result.of(result.report)
