"""Files too large to be held in memory: looked through once, then read stretch by stretch."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
"""Bytes from which on a file is read in stretches."""

LARGE_PACKED = LARGE // 8
"""The same of a .gz file, as it is stored."""

STRETCH = 1 << 22
"""Bytes of a stretch, if no line is longer."""

_NOT_IN_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_Stamp = tuple[int, int]


@dataclass(frozen=True)
class _Survey:
    """What all bytes of a file have to say together.

    stamp: size and time, by which a file that changes is known. not_utf8: the line and the byte where it is no UTF-8.
    """

    stamp: _Stamp
    sha256: str
    is_blank: bool
    first_sign: bytes
    has_nul: bool
    has_line_feed: bool
    not_utf8: tuple[int, int] | None
    may_be_cp1252: bool


@dataclass(frozen=True)
class LargeSource(Source):
    """A file of which nothing is kept, and which is read again for each use; content: empty."""

    survey: _Survey

    @property
    def is_utf8(self) -> bool:
        """As of `Source`."""
        return self.survey.not_utf8 is None

    @property
    def is_blank(self) -> bool:
        """As of `Source`."""
        return self.survey.is_blank

    @property
    def first_sign(self) -> bytes:
        """As of `Source`."""
        return self.survey.first_sign

    def text(self) -> str:
        """As of `Source`, for readers that need it whole."""
        return "".join(self.stretches())

    def stretches(self) -> Iterator[str]:
        """As of `Source`. A file that has changed meanwhile is an `InputError`, too."""
        survey = self.survey
        self._reject_unreadable(binary=survey.has_nul)
        if survey.not_utf8 is not None and not survey.may_be_cp1252:
            raise undecodable(self.path, *survey.not_utf8)
        encoding = "utf-8" if self.is_utf8 else "cp1252"
        line_end = b"\n" if survey.has_line_feed else b"\r"
        with opened_file(self.path) as file, _unpacked(file, self.path) as content:
            self._check_unchanged(file)
            for number, lines in enumerate(_whole_lines(content, line_end)):
                # What was read before it changed is what was looked through.
                self._check_unchanged(file)
                text = (lines if number else lines.removeprefix(UTF8_BOM)).decode(encoding)
                # As `Source.text` has it.
                yield text.replace("\r\n", "\n") if survey.has_line_feed else text.replace("\r", "\n")
            self._check_unchanged(file)

    def _check_unchanged(self, file: BufferedReader) -> None:
        if _stamp_of(file) != self.survey.stamp:
            raise InputError.at(self.path, found="it has changed while it was read", expected="a file that stays")


def or_large(open_file: Open) -> Open:
    """What opens large files as `LargeSource`, and all others by `open_file`."""
    return lambda path, role: _open_large(path, role) if _is_large(path) else open_file(path, role)


def _is_large(path: str) -> bool:
    """Whether a path is that of a file, and no pipe, which could be read only once, and large enough."""
    # What is in memory has a name in angle brackets.
    if path == STANDARD_INPUT or path.startswith("<"):
        return False
    try:
        found = os.stat(path)  # noqa: PTH116 (no error for a path too long)
        if not stat.S_ISREG(found.st_mode) or found.st_size < min(LARGE, LARGE_PACKED):
            return False
        with opened_file(path) as file:
            return found.st_size >= (LARGE_PACKED if file.read(len(GZIP_MAGIC)) == GZIP_MAGIC else LARGE)
    except (OSError, ValueError, InputError):
        # Whoever opens it will say so.
        return False


def _open_large(path: str, role: str) -> LargeSource:
    """Look a file through; what is wrong with it as a whole is an `InputError` here or where its text is read."""
    with opened_file(path) as file:
        stamp = _stamp_of(file)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        with _unpacked(file, path) as content:
            at_most = source.MOST_UNPACKED if isinstance(content, GzipFile) else None
            survey = _look_through(chunks_of(content, path, at_most=at_most), stamp, sha256)
    return LargeSource(path, role, b"", sha256, survey)


def _stamp_of(file: BufferedReader) -> _Stamp:
    found = os.fstat(file.fileno())
    return found.st_size, found.st_mtime_ns


@contextmanager
def _unpacked(file: BinaryIO, path: str) -> Iterator[BinaryIO | GzipFile]:
    """The content of a file from its beginning, unpacked where it is gzipped."""
    packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    file.seek(0)
    if not packed:
        yield file
        return
    with unpacked_file(file, path) as content:
        yield content


def _look_through(chunks: Iterable[bytes], stamp: _Stamp, sha256: str) -> _Survey:
    is_blank, has_nul, has_line_feed, may_be_cp1252 = True, False, False, True
    first_sign = b""
    utf8 = _Utf8()
    for chunk in chunks:
        is_blank = is_blank and chunk.isspace()
        has_nul = has_nul or b"\x00" in chunk
        has_line_feed = has_line_feed or b"\n" in chunk
        may_be_cp1252 = may_be_cp1252 and (chunk.isascii() or not _NOT_IN_CP1252.search(chunk))
        first_sign = first_sign or chunk.lstrip(source.BLANKS_BEFORE_TEXT)[:1]
        utf8.read(chunk)
    utf8.read(b"", final=True)
    return _Survey(stamp, sha256, is_blank, first_sign, has_nul, has_line_feed, utf8.broken, may_be_cp1252)


class _Utf8:
    """Where bytes that come piece by piece are no UTF-8. broken: the line and the byte, None as long as they are."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._line = 1
        self.broken: tuple[int, int] | None = None

    def read(self, chunk: bytes, *, final: bool = False) -> None:
        """Go on."""
        if self.broken is not None:
            return
        try:
            # The letters of a piece are of no use: what counts is that they are some.
            self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            # An unfinished letter of the piece before stands at its beginning, and no letter holds a line end.
            self.broken = self._line + error.object.count(b"\n", 0, error.start), error.object[error.start]
        self._line += chunk.count(b"\n")


def _whole_lines(file: BinaryIO | GzipFile, line_end: bytes) -> Iterator[bytes]:
    """The bytes of a file in pieces that end with a line."""
    begun: list[bytes] = []
    while chunk := file.read(STRETCH):
        end = chunk.rfind(line_end) + 1
        if end:
            yield b"".join((*begun, chunk[:end]))
            begun = [chunk[end:]] if end < len(chunk) else []
        else:
            begun.append(chunk)
    if begun:
        yield b"".join(begun)
