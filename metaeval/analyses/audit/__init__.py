"""Which submissions of a shared task can be accepted?"""

from metaeval.analyses.audit.settings import AuditSettings
from metaeval.analyses.declaration import Analysis

audit = Analysis(
    AuditSettings,
    tables=("audit", "similar_pairs", "problems"),
    skips_invalid=True,
)
