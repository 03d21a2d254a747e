"""All criteria for measures in one table."""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.summary.settings import SummarySettings

summary = Analysis(
    SummarySettings,
    question="Which measure does well on every count?",
    tables=("summary",),
    combines=True,
    statistic=Statistic(),
)
