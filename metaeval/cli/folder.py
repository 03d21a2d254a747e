"""Folders of results: whole, or marked as incomplete; and what an interrupted run left in one."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from metaeval.errors import InputError, Problem
from metaeval.io.files.source import open_source
from metaeval.io.report_file import INCOMPLETE, ORIGIN, read_report, tables_in_folder
from metaeval.model.report import Column, Provenance, Report, Table
from metaeval.render import render
from metaeval.render.files import refuse_overwriting_inputs, unwritable, write_atomically, write_together
from metaeval.study.study import Part

PARTS = ".parts"
"""Beside the results: what the sections of a run found, until it has ended."""

_RUN = "run.json"
_WAITING = ".waiting"
_MARK = """\
What is in this folder is not whole: results began to be written here, and that did not end.
{signature}
An experiment goes on with `metaeval run CONFIG --output-dir FOLDER --resume`; every command writes its results anew.
"""


def write_tables(directory: str, report: Report) -> list[str]:
    """A CSV file for each table of a report, and `provenance.json`; the folder is made where it does not exist.

    All are written in full before the first takes its place, and `INCOMPLETE` is there while they take it. Files of
    other results that were there stay, and are what is returned: they might be taken for these.
    """
    folder = made_folder(directory)
    before = [f"{name}.csv" for name in tables_in_folder(directory)]
    files = {INCOMPLETE: _mark(report)}
    for table in report.all_tables():
        alone = replace(report, tables=(replace(table, beside=None),))
        files[f"{table.name}.csv"] = render(alone, "csv")
    origin = {key: value for key, value in report.to_dict().items() if key != "tables"}
    files[ORIGIN] = json.dumps(origin, ensure_ascii=False, indent=2) + "\n"
    for name in files:
        refuse_overwriting_inputs(str(folder / name), report)
    write_together(directory, files, waiting=_WAITING)
    shutil.rmtree(folder / PARTS, ignore_errors=True)
    (folder / INCOMPLETE).unlink(missing_ok=True)
    return [name for name in before if name not in files and (folder / name).is_file()]


def made_folder(directory: str) -> Path:
    """The folder of results, made where it does not exist; what can't be one is an `InputError`."""
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
    return folder


class CheckpointFolder:
    """Keeps what the sections of a run found in the folder of its results, until these are written.

    resume: whether what is there already is taken over; otherwise it is thrown away. Of the same signature, files and
    versions it has to be, or else it is an `InputError`.
    """

    def __init__(self, directory: str, *, resume: bool) -> None:
        self.directory = directory
        self.parts = Path(directory, PARTS)
        self.resume = resume

    def begin(self, run: Report) -> None:
        folder = made_folder(self.directory)
        if self.resume and (self.parts / _RUN).is_file():
            self._check_same(run)
        else:
            shutil.rmtree(self.parts, ignore_errors=True)
        write_atomically(str(folder / INCOMPLETE), [_mark(run)])
        try:
            self.parts.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(str(self.parts), error) from None
        write_atomically(str(self.parts / _RUN), [render(_identity(run), "json")])

    def section(self, name: str, compute: Callable[[], Part]) -> Part:
        """As of `work.checkpoint.Checkpoint`; tables that are made row by row, as they are read, are found again."""
        path = self.parts / f"{name}.json"
        if path.is_file():
            return _read_part(str(path))
        part = compute()
        if part.tables and all(map(_can_be_kept, part.tables)):
            origin = Provenance("", files=tuple(part.files))
            report = Report("run", name, tuple(part.tables), tuple(part.notes), origin, tuple(part.findings))
            write_atomically(str(path), [render(report, "json")])
        return part

    def _check_same(self, run: Report) -> None:
        before, now = (
            {str(what): str(value) for what, value in told.main.rows}
            for told in (read_report(str(self.parts / _RUN)), _identity(run))
        )
        problems = [
            Problem(f"{name}: {now.get(name, 'none')}", f"{before.get(name, 'none')}, as the run began", self.directory)
            for name in {**before, **now}
            if before.get(name) != now.get(name)
        ]
        if problems:
            raise InputError(problems, hints=["put back what the run began with, or begin anew without --resume"])


def _mark(report: Report) -> str:
    return _MARK.format(signature=report.signature)


def _identity(run: Report) -> Report:
    """What has to be the same for parts of two runs to be one run, as a report with a table: what, value."""
    origin = run.provenance
    files = {f"{file.role} {file.path} (SHA-256)": file.sha256 for file in origin.files}
    told = {"metaeval": origin.version, **origin.versions, **origin.settings, **files}
    rows = tuple((name, str(value)) for name, value in told.items())
    return replace(run, tables=(Table("run", "What was run", (Column("what"), Column("value")), rows),))


def _can_be_kept(table: Table) -> bool:
    """Whether JSON gives the table back: it knows no infinity, and rows that are made as they are read are too many."""
    return isinstance(table.rows, tuple) and not any(
        isinstance(cell, float) and math.isinf(cell) for row in table.rows for cell in row
    )


def _read_part(path: str) -> Part:
    """A part that was kept; where a file that it was made from has changed since, it is an `InputError`."""
    report = read_report(path)
    problems = [
        Problem(f"the file has changed since it was read as {file.role}", "the same, byte for byte", file.path)
        for file in report.provenance.files
        if open_source(file.path, file.role).sha256 != file.sha256
    ]
    if problems:
        raise InputError(problems, hints=["put the file back, or begin anew without --resume"])
    return Part(report.tables, report.notes, report.findings, report.provenance.files)
