"""Do measures rank systems alike?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.similarity.settings import SimilaritySettings

similarity = Analysis(
    SimilaritySettings,
    question="Do measures rank systems alike?",
    tables=("similarity", "groups", "similarity_intervals", "similarity_tree"),
    details=("similarity_intervals",),
)
