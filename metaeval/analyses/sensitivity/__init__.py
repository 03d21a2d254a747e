"""What does a parameter do?"""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.sensitivity.settings import SensitivitySettings

sensitivity = Analysis(
    SensitivitySettings,
    tables=("sensitivity", "sensitivity_best", "sensitivity_map", "sensitivity_scores"),
    statistic=Statistic("tau", keys=(), ranked=False),
)
