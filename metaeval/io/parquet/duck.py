"""DuckDB as a reader uses it: within a memory limit, spilling to a folder that is gone afterwards; extra `big`."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError
from metaeval.io.files.interrupts import Interrupts, interrupts

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_OF_THREAD = 128 << 20
"""Bytes with which a thread of DuckDB can work."""

_UNKNOWN_RAM = 4 << 30
_MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What reading may take.

    memory: bytes, None for half of what the machine has. shares: how many connections at a time have to do with that;
    None for one, which may have all threads of the machine, where others take one each.
    """

    memory: int | None = None
    shares: int | None = None

    @property
    def bytes(self) -> int:
        """Of one connection."""
        return (_half_of_ram() if self.memory is None else self.memory) // (self.shares or 1)

    @property
    def threads(self) -> int:
        """Of one connection: not more than can work within its bytes."""
        most = 1 if self.shares is not None else os.cpu_count() or 1
        return max(1, min(most, self.bytes // _OF_THREAD))

    def shared(self, shares: int) -> Limits:
        """Of each of so many connections."""
        return Limits(self.memory, shares)

    def check(self) -> None:
        """Raise an `InputError` where that is too little to work with."""
        if self.bytes >= _OF_THREAD:
            return
        shares = self.shares or 1
        share = f" for each of {shares} workers" if shares > 1 else ""
        fewer = "share the work among fewer --workers, " if shares > 1 else ""
        enough = shares * _OF_THREAD // _MEGABYTE
        raise InputError.at(
            found=f"{self.bytes // _MEGABYTE} MB of memory for DuckDB{share}",
            expected=f"at least {_OF_THREAD // _MEGABYTE} MB",
            hint=f"{fewer}say --memory {enough}MB or more, or --engine memory where the data are small",
        )


class Connection:
    """A connection to DuckDB that Ctrl-C interrupts whatever it is doing."""

    def __init__(self, inner: duckdb.DuckDBPyConnection, kept: Interrupts) -> None:
        self._inner = inner
        self._kept = kept
        kept.stop = inner.interrupt

    def execute(self, query: str) -> Connection:
        """Run a query; what it finds is to be fetched next."""
        self._kept.through(self._inner.execute, query)
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows that were found."""
        return self._kept.through(self._inner.fetchall)

    def fetchnumpy(self) -> dict[str, NDArray[Any]]:
        """The columns that were found, which are numbers."""
        columns: dict[str, Any] = self._kept.through(self._inner.fetchnumpy)
        return columns

    def batches(self, query: str, rows: int) -> Iterator[list[NDArray[Any]]]:
        """The columns that a query finds, about so many rows at a time."""
        reader = self._kept.through(lambda: self._inner.sql(query).to_arrow_reader(rows))
        while (batch := self._kept.through(_next_batch, reader)) is not None:
            yield batch


def _next_batch(reader: pa.RecordBatchReader) -> list[NDArray[Any]] | None:
    import duckdb
    import pyarrow as pa

    try:
        return [np.asarray(column) for column in reader.read_next_batch().columns]
    except StopIteration:
        return None
    except (OSError, pa.ArrowException) as error:
        # So Arrow passes on what DuckDB says.
        raise duckdb.Error(str(error)) from None


@contextmanager
def connected(limits: Limits) -> Iterator[Connection]:
    """A connection of its own; a missing package is an `InputError`, and so is whatever DuckDB can't do."""
    limits.check()
    with interrupts() as kept:
        try:
            kept.through(_import_packages)
        except ImportError:
            raise InputError.at(
                found="Parquet data for DuckDB, and no package that reads them",
                expected="duckdb and pyarrow",
                hint="pip install 'metaeval[big]', or say --engine memory where they are single files, and small",
            ) from None
        folders: list[str] = []
        try:
            kept.through(lambda: folders.append(mkdtemp(prefix="metaeval-")))
            with _told(limits), kept.through(_opened, limits, folders[0]) as inner:
                yield Connection(inner, kept)
        finally:
            for folder in folders:
                kept.through(shutil.rmtree, folder, ignore_errors=True)


def _import_packages() -> None:
    import duckdb  # noqa: F401
    import pyarrow  # noqa: F401 (reads schemas and hands over codes)


def _opened(limits: Limits, folder: str) -> duckdb.DuckDBPyConnection:
    import duckdb

    # No progress bar and no extension from the network: the bar is ours, and Parquet is built in.
    settings: dict[str, str | bool | int] = {
        "memory_limit": f"{limits.bytes // _MEGABYTE}MiB",
        "threads": limits.threads,
        "temp_directory": str(Path(folder)),
        "autoinstall_known_extensions": False,
    }
    connection = duckdb.connect(config={**settings})
    connection.execute("SET enable_progress_bar = false")
    return connection


@contextmanager
def _told(limits: Limits) -> Iterator[None]:
    """Tell what DuckDB can't do as an `InputError`."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise _error(" ".join(str(error).split()), limits) from None


def _error(said: str, limits: Limits) -> InputError:
    # What it advises is about settings that nobody can reach here.
    shown = f"({said.partition(' Possible solutions')[0][:300]})"
    if "No space left" in said or "max_temp_directory_size" in said:
        return InputError.at(
            found=f"no room for what DuckDB spills {shown}",
            expected="a temporary folder on a disk with room",
            hint="name another folder with the environment variable TMPDIR, or let it take more --memory",
        )
    if "Out of Memory" in said:
        megabytes = limits.bytes // _MEGABYTE
        return InputError.at(
            found=f"data for which DuckDB needs more memory than the {megabytes} MB that it may take {shown}",
            expected="more memory",
            hint=f"say more, as in --memory {2 * (limits.shares or 1) * megabytes}MB",
        )
    return InputError.at(
        found=f"data that DuckDB can't read {shown}",
        expected="whole Parquet files",
        hint="write the file again, or leave it out",
    )


def identifier(name: str) -> str:
    """A name of a column or table as SQL."""
    return '"' + name.replace('"', '""') + '"'


def path_pattern(path: str) -> str:
    """The pattern of paths that only this one fits; to DuckDB every path is a pattern.

    >>> path_pattern("r[1].parquet")
    'r[[]1].parquet'
    """
    return re.sub(r"[*?\[]", lambda found: f"[{found[0]}]", path)


def literal(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def _half_of_ram() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN_RAM
