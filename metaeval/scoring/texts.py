"""Item scores of texts: blocks of items, compared under the token filters of each measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from metaeval.arrays import Floats, Indices, Integers, Ints
from metaeval.errors import refuse, setting
from metaeval.grid import round_to_grid
from metaeval.measures.spec import Measure
from metaeval.measures.statistics import StatisticsScore, statistics_of, text_statistics
from metaeval.measures.text.matches import WordLabels, cut
from metaeval.measures.text.overlap import Comparison, Rouge
from metaeval.measures.text.spec import TOKEN_FILTERS, needs_lexicon
from metaeval.measures.text.words import TokenCodes, labels_of_codes, token_codes_of
from metaeval.model.runs import DataKind, DerivationRuns, TextRuns, TokenizedTexts, Word, starts_of
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.evaluation import Pieces, Plan, evaluate, picklable_by_name, score_plan, sums_of
from metaeval.scoring.resamples import BLOCK_MEMORY, Draw, blocks_of
from metaeval.scoring.table import ItemSamples
from metaeval.stats.resample import generator, seed_for

WORDS_AT_ONCE = 40_000
"""Maximum words of references, and of the outputs of each system, in a block of several items."""

WORDS_FOR_PROCESSES = 1_000_000
"""Words of references and outputs from which processes are worth starting: a few tenths of a second of ROUGE."""

_SAMPLE_WORDS = 100
"""Words on which token filters are tried out."""


def plan_texts(runs: TextRuns, measures: Sequence[Measure]) -> Plan[slice, Floats]:
    """How to score texts: blocks of items, each to scores (M, S, items of the block).

    A measure that reads other data, and token filters that cannot be applied, are `InputError`s.
    """
    for measure in measures:
        measure.check_reads(DataKind.TEXTS)
    vocabularies = [_FilteredVocabulary.of(runs, measures, indices) for indices in _by_filters(measures)]
    words = sum(len(texts.codes) for texts in (runs.references, *runs.outputs))
    raw = runs.raw or runs if any(map(statistics_of, measures)) else None
    pieces = Pieces(
        partial(_pieces, runs, raw, starts_of(runs.reference_counts)),
        partial(_score_piece, vocabularies, tuple(measures), raw.words if raw is not None else ()),
        large=words >= WORDS_FOR_PROCESSES and picklable_by_name(measures),
    )
    return Plan.in_pieces(_blocks(runs), pieces)


def score_texts(runs: TextRuns, measures: Sequence[Measure]) -> ItemScores:
    """Scores of every item of every system under every measure.

    Parameters
    ----------
    runs
        Texts of S systems for N items.
    measures
        M measures.

    Returns
    -------
    ItemScores
        Values (M, S, N).

    Raises
    ------
    InputError
        If a measure does not read texts, or its token filters cannot be applied.
    """
    return score_plan(plan_texts(runs, measures), measures, runs)


def _by_filters(measures: Sequence[Measure]) -> list[list[int]]:
    """The indices of measures that share their token filters, without those that read texts as they are written."""
    groups: dict[Any, list[int]] = {}
    for index, measure in enumerate(measures):
        if statistics_of(measure) is not None:
            continue
        groups.setdefault(tuple(_filters(measure).values()), []).append(index)
    return list(groups.values())


def _filters(measure: Measure) -> dict[str, Any]:
    """The arguments of a measure that are token filters."""
    return {parameter.argument: measure.arguments[parameter.argument] for parameter in TOKEN_FILTERS}


@dataclass(frozen=True)
class _FilteredVocabulary:
    """Measures that share their token filters: the code of each word (−1: left out), and labels by code."""

    measures: tuple[Measure, ...]
    indices: list[int]
    codes: TokenCodes
    labels: WordLabels | None

    @classmethod
    def of(cls, runs: TextRuns, measures: Sequence[Measure], indices: list[int]) -> _FilteredVocabulary:
        subset = tuple(measures[index] for index in indices)
        codes = token_codes_of(runs.words, **_filters(subset[0]))
        labels = labels_of_codes(runs.words, codes) if any(map(needs_lexicon, subset)) else None
        return cls(subset, indices, codes, labels)

    def texts(self, texts: TokenizedTexts) -> TokenizedTexts:
        """Texts after the token filters."""
        codes = self.codes[texts.codes]
        counted = codes >= 0
        lengths = np.bincount(texts.sentence[counted], minlength=len(texts.lengths))
        return TokenizedTexts(codes[counted], lengths, texts.sizes)


def check_texts(runs: TextRuns, measures: Sequence[Measure], path: str | None = None) -> None:
    """Raise an `InputError` where measures cannot be computed on these texts, before hours of work.

    path: of the lexicon, or of the references without one.
    """
    for indices in _by_filters(measures):
        token_codes_of(runs.words[:_SAMPLE_WORDS], **_filters(measures[indices[0]]))
    with_labels = [measure for measure in measures if needs_lexicon(measure)]
    if with_labels and not any(word.labels for word in runs.words):
        found = f"measure '{with_labels[0]}', which uses semantic labels, and no word with a semantic label"
        hint = f"name one with {setting('lexicon', 'FILE.tsv')}, or choose wsk, which is the same without labels"
        raise refuse(path, found, "a lexicon that knows some of the words", hint)


def _blocks(runs: TextRuns) -> tuple[slice, ...]:
    """Runs of items with a bounded number of words."""
    item = np.repeat(np.arange(len(runs.items)), runs.reference_counts)
    costs = np.bincount(item, runs.references.words_of_texts, minlength=len(runs.items)).astype(np.int64)
    for outputs in runs.outputs:
        costs = np.maximum(costs, outputs.words_of_texts)
    return tuple(cut(costs + 1, WORDS_AT_ONCE))


class _Piece(NamedTuple):
    """The texts of a block of n items. counts: (n,) references of each item. outputs: of each system n texts."""

    references: TokenizedTexts
    counts: Indices
    outputs: tuple[TokenizedTexts, ...]


def _piece(runs: TextRuns, first: Ints, block: slice) -> _Piece:
    """The texts of a block; first: of each item the first of its references, (N + 1,)."""
    items = np.arange(block.start, block.stop)
    return _Piece(
        runs.references.take(np.arange(first[block.start], first[block.stop])),
        runs.reference_counts[block],
        tuple(outputs.take(items) for outputs in runs.outputs),
    )


def _pieces(runs: TextRuns, raw: TextRuns | None, first: Ints, block: slice) -> tuple[_Piece, _Piece | None]:
    """The texts of a block, also as they are written where a measure reads these."""
    return _piece(runs, first, block), _piece(raw, first, block) if raw is not None else None


def _score_piece(
    vocabularies: Sequence[_FilteredVocabulary],
    measures: Sequence[Measure],
    words: Sequence[Word],
    pieces: tuple[_Piece, _Piece | None],
) -> Floats:
    """Scores and statistics, (M + R, S, n); words: of the texts as they are written."""
    piece, raw = pieces
    items = len(piece.counts)
    item = np.repeat(np.arange(items), piece.counts)
    sums = sums_of(measures)
    scores = np.empty((len(measures) + (sums[-1].rows.stop if sums else 0), len(piece.outputs), items))
    if raw is not None:
        _score_written(measures, words, raw, scores)
    for vocabulary in vocabularies:
        references = vocabulary.texts(piece.references)
        for system, outputs in enumerate(piece.outputs):
            comparison = Comparison(vocabulary.texts(outputs), references, item, vocabulary.labels)
            scores_of_group = evaluate(vocabulary.measures, partial(_compare, (comparison,)))
            for index, values in zip(vocabulary.indices, scores_of_group, strict=True):
                scores[index, system] = values
    return scores


def _score_written(measures: Sequence[Measure], words: Sequence[Word], piece: _Piece, scores: Floats) -> None:
    """Fill in the rows of measures that read texts as they are written."""
    reference_texts = piece.references.to_strings(words)
    references = [reference_texts[begin:end] for begin, end in pairwise(starts_of(piece.counts).tolist())]
    rows = {sum_score.index: sum_score.rows for sum_score in sums_of(measures)}
    for system, texts in enumerate(piece.outputs):
        outputs = texts.to_strings(words)
        for index, measure in enumerate(measures):
            if statistics_of(measure) is None:
                continue
            statistics = text_statistics(measure, outputs, references)
            scores[index, system] = StatisticsScore(measure).score_items(statistics)
            if index in rows:
                scores[len(measures) :][rows[index], system] = statistics.T


def _compare(texts: tuple[Any, ...], measure: Measure, arguments: dict[str, Any]) -> Rouge:
    """The scores of a comparison, or of derivations and their references."""
    return cast(Rouge, measure.declaration.function(*texts, **arguments))


@dataclass(frozen=True)
class Subsets:
    """Subsets of the references of each item, all of one size.

    references: (V, size) indices of the references among those of the item, subsets of an item together and in order.
    counts: (N,) number of subsets of each item. complete: whether these are all subsets of this size.
    """

    references: Indices
    counts: Indices
    complete: bool

    @property
    def item(self) -> Indices:
        """The item of each subset, (V,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


def reference_subsets(counts: Indices, size: int, *, at_most: int, seed: int) -> Subsets:
    """Every subset of a size of the references of each item, or a sample of them where an item has too many.

    counts: (N,) references of each item, at least `size`. at_most: subsets an item.

    >>> reference_subsets(np.array([3, 2]), 2, at_most=50, seed=0).references.tolist()
    [[0, 1], [0, 2], [1, 2], [0, 1]]
    """
    random = generator(seed_for(seed, f"subsets of {size} references"))
    whole = {count: math.comb(count, size) <= at_most for count in set(counts.tolist())}
    every = {count: list(combinations(range(count), size)) for count, fits in whole.items() if fits}
    by_item = [every[count] if whole[count] else list(_sampled(random, count, size, at_most)) for count in counts]
    return Subsets(
        np.array([subset for subsets in by_item for subset in subsets], dtype=np.intp).reshape(-1, size),
        np.array([len(subsets) for subsets in by_item], dtype=np.intp),
        all(whole.values()),
    )


def _sampled(random: np.random.Generator, count: int, size: int, number: int) -> Iterator[tuple[int, ...]]:
    """Different subsets, each as likely as any other."""
    subsets: dict[tuple[int, ...], None] = {}
    while len(subsets) < number:
        subsets[tuple(sorted(random.choice(count, size=size, replace=False).tolist()))] = None
    yield from subsets


def mean_over_subsets(scores: ItemScores, subsets: Subsets) -> ScoreCube:
    """Exact expectation over a random subset for each item, (M, S); of a measure of sums, the score of expected sums.

    scores: of the item of each subset.
    """
    weights = 1.0 / (len(subsets.counts) * subsets.counts)[subsets.item]
    means = scores.values @ weights
    for sum_score in scores.sums:
        means[sum_score.index] = sum_score.from_sums(scores.statistics @ weights * len(subsets.counts))
    means = round_to_grid(means, scores.units[:, np.newaxis])
    return ScoreCube(means, (), scores.measures, scores.systems, scores.directions)


def draw_subsets_of_references(
    scores: ItemScores, subsets: Subsets, *, trials: int, seed: int, memory: int = BLOCK_MEMORY
) -> Plan[Draw, ScoreCube]:
    """Scores of trials in which every item independently draws one of its subsets; axes ('replicate',).

    scores: of the item of each subset.
    """
    samples = ItemSamples(scores)

    def score(block: Draw) -> ScoreCube:
        seed, size = block
        return samples.score_samples(_draws(generator(seed), subsets, size))

    return Plan(blocks_of(seed, f"references {subsets.references.shape[1]}", trials, samples, memory), score)


def _draws(random: np.random.Generator, subsets: Subsets, trials: int) -> Integers:
    """(T, V): 1 for the subset that each item drew."""
    begins = np.cumsum(subsets.counts) - subsets.counts
    indices = begins + random.integers(subsets.counts, size=(trials, len(subsets.counts)))
    draws = np.zeros((trials, len(subsets.item)), dtype=np.int8)
    draws[np.arange(trials)[:, np.newaxis], indices] = 1
    return draws


def sizes_of_subsets(counts: Sequence[int] | Indices) -> range:
    """The sizes of subsets that every item has: 1 to the minimum number of references.

    >>> list(sizes_of_subsets([3, 2, 4]))
    [1, 2]
    """
    return range(1, int(np.min(counts)) + 1)


STEPS_AT_ONCE = 20_000
"""Maximum steps of references in a block of several items."""

STEPS_FOR_PROCESSES = 50_000
"""Steps of references, times systems, from which processes are worth starting."""


def plan_derivations(runs: DerivationRuns, measures: Sequence[Measure]) -> Plan[slice, Floats]:
    """How to score derivations: blocks of items, each to scores (M, S, items of the block).

    A measure that reads other data is an `InputError`.
    """
    for measure in measures:
        measure.check_reads(DataKind.DERIVATIONS)
    steps = np.array([sum(map(len, derivations)) for derivations in runs.references], dtype=np.int64)
    pieces = Pieces(
        partial(_derivation_piece, runs),
        partial(_score_derivation_piece, tuple(measures)),
        large=int(steps.sum()) * len(runs.systems) >= STEPS_FOR_PROCESSES and picklable_by_name(measures),
    )
    return Plan.in_pieces(tuple(cut(steps + 1, STEPS_AT_ONCE)), pieces)


def score_derivations(runs: DerivationRuns, measures: Sequence[Measure]) -> ItemScores:
    """Scores of every item of every system under every measure.

    Parameters
    ----------
    runs
        Derivations of S systems for N items.
    measures
        M measures.

    Returns
    -------
    ItemScores
        Values (M, S, N).

    Raises
    ------
    InputError
        If a measure does not read derivations.
    """
    return score_plan(plan_derivations(runs, measures), measures, runs)


def _derivation_piece(runs: DerivationRuns, block: slice) -> DerivationRuns:
    outputs = tuple(outputs[block] for outputs in runs.outputs)
    return DerivationRuns(runs.items[block], runs.systems, outputs, runs.references[block])


def _score_derivation_piece(measures: Sequence[Measure], piece: DerivationRuns) -> Floats:
    scores = np.empty((len(measures), len(piece.systems), len(piece.items)))
    for system, candidates in enumerate(piece.outputs):
        by_measure = evaluate(measures, partial(_compare, (candidates, piece.references)))
        scores[:, system] = np.stack(by_measure) if by_measure else 0.0
    return scores
