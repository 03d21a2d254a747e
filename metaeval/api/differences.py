"""Which systems differ, and what measures make of it: the functions of the commands of tests and properties."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval import experiment
from metaeval.api.call import carry_out
from metaeval.config import PlanConfig, overlay
from metaeval.render.result import Result
from metaeval.settings.kinds import as_tuple
from metaeval.study.runs import Experiment, Measures, experiment_of


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
