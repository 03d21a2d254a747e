"""Data for the API: read from files, or handed over as sequences, arrays, data frames and texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metaeval.api.keywords import SCORES, label_task, of_classes, policies, tidy
from metaeval.config import DataConfig
from metaeval.errors import InputError, UnknownName, described
from metaeval.io.files.source import InMemorySource
from metaeval.io.labels.tasks import TASKS
from metaeval.io.memory import (
    LABELS,
    OUTPUTS,
    REFERENCES,
    SOURCES,
    ByItem,
    Frame,
    Values,
    labels_from_memory,
    outputs_from_memory,
    references_from_memory,
    rows_from_memory,
    sources_from_memory,
)
from metaeval.measures.text.tokenizers import TOKENIZERS
from metaeval.settings.documented import documented_by
from metaeval.settings.kinds import as_tuple
from metaeval.study.runs import (
    HOW_TO_HAND_OVER,
    Labels,
    Path,
    Paths,
    People,
    Runs,
    path_of,
    paths,
    with_people,
)

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

OnExtra = Literal["error", "drop"]


@documented_by(DataConfig)
def read(
    runs: Paths | Mapping[str, Path] = (),
    *,
    gold: Path | None = None,
    task: str | None = None,
    labels: Labels | None = None,
    class_weights: Mapping[str, float] | None = None,
    class_values: Mapping[str, float] | None = None,
    drop_gold: str | Sequence[str] = (),
    on_missing: str | None = None,
    on_unknown: str | None = None,
    on_extra: OnExtra | None = None,
    id_column: str | None = None,
    label_column: str | None = None,
    tokenizer: str | None = None,
    lexicon: Path | None = None,
    sources: Path | None = None,
    human: People | None = None,
    lower_is_better: str | Sequence[str] = (),
) -> Runs:
    """Read gold and the runs of systems, as the command line does with the options of the same names.

    Parameters
    ----------
    runs
        Files, folders or patterns, or a mapping from names of systems to files.

    Raises
    ------
    InputError
        If anything is wrong with the files; the message lists all problems.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.read(
    ...     "sample_data/fnc1/systems", gold="sample_data/fnc1/gold.csv", task="fnc1", labels="disagree<discuss<agree"
    ... )
    >>> runs
    Runs(14 systems on ... items, task fnc1)
    """
    found = (
        tuple(f"{name}={path_of(path, 'runs', hint=HOW_TO_HAND_OVER)}" for name, path in runs.items())
        if isinstance(runs, Mapping)
        else paths(runs, "runs")
    )
    data = DataConfig(runs=found).overlaid(
        gold=None if gold is None else path_of(gold, "gold", hint=HOW_TO_HAND_OVER),
        task=None if task is None else TASKS[str(task)].name,
        id_column=id_column,
        label_column=label_column,
        tokenizer=None if tokenizer is None else TOKENIZERS[str(tokenizer)].name,
        lexicon=None if lexicon is None else path_of(lexicon, "lexicon"),
        sources=None if sources is None else path_of(sources, "sources"),
        lower_is_better=as_tuple(lower_is_better),
        **of_classes(labels, class_weights, class_values, drop_gold),
        **policies(on_missing, on_unknown, on_extra),
    )
    return _checked(data, human)


@documented_by(DataConfig)
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
    human: People | None = None,
) -> Runs:
    """Labels, or numbers with task='scores', that systems predicted, beside gold labels.

    Parameters
    ----------
    systems
        By name: lists, arrays or columns in the order of gold (an index of pandas plays no role), or mappings from ids
        of items. None and NaN are missing predictions.
    gold
        Gold labels, one for each item.
    ids
        Ids of the items; by default they are numbered from 1.
    task
        'labels', 'scores', or a task that comes with its own classes and measures, as 'fnc1'.

    Raises
    ------
    InputError
        If a label is outside the classes, lengths differ or an id occurs twice.

    Examples
    --------
    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> runs.systems, runs.items
    (('a', 'b'), ('1', '2'))
    """
    held = labels_from_memory(systems, gold, ids)
    data = DataConfig(gold=LABELS, memory=(held,)).overlaid(
        task=label_task(task),
        **of_classes(labels, class_weights, class_values, drop_gold),
        **policies(on_missing, on_unknown, on_extra),
    )
    return _checked(data, human)


@documented_by(DataConfig)
def from_frame(
    frame: pandas.DataFrame,
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
    human: People | None = None,
) -> Runs:
    """A data frame with a row an item and a column a system, as `from_labels`.

    Parameters
    ----------
    frame
        A data frame of pandas.
    gold
        Column of gold labels.
    item
        Column of item ids; by default the rows are numbered from 1.
    systems
        Columns of systems; by default all others.
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
    >>> runs = metaeval.from_frame(frame, item="id", labels="no<yes")
    >>> runs.systems, runs.items
    (('svm',), ('q1', 'q2'))
    """
    chosen = _columns(frame, gold, item, systems)
    return from_labels(
        {name: frame[name] for name in chosen},
        gold=frame[gold],
        ids=None if item is None else frame[item],
        task=task,
        labels=labels,
        class_weights=class_weights,
        class_values=class_values,
        drop_gold=drop_gold,
        on_missing=on_missing,
        on_unknown=on_unknown,
        human=human,
    )


def _columns(frame: pandas.DataFrame, gold: str, item: str | None, systems: Sequence[str] | None) -> Sequence[str]:
    """The columns of systems; an `UnknownName` where a column does not exist."""
    if not hasattr(frame, "columns"):
        raise InputError.at(
            found=described(frame),
            expected="a data frame of pandas",
            hint="metaeval.from_labels takes lists and arrays",
        )
    names = list(frame.columns)
    chosen = [name for name in names if name not in (gold, item)] if systems is None else as_tuple(systems)
    for name in (gold, *([] if item is None else [item]), *chosen):
        if name not in names:
            raise UnknownName("column", str(name), map(str, names))
    return chosen


@documented_by(DataConfig)
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
    human: People | None = None,
) -> Runs:
    """Texts that systems wrote, beside reference texts.

    Parameters
    ----------
    systems
        By name: a text for each item, in the order of the references or by id; None where there is none. A text is
        running text, or a list of its sentences.
    references
        For each item a text or a list of texts.
    ids
        Ids of the items; by default they are numbered from 1.
    sources
        The texts that the systems were given.

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
    given = None if sources is None else sources_from_memory(sources, ids)
    memory: list[InMemorySource] = [
        outputs_from_memory(systems, ids),
        references_from_memory(references, ids),
        *([given] if given else []),
    ]
    data = DataConfig(gold=REFERENCES, runs=(OUTPUTS,) if systems else (), task="texts", memory=tuple(memory)).overlaid(
        tokenizer=None if tokenizer is None else TOKENIZERS[str(tokenizer)].name,
        lexicon=None if lexicon is None else path_of(lexicon, "lexicon"),
        sources=None if given is None else SOURCES,
        **policies(on_missing, None, on_extra),
    )
    return _checked(data, human)


@documented_by(DataConfig)
def from_scores(
    scores: Frame | NDArray[Any],
    *,
    measures: Iterable[str] = (),
    systems: Iterable[str] = (),
    items: Iterable[object] | None = None,
    lower_is_better: str | Sequence[str] = (),
    on_missing: str | None = None,
    on_unknown: str | None = None,
    human: People | None = None,
) -> Runs:
    """Scores that another tool gave every item of every system.

    Parameters
    ----------
    scores
        A data frame with the columns measure, system, item and value, or system, item and a column for each measure;
        or an array (measure, system, item).
    measures, systems, items
        Names along the axes of an array; by default its items are numbered from 1.
    human
        Which of the measures are human scores, or a table of them beside it.

    Raises
    ------
    InputError
        If a score is missing or occurs twice, or if an array does not have the shape of its names.

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
        **policies(on_missing, on_unknown, None),
    )
    return _checked(data, human)


def _checked(data: DataConfig, human: People | None) -> Runs:
    """The runs of data, with ratings where there are any; everything that is wrong with them is told here."""
    return Runs.of(data if human is None else with_people(data, human))
