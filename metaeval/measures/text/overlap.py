"""The common parts of all ROUGE measures: texts beside their references, and scores from counts of shared units.

Texts are lists of sentences of integer token codes and are compared in batches: `Comparison.of` lays all tokens out in
one row, and `rouge_from_overlap` turns the counts that a measure makes of them into recall, precision and F.

Two variants. `equations` follows Hirao et al. (2006). `perl` gives the digits of ROUGE-1.5.5, which rounds recall and
precision to five decimals, computes F from these and rounds it again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.errors import InputError, UnknownName
from metaeval.measures.text.matches import WordLabels
from metaeval.stats.ratio import divide

Text = Sequence[Sequence[int]]
"""Sentences of token codes; equal tokens have equal codes, at least 0."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

Variant = Literal["equations", "perl"]
"""The papers' equations, or ROUGE-1.5.5 to its last printed digit."""

Pooling = Literal["mean", "pooled", "best"]
"""Several references: scores averaged (eq. 11), hits and totals summed (-f A), or the one of highest recall (-f B)."""

PRINTED_DECIMALS = 5
"""Decimals that ROUGE-1.5.5 prints, and computes F from."""


class Rouge(NamedTuple):
    """Recall, precision and F_β of each candidate, (N,) each; 0 where the candidate or its references are empty."""

    recall: Floats
    precision: Floats
    f: Floats


@dataclass(frozen=True)
class FlatTexts:
    """The tokens of many texts in one row.

    codes, text, sentence: (T,) a token's code, its text, its sentence (counted over all texts).
    lengths: (X,) tokens of each text. sentence_lengths, sentence_text: (Z,) tokens of each sentence, and its text.
    """

    codes: Integers
    text: Integers
    sentence: Integers
    lengths: Integers
    sentence_lengths: Integers
    sentence_text: Integers

    @classmethod
    def of(cls, texts: Sequence[Text]) -> FlatTexts:
        """Lay out texts; a text or a sentence may be empty. Raises InputError for a code below 0.

        >>> FlatTexts.of([[[7, 8], [9]], []]).lengths.tolist()
        [3, 0]
        """
        sentences = list(chain.from_iterable(texts))
        return cls.laid_out(
            np.fromiter(chain.from_iterable(sentences), dtype=np.int64),
            np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences)),
            np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)),
        )

    @classmethod
    def laid_out(cls, codes: ArrayLike, sentence_lengths: ArrayLike, sizes: ArrayLike) -> FlatTexts:
        """Texts whose tokens are in one row already. Raises InputError for a code below 0.

        codes: (T,) all tokens in order. sentence_lengths: (Z,) tokens of each sentence, T in all. sizes: (X,) sentences
        of each text, Z in all.

        >>> FlatTexts.laid_out([7, 8, 9], [2, 1], [2, 0]).lengths.tolist()
        [3, 0]
        """
        codes, sentence_lengths, sizes = (
            np.asarray(numbers, dtype=np.int64) for numbers in (codes, sentence_lengths, sizes)
        )
        if codes.min(initial=0) < 0:
            raise InputError.at(found=f"token code {codes.min()}", expected="codes of at least 0")
        sentence_text = np.repeat(np.arange(len(sizes)), sizes)
        text = np.repeat(sentence_text, sentence_lengths)
        return cls(
            codes=codes,
            text=text,
            sentence=np.repeat(np.arange(len(sentence_lengths)), sentence_lengths),
            lengths=np.bincount(text, minlength=len(sizes)),
            sentence_lengths=sentence_lengths,
            sentence_text=sentence_text,
        )

    @property
    def as_one_sentence(self) -> FlatTexts:
        """The same texts, each of them one sentence."""
        return replace(
            self, sentence=self.text, sentence_lengths=self.lengths, sentence_text=np.arange(len(self.lengths))
        )


@dataclass(frozen=True)
class SharedTokens:
    """Tokens that both the candidate of an item and one of its references have: only these can match.

    text: (T,) candidates 0 … N−1, then references. position: (T,) in the row of all tokens. last: (T,) ends its text.
    word: (T,) a code for item and token. local: (T,) the same counted within the item, below its vocabulary.
    item: (T,) its item. vocabulary: (N,) shared words of each item.
    """

    text: Integers
    position: Integers
    last: Flags
    word: Integers
    local: Integers
    vocabulary: Integers
    item: Integers


