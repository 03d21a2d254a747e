"""Tables in Parquet files: one file, a folder of partitions, or a file for each system.

wide       id,gold,bert,svm    one file, or a folder of files with the same columns
tidy       id,label            one file or one folder a system; hive folders (system=bert) bear its name
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metaeval.errors import Gathered, InputError, Problem, did_you_mean
from metaeval.io.dataset import check_names, left_out_note, no_gold_labels
from metaeval.io.files.run_files import RunFile, find_run_files, is_gold, system_name
from metaeval.io.labels.raw_labels import Columns
from metaeval.io.labels.tidy import GOLD_COLUMN
from metaeval.io.parquet.files import existing_files
from metaeval.model.report import SourceFile

if TYPE_CHECKING:
    import pyarrow as pa

_ROW_NUMBERS = re.compile(r"__index_level_\d+__")
_NOTHING = "nothing"
LABEL_KINDS = frozenset({_NOTHING, "texts", "whole numbers", "truth values", "bytes", "floating-point numbers"})
"""Kinds of columns that labels can be in."""


@dataclass(frozen=True)
class ParquetTable:
    """Files with the same columns that are read as one table.

    path: as the user named it. files: sorted by name. rows: of all files. id: the column of ids. gold: the column of
    gold labels or None. systems: the column of each system. kinds: the `_kind` of each column. blanks: whether ids
    begin or end with blanks that are to be stripped.
    """

    path: str
    files: tuple[str, ...]
    rows: int
    id: str
    gold: str | None
    systems: dict[str, str]
    kinds: dict[str, str]
    blanks: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns of labels, each once: gold first, then those of the systems."""
        return tuple(dict.fromkeys(filter(None, [self.gold, *self.systems.values()])))


@dataclass(frozen=True)
class ParquetData:
    """Gold and the tables of systems; notes: on ignored files."""

    gold: ParquetTable
    runs: tuple[ParquetTable, ...]
    notes: tuple[str, ...]

    @property
    def tables(self) -> tuple[ParquetTable, ...]:
        """All tables, gold first."""
        return (self.gold, *self.runs)

    @property
    def systems(self) -> tuple[str, ...]:
        """Their names, in the order of the columns."""
        return tuple(name for table in self.tables for name in table.systems)

    @property
    def paths(self) -> tuple[str, ...]:
        """Where each system was found."""
        return tuple(table.path for table in self.tables for _ in table.systems)

    def source_files(self) -> tuple[SourceFile, ...]:
        """What the provenance says of them."""
        gold = [_source_file(file, "gold") for file in self.gold.files]
        others = dict.fromkeys(file for table in self.runs for file in table.files if file not in self.gold.files)
        return (*gold, *(_source_file(file, "run") for file in others))


def find_tables(gold: str, runs: Sequence[str], columns: Columns) -> ParquetData:
    """The tables of gold and runs; their problems are one `InputError`."""
    gathered = Gathered()
    found: list[ParquetTable] = []
    gold_table = None
    with gathered.errors():
        gold_table = _gold_table(gold, columns)
    run_files, notes = find_run_files(runs, gold=gold, in_folder=lambda path, _: ([path], []))
    for file in run_files:
        with gathered.errors():
            found += _run_tables(file, gold, columns)
    gathered.raise_any()
    assert gold_table is not None
    beside = gold_table.systems
    if beside and found and all(table.path != gold for table in found):
        notes = (*notes, left_out_note(gold, list(beside)))
    if found:
        # A file that is gold and a run is read once.
        of_gold = [table.systems for table in found if table.path == gold]
        gold_table = replace(gold_table, systems={name: each[name] for each in of_gold for name in each})
        found = [table for table in found if table.path != gold]
    check_names([(name, table.path) for table in (gold_table, *found) for name in table.systems])
    return ParquetData(gold_table, tuple(found), notes)


def _gold_table(path: str, columns: Columns) -> ParquetTable:
    table = _table(path, existing_files(path), columns, system_name(path), of_gold=True)
    if table.gold is None:
        raise no_gold_labels(path)
    return table


def _run_tables(run: RunFile, gold: str, columns: Columns) -> list[ParquetTable]:
    """The tables of a run: one, or one a system where a folder holds tidy files."""
    files = existing_files(run.path)
    tidy = _label_column(_schema_and_rows(files[0])[0], columns) is not None
    groups = {run.system: files} if run.named or not (tidy and Path(run.path).is_dir()) else _by_system(run.path, files)
    tables = []
    for system, of_system in groups.items():
        # Gold that lies among the runs of a folder is none of them; whoever names it means it.
        among = Path(run.path).is_dir() and not Path(gold).is_dir()
        of_system = [file for file in of_system if not among or not is_gold(file, gold)]
        if not of_system:
            continue
        path = run.path if len(groups) == 1 else str(Path(run.path) / of_system[0].relative_to(run.path).parts[0])
        table = _table(path, of_system, columns, system, of_gold=False)
        if run.named and len(table.systems) > 1:
            raise InputError.at(
                path,
                found=f"one name, '{run.system}', for {len(table.systems)} systems",
                expected="no name for a table with a column a system",
            )
        if not table.systems:
            raise InputError.at(path, found="no system's column", expected="a column of predictions")
        renamed = dict(zip([run.system], table.systems.values(), strict=True)) if run.named else table.systems
        tables.append(replace(table, systems=renamed))
    return tables


def _by_system(folder: str, files: Sequence[Path]) -> dict[str, list[Path]]:
    """Tidy files by their system: the name of a file, or of the first folder below `folder` ('system=bert': bert).

    A folder that is called so itself is one system.
    """
    groups: dict[str, list[Path]] = {}
    if "=" in Path(folder).name:
        return {Path(folder).name.rpartition("=")[2]: list(files)}
    for file in files:
        first = file.relative_to(folder).parts[0]
        groups.setdefault(first.rpartition("=")[2] if first != file.name else system_name(str(file)), []).append(file)
    return groups


