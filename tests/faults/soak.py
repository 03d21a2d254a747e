"""Thousands of commands in one process, whose memory, files and threads have to stay as they are.

`make soak` runs ten thousand and prints a line a thousand; a test runs a few hundred. It fails where they grow.
"""

from __future__ import annotations

import contextlib
import gc
import io
import sys
import tempfile
import threading
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.readers import readers

from metaeval.cli import main

SCORES = "measure,system,item,value\n" + "".join(
    f"{measure},{system},{item},{(index * 7 + item * 3 + team * 5) % 11}\n"
    for index, measure in enumerate("mn")
    for team, system in enumerate("abc")
    for item in range(6)
)
LABELS = ("--gold", "gold.csv", "a.csv", "b.csv")
TEXTS = ("--task", "texts", "--gold", "references.jsonl", "system.jsonl")
TABLE = ("--task", "table", "scores.csv")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("score", *LABELS),
    ("score", *LABELS, "-f", "json", "-o", "score.json"),
    ("score", *LABELS, "--output-dir", "out", "--trivial"),
    ("score", *TEXTS, "-m", "rouge-n:n=1", "-f", "markdown"),
    ("score", *TABLE, "-f", "latex", "--fail-if", "scores.a.m < 0"),
    ("validate", *LABELS, "-f", "csv"),
    ("similarity", *LABELS, "--permutations", "3", "-f", "chart"),
    ("stability", *LABELS, "--trials", "3", "--permutations", "3", "--workers", "2"),
    ("merge-classes", *LABELS, "--permutations", "3"),
    ("correlate", *TABLE, "--human", "human.csv", "--resamples", "3", "--permutations", "3"),
    ("agreement", "ratings.csv"),
    ("robustness", *LABELS),
    ("measures",),
    ("measures", "cem-ord"),
    ("run", "config.yaml", "--output-dir", "run"),
    ("check", "run", "--fail-if", "scores.*.accuracy < 0"),
    ("report", "score.json", "-o", "page.html"),
    ("score", "--gold", "broken.csv", "a.csv"),
    ("score", "--gold", "gold.csv", "nowhere.csv"),
    ("scores",),
)
"""One after the other, again and again; the last three are refused."""

REFUSED = 3


class Use(NamedTuple):
    """What the process holds. memory: in MB."""

    memory: float
    files: int
    threads: int


def used() -> Use:
    """The objects of this process after garbage collection."""
    gc.collect()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return Use(
        int(status["VmRSS"].split()[0]) / 1024, len(list(Path("/proc/self/fd").iterdir())), threading.active_count()
    )


def write_files() -> None:
    """What the commands read, in the working folder."""
    gold = "".join(f"{item},{'abc'[item % 3]}\n" for item in range(12))
    files = {
        "gold.csv": "id,label\n" + gold,
        "a.csv": "id,label\n" + gold.replace("3,a", "3,b"),
        "b.csv": "id,label\n" + gold.replace(",c", ",b"),
        "broken.csv": 'id,label\n1,"a\n',
        "scores.csv": SCORES,
        "human.csv": SCORES.replace("\nm,", "\nann,").replace("\nn,", "\nbob,"),
        "ratings.csv": "item,annotator,value\n1,x,1\n1,y,2\n2,x,2\n2,y,2\n3,x,1\n3,y,1\n",
        "config.yaml": "data: {gold: gold.csv, runs: [a.csv, b.csv], labels: a<b<c}\nscore: {}\nsummary: {}\n"
        "similarity: {permutations: 3}\n"
        "stability: {trials: 3, permutations: 3}\nmerge-classes: {permutations: 3}\n",
    }
    for name, text in files.items():
        Path(name).write_text(text)
    for name, content in readers()["texts"].files.items():
        Path(name).write_bytes(content)


def soak(commands: int, every: int) -> Iterator[Use]:
    """Run many commands in the working folder, and report at intervals what they hold in memory.

    One round an interval draws a page of results, which takes as long as all else.
    """
    pages = every // len(COMMANDS)
    write_files()
    streams = _Streams(io.StringIO(), io.StringIO())
    for number, command in enumerate(islice(cycle(COMMANDS), commands)):
        turn, index = divmod(number, len(COMMANDS))
        if command[0] == "report" and turn % pages:
            command = ("report", "nowhere.json", "-o", "page.html")
        expected = 2 if index >= len(COMMANDS) - REFUSED or "nowhere.json" in command else 0
        code, message = _call(command, streams)
        assert code == expected, f"{command}: {message}"
        if (number + 1) % every == 0:
            yield used()


class _Streams(NamedTuple):
    """Where commands write. The same ones for all, because click keeps every stream that it has once written to."""

    shown: io.StringIO
    errors: io.StringIO


def _call(command: tuple[str, ...], streams: _Streams) -> tuple[object, str]:
    for stream in streams:
        stream.seek(0)
        stream.truncate()
    with contextlib.redirect_stdout(streams.shown), contextlib.redirect_stderr(streams.errors):
        try:
            main(command)
        except SystemExit as end:
            return end.code, streams.errors.getvalue()
    raise AssertionError(f"{command} did not exit")


def _soak_and_tell(commands: int, every: int) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        uses = []
        for interval, use in enumerate(soak(commands, every), start=1):
            uses.append(use)
            use_text = f"{use.memory:.1f} MB, {use.files} files, {use.threads} threads"
            print(f"{interval * every:>6,} commands: {use_text}", flush=True)
    grown = uses[-1].memory - uses[0].memory
    print(f"From {every:,} to {commands:,} commands memory grew by {grown:.1f} MB")
    sys.exit(grown > 8 or uses[-1][1:] != uses[0][1:])


if __name__ == "__main__":
    _soak_and_tell(*map(int, sys.argv[1:]))
