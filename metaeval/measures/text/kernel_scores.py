"""WSK and ESK as measures of texts (Hirao, Okumura & Isozaki 2006, section 3.2); the kernels are in `kernels`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, get_args

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.errors import UnknownName
from metaeval.measures.text.kernels import Texts, f_measure, mean_over_references, precision_and_recall
from metaeval.measures.text.matches import Sentences, WordLabels
from metaeval.measures.text.overlap import Comparison, FlatTexts, Rouge
from metaeval.measures.text.spec import reference_measure

Choice = Literal["mean", "best", "best-f"]
"""Several references: mean of the scores (eq. 11), or the scores of the first with the highest recall or F."""

_TOLERANCE = 1e-12

_MEANINGS = {
    "d": "maximum number of words in a sequence",
    "lambda": "weight of a skipped word, from 0 to 1",
    "refs": "how several references are combined: mean of the scores, or the best, which is the first "
    "with the highest recall (best) or F (best-f)",
}


def _grid(
    comparison: Comparison,
    *,
    d: Sequence[int],
    lambda_: Sequence[float],
    beta: Sequence[float],
    refs: Choice = "mean",
    labelled: bool,
) -> Rouge:
    """A kernel for all values of d, λ and β at once: arrays (D, Λ, B, N). labelled: whether words match by labels."""
    if refs not in get_args(Choice):
        raise UnknownName("refs", refs, get_args(Choice))
    labels = comparison.labels if labelled else None
    candidates, references = (_kernel_texts(texts, labels) for texts in (comparison.candidates, comparison.references))
    compared = np.stack([comparison.item, np.arange(len(comparison.item))], axis=1)
    rates = precision_and_recall(candidates, references, compared, d=max(d, default=1), decay=np.array(lambda_))
    # (Λ, d, R) to (D, Λ, 1, R), with an axis for β.
    lengths = np.array(d) - 1
    precision, recall = (np.moveaxis(rate[:, lengths], 0, 1)[:, :, np.newaxis] for rate in rates)
    f = np.moveaxis(f_measure(precision[:, :, 0], recall[:, :, 0], beta=np.array(beta)), 0, 2)
    shape = f.shape
    scores = (np.broadcast_to(recall, shape), np.broadcast_to(precision, shape), f)
    if refs == "mean":
        return Rouge(*(mean_over_references(score, comparison.item, comparison.items) for score in scores))
    chosen = _first_of_highest(scores[0] if refs == "best" else scores[2], comparison)
    return Rouge(*(np.take_along_axis(score, chosen, axis=-1) for score in scores))


wsk_grid, esk_grid = partial(_grid, labelled=False), partial(_grid, labelled=True)
"""`word_sequence_kernel` and `extended_string_kernel` for all values of d, λ and β at once: arrays (D, Λ, B, N)."""


@reference_measure(
    "wsk",
    title="Word sequence kernel",
    question="how many word sequences with gaps are shared with a reference",
    source="hirao2006",
    formula="F = (1 + β²) R P / (R + β² P); P = mean over output sentences i of max_j sim(c_i, r_j), R = mean "
    "over reference sentences j of max_i sim(c_i, r_j); sim(x, y) = K(x, y) / √(K(x, x) K(y, y)); K = "
    "sum over common sequences of up to d words of λ^(words skipped in both)",
    parameters=_MEANINGS,
    grid=wsk_grid,
    gridded=("d", "lambda", "beta"),
)
def word_sequence_kernel(
    comparison: Comparison, *, d: int = 2, lambda_: float = 0.5, beta: float = 2.0, refs: Choice = "mean"
) -> Rouge:
    """Mean similarity of sentences to the most similar sentence of the other text, by common word sequences with gaps.

    Source: eqs. (7) to (12).
    """
    return _single(wsk_grid(comparison, d=[d], lambda_=[lambda_], beta=[beta], refs=refs))


@reference_measure(
    "esk",
    title="Extended string subsequence kernel",
    question="how many sequences of words and meanings with gaps are shared with a reference",
    source="hirao2006",
    formula="as wsk, with the value [t_i = t_j] + |M_i ∩ M_j| of two words t with the semantic labels M in index of "
    "[t_i = t_j]",
    parameters=_MEANINGS,
    grid=esk_grid,
    gridded=("d", "lambda", "beta"),
    needs_lexicon=True,
)
def extended_string_kernel(
    comparison: Comparison, *, d: int = 2, lambda_: float = 0.5, beta: float = 2.0, refs: Choice = "mean"
) -> Rouge:
    """Word sequence kernel in which words also match by the semantic labels that they share.

    The labels are `comparison.labels`; without any, it equals the word sequence kernel. Source: eqs. (1) to (11).
    """
    return _single(esk_grid(comparison, d=[d], lambda_=[lambda_], beta=[beta], refs=refs))


def _single(grid: Rouge) -> Rouge:
    return Rouge(*(scores[0, 0, 0] for scores in grid))


def _first_of_highest(scores: Floats, comparison: Comparison) -> Indices:
    """The first reference of each item with the highest score, (..., N)."""
    starts = np.searchsorted(comparison.item, np.arange(comparison.items))
    highest = np.maximum.reduceat(scores, starts, axis=-1)
    references = scores.shape[-1]
    # Equal sums in another order may differ in their last bits.
    equal = scores >= highest[..., comparison.item] * (1 - _TOLERANCE)
    index = np.where(equal, np.arange(references), references)
    return np.asarray(np.minimum.reduceat(index, starts, axis=-1))


def _kernel_texts(texts: FlatTexts, labels: WordLabels | None) -> Texts:
    """Texts without their empty sentences, whose similarity is 0, even to themselves."""
    nonempty = texts.sentence_lengths > 0
    sizes = np.bincount(texts.sentence_text[nonempty], minlength=len(texts.lengths)).astype(np.int64)
    codes, lengths = texts.codes.astype(np.int64), texts.sentence_lengths[nonempty].astype(np.int64)
    if labels is None:
        return Texts(Sentences(codes, lengths), sizes)
    return Texts(Sentences(codes, lengths, *labels.of_words(codes)), sizes)
