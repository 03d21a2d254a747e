"""The judges to be tested, and their ratings of the units of the annotators."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.agreement.ratings import as_units, form_of_judges, read_files
from metaeval.config import DataConfig
from metaeval.errors import InputError, did_you_mean, one_of
from metaeval.io.files.run_files import SUFFIXES
from metaeval.io.files.source import STANDARD_INPUT
from metaeval.io.scores.cells import Form
from metaeval.model.report import SourceFile
from metaeval.model.scores import ItemScores
from metaeval.steps import Progress


@dataclass(frozen=True)
class Judges:
    """Ratings of the units of the annotators by J judges.

    values: (J, U), NaN where a judge did not rate. files, notes: see `io.dataset.Dataset`.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    files: tuple[SourceFile, ...]
    notes: tuple[str, ...]


def split_judges(judges: Sequence[str], annotators: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split judges into names of annotators and files, which take precedence; others are an `InputError`."""
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
    annotators: ItemScores,
    data: DataConfig,
    form: Form,
    *,
    by: str,
    progress: Progress,
) -> Judges:
    """The judges among the annotators, and those of files; a judge of a file with an annotator's name is an error."""
    own = annotators.values[[annotators.measures.index(name) for name in named]]
    if not files:
        return Judges(tuple(named), as_units(own, by=by), (), ())
    dataset = read_files(files, data, form_of_judges(form), progress=progress)
    judges = dataset.runs
    ambiguous = [name for name in judges.measures if name in annotators.measures]
    if ambiguous:
        raise InputError.at(
            found=f"a judge called '{ambiguous[0]}', like one of the annotators",
            expected="a different name for each",
            hint=f"name the file, as in other={files[0]}",
        )
    values = as_units(np.concatenate([own, _aligned(judges, annotators)]), by=by)
    return Judges((*named, *judges.measures), values, dataset.files, dataset.notes)


def _aligned(judges: ItemScores, annotators: ItemScores) -> NDArray[np.float64]:
    """Ratings of judges for the systems and items of the annotators, (J, S, N)."""
    rows, columns = _places(judges.systems, annotators.systems), _places(judges.items, annotators.items)
    known = (rows >= 0)[:, np.newaxis] & (columns >= 0)
    return np.where(known, judges.values[:, rows][:, :, columns], np.nan)


def _places(names: Sequence[str], sought: Sequence[str]) -> NDArray[np.intp]:
    """The places of the sought names among `names`, −1 for those that are missing."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in sought], dtype=np.intp)
