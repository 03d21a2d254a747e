"""The study of this analysis: pairs of good and bad outputs, and the measures that score both.

Contrast sets: tables with a row for each pair of a good and a bad output, and what is wrong with the bad one.

    item,phenomenon,good,bad,reference       texts, compared with a reference
    item,phenomenon,gold,good,bad            labels
    item,phenomenon,NAME-good,NAME-bad       scores that another tool gave both sides

`severity` and a column of clusters are optional. The columns of ACES, DEMETR and RewardBench are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.analyses.sentences import join_names
from metaeval.arrays import Indices, Scores
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.digits import finite
from metaeval.errors import (
    Gathered,
    InputError,
    Problem,
    conflict,
    empty,
    missing_column,
    one_of,
    pluralize,
    refuse,
    setting,
    too_many,
    unknown,
)
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import Clusters
from metaeval.io.files.columns import TableColumns, code_reader
from metaeval.io.files.roles import (
    BAD,
    CLUSTER,
    GOLD_OR_REFERENCE,
    GOOD,
    GROUP,
    ITEM,
    PERTURBED,
    PHENOMENON,
    REFERENCE,
    SYSTEM,
)
from metaeval.io.files.run_files import EVERY_SYSTEM, SystemChoice, reject_repeated_files
from metaeval.io.files.source import Open, SourceFiles
from metaeval.io.labels.tasks import TASKS, LabelTask
from metaeval.io.memory import OUTPUTS, REFERENCES
from metaeval.io.texts.rows import InMemoryTexts, TextRow
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.measures import Measure, candidates, fitting, measure, preset
from metaeval.measures.presets import CANDIDATES
from metaeval.model.report import AnalysisOutput, Report, SourceFile
from metaeval.model.scale import ClassScale, rising_numbers
from metaeval.model.scores import Direction
from metaeval.names import matched
from metaeval.scoring.parts import (
    Matrices,
    all_systems,
    as_bytes,
    errors,
    moved,
    nearly_regular_systems,
    steps_nearer,
    with_all_in_gold,
)
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.labels import declared_scale, with_numbers
from metaeval.study.read import read_study
from metaeval.study.runs import scale_of
from metaeval.study.study import Progress, Sources, Study, refuse_long_work, report_of, without_excluded

if TYPE_CHECKING:
    from pandas import DataFrame, Series


GOLD, SEVERITY, DOCUMENT = "gold", "severity", "document"
OF_SIDES = "-good", "-bad"
"""Ends of the names of columns of scores."""

_SCORES = re.compile(r"(.+)-(?:good|bad)|(.*(?:score|reward)s?)_(?:chosen|rejected)")

BASELINE = "base"
"""The severity of the baselines of DEMETR, which are no errors of some severity."""

SEVERITIES = ("neutral", "minor", "major", "critical")
"""Severities whose order needs no declaration: those of MQM and DEMETR."""

RESERVED = ("measure",)
"""The first column of the table with a column for each phenomenon."""

_ROW = "write columns item, phenomenon, and good, bad and reference or gold, or NAME-good and NAME-bad (scores)"


@dataclass(frozen=True)
class ContrastSet:
    """N pairs of a good and a bad output.

    phenomena, phenomenon: names in order of appearance, and the code of each pair, (N,). clusters: of the pairs; None
    if each pair is one. severities, severity: names from mild to severe, and the code of each pair, −1 where it has
    none, (N,). texts: references, good and bad texts, N each. labels: codes of gold, good and bad labels, (3, N).
    scores, names: of other tools, good and bad ones, (M, 2, N), and what they are called.
    """

    phenomena: tuple[str, ...]
    phenomenon: Indices
    clusters: Clusters | None
    severities: tuple[str, ...]
    severity: Indices
    texts: tuple[Sequence[str], ...]
    labels: Indices | None
    scores: Scores
    names: tuple[str, ...]
    files: tuple[SourceFile, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.phenomenon)


def read_contrasts(
    paths: Sequence[str],
    *,
    scale: ClassScale | None = None,
    severities: Sequence[str] = (),
    cluster: str | None = None,
    group: str | None = None,
    systems: SystemChoice = EVERY_SYSTEM,
    open_file: Open | None = None,
) -> ContrastSet:
    """Read a contrast set of one or several files; all problems of the files are one `InputError`.

    scale: of labels; None for texts and scores. severities: their order, if they are neither numbers nor `SEVERITIES`.
    cluster: column of clusters; by default `document`, or else the item. group: column that divides phenomena. systems:
    whose outputs are pairs, in a column of systems.
    """
    import pandas

    reject_repeated_files(paths)
    sources, gathered = SourceFiles(open_file), Gathered()
    tables: list[TableColumns] = []
    for path in paths:
        with gathered.errors():
            tables.append(TableColumns.read(sources.open(path, "contrasts")))
    gathered.raise_any()
    parts: list[DataFrame] = []
    for table in tables:
        with gathered.errors():
            parts.append(_read_pairs(table, scale, cluster, group, systems))
    gathered.raise_any()
    for table, part in zip(tables, parts, strict=True):
        for name in sorted({*part} ^ {*parts[0]}):
            hint = "analyse the files one by one, or add the column"
            found = f"column '{name}' in one of {table.path} and {tables[0].path}"
            raise refuse((table.path, 1), found, "the same columns in all files", hint, kind="conflict")
    frame = pandas.concat(parts, keys=range(len(parts)))
    left_out: tuple[str, ...] = ()
    if systems:
        names = frame[SYSTEM.names[0]].tolist()
        chosen, left_out = systems.of(names), systems.notes(names)
        frame = frame[[name in chosen for name in names]]
    names = [name.removesuffix(OF_SIDES[0]) for name in map(str, frame) if name.endswith(OF_SIDES[0])]
    scores = [frame[name + end].to_numpy(np.float64) for name in names for end in OF_SIDES]
    phenomenon, phenomena = pandas.factorize(frame["phenomenon"])
    severity = frame.get(SEVERITY, pandas.Series("", frame.index))
    # As in the data of WMT, where they are Major and Minor.
    lower = severity.str.casefold()
    severity = severity.mask(lower.isin(() if severities else SEVERITIES), lower)
    order = _severity_order(severity, severities, tables)
    notes = [*sources.summary, *dict.fromkeys(note for table in tables for note in table.notes()), *left_out]
    if unchecked := sum(map(len, tables)) - sum(map(len, parts)):
        why = "whose text could not be changed ('pert_check' is false)"
        notes.append(f"{pluralize(unchecked, 'pair')} left out, {why}")
    if "good" in frame and (same := int((frame["good"] == frame["bad"]).sum())):
        notes.append(f"{pluralize(same, 'pair')} with the same output on both sides: every measure ties")
    reference = REFERENCE.names[0]
    if reference in frame:
        is_reference = frame["bad"] == frame[reference]
        of_which = join_names(list(frame["phenomenon"][is_reference].drop_duplicates()))
        if of_which:
            pairs = pluralize(int(is_reference.sum()), "pair")
            notes.append(f"{pairs} whose bad output is the reference, which is no error ({of_which})")
    return ContrastSet(
        phenomena=tuple(phenomena),
        phenomenon=phenomenon,
        clusters=_clusters(frame, cluster, tables),
        severities=order,
        severity=pandas.Index(order).get_indexer(pandas.Index(severity)),
        texts=tuple(list(frame[role]) for role in (reference, "good", "bad")) if reference in frame else (),
        labels=np.array([frame[role] for role in (GOLD, "good", "bad")]) if GOLD in frame else None,
        scores=np.array(scores).reshape(len(names), 2, len(frame)),
        names=tuple(names),
        files=sources.files,
        notes=tuple(notes),
    )


def _read_pairs(
    table: TableColumns, scale: ClassScale | None, cluster: str | None, group: str | None, systems: SystemChoice
) -> DataFrame:
    """The pairs of a file: phenomenon, and if there are any item, system, document or other clusters, and severity.

    Good and bad are codes of labels beside a column gold, or texts beside a column reference; scores of other tools are
    in NAME-good and NAME-bad. Empty names, unknown labels and scores that are no numbers are an `InputError`.
    """
    import pandas

    sides = {"good": table.find(GOOD), "bad": table.find(BAD)}
    if cluster is not None:
        table.need(CLUSTER, cluster)
    system = table.find(SYSTEM)
    if systems and system is None:
        hint = f"add the column, or leave out {setting('exclude_systems')}"
        raise refuse((table.path, 1), missing_column(table.header, SYSTEM.names[0], hint))
    phenomenon, item, reference = table.need(PHENOMENON), table.find(ITEM), table.find(REFERENCE)
    scores = _columns_of_scores(table)
    labels = scale if GOLD in table.header and all(sides.values()) else None
    _check_enough(table, sides, reference, any_scores=bool(scores), any_labels=labels is not None)
    columns: dict[str, Any] = {"phenomenon": table.filled(phenomenon, "phenomenon")}
    for row in [row for row, cell in enumerate(columns["phenomenon"]) if cell in RESERVED]:
        expected = "another name: it is that of a column of results"
        table.reject(row, Problem("phenomenon 'measure'", expected, kind="conflict"))
    if group is not None:
        groups = table.filled(table.need(GROUP, group), "group")
        columns["phenomenon"] = [f"{name} ({cell})" for name, cell in zip(columns["phenomenon"], groups, strict=True)]
    if systems and system is not None:
        columns[SYSTEM.names[0]] = table.filled(system, "system")
    if item is not None:
        columns["item"] = table.filled(item, "item")
    columns |= {name: table.texts(name) for name in (SEVERITY, cluster or DOCUMENT) if name in table.header}
    if (checks := table.find(PERTURBED)) is not None and SEVERITY in columns:
        columns[SEVERITY] = ["" if cell == BASELINE else cell for cell in columns[SEVERITY]]
    if labels is not None:
        read, expected = code_reader(labels), one_of(labels.labels)
        columns |= {role: table.values(str(name), read, expected) for role, name in {GOLD: GOLD, **sides}.items()}
    elif all(sides.values()):
        columns |= {role: table.texts(str(name)) for role, name in sides.items()}
        columns |= {REFERENCE.names[0]: table.filled(reference, "reference", names=False)} if reference else {}
    columns |= {name: table.numbers(column) for name, column in scores.items()}
    checked = np.array(table.texts(checks)) != "False" if checks else np.ones(len(table), dtype=np.bool_)
    table.raise_any("correct these rows, or remove them")
    return pandas.DataFrame(columns)[checked]


def _columns_of_scores(table: TableColumns) -> dict[str, str]:
    """The columns of scores of other tools, by NAME-good and NAME-bad; both sides have one."""
    columns: dict[str, str] = {}
    for match in filter(None, map(_SCORES.fullmatch, table.header)):
        name, ends = (match[1], OF_SIDES) if match[1] else (match[2], ("_chosen", "_rejected"))
        for end, written in zip(OF_SIDES, ends, strict=True):
            if f"{name}{written}" not in table.header:
                hint = "add the column, or rename the other one"
                raise refuse((table.path, 1), missing_column(table.header, f"{name}{written}", hint))
            columns[f"{name}{end}"] = f"{name}{written}"
    return columns


def _check_enough(
    table: TableColumns, sides: Mapping[str, str | None], reference: str | None, *, any_scores: bool, any_labels: bool
) -> None:
    """Raise an `InputError` for a table without scores, labels or texts of both sides."""
    header, path = table.header, table.path
    if any_labels:
        table.find(GOLD_OR_REFERENCE)
    if any_scores or any_labels or (all(sides.values()) and reference):
        return
    third = GOLD if GOLD in header else REFERENCE.names[0]
    for role in ("good", "bad", third):
        if sides.get(role) is None and role not in header:
            raise refuse((path, 1), missing_column(header, role, _ROW))
    hint = f"declare the classes, as in {setting('labels', 'disagree<discuss<agree')}"
    raise refuse((path, 1), "labels without classes", setting("labels"), hint, kind="missing")


def _severity_order(cells: Series[str], declared: Sequence[str], tables: Sequence[TableColumns]) -> tuple[str, ...]:
    """The severities that occur, from mild to severe: as declared, as numbers, or those of MQM."""
    first = cells[cells != ""].drop_duplicates()
    known, names = declared or SEVERITIES, list(first)
    if not declared and None not in map(finite, names) and rising_numbers(in_order := sorted(names, key=float)):
        return tuple(in_order)
    wrong = first[~first.isin(known)]
    if len(wrong):
        problems = [
            unknown("severity", name, known).at(tables[file].path, tables[file].lines[row])
            for (file, row), name in zip(wrong.index.tolist(), wrong, strict=True)
        ]
        order, others = [name for name in known if name in names], ", ".join(sorted({*wrong}))
        hint = f"list the severities from mild to severe, with < between them, in {setting('severities')}: {others}"
        if order:
            # Not in an order that only looks complete: of it depends what the losses show.
            hint = f"insert {others} into {setting('severities', '<'.join(order))}, or leave out what is no severity"
        raise InputError(problems, hints=[hint])
    return tuple(name for name in known if name in names)


def _clusters(frame: DataFrame, cluster: str | None, tables: Sequence[TableColumns]) -> Clusters | None:
    """The clusters of the pairs; None if each pair is one."""
    column = next((name for name in (cluster or DOCUMENT, "item") if name in frame), None)
    if column is None:
        return None
    for file, row in frame.index[frame[column] == ""]:
        hint = f"name another column in {setting('clusters')}, or fill this one"
        raise refuse((tables[file].path, tables[file].lines[row]), empty(column, hint=hint))
    clusters = Clusters.of(column, list(frame[column]))
    return clusters if len(clusters.sizes) < len(frame) or column != "item" else None


ITEMS_UP_TO = {2: 10, 3: 6, 4: 5}
"""Maximum number of items of the matrices, by the number of classes; of more classes not all matrices are made."""

MAX_CLASSES = 7
"""Number of classes up to which pairs are generated: ordered, they have 237,440 pairs, and 8 classes 615,384."""


@dataclass(frozen=True)
class GeneratedPairs:
    """N pairs as the indices of their good and bad sides among K systems, (2, N).

    scale: the classes. first: gold class, better and worse prediction of the first phenomenon. systems: every class
    occurs in gold, (K, C, C).
    """

    scale: ClassScale
    first: tuple[str, str, str]
    pairs: ContrastSet
    systems: Matrices
    sides: Indices

    def scores(self, measures: Sequence[Measure]) -> Scores:
        """The scores of the good and the bad sides, (M, 2, N)."""
        return np.stack([np.asarray(each(self.systems, self.scale)) for each in measures])[:, self.sides]

    @property
    def reading(self) -> str:
        """What the name of a phenomenon means."""
        gold, good, bad = self.first
        name = self.pairs.phenomena[0]
        return f"'{name}': an item of class {gold} should score better if it is predicted as {good} than as {bad}"

    @property
    def sentence(self) -> str:
        """What the pairs are."""
        classes = len(self.scale)
        most = ITEMS_UP_TO.get(classes)
        few = f"every confusion matrix of {classes} to {most} items in whose gold every class occurs"
        others = (
            f"every confusion matrix of {classes + 1} items in whose gold every class occurs, and of whose predictions "
            "all but two are right, or all but two are the same class"
        )
        return f"{few if most else others}, and the same with one item predicted better"


def generated_pairs(scale: ClassScale) -> GeneratedPairs:
    """Pairs in which an item is predicted nearer to its class, on the same side of it, or correctly.

    Without an order, only pairs of a correct and a wrong prediction. A phenomenon is a gold class with two predictions.
    """
    classes, labels = len(scale), scale.labels
    if classes > MAX_CLASSES:
        found = f"a scale of {pluralize(classes, 'class', 'classes')} without a file of pairs"
        raise refuse(None, too_many(found, MAX_CLASSES, "analyse a file of pairs, or declare fewer classes"))
    most = ITEMS_UP_TO.get(classes)
    systems = (
        with_all_in_gold(all_systems(classes, range(classes, most + 1))) if most else nearly_regular_systems(classes)
    )
    keys = as_bytes(systems)
    order = np.argsort(keys)
    keys = keys[order]
    changes = [*(steps_nearer(classes) if scale.ordered else ()), *((gold, old, gold) for gold, old in errors(classes))]
    sides = []
    for gold, old, new in changes:
        bad = np.flatnonzero(systems[:, gold, old])
        after = as_bytes(moved(systems[bad], np.full(len(bad), gold), old, new))
        good = np.minimum(np.searchsorted(keys, after), len(keys) - 1)
        known = keys[good] == after
        sides.append(np.stack([order[good], bad])[:, known])
    codes = np.repeat(np.arange(len(changes)), [matrices.shape[1] for matrices in sides])
    names = tuple(f"{labels[gold]}: {labels[new]} over {labels[old]}" for gold, old, new in changes)
    pairs = ContrastSet(
        phenomena=names,
        phenomenon=codes,
        clusters=None,
        severities=(),
        severity=np.full(len(codes), -1),
        texts=(),
        labels=None,
        scores=np.empty((0, 2, len(codes))),
        names=(),
    )
    gold, old, new = changes[0]
    first = (labels[gold], labels[new], labels[old])
    return GeneratedPairs(scale, first, pairs, systems, np.concatenate(sides, axis=1))


_CELLS_AT_ONCE = 1 << 22
"""Cells of confusion matrices that are scored at once."""

GOOD_OUTPUT, BAD_OUTPUT = "good", "bad"


@dataclass(frozen=True)
class ContrastStudy:
    """A contrast set, and M measures of it: those of other tools first.

    measures: our own. names: of all. directions: of all. texts: the texts as a study with the systems good and bad;
    None without texts. scale: of labels. generated: the pairs, if they were generated from it.
    """

    config: ExperimentConfig
    origin: Sources
    pairs: ContrastSet
    measures: tuple[Measure, ...]
    names: tuple[str, ...]
    directions: tuple[Direction, ...]
    texts: Study | None
    scale: ClassScale | None
    generated: GeneratedPairs | None = None

    def scores(self) -> Scores:
        """The scores of the good and the bad outputs, (M, 2, N)."""
        if self.generated is not None:
            return self.generated.scores(self.measures)
        chosen = [self.pairs.names.index(name) for name in self.names[: len(self.names) - len(self.measures)]]
        parts = [self.pairs.scores[chosen]]
        if self.texts is not None:
            parts.append(self.texts.need(ITEM_SCORES, "contrasts").values)
        elif self.scale is not None and self.pairs.labels is not None:
            parts.append(score_labels(self.measures, self.scale, self.pairs.labels))
        return np.concatenate(parts)

    @property
    def contents(self) -> str:
        """What the pairs are."""
        pairs = self.pairs
        number = pluralize(len(pairs), "pair" if self.generated is None else "generated pair")
        contents = f"{number} of {pluralize(len(pairs.phenomena), 'phenomenon', 'phenomena')}"
        clusters = pairs.clusters
        if clusters is None:
            return contents
        return f"{contents} in {pluralize(len(clusters.sizes), 'cluster')} of {clusters.column}"

    def report(
        self, command: str, part: AnalysisOutput, *, command_line: str, sections: Sequence[object] = ()
    ) -> Report:
        """A report with the signature and the provenance of these pairs."""
        settings = self.config.settings_of(ContrastSettings)
        fields: list[tuple[str, object]] = [
            ("pairs", len(self.pairs)),
            ("phenomena", len(self.pairs.phenomena)),
            ("measures", len(self.names)),
        ]
        if self.texts is not None:
            fields.append(("tokenizer", self.texts.config.data.tokenizer))
        if self.scale is not None:
            fields.append(("scale", str(self.scale)))
        if self.pairs.clusters is not None:
            fields.append(("clusters", self.pairs.clusters.column))
        if self.pairs.severities:
            fields.append(("severities", "<".join(self.pairs.severities)))
        chosen = {
            "group": settings.group or "",
            "exclude-systems": ",".join(settings.exclude_systems),
            "exclude-measures": ",".join(settings.exclude_measures),
            "margin": f"{settings.margin:g}" if settings.margin != ContrastSettings.margin else "",
        }
        fields += [(name, value) for name, value in chosen.items() if value]
        lower = [name for name, each in zip(self.names, self.directions, strict=True) if each is Direction.LOWER]
        if settings.lower_is_better or self.config.data.lower_is_better:
            fields.append(("lower-is-better", ",".join(name for name in lower if name in self.pairs.names)))
        return report_of(command, part, fields, self.origin, command_line=command_line, measures=self.measures)


def read(config: ExperimentConfig, settings: ContrastSettings, *, progress: Progress) -> ContrastStudy:
    """Read the pairs and choose the measures."""
    data = config.data.overlaid(
        task=settings.task,
        labels=scale_of(settings.labels),
        class_weights=settings.class_weights,
        class_values=settings.class_values,
        tokenizer=settings.tokenizer,
        lower_is_better=settings.lower_is_better,
        exclude_systems=settings.exclude_systems,
        exclude_measures=settings.exclude_measures,
    )
    scale = _scale(data)
    if not settings.pairs:
        return _generated(replace(config, data=data), settings, scale)
    severities = tuple(each.strip() for each in (settings.severities or "").split("<") if each.strip())
    pairs = read_contrasts(
        settings.pairs,
        scale=scale,
        severities=severities,
        cluster=settings.clusters,
        group=settings.group,
        systems=data.systems,
        open_file=data.open,
    )
    scale = scale if pairs.labels is not None else None
    read_scores, ours = _chosen(config, pairs)
    excluded, data = data.exclude_measures, replace(data, exclude_measures=())
    our_config = replace(config, measures=ours, data=data)
    texts: Study | None = None
    measures: tuple[Measure, ...] = ()
    if pairs.texts and (ours or config.preset is not None or not config.measures):
        texts = _study_of_texts(our_config, pairs, progress)
        measures = texts.measures
    elif scale is not None:
        measures = _measures_of_labels(our_config, scale, any_read=bool(read_scores and config.measures))
    left = without_excluded((*read_scores, *measures), excluded)
    read_scores = tuple(name for name in read_scores if name in left)
    measures = tuple(each for each in measures if each in left)
    texts = replace(texts, measures=measures) if texts is not None and measures else None
    _check_known(data.lower_is_better, pairs, "lower_is_better")
    directions = tuple(Direction.LOWER if name in data.lower_is_better else Direction.HIGHER for name in read_scores)
    notes = [*pairs.notes, *(texts.origin.notes if texts is not None else ())]
    clusters = (pairs.clusters,) if pairs.clusters is not None else ()
    return ContrastStudy(
        config=config,
        origin=Sources(settings.pairs, pairs.files, {}, tuple(notes), clusters),
        pairs=pairs,
        measures=measures,
        names=(*read_scores, *map(str, measures)),
        directions=(*directions, *(each.better for each in measures)),
        texts=texts,
        scale=scale,
    )


def _generated(config: ExperimentConfig, settings: ContrastSettings, scale: ClassScale | None) -> ContrastStudy:
    """Pairs that are generated from a scale."""
    path = config.file.path if config.file else None
    if scale is None:
        declare = f"declare the classes, as in {setting('labels', 'disagree<discuss<agree')}"
        hint = f"{declare}, or name a task that has classes, as in {setting('task', 'fnc1')}"
        expected = "a file of pairs, or classes, of which pairs are generated"
        raise refuse(path, "no pairs", expected, hint, kind="missing")
    lower_is_better = ",".join(settings.lower_is_better)
    settings_of_files = {
        "severities": settings.severities,
        "clusters": settings.clusters,
        "tokenizer": settings.tokenizer,
        "lower_is_better": lower_is_better,
        "group": settings.group,
        "exclude_systems": ",".join(settings.exclude_systems),
        "margin": settings.margin if settings.margin != ContrastSettings.margin else None,
    }
    for name, value in settings_of_files.items():
        if value:
            hint = f"leave out {setting(name)}, or name a file of pairs"
            raise refuse(path, conflict(setting(name, value), "no pairs", "a file of pairs", hint))
    generated = generated_pairs(scale)
    measures = without_excluded(_measures_of_labels(config, scale, any_read=False), settings.exclude_measures)
    names, directions = tuple(map(str, measures)), tuple(each.better for each in measures)
    return ContrastStudy(
        config=config,
        origin=Sources((), (), {}, ()),
        pairs=generated.pairs,
        measures=measures,
        names=names,
        directions=directions,
        texts=None,
        scale=scale,
        generated=generated,
    )


def _scale(data: DataConfig) -> ClassScale | None:
    """The scale that is declared, or that of the task, with its weights and values."""
    task = TASKS[data.task]
    scale = declared_scale(data, task) if isinstance(task, LabelTask) else data.labels
    return None if scale is None else with_numbers(scale, data)


def _chosen(config: ExperimentConfig, pairs: ContrastSet) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The scores of other tools and our own measures that are requested; without a request, all scores."""
    if not config.measures:
        return (pairs.names if config.preset is None else ()), ()
    ours = tuple(name for name in config.measures if not matched([name], pairs.names))
    if not pairs.texts and pairs.labels is None:
        _check_known(ours, pairs, "measures")
    return matched(config.measures, pairs.names), ours


