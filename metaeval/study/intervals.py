"""Intervals of the scores of the systems of a study, by the parts of its tests."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metaeval.grid import round_to_grid
from metaeval.inference.parts import Parts
from metaeval.inference.scores import find_more, score_intervals
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.parts import Oriented
from metaeval.stats.intervals import Interval
from metaeval.study.capabilities import ITEM_SCORES, LABELS, PARTS
from metaeval.study.evidence import parts_in_groupings
from metaeval.study.study import Study


def has_intervals(study: Study) -> bool:
    """Whether scores have parts, and there are several items, and clusters."""
    sizes = [len(study.items), *(len(each.sizes) for each in study.origin.clusters)]
    return study.has(PARTS) and min(sizes) > 1


def parts_of_scores(study: Study) -> Iterator[tuple[list[Parts], tuple[float, float]]]:
    """The parts of single systems in each grouping of the items, and the bounds, both oriented, under each measure."""
    every, of_cells = parts_in_groupings(study, study.need(PARTS, "intervals of scores"))
    ways = [*every, of_cells] if of_cells else every
    for groupings, bounds in zip(zip(*ways, strict=True), oriented_bounds(study), strict=True):
        yield [each.of_single_systems for each in groupings], bounds


def intervals_of_scores(study: Study) -> Interval:
    """95 % interval of each score under each measure, (M, S), in its direction; NaN where there is none."""
    labels, ends = study.find(LABELS), []
    more = None if labels is None else find_more(counts_of(labels.runs))
    for index, (groupings, bounds) in enumerate(parts_of_scores(study)):
        others = None
        if labels is not None and more is not None and groupings[0].jackknife:
            others = Oriented(study.measures[index], labels.runs.scale)(more.reshape(len(more), -1))
        sign = study.scores.directions[index].sign
        ends.append(np.sort(np.stack(score_intervals(groupings, bounds, others=others)) * sign, axis=0))
    # On a grid, so that the order of a sum does not show.
    low, high = round_to_grid(np.stack(ends, axis=1))
    return low, high


def oriented_bounds(study: Study) -> list[tuple[float, float]]:
    """The lowest and the highest score under each measure, higher better."""
    oriented = []
    for bounds, direction in zip(_bounds(study), study.scores.directions, strict=True):
        low, high = sorted(bound * direction.sign for bound in bounds)
        oriented.append((low, high))
    return oriented


def _bounds(study: Study) -> list[tuple[float, float]]:
    """The lowest and the highest score: those that measures declare, else 0 and 1 if item scores have both ends."""
    declared, items = {str(each): each for each in study.measures}, study.find(ITEM_SCORES)
    bounds = []
    for index, name in enumerate(study.measure_names):
        known = declared.get(name)
        if known is not None and not known.declaration.sums_weights:
            bounds.append(known.bounds)
            continue
        values = np.empty(0) if known is not None or items is None else items.values[index]
        ends = (np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf))
        bounds.append((0.0, 1.0) if ends == (0.0, 1.0) else (-np.inf, np.inf))
    return bounds
