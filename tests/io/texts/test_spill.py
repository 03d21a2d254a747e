"""Arrays that spill: the same numbers wherever they are, and no more of them in memory than the budget allows."""

import tempfile
from pathlib import Path

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
