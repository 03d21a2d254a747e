"""Settings of `reliability`."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings


@dataclass(frozen=True, kw_only=True)
class ReliabilitySettings(AnalysisSettings, section="reliability"):
    """What makes scores differ: systems, items, or chance?

    Splits the variance of the scores of single items into that of systems, items, clusters of items, their interactions
    and, with several runs of a system (--replicate, or SYSTEM@RUN=PATH), the runs. From it follow how reliable the
    ranking is, and what more items or runs would buy. For measures whose score is a mean over items. Of one system it
    is the error of its score. Where runs succeed (1) or fail (0) on items, pass^k is the share of items on which all of
    k runs succeed.

    >>> import metaeval
    >>> runs = metaeval.read("sample_data/seeds/scores.csv", task="table", replicates="seed", clusters="document")
    >>> metaeval.reliability(runs).to_pandas()["items"].tolist()
    [60, 60]

    \b
    metaeval reliability --task table sample_data/seeds/scores.csv --replicate seed --cluster document
    metaeval reliability --config configs/news.yaml -m rouge-l
    """

    @property
    def uses_clusters(self) -> bool:
        """Clusters have variances of their own."""
        return True
