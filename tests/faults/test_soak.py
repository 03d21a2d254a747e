"""Commands in a row leave nothing behind in the process."""

import contextlib
import sys
from pathlib import Path

import pytest
from faults.soak import COMMANDS, soak


@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is told by /proc")
def test_three_hundred_commands_hold_no_more_than_one_hundred(tmp_path: Path) -> None:
    rounds = 100 // len(COMMANDS) + 1
    each = rounds * len(COMMANDS)
    with contextlib.chdir(tmp_path):
        first, *_, last = soak(3 * each, each, pages=rounds)
    assert last.memory - first.memory < 8
    assert (last.files, last.threads) == (first.files, first.threads)
