"""Settings of the similarity of rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, Number, choice, number, whole

Coefficient: TypeAlias = Literal["kendall-b", "kendall-a", "kendall-c", "tau-ap", "weighted", "spearman", "pearson"]

DISTANCE = Number(at_least=0, at_most=2, found="a cut at {}", expected="a distance 1 − similarity, from 0 to 2")


@dataclass(frozen=True, kw_only=True)
class SimilaritySettings(AnalysisSettings, section="similarity"):
    """Do measures rank systems similarly?

    For each pair of measures, the correlation of their rankings of the systems, with bootstrap intervals over the
    items, and groups of measures with similar rankings. Rows are in the order of the cluster tree.

    >>> import metaeval
    >>> result = metaeval.similarity("configs/stance.yaml", ["accuracy", "macro-f1"], resamples=0)
    >>> result.to_pandas().set_index("measure")["macro-f1"]["accuracy"].item()
    0.58...

    \b
    metaeval similarity --config configs/stance.yaml
    """

    coefficient: Coefficient = choice(
        "kendall-b",
        "Coefficient: kendall-b (default), kendall-a, kendall-c, tau-ap, weighted, spearman or pearson",
        get_args(Coefficient),
        what="coefficient",
        default_text=None,
    )
    resamples: int = whole(1000, "Number of bootstrap resamples for the intervals; 0 for none")
    cut: float = number(0.5, "Distance 1 − similarity at which the tree is cut into groups", metavar="D", kind=DISTANCE)
