"""Excel workbooks as CSV, and the files in ZIP archives, as in answers.zip/runs/bert.csv; in memory only."""

from __future__ import annotations

import csv
import hashlib
import io
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from metaeval.errors import InputError, did_you_mean, empty, importing, refuse, unreadable, wrong_count

ZIP_MAGIC = b"PK\x03\x04"
WORKBOOKS = (".xlsx", ".xlsm")
ARCHIVE = ".zip"


def archive_of(path: str) -> tuple[str, str]:
    """The ZIP archive that a path is or leads into, and the rest of the path; two empty texts for other paths."""
    parts = path.split("/") if ARCHIVE in path.lower() else []
    for end, part in enumerate(parts, start=1):
        if part.lower().endswith(ARCHIVE) and Path(archive := "/".join(parts[:end])).is_file():
            return archive, "/".join(parts[end:])
    return "", ""


def members(path: str) -> tuple[str, ...]:
    """The names of the files in an archive, sorted; none of one that cannot be read."""
    return _contents(path, *_state(path))[0]


def digest(path: str) -> str:
    """The SHA-256 of an archive."""
    return _contents(path, *_state(path))[1]


def _state(path: str) -> tuple[int, int]:
    status = Path(path).stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=1024)
def _contents(path: str, _size: int, _mtime: int) -> tuple[tuple[str, ...], str]:
    """The names and the SHA-256 of an archive: expensive for each of its files."""
    try:
        with Path(path).open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            with zipfile.ZipFile(file) as archive:
                names = (member.filename for member in archive.infolist() if not member.is_dir())
                return tuple(sorted(names, key=lambda name: name.split("/"))), sha256
    except _BROKEN:
        return (), ""


def member(archive: str | BinaryIO, name: str, path: str, at_most: int) -> tuple[str, bytes]:
    """The name and the content of a file in an archive; for '' of the only one that is no remark on the others."""
    try:
        with zipfile.ZipFile(archive) as zip_file:
            by_name = {entry.filename: entry for entry in zip_file.infolist() if not entry.is_dir()}
            _check_size([*by_name.values()], path, at_most)
            files = [file for file in by_name if not is_remark(file)]
            if not name and len(files) != 1:
                hint = f"name one of them, as in {path}/{files[0]}" if files else ""
                raise refuse(path, wrong_count(len(files), "file", 1, "", where=" in a ZIP archive", hint=hint))
            if name and name not in by_name:
                raise refuse(path, empty("such file in the ZIP archive", "one of its files", did_you_mean(name, files)))
            return name or files[0], zip_file.read(by_name[name or files[0]])
    except _BROKEN as error:
        raise _unreadable("ZIP archive", error, path) from None


def workbook_text(content: bytes, path: str, at_most: int) -> tuple[bytes, tuple[str, ...]]:
    """The first sheet with any cell of a workbook, as CSV in UTF-8 without formulas; and the names of such sheets."""
    with importing("an Excel workbook", "openpyxl", "excel", ", or save it as CSV", path=path):
        from openpyxl import load_workbook
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_size(archive.infolist(), path, at_most)
        with warnings.catch_warnings(action="ignore"):
            workbook = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            sheets = [sheet for sheet in workbook.worksheets if _has_cells(sheet.iter_rows(values_only=True))]
            rows = [list(map(_text, row)) for row in sheets[0].iter_rows(values_only=True)] if sheets else []
    except (*_BROKEN, KeyError, IndexError, ValueError, TypeError, SyntaxError) as error:
        raise _unreadable("Excel workbook", error, path) from None
    text = io.StringIO()
    width = max(map(len, rows), default=0)
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([*row, *[""] * (width - len(row))] if any(row) else [])
    return text.getvalue().encode(errors="replace"), tuple(sheet.title for sheet in sheets)


def _has_cells(rows: Iterable[Sequence[object]]) -> bool:
    return any(cell is not None for row in rows for cell in row)


_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)
"""What `zipfile` raises for archives that are broken, encrypted or packed by another method."""


def _unreadable(noun: str, error: Exception, path: str) -> InputError:
    hint = "save the table as CSV" if noun.startswith("Excel") else "write it again, without a password"
    return refuse(path, unreadable(noun, error, hint))


def is_remark(path: str) -> bool:
    """Whether a file of a folder or archive describes others, or is hidden, as what macOS adds; so is '..' and '/'."""
    *folders, name = path.split("/")
    describes = name.lower().partition(".")[0] in ("readme", "metadata") or name.lower().endswith((".md", ".pdf"))
    return describes or any(not part or part.startswith(".") or part == "__MACOSX" for part in (*folders, name))


def _check_size(members: list[zipfile.ZipInfo], path: str, at_most: int) -> None:
    """Refuse an archive that is too large unpacked; no more bytes than it says are unpacked."""
    if sum(member.file_size for member in members) > at_most:
        hint = "if the size is correct, unpack it and name the plain file"
        raise refuse(path, unreadable("archive", f"more than {at_most >> 20:,} MB unpacked", hint))


def _text(value: object) -> str:
    """A cell as text: whole numbers without a point, dates as in ISO 8601."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    return value.isoformat() if isinstance(value, (date, time)) else "" if value is None else str(value)