@dataclass(frozen=True)
class Comparison:
    """Candidates beside their references, ready for every measure.

    candidates: N texts. references: R texts, those of an item together. item: (R,) the candidate each belongs to.
    labels: semantic labels by token code, where there is a lexicon.
    """

    candidates: FlatTexts
    references: FlatTexts
    item: Integers
    labels: WordLabels | None = None

    @classmethod
    def of(cls, candidates: Sequence[Text], references: Sequence[Sequence[Text]]) -> Comparison:
        """Candidate n with the list of its references, references[n].

        Raises InputError where the two differ in length or a candidate has no reference.

        >>> Comparison.of([[[1, 2]]], [[[[1, 3]], [[2]]]]).item.tolist()
        [0, 0]
        """
        if len(candidates) != len(references):
            raise InputError.at(
                found=f"{len(candidates)} candidates and references for {len(references)}",
                expected="a list of references for each candidate",
            )
        numbers = np.array([len(of_item) for of_item in references], dtype=np.int64)
        if not numbers.all():
            raise InputError.at(
                found=f"no reference for candidate {int(np.argmin(numbers))}, counted from 0",
                expected="at least one (an empty one is allowed)",
            )
        return cls(
            FlatTexts.of(candidates),
            FlatTexts.of([reference for of_item in references for reference in of_item]),
            np.repeat(np.arange(len(candidates)), numbers),
        )

    @property
    def items(self) -> int:
        """How many candidates there are, N."""
        return len(self.candidates.lengths)

    @cached_property
    def shared(self) -> SharedTokens:
        """What can match at all."""
        text = np.concatenate([self.candidates.text, self.items + self.references.text])
        item = np.concatenate([self.candidates.text, self.item[self.references.text]])
        codes = np.concatenate([self.candidates.codes, self.references.codes])
        if codes.max(initial=0) > 2 * len(codes):
            codes = np.unique(codes, return_inverse=True)[1]
        order, begin = grouped(item * (int(codes.max(initial=0)) + 1) + codes)
        times = np.diff(np.append(begin, len(order)))
        # The tokens of a word are in order, those of the candidate before those of its references.
        own_tokens = len(self.candidates.codes)
        both = (order[begin] < own_tokens) & (order[begin + times - 1] >= own_tokens)
        number: Integers = np.full(len(order), -1)
        number[order[np.repeat(both, times)]] = np.repeat(np.arange(np.count_nonzero(both)), times[both])
        position = np.flatnonzero(number >= 0)
        word = number[position]
        vocabulary = np.bincount(item[order[begin[both]]], minlength=self.items)
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
    def of_whole_texts(self) -> Comparison:
        """The same texts, each of them one sentence: for ROUGE-L of texts instead of summaries."""
        whole = replace(self, candidates=self.candidates.as_one_sentence, references=self.references.as_one_sentence)
        # What is shared does not depend on the sentences, and is not computed twice.
        vars(whole)["shared"] = self.shared
        return whole

    def matches(self, gram: Integers, text: Integers) -> Floats:
        """Grams that each reference shares with its candidate, (R,), as often as both have them.

        gram: (G,) a code that differs between items, below `largest_gram`. text: (G,) where it occurs, numbered as in
        `SharedTokens`.
        """
        texts = self.items + len(self.item)
        occurrence, times = np.unique(gram * texts + text, return_counts=True)
        which = occurrence // max(texts, 1)
        where = occurrence - which * texts
        # Of each gram the candidate, if it has it, stands first: its number is below those of the references.
        begin = np.flatnonzero(np.append(True, which[1:] != which[:-1])[: len(which)])
        first = np.repeat(begin, np.diff(np.append(begin, len(which))))
        common = (where >= self.items) & (where[first] < self.items)
        clipped = np.minimum(times[common], times[first[common]])
        return sums(where[common] - self.items, clipped, len(self.item))

    @property
    def largest_gram(self) -> int:
        """Codes of grams must be below this number for `matches`."""
        return int(np.iinfo(np.int64).max) // (self.items + len(self.item) + 1)

    def rows(self, codes: Integers) -> Integers:
        """Where each text's row begins in a table with `codes` (N,) cells for every text of an item, (N + R,)."""
        widths = np.concatenate([codes, codes[self.item]])
        return np.asarray(np.cumsum(widths) - widths)

    def matches_in_table(self, cells: Integers, codes: Integers) -> Floats:
        """`matches` without sorting, for few possible grams. cells: (G,) a gram's place in the table of `rows`."""
        start, width = self.rows(codes), codes[self.item]
        beginning, size = int(codes.sum()), int(width.sum())
        counts = np.bincount(cells, minlength=beginning + size)
        if len(self.item) == self.items:
            of_candidate = counts[:beginning]
        else:
            shift = start[self.items :] - start[self.item]
            of_candidate = counts[np.arange(beginning, beginning + size) - np.repeat(shift, width)]
        so_far = np.append(0, np.cumsum(np.minimum(counts[beginning:], of_candidate)))
        row = start[self.items :] - beginning
        return np.asarray(so_far[row + width] - so_far[row], dtype=np.float64)


@dataclass(frozen=True)
class Overlap:
    """What recall and precision are made of, (R,) each: one for each reference, or (N,) once they are pooled.

    preference: what `best` goes by. root: the root to take of each ratio (ROUGE-W; else 1).
    """

    hits: Floats
    reference_total: Floats
    candidate_total: Floats
    preference: Floats
    root: float = 1.0


