"""Which judges are tested, and what they said of the units of the annotators."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.agreement.ratings import as_units, form_of_judges, read_files
from metaeval.config import DataConfig
from metaeval.errors import InputError, did_you_mean
from metaeval.io.dataset import Dataset, Track
from metaeval.io.files.run_files import SUFFIXES
from metaeval.io.files.source import STANDARD_INPUT
from metaeval.io.labels.codes import one_of
from metaeval.io.scores.cells import Form
from metaeval.model.report import SourceFile
from metaeval.model.scores import ItemScores


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
