"""Which systems are better than which?"""

from metaeval.analyses.compare.settings import CompareSettings
from metaeval.analyses.declaration import Analysis

compare = Analysis(
    CompareSettings,
    question="Which systems are better than which?",
    tables=("comparisons", "wins", "tiers_by_measure", "tiers", "mcnemar"),
)
