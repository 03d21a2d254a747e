"""Writes results to standard output, files and folders."""

from __future__ import annotations

import errno
import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import click

from metaeval.cli.folder import OWN_FILES, other_files, reject_other_files, write_tables
from metaeval.config import OutputConfig, PageSettings
from metaeval.errors import InputError, ReaderGone, setting, visible
from metaeval.io.files.source import path_text
from metaeval.model.grouped import notes_on_shown
from metaeval.model.report import Report
from metaeval.render import render
from metaeval.render.delimited import comma_separated_lines, tab_separated_lines
from metaeval.render.files import (
    STANDARD_OUTPUT,
    Parts,
    refuse_overwriting_inputs,
    stream_of,
    unwritable,
    write_atomically,
)
from metaeval.render.references import references

_LINES = {".csv": comma_separated_lines, ".tsv": tab_separated_lines}
"""Writers of the table of items, by suffix of the file."""

_NOTES_APART = ("table", "chart", "csv", "tsv")
"""Formats whose findings and notes are written to standard error; the others contain them."""


def write_report(
    report: Report,
    output: OutputConfig,
    *,
    quiet: bool,
    width: int | None = None,
    wrap: bool = True,
    appendix: bool = False,
) -> None:
    """Render and write a report; appendix: whether all parts of a page are open.

    width: of lines without a terminal; None for unlimited. wrap: whether a terminal limits them.
    """
    apart = output.format in _NOTES_APART
    remarks = []
    works = references(report)
    if not output.methods:
        report = replace(report, methods=())
    elif not report.methods:
        remarks.append(f"{report.command} has no paragraph on methods")
    if output.table is not None:
        report = replace(report, tables=(replace(report.table(output.table), detail=False),))
    terminal = output.output is None and sys.stdout is not None and sys.stdout.isatty()
    text = render(
        replace(report, notes=(), findings=()) if apart else report,
        output.format,
        digits=output.digits,
        width=shutil.get_terminal_size().columns if terminal and wrap else width,
        appendix=appendix,
        safe_csv=output.safe_csv,
        titles=None if output.names is None else output.names == "title",
        colour=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
    )
    beside: dict[str, Parts] = {} if output.bibtex is None else {output.bibtex: [works]}
    if output.plot is not None:
        beside[output.plot] = [_plot(report, output.plot)]
    for path in (*beside, *filter(None, [output.output])):
        refuse_overwriting_inputs(path, report)
    for path, content in beside.items():
        write_atomically(path, content)
    if output.output_dir is not None:
        remarks += _write_folder(output.output_dir, report, safe=output.safe_csv)
    if output.output is None:
        _print(text)
    else:
        write_atomically(output.output, [text])
    if not quiet:
        notes = notes_on_shown(report) if output.format == "table" else report.notes
        _write_apart(replace(report, notes=notes) if apart else replace(report, notes=(), findings=()), remarks)


def _write_folder(directory: str, report: Report, *, safe: bool) -> list[str]:
    """Write the tables to a folder; remarks on other files there."""
    foreign, remarks = other_files(directory), []
    if others := write_tables(directory, report, safe=safe):
        remarks.append(f"{directory} also contains {', '.join(others)} of other results")
    if replaced := [name for name in foreign if name not in other_files(directory)]:
        remarks.append(f"{', '.join(replaced)} in {directory}, which metaeval had not written, were replaced")
    return remarks


def _write_apart(report: Report, remarks: Sequence[str]) -> None:
    """Write findings, notes and remarks to standard error."""
    for finding in report.findings:
        click.echo(f"Finding: {visible(str(finding))}", err=True)
    for note in (*report.notes, *remarks):
        click.echo(f"Note: {visible(str(note))}", err=True)


def check_output_paths(
    item_file: str | None,
    output: OutputConfig,
    page: PageSettings | None = None,
    files: Mapping[str, str | None] | None = None,
) -> None:
    """Raise an `InputError` before the computation if results cannot be written; files: instead of the usual ones."""
    if output.plot is not None:
        _check_plot(output.plot)
    files = files or {
        "the results": output.output,
        "the scores of items": item_file,
        "the plot": output.plot,
        "the references": output.bibtex,
    }
    check_distinct(files, page, output.output_dir)
    if output.output_dir:
        pages = page.files if page else {}
        outputs = [path for path in (*files.values(), *pages.values()) if path]
        reject_other_files(output.output_dir, outputs, overwrite=output.overwrite)


