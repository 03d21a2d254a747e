"""The study of this analysis: ratings of annotators, and of judges."""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, product

import numpy as np

from metaeval.analyses.agreement.settings import AgreementSettings, Alignment
from metaeval.analyses.agreement.sides import classes_of_words, is_file, kinds_of, sides_of
from metaeval.analyses.sentences import join_names
from metaeval.arrays import Floats, Indices
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import InputError, did_you_mean, invalid, not_given, one_of, pluralize, refuse, setting, unknown
from metaeval.io.dataset import Dataset
from metaeval.io.files.columns import USABLE, Read, code_reader, read_numbers
from metaeval.io.files.kinds import HUMAN, JUDGE
from metaeval.io.files.roles import ANNOTATOR, GOLD, RATING, Role
from metaeval.io.files.run_files import SUFFIXES
from metaeval.io.labels.columns import Renaming
from metaeval.io.scores.cells import NO_SYSTEM, WHOLE, Form
from metaeval.io.scores.table import read_ratings
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale, rising_numbers
from metaeval.model.scores import ItemScores
from metaeval.names import match_names, matches, names_text
from metaeval.stats.association import mean_scores
from metaeval.steps import Progress
from metaeval.study.read import clusters_of_column
from metaeval.study.runs import scale_of
from metaeval.study.study import AnalysedTables, Sources

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
    values: Floats
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
    def raters(self) -> Indices:
        """The number of annotators who rated each unit, (U,)."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    @property
    def description(self) -> str:
        """The units that were rated in words, as '150 cells (10 systems × 15 items)'."""
        is_rated = (self.raters > 0).reshape(len(self.systems), -1)
        systems = pluralize(int(is_rated.any(axis=1).sum()), "system")
        if self.items == (WHOLE,):
            return systems
        if self.by_system:
            return f"the means of {systems}"
        items = pluralize(int(is_rated.any(axis=0).sum()), "item")
        times = "×" if is_rated.all() else "and"
        cells = pluralize(int(is_rated.sum()), "cell")
        return items if self.systems == (NO_SYSTEM,) else f"{cells} ({systems} {times} {items})"

    @property
    def size(self) -> str:
        """The ratings and their units in words, as '450 ratings of 150 cells (10 systems × 15 items)'."""
        ratings = int(self.raters.sum())
        return self.description if self.by_system else f"{pluralize(ratings, 'rating')} of {self.description}"


def scale_of_ratings(data: DataConfig) -> ClassScale | None:
    """The declared scale, with values if they are declared."""
    if data.labels is None:
        if data.class_values is not None:
            hint = f"declare the classes, as in {setting('labels', 'low<mid<high')}"
            raise refuse(None, "class values without classes", setting("labels"), hint, kind="missing")
        return None
    return data.labels.with_values(data.class_values) if data.class_values is not None else data.labels


def class_values(scale: ClassScale) -> Floats:
    """The number of each class: its value, or its position from 1."""
    return scale.positions + 1 if scale.values is None else scale.class_values()


def form_of_ratings(scale: ClassScale | None, judge_column: str | None) -> Form:
    """How files of ratings are read: as labels of the scale (by its values, else 1, 2, …), or else as numbers."""
    form = Form(
        measure=ANNOTATOR,
        score=RATING,
        remedy=f"correct them; declare ratings that are words, as in {setting('labels', 'low<mid<high')}; remove "
        "columns that are not annotators",
        role="ratings",
        column=judge_column,
        required=judge_column is not None,
        has_raters=True,
    )
    if scale is None:
        return form
    codes_of = code_reader(scale)
    values = class_values(scale)

    def read(texts: Sequence[str]) -> Read:
        codes, states = codes_of(texts)
        return np.where(states == USABLE, values[np.maximum(codes, 0)], np.nan), states

    expected, remedy = one_of(scale.labels), f"correct them, or declare every label in {setting('labels')}"
    return replace(form, read=read, expected=expected, remedy=remedy)


@dataclass(frozen=True)
class RecordingReader:
    """Reads numbers, and keeps all texts that it read, also those that are none."""

    texts: dict[str, None] = field(default_factory=dict)

    def read(self, texts: Sequence[str]) -> Read:
        """See `read_numbers`."""
        self.texts.update(dict.fromkeys(texts))
        return read_numbers(texts)


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


def ratings_of(
    scores: ItemScores, scale: ClassScale | None, *, by: str, alone: bool = False, path: str | None = None
) -> Ratings:
    """Ratings as units; an `InputError` for fewer than two annotators, and where no two have a unit in common.

    alone: whether one annotator is enough, because there are judges. path: of their file.
    """
    ordered, by_system = scale is None or scale.ordered, by == "system"
    _check_by(scores, by_system=by_system, ordered=ordered)
    if len(scores.measures) < (1 if alone else 2):
        column = (
            f"name the annotators in a column '{ANNOTATOR.names[0]}' (for another name set {setting('judge_column')})"
        )
        found = f"{pluralize(len(scores.measures), 'annotator')} ({', '.join(scores.measures)})"
        hint = f"{column}, or use a column or a file for each annotator"
        raise refuse(path, found, "at least two", hint, kind="count")
    values = as_units(scores.values, by=by)
    all_ratings = values[~np.isnan(values)]
    categories = not by_system and (scale is not None or bool((all_ratings == np.rint(all_ratings)).all()))
    ratings = Ratings(
        annotators=scores.measures,
        values=values,
        systems=scores.systems,
        items=scores.items,
        ordered=ordered,
        categories=categories,
        by_system=by_system,
    )
    if (ratings.raters < 2).all() and len(ratings.annotators) > 1:
        found = f"{ratings.description}, none of which two annotators rated"
        raise refuse(path, found, "units with at least two ratings", MATCHED_BY, kind="conflict")
    return ratings


def as_units(values: Floats, *, by: str) -> Floats:
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
    if by_system and len(scores.systems) < 2:
        found = f"{by} with one system ({scores.systems[0]})"
        raise refuse(None, found, "at least two, whose means are compared", single, kind="count")


@dataclass(frozen=True)
class Judges:
    """Ratings of the units of the annotators by J judges.

    values: (J, U), NaN where a judge did not rate. files, notes: see `io.dataset.Dataset`.
    """

    names: tuple[str, ...]
    values: Floats
    files: tuple[SourceFile, ...]
    notes: tuple[str, ...]


def split_judges(judges: Sequence[str], annotators: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split judges into names of annotators and files, which take precedence; others are an `InputError`."""
    annotator_names = [judge for judge in judges if match_names([judge], annotators) and not is_file(judge)]
    names = match_names(annotator_names, annotators)
    files = tuple(judge for judge in judges if judge not in annotator_names)
    for judge in files:
        if not (is_file(judge) or glob.has_magic(judge) or "=" in judge or judge.endswith(SUFFIXES) or "/" in judge):
            hint = did_you_mean(judge, annotators) or "check the path"
            raise refuse(None, invalid("judge", judge, f"a file of ratings, or {one_of(annotators)}", hint=hint))
    return names, files


