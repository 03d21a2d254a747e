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
from typing import TYPE_CHECKING

from metaeval.errors import InputError

if TYPE_CHECKING:
    import duckdb

_LEAST = 256 << 20
"""Below this DuckDB can hardly work."""

_UNKNOWN_RAM = 4 << 30


@dataclass(frozen=True)
class Limits:
    """What reading may take: bytes of memory, None for half of what the machine has."""

    memory: int | None = None

    @property
    def bytes(self) -> int:
        """The limit in bytes."""
        return max(_LEAST, _half_of_ram() if self.memory is None else self.memory)


@contextmanager
def connected(limits: Limits) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection of its own; a missing package is an `InputError`, and so is whatever DuckDB can't do."""
    try:
        import duckdb
        import pyarrow  # noqa: F401 (reads schemas and hands over codes)
    except ImportError:
        raise InputError.at(
            found="Parquet data for DuckDB, and no package that reads them",
            expected="duckdb and pyarrow",
            hint="pip install 'metaeval[big]', or say --engine memory where the data are small",
        ) from None
    folder = mkdtemp(prefix="metaeval-")
    # No progress bar and no extension from the network: the bar is ours, and Parquet is built in.
    settings: dict[str, str | bool] = {
        "memory_limit": f"{limits.bytes >> 20}MiB",
        "temp_directory": str(Path(folder)),
        "autoinstall_known_extensions": False,
    }
    try:
        with duckdb.connect(config={**settings}) as connection:
            connection.execute("SET enable_progress_bar = false")
            yield connection
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        raise _told(error) from None
    except RuntimeError as error:
        # So it tells of Ctrl-C from within a query.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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


def _told(error: Exception) -> InputError:
    import duckdb

    said = " ".join(str(error).split())
    memory = isinstance(error, duckdb.OutOfMemoryException)
    return InputError.at(
        found=f"data that DuckDB can't read ({said[:300]})",
        expected="whole Parquet files" if not memory else "enough memory",
        hint="raise --memory" if memory else "write the file again, or leave it out",
    )


def _half_of_ram() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN_RAM
