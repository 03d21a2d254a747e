"""Scores and ranks of systems under measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.score.settings import ScoreSettings
from metaeval.errors import InputError, UnknownName, setting
from metaeval.measures import measure
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.stats.rank import competition_ranks
from metaeval.study.capabilities import ITEM_SCORES, TRIVIAL
from metaeval.study.study import Progress, Study


@dataclass(frozen=True)
class SystemScores:
    """Scores of systems, with trivial ones if requested, under measures.

    ranks: of the systems of the cube, (M, S); 0 for those without a rank. order: of the systems as rows. trivial:
    names of the trivial systems. items: scores of single items, if requested.
    """

    cube: ScoreCube
    ranks: NDArray[np.int64]
    order: Sequence[int]
    trivial: tuple[str, ...]
    items: ItemScores | None


def analyse(study: Study, settings: ScoreSettings, *, progress: Progress) -> SystemScores:
    """Score and rank the systems."""
    items = check(study, settings)
    study.check_measures()
    cube: ScoreCube = study.scores
    trivial: tuple[str, ...] = ()
    if settings.trivial:
        cube, trivial = study.need(TRIVIAL, "trivial systems")(study.config.seed)
    ranked = cube.filled(study.config.ranked_as)
    order = _order_of_systems(ranked, settings.sort_by)
    ranks = np.where(np.isnan(ranked.values), 0, competition_ranks(ranked.oriented().values))
    return SystemScores(cube, ranks, order, trivial, items)


def check(study: Study, settings: ScoreSettings) -> ItemScores | None:
    """The scores of single items, if requested; an `InputError` where the study has none."""
    return study.need(ITEM_SCORES, "scores of single items") if settings.per_item is not None else None


def _order_of_systems(cube: ScoreCube, sort_by: str | None) -> list[int]:
    """Places of the systems as rows: by a measure, best first and undefined last, or by name."""
    if sort_by == "system":
        return sorted(range(len(cube.systems)), key=lambda place: cube.systems[place])
    scores = cube.oriented().values[_place_of(sort_by, cube.measures) if sort_by else 0]
    return list(map(int, np.argsort(-scores, kind="stable")))


def _place_of(name: str, measures: Sequence[str]) -> int:
    """The place of a measure, in any spelling of its name; a table may contain measures that are not registered."""
    if name in measures:
        return measures.index(name)
    for place, known in enumerate(measures):
        try:
            if measure(known) == measure(name):
                return place
        except (InputError, UnknownName):
            continue
    raise InputError.at(
        found=f"{setting('sort_by', name)}, which is not in the table",
        expected=f"system, or one of {', '.join(measures)}",
        hint=f"add {setting('measures', name)}",
    )
