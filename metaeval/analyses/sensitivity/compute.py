"""Scores and rankings over a grid of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.analyses.sensitivity.settings import SensitivitySettings
from metaeval.arrays import Scores
from metaeval.errors import InputError, MetaevalError, empty, refuse, setting
from metaeval.measures import Measure
from metaeval.measures.grids import Axis, at_point, points
from metaeval.model.scale import ClassScale
from metaeval.stats.association import kendall_b, mean_scores
from metaeval.stats.correlation import correlate
from metaeval.study.capabilities import RESCORE, REWEIGHTED
from metaeval.study.human import HumanScores, human_scores_of
from metaeval.study.labels import score_runs
from metaeval.study.read import weightings_of
from metaeval.study.study import Progress, Study, Weightings, check_rankable

WEIGHTING = "weighting"


@dataclass(frozen=True)
class Cells:
    """A measure at all P points of a grid, including the weightings.

    names: of the axes. points: the values of each, as written. scores: of all systems, higher is better, (P, S).
    default: with the original parameters of the measure, (S,). ranked_as: the score by which an undefined one is
    ranked; NaN leaves it out. items: scores of single items, (P, S, N), or None.
    """

    measure: str
    names: tuple[str, ...]
    points: tuple[tuple[str, ...], ...]
    scores: Scores
    default: Scores
    ranked_as: float
    items: Scores | None = None

    @property
    def tau(self) -> Scores:
        """tau-b between each ranking and the default ranking, (P,)."""
        scores, default = (np.where(np.isnan(values), self.ranked_as, values) for values in (self.scores, self.default))
        return kendall_b(scores, np.broadcast_to(default, scores.shape))


@dataclass(frozen=True)
class Sensitivities:
    """Measures over a grid.

    cells: of each measure. correlations: with the human scores, for each measure (P, H); empty without human scores.
    """

    cells: tuple[Cells, ...]
    correlations: tuple[Scores, ...]
    human: HumanScores | None
    weightings: Weightings | None


def analyse(study: Study, settings: SensitivitySettings, *, progress: Progress) -> Sensitivities:
    """Score the systems at every point of the grid, and correlate the scores with human scores if there are any."""
    human = human_scores_of(study, progress=progress) if study.config.data.human else None
    axes, weightings = check(study, settings)
    scales = _scales(study, settings, weightings)
    cells = tuple(_cells(study, measure, axes, scales) for measure in study.measures)
    correlations = tuple(_correlations(settings, human, measure_cells) for measure_cells in cells) if human else ()
    return Sensitivities(cells, correlations, human, weightings)


def check(study: Study, settings: SensitivitySettings) -> tuple[list[Axis], Weightings | None]:
    """The axes of the grid, and the weightings; an `InputError` where they do not fit the study."""
    check_rankable(study)
    axes = [Axis.parse(text) for text in settings.grid]
    weightings = weightings_of(study, settings.weights) if settings.weights is not None else None
    if not axes and not (weightings and weightings.by_name):
        hint = f"use {setting('grid', 'lambda=0:1:0.1')}, for example, or {setting('weights')} with a file"
        raise refuse(None, empty("grid", "values of a parameter, or weightings of the classes", hint))
    study.need(RESCORE, "a grid of parameters")
    for measure in study.measures:
        for point in points(axes)[:1]:
            at_point(measure, axes, point)
    _scales(study, settings, weightings)
    return axes, weightings


def _scales(study: Study, settings: SensitivitySettings, weightings: Weightings | None) -> Mapping[str, ClassScale]:
    """The scale of the classes with each of the weightings."""
    if weightings is None:
        return {}
    scale = study.need(REWEIGHTED, "weightings of classes").scale
    return {name: _reweight(scale, settings, name, weights) for name, weights in weightings.by_name.items()}


def _reweight(scale: ClassScale, settings: SensitivitySettings, name: str, weights: Mapping[str, float]) -> ClassScale:
    try:
        return scale.with_weights(weights)
    except MetaevalError as error:
        problem = error.problems[0] if isinstance(error, InputError) else None
        found = f"weighting '{name}': {problem.found if problem else str(error).rstrip('.')}"
        expected = problem.expected if problem and problem.expected else f"a weight for each class of {scale}"
        raise refuse(settings.weights, found, expected) from None


def _cells(study: Study, measure: Measure, axes: Sequence[Axis], scales: Mapping[str, ClassScale]) -> Cells:
    names, grid = tuple(axis.name for axis in axes), points(axes)
    measures = [at_point(measure, axes, point) for point in grid]
    sign, ranked_as = measure.better.sign, study.config.ranked_as
    rescore = study.need(RESCORE, "a grid of parameters")
    if not scales:
        cube, items = rescore([measure, *measures], f"Comparing {len(measures)} settings")
        scores = cube.values * sign
        return Cells(
            measure=str(measure),
            names=names,
            points=tuple(grid),
            scores=scores[1:],
            default=scores[0],
            ranked_as=ranked_as,
            items=None if items is None else items.values[1:] * sign,
        )
    runs = study.need(REWEIGHTED, "weightings of classes")
    default = rescore([measure], "")[0].values[0] * sign
    parts = [score_runs(replace(runs, scale=scale), measures).values * sign for scale in scales.values()]
    return Cells(
        measure=str(measure),
        names=(WEIGHTING, *names),
        points=tuple((name, *point) for name in scales for point in grid),
        scores=np.concatenate(parts),
        default=default,
        ranked_as=ranked_as,
    )


def _correlations(settings: SensitivitySettings, human: HumanScores, cells: Cells) -> Scores:
    """Correlations of the systems' scores at every point with the ratings of each rater, (P, H)."""
    signs = np.array([one.sign for one in human.ratings.directions], dtype=np.float64)[:, np.newaxis, np.newaxis]
    ratings = human.ratings.values * signs
    if cells.items is not None and human.by_item:
        return correlate(cells.items, ratings, level="system", coefficient=settings.coefficient).values
    means = mean_scores(ratings)[..., np.newaxis]
    return correlate(cells.scores[..., np.newaxis], means, level="system", coefficient=settings.coefficient).values
