"""Checks the files of an experiment."""

from __future__ import annotations

from metaeval.config import ExperimentConfig
from metaeval.io.dataset import Progress
from metaeval.model.report import Report
from metaeval.study.read import read_study
from metaeval.study.study import AnalysisOutput, no_progress


def validate_experiment(
    config: ExperimentConfig, *, command_line: str = "", progress: Progress = no_progress
) -> Report:
    """Read all files without computing anything; runs are optional.

    Table `files`: gold and each system with its file, and class frequencies, or the minimum, mean and maximum of
    numbers, or the numbers of sentences and words, of steps of derivations, or of measures.
    """
    study = read_study(config, progress=progress, needs_runs=False)
    study.check_measures()
    return study.report("validate", AnalysisOutput([study.files_table()]), command_line=command_line)
