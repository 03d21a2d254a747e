"""Systems under measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.score.settings import ScoreSettings
from metaeval.errors import InputError, UnknownName
from metaeval.measures import measure
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.stats.rank import competition_ranks
from metaeval.study.capabilities import ITEM_SCORES, TRIVIAL
from metaeval.study.study import Study, Track


@dataclass(frozen=True)
class Scored:
    """Systems under measures. cube: with trivial systems; ranks: of it, (M, S). order: of the rows.

    trivial: the names of trivial systems. items: scores of items, where they are asked for.
    """

    cube: ScoreCube
    ranks: NDArray[np.int64]
    order: Sequence[int]
    trivial: tuple[str, ...]
    items: ItemScores | None


def analyse(study: Study, settings: ScoreSettings, *, track: Track) -> Scored:
    """Score and rank."""
    check(study, settings)
    study.check_measures()
    cube: ScoreCube = study.scores
    trivial: tuple[str, ...] = ()
    if settings.trivial:
        cube, trivial = study.need(TRIVIAL, "trivial systems")(study.config.seed)
    items = study.need(ITEM_SCORES, "scores of single items") if settings.per_item is not None else None
    order = _order_of_systems(cube, settings.sort_by)
    return Scored(cube, competition_ranks(cube.oriented().values), order, trivial, items)


def check(study: Study, settings: ScoreSettings) -> None:
    """Raise where scores of items are asked for, and there are none."""
    if settings.per_item is not None:
        study.need(ITEM_SCORES, "scores of single items")


def _order_of_systems(cube: ScoreCube, sort_by: str | None) -> list[int]:
    """Places of the systems as rows: by a measure, best first and undefined last, or by name."""
    if sort_by == "system":
        return sorted(range(len(cube.systems)), key=lambda place: cube.systems[place])
    place = 0
    if sort_by:
        place = _place_of(sort_by, cube.measures)
    better = cube.oriented().values[place]
    return [int(system) for system in np.argsort(-better, kind="stable")]


def _place_of(name: str, measures: Sequence[str]) -> int:
    """Where a measure stands, however it is written; a table may hold measures that nobody else knows."""
    if name in measures:
        return measures.index(name)
    for place, known in enumerate(measures):
        try:
            if measure(known) == measure(name):
                return place
        except (InputError, UnknownName):
            continue
    raise InputError.at(
        found=f"rows sorted by '{name}', which is not in the table",
        expected=f"system, or one of {', '.join(measures)}",
        hint=f"add it with -m {name}",
    )
