"""Do metrics and judges prefer what people prefer, and how do people rank the systems?"""

from metaeval.analyses.declaration import AnalysisOfFiles, Statistic
from metaeval.judges.preferences.settings import PreferencesSettings

preferences = AnalysisOfFiles(
    PreferencesSettings,
    argument="verdicts",
    tables=(
        "metric_preferences",
        "preferences_by_group",
        "metric_statistics",
        "metric_differences",
        "judge_preferences",
        "preferences_runs",
        "judge_biases",
        "judge_differences",
        "strengths",
        "controlled_strengths",
        "head_to_head",
        "judge_strengths",
        "human_scores",
        "leaderboards",
        "win_rates",
    ),
    details=(
        "metric_statistics",
        "metric_differences",
        "controlled_strengths",
        "head_to_head",
        "judge_strengths",
        "human_scores",
    ),
    levels=("rater", "statistic"),
    statistic=Statistic("share", keys=("judge", "statistic"), table="judge_preferences"),
)
