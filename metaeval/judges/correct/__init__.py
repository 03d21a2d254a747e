"""Means of systems from a judge that scores all items and persons who score some."""

from metaeval.analyses.declaration import AnalysisOfFiles, Statistic
from metaeval.judges.correct.settings import CorrectSettings

correct = AnalysisOfFiles(
    CorrectSettings,
    argument="scores",
    tables=(
        *("corrected", "corrected_by_group", "corrected_ranks", "corrected_differences", "labels_needed", "to_label"),
        *("corrected_methods", "corrected_runs"),
    ),
    details=("corrected_methods",),
    levels=("system",),
    statistic=Statistic("corrected", keys=("system",)),
)