def _check_known(names: Sequence[str], pairs: ContrastSet, option: str) -> None:
    """Raise an `InputError` if an option names a score of another tool that the pairs do not have."""
    for name in [each for each in names if each not in pairs.names]:
        found = f"no columns '{name}-good' and '{name}-bad' of {setting(option, name)}"
        expected = one_of(pairs.names) if pairs.names else "scores of another tool"
        hint = f"add these columns, or correct {setting(option)}"
        raise refuse((pairs.files[0].path, 1), found, expected, hint, kind="missing")


def _measures_of_labels(config: ExperimentConfig, scale: ClassScale, *, any_read: bool) -> tuple[Measure, ...]:
    """The measures of labels, by default the usual ones on a scale."""
    chosen = [measure(name) for name in config.measures]
    name = config.preset if config.preset is not None or chosen or any_read else CANDIDATES
    if name == CANDIDATES:
        chosen += candidates(scale)
    elif name is not None:
        chosen += fitting(scale) if name == "all" else preset(name)
    for each in chosen:
        each.check(scale)
    return tuple(dict.fromkeys(chosen))


def _study_of_texts(config: ExperimentConfig, pairs: ContrastSet, progress: Progress) -> Study:
    """Texts as two systems, with a pair as an item."""
    references, *sides = pairs.texts
    items = list(map(str, range(1, len(references) + 1)))

    def texts(path: str, role: str, systems: Sequence[str], columns: Sequence[Sequence[str]]) -> InMemoryTexts:
        named = zip(systems, columns, strict=True)
        rows = [TextRow(item, cell, 0, name) for name, cells in named for item, cell in zip(items, cells, strict=True)]
        return InMemoryTexts(path, role, b"", "", rows)

    memory = (texts(OUTPUTS, "run", (GOOD_OUTPUT, BAD_OUTPUT), sides), texts(REFERENCES, "gold", ("",), (references,)))
    data = DataConfig(
        gold=REFERENCES,
        runs=(OUTPUTS,),
        task="texts",
        memory=memory,
        tokenizer=config.data.tokenizer,
        lexicon=config.data.lexicon,
    )
    return read_study(replace(config, data=data), progress=progress)


