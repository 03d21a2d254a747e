"""Scores of systems under measures."""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.score.settings import ScoreSettings

score = Analysis(
    ScoreSettings,
    question="How do the systems score?",
    tables=("scores", "ranks", "intervals", "item_scores", "confusions", "class_shares", "cells"),
    statistic=Statistic(keys=("system",)),
    gaps=True,
)
