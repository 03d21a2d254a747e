"""Item scores of texts: blocks of items, compared as each measure sees the vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.measures.spec import Measure
from metaeval.measures.text.matches import WordLabels, cut
from metaeval.measures.text.overlap import Comparison, FlatTexts, Rouge
from metaeval.measures.text.spec import STAT, VIEW, ReferenceDeclaration
from metaeval.measures.text.views import View, labels_seen, view_of
from metaeval.model.material import Material
from metaeval.model.scores import ItemScores
from metaeval.model.texts import TextRuns, TokenizedTexts
from metaeval.scoring.resamples import Plan

WORDS_AT_ONCE = 200_000
"""Words of references, and of each system's outputs, that a block of items has at most, if an item has no more."""

Values = NDArray[np.float64]


def plan_texts(runs: TextRuns, measures: Sequence[Measure]) -> Plan[slice, Values]:
    """How to score texts: blocks of items, each to scores (M, S, items of the block).

    A measure of something else, and a view of the vocabulary that is not possible, are `InputError`s.
    """
    for measure in measures:
        measure.check_reads(Material.TEXTS)
    sights = [_Sight.of(runs, measures, places) for places in _by_view(measures)]
    return Plan(_blocks(runs), partial(_score_block, runs, sights, len(measures)))


def item_scores(
    blocks: Sequence[Values], measures: Sequence[Measure], systems: Sequence[str], items: Sequence[str]
) -> ItemScores:
    """The scores of all blocks of a plan put together."""
    values = np.concatenate([np.empty((len(measures), len(systems), 0)), *blocks], axis=-1)
    directions = tuple(measure.better for measure in measures)
    return ItemScores(values, tuple(map(str, measures)), tuple(systems), tuple(items), directions)


def score_texts(runs: TextRuns, measures: Sequence[Measure]) -> ItemScores:
    """Every item of every system under every measure; values (M, S, N)."""
    plan = plan_texts(runs, measures)
    return item_scores([plan.score(block) for block in plan.blocks], measures, runs.systems, runs.items)


def evaluate(measures: Sequence[Measure], compare: Callable[[Measure, dict[str, Any]], Rouge]) -> list[Values]:
    """The scores of each measure, several that differ in a statistic or on a grid from one evaluation.

    compare: evaluates the measure of a declaration with these arguments (lists where it has a grid).
    """
    requests = [_Request.of(measure) for measure in measures]
    grids: dict[Any, list[list[Any]]] = {}
    for request in requests:
        values = grids.setdefault(request.key, [[] for _ in request.grid])
        for known, value in zip(values, request.grid, strict=True):
            known += [value] if value not in known else []
    found: dict[Any, Rouge] = {}
    scores = []
    for measure, request in zip(measures, requests, strict=True):
        values = grids[request.key]
        if request.key not in found:
            names = (name for name in request.gridded)
            found[request.key] = compare(measure, {**request.fixed, **dict(zip(names, values, strict=True))})
        place = tuple(known.index(value) for known, value in zip(values, request.grid, strict=True))
        scores.append(getattr(found[request.key], request.stat)[place])
    return scores


def whole_grid(measure: Measure) -> Callable[..., Any]:
    """The function that `evaluate` calls: of a whole grid, where the measure has one."""
    declaration = measure.declaration
    grid = declaration.grid if isinstance(declaration, ReferenceDeclaration) else None
    return grid or declaration.function


@dataclass(frozen=True)
class _Request:
    """What a measure asks for: a statistic (stat) of a comparison with fixed arguments, at one point of a grid."""

    declaration: ReferenceDeclaration
    fixed: dict[str, Any]
    gridded: tuple[str, ...]
    grid: tuple[Any, ...]
    stat: str

    @classmethod
    def of(cls, measure: Measure) -> _Request:
        declaration = measure.declaration
        if not isinstance(declaration, ReferenceDeclaration):
            raise TypeError(f"{measure} does not compare with references")
        arguments = measure.arguments
        stat = arguments.pop(STAT.argument)
        for parameter in VIEW:
            arguments.pop(parameter.argument, None)
        gridded = tuple(each.argument for each in declaration.parameters if each.name in declaration.gridded)
        grid = tuple(arguments.pop(argument) for argument in gridded)
        return cls(declaration, arguments, gridded, grid, stat)

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.declaration.name, *self.fixed.items())


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
        return cls(chosen, places, codes, labels_seen(runs.words, codes) if any(map(_needs_lexicon, chosen)) else None)

    def texts(self, texts: TokenizedTexts) -> FlatTexts:
        """Texts as the measures see them."""
        codes = self.codes[texts.codes]
        kept = codes >= 0
        sentence = np.repeat(np.arange(len(texts.lengths)), texts.lengths)[kept]
        return FlatTexts.laid_out(codes[kept], np.bincount(sentence, minlength=len(texts.lengths)), texts.sizes)


def _needs_lexicon(measure: Measure) -> bool:
    return isinstance(measure.declaration, ReferenceDeclaration) and measure.declaration.needs_lexicon


def check_texts(runs: TextRuns, measures: Sequence[Measure]) -> None:
    """Raise an `InputError` where these texts can't be compared: hardly a word, or no semantic label where it matters.

    A tokenizer that does not know the language of the texts finds no words in them.
    """
    written = runs.references.sizes > 0
    wordless = written & (runs.references.words_of_texts() == 0)
    if 2 * wordless.sum() > written.sum():
        raise InputError.at(
            found=f"no word in {wordless.sum():,} of {written.sum():,} references",
            expected="a tokenizer that knows their language",
            hint="say --tokenizer japanese for Japanese; characters or whitespace for other languages than English",
        )
    wanting = [measure for measure in measures if _needs_lexicon(measure)]
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
