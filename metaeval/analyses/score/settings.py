"""How systems are scored."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, Option, StrPath, flag, text
from metaeval.settings.paths import OutputFile

ITEM_SCORES = "item_scores"
"""What stands for the file where the scores of items are a table of the result (`per_item=True`)."""


@dataclass(frozen=True, kw_only=True)
class ScoreSettings(AnalysisSettings, section="score", in_signature=False):
    """Score systems under measures, and rank them.

    A RUN is a file, a folder or a pattern of files with one system each, or name=FILE; '-' is standard input. A wide
    gold file (id,gold,system,…) brings its systems along. With --task texts --gold names references, and a RUN is a
    folder with a file an item, or JSON lines or CSV with 'system', 'item' and 'text'.

    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> metaeval.score(runs, ["accuracy", "cem-ord"]).to_pandas()
      system  accuracy   cem-ord
    0      a       1.0  1.000000
    1      b       0.5  0.603759

    \b
    metaeval score --task fnc1 --gold sample_data/fnc1/gold.csv sample_data/fnc1/systems \\
        --labels 'disagree<discuss<agree' -m cem-ord -m kappa:weights=linear
    metaeval score --task texts --gold sample_data/news/references sample_data/news/systems -m rouge-l
    """

    trivial: bool = flag(False, "Add the majority class, every constant class, and chance")
    sort_by: str | None = text(
        None, "Order of the rows; by default the first measure, best first", metavar="MEASURE|system"
    )
    per_item: Option[StrPath | bool | None, str | None] = Option(
        OutputFile(ITEM_SCORES),
        None,
        "Also write the score of every item: CSV that --task table reads again",
    )
