"""From an experiment to its study; the task decides which data are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.config.data import NO_CLUSTERS
from metaeval.errors import InputError, setting
from metaeval.inference.clusters import Clusters
from metaeval.io.clusters import clusters_of_file, fnc1_clusters
from metaeval.io.dataset import Progress
from metaeval.io.files.columns import read_table
from metaeval.io.files.run_files import exists, files_of_scores, is_folder
from metaeval.io.files.source import STANDARD_INPUT, Source
from metaeval.io.labels.tasks import TASKS, LabelTask, Task
from metaeval.io.scores.cells import REPLICATE_MARK
from metaeval.io.scores.weightings import read_weightings
from metaeval.model.data_kind import DataKind
from metaeval.model.report import SourceFile
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.study import Study, Weightings, no_progress

_COLUMNS = ("id_column", "label_column")
_POLICIES = ("on_missing", "on_extra")
_LABELS = (
    *("gold", "encoding", *_POLICIES, "on_unknown", *_COLUMNS),
    *("labels", "class_weights", "class_values", "drop_gold"),
)
_OPTIONS = {
    DataKind.LABELS: (*_LABELS, "engine"),
    DataKind.NUMBERS: _LABELS,
    DataKind.TEXTS: ("gold", "encoding", *_POLICIES, *_COLUMNS, "tokenizer", "lexicon", "sources"),
    DataKind.DERIVATIONS: ("gold", *_POLICIES),
    DataKind.DISTRIBUTIONS: ("gold", "encoding", *_POLICIES, *_COLUMNS, "labels", "class_values"),
    DataKind.ITEM_SCORES: (
        *("encoding", *_POLICIES, "on_unknown", *_COLUMNS),
        *("lower_is_better", "replicates", "ratios", "f_scores"),
    ),
}
"""The options of the data that apply to each kind, beside those of every kind."""


OF_TASKS = {"fnc1": ("headline", "body")}
"""The columns whose values are the clusters of a task by default; two of them cross each other."""


def _options(task: Task) -> tuple[str, ...]:
    """The options that apply to the data of a task."""
    fixed = _COLUMNS if isinstance(task, LabelTask) and not task.columns else ()
    of_kind = (name for name in _OPTIONS[task.data_kind] if name not in fixed)
    systems = ("runs", "only_systems", "exclude_systems")
    of_every = ("task", *systems, "human", "human_pool", "clusters", "group", "group_by_file")
    return (*of_every, "memory", "member", *of_kind)


def _check_options(data: DataConfig, task: Task) -> None:
    """Raise an `InputError` where an option does not apply to the data of this task."""
    for field in fields(data):
        if field.name not in _options(task) and getattr(data, field.name) != getattr(DataConfig(), field.name):
            option, tasks = setting(field.name), [each.name for each in TASKS.values() if field.name in _options(each)]
            raise InputError.at(
                found=f"{option} with {setting('task', task.name)}, to which it does not apply",
                expected=f"one of the tasks {', '.join(tasks)}" if len(tasks) > 1 else setting("task", tasks[0]),
                hint=f"leave out {option}, or choose the {setting('task')} of the files",
            )


def read_study(config: ExperimentConfig, *, progress: Progress = no_progress, needs_runs: bool = True) -> Study:
    """Read and check the data and the measures of an experiment; every problem is an `InputError`.

    needs_runs: whether gold alone is an error; it never is where trivial systems are scored.
    """
    task = TASKS[config.data.task]
    _check_options(config.data, task)
    if task.data_kind is not DataKind.ITEM_SCORES:
        config.data.policies.reject_pairwise()
    study = _reader(task)(config, task, progress=progress, needs_runs=needs_runs)
    if config.data.member is not None:
        config.data.member.check(study.items)
    if any(REPLICATE_MARK in system for system in study.systems):
        from metaeval.study.replicates import with_replicates

        study = with_replicates(study)
    study = with_clusters(study)
    if study.has_gaps:
        _check_gaps(study)
    return study


def _reader(task: Task) -> Callable[..., Study]:
    """The function that reads the data of a task; importing those of all tasks would take longer than small data."""
    if isinstance(task, LabelTask):
        from metaeval.study.labels import read_label_study

        return read_label_study
    if task.data_kind is DataKind.DISTRIBUTIONS:
        from metaeval.study.items.distributions import read_distribution_study

        return read_distribution_study
    from metaeval.study.items import read_item_study

    return read_item_study


def _check_gaps(study: Study) -> None:
    """Raise an `InputError` for what pairs of systems cannot be compared by on the items that both have."""
    policy = setting("on_missing", "pairwise")
    if len(study.origin.clusters) > 1:
        raise InputError.at(
            found=f"two columns of clusters, and missing scores with {policy}",
            expected="one column of clusters",
            hint=f"name one of them in {setting('clusters')}, or set {setting('on_missing', 'drop')}",
        )
    scores = study.need(ITEM_SCORES, policy)
    if scores.sums:
        raise InputError.at(
            found=f"measures of sums ({', '.join(scores.measures[each.place] for each in scores.sums)}) with {policy}",
            expected="measures that are means over items",
            hint=f"set {setting('on_missing', 'drop')}, or leave these measures out",
        )


def with_clusters(study: Study) -> Study:
    """The study with the clusters of its items; problems with their column or file are an `InputError`."""
    data = study.config.data
    native = data.gold is not None and not data.holds(data.gold)
    columns = data.clusters or (OF_TASKS.get(data.task, ()) if native else _of_files(data))
    if columns == (NO_CLUSTERS,) or study.origin.clusters:
        return study
    if NO_CLUSTERS in columns or len(columns) > 2:
        raise InputError.at(
            found=f"clusters {', '.join(columns)}",
            expected=f"one column, two columns that cross each other, or {NO_CLUSTERS}",
            hint=f"choose the columns of {setting('clusters')}",
        )
    read = [_read(study, column) for column in columns]
    files = [file for _, file in read if file is not None]
    origin = replace(
        study.origin, clusters=tuple(clusters for clusters, _ in read), files=(*study.origin.files, *files)
    )
    return replace(study, origin=origin)


def _of_files(data: DataConfig) -> tuple[str, ...]:
    """The column of documents where the files of a task declare these."""
    if data.task != "mtme" or (data.runs and data.holds(data.runs[0])):
        return ()
    return ("document",) if "document" in read_table(_first_run(data)).header else ()


def _first_run(data: DataConfig) -> Source:
    """The first file of scores."""
    return data.open_scores(files_of_scores(data.runs[:1])[0].path, "run")


def _read(study: Study, column: str) -> tuple[Clusters, SourceFile | None]:
    data = study.config.data
    if column in OF_TASKS.get(data.task, ()):
        return fnc1_clusters(column, study.items), None

    def own_table() -> Source:
        path = data.gold or (data.runs[0] if data.runs else "")
        check_has_columns(data, path, "clusters", column)
        return _first_run(data) if data.of_table and not data.holds(path) else data.open(path, "clusters")

    return clusters_of_column(data, column, study.items, own_table)


def clusters_of_column(
    data: DataConfig, column: str, items: Sequence[str], own_table: Callable[[], Source]
) -> tuple[Clusters, SourceFile | None]:
    """The clusters in a column of a table of the data, or of another file (FILE:COLUMN), and that file."""
    path, mark, name = column.rpartition(":")
    if mark and (data.holds(path) or exists(path)):
        source = data.open(path, "clusters")
        return clusters_of_file(source, name, items, id_column=None), source.file
    return clusters_of_file(own_table(), column, items, id_column=data.id_column), None


def check_has_columns(data: DataConfig, path: str, option: str, column: str) -> None:
    """Raise an `InputError` for a column of standard input, of a folder, or of a format that has no columns."""
    task, has_none = TASKS[data.task], "a folder" if is_folder(path) and not data.of_table else ""
    if (isinstance(task, LabelTask) and not task.columns) or task.data_kind is DataKind.DERIVATIONS:
        has_none = has_none or f"a file of {setting('task', data.task)}, which has no others"
    if path == STANDARD_INPUT:
        has_none = "standard input, which was read before"
    if has_none and not data.holds(path):
        raise InputError.at(
            None if path == STANDARD_INPUT else path,
            found=f"{setting(option, column)}, a column of {has_none}",
            expected=" or ".join((*OF_TASKS.get(data.task, ()), "a column of a table")),
            hint=f"name a table with a column of the ids, as in {setting(option, f'FILE:{column}')}",
        )


def weightings_of(study: Study, path: str) -> Weightings:
    """The weightings in a file, read once for a study."""
    weightings = study.cache.weightings
    if path not in weightings:
        weightings[path] = Weightings(*read_weightings(path))
    return weightings[path]
