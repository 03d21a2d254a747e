"""Commands in a row leave nothing behind in the process."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is told by /proc")
def test_three_hundred_commands_hold_no_more_than_one_hundred() -> None:
    # A process of its own holds what the commands leave, and nothing of other tests.
    program = str(Path(__file__).with_name("soak.py"))
    finished = subprocess.run([sys.executable, program, "360", "120"], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
