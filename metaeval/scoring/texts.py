"""Item scores of texts: blocks of items, compared as each measure sees the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from metaeval.errors import InputError
from metaeval.measures.spec import Measure
from metaeval.measures.text.matches import WordLabels, cut
from metaeval.measures.text.overlap import Comparison, FlatTexts, Rouge
from metaeval.measures.text.spec import VIEW, needs_lexicon
from metaeval.measures.text.views import View, labels_seen, view_of
from metaeval.model.material import Material
from metaeval.model.scores import ItemScores
from metaeval.model.texts import TextRuns, TokenizedTexts
from metaeval.scoring.evaluation import Values, evaluate, item_scores, whole_grid
from metaeval.scoring.plan import Plan

WORDS_AT_ONCE = 200_000
"""Words of references, and of each system's outputs, that a block of items has at most, if an item has no more."""

_GLANCE = 100
"""Words that show whether a view is possible."""


def plan_texts(runs: TextRuns, measures: Sequence[Measure]) -> Plan[slice, Values]:
    """How to score texts: blocks of items, each to scores (M, S, items of the block).

    A measure of something else, and a view of the vocabulary that is not possible, are `InputError`s.
    """
    for measure in measures:
        measure.check_reads(Material.TEXTS)
    sights = [_Sight.of(runs, measures, places) for places in _by_view(measures)]
    return Plan(_blocks(runs), partial(_score_block, runs, sights, len(measures)))


def score_texts(runs: TextRuns, measures: Sequence[Measure]) -> ItemScores:
    """Every item of every system under every measure; values (M, S, N)."""
    plan = plan_texts(runs, measures)
    return item_scores([plan.score(block) for block in plan.blocks], measures, runs.systems, runs.items)


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


def _score_block(runs: TextRuns, sights: Sequence[_Sight], measures: int, block: slice) -> Values:
    items = np.arange(block.start, block.stop)
    counts = runs.reference_counts[block]
    first = int(runs.reference_counts[: block.start].sum())
    references = runs.references.take(np.arange(first, first + int(counts.sum())))
    item = np.repeat(np.arange(len(items)), counts)
    scores = np.empty((measures, len(runs.systems), len(items)))
    for sight in sights:
        seen = sight.texts(references)
        for system, outputs in enumerate(runs.outputs):
            comparison = Comparison(sight.texts(outputs.take(items)), seen, item, sight.labels)
            found = evaluate(sight.measures, partial(_compare, comparison))
            for place, values in zip(sight.places, found, strict=True):
                scores[place, system] = values
    return scores


def _compare(comparison: Comparison, measure: Measure, arguments: dict[str, Any]) -> Rouge:
    return cast(Rouge, whole_grid(measure)(comparison, **arguments))
