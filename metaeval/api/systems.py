"""Systems under measures, and how measures rank them: the functions of the commands that need no people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metaeval import experiment
from metaeval.api.experiments import Experiment, Measures, carry_out, experiment_of
from metaeval.api.given import listed
from metaeval.api.result import Result
from metaeval.config import (
    MergeConfig,
    ReferencesConfig,
    ScoreConfig,
    SimilarityConfig,
    StabilityConfig,
    overlay,
)

_ITEM_SCORES = "item_scores"
"""What stands for the file in the configuration where scores of items are a table of the result."""


def score(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    trivial: bool | None = None,
    sort_by: str | None = None,
    per_item: bool = False,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """Systems under measures, with ranks: tables `scores` and `ranks`.

    measures: names, one or several, or a preset; None for those that go with the data. trivial: add systems that know
    nothing. sort_by: a measure, or 'system'. per_item: also a table `item_scores`, for texts, derivations and scores.
    None is the experiment's own setting, else the default.

    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> metaeval.score(runs, ["accuracy", "cem-ord"]).to_pandas()
      system  accuracy   cem-ord
    0      a       1.0  1.000000
    1      b       0.5  0.603759
    """
    config = experiment_of(runs, measures, seed=seed, workers=workers)
    section = overlay(
        config.score or ScoreConfig(), trivial=trivial, sort_by=sort_by, per_item=_ITEM_SCORES if per_item else None
    )
    return carry_out(experiment.score, overlay(config, score=section))


def similarity(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    coefficient: str | None = None,
    bootstrap: int | None = None,
    cut: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """Do measures rank systems alike? Tables `similarity`, `groups`, `similarity_intervals`.

    coefficient: of two rankings, 'kendall-b' by default. bootstrap: replicates for intervals, 0 for none. cut: distance
    1 − similarity at which groups of measures part.

    >>> import metaeval
    >>> result = metaeval.similarity("configs/stance.yaml", ["accuracy", "macro-f1"], bootstrap=0)
    >>> result.to_pandas().set_index("measure")["macro-f1"]["accuracy"].item()
    0.58...
    """
    config = experiment_of(runs, measures, seed=seed, workers=workers)
    section = overlay(config.similarity or SimilarityConfig(), coefficient=coefficient, bootstrap=bootstrap, cut=cut)
    return carry_out(experiment.similarity, overlay(config, similarity=section))


def stability(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    trials: int | None = None,
    strata: Sequence[int] = (),
    stratified: bool | None = None,
    size: float | Sequence[float] = (),
    permutations: int | None = None,
    alpha: float | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """Is a measure's ranking the same on other items? Tables `stability`, `stability_differences` and others.

    trials: random splits into halves. strata: sizes of groups of systems, best first. stratified: split every gold
    class by itself. size: shares of the items in each half, for a curve. permutations, alpha: of the test of whether
    two measures differ.

    >>> import metaeval
    >>> result = metaeval.stability("configs/stance.yaml", ["cem-ord", "accuracy"], trials=20)
    >>> list(result.to_pandas()["measure"])
    ['cem-ord', 'accuracy']
    """
    config = experiment_of(runs, measures, seed=seed, workers=workers)
    section = overlay(
        config.stability or StabilityConfig(),
        trials=trials,
        strata=listed(strata),
        stratified=stratified,
        size=listed(size),
        permutations=permutations,
        alpha=alpha,
    )
    return carry_out(experiment.stability, overlay(config, stability=section))


def merge_classes(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    merge: str | Sequence[str] = (),
    adjacent: bool | None = None,
    balance: bool | None = None,
    trials: int | None = None,
    bootstrap: int | None = None,
    merged_values: Mapping[str, float] | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """Does a measure notice the distinction between classes? Tables `merge_classes`, `merge_classes_intervals`.

    merge: classes to be merged, as 'agree+discuss'; all pairs by default. adjacent: neighbours of an ordered scale.
    balance: draw gold classes down to the rarest, trials times. bootstrap: replicates for intervals otherwise.
    merged_values: of merged classes, where classes have declared values.

    >>> import metaeval
    >>> result = metaeval.merge_classes("configs/stance.yaml", "accuracy", adjacent=True, bootstrap=0)
    >>> result.to_pandas().columns.tolist()
    ['measure', 'disagree+discuss', 'discuss+agree', 'mean']
    """
    config = experiment_of(runs, measures, seed=seed, workers=workers)
    section = overlay(
        (config.merge_classes or MergeConfig()).choosing(listed(merge), adjacent=adjacent),
        balance=balance,
        trials=trials,
        bootstrap=bootstrap,
        merged_values=merged_values,
    )
    return carry_out(experiment.merge_classes, overlay(config, merge_classes=section))


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


def robustness(
    runs: Experiment, measures: Measures | None = None, *, seed: int | None = None, workers: int | None = None
) -> Result:
    """Can a measure be gamed? Tables `robustness` and `robustness_scores`: trivial systems among the real ones.

    >>> import metaeval
    >>> metaeval.robustness("configs/rumour2017.yaml", ["accuracy", "macro-f1"]).main.name
    'robustness'
    """
    return carry_out(experiment.robustness, experiment_of(runs, measures, seed=seed, workers=workers))


def references(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    trials: int | None = None,
    subsets: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> Result:
    """How many references are enough? Tables `references` and `references_rankings`.

    trials: draws for the intervals. subsets: choices of references an item, at most.

    >>> import metaeval
    >>> result = metaeval.references("configs/r4c.yaml", "r4c-rouge:level=full", trials=20)
    >>> sorted(set(result.to_pandas()["references"]))
    [1, 2, 3]
    """
    config = experiment_of(runs, measures, seed=seed, workers=workers)
    section = overlay(config.references or ReferencesConfig(), trials=trials, subsets=subsets)
    return carry_out(experiment.references, overlay(config, references=section))
