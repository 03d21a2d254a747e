"""Why do two measures disagree?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.explain.settings import ExplainSettings

explain = Analysis(
    ExplainSettings,
    tables=(
        "disagreements",
        "rank_changes",
        "contributions",
        "deciding_items",
        "disagreement_counts",
        "disagreement_causes",
    ),
    leading_measures=2,
)
