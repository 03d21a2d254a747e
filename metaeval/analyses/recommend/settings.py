"""Settings of `recommend`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from metaeval.analyses.axioms.settings import Property
from metaeval.settings import AnalysisSettings, Choice, Texts, alpha, flag, several, text, whole

SYNONYMS = {"chance-corrected": "chance", "monotone": "ordinal-monotonicity"}
"""Usual names of formal properties."""

WEIGHTS = "weights"
"""The requirement that a measure uses the declared class weights."""

REQUIREMENTS = (*SYNONYMS, WEIGHTS, *get_args(Property))


@dataclass(frozen=True, kw_only=True)
class RecommendSettings(AnalysisSettings, section="recommend"):
    """Which measure should you trust for your task?

    Answers three questions. Does the choice of measure matter here: do two measures significantly order some pair of
    systems in opposite ways? Which measures should not be used: undefined, blind to the order of the classes, gamed by
    a trivial system, less reliable, less close to human scores? What to do: keep or use a measure, report two, collect
    more items? Without measures, the candidates are those that are usual for the data, in an order of convention.

    >>> import metaeval
    >>> result = metaeval.recommend("configs/stance.yaml", permutations=199, halves=0)
    >>> result.main.name
    'recommend'

    \b
    metaeval recommend --config configs/stance.yaml
    metaeval recommend --config configs/stance.yaml --official accuracy --require chance-corrected
    """

    official: str | None = text(
        None, "Measure that is in use: it is judged first, and kept unless something speaks against it", metavar="NAME"
    )
    require: Texts = several(
        Choice(REQUIREMENTS, what="property"),
        (),
        "Property that a measure must have: chance-corrected, monotone (a "
        "nearer class raises the score), weights (uses the declared class weights), or one of the properties of axioms",
        metavar="PROPERTY",
    )
    ignore_order: bool = flag(
        False, "The order of the classes does not matter: measures that use only their names pass"
    )
    permutations: int = whole(4999, "Number of permutations", at_least=1)
    halves: int = whole(50, "Number of random halves of the items on which the verdict is repeated")
    alpha: float = alpha("Significance level of the tests")

    def measures_of(self, measures: tuple[str, ...], preset: str | None) -> tuple[tuple[str, ...], str | None]:
        """The candidates: the measures of the experiment, or those that are usual; and the official one first."""
        preset_name = preset if measures or preset is not None else "candidates"
        return tuple(dict.fromkeys((*filter(None, [self.official]), *measures))), preset_name
