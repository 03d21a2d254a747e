"""Growing arrays of whole numbers that spill to temporary files beyond a memory budget."""

from __future__ import annotations

from array import array
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from metaeval.io.files.temporary import TemporaryFolder, disk_errors

MEMORY = 512 << 20
"""Default number of bytes that the words of all texts may take in memory; the rest spills to files."""

_TYPE = np.dtype(np.intc)
"""The type of `array("i")`: 32-bit integers."""


class SpillingArray:
    """A growing array of 32-bit integers.

    buffer: the last numbers, which are in memory; a caller that extends it reserves them in the `MemoryBudget`.
    """

    def __init__(self, budget: MemoryBudget, name: str) -> None:
        self.buffer = array("i")
        self._budget = budget
        self._name = name
        self._path: Path | None = None
        self._written = 0

    def __len__(self) -> int:
        return self._written + len(self.buffer)

    @property
    def in_memory(self) -> bool:
        """Whether no number was spilled."""
        return self._path is None

    def append(self, numbers: NDArray[np.integer]) -> None:
        """Add numbers."""
        self.buffer.frombytes(np.ascontiguousarray(numbers, dtype=_TYPE).tobytes())
        self._budget.reserve(len(numbers))

    def spill(self) -> None:
        """Append the buffer to the file of this array."""
        with disk_errors("the words of the texts", expected="4 bytes on disk for each word, beyond what memory holds"):
            self._path = self._path or self._budget.folder() / self._name
            with self._path.open("ab") as file:
                self.buffer.tofile(file)
        self._written += len(self.buffer)
        self._budget.release(len(self.buffer))
        # A new buffer: arrays returned by `numbers` may still share the old one.
        self.buffer = array("i")

    def numbers(self) -> NDArray[np.int32]:
        """All numbers, read-only and valid until more are added; spilled numbers are mapped from the file."""
        if self._path is None:
            return np.frombuffer(self.buffer, dtype=_TYPE) if self.buffer else np.zeros(0, dtype=np.int32)
        if self.buffer:
            self.spill()
        # A new map each time: pages that were read count as memory while the file is mapped.
        return np.memmap(self._path, dtype=_TYPE, mode="r") if self._written else np.zeros(0, dtype=np.int32)

    def free(self) -> None:
        """Delete all numbers and the file."""
        self._written = 0
        self.buffer = array("i")
        if self._path is not None:
            self._path.unlink(missing_ok=True)


class MemoryBudget:
    """The memory that several arrays share, and the folder of their files, which the end of the context deletes.

    memory: bytes.
    """

    def __init__(self, memory: int = MEMORY) -> None:
        self._limit = memory // _TYPE.itemsize
        self._arrays: list[SpillingArray] = []
        self._folder: TemporaryFolder | None = None
        self._reserved = 0

    def __enter__(self) -> MemoryBudget:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._folder is not None:
            self._folder.remove()

    def new_array(self) -> SpillingArray:
        """An empty array."""
        self._arrays.append(SpillingArray(self, str(len(self._arrays))))
        return self._arrays[-1]

    def reserve(self, numbers: int) -> None:
        """Count numbers that were added to the arrays; beyond the limit, the longest arrays are spilled."""
        self._reserved += numbers
        if self._reserved > self._limit:
            self._spill()

    def release(self, numbers: int) -> None:
        """Count numbers that are no longer in memory."""
        self._reserved -= numbers

    @property
    def left(self) -> int:
        """The bytes that are not reserved."""
        return max(0, self._limit - self._reserved) * _TYPE.itemsize

    def folder(self) -> Path:
        """The folder of the files."""
        if self._folder is None:
            self._folder = TemporaryFolder()
            self._folder.create()
        return self._folder.path

    def _spill(self) -> None:
        """Spill arrays until half of the memory is free, so that few large pieces are written."""
        for longest in sorted(self._arrays, key=lambda each: -len(each.buffer)):
            if 2 * self._reserved <= self._limit:
                return
            longest.spill()
