"""Scores and ranks of systems under measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.analyses.score.settings import ScoreSettings
from metaeval.arrays import Bools, Ints
from metaeval.errors import one_of, refuse, setting
from metaeval.inference.gaps import GapParts, order_on_common_items
from metaeval.measures import index_of_measure
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.stats.intervals import Interval
from metaeval.stats.rank import best_first, competition_ranks
from metaeval.study.capabilities import ADDITIVE, GAMING, ITEM_SCORES, PARTS
from metaeval.study.evidence import check_several
from metaeval.study.intervals import has_intervals, intervals_of_scores
from metaeval.study.study import Progress, Study


@dataclass(frozen=True)
class Gaps:
    """What systems that lack scores of items have in common.

    cells: the number of items of which each score is the mean, (M, S). cyclic: systems without a rank, because each is
    better than another on common items, in a circle, (M, S). apart: pairs without a common item, (M, S, S).
    """

    cells: Ints
    cyclic: Bools
    apart: Bools


@dataclass(frozen=True)
class SystemScores:
    """Scores of systems, with trivial ones if requested, under measures.

    ranks: of the systems of the cube, (M, S); 0 for those without a rank. order: of the systems as rows. trivial:
    names of the trivial systems. items: scores of single items, if requested. gaps: where systems lack scores.
    intervals: the ends of those of the real systems, (M, S), if requested.
    """

    cube: ScoreCube
    ranks: Ints
    order: Sequence[int]
    trivial: tuple[str, ...]
    items: ItemScores | None
    gaps: Gaps | None = None
    intervals: Interval | None = None


def analyse(study: Study, settings: ScoreSettings, *, progress: Progress) -> SystemScores:
    """Score and rank the systems."""
    items = check(study, settings)
    study.check_measures()
    cube: ScoreCube = study.scores
    trivial: tuple[str, ...] = ()
    if settings.trivial:
        others, _ = study.need(GAMING, "trivial systems").score(study.config.seed)
        trivial = others.systems
        values = np.concatenate([cube.values, others.values], axis=1)
        cube = replace(cube, values=values, systems=(*cube.systems, *trivial))
    rank_scores = cube.filled(study.config.ranked_as)
    order = _order_of_systems(rank_scores, settings.sort_by, may_lack=study.config.file is not None)
    intervals = intervals_of_scores(study) if _wants_intervals(study, settings) else None
    if study.has_gaps:
        scores = _with_gaps(study.need(ITEM_SCORES, "scores of single items"), cube, order, items)
        return replace(scores, intervals=intervals)
    ranks = np.where(np.isnan(rank_scores.values), 0, competition_ranks(rank_scores.oriented().values))
    return SystemScores(cube, ranks, order, trivial, items, intervals=intervals)


def _wants_intervals(study: Study, settings: ScoreSettings) -> bool:
    """Whether they are requested; by default those of a single system that has some."""
    if settings.interval is None:
        return len(study.systems) == 1 and has_intervals(study)
    if settings.interval and not has_intervals(study):
        study.need(PARTS, "intervals of scores")
        check_several(study, "an interval says how scores vary")
    return settings.interval


def _with_gaps(scores: ItemScores, cube: ScoreCube, order: Sequence[int], items: ItemScores | None) -> SystemScores:
    """The scores of systems that lack items, ranked by their differences on common items."""
    heights, cyclic = np.full(cube.values.shape, np.nan), np.zeros(cube.values.shape, dtype=np.bool_)
    apart = np.zeros((*cube.values.shape, cube.values.shape[-1]), dtype=np.bool_)
    one, other = np.triu_indices(cube.values.shape[-1], k=1)
    for index, parts in enumerate(parts_of_item_scores(scores, np.zeros(len(scores.items), dtype=np.intp))):
        if isinstance(parts, GapParts):
            heights[index], cyclic[index] = order_on_common_items(parts)
            meets = parts.defined[one] & parts.defined[other]
            apart[index, one, other] = meets & (parts.common(one, other) == 0)
        else:
            heights[index] = parts.scores
    # The rank of a system that has no item in common with any other says nothing.
    others = (~np.isnan(heights)).sum(axis=1, keepdims=True) - 1
    heights[((apart | np.swapaxes(apart, 1, 2)).sum(axis=2) == others) & (others > 0)] = np.nan
    ranks = np.where(np.isnan(heights) | cyclic, 0, competition_ranks(heights))
    return SystemScores(cube, ranks, order, trivial=(), items=items, gaps=Gaps(scores.cells, cyclic, apart))


def check(study: Study, settings: ScoreSettings) -> ItemScores | None:
    """The scores of single items, if requested, under the measures that have any; an `InputError` where none has.

    Their means are the scores of the systems.
    """
    if settings.per_item is None:
        return None
    if (scores := study.find(ITEM_SCORES)) is not None:
        return scores
    additive = study.need(ADDITIVE, "scores of single items")
    if not additive.indices:
        found = f"scores of single items under {', '.join(study.measure_names)}"
        expected = "a measure whose score is a mean over items, such as accuracy"
        raise refuse(None, found, expected, f"add such a measure, or leave out {setting('per_item')}")
    directions = tuple(study.scores.directions[index] for index in additive.indices)
    worths = zip(map(additive.worths, additive.indices), directions, strict=True)
    values = np.stack([worth * direction.sign for worth, direction in worths])
    names = tuple(study.measure_names[index] for index in additive.indices)
    return ItemScores(values, names, study.systems, tuple(study.items), directions)


def _order_of_systems(cube: ScoreCube, sort_by: str | None, *, may_lack: bool) -> list[int]:
    """Indices of the systems as rows: by a measure, best first and undefined last, or by name.

    may_lack: whether the measure may be missing, because an experiment file names it and the measures were overridden.
    """
    if sort_by == "system":
        return sorted(range(len(cube.systems)), key=cube.systems.__getitem__)
    index = index_of_measure(sort_by, cube.measures) if sort_by else 0
    if index is None and sort_by and not may_lack:
        expected = one_of(["system", *cube.measures])
        found, hint = f"{setting('sort_by', sort_by)}, which is not in the table", f"add {setting('measures', sort_by)}"
        raise refuse(None, found, expected, hint, kind="unknown")
    return best_first(cube.oriented().values[index or 0])
