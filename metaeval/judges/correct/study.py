"""The study of this analysis: scores of a judge on all items, and of people on some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.config import ExperimentConfig
from metaeval.errors import (
    InputError,
    UnknownName,
    did_you_mean,
    missing_column,
    not_given,
    one_of,
    pluralize,
    refuse,
    setting,
)
from metaeval.io.files.columns import USABLE, Read, code_reader
from metaeval.io.files.run_files import files_of_scores
from metaeval.io.labels.columns import Renaming
from metaeval.io.scores.cells import SCORES, Form
from metaeval.io.scores.table import read_ratings
from metaeval.judges.correct.settings import CorrectSettings, Method
from metaeval.model.report import AnalysisOutput, Report
from metaeval.model.scale import ClassScale
from metaeval.names import names_text
from metaeval.study.read import clusters_of_column
from metaeval.study.runs import scale_of
from metaeval.study.study import Progress, Sources, report_of


@dataclass(frozen=True)
class CorrectStudy:
    """Scores of N items of S systems; NaN where there is none.

    judge, human: (S, N); a human score is used where there is one of the judge. clusters: of the items, (N,). cluster:
    what one and several of them are called. files: number of files of scores.
    """

    config: ExperimentConfig
    origin: Sources
    systems: tuple[str, ...]
    judge: Floats
    human: Floats
    clusters: Indices
    cluster: tuple[str, str]
    method: Method
    files: int = 1

    @property
    def independent(self) -> bool:
        """Whether every item is a cluster of its own."""
        return not self.origin.clusters

    @property
    def contents(self) -> str:
        """What the tables contain."""
        judged, human = (int((~np.isnan(each)).sum()) for each in (self.judge, self.human))
        scores = f"{pluralize(judged, 'score')} of a judge and {pluralize(human, 'human score')}"
        return f"{scores} of {pluralize(len(self.systems), 'system')}"

    def report(
        self, command: str, part: AnalysisOutput, *, command_line: str, sections: Sequence[object] = ()
    ) -> Report:
        """A report with the signature and the provenance of these scores."""
        settings = self.config.settings_of(CorrectSettings)
        fields: list[tuple[str, str | int]] = [
            ("files", self.files),
            ("systems", len(self.systems)),
            ("items", self.judge.shape[1]),
            ("human", int((~np.isnan(self.human)).sum())),
            ("method", self.method),
        ]
        if self.config.data.labels is not None or settings.labels is not None:
            fields.append(("labels", str(scale_of(settings.labels) or self.config.data.labels)))
        if names := names_text(settings.map_labels or self.config.data.map_labels or {}):
            fields.append(("map-labels", names))
        if settings.clusters:
            fields.append(("clusters", settings.clusters))
        if settings.interval_width:
            fields.append(("interval-width", f"{settings.interval_width:g}"))
        return report_of(command, part, [*fields, ("seed", self.config.seed)], self.origin, command_line=command_line)


def read(config: ExperimentConfig, settings: CorrectSettings, *, progress: Progress) -> CorrectStudy:
    """Read the tables; scores of people without one of the judge are left out, with a note."""
    data = config.data.overlaid(
        id_column=settings.id_column, labels=scale_of(settings.labels), map_labels=settings.map_labels
    )
    columns = () if settings.clusters is None else (settings.clusters,)
    data = replace(data, clusters=columns)
    if not settings.scores:
        raise refuse(config.file.path if config.file else None, not_given("table of scores", "scores"))
    renaming = Renaming(data.map_labels)
    names = settings.judge_column, settings.human_column
    if names[0] == names[1]:
        found = f"{setting('judge_column', names[0])} and {setting('human_column', names[1])}"
        raise refuse(None, found, "two columns", "name the column of each", kind="conflict")
    try:
        dataset = read_ratings(
            settings.scores,
            measures=names,
            lower_is_better=(),
            columns=replace(data.columns, label=None),
            progress=progress,
            form=_form(data.labels).renamed(renaming),
            open_file=data.open,
            choice=data.systems,
        )
    except UnknownName as error:
        raise _no_column(error, settings) from None
    renaming.check()
    runs = dataset.runs
    judge, human = (runs.values[runs.measures.index(name)] for name in names)
    origin, clusters, cluster = Sources.of(dataset), np.arange(len(runs.items)), ("item", "items")
    without = np.isnan(judge)
    unjudged = int((without & ~np.isnan(human)).sum())
    notes = [f"{pluralize(unjudged, 'human score')} without one of the judge: not used"] if unjudged else []
    human = np.where(without, np.nan, human)
    for column in columns:
        of_column, file = clusters_of_column(
            data, column, runs.items, partial(data.open, settings.scores[0], "clusters")
        )
        assert of_column.codes is not None, "scores are in memory"
        clusters, name = of_column.codes, of_column.column
        cluster = f"cluster of {name}", f"clusters of {name}"
        origin = replace(origin, clusters=(of_column,), files=(*origin.files, *filter(None, [file])))
    origin = replace(origin, notes=(*origin.notes, *notes))
    method: Method = settings.method or ("rogan-gladen" if _is_binary(judge) and _is_binary(human) else "ppi")
    return CorrectStudy(
        config=config,
        origin=origin,
        files=len(dataset.files),
        systems=runs.systems,
        judge=judge,
        human=human,
        clusters=clusters,
        cluster=cluster,
        method=method,
    )


def _form(scale: ClassScale | None) -> Form:
    """How the cells are read: as numbers, or as two classes, 0 and 1."""
    words = f"declare scores that are words of two classes, as in {setting('labels', 'no<yes')}"
    remedy = f"correct them, or leave cells without a score empty; {words}"
    if scale is None:
        return replace(SCORES, role="scores", remedy=remedy)
    if len(scale) != 2:
        found = f"{setting('labels')} of {pluralize(len(scale), 'class', 'classes')}: {scale}"
        raise refuse(None, found, "two classes", "write ordered classes as numbers, without labels", kind="count")
    codes_of = code_reader(scale)

    def read(texts: Sequence[str]) -> Read:
        codes, states = codes_of(texts)
        return np.where(states == USABLE, codes, np.nan), states

    remedy = f"correct them, leave cells without a label empty, or declare other classes in {setting('labels')}"
    return replace(SCORES, role="scores", read=read, expected=one_of(scale.labels), remedy=remedy)


def _is_binary(scores: Floats) -> bool:
    return bool((np.isnan(scores) | (scores == 0) | (scores == 1)).all())


def _no_column(error: UnknownName, settings: CorrectSettings) -> InputError:
    option = "judge_column" if error.name == settings.judge_column else "human_column"
    hint = did_you_mean(error.name, error.known) or f"name the column with {setting(option)}"
    path = files_of_scores(settings.scores)[0][0].path
    return refuse((path, 1), missing_column(error.known, error.name, hint))
