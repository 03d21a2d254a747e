"""The study of this analysis: ratings of annotators, and of judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.agreement.judges import Judges, read_judges, split_judges
from metaeval.analyses.agreement.ratings import Ratings, form_of_ratings, ratings_of, read_files, scale_of_ratings
from metaeval.analyses.agreement.settings import AgreementSettings, Alignment
from metaeval.config import ExperimentConfig
from metaeval.errors import not_given, pluralize, refuse
from metaeval.model.report import AnalysisOutput, Report
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ItemScores
from metaeval.steps import Progress
from metaeval.study.read import clusters_of_column
from metaeval.study.runs import scale_of
from metaeval.study.study import Sources, report_of


@dataclass(frozen=True)
class AgreementStudy:
    """Ratings of annotators and judges; scale: of the ratings, if declared; alignment: of the test of judges."""

    config: ExperimentConfig
    origin: Sources
    ratings: Ratings
    judges: Judges | None
    scale: ClassScale | None
    alignment: Alignment

    @property
    def clusters(self) -> tuple[NDArray[np.intp], str, str]:
        """The cluster of each unit, (U,), and what one and several clusters are called; intervals leave out clusters.

        They are those of a column, items with all their cells, or systems.
        """
        ratings = self.ratings
        if ratings.whole_systems:
            return np.arange(len(ratings.systems)), "system", "systems"
        codes, one, several = np.arange(len(ratings.items)), "item", "items"
        for clusters in self.origin.clusters:
            assert clusters.codes is not None, "ratings are in memory"
            codes, one, several = clusters.codes, *(f"{noun} of {clusters.column}" for noun in ("cluster", "clusters"))
        return np.tile(codes, len(ratings.systems)), one, several

    @property
    def contents(self) -> str:
        """What the files contain."""
        contents = f"{self.ratings.size} by {pluralize(len(self.ratings.annotators), 'annotator')}"
        return contents if self.judges is None else f"{contents} and {pluralize(len(self.judges.names), 'judge')}"

    def report(
        self, command: str, part: AnalysisOutput, *, command_line: str, sections: Sequence[object] = ()
    ) -> Report:
        """A report with the signature and the provenance of these ratings."""
        settings, scale = self.config.settings_of(AgreementSettings), self.scale
        fields: list[tuple[str, str | int]] = [
            ("files", len(self.config.data.human)),
            ("annotators", len(self.ratings.annotators)),
            ("units", int((self.ratings.raters > 0).sum())),
            ("by", settings.by),
        ]
        if scale is not None:
            fields.append(("scale", str(scale)))
        if scale is not None and scale.values is not None:
            fields.append(("values", ",".join(f"{value:g}" for value in scale.values)))
        if settings.clusters:
            fields.append(("clusters", settings.clusters))
        fields.append(("seed", self.config.seed))
        if self.judges is not None:
            fields += [("judges", len(self.judges.names)), ("epsilon", f"{settings.epsilon:g}")]
            fields.append(("alignment", self.alignment))
        return report_of(command, part, fields, self.origin, command_line=command_line)


def read(config: ExperimentConfig, settings: AgreementSettings, *, progress: Progress) -> AgreementStudy:
    """Read the files of ratings, by default `config.data.human`, and those of the judges."""
    data = config.data.overlaid(
        id_column=settings.id_column,
        label_column=settings.label_column,
        labels=scale_of(settings.labels),
        class_values=settings.class_values,
    )
    columns = (settings.clusters,) if settings.clusters is not None else ()
    data = replace(data, clusters=columns, human=settings.ratings or data.human)
    if not data.human:
        raise refuse(config.file.path if config.file else None, not_given("file of ratings", "ratings"))
    scale = scale_of_ratings(data)
    form = form_of_ratings(scale, settings.annotator_column)
    files = read_files(data.human, data, form, progress=progress)
    named, judge_files = split_judges(settings.judges, files.runs.measures)
    ratings = ratings_of(_without(files.runs, named), scale, by=settings.by)
    judges = None
    sources = Sources.of(files)
    if settings.judges:
        judges = read_judges(named, judge_files, files.runs, data, form, by=settings.by, progress=progress)
        sources = replace(Sources.of(files, judges.notes), files=(*files.files, *judges.files))
    for column in data.clusters:
        own_table = partial(data.open, data.human[0], "clusters")
        clusters, file = clusters_of_column(data, column, ratings.items, own_table)
        sources = replace(sources, clusters=(clusters,), files=(*sources.files, *filter(None, [file])))
    numeric = ratings.ordered and (scale is None or scale.values is not None)
    alignment = settings.alignment or ("rmse" if numeric else "accuracy")
    config = replace(config, data=replace(config.data, human=data.human))
    return AgreementStudy(
        config=config, origin=sources, ratings=ratings, judges=judges, scale=scale, alignment=alignment
    )


def _without(scores: ItemScores, judges: Sequence[str]) -> ItemScores:
    """The ratings of the annotators who are not judges."""
    indices = [index for index, name in enumerate(scores.measures) if name not in judges]
    names = tuple(scores.measures[index] for index in indices)
    directions = tuple(scores.directions[index] for index in indices)
    return replace(scores, values=scores.values[indices], measures=names, directions=directions)
