"""Can a measure be gamed?"""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.robustness.settings import RobustnessSettings

robustness = Analysis(
    RobustnessSettings,
    question="Can a measure be gamed?",
    tables=("robustness", "robustness_scores", "robustness_significant"),
    statistic=Statistic(higher=False),
)
