"""Where results go: standard output, or a file that is there whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path

import click

from metaeval.config import OutputConfig
from metaeval.errors import InputError
from metaeval.model.report import Report
from metaeval.render import render
from metaeval.render.delimited import comma_separated_lines, tab_separated_lines

_LINES = {".csv": comma_separated_lines, ".tsv": tab_separated_lines}
"""How a table of items is written, by the ending of its file."""

_NOTES_APART = ("table", "csv", "tsv")
"""Formats whose notes go to standard error, so that the result is the result alone; the others hold them."""

_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_DEVICES = ("/dev/", "/proc/")
_LINKS_AT_MOST = 40
"""Symbolic links from one to the next that are followed, as in Linux."""


def show(report: Report, output: OutputConfig, *, quiet: bool, width: int | None = None) -> None:
    """Render a report and write it; notes of tables go to standard error after it, unless `quiet`.

    width: of the lines where standard output is no terminal; None for as long as they need to be.
    """
    apart = output.format in _NOTES_APART
    terminal = output.output is None and sys.stdout is not None and sys.stdout.isatty()
    text = render(
        replace(report, notes=()) if apart else report,
        output.format,
        digits=output.digits,
        width=shutil.get_terminal_size().columns if terminal else width,
        colour=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
    )
    if output.output is not None:
        _spare_inputs(output.output, report)
    if output.directory is not None:
        write_tables(output.directory, report)
    if output.output is None:
        _print(text)
    else:
        write_whole(output.output, [text])
    if apart and not quiet:
        for note in report.notes:
            click.echo(f"Note: {note}", err=True)


def check_places(item_file: str | None, output: OutputConfig) -> None:
    """Raise where results can't be written to the files that are named: better told before the work than after."""
    if item_file is not None and Path(item_file).suffix not in _LINES:
        raise InputError.at(
            found=f"--per-item '{item_file}'", expected="a file called .csv or .tsv", hint="as in --per-item items.csv"
        )
    for path in (item_file, output.output):
        if path and stream_of(path) is None and not Path(os.path.realpath(path)).parent.is_dir():
            raise _unwritable(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
    if item_file is not None and output.output and os.path.realpath(item_file) == os.path.realpath(output.output):
        raise InputError.at(
            output.output, found="one file for the results and for the scores of items", expected="a file for each"
        )


def export_items(report: Report, path: str) -> Report:
    """Write the table `item_scores` line by line; the report without it, which nobody would read."""
    items = [table for table in report.tables if table.name == "item_scores"]
    _spare_inputs(path, report)
    lines = chain.from_iterable(map(_LINES[Path(path).suffix], items))
    write_whole(path, (line.encode("utf-8", "backslashreplace").decode("utf-8") for line in lines))
    return replace(report, tables=tuple(table for table in report.tables if table not in items))


def _spare_inputs(path: str, report: Report) -> None:
    """Raise where a result would be written over a file that it was made from."""
    for file in report.provenance.files:
        if Path(path).is_file() and Path(file.path).is_file() and Path(path).samefile(file.path):
            raise InputError.at(
                path,
                found=f"a result to be written over the file that was read as {file.role}",
                expected="a file of its own",
                hint="name another file or folder for the results",
            )


def write_tables(directory: str, report: Report) -> None:
    """A CSV file for each table of a report, and `provenance.json`; the folder is made where it does not exist."""
    if not directory:
        raise InputError.at(found="--output-dir without a folder", expected="a path")
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError.at(
            directory,
            found=f"it can't be made a folder ({error.strerror or error})",
            expected="a folder, or a name that is free",
            hint="name another folder with --output-dir",
        ) from None
    files: dict[str, str] = {}
    for table in report.all_tables():
        alone = replace(report, tables=(replace(table, beside=None),))
        files[str(folder / f"{table.name}.csv")] = render(alone, "csv")
    origin = {key: value for key, value in report.to_dict().items() if key != "tables"}
    files[str(folder / "provenance.json")] = json.dumps(origin, ensure_ascii=False, indent=2) + "\n"
    for path in files:
        _spare_inputs(path, report)
    for path, text in files.items():
        write_whole(path, [text])


def _print(text: str) -> None:
    """Write to standard output; a reader that has enough is a `BrokenPipeError`, anything else our user's to mend."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, AttributeError) as error:
        # Python has no standard output at all (None) where the shell closed it.
        reason = getattr(error, "strerror", None) or "it is closed"
        raise InputError.at(
            found=f"standard output can't be written ({reason})",
            expected="a terminal, a pipe or a file with room",
            hint="check where the output is sent, or name a file with -o",
        ) from None


def write_whole(path: str, lines: Iterable[str]) -> None:
    """Write a file, part after part, through a temporary one beside it, so that a failure leaves what was there before.

    A symbolic link stays, and what it leads to is written; a pipe or a device, as /dev/stdout, is written to.
    """
    if not path:
        raise InputError.at(found="-o without a file", expected="a path")
    try:
        stream = stream_of(path)
        if stream is not None:
            _write_stream(stream, lines)
        else:
            _replace(Path(os.path.realpath(path)), lines)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from None


def stream_of(path: str) -> str | int | None:
    """What to open where a path leads to no plain file: an open descriptor of ours, or the path; else None.

    >>> stream_of("/dev/stdout"), stream_of("/dev/fd/7"), stream_of("/dev/tty"), stream_of("results.csv")
    (1, 7, '/dev/tty', None)
    """
    name = os.path.abspath(path)  # noqa: PTH100 (`..` is dropped here, which a Path keeps)
    for _ in range(_LINKS_AT_MOST):
        # What /dev/stdout leads to may be a plain file, but it is one that others are writing too.
        descriptor = _DESCRIPTOR.fullmatch(name)
        if descriptor or name in _DESCRIPTORS:
            return int(descriptor[1]) if descriptor else _DESCRIPTORS[name]
        if name.startswith(_DEVICES):
            return path
        if not Path(name).is_symlink():
            break
        name = os.path.normpath(Path(name).parent / Path(name).readlink())
    return path if Path(path).exists() and not Path(path).is_file() else None


def _write_stream(stream: str | int, lines: Iterable[str]) -> None:
    if stream == 1 and sys.stdout is not None:
        sys.stdout.flush()
    # A descriptor is written where it stands: to open its path again would begin at the start of the file.
    with open(stream, "w", encoding="utf-8", newline="", closefd=isinstance(stream, str)) as file:
        file.writelines(lines)


def _replace(target: Path, lines: Iterable[str]) -> None:
    """Put a text in the place of a plain file, with the permissions that this has or a new one would get."""
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    temporary = None
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=target.parent, delete=False) as file:
            temporary = Path(file.name)
            file.writelines(lines)
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except OSError:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise


def _unwritable(path: str, error: OSError) -> InputError:
    return InputError.at(
        path,
        found=f"it can't be written ({error.strerror or error})",
        expected="a file in a folder that exists",
        hint="check the path and its permissions",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def command_line() -> str:
    """What was typed, for the provenance."""
    return shlex.join(["metaeval", *sys.argv[1:]])
