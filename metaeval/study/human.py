"""Human scores of the systems of a study: ratings from files, from data in memory or from the table itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from metaeval.arrays import Scores
from metaeval.config import DataConfig
from metaeval.errors import (
    InputError,
    Problem,
    UnknownName,
    conflict,
    empty,
    leave_out,
    not_given,
    pluralize,
    refuse,
    setting,
    unknown,
)
from metaeval.io.dataset import Dataset, Progress
from metaeval.io.forms import written_as
from metaeval.io.labels.columns import Columns
from metaeval.io.scores.cells import SCORES, WHOLE
from metaeval.io.scores.table import read_ratings
from metaeval.model.runs import Numbered
from metaeval.model.scores import ItemScores
from metaeval.names import match_names
from metaeval.stats.association import mean_scores
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.study import HumanScores as HumanScores
from metaeval.study.study import Study

_RATINGS = replace(SCORES, remedy="correct them, or leave them out", role="human")


def read_human_scores(study: Study, names: tuple[str, ...], *, progress: Progress) -> HumanScores:
    """The ratings in files, or measures of the table, of these names, in the order of the study.

    Files have the forms of task table, in which a measure is a rater or a data set; where the study is of a table,
    they may be measures of its own files. Systems without ratings are an `InputError`; ratings of other systems are one
    unless `on_extra` is 'drop'; ratings of other items are left out.
    """
    data = replace(study.config.data, human=names)
    if not data.human:
        raise refuse(study.config.file.path if study.config.file else None, not_given("human scores", "human"))
    files, names = _files_and_names(data)
    for name in match_names(names, study.measure_names):
        problem = conflict(f"'{name}' as a measure", "human scores of that name")
        raise refuse(None, problem, hint=leave_out(setting("measures")))
    if names and data.replicates:
        found = f"human scores {', '.join(names)} of the table"
        expected = "a file of human scores, with one for each system and item"
        raise refuse(None, conflict(found, setting("replicates", data.replicates), expected))
    try:
        dataset = read_ratings(
            files,
            measures=names,
            lower_is_better=tuple(name for name in data.lower_is_better if name in names),
            columns=data.columns if data.is_table else Columns(),
            progress=progress,
            form=_RATINGS,
            open_file=data.open_scores if names else data.open,
        )
    except UnknownName as error:
        raise refuse(None, unknown("file or measure of the table", error.name, error.known)) from None
    return _aligned(study, dataset)


def _files_and_names(data: DataConfig) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files that hold ratings, and the names of measures in them that are human scores; no names stand for all."""
    names = tuple(name for name in data.human if data.is_table and not data.holds(name) and not Path(name).exists())
    files = tuple(name for name in data.human if name not in names)
    if names and files:
        in_table = f"those of the table ({', '.join(names)})"
        raise refuse(None, conflict(f"human scores in files ({', '.join(files)})", in_table))
    files_of_runs = tuple(path for path in (data.gold, *data.runs) if path is not None)
    return (files_of_runs if names else files), names


def _aligned(study: Study, dataset: Dataset[ItemScores]) -> HumanScores:
    """Ratings in the order of the systems and items of a study."""
    ratings, path = dataset.runs, dataset.files[0].path
    unrated = [name for name in study.systems if name not in ratings.systems]
    choice = study.config.data.systems
    others = [name for name in ratings.systems if name not in study.systems and choice.keeps(name)]
    problems = [empty(f"human score of system '{name}'", "ratings of every system").at(path) for name in unrated]
    if study.config.data.on_extra != "drop":
        problems += [Problem(f"human scores of '{name}', which is no system here", "none", path) for name in others]
    if problems:
        hint = "leave out unrated systems, or add their ratings" if unrated else f"use {setting('on_extra', 'drop')}"
        raise InputError(problems, hints=[hint])
    notes = [*dataset.notes, *([f"human scores of other systems left out: {', '.join(others)}"] if others else [])]
    by_item = ratings.items != (WHOLE,) or tuple(study.items[:2]) == (WHOLE,)
    values = ratings.values[:, [ratings.systems.index(name) for name in study.systems]]
    if by_item:
        if isinstance(study.items, Numbered):
            problem = conflict("ratings of items", "items whose ids were not stored", "ratings of systems")
            hint = f"if memory is large enough for the data, choose {setting('engine', 'memory')}"
            raise refuse(path, problem, hint=hint)
        index_of = {item: number for number, item in enumerate(ratings.items)}
        columns = np.array([index_of.get(item, -1) for item in study.items], dtype=np.intp)
        missing = int((columns < 0).sum())
        if missing == len(columns):
            first, rating_item = study.items[0], ratings.items[0]
            found = f"human score of any item of this study, such as '{first}', but of '{rating_item}'"
            hint = written_as(ratings.items, study.items, "the study")
            raise refuse(path, empty(found, "the same item ids", hint))
        values = np.where(columns >= 0, values[:, :, columns], np.nan)
        notes += [f"{pluralize(missing, 'item')} of {len(columns):,} without any human score"] if missing else []
        other = len(ratings.items) - len(set(columns[columns >= 0].tolist()))
        notes += [f"human scores of {pluralize(other, 'other item')} left out"] if other else []
    items = tuple(study.items) if by_item else (WHOLE,)
    scores = ItemScores(values, ratings.measures, study.systems, items, ratings.directions)
    return HumanScores(scores, by_item, dataset.files, tuple(notes))


def human_scores_of(study: Study, *, progress: Progress) -> HumanScores:
    """The human scores of a study, read once for all of its analyses."""
    if study.cache.human is None:
        study.cache.human = read_human_scores(study, study.config.data.human, progress=progress)
    return study.cache.human


def mean_of_raters(human: Scores) -> Scores:
    """Means of raters, (H, S, N) to (S, N), on the grid of scores; NaN where none has a rating."""
    return mean_scores(human.reshape(len(human), -1).T).reshape(human.shape[1:])


def oriented_scores(study: Study, human: HumanScores, *, level: str = "system") -> tuple[Scores, Scores]:
    """Scores of measures (M, S, N) and humans (H, S, N), higher is better; N is 1 where either has no item scores.

    At level system, the values of items under measures of sums are contributions, whose mean over the rated items is
    the score of their sums.
    """
    signs = np.array([direction.sign for direction in study.scores.directions], dtype=np.float64)
    ratings = human.ratings.values * np.array([[[one.sign]] for one in human.ratings.directions], dtype=np.float64)
    items = study.find(ITEM_SCORES) if human.by_item else None
    if items is not None:
        rated = np.asarray(~np.isnan(ratings).all(axis=0))
        values = items.contributions(rated) if level == "system" and items.sums else items.values
        return values * signs[:, np.newaxis, np.newaxis], ratings
    # Measures of labels have no item scores, and some ratings are of whole systems.
    return (study.scores.values * signs[:, np.newaxis])[..., np.newaxis], mean_scores(ratings)[..., np.newaxis]
