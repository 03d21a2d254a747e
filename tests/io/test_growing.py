"""Rows that grow: the same numbers wherever they are, and no more of them in memory than there is room for."""

import tempfile
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.io.texts.spill import GrowingRow, Room


def grow(room: Room, row: GrowingRow, numbers: list[int]) -> None:
    row.held.extend(numbers)
    room.took(len(numbers))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(-5, 1 << 30), max_size=9)), max_size=20),
    st.integers(0, 100),
)
def test_numbers_are_those_that_came_and_few_are_in_memory(pieces: list[tuple[int, list[int]]], memory: int) -> None:
    expected: list[list[int]] = [[], [], []]
    with Room(memory) as room:
        rows = [room.row() for _ in expected]
        for place, numbers in pieces:
            expected[place] += numbers
            grow(room, rows[place], numbers)
            assert 4 * sum(len(row.held) for row in rows) <= memory
            assert [len(row) for row in rows] == [len(numbers) for numbers in expected]
        for _ in range(2):
            assert [row.numbers().tolist() for row in rows] == expected


def test_the_longest_row_makes_room() -> None:
    with Room(40) as room:
        long, short = room.row(), room.row()
        grow(room, short, [1, 2])
        grow(room, long, list(range(9)))
        assert (long.in_memory, short.in_memory) == (False, True)
        assert isinstance(long.numbers(), np.memmap)
        assert room.has_for(8)
        assert not room.has_for(9)


def test_files_are_gone_at_the_end_and_with_a_row_that_is_let_go() -> None:
    seen: list[Path] = []

    def interrupted() -> None:
        with Room(0) as room:
            seen.append(room.folder())
            row = room.row()
            grow(room, row, [1])
            assert [path.stat().st_size for path in seen[0].iterdir()] == [4]
            row.let_go()
            assert list(seen[0].iterdir()) == []
            grow(room, room.row(), [1])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert seen[0].parent == Path(gettempdir())
    assert not seen[0].exists()


def test_an_interrupt_while_the_folder_is_made_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    make = Path.mkdir

    def make_and_interrupt(folder: Path, mode: int = 0o777) -> None:
        make(folder, mode)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", make_and_interrupt)
    with pytest.raises(KeyboardInterrupt), Room() as room:
        room.folder()
    assert list(tmp_path.iterdir()) == []
