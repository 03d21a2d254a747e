"""Measures of R4C: how well the derivation that a system gives for an answer agrees with those that annotators gave.

A derivation is a list of steps ⟨head, relation, tail⟩. Two measures, each at three levels: of entities (heads and
tails), of relations, or of both ('full'). `r4c_rouge` is the one of the Japanese paper: Inoue, Stenetorp & Inui,
'Building a benchmark for the reasoning of machine reading comprehension systems' (2020), section 2.2.
`r4c_align` is the one of the authors' own program and of their later paper: Inoue, Stenetorp & Inui, 'R4C: A benchmark
for evaluating RC systems to get the right answer for the right reason' (ACL 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

import numpy as np

from metaeval.errors import InputError, UnknownName
from metaeval.measures.text.overlap import Comparison, Floats, Integers, Overlap, Rouge, rouge_from_overlap
from metaeval.measures.text.spec import reference_measure
from metaeval.measures.text.subsequences import rouge_l
from metaeval.measures.text.token_filters import token_codes
from metaeval.measures.text.tokenizers import rouge
from metaeval.measures.text.vocabulary import Vocabulary
from metaeval.model.data_kind import DataKind
from metaeval.model.ragged import ranges
from metaeval.model.texts import Derivation, Step
from metaeval.stats.ratio import divide

Level = Literal["entity", "relation", "full"]
"""What of each step is compared: head and tail, the relation, or all three."""

_LEVEL_MEANING = {"level": "what of each step is compared: head and tail, the relation, or all three"}
_PARTS = {"entity": (0, 2), "relation": (1,), "full": (0, 1, 2)}
_PARTS_OF_A_STEP = len(Step._fields)
# Sums of the same similarities in another order differ by less; sums that differ in truth hardly ever do.
_AS_GOOD_AS_BEST = 1e-9


@reference_measure(
    "r4c-rouge",
    reads=DataKind.DERIVATIONS,
    title="ROUGE-L of derivations",
    source="inoue2020",
    formula="rouge-l:variant=perl,refs=best,stem=porter of the distinct entities, the distinct relations, or all steps",
    parameters=_LEVEL_MEANING,
)
def r4c_rouge(
    candidates: Sequence[Derivation],
    references: Sequence[Sequence[Derivation]],
    *,
    level: Level = "full",
    beta: float = 1.0,
) -> Rouge:
    """ROUGE-L of derivations written as texts, against the reference of highest recall, the first where several tie.

    entity: the distinct heads and tails, one a line, in the order in which they first appear. relation: the distinct
    relations. full: every step as a line 'head relation tail'. A line is a sentence of ROUGE-1.5.5 with Porter's stems;
    what repeats in several lines counts as often as the candidate has it, as there.

    candidates: N derivations. references: of each one or several. Returns (N,) each. Raises UnknownName for a level
    that does not exist, and InputError where a candidate has no reference, β is negative, the derivations are in
    another script than English or snowballstemmer is not installed. Source: section 2.2 of Inoue et al. (2020, in
    Japanese); it gives their table 2.

    >>> derivation, reference = [Step("Ed Wood", "was", "a film maker")], [Step("Ed Wood", "is", "an American maker")]
    >>> r4c_rouge([derivation], [[reference]], level="entity").precision
    array([0.6])
    """
    _check(level)
    vocabulary = Vocabulary(rouge)
    encode = cache(vocabulary.encode)

    def text(derivation: Derivation) -> list[list[int]]:
        return [encode(line) for line in _lines(derivation, level)]

    forms = Comparison.of([*map(text, candidates)], [[*map(text, of_item)] for of_item in references])
    vocabulary.check_language("r4c-rouge is made for English: choose r4c-align")
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
    """`r4c_align` at several levels, whose steps are compared once: (levels, N) each."""
    similarities = StepSimilarities.of(candidates, references)
    scores = zip(*(align_steps(similarities, level=each, beta=beta) for each in level), strict=True)
    return Rouge(*map(np.stack, scores))


@reference_measure(
    "r4c-align",
    reads=DataKind.DERIVATIONS,
    title="Alignment of the steps of derivations",
    source="inoue2020acl",
    formula="P = A / steps given, R = A / steps of the reference; A the largest sum of similarities of steps paired "
    "one to one, parts alike by 1 − edit distance / length of the longer",
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
    """Shares of the steps that find an equal, steps being paired so that they are as alike as possible.

    Two strings are alike by 1 − their edit distance / the length of the longer, whatever their case; two steps by the
    mean over the parts that the level names. The one-to-one pairing of largest sum is found; the sum over the number of
    the candidate's steps is precision, over the reference's recall, and F_β is of these two. The reference of
    the largest sum counts, the first where several tie. An empty derivation has 0 everywhere.

    candidates: N derivations. references: of each one or several. Returns (N,) each. Raises UnknownName for a level
    that does not exist, and InputError where a candidate has no reference, β is negative or rapidfuzz is not
    installed. For several levels, `StepSimilarities` once and `align_steps` for each saves time.

    >>> derivation, reference = [Step("A", "is", "red")], [Step("a", "is", "bed"), Step("b", "is", "big")]
    >>> r4c_align([derivation], [[reference]], level="entity").recall.round(4)
    array([0.4167])
    """
    _check(level)
    return align_steps(StepSimilarities.of(candidates, references), level=level, beta=beta)


@dataclass(frozen=True)
class StepSimilarities:
    """Similarities of the steps of candidates and references, for every level.

    comparison: derivations as texts, their steps as sentences of three codes: head, relation and tail.
    parts: (P, 3) for every reference, step of its candidate and step of the reference, ascending: the similarities of
    their heads, relations and tails, 0 to 1.
    """

    comparison: Comparison
    parts: Floats

    @classmethod
    def of(cls, candidates: Sequence[Derivation], references: Sequence[Sequence[Derivation]]) -> StepSimilarities:
        """Compare every step of each candidate with every step of each of its references.

        Raises InputError where a candidate has no reference or rapidfuzz is not installed.

        >>> StepSimilarities.of([[Step("A", "is", "red")]], [[[Step("a", "was", "bad")]]]).parts.round(2).tolist()
        [[1.0, 0.33, 0.33]]
        """
        codes: dict[str, int] = {}

        def text(derivation: Derivation) -> list[list[int]]:
            return [[codes.setdefault(part.lower(), len(codes)) for part in step] for step in derivation]

        comparison = Comparison.of([*map(text, candidates)], [[*map(text, of_item)] for of_item in references])
        return cls(comparison, _alike(list(codes), *_paired_parts(comparison)))


def align_steps(similarities: StepSimilarities, *, level: Level = "full", beta: float = 1.0) -> Rouge:
    """`r4c_align` from similarities that are known; raises what it raises for a level or β.

    >>> step = Step("Ed Wood", "was", "a film maker")
    >>> align_steps(StepSimilarities.of([[step]], [[[step, step]]]), level="relation").recall
    array([0.5])
    """
    _check(level)
    comparison = similarities.comparison
    predicted, expected = _sizes(comparison)
    largest = _largest_sums(similarities.parts[:, _PARTS[level]].mean(axis=1), predicted, expected)
    best = np.zeros(comparison.items)
    np.maximum.at(best, comparison.item, largest)
    overlap = Overlap(
        hits=largest,
        reference_total=expected.astype(np.float64),
        candidate_total=predicted.astype(np.float64),
        preference=(largest > best[comparison.item] - _AS_GOOD_AS_BEST).astype(np.float64),
    )
    return rouge_from_overlap(overlap, comparison, variant="equations", refs="best", beta=beta)


def _check(level: Level) -> None:
    if level not in get_args(Level):
        raise UnknownName("level", level, get_args(Level))


def _lines(derivation: Derivation, level: Level) -> list[str]:
    if level == "full":
        return [" ".join(step) for step in derivation]
    # A dictionary as a set that keeps the order: it decides between two equally long alignments.
    return list(dict.fromkeys(step[part] for step in derivation for part in _PARTS[level]))


def _sizes(comparison: Comparison) -> tuple[Integers, Integers]:
    """Steps of the candidate and of the reference, (R,) each: one for each reference."""
    predicted = comparison.candidates.lengths[comparison.item] // _PARTS_OF_A_STEP
    return predicted, comparison.references.lengths // _PARTS_OF_A_STEP


def _paired_parts(comparison: Comparison) -> tuple[Integers, Integers]:
    """Codes of all pairs of steps in the order of `StepSimilarities`, (P, 3) each: the candidate's, the reference's."""
    predicted, expected = _sizes(comparison)
    sides = []
    for texts, text, sizes in (
        (comparison.candidates, comparison.item, predicted),
        (comparison.references, np.arange(len(expected)), expected),
    ):
        starts = (np.cumsum(texts.lengths) - texts.lengths) // _PARTS_OF_A_STEP
        sides.append((texts.codes.reshape(-1, _PARTS_OF_A_STEP), starts[text], sizes))
    (steps, starts, _), (others, other_starts, _) = sides
    # Each step of a candidate in turn, and beside it all steps of the reference.
    step, reference = ranges(starts, predicted), np.repeat(np.arange(len(expected)), predicted)
    return steps[np.repeat(step, expected[reference])], others[ranges(other_starts[reference], expected[reference])]


def _alike(strings: Sequence[str], first: Integers, second: Integers) -> Floats:
    """1 − edit distance / length of the longer, of pairs of strings; 1 for two empty ones. Any shape."""
    try:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist
    except ImportError:
        raise InputError.at(
            found="r4c-align needs the package rapidfuzz, which is not installed",
            hint="pip install 'metaeval[text]'",
        ) from None
    # The same strings meet again and again, in either order.
    lower, higher = np.minimum(first, second), np.maximum(first, second)
    distinct, pair = np.unique(lower * len(strings) + higher, return_inverse=True)
    one, other = ([strings[code] for code in side.tolist()] for side in np.divmod(distinct, max(len(strings), 1)))
    distance = cpdist(one, other, scorer=Levenshtein.distance, dtype=np.int32)[pair.reshape(first.shape)]
    lengths = np.array([len(string) for string in strings], dtype=np.int64)
    return 1 - divide(distance, np.maximum(lengths[first], lengths[second]), undefined=0.0)


def _largest_sums(like: Floats, rows: Integers, columns: Integers) -> Floats:
    """The sum of the best one-to-one pairing in each table, (R,); like: the cells of all tables, row by row."""
    # Imported here, since it is slow to start with and few tasks need it.
    from scipy.optimize import linear_sum_assignment

    sums = np.zeros(len(rows))
    begin = 0
    for number, (height, width) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        end = begin + height * width
        table = like[begin:end].reshape(height, width)
        sums[number] = table[linear_sum_assignment(table, maximize=True)].sum()
        begin = end
    return sums
