"""The study of this analysis: scores of a judge on all items, and of people on some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from metaeval.analyses.agreement.settings import AgreementSettings
from metaeval.analyses.agreement.sides import sides_of
from metaeval.arrays import Floats, Indices
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import (
    Gathered,
    InputError,
    UnknownName,
    ambiguous,
    did_you_mean,
    empty,
    invalid,
    missing_column,
    not_given,
    one_of,
    pluralize,
    refuse,
    setting,
    shortened,
)
from metaeval.inference.clusters import cluster_codes
from metaeval.io.files.columns import (
    UNKNOWN,
    USABLE,
    Read,
    TableColumns,
    code_reader,
    is_written_otherwise,
    read_numbers,
)
from metaeval.io.files.roles import GROUP, HUMAN, ITEM, JUDGE, SYSTEM
from metaeval.io.files.run_files import EVERY_SYSTEM, SystemChoice, files_of_scores
from metaeval.io.groups import values_by_item
from metaeval.io.labels.columns import Renaming
from metaeval.io.scores.cells import REPLICATE_MARK, SCORES, Form
from metaeval.io.scores.table import read_ratings
from metaeval.judges.correct.settings import CorrectSettings
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ItemScores
from metaeval.names import names_text
from metaeval.stats.intervals import defined_mean
from metaeval.study.read import clusters_of_column
from metaeval.study.runs import scale_of
from metaeval.study.study import AnalysedTables, Progress, Sources


@dataclass(frozen=True)
class CorrectStudy(AnalysedTables):
    """Scores of N items of S systems; NaN where there is none.

    judge, human: (S, N); a human score is used where there is one of the judge. clusters: of the items, (N,). cluster:
    what one and several of them are called. items: their names. files: number of files of scores. words: the classes of
    scores that are words, the better one last; () for numbers. runs: scores of each repeated run of the judge, whose
    means are `judge`, (R, S, N). levels: the study of each level of a column of groups. keys: of the clusters, the same
    in all levels.
    """

    systems: tuple[str, ...]
    judge: Floats
    human: Floats
    clusters: Indices
    cluster: tuple[str, str]
    items: tuple[str, ...] = ()
    files: int = 1
    words: tuple[str, ...] = ()
    runs: Floats = field(default_factory=lambda: np.empty((0, 0, 0)))
    levels: Mapping[str, CorrectStudy] = field(default_factory=dict)
    keys: tuple[int, ...] = ()

    def on_items(self, items: Indices) -> CorrectStudy:
        """The study of some of the items, as of a file of their own: without systems that have no scores on them."""
        judge = self.judge[:, items]
        systems = np.flatnonzero(~np.isnan(judge).all(axis=1))
        return replace(
            self,
            systems=tuple(self.systems[system] for system in systems.tolist()),
            judge=judge[systems],
            human=self.human[np.ix_(systems, items)],
            clusters=cluster_codes([*map(str, self.clusters[items])]),
            items=tuple(self.items[item] for item in items.tolist()),
            runs=self.runs[:, systems][:, :, items] if self.runs.size else self.runs,
            keys=tuple(dict.fromkeys(self.clusters[items].tolist())),
        )

    @property
    def independent(self) -> bool:
        """Whether every item is a cluster of its own."""
        return not self.origin.clusters

    @cached_property
    def categories(self) -> bool:
        """Whether the scores of runs of the judge are labels or whole numbers."""
        scores = self.runs[~np.isnan(self.runs)]
        return bool(self.words) or bool((scores == np.rint(scores)).all())

    @cached_property
    def two_classes(self) -> bool:
        """Whether all scores are 0 or 1."""
        return _are_among(self.judge, (0, 1)) and _are_among(self.human, (0, 1))

    @cached_property
    def bounded(self) -> bool:
        """Whether the human scores are 0, 1 and ties, so that their mean is a share; equal ones may be numbers."""
        if np.isnan(self.human).all() or not _are_among(self.human, (0, 0.5, 1)):
            return False
        vary = np.nanmin(self.human) < np.nanmax(self.human)
        return bool(vary or (np.nanmin(self.judge) >= 0 and np.nanmax(self.judge) <= 1))

    @property
    def mean(self) -> str:
        """What a mean is called."""
        if len(self.words) == 3:
            return f"rate of '{self.words[-1]}'"
        return f"share of '{self.words[-1]}'" if self.words else "mean"

    @property
    def contents(self) -> str:
        """What the tables contain."""
        judge_scores, human_scores = (int((~np.isnan(array)).sum()) for array in (self.judge, self.human))
        scores = f"{pluralize(judge_scores, 'score')} of a judge and {pluralize(human_scores, 'human score')}"
        return f"{scores} of {pluralize(len(self.systems), 'system')}"

    def settings(self) -> list[tuple[str, object]]:
        """The fields of the signature."""
        settings, data = self.config.settings_of(CorrectSettings), self.config.data
        width = settings.interval_width
        return [
            ("files", self.files),
            ("systems", len(self.systems)),
            ("items", self.judge.shape[1]),
            ("human", int((~np.isnan(self.human)).sum())),
            ("labels", str(scale_of(settings.labels) or data.labels or "")),
            ("map-labels", names_text(settings.map_labels or data.map_labels or {})),
            ("clusters", settings.clusters),
            ("group", settings.group),
            ("replicates", settings.replicates),
            ("exclude-systems", ",".join(settings.exclude_systems)),
            ("sampled-by", settings.sampled_by),
            ("label", settings.label),
            ("interval-width", "" if width is None else f"{width:g}"),
            ("seed", self.config.seed),
        ]


def read(config: ExperimentConfig, settings: CorrectSettings, *, progress: Progress) -> CorrectStudy:
    """Read the tables; scores of people without one of the judge are left out, with a note."""
    data = config.data.overlaid(
        id_column=settings.id_column,
        labels=scale_of(settings.labels),
        map_labels=settings.map_labels,
        exclude_systems=settings.exclude_systems,
    )
    columns = () if settings.clusters is None else (settings.clusters,)
    if not settings.scores:
        raise refuse(config.file.path if config.file else None, not_given("table of scores", "scores"))
    declared = data.labels
    data, names, notes = _columns(replace(data, clusters=columns, human=settings.scores), settings)
    renaming = Renaming(data.map_labels)
    scale = data.labels
    reader = partial(
        read_ratings,
        settings.scores,
        lower_is_better=(),
        columns=replace(data.columns, label=None, replicates=settings.replicates),
        progress=progress,
        form=_form(scale).renamed(renaming),
        open_file=data.open,
        choice=data.systems if settings.replicates is None else EVERY_SYSTEM,
    )
    try:
        dataset = reader(measures=names)
    except UnknownName as error:
        if error.name != names[1] or settings.label is None or settings.human_column is not None:
            raise _no_column(error, names, settings) from None
        # People have not scored anything yet.
        dataset = reader(measures=names[:1])
    renaming.check()
    scores = dataset.runs
    judge = scores.values[scores.measures.index(names[0])]
    human = np.full(judge.shape, np.nan)
    if names[1] in scores.measures:
        human = scores.values[scores.measures.index(names[1])]
    systems, runs = scores.systems, np.empty((0, 0, 0))
    if settings.replicates is not None:
        systems, runs, human, more = _averaged(scores, judge, human, data.systems)
        judge, notes = defined_mean(runs), (*notes, *more)
    items = scores.items
    origin, clusters, cluster = Sources.of(dataset), np.arange(len(items)), ("item", "items")
    without = np.isnan(judge)
    unjudged = int((without & ~np.isnan(human)).sum())
    if unjudged:
        notes = (*notes, f"{pluralize(unjudged, 'human score')} without one of the judge: not used")
    human = np.where(without, np.nan, human)
    for column in columns:
        grouping, file = clusters_of_column(data, column, items, partial(data.open, settings.scores[0], "clusters"))
        clusters, name = grouping.item_codes, grouping.column
        cluster = f"cluster of {name}", f"clusters of {name}"
        origin = replace(origin, clusters=(grouping,), files=(*origin.files, *filter(None, [file])))
    origin = replace(origin, notes=(*origin.notes, *notes))
    if scale is not None and declared is None and len(systems) > 1:
        found = f"systems that are ranked by the labels {scale}"
        hint = f"declare them, the better one last, as in {setting('labels', '<'.join(scale.labels))}"
        raise refuse(None, found, "an order of the labels", hint, kind="missing")
    study = CorrectStudy(
        config=config,
        origin=origin,
        files=len(dataset.files),
        systems=systems,
        judge=judge,
        human=human,
        clusters=clusters,
        cluster=cluster,
        items=items,
        words=() if scale is None else scale.labels,
        runs=runs,
    )
    levels = _items_by_level(data, settings, items)
    return replace(study, levels={level: study.on_items(level_items) for level, level_items in levels.items()})


def _averaged(
    scores: ItemScores, judge: Floats, human: Floats, choice: SystemChoice
) -> tuple[tuple[str, ...], Floats, Floats, tuple[str, ...]]:
    """The systems, the scores of each run of the judge, (R, S, N), the human scores, (S, N), and notes.

    judge, human: scores of each run of a system, whose name ends with that of the run. A human score is the same in
    all runs, or in one of them.
    """
    parts = [name.rpartition(REPLICATE_MARK) for name in scores.systems]
    every = tuple(dict.fromkeys(system for system, _, _ in parts))
    subset = choice.of(every)
    systems, names = tuple(name for name in every if name in subset), list(dict.fromkeys(run for _, _, run in parts))
    runs, people = np.full((2, len(names), len(systems), len(scores.items)), np.nan)
    for row, (system, _, run) in enumerate(parts):
        if system in subset:
            runs[names.index(run), systems.index(system)] = judge[row]
            people[names.index(run), systems.index(system)] = human[row]
    lowest, highest = np.fmin.reduce(people, axis=0), np.fmax.reduce(people, axis=0)
    if len(differing := np.argwhere(lowest < highest)):
        system, item = differing[0].tolist()
        values = f"{lowest[system, item]:g} and {highest[system, item]:g}"
        found = f"human scores {values} of item '{shortened(scores.items[item])}' in two runs of the judge"
        raise refuse(None, found, "the same in all runs", "correct them, or leave all but one empty", kind="conflict")
    return systems, runs, lowest, choice.notes(every)


def _items_by_level(data: DataConfig, settings: CorrectSettings, items: Sequence[str]) -> dict[str, Indices]:
    """The items of each level of the column of groups; empty without one."""
    if settings.group is None:
        return {}
    level_of: dict[str, str] = {}
    for file in files_of_scores(settings.scores)[0]:
        table = TableColumns.read(data.open(file.path, "scores"), data.id_column, settings.group)
        for item, level in values_by_item(table, settings.group, GROUP, data.id_column).items():
            if not level:
                hint = "fill the column, or name another one"
                raise refuse((table.path, 1), empty("group", f"one of item '{shortened(item)}'", hint))
            if level_of.setdefault(item, level) != level:
                where = f" for item '{shortened(item)}'"
                raise refuse((table.path, 1), invalid("group", level, f"'{level_of[item]}', as before", where))
    levels = np.array([level_of[item] for item in items])
    return {level: np.flatnonzero(levels == level) for level in dict.fromkeys(levels.tolist())}


def _columns(data: DataConfig, settings: CorrectSettings) -> tuple[DataConfig, tuple[str, str], tuple[str, ...]]:
    """The data, the columns of the judge and of people in it, and notes on them."""
    options = settings.judge_column, settings.human_column
    if options[0] is not None and options[0] == options[1]:
        found = f"{setting('judge_column', options[0])} and {setting('human_column', options[0])}"
        raise refuse(None, found, "two columns", "name the column of each", kind="conflict")
    table, problems = None, Gathered()
    with problems.errors():
        table = TableColumns.read(data.open(_first_path(settings), "scores"), data.id_column)
    header = table.header if table else ()
    id_columns = {*ITEM.among(header), *SYSTEM.among(header)}
    judge, human = (
        name or next(iter(role.among(header, id_columns)), role.names[0])
        for name, role in zip(options, (JUDGE, HUMAN), strict=True)
    )
    is_plain = {judge, human} <= {*header} and bool(data.id_column or ITEM.among(header))
    if table and is_plain and (data.labels is not None or not _are_words(table.rows.column(judge))):
        return data, (judge, human), ()
    if (options[0] is None) == (options[1] is None):
        judges, humans = (() if name is None else (name,) for name in options)
        columns = tuple(name for name in (*data.clusters, settings.group, settings.replicates) if name is not None)
        sides = sides_of(replace(data, clusters=columns), AgreementSettings(judges=judges, humans=humans))
        for names, option in ((tuple(sides.judges), "judge_column"), (sides.humans, "human_column")):
            if len(names) > 1:
                raise refuse((_first_path(settings), 1), ambiguous(names[0], names[1], option))
        if sides.judges:
            return replace(sides.data, clusters=data.clusters), (next(iter(sides.judges)), sides.humans[0]), sides.notes
    return data, (judge, human), ()


def _first_path(settings: CorrectSettings) -> str:
    """The path of the first file of scores, which refusals of columns name."""
    return files_of_scores(settings.scores)[0][0].path


def _are_words(texts: Sequence[str]) -> bool:
    """Whether no cell with a score has a number, even one that is written otherwise, as 50 %."""
    cells = list(filter(None, texts))
    are_unknown = bool(cells) and bool((read_numbers(cells)[1] == UNKNOWN).all())
    return are_unknown and not any(map(is_written_otherwise, cells))


def _form(scale: ClassScale | None) -> Form:
    """How the cells are read: as numbers, or as two classes, 0 and 1."""
    words = f"declare scores that are words of two classes, as in {setting('labels', 'no<yes')}"
    remedy = f"correct them, or leave cells without a score empty; {words}"
    if scale is None:
        return replace(SCORES, role="scores", remedy=remedy)
    if len(scale) != 2 and not (len(scale) == 3 and scale.ordered):
        found = f"{pluralize(len(scale), 'class', 'classes')}: {scale}"
        tie = f"declare a tie between two classes, as {setting('labels', 'loss<tie<win')}"
        hint = f"write ordered classes as numbers, or {tie}"
        raise refuse(None, found, "two classes", hint, kind="count")
    codes_of = code_reader(scale)

    def read(texts: Sequence[str]) -> Read:
        codes, states = codes_of(texts)
        return np.where(states == USABLE, codes / (len(scale) - 1), np.nan), states

    remedy = f"correct them, leave cells without a label empty, or declare other classes in {setting('labels')}"
    return replace(SCORES, role="scores", read=read, expected=one_of(scale.labels), remedy=remedy)


def _are_among(scores: Floats, values: Sequence[float]) -> bool:
    return bool((np.isnan(scores) | np.isin(scores, values)).all())


def _no_column(error: UnknownName, names: Sequence[str], settings: CorrectSettings) -> InputError:
    option = "judge_column" if error.name == names[0] else "human_column"
    hint = did_you_mean(error.name, error.known) or f"name the column with {setting(option)}"
    path = _first_path(settings)
    return refuse((path, 1), missing_column(error.known, error.name, hint))
