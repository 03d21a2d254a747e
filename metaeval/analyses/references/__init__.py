"""How many references are enough?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.references.settings import ReferencesSettings

references = Analysis(
    ReferencesSettings, question="How many references are enough?", tables=("references", "references_rankings")
)
