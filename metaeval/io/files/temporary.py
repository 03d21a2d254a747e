"""Folders of temporary files, and the error for a full disk."""

from __future__ import annotations

import atexit
import os
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metaeval.errors import refuse

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


@contextmanager
def disk_errors(what: str, *, expected: str) -> Iterator[None]:
    """Turn the error of a full disk into an `InputError`; what: the content of the files, expected: the space."""
    try:
        yield
    except OSError as error:
        found = f"a temporary file for {what} cannot be written ({error.strerror or error})"
        hint = "set the environment variable TMPDIR to a folder on a larger disk"
        raise refuse(None, found, expected, hint, kind="unreadable") from None
