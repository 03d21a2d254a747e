"""DuckDB connections with a memory limit that spill to a temporary folder; needs the extra `big`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.config.experiment import half_of_ram
from metaeval.errors import MEGABYTE, InputError, importing, refuse, setting, unreadable
from metaeval.io.files.source import Interrupts, TemporaryFolder, delayed_interrupts
from metaeval.io.parquet import UnreadableData

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_BYTES_PER_THREAD = 128 * MEGABYTE
"""Memory that a thread of DuckDB needs."""


@dataclass(frozen=True)
class Limits:
    """Memory and threads for reading.

    memory: bytes, None for half of the memory of the machine. shares: the number of simultaneous connections that share
    it, with one thread each; None for a single connection with all threads of the machine.
    """

    memory: int | None = None
    shares: int | None = None

    @property
    def bytes(self) -> int:
        """Memory of one connection."""
        return (half_of_ram() if self.memory is None else self.memory) // (self.shares or 1)

    @property
    def threads(self) -> int:
        """Threads of one connection, as many as its memory allows."""
        most = 1 if self.shares is not None else os.cpu_count() or 1
        return max(1, min(most, self.bytes // _BYTES_PER_THREAD))

    def share(self, shares: int) -> Limits:
        """The limits of each of several connections."""
        return Limits(self.memory, shares)

    def check(self) -> None:
        """Raise an `InputError` if the memory is too small."""
        if self.bytes >= _BYTES_PER_THREAD:
            return
        shares = self.shares or 1
        share = f" for each of {shares} workers" if shares > 1 else ""
        enough = setting("memory", f"{shares * _BYTES_PER_THREAD // MEGABYTE}MB")
        hint = f"use {enough} or more, or fewer {setting('workers')}" if shares > 1 else f"use {enough} or more"
        found = f"{self.bytes // MEGABYTE} MB of memory for DuckDB{share}"
        expected = f"at least {_BYTES_PER_THREAD // MEGABYTE} MB"
        raise refuse(None, found, expected, f"{hint}, or {setting('engine', 'memory')} for small data", kind="memory")


class Connection:
    """A connection to DuckDB whose queries Ctrl-C interrupts."""

    def __init__(self, inner: duckdb.DuckDBPyConnection, interrupts: Interrupts) -> None:
        self._inner = inner
        self._interrupts = interrupts
        interrupts.stop = inner.interrupt

    def execute(self, query: str) -> Connection:
        """Run a query, whose result is to be fetched next."""
        self._interrupts.call(self._inner.execute, query)
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows of the result."""
        return self._interrupts.call(self._inner.fetchall)

    def fetchnumpy(self) -> dict[str, NDArray[Any]]:
        """The columns of the result, which are numbers."""
        columns: dict[str, Any] = self._interrupts.call(self._inner.fetchnumpy)
        return columns

    def number(self, query: str) -> int:
        """The single number that a query returns."""
        return int(self.execute(query).fetchall()[0][0])

    def register(self, name: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Make arrays the columns of a table."""
        import pyarrow as pa

        self._interrupts.call(self._inner.register, name, pa.table(dict(columns)))

    def batches(self, query: str, rows: int) -> Iterator[list[NDArray[Any]]]:
        """The columns of the result of a query, about `rows` rows at a time."""
        reader = self._interrupts.call(lambda: self._inner.sql(query).to_arrow_reader(rows))
        while (batch := self._interrupts.call(_next_batch, reader)) is not None:
            yield batch


def _next_batch(reader: pa.RecordBatchReader) -> list[NDArray[Any]] | None:
    import duckdb
    import pyarrow as pa

    try:
        return [np.asarray(column) for column in reader.read_next_batch().columns]
    except StopIteration:
        return None
    except (OSError, pa.ArrowException) as error:
        # Arrow passes on the message of DuckDB.
        raise duckdb.Error(str(error)) from None


@contextmanager
def connected(limits: Limits) -> Iterator[Connection]:
    """A separate connection; missing packages and errors of DuckDB are `InputError`s."""
    limits.check()
    with delayed_interrupts() as interrupts:
        with importing("large Parquet data", "duckdb and pyarrow", "big"):
            interrupts.call(_import_packages)
        folder = TemporaryFolder()
        try:
            with _duckdb_errors(limits), interrupts.call(_connect, limits, folder.create()) as inner:
                yield Connection(inner, interrupts)
        finally:
            interrupts.stop = lambda: None
            interrupts.call(folder.remove)


def _import_packages() -> None:
    import duckdb  # noqa: F401
    import pyarrow  # noqa: F401 (reads schemas and passes codes)


def _connect(limits: Limits, folder: Path) -> duckdb.DuckDBPyConnection:
    import duckdb

    # No progress bar and no extension from the network: metaeval shows its own bar, and Parquet is built in.
    settings: dict[str, str | bool | int] = {
        "memory_limit": f"{limits.bytes // MEGABYTE}MiB",
        "threads": limits.threads,
        "temp_directory": str(folder),
        "autoinstall_known_extensions": False,
    }
    connection = duckdb.connect(config={**settings})
    connection.execute("SET enable_progress_bar = false")
    # The statistics of Parquet files leave NaN out, and with them conditions on NaN become constants.
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    return connection


@contextmanager
def _duckdb_errors(limits: Limits) -> Iterator[None]:
    """Turn errors of DuckDB into `InputError`s."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise _error(" ".join(str(error).split()), limits) from None


def _error(message: str, limits: Limits) -> InputError:
    # The advice of DuckDB is about settings that users of metaeval cannot change, and the query is not theirs.
    reason = re.split(" Possible solutions| LINE 1:", message)[0][:300]
    if "No space left" in message or "max_temp_directory_size" in message:
        hint = f"set the environment variable TMPDIR to another folder, or increase {setting('memory')}"
        return refuse(None, f"no disk space for temporary files ({reason})", "free space", hint, kind="memory")
    if "Out of Memory" in message:
        megabytes = limits.bytes // MEGABYTE
        more = setting("memory", f"{2 * (limits.shares or 1) * megabytes}MB")
        hint = f"increase the limit, as in {more}"
        return refuse(None, f"{megabytes} MB of memory for DuckDB ({reason})", "more memory", hint, kind="memory")
    return UnreadableData([unreadable("Parquet", reason, "write the file again, or leave it out")])


def with_file(error: UnreadableData, files: Iterable[Path], limits: Limits) -> UnreadableData:
    """The error of the first file that has a column that DuckDB cannot decode, or this error with all their names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = list(files)
    for file in files:
        path = literal(path_pattern(str(file)))
        try:
            with connected(limits) as connection:
                connection.execute(f"SELECT bit_xor(hash(COLUMNS(*))) FROM read_parquet({path})").fetchall()
                # What is bytes for Arrow is text for DuckDB if only one of two types in the file is broken.
                for field in pq.read_schema(file):
                    if pa.types.is_binary(field.type):
                        connection.execute(f"EXPLAIN SELECT decode({identifier(field.name)}) FROM read_parquet({path})")
        except UnreadableData as own:
            return UnreadableData([replace(own.problems[0], path=str(file))], hints=own.hints)
    return UnreadableData([replace(error.problems[0], path=" or ".join(map(str, files)))], hints=error.hints)


def identifier(name: str) -> str:
    """A name of a column or table as SQL."""
    return '"' + name.replace('"', '""') + '"'


def path_pattern(path: str) -> str:
    """The pattern that matches only this path; DuckDB treats every path as a pattern.

    >>> path_pattern("r[1].parquet")
    'r[[]1].parquet'
    """
    return re.sub(r"[*?\[]", lambda match: f"[{match[0]}]", path)


def literal(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"
