"""Do predictions rise and fall with gold? Correlations and pairwise comparisons, counted without visiting a pair.

Each takes counts (..., C, P) of gold class × predicted class or distinct number, rows and columns rising.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.declare import label_measure, numeric_form
from metaeval.measures.margins import cell_sum, gold_totals, midpoints, predicted_totals
from metaeval.measures.spec import Counts, ScaleType, Scores, Trait
from metaeval.model.scale import ClassScale
from metaeval.stats.ratio import divide

_CORRELATION = {
    Trait.SYMMETRIC,
    Trait.REPLICATION_INVARIANT,
    Trait.REVERSAL_INVARIANT,
    Trait.CONSTANT_SCORES_NOTHING,
}
_CONSTANT = "all items have the same gold, or the same prediction"


@label_measure(
    "pearson",
    title="Pearson's r",
    bounds=(-1.0, 1.0),
    scale=ScaleType.INTERVAL,
    source="pearson1895",
    formula="cov(gold, predicted) / (sd(gold) sd(predicted)), in class positions or declared values",
    undefined=_CONSTANT,
    traits=_CORRELATION,
)
def pearson(counts: Counts, *, scale: ClassScale) -> Scores:
    """Linear correlation of gold and predicted class values.

    counts: (..., C, C), rows gold. Returns (...).

    >>> round(float(pearson(np.array([[8, 2], [4, 6]]), scale=ClassScale(("low", "high"), ordered=True))), 4)
    0.4082
    """
    values = scale.class_values()
    return pearson_of_numbers(counts, gold_values=values, predicted_values=values)


@numeric_form("pearson")
def pearson_of_numbers(counts: Counts, *, gold_values: Scores, predicted_values: Scores) -> Scores:
    """Linear correlation; counts: (..., C, P), gold_values: (..., C), predicted_values: (..., P)."""
    gold, predicted = gold_totals(counts), predicted_totals(counts)
    gold_deviation = _deviations(gold_values, gold)
    predicted_deviation = _deviations(predicted_values, predicted)
    covariance = cell_sum(counts, gold_deviation[..., :, np.newaxis] * predicted_deviation[..., np.newaxis, :])
    spread = np.sqrt((gold * gold_deviation**2).sum(axis=-1)) * np.sqrt(
        (predicted * predicted_deviation**2).sum(axis=-1)
    )
    # Deviations of a constant may miss 0 by a rounding error, so constancy is read off the counts.
    varies = ((gold > 0).sum(axis=-1) > 1) & ((predicted > 0).sum(axis=-1) > 1)
    return np.asarray(np.clip(divide(covariance, np.where(varies, spread, 0.0)), -1.0, 1.0))


def _deviations(values: Scores, totals: Counts) -> Scores:
    """Values less their mean, (..., C)."""
    mean = divide((totals * values).sum(axis=-1), totals.sum(axis=-1))
    deviation: Scores = values - mean[..., np.newaxis]
    return deviation


@numeric_form("spearman")
@label_measure(
    "spearman",
    title="Spearman's rho",
    bounds=(-1.0, 1.0),
    scale=ScaleType.ORDINAL,
    source="spearman1904",
    formula="Pearson's r of the ranks of gold and predicted, ties sharing their mean rank",
    undefined=_CONSTANT,
    traits=_CORRELATION,
)
def spearman(counts: Counts) -> Scores:
    """Correlation of the ranks that gold and predictions give the items.

    counts: (..., C, P), rows gold. Returns (...).

    >>> round(float(spearman(np.array([[8, 2], [4, 6]]))), 4)
    0.4082
    """
    return pearson_of_numbers(
        counts,
        gold_values=midpoints(gold_totals(counts)),
        predicted_values=midpoints(predicted_totals(counts)),
    )


@numeric_form("kendall")
@label_measure(
    "kendall",
    title="Kendall's tau-b",
    bounds=(-1.0, 1.0),
    scale=ScaleType.ORDINAL,
    source="kendall1945",
    formula="(P − Q) / √((T − T_gold)(T − T_predicted)); P concordant, Q discordant, T all pairs of items, T_x pairs "
    "tied in x",
    undefined=_CONSTANT,
    traits=_CORRELATION,
)
def kendall(counts: Counts) -> Scores:
    """Concordant less discordant pairs of items, in proportion to the pairs not tied.

    counts: (..., C, P), rows gold. Returns (...).

    >>> round(float(kendall(np.array([[8, 2], [4, 6]]))), 4)
    0.4082
    """
    classes = counts.shape[-2]
    higher, lower, _ = _pairs(counts, np.triu(np.ones((classes, classes)), k=1))
    gold, predicted = gold_totals(counts).astype(np.float64), predicted_totals(counts).astype(np.float64)
    untied = _pairs_across(gold), _pairs_across(predicted)
    # One root of the product: exact where the two are equal, so that a perfect order scores 1 and not a trifle more.
    return divide(higher - lower, np.sqrt(untied[0] * untied[1]))


@numeric_form("pairwise-accuracy")
@label_measure(
    "pairwise-accuracy",
    title="Pairwise accuracy",
    scale=ScaleType.ORDINAL,
    source="ordinal2022",
    formula="(pairs ordered as in gold + ½ pairs with equal predictions) / pairs whose gold differs by ≥ min-gap "
    "classes",
    undefined="no two items whose gold differs by min-gap classes",
    traits={Trait.REPLICATION_INVARIANT, Trait.REVERSAL_INVARIANT},
    parameters={"min-gap": "how many classes apart the gold of two items has to be for the pair to count"},
)
def pairwise_accuracy(counts: Counts, *, min_gap: int = 1) -> Scores:
    """Share of item pairs of different gold that the predictions put in the right order, ties counting half.

    counts: (..., C, P), rows gold. Returns (...).

    >>> pairwise_accuracy(np.array([[2, 0, 0], [0, 0, 0], [1, 0, 1]]))
    array(0.75)
    """
    if min_gap < 1:
        raise InputError.at(found=f"min-gap={min_gap} of measure 'pairwise-accuracy'", expected="at least 1")
    classes = counts.shape[-2]
    far_enough = np.triu(np.ones((classes, classes)), k=min_gap)
    higher, lower, tied = _pairs(counts, far_enough)
    return divide(higher + tied / 2, higher + lower + tied)


def _pairs(counts: Counts, above: NDArray[np.float64]) -> tuple[Scores, Scores, Scores]:
    """Item pairs whose gold classes g, h have above[g, h] = 1, by where the item of h was put: higher, lower, tied."""
    partners = above @ counts.astype(np.float64)
    up_to = np.cumsum(partners, axis=-1)
    higher = cell_sum(counts, up_to[..., -1:] - up_to)
    lower = cell_sum(counts, up_to - partners)
    return higher, lower, cell_sum(counts, partners)


def _pairs_across(totals: Scores) -> Scores:
    """Twice the pairs of items that are not in the same class, (...)."""
    items = totals.sum(axis=-1)
    across: Scores = items * items - (totals * totals).sum(axis=-1)
    return across / 2
