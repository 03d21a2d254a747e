"""Common parts of all ROUGE measures: texts with their references, and scores from counts of shared units.

Texts are lists of sentences of integer token codes. `Comparison` holds all tokens of a batch in one array;
`rouge_from_overlap` computes recall, precision and F from the counts of a measure. Variant `equations` follows Hirao
et al. (2006). Variant `perl` reproduces ROUGE-1.5.5, which rounds recall and precision before it computes F.

Unweighted alignments of many pairs of sentences: the tokens on a longest common subsequence.

A column of the table of an alignment is a number whose bits are set where the length increases from one row to the
next; one addition computes the next column (Hyyrö, 2004). Rows are tokens of the reference, columns are tokens of the
candidate, without those that the other text lacks. The traceback of equally long alignments goes up, to the preceding
token of the reference, as in ROUGE-1.5.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Array, Bools, Floats, Indices, Integers, Ints, Scores, Words
from metaeval.measures.text.matches import WordLabels
from metaeval.model.runs import TokenizedTexts, ranges, starts_of
from metaeval.stats.ratio import divide

Text = Sequence[Sequence[int]]
"""Sentences of token codes, which are at least 0."""


Variant = Literal["equations", "perl"]
"""Equations of the papers, or ROUGE-1.5.5 to its last printed digit."""

Pooling = Literal["mean", "pooled", "best", "best-f"]
"""Several references: mean of scores (eq. 11), sums of counts (ROUGE-1.5.5 `-f A`), highest recall (`-f B`) or F."""

PRINTED_DECIMALS = 5
"""Decimals to which ROUGE-1.5.5 rounds recall, precision and F."""

_TOLERANCE = 1e-12
"""Scores of references that differ by this share of the highest are equal."""


class Rouge(NamedTuple):
    """Recall, precision and F_β of each candidate, (N,) each; 0 if the candidate or its references are empty."""

    recall: Floats
    precision: Floats
    f: Floats


@dataclass(frozen=True)
class SharedTokens:
    """Tokens that occur in the candidate of an item and in one of its references, so that they can match.

    text: (T,) text, candidates 0 … N − 1 before references. position: (T,) index among all tokens. last: (T,) whether
    the token ends its text. word: (T,) code of item and token. local: (T,) code of the token within its item.
    item: (T,) item. vocabulary: (N,) number of distinct shared words of each item.
    """

    text: Ints
    position: Ints
    last: Bools
    word: Ints
    local: Ints
    vocabulary: Ints
    item: Ints


@dataclass(frozen=True)
class SharedGrams:
    """Grams that occur in the candidate of an item and in one of its references.

    start: (G,) index among the `SharedTokens` of their first tokens, ascending. number: (G,) the same for equal grams
    of one item only. hits: (R,) number of grams that each reference shares with its candidate, clipped to the smaller
    count.
    """

    start: Ints
    number: Ints
    hits: Floats


@dataclass(frozen=True)
class Comparison:
    """Candidates with their references.

    candidates: N texts. references: R texts, sorted by item. item: (R,) candidate of each reference.
    labels: semantic labels by token code, if there is a lexicon.
    """

    candidates: TokenizedTexts
    references: TokenizedTexts
    item: Ints
    labels: WordLabels | None = None

    @classmethod
    def of(cls, candidates: Sequence[Text], references: Sequence[Sequence[Text]]) -> Comparison:
        """Candidates, and one or more references for each of them, from nested lists."""
        return cls(
            TokenizedTexts.of(candidates),
            TokenizedTexts.of([reference for group in references for reference in group]),
            np.repeat(np.arange(len(candidates)), [len(group) for group in references]),
        )

    @property
    def items(self) -> int:
        """Number of candidates, N."""
        return len(self.candidates)

    @cached_property
    def shared_tokens(self) -> SharedTokens:
        """Tokens that can match."""
        text = np.concatenate([self.candidates.text, self.items + self.references.text])
        item = np.concatenate([self.candidates.text, self.item[self.references.text]])
        codes = np.concatenate([self.candidates.codes, self.references.codes])
        if codes.max(initial=0) > 2 * len(codes):
            codes = np.unique(codes, return_inverse=True)[1]
        # Those of the candidates come first.
        number, first = _on_both_sides(item * (int(codes.max(initial=0)) + 1) + codes, len(self.candidates.codes))
        position = np.flatnonzero(number >= 0)
        word = number[position]
        vocabulary = np.bincount(item[first], minlength=self.items)
        return SharedTokens(
            text=text[position],
            position=position,
            last=np.append(text[1:] != text[:-1], np.ones(min(len(text), 1), dtype=bool))[position],
            word=word,
            local=word - (np.cumsum(vocabulary) - vocabulary)[item[position]],
            vocabulary=vocabulary,
            item=item[position],
        )

    @cached_property
    def whole_texts(self) -> Comparison:
        """The same texts as one sentence each."""
        candidates, references = (texts.as_one_sentence() for texts in (self.candidates, self.references))
        whole = replace(self, candidates=candidates, references=references)
        # Shared tokens do not depend on sentences, so they are not computed again.
        vars(whole)["shared_tokens"] = self.shared_tokens
        return whole

    @cached_property
    def ngrams(self) -> list[SharedGrams]:
        """The n-grams found so far, those of one token first."""
        return []

    def shared_grams(self, gram: Ints, start: Ints) -> SharedGrams:
        """Those of the grams that can match; gram: (G,) codes, unique to their items. start: (G,) as in the result."""
        text = self.shared_tokens.text[start]
        number, _ = _on_both_sides(gram, int(np.searchsorted(text, self.items)))
        is_shared = number >= 0
        return SharedGrams(start[is_shared], number[is_shared], self.matches(number[is_shared], text[is_shared]))

    def matches(self, gram: Ints, text: Ints) -> Floats:
        """Number of grams that each reference shares with its candidate, (R,), clipped to the smaller count.

        gram: (G,) codes, unique to their items. text: (G,) their texts, as in `SharedTokens`.
        """
        texts = self.items + len(self.item)
        occurrence, times = np.unique(gram * texts + text, return_counts=True)
        which = occurrence // max(texts, 1)
        where = occurrence - which * texts
        # The candidate precedes the references of a gram, because its number is smaller.
        begin = np.flatnonzero(np.append(True, which[1:] != which[:-1])[: len(which)])
        first = np.repeat(begin, np.diff(np.append(begin, len(which))))
        common = (where >= self.items) & (where[first] < self.items)
        clipped = np.minimum(times[common], times[first[common]])
        return sums(where[common] - self.items, clipped, len(self.item))

    def rows(self, codes: Ints) -> Ints:
        """Starts of the rows of texts, (N + R,), in a table with `codes` (N,) cells for each text of an item."""
        widths = np.concatenate([codes, codes[self.item]])
        return np.asarray(np.cumsum(widths) - widths)

    def matches_in_table(self, cells: Ints, codes: Ints) -> Floats:
        """`matches` without sorting, for few possible grams; cells: (G,) of grams in the table of `rows`."""
        start, width = self.rows(codes), codes[self.item]
        beginning, size = int(codes.sum()), int(width.sum())
        counts = np.bincount(cells, minlength=beginning + size)
        if len(self.item) == self.items:
            candidate_counts = counts[:beginning]
        else:
            shift = start[self.items :] - start[self.item]
            candidate_counts = counts[np.arange(beginning, beginning + size) - np.repeat(shift, width)]
        so_far = np.append(0, np.cumsum(np.minimum(counts[beginning:], candidate_counts)))
        row = start[self.items :] - beginning
        return np.asarray(so_far[row + width] - so_far[row], dtype=np.float64)


@dataclass(frozen=True)
class Overlap:
    """Counts for recall and precision.

    hits, reference_total: of each reference, (R,). candidate_total: of each item, (N,). root: degree of the root of
    each ratio (ROUGE-W; otherwise 1). preference: criterion of `best`, (R,); None for the recall.
    """

    hits: Floats
    reference_total: Array
    candidate_total: Array
    root: float = 1.0
    preference: Floats | None = None

    @property
    def recall(self) -> Floats:
        """Recall before the root, (R,)."""
        return divide(self.hits, self.reference_total, undefined=0.0)


def rouge_from_overlap(
    overlap: Overlap, comparison: Comparison, *, variant: Variant, refs: Pooling, beta: float
) -> Rouge:
    """Scores (N,) from the counts of each reference.

    Source: eqs. (11), (14), (17) and (20) of Hirao et al. (2006).
    """

    def rates(hits: Array, reference_total: Array, candidate_total: Array) -> Rouge:
        recall, precision = (
            divide(hits, total, undefined=0.0) ** (1 / overlap.root) for total in (reference_total, candidate_total)
        )
        if variant == "perl":
            return _perl_scores(recall, precision, beta)
        return Rouge(recall, precision, f_measure(precision, recall, beta=beta))

    counts = overlap.hits, overlap.reference_total, overlap.candidate_total[comparison.item]
    if refs == "pooled":
        return rates(*(sums(comparison.item, count, comparison.items) for count in counts))
    if refs == "mean":
        return Rouge(*(mean_over_references(score, comparison) for score in rates(*counts)))
    if refs == "best-f":
        preference = rates(*counts).f
    else:
        preference = overlap.recall if overlap.preference is None else overlap.preference
    best = first_of_highest(preference, comparison)
    return rates(*(count[best] for count in counts))


def f_measure(precision: Scores, recall: Scores, *, beta: ArrayLike) -> Scores:
    """Weighted harmonic mean, (1 + β²) R P / (R + β² P), eq. (10); 0 where both are 0.

    beta: β ≥ 0, a number or an array.

    >>> f_measure(np.array(1.0), np.array(0.5), beta=[0, 1, 3]).round(4)
    array([1.    , 0.6667, 0.5263])
    """
    square = np.asarray(beta, dtype=np.float64) ** 2
    return divide((1 + square) * recall * precision, recall + square * precision, undefined=0.0)


def mean_over_references(scores: Scores, comparison: Comparison) -> Scores:
    """Mean of the scores (..., R) of the references of each item, eq. (11), (..., N)."""
    sums = np.zeros((*scores.shape[:-1], comparison.items))
    np.add.at(np.moveaxis(sums, -1, 0), comparison.item, np.moveaxis(scores, -1, 0))
    return np.asarray(sums / np.bincount(comparison.item, minlength=comparison.items))


def first_of_highest(scores: Scores, comparison: Comparison) -> Indices:
    """The first reference of each item with the highest score, (..., N)."""
    starts = np.searchsorted(comparison.item, np.arange(comparison.items))
    highest = np.maximum.reduceat(scores, starts, axis=-1)
    references = scores.shape[-1]
    # Equal sums in another order may differ in their last bits.
    equal = scores >= highest[..., comparison.item] * (1 - _TOLERANCE)
    index = np.where(equal, np.arange(references), references)
    return np.asarray(np.minimum.reduceat(index, starts, axis=-1))


def _perl_scores(recall: Floats, precision: Floats, beta: float) -> Rouge:
    """Scores as ROUGE-1.5.5 prints them, of which the order of the operations decides the last digit."""
    recall, precision = as_printed(recall), as_printed(precision)
    alpha = 1 / (1 + beta**2)
    f = divide(precision * recall, (1 - alpha) * precision + alpha * recall, undefined=0.0)
    return Rouge(recall, precision, as_printed(f))


def as_printed(values: Floats) -> Floats:
    """Values rounded to the five decimals that ROUGE-1.5.5 prints, as by printf of C."""
    scaled = values * 10**PRINTED_DECIMALS
    rounded = np.rint(scaled) / 10**PRINTED_DECIMALS
    # Scaling may produce a half that the value is not; such values are formatted one by one.
    for index in np.flatnonzero(np.abs(scaled - np.floor(scaled) - 0.5) < 1e-6):
        rounded[index] = float(f"{values[index]:.{PRINTED_DECIMALS}f}")
    return np.asarray(rounded)


def sums(group: Ints, values: ArrayLike, groups: int) -> Floats:
    """Sums of the values of each group, (groups,), in their order; 0 for an empty group."""
    return np.bincount(group, weights=np.asarray(values, dtype=np.float64), minlength=groups).astype(np.float64)


def portions(cells: Integers, limit: int) -> Iterator[slice]:
    """Runs of tables with at most `limit` cells together, or of one table; cells: (P,), the largest first.

    >>> list(portions(np.array([9, 4, 2]), 8))
    [slice(0, 1, None), slice(1, 3, None)]
    """
    begin = 0
    while begin < len(cells):
        end = min(begin + max(1, limit // int(cells[begin])), len(cells))
        yield slice(begin, end)
        begin = end


def _on_both_sides(keys: Ints, candidates: int) -> tuple[Ints, Ints]:
    """Numbers of the distinct keys that occur among those of the candidates, which come first, and among the others.

    keys: (T,). Returns the number of each key, −1 if it is on one side only, (T,), and where each number is first.
    """
    order, begin = group_keys(keys)
    times = np.diff(begin, append=len(order))
    # Equal keys are in the order of their places.
    both = (order[begin] < candidates) & (order[begin + times - 1] >= candidates)
    number: Ints = np.empty(len(order), dtype=np.int64)
    number[order] = np.repeat(np.where(both, np.cumsum(both) - 1, -1), times)
    return number, order[begin[both]]


def group_keys(keys: Ints) -> tuple[Ints, Ints]:
    """A stable sorting order of keys (T,), which are at least 0, and the positions in it where each key begins.

    >>> [indices.tolist() for indices in group_keys(np.array([5, 3, 5]))]
    [[1, 0, 2], [0, 1]]
    """
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)) < 2 ** (63 - bits):
        # One number of key and index: numbers are sorted several times faster than indices by keys.
        numbers = np.sort(keys << bits | np.arange(len(keys)))
        order, in_order = numbers & (2**bits - 1), numbers >> bits
    else:
        order = np.argsort(keys, kind="stable")
        in_order = keys[order]
    return order, np.flatnonzero(np.append(True, in_order[1:] != in_order[:-1])[: len(keys)])


WORDS_AT_ONCE = 250_000
"""Maximum number of words of 64 rows in memory, 16 bytes each; no result depends on it."""

_ROWS = 64
_ALL = np.uint64(2**_ROWS - 1)
_HALVINGS = tuple(np.uint64(2**power) for power in range(6))


def union_matches(comparison: Comparison) -> Bools:
    """Whether each token of the references is aligned with some sentence of the candidate, (T,).

    >>> union_matches(Comparison.of([[[1, 2], [4]]], [[[[1, 2, 3, 4]]]]))
    array([ True,  True, False,  True])
    """
    rows, columns = _rows(comparison), _columns(comparison)
    union = np.zeros(int(rows.words.sum()), dtype=np.uint64)
    for reference, candidate in _portions(comparison, rows, columns):
        bits = _aligned(rows, columns, reference, candidate)
        word = np.arange(len(bits))[:, np.newaxis]
        inside = word < rows.words[reference]
        np.bitwise_or.at(union, (rows.first_word[reference] + word)[inside], bits[inside])
    matched = np.zeros(len(comparison.references.codes), dtype=bool)
    matched[rows.token] = (union[rows.word] & rows.bit) != 0
    return matched


def sentence_pairs(comparison: Comparison, sentences: slice = slice(None)) -> tuple[Ints, Ints]:
    """Each of these sentences of references with each sentence of its candidate, (P,) each."""
    reference = np.arange(len(comparison.references.lengths))[sentences]
    item = comparison.item[comparison.references.text_of_sentence[sentences]]
    partners = comparison.candidates.sizes[item]
    return np.repeat(reference, partners), ranges(starts_of(comparison.candidates.sizes)[item], partners)


@dataclass(frozen=True)
class _Rows:
    """The T tokens of the references that can match, in Z sentences.

    token: (T,) index among all tokens of references. word, bit: (T,) position of the row in a union of matches.
    words, first_word: (Z,) number of words of a sentence, and the first of them in such a union.
    masks: rows of a word that hold each shared token of the item; empty masks at the end.
    first_mask, vocabulary: (Z,) first mask of a sentence, and number of masks of each of its words.
    """

    token: Ints
    word: Ints
    bit: Words
    words: Ints
    first_word: Ints
    masks: Words
    first_mask: Ints
    vocabulary: Ints

    def first_masks(self, sentence: Ints) -> Ints:
        """First masks of each word of these sentences, (words, B); empty masks after the last word."""
        word = np.arange(int(self.words[sentence].max()))[:, np.newaxis]
        empty = len(self.masks) - int(self.vocabulary.max())
        return np.where(
            word < self.words[sentence], self.first_mask[sentence] + word * self.vocabulary[sentence], empty
        )


@dataclass(frozen=True)
class _Columns:
    """The T tokens of the candidates that can match, in Z sentences.

    code: (T,) code within the item. next_masks: (T,) no bits if the next token of the sentence cannot match, otherwise
    all. first, length: (Z,) first token and number of tokens of a sentence.
    """

    code: Ints
    next_masks: Words
    first: Ints
    length: Ints


def _rows(comparison: Comparison) -> _Rows:
    tokens, references = comparison.shared_tokens, comparison.references
    begin = int(np.searchsorted(tokens.text, comparison.items))
    token = tokens.position[begin:] - len(comparison.candidates.codes)
    sentence = references.sentence[token]
    length = np.bincount(sentence, minlength=len(references.lengths))
    row = np.arange(len(token)) - (np.cumsum(length) - length)[sentence]
    words = -(-length // _ROWS)
    first_word = np.cumsum(words) - words
    vocabulary = tokens.vocabulary[comparison.item[references.text_of_sentence]]
    first_mask = np.cumsum(words * vocabulary) - words * vocabulary
    masks = np.zeros(int((words * vocabulary).sum() + vocabulary.max(initial=0)), dtype=np.uint64)
    bit = np.uint64(1) << (row % _ROWS).astype(np.uint64)
    np.add.at(masks, first_mask[sentence] + row // _ROWS * vocabulary[sentence] + tokens.local[begin:], bit)
    return _Rows(
        token=token,
        word=first_word[sentence] + row // _ROWS,
        bit=bit,
        words=words,
        first_word=first_word,
        masks=masks,
        first_mask=first_mask,
        vocabulary=vocabulary,
    )


def _columns(comparison: Comparison) -> _Columns:
    tokens, candidates = comparison.shared_tokens, comparison.candidates
    end = int(np.searchsorted(tokens.text, comparison.items))
    token = tokens.position[:end]
    length = np.bincount(candidates.sentence[token], minlength=len(candidates.lengths))
    can_match = np.zeros(len(candidates.codes), dtype=bool)
    can_match[token] = True
    no_gap = np.ones_like(can_match)
    no_gap[:-1] = can_match[1:] | (candidates.sentence[1:] != candidates.sentence[:-1])
    return _Columns(tokens.local[:end], np.where(no_gap[token], _ALL, np.uint64(0)), np.cumsum(length) - length, length)


def _portions(comparison: Comparison, rows: _Rows, columns: _Columns) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of sentences with tokens that can match, the longest candidates first, in portions of bounded size."""
    reference, candidate = sentence_pairs(comparison)
    nonempty = (rows.words[reference] > 0) & (columns.length[candidate] > 0)
    reference, candidate = reference[nonempty], candidate[nonempty]
    order = np.argsort(-columns.length[candidate], kind="stable")
    reference, candidate = reference[order], candidate[order]
    for portion in portions(int(rows.words.max(initial=1)) * columns.length[candidate], WORDS_AT_ONCE):
        yield reference[portion], candidate[portion]


