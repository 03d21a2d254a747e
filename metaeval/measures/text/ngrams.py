"""ROUGE-N, ROUGE-S and ROUGE-SU: the n-grams and skip-bigrams that a text shares with its references.

Grams become integers and are counted for all texts at once, by sorting or in a table. They run across the ends of
sentences. Variant `equations` follows eqs. (13)-(19) of Hirao et al. (2006), `perl` gives the digits of ROUGE-1.5.5.
"""

from __future__ import annotations

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.text.overlap import (
    Comparison,
    Floats,
    Integers,
    Overlap,
    Pooling,
    Rouge,
    Variant,
    as_printed,
    rouge_from_overlap,
)
from metaeval.stats.ratio import divide

_CELLS_PER_PAIR = 4
"""A table of all pairs of words beats sorting the pairs of tokens while it is at most this much longer."""


def rouge_n(
    comparison: Comparison,
    *,
    n: int = 1,
    variant: Variant = "equations",
    refs: Pooling = "mean",
    beta: float = 1.0,
) -> Rouge:
    """Share of the n-grams of the reference that the candidate has, the same seen from the candidate, and their F_β.

    n: at least 1. Returns (N,) each. Source: Hirao et al. (2006), eq. (13) for recall; Lin (2004), section 2.
    Raises InputError for an n below 1.

    >>> rouge_n(Comparison.of([[[1, 2, 3]]], [[[[1, 2, 4, 5]]]]), n=2).recall.round(4)
    array([0.3333])
    """
    _at_least("n", n, 1)
    shared = comparison.shared
    gram, start = shared.word, np.arange(len(shared.word))
    radix = int(shared.vocabulary.max(initial=1))
    for offset in range(1, n):
        start = start[start < len(shared.word) - offset]
        whole = (shared.position[start + offset] == shared.position[start] + offset) & (
            shared.text[start + offset] == shared.text[start]
        )
        gram, start = gram[: len(start)][whole], start[whole]
        # New codes at each step: the radix to the n-th power would not fit for long texts.
        gram = np.unique(gram * radix + shared.local[start + offset], return_inverse=True)[1]
    return _from_counts(
        comparison,
        comparison.matches(gram, shared.text[start]),
        _ngrams(comparison.references.lengths, n),
        _ngrams(comparison.candidates.lengths, n),
        variant=variant,
        refs=refs,
        beta=beta,
    )


def rouge_s(
    comparison: Comparison,
    *,
    skip: int | None = None,
    variant: Variant = "equations",
    refs: Pooling = "mean",
    beta: float = 1.0,
) -> Rouge:
    """The same for skip-bigrams: ordered pairs of tokens with at most `skip` others between them.

    skip: at least 0, which is ROUGE-2; None for any number. Returns (N,) each.
    Source: Hirao et al. (2006), eqs. (14)-(16); Lin (2004), section 5. Raises InputError for a skip below 0.

    >>> rouge_s(Comparison.of([[[1, 2, 3]]], [[[[1, 3, 2]]]])).f.round(4)
    array([0.6667])
    """
    return _skip_bigrams(comparison, skip, unigrams=0, variant=variant, refs=refs, beta=beta)


def rouge_su(
    comparison: Comparison,
    *,
    skip: int | None = None,
    variant: Variant = "equations",
    refs: Pooling = "mean",
    beta: float = 1.0,
) -> Rouge:
    """The same for skip-bigrams and unigrams together.

    skip: as for `rouge_s`. Returns (N,) each. The perl counts every unigram but the last of a text, so that a text of
    one token scores 0. Source: Hirao et al. (2006), eqs. (17)-(19); Lin (2004), section 5.2.

    >>> rouge_su(Comparison.of([[[1, 2, 3]]], [[[[1, 3, 2]]]])).f.round(4)
    array([0.8333])
    """
    unigrams = 1 if variant == "equations" else -1
    return _skip_bigrams(comparison, skip, unigrams=unigrams, variant=variant, refs=refs, beta=beta)


