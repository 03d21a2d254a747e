"""The study, which every analysis reads: a data set with its measures, and the reports about it."""

from __future__ import annotations

import platform
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from metaeval.config import DEFAULT_MEMORY, DataConfig, ExperimentConfig
from metaeval.errors import InputError, none_left, not_given, pluralize, refuse, setting, unknown
from metaeval.inference.clusters import Clusters
from metaeval.io.dataset import Dataset
from metaeval.io.files.roles import LABEL, REFERENCE_TEXT
from metaeval.io.files.run_files import split_name
from metaeval.io.files.source import SourceFiles
from metaeval.io.texts.rows import has_both
from metaeval.measures.plugin_calls import Plugin
from metaeval.measures.spec import Measure
from metaeval.model.report import AnalysisOutput as AnalysisOutput
from metaeval.model.report import (
    Cell,
    Column,
    Kind,
    Note,
    Provenance,
    Report,
    SourceFile,
    Table,
    as_notes,
    count,
    on_input,
    signature,
    table,
    text,
)
from metaeval.model.runs import ClassRuns, DerivationRuns, DistributionRuns, NumericRuns, TextRuns
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.model.works import METAEVAL, WORKS, cite
from metaeval.names import matches, names_text
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.resamples import Samples
from metaeval.settings import AnalysisSettings
from metaeval.steps import Progress as Progress
from metaeval.steps import no_progress as no_progress
from metaeval.study.capabilities import Capability
from metaeval.study.task import header_of
from metaeval.version import __version__

if TYPE_CHECKING:
    from metaeval.inference.pairs import Evidence
    from metaeval.inference.parts import Signs


T = TypeVar("T")

_WITH_SCORES = ("score", "run")
"""The commands whose reports hold the table of scores, and in it trivial systems."""


MOST_SECONDS = 30
"""Seconds of estimated work above which data are refused."""


def refuse_long_work(nanoseconds: float, found: str, hint: str) -> None:
    """Refuse data with an estimate of more than half a minute of work; found: the data. hint: how to make them less."""
    if nanoseconds > MOST_SECONDS * 1e9:
        found = f"{found}: about {max(1, round(nanoseconds / 6e10)):,} min of work"
        raise refuse(None, found, f"work of at most {MOST_SECONDS} s", hint)


@dataclass(frozen=True)
class Sources:
    """Where the data of a study come from; see `io.dataset.Dataset`."""

    paths: tuple[str, ...]
    files: tuple[SourceFile, ...]
    repairs: Mapping[str, int]
    notes: tuple[Note | str, ...]
    clusters: tuple[Clusters, ...] = ()

    @classmethod
    def of(cls, dataset: Dataset[object], more: Sequence[str] = ()) -> Sources:
        """The sources of a data set; more: further notes."""
        return cls(dataset.paths, dataset.files, dataset.repairs, (*dataset.notes, *more), dataset.clusters)


def plugins_of(measures: Iterable[Measure]) -> tuple[Plugin, ...]:
    """The plugins that declare some of these measures."""
    plugins = (measure.declaration.plugin for measure in measures)
    return tuple(dict.fromkeys(plugin for plugin in plugins if plugin is not None))


def versions_used() -> dict[str, str]:
    """The versions of what computes results, for their provenance."""
    # The metadata of SciPy has its version without the time that its import takes.
    return {"python": platform.python_version(), "numpy": np.__version__, "scipy": version("scipy")}


def report_of(
    command: str,
    output: AnalysisOutput,
    settings: Sequence[tuple[str, object]],
    origin: Sources,
    *,
    command_line: str,
    measures: Iterable[Measure] = (),
    title: str | None = None,
) -> Report:
    """A report with its signature and provenance.

    settings: names and values of the fields of the signature; those without a value, None or '', are left out.
    """
    measures = tuple(measures)
    plugins = plugins_of(measures)
    every = [*settings, ("plugins", ",".join(map(str, plugins)))]
    settings = [(name, value) for name, value in every if value not in (None, "")]
    files = [SourceFile(plugin.path, "plugin", plugin.sha256) for plugin in plugins]
    return Report(
        command,
        signature(__version__, settings),
        tuple(output.tables),
        as_notes([*on_input(origin.notes), *output.notes]),
        Provenance(
            __version__,
            command_line,
            files=tuple(dict.fromkeys((*origin.files, *files, *output.files))),
            versions=versions_used(),
            settings=dict(settings),
            repairs=origin.repairs,
            titles={str(measure): measure.title for measure in measures},
            sources={str(measure): measure.declaration.source for measure in measures},
            measures={str(measure): measure.signature for measure in measures},
            title=title or "",
        ),
        findings=tuple(output.findings),
        methods=tuple(output.methods),
    )


