"""Correlations and pairwise comparisons of gold and predictions.

Each takes counts (..., C, P) of gold classes × predicted classes or distinct numbers, both in ascending order.
"""

from __future__ import annotations

import math

import numpy as np

from metaeval.arrays import Counts, Floats, Scores
from metaeval.grid import in_units
from metaeval.measures.declare import SHARE, label_measure, numeric_form
from metaeval.measures.margins import cell_sum, gold_totals, midpoints, predicted_totals
from metaeval.measures.spec import ScaleType, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide

_CORRELATION = {Trait.SYMMETRIC, Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT, Trait.CONSTANT_SCORES_ZERO}
_CONSTANT = "all items have the same gold class, or the same prediction"


@label_measure(
    title="Pearson's r",
    question="how nearly is the prediction a linear function of gold",
    bounds=(-1.0, 1.0),
    scale=ScaleType.INTERVAL,
    source="pearson1895",
    formula="cov(gold, predicted) / (sd(gold) sd(predicted)), of class positions or declared values",
    undefined=_CONSTANT,
    traits=_CORRELATION,
)
def pearson(counts: Counts, *, scale: ClassScale) -> Scores:
    """Linear correlation of gold and predicted class values."""
    values = scale.class_values()
    return pearson_of_numbers(counts, gold_values=values, predicted_values=values)


@numeric_form("pearson")
def pearson_of_numbers(counts: Counts, *, gold_values: Scores, predicted_values: Scores) -> Scores:
    """Linear correlation; gold_values: (..., C), predicted_values: (..., P)."""
    gold, predicted = gold_totals(counts), predicted_totals(counts)
    gold_deviation = _deviations(gold_values, gold)
    predicted_deviation = _deviations(predicted_values, predicted)
    covariance = cell_sum(counts, gold_deviation[..., :, np.newaxis] * predicted_deviation[..., np.newaxis, :])
    spread = np.sqrt((gold * gold_deviation**2).sum(axis=-1)) * np.sqrt(
        (predicted * predicted_deviation**2).sum(axis=-1)
    )
    # Deviations of a constant may differ from 0 by a rounding error, so the counts decide what is constant.
    varies = ((gold > 0).sum(axis=-1) > 1) & ((predicted > 0).sum(axis=-1) > 1)
    return np.asarray(np.clip(divide(covariance, np.where(varies, spread, 0.0)), -1.0, 1.0))


def _deviations(values: Scores, totals: Counts) -> Scores:
    """Values minus their mean, (..., C), `in_units`."""
    values = in_units(values)
    mean = divide((totals * values).sum(axis=-1), totals.sum(axis=-1))
    deviation: Scores = values - mean[..., np.newaxis]
    return deviation


@numeric_form("spearman")
@label_measure(
    title="Spearman's rho",
    question="how similarly do predictions and gold rank the items",
    bounds=(-1.0, 1.0),
    scale=ScaleType.ORDINAL,
    source="spearman1904",
    formula="Pearson's r of the ranks of gold and predictions; ties have their mean rank",
    undefined=_CONSTANT,
    traits=_CORRELATION,
)
def spearman(counts: Counts) -> Scores:
    """Rank correlation of gold and predictions."""
    return pearson_of_numbers(
        counts, gold_values=midpoints(gold_totals(counts)), predicted_values=midpoints(predicted_totals(counts))
    )


@numeric_form("kendall")
@label_measure(
    title="Kendall's tau-b",
    question="how similarly do predictions and gold order pairs of items",
    bounds=(-1.0, 1.0),
    scale=ScaleType.ORDINAL,
    source="kendall1945",
    formula="(P − Q) / √((T − T_gold)(T − T_predicted)); P concordant, Q discordant and T all pairs of items, "
    "T_x pairs tied in x",
    undefined=_CONSTANT,
    traits=_CORRELATION,
)
def kendall(counts: Counts) -> Scores:
    """Concordant minus discordant pairs of items, relative to the untied pairs."""
    classes = counts.shape[-2]
    higher, lower, _ = _pairs(counts, np.triu(np.ones((classes, classes)), k=1))
    gold, predicted = gold_totals(counts).astype(np.float64), predicted_totals(counts).astype(np.float64)
    untied = _pairs_across(gold), _pairs_across(predicted)
    # One root of the product is exact where the factors are equal, so a perfect order scores exactly 1.
    return divide(higher - lower, np.sqrt(untied[0] * untied[1]))


@numeric_form("pairwise-accuracy")
@label_measure(
    title="Pairwise accuracy",
    bounds=SHARE,
    question="how many pairs of items are ordered as in gold",
    scale=ScaleType.ORDINAL,
    source="ordinal2022",
    formula="(pairs ordered as in gold + ½ pairs with equal predictions) / pairs whose gold differs by ≥ min-gap "
    "classes",
    undefined="no two items have gold classes at least min-gap apart",
    traits={Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT},
    parameters={"min-gap": "minimum distance, in classes, between the gold classes of a pair of items"},
    limits={"min-gap": (1, math.inf)},
    examples={"min-gap": "2"},
)
def pairwise_accuracy(counts: Counts, *, min_gap: int = 1) -> Scores:
    """Share of pairs of items with different gold that the predictions order correctly; ties count ½."""
    classes = counts.shape[-2]
    apart = np.triu(np.ones((classes, classes)), k=min_gap)
    higher, lower, tied = _pairs(counts, apart)
    return divide(higher + tied / 2, higher + lower + tied)


def _pairs(counts: Counts, above: Floats) -> tuple[Scores, Scores, Scores]:
    """Pairs of items with gold classes above[g, h] = 1 whose item of class h is predicted higher, lower, or tied."""
    partners = above @ counts.astype(np.float64)
    up_to = np.cumsum(partners, axis=-1)
    higher = cell_sum(counts, up_to[..., -1:] - up_to)
    lower = cell_sum(counts, up_to - partners)
    return higher, lower, cell_sum(counts, partners)


def _pairs_across(totals: Scores) -> Scores:
    """Number of pairs of items in different classes, (...)."""
    items = totals.sum(axis=-1)
    across: Scores = items * items - (totals * totals).sum(axis=-1)
    return across / 2
