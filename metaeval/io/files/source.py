"""The text of a file or of standard input, plain or gzipped, in UTF-8, cp1252 or a named encoding."""

from __future__ import annotations

import atexit
import gzip
import hashlib
import io
import os
import shutil
import signal
import sys
import weakref
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import BinaryIO, NoReturn, ParamSpec, Self, TextIO, TypeVar

from metaeval.errors import (
    InputError,
    Problem,
    did_you_mean,
    empty,
    join_all,
    no_rows,
    pluralize,
    refuse,
    setting,
    unreadable,
    wrong_type,
)
from metaeval.io.files.archives import ARCHIVE, WORKBOOKS, ZIP_MAGIC, archive_of, digest, member, workbook_text
from metaeval.model.report import SourceFile
from metaeval.steps import open_bytes

STANDARD_INPUT = "-"
FILES_NAMED = 5
"""Files that a note names; of more, the first."""

MAX_LINE = 256 << 20
"""Maximum number of bytes of a line. A JSON document may be one line; longer lines are unlikely to be text."""

MAX_UNPACKED = 1 << 30
"""Maximum number of bytes of an unpacked .gz file; a plain file may have any size."""

SMALL_UNPACKED, MAX_RATIO = 1 << 26, 100
"""Number of bytes that may always be unpacked, and how many times larger than the file the content may be beyond it."""

UTF8_BOM, UTF16_BOMS = b"\xef\xbb\xbf", (BOM_UTF16_LE, BOM_UTF16_BE)
BLANKS_BEFORE_TEXT = UTF8_BOM + b" \t\r\n\v\f"
READABLE = "check the path, its links and its permissions"
GZIP_MAGIC = b"\x1f\x8b"

QUOTINGS = ("none", "csv")
"""Quotes are characters, or enclose cells by the rule of CSV."""

