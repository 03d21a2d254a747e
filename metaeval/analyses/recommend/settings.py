"""Settings of `recommend`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from metaeval.analyses.axioms.settings import Property
from metaeval.settings import AnalysisSettings, Choice, Texts, alpha, several, text, whole

SYNONYMS = {"chance-corrected": "chance", "monotone": "ordinal-monotonicity"}
"""Usual names of formal properties."""

WEIGHTS = "weights"
"""The requirement that a measure uses the declared class weights."""

REQUIREMENTS = (*SYNONYMS, WEIGHTS, *get_args(Property))


@dataclass(frozen=True, kw_only=True)
class RecommendSettings(AnalysisSettings, section="recommend"):
    """Which measure should you trust for your task?

    Checks each candidate: is it defined, does it use the order of the classes, can a trivial system game it, does it
    rank the systems as reliably as the best one, does it agree with human scores? Without measures, the candidates are
    those that are usual for the data, in an order of convention. The verdict is one of clear, similar, trade-off,
    cannot-rank and none.

    >>> import metaeval
    >>> result = metaeval.recommend("configs/stance.yaml", permutations=199, halves=0)
    >>> result.main.name
    'recommend'

    \b
    metaeval recommend --config configs/stance.yaml
    metaeval recommend --config configs/stance.yaml --official accuracy --require chance-corrected
    """

    official: str | None = text(None, "Measure that is in use: it is named unless a check excludes it", metavar="NAME")
    require: Texts = several(
        Choice(REQUIREMENTS, what="property"),
        (),
        "Property that a measure must have: chance-corrected, monotone (a "
        "nearer class raises the score), weights (uses the declared class weights), or one of the properties of axioms",
        metavar="PROPERTY",
    )
    permutations: int = whole(4999, "Number of permutations", at_least=1)
    halves: int = whole(
        50, "Number of random halves of the items, and of the systems, on which the verdict is repeated"
    )
    alpha: float = alpha("Significance level of the tests")

    def measures_of(self, measures: tuple[str, ...], preset: str | None) -> tuple[tuple[str, ...], str | None]:
        """The candidates: the measures of the experiment, or those that are usual; and the official one first."""
        chosen = preset if measures or preset is not None else "candidates"
        return tuple(dict.fromkeys((*filter(None, [self.official]), *measures))), chosen
