"""Official scores of shared tasks."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.declare import label_measure
from metaeval.measures.margins import cell_sum, gold_totals
from metaeval.measures.spec import ByParameter, Counts, Scores, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide

_RELATIVE = frozenset({Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT})


@label_measure(
    "fnc1-score",
    title="FNC-1 score",
    bounds=ByParameter("scale", {"relative": (0.0, 1.0), "points": (0.0, math.inf)}),
    source="fnc2017",
    formula="1 for a related pair with the right stance, ¼ with a wrong but related one; ¼ for an unrelated pair "
    "found; points: the sum, relative: over the highest sum possible",
    undefined="no item (relative)",
    traits=ByParameter(
        "scale",
        {"relative": _RELATIVE, "points": frozenset({Trait.SYMMETRIC, Trait.ADDITIVE, Trait.REVERSAL_INVARIANT})},
    ),
    parameters={
        "scale": "relative to the highest score possible, or in points",
        "unrelated": "the class of headlines that have nothing to do with their body",
    },
)
def fnc1_score(
    counts: Counts,
    *,
    scale: ClassScale,
    scale_: Literal["relative", "points"] = "relative",
    unrelated: str = "unrelated",
) -> Scores:
    """Official score of the Fake News Challenge: a quarter for relatedness, three quarters for the stance.

    counts: (..., C, C), rows gold. Returns (...).

    >>> fnc1_score(np.array([[3, 1], [2, 4]]), scale=ClassScale(("agree", "unrelated")))
    array(0.72727273)
    """
    if unrelated not in scale.labels:
        raise InputError.at(
            found=f"no class '{unrelated}' in the scale '{scale}'",
            expected="a class of unrelated pairs, because fnc1-score rewards telling them from related ones",
            hint="name it, as in fnc1-score:unrelated=NAME; without such a class the score is accuracy",
        )
    related = np.arange(len(scale)) != scale.code(unrelated)
    highest = np.where(related, 1.0, 0.25)
    credit = np.where(related[:, np.newaxis] & related, 0.25, 0.0)
    np.fill_diagonal(credit, highest)
    points = cell_sum(counts, credit)
    return points if scale_ == "points" else divide(points, (highest * gold_totals(counts)).sum(axis=-1))