_AT_ONCE = 1 << 24
_PARQUET_MAGIC = b"PAR1"
_UNPACK, _SAVE = "unpack it, and name the files in it", "save the table as CSV"
_BINARY = (
    (_PARQUET_MAGIC, "a Parquet file", "give it a name that ends in .parquet"),
    (ZIP_MAGIC, "a ZIP archive or a document of an office program", f"give an archive the suffix .zip, or {_SAVE}"),
    (b"\xd0\xcf\x11\xe0", "a document of an older office program", "save it as .xlsx or CSV"),
    (b"%PDF-", "a PDF document", _SAVE),
    (b"BZh91AY&SY", "compressed by bzip2", _UNPACK),
    (b"\xfd7zXZ\x00", "compressed by xz", _UNPACK),
    (b"(\xb5/\xfd", "compressed by zstd", _UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", _UNPACK),
    (b"Rar!\x1a", "a RAR archive", _UNPACK),
    (b"SQLite format 3\x00", "an SQLite database", _SAVE),
    (b"\x93NUMPY", "an array of numpy", _SAVE),
    (b"\x80\x04\x95", "a pickle of Python", _SAVE),
    (b"\x80\x05\x95", "a pickle of Python", _SAVE),
)
"""How binary files begin, what they are and what to do about them."""

_NO_BINARY = "name a text file; save UTF-16 text as UTF-8; the names of Parquet files end in .parquet"


_MARK = "\ufeff"


def _plain(text: str) -> str:
    """Text without byte order marks and without a final Ctrl-Z, the end of a file of DOS."""
    text = text.replace(_MARK, "")
    return text.rstrip("\x1a\r\n") + "\n" if "\x1a" in text[-3:] else text


def without_marks(texts: Sequence[str]) -> list[str]:
    """Texts without byte order marks."""
    return [text.replace(_MARK, "") if _MARK in text else text for text in texts]


def path_text(path: str) -> str:
    r"""A path as text that every file can hold: bytes that are not UTF-8 are escaped.

    >>> path_text("runs/b\udcff.csv")
    'runs/b\\udcff.csv'
    """
    return path.encode(errors="backslashreplace").decode()


@dataclass(frozen=True)
class Source:
    """The content of a file.

    path: as the user named it; '-' is standard input. role: 'gold', 'run' or 'config'.
    content: its bytes, unpacked if it is gzipped. sha256: of the bytes as stored. archive: the one that has the file,
    of which these bytes are, or ''. quoting: what quotes mean in a table (`QUOTINGS`), '' if its content decides.
    is_recoded: whether the file itself says how its text is encoded, so that its content here is UTF-8. sheets: the
    names of the sheets of an Excel workbook that are not empty, of which its content is the first, as CSV.
    """

    path: str
    role: str
    content: bytes
    sha256: str
    archive: str = field(default="", kw_only=True)
    quoting: str = field(default="", kw_only=True)
    is_recoded: bool = field(default=False, kw_only=True)
    sheets: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def path_or_name(self) -> str:
        """Its name in messages and in the provenance."""
        return "standard input" if self.path == STANDARD_INPUT else path_text(self.path)

    @property
    def file(self) -> SourceFile:
        """Its entry in the provenance."""
        return SourceFile(path_text(self.archive) or self.path_or_name, self.role, self.sha256)

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """Its entry in the provenance, and those of the files that belong to it."""
        return (self.file,)

    @property
    def suffix(self) -> str:
        """The suffix of its format in lower case: '.csv' for 'a.CSV' and for 'a.csv.gz'."""
        return Path(self.path.lower().removesuffix(".gz")).suffix

    @property
    def is_binary(self) -> bool:
        """Whether the file has a format that is not text: Parquet, or a ZIP archive."""
        return self.suffix == ".parquet" or self.content.startswith(ZIP_MAGIC)

    @property
    def is_utf8(self) -> bool:
        """Whether the file is UTF-8; otherwise its other lines are read as cp1252."""
        try:
            self.content.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    @property
    def is_blank(self) -> bool:
        """Whether it has only white space and byte order marks."""
        start = self.content[:4096]
        is_empty = not self.content.lstrip(BLANKS_BEFORE_TEXT)
        return is_empty or (start == self.content and not _plain(start.decode(errors="replace")).strip())

    def text(self) -> str:
        """The text, with Unix line ends and without byte order marks, which files that were joined have inside.

        An empty or binary file is an `InputError`.
        """
        self._reject_unreadable(binary=b"\x00" in self.content)
        text = _plain(decoded(self.content.replace(UTF8_BOM, b""), self.path_or_name))
        if "\r" not in text:
            return text
        # A lone carriage return may be part of a quoted cell; it ends lines only in files without line feeds.
        return text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")

    def _reject_unreadable(self, *, binary: bool) -> None:
        if self.is_blank:
            raise empty_file(self.path_or_name)
        kind, hint = next((cause for magic, *cause in _BINARY if self.content.startswith(magic)), ("", ""))
        if self.suffix == ".parquet":
            hint = _SAVE
        if binary or kind:
            problem = unreadable("text", f"it is {kind}" if kind else "it contains NUL bytes", hint or _NO_BINARY)
            raise refuse(self.path_or_name, problem)

    def in_encoding(self, encoding: str) -> Source:
        """The same file, whose text is in a named encoding; text in another one is an `InputError`."""
        if self.is_binary or self.is_recoded:
            return self
        try:
            return replace(self, content=self.content.decode(encoding).encode())
        except UnicodeError as error:
            start = error.start if isinstance(error, UnicodeDecodeError) else 0
            where = self.path_or_name, self.content.count(b"\n", 0, start) + 1
            hint = f"name another encoding, or leave out {setting('encoding')} for UTF-8 and cp1252"
            raise refuse(where, _wrong_byte(self.content[start], encoding, hint)) from None

    def with_quoting(self, quoting: str) -> Source:
        """The same file, in whose tables, but for workbooks, quotes mean what the user says (`QUOTINGS`)."""
        return self if self.sheets else replace(self, quoting=quoting)


@dataclass(frozen=True)
class InMemorySource(Source):
    """Data passed as Python objects instead of a file.

    path: a name in angle brackets, such as '<labels>', which is not the name of a file. content: empty. sha256: of the
    data as text. origin: the file, if the data were read from one.
    """

    origin: SourceFile | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, source: Source, *data: object) -> Self:
        """The data that were read from a file, so that it need not be read again."""
        return cls(source.path, source.role, source.content, source.sha256, *data, origin=source.file)

    @property
    def file(self) -> SourceFile:
        """Its entry in the provenance."""
        return self.origin or SourceFile(self.path, "memory", self.sha256)


