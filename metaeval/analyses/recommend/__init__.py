"""Which measure should you trust for your task?"""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.recommend.settings import RecommendSettings

recommend = Analysis(
    RecommendSettings,
    tables=("recommend", "verdict", "conflicts", "contested"),
    statistic=Statistic("verdict", findings=True, plot_column="reliability", interval=("ci_low", "ci_high")),
)
"""A verdict on the measures, with its evidence."""