def score_labels(measures: Sequence[Measure], scale: ClassScale, labels: Indices) -> Scores:
    """Scores of a data set with the good label of a pair and with the bad one in its place, (M, 2, N).

    labels: gold, good and bad, (3, N). The other items have their good labels.
    """
    classes = len(scale)
    gold, good, bad = labels
    counts = np.bincount(gold * classes + good, minlength=classes**2).astype(np.float64)
    kinds, which = np.unique((gold * classes + good) * classes + bad, return_inverse=True)
    refuse_long_work(
        3.0 * len(measures) * len(kinds) * classes**2,
        f"{pluralize(len(kinds), 'different pair')} of {pluralize(classes, 'class', 'classes')}, "
        f"scored by {pluralize(len(measures), 'measure')}",
        "merge classes, or take a random sample of the pairs",
    )
    step = max(1, _CELLS_AT_ONCE // classes**2)
    scores = np.empty((len(measures), 1 + len(kinds)))
    scores[:, 0] = _score(measures, scale, counts[np.newaxis])[:, 0]
    for begin in range(0, len(kinds), step):
        before, new = np.divmod(kinds[begin : begin + step], classes)
        changed, rows = np.tile(counts, (len(before), 1)), np.arange(len(before))
        changed[rows, before] -= 1
        changed[rows, before // classes * classes + new] += 1
        scores[:, 1 + begin : 1 + begin + step] = _score(measures, scale, changed)
    return np.stack([np.broadcast_to(scores[:, :1], (len(measures), len(gold))), scores[:, 1:][:, which]], axis=1)


def _score(measures: Sequence[Measure], scale: ClassScale, counts: Scores) -> Scores:
    """Scores (M, n) of flat confusion counts, (n, C²)."""
    stacked = counts.reshape(-1, len(scale), len(scale))
    scores = [round_to_grid(each(stacked, scale), each.unit(scale)) for each in measures]
    return np.array(scores).reshape(len(measures), len(stacked))
