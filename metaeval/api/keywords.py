"""From keywords of `metaeval.read`, `from_labels` and the like to settings of data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.errors import InputError, pluralize
from metaeval.io.labels.tasks import TASKS, LabelTask
from metaeval.io.memory import Values, texts_of
from metaeval.settings.kinds import as_tuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCORES = "<scores>"


def label_task(name: str | None) -> str | None:
    """The name of a task of labels or numbers; raises `InputError` for other tasks."""
    if name is None:
        return None
    task = TASKS[str(name)]
    if isinstance(task, LabelTask):
        return task.name
    known = [each.name for each in TASKS.values() if isinstance(each, LabelTask)]
    raise InputError.at(
        found=f"task '{name}', which has no labels",
        expected=f"one of {', '.join(known)}",
        hint="use from_texts or from_scores",
    )


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
        raise InputError.at(
            SCORES,
            found=f"an array of shape {scores.shape}",
            expected="one of three dimensions: measures, systems, items",
            hint="use scores[None] for a single measure",
        )
    names = [str(number) for number in range(1, scores.shape[-1] + 1)] if items is None else as_tuple(items)
    shape = (len(measures), len(systems), len(names))
    if scores.shape != shape:
        raise InputError.at(
            SCORES,
            found=f"an array of shape {scores.shape}",
            expected=f"{shape}, for {pluralize(shape[0], 'measure')}, {pluralize(shape[1], 'system')} "
            f"and {pluralize(shape[2], 'item')}",
            hint="name all measures with measures=, systems with systems=, and items with items=",
        )
    measure, system, item = (axis.ravel() for axis in np.indices(shape))
    return {
        "measure": np.array(measures, dtype=object)[measure],
        "system": np.array(systems, dtype=object)[system],
        "item": np.array(names, dtype=object)[item],
        "value": scores.ravel(),
    }
