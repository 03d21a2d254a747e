"""Paths of temporary files, and the error for a full disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir

from metaeval.errors import InputError


def temporary_path() -> Path:
    """A path for a folder of temporary files, which does not yet exist.

    Its removal can so be registered before it is created, and an interrupt in between does not leave it behind.
    """
    return Path(gettempdir()) / f"metaeval-{token_hex(16)}"


@contextmanager
def disk_errors(what: str, *, expected: str) -> Iterator[None]:
    """Turn the error of a full disk into an `InputError`; what: the content of the files, expected: the space."""
    try:
        yield
    except OSError as error:
        raise InputError.at(
            found=f"a temporary file for {what} cannot be written ({error.strerror or error})",
            expected=expected,
            hint="set the environment variable TMPDIR to a folder on a larger disk",
        ) from None
