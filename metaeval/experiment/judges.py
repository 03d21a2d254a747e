"""Would a judge do as well as the annotators?"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.config import Alignment, DataConfig
from metaeval.errors import InputError, counted, did_you_mean
from metaeval.experiment.ratings import Ratings, as_units, form_of_judges, read_files
from metaeval.io.dataset import Dataset, Track
from metaeval.io.files.run_files import SUFFIXES
from metaeval.io.files.source import STANDARD_INPUT
from metaeval.io.labels.codes import one_of
from metaeval.io.scores.cells import Form
from metaeval.model.report import Column, Kind, SourceFile, Table
from metaeval.model.scores import ItemScores
from metaeval.stats.judges import ENOUGH_FOR_T, PASSING, AlternativeAnnotators, alternative_annotator_test

ALIGNMENTS: dict[Alignment, str] = {
    "accuracy": "says the same as the others more often",
    "rmse": "is nearer to the others in the root mean square",
}

ENOUGH = 100
"""Units of an annotator below which the test is liberal: of judges just not good enough, with as skewed differences as
there are, it lets pass 13 % of 30 units and 8.5 % of 100, where its level says 5 %."""


@dataclass(frozen=True)
class Judges:
    """What J judges said of the units of annotators.

    values: (J, U), NaN where a judge said nothing. files, notes: as of `io.dataset.Dataset`.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    files: tuple[SourceFile, ...]
    notes: tuple[str, ...]


def split_judges(judges: Sequence[str], annotators: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which judges are names of annotators, and which are files; what is neither is an `InputError`.

    A name that is that of a file, too, means the file.
    """
    named = tuple(judge for judge in dict.fromkeys(judges) if judge in annotators and not _exists(judge))
    files = tuple(judge for judge in judges if judge not in named)
    for judge in files:
        if not (_exists(judge) or glob.has_magic(judge) or "=" in judge or judge.endswith(SUFFIXES) or "/" in judge):
            raise InputError.at(
                found=f"judge '{judge}', which is neither a file nor an annotator",
                expected=f"a file of ratings, or {one_of(annotators)}",
                hint=did_you_mean(judge, annotators) or "check the path",
            )
    return named, files


def _exists(judge: str) -> bool:
    return judge == STANDARD_INPUT or os.path.exists(judge)  # noqa: PTH110 (no error for a path too long)


def read_judges(
    named: Sequence[str],
    files: Sequence[str],
    everyone: ItemScores,
    data: DataConfig,
    form: Form,
    *,
    by: str,
    track: Track,
) -> Judges:
    """Judges from among the annotators and from files, beside the units of `everyone`.

    One name for two judges, and a judge who rated no unit that annotators rated, are `InputError`s.
    """
    own = everyone.values[[everyone.measures.index(name) for name in named]]
    read = read_files(files, data, form_of_judges(form), track=track) if files else None
    others = _beside(read, everyone) if read is not None else own[:0]
    names = (*named, *(read.runs.measures if read is not None else ()))
    twice = [name for name in names[len(named) :] if name in everyone.measures]
    if twice:
        raise InputError.at(
            found=f"a judge called '{twice[0]}', as is one of the annotators",
            expected="a name for each",
            hint=f"name the file, as in other={files[0]}",
        )
    values = as_units(np.concatenate([own, others]), by=by)
    return Judges(names, values, read.files if read is not None else (), read.notes if read is not None else ())


def _beside(judges: Dataset[ItemScores], everyone: ItemScores) -> NDArray[np.float64]:
    """Ratings of judges at the places of those of annotators, (J, S, N)."""
    scores = judges.runs
    rows, columns = _places(scores.systems, everyone.systems), _places(scores.items, everyone.items)
    known = (rows >= 0)[:, np.newaxis] & (columns >= 0)
    return np.where(known, scores.values[:, rows][:, :, columns], np.nan)


def _places(names: Sequence[str], wanted: Sequence[str]) -> NDArray[np.intp]:
    """Where the wanted names stand among others, −1 for those that don't."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in wanted], dtype=np.intp)


def judge_table(
    judges: Judges, ratings: Ratings, *, epsilon: float, alignment: Alignment | None
) -> tuple[Table, list[str], Alignment]:
    """Table `judges`, best first; what to say of it; and the alignment, which follows the ratings where not given."""
    _check_shared(judges, ratings)
    chosen: Alignment = alignment or ("accuracy" if ratings.categories else "rmse")
    if chosen == "rmse" and not ratings.ordered:
        raise InputError.at(
            found="--alignment rmse with labels that have no order",
            expected="--alignment accuracy, or an ordered scale",
        )
    test = alternative_annotator_test(judges.values, ratings.values, alignment=chosen, epsilon=epsilon)
    compared = (~np.isnan(judges.values) & (ratings.given >= 2)).sum(axis=-1)
    order = np.lexsort((-np.nan_to_num(test.advantage, nan=-1), -np.nan_to_num(test.winning_rate, nan=-1)))
    columns = (
        Column("judge"),
        Column("winning_rate", Kind.SCORE),
        Column("passes", Kind.FLAG),
        Column("advantage", Kind.SCORE),
        *(Column(name, Kind.COUNT) for name in ("annotators", "units", "left_out")),
    )
    title = f"Would a judge do as well? Alternative annotator test, epsilon {epsilon:g}, alignment {chosen}"
    rows = tuple(
        (
            judges.names[place],
            float(test.winning_rate[place]),
            None if np.isnan(test.winning_rate[place]) else bool(test.passes[place]),
            float(test.advantage[place]),
            len(ratings.annotators) - int(test.left_out[place]),
            int(compared[place]),
            int(test.left_out[place]),
        )
        for place in order.tolist()
    )
    return Table("judges", title, columns, rows), _notes(judges, ratings, test, epsilon, chosen), chosen


def _check_shared(judges: Judges, ratings: Ratings) -> None:
    for name, values in zip(judges.names, judges.values, strict=True):
        if not (~np.isnan(values) & (ratings.given > 0)).any():
            raise InputError.at(
                found=f"judge '{name}', who rated none of {ratings.what} that annotators rated",
                expected="ratings of the same things",
                hint="ratings go together by item, and by system where there is such a column: check these names",
            )


def _notes(
    judges: Judges, ratings: Ratings, test: AlternativeAnnotators, epsilon: float, alignment: Alignment
) -> list[str]:
    notes = [
        (
            f"winning_rate: share of annotators whom the judge can stand in for; it passes from {PASSING:g} on. Each "
            f"is left out in turn: who {ALIGNMENTS[alignment]}, judge or annotator? The judge may lose by "
            f"{epsilon:g}. advantage: how often the judge is at least as close"
        )
    ]
    tested = np.isfinite(test.p)
    few = int(((test.units < ENOUGH) & tested).any(axis=0).sum())
    if few:
        notes.append(
            f"{few} of {counted(len(ratings.annotators), 'annotator')} tested on fewer than {ENOUGH} units, where the "
            "test is liberal: a judge just not good enough may pass 13 % of the tests on 30 units and 8.5 % on 100, "
            "and not 5 %"
        )
    if not tested.all():
        untested = [name for name, own in zip(judges.names, tested, strict=True) if not own.any()]
        nothing = f"; of {', '.join(untested)} nothing can be told (—)" if untested else ""
        notes.append(
            f"left_out: annotators with fewer than {ENOUGH_FOR_T} units that the judge and another annotator rated "
            f"too{nothing}"
        )
    return notes
