"""Where results go: standard output, files, a folder."""

from __future__ import annotations

import errno
import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

import click

from metaeval.cli.folder import write_tables
from metaeval.config import OutputConfig
from metaeval.errors import InputError
from metaeval.model.report import Report
from metaeval.render import render
from metaeval.render.delimited import comma_separated_lines, tab_separated_lines
from metaeval.render.files import refuse_overwriting_inputs, stream_of, unwritable, write_atomically

_LINES = {".csv": comma_separated_lines, ".tsv": tab_separated_lines}
"""How a table of items is written, by the ending of its file."""

_NOTES_APART = ("table", "chart", "csv", "tsv")
"""Formats whose notes go to standard error, so that the result is the result alone; the others hold them."""


def write_report(report: Report, output: OutputConfig, *, quiet: bool, width: int | None = None) -> None:
    """Render a report and write it; notes of tables go to standard error after it, unless `quiet`.

    width: of the lines where standard output is no terminal; None for as long as they need to be.
    """
    apart = output.format in _NOTES_APART
    terminal = output.output is None and sys.stdout is not None and sys.stdout.isatty()
    text = render(
        replace(report, notes=(), findings=()) if apart else report,
        output.format,
        digits=output.digits,
        width=shutil.get_terminal_size().columns if terminal else width,
        colour=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
    )
    drawn = _plotted(report, output.plot) if output.plot is not None else b""
    for path in (output.output, output.plot):
        if path is not None:
            refuse_overwriting_inputs(path, report)
    if output.plot is not None:
        write_atomically(output.plot, [drawn])
    others: list[str] = []
    if output.output_dir is not None:
        others = write_tables(output.output_dir, report)
    if output.output is None:
        _print(text)
    else:
        write_atomically(output.output, [text])
    if apart and not quiet:
        for finding in report.findings:
            click.echo(f"Finding: {finding.sentence}", err=True)
        for note in report.notes:
            click.echo(f"Note: {note}", err=True)
    if others and not quiet:
        click.echo(f"Note: {output.output_dir} still holds {', '.join(others)} of other results", err=True)


def check_output_paths(item_file: str | None, output: OutputConfig) -> None:
    """Raise where results can't be written to the files that are named: better told before the work than after."""
    if item_file is not None and Path(item_file).suffix not in _LINES:
        raise InputError.at(
            found=f"--per-item '{item_file}'", expected="a file called .csv or .tsv", hint="as in --per-item items.csv"
        )
    if output.plot is not None:
        _check_plot(output.plot)
    check_distinct({"the results": output.output, "the scores of items": item_file, "the plot": output.plot})


def _check_plot(path: str) -> None:
    """Raise where no plot could be drawn into a file of this name: an ending that none has, or no matplotlib."""
    from metaeval.render.plots import SUFFIXES

    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError.at(
            found=f"--plot '{path}'",
            expected=f"a file called {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}",
            hint="as in --plot similarity.svg",
        )
    if importlib.util.find_spec("matplotlib") is None:
        raise InputError.at(
            found="--plot without matplotlib",
            expected="matplotlib, which draws",
            hint="pip install 'metaeval[plots]', or see the terminal's own charts with -f chart",
        )


def _plotted(report: Report, path: str) -> bytes:
    """The contents of the file of a plot, in the format of its ending; an `InputError` where nothing can be drawn."""
    from metaeval.render.plots import main_drawing

    return main_drawing(report).to_bytes(Path(path).suffix.lower())


def check_distinct(named: Mapping[str, str | None]) -> None:
    """Raise where a folder of files to be written is not there, or one file is for two; by what each is for."""
    taken: dict[str, str] = {}
    for what, path in named.items():
        if not path:
            continue
        target = os.path.realpath(path)
        if stream_of(path) is None and not Path(target).parent.is_dir():
            raise unwritable(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
        if target in taken:
            raise InputError.at(path, found=f"one file for {taken[target]} and for {what}", expected="a file for each")
        taken[target] = what


def export_items(report: Report, path: str) -> Report:
    """Write the table `item_scores` line by line; the report without it, which nobody would read."""
    items = [table for table in report.tables if table.name == "item_scores"]
    refuse_overwriting_inputs(path, report)
    lines = chain.from_iterable(map(_LINES[Path(path).suffix], items))
    write_atomically(path, (line.encode("utf-8", "backslashreplace").decode("utf-8") for line in lines))
    return replace(report, tables=tuple(table for table in report.tables if table not in items))


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


def command_line() -> str:
    """What was typed, for the provenance; whether a run was interrupted on the way does not belong to it."""
    return shlex.join(["metaeval", *(word for word in sys.argv[1:] if word != "--resume")])
