"""Settings of `power`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, alpha, choice, whole

Test: TypeAlias = Literal["permutation", "tukey"]


@dataclass(frozen=True, kw_only=True)
class PowerSettings(AnalysisSettings, section="power"):
    """How well does a measure distinguish systems?

    Tests the difference of each two systems under every measure: how many differences are significant, and how large
    must a difference be? Measures that share a letter do not differ significantly in power. The table power_differences
    has all p-values.

    >>> import metaeval
    >>> list(metaeval.power("configs/stance.yaml", ["cem-ord", "accuracy"], permutations=199).to_pandas()["measure"])
    ['accuracy', 'cem-ord']

    \b
    metaeval power --config configs/stance.yaml
    metaeval power --config configs/stance.yaml -m cem-ord -m accuracy --plot power.svg
    """

    test: Test = choice(
        "permutation",
        "Test: permutation (default: random signs of the groups of items) or tukey (randomised Tukey "
        "HSD, as in published work)",
        get_args(Test),
        metavar="TEST",
        default_text=None,
    )
    permutations: int = whole(4999, "Number of permutations", at_least=1)
    alpha: float = alpha("Significance level of the tests")

    @property
    def uses_clusters(self) -> bool:
        """Tukey's test permutes the systems of single items."""
        return self.test == "permutation"