def with_invalid_runs(
    command: str, output: AnalysisOutput, data: DataConfig, systems: Collection[str]
) -> AnalysisOutput:
    """The output with a table of the invalid runs that are left out, after its first one; systems: the others."""
    if not data.invalid or command == "audit":  # its main table lists them
        return output
    names = [run.system for run in data.invalid]
    rejected = table(
        "rejected",
        "Invalid runs that are left out",
        text("system", names),
        text("file", [run.file for run in data.invalid]),
        count("problems", [run.problems for run in data.invalid]),
        text("reason", [run.reason for run in data.invalid], about="the first problem"),
    )
    number = pluralize(len(names) + len(systems), "run")
    sentence = (
        f"{len(names):,} of {number} {'is' if len(names) == 1 else 'are'} left out as invalid: {', '.join(names)}"
    )
    tables = (*output.tables[:1], rejected, *output.tables[1:])
    return output._replace(tables=tables, notes=(Note(sentence, on_input=True), *output.notes))


def signature_fields(
    config: ExperimentConfig, sections: Sequence[AnalysisSettings], *, trivial: bool, clusters: Sequence[str] = ()
) -> list[tuple[str, str | int]]:
    """Names and values in the order of the signature; defaults have no value.

    sections: the settings of the analyses; with several, each field is prefixed with the name of its analysis.
    trivial: whether trivial systems were scored. clusters: the columns of clusters of the items, named or not.
    """
    data = config.data
    optional: dict[str, str] = {
        "only-systems": ",".join(data.only_systems),
        "exclude-systems": ",".join(data.exclude_systems),
        "exclude-measures": ",".join(data.exclude_measures),
        "skip-invalid": ",".join(run.system for run in data.invalid),
        "map-labels": names_text(data.map_labels or {}),
        "drop-gold": ",".join(data.drop_gold),
        "on-missing": str(data.on_missing) if data.on_missing.action != "error" else "",
        "on-unknown": str(data.on_unknown) if data.on_unknown.action != "error" else "",
        "on-extra": data.on_extra if data.on_extra != "error" else "",
        "clusters": ",".join(data.clusters or clusters) if any(section.uses_clusters for section in sections) else "",
        "undefined": config.undefined if config.undefined != "skip" else "",
        "trivial": "yes" if trivial else "",
        # A smaller block draws its trials from other seeds.
        "memory": str(config.block_memory) if sections and config.block_memory < DEFAULT_MEMORY else "",
    }
    analyses = [
        (f"{section.section}.{name}" if len(sections) > 1 else name, value)
        for section in sections
        for name, value in section.signature()
    ]
    return [*optional.items(), ("seed", config.seed), *analyses]


@dataclass(frozen=True)
class AnalysedTables(ABC):
    """The tables that an analysis reads by itself, and the measures that it computes of them."""

    config: ExperimentConfig
    origin: Sources
    measures: tuple[Measure, ...] = field(default=(), kw_only=True)

    @property
    @abstractmethod
    def contents(self) -> str:
        """What the tables contain, in words."""

    @abstractmethod
    def settings(self) -> list[tuple[str, object]]:
        """The fields of the signature."""

    def report(
        self, command: str, output: AnalysisOutput, *, command_line: str, sections: Sequence[AnalysisSettings] = ()
    ) -> Report:
        """A report with the signature and the provenance of these tables."""
        return report_of(
            command, output, self.settings(), self.origin, command_line=command_line, measures=self.measures
        )


