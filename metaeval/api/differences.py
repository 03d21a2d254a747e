"""Which systems differ, and what measures make of it: the functions of the commands of tests and properties."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval import experiment
from metaeval.api.call import carry_out
from metaeval.config import DEFAULT_SEED, PlanConfig, overlay
from metaeval.config.overrides import plain
from metaeval.experiment.formal_properties import DEFAULT_CASES
from metaeval.render.result import Result
from metaeval.settings.kinds import as_tuple
from metaeval.study.runs import Experiment, Measures, experiment_of, names_of


def plan(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    tau: float | None = None,
    delta: float | None = None,
    power: float | None = None,
    width: float | None = None,
    items: Sequence[int] = (),
    resamples: int | None = None,
    alpha: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """How many items, systems or annotators are enough? Table `plan`, and the curves as `plan_curve`.

    tau: how well the rankings of two new test sets should agree. delta: a difference that should be found; the median
    one of two systems by default. power: how surely. width: of the 95 % interval of a correlation with people, where
    `runs` has them. items: numbers of items to try. resamples: of the data, for the intervals. alpha: of the test.

    >>> import metaeval
    >>> list(metaeval.plan("configs/stance.yaml", "cem-ord", resamples=10).to_pandas()["unit"].unique())
    ['items']
    """
    config = experiment_of(runs, measures, seed=seed, workers=workers)
    section = overlay(
        config.plan or PlanConfig(),
        tau=tau,
        delta=delta,
        power=power,
        width=width,
        items=as_tuple(items),
        resamples=resamples,
        alpha=alpha,
    )
    return carry_out(experiment.plan, overlay(config, plan=section))


def axioms(
    measures: Measures | None = None,
    *,
    properties: str | Sequence[str] = (),
    cases: int | None = None,
    seed: int | None = None,
) -> Result:
    """Which formal properties does a measure have? Tried on small confusion matrices and on random ones.

    measures: of labels; None for all. properties: their names; all by default. cases: random systems for each number of
    classes.

    >>> import metaeval
    >>> metaeval.axioms(["cem-ord", "accuracy"], properties="imbalance", cases=10).command
    'axioms'
    """
    names, preset = names_of(measures)
    report = experiment.axioms(
        names,
        preset=preset,
        properties=as_tuple(properties),
        cases=DEFAULT_CASES if cases is None else plain(cases),
        seed=DEFAULT_SEED if seed is None else plain(seed),
    )
    return Result.of(report)
