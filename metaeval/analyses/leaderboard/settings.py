"""Settings of the leaderboard."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, Path, Text, Texts, alpha, flag, path, several, text, whole


@dataclass(frozen=True, kw_only=True)
class LeaderboardSettings(AnalysisSettings, section="leaderboard"):
    """Where do the submissions of a shared task stand?

    One table for an overview paper or a web page: the official score of each system with its interval, its rank, the
    ranks that the data leave open and letters, as in compare, and the other measures. With metadata, a team has one
    rank, by its primary or its best submission. With --group, each group is a subtask, or a phase of the task.

    >>> import metaeval
    >>> result = metaeval.leaderboard("configs/rumour2017.yaml", ["macro-f1", "accuracy"], permutations=199)
    >>> result.to_pandas()[["rank", "system", "ranks", "letters"]].head(2)
       rank           system ranks letters
    0     1      even_recall   1–6       a
    1     2  comment_leaning   1–7      ab

    \b
    metaeval leaderboard --config configs/rumour2017.yaml -m macro-f1 -m accuracy --baseline steady --per-class
    metaeval leaderboard --config configs/rumour2017.yaml -m macro-f1 --metadata sample_data/rumoureval2017/teams.csv \\
        --cost seconds
    """

    metadata: Path = path(
        None,
        "Table of the submissions with columns team, run, primary, late and track, each but the first optional, and "
        "any others",
        default_text="metadata.csv, .tsv, .json or .yaml in the folder of the submissions",
    )
    baselines: Texts = several(
        Text(), (), "Submission that is a baseline and has no rank", flag="--baseline", metavar="NAME"
    )
    sort_by: str | None = text(
        None, "Official measure, by which systems are ranked", metavar="MEASURE", default_text="the first measure"
    )
    per_class: bool = flag(False, "Add the F1 of each class", signed=False)
    cost: str | None = text(
        None,
        "Column of the metadata with costs or times, lower is better: which submissions are Pareto-optimal",
        metavar="COLUMN",
        signed=False,
    )
    permutations: int = whole(4999, "Number of random sign changes of the groups of items", at_least=1)
    alpha: float = alpha()
