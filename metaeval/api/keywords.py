"""From keywords of `metaeval.read` and its siblings to what the configuration of data holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.errors import InputError, counted, described
from metaeval.io.labels.policies import ACTIONS, Policy
from metaeval.io.labels.tasks import TASKS, LabelTask
from metaeval.io.memory import Values, texts_of
from metaeval.settings.kinds import as_tuple
from metaeval.study.runs import Labels, scale_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCORES = "<scores>"


def label_task(name: str | None) -> str | None:
    """The name of a task of labels or numbers; an `InputError` for another task."""
    if name is None:
        return None
    task = TASKS[str(name)]
    if isinstance(task, LabelTask):
        return task.name
    known = [each.name for each in TASKS.values() if isinstance(each, LabelTask)]
    raise InputError.at(
        found=f"task '{name}', which has no labels",
        expected=f"one of {', '.join(known)}",
        hint="from_texts and from_scores are for others",
    )


def of_classes(
    labels: Labels | None,
    class_weights: Mapping[str, float] | None,
    class_values: Mapping[str, float] | None,
    drop_gold: str | Sequence[str],
) -> dict[str, Any]:
    """What is said of the classes."""
    return {
        "labels": scale_of(labels),
        "class_weights": _by_class(class_weights, "class_weights"),
        "class_values": _by_class(class_values, "class_values"),
        "drop_gold": tuple(texts_of(as_tuple(drop_gold))),
    }


def _by_class(numbers: Mapping[str, float] | None, option: str) -> dict[str, Any] | None:
    """Numbers by what their classes are called once these are texts."""
    if numbers is None:
        return None
    if not isinstance(numbers, Mapping):
        raise InputError.at(found=f"{option}: {described(numbers)}", expected="a number for each class, by its name")
    return dict(zip(texts_of(numbers.keys()), numbers.values(), strict=True))


def policies(on_missing: str | None, on_unknown: str | None, on_extra: str | None) -> dict[str, Any]:
    """What is done with items that are missing or too many, and with unknown labels."""
    for name, policy in (("on_missing", on_missing), ("on_unknown", on_unknown)):
        if policy is not None and not isinstance(policy, str):
            raise InputError.at(found=f"{name}: {described(policy)}", expected=", ".join(ACTIONS))
    if on_extra not in (None, "error", "drop"):
        raise InputError.at(found=f"on_extra '{on_extra}'", expected="error or drop")
    return {
        "on_missing": None if on_missing is None else Policy.parse(on_missing, option="on_missing"),
        "on_unknown": None if on_unknown is None else Policy.parse(on_unknown, option="on_unknown"),
        "on_extra": on_extra,
    }


def tidy(
    scores: NDArray[Any], measures: Sequence[str], systems: Sequence[str], items: Iterable[object] | None
) -> dict[str, Values]:
    """An array of scores as a table with a row a score."""
    if scores.ndim != 3:
        raise InputError.at(
            SCORES,
            found=f"an array of shape {scores.shape}",
            expected="one of three dimensions: measures, systems, items",
            hint="write scores[None] where there is a single measure",
        )
    names = [str(number) for number in range(1, scores.shape[-1] + 1)] if items is None else as_tuple(items)
    shape = (len(measures), len(systems), len(names))
    if scores.shape != shape:
        raise InputError.at(
            SCORES,
            found=f"an array of shape {scores.shape}",
            expected=f"{shape}, for {counted(shape[0], 'measure')}, {counted(shape[1], 'system')} "
            f"and {counted(shape[2], 'item')}",
            hint="name every measure with measures=, every system with systems=, and items with items=",
        )
    measure, system, item = (axis.ravel() for axis in np.indices(shape))
    return {
        "measure": np.array(measures, dtype=object)[measure],
        "system": np.array(systems, dtype=object)[system],
        "item": np.array(names, dtype=object)[item],
        "value": scores.ravel(),
    }