def _table(path: str, files: Sequence[Path], columns: Columns, system: str, *, of_gold: bool) -> ParquetTable:
    schema = _schema_and_rows(files[0])[0]
    # What pandas wrote of its own: the numbers of rows.
    names = [name for name in schema.names if not _ROW_NUMBERS.fullmatch(name)]
    _reject_alike(path, names)
    id_column = columns.id or "id"
    if id_column not in names:
        raise _no_column(path, names, id_column, "id", columns)
    label = _label_column(schema, columns)
    if columns.label is not None and label is None:
        raise _no_column(path, names, columns.label, "label", columns)
    gold = GOLD_COLUMN if GOLD_COLUMN in names else None
    if label is not None:
        # Gold called 'gold' may stand beside the one system called 'label'.
        beside = of_gold and gold is not None and columns.label is None
        systems = {system: label} if beside or not of_gold else {}
        gold = gold if gold is not None and columns.label is None else label
    else:
        systems = {name: name for name in names if name not in (id_column, GOLD_COLUMN)}
    rows, kinds = _checked_rows(path, files, schema)
    table = ParquetTable(path, tuple(map(str, files)), rows, id_column, gold, systems, kinds)
    _reject_no_labels(table)
    return table


def _label_column(schema: pa.Schema, columns: Columns) -> str | None:
    name = columns.label or "label"
    return name if name in schema.names else None


def _no_column(path: str, names: Sequence[str], name: str, kind: str, columns: Columns) -> InputError:
    named = name in (columns.id, columns.label)
    own = f"name {'a column of the table' if named else 'the column'} with --{kind}-column"
    shown = ",".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return InputError.at(
        path, found=f"columns '{shown}'", expected=f"a column '{name}'", hint=did_you_mean(name, names) or own
    )


def _checked_rows(path: str, files: Sequence[Path], schema: pa.Schema) -> tuple[int, dict[str, str]]:
    """The rows of all files, and the kind of each column; partitions with other columns are an `InputError`."""
    rows, problems = 0, []
    kinds = dict.fromkeys(schema.names, _NOTHING)
    for file in files:
        own, count = _schema_and_rows(file)
        rows += count
        missing = [name for name in schema.names if name not in own.names]
        more = [name for name in own.names if name not in schema.names]
        found = {name: _kind(own.field(name).type) for name in schema.names if name in own.names}
        other = [name for name, kind in found.items() if _NOTHING not in (kind, kinds[name]) and kind != kinds[name]]
        if missing or more or other:
            said = [
                *(f"without column '{name}'" for name in missing[:3]),
                *(f"with column '{name}'" for name in more[:3]),
                *(f"with {found[name]} in column '{name}', and not {kinds[name]}" for name in other[:3]),
            ]
            problems.append(Problem(f"a partition {', '.join(said)}", f"the columns of {files[0]}", str(file)))
        kinds |= {name: kind for name, kind in found.items() if kinds[name] == _NOTHING}
    if problems:
        raise InputError(
            problems,
            hints=["write all partitions with the same columns, or name the files of different systems one by one"],
        )
    if not rows:
        raise InputError.at(path, found="a table without rows", expected="a row for every item")
    return rows, kinds


def _kind(kind: pa.DataType) -> str:
    """What a column holds, in one word where labels can be such; of two types of a kind a label is written alike."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _kind(kind.value_type)
    kinds = {
        _NOTHING: pa.types.is_null,
        "texts": lambda each: (
            pa.types.is_string(each) or pa.types.is_large_string(each) or pa.types.is_string_view(each)
        ),
        "whole numbers": pa.types.is_integer,
        "truth values": pa.types.is_boolean,
        "floating-point numbers": lambda each: pa.types.is_float32(each) or pa.types.is_float64(each),
        "bytes": lambda each: pa.types.is_binary(each) or pa.types.is_large_binary(each),
    }
    return next((name for name, fits in kinds.items() if fits(kind)), str(kind))


def _reject_no_labels(table: ParquetTable) -> None:
    """Raise where a column of labels holds what the reader in memory may write in another way."""
    strange = [name for name in table.labels if table.kinds[name] not in LABEL_KINDS]
    if strange:
        raise InputError(
            [
                Problem(f"column '{name}' of {table.kinds[name]}", "texts or whole numbers", table.path)
                for name in strange
            ],
            hints=["write labels as texts; if it holds no labels, leave the column out"],
        )


def _reject_alike(path: str, names: Sequence[str]) -> None:
    """Raise where names of columns differ in case only, which DuckDB takes for one."""
    first: dict[str, str] = {}
    alike = [(first[name.casefold()], name) for name in names if first.setdefault(name.casefold(), name) != name]
    if alike:
        raise InputError(
            [
                Problem(f"columns '{one}' and '{other}'", "names that differ in more than case", path)
                for one, other in alike
            ],
            hints=["rename one of them, or say --engine memory"],
        )


def _schema_and_rows(file: Path) -> tuple[pa.Schema, int]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as opened:
            return opened.schema_arrow, opened.metadata.num_rows
    except (OSError, ValueError, pa.ArrowException) as error:
        said = str(error).splitlines()[0]
        raise InputError.at(
            file, found=f"a Parquet file that can't be read ({said})", expected="a whole Parquet file"
        ) from None


def _source_file(path: str, role: str) -> SourceFile:
    with Path(path).open("rb") as opened:
        return SourceFile(path, role, hashlib.file_digest(opened, "sha256").hexdigest())
