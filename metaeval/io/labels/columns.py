"""Labels as they are in a file, and which columns of a table of labels are systems."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metaeval.errors import (
    InputError,
    Problem,
    ambiguous,
    did_you_mean,
    missing_column,
    raise_any,
    refuse,
    repeated,
    setting,
    unknown,
)
from metaeval.io.files.columns import row_numbers
from metaeval.io.files.roles import (
    GOLD,
    ITEM,
    LABEL,
    PREDICTION,
    PROBABILITY,
    SCORE,
    SYSTEM,
    TEXT,
    VOTE,
    Role,
    is_id,
    only_column,
    two_of,
)
from metaeval.io.files.source import InMemorySource, Lines, lines_at


@dataclass(frozen=True)
class Columns:
    """Names of the columns of tidy and wide files; None stands for the usual names.

    label: of labels, texts or scores, in gold and runs. clusters: columns of clusters, which are neither systems nor
    measures. replicates: column of the runs of a system in a table of scores. classes: the declared ones, which are not
    headers. gold, prediction: of labels or texts, in gold and in runs. system: of the names of systems.
    """

    id: str | None = None
    label: str | None = None
    clusters: tuple[str, ...] = ()
    replicates: str | None = None
    classes: tuple[str, ...] = ()
    gold: str | None = None
    prediction: str | None = None
    system: str | None = None

    @property
    def names(self) -> frozenset[str]:
        """The columns that have a role because the user named them."""
        names = (self.id, self.label, self.replicates, self.gold, self.prediction, self.system, *self.clusters)
        return frozenset(name for name in names if name is not None)

    def with_label(self, label: str) -> Columns:
        """The same, with a column of labels where the user named none; '' for the default names."""
        return replace(self, label=label) if label and self.label is None else self


class Renaming:
    """Replaces labels of files by others, and knows which names occurred."""

    def __init__(self, names: Mapping[str, str] | None) -> None:
        self.names = names or {}
        self._seen: dict[str, None] = {}

    def texts(self, labels: Sequence[str]) -> Sequence[str]:
        """The labels with new names."""
        if not self.names:
            return labels
        self._seen |= dict.fromkeys(labels)
        return [self.names.get(label, label) for label in labels]

    def file(self, content: RawLabelFile) -> RawLabelFile:
        """The content of a file with new names of labels."""
        if not self.names:
            return content
        same = {id(raw): replace(raw, labels=self.texts(raw.labels)) for raw in (content.gold, *content.runs) if raw}
        gold = None if content.gold is None else same[id(content.gold)]
        return replace(content, gold=gold, runs=tuple(same[id(run)] for run in content.runs))

    def check(self) -> None:
        """Raise an `InputError` for names that occurred in no file."""
        option, labels = setting("map_labels"), sorted(filter(None, self._seen))
        raise_any([unknown(f"label in {option}", name, labels) for name in self.names if name not in self._seen])


@dataclass(frozen=True, eq=False)
class RawLabels:
    """The labels of gold or of one system, or its numbers as text; a system without errors is not gold.

    path: of the file, for messages. system: its name; '' if the name of the file is to be used. ids: of the rows; None
    in a file without ids, whose rows are in the order of gold. labels: of the rows, '' if missing. lines: of the rows.
    column: the name of the column in a file with a column for each system, else ''.
    """

    path: str
    system: str
    ids: Sequence[str] | None
    labels: Sequence[str]
    lines: Lines
    column: str = ""

    def subset(self, rows: Sequence[int], ids: Sequence[str]) -> RawLabels:
        """The labels of some of the rows; ids: of all rows."""
        labels = [self.labels[row] for row in rows]
        return replace(self, ids=[ids[row] for row in rows], labels=labels, lines=lines_at(self.lines, rows))


@dataclass(frozen=True)
class RawLabelFile:
    """The content of one file.

    gold: its gold labels, or None. runs: its systems. faults: problems in spite of which it can be read, to be reported
    together with later ones. notes: on columns that are ignored.
    """

    gold: RawLabels | None
    runs: tuple[RawLabels, ...]
    faults: tuple[InputError, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class InMemoryLabels(InMemorySource):
    """Gold and systems passed as Python objects, a label or a number for each item."""

    labels: RawLabelFile


def repeated_ids(ids: Sequence[str], lines: Lines, path: str) -> list[Problem]:
    """A problem for each repeated id; empty ids do not count."""
    if len(set(ids)) == len(ids):
        return []
    every = lines()
    return [
        repeated("id", ids[row], every[before], hint="").at(path, every[row])
        for row, before in repetitions(ids)
        if ids[row]
    ]


def repetitions(keys: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """The position of each key that occurred before, and of its first occurrence.

    >>> list(repetitions("abba"))
    [(2, 1), (3, 0)]
    """
    first: dict[Hashable, int] = {}
    for position, key in enumerate(keys):
        before = first.setdefault(key, position)
        if before != position:
            yield position, before


@dataclass(frozen=True)
class LabelColumns:
    """The columns of a table of labels.

    id: of the ids; None where the rows are in the order of gold. gold: of gold labels. label: of the labels of one
    system; None in a table with a column for each system. systems: these columns. row_numbers: columns that are
    ignored. unread: the other columns that are not read. fault: two columns that may have the labels of one system.
    """

    id: str | None
    gold: str | None
    label: str | None
    systems: tuple[str, ...]
    row_numbers: tuple[str, ...]
    unread: tuple[str, ...]
    fault: InputError | None = None

    @property
    def roles(self) -> dict[Role, str]:
        """The columns of ids, gold and one system by their roles."""
        alone = self.gold is None or self.label is None
        roles = {ITEM: self.id, GOLD: self.gold, PREDICTION: self.label}
        return {role: name for role, name in roles.items() if name and not (alone and LABEL.is_usual(name))}

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(name for name in (self.id, self.gold, self.label, *self.systems) if name is not None)


def label_columns(
    path: str,
    header: Sequence[str],
    columns: Columns,
    *,
    is_gold: bool,
    numeric: bool = False,
    index: Sequence[str] = (),
) -> LabelColumns:
    """The columns of a header by their roles; an `InputError` if two may have one, or a named one is missing.

    is_gold: whether the file is named as gold. numeric: whether systems predict numbers. index: columns of the index of
    a data frame.

    >>> label_columns("a.csv", ["", "id", "prediction", "text"], Columns(), is_gold=False).label
    'prediction'
    >>> label_columns("a.csv", ["id", "gold", "bert", "svm"], Columns(), is_gold=True).systems
    ('bert', 'svm')
    """
    _check_named(path, header, columns, is_gold=is_gold)
    numbers = row_numbers(header, columns.names, index=[name for name in index if not VOTE.among([name])])
    free = [name for name in header if name not in (*numbers, *columns.names)]
    item = columns.id or ITEM.column(free, path)
    free = [name for name in free if name != item]
    golds, labels, predictions = _candidates(free, header, columns, numeric=numeric)
    label_names = {*golds, *labels, *predictions}
    systems = tuple(name for name in free if name not in label_names and not _is_about_items(name))
    gold = only_column(golds, path, option=GOLD.option)
    if gold is None and (is_gold or (numeric and predictions)):
        gold = only_column(labels, path, option=GOLD.option)
    if gold is None and is_gold and not systems and len(predictions) == 1:
        gold = predictions[0]
    others = [*predictions, *([] if is_gold and predictions else labels)]
    if labels and not is_gold and not columns.names:
        others += filter(PREDICTION.may_be, systems)
    others = [name for name in others if name != gold]
    if others or gold in labels:
        systems = ()
    is_both = is_gold and gold is not None and bool(others)
    if item is None and (systems or not ({*free} <= label_names or is_both)):
        raise missing(path, header, ITEM.option, "id")
    has_texts = SYSTEM.among(free) and TEXT.among(free)
    if gold is None and not others and (not systems or has_texts):
        raise missing(path, header, LABEL.option, "label")
    read = {item, gold, *others[:1], *systems, *numbers, *columns.clusters}
    return LabelColumns(
        id=item,
        gold=gold,
        label=others[0] if others else None,
        systems=systems,
        row_numbers=numbers,
        unread=tuple(name for name in header if name not in read),
        fault=two_of(others, path, option=PREDICTION.option) if len(others) > 1 else None,
    )


def _candidates(
    free: Sequence[str], header: Sequence[str], columns: Columns, *, numeric: bool
) -> tuple[list[str], list[str], list[str]]:
    """The columns that may have gold labels, labels and predictions; free: those without another role."""
    if columns.label is not None:
        return [], [columns.label], []
    golds = GOLD.among(free) if columns.gold is None or columns.gold not in header else [columns.gold]
    if columns.prediction is not None and columns.prediction in header:
        # A column of labels beside a named one of predictions is gold.
        return golds or LABEL.among(free), [], [columns.prediction]
    predictions = [*(SCORE.among(free) if numeric else ()), *PREDICTION.among(free)]
    return golds, LABEL.among(free), predictions


def _check_named(path: str, header: Sequence[str], columns: Columns, *, is_gold: bool) -> None:
    """Raise an `InputError` for a column that the user named and that a file of gold, or of runs, lacks."""
    label_column = (GOLD.option, columns.gold) if is_gold else (PREDICTION.option, columns.prediction)
    for option, name in ((ITEM.option, columns.id), (LABEL.option, columns.label), label_column):
        if name is not None and name not in header:
            raise missing(path, header, option, name, is_named=True)


def _is_about_items(name: str) -> bool:
    """Whether a column has texts, probabilities or other ids, and no labels."""
    return is_id(name) or any(role.among([name]) or role.may_be(name) for role in (TEXT, PROBABILITY))


def missing(path: str, header: Sequence[str], option: str, *names: str, is_named: bool = False) -> InputError:
    """The error for columns that the header lacks; option: the setting that names them. is_named: whether it does."""
    has_texts = not is_named and bool(TEXT.among(header)) and not LABEL.among(header)
    remedy = f"name a column of the header with {setting(option)}"
    if not is_named:
        remedy = f"name the column with {setting(option)}, or add it"
    if SCORE.among(header) and not is_named:
        remedy = f"for numbers that systems predict use {setting('task', 'scores')}; otherwise {remedy}"
    unnamed = row_numbers(header)[:1] if option == ITEM.option and not is_named else ()
    if unnamed:
        remedy = f"if the column of row numbers has the ids, set {setting(option, unnamed[0])}"
    if unnamed == ("",):
        remedy = "if the column without a name has the ids, write the name id above it"
    if not is_named and len(header) == 2 and not VOTE.among(header):
        remedy += "; to a file without a header add the line id,label"
    if option == LABEL.option and is_named:
        apart = f"{setting('gold_column')} and {setting('prediction_column')}"
        remedy = f"name the columns of gold and of runs apart, with {apart}"
    return InputError(
        [missing_column(header, name, "").at(path, 1) for name in names],
        hints=[did_you_mean(names[0], header) or remedy, hint_of_texts() if has_texts else ""],
    )


def hint_of_texts() -> str:
    """The remedy for a file of texts that was named as one of labels."""
    return f"for texts use {setting('task', 'texts')}"


def check_case(path: str, header: Sequence[str], layout: LabelColumns) -> None:
    """Reject a column that differs only in case, which DuckDB ignores, from one that is read."""
    for other, before in repetitions([name.casefold() for name in header]):
        if header[before] != header[other] and not {*layout.read}.isdisjoint((header[before], header[other])):
            raise refuse((path, 1), ambiguous(header[before], header[other]))
