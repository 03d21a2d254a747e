"""What people think of the systems: ratings beside a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaeval.config import DataConfig
from metaeval.errors import InputError, Problem, UnknownName, counted
from metaeval.io.dataset import Dataset, Track
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.scores.cells import SCORES, WHOLE
from metaeval.io.scores.table import read_ratings
from metaeval.model.labels import Numbered
from metaeval.model.report import SourceFile
from metaeval.model.scores import ItemScores
from metaeval.stats.correlation import mean_over_sets
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.study import Study

Scores = NDArray[np.float64]

_RATINGS = replace(SCORES, remedy="correct them, or leave them out", role="human")


@dataclass(frozen=True)
class People:
    """Ratings of a study's systems, in its order.

    ratings: (H, S, N), one 'measure' a person or a data set of them; NaN where nobody rated. N is 1 where systems were
    rated as a whole. by_item: whether they are ratings of the study's items. files, notes: as of `io.dataset.Dataset`.
    """

    ratings: ItemScores
    by_item: bool
    files: tuple[SourceFile, ...]
    notes: tuple[str, ...]


def read_people(study: Study, *, track: Track) -> People:
    """The ratings that `data.human` names, brought into the order of the study.

    Files in the forms of `--task table`, in which a measure is a person or a data set; or, where the study is of a
    table, names of measures in its own files. Systems without ratings are an `InputError`; ratings of other systems
    are one unless `on_extra` is 'drop'; ratings of other items are left out.
    """
    data = study.config.data
    if not data.human:
        raise InputError.at(
            study.config.file.path if study.config.file else None,
            found="no human scores",
            expected="a file of ratings, or with --task table the name of a measure",
            hint="name it with --human, or as 'human:' under 'data:' in the config",
        )
    files, names = _files_and_names(data)
    both = [name for name in names if name in study.measure_names]
    if both:
        raise InputError.at(
            found=f"'{both[0]}' as a measure and as people", expected="one of both", hint=f"leave out -m {both[0]}"
        )
    try:
        found = read_ratings(
            files,
            measures=names,
            lower_is_better=_known(data.lower_is_better, names),
            columns=_columns(data),
            track=track,
            form=_RATINGS,
            open_file=data.open,
        )
    except UnknownName as error:
        raise InputError.at(
            found=f"'{error.name}' after --human, which is neither a file nor a measure of the table",
            expected="a file of ratings, or one of the table's measures",
            hint=str(error).partition(". ")[2].rstrip("."),
        ) from None
    return _beside(study, found)


def _files_and_names(data: DataConfig) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which files hold ratings, and which of their measures are people; none for all."""
    there = [name for name in data.human if data.holds(name) or Path(name).exists()]
    names = tuple(name for name in data.human if data.task == "table" and name not in there)
    files = tuple(name for name in data.human if name not in names)
    if names and files:
        raise InputError.at(
            found=f"human scores in files ({', '.join(files)}) and in the table itself ({', '.join(names)})",
            expected="one of both",
        )
    own = tuple(path for path in (data.gold, *data.runs) if path is not None)
    return (own if names else files), names


def _known(lower: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in lower if name in names)


def _columns(data: DataConfig) -> Columns:
    return Columns(data.id_column, data.label_column) if data.task == "table" else Columns()


def _beside(study: Study, found: Dataset[ItemScores]) -> People:
    ratings = found.runs
    unrated = [name for name in study.systems if name not in ratings.systems]
    others = [name for name in ratings.systems if name not in study.systems]
    path = found.files[0].path
    problems = [Problem(f"no human score of system '{name}'", "ratings of every system", path) for name in unrated]
    if study.config.data.on_extra != "drop":
        problems += [Problem(f"human scores of '{name}', which is no system here", "none", path) for name in others]
    if problems:
        raise InputError(
            problems,
            hints=["leave out systems that nobody rated, or add their ratings" if unrated else "say --on-extra drop"],
        )
    notes = [*found.notes, *([f"human scores of other systems left out: {', '.join(others)}"] if others else [])]
    by_item = ratings.items != (WHOLE,) or tuple(study.items[:2]) == (WHOLE,)
    rows = [ratings.systems.index(name) for name in study.systems]
    values = ratings.values[:, rows]
    if by_item:
        if isinstance(study.items, Numbered):
            raise InputError.at(
                path,
                found="ratings of items, and items whose ids were not kept",
                expected="ratings of systems",
                hint="say --engine memory, if the memory holds the data",
            )
        place = {item: number for number, item in enumerate(ratings.items)}
        columns = np.array([place.get(item, -1) for item in study.items], dtype=np.intp)
        if (columns < 0).all():
            raise InputError.at(
                path, found="no human score of any item of this study", expected="the same ids of items"
            )
        values = np.where(columns >= 0, values[:, :, columns], np.nan)
        missing = int((columns < 0).sum())
        notes += [f"{counted(missing, 'item')} of {len(columns):,} without any human score"] if missing else []
        gone = len(ratings.items) - len(set(columns[columns >= 0].tolist()))
        notes += [f"human scores of {counted(gone, 'other item')} left out"] if gone else []
    items = tuple(study.items) if by_item else (WHOLE,)
    scores = ItemScores(values, ratings.measures, study.systems, items, ratings.directions)
    return People(scores, by_item, found.files, tuple(notes))


def people_of(study: Study, *, track: Track) -> People:
    """The ratings of a study, read once for all of its analyses."""
    if "people" not in study.__dict__:
        study.__dict__["people"] = read_people(study, track=track)
    found: People = study.__dict__["people"]
    return found


def oriented_scores(study: Study, people: People) -> tuple[Scores, Scores]:
    """Measures (M, S, N) and people (H, S, N), higher better everywhere; N is 1 where one of them has no items."""
    signs = np.array([direction.sign for direction in study.scores.directions], dtype=np.float64)
    human = people.ratings.values * np.array([[[one.sign]] for one in people.ratings.directions], dtype=np.float64)
    items = study.find(ITEM_SCORES) if people.by_item else None
    if items is not None:
        return items.values * signs[:, np.newaxis, np.newaxis], human
    # Measures of labels have no scores of single items, and some people judge whole systems.
    means = np.where(np.isnan(human).all(axis=-1), np.nan, mean_over_sets(human))
    return (study.scores.values * signs[:, np.newaxis])[..., np.newaxis], means[..., np.newaxis]
