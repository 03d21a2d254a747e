"""Measures of R4C: agreement of the derivation of a system with the derivations of annotators.

A derivation is a list of steps ⟨head, relation, tail⟩. `r4c_rouge` is the measure of Inoue, Stenetorp & Inui (2020, in
Japanese), section 2.2; `r4c_align` that of their program and of their paper at ACL 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal

import numpy as np

from metaeval.arrays import Floats, Integers
from metaeval.errors import importing
from metaeval.measures.text.overlap import Comparison, Overlap, Rouge, rouge_from_overlap, sentence_pairs
from metaeval.measures.text.spec import reference_measure
from metaeval.measures.text.subsequences import rouge_l
from metaeval.measures.text.vocabulary import Vocabulary
from metaeval.measures.text.words import rouge, token_codes
from metaeval.model.runs import DataKind, Derivation, Letters, Step, starts_of
from metaeval.stats.ratio import divide

Level = Literal["entity", "relation", "full"]
"""Parts of a step that are compared: head and tail, the relation, or all three."""

_LEVEL_MEANING = {"level": "parts of each step that are compared: head and tail, the relation, or all three"}
_PARTS = {"entity": (0, 2), "relation": (1,), "full": (0, 1, 2)}


@reference_measure(
    "r4c-rouge",
    reads=DataKind.DERIVATIONS,
    title="ROUGE-L of derivations",
    question="how much of the reasoning is shared with a reference, step order counting",
    source="inoue2020",
    formula="rouge-l:variant=perl,refs=best,stem=porter on the distinct entities, the distinct relations, or all steps",
    parameters=_LEVEL_MEANING,
)
def r4c_rouge(
    candidates: Sequence[Derivation],
    references: Sequence[Sequence[Derivation]],
    *,
    level: Level = "full",
    beta: float = 1.0,
) -> Rouge:
    """ROUGE-L of derivations written as texts, with the first reference that has the highest recall.

    The sentences are the distinct heads and tails in order of appearance (entity), the distinct relations (relation),
    or the steps (full), with Porter's stems. It reproduces table 2 of Inoue et al. (2020, in Japanese).
    Raises InputError if the derivations are not in the Latin script or snowballstemmer is not installed.
    """
    vocabulary = Vocabulary(rouge)
    candidate_lines = [_lines(derivation, level) for derivation in candidates]
    reference_lines = [[_lines(derivation, level) for derivation in derivations] for derivations in references]
    lines = list(dict.fromkeys(chain.from_iterable(chain(candidate_lines, *reference_lines))))
    codes, lengths = vocabulary.encode_all(lines)
    letters = Letters()
    for line in lines:
        letters.add(line)
    letters.check(vocabulary.words(), codes, hint="use r4c-align, because r4c-rouge is defined for English")
    stems, starts = token_codes(vocabulary.words(), stem="porter")[codes], starts_of(lengths).tolist()
    words = {line: stems[begin:end].tolist() for line, (begin, end) in zip(lines, pairwise(starts), strict=True)}

    def text(lines: Sequence[str]) -> list[list[int]]:
        return [words[line] for line in lines]

    comparison = Comparison.of([*map(text, candidate_lines)], [[*map(text, texts)] for texts in reference_lines])
    return rouge_l(comparison, variant="perl", refs="best", beta=beta)


@reference_measure(
    "r4c-align",
    reads=DataKind.DERIVATIONS,
    title="Alignment of the steps of derivations",
    question="how much of the reasoning is shared with a reference, steps matched freely",
    source="inoue2020acl",
    formula="P = A / steps of the output, R = A / steps of the reference; A the maximum sum of similarities over "
    "one-to-one alignments of the steps; similarity of two parts: 1 − edit distance / length of the longer one",
    parameters=_LEVEL_MEANING,
    gridded=("level",),
)
def r4c_align(
    candidates: Sequence[Derivation],
    references: Sequence[Sequence[Derivation]],
    *,
    level: Level | Sequence[Level] = "full",
    beta: float = 1.0,
) -> Rouge:
    """Mean similarity of the steps of the output and its references under the best one-to-one alignment.

    The similarity of two steps is the mean over the parts of the level, and ignores case. The first reference with the
    largest sum of similarities counts. Raises InputError if rapidfuzz is not installed.
    """
    similarities = StepSimilarities.of(candidates, references)
    if isinstance(level, str):
        return align_steps(similarities, level=level, beta=beta)
    scores = zip(*(align_steps(similarities, level=one_level, beta=beta) for one_level in level), strict=True)
    return Rouge(*map(np.stack, scores))


@dataclass(frozen=True)
class StepSimilarities:
    """Similarities of the steps of candidates and references, for every level.

    comparison: derivations as texts whose sentences are steps of three codes: head, relation and tail.
    parts: (P, 3) similarities, from 0 to 1, of the heads, relations and tails of each pair of steps, sorted by step of
    the reference and step of its candidate.
    """

    comparison: Comparison
    parts: Floats

    @classmethod
    def of(cls, candidates: Sequence[Derivation], references: Sequence[Sequence[Derivation]]) -> StepSimilarities:
        """Compare every step of each candidate with every step of each of its references."""
        codes: dict[str, int] = {}

        def text(derivation: Derivation) -> list[list[int]]:
            return [[codes.setdefault(part.lower(), len(codes)) for part in step] for step in derivation]

        comparison = Comparison.of([*map(text, candidates)], [[*map(text, group)] for group in references])
        reference, candidate = sentence_pairs(comparison)
        expected, predicted = (
            texts.codes.reshape(-1, len(Step._fields))[steps]
            for texts, steps in ((comparison.references, reference), (comparison.candidates, candidate))
        )
        return cls(comparison, _similarities(list(codes), expected, predicted))


def align_steps(similarities: StepSimilarities, *, level: Level = "full", beta: float = 1.0) -> Rouge:
    """`r4c_align` from similarities of steps."""
    comparison = similarities.comparison
    expected, predicted = comparison.references.sizes, comparison.candidates.sizes
    cells = similarities.parts[:, _PARTS[level]].mean(axis=1)
    largest = _largest_sums(cells, expected, predicted[comparison.item])
    overlap = Overlap(largest, expected, predicted, preference=largest)
    return rouge_from_overlap(overlap, comparison, variant="equations", refs="best", beta=beta)


def _lines(derivation: Derivation, level: Level) -> list[str]:
    if level == "full":
        return [" ".join(step) for step in derivation]
    # A dictionary keeps the order, which decides between equally long alignments.
    return list(dict.fromkeys(step[part] for step in derivation for part in _PARTS[level]))


def _similarities(strings: Sequence[str], first: Integers, second: Integers) -> Floats:
    """1 − edit distance / length of the longer, for pairs of strings; 1 for two empty ones. Any shape."""
    with importing("r4c-align", "rapidfuzz", "text"):
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist
    # The same pairs of strings occur many times, in either order.
    lower, higher = np.minimum(first, second), np.maximum(first, second)
    distinct, pair = np.unique(lower * len(strings) + higher, return_inverse=True)
    one, other = ([strings[code] for code in side.tolist()] for side in np.divmod(distinct, max(len(strings), 1)))
    distance = cpdist(one, other, scorer=Levenshtein.distance, dtype=np.int32)[pair.reshape(first.shape)]
    lengths = np.array([len(string) for string in strings], dtype=np.int64)
    return 1 - divide(distance, np.maximum(lengths[first], lengths[second]), undefined=0.0)


def _largest_sums(cells: Floats, rows: Integers, columns: Integers) -> Floats:
    """Maximum sum of a one-to-one assignment in each table, (R,); cells: those of all tables, row by row."""
    # A slow import that few tasks need.
    from scipy.optimize import linear_sum_assignment

    sums = np.zeros(len(rows))
    begin = 0
    for number, (height, width) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        end = begin + height * width
        table = cells[begin:end].reshape(height, width)
        sums[number] = table[linear_sum_assignment(table, maximize=True)].sum()
        begin = end
    return sums
