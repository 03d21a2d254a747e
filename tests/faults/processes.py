"""metaeval in processes of their own, which can be killed, interrupted and kept short of room."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FNC1 = ("--task", "fnc1", "--gold", str(ROOT / "sample_data/fnc1/gold.csv"), str(ROOT / "sample_data/fnc1/systems"))
STARTED = "started\n"
_PROGRAM = f"import sys; from metaeval.__main__ import main; sys.stdout.write({STARTED!r}); sys.stdout.flush(); main()"
PATIENCE = 60.0


def start(folder: Path, *arguments: str, temporary: Path | None = None) -> subprocess.Popen[str]:
    """A process that has come so far as to import the command line; nobody can help what happens to Python before.

    temporary: where it has its temporary files.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ if temporary is None else {**os.environ, "TMPDIR": str(temporary)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == STARTED
    return process


def call(folder: Path, *arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """The outcome of a whole call; before: what the shell does first, as 'ulimit -f 4'."""
    return subprocess.run(
        ["bash", "-c", f'{before or ":"}; exec "$0" -m metaeval "$@"', sys.executable, *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def killed_at(path: Path, process: subprocess.Popen[str]) -> bool:
    """Kill a process as soon as a file is there; whether it was killed, and had not ended before."""
    until = time.monotonic() + PATIENCE
    while process.poll() is None and not path.exists():
        assert time.monotonic() < until, f"{path} never came"
        time.sleep(0.0005)
    process.kill()
    process.communicate()
    return process.returncode == -9


def contents(folder: Path) -> Mapping[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
