"""How well does a measure distinguish systems?"""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.power.settings import PowerSettings

power = Analysis(
    PowerSettings,
    tables=("power", "power_differences"),
    statistic=Statistic("power"),
    gaps=True,
)
