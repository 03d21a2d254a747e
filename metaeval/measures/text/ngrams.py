"""ROUGE-N, ROUGE-S and ROUGE-SU: common n-grams and skip-bigrams of a text and its references.

Grams become integers and are counted for all texts at once, by sorting or in a table. They cross sentence boundaries.
Variant `equations` follows eqs. (13)-(19) of Hirao et al. (2006), variant `perl` reproduces ROUGE-1.5.5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Floats, Ints
from metaeval.measures.text.overlap import (
    Comparison,
    Overlap,
    Pooling,
    Rouge,
    SharedGrams,
    Variant,
    as_printed,
    portions,
    rouge_from_overlap,
)
from metaeval.measures.text.spec import reference_measure
from metaeval.model.runs import starts_of

_CELLS_PER_PAIR = 4
"""A table of all pairs of words is faster than sorting pairs of tokens up to this many cells per pair."""

_LISTING, _SORTING, _STEPPING = 16, 64, 60
"""Cost of a listed pair, a sorted pair and a token, in units of an addition to a row of a table of pairs."""

CELLS_AT_ONCE = 4_000_000
"""Maximum number of cells of tables of pairs in memory, four bytes each; no result depends on it."""

Skip = int | Literal["all"]
"""Maximum number of tokens between the two of a skip-bigram."""

_SKIP_MEANING = {"skip": "maximum number of words between the two words of a pair"}


@reference_measure(
    "rouge-n",
    title="ROUGE-N",
    question="how many word n-grams are shared with a reference",
    source="lin2004",
    formula="R = Σ_g min(count_C(g), count_R(g)) / n-grams of R, P the same / n-grams of C, F = (1 + β²) R P / "
    "(R + β² P)",
    parameters={"n": "length of the n-grams in words"},
)
def rouge_n(
    comparison: Comparison,
    *,
    n: int = 1,
    variant: Variant = "equations",
    refs: Pooling = "mean",
    beta: float = 1.0,
) -> Rouge:
    """Overlap of the output and its references in n-grams.

    Source: Hirao et al. (2006), eq. (13) for recall; Lin (2004), section 2.
    """
    overlap = Overlap(
        _shared_ngrams(comparison, n).hits,
        np.maximum(comparison.references.words_of_texts - n + 1, 0),
        np.maximum(comparison.candidates.words_of_texts - n + 1, 0),
    )
    return _from_counts(overlap, comparison, variant=variant, refs=refs, beta=beta)


@reference_measure(
    "rouge-s",
    title="ROUGE-S",
    question="how many ordered word pairs are shared with a reference",
    source="lin2004",
    formula="as rouge-n, for pairs of words in their order with at most `skip` words in between",
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
    """Overlap of the output and its references in skip-bigrams: ordered pairs of words with gaps.

    Source: Hirao et al. (2006), eqs. (14)-(16); Lin (2004), section 5.
    """
    return _skip_bigrams(comparison, skip, unigrams=0, variant=variant, refs=refs, beta=beta)


@reference_measure(
    "rouge-su",
    title="ROUGE-SU",
    question="how many words and ordered word pairs are shared with a reference",
    source="lin2004",
    formula="as rouge-s, for these pairs and single words together",
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
    """Overlap of the output and its references in skip-bigrams and unigrams.

    Variant perl counts every unigram except the last of a text, so that a text of one token scores 0.
    Source: Hirao et al. (2006), eqs. (17)-(19); Lin (2004), section 5.2.
    """
    unigrams = 1 if variant == "equations" else -1
    return _skip_bigrams(comparison, skip, unigrams=unigrams, variant=variant, refs=refs, beta=beta)


def _skip_bigrams(
    comparison: Comparison, skip: Skip, *, unigrams: int, variant: Variant, refs: Pooling, beta: float
) -> Rouge:
    """unigrams: 0 for none, 1 for all, -1 for all except the last of each text."""
    hits = _shared_pairs(comparison, skip)
    if unigrams:
        tokens = comparison.shared_tokens
        counted = ~tokens.last if unigrams < 0 else np.ones_like(tokens.last)
        cells = (comparison.rows(tokens.vocabulary)[tokens.text] + tokens.local)[counted]
        hits = hits + comparison.matches_in_table(cells, tokens.vocabulary)

    def total(lengths: Ints) -> Ints:
        counted_unigrams = lengths if unigrams > 0 else np.maximum(lengths - 1, 0)
        return _pairs_within(lengths, skip) + (counted_unigrams if unigrams else 0)

    totals = total(comparison.references.words_of_texts), total(comparison.candidates.words_of_texts)
    return _from_counts(Overlap(hits, *totals), comparison, variant=variant, refs=refs, beta=beta)


def _shared_pairs(comparison: Comparison, skip: Skip) -> Floats:
    """Skip-bigrams that each reference shares with its candidate, (R,)."""
    tokens = comparison.shared_tokens
    texts = comparison.items + len(comparison.item)
    lengths = np.concatenate([comparison.candidates.words_of_texts, comparison.references.words_of_texts])
    if skip == "all" or skip + 2 >= lengths.max(initial=0):
        return _pairs_stepwise(comparison, tokens.local, np.bincount(tokens.text, minlength=texts), reach=None)
    # An item with v shared words has v² pairs of words, in a table for each of its texts.
    words = np.concatenate([tokens.vocabulary, tokens.vocabulary[comparison.item]])
    pairs = int(_pairs_within(np.bincount(tokens.text, minlength=texts), skip).sum())
    in_table = bool((words**2).sum() <= _CELLS_PER_PAIR * pairs)
    if pairs * (_LISTING if in_table else _SORTING) > (lengths * (words + _STEPPING)).sum():
        # Of all tokens, because others count for the distance; they have one code above all others.
        word = np.full(int(lengths.sum()), tokens.vocabulary.max(initial=0))
        word[tokens.position] = tokens.local
        return _pairs_stepwise(comparison, word, lengths, reach=skip + 1)
    return _pairs_listed(comparison, skip, in_table=in_table)


def _pairs_listed(comparison: Comparison, skip: int, *, in_table: bool) -> Floats:
    """Skip-bigrams listed as pairs of tokens, which is fastest for small `skip`, then counted or sorted."""
    tokens = comparison.shared_tokens
    # The pairs of words of an item, those of the first word together.
    codes, vocabulary = tokens.vocabulary**2, tokens.vocabulary[tokens.item]
    first_code = tokens.local * vocabulary + comparison.rows(codes)[tokens.text if in_table else tokens.item]
    grams, indices = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for lag in range(1, min(skip + 2, len(tokens.word))):
        near = tokens.position[lag:] - tokens.position[:-lag] <= skip + 1
        first = np.flatnonzero(near & (tokens.text[lag:] == tokens.text[:-lag]))
        grams.append(first_code[first] + tokens.local[first + lag])
        if not in_table:
            indices.append(tokens.text[first])
    if in_table:
        return comparison.matches_in_table(np.concatenate(grams), codes)
    return comparison.matches(np.concatenate(grams), np.concatenate(indices))


def _shared_ngrams(comparison: Comparison, n: int) -> SharedGrams:
    """The n-grams that a text shares with its candidate or references: two shared shorter ones, a token apart.

    They are found once for all n up to the largest one.
    """
    grams = comparison.ngrams
    if not grams:
        words = comparison.shared_tokens
        cells = comparison.rows(words.vocabulary)[words.text] + words.local
        hits = comparison.matches_in_table(cells, words.vocabulary)
        grams.append(SharedGrams(np.arange(len(words.word)), words.word, hits))
    while len(grams) < n:
        grams.append(_one_longer(comparison, grams[-1]))
    return grams[n - 1]


def _one_longer(comparison: Comparison, grams: SharedGrams) -> SharedGrams:
    """Grams of one token more; those of a text are in the order of their first tokens."""
    words = comparison.shared_tokens
    number = np.full(len(words.word) + 1, -1)
    number[grams.start] = grams.number
    following = grams.start + 1
    last = np.minimum(following, len(words.word) - 1)
    whole = number[following] >= 0
    whole &= words.position[last] == words.position[grams.start] + 1
    whole &= words.text[last] == words.text[grams.start]
    start = grams.start[whole]
    pair = grams.number[whole] * (int(grams.number.max(initial=0)) + 1) + number[start + 1]
    return comparison.shared_grams(pair, start)


def _pairs_stepwise(comparison: Comparison, word: Ints, length: Ints, *, reach: int | None) -> Floats:
    """Skip-bigrams counted in a table of pairs of words: a token adds the counts of the words before it to its row.

    The time is that of tokens × words, for any number of pairs. word: local codes of tokens, (T,). length: number of
    tokens of each text, (N + R,). reach: number of tokens back (None: to the start).
    """
    start = starts_of(length)
    hits = np.zeros(len(comparison.item))
    vocabulary = comparison.shared_tokens.vocabulary[comparison.item]
    order = np.argsort(-vocabulary, kind="stable")[: np.count_nonzero(vocabulary)]
    # References with similar numbers of words are processed together, each with its candidate.
    for portion in portions(2 * (vocabulary[order] + 1) ** 2, CELLS_AT_ONCE):
        references = order[portion]
        candidates, candidate = np.unique(comparison.item[references], return_inverse=True)
        words = int(comparison.shared_tokens.vocabulary[candidates].max())
        texts = np.concatenate([candidates, comparison.items + references])
        pairs = _tables(word, start[texts], length[texts], words, reach)[:, :words, :words]
        hits[references] = np.minimum(pairs[len(candidates) :], pairs[candidate]).sum(axis=(1, 2), dtype=np.int64)
    return hits


def _tables(word: Ints, start: Ints, length: Ints, words: int, reach: int | None) -> NDArray[np.int32 | np.int64]:
    """Number of times that each word precedes each other word, (texts, words + 1, words + 1), the later word first."""
    width = words + 1
    longest_first = np.argsort(-length, kind="stable")
    start, length = start[longest_first], length[longest_first]
    # A cell is at most half the square of the length.
    number = np.int32 if length.max(initial=0) <= 2**16 else np.int64
    pairs = np.zeros((len(length) * width, width), dtype=number)
    before = np.zeros((len(length), width), dtype=np.int32)
    row, cells = longest_first * width, before.reshape(-1)
    first_cell = np.arange(len(length)) * width
    # The texts that are long enough for a step come first.
    running = np.searchsorted(-length, -np.arange(int(length.max(initial=0))))
    for step, texts_left in enumerate(running.tolist()):
        codes = np.minimum(word[start[:texts_left] + step], words)
        pairs[row[:texts_left] + codes] += before[:texts_left]
        cells[first_cell[:texts_left] + codes] += 1
        if reach is not None and step >= reach:
            old_codes = np.minimum(word[start[:texts_left] + step - reach], words)
            cells[first_cell[:texts_left] + old_codes] -= 1
    return pairs.reshape(len(length), width, width)


def _pairs_within(lengths: Ints, skip: Skip) -> Ints:
    """Number of pairs i < j ≤ i + skip + 1 of L positions: reach · L − reach (reach + 1) / 2 with reach < L."""
    farthest = np.maximum(lengths - 1, 0)
    reach = farthest if skip == "all" else np.minimum(farthest, skip + 1)
    return np.asarray(reach * lengths - reach * (reach + 1) // 2)


def _from_counts(overlap: Overlap, comparison: Comparison, *, variant: Variant, refs: Pooling, beta: float) -> Rouge:
    if variant == "perl":
        # ROUGE-1.5.5 compares rounded recalls, so near ties go to the first reference.
        overlap = replace(overlap, preference=as_printed(overlap.recall))
    return rouge_from_overlap(overlap, comparison, variant=variant, refs=refs, beta=beta)
