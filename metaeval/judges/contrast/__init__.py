"""Which errors does a measure see?"""

from metaeval.analyses.declaration import AnalysisOfFiles
from metaeval.judges.contrast.settings import ContrastSettings

contrast = AnalysisOfFiles(
    ContrastSettings,
    argument="pairs",
    question="Which errors does a measure see?",
    tables=("contrast", "contrast_accuracy", "contrast_verdicts", "contrast_severity", "contrast_losses"),
    details=("contrast",),
    measures=True,
    required=False,
)
