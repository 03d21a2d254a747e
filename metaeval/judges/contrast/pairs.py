"""Contrast sets: tables with a row for each pair of a good and a bad output, and what is wrong with the bad one.

    item,phenomenon,good,bad,reference       texts, compared with a reference
    item,phenomenon,gold,good,bad            labels
    item,phenomenon,NAME-good,NAME-bad       scores that another tool gave both sides

`severity` and a column of clusters are optional. The columns of ACES, DEMETR and RewardBench are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.analyses.sentences import join_names
from metaeval.arrays import Indices, Scores
from metaeval.config import DataConfig
from metaeval.digits import finite
from metaeval.errors import (
    Gathered,
    InputError,
    Problem,
    empty,
    missing_column,
    one_of,
    pluralize,
    refuse,
    repeated,
    setting,
    unknown,
)
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
    REPLICATE,
    SYSTEM,
)
from metaeval.io.files.run_files import SystemChoice, reject_repeated_files
from metaeval.io.files.source import SourceFiles
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale, rising_numbers
from metaeval.stats.intervals import defined_mean

if TYPE_CHECKING:
    from pandas import DataFrame, Series


GOLD, SEVERITY, DOCUMENT = "gold", "severity", "document"
_GROUP, _RUN = "(group)", "(run)"
"""Columns of the frame of pairs that no file has."""

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
    scores, names: of other tools, good and bad ones, (M, 2, N), and what they are called. runs: the same of each
    repeated run, (R, M, 2, N), NaN where a run lacks the pair; their means are `scores`. groups: the level of each
    pair; empty without a column of groups. keys: of the cluster of each pair, the same
    in all levels, (N,); empty where no cluster has two pairs.
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
    runs: Scores = field(default_factory=lambda: np.empty((0, 0, 2, 0)))
    groups: tuple[str, ...] = ()
    keys: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    def __len__(self) -> int:
        return len(self.phenomenon)

    @property
    def levels(self) -> dict[str, ContrastSet]:
        """The pairs of each level of the groups, as of a file of their own."""
        names = np.array(self.groups)
        return {name: self.select(np.flatnonzero(names == name)) for name in dict.fromkeys(self.groups)}

    def select(self, rows: Indices) -> ContrastSet:
        """Some of the pairs."""
        import pandas

        phenomenon, codes = pandas.factorize(self.phenomenon[rows])
        occurs = np.isin(np.arange(len(self.severities)), self.severity[rows])
        # The last code, −1, is that of pairs without a severity.
        new_codes = np.append(np.cumsum(occurs) - 1, -1)
        clusters = self.clusters
        if clusters is not None:
            clusters = _unless_single(Clusters.of(clusters.column, [*map(str, clusters.item_codes[rows])]), len(rows))
        return replace(
            self,
            phenomena=tuple(self.phenomena[code] for code in codes),
            phenomenon=phenomenon,
            clusters=clusters,
            severities=tuple(name for name, has in zip(self.severities, occurs.tolist(), strict=True) if has),
            severity=new_codes[self.severity[rows]],
            texts=tuple([texts[row] for row in rows.tolist()] for texts in self.texts),
            labels=None if self.labels is None else self.labels[:, rows],
            scores=self.scores[:, :, rows],
            runs=self.runs[..., rows] if len(self.runs) else self.runs,
            groups=(),
            keys=self.keys[rows] if len(self.keys) else self.keys,
        )


def read_contrasts(data: DataConfig, settings: ContrastSettings, scale: ClassScale | None) -> ContrastSet:
    """Read a contrast set of one or several files; all problems of the files are one `InputError`.

    scale: of labels; None for texts and scores.
    """
    import pandas

    reject_repeated_files(settings.pairs)
    sources, problems, replicates = SourceFiles(data.open), Gathered(), settings.replicates
    tables: list[TableColumns] = []
    for path in settings.pairs:
        with problems.errors():
            tables.append(TableColumns.read(sources.open(path, "contrasts"), omit=[replicates] if replicates else []))
    problems.raise_any()
    parts: list[DataFrame] = []
    for table in tables:
        with problems.errors():
            parts.append(_read_pairs(table, settings, scale, data.systems))
    problems.raise_any()
    for table, part in zip(tables, parts, strict=True):
        for name in sorted({*part} ^ {*parts[0]}):
            hint = "analyse the files one by one, or add the column"
            found = f"column '{name}' in one of {table.path} and {tables[0].path}"
            raise refuse((table.path, 1), found, "the same columns in all files", hint, kind="conflict")
    frame = pandas.concat(parts, keys=range(len(parts)))
    left_out: tuple[str, ...] = ()
    if data.systems:
        names = frame[SYSTEM.names[0]].tolist()
        systems, left_out = data.systems.of(names), data.systems.notes(names)
        frame = frame[[name in systems for name in names]]
    names = [name.removesuffix(OF_SIDES[0]) for name in map(str, frame) if name.endswith(OF_SIDES[0])]
    every, frame = frame, frame if replicates is None else _first_of_runs(frame, tables)
    scores = _scores_of_runs(every, frame, names) if replicates is not None else _scores_of(frame, names)[np.newaxis]
    phenomenon, phenomena = pandas.factorize(frame["phenomenon"])
    severities = tuple(name.strip() for name in (settings.severities or "").split("<") if name.strip())
    severity = frame.get(SEVERITY, pandas.Series("", frame.index))
    # As in the data of WMT, where they are Major and Minor.
    lower = severity.str.casefold()
    severity = severity.mask(lower.isin(() if severities else SEVERITIES), lower)
    order = _severity_order(severity, severities, tables)
    notes = [*sources.notes, *dict.fromkeys(note for table in tables for note in table.notes()), *left_out]
    if unchecked := sum(map(len, tables)) - sum(map(len, parts)):
        why = "whose text could not be changed ('pert_check' is false)"
        notes.append(f"{pluralize(unchecked, 'pair')} left out, {why}")
    if "good" in frame and (same := int((frame["good"] == frame["bad"]).sum())):
        notes.append(f"{pluralize(same, 'pair')} with the same output on both sides: every measure ties")
    reference = REFERENCE.names[0]
    if reference in frame:
        is_reference = frame["bad"] == frame[reference]
        phenomenon_names = join_names(list(frame["phenomenon"][is_reference].drop_duplicates()))
        if phenomenon_names:
            pairs = pluralize(int(is_reference.sum()), "pair")
            notes.append(f"{pairs} whose bad output is the reference, which is no error ({phenomenon_names})")
    clusters = _clusters(frame, settings.clusters, tables)
    return ContrastSet(
        phenomena=tuple(phenomena),
        phenomenon=phenomenon,
        clusters=clusters,
        severities=order,
        severity=pandas.Index(order).get_indexer(pandas.Index(severity)),
        texts=tuple(list(frame[role]) for role in (reference, "good", "bad")) if reference in frame else (),
        labels=np.array([frame[role] for role in (GOLD, "good", "bad")]) if GOLD in frame else None,
        scores=defined_mean(scores),
        names=tuple(names),
        files=sources.files,
        notes=tuple(notes),
        runs=scores if len(scores) > 1 else np.empty((0, 0, 2, 0)),
        groups=() if settings.group is None else tuple(frame[_GROUP]),
        keys=np.empty(0, dtype=np.intp) if clusters is None else clusters.item_codes,
    )


def _first_of_runs(frame: DataFrame, tables: Sequence[TableColumns]) -> DataFrame:
    """The first row of each pair of repeated runs; two rows of one run are an `InputError`."""
    if "item" not in frame:
        hint = "add the column, so that pairs of different runs are known to be the same"
        raise refuse((tables[0].path, 1), missing_column(tables[0].header, ITEM.names[0], hint))
    again = frame.index[frame.duplicated([*_key_of_pair(frame), _RUN])]
    problems = [
        repeated("pair", frame["item"][file, row], where=f" in run '{frame[_RUN][file, row]}'").at(
            tables[file].path, tables[file].lines[row]
        )
        for file, row in again.tolist()
    ]
    if problems:
        raise InputError(problems)
    return frame[~frame.duplicated(_key_of_pair(frame))]


def _key_of_pair(frame: DataFrame) -> list[str]:
    """The columns that are the same in all runs of a pair."""
    return [name for name in map(str, frame) if name != _RUN and not name.endswith(OF_SIDES)]


def _scores_of_runs(frame: DataFrame, pairs: DataFrame, names: Sequence[str]) -> Scores:
    """The scores of each repeated run of all pairs, (R, M, 2, N), NaN where a run lacks the pair; pairs: their rows."""
    keys = _key_of_pair(frame)
    pair = frame.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    run = frame[_RUN].astype("category").cat.codes.to_numpy()
    scores = np.full((int(run.max()) + 1, len(names), 2, len(pairs)), np.nan)
    scores[run, :, :, pair] = np.moveaxis(_scores_of(frame, names), 2, 0)
    return scores


def _scores_of(frame: DataFrame, names: Sequence[str]) -> Scores:
    """The scores of other tools, (M, 2, rows)."""
    scores = [frame[name + end].to_numpy(np.float64) for name in names for end in OF_SIDES]
    return np.array(scores, dtype=np.float64).reshape(len(names), 2, len(frame))


def _read_pairs(
    table: TableColumns, settings: ContrastSettings, scale: ClassScale | None, systems: SystemChoice
) -> DataFrame:
    """The pairs of a file: phenomenon, and if there are any item, system, document or other clusters, and severity.

    Good and bad are codes of labels beside a column gold, or texts beside a column reference; scores of other tools are
    in NAME-good and NAME-bad. Empty names, unknown labels and scores that are no numbers are an `InputError`.
    """
    import pandas

    sides = {"good": table.find(GOOD), "bad": table.find(BAD)}
    cluster = settings.clusters
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
    roles = ((_GROUP, GROUP, settings.group), (_RUN, REPLICATE, settings.replicates))
    columns |= {key: table.filled(table.need(role, column)) for key, role, column in roles if column is not None}
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
        for end, suffix in zip(OF_SIDES, ends, strict=True):
            if f"{name}{suffix}" not in table.header:
                hint = "add the column, or rename the other one"
                raise refuse((table.path, 1), missing_column(table.header, f"{name}{suffix}", hint))
            columns[f"{name}{end}"] = f"{name}{suffix}"
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
    severities, names = declared or SEVERITIES, list(first)
    if not declared and None not in map(finite, names) and rising_numbers(in_order := sorted(names, key=float)):
        return tuple(in_order)
    wrong = first[~first.isin(severities)]
    if len(wrong):
        problems = [
            unknown("severity", name, severities).at(tables[file].path, tables[file].lines[row])
            for (file, row), name in zip(wrong.index.tolist(), wrong, strict=True)
        ]
        order, others = [name for name in severities if name in names], ", ".join(sorted({*wrong}))
        hint = f"list the severities from mild to severe, with < between them, in {setting('severities')}: {others}"
        if order:
            # Not in an order that only looks complete: of it depends what the losses show.
            hint = f"insert {others} into {setting('severities', '<'.join(order))}, or leave out what is no severity"
        raise InputError(problems, hints=[hint])
    return tuple(name for name in severities if name in names)


def _clusters(frame: DataFrame, cluster: str | None, tables: Sequence[TableColumns]) -> Clusters | None:
    """The clusters of the pairs; None if each pair is one."""
    column = next((name for name in (cluster or DOCUMENT, "item") if name in frame), None)
    if column is None:
        return None
    for file, row in frame.index[frame[column] == ""]:
        hint = f"name another column in {setting('clusters')}, or fill this one"
        raise refuse((tables[file].path, tables[file].lines[row]), empty(column, hint=hint))
    return _unless_single(Clusters.of(column, list(frame[column])), len(frame))


def _unless_single(clusters: Clusters, pairs: int) -> Clusters | None:
    """The clusters of so many pairs; None if each pair is an item of its own."""
    return clusters if len(clusters.sizes) < pairs or clusters.column != "item" else None
