"""metaeval in processes of their own, which are killed or interrupted at events, and kept short of room."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from worker_processes import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
FNC1_DATA = f"""\
data:
  task: fnc1
  gold: {ROOT}/sample_data/fnc1/gold.csv
  runs: [{ROOT}/sample_data/fnc1/systems]
"""
FNC1 = ("--task", "fnc1", "--gold", str(ROOT / "sample_data/fnc1/gold.csv"), str(ROOT / "sample_data/fnc1/systems"))


class Moment(NamedTuple):
    """When a process sends itself a signal: at a call of a function, or as soon as a file is there.

    calls: which call of the function, in any thread. function: '' for any. path: of the file, instead of a call.
    """

    signal: int
    calls: int = 1
    function: str = ""
    path: str = ""


NEVER = Moment(signal.SIGINT, calls=0)
"""The number of calls is the last word on standard error."""

_PROGRAM = """
import atexit, itertools, json, os, sys, threading
from metaeval.__main__ import main
number, calls, function, path = json.loads(sys.argv.pop(1))
seen, numbers = 0, itertools.count(1)
MAKING = {"close", "mkdir", "open", "rename", "replace", "write"}  # what files come from

def watch(frame, event, argument):
    global seen
    if path:
        come = event == "c_return" and argument.__name__ in MAKING and os.path.exists(path)
    else:
        come = False
        if event == "call" and function in ("", frame.f_code.co_name):
            mine = seen = next(numbers)  # in one step; other threads change `seen` meanwhile
            come = mine == calls
    if come:
        sys.setprofile(None)
        threading.setprofile(None)
        os.kill(os.getpid(), number)

if not calls:
    atexit.register(lambda: print(seen, file=sys.stderr))
threading.setprofile(watch)
sys.setprofile(watch)
main()
"""


def run_until(
    moment: Moment, folder: Path, *arguments: str, temporary: Path | None = None, before: str = ""
) -> tuple[int, str]:
    """The exit code of a process that sends itself a signal at a moment, and what it writes to standard error.

    temporary: where it has its temporary files. before: what the shell does first.
    """
    done = subprocess.run(
        ["bash", "-c", f'{before or ":"}; exec "$0" -c "$@"', sys.executable, _PROGRAM, json.dumps(moment), *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE,
        env=os.environ if temporary is None else {**os.environ, "TMPDIR": str(temporary)},
    )  # fmt: skip
    return done.returncode, done.stderr


def call(folder: Path, *arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """The outcome of a whole call; before: what the shell does first, as 'ulimit -f 4'."""
    return subprocess.run(
        ["bash", "-c", f'{before or ":"}; exec "$0" -m metaeval "$@"', sys.executable, *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def contents(folder: Path) -> Mapping[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
