"""Settings of the correlations of measures with human scores."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, Choice, Option, alpha, choice, flag, several, text, whole

Level: TypeAlias = Literal["system", "item", "global", "by-system"]
Coefficient: TypeAlias = Literal[
    "pearson", "spearman", "kendall-b", "kendall-c", "kendall-a", "pairwise-accuracy", "acc-eq", "soft-pairwise"
]
ConstantItems: TypeAlias = Literal["drop", "zero"]
Interval: TypeAlias = Literal["both", "systems", "items", "fisher", "none"]
Test: TypeAlias = Literal["both", "systems", "items", "williams", "none"]

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metaeval.study.runs import HumanRatings

    Levels: TypeAlias = Option[Level | Sequence[Level], tuple[str, ...]]
    Coefficients: TypeAlias = Option[Coefficient | Sequence[Coefficient], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class CorrelateSettings(AnalysisSettings, section="correlate"):
    """Do measures correlate with human scores?

    Correlations of each measure with human scores of systems and of single items, with intervals, and the measures that
    are not significantly different from the best one.

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
        Choice(get_args(Level), what="level"),
        (),
        "Level: system, item, global or by-system",
        flag="--level",
        metavar="LEVEL",
        default_text="system, and item if items have scores",
    )
    coefficients: Coefficients = several(
        Choice(get_args(Coefficient), what="coefficient"),
        ("pearson", "spearman", "kendall-b"),
        "Coefficient: pearson, spearman, kendall-b, kendall-c, kendall-a, pairwise-accuracy, acc-eq (with tie "
        "calibration) or soft-pairwise",
        flag="--coefficient",
    )
    wide: bool | None = flag(
        None,
        "Show a column for each level and coefficient, or a row with its interval for each correlation",
        off="--long",
        default_text="--wide on the terminal if there are several columns",
        signed=False,
    )
    constant_items: ConstantItems = choice(
        "drop",
        "Items that a measure or the human scores rate all alike: drop (default) or zero, a coefficient of 0",
        get_args(ConstantItems),
        metavar="drop|zero",
        default_text=None,
    )
    partial: str | None = text(
        None,
        "Measure or file whose scores are partialled out",
        metavar="NAME|FILE",
    )
    interval: Interval = choice(
        "both",
        "Intervals: over both other systems and items (default), systems or items; fisher; or none",
        get_args(Interval),
        metavar="WHAT",
        default_text=None,
    )
    resamples: int = whole(
        1000,
        "Number of bootstrap resamples for intervals of items at level system, and of the thresholds of acc-eq",
        at_least=1,
    )
    test: Test = choice(
        "systems",
        "Test of differences: permutation of systems (default), items or both (cells); williams; or none",
        get_args(Test),
        metavar="WHAT",
        default_text=None,
    )
    permutations: int = whole(1999, "Number of permutations of the test of differences", at_least=1)
    alpha: float = alpha("Significance level of the test")

    human: InitVar[HumanRatings | None] = None

    @property
    def uses_clusters(self) -> bool:
        """Whether items are drawn, swapped or flipped."""
        return not {"both", "items"}.isdisjoint((self.interval, self.test)) or "soft-pairwise" in self.coefficients
