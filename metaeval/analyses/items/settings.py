"""Settings of `items`."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, alpha


@dataclass(frozen=True, kw_only=True)
class ItemsSettings(AnalysisSettings, section="items"):
    """Which items and gold labels should you check?

    For each item its difficulty (share of the systems that are right, or their mean score), its discrimination
    (correlation with the systems' scores on the other items) and how much systems disagree. Items on which better
    systems are wrong have suspicious gold labels. Labels are right or wrong, whatever the measures; other data are
    analysed under each measure that is a mean over items.

    >>> import metaeval
    >>> runs = metaeval.from_labels({"a": [1, 1, 0], "b": [1, 0, 0], "c": [1, 0, 1]}, gold=[1, 0, 0], labels="0,1")
    >>> metaeval.items(runs).to_pandas()["difficulty"].round(2).tolist()
    [1.0, 0.67, 0.67]

    \b
    metaeval items --config configs/rumour2017.yaml
    metaeval items --config configs/news.yaml -m rouge-l --alpha 0.1
    """

    alpha: float = alpha("Share of false discoveries among the items that are called significant")
