"""Settings of the scores of systems."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, Option, StrPath, flag, text
from metaeval.settings.kinds import OutputFile

ITEM_SCORES = "item_scores"
"""The value of `per_item` that requests a table of the result instead of a file (`per_item=True`)."""


@dataclass(frozen=True, kw_only=True)
class ScoreSettings(AnalysisSettings, section="score", in_signature=False):
    """Score systems under measures and rank them.

    A RUN is a file, a folder or a pattern of files with one system each, or name=FILE; '-' is standard input. A wide
    gold file (id,gold,system,…) contains its systems. With task texts, gold names the references, and a RUN is a folder
    with a file for each item, or JSON lines or CSV with 'system', 'item' and 'text'.

    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": ["yes", "no"], "b": ["no", "no"]}, gold=["yes", "no"], labels="no<yes")
    >>> metaeval.score(runs, ["accuracy", "cem-ord"]).to_pandas()
      system  accuracy   cem-ord
    0      a       1.0  1.000000
    1      b       0.5  0.603759

    \b
    metaeval score --task fnc1 --gold sample_data/fnc1/gold.csv sample_data/fnc1/systems \\
        --labels 'disagree<discuss<agree' -m cem-ord -m kappa:weights=linear
    metaeval score --task texts --gold sample_data/news/references sample_data/news/systems -m rouge-l --interval
    """

    trivial: bool = flag(False, "Add trivial systems: the majority class, each constant class, and chance")
    sort_by: str | None = text(
        None,
        "Measure that orders the rows, best first, or system for their names; the first measure by default",
        metavar="MEASURE|system",
    )
    interval: bool | None = flag(
        None,
        "Show the 95 % interval of each score for other items",
        default_text="for a single system",
    )
    per_item: Option[StrPath | bool | None, str | None] = Option(
        OutputFile(ITEM_SCORES), None, "File for the scores of single items: CSV that task table reads"
    )
