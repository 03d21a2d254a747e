"""Measures of one's own in a single file: of counts, of texts, of items and of sums."""

# --8<-- [start:labels]
import metaeval


@metaeval.label_measure
def worst_recall(counts):
    """Lowest recall of a class."""
    return (counts.diagonal(axis1=-2, axis2=-1) / counts.sum(axis=-1)).min(axis=-1)


# --8<-- [end:labels]

__version__ = "1.0"

SOURCE = "Doe, J. (2026). A measure of our own."


# --8<-- [start:declared]
@metaeval.label_measure(
    question="how many items are right",
    bounds=(0.0, 1.0),
    source=SOURCE,
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
def share_correct(counts):
    """Share of items whose class was predicted correctly."""
    return counts.trace(axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1))


# --8<-- [end:declared]


@metaeval.text_measure
def first_word(outputs, references):
    """Share of outputs that begin with the first word of a reference."""
    return [
        float(output.split()[:1] in [reference.split()[:1] for reference in texts])
        for output, texts in zip(outputs, references, strict=True)
    ]


ERROR_RATE = {"better": metaeval.Direction.LOWER, "source": SOURCE, "undefined": "no words"}


# --8<-- [start:sums]
@metaeval.sum_measure("error-rate", title="Word error rate", **ERROR_RATE)
@metaeval.item_measure("item-error-rate", title="Mean word error rate", **ERROR_RATE)
def error_rate(edits, words):
    """Edits by words."""
    return edits / words


# --8<-- [end:sums]
