"""Commands in a row leave nothing behind in the process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = """
import json, sys
from faults.soak import COMMANDS, soak
rounds = 100 // len(COMMANDS) + 1
each = rounds * len(COMMANDS)
first, *_, last = soak(3 * each, each, pages=rounds)
print(json.dumps([first, last]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is told by /proc")
def test_three_hundred_commands_hold_no_more_than_one_hundred(tmp_path: Path) -> None:
    # A process of its own holds what the commands leave, and nothing of other tests.
    program = f"import sys; sys.path.insert(0, {str(TESTS)!r})\n{PROGRAM}"
    finished = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    (memory, *first), (memory_at_end, *last) = json.loads(finished.stdout.splitlines()[-1])
    assert memory_at_end - memory < 8
    assert last == first
