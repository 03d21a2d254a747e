"""Contrast sets: tables with a row for each pair of a good and a bad output, and what is wrong with the bad one.

    item,phenomenon,good,bad,reference       texts, compared with a reference
    item,phenomenon,gold,good,bad            labels
    item,phenomenon,NAME-good,NAME-bad       scores that another tool gave both sides

`severity` and a column of clusters are optional. The columns of ACES are read, too: phenomena, good-translation,
incorrect-translation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import (
    Gathered,
    InputError,
    Problem,
    empty,
    missing_column,
    one_of,
    pluralize,
    refuse,
    setting,
    unknown,
)
from metaeval.inference.clusters import Clusters
from metaeval.io.files.columns import (
    BAD,
    CLUSTER,
    GOLD_OR_REFERENCE,
    GOOD,
    ITEM,
    PHENOMENON,
    TableColumns,
    row_numbers,
    row_numbers_note,
)
from metaeval.io.files.run_files import reject_repeated_files
from metaeval.io.files.source import Open, SourceFiles
from metaeval.io.labels.codes import code_reader, read_numbers
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale, rising_numbers

if TYPE_CHECKING:
    from pandas import DataFrame, Series

REFERENCE, GOLD, SEVERITY, DOCUMENT = "reference", "gold", "severity", "document"
OF_SIDES = "-good", "-bad"
"""Ends of the names of columns of scores."""

SEVERITIES = ("neutral", "minor", "major", "critical")
"""Severities whose order needs no declaration: those of MQM and DEMETR."""

RESERVED = ("measure",)
"""The first column of the table with a column for each phenomenon."""

_ROW = "write columns item, phenomenon, and good, bad and reference or gold, or NAME-good and NAME-bad (scores)"


@dataclass(frozen=True)
class ContrastSet:
    """N pairs of a good and a bad output.

    phenomena, phenomenon: names in order of appearance, and the code of each pair, (N,). clusters: of the pairs; None
    if each is its own. severities, severity: names from mild to severe, and the code of each pair, −1 where it has
    none, (N,). texts: references, good and bad texts, N each. labels: codes of gold, good and bad labels, (3, N).
    scores, names: of other tools, good and bad ones, (M, 2, N), and what they are called.
    """

    phenomena: tuple[str, ...]
    phenomenon: NDArray[np.intp]
    clusters: Clusters | None
    severities: tuple[str, ...]
    severity: NDArray[np.intp]
    texts: tuple[Sequence[str], ...]
    labels: NDArray[np.intp] | None
    scores: NDArray[np.float64]
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
    open_file: Open | None = None,
) -> ContrastSet:
    """Read a contrast set of one or several files; all problems of the files are one `InputError`.

    scale: of labels; None for texts and scores. severities: their order, if they are neither numbers nor `SEVERITIES`.
    cluster: column of clusters; by default `document`, or else the item.
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
            parts.append(_read_pairs(table, scale, cluster))
    gathered.raise_any()
    for table, part in zip(tables, parts, strict=True):
        for name in sorted({*part} ^ {*parts[0]}):
            hint = "analyse the files one by one, or add the column"
            found = f"column '{name}' in one of {table.path} and {tables[0].path}"
            raise refuse((table.path, 1), found, "the same columns in all files", hint, kind="conflict")
    frame = pandas.concat(parts, keys=range(len(parts)))
    names = [name.removesuffix(OF_SIDES[0]) for name in map(str, frame) if name.endswith(OF_SIDES[0])]
    scores = [frame[name + end].to_numpy(np.float64) for name in names for end in OF_SIDES]
    phenomenon, phenomena = pandas.factorize(frame["phenomenon"])
    severity = frame.get(SEVERITY, pandas.Series("", frame.index))
    order = _severity_order(severity, severities, tables)
    unread = (name for table in tables for name in row_numbers(table.header, (cluster,)))
    notes = [*sources.summary, *row_numbers_note(unread)]
    if "good" in frame and (same := int((frame["good"] == frame["bad"]).sum())):
        notes.append(f"{pluralize(same, 'pair')} with the same output on both sides: every measure ties")
    return ContrastSet(
        phenomena=tuple(phenomena),
        phenomenon=phenomenon,
        clusters=_clusters(frame, cluster, tables),
        severities=order,
        severity=pandas.Index(order).get_indexer(pandas.Index(severity)),
        texts=tuple(list(frame[role]) for role in (REFERENCE, "good", "bad")) if REFERENCE in frame else (),
        labels=np.array([frame[role] for role in (GOLD, "good", "bad")]) if GOLD in frame else None,
        scores=np.array(scores).reshape(len(names), 2, len(frame)),
        names=tuple(names),
        files=sources.files,
        notes=tuple(notes),
    )


