"""Files larger than memory, which are checked as a whole and then read in chunks."""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from gzip import GzipFile
from io import BufferedReader
from itertools import chain
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
    decoded,
    opened_file,
    unpacked_file,
)

LARGE = 64 << 20
"""Minimum size in bytes of files that are read in chunks."""

LARGE_PACKED = LARGE // 8
"""The same for the compressed size of a .gz file."""

CHUNK = 1 << 22
"""Size of a chunk in bytes, unless one line is longer; without line feeds, a file is one line of at most `MAX_LINE`."""

_Stamp = tuple[int, int]


@dataclass(frozen=True)
class LargeSource(Source):
    """A file that is read again for each use; content: empty.

    stamp: size and time of change. first: its first byte that is not white space. valid_utf8: whether it is UTF-8.
    """

    stamp: _Stamp
    first: bytes
    has_nul: bool
    has_line_feed: bool
    valid_utf8: bool

    @property
    def is_utf8(self) -> bool:
        return self.valid_utf8

    @property
    def first_byte(self) -> bytes:
        return self.first

    def text(self) -> str:
        return "".join(self.chunks())

    def chunks(self) -> Iterator[str]:
        self._reject_unreadable(binary=self.has_nul)
        if not self.valid_utf8:
            # A line in no encoding is an error before the rows of the lines before it are read.
            for _ in self._decoded_chunks():
                pass
        return self._decoded_chunks()

    def _decoded_chunks(self) -> Iterator[str]:
        # The same line ends as in `Source.text`.
        line_end = "\r\n" if self.has_line_feed else "\r"
        with opened_file(self.path) as file, _unpacked(file, self.path) as content:
            self._check_unchanged(file)
            first_line = 1
            for number, lines in enumerate(iter(partial(content.readlines, CHUNK), [])):
                # Chunks are valid only if the file is still the one that was checked.
                self._check_unchanged(file)
                read = b"".join(lines) if number else b"".join(lines).removeprefix(UTF8_BOM)
                yield decoded(read, self.path, first_line).replace(line_end, "\n")
                first_line += read.count(b"\n")
            self._check_unchanged(file)

    def _check_unchanged(self, file: BufferedReader) -> None:
        if _stamp_of(file) != self.stamp:
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
    has_nul, has_line_feed, valid_utf8, first = False, False, True, b""
    utf8 = codecs.getincrementaldecoder("utf-8")()
    with opened_file(path) as file:
        stamp = _stamp_of(file)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        with _unpacked(file, path) as content:
            at_most = source.unpacked_at_most(stamp[0]) if isinstance(content, GzipFile) else None
            for chunk in chain(chunks_of(content, path, at_most=at_most), [b""]):
                has_nul = has_nul or b"\x00" in chunk
                has_line_feed = has_line_feed or b"\n" in chunk
                first = first or chunk.lstrip(source.BLANKS_BEFORE_TEXT)[:1]
                try:
                    if valid_utf8:
                        # The empty chunk is the last.
                        utf8.decode(chunk, not chunk)
                except UnicodeDecodeError:
                    valid_utf8 = False
    return LargeSource(path, role, b"", sha256, stamp, first, has_nul, has_line_feed, valid_utf8)


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