def _aligned(rows: _Rows, columns: _Columns, reference: Ints, candidate: Ints) -> Words:
    """Matched rows of pairs that are sorted by length of the candidate, the longest first.

    The forward pass stores the rows of each column at which the traceback can turn: those where the length increases,
    and those that match unless the next column cannot match.
    """
    masks, first = rows.first_masks(reference), columns.first[candidate]
    length = columns.length[candidate]
    running = np.searchsorted(-length, -np.arange(int(length[0]))).tolist()
    unset = np.full(masks.shape, _ALL)
    matches = np.empty((len(running), *masks.shape), dtype=np.uint64)
    turns = np.empty_like(matches)
    for column, pairs in enumerate(running):
        token = first[:pairs] + column
        match = rows.masks[masks[:, :pairs] + columns.code[token]]
        unset_matches = unset[:, :pairs] & match
        unset[:, :pairs] = _sum(unset[:, :pairs], unset_matches) | (unset[:, :pairs] ^ unset_matches)
        matches[column, :, :pairs] = match
        turns[column, :, :pairs] = ~unset[:, :pairs] | (match & columns.next_masks[token])
    result, below = np.zeros_like(unset), np.full_like(unset, _ALL)
    for column in reversed(range(len(running))):
        pairs = running[column]
        prefixes = _fill_bits(turns[column, :, :pairs] & below[:, :pairs])
        hits = _highest(prefixes) & matches[column, :, :pairs]
        result[:, :pairs] |= hits
        below[:, :pairs] = prefixes ^ hits
    return result


def _sum(numbers: Words, others: Words) -> Words:
    total = numbers + others
    carry = total[0] < numbers[0]
    for word in range(1, len(total)):
        total[word] += carry
        carry = (total[word] < numbers[word]) | (carry & (total[word] == numbers[word]))
    return total


def _fill_bits(numbers: Words) -> Words:
    """Numbers with all bits set up to the highest one."""
    for halving in _HALVINGS:
        numbers |= numbers >> halving
    if len(numbers) > 1:
        numbers[:-1][np.logical_or.accumulate(numbers[:0:-1] != 0)[::-1]] = _ALL
    return numbers


def _highest(numbers: Words) -> Words:
    """Highest bits of numbers with all bits set up to them."""
    halves = numbers >> np.uint64(1)
    halves[:-1] |= numbers[1:] << np.uint64(_ROWS - 1)
    return numbers ^ halves
