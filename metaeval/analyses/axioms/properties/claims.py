"""What the papers say of measures, as properties that can be put to the test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from metaeval.analyses.axioms.properties.checking import Verdict


@dataclass(frozen=True)
class Claim:
    """That a measure has a formal property, or has not.

    source: key in `measures.sources`. place: where in it. says: what it says, in our words. measure, property: names.
    has: whether the measure is said to have the property.
    """

    source: str
    place: str
    says: str
    measure: str
    property: str
    has: bool


def _claims(source: str, place: str, says: str, measures: str, properties: str, *, has: bool) -> Iterator[Claim]:
    """One claim for each measure and each property, names parted by spaces."""
    for measure in measures.split():
        for name in properties.split():
            yield Claim(source, place, says, measure, name, has)


_THREE = "ordinal-invariance ordinal-monotonicity imbalance"
_NEARER_IS_BETTER = "the nearer a prediction is to the right class, the better the score"

CLAIMS: tuple[Claim, ...] = (
    *_claims("amigo2020", "theoretical evidence", "CEM-ORD has the three properties", "cem-ord", _THREE, has=True),
    *_claims(
        "amigo2020", "abstract", "precision and recall ignore the order of classes", "precision recall",
        "relabelling", has=True,
    ),
    *_claims(
        "amigo2020", "abstract", "MAE assumes distances between classes", "mae:average=macro mae:average=micro",
        "ordinal-invariance", has=False,
    ),
    *_claims("amemiya2021", "§3", "CEM-ORD has the three properties", "cem-ord", _THREE, has=True),
    *_claims(
        "amemiya2021", "§2", "the FNC-1 score, accuracy and F1 do not see how bad an error is",
        "fnc1-score:scale=relative accuracy macro-f1", "ordinal-monotonicity", has=False,
    ),
    *_claims(
        "amemiya2021", "§3", "MAE^M takes the imbalance of classes into account", "mae:average=macro", "imbalance",
        has=True,
    ),
    *_claims(
        "amemiya2021", "§3", "MAE^µ does not take the imbalance of classes into account", "mae:average=micro",
        "imbalance", has=False,
    ),
    *_claims(
        "amemiya2021", "§3", "kappa takes into account that system and gold agree by chance", "kappa:weights=linear",
        "chance", has=True,
    ),
    *_claims(
        "amemiya2021", "§3", "kappa does not depend on the items of the data set", "kappa:weights=linear",
        "prior", has=True,
    ),
    *_claims(
        "amemiya2021", "§3", "weighted kappa punishes an error the more, the farther off it is",
        "kappa:weights=linear", "ordinal-monotonicity", has=True,
    ),
    *_claims(
        "amemiya2021", "§5.3", "by definition these tell classes apart by their order",
        "alpha:level=interval alpha:level=ordinal cem-ord mae:average=macro mae:average=micro kappa:weights=linear",
        "relabelling", has=False,
    ),
    *_claims(
        "ordinal2022", "accuracy", "accuracy gives a near miss no more than a far one", "accuracy",
        "ordinal-monotonicity", has=False,
    ),
    *_claims("ordinal2022", "MAE", _NEARER_IS_BETTER, "mae:average=micro", "ordinal-monotonicity nearer", has=True),
    *_claims(
        "ordinal2022", "MAE", "MAE takes the steps between classes for equal", "mae:average=micro",
        "ordinal-invariance", has=False,
    ),
    *_claims("ordinal2022", "pattern 3", _NEARER_IS_BETTER, "decay", "ordinal-monotonicity nearer", has=True),
    *_claims(
        "ordinal2022", "imbalance", "with weights by frequency, it does not pay to say the majority class always",
        "weighted-accuracy:weights=inverse", "chance imbalance", has=True,
    ),
    *_claims(
        "scarton2020", "§1", "accuracy is not robust where classes are imbalanced", "accuracy", "imbalance", has=False
    ),
)  # fmt: skip
"""Published claims, by paper."""


def with_verdicts(verdicts: Iterable[Verdict]) -> Iterator[tuple[Claim, Verdict]]:
    """The claims about measures and properties that have a verdict, each with it, in the order of `CLAIMS`."""
    by_names = {(str(verdict.measure), verdict.declared.name): verdict for verdict in verdicts}
    for claim in CLAIMS:
        verdict = by_names.get((claim.measure, claim.property))
        if verdict is not None and verdict.holds is not None:
            yield claim, verdict
