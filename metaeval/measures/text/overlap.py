"""What every ROUGE is made of: texts laid out beside their references, and scores from counts of what they share.

Texts are lists of sentences of integer token codes and are compared in batches: `Comparison.of` lays all tokens out in
one row, and `rouge_from_overlap` turns the counts that a measure makes of them into recall, precision and F.

Two variants. `equations` follows Hirao et al. (2006). `perl` gives the digits of ROUGE-1.5.5, which rounds recall and
precision to five decimals, computes F from these and rounds it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.errors import InputError, UnknownName
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
        sentences = [sentence for text in texts for sentence in text]
        sentence_lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        sentence_text = np.repeat(np.arange(len(texts)), np.array([len(text) for text in texts], dtype=np.int64))
        text = np.repeat(sentence_text, sentence_lengths)
        codes = np.array([code for sentence in sentences for code in sentence], dtype=np.int64)
        if codes.min(initial=0) < 0:
            raise InputError.at(found=f"token code {codes.min()}", expected="codes of at least 0")
        return cls(
            codes=codes,
            text=text,
            sentence=np.repeat(np.arange(len(sentences)), sentence_lengths),
            lengths=np.bincount(text, minlength=len(texts)),
            sentence_lengths=sentence_lengths,
            sentence_text=sentence_text,
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
    """

    candidates: FlatTexts
    references: FlatTexts
    item: Integers

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
        of_reference = text >= self.items
        item = np.concatenate([self.candidates.text, self.item[self.references.text]])
        distinct, codes = np.unique(np.concatenate([self.candidates.codes, self.references.codes]), return_inverse=True)
        words, word = np.unique(item * max(len(distinct), 1) + codes, return_inverse=True)
        common: Flags = np.zeros((2, len(words)), dtype=bool)
        common[0, word[~of_reference]] = True
        common[1, word[of_reference]] = True
        both = common[0] & common[1]
        kept = both[word]
        number = (np.cumsum(both) - 1)[word[kept]]
        vocabularies = np.bincount(words[both] // max(len(distinct), 1), minlength=self.items)
        return SharedTokens(
            text=text[kept],
            position=np.flatnonzero(kept),
            last=np.append(text[1:] != text[:-1], np.ones(min(len(text), 1), dtype=bool))[kept],
            word=number,
            local=number - (np.cumsum(vocabularies) - vocabularies)[item[kept]],
            vocabulary=vocabularies,
            item=item[kept],
        )

    def matches(self, gram: Integers, text: Integers) -> Floats:
        """Grams that each reference shares with its candidate, (R,), as often as both have them.

        gram: (G,) a code that differs between items. text: (G,) where it occurs, numbered as in `SharedTokens`.
        """
        of_reference = text >= self.items
        candidate_grams, times = np.unique(gram[~of_reference], return_counts=True)
        if not len(candidate_grams):
            return np.zeros(len(self.item))
        sought, reference = gram[of_reference], text[of_reference] - self.items
        place = np.minimum(np.searchsorted(candidate_grams, sought), len(candidate_grams) - 1)
        found = candidate_grams[place] == sought
        pairs, reference_times = np.unique(reference[found] * len(candidate_grams) + place[found], return_counts=True)
        clipped = np.minimum(reference_times, times[pairs % len(candidate_grams)])
        return sums(pairs // len(candidate_grams), clipped, len(self.item))

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
    exist, and InputError for a β not above 0. Source: eqs. (11), (14), (17) and (20) of Hirao et al. (2006).

    >>> pair = Comparison.of([[[1]]], [[[[1]]]])
    >>> three_of_four = Overlap(*(np.array([count]) for count in (3.0, 4.0, 3.0, 0.75)))
    >>> rouge_from_overlap(three_of_four, pair, variant="perl", refs="best", beta=1.0).f
    array([0.85714])
    """
    for kind, name, known in (("variant", variant, get_args(Variant)), ("refs", refs, get_args(Pooling))):
        if name not in known:
            raise UnknownName(kind, name, known)
    if not beta > 0:
        raise InputError.at(found=f"beta={beta:g}", expected="a number above 0")
    if refs == "best":
        overlap = _selected(overlap, _first_of_highest(overlap.preference, comparison))
    elif refs == "pooled":
        overlap = _pooled(overlap, comparison)
    scores = _rates(overlap, variant, beta)
    if refs != "mean":
        return scores
    references = np.bincount(comparison.item, minlength=comparison.items)
    return Rouge(*(sums(comparison.item, score, comparison.items) / references for score in scores))


def _first_of_highest(preference: Floats, comparison: Comparison) -> Integers:
    order = np.lexsort((-preference, comparison.item))
    return np.asarray(order[np.searchsorted(comparison.item, np.arange(comparison.items))])


def _selected(overlap: Overlap, chosen: Integers) -> Overlap:
    return _each_count(overlap, lambda count: count[chosen])


def _pooled(overlap: Overlap, comparison: Comparison) -> Overlap:
    return _each_count(overlap, lambda count: sums(comparison.item, count, comparison.items))


def _each_count(overlap: Overlap, change: Callable[[Floats], Floats]) -> Overlap:
    return replace(
        overlap,
        hits=change(overlap.hits),
        reference_total=change(overlap.reference_total),
        candidate_total=change(overlap.candidate_total),
        preference=change(overlap.preference),
    )


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
