"""The text of a file: plain or gzipped, a path or standard input, in whatever encoding it is likely to have."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from metaeval.errors import InputError, did_you_mean
from metaeval.model.report import SourceFile

STANDARD_INPUT = "-"
LONGEST_LINE = 256 << 20
"""Bytes. A whole JSON document may be a line; what is longer is no text, and would take many times its size to read."""

MOST_UNPACKED = 1 << 30
"""Bytes that a .gz file may grow to, in memory and unseen; a plain file may be of any size."""

_AT_ONCE = 1 << 24
_PARQUET_MAGIC = b"PAR1"
_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Source:
    """A file that was opened.

    path: as the user named it; '-' is standard input. role: 'gold', 'run' or 'config'.
    content: its bytes, unpacked where it was gzipped. sha256: of the bytes as stored.
    """

    path: str
    role: str
    content: bytes
    sha256: str

    @property
    def path_or_name(self) -> str:
        """What messages and the provenance call it."""
        return "standard input" if self.path == STANDARD_INPUT else self.path

    @property
    def file(self) -> SourceFile:
        """What the provenance says of it."""
        return SourceFile(self.path_or_name, self.role, self.sha256)

    @property
    def suffix(self) -> str:
        """The lower-case ending that tells the format: '.csv' for 'a.CSV' and for 'a.csv.gz'."""
        return Path(self.path.lower().removesuffix(".gz")).suffix

    @property
    def is_utf8(self) -> bool:
        """Whether the file is UTF-8; one that is not is read as cp1252."""
        try:
            self.content.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def text(self) -> str:
        """Its text, with line ends as in Unix and without a byte order mark.

        An empty or binary file is an `InputError`.
        """
        if not self.content or self.content.isspace():
            raise InputError.at(
                self.path_or_name,
                found="the file is empty",
                expected="data",
                hint="check that it was written to the end",
            )
        if b"\x00" in self.content:
            raise InputError.at(
                self.path_or_name,
                found="a binary file (it holds NUL bytes)",
                expected="text in UTF-8",
                hint="name a text file; save UTF-16 text as UTF-8; Parquet files end in .parquet",
            )
        text = self._decoded()
        if "\r" not in text:
            return text
        # A carriage return alone may stand inside a quoted cell; it ends lines (old Macs) where nothing else does.
        return text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")

    def _decoded(self) -> str:
        content = self.content.removeprefix(_UTF8_BOM)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as utf8_error:
            try:
                return content.decode("cp1252")
            except UnicodeDecodeError:
                raise InputError.at(
                    self.path_or_name,
                    content.count(b"\n", 0, utf8_error.start) + 1,
                    found=f"byte 0x{content[utf8_error.start]:02x}, which is neither UTF-8 nor cp1252",
                    expected="text in UTF-8",
                    hint="save the file as UTF-8",
                ) from None


Open = Callable[[str, str], Source]
"""Opens what has a path, for a role: `open_source`, or what knows of data in memory, too."""


def open_source(path: str, role: str) -> Source:
    """Read a file, or standard input for '-'; one that can't be read is an `InputError`."""
    stored = _read_standard_input() if path == STANDARD_INPUT else _read_bytes(path)
    content = _unpacked(stored, path) if stored.startswith(_GZIP_MAGIC) else stored
    return Source(path, role, content, hashlib.sha256(stored).hexdigest())


def _read_standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError.at(found="standard input is closed", expected="data", hint="send a file in, as in '- <FILE'")
    return _read_whole(sys.stdin.buffer, "standard input")


def _read_bytes(path: str) -> bytes:
    if not path:
        raise InputError.at(found="an empty path", expected="a file")
    try:
        with Path(path).open("rb") as file:
            return _read_whole(file, path)
    except FileNotFoundError:
        raise InputError.at(path, found="no such file", expected="a file that exists", hint=_near_files(path)) from None
    except IsADirectoryError:
        raise InputError.at(path, found="a folder", expected="a file") from None
    except OSError as error:
        raise InputError.at(
            path, found=f"it can't be read ({error.strerror or error})", expected="a readable file"
        ) from None
    except ValueError as error:
        # A NUL in its name, which YAML can write.
        raise InputError.at(repr(path), found=f"no name of a file ({error})", expected="a path") from None


def _read_whole(file: BinaryIO | gzip.GzipFile, path: str, *, at_most: int | None = None) -> bytes:
    """All bytes of a file, which is given up as soon as a line is longer than `LONGEST_LINE`, or all than `at_most`."""
    read = io.BytesIO()
    line = 0
    is_text = True
    while chunk := file.read(_AT_ONCE):
        if not read.tell():
            is_text = not chunk.startswith((_GZIP_MAGIC, _PARQUET_MAGIC))
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
        if is_text and line + (len(chunk) if first < 0 else first) > LONGEST_LINE:
            raise InputError.at(
                path,
                found=f"a line of more than {LONGEST_LINE >> 20} MB",
                expected="lines of text",
                hint="check that it is the right file, and that its lines end",
            )
        line = line + len(chunk) if last < 0 else len(chunk) - last - 1
        read.write(chunk)
        if at_most is not None and read.tell() > at_most:
            raise InputError.at(
                path,
                found=f"gzip data that unpack to more than {at_most >> 20:,} MB",
                expected="at most that",
                hint="if it is meant to be so large, unpack it with gunzip and name the plain file",
            )
    return read.getvalue()


def _near_files(path: str) -> str:
    folder = Path(path).parent
    if not folder.is_dir():
        return f"check the path; there is no folder '{folder}'"
    return did_you_mean(Path(path).name, [entry.name for entry in folder.iterdir()]) or "check the path"


def _unpacked(stored: bytes, path: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(stored)) as file:
            return _read_whole(file, path, at_most=MOST_UNPACKED)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError.at(
            path,
            found=f"gzip data that can't be unpacked ({error})",
            expected="a whole .gz file",
            hint="the file may be truncated; fetch or write it again",
        ) from None
