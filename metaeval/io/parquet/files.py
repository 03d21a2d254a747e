"""Which Parquet files paths mean: themselves, or all below a folder."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from metaeval.errors import Gathered, InputError
from metaeval.io.files.run_files import exists, expanded, is_folder
from metaeval.io.files.source import STANDARD_INPUT

_SUFFIX = ".parquet"


def parquet_bytes(gold: str, runs: Sequence[str]) -> int | None:
    """The size of the files that gold and runs mean, where all of them are Parquet; else None."""
    found = _all_files(gold, runs)
    return sum(file.stat().st_size for files in found for file in files) if all(found) else None


def parquet_cells(gold: str, runs: Sequence[str]) -> int:
    """How many cells the Parquet files have that gold and runs mean, which their size tells little of.

    Files that can't be read have none here; what is wrong with them is for their reader to tell.
    """
    return sum(map(_cells, {file for files in _all_files(gold, runs) for file in files}))


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


def _all_files(gold: str, runs: Sequence[str]) -> list[list[Path]]:
    """The files of gold, and those of each path that a run means."""
    return [_parquet_files(path) for path in (gold, *(path for run in runs for path in _meant(run)))]


def check_all_parquet(gold: str, runs: Sequence[str]) -> None:
    """Raise an `InputError` with all that is no Parquet of what gold and runs mean."""
    gathered = Gathered()
    for path in (gold, *(path for run in runs for path in _meant(run))):
        with gathered.errors():
            existing_files(path)
    gathered.raise_any()


def partitioned(gold: str, runs: Sequence[str]) -> str | None:
    """What can't be read a file a system: gold that is a folder, or a run that is a named folder or one of folders."""
    if is_folder(gold):
        return gold
    named = (run.partition("=")[2] for run in runs if not exists(run))
    of_folders = (path for run in runs for path in _meant(run) if _has_folders(path))
    return next((path for path in named if is_folder(path)), None) or next(of_folders, None)


def _has_folders(path: str) -> bool:
    return is_folder(path) and any(file.parent != Path(path) for file in _parquet_files(path))


def _meant(run: str) -> list[str]:
    """The paths that a run means: itself, those of a pattern, or that of 'name=path'."""
    if exists(run):
        return [run]
    return (expanded(run) if glob.has_magic(run) else []) or [run.partition("=")[2] or run]


def existing_files(path: str) -> list[Path]:
    """The Parquet files that a path means, in the order of their names; an `InputError` where there is none."""
    files = _parquet_files(path)
    if files:
        return files
    if is_folder(path):
        found, hint = "a folder without a Parquet file", "check the path"
    elif path == STANDARD_INPUT:
        found, hint = "standard input, where DuckDB reads files", "save it to a file"
    elif exists(path):
        found = "a file that is no Parquet, which is all that DuckDB reads here"
        hint = "leave --engine out, or write all files as Parquet"
    else:
        found, hint = "no such file", "check the path"
    raise InputError.at(path, found=found, expected=f"a file ending in {_SUFFIX}, or a folder of them", hint=hint)


def _parquet_files(path: str) -> list[Path]:
    """The Parquet files that a path means, in the order of their names; none where it means others."""
    place = Path(path)
    if path == STANDARD_INPUT or not exists(path):
        return []
    if place.is_dir():
        below = sorted(file for file in place.rglob(f"*{_SUFFIX}") if file.is_file())
        return [
            file for file in below if not any(part.startswith((".", "_")) for part in file.relative_to(place).parts)
        ]
    return [place] if place.is_file() and place.suffix.lower() == _SUFFIX else []
