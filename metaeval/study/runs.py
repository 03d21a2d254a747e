"""From the arguments of a Python function to an experiment: data in memory or in files, measures, seed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.config.read import read_config
from metaeval.errors import describe, empty, pluralize, refuse, wrong_count, wrong_type
from metaeval.io.files.delimited import InMemoryRows
from metaeval.io.files.roles import ANNOTATOR, ITEM, LANGUAGE_PAIR, PHENOMENON, RATING, SYSTEM
from metaeval.io.memory import Frame, Values, columns_of, order_of, rows_from_memory, texts_of
from metaeval.measures import Measure
from metaeval.measures.presets import PRESET_NAMES, PRESETS
from metaeval.model.scale import ClassScale
from metaeval.settings.kinds import as_tuple
from metaeval.study.read import groups_of, read_study, without_invalid
from metaeval.study.study import Study

Path: TypeAlias = str | os.PathLike[str]
Paths: TypeAlias = Path | Sequence[Path]

HOW_TO_MAKE_RUNS = (
    "metaeval.from_labels, from_frame, from_texts, from_distributions and from_scores make runs of data in memory, "
    "metaeval.read of files"
)
Labels: TypeAlias = str | Sequence[object] | ClassScale
"""Classes: 'low<mid<high' with order, 'a,b' or a sequence of names without."""

if TYPE_CHECKING:
    from metaeval.settings import Option

    LabelsOption: TypeAlias = Option[Labels | None, Labels | None]

HumanRatings: TypeAlias = "Paths | Frame"
"""Ratings: files, names of measures of a table, or a data frame."""
Measures: TypeAlias = str | Measure | Iterable[str | Measure]
"""Measures, by name: one, several, or a preset."""

Tables: TypeAlias = "Paths | Frame"
"""Tables: files, or a data frame."""

ClusterColumns: TypeAlias = "str | Sequence[str] | Frame"
"""Clusters of items: names of columns, or columns by name."""

GroupColumn: TypeAlias = "str | Frame"
"""Groups of items: the name of a column, or one column by name."""

RATINGS, CLUSTERS, GROUPS = "<ratings>", "<clusters>", "<groups>"


@dataclass(frozen=True, repr=False, eq=False)
class Runs:
    """Gold and the predictions or outputs of systems, checked and ready for every analysis.

    Returned by `metaeval.read`, `from_labels`, `from_frame`, `from_texts`, `from_distributions` and `from_scores`.
    Every function reads the files of the runs again.

    Parameters
    ----------
    config
        Experiment that reads these data.
    systems
        Names of the systems, in order.
    items
        Ids of the items, in order.
    """

    config: ExperimentConfig
    systems: tuple[str, ...]
    items: Sequence[str]

    @classmethod
    def of(cls, data: DataConfig) -> Runs:
        """Read the data once, to check them.

        Parameters
        ----------
        data
            Files and data in memory.
        """
        config = ExperimentConfig(data=data)

        def read(config: ExperimentConfig) -> list[Study]:
            return [read_study(group, needs_runs=False) for group in groups_of(config).values()]

        studies = without_invalid(config, read)
        systems = tuple(dict.fromkeys(chain.from_iterable(study.systems for study in studies)))
        items = studies[0].items if len(studies) == 1 else tuple(chain.from_iterable(study.items for study in studies))
        return cls(config, systems, items)

    def __repr__(self) -> str:
        systems, items = pluralize(len(self.systems), "system"), pluralize(len(self.items), "item")
        return f"Runs({systems} on {items}, task {self.config.data.task})"


Experiment: TypeAlias = Runs | ExperimentConfig | Path
"""What an analysis reads: runs, an experiment, or the YAML file of an experiment."""


def experiment_of(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    human: HumanRatings | None = None,
    undefined: str | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> ExperimentConfig:
    """The experiment of the arguments of a function; None keeps the value of the experiment."""
    config = _config(runs)
    names, preset = names_of(measures, from_table=config.data.is_table)
    if names or preset is not None:
        config = replace(config, measures=names, preset=preset)
    if human is not None:
        config = replace(config, data=with_human(config.data, human))
    return config.overlaid(undefined=undefined, seed=seed, workers=workers)


def with_human(data: DataConfig, human: HumanRatings) -> DataConfig:
    """The data with human scores, in files or as a data frame."""
    if isinstance(human, (str, os.PathLike, Sequence)):
        return replace(data, human=paths(human, "ratings"))
    memory = tuple(source for source in data.memory if source.path != RATINGS)
    return replace(data, human=(RATINGS,), memory=(*memory, rows_from_memory(human, RATINGS)))


def tables_of(tables: Tables, option: str) -> tuple[DataConfig, tuple[str, ...]]:
    """Tables as the paths of an option, and the data that hold them where they are in memory."""
    if isinstance(tables, (str, os.PathLike, Sequence)):
        return DataConfig(), paths(tables, option)
    rows = rows_from_memory(tables, f"<{option}>")
    return DataConfig(memory=(rows,)), (rows.path,)


_NO_CLASSES = frozenset(name for role in (ITEM, SYSTEM, ANNOTATOR, PHENOMENON, LANGUAGE_PAIR) for name in role.names)


def declared_classes(table: Tables, label_column: str | None) -> ClassScale | None:
    """The scale that the types of the columns of labels in a data frame declare, if it is one."""
    if isinstance(table, (str, os.PathLike, Sequence)):
        return None
    columns = columns_of(table, None)
    rating_columns = [name for name in columns.keys() if name in (label_column, *RATING.names)]  # noqa: SIM118 (a data frame's)
    names = rating_columns or [name for name in columns.keys() if name not in _NO_CLASSES]  # noqa: SIM118
    orders = {order for name in names if len(order := order_of(columns[name])) > 1}
    return ClassScale(orders.pop(), ordered=True) if len(orders) == 1 else None


def with_cluster_columns(data: DataConfig, clusters: ClusterColumns | None, ids: Values | None = None) -> DataConfig:
    """The data with clusters: names of columns, or columns by name with the item ids in 'id' (by default `ids`)."""
    if clusters is None:
        return data
    if isinstance(clusters, (str, Sequence)):
        return replace(data, clusters=tuple(map(str, as_tuple(clusters))))
    source, columns = _columns_in_memory(clusters, CLUSTERS, ids)
    return replace(data, clusters=columns, memory=(*data.memory, source))


def with_group_column(data: DataConfig, group: GroupColumn | None, ids: Values | None = None) -> DataConfig:
    """The data with groups: the name of a column, or one column by name as in `with_cluster_columns`."""
    if group is None or isinstance(group, str):
        return data.overlaid(group=group)
    source, columns = _columns_in_memory(group, GROUPS, ids)
    if len(columns) != 1:
        raise refuse("group", wrong_count(len(columns), "column", 1, " of groups"))
    return replace(data, group=columns[0], memory=(*data.memory, source))


def _columns_in_memory(columns: Frame, path: str, ids: Values | None) -> tuple[InMemoryRows, tuple[str, ...]]:
    """Columns with a value for each item, and their names after the path; ids: of the items, if no column has them."""
    by_name = columns_of(columns, path)
    table: dict[str, Any] = {str(name): by_name[name] for name in by_name.keys()}  # noqa: SIM118 (a data frame's)
    names = [name for name in table if name not in ITEM.among(table)]
    if len(table) == len(names) and names:
        table["id"] = list(range(1, len(table[names[0]]) + 1)) if ids is None else ids
    return rows_from_memory(table, path), tuple(f"{path}:{name}" for name in names)


def names_of(measures: Measures | None, *, from_table: bool = False) -> tuple[tuple[str, ...], str | None]:
    """The names of measures, and the preset where one stands alone or is `all`; measures of a table have any name."""
    names = tuple(map(str, as_tuple(measures)))
    if measures is not None and not names:
        raise refuse(None, empty("measures", "at least one", "leave out the list to get the preset of the task"))
    if from_table or not set(names) & set(PRESET_NAMES):
        return names, None
    if len(names) == 1:
        return (), names[0]
    others = tuple(chain.from_iterable(PRESETS.get(name, (name,)) for name in names if name != "all"))
    return others, "all" if "all" in names else None


def scale_of(labels: Labels | None) -> ClassScale | None:
    """The class scale of an argument; classes in a sequence become texts, as labels do."""
    if labels is None or isinstance(labels, ClassScale):
        return labels
    return ClassScale.parse(labels) if isinstance(labels, str) else ClassScale(tuple(texts_of(as_tuple(labels))))


def _config(runs: Experiment) -> ExperimentConfig:
    if isinstance(runs, Runs):
        return runs.config
    if isinstance(runs, ExperimentConfig):
        return runs
    if isinstance(runs, (str, os.PathLike)):
        return read_config(os.fspath(runs))
    raise refuse(None, wrong_type(describe(runs), "", "runs, or the YAML file of an experiment", HOW_TO_MAKE_RUNS))


def paths(values: Paths, option: str) -> tuple[str, ...]:
    """One path of data or several, as texts; option: the argument, for messages."""
    return tuple(path_of(path, option, hint=HOW_TO_MAKE_RUNS) for path in as_tuple(values))


def path_of(value: Path, option: str, *, hint: str = "") -> str:
    """A path as a text; an `InputError` for other values. option: the argument, for messages."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise refuse(None, wrong_type(f"{option}: {describe(value)}", "", "the path of a file", hint)) from None