def rouge_from_overlap(
    overlap: Overlap, comparison: Comparison, *, variant: Variant, refs: Pooling, beta: float
) -> Rouge:
    """Scores from counts, several references brought together as `refs` says.

    overlap: (R,) one for each reference. Returns (N,) each. Raises UnknownName for a variant or pooling that does not
    exist, and InputError for a β that is negative or not finite. Source: eqs. (11), (14), (17) and (20) of Hirao et al.
    (2006).

    >>> pair = Comparison.of([[[1]]], [[[[1]]]])
    >>> three_of_four = Overlap(*(np.array([count]) for count in (3.0, 4.0, 3.0, 0.75)))
    >>> rouge_from_overlap(three_of_four, pair, variant="perl", refs="best", beta=1.0).f
    array([0.85714])
    """
    for kind, name, known in (("variant", variant, get_args(Variant)), ("refs", refs, get_args(Pooling))):
        if name not in known:
            raise UnknownName(kind, name, known)
    if not 0 <= beta < math.inf:
        raise InputError.at(found=f"beta={beta:g}", expected="a finite number from 0")
    if refs == "best":
        chosen = _first_of_highest(overlap.preference, comparison)
        overlap = _each_count(overlap, lambda count: count[chosen])
    elif refs == "pooled":
        overlap = _each_count(overlap, lambda count: sums(comparison.item, count, comparison.items))
    scores = _rates(overlap, variant, beta)
    if refs != "mean":
        return scores
    references = np.bincount(comparison.item, minlength=comparison.items)
    return Rouge(*(sums(comparison.item, score, comparison.items) / references for score in scores))


def _first_of_highest(preference: Floats, comparison: Comparison) -> Integers:
    order = np.lexsort((-preference, comparison.item))
    return np.asarray(order[np.searchsorted(comparison.item, np.arange(comparison.items))])


def _each_count(overlap: Overlap, change: Callable[[Floats], Floats]) -> Overlap:
    counts = (overlap.hits, overlap.reference_total, overlap.candidate_total, overlap.preference)
    hits, reference_total, candidate_total, preference = map(change, counts)
    return Overlap(hits, reference_total, candidate_total, preference, overlap.root)


def _rates(overlap: Overlap, variant: Variant, beta: float) -> Rouge:
    recall = divide(overlap.hits, overlap.reference_total, undefined=0.0) ** (1 / overlap.root)
    precision = divide(overlap.hits, overlap.candidate_total, undefined=0.0) ** (1 / overlap.root)
    if variant == "equations":
        f = divide((1 + beta**2) * recall * precision, recall + beta**2 * precision, undefined=0.0)
        return Rouge(recall, precision, f)
    recall, precision = as_printed(recall), as_printed(precision)
    # As the perl writes it, with its α: the order of the operations decides the last digit.
    alpha = 1 / (1 + beta**2)
    f = divide(precision * recall, (1 - alpha) * precision + alpha * recall, undefined=0.0)
    return Rouge(recall, precision, as_printed(f))


def as_printed(values: Floats) -> Floats:
    """Values rounded to the five decimals that ROUGE-1.5.5 prints, each as C's printf rounds it.

    >>> as_printed(np.array([2 / 3, 1 / 3]))
    array([0.66667, 0.33333])
    """
    scaled = values * 10**PRINTED_DECIMALS
    rounded = np.rint(scaled) / 10**PRINTED_DECIMALS
    # Scaling may land on a half that the value itself is not: those few are formatted one by one.
    for index in np.flatnonzero(np.abs(scaled - np.floor(scaled) - 0.5) < 1e-6):
        rounded[index] = float(f"{values[index]:.{PRINTED_DECIMALS}f}")
    return np.asarray(rounded)


def sums(group: Integers, values: ArrayLike, groups: int) -> Floats:
    """Sum of the values of each group, (groups,), added up in their order; 0 for a group without any.

    >>> sums(np.array([0, 2, 2]), [0.5, 1, 2], 3)
    array([0.5, 0. , 3. ])
    """
    return np.bincount(group, weights=np.asarray(values, dtype=np.float64), minlength=groups).astype(np.float64)


def portions(cells: Integers, limit: int) -> Iterator[slice]:
    """Runs of tables that have no more than `limit` cells together, or of one table; cells: (P,), the largest first.

    >>> list(portions(np.array([9, 4, 2]), 8))
    [slice(0, 1, None), slice(1, 3, None)]
    """
    begin = 0
    while begin < len(cells):
        end = min(begin + max(1, limit // int(cells[begin])), len(cells))
        yield slice(begin, end)
        begin = end


def grouped(keys: Integers) -> tuple[Integers, Integers]:
    """The order that brings equal keys together, (T,), those in their old order, and where each key begins in it.

    keys: (T,) at least 0.

    >>> [places.tolist() for places in grouped(np.array([5, 3, 5]))]
    [[1, 0, 2], [0, 1]]
    """
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)) < 2 ** (63 - bits):
        # Key and place in one number: numbers are sorted several times as fast as the places by their keys.
        numbers = np.sort(keys << bits | np.arange(len(keys)))
        order, in_order = numbers & (2**bits - 1), numbers >> bits
    else:
        order = np.argsort(keys, kind="stable")
        in_order = keys[order]
    return order, np.flatnonzero(np.append(True, in_order[1:] != in_order[:-1])[: len(keys)])
