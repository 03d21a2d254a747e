"""The examples of the documentation: what they are, and what they print.

A ```console block contains commands after `$ `, each followed by what it prints. They run in a fresh folder that has
copies of `sample_data` and `configs`, those of a page one after the other, where the terminal is 200 columns wide.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from metaeval.cli import main

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE_PAGES = [ROOT / "README.md", ROOT / "README.ja.md", *sorted((ROOT / "docs").rglob("*.md"))]

_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"'[^']*'")
_FOR_A_SHELL = re.compile(r"[|&;<>$`*?~]")
_COLUMNS = "200"
_DIGITS = re.compile(r"-?\d+\.\d{12,}")
_ROUNDING = 1e-12
"""Machines sum in different orders, and differ in the last digits of a number that is printed whole."""


class Example(NamedTuple):
    """A command, and what it is said to print."""

    command: str
    printed: str


def examples(block: str) -> Iterator[Example]:
    r"""The commands of a console block, each with the output below it; a command that ends in a backslash continues.

    >>> list(examples("$ echo id\nid\n$ true\n"))
    [Example(command='echo id', printed='id\n'), Example(command='true', printed='')]
    """
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        end = next(number for number, line in enumerate(lines, 1) if not line.endswith("\\\n"))
        yield Example("".join(lines[:end]).removesuffix("\n"), "".join(lines[end:]))


def refreshed(page: str) -> str:
    """A page with what its console blocks print today."""
    with sample_folder():
        return _CONSOLE.sub(lambda match: f"```console\n{_rerun(match[1])}```", page)


def _rerun(block: str) -> str:
    return "".join(
        f"$ {example.command}\n{same_but_rounding(example.printed, output(example.command))}"
        for example in examples(block)
    )


def same_but_rounding(before: str, after: str) -> str:
    """`before` where it differs from `after` only in the last digits of numbers, otherwise `after`.

    >>> same_but_rounding("tau 0.7912225031051718", "tau 0.791222503105172")
    'tau 0.7912225031051718'
    """
    old, new = _DIGITS.findall(before), _DIGITS.findall(after)
    if _DIGITS.sub("#", before) != _DIGITS.sub("#", after):
        return after
    near = all(math.isclose(float(a), float(b), rel_tol=_ROUNDING) for a, b in zip(old, new, strict=True))
    return before if near else after


@contextlib.contextmanager
def sample_folder() -> Iterator[Path]:
    """A fresh working folder with the sample data and the configurations, and the environment of a plain terminal."""
    environment, before = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        for part in ("sample_data", "configs", "docs/examples"):
            shutil.copytree(ROOT / part, Path(name) / part)
        # In its pipelines GitHub wants annotations, which a terminal does not show.
        os.environ.pop("GITHUB_ACTIONS", None)
        os.environ["COLUMNS"] = _COLUMNS
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environment)


def output(command: str) -> str:
    """What a command prints, results and notes in the order of a terminal.

    metaeval by itself runs in this process, which saves its start; other commands run in a shell.
    """
    # To a shell a backslash at the end of a line is nothing; to shlex it is a line break.
    words = shlex.split(command.replace("\\\n", " "))
    if words[0] == "metaeval" and not _FOR_A_SHELL.search(_QUOTED.sub("", command)):
        return _without_progress(_output_of_metaeval(words))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    finished = subprocess.run(
        ["bash", "-c", command],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return _without_progress(finished.stdout.decode())


def _without_progress(printed: str) -> str:
    """The output without lines that depend on the load of the machine."""
    return re.sub(r"(?m)^(Progress: |.*: about \d+ minutes?, estimated from ).*\n", "", printed)


def _output_of_metaeval(words: list[str]) -> str:
    printed = io.BytesIO()
    stream = io.TextIOWrapper(printed, encoding="utf-8", write_through=True)
    arguments, sys.argv = sys.argv, words
    try:
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream), contextlib.suppress(SystemExit):
            main(words[1:])
    finally:
        sys.argv = arguments
    return printed.getvalue().decode()
