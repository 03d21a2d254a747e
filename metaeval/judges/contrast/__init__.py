"""Which errors does a measure see?"""

from metaeval.analyses.declaration import AnalysisOfFiles, Statistic
from metaeval.judges.contrast.settings import ContrastSettings

contrast = AnalysisOfFiles(
    ContrastSettings,
    argument="pairs",
    tables=(
        *("contrast", "contrast_by_group", "contrast_accuracy", "contrast_verdicts", "contrast_severity"),
        *("contrast_losses", "contrast_runs"),
    ),
    details=("contrast",),
    takes_measures=True,
    required=False,
    levels=("measure", "phenomenon"),
    statistic=Statistic("accuracy", keys=("measure", "phenomenon")),
)
