"""Do measures agree with people?"""

from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.declaration import Analysis

correlate = Analysis(
    CorrelateSettings,
    question="Do measures agree with people?",
    tables=("correlations", "correlation_differences", "correlation_scores"),
)
