"""Contrast sets: tables with a row for each pair of a good and a bad output, and what is wrong with the bad one.

    item,phenomenon,good,bad,reference       texts, compared with a reference
    item,phenomenon,gold,good,bad            labels
    item,phenomenon,NAME-good,NAME-bad       scores that another tool gave both sides

`severity` and a column of clusters are optional. The columns of ACES are read, too: phenomena, good-translation,
incorrect-translation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, Problem, pluralize, setting, shortened
from metaeval.inference.clusters import Clusters
from metaeval.io.files.delimited import Rows, one_of_columns
from metaeval.io.files.run_files import reject_repeated_files
from metaeval.io.files.source import Open, SourceFiles
from metaeval.io.labels.codes import USABLE, Read, code_reader, one_of, read_numbers
from metaeval.io.labels.label_columns import row_numbers, row_numbers_note
from metaeval.io.scores.cells import ITEM_COLUMNS, no_column, read_table
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale, rising_numbers

PHENOMENON = ("phenomenon", "phenomena")
SIDES = (("good", "good-translation"), ("bad", "incorrect-translation"))
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
    reject_repeated_files(paths)
    sources = SourceFiles(open_file)
    gathered = Gathered()
    tables: list[Rows] = []
    for path in paths:
        with gathered.errors():
            tables.append(read_table(sources.open(path, "contrasts")))
    gathered.raise_any()
    parts = []
    for table in tables:
        with gathered.errors():
            parts.append(_Columns.of(table, scale, cluster))
            parts[-1].check_cells()
    gathered.raise_any()
    _check_same(tables, parts)
    cells = {
        name: list(chain.from_iterable(part.cells(name) for part in parts)) for name in ("item", *parts[0].by_role)
    }
    places = [(table, row) for table in tables for row in range(len(table.body))]
    names, codes = _numbered(cells["phenomenon"])
    order = _severity_order(cells.get(SEVERITY, ()), severities, places)
    place_of = {name: place for place, name in enumerate(order)}
    labels, scale = None, parts[0].scale
    if scale is not None:
        read = code_reader(scale)
        labels = np.stack([read(cells[role])[0] for role in (GOLD, "good", "bad")]).astype(np.intp)
    scores = [[read_numbers(cells[name + end])[0] for end in OF_SIDES] for name in parts[0].scores]
    unread = (name for table in tables for name in row_numbers(table.header, (cluster,)))
    texts = (cells[REFERENCE], cells["good"], cells["bad"]) if parts[0].has_texts else ()
    return ContrastSet(
        names, codes, _clusters(parts, cells, cluster),
        order, np.array([place_of.get(cell, -1) for cell in cells.get(SEVERITY, [""] * len(codes))]),
        texts, labels, np.array(scores).reshape(len(scores), 2, len(codes)), parts[0].scores,
        sources.files, (*sources.summary, *row_numbers_note(unread), *_same_sides(cells)),
    )  # fmt: skip


@dataclass(frozen=True)
class _Columns:
    """The columns of a table. by_role: the column of each role, such as 'good'. scores: names. scale: of labels."""

    table: Rows
    by_role: Mapping[str, str]
    scores: tuple[str, ...]
    scale: ClassScale | None

    @classmethod
    def of(cls, table: Rows, scale: ClassScale | None, cluster: str | None) -> _Columns:
        header, path = table.header, table.path

        def column(names: Sequence[str], option: str = "") -> str | None:
            return one_of_columns(names, header, path, option=option)

        if cluster is not None and cluster not in header:
            raise no_column(table, cluster, "clusters", named=True)
        sides = {names[0]: column(names) for names in SIDES}
        optional = {name: name for name in (REFERENCE, GOLD, SEVERITY, cluster or DOCUMENT) if name in header}
        roles = {"phenomenon": column(PHENOMENON), "item": column(ITEM_COLUMNS, "id_column"), **sides, **optional}
        scores = tuple(name.removesuffix(OF_SIDES[0]) for name in header if name.endswith(OF_SIDES[0]))
        others = {name.removesuffix(OF_SIDES[1]) for name in header if name.endswith(OF_SIDES[1])}
        if roles["phenomenon"] is None:
            raise InputError.at(path, 1, found=f"header '{shortened(','.join(header))}'",
                                expected="a column 'phenomenon'", hint=_ROW)  # fmt: skip
        one_side = sorted(others.symmetric_difference(scores))
        if one_side:
            raise InputError.at(path, 1, found=f"scores of one side of '{one_side[0]}'",
                                expected=f"columns '{one_side[0]}-good' and '{one_side[0]}-bad'",
                                hint="add the column, or rename the other one")  # fmt: skip
        both = all(sides.values())
        of_labels = GOLD in optional and both
        if of_labels and scale is not None:
            column((GOLD, REFERENCE))
        if not (scores or (of_labels and scale is not None) or (both and REFERENCE in optional)):
            third = GOLD if GOLD in optional else REFERENCE
            missing = next((role for role in ("good", "bad", third) if {**optional, **sides}.get(role) is None), None)
            raise InputError.at(
                path, 1, found=f"header '{shortened(','.join(header))}'",
                expected=f"a column '{missing}'" if missing else f"{setting('labels')}, which declares the classes",
                hint=_ROW if missing else
                f"declare the classes, as in {setting('labels', 'disagree<discuss<agree')}",
            )  # fmt: skip
        used = {role: name for role, name in roles.items() if name is not None}
        used |= {f"{name}{end}": f"{name}{end}" for name in scores for end in OF_SIDES}
        return cls(table, used, scores, scale if of_labels else None)

    def cells(self, role: str) -> list[str]:
        """The cells of a role; without items, rows are numbered."""
        if role not in self.by_role:
            return [str(number) for number in range(1, len(self.table.body) + 1)]
        return self.table.column(self.by_role[role])

    @property
    def has_texts(self) -> bool:
        """Whether good and bad are texts with a reference."""
        return self.scale is None and {REFERENCE, "good", "bad"} <= set(self.by_role)

    def check_cells(self) -> None:
        """Raise an `InputError` for empty names, unknown labels and scores that are no numbers."""
        problems: list[tuple[int, str, str]] = []
        for role in ("phenomenon", *(["item"] if "item" in self.by_role else []), *([REFERENCE] * self.has_texts)):
            empty = (row for row, cell in enumerate(self.cells(role)) if not cell)
            problems += [(row, f"no {role}", f"the {role} in every row") for row in empty]
        for row, cell in enumerate(self.cells("phenomenon")):
            if cell in RESERVED:
                problems.append((row, f"phenomenon '{cell}'", "another name: it is that of a column of results"))
        if self.scale is not None:
            read = code_reader(self.scale)
            for role in (GOLD, "good", "bad"):
                problems += self._unusable(role, read, one_of(self.scale.labels), "label")
        for name in self.scores:
            for end in OF_SIDES:
                problems += self._unusable(f"{name}{end}", read_numbers, "a number", "score")
        if problems:
            lines, path = self.table.lines(), self.table.path
            listed = [Problem(found, expected, path, lines[row]) for row, found, expected in sorted(problems)]
            raise InputError(listed, hints=["correct these rows, or remove them"])

    def _unusable(
        self, role: str, read: Callable[[Sequence[str]], Read], expected: str, noun: str
    ) -> Iterator[tuple[int, str, str]]:
        """The rows whose cell cannot be read, what it is and what is expected."""
        cells = self.cells(role)
        _, states = read(cells)
        for row in np.flatnonzero(states != USABLE).tolist():
            found = f"{noun} '{shortened(cells[row])}'" if cells[row] else f"no {noun}"
            yield row, f"{found} under '{role}'", expected


def _check_same(tables: Sequence[Rows], parts: Sequence[_Columns]) -> None:
    """Raise an `InputError` for a file with other columns than the first."""
    for table, part in zip(tables, parts, strict=True):
        different = sorted(set(part.by_role) ^ set(parts[0].by_role))
        if different:
            raise InputError.at(
                table.path, 1, found=f"column '{different[0]}' in one of {table.path} and {tables[0].path}",
                expected="the same columns in all files", hint="analyse the files one by one, or add the column",
            )  # fmt: skip


def _numbered(cells: Iterable[str]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """The different texts in order of appearance, and the code of each."""
    codes: dict[str, int] = {}
    numbers = np.array([codes.setdefault(cell, len(codes)) for cell in cells], dtype=np.intp)
    return tuple(codes), numbers


def _severity_order(
    cells: Sequence[str], declared: Sequence[str], places: Sequence[tuple[Rows, int]]
) -> tuple[str, ...]:
    """The severities that occur, from mild to severe: as declared, as numbers, or those of MQM."""
    names, _ = _numbered(filter(None, cells))
    known = declared or SEVERITIES
    if not declared:
        # `rising_numbers` wants them in order, which is what is asked here.
        states = read_numbers(names)[1] if names else np.zeros(0)
        if not states.any() and rising_numbers(in_order := sorted(names, key=float)) is not None:
            return tuple(in_order)
    unknown = [name for name in names if name not in known]
    if unknown:
        problems = []
        for name in unknown:
            table, row = places[cells.index(name)]
            problems.append(Problem(f"severity '{shortened(name)}'", one_of(known), table.path, table.lines()[row]))
        remedy = setting("severities", "<".join(names))
        raise InputError(problems, hints=[f"declare the severities from mild to severe, as in {remedy}"])
    return tuple(name for name in known if name in names)


def _clusters(parts: Sequence[_Columns], cells: Mapping[str, Sequence[str]], cluster: str | None) -> Clusters | None:
    """The clusters of the pairs; None if each pair is its own."""
    column = next((name for name in (cluster or DOCUMENT, "item") if name in parts[0].by_role), None)
    if column is None:
        return None
    values = cells[column]
    empty = [place for place, value in enumerate(values) if not value]
    if empty:
        sizes = np.cumsum([len(part.table.body) for part in parts])
        number = int(np.searchsorted(sizes, empty[0], side="right"))
        table = parts[number].table
        row = empty[0] - (int(sizes[number - 1]) if number else 0)
        raise InputError.at(table.path, table.lines()[row], found=f"no {column}", expected=f"a {column} in every row",
                            hint=f"name another column in {setting('clusters')}, or fill this one")  # fmt: skip
    clusters = Clusters.of(column, values)
    return clusters if len(clusters.sizes) < len(values) or column != "item" else None


def _same_sides(cells: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A note on pairs with equal outputs."""
    if "good" not in cells or "bad" not in cells:
        return ()
    same = sum(good == bad for good, bad in zip(cells["good"], cells["bad"], strict=True))
    return (f"{pluralize(same, 'pair')} with the same output on both sides: every measure ties",) if same else ()
