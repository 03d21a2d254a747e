"""Files of results, each written completely or not at all."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias, TypeVar

from metaeval.errors import InputError, ReaderGone, empty, first_of, refuse, setting, unwritable
from metaeval.model.report import Report

Parts: TypeAlias = Iterable[str] | Iterable[bytes]
"""Consecutive parts of a file."""

Content = TypeVar("Content", str, bytes)

STANDARD_OUTPUT = "-"
TEMPORARY = ".metaeval-"
"""How the names of temporary files begin."""

WAITING = ".waiting"
"""Temporary folder of files that are replaced together."""

_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_MAX_LINKS = 40
"""Maximum length of a chain of symbolic links, as in Linux."""


def refuse_overwriting_inputs(path: str, report: Report) -> None:
    """Raise an InputError if a result would overwrite one of its inputs."""
    for file in report.provenance.files:
        if Path(path).is_file() and Path(file.path).is_file() and Path(path).samefile(file.path):
            raise overwriting(path, file.role)


def overwriting(path: str, role: str) -> InputError:
    """The error for a result that would overwrite an input."""
    return refuse(path, f"the file that was read as {role}, which the results would overwrite", "another file")


def reject_lost_way(path: str) -> None:
    """Raise an InputError for '..' after a folder that does not exist: making it, or dropping both, leads elsewhere."""
    parts = Path(path).parts
    if any(part == ".." and not Path(*parts[:index]).exists() for index, part in enumerate(parts)):
        raise refuse(
            path, "'..' after a folder that does not exist", "folders that exist", "write the path without '..'"
        )


def write_atomically(path: str, parts: Parts) -> None:
    """Write a file through a temporary file beside it, so that an existing file is kept if writing fails.

    The target of a symbolic link is replaced, not the link; a pipe or a device, as /dev/stdout, is written to.
    """
    if not path:
        raise refuse(None, empty("file name", "a path"))
    reject_lost_way(path)
    try:
        stream = stream_of(path)
        if stream is None:
            _replace(Path(os.path.realpath(path)), parts)
            return
        if stream == 1 and sys.stdout is not None:
            sys.stdout.flush()
        # Opening the path again would write from the start of the file.
        with open(stream, "wb", closefd=isinstance(stream, str)) as file:
            file.writelines(_bytes(parts))
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        raise unwritable(path, error) from None


def stream_of(path: str) -> str | int | None:
    """What to open if a path is not a regular file: an open file descriptor, or the path; else None.

    >>> stream_of("/dev/stdout"), stream_of("/dev/fd/7"), stream_of("/dev/tty"), stream_of("results.csv")
    (1, 7, '/dev/tty', None)
    """
    if path == STANDARD_OUTPUT:
        return 1
    name = os.path.abspath(path)  # noqa: PTH100 (`..` is dropped here, which a Path keeps)
    for _ in range(_MAX_LINKS):
        # /dev/stdout may lead to a regular file, but other processes write to it, too.
        descriptor = _DESCRIPTOR.fullmatch(name)
        if descriptor or name in _DESCRIPTORS:
            return int(descriptor[1]) if descriptor else _DESCRIPTORS[name]
        if name.startswith("/proc/"):
            return path
        if not Path(name).is_symlink():
            break
        name = os.path.normpath(Path(name).parent / Path(name).readlink())
    return path if Path(path).exists() and not Path(path).is_file() else None


def _bytes(parts: Parts) -> Iterator[bytes]:
    for part in parts:
        yield part.encode(errors="backslashreplace") if isinstance(part, str) else part


def write_together(folder: str, contents: Mapping[str, Content]) -> None:
    """Write several files of a folder so that all are complete before the first is replaced.

    contents: by the name of the file, in order of replacement. A symbolic link is replaced, not its target.
    """
    stage = Path(folder, WAITING)
    try:
        stage.mkdir(exist_ok=True)
        for name, content in contents.items():
            write_atomically(str(stage / name), [content])
        for name in contents:
            (stage / name).chmod(_mode(Path(folder, name)))
            (stage / name).replace(Path(folder, name))
    except OSError as error:
        raise unwritable(folder, error) from None
    finally:
        with suppress(OSError):
            for name in contents:
                (stage / name).unlink(missing_ok=True)
            stage.rmdir()


def _replace(target: Path, parts: Parts) -> None:
    """Replace a regular file, keeping its permissions, or those of a new file."""
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    # The name is known before the file is created, so that it is removed after an interrupt at any moment.
    temporary = target.with_name(f"{TEMPORARY}{os.urandom(8).hex()}")
    try:
        with temporary.open("xb") as file:
            file.writelines(_bytes(parts))
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    if target.exists() and not target.is_symlink():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def make_folder(directory: str) -> Path:
    """The folder of results, which is created if necessary."""
    if not directory:
        raise refuse(None, empty(f"folder for {setting('output_dir')}", "a path"))
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(directory, error) from None
    return folder


def reject_files(directory: str, *, overwrite: bool) -> None:
    """Raise an `InputError` if a folder for files that are named later has files, unless they may be replaced."""
    reject_lost_way(directory)
    folder = Path(directory)
    names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() and not overwrite else []
    if names:
        hint = f"choose a new folder, or replace files of the same names with {setting('overwrite')}"
        raise refuse(directory, f"a folder with {first_of(names, 3)}", "an empty or a new folder", hint)
