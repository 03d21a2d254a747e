"""How measures are compared with people."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, Choice, Option, alpha, choice, several, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metaeval.study.runs import People

Level: TypeAlias = Literal["system", "item", "global", "by-system"]
Coefficient: TypeAlias = Literal[
    "pearson", "spearman", "kendall-b", "kendall-c", "kendall-a", "pairwise-accuracy", "acc-eq", "soft-pairwise"
]
Interval: TypeAlias = Literal["both", "systems", "items", "fisher", "none"]
Test: TypeAlias = Literal["both", "systems", "items", "williams", "none"]

if TYPE_CHECKING:
    Levels: TypeAlias = Option[Level | Sequence[Level], tuple[str, ...]]
    Coefficients: TypeAlias = Option[Coefficient | Sequence[Coefficient], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class CorrelateSettings(AnalysisSettings, section="correlate"):
    """Do measures agree with people?

    Correlations of every measure with the scores that people gave (--human), of systems and on single items, with
    intervals, and the measures that can't be told from the best one.

    >>> import metaeval
    >>> scores = {"system": ["a", "b", "c"], "bleu": [0.2, 0.5, 0.9], "person": [1, 3, 4]}
    >>> runs = metaeval.from_scores(scores, human="person")
    >>> result = metaeval.correlate(runs, coefficients="spearman", interval="none", test="none")
    >>> result.to_dict()["tables"]["correlations"][0]["value"]
    1.0

    \b
    metaeval correlate --config configs/tsc3.yaml --human sample_data/tsc3/human.csv --level system
    metaeval correlate --task table sample_data/tsc3/human.csv --human D5
    """

    levels: Levels = several(
        Choice(get_args(Level), "level"), (), "system, item, global, by-system; repeatable",
        flag="--level", metavar="LEVEL", default_text=None,
    )  # fmt: skip
    coefficients: Coefficients = several(
        Choice(get_args(Coefficient), "coefficient"), ("pearson", "spearman", "kendall-b"),
        "pearson, spearman, kendall-b (these three by default), kendall-c, kendall-a, pairwise-accuracy, acc-eq (ties "
        "calibrated) or soft-pairwise; repeatable", flag="--coefficient", default_text=None,
    )  # fmt: skip
    interval: Interval = choice(
        "both", "What is resampled: both (default), systems, items; or fisher, or none", get_args(Interval),
        metavar="WHAT", default_text=None,
    )  # fmt: skip
    resamples: int = whole(1000, "For the intervals", at_least=1)
    test: Test = choice(
        "both", "Is one measure better? What two of them swap: both (default), systems, items; or williams, or none",
        get_args(Test), metavar="WHAT", default_text=None,
    )  # fmt: skip
    permutations: int = whole(1999, "Of that test", at_least=1)
    alpha: float = alpha("Level of that test")

    human: InitVar[People | None] = None
