"""Published claims about measures, as properties that can be tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from metaeval.analyses.axioms.properties.checking import Verdict


@dataclass(frozen=True)
class Claim:
    """A claim that a measure has a formal property, or does not have it.

    source: key in `measures.sources`. place: in the source. text: the claim, in our words. measure, property: names.
    """

    source: str
    place: str
    text: str
    measure: str
    property: str
    has: bool


_THREE = "ordinal-invariance ordinal-monotonicity imbalance"
_CLOSER = "the closer a prediction is to the gold class, the higher the score is"

CLAIMS = tuple(
    Claim(source, place, text, measure, name, has)
    for source, place, text, measures, properties, has in (
        ("amigo2020", "theoretical evidence", "CEM-ORD has the three properties", "cem-ord", _THREE, True),
        ("amigo2020", "abstract", "precision and recall ignore the order of classes", "precision recall",
         "relabelling", True),
        ("amigo2020", "abstract", "MAE assumes distances between classes", "mae:average=macro mae:average=micro",
         "ordinal-invariance", False),
        ("amemiya2021", "§3", "CEM-ORD has the three properties", "cem-ord", _THREE, True),
        ("amemiya2021", "§2", "the FNC-1 score, accuracy and F1 ignore the severity of errors",
         "fnc1-score:scale=relative accuracy macro-f1", "ordinal-monotonicity", False),
        ("amemiya2021", "§3", "MAE^M takes class imbalance into account", "mae:average=macro", "imbalance", True),
        ("amemiya2021", "§3", "MAE^µ does not take class imbalance into account", "mae:average=micro", "imbalance",
         False),
        ("amemiya2021", "§3", "kappa takes chance agreement into account", "kappa:weights=linear", "chance", True),
        ("amemiya2021", "§3", "kappa does not depend on the items of the data set", "kappa:weights=linear", "prior",
         True),
        ("amemiya2021", "§3", "weighted kappa penalises larger errors more", "kappa:weights=linear",
         "ordinal-monotonicity", True),
        ("amemiya2021", "§5.3", "these measures use the order of the classes by definition",
         "alpha:level=interval alpha:level=ordinal cem-ord mae:average=macro mae:average=micro kappa:weights=linear",
         "relabelling", False),
        ("ordinal2022", "accuracy", "accuracy gives near and far errors the same score", "accuracy",
         "ordinal-monotonicity", False),
        ("ordinal2022", "MAE", _CLOSER, "mae:average=micro", "ordinal-monotonicity nearer", True),
        ("ordinal2022", "MAE", "MAE assumes equal steps between classes", "mae:average=micro", "ordinal-invariance",
         False),
        ("ordinal2022", "pattern 3", _CLOSER, "decay", "ordinal-monotonicity nearer", True),
        ("ordinal2022", "imbalance", "with weights by frequency, always predicting the majority class has no advantage",
         "weighted-accuracy:weights=inverse", "chance imbalance", True),
        ("scarton2020", "§1", "accuracy is not robust to class imbalance", "accuracy", "imbalance", False),
    )
    for measure in measures.split()
    for name in properties.split()
)  # fmt: skip
"""Published claims, by paper."""


def with_verdicts(verdicts: Iterable[Verdict]) -> Iterator[tuple[Claim, Verdict]]:
    """The claims about measures and properties that have a verdict, each with it, in the order of `CLAIMS`."""
    by_names = {(str(verdict.measure), verdict.declared.name): verdict for verdict in verdicts}
    for claim in CLAIMS:
        verdict = by_names.get((claim.measure, claim.property))
        if verdict is not None and verdict.holds is not None:
            yield claim, verdict
