"""Record the golden commands, or check them against a recording."""

import argparse
import fnmatch
import importlib.metadata
import importlib.util
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path

from .compare import compare
from .listing import HERE, Command, golden_commands

REPOSITORY = HERE.parents[1]
FOLDER = REPOSITORY / ".golden"
NEEDED = (
    *("sudachipy", "sudachidict_core", "duckdb", "dask", "distributed", "matplotlib", "wn", "rapidfuzz"),
    *("snowballstemmer", "pyarrow"),
)
"""Packages of the extras: without them, commands would compare nothing but an error message."""

MARK = "environment.txt"
"""The file that makes a folder one of recordings: what they were made with."""


def main(arguments: list[str] | None = None) -> int:
    """Carry out the command line, and return the exit code."""
    options = _options(arguments)
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        _say(f"golden: not installed: {', '.join(missing)}; install '.[dev]' first")
        return 2
    commands = [command for command in golden_commands() if fnmatch.fnmatch(command.name, options.only)]
    return _record(options, commands) if options.action == "record" else _check(options, commands)


def _record(options: argparse.Namespace, commands: list[Command]) -> int:
    """Record commands; with --only, other recordings in the folder stay."""
    folder: Path = options.folder
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        _say(f"golden: {folder}: holds files that are no recordings; choose another --folder")
        return 2
    if options.only == "*":
        shutil.rmtree(folder, ignore_errors=True)
    for command in commands:
        shutil.rmtree(folder / command.name, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARK).write_text(_environment(), encoding="utf-8")
    _run(options.checkout, commands, folder)
    print(f"{len(commands)} commands are recorded in {folder}")
    return 0


def _check(options: argparse.Namespace, commands: list[Command]) -> int:
    """Run commands and print how they differ from their recordings."""
    mark = options.folder / MARK
    if not mark.is_file():
        _say(f"golden: {options.folder}: nothing is recorded there; record first")
        return 2
    if mark.read_text(encoding="utf-8") != _environment():
        _say(
            f"golden: recorded with {mark.read_text(encoding='utf-8').strip()}, but this is {_environment().strip()}: "
            "last digits may differ"
        )
    with tempfile.TemporaryDirectory(prefix="golden-") as scratch:
        now = Path(options.keep or Path(scratch, "now"))
        _run(options.checkout, commands, now)
        comparison = compare(options.folder, now, only=options.only)
    print(comparison)
    return 0 if comparison.passed else 1


def _run(checkout: Path, commands: list[Command], folder: Path) -> None:
    from .running import Workshop, run_all  # imports pyarrow, which `main` has looked for

    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="golden-") as scratch:
        folder.mkdir(parents=True, exist_ok=True)
        run_all(Workshop(Path(scratch), checkout.resolve()), commands, folder, _say)
    _say(f"{len(commands)} commands of {checkout} took {time.monotonic() - started:.0f} s")


def _environment() -> str:
    """What the last digits of numbers depend on."""
    versions = (f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy", "pandas", "matplotlib"))
    return f"{platform.machine()}, Python {platform.python_version()}, {', '.join(versions)}\n"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="golden", description=__doc__)
    parser.add_argument("action", choices=("record", "check"))
    parser.add_argument("--folder", type=Path, default=FOLDER, help="the recordings (default: .golden)")
    parser.add_argument("--checkout", type=Path, default=REPOSITORY, help="the repository to run (default: this one)")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="names of commands, as 'stability*'")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="check: keep the new recordings there")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
