"""Systems under measures, and how measures rank them: the functions of the commands that need no people."""

from __future__ import annotations

from metaeval import experiment
from metaeval.api.call import carry_out
from metaeval.config import (
    MergeConfig,
    StabilityConfig,
    overlay,
)
from metaeval.render.result import Result
from metaeval.study.runs import Experiment, Measures, experiment_of


def summary(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    trials: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """All criteria for measures in one table, `summary`.

    trials: random splits, and replicates for intervals.

    >>> import metaeval
    >>> result = metaeval.summary("configs/stance.yaml", ["cem-ord", "accuracy", "macro-f1"], trials=20)
    >>> list(result.to_pandas().columns[:3])
    ['measure', 'group', 'consistency']
    """
    config = experiment_of(runs, measures, seed=seed, workers=workers)
    config = overlay(
        config,
        stability=overlay(config.stability or StabilityConfig(), trials=trials),
        merge_classes=overlay(config.merge_classes or MergeConfig(), trials=trials, bootstrap=trials),
    )
    return carry_out(experiment.summary, config)
