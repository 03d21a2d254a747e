"""Scores without what other scores of the same systems and items explain, for partial correlations."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, setting
from metaeval.grid import round_to_grid
from metaeval.model.report import SourceFile
from metaeval.stats.association import mean_scores
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.human import read_human_scores
from metaeval.study.study import Progress, Study

Scores = NDArray[np.float64]

Axes: TypeAlias = int | tuple[int, ...]

_AXES: dict[str, Axes] = {"system": -1, "item": -2, "by-system": -1, "global": (-2, -1)}


def given_scores(study: Study, name: str, *, progress: Progress) -> tuple[Scores, tuple[SourceFile, ...]]:
    """The scores (S, N) of a measure of the study, or of the only one in a file of scores; and the files of these."""
    if name in study.measure_names:
        place, items = study.measure_names.index(name), study.find(ITEM_SCORES)
        return study.scores.values[place][:, np.newaxis] if items is None else items.values[place], ()
    given = read_human_scores(study, (name,), progress=progress)
    measures = given.ratings.measures
    if len(measures) > 1:
        raise InputError.at(
            name,
            found=f"{setting('partial', name)} with the measures {', '.join(measures)}",
            expected="a file with one measure",
        )
    return given.ratings.values[0], given.files


def without_given(metric: Scores, human: Scores, given: Scores, *, level: str) -> tuple[Scores, Scores]:
    """The residuals of measures, (M, S, N), and human scores, (S, N), in linear regressions on other scores, (S, N).

    Each vector that is correlated at the level has a regression of its own; at level system it is that of the means,
    by which cells are corrected.
    """
    if 1 in (metric.shape[-1], human.shape[-1], given.shape[-1]):
        metric, human, given = (mean_scores(scores)[..., np.newaxis] for scores in (metric, human, given))
    missing = np.isnan(human) | np.isnan(given)
    metric, human = np.where(missing, np.nan, metric), np.where(missing, np.nan, human)
    return _residuals(metric, given, level=level), _residuals(human[np.newaxis], given, level=level)[0]


def _residuals(scores: Scores, given: Scores, *, level: str) -> Scores:
    axes = _AXES[level]
    x = np.where(np.isnan(scores), np.nan, given)
    fitted_x, fitted_y = (mean_scores(each) if level == "system" else each for each in (x, scores))
    of_x, of_y = (each - _mean(each, axes) for each in (fitted_x, fitted_y))
    slope = divide(_sum(of_x * of_y, axes), _sum(of_x**2, axes), undefined=0.0)
    residuals = scores - slope[..., np.newaxis] * x if level == "system" else of_y - slope * of_x
    return round_to_grid(residuals, np.nanmax(np.abs(scores), axis=(-2, -1), keepdims=True, initial=0.0))


def _mean(scores: Scores, axes: Axes) -> Scores:
    return divide(_sum(scores, axes), np.sum(~np.isnan(scores), axis=axes, keepdims=True))


def _sum(scores: Scores, axes: Axes) -> Scores:
    return np.asarray(np.nansum(scores, axis=axes, keepdims=True))
