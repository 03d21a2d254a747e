"""Folders of results, and the checkpoints of interrupted runs in them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from metaeval.errors import InputError, Problem, setting
from metaeval.io.files.source import open_source
from metaeval.io.report_file import EARLIER, INCOMPLETE, ORIGIN, SAFE, files_in_folder, read_report
from metaeval.model.report import Column, Provenance, Report, Table
from metaeval.render import render
from metaeval.render.files import (
    refuse_overwriting_inputs,
    reject_lost_way,
    unwritable,
    write_atomically,
    write_together,
)
from metaeval.study.study import AnalysisOutput
from metaeval.work.checkpoint import Checkpoint

PARTS = ".parts"
"""Folder of the checkpoints of a run, beside its results."""

OWN_FILES = (INCOMPLETE, ORIGIN, PARTS)
"""The files of a folder of results beside its tables."""

_RUN = "run.json"
_WAITING = ".waiting"
_MARK = """\
The results in this folder are incomplete, because the command that wrote them was interrupted.
{signature}
`metaeval run CONFIG --output-dir FOLDER --resume` continues an experiment; every other command starts again.
"""


def write_tables(directory: str, report: Report, *, safe: bool = False) -> list[str]:
    """Write a CSV file for each table of a report and `provenance.json`; return the files of other results there.

    All files are complete before the first is replaced, and the file `INCOMPLETE` exists until the last is. safe: as
    `OutputConfig.safe_csv`.
    """
    folder = make_folder(directory)
    before = files_in_folder(directory)
    files = {INCOMPLETE: _mark(report)}
    for table in report.all_tables():
        alone = replace(report, tables=(replace(table, beside=None),))
        files[f"{table.name}.csv"] = render(alone, "csv", safe_csv=safe)
    others = [name for name in dict.fromkeys(before) if name not in files and (folder / name).is_file()]
    origin = {key: value for key, value in report.to_dict().items() if key != "tables"}
    if others:
        origin[EARLIER] = others
    if safe:
        origin[SAFE] = True
    files[ORIGIN] = json.dumps(origin, ensure_ascii=False, indent=2) + "\n"
    for name in files:
        refuse_overwriting_inputs(str(folder / name), report)
    write_together(directory, files, waiting=_WAITING)
    shutil.rmtree(folder / PARTS, ignore_errors=True)
    (folder / INCOMPLETE).unlink(missing_ok=True)
    return others


def other_files(directory: str, outputs: Sequence[str] = ()) -> list[str]:
    """The names of the tables in a folder that metaeval did not write there, which results might replace.

    outputs: files of the same call, which may be in the folder.
    """
    folder, ours = Path(directory), {*files_in_folder(directory), *(Path(path).name for path in outputs)}
    if not folder.is_dir() or (folder / INCOMPLETE).is_file():
        return []
    names = [path.name for path in sorted(folder.glob("*.csv")) if path.is_file() and path.name not in ours]
    return [*names, *([ORIGIN] if (folder / ORIGIN).is_file() and not files_in_folder(directory) else [])]


def reject_other_files(directory: str, outputs: Sequence[str], *, overwrite: bool) -> None:
    """Raise an `InputError` for `other_files`, unless they may be replaced, and for a link in place of checkpoints."""
    reject_lost_way(directory)
    names = [] if overwrite else other_files(directory, outputs)
    parts = [PARTS] if (Path(directory) / PARTS).is_symlink() else []
    if names or parts:
        hint = "choose a new folder, or move these files away"
        if names:
            hint += f"; {setting('overwrite')} replaces those with the names of results"
        found = "a file that metaeval did not write there"
        problems = [Problem(found, "its results only", str(Path(directory) / name)) for name in (*names, *parts)]
        raise InputError(problems, hints=[hint])


def make_folder(directory: str) -> Path:
    """The folder of results, which is created if necessary."""
    if not directory:
        raise InputError.at(found=f"{setting('output_dir')} without a folder", expected="a path")
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError.at(
            directory,
            found=f"the folder cannot be created ({error.strerror or error})",
            expected="an existing or a new folder",
            hint=f"choose another folder with {setting('output_dir')}",
        ) from None
    return folder


class CheckpointFolder(Checkpoint):
    """A `Checkpoint` in the folder of the results, which is removed when these are written.

    resume: use existing checkpoints, which must have the same signature, files and versions; else they are removed.
    """

    def __init__(self, directory: str, *, resume: bool) -> None:
        self.directory = directory
        self.parts = Path(directory, PARTS)
        self.resume = resume

    def begin(self, run: Report) -> None:
        folder = make_folder(self.directory)
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

    def section(self, name: str, compute: Callable[[], AnalysisOutput]) -> AnalysisOutput:
        """See `work.checkpoint.Checkpoint`; sections with tables that are streamed row by row are not stored."""
        path = self.parts / f"{name}.json"
        if path.is_file():
            return _read_part(str(path))
        part = compute()
        # JSON can store tables whose rows are in memory.
        if part.tables and all(isinstance(table.rows, tuple) for table in part.tables):
            origin = Provenance("", files=tuple(part.files))
            report = Report("run", name, tuple(part.tables), tuple(part.notes), origin, tuple(part.findings))
            report = replace(report, methods=tuple(part.methods))
            write_atomically(str(path), [render(report, "json")])
        return part

    def _check_same(self, run: Report) -> None:
        before, now = (
            {str(what): str(value) for what, value in report.main.rows}
            for report in (read_report(str(self.parts / _RUN)), _identity(run))
        )
        problems = [
            Problem(f"{name}: {now.get(name, 'none')}", f"{before.get(name, 'none')}, as at the start", self.directory)
            for name in {**before, **now}
            if before.get(name) != now.get(name)
        ]
        if problems:
            raise InputError(problems, hints=["restore the experiment and its files, or start again without --resume"])


def _mark(report: Report) -> str:
    return _MARK.format(signature=report.signature)


def _identity(run: Report) -> Report:
    """The settings, versions and files of a run, as a table."""
    origin = run.provenance
    files = {f"{file.role} {file.path} (SHA-256)": file.sha256 for file in origin.files}
    values = {"metaeval": origin.version, **origin.versions, **origin.settings, **files}
    rows = tuple((name, str(value)) for name, value in values.items())
    return replace(run, tables=(Table("run", "Settings, versions and files", (Column("what"), Column("value")), rows),))


def _read_part(path: str) -> AnalysisOutput:
    """The stored output of a section; raises `InputError` if one of its files has changed since."""
    report = read_report(path)
    problems = [
        Problem(f"the file has changed since it was read as {file.role}", "the same, byte for byte", file.path)
        for file in report.provenance.files
        if open_source(file.path, file.role).sha256 != file.sha256
    ]
    if problems:
        raise InputError(problems, hints=["restore the file, or start again without --resume"])
    return AnalysisOutput(report.tables, report.notes, report.findings, report.provenance.files, report.methods)
