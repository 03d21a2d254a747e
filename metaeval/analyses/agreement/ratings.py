"""Ratings of annotators: how files are read, and the units that the coefficients of agreement compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.config import DataConfig
from metaeval.errors import one_of, pluralize, refuse, setting
from metaeval.io.dataset import Dataset
from metaeval.io.files.columns import ANNOTATOR, RATING
from metaeval.io.labels.codes import USABLE, Read, code_reader
from metaeval.io.scores.cells import NO_SYSTEM, WHOLE, Form
from metaeval.io.scores.table import read_ratings
from metaeval.model.scale import ClassScale, rising_numbers
from metaeval.model.scores import ItemScores
from metaeval.stats.association import mean_scores
from metaeval.steps import Progress

MATCHED_BY = "ratings are matched by item, and by system if there is such a column: check these names"
"""The remedy for ratings that have no unit in common."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of U units by A annotators.

    values: (A, U), codes or numbers; NaN where an annotator did not rate.
    systems, items: names; units are the cells of systems × items, or systems without items or with `by_system`.
    ordered: whether the ratings have an order. categories: whether they are labels or whole numbers, not measurements.
    by_system: whether they are means over the items of a system.
    """

    annotators: tuple[str, ...]
    values: NDArray[np.float64]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    ordered: bool
    categories: bool
    by_system: bool

    @property
    def whole_systems(self) -> bool:
        """Whether the units are systems."""
        return self.by_system or self.items == (WHOLE,)

    @property
    def raters(self) -> NDArray[np.intp]:
        """The number of annotators who rated each unit, (U,)."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    @property
    def description(self) -> str:
        """The units that were rated in words, as '150 cells (10 systems × 15 items)'."""
        rated = (self.raters > 0).reshape(len(self.systems), -1)
        systems = pluralize(int(rated.any(axis=1).sum()), "system")
        if self.items == (WHOLE,):
            return systems
        if self.by_system:
            return f"the means of {systems}"
        items = pluralize(int(rated.any(axis=0).sum()), "item")
        times = "×" if rated.all() else "and"
        cells = pluralize(int(rated.sum()), "cell")
        return items if self.systems == (NO_SYSTEM,) else f"{cells} ({systems} {times} {items})"

    @property
    def size(self) -> str:
        """The ratings and their units in words, as '450 ratings of 150 cells (10 systems × 15 items)'."""
        ratings = int(self.raters.sum())
        return self.description if self.by_system else f"{pluralize(ratings, 'rating')} of {self.description}"


def scale_of_ratings(data: DataConfig) -> ClassScale | None:
    """The declared scale; with values if they are declared, or if the classes are increasing numbers themselves."""
    if data.labels is None:
        if data.class_values is not None:
            hint = f"declare the classes, as in {setting('labels', 'low<mid<high')}"
            raise refuse(None, "class values without classes", setting("labels"), hint, kind="missing")
        return None
    values = data.class_values or (rising_numbers(data.labels.labels) if data.labels.ordered else None)
    return data.labels.with_values(values) if values is not None else data.labels


def form_of_ratings(scale: ClassScale | None, annotator_column: str | None) -> Form:
    """How files of ratings are read: as labels of the scale (by its values, else 1, 2, …), or else as numbers."""
    form = Form(
        measure=ANNOTATOR,
        score=RATING,
        remedy=f"correct them; declare ratings that are words, as in {setting('labels', 'low<mid<high')}; remove "
        "columns that are not annotators",
        role="ratings",
        named=annotator_column,
        required=annotator_column is not None,
        of_raters=True,
    )
    if scale is None:
        return form
    codes_of = code_reader(scale)
    values = scale.positions + 1 if scale.values is None else scale.class_values()

    def read(texts: Sequence[str]) -> Read:
        codes, states = codes_of(texts)
        return np.where(states == USABLE, values[np.maximum(codes, 0)], np.nan), states

    expected, remedy = one_of(scale.labels), f"correct them, or declare every label in {setting('labels')}"
    return replace(form, read=read, expected=expected, remedy=remedy)


def form_of_judges(form: Form) -> Form:
    """The same for files of judges, whose column of names is optional."""
    return replace(form, required=False, role="judge")


def read_files(paths: Sequence[str], data: DataConfig, form: Form, *, progress: Progress) -> Dataset[ItemScores]:
    """Read the ratings of files; each annotator is a 'measure' of the result."""
    return read_ratings(
        paths,
        measures=(),
        lower_is_better=(),
        columns=data.columns,
        progress=progress,
        form=form,
        open_file=data.open,
        choice=data.systems,
    )


def ratings_of(scores: ItemScores, scale: ClassScale | None, *, by: str) -> Ratings:
    """Ratings as units; an `InputError` for fewer than two annotators, and where no two have a unit in common."""
    ordered, by_system = scale is None or scale.ordered, by == "system"
    _check_by(scores, by_system=by_system, ordered=ordered)
    if len(scores.measures) < 2:
        column = f"name the annotators in a column 'annotator' (for another name set {setting('annotator_column')})"
        found = f"{pluralize(len(scores.measures), 'annotator')} ({', '.join(scores.measures)})"
        hint = f"{column}, or use a column or a file for each annotator"
        raise refuse(None, found, "at least two", hint, kind="count")
    values = as_units(scores.values, by=by)
    known = values[~np.isnan(values)]
    categories = not by_system and (scale is not None or bool((known == np.rint(known)).all()))
    ratings = Ratings(
        annotators=scores.measures,
        values=values,
        systems=scores.systems,
        items=scores.items,
        ordered=ordered,
        categories=categories,
        by_system=by_system,
    )
    if (ratings.raters < 2).all():
        found = f"{ratings.description}, none of which two annotators rated"
        raise refuse(None, found, "units with at least two ratings", MATCHED_BY, kind="conflict")
    return ratings


def as_units(values: NDArray[np.float64], *, by: str) -> NDArray[np.float64]:
    """Ratings (A, S, N) as (A, U): every cell, or the means over the items that an annotator rated of a system."""
    if by == "system":
        return mean_scores(values)
    return values.reshape(len(values), values.shape[1] * values.shape[2])


def _check_by(scores: ItemScores, *, by_system: bool, ordered: bool) -> None:
    by, single = setting("by", "system"), f"compare the single ratings with {setting('by', 'cell')}"
    if by_system and scores.systems == (NO_SYSTEM,):
        found = f"{by} with ratings that name no system"
        raise refuse(None, found, "a column 'system'", f"add the column, or {single}", kind="conflict")
    if by_system and not ordered:
        found = f"{by}, which compares means, with labels that have no order"
        expected = f"an ordered scale, as {setting('labels', 'low<mid<high')}"
        raise refuse(None, found, expected, f"declare the order, or {single}", kind="conflict")
