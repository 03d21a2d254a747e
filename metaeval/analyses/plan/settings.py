"""What a new data set is planned for, from this one."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.errors import InputError
from metaeval.settings import AnalysisSettings, Number, Whole, Wholes, alpha, number, several, whole

SHARE = Number(above=0, below=1, expected="a number between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class PlanSettings(AnalysisSettings, section="plan"):
    """How many items, systems or annotators are enough?

    Takes the data for a pilot of a next study: how many items until rankings agree, or a difference is found; with
    --human also how many systems and annotators until it is known how well a measure follows people.

    >>> import metaeval
    >>> list(metaeval.plan("configs/stance.yaml", "cem-ord", resamples=10).to_pandas()["unit"].unique())
    ['items']

    \b
    metaeval plan --config configs/stance.yaml
    metaeval plan --config configs/stance.yaml --delta 0.01 --sizes 1000,5000,20000 -f json
    """

    tau: float = number(0.9, "How well two rankings should agree", metavar="TAU", kind=SHARE)
    delta: float | None = number(
        None, "A difference that should be found", metavar="D", default_text="the median one of two systems",
        kind=Number(above=0, expected="a difference above 0"),
    )  # fmt: skip
    power: float = number(0.8, "How surely it should be found", metavar="P", kind=SHARE)
    interval_width: float = number(
        0.2, "Of the 95 % interval of a correlation with people", metavar="W",
        kind=Number(above=0, below=2, expected="a number between 0 and 2"),
    )  # fmt: skip
    sizes: Wholes = several(
        Whole(2), (), "Numbers of items to try, for the curves", separated=True, metavar="100,200",
        default_text="a grid",
    )  # fmt: skip
    resamples: int = whole(200, "Of the pilot, for the intervals", at_least=1)
    alpha: float = alpha("Level of the test of a difference")

    def check(self) -> None:
        """The power has to be above the level of the test."""
        if not self.power > self.alpha:
            raise InputError.at(found=f"power {self.power:g}", expected=f"more than alpha, {self.alpha:g}")
