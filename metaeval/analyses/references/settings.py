"""How scores against fewer references are found."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, whole


@dataclass(frozen=True, kw_only=True)
class ReferencesSettings(AnalysisSettings, section="references"):
    """How many references are enough?

    Scores every system against 1, 2, … of the references of each item, and compares the rankings with that against all
    of them.

    >>> import metaeval
    >>> result = metaeval.references("configs/r4c.yaml", "r4c-rouge:level=full", trials=20)
    >>> sorted(set(result.to_pandas()["references"]))
    [1, 2, 3]

    \b
    metaeval references --config configs/r4c.yaml -m r4c-rouge:level=full
    """

    trials: int = whole(1000, "Draws for the intervals", at_least=1)
    subsets: int = whole(50, "Choices of references an item, at most", at_least=1)
