"""ROUGE-L and ROUGE-W: longest common subsequences of a text and its references.

All pairs of sentences are aligned at once: in `bit_alignment` without weights, otherwise by anti-diagonals of their
tables, pairs of similar lengths together to limit padding. The traceback of equally long alignments goes up, to the
preceding token of the reference, as in ROUGE-1.5.5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Floats, Integers
from metaeval.measures.spec import ByParameter, Trait
from metaeval.measures.text.overlap import (
    Comparison,
    Overlap,
    Pooling,
    Rouge,
    Variant,
    portions,
    rouge_from_overlap,
    sentence_pairs,
    sums,
    union_matches,
)
from metaeval.measures.text.spec import reference_measure
from metaeval.model.runs import starts_of
from metaeval.stats.ratio import divide

CELLS_AT_ONCE = 4_000_000
"""Maximum number of cells of weighted tables in memory, one byte each; no result depends on it."""

_UP, _LEFT, _DIAGONAL = np.uint8(0), np.uint8(1), np.uint8(2)
_NO_REFERENCE_TOKEN, _NO_CANDIDATE_TOKEN = -1, -2


@reference_measure(
    "rouge-l",
    title="ROUGE-L",
    question="how long is the longest word sequence shared with a reference",
    source="lin2004",
    formula="R = Σ_i |∪_j LCS(r_i, c_j)| / words of R, P the same / words of C, F = (1 + β²) R P / (R + β² P)",
    bounds=ByParameter(
        "variant",
        {"equations": ByParameter("units", {"sentences": (0.0, math.inf), "text": (0.0, 1.0)}), "perl": (0.0, 1.0)},
    ),
    parameters={"units": "what is aligned: sentences (summary-level, rougeLsum), or whole texts (text, rougeL)"},
)
def rouge_l(
    comparison: Comparison,
    *,
    units: Literal["sentences", "text"] = "sentences",
    variant: Variant = "equations",
    refs: Pooling = "mean",
    beta: float = 1.0,
) -> Rouge:
    """Overlap of the output and its references in longest common subsequences of their sentences.

    Each sentence of the reference is aligned with each sentence of the candidate; a token counts once if any of these
    alignments uses it. In variant equations, a word that occurs in several sentences of the reference may match one
    word of the candidate several times, so that precision and F may exceed 1. In variant perl, a word counts at most
    as often as it occurs in the candidate. With units=text, each text is one sentence. Source: Hirao et
    al. (2006), eqs. (20)-(22); Lin (2004), sections 3.1 and 3.2.
    """
    if units == "text":
        comparison = comparison.whole_texts
    references = comparison.references
    counted = union_matches(comparison)
    if variant == "perl":
        counted = _clipped(counted, comparison)
    hits = sums(references.text, counted, len(references))
    overlap = Overlap(hits, references.words_of_texts, comparison.candidates.words_of_texts)
    return rouge_from_overlap(overlap, comparison, variant=variant, refs=refs, beta=beta)


@reference_measure(
    "rouge-w",
    title="ROUGE-W",
    question="how long are the word sequences shared with a reference, unbroken ones counting more",
    source="lin2004",
    formula="R = (WLCS(C, R) / m^weight)^(1/weight); k consecutive matches add k^weight to WLCS; P with the words of C",
    traits=ByParameter("variant", {"equations": frozenset({Trait.PERFECT_ON_ITSELF}), "perl": frozenset()}),
    parameters={"weight": "exponent of the length of a run of consecutive matches"},
)
def rouge_w(
    comparison: Comparison,
    *,
    weight: float = 1.2,
    variant: Variant = "equations",
    refs: Pooling = "mean",
    beta: float = 1.0,
) -> Rouge:
    """ROUGE-L that favours consecutive matches.

    In variant equations, each text is aligned as one sentence. In variant perl, sentences are aligned as in `rouge_l`,
    runs are consecutive in the reference, and the denominator is the sum of length^weight over the sentences, raised to
    `weight` a second time, so that a text does not score 1 against itself. Source: Lin (2004), section 4.
    """
    overlap = _runs_by_sentence(comparison, weight) if variant == "perl" else _runs_of_texts(comparison, weight)
    return rouge_from_overlap(overlap, comparison, variant=variant, refs=refs, beta=beta)


@dataclass(frozen=True)
class _Block:
    """B sentence pairs to align at once, padded to m tokens of the reference and n of the candidate.

    reference: (m, B) codes. candidate: (n, B) codes. rows, columns: (B,) lengths before padding.
    start: (B,) position of the reference's sentence among all reference tokens. pair: (B,) its text.
    """

    reference: Integers
    candidate: Integers
    rows: Integers
    columns: Integers
    start: Integers
    pair: Integers


def _blocks(comparison: Comparison) -> Iterator[_Block]:
    """Each non-empty sentence of each reference with each non-empty sentence of its candidate."""
    candidates, references = comparison.candidates, comparison.references
    row_sentence, column_sentence = sentence_pairs(comparison)
    rows, columns = references.lengths[row_sentence], candidates.lengths[column_sentence]
    order = np.lexsort((columns, rows))[::-1]
    order = order[(rows[order] > 0) & (columns[order] > 0)]
    row_starts, column_starts = starts_of(references.lengths), starts_of(candidates.lengths)
    widest = int(columns[order].max(initial=0)) + 1
    for portion in portions((rows[order] + 1) * widest, CELLS_AT_ONCE):
        pairs = order[portion]
        starts = row_starts[row_sentence[pairs]]
        yield _Block(
            reference=_padded(references.codes, starts, rows[pairs], _NO_REFERENCE_TOKEN),
            candidate=_padded(
                candidates.codes, column_starts[column_sentence[pairs]], columns[pairs], _NO_CANDIDATE_TOKEN
            ),
            rows=rows[pairs],
            columns=columns[pairs],
            start=starts,
            pair=references.text_of_sentence[row_sentence[pairs]],
        )


def _padded(codes: Integers, starts: Integers, lengths: Integers, filler: int) -> Integers:
    index = np.arange(int(lengths.max()))[:, np.newaxis]
    inside = index < lengths
    return np.where(inside, codes[np.where(inside, starts + index, 0)], filler)


def _align(block: _Block, weight: float) -> tuple[NDArray[np.uint8], Floats]:
    """Traceback moves of each cell, ((m + 1) (n + 1), B), and the weighted length of each alignment, (B,).

    A match is always used; otherwise the better of the cell above and the cell to the left, or above if they tie.
    """
    (height, pairs), width = block.reference.shape, len(block.candidate)
    powers = _powers(min(height, width) + 1, weight)
    moves = np.zeros(((height + 1) * (width + 1), pairs), dtype=np.uint8)
    backwards = block.candidate[::-1]
    # A diagonal is indexed by row. Row 0 and the row after the last one written are the zero margins of the table.
    values = [np.zeros((height + 1, pairs)) for _ in range(3)]
    runs = [np.zeros((height + 1, pairs), dtype=np.intp) for _ in range(3)]
    ends, corner = np.zeros(pairs), block.rows + block.columns
    for diagonal in range(2, height + width + 1):
        low, high = max(1, diagonal - width), min(height, diagonal - 1)
        here, above = slice(low, high + 1), slice(low - 1, high)
        value, last, before = (values[(diagonal - age) % 3] for age in range(3))
        run, run_before = runs[diagonal % 3], runs[(diagonal - 2) % 3][above]
        match = block.reference[above] == backwards[width - diagonal + low : width - diagonal + high + 1]
        up, left = last[above], last[here]
        # Addition before subtraction, as in ROUGE-1.5.5: the last bit decides ties.
        extended = before[above] + powers[run_before + 1] - powers[run_before]
        value[here] = np.where(match, extended, np.maximum(up, left))
        run[here] = np.where(match, run_before + 1, 0)
        first = low * width + diagonal
        moves[first : high * width + diagonal + 1 : width] = np.where(match, _DIAGONAL, np.where(left > up, _LEFT, _UP))
        finished = np.flatnonzero(corner == diagonal)
        ends[finished] = value[block.rows[finished], finished]
    return moves, ends


def _mark(matched: Bools, block: _Block, moves: NDArray[np.uint8]) -> None:
    """Trace all alignments back from their ends and mark the reference tokens that are matched."""
    width = len(block.candidate)
    row, column, pair = block.rows, block.columns, np.arange(len(block.rows))
    while len(pair):
        move = moves[row * (width + 1) + column, pair]
        diagonal = move == _DIAGONAL
        matched[block.start[pair[diagonal]] + row[diagonal] - 1] = True
        row, column = row - (move != _LEFT), column - (move != _UP)
        inside = (row > 0) & (column > 0)
        row, column, pair = row[inside], column[inside], pair[inside]


def _clipped(matched: Bools, comparison: Comparison) -> Bools:
    """The first matched tokens of each reference, at most as many of each word as the candidate has."""
    tokens, row_start = comparison.shared_tokens, len(comparison.candidates.codes)
    in_reference = tokens.text >= comparison.items
    available = np.bincount(tokens.word[~in_reference])
    token = tokens.position[in_reference] - row_start
    word, text = tokens.word[in_reference][matched[token]], tokens.text[in_reference][matched[token]]
    token = token[matched[token]]
    order = np.lexsort((token, word, text))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(word[order]) != 0) | (np.diff(text[order]) != 0)
    index = np.arange(len(order))
    occurrence = index - np.maximum.accumulate(np.where(new, index, 0))
    counted = np.zeros_like(matched)
    counted[token[order]] = occurrence < available[word[order]]
    return counted


def _runs_of_texts(comparison: Comparison, weight: float) -> Overlap:
    """Alignments of whole texts, as Lin defines them."""
    hits = np.zeros(len(comparison.item))
    for block in _blocks(comparison.whole_texts):
        hits[block.pair] = _align(block, weight)[1]
    totals = comparison.references.words_of_texts**weight, comparison.candidates.words_of_texts**weight
    return Overlap(hits, *totals, root=weight)


def _runs_by_sentence(comparison: Comparison, weight: float) -> Overlap:
    """Runs of matches in the sentences of the references, as ROUGE-1.5.5 counts them."""
    references = comparison.references
    matched = np.zeros(len(references.codes), dtype=bool)
    for block in _blocks(comparison):
        _mark(matched, block, _align(block, weight)[0])
    counted = _clipped(matched, comparison)
    ends = np.append(references.sentence[1:] != references.sentence[:-1], True)[: len(matched)]
    unmatched_next = np.append(~matched[1:], True)[: len(matched)]
    # Only a token that counts ends a run. A run whose last token was clipped continues after the gap in its sentence.
    closing = np.flatnonzero(counted & (ends | unmatched_next))
    so_far = np.cumsum(counted)
    start = starts_of(references.lengths)[references.sentence[closing]]
    run_ends = so_far[closing]
    run_starts = np.maximum(np.append(0, run_ends)[: len(run_ends)], so_far[start] - counted[start])
    powers = _powers(int(references.lengths.max(initial=0)), weight)
    shape = len(references)
    hits = sums(references.text[closing], powers[run_ends - run_starts], shape)
    base = sums(references.text_of_sentence, powers[references.lengths], shape)
    return Overlap(
        hits=hits,
        reference_total=np.power(base, weight),
        candidate_total=comparison.candidates.words_of_texts**weight,
        root=weight,
        preference=divide(hits, base, undefined=0.0) ** (1 / weight),
    )


def _powers(highest: int, weight: float) -> Floats:
    # The power function of the C library, as in ROUGE-1.5.5: that of numpy may differ in the last bit.
    return np.array([float(length) ** weight for length in range(highest + 2)])