def _read_pairs(table: TableColumns, scale: ClassScale | None, cluster: str | None) -> DataFrame:
    """The pairs of a file: phenomenon, and if there are any item, document or other clusters, and severity.

    Good and bad are codes of labels beside a column gold, or texts beside a column reference; scores of other tools are
    in NAME-good and NAME-bad. Empty names, unknown labels and scores that are no numbers are an `InputError`.
    """
    import pandas

    sides = {"good": table.find(GOOD), "bad": table.find(BAD)}
    if cluster is not None:
        table.need(CLUSTER, cluster)
    phenomenon, item = table.need(PHENOMENON), table.find(ITEM)
    scores = _names_of_scores(table)
    labels = scale if GOLD in table.header and all(sides.values()) else None
    _check_enough(table, sides, any_scores=bool(scores), any_labels=labels is not None)
    columns: dict[str, Any] = {"phenomenon": table.filled(phenomenon, "phenomenon")}
    for row in [row for row, cell in enumerate(columns["phenomenon"]) if cell in RESERVED]:
        expected = "another name: it is that of a column of results"
        table.reject(row, Problem("phenomenon 'measure'", expected, kind="conflict"))
    if item is not None:
        columns["item"] = table.filled(item, "item")
    columns |= {name: table.texts(name) for name in (SEVERITY, cluster or DOCUMENT) if name in table.header}
    if labels is not None:
        read, expected = code_reader(labels), one_of(labels.labels)
        columns |= {role: table.values(str(name), read, expected) for role, name in {GOLD: GOLD, **sides}.items()}
    elif all(sides.values()):
        columns |= {role: table.texts(str(name)) for role, name in sides.items()}
        columns |= {REFERENCE: table.filled(REFERENCE, REFERENCE)} if REFERENCE in table.header else {}
    columns |= {f"{name}{end}": table.numbers(f"{name}{end}") for name in scores for end in OF_SIDES}
    table.raise_any("correct these rows, or remove them")
    return pandas.DataFrame(columns)


def _names_of_scores(table: TableColumns) -> list[str]:
    """The names of scores of other tools, of which both sides have a column."""
    good, bad = ([name.removesuffix(end) for name in table.header if name.endswith(end)] for end in OF_SIDES)
    for name in sorted({*good} ^ {*bad}):
        column = f"{name}{OF_SIDES[name in good]}"
        raise refuse((table.path, 1), missing_column(table.header, column, "add the column, or rename the other one"))
    return good


def _check_enough(table: TableColumns, sides: Mapping[str, str | None], *, any_scores: bool, any_labels: bool) -> None:
    """Raise an `InputError` for a table without scores, labels or texts of both sides."""
    header, path = table.header, table.path
    if any_labels:
        table.find(GOLD_OR_REFERENCE)
    if any_scores or any_labels or (all(sides.values()) and REFERENCE in header):
        return
    third = GOLD if GOLD in header else REFERENCE
    for role in ("good", "bad", third):
        if sides.get(role) is None and role not in header:
            raise refuse((path, 1), missing_column(header, role, _ROW))
    hint = f"declare the classes, as in {setting('labels', 'disagree<discuss<agree')}"
    raise refuse((path, 1), "labels without classes", setting("labels"), hint, kind="missing")


def _severity_order(cells: Series[str], declared: Sequence[str], tables: Sequence[TableColumns]) -> tuple[str, ...]:
    """The severities that occur, from mild to severe: as declared, as numbers, or those of MQM."""
    first = cells[cells != ""].drop_duplicates()
    known, names = declared or SEVERITIES, list(first)
    if not declared and not read_numbers(names)[1].any() and rising_numbers(in_order := sorted(names, key=float)):
        return tuple(in_order)
    wrong = first[~first.isin(known)]
    if len(wrong):
        problems = [
            unknown("severity", name, known).at(tables[file].path, tables[file].lines[row])
            for (file, row), name in zip(wrong.index.tolist(), wrong, strict=True)
        ]
        remedy = setting("severities", "<".join(names))
        raise InputError(problems, hints=[f"declare the severities from mild to severe, as in {remedy}"])
    return tuple(name for name in known if name in names)


def _clusters(frame: DataFrame, cluster: str | None, tables: Sequence[TableColumns]) -> Clusters | None:
    """The clusters of the pairs; None if each pair is its own."""
    column = next((name for name in (cluster or DOCUMENT, "item") if name in frame), None)
    if column is None:
        return None
    for file, row in frame.index[frame[column] == ""]:
        hint = f"name another column in {setting('clusters')}, or fill this one"
        raise refuse((tables[file].path, tables[file].lines[row]), empty(column, hint=hint))
    clusters = Clusters.of(column, list(frame[column]))
    return clusters if len(clusters.sizes) < len(frame) or column != "item" else None
