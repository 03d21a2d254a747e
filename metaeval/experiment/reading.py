"""From an experiment to its study: which data are read depends on the task."""

from __future__ import annotations

from metaeval.config import ExperimentConfig
from metaeval.experiment.item_study import read_item_study
from metaeval.experiment.label_study import read_label_study
from metaeval.experiment.study import Study, silently
from metaeval.io.dataset import Track
from metaeval.io.tasks import TASKS, LabelTask


def read_study(config: ExperimentConfig, *, track: Track = silently, needs_runs: bool = True) -> Study:
    """Read the data of an experiment and settle its measures; raises `InputError` for whatever is wrong.

    needs_runs: whether gold alone is an error; it never is where trivial systems are scored.
    """
    task = TASKS[config.data.task]
    if isinstance(task, LabelTask):
        return read_label_study(config, task, track=track, needs_runs=needs_runs)
    return read_item_study(config, task, track=track, needs_runs=needs_runs)
