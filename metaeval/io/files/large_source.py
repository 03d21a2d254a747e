"""Files larger than memory, which are checked as a whole and then read in chunks."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from gzip import GzipFile
from io import BufferedReader
from typing import BinaryIO

from metaeval.errors import InputError
from metaeval.io.files import source
from metaeval.io.files.source import (
    GZIP_MAGIC,
    STANDARD_INPUT,
    UTF8_BOM,
    Open,
    Source,
    chunks_of,
    opened_file,
    undecodable,
    unpacked_file,
)

LARGE = 64 << 20
"""Minimum size in bytes of files that are read in chunks."""

LARGE_PACKED = LARGE // 8
"""The same for the compressed size of a .gz file."""

CHUNK = 1 << 22
"""Size of a chunk in bytes, unless one line is longer."""

_NOT_IN_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_Stamp = tuple[int, int]


@dataclass(frozen=True)
class _Survey:
    """Properties of the whole file.

    stamp: size and time of change. not_utf8: line and byte of the first error in UTF-8, or None.
    """

    stamp: _Stamp
    sha256: str
    first_byte: bytes
    has_nul: bool
    has_line_feed: bool
    not_utf8: tuple[int, int] | None
    may_be_cp1252: bool


@dataclass(frozen=True)
class LargeSource(Source):
    """A file that is read again for each use; content: empty."""

    survey: _Survey

    @property
    def is_utf8(self) -> bool:
        return self.survey.not_utf8 is None

    @property
    def first_byte(self) -> bytes:
        return self.survey.first_byte

    def text(self) -> str:
        return "".join(self.chunks())

    def chunks(self) -> Iterator[str]:
        survey = self.survey
        self._reject_unreadable(binary=survey.has_nul)
        if survey.not_utf8 is not None and not survey.may_be_cp1252:
            raise undecodable(self.path, *survey.not_utf8)
        encoding = "utf-8" if self.is_utf8 else "cp1252"
        line_end = b"\n" if survey.has_line_feed else b"\r"
        with opened_file(self.path) as file, _unpacked(file, self.path) as content:
            self._check_unchanged(file)
            for number, lines in enumerate(_whole_lines(content, line_end)):
                # Chunks are valid only if the file is still the one that was checked.
                self._check_unchanged(file)
                text = (lines if number else lines.removeprefix(UTF8_BOM)).decode(encoding)
                # The same line ends as in `Source.text`.
                yield text.replace("\r\n", "\n") if survey.has_line_feed else text.replace("\r", "\n")
            self._check_unchanged(file)

    def _check_unchanged(self, file: BufferedReader) -> None:
        if _stamp_of(file) != self.survey.stamp:
            raise InputError.at(self.path, found="it changed while it was read", expected="a file that does not change")


def or_large(open_file: Open) -> Open:
    """Opens large files as `LargeSource` and all others with `open_file`."""
    return lambda path, role: _open_large(path, role) if _is_large(path) else open_file(path, role)


def _is_large(path: str) -> bool:
    """Whether a path is a large regular file; a pipe could be read only once."""
    # Names of data in memory are in angle brackets.
    if path == STANDARD_INPUT or path.startswith("<"):
        return False
    try:
        status = os.stat(path)  # noqa: PTH116 (no error for a path too long)
        if not stat.S_ISREG(status.st_mode) or status.st_size < min(LARGE, LARGE_PACKED):
            return False
        with opened_file(path) as file:
            return status.st_size >= (LARGE_PACKED if file.read(len(GZIP_MAGIC)) == GZIP_MAGIC else LARGE)
    except (OSError, ValueError, InputError):
        # The reader reports the problem.
        return False


def _open_large(path: str, role: str) -> LargeSource:
    """Check a whole file; its problems are an `InputError` here or when its text is read."""
    with opened_file(path) as file:
        stamp = _stamp_of(file)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        with _unpacked(file, path) as content:
            at_most = source.MAX_UNPACKED if isinstance(content, GzipFile) else None
            survey = _survey(chunks_of(content, path, at_most=at_most), stamp, sha256)
    return LargeSource(path, role, b"", sha256, survey)


def _stamp_of(file: BufferedReader) -> _Stamp:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


@contextmanager
def _unpacked(file: BinaryIO, path: str) -> Iterator[BinaryIO | GzipFile]:
    """The content of a file from its beginning, unpacked if it is gzipped."""
    packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    file.seek(0)
    with unpacked_file(file, path) if packed else nullcontext(file) as content:
        yield content


def _survey(chunks: Iterable[bytes], stamp: _Stamp, sha256: str) -> _Survey:
    has_nul, has_line_feed, may_be_cp1252 = False, False, True
    first_byte = b""
    utf8 = _Utf8()
    for chunk in chunks:
        has_nul = has_nul or b"\x00" in chunk
        has_line_feed = has_line_feed or b"\n" in chunk
        may_be_cp1252 = may_be_cp1252 and (chunk.isascii() or not _NOT_IN_CP1252.search(chunk))
        first_byte = first_byte or chunk.lstrip(source.BLANKS_BEFORE_TEXT)[:1]
        utf8.read(chunk)
    utf8.read(b"", final=True)
    return _Survey(stamp, sha256, first_byte, has_nul, has_line_feed, utf8.broken, may_be_cp1252)


class _Utf8:
    """Finds the first error in UTF-8 in chunks of bytes; broken: its line and byte, or None."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._line = 1
        self.broken: tuple[int, int] | None = None

    def read(self, chunk: bytes, *, final: bool = False) -> None:
        """Check the next chunk."""
        if self.broken is not None:
            return
        try:
            self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            # `error.object` begins with an unfinished character of the previous chunk, which holds no line end.
            self.broken = self._line + error.object.count(b"\n", 0, error.start), error.object[error.start]
        self._line += chunk.count(b"\n")


def _whole_lines(file: BinaryIO | GzipFile, line_end: bytes) -> Iterator[bytes]:
    """The bytes of a file in chunks of whole lines."""
    parts: list[bytes] = []
    while chunk := file.read(CHUNK):
        end = chunk.rfind(line_end) + 1
        if end:
            yield b"".join((*parts, chunk[:end]))
            parts = [chunk[end:]] if end < len(chunk) else []
        else:
            parts.append(chunk)
    if parts:
        yield b"".join(parts)
