"""Rows of whole numbers that grow: in memory as far as there is room, in temporary files beyond that."""

from __future__ import annotations

import shutil
from array import array
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from metaeval.io.files.temporary import room_on_disk, temporary_path

MEMORY = 512 << 20
"""Bytes that the words of all texts may take in memory, unless said otherwise; what is more goes to a file."""

_TYPE = np.dtype(np.intc)
"""What `array("i")` holds: whole numbers of 32 bits."""


def room_for_words() -> AbstractContextManager[None]:
    """Whoever writes words to a temporary file within it, and finds no room, gets an `InputError`."""
    return room_on_disk("the words of the texts", expected="4 bytes on disk for each word, beyond what memory holds")


class GrowingRow:
    """Whole numbers one after another.

    held: the last of them, as many as are in memory; whoever adds some tells the `Room` how many.
    """

    def __init__(self, room: Room, name: str) -> None:
        self.held = array("i")
        self._room = room
        self._name = name
        self._path: Path | None = None
        self._written = 0

    def __len__(self) -> int:
        return self._written + len(self.held)

    @property
    def in_memory(self) -> bool:
        """Whether nothing of it was written out."""
        return self._path is None

    def write_out(self) -> None:
        """Move what is held to the row's file, which was begun if need be."""
        with room_for_words():
            self._path = self._path or self._room.folder() / self._name
            with self._path.open("ab") as file:
                self.held.tofile(file)
        self._written += len(self.held)
        self._room.gave_back(len(self.held))
        # Not cleared, for others may still look at what was held.
        self.held = array("i")

    def numbers(self) -> NDArray[np.int32]:
        """All of them, to be read only, before more come; those of a file are read as they are looked at."""
        if self._path is None:
            return np.frombuffer(self.held, dtype=_TYPE) if self.held else np.zeros(0, dtype=np.int32)
        if self.held:
            self.write_out()
        # Mapped anew each time: what was looked at counts as memory as long as the file is mapped.
        return np.memmap(self._path, dtype=_TYPE, mode="r") if self._written else np.zeros(0, dtype=np.int32)

    def let_go(self) -> None:
        """Forget all of them, where they are elsewhere by now."""
        self._written = 0
        self.held = array("i")
        if self._path is not None:
            self._path.unlink(missing_ok=True)


class Room:
    """The memory that rows may take together, and the folder of their files, which is gone at the end of the context.

    memory: bytes.
    """

    def __init__(self, memory: int = MEMORY) -> None:
        self._most = memory // _TYPE.itemsize
        self._rows: list[GrowingRow] = []
        self._folder: Path | None = None
        self._held = 0

    def __enter__(self) -> Room:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def row(self) -> GrowingRow:
        """A row without numbers."""
        self._rows.append(GrowingRow(self, str(len(self._rows))))
        return self._rows[-1]

    def took(self, numbers: int) -> None:
        """So many numbers were added to rows; the longest are written out where that is too many."""
        self._held += numbers
        if self._held > self._most:
            self._make_room()

    def gave_back(self, numbers: int) -> None:
        """So many numbers are in memory no longer."""
        self._held -= numbers

    def has_for(self, numbers: int) -> bool:
        """Whether so many numbers more may be in memory."""
        return self._held + numbers <= self._most

    def folder(self) -> Path:
        """Where files of rows lie."""
        if self._folder is None:
            self._folder = temporary_path()
            self._folder.mkdir(mode=0o700)
        return self._folder

    def _make_room(self) -> None:
        """Write rows out until half of the memory is free, so that few and large pieces are written."""
        for row in sorted(self._rows, key=lambda row: -len(row.held)):
            if 2 * self._held <= self._most:
                return
            row.write_out()
