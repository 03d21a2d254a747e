"""Broken files by the thousand: each is read or refused, with one message, in time and without a traceback.

`make fuzz` reads 100,000 in this process and 3,000 in processes of their own; tests read a few.
"""

from __future__ import annotations

import contextlib
import io
import os
import pty
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from dask_clusters import own_cluster
from faults.mutation import mutated
from faults.readers import Reader, readers

from metaeval.cli import main

SECONDS = 20
"""For one small file, on a machine that has much else to do."""

LONGEST_MESSAGE = 100_000

# Pages are expensive, and read their results as `check` does.
READERS = [name for name in readers() if name != "results for a page"]

Run = Callable[[Sequence[str]], tuple[object, str, str]]
"""From the words of a call to its exit code, and what stood on standard output and on standard error."""


class TooLong(BaseException):
    """A call that did not end in time; no `except Exception` can hide it."""


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    def late(_signal: int, _frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run_here(command: Sequence[str]) -> tuple[object, str, str]:
    """A call in this process."""
    said, shown, code = io.StringIO(), io.StringIO(), None
    with within(SECONDS), contextlib.redirect_stdout(shown), contextlib.redirect_stderr(said):
        try:
            main(command)
        except SystemExit as end:
            code = end.code
    return code, shown.getvalue(), said.getvalue()


def read_or_refused(*command: str, run: Run = run_here) -> int:
    """The exit code of a call; fails where it is not one of metaeval's, or the error message is missing or too long."""
    code, shown, said = run(command)
    assert isinstance(code, int), f"exit code {code}"
    assert code in (0, 1, 2), f"exit code {code}: {said}"
    assert "Traceback" not in said, said
    assert len(said) < LONGEST_MESSAGE
    if code == 2:
        assert said.startswith("Error: "), said
        assert said.count("Error: ") == 1, said
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
            timeout=6 * SECONDS,
            check=False,
        )
    finally:
        os.close(terminal)
        os.close(end)
    shown, said = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
    return done.returncode, shown, said


def from_terminal(command: Sequence[str], broken: str) -> list[str]:
    """The same call with standard input in place of the broken file."""
    return ["-" if word == broken else word for word in command]


def _attack(calls: int, run: Run, change: Callable[[int, Reader], Sequence[str]], what: str) -> int:
    """Print how many calls ended with which code, and every failure; the number of failures."""
    codes, failed = Counter[object](), 0
    for seed, name in enumerate(islice(cycle(READERS), calls)):
        reader = readers()[name]
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            lay_out(reader, seed)
            try:
                codes[read_or_refused(*change(seed, reader), run=run)] += 1
            except (AssertionError, TooLong, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{what}, {name}, seed {seed}: {type(error).__name__} {str(error)[:2000]}", flush=True)
    print(f"{what}: {calls} calls, {failed} failed, exit codes {dict(codes)}", flush=True)
    return failed


def _attack_all(here: int, apart: int) -> int:
    failed = _attack(here, run_here, lambda _, reader: reader.command, "in this process") if here else 0
    with tempfile.TemporaryDirectory() as folder, own_cluster(Path(folder)) as cluster:
        cluster.begin_worker()
        cluster.wait_for_workers(1)
        address = cluster.address

        def change(seed: int, reader: Reader) -> Sequence[str]:
            """One call in five reads from a terminal; texts are sometimes scored on a cluster."""
            if seed % 5 == 0:
                return from_terminal(reader.command, reader.broken)
            on_cluster = "texts" in reader.command and seed % 2 == 0
            return (*reader.command, "--scheduler", address) if on_cluster else reader.command

        return failed + (_attack(apart, run_apart, change, "in processes") if apart else 0)


if __name__ == "__main__":
    sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
    sys.exit(bool(_attack_all(*map(int, sys.argv[1:]))))
