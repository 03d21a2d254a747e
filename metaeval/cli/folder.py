"""Folders of results, and the checkpoints of interrupted runs in them."""

from __future__ import annotations

import io
import json
import os
import pickle
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import is_dataclass, replace
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any

from metaeval.errors import InputError, Problem, setting, unwritable
from metaeval.io.files.source import open_source, path_text
from metaeval.io.report_file import EARLIER, INCOMPLETE, ORIGIN, SAFE, files_in_folder, read_report
from metaeval.model.report import Column, Report, Table
from metaeval.render import render
from metaeval.render.files import (
    TEMPORARY,
    WAITING,
    make_folder,
    refuse_overwriting_inputs,
    reject_lost_way,
    write_atomically,
    write_together,
)
from metaeval.study.study import AnalysisOutput
from metaeval.work.checkpoint import Checkpoint, Output

PARTS = ".parts"
"""Folder of the checkpoints of a run, beside its results."""

OWN_FILES = (INCOMPLETE, ORIGIN, PARTS)
"""The files of a folder of results beside its tables."""

_RUN = "run.json"
_CHECKPOINT = b"A checkpoint of metaeval\n"
"""The beginning of a stored output, before its hash and its pickle."""
_RESTORE = "restore the experiment and its files, or start again without --resume"
_MARK = """\
The results in this folder are incomplete, because the command that wrote them was interrupted.
{signature}
`metaeval run CONFIG --output-dir FOLDER --resume` continues an experiment; every other command starts again.
Files of metaeval in this folder:
{files}
"""


def write_tables(directory: str, report: Report, *, safe: bool = False) -> list[str]:
    """Write a CSV file for each table of a report and `provenance.json`; return the files of other results there.

    All files are complete before the first is replaced, and the file `INCOMPLETE` exists until the last is. A symbolic
    link is replaced, not its target. safe: as `OutputConfig.safe_csv`. Verdicts stand beside the results of a run.
    """
    if report.command == "check":
        report = _beside_results(directory, report)
    folder, before = Path(directory), [name for name in _result_files(directory) if name != ORIGIN]
    files = {INCOMPLETE: ""}
    for table in report.all_tables():
        alone = replace(report, tables=(replace(table, beside=None),))
        files[f"{table.name}.csv"] = render(alone, "csv", safe_csv=safe)
    others = [name for name in before if name not in files and (folder / name).is_file()]
    origin = {key: value for key, value in report.to_dict().items() if key != "tables"}
    if others:
        origin[EARLIER] = others
    if safe:
        origin[SAFE] = True
    files[ORIGIN] = json.dumps(origin, ensure_ascii=False, indent=2) + "\n"
    files[INCOMPLETE] = _mark(report, [*others, *files])
    for name in files:
        refuse_overwriting_inputs(str(folder / name), report)
    make_folder(directory)
    _remove(folder, WAITING)
    write_together(directory, files)
    _remove(folder, PARTS)
    (folder / INCOMPLETE).unlink(missing_ok=True)
    return others


def _beside_results(directory: str, check: Report) -> Report:
    """The results in the folder of a check with its verdicts, if they are of the same data; else the verdicts."""
    try:
        results = read_report(directory)
    except InputError:
        return check
    data, data_of_results = (
        {(file.role, file.sha256) for file in report.provenance.files if file.role not in ("config", "baseline")}
        for report in (check, results)
    )
    if results.command == "check" or not data <= data_of_results:
        return check
    names = [table.name for table in check.tables]
    others = [table for table in results.tables if table.name not in names]
    return replace(results, tables=(*others, *check.tables))


def _result_files(directory: str) -> list[str]:
    """The names of the results in a folder that metaeval wrote there."""
    tables = files_in_folder(directory)
    mark_names = _read_mark(Path(directory, INCOMPLETE)) or []
    return list(dict.fromkeys([*tables, *([ORIGIN] if tables else []), *mark_names]))


def other_files(directory: str, outputs: Sequence[str] = ()) -> list[str]:
    """The names of the files in a folder that metaeval did not write there, without hidden ones.

    outputs: files of the same call, which may be in the folder.
    """
    if not Path(directory).is_dir():
        return []
    folder = os.path.realpath(directory)
    ours = {os.path.join(folder, name) for name in (INCOMPLETE, *_result_files(directory))}  # noqa: PTH118
    ours |= {os.path.join(os.path.realpath(Path(path).parent), Path(path).name) for path in outputs}  # noqa: PTH118
    names = sorted(entry.name for entry in Path(folder).iterdir())
    return [name for name in names if not name.startswith(".") and str(Path(folder, name)) not in ours]


def reject_other_files(directory: str, outputs: Sequence[str], *, overwrite: bool) -> None:
    """Raise an `InputError` for `other_files`, unless they may be replaced, and for what can never be replaced."""
    reject_lost_way(directory)
    names = _obstacles(Path(directory))
    hint = "choose a new folder, or move these files away"
    if not names and not overwrite and (names := other_files(directory, outputs)):
        hint += f"; {setting('overwrite')} replaces those with the names of results"
    if names:
        found = "a file that metaeval did not write there"
        problems = [Problem(found, "its results only", str(Path(directory) / path_text(name))) for name in names]
        raise InputError(problems, hints=[hint])


