"""Settings of `plan`."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.errors import refuse
from metaeval.settings import AnalysisSettings, Number, Whole, Wholes, alpha, number, several, whole

SHARE = Number(above=0, below=1, expected="a number between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class PlanSettings(AnalysisSettings, section="plan"):
    """How many items, systems or annotators are enough?

    Uses the data as the pilot of a future study: how many items are needed until rankings agree, or until a difference
    is found; with human scores also how many systems and annotators are needed to estimate the correlation of a measure
    with them, and how many systems or items to find a difference between the correlations of two measures. Of a single
    system it is how many items its score needs.

    >>> import metaeval
    >>> list(metaeval.plan("configs/stance.yaml", "cem-ord", permutations=199).to_pandas()["unit"].unique())
    ['items']

    \b
    metaeval plan --config configs/stance.yaml
    metaeval plan --config configs/stance.yaml --delta 0.01 --sizes 1000,5000,20000 -f json
    """

    tau: float = number(0.9, "Expected tau between the rankings on two test sets", metavar="TAU", kind=SHARE)
    delta: float | None = number(
        None,
        "Difference of two systems to be found",
        metavar="D",
        default_text="what 1 % of the items made wrong costs",
        kind=Number(above=0, expected="a difference above 0"),
    )
    power: float = number(0.8, "Probability of finding that difference", metavar="P", kind=SHARE)
    interval_width: float = number(
        0.2,
        "Width of the 95 % interval of a correlation with human scores, or of the score of a single system",
        metavar="W",
        kind=Number(above=0, below=2, expected="a number between 0 and 2"),
    )
    correlation_delta: float = number(
        0.1,
        "Difference of two measures' correlations with human scores to be found",
        metavar="D",
        kind=Number(above=0, below=2, expected="a number between 0 and 2"),
    )
    sizes: Wholes = several(
        Whole(2), (), "Numbers of items for the curves", separated=True, metavar="100,200", default_text="a grid"
    )
    permutations: int = whole(4999, "Number of permutations, as of compare and power", at_least=1)
    resamples: int = whole(200, "Number of resamples of systems or annotators for their intervals", at_least=1)
    alpha: float = alpha("Significance level of the test of all differences")

    def check(self) -> None:
        """The power must be above the significance level."""
        if not self.power > self.alpha:
            raise refuse(None, f"power {self.power:g}", f"more than alpha, {self.alpha:g}")
