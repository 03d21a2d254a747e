"""Data for the Python functions: numbers in arrays and data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.api.data import HumanPool, checked, of_items
from metaeval.api.keywords import SCORES, by_class, tidy
from metaeval.config import DataConfig
from metaeval.io.memory import DISTRIBUTIONS, GOLD, Frame, Values, distributions_from_memory, rows_from_memory
from metaeval.settings.documented import documented_by
from metaeval.settings.kinds import as_tuple
from metaeval.study.runs import ClusterColumns, GroupColumn, HumanRatings, Labels, Runs, scale_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@of_items()
def from_distributions(
    systems: Mapping[str, ArrayLike],
    *,
    gold: ArrayLike,
    labels: Labels,
    ids: Values | None = None,
    class_values: Mapping[str, float] | None = None,
    clusters: ClusterColumns | None = None,
    group: GroupColumn | None = None,
    human: HumanRatings | None = None,
    human_pool: HumanPool | None = None,
) -> Runs:
    """Predicted and gold distributions over classes in memory.

    Parameters
    ----------
    systems
        By name: arrays of shape (items, classes) with probabilities or counts, in the order of gold and of the classes.
    gold
        The same of gold, such as numbers of votes.

    Raises
    ------
    InputError
        If a shape does not match, or a row has a negative number, only zeros or probabilities with a wrong sum.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.from_distributions({"a": [[0, 0, 0, 0.5, 0.5]]}, gold=[[3, 3, 0, 0, 0]], labels="1<2<3<4<5")
    >>> metaeval.score(runs, ["nmd", "rnod"]).to_dict()["tables"]["scores"]
    [{'system': 'a', 'nmd': 0.75, 'rnod': 0.661437827766}]
    """
    scale = scale_of(labels)
    assert scale is not None
    memory = distributions_from_memory(systems, gold, scale.labels, ids)
    data = DataConfig(
        gold=GOLD,
        runs=(DISTRIBUTIONS,) if len(memory) > 1 else (),
        task="distributions",
        labels=scale,
        memory=tuple(memory),
    ).overlaid(class_values=by_class(class_values))
    return checked(data, human, human_pool, clusters, group, ids=ids)


@documented_by(DataConfig)
def from_scores(
    scores: Frame | NDArray[Any],
    *,
    measures: Iterable[str] = (),
    systems: Iterable[str] = (),
    items: Iterable[object] | None = None,
    lower_is_better: str | Sequence[str] = (),
    ratios: str | Sequence[str] = (),
    f_scores: str | Sequence[str] = (),
    on_missing: str | None = None,
    on_unknown: str | None = None,
    clusters: str | Sequence[str] | None = None,
    replicates: str | None = None,
    group: str | None = None,
    human: HumanRatings | None = None,
    human_pool: HumanPool | None = None,
) -> Runs:
    """Item scores of another tool.

    Parameters
    ----------
    scores
        Data frame with the columns measure, system, item and value, or with system, item and one column per measure;
        or an array of shape (measures, systems, items).
    measures, systems, items
        Names along the axes of an array (default of items: 1, 2, 3, …).
    clusters
        One or two columns of clusters in a data frame.
    replicates
        Column of the runs of a system in a data frame, over which scores are averaged.
    group
        Column of groups of items in a data frame; items of different groups may have the same ids.
    human
        Measures that are human scores, or a table of human scores.

    Raises
    ------
    InputError
        If a score is missing or repeated, or if the shape of an array does not match its names.

    Examples
    --------
    >>> import metaeval, numpy
    >>> scores = numpy.array([[[0.5, 1.0], [0.25, 0.5]]])
    >>> runs = metaeval.from_scores(scores, measures=["bleu"], systems=["svm", "bert"])
    >>> metaeval.score(runs).to_dict()["tables"]["scores"]
    [{'system': 'svm', 'bleu': 0.75}, {'system': 'bert', 'bleu': 0.375}]
    """
    table = tidy(scores, as_tuple(measures), as_tuple(systems), items) if isinstance(scores, np.ndarray) else scores
    data = DataConfig(runs=(SCORES,), task="table", memory=(rows_from_memory(table, SCORES),)).overlaid(
        lower_is_better=as_tuple(lower_is_better),
        ratios=as_tuple(ratios),
        f_scores=as_tuple(f_scores),
        on_missing=on_missing,
        on_unknown=on_unknown,
        replicates=replicates,
    )
    return checked(data, human, human_pool, clusters, group)
