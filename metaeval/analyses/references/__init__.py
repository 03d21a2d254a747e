"""How many references are enough?"""

from metaeval.analyses.declaration import Analysis, Statistic
from metaeval.analyses.references.settings import ReferencesSettings

references = Analysis(
    ReferencesSettings,
    tables=("references", "references_rankings"),
    statistic=Statistic("tau", keys=("measure", "references"), table="references_rankings"),
)
