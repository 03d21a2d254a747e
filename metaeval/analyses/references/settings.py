"""Settings of `references`."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, whole


@dataclass(frozen=True, kw_only=True)
class ReferencesSettings(AnalysisSettings, section="references"):
    """How many references are enough?

    Scores every system against 1, 2, … of the references of each item, and compares the rankings with the ranking
    against all references.

    >>> import metaeval
    >>> result = metaeval.references("configs/r4c.yaml", "r4c-rouge:level=full", trials=20)
    >>> sorted(set(result.to_pandas()["references"]))
    [1, 2, 3]

    \b
    metaeval references --config configs/r4c.yaml -m r4c-rouge:level=full
    metaeval references --config configs/news.yaml -m rouge-l
    """

    trials: int = whole(1000, "Number of draws of references for low and high", at_least=1)
    subsets: int = whole(50, "Maximum number of subsets of the references of an item", at_least=1)