def read_judges(
    names: Sequence[str],
    files: Sequence[str],
    annotators: ItemScores,
    data: DataConfig,
    form: Form,
    *,
    by: str,
    progress: Progress,
) -> Judges:
    """The judges among the annotators, and those of files; a judge of a file with an annotator's name is an error."""
    annotator_ratings = annotators.values[[annotators.measures.index(name) for name in names]]
    if not files:
        return Judges(tuple(names), as_units(annotator_ratings, by=by), (), ())
    # A file of one judge needs no column of names.
    dataset = read_files(files, data, replace(form, required=False, role="judge"), progress=progress)
    judges = dataset.runs
    ambiguous = [name for name in judges.measures if name in annotators.measures]
    if ambiguous:
        found = f"a judge called '{ambiguous[0]}', like one of the annotators"
        hint = f"name the file, as in other={files[0]}"
        raise refuse(None, found, "a different name for each", hint, kind="repeated")
    values = as_units(np.concatenate([annotator_ratings, _align(judges, annotators)]), by=by)
    return Judges((*names, *judges.measures), values, dataset.files, dataset.notes)


def _align(judges: ItemScores, annotators: ItemScores) -> Floats:
    """Ratings of judges for the systems and items of the annotators, (J, S, N)."""
    rows, columns = _indices(judges.systems, annotators.systems), _indices(judges.items, annotators.items)
    is_shared = (rows >= 0)[:, np.newaxis] & (columns >= 0)
    return np.where(is_shared, judges.values[:, rows][:, :, columns], np.nan)


def _indices(names: Sequence[str], targets: Sequence[str]) -> Indices:
    """The indices of the targets among `names`, −1 for those that are missing."""
    index_by_name = {name: index for index, name in enumerate(names)}
    return np.array([index_by_name.get(name, -1) for name in targets], dtype=np.intp)


