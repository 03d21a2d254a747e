"""What does a parameter do?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sensitivity.settings import SensitivitySettings
from metaeval.errors import InputError, MetaevalError
from metaeval.measures import Measure
from metaeval.measures.grids import Axis, at_point, points
from metaeval.model.scale import ClassScale
from metaeval.stats.correlation import correlate, mean_over_sets
from metaeval.stats.rank_correlation import kendall_b
from metaeval.study.capabilities import RESCORE, REWEIGHTED
from metaeval.study.human import People, people_of
from metaeval.study.study import Study, Track, check_rankable
from metaeval.study.weightings import Weightings, weightings_of

Scores = NDArray[np.float64]

WEIGHTING = "weighting"


@dataclass(frozen=True)
class Cells:
    """A measure at every point of a grid, P of them, under each weighting.

    names: of the axes. points: the values of each, as written. scores: of every system, higher better, (P, S).
    default: of the measure as it was asked for, (S,). items: of single items, (P, S, N), where there are such.
    """

    measure: str
    names: tuple[str, ...]
    points: tuple[tuple[str, ...], ...]
    scores: Scores
    default: Scores
    items: Scores | None = None

    @property
    def tau(self) -> Scores:
        """tau-b of each ranking with that of the default, (P,)."""
        return kendall_b(self.scores, np.broadcast_to(self.default, self.scores.shape))


@dataclass(frozen=True)
class Sensitivities:
    """Measures over a grid.

    cells: of each measure. correlations: with the human scores, for each measure (P, H); none where there are no human
    scores. people: these. weightings: the file of weightings, where there is one.
    """

    cells: tuple[Cells, ...]
    correlations: tuple[Scores, ...]
    people: People | None
    weightings: Weightings | None


def analyse(study: Study, settings: SensitivitySettings, *, track: Track) -> Sensitivities:
    """Score the systems at every point of the grid, and correlate the scores with people where there are some."""
    people = people_of(study, track=track) if study.config.data.human else None
    axes, weightings = check(study, settings)
    scales = _scales(study, settings, weightings)
    cells = tuple(_cells(study, measure, axes, scales) for measure in _measures(study))
    correlations = tuple(_correlations(settings, people, of_measure) for of_measure in cells) if people else ()
    return Sensitivities(cells, correlations, people, weightings)


def check(study: Study, settings: SensitivitySettings) -> tuple[list[Axis], Weightings | None]:
    """The axes of the grid, and the weightings; an `InputError` where they do not go with the study."""
    check_rankable(study)
    axes = [Axis.parse(text) for text in settings.grid]
    weightings = weightings_of(study, settings.weights) if settings.weights is not None else None
    if not axes and not (weightings and weightings.by_name):
        raise InputError.at(
            found="no grid",
            expected="values of a parameter, or weightings of the classes",
            hint="as in --grid lambda=0:1:0.1, or --weights FILE",
        )
    for measure in _measures(study):
        for point in points(axes)[:1]:
            at_point(measure, axes, point)
    _scales(study, settings, weightings)
    return axes, weightings


def _measures(study: Study) -> tuple[Measure, ...]:
    return study.need(RESCORE, "a grid of parameters").measures


def _scales(study: Study, settings: SensitivitySettings, weightings: Weightings | None) -> Mapping[str, ClassScale]:
    """The scale of the classes with each of the weightings."""
    if weightings is None:
        return {}
    scale = study.need(REWEIGHTED, "weightings of classes").scale
    return {name: _weighted(scale, settings, name, weights) for name, weights in weightings.by_name.items()}


def _weighted(scale: ClassScale, settings: SensitivitySettings, name: str, weights: Mapping[str, float]) -> ClassScale:
    try:
        return scale.with_weights(weights)
    except MetaevalError as error:
        problem = error.problems[0] if isinstance(error, InputError) else None
        raise InputError.at(
            settings.weights,
            found=f"weighting '{name}': {problem.found if problem else str(error).rstrip('.')}",
            expected=problem.expected if problem and problem.expected else f"a weight for each class of {scale}",
        ) from None


def _cells(study: Study, measure: Measure, axes: Sequence[Axis], scales: Mapping[str, ClassScale]) -> Cells:
    names, grid = tuple(axis.name for axis in axes), points(axes)
    measures = [at_point(measure, axes, point) for point in grid]
    sign = measure.better.sign
    rescoring = study.need(RESCORE, "a grid of parameters")
    if not scales:
        cube, items = rescoring.score([measure, *measures], f"Comparing {len(measures)} settings")
        scores = cube.values * sign
        of_items = None if items is None else items.values[1:] * sign
        return Cells(str(measure), names, tuple(grid), scores[1:], scores[0], of_items)
    reweighting = study.need(REWEIGHTED, "weightings of classes")
    default = rescoring.score([measure], "")[0].values[0] * sign
    parts = [reweighting.score(scale, measures).values * sign for scale in scales.values()]
    weighted_points = tuple((name, *point) for name in scales for point in grid)
    return Cells(str(measure), (WEIGHTING, *names), weighted_points, np.concatenate(parts), default)


def _correlations(settings: SensitivitySettings, people: People, cells: Cells) -> Scores:
    """Correlation of the systems' scores at every point with each of the people, (P, H)."""
    signs = np.array([one.sign for one in people.ratings.directions], dtype=np.float64)[:, np.newaxis, np.newaxis]
    human = people.ratings.values * signs
    if cells.items is not None and people.by_item:
        return correlate(cells.items, human, level="system", coefficient=settings.coefficient).values
    means = mean_over_sets(human)[..., np.newaxis]
    return correlate(cells.scores[..., np.newaxis], means, level="system", coefficient=settings.coefficient).values
