"""Which files a RUN on the command line means: a file, a folder, a pattern, or `name=path`."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metaeval.errors import InputError, Problem
from metaeval.io.source import STANDARD_INPUT

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".txt", ".parquet")


@dataclass(frozen=True)
class RunFile:
    """A file of predictions.

    system: the name it gives its system. named: whether the user gave that name.
    """

    path: str
    system: str
    named: bool = False


def find_run_files(arguments: Sequence[str], *, gold: str | None) -> tuple[tuple[RunFile, ...], tuple[str, ...]]:
    """The files that RUN arguments mean, and notes about what was passed over.

    gold: the gold file, which is no run though it lies in the same folder.
    A path that does not exist, a pattern or folder without a run, and two systems of one name are `InputError`s.
    """
    files: list[RunFile] = []
    notes: list[str] = []
    for argument in arguments:
        name, path = _split_name(argument)
        if path != STANDARD_INPUT and os.path.isdir(path):  # noqa: PTH112 (no error for a path too long)
            found, passed_over = _in_folder(path, gold)
            notes += passed_over
        else:
            found = _matching(path, gold)
        if name and len(found) > 1:
            raise InputError.at(
                path, found=f"one name, '{name}', for {len(found)} files", expected="a name for a single file"
            )
        files += [RunFile(file, name or system_name(file), bool(name)) for file in found]
    _reject_twins(files)
    return tuple(files), tuple(notes)


def system_name(path: str) -> str:
    """The stem of a file, without the endings that only tell its format.

    >>> system_name("runs/bert-v1.2.csv.gz"), system_name("runs/bert-v1.2")
    ('bert-v1.2', 'bert-v1.2')
    """
    if path == STANDARD_INPUT:
        return "stdin"
    name = Path(path).name
    name = name[:-3] if name.lower().endswith(".gz") else name
    return name.removesuffix(Path(name).suffix) if Path(name).suffix.lower() in SUFFIXES else name


def _split_name(argument: str) -> tuple[str, str]:
    name, equals, path = argument.partition("=")
    if not argument:
        raise InputError.at(found="an empty run", expected="a file, a folder, a pattern or name=path")
    if not equals or _exists(argument) or (glob.has_magic(argument) and _expanded(argument)):
        return "", argument
    if not name.strip() or not path:
        raise InputError.at(found=f"run '{argument}'", expected="name=path", hint="write a name, '=' and a file")
    return name.strip(), path


def _in_folder(folder: str, gold: str | None) -> tuple[list[str], list[str]]:
    found: list[Path] = []
    ignored: list[Path] = []
    for entry in sorted(Path(folder).iterdir()):
        if entry.name.startswith(".") or entry.is_dir() or _is_gold(entry, gold):
            continue
        known = Path(entry.name.lower().removesuffix(".gz")).suffix in SUFFIXES
        (found if known else ignored).append(entry)
    if not found:
        raise InputError.at(
            folder,
            found="a folder with no run",
            expected=f"files ending in {', '.join(SUFFIXES)} (or these with .gz)",
            hint="name the folder that holds the systems' files",
        )
    notes = [f"{folder}: ignored {', '.join(entry.name for entry in ignored)}"] if ignored else []
    return [str(entry) for entry in found], notes


def _is_gold(entry: Path, gold: str | None) -> bool:
    return gold is not None and gold != STANDARD_INPUT and _exists(gold) and entry.samefile(gold)


def _exists(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110 (a path too long for the system does not exist, and is no error)


def _expanded(pattern: str) -> list[str]:
    return sorted(match for match in glob.glob(pattern, recursive=True) if Path(match).is_file())  # noqa: PTH207 (takes any path, as the shell does)


def _matching(path: str, gold: str | None) -> list[str]:
    if path == STANDARD_INPUT or _exists(path) or not glob.has_magic(path):
        # A missing file is told by whoever opens it, together with the other files' problems.
        return [path]
    found = [match for match in _expanded(path) if not _is_gold(Path(match), gold)]
    if not found:
        raise InputError.at(
            path, found="no file matches the pattern", expected="at least one", hint="check the pattern"
        )
    return found


def _reject_twins(files: Sequence[RunFile]) -> None:
    if sum(file.path == STANDARD_INPUT for file in files) > 1:
        raise InputError.at(found="standard input twice", expected="'-' for one file only")
    times = Counter(file.system for file in files)
    twins = [file for file in files if times[file.system] > 1]
    times_read = Counter((file.system, os.path.realpath(file.path)) for file in twins)
    again = [file.path for file in twins if times_read[file.system, os.path.realpath(file.path)] > 1]
    if again:
        raise InputError(
            [Problem("a run that is named twice", "every run once", path) for path in dict.fromkeys(again)],
            hints=[f"leave one out, or call it something else, as in again={again[0]}"],
        )
    if twins:
        raise InputError(
            [Problem(f"system name '{file.system}'", "a name for each system", file.path) for file in twins],
            hints=[f"name them, as in other-{twins[-1].system}={twins[-1].path}"],
        )
