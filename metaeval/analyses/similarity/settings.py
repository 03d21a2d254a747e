"""Settings of the similarity of rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, Number, choice, number, whole

Coefficient: TypeAlias = Literal["kendall-b", "kendall-a", "kendall-c", "tau-ap", "weighted", "spearman", "pearson"]

MARGIN = Number(above=-1, below=1, found="a margin of {}", expected="a value of tau between −1 and 1")


@dataclass(frozen=True, kw_only=True)
class SimilaritySettings(AnalysisSettings, section="similarity"):
    """Do measures rank systems similarly?

    For each pair of measures, the correlation of their rankings of the systems; Kendall's tau corrected for the
    unreliability of both rankings, with an interval; and groups of measures whose corrected tau is not significantly
    below a margin. Rows are in the order of the cluster tree.

    >>> import metaeval
    >>> result = metaeval.similarity("configs/stance.yaml", ["accuracy", "macro-f1"], permutations=0)
    >>> result.to_pandas().set_index("measure")["macro-f1"]["accuracy"].item()
    0.58...

    \b
    metaeval similarity --config configs/stance.yaml
    metaeval similarity --config configs/stance.yaml -m cem-ord -m accuracy -m mcc
    """

    coefficient: Coefficient = choice(
        "kendall-b",
        "Coefficient: kendall-b (default), kendall-a, kendall-c, tau-ap, weighted, spearman or pearson",
        get_args(Coefficient),
        what="coefficient",
        default_text=None,
    )
    margin: float = number(
        0.9, "Corrected tau below which two measures do not rank systems similarly", metavar="TAU", kind=MARGIN
    )
    permutations: int = whole(
        4999, "Number of random sign changes of the groups of items; 0 for no corrected tau and no groups"
    )
