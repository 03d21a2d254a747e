"""Settings of `stability`."""

from __future__ import annotations

from dataclasses import dataclass

from metaeval.settings import AnalysisSettings, Number, Numbers, alpha, flag, several, whole

SHARE = Number(
    above=0,
    at_most=0.5,
    found="a size of {}",
    expected="a share of the items for each half, above 0 and at most 0.5",
    hint="for example 0.1,0.25,0.5",
)


@dataclass(frozen=True, kw_only=True)
class StabilitySettings(AnalysisSettings, section="stability"):
    """Is a measure's ranking the same on other items?

    Splits the items, or with --cluster whole clusters of them, into random halves, ranks the systems on both, and
    compares the rankings by Kendall's tau-b. Measures that share a letter are not significantly different on other
    items.

    >>> import metaeval
    >>> result = metaeval.stability("configs/stance.yaml", ["cem-ord", "accuracy"], trials=20)
    >>> list(result.to_pandas()["measure"])
    ['accuracy', 'cem-ord']

    \b
    metaeval stability --trials 1000 --config configs/stance.yaml
    metaeval stability --config configs/stance.yaml -m cem-ord -m accuracy --sizes 0.1,0.5
    """

    trials: int = whole(1000, "Number of random splits", at_least=1)
    stratified: bool = flag(False, "Keep the share of every gold class in each half")
    sizes: Numbers = several(
        SHARE, (), "Shares of the items in each half, at most 0.5, for a curve", separated=True, metavar="0.1,0.2"
    )
    permutations: int = whole(4999, "Number of random sign changes of the groups of items", at_least=1)
    alpha: float = alpha("Significance level of the test of differences between measures")
