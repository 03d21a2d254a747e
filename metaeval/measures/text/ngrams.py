"""ROUGE-N, ROUGE-S and ROUGE-SU: the n-grams and skip-bigrams that a text shares with its references.

Grams become integers and are counted for all texts at once, by sorting or in a table. They run across the ends of
sentences. Variant `equations` follows eqs. (13)-(19) of Hirao et al. (2006), `perl` gives the digits of ROUGE-1.5.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
    portions,
    rouge_from_overlap,
)
from metaeval.measures.text.spec import reference_measure
from metaeval.stats.ratio import divide

_CELLS_PER_PAIR = 4
"""A table of all pairs of words beats sorting the pairs of tokens while it is at most this much longer."""

_LISTING, _SORTING, _STEPPING = 16, 64, 60
"""What a listed pair, a sorted pair and a token on its own cost, counted in additions to a row of a table of pairs."""

CELLS_AT_ONCE = 4_000_000
"""Cells of tables of pairs kept in memory at a time, four bytes each; it changes no result."""

Skip = int | Literal["all"]
"""Tokens that may stand between the two of a skip-bigram: at most so many, or any number."""

_SKIP_MEANING = {"skip": "words that may stand between the two of a pair"}


@reference_measure(
    "rouge-n",
    title="ROUGE-N",
    source="lin2004",
    formula="R = Σ_g min(count_C(g), count_R(g)) / grams of R, P the same / grams of C, F = (1 + β²) R P / (R + β² P)",
    parameters={"n": "words of a gram"},
)
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
    radix, codes = int(shared.vocabulary.max(initial=1)), len(shared.word)
    for offset in range(1, n):
        start = start[start < len(shared.word) - offset]
        whole = (shared.position[start + offset] == shared.position[start] + offset) & (
            shared.text[start + offset] == shared.text[start]
        )
        gram, start = gram[: len(start)][whole], start[whole]
        if codes * radix > comparison.largest_gram:
            gram, codes = np.unique(gram, return_inverse=True)[1], len(gram)
        gram, codes = gram * radix + shared.local[start + offset], codes * radix
    return _from_counts(
        comparison,
        comparison.matches(gram, shared.text[start]),
        _ngrams(comparison.references.lengths, n),
        _ngrams(comparison.candidates.lengths, n),
        variant=variant,
        refs=refs,
        beta=beta,
    )


@reference_measure(
    "rouge-s",
    title="ROUGE-S",
    source="lin2004",
    formula="as rouge-n, of pairs of words in their order with at most `skip` words between",
    parameters=_SKIP_MEANING,
)
def rouge_s(
    comparison: Comparison,
    *,
    skip: Skip = 4,
    variant: Variant = "equations",
    refs: Pooling = "mean",
    beta: float = 1.0,
) -> Rouge:
    """Share of the skip-bigrams of the reference that the candidate has: pairs of tokens with at most `skip` between.

    skip: at least 0, which is ROUGE-2; 'all' for any number. Returns (N,) each.
    Source: Hirao et al. (2006), eqs. (14)-(16); Lin (2004), section 5. Raises InputError for a skip below 0.

    >>> rouge_s(Comparison.of([[[1, 2, 3]]], [[[[1, 3, 2]]]]), skip="all").f.round(4)
    array([0.6667])
    """
    return _skip_bigrams(comparison, skip, unigrams=0, variant=variant, refs=refs, beta=beta)


@reference_measure(
    "rouge-su",
    title="ROUGE-SU",
    source="lin2004",
    formula="as rouge-s, of such pairs and single words together",
    parameters=_SKIP_MEANING,
)
def rouge_su(
    comparison: Comparison,
    *,
    skip: Skip = 4,
    variant: Variant = "equations",
    refs: Pooling = "mean",
    beta: float = 1.0,
) -> Rouge:
    """Share of the skip-bigrams and unigrams of the reference that the candidate has.

    skip: as for `rouge_s`. Returns (N,) each. The perl counts every unigram but the last of a text, so that a text of
    one token scores 0. Source: Hirao et al. (2006), eqs. (17)-(19); Lin (2004), section 5.2.

    >>> rouge_su(Comparison.of([[[1, 2, 3]]], [[[[1, 3, 2]]]])).f.round(4)
    array([0.8333])
    """
    unigrams = 1 if variant == "equations" else -1
    return _skip_bigrams(comparison, skip, unigrams=unigrams, variant=variant, refs=refs, beta=beta)


def _skip_bigrams(
    comparison: Comparison, skip: Skip, *, unigrams: int, variant: Variant, refs: Pooling, beta: float
) -> Rouge:
    """unigrams: 0 none, 1 all of them, -1 all but the last of each text."""
    if skip != "all":
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


def _shared_pairs(comparison: Comparison, skip: Skip) -> Floats:
    """Skip-bigrams that each reference shares with its candidate, (R,)."""
    shared = comparison.shared
    texts = comparison.items + len(comparison.item)
    tokens = np.concatenate([comparison.candidates.lengths, comparison.references.lengths])
    if skip == "all" or skip + 2 >= tokens.max(initial=0):
        return _pairs_stepwise(comparison, _shared_words(comparison), reach=None)
    # An item with v shared words has v² pairs of words, in a table for each of its texts.
    words = _words_of_texts(comparison)
    pairs = int(_pairs_within(np.bincount(shared.text, minlength=texts), skip).sum())
    in_table = bool((words**2).sum() <= _CELLS_PER_PAIR * pairs)
    if pairs * (_LISTING if in_table else _SORTING) > (tokens * (words + _STEPPING)).sum():
        return _pairs_stepwise(comparison, _all_words(comparison), reach=skip + 1)
    return _pairs_listed(comparison, skip, in_table=in_table)


def _pairs_listed(comparison: Comparison, skip: int, *, in_table: bool) -> Floats:
    """Pairs of tokens one by one, which is best for a short reach; they are counted in a table or by sorting."""
    shared = comparison.shared
    # The pairs of words of an item, those of the first word together.
    codes, vocabulary = shared.vocabulary**2, shared.vocabulary[shared.item]
    first_code = shared.local * vocabulary + comparison.rows(codes)[shared.text if in_table else shared.item]
    grams, places = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for lag in range(1, min(skip + 2, len(shared.word))):
        near = shared.position[lag:] - shared.position[:-lag] <= skip + 1
        first = np.flatnonzero(near & (shared.text[lag:] == shared.text[:-lag]))
        grams.append(first_code[first] + shared.local[first + lag])
        if not in_table:
            places.append(shared.text[first])
    if in_table:
        return comparison.matches_in_table(np.concatenate(grams), codes)
    return comparison.matches(np.concatenate(grams), np.concatenate(places))


@dataclass(frozen=True)
class _Steps:
    """The words of texts, to be gone through one token at a time.

    word: (T,) local codes, below the words of the item. start, length: (N + R,) where each text begins, how long it is.
    """

    word: Integers
    start: Integers
    length: Integers


def _shared_words(comparison: Comparison) -> _Steps:
    length = np.bincount(comparison.shared.text, minlength=comparison.items + len(comparison.item))
    return _Steps(comparison.shared.local, np.cumsum(length) - length, length)


def _all_words(comparison: Comparison) -> _Steps:
    """All tokens, since others count for the distance; those that are not shared are a word beyond all others."""
    length = np.concatenate([comparison.candidates.lengths, comparison.references.lengths])
    word = np.full(int(length.sum()), comparison.shared.vocabulary.max(initial=0))
    word[comparison.shared.position] = comparison.shared.local
    return _Steps(word, np.cumsum(length) - length, length)


def _words_of_texts(comparison: Comparison) -> Integers:
    vocabulary = comparison.shared.vocabulary
    return np.concatenate([vocabulary, vocabulary[comparison.item]])


def _pairs_stepwise(comparison: Comparison, steps: _Steps, *, reach: int | None) -> Floats:
    """Pairs counted in a table of all pairs of words: a token adds the counts of the words before it to its row.

    That takes the time of tokens times words, however many pairs there are, and little memory but for the tables of a
    single item. reach: how many tokens back (None: to the start).
    """
    hits = np.zeros(len(comparison.item))
    vocabulary = comparison.shared.vocabulary[comparison.item]
    order = np.argsort(-vocabulary, kind="stable")[: np.count_nonzero(vocabulary)]
    # References with similar numbers of words together. A reference may bring a candidate along.
    for portion in portions(2 * (vocabulary[order] + 1) ** 2, CELLS_AT_ONCE):
        references = order[portion]
        candidates, own = np.unique(comparison.item[references], return_inverse=True)
        words = int(comparison.shared.vocabulary[candidates].max())
        texts = np.concatenate([candidates, comparison.items + references])
        pairs = _tables(steps, texts, words, reach)[:, :words, :words]
        hits[references] = np.minimum(pairs[len(candidates) :], pairs[own]).sum(axis=(1, 2), dtype=np.int64)
    return hits


def _tables(steps: _Steps, texts: Integers, words: int, reach: int | None) -> NDArray[np.int32 | np.int64]:
    """How often each word stands before each other one, (texts, words + 1, words + 1), the later one first."""
    width = words + 1
    longest_first = np.argsort(-steps.length[texts], kind="stable")
    start, length = steps.start[texts[longest_first]], steps.length[texts[longest_first]]
    # Half the square of the length is the most that a cell may hold.
    number = np.int32 if length.max(initial=0) <= 2**16 else np.int64
    pairs = np.zeros((len(texts) * width, width), dtype=number)
    before = np.zeros((len(texts), width), dtype=np.int32)
    row, cells = longest_first * width, before.reshape(-1)
    first_cell = np.arange(len(texts)) * width
    # At each step the texts that are long enough stand in front.
    running = np.searchsorted(-length, -np.arange(int(length.max(initial=0))))
    for step, texts_left in enumerate(running.tolist()):
        word = np.minimum(steps.word[start[:texts_left] + step], words)
        pairs[row[:texts_left] + word] += before[:texts_left]
        cells[first_cell[:texts_left] + word] += 1
        if reach is not None and step >= reach:
            left_behind = np.minimum(steps.word[start[:texts_left] + step - reach], words)
            cells[first_cell[:texts_left] + left_behind] -= 1
    return pairs.reshape(len(texts), width, width)


def _ngrams(lengths: Integers, n: int) -> Integers:
    return np.maximum(lengths - n + 1, 0)


def _pairs_within(lengths: Integers, skip: Skip) -> Integers:
    """Pairs i < j ≤ i + skip + 1 of L places: reach · L − reach (reach + 1) / 2, the reach being at most L − 1."""
    farthest = np.maximum(lengths - 1, 0)
    reach = farthest if skip == "all" else np.minimum(farthest, skip + 1)
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
