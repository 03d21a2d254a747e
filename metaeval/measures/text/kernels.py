"""String kernels: common word sequences of two sentences, weighted by the number of skipped words.

The word sequence kernel (WSK) matches words; the extended string subsequence kernel (ESK) also matches words that share
a semantic label. Equation numbers are those of section 3 of Hirao, Okumura & Isozaki (2006).

A *match* is a pair of matching positions of two sentences; two matches that can follow each other in a common sequence
are a *link*. All decays of a grid share matches and links.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.arrays import Bools, Integers, Ints, Scores
from metaeval.errors import refuse
from metaeval.measures.text.matches import Matches, Sides, WordLabels, cut, first_of_run, index_words, matches_in_blocks
from metaeval.measures.text.overlap import (
    Comparison,
    Rouge,
    f_measure,
    first_of_highest,
    mean_over_references,
    sentence_pairs,
)
from metaeval.measures.text.spec import reference_measure
from metaeval.model.runs import TokenizedTexts, ranges, starts_of

# Measured costs of a possible link, and of a cell of a table per step, relative to following a link.
_LINKING, _SCANNING = 20, 7
# Maximum number of links of a pair in memory.
_MAX_LINKS = 1 << 24
# Maximum number of sentence pairs with scores in memory, but for one sentence with all of the other text.
_PAIRS_AT_ONCE = 1 << 16


def esk(
    first: TokenizedTexts,
    second: TokenizedTexts,
    pairs: ArrayLike,
    labels: WordLabels | None = None,
    *,
    d: int,
    decay: ArrayLike,
) -> Scores:
    """Extended string subsequence kernel, eqs. (1) to (6), for every length up to d and every decay at once.

    pairs: (P, 2) indices of a sentence of `first` and one of `second`. d: maximum length of a sequence in words, ≥ 1.
    decay: λ in [0, 1], the weight of a skipped word; a number or an array. Returns (*decay.shape, d, P): entry m − 1 is
    the kernel of sequences of up to m words. Raises InputError for kernels beyond the range of floating point.

    >>> becoming = TokenizedTexts.of([[[0, 1, 2, 3]]])  # Becoming a cosmonaut is
    >>> became = TokenizedTexts.of([[[0, 4, 5, 3]]])  # Becoming an astronaut is
    >>> labels = WordLabels.of([[], [], [7], [], [], [7]])
    >>> esk(becoming, became, [[0, 0]], labels, d=2, decay=0.5).ravel()  # 3 and 1 + λ² + λ⁴
    array([3.    , 4.3125])
    >>> esk(becoming, became, [[0, 0]], d=2, decay=[0.0, 0.5])[:, 1, 0]  # WSK
    array([2.    , 2.0625])
    """
    indices = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return _kernels(index_words(first, second, labels), indices, d=d, decay=decay)


def _kernels(sides: Sides, pairs: Ints, *, d: int, decay: ArrayLike) -> Scores:
    """`esk` of sentences that are indexed already."""
    decays = np.asarray(decay, dtype=np.float64)
    out = np.zeros((decays.size, d, len(pairs)))
    with np.errstate(over="ignore", invalid="ignore"):
        for block, matches in matches_in_blocks(sides, pairs):
            _set_kernels(out, block, matches, decays.ravel())
    _require_finite(out, d)
    return out.reshape(*decays.shape, d, len(pairs))


def precision_and_recall(
    comparison: Comparison, labels: WordLabels | None, *, d: int, decay: ArrayLike
) -> tuple[Scores, Scores]:
    """Mean similarity of sentences to the most similar one of the other text: precision, eq. (8), and recall, eq. (9).

    Returns two arrays (*decay.shape, d, R), which are 0 if one of the texts has no sentence.
    """
    candidates, references = comparison.candidates, comparison.references
    selves = [_self_kernels(texts, labels, d=d, decay=decay) for texts in (candidates, references)]
    sides = index_words(candidates, references, labels)
    partners = candidates.sizes[comparison.item]
    # The rows of each reference are the sentences of its candidate.
    shift = starts_of(partners)[:-1] - starts_of(candidates.sizes)[comparison.item]
    row_best = np.zeros((*np.shape(decay), d, int(partners.sum())))
    column_best = np.zeros((*np.shape(decay), d, len(references.lengths)))
    for columns in cut(partners[references.text_of_sentence], _PAIRS_AT_ONCE):
        column, row = sentence_pairs(comparison, columns)
        kernel = _kernels(sides, np.stack([row, column], axis=1), d=d, decay=decay)
        values = _similarity(kernel, selves[0][..., row], selves[1][..., column], d)
        _keep_best(row_best, row + shift[references.text_of_sentence[column]], values)
        _keep_best(column_best, column, values)
    return _run_means(row_best, partners), _run_means(column_best, references.sizes)


def _require_finite(kernels: Scores, d: int) -> None:
    if not np.isfinite(kernels).all():
        found = f"a kernel of sequences of up to {d} words beyond the range of numbers"
        raise refuse(None, found, hint="use a smaller d")


def _self_kernels(texts: TokenizedTexts, labels: WordLabels | None, *, d: int, decay: ArrayLike) -> Scores:
    """Kernel of each sentence with itself, (*decay.shape, d, Z), which normalises eq. (7)."""
    sentences = np.arange(len(texts.lengths))
    return esk(texts, texts, np.stack([sentences, sentences], axis=1), labels, d=d, decay=decay)


def _similarity(kernel: Scores, first_kernel: Scores, second_kernel: Scores, d: int) -> Scores:
    """Kernel divided by the geometric mean of the self kernels, eq. (7), from 0 to 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = first_kernel * second_kernel
    _require_finite(product, d)
    values = np.divide(kernel, np.sqrt(product), out=np.zeros_like(kernel), where=product > 0)
    # Rounding errors may exceed 1.
    return np.minimum(values, 1.0)


