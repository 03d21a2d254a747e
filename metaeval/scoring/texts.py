"""Item scores of texts: blocks of items, compared as each measure sees the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.spec import Measure
from metaeval.measures.text.matches import WordLabels, cut
from metaeval.measures.text.overlap import Comparison, FlatTexts, Rouge
from metaeval.measures.text.spec import VIEW, needs_lexicon
from metaeval.measures.text.views import View, labels_seen, view_of
from metaeval.model.material import Material
from metaeval.model.ragged import starts_of
from metaeval.model.scores import ItemScores
from metaeval.model.texts import Sizes, TextRuns, TokenizedTexts
from metaeval.scoring.evaluation import Values, evaluate, item_scores, whole_grid
from metaeval.scoring.plan import Pieces, Plan, travel

WORDS_AT_ONCE = 200_000
"""Words of references, and of each system's outputs, that a block of items has at most, if an item has no more."""

WORDS_FOR_PROCESSES = 1_000_000
"""Words of references and outputs from which on it pays to begin processes: some tenths of a second of ROUGE."""

_GLANCE = 100
"""Words that show whether a view is possible."""


def plan_texts(runs: TextRuns, measures: Sequence[Measure]) -> Plan[slice, Values]:
    """How to score texts: blocks of items, each to scores (M, S, items of the block).

    A measure of something else, and a view of the vocabulary that is not possible, are `InputError`s.
    """
    for measure in measures:
        measure.check_reads(Material.TEXTS)
    sights = [_Sight.of(runs, measures, places) for places in _by_view(measures)]
    words = sum(len(texts.codes) for texts in (runs.references, *runs.outputs))
    pieces = Pieces(
        partial(_piece, runs, starts_of(runs.reference_counts)),
        partial(_score_piece, sights, len(measures)),
        large=words >= WORDS_FOR_PROCESSES and travel(measures),
    )
    return Plan.in_pieces(_blocks(runs), pieces)


def score_texts(runs: TextRuns, measures: Sequence[Measure]) -> ItemScores:
    """Every item of every system under every measure; values (M, S, N)."""
    plan = plan_texts(runs, measures)
    scored = ((block, plan.score(block)) for block in plan.blocks)
    return item_scores(scored, measures, runs.systems, runs.items)


def _by_view(measures: Sequence[Measure]) -> list[list[int]]:
    """The places of measures that see the vocabulary alike."""
    groups: dict[Any, list[int]] = {}
    for place, measure in enumerate(measures):
        groups.setdefault(tuple(measure.arguments[each.argument] for each in VIEW), []).append(place)
    return list(groups.values())


@dataclass(frozen=True)
class _Sight:
    """Measures that see the vocabulary alike, and how: the code of each word (−1: left out), and labels by code."""

    measures: tuple[Measure, ...]
    places: list[int]
    codes: View
    labels: WordLabels | None

    @classmethod
    def of(cls, runs: TextRuns, measures: Sequence[Measure], places: list[int]) -> _Sight:
        chosen = tuple(measures[place] for place in places)
        arguments = chosen[0].arguments
        codes = view_of(runs.words, **{each.argument: arguments[each.argument] for each in VIEW})
        return cls(chosen, places, codes, labels_seen(runs.words, codes) if any(map(needs_lexicon, chosen)) else None)

    def texts(self, texts: TokenizedTexts) -> FlatTexts:
        """Texts as the measures see them."""
        codes = self.codes[texts.codes]
        kept = codes >= 0
        sentence = np.repeat(np.arange(len(texts.lengths)), texts.lengths)[kept]
        return FlatTexts.laid_out(codes[kept], np.bincount(sentence, minlength=len(texts.lengths)), texts.sizes)


def check_texts(runs: TextRuns, measures: Sequence[Measure]) -> None:
    """Raise an `InputError` where measures can't see these texts as they want to: better told before hours of work."""
    for places in _by_view(measures):
        arguments = measures[places[0]].arguments
        view_of(runs.words[:_GLANCE], **{each.argument: arguments[each.argument] for each in VIEW})
    wanting = [measure for measure in measures if needs_lexicon(measure)]
    if wanting and not any(word.labels for word in runs.words):
        raise InputError.at(
            found=f"measure '{wanting[0]}', which uses semantic labels, and no word that has one",
            expected="a lexicon that knows some of the words",
            hint="name one with --lexicon FILE.tsv, or choose wsk, which is the same without labels",
        )


def _blocks(runs: TextRuns) -> tuple[slice, ...]:
    """Runs of items with a bounded number of words."""
    item = np.repeat(np.arange(len(runs.items)), runs.reference_counts)
    costs = np.bincount(item, runs.references.words_of_texts(), minlength=len(runs.items)).astype(np.int64)
    for outputs in runs.outputs:
        costs = np.maximum(costs, outputs.words_of_texts())
    return tuple(cut(costs + 1, WORDS_AT_ONCE))


class _Piece(NamedTuple):
    """The texts of a block of n items. counts: (n,) references of each item. outputs: of each system n texts."""

    references: TokenizedTexts
    counts: Sizes
    outputs: tuple[TokenizedTexts, ...]


def _piece(runs: TextRuns, first: NDArray[np.int64], block: slice) -> _Piece:
    """The texts of a block; first: of each item the first of its references, (N + 1,)."""
    items = np.arange(block.start, block.stop)
    return _Piece(
        runs.references.take(np.arange(first[block.start], first[block.stop])),
        runs.reference_counts[block],
        tuple(outputs.take(items) for outputs in runs.outputs),
    )


def _score_piece(sights: Sequence[_Sight], measures: int, piece: _Piece) -> Values:
    items = len(piece.counts)
    item = np.repeat(np.arange(items), piece.counts)
    scores = np.empty((measures, len(piece.outputs), items))
    for sight in sights:
        seen = sight.texts(piece.references)
        for system, outputs in enumerate(piece.outputs):
            comparison = Comparison(sight.texts(outputs), seen, item, sight.labels)
            found = evaluate(sight.measures, partial(_compare, comparison))
            for place, values in zip(sight.places, found, strict=True):
                scores[place, system] = values
    return scores


def _compare(comparison: Comparison, measure: Measure, arguments: dict[str, Any]) -> Rouge:
    return cast(Rouge, whole_grid(measure)(comparison, **arguments))
