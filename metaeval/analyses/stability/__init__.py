"""Is a measure's ranking the same on other items?"""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.stability.settings import StabilitySettings

stability = Analysis(
    StabilitySettings,
    question="Is a measure’s ranking the same on other items?",
    tables=("stability", "stability_differences", "stability_curve", "stability_distribution"),
    details=("stability_differences",),
    statistic=Statistic("mean"),
    gaps=True,
)