class SourceFiles:
    """Opens files and records them."""

    def __init__(self, open_file: Open | None = None) -> None:
        self._open_file = open_file or open_source
        self._files: dict[SourceFile, None] = {}
        self._cp1252: dict[str, None] = {}
        self._of_sheets: dict[str, None] = {}

    def open(self, path: str, role: str) -> Source:
        """Open a file and record it."""
        source = self._open_file(path, role)
        self._files |= dict.fromkeys(source.files)
        if not source.is_binary and not source.is_utf8:
            self._cp1252[source.path_or_name] = None
        self._of_sheets |= dict.fromkeys(notes_on_sheets(source))
        return source

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """The provenance of the files, gold first."""
        return tuple(sorted(self._files, key=lambda file: file.role != "gold"))

    @property
    def notes(self) -> tuple[str, ...]:
        """One note on all files that are not UTF-8, and those on sheets that are not read."""
        names = tuple(self._cp1252)
        if not names:
            return tuple(self._of_sheets)
        phrases = names if len(names) <= FILES_NAMED else (names[0], pluralize(len(names) - 1, "more file"))
        verb, possessive = ("is", "its") if len(names) == 1 else ("are", "their")
        return (
            f"{join_all(phrases)} {verb} not UTF-8: {possessive} lines that are not were read as cp1252",
            *self._of_sheets,
        )


def notes_on_sheets(source: Source) -> tuple[str, ...]:
    """A note on the sheets of a workbook that are not read, if there are any."""
    if len(source.sheets) < 2:
        return ()
    first, *others = (f"'{name}'" for name in source.sheets)
    return (f"{source.path_or_name}: sheet {first} is read, and not {join_all(others)}",)


def empty_file(path: str) -> InputError:
    """The error for a file with white space only."""
    return refuse(path, no_rows("the file is empty"))


def _wrong_byte(byte: int, encoding: str, hint: str) -> Problem:
    return unreadable(f"text in {encoding}", f"byte 0x{byte:02x}", hint)


