"""Broken files by the thousand: each is read or refused, with one message, in time and without a traceback.

`make fuzz` reads 100,000 in this process and 3,000 in processes of their own; tests read a few. A third number is the
first seed: parts of a long run have seeds of their own.
"""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.mutation import mutated
from faults.readers import Reader, readers

from metaeval.cli import main

SECONDS = 20
"""Of processor time, for one small file."""

LONGEST_MESSAGE = 100_000

FAILED = "failed"

READERS = list(readers())

Run = Callable[[Sequence[str]], tuple[object, str, str]]
"""From the words of a call to its exit code, and what stood on standard output and on standard error."""


class TooLong(BaseException):
    """A call that did not end in time; no `except Exception` can hide it."""


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    def late(_signal: int, _frame: object) -> None:
        raise TooLong

    before = {kind: signal.signal(kind, late) for kind in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    # For ever is long, however busy the machine.
    signal.alarm(30 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for kind, handler in before.items():
            signal.signal(kind, handler)


def run_here(command: Sequence[str]) -> tuple[object, str, str]:
    """A call in this process."""
    messages, shown, code = io.StringIO(), io.StringIO(), None
    with within(SECONDS), contextlib.redirect_stdout(shown), contextlib.redirect_stderr(messages):
        try:
            main(command)
        except SystemExit as end:
            code = end.code
    return code, shown.getvalue(), messages.getvalue()


def read_or_refused(*command: str, run: Run = run_here) -> int:
    """The exit code of a call; fails where it is not one of metaeval's, or the error message is missing or too long."""
    code, shown, message = run(command)
    # On a busy machine the progress is said, too.
    message = re.sub("^Progress: .*\n", "", message, flags=re.MULTILINE)
    assert isinstance(code, int), f"exit code {code}"
    assert code in (0, 1, 2), f"exit code {code}: {message}"
    assert code != 1 or {"--fail-if", "run"}.intersection(command), f"exit code 1 without a gate: {message}"
    assert "Traceback" not in message, message
    assert len(message) < LONGEST_MESSAGE
    if code == 2:
        assert message.startswith(("Error: ", "Usage: ")), message
        # DuckDB has errors called 'IO Error', which are quoted.
        assert message.count("\nError: ") == message.startswith("Usage: "), message
        # A gate on valid results may still be undefined.
        assert shown == "" or "--fail-if" in command, shown
    return code


def lay_out(reader: Reader, seed: int | None = None) -> None:
    """Write the files of a reader in the working folder, one of them broken."""
    for path, content in reader.files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content if seed is None or path != reader.broken else mutated(content, seed))


def run_apart(command: Sequence[str]) -> tuple[object, str, str]:
    """A call in a process of its own, whose standard input is a terminal at which somebody ends it at once."""
    terminal, end = pty.openpty()
    try:
        os.write(terminal, b"\x04\x04")
        done = subprocess.run(
            [sys.executable, "-m", "metaeval", *command],
            stdin=end,
            capture_output=True,
            timeout=30 * SECONDS,
            check=False,
        )
    finally:
        os.close(terminal)
        os.close(end)
    shown, message = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
    return done.returncode, shown, message


def _attack(seeds: range, run: Run, what: str) -> int:
    """Print every failure, and how many calls ended with which code; the number of failures."""
    codes = Counter[object]()
    for seed in seeds:
        name = READERS[seed % len(READERS)]
        reader = readers()[name]
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            lay_out(reader, seed)
            try:
                codes[read_or_refused(*reader.command, run=run)] += 1
            except (AssertionError, TooLong, subprocess.TimeoutExpired) as error:
                codes[FAILED] += 1
                print(f"{what}, {name}, seed {seed}: {type(error).__name__} {str(error)[:2000]}", flush=True)
        if (seed + 1 - seeds.start) % 5000 == 0 or seed == seeds[-1]:
            print(f"{what}, seeds {seeds.start} to {seed}: {dict(codes)}", flush=True)
    return codes[FAILED]


def _attack_all(here: int, apart: int, first: int = 0) -> int:
    failed = _attack(range(first, first + here), run_here, "in this process")
    return failed + _attack(range(first, first + apart), run_apart, "in processes")


if __name__ == "__main__":
    sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
    sys.exit(bool(_attack_all(*map(int, sys.argv[1:]))))