def _skip_bigrams(
    comparison: Comparison, skip: int | None, *, unigrams: int, variant: Variant, refs: Pooling, beta: float
) -> Rouge:
    """unigrams: 0 none, 1 all of them, -1 all but the last of each text."""
    if skip is not None:
        _at_least("skip", skip, 0)
    hits = _shared_pairs(comparison, skip)
    if unigrams:
        shared = comparison.shared
        counted = ~shared.last if unigrams < 0 else np.ones_like(shared.last)
        cells = (comparison.rows(shared.vocabulary)[shared.text] + shared.local)[counted]
        hits = hits + comparison.matches_in_table(cells, shared.vocabulary)

    def total(lengths: Integers) -> Integers:
        counted_unigrams = lengths if unigrams > 0 else np.maximum(lengths - 1, 0)
        return _pairs_within(lengths, skip) + (counted_unigrams if unigrams else 0)

    return _from_counts(
        comparison,
        hits,
        total(comparison.references.lengths),
        total(comparison.candidates.lengths),
        variant=variant,
        refs=refs,
        beta=beta,
    )


def _shared_pairs(comparison: Comparison, skip: int | None) -> Floats:
    """Skip-bigrams that each reference shares with its candidate, (R,)."""
    shared = comparison.shared
    # An item with v shared words has v² pairs of words, those of the first word together.
    codes, vocabulary = shared.vocabulary**2, shared.vocabulary[shared.item]
    texts = comparison.items + len(comparison.item)
    occurrences = int(_pairs_within(np.bincount(shared.text, minlength=texts), skip).sum())
    in_table = codes.sum() + codes[comparison.item].sum() <= _CELLS_PER_PAIR * occurrences
    first_code = shared.local * vocabulary + comparison.rows(codes)[shared.text if in_table else shared.item]
    grams, places = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for lag in range(1, len(shared.word)):
        near = shared.text[lag:] == shared.text[:-lag]
        if skip is not None:
            near &= shared.position[lag:] - shared.position[:-lag] <= skip + 1
        first = np.flatnonzero(near)
        # Tokens farther apart in the list are farther apart in the text.
        if not len(first):
            break
        grams.append(first_code[first] + shared.local[first + lag])
        if not in_table:
            places.append(shared.text[first])
    if in_table:
        return comparison.matches_in_table(np.concatenate(grams), codes)
    return comparison.matches(np.concatenate(grams), np.concatenate(places))


def _ngrams(lengths: Integers, n: int) -> Integers:
    return np.maximum(lengths - n + 1, 0)


def _pairs_within(lengths: Integers, skip: int | None) -> Integers:
    """Pairs i < j ≤ i + skip + 1 of L places: reach · L − reach (reach + 1) / 2, the reach being at most L − 1."""
    farthest = np.maximum(lengths - 1, 0)
    reach = farthest if skip is None else np.minimum(farthest, skip + 1)
    return np.asarray(reach * lengths - reach * (reach + 1) // 2)


def _from_counts(
    comparison: Comparison,
    hits: Floats,
    reference_total: Integers,
    candidate_total: Integers,
    *,
    variant: Variant,
    refs: Pooling,
    beta: float,
) -> Rouge:
    recall = divide(hits, reference_total, undefined=0.0)
    overlap = Overlap(
        hits=hits,
        reference_total=reference_total.astype(np.float64),
        candidate_total=candidate_total[comparison.item].astype(np.float64),
        # The perl compares recalls it has already rounded: near ties go to the first reference.
        preference=as_printed(recall) if variant == "perl" else recall,
    )
    return rouge_from_overlap(overlap, comparison, variant=variant, refs=refs, beta=beta)


def _at_least(name: str, value: int, lowest: int) -> None:
    if value < lowest:
        raise InputError.at(found=f"{name}={value}", expected=f"a whole number of at least {lowest}")
