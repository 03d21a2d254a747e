"""What is about no single analysis: whole experiments, files, the measures themselves, the papers."""

from __future__ import annotations

import os
from collections.abc import Sequence

from metaeval import experiment
from metaeval.api.experiments import Experiment, Measures, Path, carry_out, experiment_of, listed
from metaeval.api.result import Result
from metaeval.config import DEFAULT_SEED, CheckConfig, overlay
from metaeval.experiment.checks import check_run
from metaeval.render import render
from metaeval.render.files import spare_inputs, write_whole
from metaeval.render.junit import cases_of


def run(
    runs: Experiment, measures: Measures | None = None, *, seed: int | None = None, workers: int | None = None
) -> Result:
    """Every analysis that an experiment has a section for, in one result.

    runs: the YAML file of an experiment, or what `read_config` makes of it.

    >>> import metaeval
    >>> [table.name for table in metaeval.run("configs/ordinal.yaml").tables]
    ['scores'...]
    """
    return carry_out(experiment.run, experiment_of(runs, measures, seed=seed, workers=workers))


def validate(runs: Experiment, measures: Measures | None = None) -> Result:
    """Check that gold and runs fit together; table `files` tells what is in them.

    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> metaeval.validate(runs).to_dict()["tables"]["files"][1]
    {'system': 'a', 'file': "system 'a'", 'items': 2, 'no': 1, 'yes': 1}
    """
    return carry_out(experiment.validate, experiment_of(runs, measures))


def catalogue(name: str | None = None) -> Result:
    """Every measure in a line each (table `measures`), or all that is known about one (table `measure`).

    The command is `metaeval measures`; in Python `metaeval.measures` is the package that holds them.

    >>> import metaeval
    >>> metaeval.catalogue("accuracy").main.title
    'accuracy: ...'
    """
    return Result.of(experiment.measures(name))


def reproduce(paper: str | None = None, *, data: Path | None = None, seed: int | None = None) -> Result:
    """The papers' tables, printed beside what metaeval computes: tables `verdicts`, `findings` and others.

    paper: one of them, as 'amemiya2021'. data: a folder with FNC-1, RumourEval and R4C as they were published.

    >>> import metaeval
    >>> metaeval.reproduce("inoue2020").main.name
    'verdicts'
    """
    folder = None if data is None else os.fspath(data)
    return Result.of(experiment.reproduce(paper, data=folder, seed=DEFAULT_SEED if seed is None else seed))


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

    fail_if: conditions on cells, as 'stability.cem-ord.mean < 0.6', beside those of the experiment; the verdict of one
    that holds is 'failed'. baseline: an earlier run, than which no system may be significantly worse (alpha, resamples
    of the items). save_baseline: a file in which this run is kept as one, unless something failed.
    Without analyses of its own the experiment is scored.

    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> result = metaeval.check(runs, "accuracy", fail_if=["scores.a.accuracy < 0.9", "scores.b.accuracy < 0.9"])
    >>> list(result.to_pandas()["verdict"])
    ['passed', 'failed']
    """
    config = experiment_of(runs, measures, seed=seed, workers=workers)
    wanted = config.check or CheckConfig()
    wanted = overlay(
        wanted,
        fail_if=(*wanted.fail_if, *listed(fail_if)),
        baseline=None if baseline is None else os.fspath(baseline),
        save_baseline=None if save_baseline is None else os.fspath(save_baseline),
        alpha=alpha,
        resamples=resamples,
    )
    checked = check_run(overlay(config, check=wanted))
    if checked.baseline is not None and wanted.save_baseline and all(case.passed for case in cases_of(checked.report)):
        spare_inputs(wanted.save_baseline, checked.baseline)
        write_whole(wanted.save_baseline, [render(checked.baseline, "json")])
    return Result.of(checked.report)
