"""Parquet tables, with the extra `parquet`."""

from __future__ import annotations

import glob
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metaeval.errors import (
    Gathered,
    InputError,
    empty,
    importing,
    no_rows,
    raise_any,
    refuse,
    setting,
    unreadable,
    wrong_type,
)
from metaeval.io.files.delimited import Rows, reject_twice
from metaeval.io.files.json import cell_of
from metaeval.io.files.run_files import exists, expanded, is_folder
from metaeval.io.files.source import STANDARD_INPUT, Source, without_marks

if TYPE_CHECKING:
    import pyarrow as pa


NULLS = "nothing"
_LABEL_KINDS = frozenset({NULLS, "texts", "whole numbers", "truth values", "bytes", "floating-point numbers"})
"""Kinds of columns that may contain labels."""


class UnreadableData(InputError):
    """Parquet that an engine cannot decode."""


def kind_of_column(kind: pa.DataType) -> str:
    """The kind of a column in words; labels of types of the same kind are written in the same way."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return kind_of_column(kind.value_type)
    kinds = {
        NULLS: (pa.types.is_null,),
        "texts": (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
        "whole numbers": (pa.types.is_integer,),
        "truth values": (pa.types.is_boolean,),
        "floating-point numbers": (pa.types.is_float32, pa.types.is_float64),
        "bytes": (pa.types.is_binary, pa.types.is_large_binary),
    }
    return next((name for name, checks in kinds.items() if any(check(kind) for check in checks)), str(kind))


def check_kinds(path: str, kinds: Mapping[str, str], labels: Iterable[str]) -> None:
    """Reject columns of labels of other kinds, which have no one form as text."""
    problems = [
        wrong_type(f"column '{name}' of {kinds[name]}", "", "texts or whole numbers").at(path)
        for name in labels
        if kinds.get(name, NULLS) not in _LABEL_KINDS
    ]
    raise_any(problems, "write labels as texts, or leave out a column without labels")


@dataclass(frozen=True)
class ParquetFiles(Source):
    """The files of a table, whose rows are counted over all of them."""

    files_of_table: tuple[str, ...]
    suffix = ".parquet"


def read_parquet(source: Source) -> Rows:
    """The rows of a Parquet file, every cell as text; lines are row numbers.

    A file that is not Parquet and a missing package are `InputError`s.
    """
    with importing("a Parquet file", "pyarrow", "parquet", path=source.path_or_name):
        from pyarrow import ArrowException, types
    columns: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    index: tuple[str, ...] = ()
    try:
        for schema, table in _tables(source):
            reject_twice(schema.names, source.path_or_name)
            # With the metadata of pandas, columns of the index would be missing.
            frame = table.to_pandas(use_threads=False, types_mapper=_nullable_types().get, ignore_metadata=True)
            # Objects because before version 3 of pandas NaN is a value in columns of `Float64`; `str` decodes bytes.
            cells = frame.astype(object)
            texts = cells.where(cells.notna(), "").astype(str)
            for name in [field.name for field in schema if types.is_nested(field.type)]:
                texts[name] = list(map(cell_of, table.column(name).to_pylist()))
            index = index_of(schema)
            kinds |= {field.name: kind_of_column(field.type) for field in schema}
            columns = columns or {name: [] for name in frame.columns}
            for name, column in columns.items():
                column += without_marks(texts[name].tolist())
    except (OSError, ValueError, ArrowException) as error:
        raise refuse(source.path_or_name, unreadable("Parquet", error, "write the file again")) from None
    length = len(next(iter(columns.values()), ()))
    if not length:
        raise refuse(source.path_or_name, no_rows())
    return Rows(source.path_or_name, columns, lambda: range(1, length + 1), kinds=kinds, index=index)


def index_of(schema: pa.Schema) -> tuple[str, ...]:
    """The columns that pandas wrote for the index of a data frame."""
    try:
        columns = json.loads((schema.metadata or {})[b"pandas"])["index_columns"]
    except (KeyError, ValueError, TypeError):
        return ()
    return tuple(column for column in columns if isinstance(column, str))


def _tables(source: Source) -> Iterator[tuple[pa.Schema, pa.Table]]:
    """The schema and the content of each file."""
    import pyarrow.parquet as pq

    for file in source.files_of_table if isinstance(source, ParquetFiles) else (io.BytesIO(source.content),):
        # Threads of Arrow that still read ahead when an error is told can abort the process as it exits.
        with pq.ParquetFile(file, pre_buffer=False) as parquet:
            table = parquet.read(use_threads=False)
            clean_table = table.rename_columns(without_marks(table.column_names))
            yield clean_table.schema.with_metadata(table.schema.metadata), clean_table


def _nullable_types() -> dict[pa.DataType, Any]:
    """Types of pandas in which integers with a missing value stay integers; with the default ones 1 becomes 1.0."""
    import pyarrow as pa
    from pandas.api.types import pandas_dtype

    whole = [f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)]
    numbers = {getattr(pa, name.lower())(): pandas_dtype(name) for name in (*whole, "Float32", "Float64")}
    return {**numbers, pa.bool_(): pandas_dtype("boolean")}


def column_names(path: str) -> list[str]:
    """The names of the columns of a Parquet file that has been read, without its rows."""
    with importing("a Parquet file", "pyarrow", "parquet", path=path):
        import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return without_marks(file.schema_arrow.names)


_SUFFIX = ".parquet"


def parquet_bytes(gold: str, runs: Sequence[str]) -> int | None:
    """The size of the files of gold and runs if all of them are Parquet, else None."""
    files_of = all_files(gold, runs)
    return sum(file.stat().st_size for files in files_of for file in files) if all(files_of) else None


def parquet_cells(gold: str, runs: Sequence[str]) -> int:
    """The number of cells of the Parquet files of gold and runs; 0 for files that cannot be read."""
    return sum(map(_cells, {file for files in all_files(gold, runs) for file in files}))


def _cells(file: Path) -> int:
    with importing("a Parquet file", "pyarrow", "parquet", path=str(file)):
        import pyarrow as pa
        import pyarrow.parquet as pq
    try:
        metadata = pq.read_metadata(file)
    except (OSError, ValueError, pa.ArrowException):
        return 0
    return int(metadata.num_rows * metadata.num_columns)


def all_files(gold: str, runs: Sequence[str]) -> list[list[Path]]:
    """The files of each path."""
    return [_parquet_files(path) for path in _paths(gold, runs)]


def check_all_parquet(gold: str, runs: Sequence[str]) -> None:
    """Reject all paths of gold and runs that are not Parquet."""
    problems = Gathered()
    for path in _paths(gold, runs):
        with problems.errors():
            existing_files(path)
    problems.raise_any()


def partitioned(gold: str, runs: Sequence[str]) -> str | None:
    """The first path that is not one file for each system: gold as a folder, or a named or nested folder as a run."""
    if is_folder(gold):
        return gold
    paths = (run.partition("=")[2] for run in runs if not exists(run))
    nested = (path for run in runs for path in _paths_of_run(run) if _has_folders(path))
    return next((path for path in paths if is_folder(path)), None) or next(nested, None)


def _has_folders(path: str) -> bool:
    return is_folder(path) and any(file.parent != Path(path) for file in _parquet_files(path))


def _paths(gold: str, runs: Sequence[str]) -> list[str]:
    return [gold, *(path for run in runs for path in _paths_of_run(run))]


def _paths_of_run(run: str) -> list[str]:
    """The paths of a run: itself, those that match a pattern, or that of 'name=path'."""
    if exists(run):
        return [run]
    return (expanded(run) if glob.has_magic(run) else []) or [run.partition("=")[2] or run]


def existing_files(path: str) -> list[Path]:
    """The Parquet files of a path, in the order of their names; none is an `InputError`."""
    files = _parquet_files(path)
    if files:
        return files
    expected, hint = f"a file ending in {_SUFFIX}, or a folder of them", "check the path"
    if is_folder(path):
        problem = empty("Parquet file in this folder", expected, hint)
    elif path == STANDARD_INPUT or exists(path):
        hint = f"leave out {setting('engine', 'duckdb')}, or write all files as Parquet"
        problem = wrong_type(
            "standard input" if path == STANDARD_INPUT else "a file that is not Parquet", "", expected, hint
        )
    else:
        problem = empty("such file", expected, hint)
    raise refuse(path, problem)


def _parquet_files(path: str) -> list[Path]:
    """The Parquet files of a path, in the order of their names."""
    entry = Path(path)
    if path == STANDARD_INPUT or not exists(path):
        return []
    if entry.is_dir():
        below = sorted(file for file in entry.rglob(f"*{_SUFFIX}") if file.is_file())
        return [
            file for file in below if not any(part.startswith((".", "_")) for part in file.relative_to(entry).parts)
        ]
    return [entry] if entry.is_file() and entry.suffix.lower() == _SUFFIX else []
