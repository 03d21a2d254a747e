"""What is about no single analysis: whole experiments, files, the measures themselves, the papers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import TypeGuard

from metaeval.api.call import carry_out
from metaeval.config import CheckSettings, ExperimentConfig, is_config
from metaeval.errors import InputError
from metaeval.info.measures import measures_report
from metaeval.info.samples import samples_report
from metaeval.io.report_file import read_report
from metaeval.model.report import Report
from metaeval.render import render
from metaeval.render.files import refuse_overwriting_inputs, write_atomically
from metaeval.render.junit import cases_of
from metaeval.render.result import Result
from metaeval.reproduction import reproduce_papers
from metaeval.runner.check import check_results, check_run
from metaeval.runner.several import run_experiment
from metaeval.runner.validate import validate_experiment
from metaeval.settings.kinds import as_tuple
from metaeval.study.runs import Experiment, Measures, Path, experiment_of, path_of
from metaeval.work.cluster import at_work


def run(
    runs: Experiment, measures: Measures | None = None, *, seed: int | None = None, workers: int | None = None
) -> Result:
    """Every analysis that an experiment has a section for, in one result.

    Parameters
    ----------
    runs
        The YAML file of an experiment, or what `read_config` reads from it.
    measures
        Names of measures, or a preset; by default those of the experiment or of the task.
    seed
        Random seed.
    workers
        Number of threads or processes; results do not depend on it.

    Examples
    --------
    >>> import metaeval
    >>> [table.name for table in metaeval.run("configs/ordinal.yaml").tables]
    ['scores'...]
    """
    return carry_out(run_experiment, experiment_of(runs, measures, seed=seed, workers=workers))


def validate(runs: Experiment, measures: Measures | None = None) -> Result:
    """Check that gold and runs fit together; the table `files` shows what is in them.

    Parameters
    ----------
    runs
        Data, an experiment, or the YAML file of one.
    measures
        Names of measures, or a preset; by default those of the experiment or of the task.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> metaeval.validate(runs).to_dict()["tables"]["files"][1]
    {'system': 'a', 'file': "system 'a'", 'items': 2, 'no': 1, 'yes': 1}
    """
    return carry_out(validate_experiment, experiment_of(runs, measures))


def list_measures() -> Result:
    """Every measure in a line each: table `measures`.

    The command is `metaeval measures`; in Python `metaeval.measures` is the package that holds them.

    Examples
    --------
    >>> import metaeval
    >>> metaeval.list_measures().to_pandas().columns.tolist()[0]
    'name'
    """
    return Result.of(measures_report())


def describe_measure(name: str) -> Result:
    """All that is known about one measure: table `measure`.

    Parameters
    ----------
    name
        The measure, with or without parameters.

    Examples
    --------
    >>> import metaeval
    >>> metaeval.describe_measure("accuracy").main.title
    'accuracy: ...'
    """
    return Result.of(measures_report(str(name)))


def reproduce(paper: str | None = None, *, data: Path | None = None, seed: int | None = None) -> Result:
    """The papers' tables, printed beside what metaeval computes: tables `verdicts`, `findings` and others.

    Parameters
    ----------
    paper
        One of the papers, as 'amemiya2021'; None for all.
    data
        A folder with FNC-1, RumourEval and R4C as they were published.
    seed
        Random seed.

    Examples
    --------
    >>> import metaeval
    >>> metaeval.reproduce("inoue2020").main.name
    'verdicts'
    """
    folder = None if data is None else path_of(data, "data")
    name = None if paper is None else str(paper)
    return Result.of(reproduce_papers(name, data=folder, seed=ExperimentConfig().overlaid(seed=seed).seed))


def demo(copy_to: Path | None = None) -> Result:
    """The shipped samples, and how to run them: table `samples`.

    Parameters
    ----------
    copy_to
        A folder for a copy of the samples.

    Raises
    ------
    InputError
        If the folder holds samples already.

    Examples
    --------
    >>> import metaeval
    >>> metaeval.demo().to_pandas().columns.tolist()
    ['name', 'shows', 'needs', 'command']
    """
    return Result.of(samples_report(None if copy_to is None else path_of(copy_to, "copy_to")))


def report(results: Report | Experiment, path: Path, *, seed: int | None = None, workers: int | None = None) -> Result:
    """Write one HTML page of results, with plots, and give back what is on it; needs the extra `plots` for these.

    Parameters
    ----------
    results
        The result of any function, the JSON file or folder that a command wrote, or an experiment, which is run first.
    path
        The page, a name ending in .html; the file is written completely or not at all.
    seed
        Random seed of an experiment.
    workers
        Number of threads or processes for an experiment; results do not depend on it.

    Examples
    --------
    >>> import metaeval, os, tempfile
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     told = metaeval.report(metaeval.score(runs, "accuracy"), f"{folder}/page.html")
    ...     os.listdir(folder), told.command
    (['page.html'], 'score')
    """
    page = path_of(path, "path")
    if FilePath(page).suffix.lower() != ".html":
        raise InputError.at(page, found="a page of unknown form", expected="a name ending in .html")
    found = _results_of(results, seed=seed, workers=workers)
    found.save(page)
    return found


def _results_of(results: Report | Experiment, *, seed: int | None, workers: int | None) -> Result:
    """Results that are there already, in memory or in files, or those of an experiment."""
    if isinstance(results, Report) or _are_results(results):
        _refuse_options(seed=seed, workers=workers)
        return Result.of(results if isinstance(results, Report) else read_report(os.fspath(results)))
    config = experiment_of(results, seed=seed, workers=workers)
    return carry_out(run_experiment, config.without_item_file())


def _are_results(given: Experiment) -> TypeGuard[Path]:
    """Whether that is the path of what a command found, JSON or a folder, and not of an experiment."""
    return isinstance(given, (str, os.PathLike)) and not is_config(os.fspath(given))


def _refuse_options(**given: object) -> None:
    """Raise where something is said on how to compute results that are computed."""
    for option in (name for name, value in given.items() if value is not None):
        raise InputError.at(
            found=f"{option} with results that are computed already",
            expected="an experiment",
            hint=f"leave out {option}",
        )


def check(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    fail_if: str | Sequence[str] = (),
    baseline: Path | None = None,
    save_baseline: Path | None = None,
    alpha: float | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """Run an experiment and judge its results: tables `gates` and, with a baseline, `baseline`.

    Without analyses of its own the experiment is scored.

    Parameters
    ----------
    runs
        Data, an experiment, the YAML file of one, or the JSON file or folder of results.
    measures
        Names of measures, or a preset; by default those of the experiment or of the task.
    fail_if
        Conditions on cells, as 'stability.cem-ord.mean < 0.6', in addition to those of the experiment; the verdict of
        a condition that holds is 'failed'.
    baseline
        An earlier run; no system may be significantly worse than in it.
    save_baseline
        A file in which this run is saved as a baseline, unless a condition failed.
    alpha
        Significance level of the baseline comparison.
    resamples
        Bootstrap resamples of the items for the baseline comparison.
    seed
        Random seed.
    workers
        Number of threads or processes; results do not depend on it.

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
        _refuse_options(measures=measures, seed=seed, workers=workers)
    else:
        config = experiment_of(runs, measures, seed=seed, workers=workers)
    settings = config.check or CheckSettings()
    conditions = (*settings.fail_if, *as_tuple(fail_if))
    settings = settings.overlaid(
        fail_if=conditions, baseline=baseline, save_baseline=save_baseline, alpha=alpha, resamples=resamples
    )
    return _checked(runs, config.overlaid(check=settings), settings)


def _checked(runs: Experiment, config: ExperimentConfig, settings: CheckSettings) -> Result:
    """The verdict; the baseline is saved unless a condition failed."""
    if _are_results(runs):
        checked = check_results(os.fspath(runs), settings)
    else:
        with at_work(config):
            checked = check_run(config)
    path = settings.save_baseline
    if checked.baseline is not None and path and all(case.passed for case in cases_of(checked.report)):
        refuse_overwriting_inputs(path, checked.baseline)
        write_atomically(path, [render(checked.baseline, "json")])
    return Result.of(checked.report)
