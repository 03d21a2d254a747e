"""Means of systems from a judge that scores all items and persons who score some."""

from metaeval.analyses.correct.settings import CorrectSettings
from metaeval.analyses.declaration import AnalysisOfFiles

correct = AnalysisOfFiles(
    CorrectSettings,
    argument="scores",
    question="What are the systems' scores, if a judge scores all items and people some?",
    tables=("corrected", "corrected_ranks", "corrected_differences", "labels_needed"),
)
