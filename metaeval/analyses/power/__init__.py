"""How well does a measure distinguish systems?"""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.power.settings import PowerSettings

power = Analysis(
    PowerSettings,
    question="How well does a measure distinguish systems?",
    tables=("power", "power_differences"),
    statistic=Statistic("power"),
    gaps=True,
)
