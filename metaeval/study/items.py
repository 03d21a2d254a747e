"""Studies with a score for every item: texts and derivations against references, and tables of scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.arrays import Floats, Indices
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import UnknownName, conflict, empty, name_in_use, refuse, repeated, setting
from metaeval.inference.gaps import GapParts
from metaeval.inference.parts import Parts
from metaeval.io.dataset import Dataset, Progress
from metaeval.io.files.source import open_source
from metaeval.io.labels.tasks import Task
from metaeval.measures import Measure, all_of, preset, select_measures
from metaeval.measures import measure as parse_measure
from metaeval.measures.distributions import is_run_level
from metaeval.measures.presets import CANDIDATES, check_measure_names
from metaeval.measures.statistics import (
    Derived,
    check_directions,
    derive,
    derived_of_plugin,
    parse_f_score,
    parse_ratio,
    statistics_of,
)
from metaeval.measures.text.lexicons import is_lexicon_file
from metaeval.measures.text.spec import needs_lexicon
from metaeval.measures.text.words import TOKENIZERS
from metaeval.model.report import SourceFile, Table
from metaeval.model.runs import DataKind, DerivationRuns, DistributionRuns, TextRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.names import match_names
from metaeval.scoring.evaluation import Plan, importable_in_workers, item_scores
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.scoring.table import ItemSamples
from metaeval.scoring.trivial import trivial_derivations, trivial_texts
from metaeval.study.capabilities import (
    ADDITIVE,
    DISTRIBUTIONS,
    GAMING,
    ITEM_SCORES,
    MERGES,
    PARTS,
    REFERENCES,
    RESCORE,
    AdditiveMeasures,
    Capability,
    GamingSystems,
    GroupParts,
    Merges,
    ReferencedRuns,
)
from metaeval.study.study import (
    Sources,
    Study,
    required_gold,
    table_of_derivations,
    table_of_distributions,
    table_of_scores,
    table_of_texts,
    without_excluded,
)
from metaeval.work.blocks import iter_blocks
from metaeval.work.executor import current_executor

if TYPE_CHECKING:
    from metaeval.scoring.labels import MergedScores


Runs = TextRuns | DerivationRuns | DistributionRuns | ItemScores

SOURCES = "the sources"
"""The name of the source texts in messages: they are read as if they were the outputs of a system."""

AS_WRITTEN = "whitespace"
"""The tokenizer whose words are as they are written."""

Scoring = Callable[[Runs, Sequence[Measure], str], ItemScores]
"""Scores every item of runs under measures; the last argument describes the work, for a progress bar."""


@dataclass(frozen=True)
class ItemStudy(Study):
    """Systems whose scores are means over items.

    runs: the data. data_settings: further fields of the signature. scoring: scores every item.
    """

    runs: Runs
    data_settings: tuple[tuple[str, str], ...]
    scoring: Scoring

    @property
    def systems(self) -> tuple[str, ...]:
        return self.runs.systems

    @property
    def items(self) -> tuple[str, ...]:
        return self.runs.items

    @property
    def measure_names(self) -> tuple[str, ...]:
        return self.runs.measures if isinstance(self.runs, ItemScores) else tuple(map(str, self.measures))

    @cached_property
    def item_scores(self) -> ItemScores:
        """Scores of every item of every system under every measure, (M, S, N); computed once."""
        return self.scoring(self.runs, self.measures, "Comparing with references")

    @cached_property
    def scores(self) -> ScoreCube:
        return self.item_scores.mean()

    @property
    def has_gaps(self) -> bool:
        return isinstance(self.runs, ItemScores) and self.runs.gaps

    def provided(self) -> Collection[Capability[Any]]:
        provided: set[Capability[Any]] = {ITEM_SCORES, PARTS}
        if not self.has_gaps:
            provided.add(ADDITIVE)
        if isinstance(self.runs, (TextRuns, DerivationRuns)):
            provided |= {GAMING, RESCORE, REFERENCES}
        return provided

    @property
    def additive(self) -> AdditiveMeasures:
        return AdditiveMeasures(self.item_scores.means, self._worths)

    @property
    def group_parts(self) -> GroupParts:
        return GroupParts(self._parts, self._parts)

    @property
    def gaming(self) -> GamingSystems:
        return GamingSystems(self._trivial, self._trivial_notes)

    @property
    def references(self) -> ReferencedRuns:
        assert isinstance(self.runs, (TextRuns, DerivationRuns))
        return ReferencedRuns(self.runs, lambda runs, description: self.scoring(runs, self.measures, description))

    def rescore(self, measures: Sequence[Measure], description: str) -> tuple[ScoreCube, ItemScores]:
        """See `Rescore`."""
        items = self.scoring(self.runs, measures, description)
        return items.mean(), items

    def _worths(self, index: int) -> Floats:
        """Oriented scores of the items under a measure, (S, N)."""
        worths: Floats = self.item_scores.values[index] * self.scores.directions[index].sign
        return worths

    def _parts(self, groups: Indices | None, random: np.random.Generator | None = None) -> list[Parts]:
        return self._parts_of(self.item_scores, groups, random)

    def _parts_of(
        self, scores: ItemScores, groups: Indices | None, random: np.random.Generator | None = None
    ) -> list[Parts]:
        """The parts of the scores of all systems, trivial ones included."""
        parts = parts_of_item_scores(scores, groups, random)
        for name, measure_parts in zip(self.measure_names, parts, strict=True):
            if isinstance(measure_parts, GapParts):
                measure_parts.check_common(name, self.systems)
        return parts

    def _trivial(self, seed: int) -> tuple[ScoreCube, GroupParts]:
        """See `GamingSystems`."""
        outputs = self._trivial_outputs(seed)
        trivial, real = self.scoring(outputs, self.measures, "Comparing trivial systems"), self.item_scores
        parts = partial(self._parts_of, real.joined(trivial))
        return trivial.mean(), GroupParts(parts, parts)

    def _trivial_outputs(self, seed: int) -> Runs:
        """Outputs of trivial systems."""
        if isinstance(self.runs, TextRuns):
            return trivial_texts(self.runs, seed=seed)
        assert isinstance(self.runs, DerivationRuns)
        return trivial_derivations(self.runs, seed=seed)

    @property
    def _trivial_notes(self) -> tuple[str, ...]:
        without_sources = isinstance(self.runs, TextRuns) and self.runs.sources is None
        note = f"without {setting('sources')} there are no TF-IDF word lists and no leads of sources"
        return (note,) if without_sources else ()

    def samples(self, what: str) -> ItemSamples:
        return self._samples

    @cached_property
    def _samples(self) -> ItemSamples:
        return ItemSamples(self.item_scores)

    def files_table(self) -> Table:
        if isinstance(self.runs, TextRuns):
            return table_of_texts(self, self.runs)
        return table_of_derivations(self, self.runs) if isinstance(self.runs, DerivationRuns) else table_of_scores(self)

    def settings(self) -> list[tuple[str, str]]:
        return list(self.data_settings)


def read_item_study(config: ExperimentConfig, task: Task, *, progress: Progress, needs_runs: bool) -> ItemStudy:
    """Read texts, derivations or a table of scores, and check the measures."""
    readers = {DataKind.TEXTS: _read_texts, DataKind.DERIVATIONS: _read_derivations, DataKind.ITEM_SCORES: _read_table}
    return readers[task.data_kind](config, task, progress, needs_runs)


def _read_texts(config: ExperimentConfig, task: Task, progress: Progress, needs_runs: bool) -> ItemStudy:
    from metaeval.io.texts.summaries import read_texts
    from metaeval.measures.text.vocabulary import Vocabulary, vocabulary_of
    from metaeval.scoring.texts import check_texts, plan_texts

    measures = measures_of(config, DataKind.TEXTS, task.preset)
    has_statistics = [statistics_of(measure) is not None for measure in measures]
    if any(has_statistics) and all(has_statistics):
        config = replace(config, data=replace(config.data, tokenizer=AS_WRITTEN))
    data = config.data
    vocabulary = vocabulary_of(data.tokenizer, data.lexicon)
    sources = (f"{SOURCES}={data.sources}",) if data.sources is not None else ()

    def read(encoder: Vocabulary, executor: Executor | None) -> Dataset[TextRuns]:
        dataset = read_texts(
            required_gold(config, "references"),
            (*data.runs, *sources),
            encoder=encoder,
            columns=data.columns,
            policies=replace(data.policies, systems=replace(data.systems, always=(SOURCES,) if sources else ())),
            progress=progress,
            needs_runs=needs_runs,
            open_file=data.open,
            memory=config.data_memory,
            executor=executor,
            member=data.member,
        )
        return _with_sources(dataset) if sources else dataset

    with _tokenizing(config) as executor:
        dataset = read(vocabulary, executor)
    if any(has_statistics) and data.tokenizer != AS_WRITTEN:
        # Other tokenizers drop letters, and the texts are not kept.
        dataset = replace(dataset, runs=replace(dataset.runs, raw=read(vocabulary_of(AS_WRITTEN), None).runs))
    check_texts(dataset.runs, measures, data.lexicon or data.gold)

    lists = _word_lists(data, measures)
    lexicon: tuple[tuple[str, str], ...] = ()
    if data.lexicon is not None:
        # The folder of a lexicon changes no score.
        hashes = [file.sha256 for file in lists if file.role == "lexicon"]
        lexicon = (("lexicon", f"{Path(data.lexicon).name}@{hashes[0][:8]}" if hashes else data.lexicon),)
    counts = ("references", _range(dataset.runs.reference_counts.tolist()))
    notes = (*dataset.notes, *_coverage(dataset.runs, data.lexicon))
    dataset = replace(dataset, files=(*dataset.files, *lists), notes=notes)
    settings = (counts, ("tokenizer", data.tokenizer), *lexicon)
    scoring = _in_blocks(plan_texts, config, progress)
    return ItemStudy(config, Sources.of(dataset), measures, dataset.runs, settings, scoring=scoring)


def _tokenizing(config: ExperimentConfig) -> AbstractContextManager[Executor | None]:
    """Worker processes that tokenize while this process reads; None where this process tokenizes itself."""
    if (
        config.workers == 1
        or current_executor() is not None
        or not importable_in_workers([TOKENIZERS[config.data.tokenizer].make])
    ):
        return nullcontext()
    from metaeval.work.processes import WorkerProcesses

    return WorkerProcesses(config.workers)


def _word_lists(data: DataConfig, measures: Sequence[Measure]) -> tuple[SourceFile, ...]:
    """The word lists and lexicon files that scores depend on."""
    lexicon = [data.lexicon] if data.lexicon is not None and is_lexicon_file(data.lexicon) else []
    measure_files = [
        str(value)
        for measure in measures
        for parameter, value in zip(measure.declaration.parameters, measure.values, strict=True)
        if parameter.names_file and value is not None
    ]
    roles = {**dict.fromkeys(measure_files, "words"), **dict.fromkeys(lexicon, "lexicon")}
    return tuple(open_source(path, role).file for path, role in roles.items())


def _coverage(runs: TextRuns, lexicon: str | None) -> tuple[str, ...]:
    if lexicon is None:
        return ()
    with_labels = sum(bool(word.labels) for word in runs.words)
    return (f"the lexicon has labels for {with_labels:,} of {len(runs.words):,} different words",)


def _with_sources(dataset: Dataset[TextRuns]) -> Dataset[TextRuns]:
    """The data set in which the last system, which holds the source texts, becomes the sources."""
    runs = dataset.runs
    if runs.systems[-1:] != (SOURCES,):
        raise refuse(None, empty(f"text of {SOURCES} for any item", "a source text for each item"))
    apart = replace(runs, systems=runs.systems[:-1], outputs=runs.outputs[:-1], sources=runs.outputs[-1])
    return replace(dataset, runs=apart, paths=dataset.paths[:-1])


def _read_derivations(config: ExperimentConfig, task: Task, progress: Progress, needs_runs: bool) -> ItemStudy:
    from metaeval.io.r4c import read_derivations
    from metaeval.scoring.texts import plan_derivations

    measures = measures_of(config, DataKind.DERIVATIONS, task.preset)
    dataset = read_derivations(
        required_gold(config, "references"),
        config.data.runs,
        policies=config.data.policies,
        progress=progress,
        needs_runs=needs_runs,
        member=config.data.member,
    )
    counts = (("references", _range(dataset.runs.reference_counts.tolist())),)
    scoring = _in_blocks(plan_derivations, config, progress)
    return ItemStudy(config, Sources.of(dataset), measures, dataset.runs, counts, scoring=scoring)


def _read_table(config: ExperimentConfig, _task: Task, progress: Progress, _needs_runs: bool) -> ItemStudy:
    from metaeval.io.scores.table import read_score_table

    data = config.data
    if config.preset not in (None, CANDIDATES):
        task, expected = setting("task", data.task), "names of measures that the table holds"
        hint = f"choose them with {setting('measures')}; without it all measures are used"
        raise refuse(None, conflict(setting("preset", config.preset), task, expected, hint))
    derived, names = _derived(config), dict.fromkeys(config.measures)
    columns = tuple(dict.fromkeys(column for formula in derived.values() for column in formula.columns))
    inputs = tuple(dict.fromkeys((*(name for name in names if name not in derived), *columns)))
    read = partial(
        read_score_table,
        data.runs,
        excluded=data.human,
        left_out=data.exclude_measures,
        lower_is_better=tuple(name for name in data.lower_is_better if name not in derived),
        policies=data.policies,
        columns=data.columns,
        progress=progress,
        open_file=data.open_scores,
    )
    try:
        dataset = read(measures=inputs if names else ())
        if not set(columns) <= set(dataset.runs.measures):
            read(measures=columns)  # The error says where a column of a measure has no number.
    except UnknownName as error:
        _check_columns(derived, error.known)
        raise
    fields = {"lower-is-better": data.lower_is_better, "ratio": data.ratios, "f-score": data.f_scores}
    settings = tuple((name, (";" if name == "f-score" else ",").join(value)) for name, value in fields.items() if value)
    if not derived:
        return ItemStudy(config, Sources.of(dataset), (), dataset.runs, settings, scoring=_as_read)
    _check_columns(derived, dataset.runs.measures)
    others = [name for name in dataset.runs.measures if not names and name not in (*derived, *columns)]
    table_names = match_names(names, (*dataset.runs.measures, *derived))
    selection = [derived.get(name, name) for name in dict.fromkeys((*table_names, *others, *derived))]
    check_directions(data.lower_is_better, selection)
    runs = derive(dataset.runs, selection, data.lower_is_better)
    measures = tuple(parse_measure(name) for name in names if name in derived and derived[name].better is not None)
    return ItemStudy(config, Sources.of(dataset), measures, runs, settings, scoring=_as_read)


def _derived(config: ExperimentConfig) -> dict[str, Derived]:
    """Measures of columns of a table, by name: those of options, and those of plugins that are named."""
    data = config.data
    from_options = [*map(parse_ratio, data.ratios), *map(parse_f_score, data.f_scores)]
    names = [formula.name for formula in from_options]
    from_plugins = [(name, derived_of_plugin(name)) for name in config.measures if name not in names]
    for name in names:
        if names.count(name) > 1:
            where = f" of {setting('ratios')} or {setting('f_scores')}"
            raise refuse(None, repeated("measure", name, where=where, hint=""))
    plugins = {name: formula for name, formula in from_plugins if formula is not None}
    return {**plugins, **{formula.name: formula for formula in from_options}}


def _check_columns(derived: Mapping[str, Derived], columns: Sequence[str]) -> None:
    """Raise an `InputError` for a measure that has the name of a column, or needs one that the table lacks."""
    for name, formula in derived.items():
        if name in columns:
            hint = "choose another name for the measure"
            raise refuse(None, name_in_use("measure", name, "a column of the table", hint))
        for column in formula.columns:
            if column not in columns:
                raise UnknownName(f"column of measure '{name}':", column, columns)


def _as_read(runs: Runs, _measures: Sequence[Measure], _description: str) -> ItemScores:
    assert isinstance(runs, ItemScores)
    return runs


def _in_blocks(plan_of: Callable[..., Plan[slice, Floats]], config: ExperimentConfig, progress: Progress) -> Scoring:
    """Scoring in blocks of items, by the executor of the context."""

    def score(runs: Runs, measures: Sequence[Measure], description: str) -> ItemScores:
        plan = plan_of(runs, measures)
        blocks = iter_blocks(
            plan, lambda scores: scores, workers=config.workers, progress=progress, description=description
        )
        with closing(blocks):
            return item_scores(zip(plan.blocks, blocks, strict=True), measures, runs.systems, runs.items)

    return score


def measures_of(config: ExperimentConfig, kind: DataKind, default: str | None) -> tuple[Measure, ...]:
    """The measures of the experiment and of its preset; of the default preset where it names neither."""

    def every() -> list[Measure]:
        return [measure for measure in all_of(kind) if config.data.lexicon is not None or not needs_lexicon(measure)]

    measures = select_measures(config.measures, every)
    name = config.preset if config.preset is not None or measures else default
    name = default if name == CANDIDATES else name
    if name == "all":
        measures += every()
    elif name is not None:
        measures += preset(name)
    for measure in measures:
        measure.check_reads(kind)
    return without_excluded(tuple(dict.fromkeys(measures)), config.data.exclude_measures)


def _range(counts: Sequence[int]) -> str:
    """`2`, or `1-3` where items differ."""
    low, high = min(counts, default=0), max(counts, default=0)
    return f"{low}" if low == high else f"{low}-{high}"


ENOUGH_GROUPS = 5
"""Tests of the logarithm of a share hold their level if it is that of this many groups of items."""


@dataclass(frozen=True)
class DistributionStudy(ItemStudy):
    """Systems that predict distributions over classes."""

    runs: DistributionRuns

    def provided(self) -> Collection[Capability[Any]]:
        return {*super().provided(), DISTRIBUTIONS, MERGES, GAMING, RESCORE}

    @property
    def merges(self) -> Merges:
        from metaeval.scoring.distributions import check_distributions

        return Merges(
            self.runs.scale,
            check_distributions,
            score=self._score_merges,
            parts=lambda groups, random: lambda merged: parts_of_item_scores(self._merged(merged), groups, random()),
            cell_parts=lambda merged, cells: parts_of_item_scores(self._merged(merged), cells),
        )

    def _merged(self, merged: ClassScale) -> ItemScores:
        """Scores of the items on a scale with merged classes."""
        from metaeval.scoring.labels import merge_distributions

        return self.scoring(merge_distributions(self.runs, merged), self.measures, "Scores of merged classes")

    def _score_merges(self, merges: Sequence[ClassScale]) -> MergedScores:
        from metaeval.scoring.labels import MergedScores

        values = np.stack([self._merged(merged).mean().values for merged in merges], axis=-3)
        return MergedScores(self.scores, replace(self.scores, values=values, axes=("merge",)))

    def _trivial_outputs(self, seed: int) -> Runs:
        from metaeval.scoring.distributions import trivial_distributions

        return trivial_distributions(self.runs, seed=seed)

    def _parts_of(
        self, scores: ItemScores, groups: Indices | None, random: np.random.Generator | None = None
    ) -> list[Parts]:
        self._check_logarithms(len(self.items) if groups is None else int(groups.max()) + 1)
        return super()._parts_of(scores, groups, random)

    def _check_logarithms(self, groups: int) -> None:
        """Reject tests of logarithms of class shares that a few groups of items decide."""
        # Rounded, so that the number of the remedy is enough.
        runs, enough = self.runs, float(f"{min(ENOUGH_GROUPS / groups, 1.0):.2g}")
        few = np.argwhere((runs.predicted.mean(axis=1) < enough) & (runs.gold.sum(axis=0) > 0))
        run_measures = (measure for measure in self.measures if is_run_level(measure))
        entropies = (measure for measure in run_measures if measure.declaration.name == "cross-entropy")
        fragile = [measure for measure in entropies if float(str(measure.parameters["epsilon"])) < enough]
        if fragile and len(few):
            (system, label), measure_name = few[0].tolist(), str(fragile[0])
            share = f"{runs.predicted[system, :, label].mean():.2g} of class {runs.scale.labels[label]}"
            found = f"a test of {measure_name}, where {runs.systems[system]} predicts {share}"
            shares = f"shares of at least {enough:g} ({ENOUGH_GROUPS} of {groups:,} groups of items)"
            expected = f"{shares}: a few items decide the logarithms of smaller ones"
            raise refuse(None, found, expected, f"set epsilon={enough:g} in the measure, or choose jsd:level=run")

    @property
    def _trivial_notes(self) -> tuple[str, ...]:
        order = f"shuffled gold is one random order: its scores change with {setting('seed')}"
        if not any(map(is_run_level, self.measures)):
            return (order,)
        return (
            order,
            "mean of gold and shuffled gold have the class shares of gold: no system can be better at level=run",
        )

    def files_table(self) -> Table:
        return table_of_distributions(self, self.runs)


def read_distribution_study(
    config: ExperimentConfig, task: Task, *, progress: Progress, needs_runs: bool
) -> DistributionStudy:
    """Read the distributions of an experiment, and check its measures."""
    from metaeval.io.distributions import read_distributions

    data = config.data
    check_measure_names(config.measures, DataKind.DISTRIBUTIONS)
    dataset = read_distributions(
        required_gold(config, "gold distributions"),
        data.runs,
        scale=data.labels,
        columns=data.columns,
        policies=data.policies,
        progress=progress,
        needs_runs=needs_runs,
        open_file=data.open,
        member=data.member,
    )
    scale = dataset.runs.scale
    if data.class_values is not None:
        scale = scale.with_values(data.class_values)
    default = "ordinal-distributions" if scale.ordered else "distributions"
    # All measures are those that the classes allow.
    config_of_measures = replace(config, preset=default) if config.preset == "all" else config
    measures = measures_of(config_of_measures, task.data_kind, default)
    for measure in measures:
        measure.check_order(scale, task.data_kind)
    origin = Sources.of(dataset)
    values = zip(scale.labels, scale.values or (), strict=False)
    settings = [("scale", str(scale)), ("values", ",".join(f"{label}={value:g}" for label, value in values))]
    return DistributionStudy(
        config,
        origin,
        measures,
        replace(dataset.runs, scale=scale),
        tuple((name, text) for name, text in settings if text),
        scoring=_score,
    )


def _score(runs: Runs, measures: Sequence[Measure], _description: str) -> ItemScores:
    from metaeval.scoring.distributions import score_distributions

    assert isinstance(runs, DistributionRuns)
    return score_distributions(runs, measures)
