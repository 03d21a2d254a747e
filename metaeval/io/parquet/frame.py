"""Parquet tables, with the extra `parquet`."""

from __future__ import annotations

import io

from metaeval.errors import InputError
from metaeval.io.files.delimited import Rows, reject_twice
from metaeval.io.files.source import Source


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
    import pandas
    import pyarrow.parquet as pq

    try:
        reject_twice(pq.read_schema(io.BytesIO(source.content)).names, source.path_or_name)
        # With the default types, integers with a missing value become floats: 1 would become 1.0.
        frame = pandas.read_parquet(io.BytesIO(source.content), engine="pyarrow", dtype_backend="numpy_nullable")
        header = tuple(str(name) for name in frame.columns)
        # `astype` also decodes bytes.
        texts = frame.astype(object).where(frame.notna(), "").astype(str)
    except (OSError, ValueError, ArrowException) as error:
        found = f"a Parquet file that cannot be read ({error})"
        raise InputError.at(source.path_or_name, found=found, expected="a complete Parquet file") from None
    if frame.empty:
        raise InputError.at(source.path_or_name, found="a table without rows", expected="a row for every item")
    body = list(zip(*(texts[name].tolist() for name in frame.columns), strict=True))
    return Rows(source.path_or_name, header, body, lambda: range(1, len(body) + 1))


def column_names(path: str) -> list[str]:
    """The names of the columns of a Parquet file that has been read, without its rows."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return list(file.schema_arrow.names)
