"""Do measures correlate with human scores?"""

from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.declaration import Analysis, Statistic

correlate = Analysis(
    CorrelateSettings,
    tables=(
        *("correlations", "correlations_by_measure", "correlation_ranks", "correlation_differences"),
        *("correlation_p_values", "tie_thresholds", "correlation_influence", "correlation_scores"),
    ),
    statistic=Statistic("value", keys=("measure", "human", "level", "coefficient")),
    gaps=True,
    averages=True,
)
