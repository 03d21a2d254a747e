"""Which systems are significantly better than others?"""

from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.declaration import Analysis, Statistic

compare = Analysis(
    CompareSettings,
    tables=(
        "comparisons",
        "wins",
        "verdicts_by_measure",
        "beside_baseline",
        "tiers_by_measure",
        "tiers",
        "best",
        "single_system",
        "revision",
        "revision_pairs",
        "revision_by_measure",
    ),
    statistic=Statistic(keys=("system",), higher=False, table="tiers_by_measure"),
    gaps=True,
)
