"""Temporary files: where they lie, and what is told where there is no room for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir

from metaeval.errors import InputError


def temporary_path() -> Path:
    """A path for a folder of temporary files, where nothing is yet.

    Whoever is to remove the folder can so be told before it is made, and no interrupt in between leaves it behind.
    """
    return Path(gettempdir()) / f"metaeval-{token_hex(16)}"


@contextmanager
def disk_errors(what: str, *, expected: str) -> Iterator[None]:
    """Turn the error of a disk that is full into an `InputError`; what: the files are for, expected: how much room."""
    try:
        yield
    except OSError as error:
        raise InputError.at(
            found=f"a temporary file for {what} can't be written ({error.strerror or error})",
            expected=expected,
            hint="name a folder on a larger disk in the variable TMPDIR",
        ) from None