def decoded(content: bytes, path: str) -> str:
    """The text of whole lines, each in UTF-8 or else in cp1252; a line in neither is an `InputError`."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        lines = enumerate(content.split(b"\n"), start=1)
        return "\n".join(_decoded_line(content, path, line) for line, content in lines)


def _decoded_line(content: bytes, path: str, line: int) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return content.decode("cp1252")
        except UnicodeDecodeError as error:
            hint = f"save the file as UTF-8, or name its {setting('encoding')}"
            raise refuse((path, line), _wrong_byte(content[error.start], "UTF-8 or cp1252", hint)) from None


Open = Callable[[str, str], Source]
"""Opens a path for a role: `open_source`, or a function that also opens data in memory."""

Lines = Callable[[], Sequence[int]]
"""Computes the line number of each row of a file: expensive, so called for messages only."""


def lines_at(lines: Lines, rows: Sequence[int]) -> Lines:
    """The lines of some of the rows."""
    return partial(_lines_at, lines, rows)


def _lines_at(lines: Lines, rows: Sequence[int]) -> list[int]:
    every = lines()
    return [every[row] for row in rows]


def open_source(path: str, role: str) -> Source:
    """Read a file, or standard input for '-'; an unreadable file is an `InputError`."""
    archive, name = archive_of(path)
    if archive:
        name, raw_bytes = member(archive, name, path, _most(Path(archive).stat().st_size))
        path, sha256 = f"{archive}/{name}", digest(archive)
    else:
        raw_bytes = _read_bytes(path)
        sha256 = hashlib.sha256(raw_bytes).hexdigest()
    content, most = raw_bytes, _most(len(raw_bytes))
    if raw_bytes.startswith(GZIP_MAGIC):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw_bytes)) as file:
                content = _read_whole(file, path, at_most=most)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            hint = "download or write it again: it may be truncated"
            raise refuse(path, unreadable(".gz file", error, hint)) from None
    suffix = Path(path.lower()).suffix
    if raw_bytes.startswith(ZIP_MAGIC) and suffix in WORKBOOKS:
        content, sheets = workbook_text(raw_bytes, path, most)
        return Source(path, role, content, sha256, archive=archive, is_recoded=True, sheets=sheets)
    if raw_bytes.startswith(ZIP_MAGIC) and suffix == ARCHIVE:
        # A pipe, or an archive in another one.
        name, content = member(io.BytesIO(raw_bytes), "", path, most)
        path = f"{path}/{name}"
    if content.startswith(UTF16_BOMS):
        try:
            content = content.decode("utf-16").encode()
            return Source(path, role, content, sha256, archive=archive, is_recoded=True)
        except UnicodeError:
            pass  # Another file that begins so is refused where its text is needed.
    return Source(path, role, content, sha256, archive=archive)


def _most(size: int) -> int:
    """The bytes that a file of this size may have unpacked."""
    return min(MAX_UNPACKED, max(SMALL_UNPACKED, MAX_RATIO * size))


def _read_bytes(path: str) -> bytes:
    """The bytes of a file, or of standard input, as they are."""
    if not path:
        raise refuse(None, empty("path", "that of a file"))
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise refuse(None, unreadable("standard input", "it is closed", "redirect a file to it"))
        return _standard_input(sys.stdin)
    try:
        with open_bytes(path) as file:
            return _read_whole(file, path)
    except FileNotFoundError:
        raise refuse(path, empty("such file", "a file that exists", _similar_files(path))) from None
    except IsADirectoryError:
        raise refuse(path, wrong_type("a folder", "", "a file", "name a file in it")) from None
    except OSError as error:
        raise refuse(path, unreadable("file", error.strerror or error, READABLE)) from None
    except ValueError as error:
        # The name contains NUL, which is possible in YAML.
        raise refuse(repr(path), unreadable("file name", error)) from None


@lru_cache(maxsize=1)
def _standard_input(stream: TextIO) -> bytes:
    """Its bytes, which are there once, while data without invalid runs are read again."""
    return _read_whole(stream.buffer, "standard input")


def _read_whole(file: BinaryIO | gzip.GzipFile, path: str, *, at_most: int | None = None) -> bytes:
    """The bytes of a file; a line longer than `MAX_LINE`, or more bytes than `at_most`, are an `InputError`."""
    content = io.BytesIO()
    line = 0
    is_text = True
    while chunk := file.read(_AT_ONCE):
        if not content.tell():
            is_text = not chunk.startswith((GZIP_MAGIC, _PARQUET_MAGIC))
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
        if is_text and line + (len(chunk) if first < 0 else first) > MAX_LINE:
            hint = "check that it is the right file and that it has line breaks"
            raise refuse(path, unreadable("text", f"a line of more than {MAX_LINE >> 20} MB", hint))
        line = line + len(chunk) if last < 0 else len(chunk) - last - 1
        content.write(chunk)
        if at_most is not None and content.tell() > at_most:
            hint = "if the size is correct, unpack it with gunzip and name the plain file"
            raise refuse(path, unreadable(".gz file", f"more than {at_most >> 20:,} MB unpacked", hint))
    return content.getvalue()


def _similar_files(path: str) -> str:
    folder = Path(path).parent
    if not folder.is_dir():
        return f"check the path; there is no folder '{folder}'"
    return did_you_mean(Path(path).name, [entry.name for entry in folder.iterdir()]) or "check the path"


_PATHS: set[Path] = set()


@atexit.register
def remove_temporary_folders() -> None:
    """Remove all folders that still exist, in a process that ends, also without finalizers, as after Ctrl-C."""
    for path in list(_PATHS):
        _remove(path)


class TemporaryFolder:
    """A folder of temporary files, deleted with the object and at the end of the process.

    Its removal is registered before it is created, so that an interrupt in between leaves nothing behind.
    """

    def __init__(self) -> None:
        from tempfile import gettempdir

        self.path = Path(gettempdir()) / f"metaeval-{os.urandom(16).hex()}"
        _PATHS.add(self.path)
        self._finalizer = weakref.finalize(self, _remove, self.path)

    def create(self) -> Path:
        """Create the folder, for this user alone."""
        self.path.mkdir(mode=0o700)
        return self.path

    def remove(self) -> None:
        """Delete the folder now; after an interrupt meanwhile, the finalizer does."""
        _remove(self.path)
        self._finalizer.detach()


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)
    _PATHS.discard(path)


Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Interrupts:
    """Delays Ctrl-C during a `call` until the call has ended; at other times the previous handler runs.

    stop: called when the signal arrives, to end the call early.
    """

    def __init__(self, previous: Callable[[int, FrameType | None], object]) -> None:
        self.stop: Callable[[], object] = lambda: None
        self._previous = previous
        self._in_call = False
        self._pending = False

    def call(self, function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """The result of a call; after Ctrl-C a `KeyboardInterrupt`, whatever the call returned or raised."""
        self._in_call = True
        try:
            return function(*args, **kwargs)
        finally:
            self._in_call = False
            if self._pending:
                self._interrupt()

    def handle(self, number: int, frame: FrameType | None) -> None:
        """The handler of the signal."""
        if not self._in_call:
            self._previous(number, frame)
            return
        self._pending = True
        self.stop()

    def _interrupt(self) -> NoReturn:
        self._pending = False
        self._previous(signal.SIGINT, None)
        raise KeyboardInterrupt


@contextmanager
def delayed_interrupts() -> Iterator[Interrupts]:
    """Handles Ctrl-C by `Interrupts` within the context; only the main thread receives signals."""
    previous = signal.getsignal(signal.SIGINT)
    interrupts = Interrupts(previous if callable(previous) else lambda *_: None)
    # A signal that is ignored, or that ends the process immediately, remains so.
    if current_thread() is not main_thread() or not callable(previous):
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts.handle)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, previous)
