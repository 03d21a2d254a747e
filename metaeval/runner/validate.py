"""What the files hold, and that they fit together."""

from __future__ import annotations

from metaeval.config import ExperimentConfig
from metaeval.io.dataset import Track
from metaeval.model.report import Report
from metaeval.study.read import read_study
from metaeval.study.study import Part, silently


def validate_experiment(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Read everything, compute nothing, and say what is there; gold alone will do.

    Table `files`: gold and each system, with its file and how often each class occurs; for numeric predictions the
    lowest, the mean and the highest number; for texts sentences and words, for derivations steps; for a table of scores
    how many measures.
    """
    study = read_study(config, track=track, needs_runs=False)
    study.check_measures()
    return study.report("validate", Part([study.files_table()]), command_line=command_line)
