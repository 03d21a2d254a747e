"""What tests have worker processes do, which have to be able to import it; and which of them there are."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from metaeval.errors import refuse
from metaeval.errors import setting as setting_of_message

PATIENCE = 600.0
"""Seconds after which what tests wait for counts as hanging, however busy the machine."""


class TwoParts(Exception):
    """An error that cannot be recreated from its message."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


class Counted:
    """A function that counts how often it is sent."""

    def __init__(self) -> None:
        self.sent = 0

    def __call__(self, number: int) -> int:
        return number + 1

    def __getstate__(self) -> dict[str, Any]:
        self.sent += 1
        return {}


def given_back(content: object) -> object:
    return content


def process(_call: object = None) -> int:
    return os.getpid()


def process_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def setting(name: str) -> str | None:
    return os.environ.get(name)


def computing(path: str) -> None:
    """Report the parent process, and hold the interpreter for a long time."""
    whole = Path(path)
    begun = whole.with_suffix(".begun")
    begun.write_text(str(os.getpid()))
    begun.rename(whole)
    sum(number % 7 for number in range(1 << 34))


def refused() -> None:
    raise refuse(("gold.csv", 3), "a label", "another", "correct it")


def refused_setting() -> None:
    raise refuse(None, setting_of_message("memory", 5))


def shouted(name: str, value: object) -> str:
    """A spelling of settings."""
    return f"{name.upper()} {value}"


def failing() -> None:
    raise ZeroDivisionError("nothing left")


def failing_oddly() -> None:
    raise TwoParts(1, 2)


def unspeakable() -> object:
    return lambda: 1


def leaving() -> None:
    sys.exit(3)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupted() -> int:
    os.kill(os.getpid(), signal.SIGINT)
    return os.getpid()


def noisy() -> int:
    print("printed", flush=True)
    os.write(1, b"written")
    return len(sys.stdin.read())


def children_of(parent: int) -> set[int]:
    """The worker processes that a process began and that are still there; others may have begun other processes."""
    children: set[int] = set()
    for file in Path(f"/proc/{parent}/task").glob("*/children"):
        children.update(map(int, file.read_text().split()))
    return {child for child in children if is_running(child) and b"metaeval.work.processes" in _command_line(child)}


def _command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def is_running(process: int) -> bool:
    """Whether a process is there, and not only its name until somebody asks how it ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until_gone(processes: set[int]) -> None:
    """Fail if one of them never ends."""
    until = time.monotonic() + PATIENCE
    while any(map(is_running, processes)):
        assert time.monotonic() < until, f"{processes} are still there"
        time.sleep(0.01)


def wait_for(path: Path) -> str:
    """What stands in a file, once it is there."""
    until = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < until, f"{path} never came"
        time.sleep(0.01)
    return path.read_text()