@dataclass(frozen=True)
class HumanScores:
    """Ratings of a study's systems, in its order.

    ratings: (H, S, N), one 'measure' per rater or set of ratings; NaN where a rating is missing. N is 1 where systems
    were rated as a whole. by_item: whether they are ratings of the study's items. files, notes: see
    `io.dataset.Dataset`.
    """

    ratings: ItemScores
    by_item: bool
    files: tuple[SourceFile, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Weightings:
    """Weights of the classes by weighting and class, and the file that they were read from."""

    by_name: Mapping[str, Mapping[str, float]]
    files: SourceFiles


@dataclass(eq=False)
class Cache:
    """What is read or computed once for all analyses of a study.

    evidence: by the number of permutations. signs: by grouping and the numbers of its groups and of permutations.
    weightings: by file. human: see `study.human.human_scores_of`.
    """

    evidence: dict[int, tuple[Evidence, ...]] = field(default_factory=dict)
    signs: dict[tuple[int, int, int], Signs] = field(default_factory=dict)
    weightings: dict[str, Weightings] = field(default_factory=dict)
    human: HumanScores | None = None


@dataclass(frozen=True)
class Study(ABC):
    """A data set and the measures it is scored with; none where scores were read."""

    config: ExperimentConfig
    origin: Sources
    measures: tuple[Measure, ...]
    cache: Cache = field(default_factory=Cache, init=False, repr=False, compare=False)

    @property
    @abstractmethod
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of all arrays and tables."""

    @property
    @abstractmethod
    def items(self) -> Sequence[str]:
        """The ids of the items; their numbers where ids were not stored."""

    @property
    @abstractmethod
    def measure_names(self) -> tuple[str, ...]:
        """The measures, as users write them."""

    @property
    @abstractmethod
    def scores(self) -> ScoreCube:
        """Every system under every measure, (M, S); computed once for all analyses."""

    @property
    def has_gaps(self) -> bool:
        """Whether systems lack scores of items, so that comparisons use the cells that both sides have."""
        return False

    @property
    def has_repeated_runs(self) -> bool:
        """Whether scores are means over several runs of a system."""
        return False

    @property
    def has_random_runs(self) -> bool:
        """Whether each system has enough repeated runs for tests about other runs."""
        return False

    @abstractmethod
    def samples(self, what: str) -> Samples:
        """The items, to be resampled; an `InputError` where samples cannot be scored. what: what needs them."""

    def check_measures(self) -> None:  # noqa: B027 (nothing is the rule)
        """Raise an `InputError` where a measure cannot be computed on these data, and reading did not check it."""

    @abstractmethod
    def files_table(self) -> Table:
        """Table `files`: gold and each system with its file and its contents."""

    @abstractmethod
    def settings(self) -> list[tuple[str, str]]:
        """The fields of the signature that only this kind of study has."""

    def provided(self) -> Collection[Capability[Any]]:
        """The capabilities of this study, each of which is an attribute."""
        return ()

    def has(self, capability: Capability[Any]) -> bool:
        """Whether this study has a capability, which is not computed yet."""
        return capability in self.provided()

    def find(self, capability: Capability[T]) -> T | None:
        """The value of a capability; None where this study lacks it."""
        value: T | None = getattr(self, capability.attribute) if self.has(capability) else None
        return value

    def need(self, capability: Capability[T], what: str) -> T:
        """The value of a capability; an `InputError` where this study lacks it. what: the analysis that needs it."""
        value = self.find(capability)
        if value is None:
            raise self.missing(capability, what)
        return value

    def missing(self, capability: Capability[Any], what: str) -> InputError:
        """The error of a capability that this study lacks."""
        return capability.missing(what, self.config.data.task)

    def report(
        self, command: str, output: AnalysisOutput, *, command_line: str, sections: Sequence[AnalysisSettings] = ()
    ) -> Report:
        """A report with the signature and the provenance of this study; sections: the settings of its analyses."""
        config = (self.config.file,) if self.config.file else ()
        trivial = self.config.scores_trivial and command in _WITH_SCORES
        clusters = [grouping.column for grouping in self.origin.clusters]
        head = [("task", self.config.data.task), ("n", len(self.items)), ("systems", len(self.systems))]
        settings = [
            *head,
            *self.settings(),
            *signature_fields(self.config, sections, trivial=trivial, clusters=clusters),
        ]
        origin = replace(self.origin, files=(*self.origin.files, *config))
        if output.methods:
            output = output._replace(methods=(self.methods_of_data, *output.methods))
        if self.config.data.member is None:
            output = with_invalid_runs(command, output, self.config.data, self.systems)
        title = self.config.title
        return report_of(
            command, output, settings, origin, command_line=command_line, measures=self.measures, title=title
        )

    @property
    def methods_of_data(self) -> str:
        """A sentence for a paper on the data and the measures."""
        systems, items = pluralize(len(self.systems), "system"), pluralize(len(self.items), "item")
        names, software = cited_measures(self.measure_names, self.measures), f"metaeval {__version__} {cite(METAEVAL)}"
        return f"We scored {systems} on {items} (task {self.config.data.task}) with {software} under {names}."


Analysed: TypeAlias = Study | AnalysedTables
"""What an analysis computes with."""


def cited_measures(names: Sequence[str], measures: Iterable[Measure]) -> str:
    """The names of measures, with citations; the source of a plugin may be a reference instead of a key."""
    sources = {str(measure): measure.declaration.source for measure in measures if measure.declaration.source}
    citations = {name: cite(source) if source in WORKS else f"({source})" for name, source in sources.items()}
    return ", ".join(f"{name} {citations[name]}" if name in citations else name for name in names)


def required_gold(config: ExperimentConfig, what: str) -> str:
    """The path of gold; an `InputError` where there is none. what: gold contains, as 'gold labels'."""
    if config.data.gold is None:
        problem = not_given(what, "gold")
        if config.data.runs and config.data.task == DataConfig().task:
            header = header_of(split_name(config.data.runs[0])[1])
            has_texts = has_both(header, config.data.columns)
            remedy = f"set {setting('task', 'texts' if has_texts else 'table')}"
            remedy += " for texts in one file" if has_texts else " for scores of items"
            columns = (REFERENCE_TEXT if has_texts else LABEL).among(header)
            if columns and len(header) > 2 and config.data.gold_column is None:
                remedy += f", or {setting('gold_column', columns[0])} for labels in one file"
            problem = replace(problem, hint=f"{problem.hint}, or {remedy}")
        raise refuse(config.file.path if config.file else None, problem)
    return config.data.gold


FATES = {"skip": "left out of rankings", "last": "ranked last", "zero": "ranked as scores of 0"}
"""What becomes of undefined scores, by the setting `undefined`."""


def undefined_notes(study: Study, cube: ScoreCube | None = None, *, of: str = "system") -> list[str]:
    """A note for each measure that is undefined for some system that is ranked.

    cube: scores of systems, by default those of the study. of: what they are of.
    """
    return _count_undefined(study.scores if cube is None else cube, FATES[study.config.undefined], of)


def undefined_scores_notes(
    study: Study, undefined: Iterable[int], scores: int, where: str, *, of: str = "scores"
) -> list[str]:
    """A note for each measure with undefined scores that are not shown; where: such as 'of halves'.

    undefined: their number under each measure. scores: number of all scores under a measure. of: what they are.
    """
    return [
        f"{name}: {number:,} of {scores:,} {of} {where} are undefined, {FATES[study.config.undefined]}"
        for name, number in zip(study.measure_names, undefined, strict=True)
        if number
    ]


def untested_notes(study: Study, what: str) -> list[str]:
    """A note for each measure that is undefined for some system that is left out; what: of what."""
    notes = _count_undefined(study.scores, f"left out of {what}", "system")
    return notes + not_ranked_notes(study, "differences from an undefined score are undefined")


def not_ranked_notes(study: Study, rule: str) -> list[str]:
    """A note on undefined scores that the setting `undefined` does not change; rule: what becomes of them."""
    policy = study.config.undefined
    if policy == "skip" or not study.scores.undefined.any():
        return []
    return [f"{setting('undefined', policy)} is of rankings only: {rule}"]


def _count_undefined(cube: ScoreCube, fate: str, of: str) -> list[str]:
    return [
        f"{name} is undefined (—) for {undefined} of {pluralize(len(cube.systems), of)}, {fate}"
        for name, undefined in zip(cube.measures, cube.undefined.tolist(), strict=True)
        if undefined
    ]


def check_rankable(study: Study) -> None:
    """Raise an `InputError` where there are fewer than two systems, or a measure cannot be computed."""
    study.check_measures()
    if len(study.systems) < 2:
        data, hint = study.config.data, "name the runs of other systems"
        if data.only_systems or data.exclude_systems:
            hint = f"change {setting('only_systems')} or {setting('exclude_systems')}"
        elif data.task == "table":
            hint = "add the scores of other systems, in the column 'system' or in a file for each system"
        found = f"one system ({study.systems[0]})" if study.systems else "no system"
        expected = "at least two, which are ranked and compared"
        raise refuse(data.gold or next(iter(data.runs), None), found, expected, hint)


def without_excluded(measures: Sequence[T], patterns: Sequence[str]) -> tuple[T, ...]:
    """Measures, or their names, but those that match a pattern; none left, or a pattern of none, is an `InputError`."""
    for pattern in patterns:
        if not any(matches(str(measure), [pattern]) for measure in measures):
            raise refuse(None, unknown(setting("exclude_measures"), pattern, list(map(str, measures))))
    left = tuple(measure for measure in measures if not matches(str(measure), patterns))
    if measures and not left:
        excluded = setting("exclude_measures", ",".join(patterns))
        raise refuse(None, none_left("measure", f"they are {', '.join(map(str, measures))}", f"change {excluded}"))
    return left


_HEAD = (Column("system"), Column("file"), Column("items", Kind.COUNT))


def _files_table(
    study: Study, title: str, columns: Sequence[Column], cells: Sequence[Sequence[Cell]], *, gold: str = ""
) -> Table:
    """Table `files` with further columns; cells: of these, by row. gold: what heads the first row, if gold has one."""
    files = list(zip(study.systems, study.origin.paths, strict=True))
    if gold:
        files.insert(0, (gold, str(study.config.data.gold)))
    rows = ((*file, len(study.items), *row) for file, row in zip(files, cells, strict=True))
    return Table("files", title, (*_HEAD, *columns), tuple(rows))


def _class_columns(labels: Iterable[str], kind: Kind) -> list[Column]:
    reserved = [column.name for column in _HEAD]
    return [Column(f"class {label}" if label in reserved else label, kind) for label in labels]


def _fit_together(study: Study) -> str:
    return f" and {pluralize(len(study.systems), 'system')} fit together" if study.systems else " alone"


def table_of_scores(study: Study) -> Table:
    """The measures of a table of scores."""
    systems, names = study.systems, study.measure_names
    title = f"Scores of {pluralize(len(systems), 'system')} under {pluralize(len(names), 'measure')}"
    return _files_table(study, title, [Column("measures")], [[", ".join(names)] for _ in systems])


def table_of_labels(study: Study, runs: ClassRuns) -> Table:
    """How often each class occurs."""
    gold = np.pad(runs.gold_frequencies, (0, runs.scale.codes - len(runs.scale)))
    cells = [gold.tolist(), *counts_of(runs).sum(axis=1).tolist()]
    title = f"Gold{_fit_together(study)}: how often each class occurs"
    return _files_table(study, title, _class_columns(runs.scale.predicted_labels, Kind.COUNT), cells, gold="gold")


def table_of_numbers(study: Study, runs: NumericRuns) -> Table:
    """The lowest, the mean and the highest number."""
    rows = [[float(numbers.min()), float(numbers.mean()), float(numbers.max())] for numbers in runs.predicted]
    beside = f" and {pluralize(len(rows), 'system')} of numbers" if rows else " alone"
    columns = [Column(name, Kind.SCORE) for name in ("lowest", "mean", "highest")]
    frequencies = zip(runs.scale.labels, runs.gold_frequencies.tolist(), strict=True)
    title = f"Gold ({', '.join(f'{label} {count}' for label, count in frequencies)}){beside}"
    return _files_table(study, title, columns, [[None, None, None], *rows], gold="gold")


def table_of_texts(study: Study, runs: TextRuns) -> Table:
    """How many texts, sentences and words there are."""
    cells = [
        [len(texts), int((texts.words_of_texts == 0).sum()), len(texts.lengths), len(texts.codes)]
        for texts in (runs.references, *runs.outputs)
    ]
    columns = [Column(name, Kind.COUNT) for name in ("texts", "empty", "sentences", "words")]
    return _files_table(study, f"References{_fit_together(study)}: texts", columns, cells, gold="references")


def table_of_derivations(study: Study, runs: DerivationRuns) -> Table:
    """How many derivations and steps there are."""
    references = [derivation for derivations in runs.references for derivation in derivations]
    cells = [
        [len(derivations), sum(not steps for steps in derivations), sum(map(len, derivations))]
        for derivations in (references, *runs.outputs)
    ]
    columns = [Column(name, Kind.COUNT) for name in ("derivations", "empty", "steps")]
    return _files_table(study, f"References{_fit_together(study)}: derivations", columns, cells, gold="references")


def table_of_distributions(study: Study, runs: DistributionRuns) -> Table:
    """The mean probability of each class."""
    cells = [runs.gold.mean(axis=0).tolist(), *runs.predicted.mean(axis=1).tolist()]
    title = f"Gold{_fit_together(study)}: share of each class"
    return _files_table(study, title, _class_columns(runs.scale.labels, Kind.SCORE), cells, gold="gold")
