"""The Parquet files of paths: single files, or all files below a folder."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from metaeval.errors import Gathered, InputError, setting
from metaeval.io.files.run_files import exists, expanded, is_folder
from metaeval.io.files.source import STANDARD_INPUT

_SUFFIX = ".parquet"


def parquet_bytes(gold: str, runs: Sequence[str]) -> int | None:
    """The size of the files of gold and runs if all of them are Parquet, else None."""
    files_of = all_files(gold, runs)
    return sum(file.stat().st_size for files in files_of for file in files) if all(files_of) else None


def parquet_cells(gold: str, runs: Sequence[str]) -> int:
    """The number of cells of the Parquet files of gold and runs; 0 for files that cannot be read."""
    return sum(map(_cells, {file for files in all_files(gold, runs) for file in files}))


def _cells(file: Path) -> int:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return 0
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
    gathered = Gathered()
    for path in _paths(gold, runs):
        with gathered.errors():
            existing_files(path)
    gathered.raise_any()


def partitioned(gold: str, runs: Sequence[str]) -> str | None:
    """The first path that is not one file for each system: gold as a folder, or a named or nested folder as a run."""
    if is_folder(gold):
        return gold
    named = (run.partition("=")[2] for run in runs if not exists(run))
    nested = (path for run in runs for path in _paths_of_run(run) if _has_folders(path))
    return next((path for path in named if is_folder(path)), None) or next(nested, None)


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
    if is_folder(path):
        found, hint = "a folder without a Parquet file", "check the path"
    elif path == STANDARD_INPUT:
        found, hint = "standard input, but DuckDB reads files", "save it to a file"
    elif exists(path):
        found = "a file that is not Parquet"
        hint = f"leave out {setting('engine', 'duckdb')}, or write all files as Parquet"
    else:
        found, hint = "no such file", "check the path"
    raise InputError.at(path, found=found, expected=f"a file ending in {_SUFFIX}, or a folder of them", hint=hint)


def _parquet_files(path: str) -> list[Path]:
    """The Parquet files of a path, in the order of their names."""
    place = Path(path)
    if path == STANDARD_INPUT or not exists(path):
        return []
    if place.is_dir():
        below = sorted(file for file in place.rglob(f"*{_SUFFIX}") if file.is_file())
        return [
            file for file in below if not any(part.startswith((".", "_")) for part in file.relative_to(place).parts)
        ]
    return [place] if place.is_file() and place.suffix.lower() == _SUFFIX else []
