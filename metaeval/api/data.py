"""Data for the Python functions: files, labels in sequences and data frames, and texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metaeval.config import DataConfig
from metaeval.errors import UnknownName, describe, pluralize, refuse, unknown, wrong_type
from metaeval.io.labels.tasks import TASKS, LabelTask
from metaeval.io.memory import (
    DISTRIBUTIONS,
    GOLD,
    LABELS,
    OUTPUTS,
    REFERENCES,
    SOURCES,
    ByItem,
    Frame,
    Values,
    columns_of,
    distributions_from_memory,
    labels_from_memory,
    order_of,
    outputs_from_memory,
    references_from_memory,
    rows_from_memory,
    sources_from_memory,
    texts_of,
)
from metaeval.model.scale import ClassScale
from metaeval.settings import documented_by
from metaeval.settings.kinds import as_tuple
from metaeval.study.runs import (
    HOW_TO_MAKE_RUNS,
    ClusterColumns,
    GroupColumn,
    HumanRatings,
    Labels,
    Path,
    Paths,
    Runs,
    path_of,
    paths,
    scale_of,
    with_cluster_columns,
    with_group_column,
    with_human,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


SCORES = "<scores>"


def label_task(name: str | None) -> str | None:
    """The name of a task of labels or numbers; raises `InputError` for other tasks."""
    if name is None:
        return None
    task = TASKS[str(name)]
    if isinstance(task, LabelTask):
        return task.name
    names = [other.name for other in TASKS.values() if isinstance(other, LabelTask)]
    raise refuse(None, unknown("task of labels", str(name), names), hint="use from_texts or from_scores")


def by_class(numbers: Mapping[str, float] | None) -> Mapping[str, float] | None:
    """Numbers by class, whose name is converted to text; other values are unchanged."""
    if not isinstance(numbers, Mapping):
        return numbers
    return dict(zip(texts_of(numbers.keys()), numbers.values(), strict=True))


def tidy(
    scores: NDArray[Any], measures: Sequence[str], systems: Sequence[str], items: Iterable[object] | None
) -> dict[str, Values]:
    """An array of scores as a table with one row per score."""
    if scores.ndim != 3:
        raise refuse(
            SCORES,
            wrong_type(
                describe(scores), "", "three dimensions: measures, systems, items", "use scores[None] for one measure"
            ),
        )
    names = [str(number) for number in range(1, scores.shape[-1] + 1)] if items is None else as_tuple(items)
    shape = (len(measures), len(systems), len(names))
    if scores.shape != shape:
        raise refuse(
            SCORES,
            wrong_type(
                describe(scores),
                "",
                f"shape {shape}, for {pluralize(shape[0], 'measure')}, {pluralize(shape[1], 'system')} "
                f"and {pluralize(shape[2], 'item')}",
                "name all measures with measures=, systems with systems=, and items with items=",
            ),
        )
    measure, system, item = (axis.ravel() for axis in np.indices(shape))
    return {
        "measure": np.array(measures, dtype=object)[measure],
        "system": np.array(systems, dtype=object)[system],
        "item": np.array(names, dtype=object)[item],
        "value": scores.ravel(),
    }


OnExtra = Literal["error", "drop"]
HumanPool = Literal["separate", "mean"]


@documented_by(DataConfig)
def read(
    runs: Paths | Mapping[str, Path] = (),
    *,
    gold: Path | None = None,
    task: str | None = None,
    labels: Labels | None = None,
    class_weights: Mapping[str, float] | None = None,
    class_values: Mapping[str, float] | None = None,
    map_labels: Mapping[str, str] | None = None,
    drop_gold: str | Sequence[str] = (),
    on_missing: str | None = None,
    on_unknown: str | None = None,
    on_extra: OnExtra | None = None,
    id_column: str | None = None,
    label_column: str | None = None,
    gold_column: str | None = None,
    prediction_column: str | None = None,
    system_column: str | None = None,
    tokenizer: str | None = None,
    lexicon: Path | None = None,
    sources: Path | None = None,
    clusters: str | Sequence[str] | None = None,
    replicates: str | None = None,
    group: str | None = None,
    group_by_file: bool = False,
    human: HumanRatings | None = None,
    human_pool: HumanPool | None = None,
    only_systems: str | Sequence[str] = (),
    exclude_systems: str | Sequence[str] = (),
    exclude_measures: str | Sequence[str] = (),
    skip_invalid: bool = False,
    lower_is_better: str | Sequence[str] = (),
    ratios: str | Sequence[str] = (),
    f_scores: str | Sequence[str] = (),
) -> Runs:
    """Read gold and the runs of systems from files.

    Parameters
    ----------
    runs
        Files, folders or patterns, or a mapping from names of systems to files.

    Raises
    ------
    InputError
        If the files are invalid; the message lists all problems.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.read(
    ...     "sample_data/fnc1/systems", gold="sample_data/fnc1/gold.csv", task="fnc1", labels="disagree<discuss<agree"
    ... )
    >>> runs
    Runs(14 systems on ... items, task fnc1)
    """
    data = DataConfig(runs=_files_of(runs)).overlaid(
        gold=None if gold is None else path_of(gold, "gold", hint=HOW_TO_MAKE_RUNS),
        task=task,
        id_column=id_column,
        label_column=label_column,
        gold_column=gold_column,
        prediction_column=prediction_column,
        system_column=system_column,
        tokenizer=tokenizer,
        lexicon=lexicon,
        sources=sources,
        replicates=replicates,
        on_missing=on_missing,
        on_unknown=on_unknown,
        on_extra=on_extra,
        only_systems=as_tuple(only_systems),
        exclude_systems=as_tuple(exclude_systems),
        exclude_measures=as_tuple(exclude_measures),
        skip_invalid=skip_invalid,
        lower_is_better=as_tuple(lower_is_better),
        ratios=as_tuple(ratios),
        f_scores=as_tuple(f_scores),
        labels=scale_of(labels),
        class_weights=by_class(class_weights),
        class_values=by_class(class_values),
        map_labels=map_labels,
        drop_gold=texts_of(as_tuple(drop_gold)),
        group_by_file=group_by_file,
    )
    return make_runs(data, human, human_pool, clusters, group)


def _files_of(runs: Paths | Mapping[str, Path]) -> tuple[str, ...]:
    if not isinstance(runs, Mapping):
        return paths(runs, "runs")
    return tuple(f"{name}={path_of(path, 'runs', hint=HOW_TO_MAKE_RUNS)}" for name, path in runs.items())


describe_data = partial(
    documented_by,
    DataConfig,
    ids="Item ids (default: 1, 2, 3, …)",
    clusters="Columns by name, with a cluster for each item: one, or two that cross each other; item ids in 'id'",
    group="One column by name, with a group for each item, such as its language; item ids in 'id'",
)
"""Describes the parameters of functions that take data in memory."""


@describe_data()
def from_labels(
    systems: Mapping[str, ByItem],
    *,
    gold: ByItem,
    ids: Values | None = None,
    task: str | None = None,
    labels: Labels | None = None,
    class_weights: Mapping[str, float] | None = None,
    class_values: Mapping[str, float] | None = None,
    drop_gold: str | Sequence[str] = (),
    on_missing: str | None = None,
    on_unknown: str | None = None,
    on_extra: OnExtra | None = None,
    clusters: ClusterColumns | None = None,
    group: GroupColumn | None = None,
    human: HumanRatings | None = None,
    human_pool: HumanPool | None = None,
) -> Runs:
    """Predicted labels (or numbers, with task='scores') and gold labels in memory.

    Parameters
    ----------
    systems
        By name: lists, arrays or columns in the order of gold (ignoring an index of pandas), or mappings from item
        ids. None and NaN are missing predictions.
    gold
        Gold labels, one for each item. An ordered categorical column of pandas, or an Enum of polars, declares the
        order of the classes if `labels` does not.
    task
        'labels', 'scores', or a task with its own classes and measures, such as 'fnc1'.

    Raises
    ------
    InputError
        If a label is not among the classes, lengths differ or an id is repeated.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> runs.systems, runs.items
    (('a', 'b'), ('1', '2'))
    """
    data = DataConfig(gold=LABELS, memory=(labels_from_memory(systems, gold, ids),)).overlaid(
        task=label_task(task),
        on_missing=on_missing,
        on_unknown=on_unknown,
        on_extra=on_extra,
        labels=scale_of(labels) if labels is not None or task not in _OWN_CLASSES else _declared(gold, drop_gold),
        class_weights=by_class(class_weights),
        class_values=by_class(class_values),
        drop_gold=texts_of(as_tuple(drop_gold)),
    )
    return make_runs(data, human, human_pool, clusters, group, ids=ids)


_OWN_CLASSES = (None, "labels", "scores")
"""Tasks whose classes are those of the data."""


def _declared(gold: ByItem, drop_gold: str | Sequence[str]) -> ClassScale | None:
    """The scale that a column of gold labels declares by its type."""
    drop_labels = texts_of(as_tuple(drop_gold))
    classes = tuple(name for name in order_of(gold) if name not in drop_labels)
    return ClassScale(classes, ordered=True) if len(classes) > 1 else None


@documented_by(DataConfig)
def from_frame(
    frame: Frame,
    *,
    gold: str = "gold",
    item: str | None = None,
    systems: Sequence[str] | None = None,
    task: str | None = None,
    labels: Labels | None = None,
    class_weights: Mapping[str, float] | None = None,
    class_values: Mapping[str, float] | None = None,
    drop_gold: str | Sequence[str] = (),
    on_missing: str | None = None,
    on_unknown: str | None = None,
    clusters: str | Sequence[str] | None = None,
    group: str | None = None,
    human: HumanRatings | None = None,
    human_pool: HumanPool | None = None,
) -> Runs:
    """A data frame with one row per item and one column per system; see `from_labels`.

    Parameters
    ----------
    frame
        Data frame of pandas or polars, Arrow table or DuckDB relation, or columns by name.
    gold
        Column of gold labels.
    item
        Column of item ids (default: 1, 2, 3, …).
    systems
        Columns of systems (default: all other columns).
    clusters
        One or two columns of clusters.
    group
        Column of groups of items, such as languages.
    task
        As in `from_labels`.

    Raises
    ------
    UnknownName
        If a column does not exist.

    Examples
    --------
    >>> import metaeval, pandas
    >>> frame = pandas.DataFrame({"id": ["q1", "q2"], "gold": ["yes", "no"], "svm": ["yes", "yes"]})
    >>> (runs := metaeval.from_frame(frame, item="id", labels="no<yes")).systems, runs.items
    (('svm',), ('q1', 'q2'))
    """
    table = columns_of(frame, None)
    cluster_columns = as_tuple(clusters)
    item_columns = (*cluster_columns, *(() if group is None else (group,)))
    return from_labels(
        {name: table[name] for name in _columns(table, gold, item, systems, item_columns)},
        gold=table[gold],
        ids=None if item is None else table[item],
        task=task,
        labels=labels,
        class_weights=class_weights,
        class_values=class_values,
        drop_gold=drop_gold,
        on_missing=on_missing,
        on_unknown=on_unknown,
        human=human,
        human_pool=human_pool,
        clusters={name: table[name] for name in cluster_columns} or None,
        group=None if group is None else {group: table[group]},
    )


def _columns(
    table: Mapping[str, Values], gold: str, item: str | None, systems: Sequence[str] | None, columns: Sequence[str]
) -> Sequence[str]:
    """The columns of systems; raises `UnknownName` if a column does not exist. columns: of clusters and groups."""
    names = list(table.keys())
    selection = [name for name in names if name not in (gold, item, *columns)] if systems is None else as_tuple(systems)
    for name in (gold, *([] if item is None else [item]), *columns, *selection):
        if name not in names:
            raise UnknownName("column", str(name), map(str, names))
    return selection


@describe_data()
def from_texts(
    systems: Mapping[str, ByItem],
    *,
    references: ByItem,
    ids: Values | None = None,
    sources: ByItem | None = None,
    tokenizer: str | None = None,
    lexicon: Path | None = None,
    on_missing: str | None = None,
    on_extra: OnExtra | None = None,
    clusters: ClusterColumns | None = None,
    group: GroupColumn | None = None,
    human: HumanRatings | None = None,
    human_pool: HumanPool | None = None,
) -> Runs:
    """Texts of systems and reference texts in memory.

    Parameters
    ----------
    systems
        By name: one text per item, in the order of the references or by id; None for a missing text. A text is a
        string or a list of sentences.
    references
        One text or a list of texts per item.
    sources
        Source texts of the systems.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.from_texts(
    ...     {"lead": ["The cat sat down.", "It rained."], "other": ["A dog barked.", "It rained all day."]},
    ...     references=[["The cat sat.", "A cat sat down."], ["It rained all day."]],
    ... )
    >>> metaeval.score(runs, "rouge-n:n=1").to_pandas()
      system  rouge-n:n=1
    0   lead     0.735119
    1  other     0.571429
    """
    memory = [outputs_from_memory(systems, ids), references_from_memory(references, ids)]
    if sources is not None:
        memory.append(sources_from_memory(sources, ids))
    data = DataConfig(gold=REFERENCES, runs=(OUTPUTS,) if systems else (), task="texts", memory=tuple(memory)).overlaid(
        tokenizer=tokenizer,
        lexicon=lexicon,
        sources=None if sources is None else SOURCES,
        on_missing=on_missing,
        on_extra=on_extra,
    )
    return make_runs(data, human, human_pool, clusters, group, ids=ids)


def make_runs(
    data: DataConfig,
    human: HumanRatings | None,
    human_pool: HumanPool | None,
    clusters: ClusterColumns | None,
    group: GroupColumn | None,
    ids: Values | None = None,
) -> Runs:
    """The runs of data, clusters, groups and human scores, which are checked."""
    data = with_group_column(with_cluster_columns(data.overlaid(human_pool=human_pool), clusters, ids), group, ids)
    return Runs.of(data if human is None else with_human(data, human))


@describe_data()
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
    return make_runs(data, human, human_pool, clusters, group, ids=ids)


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
    return make_runs(data, human, human_pool, clusters, group)
