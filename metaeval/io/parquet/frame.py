"""Parquet tables, with the extra `parquet`."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, Problem
from metaeval.io.files.delimited import Rows, reject_twice
from metaeval.io.files.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

NULLS = "nothing"
_LABEL_KINDS = frozenset({NULLS, "texts", "whole numbers", "truth values", "bytes", "floating-point numbers"})
"""Kinds of columns that may contain labels."""


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
        Problem(f"column '{name}' of {kinds[name]}", "texts or whole numbers", path)
        for name in labels
        if kinds.get(name, NULLS) not in _LABEL_KINDS
    ]
    if problems:
        raise InputError(problems, hints=["write labels as texts, or leave out a column without labels"])


@dataclass(frozen=True)
class ParquetPart(Source):
    """Some rows of the files of a table, counted from 0 over all of them, in ascending order."""

    files_of_table: tuple[str, ...]
    rows: NDArray[np.intp]
    suffix = ".parquet"

    @classmethod
    def of(cls, path: str, files: Iterable[str], rows: Sequence[int] | NDArray[np.intp]) -> ParquetPart:
        """Rows of the table of a path."""
        return cls(path, "", b"", "", tuple(files), np.array(rows, dtype=np.intp))

    def batches(self) -> Iterator[tuple[pa.Schema, pa.Table]]:
        """The rows, a few thousand of a file at a time."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        first = 0
        for name in self.files_of_table:
            with pq.ParquetFile(name, pre_buffer=False) as file:
                schema = file.schema_arrow
                yield schema, schema.empty_table()
                for group in range(file.num_row_groups):
                    end = first + file.metadata.row_group(group).num_rows
                    if np.searchsorted(self.rows, first) < np.searchsorted(self.rows, end):
                        for batch in file.iter_batches(row_groups=[group], use_threads=False):
                            places = self.rows[slice(*np.searchsorted(self.rows, [first, first + len(batch)]))]
                            yield schema, pa.Table.from_batches([batch]).take(places - first)
                            first += len(batch)
                    first = end


def read_parquet(source: Source) -> Rows:
    """The rows of a Parquet file, every cell as text; lines are row numbers.

    A file that is not Parquet and a missing package are `InputError`s.
    """
    try:
        from pyarrow import ArrowException
    except ImportError:
        raise InputError.at(
            source.path_or_name,
            found="a Parquet file, but the package that reads it is not installed",
            expected="pyarrow",
            hint="pip install 'metaeval[parquet]'",
        ) from None
    try:
        body: list[tuple[str, ...]] = []
        for schema, table in source.batches() if isinstance(source, ParquetPart) else _whole(source.content):
            reject_twice(schema.names, source.path_or_name)
            frame = table.to_pandas(use_threads=False, types_mapper=_nullable_types().get)
            # `astype` also decodes bytes.
            texts = frame.astype(object).where(frame.notna(), "").astype(str)
            body += zip(*(texts[name].tolist() for name in frame.columns), strict=True)
    except (OSError, ValueError, ArrowException) as error:
        found, hint = f"a Parquet file that cannot be read ({error})", "write it again"
        raise InputError.at(source.path_or_name, found=found, expected="a complete Parquet file", hint=hint) from None
    if isinstance(source, ParquetPart):
        rows: Sequence[int] = (source.rows + 1).tolist()
    elif not body:
        raise InputError.at(source.path_or_name, found="a table without rows", expected="a row for every item")
    else:
        rows = range(1, len(body) + 1)
    header, kinds = tuple(map(str, frame.columns)), {field.name: kind_of_column(field.type) for field in schema}
    return Rows(source.path_or_name, header, body, lambda: rows, kinds=kinds)


def _whole(content: bytes) -> Iterator[tuple[pa.Schema, pa.Table]]:
    import pyarrow.parquet as pq

    # Threads of Arrow that still read ahead when an error is told can abort the process as it exits.
    file = pq.ParquetFile(io.BytesIO(content), pre_buffer=False)
    yield file.schema_arrow, file.read(use_threads=False)


def _nullable_types() -> dict[pa.DataType, Any]:
    """Types of pandas in which integers with a missing value stay integers; with the default ones 1 becomes 1.0."""
    import pyarrow as pa
    from pandas.api.types import pandas_dtype

    whole = [f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)]
    numbers = {getattr(pa, name.lower())(): pandas_dtype(name) for name in (*whole, "Float32", "Float64")}
    return {**numbers, pa.bool_(): pandas_dtype("boolean")}


def column_names(path: str) -> list[str]:
    """The names of the columns of a Parquet file that has been read, without its rows."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return list(file.schema_arrow.names)
