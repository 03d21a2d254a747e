"""Results in files, each of which is there whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, TypeAlias

from metaeval.errors import InputError
from metaeval.model.report import Report

Parts: TypeAlias = Iterable[str] | Iterable[bytes]
"""What is written one after another: lines of text, or bytes."""

_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_DEVICES = ("/dev/", "/proc/")
_MAX_LINKS = 40
"""Symbolic links from one to the next that are followed, as in Linux."""


def refuse_overwriting_inputs(path: str, report: Report) -> None:
    """Raise where a result would be written over a file that it was made from."""
    for file in report.provenance.files:
        if Path(path).is_file() and Path(file.path).is_file() and Path(path).samefile(file.path):
            raise InputError.at(
                path,
                found=f"a result to be written over the file that was read as {file.role}",
                expected="a file of its own",
                hint="name another file or folder for the results",
            )


def write_atomically(path: str, parts: Parts) -> None:
    """Write a file, part after part, through a temporary one beside it, so that a failure leaves what was there before.

    A symbolic link stays, and what it leads to is written; a pipe or a device, as /dev/stdout, is written to.
    """
    if not path:
        raise InputError.at(found="-o without a file", expected="a path")
    try:
        stream = stream_of(path)
        if stream is not None:
            _write_stream(stream, parts)
        else:
            _replace(Path(os.path.realpath(path)), parts)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable(path, error) from None


def stream_of(path: str) -> str | int | None:
    """What to open where a path leads to no plain file: an open descriptor of ours, or the path; else None.

    >>> stream_of("/dev/stdout"), stream_of("/dev/fd/7"), stream_of("/dev/tty"), stream_of("results.csv")
    (1, 7, '/dev/tty', None)
    """
    name = os.path.abspath(path)  # noqa: PTH100 (`..` is dropped here, which a Path keeps)
    for _ in range(_MAX_LINKS):
        # What /dev/stdout leads to may be a plain file, but it is one that others are writing too.
        descriptor = _DESCRIPTOR.fullmatch(name)
        if descriptor or name in _DESCRIPTORS:
            return int(descriptor[1]) if descriptor else _DESCRIPTORS[name]
        if name.startswith(_DEVICES):
            return path
        if not Path(name).is_symlink():
            break
        name = os.path.normpath(Path(name).parent / Path(name).readlink())
    return path if Path(path).exists() and not Path(path).is_file() else None


def _write_stream(stream: str | int, parts: Parts) -> None:
    if stream == 1 and sys.stdout is not None:
        sys.stdout.flush()
    # A descriptor is written where it stands: to open its path again would begin at the start of the file.
    with open(stream, "wb", closefd=isinstance(stream, str)) as file:
        _write(file, parts)


def _write(file: IO[bytes], parts: Parts) -> None:
    for part in parts:
        file.write(part.encode() if isinstance(part, str) else part)


def write_together(folder: str, texts: Mapping[str, str], *, waiting: str) -> None:
    """Write several files of a folder so that all are there in full before the first takes its place.

    texts: by the name of the file; the last takes its place last. waiting: a folder beside them that may be made and
    removed, for what does not have its place yet. A symbolic link stays, as in `write_atomically`.
    """
    stage = Path(folder, waiting)
    try:
        stage.mkdir(exist_ok=True)
        for name, text in texts.items():
            write_atomically(str(stage / name), [text])
        for name, text in texts.items():
            target = Path(folder, name)
            if target.is_symlink() or (target.exists() and not target.is_file()):
                write_atomically(str(target), [text])
            else:
                (stage / name).chmod(_mode(target))
                (stage / name).replace(target)
    except OSError as error:
        raise unwritable(folder, error) from None
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _replace(target: Path, parts: Parts) -> None:
    """Put parts in the place of a plain file, with the permissions that this has or a new one would get."""
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    # Its name is known before it is made, so that an interrupt at any moment finds what is to be removed.
    temporary = target.with_name(f".metaeval-{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            _write(file, parts)
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    return target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()


def unwritable(path: str, error: OSError) -> InputError:
    """What to say of a file that can't be written."""
    return InputError.at(
        path,
        found=f"it can't be written ({error.strerror or error})",
        expected="a file in a folder that exists",
        hint="check the path and its permissions",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
