"""Random pairs of options: each call computes something, or is refused with one message.

The calls are golden commands, each with two more options of its command, whose values mostly suit the data. As a
program it takes a number of calls and the first seed, and prints how many ended with which code.
"""

from __future__ import annotations

import contextlib
import io
import random
import shlex
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import click

if __name__ == "__main__":
    sys.path.extend(str(Path(__file__).resolve().parents[2] / name) for name in ("tests", "checks"))

from faults.fuzz import FAILED, TooLong, read_or_refused
from golden import samples
from golden.listing import HERE, read_commands

from metaeval.cli import command_line

ROOT = Path(__file__).resolve().parents[2]

FEW = {"--permutations": "199", "--trials": "20", "--resamples": "49"}
"""So that a call takes a second."""

LEFT_OUT = {"-h", "--scheduler", "--workers", "--memory", "-o", "--output-dir", "--resume"}
"""Options, by their first flag, that end the command, start processes or write."""

TAKE_LONGER = {"run", "report", "reproduce", "check"}
"""Commands that take longer than a call may."""

Words = tuple[str, ...]


def options(command: str) -> dict[str, click.Option]:
    """The options of a command by their flags."""
    context = click.Context(command_line)
    command_object = command_line.get_command(context, command)
    assert command_object is not None
    every = (option for option in command_object.get_params(context) if isinstance(option, click.Option))
    return {flag: option for option in every for flag in (*option.opts, *option.secondary_opts)}


@cache
def calls() -> list[Words]:
    """The golden calls that are one command without redirections."""
    commands = {*command_line.list_commands(click.Context(command_line))} - TAKE_LONGER
    lines = (shlex.split(entry.line) for entry in read_commands() if not entry.name.startswith("wrong"))
    every = (tuple(rest) for name, *rest in lines if name == "metaeval" and rest)
    return [call for call in every if call[0] in commands and _plain(call)]


def _plain(words: Sequence[str]) -> bool:
    """Whether a shell would only pass the words on."""
    return not any(word in ("|", ">", "<", "||", "&&", "2>&1") or word.endswith(";") or "$" in word for word in words)


def data_of(call: Words) -> str:
    """The first path of a call, which tells what its data are."""
    return next((word for word in call if "/" in word), "")


@cache
def option_values() -> Mapping[str, set[Words]]:
    """The options that golden calls have, with their values, by the data of the calls."""
    pairs = defaultdict[str, set[Words]](set)
    for call in calls():
        flags = options(call[0])
        pairs[data_of(call)].update(pair for pair in pairwise(call) if pair[0] in flags and not flags[pair[0]].is_flag)
    return pairs


def random_call(seed: int) -> Words:
    """A golden call with two more options: with values of calls on the same data, one of several words, or a flag."""
    rng = random.Random(seed)
    call = rng.choice(calls())
    flags = options(call[0])
    words = {pair for pair in option_values()[data_of(call)] if pair[0] in flags}
    for flag, option in flags.items():
        if option.is_flag:
            words.add((flag,))
        elif isinstance(option.type, click.Choice):
            words.update((flag, value) for value in option.type.choices)
    usable = sorted(pair for pair in words if flags[pair[0]].opts[0] not in LEFT_OUT)
    few = [word for flag, value in FEW.items() if flag in flags and flag not in call for word in (flag, value)]
    return (*call, *few, *(word for pair in rng.sample(usable, min(2, len(usable))) for word in pair))


def lay_out(folder: Path) -> None:
    """What golden commands find in their folder."""
    for name in ("configs", "sample_data"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copytree(HERE / "configs", folder / "golden")
    samples.write(folder / "made", folder / "sample_data")


def attack(seeds: range) -> int:
    """Print every failure, and how many calls ended with which code; the number of failures."""
    codes = Counter[object]()
    for seed in seeds:
        call = random_call(seed)
        try:
            codes[read_or_refused(*call)] += 1
        except (AssertionError, TooLong) as error:
            codes[FAILED] += 1
            print(f"seed {seed}: {shlex.join(call)}: {type(error).__name__} {str(error)[:2000]}", flush=True)
        if (seed + 1 - seeds.start) % 500 == 0 or seed == seeds[-1]:
            print(f"seeds {seeds.start} to {seed}: {dict(codes)}", flush=True)
    return codes[FAILED]


if __name__ == "__main__":
    sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        lay_out(Path(folder))
        number, first = map(int, sys.argv[1:])
        sys.exit(bool(attack(range(first, first + number))))
