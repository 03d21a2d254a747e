"""From the arguments of a function to an experiment: data in memory or in files, measures, seed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from metaeval.config import DataConfig, ExperimentConfig, read_config
from metaeval.errors import InputError, counted, described
from metaeval.io.memory import Frame, rows_from_memory, texts_of
from metaeval.measures import Measure
from metaeval.measures.presets import PRESET_NAMES, PRESETS
from metaeval.model.scale import ClassScale
from metaeval.settings.kinds import as_tuple
from metaeval.study.read import read_study

Path: TypeAlias = str | os.PathLike[str]
Paths: TypeAlias = Path | Sequence[Path]

HOW_TO_HAND_OVER = (
    "metaeval.from_labels, from_frame, from_texts and from_scores make runs of data in memory, metaeval.read of files"
)
Labels: TypeAlias = str | Sequence[object] | ClassScale
"""Classes: 'low<mid<high' with order, 'a,b' or a sequence of names without."""
People: TypeAlias = "Paths | Frame"
"""Ratings: files, names of measures of a table, or a data frame."""
Measures: TypeAlias = str | Measure | Iterable[str | Measure]
"""Measures, by name: one, several, or a preset."""

RATINGS = "<ratings>"


@dataclass(frozen=True, repr=False, eq=False)
class Runs:
    """Gold and the predictions or outputs of systems, checked and ready for every analysis.

    Made by `metaeval.read`, `from_labels`, `from_frame`, `from_texts` and `from_scores`. Every function that is given
    the runs reads their files again.

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
        study = read_study(ExperimentConfig(data=data), needs_runs=False)
        return cls(ExperimentConfig(data=data), study.systems, study.items)

    def __repr__(self) -> str:
        whose = counted(len(self.systems), "system")
        return f"Runs({whose} on {counted(len(self.items), 'item')}, task {self.config.data.task})"


Experiment: TypeAlias = Runs | ExperimentConfig | Path
"""What an analysis begins with: data, an experiment, or the YAML file of one."""


def experiment_of(
    runs: Experiment,
    measures: Measures | None = None,
    *,
    human: People | None = None,
    seed: int | None = None,
    workers: int | None = None,
) -> ExperimentConfig:
    """The experiment of the arguments of a function; None stands for what the experiment says itself."""
    config = _config(runs)
    names, preset = names_of(measures, of_table=config.data.task == "table")
    if names or preset is not None:
        config = replace(config, measures=names, preset=preset)
    if human is not None:
        config = replace(config, data=with_people(config.data, human))
    return config.overlaid(seed=seed, workers=workers)


def with_people(data: DataConfig, human: People) -> DataConfig:
    """The data with ratings beside them, in files or as a table."""
    if isinstance(human, (str, os.PathLike, Sequence)):
        return replace(data, human=paths(human, "ratings"))
    memory = tuple(held for held in data.memory if held.path != RATINGS)
    return replace(data, human=(RATINGS,), memory=(*memory, rows_from_memory(human, RATINGS)))


def names_of(measures: Measures | None, *, of_table: bool = False) -> tuple[tuple[str, ...], str | None]:
    """The names of measures, and the preset where one stands alone or is `all`; a table's measures have any name."""
    names = tuple(map(str, as_tuple(measures)))
    if measures is not None and not names:
        raise InputError.at(
            found="a list of no measures",
            expected="one at least",
            hint="leave the measures out for those that go with the data",
        )
    if of_table or not set(names) & set(PRESET_NAMES):
        return names, None
    if len(names) == 1:
        return (), names[0]
    others = tuple(chain.from_iterable(PRESETS.get(name, (name,)) for name in names if name != "all"))
    return others, "all" if "all" in names else None


def scale_of(labels: Labels | None) -> ClassScale | None:
    """The classes, as they were told; those in a sequence become texts, as labels do."""
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
    raise InputError.at(
        found=described(runs), expected="runs, or the YAML file of an experiment", hint=HOW_TO_HAND_OVER
    )


def paths(given: Paths, option: str) -> tuple[str, ...]:
    """One path of data or several, as texts; option: what messages call them."""
    return tuple(path_of(path, option, hint=HOW_TO_HAND_OVER) for path in as_tuple(given))


def path_of(given: Path, option: str, *, hint: str = "") -> str:
    """A path as a text; an `InputError` for whatever has none.

    option: what messages call it. hint: what to do with data in place of a file.
    """
    try:
        return os.fsdecode(given)
    except TypeError:
        raise InputError.at(found=f"{option}: {described(given)}", expected="the path of a file", hint=hint) from None