@dataclass(frozen=True)
class AgreementStudy(AnalysedTables):
    """Ratings of annotators and judges.

    files: number of files of annotators. scale: of the ratings, if declared. alignment: of the test of judges. runs:
    the rows of each judge in the ratings of judges, one for each of its runs. groups: the name of the group of each
    unit, '' without one; empty without groups.
    """

    files: int
    ratings: Ratings
    judges: Judges | None
    scale: ClassScale | None
    alignment: Alignment
    runs: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    groups: tuple[str, ...] = ()

    @property
    def clusters(self) -> tuple[Indices, str, str]:
        """The cluster of each unit, (U,), and what one and several clusters are called; intervals leave out clusters.

        They are those of a column, items with all their cells, or systems.
        """
        ratings = self.ratings
        if ratings.whole_systems:
            return np.arange(len(ratings.systems)), "system", "systems"
        codes, one, several = np.arange(len(ratings.items)), "item", "items"
        for clusters in self.origin.clusters:
            codes, one, several = (
                clusters.item_codes,
                *(f"{noun} of {clusters.column}" for noun in ("cluster", "clusters")),
            )
        return np.tile(codes, len(ratings.systems)), one, several

    @property
    def contents(self) -> str:
        """What the files contain."""
        contents = f"{self.ratings.size} by {pluralize(len(self.ratings.annotators), 'annotator')}"
        return contents if self.judges is None else f"{contents} and {pluralize(len(self.judges.names), 'judge')}"

    def settings(self) -> list[tuple[str, object]]:
        """The fields of the signature."""
        settings, scale = self.config.settings_of(AgreementSettings), self.scale
        values = scale.values if scale is not None else None
        fields: list[tuple[str, object]] = [
            ("files", self.files),
            ("annotators", len(self.ratings.annotators)),
            ("units", int((self.ratings.raters > 0).sum())),
            ("by", settings.by),
            ("scale", "" if scale is None else str(scale)),
            ("values", ",".join(f"{value:g}" for value in values or ())),
            ("map-labels", names_text(settings.map_labels or self.config.data.map_labels or {})),
            ("clusters", settings.clusters),
            ("group", settings.group),
            ("replicates", settings.replicates),
            ("seed", self.config.seed),
        ]
        if self.judges is not None:
            fields += [("judges", len(self.runs)), ("epsilon", f"{settings.epsilon:g}"), ("alignment", self.alignment)]
        return fields


