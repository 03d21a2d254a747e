"""Arrays that spill: the same numbers wherever they are, and no more of them in memory than the budget allows."""

import tempfile
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.io.texts.spill import MemoryBudget, SpillingArray


def grow(budget: MemoryBudget, row: SpillingArray, numbers: list[int]) -> None:
    row.buffer.extend(numbers)
    budget.reserve(len(numbers))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(-5, 1 << 30), max_size=9)), max_size=20),
    st.integers(0, 100),
)
def test_numbers_are_those_that_came_and_few_are_in_memory(pieces: list[tuple[int, list[int]]], memory: int) -> None:
    expected: list[list[int]] = [[], [], []]
    with MemoryBudget(memory) as budget:
        rows = [budget.new_array() for _ in expected]
        for place, numbers in pieces:
            expected[place] += numbers
            grow(budget, rows[place], numbers)
            assert 4 * sum(len(row.buffer) for row in rows) <= memory
            assert [len(row) for row in rows] == [len(numbers) for numbers in expected]
        for _ in range(2):
            assert [row.numbers().tolist() for row in rows] == expected


def test_the_longest_row_makes_room() -> None:
    with MemoryBudget(40) as budget:
        long, short = budget.new_array(), budget.new_array()
        grow(budget, short, [1, 2])
        grow(budget, long, list(range(9)))
        assert (long.in_memory, short.in_memory) == (False, True)
        assert isinstance(long.numbers(), np.memmap)
        assert budget.fits(8)
        assert not budget.fits(9)


def test_files_are_gone_at_the_end_and_with_a_row_that_is_let_go() -> None:
    seen: list[Path] = []

    def interrupted() -> None:
        with MemoryBudget(0) as budget:
            seen.append(budget.folder())
            row = budget.new_array()
            grow(budget, row, [1])
            assert [path.stat().st_size for path in seen[0].iterdir()] == [4]
            row.free()
            assert list(seen[0].iterdir()) == []
            grow(budget, budget.new_array(), [1])
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
    with pytest.raises(KeyboardInterrupt), MemoryBudget() as budget:
        budget.folder()
    assert list(tmp_path.iterdir()) == []
