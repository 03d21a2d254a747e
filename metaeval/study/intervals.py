"""Intervals of the scores of the systems of a study, by the parts of its tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.arrays import Floats
from metaeval.grid import round_to_grid
from metaeval.inference.pairs import Evidence
from metaeval.inference.parts import Parts
from metaeval.inference.scores import find_more, score_intervals
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.parts import oriented_scores
from metaeval.stats.intervals import Interval
from metaeval.study.capabilities import ITEM_SCORES, LABELS, PARTS
from metaeval.study.evidence import parts_in_groupings
from metaeval.study.study import Study


def has_intervals(study: Study) -> bool:
    """Whether scores have parts, and there are several items, and clusters."""
    sizes = [len(study.items), *(len(clusters.sizes) for clusters in study.origin.clusters)]
    return study.has(PARTS) and min(sizes) > 1


def parts_of_scores(study: Study) -> Iterator[tuple[list[Parts], tuple[float, float]]]:
    """The parts of single systems in each grouping of the items, and the bounds, both oriented, under each measure."""
    every, cell_parts = parts_in_groupings(study, study.need(PARTS, "intervals of scores"))
    ways = [*every, cell_parts] if cell_parts else every
    for groupings, bounds in zip(zip(*ways, strict=True), oriented_bounds(study), strict=True):
        yield [parts.without_pairs for parts in groupings], bounds


def intervals_of_scores(study: Study) -> Interval:
    """95 % interval of each score under each measure, (M, S), in its direction; NaN where there is none."""
    more = _possible_counts(study)
    every = enumerate(parts_of_scores(study))
    ends = [_interval(study, index, groupings, bounds, more) for index, (groupings, bounds) in every]
    low, high = np.stack(ends, axis=1)
    return low, high


def intervals_under(study: Study, index: int, evidence: Evidence) -> Interval:
    """The same under a single measure, (S,); index: of the measure. evidence: that of the study under it."""
    groupings = evidence.without_pairs.groupings
    low, high = _interval(study, index, groupings, oriented_bounds(study)[index], _possible_counts(study))
    return low, high


def _possible_counts(study: Study) -> Floats | None:
    """Confusion counts in which systems find all classes, (S, cells), see `find_more`; None without labels."""
    runs = study.find(LABELS)
    return None if runs is None else find_more(counts_of(runs)).reshape(len(study.systems), -1)


def _interval(
    study: Study, index: int, groupings: Sequence[Parts], bounds: tuple[float, float], more: Floats | None
) -> Floats:
    """The ends of the intervals under a measure, (2, S); more: see `_possible_counts`."""
    runs, others = study.find(LABELS), None
    if runs is not None and more is not None and groupings[0].jackknife:
        others = oriented_scores(study.measures[index], runs.scale, more)
    sign = study.scores.directions[index].sign
    # On a grid, so that the order of a sum does not show.
    ends = np.sort(np.stack(score_intervals(groupings, bounds, others=others)) * sign, axis=0)
    return round_to_grid(ends, groupings[0].unit)


def oriented_bounds(study: Study) -> list[tuple[float, float]]:
    """The lowest and the highest score under each measure, higher better."""
    oriented = []
    for bounds, direction in zip(_bounds(study), study.scores.directions, strict=True):
        low, high = sorted(bound * direction.sign for bound in bounds)
        oriented.append((low, high))
    return oriented


def _bounds(study: Study) -> list[tuple[float, float]]:
    """The lowest and the highest score: those that measures declare, else 0 and 1 if item scores have both ends."""
    declared, items = {str(measure): measure for measure in study.measures}, study.find(ITEM_SCORES)
    bounds = []
    for index, name in enumerate(study.measure_names):
        measure = declared.get(name)
        if measure is not None and not measure.declaration.sums_weights:
            bounds.append(measure.bounds)
            continue
        values = np.empty(0) if measure is not None or items is None else items.values[index]
        ends = (np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf))
        bounds.append((0.0, 1.0) if ends == (0.0, 1.0) else (-np.inf, np.inf))
    return bounds