def read(config: ExperimentConfig, settings: AgreementSettings, *, progress: Progress) -> AgreementStudy:
    """Read the files of ratings, by default `config.data.human`, and those of the judges."""
    data = config.data.overlaid(
        id_column=settings.id_column,
        label_column=settings.label_column,
        labels=scale_of(settings.labels),
        class_values=settings.class_values,
        map_labels=settings.map_labels,
        exclude_systems=settings.exclude_systems,
    )
    columns = (settings.clusters,) if settings.clusters is not None else ()
    data = replace(data, clusters=columns, human=settings.ratings or data.human)
    if not data.human:
        raise refuse(config.file.path if config.file else None, not_given("file of ratings", "ratings"))
    sides = sides_of(data, settings)
    data = sides.data
    scale = scale_of_ratings(data)
    renaming = Renaming(data.map_labels)
    notes = [*sides.notes]

    def read_table(form: Form) -> Dataset[ItemScores]:
        # The columns of sides may have names that mean something else.
        form = replace(form, measure=Role(()), score=Role(())) if sides.judges else form
        return read_files(data.human, data, form, progress=progress)

    form, recorder = form_of_ratings(scale, settings.judge_column), RecordingReader()
    try:
        files = read_table((form if scale is not None else replace(form, read=recorder.read)).renamed(renaming))
    except InputError:
        scale = classes_of_words(recorder.texts) if scale is None else None
        if scale is None:
            raise
        form = form_of_ratings(scale, settings.judge_column)
        files = read_table(form.renamed(renaming))
        order = setting("labels", "low<high")
        notes.append(
            f"the classes are the labels of the ratings, without an order: {scale}; declare an order with {order}"
        )
    form = form.renamed(renaming)
    runs = dict(sides.judges)
    annotators = files.runs.measures
    judges_to_find = [name for name in settings.judges if not match_names([name], runs)]
    judge_names, judge_files = split_judges(judges_to_find, annotators)
    runs |= {name: (name,) for name in judge_names}
    kinds = {} if sides.judges else kinds_of(data, settings.judge_column)
    declared_judges = [name for name in annotators if kinds.get(name) == JUDGE and not matches(name, settings.humans)]
    if len(declared_judges) < len(annotators):
        runs |= {name: (name,) for name in declared_judges}
    others = [name for name in annotators if name not in {*chain.from_iterable(runs.values())}]
    people = [name for name in others if kinds.get(name) == HUMAN]
    humans = _humans(settings.humans, others if settings.humans else people or others)
    remaining = [] if settings.humans or not people else [name for name in others if name not in people]
    if remaining:
        remedy = f"fill it, or set {setting('humans')}"
        notes.append(f"left out, because the column of kinds says nothing of them: {join_names(remaining)}; {remedy}")
    has_judges = bool(runs or judge_files)
    path = files.files[0].path
    ratings = ratings_of(_only(files.runs, humans), scale, by=settings.by, alone=has_judges, path=path)
    judges = None
    sources = Sources.of(files, notes)
    if has_judges:
        columns_of_judges = [*chain.from_iterable(runs.values())]
        judges = read_judges(columns_of_judges, judge_files, files.runs, data, form, by=settings.by, progress=progress)
        runs |= {name: (name,) for name in judges.names[len(columns_of_judges) :]}
        sources = replace(Sources.of(files, (*notes, *judges.notes)), files=(*files.files, *judges.files))
    renaming.check()
    for column in data.clusters:
        open_table = partial(data.open, data.human[0], "clusters")
        clusters, file = clusters_of_column(data, column, ratings.items, open_table)
        sources = replace(sources, clusters=(clusters,), files=(*sources.files, *filter(None, [file])))
    # Classes that are numbers, as 1<2<3, are compared as such, by their positions.
    numeric = scale is None or (scale.ordered and bool(scale.values or rising_numbers(scale.labels)))
    alignment = settings.alignment or ("rmse" if numeric else "accuracy")
    config = replace(config, data=replace(config.data, human=data.human))
    annotator_notes = (
        []
        if sides.judges or declared_judges or people
        else [*_note_on_gold(ratings.annotators), *_note_on_judges(ratings.annotators)]
    )
    units = product(ratings.systems, ratings.items) if sides.groups else ()
    return AgreementStudy(
        config=config,
        origin=replace(sources, notes=(*sources.notes, *annotator_notes)),
        files=len(files.files),
        ratings=ratings,
        judges=judges,
        scale=scale,
        alignment=alignment,
        runs={}
        if judges is None
        else {name: tuple(map(judges.names.index, columns)) for name, columns in runs.items()},
        groups=tuple(sides.groups.get(unit, "") for unit in units),
    )


def _note_on_gold(annotators: Sequence[str]) -> list[str]:
    """A note on labels that were perhaps made from those of the annotators, with which they agree too well."""
    gold = [name for name in annotators if GOLD.among([name])]
    without = "if these labels were made from those of the others, leave them out"
    return [f"'{name}' counts as an annotator: {without}" for name in gold]


def _note_on_judges(annotators: Sequence[str]) -> list[str]:
    """A note on annotators that are judges by their names."""
    judges = [name for name in annotators if re.match(r"(?i)(judge|llm)s?([\W_]|$)", name)]
    return [f"'{name}' counts as a person: if it is a judge, name it with {setting('judges', name)}" for name in judges]


def _humans(names: Sequence[str], annotators: Sequence[str]) -> Sequence[str]:
    """The annotators who count as people: those that are named, or all; an unknown name is an `InputError`."""
    for name in names:
        if not match_names([name], annotators):
            raise refuse(None, unknown("annotator", name, annotators, f" in {setting('humans')}"))
    return match_names(names, annotators) or annotators


def _only(scores: ItemScores, names: Sequence[str]) -> ItemScores:
    """The ratings of some annotators."""
    indices = [index for index, name in enumerate(scores.measures) if name in names]
    measures = tuple(scores.measures[index] for index in indices)
    directions = tuple(scores.directions[index] for index in indices)
    return replace(scores, values=scores.values[indices], measures=measures, directions=directions)


def names_of_values(study: AgreementStudy, values: Floats) -> dict[float, str] | None:
    """The labels of values; None where two classes have one value."""
    if study.scale is None:
        return {value: f"{value:g}" for value in values.tolist()}
    numbers = class_values(study.scale).tolist()
    return dict(zip(numbers, study.scale.labels, strict=True)) if len({*numbers}) == len(numbers) else None
