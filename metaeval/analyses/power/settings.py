"""How differences of systems are tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from metaeval.settings import AnalysisSettings, alpha, choice, whole

Test: TypeAlias = Literal["auto", "bootstrap", "tukey"]
"""Of the difference of every two systems; 'auto' is randomised Tukey HSD for means over items and the paired bootstrap
for other measures."""


@dataclass(frozen=True, kw_only=True)
class PowerSettings(AnalysisSettings, section="power"):
    """How well does a measure tell systems apart?

    Tests the difference of every two systems under every measure: how many are significant, and how large must a
    difference be? -f json has all p-values.

    >>> import metaeval
    >>> list(metaeval.power("configs/stance.yaml", ["cem-ord", "accuracy"], resamples=200).to_pandas()["measure"])
    ['cem-ord', 'accuracy']

    \b
    metaeval power --config configs/stance.yaml
    metaeval power --config configs/stance.yaml --test bootstrap --plot power.svg
    """

    test: Test = choice(
        "auto", "auto (default: randomised Tukey HSD for means over items, a paired bootstrap for other measures), "
        "bootstrap or tukey", get_args(Test), metavar="TEST", default_text=None,
    )  # fmt: skip
    resamples: int = whole(5000, "Permutations, or samples", at_least=1)
    alpha: float = alpha("Level of the tests")