def _set_kernels(out: Scores, block: Ints, matches: Matches, decays: Scores) -> None:
    """Write the kernels of a block into out (decays, d, P); rows are faster for pairs with many links."""
    counts = np.bincount(matches.pair, minlength=matches.pairs)
    # A longer sequence is in no sentence.
    longest = max(1, min(out.shape[1], *matches.shape))
    steps = len(decays) * (longest - 1)
    links, cells = counts * (counts - 1.0) / 2, math.prod(matches.shape)
    crowded = (links * (_LINKING + steps) > _SCANNING * steps * cells) | (links > _MAX_LINKS)
    for subset, kernels in ((crowded, _by_rows), (~crowded, _by_links)):
        if subset.any():
            out[:, :longest, block[subset]] = kernels(_only(matches, subset), decays, longest)
    out[:, longest:, block] = out[:, longest - 1 : longest, block]


def _only(matches: Matches, subset: Bools) -> Matches:
    if subset.all():
        return matches
    in_subset = subset[matches.pair]
    numbers = np.cumsum(subset) - 1
    return matches._replace(
        pair=numbers[matches.pair[in_subset]],
        row=matches.row[in_subset],
        column=matches.column[in_subset],
        value=matches.value[in_subset],
        pairs=int(subset.sum()),
    )


def _by_links(matches: Matches, decays: Scores, d: int) -> Scores:
    """K_m = val ∘ (W K_{m-1}), W[e, f] = λ^(words skipped between f and e): eqs. (2), (5), (6) over matches only."""
    from scipy.sparse import csr_array

    after, before, skipped = _links(matches)
    size = len(matches.value)
    starts = starts_of(np.bincount(after, minlength=size)).astype(np.int32)
    out = np.empty((len(decays), d, matches.pairs))
    for kernels, decay in zip(out, decays, strict=True):
        weights = np.power(float(decay), np.arange(sum(matches.shape)))[skipped]
        follow = csr_array((weights, before, starts), shape=(size, size))
        at_match = matches.value
        kernels[0] = np.bincount(matches.pair, at_match, matches.pairs)
        for m in range(1, d):
            at_match = matches.value * np.asarray(follow @ at_match)
            kernels[m] = kernels[m - 1] + np.bincount(matches.pair, at_match, matches.pairs)
    return out


