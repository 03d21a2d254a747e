"""Do measures rank systems similarly?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.similarity.settings import SimilaritySettings

similarity = Analysis(
    SimilaritySettings,
    question="Do measures rank systems similarly?",
    tables=("similarity", "groups", "similarity_intervals", "similarity_tree"),
    details=("similarity_intervals",),
)