def _obstacles(folder: Path) -> list[str]:
    """Names of what is in place of working files or of results and would be lost, or cannot be replaced by a file."""
    mark_names = _read_mark(folder / INCOMPLETE)
    names = [INCOMPLETE] if mark_names is None and os.path.lexists(folder / INCOMPLETE) else []
    for name in (PARTS, WAITING):
        target = folder / name
        is_folder = target.is_dir() and not target.is_symlink()
        if any(not _is_own(entry) for entry in target.iterdir()) if is_folder else os.path.lexists(target):
            names.append(name)
    results = (*folder.glob("*.csv"), folder / ORIGIN)
    return names + sorted(path.name for path in results if path.exists() and not path.is_file())


def _is_own(entry: Path) -> bool:
    """Whether metaeval wrote a file of a working folder: the mark of the results lists it, or it is a checkpoint."""
    if entry.is_symlink() or not entry.is_file():
        return False
    if entry.name.startswith(TEMPORARY):
        return True
    mark_names = _read_mark(entry.parent.parent / INCOMPLETE)
    if entry.parent.name == PARTS:
        return mark_names is not None and entry.read_bytes().startswith((_CHECKPOINT, b'{\n  "schema": '))
    return entry.name in (INCOMPLETE, *(mark_names or ()), *(_read_mark(entry.parent / INCOMPLETE) or ()))


def _remove(folder: Path, name: str) -> None:
    """Remove the files of metaeval in a working folder, and the folder if it is then empty."""
    target = folder / name
    with suppress(OSError):
        for entry in sorted(filter(_is_own, target.iterdir()), key=lambda entry: entry.name == INCOMPLETE):
            entry.unlink()
        target.rmdir()


def _read_mark(mark: Path) -> list[str] | None:
    """The files that a file `INCOMPLETE` lists; None if metaeval did not write it."""
    try:
        text = "" if mark.is_symlink() or not mark.is_file() else mark.read_text(encoding="utf-8")
        names = [str(name) for name in json.loads(text.rstrip().rpartition("\n")[2])]
    except (OSError, ValueError, TypeError):
        return None
    return names if text.startswith(_MARK.partition("\n")[0]) else None


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
            _remove(folder, PARTS)
        write_atomically(str(folder / INCOMPLETE), [_mark(run, _result_files(self.directory))])
        try:
            self.parts.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(str(self.parts), error) from None
        write_atomically(str(self.parts / _RUN), [render(_identity(run), "json")])

    def section(self, name: str, compute: Callable[[], Output]) -> Output:
        path = self.parts / f"{name}.pickle"
        output: Output | None = _read_part(path) if path.is_file() else None
        if output is not None:
            return output
        part = compute()
        content = pickle.dumps(part)
        write_atomically(str(path), [_CHECKPOINT, _hash(content), content])
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
            raise InputError(problems, hints=[_RESTORE])


def _mark(report: Report, files: Iterable[str]) -> str:
    return _MARK.format(signature=report.signature, files=json.dumps([name for name in files if name != INCOMPLETE]))


def _identity(run: Report) -> Report:
    """The settings, versions and files of a run, as a table."""
    origin = run.provenance
    files = {f"{file.role} {file.path} (SHA-256)": file.sha256 for file in origin.files}
    values = {"metaeval": origin.version, **origin.versions, **origin.settings, **files}
    rows = tuple((name, str(value)) for name, value in values.items())
    return replace(run, tables=(Table("run", "Settings, versions and files", (Column("what"), Column("value")), rows),))


def _hash(content: bytes) -> bytes:
    return f"{sha256(content).hexdigest()}\n".encode()


class _PartReader(pickle.Unpickler):
    """Reads values and arrays only: a file in a folder of results must not be able to call functions."""

    _NAMES = frozenset(
        {
            *((f"numpy{core}.multiarray", name) for core in (".core", "._core") for name in ("_reconstruct", "scalar")),
            *(("numpy", name) for name in ("ndarray", "dtype")),
            *(("builtins", name) for name in ("set", "frozenset", "slice", "range")),
        }
    )

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in self._NAMES:
            return super().find_class(module, name)
        value = super().find_class(module, name) if module.startswith("metaeval.") else None
        if not isinstance(value, type) or value.__module__ != module:
            raise pickle.UnpicklingError(f"{module}.{name} in a checkpoint")
        if is_dataclass(value) or issubclass(value, (tuple, Enum)):
            return value
        raise pickle.UnpicklingError(f"{module}.{name} in a checkpoint")


def _read_part(path: Path) -> Any:
    """A stored output, None if it is damaged; raises `InputError` if one of its files has changed since."""
    header, _, content = path.read_bytes().removeprefix(_CHECKPOINT).partition(b"\n")
    if header + b"\n" != _hash(content):
        return None
    try:
        part = _PartReader(io.BytesIO(content)).load()
    except Exception:
        return None
    problems = [
        Problem(f"the file has changed since it was read as {file.role}", "the same, byte for byte", file.path)
        for file in (part.files if isinstance(part, AnalysisOutput) else ())
        if open_source(file.path, file.role).sha256 != file.sha256
    ]
    if problems:
        raise InputError(problems, hints=[_RESTORE])
    return part
