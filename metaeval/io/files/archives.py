"""Excel workbooks as CSV, and ZIP archives of one file; both are unpacked in memory only."""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
import zlib
from datetime import date, datetime, time

from metaeval.errors import InputError, not_installed, refuse, unreadable, wrong_count

ZIP_MAGIC = b"PK\x03\x04"
WORKBOOKS = (".xlsx", ".xlsm")
ARCHIVE = ".zip"


def only_member(stored: bytes, path: str, at_most: int) -> tuple[str, bytes]:
    """The name and the content of the only file in an archive; hidden files and those of macOS do not count."""
    try:
        with zipfile.ZipFile(io.BytesIO(stored)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir() and not _is_hidden(member)]
            if len(members) != 1:
                hint = "unpack it, and name the folder or the files in it"
                raise refuse(path, wrong_count(len(members), "file", 1, "", where=" in a ZIP archive", hint=hint))
            _check_size(members, path, at_most)
            return members[0].filename, archive.read(members[0])
    except _BROKEN as error:
        raise _unreadable("ZIP archive", error, path) from None


def workbook_text(stored: bytes, path: str, at_most: int) -> bytes:
    """The first sheet of a workbook as CSV in UTF-8, without the formulas of its cells."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise refuse(path, not_installed("an Excel workbook", "openpyxl", "excel", ", or save it as CSV")) from None
    try:
        with zipfile.ZipFile(io.BytesIO(stored)) as archive:
            _check_size(archive.infolist(), path, at_most)
        with warnings.catch_warnings(action="ignore"):
            workbook = load_workbook(io.BytesIO(stored), read_only=True, data_only=True)
            rows = [list(map(_text, row)) for row in workbook.worksheets[0].iter_rows(values_only=True)]
    except (*_BROKEN, KeyError, IndexError, ValueError, TypeError, SyntaxError) as error:
        raise _unreadable("Excel workbook", error, path) from None
    text = io.StringIO()
    width = max(map(len, rows), default=0)
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([*row, *[""] * (width - len(row))] if any(row) else [])
    return text.getvalue().encode(errors="replace")


_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)
"""What `zipfile` raises for archives that are broken, encrypted or packed by another method."""


def _unreadable(what: str, error: Exception, path: str) -> InputError:
    hint = "save the table as CSV" if what.startswith("Excel") else "write it again, without a password"
    return refuse(path, unreadable(what, error, hint))


def _is_hidden(member: zipfile.ZipInfo) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in member.filename.split("/"))


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
