"""Codes of labels in a file of their own, chunk by chunk: `model.labels.CodeChunks`."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.io.files.temporary import disk_errors, temporary_path
from metaeval.model.labels import Codes

CHUNK_ITEMS = 1 << 16
"""Items of a chunk. Another number would draw other samples."""

_REMOVALS: weakref.WeakKeyDictionary[LabelCodeFile, Callable[[], object]] = weakref.WeakKeyDictionary()


def remove_code_files() -> None:
    """Remove all that are there still, for a process that ends without the usual ceremonies, as after Ctrl-C."""
    for remove in list(_REMOVALS.values()):
        remove()


class LabelCodeFile:
    """A temporary file of codes, gone with the object; in every chunk the items are sorted by gold."""

    def __init__(self, systems: int, classes: int, code_type: np.dtype[np.unsignedinteger[Any]]) -> None:
        folder = temporary_path()
        # At the end of the process, too.
        _REMOVALS[self] = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._path = folder / "codes"
        with self._room():
            folder.mkdir(mode=0o700)
            self._path.touch()
        self._systems = systems
        self._classes = classes
        self._type = code_type
        self._sizes: list[NDArray[np.intp]] = []
        self._starts = [0]

    def append(self, gold: Codes, predicted: Codes) -> None:
        """Add a chunk; gold: codes (n,), predicted: codes (S, n)."""
        if not len(gold):
            return
        order = np.argsort(gold, kind="stable")
        with self._room(), self._path.open("ab") as opened:
            opened.write(np.ascontiguousarray(predicted[:, order], dtype=self._type).tobytes())
        self._sizes.append(np.bincount(gold, minlength=self._classes))
        self._starts.append(self._starts[-1] + predicted.size * self._type.itemsize)

    @staticmethod
    def _room() -> AbstractContextManager[None]:
        return disk_errors("the labels", expected="a byte on disk for each of them, which are too many for the memory")

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many items of each gold class each chunk has, (K, C)."""
        return np.array(self._sizes, dtype=np.intp).reshape(-1, self._classes)

    def predicted(self, chunk: int) -> Codes:
        """Codes of the systems in one chunk, (S, n)."""
        items = int(self._sizes[chunk].sum())
        read = np.fromfile(self._path, self._type, self._systems * items, offset=self._starts[chunk])
        return read.reshape(self._systems, items)
