"""From an experiment to its study; the task decides which data are read."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.config.data import NO_CLUSTERS
from metaeval.errors import Gathered, InputError, bad_setting, conflict, empty, leave_out, refuse, setting
from metaeval.inference.clusters import Clusters
from metaeval.io.dataset import Progress, check_headers, scale_of_labels
from metaeval.io.files.columns import TableColumns, read_table
from metaeval.io.files.roles import GROUP, ITEM, MEASURE, SYSTEM, normal
from metaeval.io.files.run_files import SUFFIXES, exists, files_of_scores, find_run_files, is_folder
from metaeval.io.files.source import STANDARD_INPUT, InMemorySource, Source
from metaeval.io.groups import (
    Membership,
    clusters_of_file,
    fnc1_clusters,
    fnc1_values,
    groups_of_items,
    groups_of_rows,
    restricted_rows,
)
from metaeval.io.labels.columns import InMemoryLabels, Renaming
from metaeval.io.labels.tasks import TASKS, LabelTask, Task
from metaeval.io.scores.cells import REPLICATE_MARK
from metaeval.io.scores.table import read_weightings
from metaeval.model.report import SourceFile
from metaeval.model.runs import DataKind
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.doubts import doubts_about
from metaeval.study.labels import engine_of, read_label_study
from metaeval.study.study import Study, Weightings, no_progress, required_gold
from metaeval.study.task import with_task

_COLUMNS = ("id_column", "label_column", "gold_column", "prediction_column", "system_column")
_OF_TABLES = ("id_column", "label_column", "system_column")
_POLICIES = ("on_missing", "on_extra")
_LABELS = (
    *("gold", "encoding", "quoting", *_POLICIES, "on_unknown", *_COLUMNS),
    *("labels", "class_weights", "class_values", "drop_gold"),
)
_OPTIONS = {
    DataKind.LABELS: (*_LABELS, "engine", "map_labels"),
    DataKind.NUMBERS: _LABELS,
    DataKind.TEXTS: ("gold", "encoding", "quoting", *_POLICIES, *_COLUMNS, "tokenizer", "lexicon", "sources"),
    DataKind.DERIVATIONS: ("gold", *_POLICIES),
    DataKind.DISTRIBUTIONS: ("gold", "encoding", "quoting", *_POLICIES, *_OF_TABLES, "labels", "class_values"),
    DataKind.ITEM_SCORES: (
        *("encoding", "quoting", *_POLICIES, "on_unknown", *_OF_TABLES),
        *("lower_is_better", "replicates", "ratios", "f_scores"),
    ),
}
"""The options of the data that apply to each kind, beside those of every kind."""


OF_TASKS = {"fnc1": ("headline", "body")}
"""The columns whose values are the clusters of a task by default; two of them cross each other."""


def _options(task: Task) -> tuple[str, ...]:
    """The options that apply to the data of a task."""
    fixed = _COLUMNS if isinstance(task, LabelTask) and not task.columns else ()
    kind_options = (name for name in _OPTIONS[task.data_kind] if name not in fixed)
    systems = ("runs", "only_systems", "exclude_systems", "exclude_measures", "skip_invalid", "invalid")
    common_options = ("task", *systems, "human", "human_pool", "clusters", "group", "group_by_file")
    return (*common_options, "memory", "member", "gaps", *kind_options)


def _check_options(data: DataConfig, task: Task) -> None:
    """Raise an `InputError` where an option does not apply to the data of this task."""
    for field in fields(data):
        if field.name not in _options(task) and getattr(data, field.name) != getattr(DataConfig(), field.name):
            option = setting(field.name)
            tasks = [candidate.name for candidate in TASKS.values() if field.name in _options(candidate)]
            other = f"{setting('task', task.name)}, to which it does not apply"
            expected = f"one of the tasks {', '.join(tasks)}" if len(tasks) > 1 else setting("task", tasks[0])
            hint = f"leave out {option}, or choose the {setting('task')} of the files"
            raise refuse(None, conflict(option, other, expected, hint))


Result = TypeVar("Result")


def without_invalid(config: ExperimentConfig, read: Callable[[ExperimentConfig], Result]) -> Result:
    """What `read` returns of an experiment, whose invalid runs are left out if the user wants it and others are valid.

    The data are read again without them, because the other runs may then be joined on other items.
    """
    data, problems = config.data, Gathered()
    while True:
        try:
            return read(replace(config, data=data))
        except InputError as error:
            problems.keep(error)
            systems = {run.system for run in data.invalid}
            runs = tuple(run for run in error.invalid_runs if run.system not in systems)
            if not (runs and data.skip_invalid):
                if runs and not data.holds(data.gold or data.runs[0]):
                    error.hints = (*error.hints, f"leave out invalid runs with {setting('skip_invalid')}")
                problems.raise_any()
            data = replace(data, invalid=tuple(sorted((*data.invalid, *runs), key=lambda run: run.system)))
        # Errors and their frames refer to each other, and to all that was read.
        gc.collect()


def read_study(config: ExperimentConfig, *, progress: Progress = no_progress, needs_runs: bool = True) -> Study:
    """Read and check the data and the measures of an experiment; every problem is an `InputError`.

    needs_runs: whether gold alone is an error; it never is where trivial systems are scored.
    """
    task = TASKS[config.data.task]
    _check_options(config.data, task)
    if task.data_kind is not DataKind.ITEM_SCORES:
        config.data.policies.reject_those_of_tables()
    if config.scores_trivial and not isinstance(task, LabelTask):
        problem = conflict("trivial systems", setting("task", task.name), "data with labels")
        raise refuse(None, problem, hint=leave_out(setting("trivial")))
    study = _reader(task)(config, task, progress=progress, needs_runs=needs_runs)
    if config.data.member is not None:
        config.data.member.check(study.items)
    study = replace(study, origin=replace(study.origin, notes=(*study.origin.notes, *doubts_about(study))))
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
        return read_label_study
    from metaeval.study.items import read_distribution_study, read_item_study

    return read_distribution_study if task.data_kind is DataKind.DISTRIBUTIONS else read_item_study


def _check_gaps(study: Study) -> None:
    """Raise an `InputError` for what pairs of systems cannot be compared by on the items that both have."""
    policy = setting("on_missing", "pairwise")
    if len(study.origin.clusters) > 1:
        found, other = "two columns of clusters", f"missing scores and {policy}"
        hint = f"name one of them in {setting('clusters')}, or set {setting('on_missing', 'drop')}"
        raise refuse(None, conflict(found, other, "one column of clusters", hint))
    scores = study.need(ITEM_SCORES, policy)
    if scores.sums:
        found = f"measures of sums ({', '.join(scores.measures[score.index] for score in scores.sums)})"
        hint = f"set {setting('on_missing', 'drop')}, or leave these measures out"
        raise refuse(None, conflict(found, policy, "measures that are means over items", hint))


def with_clusters(study: Study) -> Study:
    """The study with the clusters of its items; problems with their column or file are an `InputError`."""
    data = study.config.data
    native = data.gold is not None and not data.holds(data.gold)
    columns = data.clusters or (OF_TASKS.get(data.task, ()) if native else _clusters_of_files(data))
    if columns == (NO_CLUSTERS,) or study.origin.clusters:
        return study
    if NO_CLUSTERS in columns or len(columns) > 2:
        expected = f"one column, two columns that cross each other, or {NO_CLUSTERS}"
        raise refuse(None, bad_setting(setting("clusters"), ", ".join(columns), expected))
    pairs = [_read(study, column) for column in columns]
    clusters, files = tuple(grouping for grouping, _ in pairs), [file for _, file in pairs if file is not None]
    origin = replace(study.origin, clusters=clusters, files=(*study.origin.files, *files))
    return replace(study, origin=origin)


def _clusters_of_files(data: DataConfig) -> tuple[str, ...]:
    """The column of clusters that the format of the files declares."""
    if not data.is_table or data.task == "table" or (data.runs and data.holds(data.runs[0])):
        return ()
    return tuple(filter(None, [read_table(_first_run(data)).format.clusters]))


def _first_run(data: DataConfig) -> Source:
    """The first file of scores."""
    return data.open_scores(files_of_scores(data.runs[:1])[0][0].path, "run")


def _read(study: Study, column: str) -> tuple[Clusters, SourceFile | None]:
    data = study.config.data
    if column in OF_TASKS.get(data.task, ()):
        return fnc1_clusters(column, study.items), None

    def open_table() -> Source:
        path = data.gold or (data.runs[0] if data.runs else "")
        check_has_columns(data, path, "clusters", column)
        return _first_run(data) if data.is_table and not data.holds(path) else data.open(path, "clusters")

    return clusters_of_column(data, column, study.items, open_table)


def clusters_of_column(
    data: DataConfig, column: str, items: Sequence[str], open_table: Callable[[], Source]
) -> tuple[Clusters, SourceFile | None]:
    """The clusters in a column of a table of the data, or of another file (FILE:COLUMN), and that file."""
    path, mark, name = column.rpartition(":")
    if mark and (data.holds(path) or exists(path)):
        source = data.open(path, "clusters")
        return clusters_of_file(source, name, items, id_column=None), source.file
    return clusters_of_file(open_table(), column, items, id_column=data.id_column), None


def check_has_columns(data: DataConfig, path: str, option: str, column: str) -> None:
    """Raise an `InputError` for a column of standard input, of a folder, or of a format that has no columns."""
    task, has_none = TASKS[data.task], "a folder" if is_folder(path) and not data.is_table else ""
    if (isinstance(task, LabelTask) and not task.columns) or task.data_kind is DataKind.DERIVATIONS:
        has_none = has_none or f"a file of {setting('task', data.task)}, which has no others"
    if path == STANDARD_INPUT:
        has_none = "standard input, which was read before"
    if has_none and not data.holds(path):
        expected = " or ".join((*OF_TASKS.get(data.task, ()), "a column of a table"))
        hint = f"name a table with a column of the ids, as in {setting(option, f'FILE:{column}')}"
        where = None if path == STANDARD_INPUT else path
        raise refuse(where, f"{setting(option, column)}, a column of {has_none}", expected, hint)


def weightings_of(study: Study, path: str) -> Weightings:
    """The weightings in a file, read once for a study."""
    weightings = study.cache.weightings
    if path not in weightings:
        weightings[path] = Weightings(*read_weightings(path))
    return weightings[path]


Groups = dict[str, ExperimentConfig]
"""The experiment on each group, in the order of their first items."""


def groups_of(config: ExperimentConfig) -> Groups:
    """The experiment on each group, or under '' the whole one; problems with the data are an `InputError`.

    The data of each group are read as if the files had no other items: the numbers are those of the group alone.
    """
    config = replace(config, data=with_task(config.data))
    data = config.data
    if not data.has_groups:
        return {"": config}
    if data.group_by_file:
        if data.group is not None:
            raise refuse(None, conflict(setting("group", data.group), setting("group_by_file")))
        return _by_file(config)
    is_table = TASKS[data.task].data_kind is DataKind.ITEM_SCORES
    return _groups_of_table(config) if is_table else _groups_of_gold(config)


def _column(data: DataConfig) -> tuple[str | None, str]:
    """The file of the column of groups, None for the data themselves, and its name."""
    assert data.group is not None
    path, mark, name = data.group.rpartition(":")
    # The name of a file that does not exist is not part of the name of a column.
    if not mark or not (data.holds(path) or exists(path) or Path(path).suffix.lower() in SUFFIXES):
        return None, data.group
    return (None, name) if path in (data.gold, *data.runs) else (path, name)


def _groups_of_gold(config: ExperimentConfig) -> Groups:
    """The groups of items that have gold labels or references."""
    data, task = config.data, TASKS[config.data.task]
    memory = list(_parsed(config, task)) if isinstance(task, LabelTask) else []
    gold = next((source for source in memory if source.path == data.gold and source.labels.gold is not None), None)
    path, column = _column(data)
    if path is None and column in OF_TASKS.get(data.task, ()) and gold is not None and gold.labels.gold is not None:
        ids = gold.labels.gold.ids or ()
        group_by_item = dict(zip(ids, fnc1_values(column, ids), strict=True))
    else:
        if path is None:
            path = required_gold(config, "gold labels")
            check_has_columns(data, path, "group", column)
        group_by_item = groups_of_items(data.open(path, "groups"), column, id_column=data.id_column)
    renaming = Renaming(data.map_labels)
    for source in memory:
        renaming.file(source.labels)
    renaming.check()
    data = replace(data, memory=(*memory, *data.memory))
    if gold is not None and isinstance(task, LabelTask):
        data = _with_classes(data, task, gold)
    names = dict.fromkeys(group_by_item.values())
    return {name: replace(config, data=replace(data, member=Membership(name, group_by_item))) for name in names}


def _parsed(config: ExperimentConfig, task: LabelTask) -> Iterator[InMemoryLabels]:
    """The files of labels, each read once for all groups; invalid ones are left to the reader of the groups."""
    data, gold = config.data, required_gold(config, "gold labels")
    if engine_of(data, gold, task) == "duckdb":
        other = "Parquet files that DuckDB reads, whose items are not stored one by one"
        expected = f"items in memory, or a file for each group with {setting('group_by_file')}"
        hint = f"set {setting('engine', 'memory')} if the memory holds the items"
        raise refuse(gold, conflict(setting("group"), other, expected, hint))
    paths = [file.path for file in find_run_files(data.runs, gold=gold)[0]]
    for path in dict.fromkeys((gold, *paths)):
        source = data.open(path, "gold" if path == gold else "run")
        if isinstance(source, InMemoryLabels):
            yield source
            continue
        with Gathered().errors():
            yield InMemoryLabels.of(source, task.read(source, data.columns))


def _with_classes(data: DataConfig, task: LabelTask, gold: InMemoryLabels) -> DataConfig:
    """The data with the classes of all groups, so that their scores are comparable."""
    labels = gold.labels.gold
    if data.labels is not None or task.scale is not None or task.data_kind is not DataKind.LABELS or labels is None:
        return data
    check_headers(labels, gold.labels.runs, None)
    occurring = Renaming(data.map_labels).texts(labels.labels)
    return replace(data, labels=scale_of_labels(occurring, len(labels.labels), labels.path, data.drop_gold)[0])


def _groups_of_table(config: ExperimentConfig) -> Groups:
    """The groups of the rows of tables, in which items of different groups may have the same ids."""
    data = config.data
    path, column = _column(data)
    _reject_key(config, column)
    group_by_item = {} if path is None else groups_of_items(data.open(path, "groups"), column, id_column=data.id_column)
    problems = Gathered()
    runs: dict[str, list[str]] = {}
    memory: dict[str, list[InMemorySource]] = {}
    for file in files_of_scores(data.runs)[0]:
        with problems.errors():
            source = data.open_scores(file.path, "run")
            for name, part in _parts(source, data, column, None if path is None else group_by_item):
                runs.setdefault(name, []).append(f"{file.system}={file.path}" if file.is_named else file.path)
                memory.setdefault(name, []).append(part)
    problems.raise_any()
    for other in _other_files(data):
        source = data.open(other, "human")
        if path is None and source.path not in data.runs and column in read_table(source).header:
            for name, part in _parts(source, data, column, None):
                memory.setdefault(name, []).append(part)
    return {
        name: _restricted(config, name, runs=tuple(paths), memory=(*memory[name], *data.memory))
        for name, paths in runs.items()
    }


def _reject_key(config: ExperimentConfig, column: str) -> None:
    """Raise an `InputError` if a column tells systems, items, measures or scores apart, not groups of items."""
    data = config.data
    nouns = {data.system_column or "": "systems", **dict.fromkeys((data.id_column or "").split(","), "items")}
    usual = {SYSTEM: "systems", MEASURE: "measures", **({} if data.id_column else {ITEM: "items"})}
    usual_nouns = {normal(name): noun for role, noun in usual.items() for name in role.names}
    if normal(column) in usual_nouns:
        nouns[column] = usual_nouns[normal(column)]
    nouns |= dict.fromkeys(config.measures, "scores") | dict.fromkeys(data.human, "human scores")
    if column in nouns:
        expected = "a column that divides the items into groups, such as languages or domains"
        raise refuse(None, bad_setting(setting("group"), f"{column}, the column of the {nouns[column]}", expected))


def _parts(
    source: Source, data: DataConfig, column: str, group_by_item: Mapping[str, str] | None
) -> Iterator[tuple[str, InMemorySource]]:
    """The rows of each group in a table; group_by_item: the group of each item where other data have the column."""
    table = TableColumns.read(source, data.id_column, column)
    item_column = None
    if group_by_item is None:
        table.need(GROUP, column)
    else:
        item_column = table.need(ITEM, data.id_column or next(iter(ITEM.among(table.header, (column,))), None))
    groups = groups_of_rows(table, column, group_by_item or {}, item_column)
    for group in dict.fromkeys(groups):
        yield group, restricted_rows(source, table.rows, groups, group)


def _other_files(data: DataConfig) -> list[str]:
    """Files of human scores and of clusters."""
    columns = (column.rpartition(":")[0] for column in data.clusters)
    return [
        path
        for path in dict.fromkeys((*data.human, *columns))
        if data.holds(path) or (exists(path) and not is_folder(path))
    ]


def _by_file(config: ExperimentConfig) -> Groups:
    """The groups of run files, each a table, or gold and systems in one file."""
    data, task = config.data, TASKS[config.data.task]
    is_table = task.data_kind is DataKind.ITEM_SCORES
    by_column = f"name the column of the groups with {setting('group')}"
    if not is_table and not (isinstance(task, LabelTask) and task.columns):
        expected = "tables of scores, or files with a column of gold labels and a column for each system"
        raise refuse(None, conflict(setting("group_by_file"), setting("task", task.name), expected, by_column))
    if data.gold is not None:
        expected, hint = "gold labels in a column of each run file", f"leave out {setting('gold')}, or {by_column}"
        raise refuse(data.gold, conflict("a gold file", setting("group_by_file"), expected, hint))
    files = find_run_files(data.runs, gold=None, names="group")[0]
    if not files:
        raise refuse(None, empty(f"files for {setting('group_by_file')}", "a file for each group"))
    return {
        file.system: _restricted(
            config, file.system, **({"runs": (file.path,)} if is_table else {"gold": file.path, "runs": ()})
        )
        for file in files
    }


def _restricted(config: ExperimentConfig, name: str, **changes: Any) -> ExperimentConfig:
    """The experiment on one group, whose rows or files were chosen."""
    return replace(config, data=replace(config.data, member=Membership(name, {}), **changes))
