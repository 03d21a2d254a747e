"""From an experiment to its study: which data are read depends on the task."""

from __future__ import annotations

from dataclasses import fields

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import InputError
from metaeval.io.dataset import Track
from metaeval.io.labels.tasks import TASKS, LabelTask, Task
from metaeval.model.data_kind import DataKind
from metaeval.study.items import read_item_study
from metaeval.study.labels import read_label_study
from metaeval.study.study import Study, silently

_OF_CLASSES = ("labels", "class_weights", "class_values", "drop_gold")
_OF_PREDICTIONS = ("gold", "on_missing", "on_unknown", "on_extra", "id_column", "label_column")
_OF_LABELS = ("engine",)
_OPTIONS = {
    DataKind.LABELS: (*_OF_CLASSES, *_OF_PREDICTIONS, *_OF_LABELS),
    DataKind.NUMBERS: (*_OF_CLASSES, *_OF_PREDICTIONS),
    DataKind.TEXTS: (
        *("gold", "on_missing", "on_extra", "id_column", "label_column"),
        *("tokenizer", "lexicon", "sources"),
    ),
    DataKind.DERIVATIONS: ("gold", "on_missing", "on_extra"),
    DataKind.ITEM_SCORES: ("on_missing", "on_unknown", "on_extra", "id_column", "label_column", "lower_is_better"),
}
"""What can be said of the data, beside files and people."""


_COLUMNS = ("id_column", "label_column")


def _taken(task: Task) -> tuple[str, ...]:
    """What can be said of the data of a task."""
    nameless = isinstance(task, LabelTask) and not task.columns
    return tuple(name for name in _OPTIONS[task.material] if not (nameless and name in _COLUMNS))


def _check_options(data: DataConfig, task: Task) -> None:
    """Raise an `InputError` where something is said of the data that this task has no use for."""
    untouched = DataConfig()
    taken = ("task", "runs", "human", "memory", *_taken(task))
    idle = [
        field.name
        for field in fields(data)
        if field.name not in taken and getattr(data, field.name) != getattr(untouched, field.name)
    ]
    if idle:
        name = idle[0].replace("_", "-")
        tasks = [each.name for each in TASKS.values() if idle[0] in _taken(each)]
        raise InputError.at(
            found=f"--{name} with --task {task.name}, which has no use for it",
            expected=f"a task that has: {', '.join(tasks)}",
            hint=f"leave --{name} out, or say with --task what the files hold",
        )


def read_study(config: ExperimentConfig, *, track: Track = silently, needs_runs: bool = True) -> Study:
    """Read the data of an experiment and apply_policies its measures; raises `InputError` for whatever is wrong.

    needs_runs: whether gold alone is an error; it never is where trivial systems are scored.
    """
    task = TASKS[config.data.task]
    _check_options(config.data, task)
    if isinstance(task, LabelTask):
        return read_label_study(config, task, track=track, needs_runs=needs_runs)
    return read_item_study(config, task, track=track, needs_runs=needs_runs)