def _links(matches: Matches) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Later match, earlier match and number of skipped words of all links, sorted by the later match."""
    index = np.arange(len(matches.value))
    pair_start = first_of_run(matches.pair)
    # Matches are sorted by row, so only columns have to be compared.
    earlier = first_of_run(matches.pair * max(matches.shape[0], 1) + matches.row) - pair_start
    after = np.repeat(index.astype(np.int32), earlier)
    before = ranges(pair_start, earlier).astype(np.int32)
    row, column = matches.row.astype(np.int32), matches.column.astype(np.int32)
    across = column[after] - column[before]
    is_link = across > 0
    after, before = after[is_link], before[is_link]
    return after, before, across[is_link] + row[after] - row[before] - 2


def _by_rows(matches: Matches, decays: Scores, d: int) -> Scores:
    """K_m, row by row of the tables of all pairs: eqs. (2), (5), (6)."""
    # A slow import that few texts need.
    from scipy.signal import lfilter

    rows, columns = matches.shape
    by_row = np.argsort(matches.row, kind="stable")
    pair, value = matches.pair[by_row], matches.value[by_row]
    cell = pair * columns + matches.column[by_row]
    bounds = starts_of(np.bincount(matches.row, minlength=rows)).tolist()
    out = np.zeros((len(decays), d, matches.pairs))
    for kernels, decay in zip(out, decays, strict=True):
        # K'' of eq. (6) for sequences of 1, 2, … words that end before this row.
        above = np.zeros((d, matches.pairs * columns))
        for begin, end in pairwise(bounds):
            # K' of eq. (5): y[j] = x[j - 1] + λ y[j - 1].
            shorter = above[:-1].reshape(d - 1, matches.pairs, columns)
            before = lfilter([0.0, 1.0], [1.0, -decay], shorter, axis=-1).reshape(d - 1, matches.pairs * columns)
            cells = cell[begin:end]
            at_match = value[begin:end] * np.concatenate([np.ones((1, len(cells))), before[:, cells]])
            kernels += [np.bincount(pair[begin:end], weights, matches.pairs) for weights in at_match]
            above *= decay
            above[:, cells] += at_match
    return np.asarray(np.cumsum(out, axis=1))


def _keep_best(best: Scores, line: Ints, values: Scores) -> None:
    """Raise the best value of each line (..., L) to its highest value; line: (P,). values: (..., P)."""
    order = np.argsort(line, kind="stable")
    begins = np.flatnonzero(np.diff(line[order], prepend=-1))
    lines = line[order[begins]]
    best[..., lines] = np.maximum(best[..., lines], np.maximum.reduceat(values[..., order], begins, axis=-1))


def _run_means(values: Scores, sizes: Integers) -> Scores:
    """Means of consecutive runs of values (..., L) of these sizes, (..., R); 0 for an empty run."""
    means, nonempty = np.zeros((*values.shape[:-1], len(sizes))), sizes > 0
    means[..., nonempty] = np.add.reduceat(values, starts_of(sizes)[:-1][nonempty], axis=-1) / sizes[nonempty]
    return means


Choice = Literal["mean", "best", "best-f"]
"""Several references: mean of the scores (eq. 11), or the scores of the first with the highest recall or F."""

_MEANINGS = {
    "d": "maximum number of words in a sequence",
    "lambda": "weight of a skipped word, from 0 to 1",
    "refs": "how several references are combined: mean of the scores, or the best, which is the first "
    "with the highest recall (best) or F (best-f)",
}


def _scores(
    comparison: Comparison,
    labels: WordLabels | None,
    *,
    d: int | Sequence[int],
    lambda_: float | Sequence[float],
    beta: float | Sequence[float],
    refs: Choice,
) -> Rouge:
    """Scores by a kernel, (*d.shape, *λ.shape, *β.shape, N)."""
    candidates, references = map(_without_empty_sentences, (comparison.candidates, comparison.references))
    nonempty = replace(comparison, candidates=candidates, references=references)
    lengths = np.array(d, dtype=np.int64)
    rates = precision_and_recall(nonempty, labels, d=int(lengths.max(initial=1)), decay=np.array(lambda_))
    # (*λ, d, R) to (*d, *λ, …, R), with the axes of β before the references.
    beta_axes = tuple(range(-1 - np.ndim(beta), -1))
    precision, recall = (np.expand_dims(np.moveaxis(rate, -2, 0)[lengths - 1], beta_axes) for rate in rates)
    f = f_measure(precision, recall, beta=np.array(beta)[..., np.newaxis])
    scores = (np.broadcast_to(recall, f.shape), np.broadcast_to(precision, f.shape), f)
    if refs == "mean":
        return Rouge(*(mean_over_references(score, comparison) for score in scores))
    best = first_of_highest(scores[0] if refs == "best" else scores[2], comparison)
    return Rouge(*(np.take_along_axis(score, best, axis=-1) for score in scores))


@reference_measure(
    "wsk",
    title="Word sequence kernel",
    question="how many word sequences with gaps are shared with a reference",
    source="hirao2006",
    formula="F = (1 + β²) R P / (R + β² P); P = mean over output sentences i of max_j sim(c_i, r_j), R = mean "
    "over reference sentences j of max_i sim(c_i, r_j); sim(x, y) = K(x, y) / √(K(x, x) K(y, y)); K = "
    "sum over common sequences of up to d words of λ^(words skipped in both)",
    parameters=_MEANINGS,
    gridded=("d", "lambda", "beta"),
)
def word_sequence_kernel(
    comparison: Comparison,
    *,
    d: int | Sequence[int] = 2,
    lambda_: float | Sequence[float] = 0.5,
    beta: float | Sequence[float] = 2.0,
    refs: Choice = "mean",
) -> Rouge:
    """Mean similarity of sentences to the most similar sentence of the other text, by common word sequences with gaps.

    Source: eqs. (7) to (12).
    """
    return _scores(comparison, None, d=d, lambda_=lambda_, beta=beta, refs=refs)


@reference_measure(
    "esk",
    title="Extended string subsequence kernel",
    question="how many sequences of words and meanings with gaps are shared with a reference",
    source="hirao2006",
    formula="as wsk, with the value [t_i = t_j] + |M_i ∩ M_j| of two words t with the semantic labels M in index of "
    "[t_i = t_j]",
    parameters=_MEANINGS,
    gridded=("d", "lambda", "beta"),
    needs_lexicon=True,
)
def extended_string_kernel(
    comparison: Comparison,
    *,
    d: int | Sequence[int] = 2,
    lambda_: float | Sequence[float] = 0.5,
    beta: float | Sequence[float] = 2.0,
    refs: Choice = "mean",
) -> Rouge:
    """Word sequence kernel in which words also match by the semantic labels that they share.

    The labels are `comparison.labels`; without any, it equals the word sequence kernel. Source: eqs. (1) to (11).
    """
    return _scores(comparison, comparison.labels, d=d, lambda_=lambda_, beta=beta, refs=refs)


def _without_empty_sentences(texts: TokenizedTexts) -> TokenizedTexts:
    """Texts without their empty sentences, whose similarity is 0, even to themselves."""
    nonempty = texts.lengths > 0
    sizes = np.bincount(texts.text_of_sentence[nonempty], minlength=len(texts))
    return TokenizedTexts(texts.codes, texts.lengths[nonempty], sizes)
