"""What makes scores differ: systems, items, or chance?"""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.reliability.settings import ReliabilitySettings

reliability = Analysis(
    ReliabilitySettings,
    tables=("reliability", "pass_k", "components", "designs"),
)
