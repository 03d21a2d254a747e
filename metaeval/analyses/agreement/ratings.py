"""What annotators said: ratings as they are read, and as units that the coefficients of agreement compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from metaeval.config import DataConfig
from metaeval.errors import InputError, counted
from metaeval.io.dataset import Dataset, Track
from metaeval.io.labels.codes import USABLE, Read, code_reader, one_of
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.scores.cells import NO_SYSTEM, WHOLE, Form
from metaeval.io.scores.table import read_ratings
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ItemScores
from metaeval.stats.intervals import defined_mean

ANNOTATOR_COLUMNS = ("annotator", "rater", "measure")
RATING_COLUMNS = ("label", "rating", "value", "score")


@dataclass(frozen=True)
class Ratings:
    """What A annotators said of U units, and what sort of thing that is.

    values: (A, U), codes or numbers; NaN where an annotator said nothing.
    systems, items: names; units are the cells of systems × items, or systems where there are no items or `by_system`.
    ordered: whether more is more. categories: whether equal ratings are the same answer, as labels and whole numbers
    are. by_system: whether they are means over the items of a system.
    """

    annotators: tuple[str, ...]
    values: NDArray[np.float64]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    ordered: bool
    categories: bool
    by_system: bool

    @property
    def draws(self) -> tuple[NDArray[np.intp], str]:
        """Which draw of a bootstrap each unit goes with, (U,), and what is drawn: items with all cells of theirs."""
        if self.by_system or self.items == (WHOLE,):
            return np.arange(len(self.systems)), "system"
        return np.tile(np.arange(len(self.items)), len(self.systems)), "item"

    @property
    def given(self) -> NDArray[np.intp]:
        """How many annotators rated each unit, (U,)."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    @property
    def what(self) -> str:
        """The units in words, as '150 cells (10 systems × 15 items)'."""
        systems, items = counted(len(self.systems), "system"), counted(len(self.items), "item")
        if self.items == (WHOLE,):
            return systems
        if self.by_system:
            return f"the means of {systems}"
        cells = counted(self.values.shape[1], "cell")
        return items if self.systems == (NO_SYSTEM,) else f"{cells} ({systems} × {items})"


def scale_of_ratings(data: DataConfig) -> ClassScale | None:
    """The declared scale, with values where these are declared, or the classes are rising numbers themselves."""
    if data.labels is None:
        if data.class_values is not None:
            raise InputError.at(
                found="class values without classes", expected="--labels too", hint="as in --labels 'low<mid<high'"
            )
        return None
    values = data.class_values or (_rising_numbers(data.labels.labels) if data.labels.ordered else None)
    return data.labels.with_values(values) if values is not None else data.labels


def _rising_numbers(labels: Sequence[str]) -> Mapping[str, float] | None:
    """The numbers that classes are called by, if they are and rise."""
    try:
        numbers = {label: float(label) for label in labels}
    except ValueError:
        return None
    rising = all(low < high for low, high in pairwise(numbers.values()))
    return numbers if rising and all(map(math.isfinite, numbers.values())) else None


def form_of_ratings(scale: ClassScale | None, annotator_column: str | None) -> Form:
    """How files of ratings are read: labels of the scale as its values (else 1, 2, …), or numbers without one."""
    named = ANNOTATOR_COLUMNS if annotator_column is None else (annotator_column,)
    form = Form(
        measures=named,
        values=RATING_COLUMNS,
        remedy="correct them; of words, declare which there are and how they are ordered, as in --labels "
        "'low<mid<high'; columns that are no annotators have to go",
        role="ratings",
        of_people=True,
    )
    if scale is None:
        return form
    codes_of = code_reader(scale)
    values = scale.positions + 1 if scale.values is None else scale.class_values()

    def read(texts: Sequence[str]) -> Read:
        codes, states = codes_of(texts)
        return np.where(states == USABLE, values[np.maximum(codes, 0)], np.nan), states

    expected, remedy = one_of(scale.labels), "correct them, or declare every label with --labels"
    return replace(form, read=read, expected=expected, remedy=remedy)


def form_of_judges(form: Form) -> Form:
    """The same for files of judges, which need no column that tells one from another."""
    return replace(form, measures=tuple(dict.fromkeys((*form.measures, *ANNOTATOR_COLUMNS))), role="judge")


def read_files(paths: Sequence[str], data: DataConfig, form: Form, *, track: Track) -> Dataset[ItemScores]:
    """The ratings of files, a 'measure' an annotator."""
    columns = Columns(data.id_column, data.label_column)
    return read_ratings(
        paths, measures=(), lower_is_better=(), columns=columns, track=track, form=form, open_file=data.open
    )


def ratings_of(scores: ItemScores, scale: ClassScale | None, *, by: str) -> Ratings:
    """Ratings as units; too few annotators, and none who have a unit in common, are an `InputError`."""
    ordered, by_system = scale is None or scale.ordered, by == "system"
    _check_by(scores, by_system=by_system, ordered=ordered)
    if len(scores.measures) < 2:
        raise InputError.at(
            found=f"{counted(len(scores.measures), 'annotator')} ({', '.join(scores.measures)})",
            expected="at least two",
            hint="tell annotators apart in a column 'annotator' (another name: --annotator-column), by a column or by "
            "a file for each",
        )
    values = as_units(scores.values, by=by)
    known = values[~np.isnan(values)]
    categories = not by_system and (scale is not None or bool((known == np.rint(known)).all()))
    found = Ratings(scores.measures, values, scores.systems, scores.items, ordered, categories, by_system)
    if (found.given < 2).all():
        raise InputError.at(
            found=f"{found.what}, none of which two annotators rated",
            expected="units with at least two ratings",
            hint="ratings go together by item, and by system where there is such a column: check these names",
        )
    return found


def as_units(values: NDArray[np.float64], *, by: str) -> NDArray[np.float64]:
    """Ratings (A, S, N) as (A, U): every cell, or the means over the items that an annotator rated of a system."""
    if by == "system":
        return defined_mean(values, axis=-1)
    return values.reshape(len(values), values.shape[1] * values.shape[2])


def _check_by(scores: ItemScores, *, by_system: bool, ordered: bool) -> None:
    if by_system and scores.systems == (NO_SYSTEM,):
        raise InputError.at(
            found="--by system with ratings that name no system",
            expected="a column 'system'",
            hint="add the column, or compare the single ratings with --by cell",
        )
    if by_system and not ordered:
        raise InputError.at(
            found="--by system, which takes means, with labels that have no order",
            expected="an ordered scale, as --labels 'low<mid<high'",
            hint="declare the order, or compare the single ratings with --by cell",
        )
