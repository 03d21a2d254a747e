"""Unweighted alignments of many pairs of sentences: the tokens on a longest common subsequence.

A column of the table of an alignment is a number whose bits are set where the length increases from one row to the
next; one addition computes the next column (Hyyrö, 2004). Rows are tokens of the reference, columns are tokens of the
candidate, without those that the other text lacks. The traceback of equally long alignments goes up, to the preceding
token of the reference, as in ROUGE-1.5.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Bools, Ints, Words
from metaeval.measures.text.overlap import Comparison, portions

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


def sentence_pairs(comparison: Comparison) -> tuple[Ints, Ints]:
    """Each sentence of each reference with each sentence of its candidate, (P,) each."""
    candidates, references = comparison.candidates, comparison.references
    sentences = np.bincount(candidates.sentence_text, minlength=comparison.items)
    item = comparison.item[references.sentence_text]
    partners = sentences[item]
    begin = (np.cumsum(sentences) - sentences)[item] - (np.cumsum(partners) - partners)
    return np.repeat(np.arange(len(partners)), partners), np.arange(int(partners.sum())) + np.repeat(begin, partners)


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

    code: (T,) code within the item. joined: (T,) no bits if the next token of the sentence cannot match, otherwise all.
    first, length: (Z,) first token and number of tokens of a sentence.
    """

    code: Ints
    joined: Words
    first: Ints
    length: Ints


def _rows(comparison: Comparison) -> _Rows:
    shared, references = comparison.shared, comparison.references
    begin = int(np.searchsorted(shared.text, comparison.items))
    token = shared.position[begin:] - len(comparison.candidates.codes)
    sentence = references.sentence[token]
    length = np.bincount(sentence, minlength=len(references.sentence_lengths))
    row = np.arange(len(token)) - (np.cumsum(length) - length)[sentence]
    words = -(-length // _ROWS)
    first_word = np.cumsum(words) - words
    vocabulary = shared.vocabulary[comparison.item[references.sentence_text]]
    first_mask = np.cumsum(words * vocabulary) - words * vocabulary
    masks = np.zeros(int((words * vocabulary).sum() + vocabulary.max(initial=0)), dtype=np.uint64)
    bit = np.uint64(1) << (row % _ROWS).astype(np.uint64)
    np.add.at(masks, first_mask[sentence] + row // _ROWS * vocabulary[sentence] + shared.local[begin:], bit)
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
    shared, candidates = comparison.shared, comparison.candidates
    end = int(np.searchsorted(shared.text, comparison.items))
    token = shared.position[:end]
    length = np.bincount(candidates.sentence[token], minlength=len(candidates.sentence_lengths))
    can_match = np.zeros(len(candidates.codes), dtype=bool)
    can_match[token] = True
    joined = np.ones_like(can_match)
    joined[:-1] = can_match[1:] | (candidates.sentence[1:] != candidates.sentence[:-1])
    return _Columns(shared.local[:end], np.where(joined[token], _ALL, np.uint64(0)), np.cumsum(length) - length, length)


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
        used = unset[:, :pairs] & match
        unset[:, :pairs] = _sum(unset[:, :pairs], used) | (unset[:, :pairs] ^ used)
        matches[column, :, :pairs] = match
        turns[column, :, :pairs] = ~unset[:, :pairs] | (match & columns.joined[token])
    result, below = np.zeros_like(unset), np.full_like(unset, _ALL)
    for column in reversed(range(len(running))):
        pairs = running[column]
        reached = _filled(turns[column, :, :pairs] & below[:, :pairs])
        matched = _highest(reached) & matches[column, :, :pairs]
        result[:, :pairs] |= matched
        below[:, :pairs] = reached ^ matched
    return result


def _sum(numbers: Words, others: Words) -> Words:
    total = numbers + others
    carry = total[0] < numbers[0]
    for word in range(1, len(total)):
        total[word] += carry
        carry = (total[word] < numbers[word]) | (carry & (total[word] == numbers[word]))
    return total


def _filled(numbers: Words) -> Words:
    """Numbers with all bits set up to the highest one."""
    for halving in _HALVINGS:
        numbers |= numbers >> halving
    if len(numbers) > 1:
        numbers[:-1][np.logical_or.accumulate(numbers[:0:-1] != 0)[::-1]] = _ALL
    return numbers


def _highest(filled: Words) -> Words:
    """Highest bits of numbers with all bits set up to them."""
    halves = filled >> np.uint64(1)
    halves[:-1] |= filled[1:] << np.uint64(_ROWS - 1)
    return filled ^ halves
