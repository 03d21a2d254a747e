"""One table of a shared task: scores, ranks and what they leave open."""

from metaeval.analyses.declaration import Analysis
from metaeval.analyses.leaderboard.settings import LeaderboardSettings

leaderboard = Analysis(
    LeaderboardSettings,
    tables=("standings", "further_submissions", "subtasks", "between_subtasks", "changed_pairs", "reordered_pairs"),
    gaps=True,
    averages=True,
)
