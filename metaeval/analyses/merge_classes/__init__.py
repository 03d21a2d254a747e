"""Does a measure notice the distinction between classes?"""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.merge_classes.settings import MergeSettings

merge_classes = Analysis(
    MergeSettings,
    tables=("merge_classes", "merge_classes_intervals"),
    statistic=Statistic("mean", higher=False, interval=("ci_low", "ci_high")),
)
