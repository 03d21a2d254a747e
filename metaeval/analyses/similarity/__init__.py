"""Do measures rank systems similarly?"""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.similarity.settings import SimilaritySettings

similarity = Analysis(
    SimilaritySettings,
    tables=("similarity", "similarity_intervals", "similarity_tree", "similarity_cells"),
    statistic=Statistic(ranked=False),
    gaps=True,
)
