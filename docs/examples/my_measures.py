"""Measures of one's own in a single file: of counts, of texts, of items and of sums."""

import numpy as np
from numpy.typing import NDArray

import metaeval

__version__ = "1.0"

Array = NDArray[np.float64]


# --8<-- [start:labels]
@metaeval.label_measure(
    "share-correct",
    title="Share correct",
    question="how many items are right",
    source="Doe, J. (2026). A measure of our own.",
    formula="Σ c_jj / N",
    undefined="no items",
    traits={
        metaeval.Trait.SYMMETRIC,
        metaeval.Trait.ADDITIVE,
        metaeval.Trait.REPLICATION_INVARIANT,
        metaeval.Trait.REVERSAL_INVARIANT,
        metaeval.Trait.COUNTS_MISSES,
    },
)
def share_correct(counts: Array) -> Array:
    """Share of items whose class was predicted correctly, from counts (..., gold, predicted)."""
    return np.asarray(np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1)))


# --8<-- [end:labels]


@metaeval.text_measure(
    "first-word",
    title="First word",
    question="how many outputs begin as a reference",
    source="Doe, J. (2026). A measure of our own.",
    formula="share of items whose output begins with the first word of a reference",
    traits={metaeval.Trait.PERFECT_ON_ITSELF},
)
def first_word(outputs: list[str], references: list[list[str]]) -> list[float]:
    """Share of outputs that begin with the first word of a reference."""
    return [
        float(output.split()[:1] in [reference.split()[:1] for reference in of_item])
        for output, of_item in zip(outputs, references, strict=True)
    ]


ERROR_RATE = {
    "statistics": ("edits", "words"),
    "question": "how many words are wrong",
    "better": metaeval.Direction.LOWER,
    "bounds": (0.0, float("inf")),
    "source": "Doe, J. (2026). A measure of our own.",
    "undefined": "no words",
}


@metaeval.sum_measure("error-rate", title="Word error rate", formula="Σ edits / Σ words", **ERROR_RATE)
@metaeval.item_measure("item-error-rate", title="Mean error rate", formula="mean of edits / words", **ERROR_RATE)
def error_rate(statistics: Array) -> Array:
    """Edits by words, from an array (..., 2)."""
    return np.asarray(statistics[..., 0] / statistics[..., 1])
