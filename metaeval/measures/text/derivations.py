"""Measures of R4C: agreement of the derivation of a system with the derivations of annotators.

A derivation is a list of steps ⟨head, relation, tail⟩. `r4c_rouge` is the measure of Inoue, Stenetorp & Inui (2020, in
Japanese), section 2.2; `r4c_align` that of their program and of their paper at ACL 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Literal

import numpy as np

from metaeval.arrays import Floats, Ints
from metaeval.errors import importing
from metaeval.measures.text.overlap import Comparison, Overlap, Rouge, rouge_from_overlap
from metaeval.measures.text.spec import reference_measure
from metaeval.measures.text.subsequences import rouge_l
from metaeval.measures.text.vocabulary import Vocabulary
from metaeval.measures.text.words import rouge, token_codes
from metaeval.model.runs import DataKind, Derivation, Letters, Step, ranges, starts_of
from metaeval.stats.ratio import divide

Level = Literal["entity", "relation", "full"]
"""Parts of a step that are compared: head and tail, the relation, or all three."""

_LEVEL_MEANING = {"level": "parts of each step that are compared: head and tail, the relation, or all three"}
_PARTS = {"entity": (0, 2), "relation": (1,), "full": (0, 1, 2)}
_PARTS_OF_A_STEP = len(Step._fields)
# Rounding errors of sums of the same similarities in another order are smaller.
_TOLERANCE = 1e-9


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
    of_candidates = [_lines(derivation, level) for derivation in candidates]
    of_references = [[_lines(derivation, level) for derivation in of_item] for of_item in references]
    lines = list(dict.fromkeys(chain.from_iterable(chain(of_candidates, *of_references))))
    codes, lengths = vocabulary.encode_all(lines)
    starts = starts_of(lengths).tolist()
    words = {line: codes[begin:end].tolist() for line, (begin, end) in zip(lines, pairwise(starts), strict=True)}

    def text(lines: Sequence[str]) -> list[list[int]]:
        return [words[line] for line in lines]

    forms = Comparison.of([*map(text, of_candidates)], [[*map(text, of_item)] for of_item in of_references])
    letters = Letters()
    for line in lines:
        letters.add(line)
    letters.check(vocabulary.words(), codes, hint="use r4c-align, because r4c-rouge is defined for English")
    stems = token_codes(vocabulary.words(), stem="porter").astype(np.int64)
    comparison = replace(
        forms,
        candidates=replace(forms.candidates, codes=stems[forms.candidates.codes]),
        references=replace(forms.references, codes=stems[forms.references.codes]),
    )
    return rouge_l(comparison, variant="perl", refs="best", beta=beta)


def r4c_align_grid(
    candidates: Sequence[Derivation],
    references: Sequence[Sequence[Derivation]],
    *,
    level: Sequence[Level],
    beta: float = 1.0,
) -> Rouge:
    """`r4c_align` at several levels, (levels, N), with one comparison of the steps."""
    similarities = StepSimilarities.of(candidates, references)
    scores = zip(*(align_steps(similarities, level=each, beta=beta) for each in level), strict=True)
    return Rouge(*map(np.stack, scores))


@reference_measure(
    "r4c-align",
    reads=DataKind.DERIVATIONS,
    title="Alignment of the steps of derivations",
    question="how much of the reasoning is shared with a reference, steps matched freely",
    source="inoue2020acl",
    formula="P = A / steps of the output, R = A / steps of the reference; A the maximum sum of similarities over "
    "one-to-one alignments of the steps; similarity of two parts: 1 − edit distance / length of the longer one",
    parameters=_LEVEL_MEANING,
    grid=r4c_align_grid,
    gridded=("level",),
)
def r4c_align(
    candidates: Sequence[Derivation],
    references: Sequence[Sequence[Derivation]],
    *,
    level: Level = "full",
    beta: float = 1.0,
) -> Rouge:
    """Mean similarity of the steps of the output and its references under the best one-to-one alignment.

    The similarity of two steps is the mean over the parts of the level, and ignores case. The first reference with the
    largest sum of similarities counts. Raises InputError if rapidfuzz is not installed.
    """
    return align_steps(StepSimilarities.of(candidates, references), level=level, beta=beta)


@dataclass(frozen=True)
class StepSimilarities:
    """Similarities of the steps of candidates and references, for every level.

    comparison: derivations as texts whose sentences are steps of three codes: head, relation and tail.
    parts: (P, 3) similarities, from 0 to 1, of the heads, relations and tails of each pair of steps, sorted by
    reference, step of its candidate, and step of the reference.
    """

    comparison: Comparison
    parts: Floats

    @classmethod
    def of(cls, candidates: Sequence[Derivation], references: Sequence[Sequence[Derivation]]) -> StepSimilarities:
        """Compare every step of each candidate with every step of each of its references."""
        codes: dict[str, int] = {}

        def text(derivation: Derivation) -> list[list[int]]:
            return [[codes.setdefault(part.lower(), len(codes)) for part in step] for step in derivation]

        comparison = Comparison.of([*map(text, candidates)], [[*map(text, of_item)] for of_item in references])
        return cls(comparison, _similarities(list(codes), *_paired_parts(comparison)))


def align_steps(similarities: StepSimilarities, *, level: Level = "full", beta: float = 1.0) -> Rouge:
    """`r4c_align` from similarities of steps."""
    comparison = similarities.comparison
    predicted, expected = _sizes(comparison)
    largest = _largest_sums(similarities.parts[:, _PARTS[level]].mean(axis=1), predicted, expected)
    best = np.zeros(comparison.items)
    np.maximum.at(best, comparison.item, largest)
    overlap = Overlap(
        hits=largest,
        reference_total=expected.astype(np.float64),
        candidate_total=predicted.astype(np.float64),
        preference=(largest > best[comparison.item] - _TOLERANCE).astype(np.float64),
    )
    return rouge_from_overlap(overlap, comparison, variant="equations", refs="best", beta=beta)


def _lines(derivation: Derivation, level: Level) -> list[str]:
    if level == "full":
        return [" ".join(step) for step in derivation]
    # A dictionary keeps the order, which decides between equally long alignments.
    return list(dict.fromkeys(step[part] for step in derivation for part in _PARTS[level]))


def _sizes(comparison: Comparison) -> tuple[Ints, Ints]:
    """Numbers of steps of the candidate and of the reference, (R,) each."""
    predicted = comparison.candidates.lengths[comparison.item] // _PARTS_OF_A_STEP
    return predicted, comparison.references.lengths // _PARTS_OF_A_STEP


def _paired_parts(comparison: Comparison) -> tuple[Ints, Ints]:
    """Codes of the candidate and of the reference of all pairs in the order of `StepSimilarities`, (P, 3) each."""
    predicted, expected = _sizes(comparison)
    sides = []
    for texts, text, sizes in (
        (comparison.candidates, comparison.item, predicted),
        (comparison.references, np.arange(len(expected)), expected),
    ):
        starts = (np.cumsum(texts.lengths) - texts.lengths) // _PARTS_OF_A_STEP
        sides.append((texts.codes.reshape(-1, _PARTS_OF_A_STEP), starts[text], sizes))
    (steps, starts, _), (others, other_starts, _) = sides
    step, reference = ranges(starts, predicted), np.repeat(np.arange(len(expected)), predicted)
    return steps[np.repeat(step, expected[reference])], others[ranges(other_starts[reference], expected[reference])]


def _similarities(strings: Sequence[str], first: Ints, second: Ints) -> Floats:
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


def _largest_sums(cells: Floats, rows: Ints, columns: Ints) -> Floats:
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
