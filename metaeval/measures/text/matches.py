"""Sentences as integer codes, and where the words of many pairs of them match, as flat arrays without padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.model.ragged import ranges, starts_of

Codes = NDArray[np.int64]

Scores = NDArray[np.float64]

BLOCK = 1 << 19
"""Cells of position tables, and half the matches before they are merged, that a block of pairs may hold."""


@dataclass(frozen=True)
class Sentences:
    """Sentences one after another, as integer codes; those of both sides of a comparison mean the same.

    words: (T,) the words of all sentences. lengths: (S,) words per sentence, 0 for an empty one.
    labels: (M,) semantic labels of all words, numbered apart from words. labels_per_word: (T,); a word may have several
    labels, and one that it has twice counts once. Without labels, every kernel is the word sequence kernel.
    Raises InputError where lengths do not add up.
    """

    words: Codes
    lengths: Codes
    labels: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    labels_per_word: Codes | None = None

    def __post_init__(self) -> None:
        per_word = self._labels_per_word()
        for name, lengths, whole in (
            ("words", self.lengths, len(self.words)),
            ("labels", per_word, len(self.labels)),
            ("counts of labels", np.array([len(per_word)]), len(self.words)),
        ):
            if int(lengths.sum()) != whole or (lengths < 0).any():
                raise InputError.at(found=f"lengths that add up to {int(lengths.sum())} {name}", expected=str(whole))

    @classmethod
    def of(cls, words: Sequence[Sequence[int]], labels: Sequence[Sequence[Sequence[int]]] | None = None) -> Sentences:
        """Sentences from nested lists: words of each sentence, and labels of each word of each sentence.

        >>> Sentences.of([[4, 7], []], [[[1, 2], []], []]).labels_per_word
        array([2, 0])
        """
        lengths = [len(sentence) for sentence in words]
        if labels is None:
            return cls(_codes(chain.from_iterable(words)), _codes(lengths))
        if [len(sentence) for sentence in labels] != lengths:
            raise InputError.at(found="labels of other words than the sentences have", expected="labels for each word")
        of_words = list(chain.from_iterable(labels))
        flat = _codes(chain.from_iterable(of_words))
        return cls(_codes(chain.from_iterable(words)), _codes(lengths), flat, _codes(map(len, of_words)))

    def __len__(self) -> int:
        return len(self.lengths)

    def _labels_per_word(self) -> Codes:
        return np.zeros(len(self.words), dtype=np.int64) if self.labels_per_word is None else self.labels_per_word

    def attributes(self) -> tuple[Codes, Codes]:
        """What words match by: (E,) even codes of words and odd ones of labels, and (E,) the word that has each."""
        word = np.arange(len(self.words))
        having = np.concatenate([word, np.repeat(word, self._labels_per_word())])
        return np.concatenate([2 * self.words, 2 * self.labels + 1]), having


@dataclass(frozen=True)
class WordLabels:
    """Semantic labels of the words of a vocabulary.

    starts: (V + 1,) where the labels of each word begin, and the last end. labels: (L,) codes, word after word.
    """

    starts: Codes
    labels: Codes

    @classmethod
    def of(cls, labels: Sequence[Sequence[int]]) -> WordLabels:
        """From the labels of each word.

        >>> WordLabels.of([[7], [], [7, 8]]).starts
        array([0, 1, 1, 3])
        """
        return cls(starts_of(_codes(map(len, labels))), _codes(chain.from_iterable(labels)))

    def of_words(self, words: Codes) -> tuple[Codes, Codes]:
        """The labels of words one after another, and how many each word has.

        >>> WordLabels.of([[7], [], [7, 8]]).of_words(np.array([2, 1, 0]))
        (array([7, 8, 7]), array([2, 0, 1]))
        """
        counts = self.starts[words + 1] - self.starts[words]
        return self.labels[ranges(self.starts[words], counts)], counts


class Matches(NamedTuple):
    """Positions of sentence pairs that match, ascending by pair, row and column.

    pair, row, column: (K,); row is the position in the first sentence. value: (K,) 1 for the same word and 1 for each
    label that both words have: eq. (3) of Hirao et al. pairs: how many pairs there are, with matches or without.
    shape: words of the longest first and second sentence.
    """

    pair: Codes
    row: Codes
    column: Codes
    value: Scores
    pairs: int
    shape: tuple[int, int]


def matches_in_blocks(first: Sentences, second: Sentences, pairs: Codes) -> Iterator[tuple[Codes, Matches]]:
    """Where the sentences of each pair match, in blocks of bounded size, with the indices of the pairs of each block.

    pairs: (P, 2). Yields every pair once; pairs in a block are numbered from 0.

    >>> ((block, matches),) = matches_in_blocks(Sentences.of([[4, 7]]), Sentences.of([[7, 4, 7]]), np.array([[0, 0]]))
    >>> matches.row, matches.column
    (array([0, 1, 1]), array([1, 0, 2]))
    """
    sides = _indexed(first, second)
    for block in _blocks(first.lengths[pairs[:, 0]], second.lengths[pairs[:, 1]]):
        yield from _of_block(*sides, pairs, block)


class _Side(NamedTuple):
    """What the words of sentences match by; ascending within each sentence, so that pairs are joined without sorting.

    attribute: (E,) dense codes. position: (E,) of the word in its sentence. starts: (S + 1,). lengths: (S,) in words.
    """

    attribute: Codes
    position: Codes
    starts: Codes
    lengths: Codes

    def of(self, chosen: Codes, attributes: int) -> tuple[Codes, Codes]:
        """Keys (pair, attribute), ascending, of chosen sentences, one a pair; and the position of each."""
        counts = self.starts[chosen + 1] - self.starts[chosen]
        index = ranges(self.starts[chosen], counts)
        return np.repeat(np.arange(len(chosen)) * attributes, counts) + self.attribute[index], self.position[index]


def _indexed(first: Sentences, second: Sentences) -> tuple[_Side, _Side, int]:
    """Both sides with the same numbers for attributes, and how many attributes there are."""
    attributes, words = zip(*(side.attributes() for side in (first, second)), strict=True)
    known, dense = np.unique(np.concatenate(attributes), return_inverse=True)
    parts = np.split(dense.astype(np.int64), [len(attributes[0])])
    sides = (_side(*each, len(known)) for each in zip((first, second), parts, words, strict=True))
    return next(sides), next(sides), len(known)


def _side(sentences: Sentences, attributes: Codes, words: Codes, known: int) -> _Side:
    # A label that a word has twice counts once.
    words, attributes = np.divmod(np.unique(words * known + attributes), max(known, 1))
    sentence = np.repeat(np.arange(len(sentences)), sentences.lengths)[words]
    order = np.lexsort((attributes, sentence))
    position = words - starts_of(sentences.lengths)[sentence]
    starts = starts_of(np.bincount(sentence, minlength=len(sentences)))
    return _Side(attributes[order], position[order], starts, sentences.lengths)


def _blocks(rows: Codes, columns: Codes) -> Iterator[Codes]:
    """Indices of pairs in blocks of sentences of similar lengths, the tables of which are not too large together.

    rows, columns: (P,) lengths. Lengths of a class have as many binary digits, so that padding at most quadruples.
    """
    classes = 64 * np.frexp(rows)[1] + np.frexp(columns)[1]
    order = np.lexsort((columns, rows, classes))
    edges = np.flatnonzero(np.diff(classes[order], prepend=-1, append=-1))
    for begin, end in pairwise(edges.tolist()):
        similar = order[begin:end]
        for run in cut((rows[similar] + 1) * (columns[similar] + 1), BLOCK):
            yield similar[run]


def _of_block(
    first: _Side, second: _Side, attributes: int, pairs: Codes, block: Codes
) -> Iterator[tuple[Codes, Matches]]:
    """The matches of a block, in parts where a block has too many."""
    one, row = first.of(pairs[block, 0], attributes)
    other, column = second.of(pairs[block, 1], attributes)
    low = np.searchsorted(other, one)
    # Equal keys stand together, so that the length of a run is their number, without a second search.
    runs = np.flatnonzero(np.diff(other, prepend=-1))
    repetitions = np.zeros(len(other) + 1, dtype=np.int64)
    repetitions[runs] = np.diff(runs, append=len(other))
    counts = np.where(np.append(other, -1)[low] == one, repetitions[low], 0)
    if counts.sum() > 2 * BLOCK and len(block) > 1:
        for half in np.array_split(block, 2):
            yield from _of_block(first, second, attributes, pairs, half)
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
    yield block, Matches(pair, row, column, value, len(block), shape)


def first_of_run(values: Codes) -> Codes:
    """For each entry of an ascending array, the index of the first that equals it.

    >>> first_of_run(np.array([3, 3, 8]))
    array([0, 0, 2])
    """
    new = np.diff(values, prepend=-1) != 0
    return np.asarray(np.flatnonzero(new)[np.cumsum(new) - 1])


def cut(costs: Codes, limit: int) -> Iterator[slice]:
    """Consecutive runs whose costs add up to no more than the limit, or of one entry.

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


def _codes(values: Sequence[int] | chain[int] | map[int]) -> Codes:
    return np.fromiter(values, dtype=np.int64)
