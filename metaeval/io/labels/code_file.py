"""Codes of labels in a temporary file, by chunks: `model.labels.CodeChunks`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.io.files.temporary import TemporaryFolder, disk_errors
from metaeval.model.labels import Codes

CHUNK_ITEMS = 1 << 16
"""Items of a chunk. Samples depend on this number."""


class LabelCodeFile:
    """A temporary file of codes, deleted with the object; in every chunk the items are sorted by gold."""

    def __init__(self, systems: int, classes: int, code_type: np.dtype[np.unsignedinteger[Any]]) -> None:
        self._folder = TemporaryFolder()
        self._path = self._folder.path / "codes"
        with self._disk_errors():
            self._folder.create()
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
        with self._disk_errors(), self._path.open("ab") as file:
            file.write(np.ascontiguousarray(predicted[:, order], dtype=self._type).tobytes())
        self._sizes.append(np.bincount(gold, minlength=self._classes))
        self._starts.append(self._starts[-1] + predicted.size * self._type.itemsize)

    @staticmethod
    def _disk_errors() -> AbstractContextManager[None]:
        return disk_errors("the labels", expected="a byte on disk for each label, because they do not fit in memory")

    @property
    def sizes(self) -> NDArray[np.intp]:
        """The number of items of each gold class in each chunk, (K, C)."""
        return np.array(self._sizes, dtype=np.intp).reshape(-1, self._classes)

    def predicted(self, chunk: int) -> Codes:
        """Codes of the systems in one chunk, (S, n)."""
        items = int(self._sizes[chunk].sum())
        codes = np.fromfile(self._path, self._type, self._systems * items, offset=self._starts[chunk])
        return codes.reshape(self._systems, items)
