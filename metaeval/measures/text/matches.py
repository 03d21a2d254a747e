"""Semantic labels of words, and matching positions of many pairs of sentences, as flat arrays without padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from metaeval.arrays import Integers, Ints, Scores
from metaeval.model.runs import TokenizedTexts, ranges, starts_of

BLOCK = 1 << 19
"""Maximum number of cells of the tables of a block of pairs, and half the maximum number of its matches."""


@dataclass(frozen=True)
class WordLabels:
    """Semantic labels of the words of a vocabulary.

    starts: (V + 1,) position of the first label of each word, and of the end. labels: (L,) codes, sorted by word.
    """

    starts: Ints
    labels: Ints

    @classmethod
    def of(cls, labels: Sequence[Sequence[int]]) -> WordLabels:
        """From lists of the labels of each word."""
        counts = np.array([len(codes) for codes in labels], dtype=np.int64)
        return cls(starts_of(counts), np.array([label for codes in labels for label in codes], dtype=np.int64))

    def look_up(self, words: Ints) -> tuple[Ints, Ints]:
        """The labels of words, and how many each word has.

        >>> WordLabels.of([[7], [], [7, 8]]).look_up(np.array([2, 1, 0]))
        (array([7, 8, 7]), array([2, 0, 1]))
        """
        counts = self.starts[words + 1] - self.starts[words]
        return self.labels[ranges(self.starts[words], counts)], counts


class Matches(NamedTuple):
    """Matching positions of sentence pairs, sorted by pair, row and column.

    pair, row, column: (K,); row is the position in the first sentence. value: (K,) 1 for the same word plus 1 for each
    label that both words have, eq. (3). pairs: number of pairs. shape: words of the longest first and second sentence.
    """

    pair: Ints
    row: Ints
    column: Ints
    value: Scores
    pairs: int
    shape: tuple[int, int]


class _Side(NamedTuple):
    """Attributes by which the words of sentences match, sorted within each sentence, so that pairs need no sorting.

    attribute: (E,) dense codes. position: (E,) of the word in its sentence. starts: (Z + 1,). lengths: (Z,) in words.
    """

    attribute: Ints
    position: Ints
    starts: Ints
    lengths: Integers

    def of(self, sentences: Ints, attributes: int) -> tuple[Ints, Ints]:
        """Sorted keys (pair, attribute) of the chosen sentences, one for each pair, and their positions."""
        counts = self.starts[sentences + 1] - self.starts[sentences]
        index = ranges(self.starts[sentences], counts)
        return np.repeat(np.arange(len(sentences)) * attributes, counts) + self.attribute[index], self.position[index]


Sides = tuple[_Side, _Side, int]
"""Both sides with common codes of attributes, and the number of attributes."""


def matches_in_blocks(sides: Sides, pairs: Ints) -> Iterator[tuple[Ints, Matches]]:
    """Matches of pairs of sentences, (P, 2), in blocks of bounded size, with the indices of the pairs of each block.

    >>> sides = index_words(TokenizedTexts.of([[[4, 7]]]), TokenizedTexts.of([[[7, 4, 7]]]))
    >>> ((block, matches),) = matches_in_blocks(sides, np.array([[0, 0]]))
    >>> matches.row, matches.column
    (array([0, 1, 1]), array([1, 0, 2]))
    """
    first, second, _ = sides
    for block in _blocks(first.lengths[pairs[:, 0]], second.lengths[pairs[:, 1]]):
        yield from _matches(*sides, pairs, block)


def index_words(first: TokenizedTexts, second: TokenizedTexts, labels: WordLabels | None = None) -> Sides:
    """Both sides of pairs of sentences, which can then be compared in any number of calls."""
    attributes, words = zip(*(_attributes(texts, labels) for texts in (first, second)), strict=True)
    distinct, dense = np.unique(np.concatenate(attributes), return_inverse=True)
    parts = np.split(dense.astype(np.int64), [len(attributes[0])])
    sides = (_side(*arguments, len(distinct)) for arguments in zip((first, second), parts, words, strict=True))
    return next(sides), next(sides), len(distinct)


def _attributes(texts: TokenizedTexts, labels: WordLabels | None) -> tuple[Ints, Ints]:
    """Even codes of words and odd codes of labels by which words match, (E,), and the word of each, (E,)."""
    word, codes = np.arange(len(texts.codes)), texts.codes.astype(np.int64)
    if labels is None:
        return 2 * codes, word
    word_labels, counts = labels.look_up(codes)
    return np.concatenate([2 * codes, 2 * word_labels + 1]), np.append(word, np.repeat(word, counts))


def _side(texts: TokenizedTexts, attributes: Ints, words: Ints, number: int) -> _Side:
    # A label that a word has twice counts once.
    words, attributes = np.divmod(np.unique(words * number + attributes), max(number, 1))
    sentence = texts.sentence[words]
    order = np.lexsort((attributes, sentence))
    position = words - starts_of(texts.lengths)[sentence]
    starts = starts_of(np.bincount(sentence, minlength=len(texts.lengths)))
    return _Side(attributes[order], position[order], starts, texts.lengths)


def _blocks(rows: Integers, columns: Integers) -> Iterator[Ints]:
    """Indices of pairs in blocks of sentences with similar lengths (P,) and tables of bounded size."""
    # Lengths with the same number of binary digits are similar: padding at most quadruples the cells.
    classes = 64 * np.frexp(rows)[1] + np.frexp(columns)[1]
    order = np.lexsort((columns, rows, classes))
    edges = np.flatnonzero(np.diff(classes[order], prepend=-1, append=-1))
    for begin, end in pairwise(edges.tolist()):
        similar = order[begin:end]
        for run in cut((rows[similar] + 1) * (columns[similar] + 1), BLOCK):
            yield similar[run]


def _matches(first: _Side, second: _Side, attributes: int, pairs: Ints, block: Ints) -> Iterator[tuple[Ints, Matches]]:
    """Matches of a block, which is halved if there are too many."""
    one, row = first.of(pairs[block, 0], attributes)
    other, column = second.of(pairs[block, 1], attributes)
    low = np.searchsorted(other, one)
    # Equal keys are adjacent, so their number is the length of a run.
    runs = np.flatnonzero(np.diff(other, prepend=-1))
    repetitions = np.zeros(len(other) + 1, dtype=np.int64)
    repetitions[runs] = np.diff(runs, append=len(other))
    counts = np.where(np.append(other, -1)[low] == one, repetitions[low], 0)
    if counts.sum() > 2 * BLOCK and len(block) > 1:
        for half in np.array_split(block, 2):
            yield from _matches(first, second, attributes, pairs, half)
        return
    shape = (int(first.lengths[pairs[block, 0]].max()), int(second.lengths[pairs[block, 1]].max()))
    pair = one // max(attributes, 1)
    cells = np.repeat((pair * shape[0] + row) * shape[1], counts) + column[ranges(low, counts)]
    cells.sort()
    # A cell occurs once for the word and once for each label that both words have.
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    value = np.diff(begins, append=len(cells)).astype(np.float64)
    rest, column = np.divmod(cells[begins], max(shape[1], 1))
    pair, row = np.divmod(rest, max(shape[0], 1))
    yield block, Matches(pair=pair, row=row, column=column, value=value, pairs=len(block), shape=shape)


def first_of_run(values: Ints) -> Ints:
    """Index of the first equal entry, for each entry of a sorted array.

    >>> first_of_run(np.array([3, 3, 8]))
    array([0, 0, 2])
    """
    new = np.diff(values, prepend=-1) != 0
    return np.asarray(np.flatnonzero(new)[np.cumsum(new) - 1])


def cut(costs: Integers, limit: int) -> Iterator[slice]:
    """Consecutive runs with a sum of costs up to the limit, or of one entry.

    >>> list(cut(np.array([1, 2, 9, 1]), 3))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    total = np.cumsum(costs)
    begin = 0
    while begin < len(costs):
        spent = int(total[begin] - costs[begin])
        end = max(begin + 1, int(np.searchsorted(total, spent + limit, side="right")))
        yield slice(begin, end)
        begin = end
