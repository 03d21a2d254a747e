"""Official scores of shared tasks."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from metaeval.arrays import Counts, Scores
from metaeval.errors import refuse, unknown
from metaeval.measures.declare import label_measure
from metaeval.measures.margins import cell_sum, gold_totals
from metaeval.measures.spec import ByParameter, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide

_RELATIVE = frozenset({Trait.ADDITIVE, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT, Trait.COUNTS_MISSES})


@label_measure(
    title="FNC-1 score",
    question="how many related items are told from unrelated ones, and how many of these have the right stance",
    bounds=ByParameter("scale", {"relative": (0.0, 1.0), "points": (0.0, math.inf)}),
    source="fnc2017",
    formula="1 for a related pair with the correct stance, ¼ for one with another related stance, ¼ for an unrelated "
    "pair predicted as unrelated; points: their sum; relative: their sum / its maximum",
    undefined="no items (relative)",
    traits=ByParameter(
        "scale", {"relative": _RELATIVE, "points": _RELATIVE - {Trait.REPLICATION_INVARIANT} | {Trait.SYMMETRIC}}
    ),
    parameters={
        "scale": "relative to the maximum score, or in points",
        "unrelated": "name of the class of headlines unrelated to their body",
    },
    examples={"unrelated": "mid"},
)
def fnc1_score(
    counts: Counts,
    *,
    scale: ClassScale,
    scale_: Literal["relative", "points"] = "relative",
    unrelated: str = "unrelated",
) -> Scores:
    """Official score of the Fake News Challenge: ¼ for relatedness, ¾ for the stance of related pairs."""
    if unrelated not in (*scale.labels, *scale.merged):
        hint = "name the class of unrelated pairs, as in fnc1-score:unrelated=NAME; without such a class, use accuracy"
        raise refuse(None, unknown("class", unrelated, scale.labels, " of unrelated pairs").at(None, hint=hint))
    related = np.arange(len(scale)) != scale.code(unrelated)
    highest = np.where(related, 1.0, 0.25)
    credit = np.where(related[:, np.newaxis] & related, 0.25, 0.0)
    np.fill_diagonal(credit, highest)
    points = cell_sum(counts, credit)
    return points if scale_ == "points" else divide(points, (highest * gold_totals(counts)).sum(axis=-1))
