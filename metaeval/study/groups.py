"""The groups of an experiment, such as language pairs: an experiment on the data of each group alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import Gathered, InputError, setting
from metaeval.io.clusters import fnc1_values
from metaeval.io.dataset import check_headers, scale_of_labels
from metaeval.io.files.columns import GROUP, ITEM, MEASURE_COLUMN, SYSTEM_COLUMN, TableColumns, read_table
from metaeval.io.files.run_files import SUFFIXES, exists, files_of_scores, find_run_files, is_folder
from metaeval.io.files.source import InMemorySource, Source
from metaeval.io.groups import Membership, groups_of_items, groups_of_rows, parsed_labels, restricted_rows
from metaeval.io.labels.raw_labels import InMemoryLabels
from metaeval.io.labels.tasks import TASKS, LabelTask
from metaeval.model.data_kind import DataKind
from metaeval.study.labels import engine_of
from metaeval.study.read import OF_TASKS, check_has_columns
from metaeval.study.study import required_gold

Groups = dict[str, ExperimentConfig]
"""The experiment on each group, in the order of their first items."""


def groups_of(config: ExperimentConfig) -> Groups:
    """The experiment on each group, or under '' the whole one; problems with the data are an `InputError`.

    The data of each group are read as if the files had no other items: the numbers are those of the group alone.
    """
    data = config.data
    if not data.has_groups:
        return {"": config}
    if data.group_by_file:
        if data.group is not None:
            raise InputError.at(
                found=f"{setting('group', data.group)} with {setting('group_by_file')}", expected="one of both"
            )
        return _by_file(config)
    of_table = TASKS[data.task].data_kind is DataKind.ITEM_SCORES
    return _groups_of_table(config) if of_table else _groups_of_gold(config)


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
        of_item = dict(zip(ids, fnc1_values(column, ids), strict=True))
    else:
        if path is None:
            path = required_gold(config, "gold labels")
            check_has_columns(data, path, "group", column)
        of_item = groups_of_items(data.open(path, "groups"), column, id_column=data.id_column)
    data = replace(data, memory=(*memory, *data.memory))
    if gold is not None and isinstance(task, LabelTask):
        data = _with_classes(data, task, gold)
    names = dict.fromkeys(of_item.values())
    return {name: replace(config, data=replace(data, member=Membership(name, of_item))) for name in names}


def _parsed(config: ExperimentConfig, task: LabelTask) -> Iterator[InMemoryLabels]:
    """The files of labels, each read once for all groups; invalid ones are left to the reader of the groups."""
    data, gold = config.data, required_gold(config, "gold labels")
    if engine_of(data, gold, task) == "duckdb":
        raise InputError.at(
            gold,
            found=f"{setting('group')} with Parquet files that DuckDB reads, whose items are not stored one by one",
            expected=f"items in memory, or a file for each group with {setting('group_by_file')}",
            hint=f"set {setting('engine', 'memory')} if the memory holds the items",
        )
    paths = [file.path for file in find_run_files(data.runs, gold=gold)[0]]
    for path in dict.fromkeys((gold, *paths)):
        source = data.open(path, "gold" if path == gold else "run")
        if isinstance(source, InMemoryLabels):
            yield source
            continue
        ignored = Gathered()
        with ignored.errors():
            yield parsed_labels(source, task.read(source, data.columns))


def _with_classes(data: DataConfig, task: LabelTask, gold: InMemoryLabels) -> DataConfig:
    """The data with the classes of all groups, so that their scores are comparable."""
    labels = gold.labels.gold
    if data.labels is not None or task.scale is not None or task.data_kind is not DataKind.LABELS or labels is None:
        return data
    check_headers(labels, gold.labels.runs, None)
    return replace(data, labels=scale_of_labels(labels.labels, len(labels.labels), labels.path, data.drop_gold)[0])


def _groups_of_table(config: ExperimentConfig) -> Groups:
    """The groups of the rows of tables, in which items of different groups may have the same ids."""
    data = config.data
    path, column = _column(data)
    _reject_key(config, column)
    of_item = {} if path is None else groups_of_items(data.open(path, "groups"), column, id_column=data.id_column)
    gathered = Gathered()
    runs: dict[str, list[str]] = {}
    memory: dict[str, list[InMemorySource]] = {}
    for file in files_of_scores(data.runs):
        with gathered.errors():
            source = data.open_scores(file.path, "run")
            for name, part in _parts(source, data, column, None if path is None else of_item):
                runs.setdefault(name, []).append(f"{file.system}={file.path}" if file.named else file.path)
                memory.setdefault(name, []).append(part)
    gathered.raise_any()
    for other in _other_files(data):
        source = data.open(other, "human")
        if path is None and source.path not in data.runs and column in read_table(source).header:
            for name, part in _parts(source, data, column, None):
                memory.setdefault(name, []).append(part)
    return {
        name: _restricted(config, name, runs=tuple(own), memory=(*memory[name], *data.memory))
        for name, own in runs.items()
    }


def _reject_key(config: ExperimentConfig, column: str) -> None:
    """Raise an `InputError` if a column tells systems, items, measures or scores apart, not groups of items."""
    data = config.data
    items = data.id_column.split(",") if data.id_column else ITEM.names
    roles = {**dict.fromkeys(items, "items"), SYSTEM_COLUMN: "systems", MEASURE_COLUMN: "measures"}
    roles |= {**dict.fromkeys(config.measures, "scores"), **dict.fromkeys(data.human, "human scores")}
    if column in roles:
        raise InputError.at(
            found=f"{setting('group', column)}, the column of the {roles[column]}",
            expected="a column that divides the items into groups, such as languages or domains",
            hint=f"name another column with {setting('group')}",
        )


def _parts(
    source: Source, data: DataConfig, column: str, of_item: Mapping[str, str] | None
) -> Iterator[tuple[str, InMemorySource]]:
    """The rows of each group in a table; of_item: the group of each item where other data have the column."""
    table = TableColumns.read(source, data.id_column, column)
    item_column = None
    if of_item is None:
        table.need(GROUP, column)
    else:
        named = data.id_column or next((name for name in ITEM.names if name in table.header), None)
        item_column = table.need(ITEM, named)
    groups = groups_of_rows(table, column, of_item or {}, item_column)
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
    of_table = task.data_kind is DataKind.ITEM_SCORES
    if not of_table and not (isinstance(task, LabelTask) and task.columns):
        raise InputError.at(
            found=f"{setting('group_by_file')} with {setting('task', task.name)}",
            expected="tables of scores, or files with a column of gold labels and a column for each system",
            hint=f"name the column of the groups with {setting('group')}",
        )
    if data.gold is not None:
        raise InputError.at(
            data.gold,
            found=f"a gold file with {setting('group_by_file')}",
            expected="gold labels in a column of each run file",
            hint=f"leave out {setting('gold')}, or name the column of the groups with {setting('group')}",
        )
    files = find_run_files(data.runs, gold=None, names="group")[0]
    if not files:
        raise InputError.at(found=f"{setting('group_by_file')} without files", expected="a file for each group")
    return {
        file.system: _restricted(
            config, file.system, **({"runs": (file.path,)} if of_table else {"gold": file.path, "runs": ()})
        )
        for file in files
    }


def _restricted(config: ExperimentConfig, name: str, **changes: Any) -> ExperimentConfig:
    """The experiment on one group, whose rows or files were chosen."""
    return replace(config, data=replace(config.data, member=Membership(name, {}), **changes))