def _check_plot(path: str) -> None:
    """Raise an `InputError` if the suffix of the file is not that of a plot, or if matplotlib is missing."""
    from metaeval.render.plots import SUFFIXES

    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError.at(
            found=f"{setting('plot')} '{path}'",
            expected=f"a file name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}",
            hint=f"as in {setting('plot', 'similarity.svg')}",
        )
    if importlib.util.find_spec("matplotlib") is None:
        raise InputError.at(
            found=f"{setting('plot')} without matplotlib",
            expected="matplotlib",
            hint=f"pip install 'metaeval[plots]', or draw in the terminal with {setting('format', 'chart')}",
        )


def _plot(report: Report, path: str) -> bytes:
    """The plot of the main table, in the format of the suffix."""
    from metaeval.render.plots import main_drawing

    return main_drawing(report).to_bytes(Path(path).suffix.lower())


def check_distinct(
    outputs: Mapping[str, str | None], page: PageSettings | None = None, output_dir: str | None = None
) -> None:
    """Raise an `InputError` if the folder of an output file does not exist, or if two outputs share a file.

    page: its files may be in a folder of results that does not exist yet.
    """
    taken: dict[str, str] = {}
    pages = {} if page is None else page.files
    folder = Path(os.path.realpath(output_dir)) if output_dir else None
    no_folder = {"the folder of the results": output_dir if output_dir == STANDARD_OUTPUT else None}
    for what, path in {**outputs, **pages, **no_folder}.items():
        if not path:
            continue
        if path == STANDARD_OUTPUT and what not in ("the results", "the verdicts", "the page"):
            raise InputError.at(found=f"'-' for {what}", expected="a path", hint="write ./- for the name -")
        target = os.path.realpath(path)
        is_beside = what in pages and Path(target).parent == folder
        if is_beside and (Path(target).suffix == ".csv" or Path(target).name in OWN_FILES):
            raise InputError.at(
                path,
                found=f"{what} in the folder of the results, with the name of one of their files",
                expected="another name, such as report.html or report.json",
                hint="change it in the section report",
            )
        if stream_of(path) is None and not is_beside and not Path(target).parent.is_dir():
            if what in pages:
                raise InputError.at(
                    path,
                    found="it cannot be written (its folder does not exist)",
                    expected=f"a folder that exists, or that of the results{f' ({output_dir})' if output_dir else ''}",
                    hint=f"create the folder {Path(path).parent}, or change the path in the section report",
                )
            raise unwritable(path, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
        if target in taken:
            raise InputError.at(
                path, found=f"one file for {taken[target]} and for {what}", expected="one file for each"
            )
        taken[target] = what


def export_items(report: Report, path: str, *, safe: bool) -> Report:
    """Write the table `item_scores` line by line; the report without this table. safe: as `OutputConfig.safe_csv`."""
    items = [table for table in report.tables if table.name == "item_scores"]
    refuse_overwriting_inputs(path, report)
    lines = chain.from_iterable(_LINES[Path(path).suffix](table, safe=safe) for table in items)
    write_atomically(path, (line.encode("utf-8", "backslashreplace").decode("utf-8") for line in lines))
    return replace(report, tables=tuple(table for table in report.tables if table not in items))


def _print(text: str) -> None:
    """Write to standard output; raises `ReaderGone` if its reader has closed the pipe."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
    except (OSError, AttributeError) as error:
        # `sys.stdout` is None if the shell closed it.
        reason = getattr(error, "strerror", None) or "it is closed"
        raise InputError.at(
            found=f"standard output cannot be written ({reason})",
            expected="a terminal, a pipe or a file with free space",
            hint=f"check the target of the output, or name a file with {setting('output')}",
        ) from None


def command_line() -> str:
    """The command line for the provenance, which is the same for a resumed run."""
    return path_text(shlex.join(["metaeval", *(word for word in sys.argv[1:] if word != "--resume")]))
