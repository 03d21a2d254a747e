"""The files that a run names: a file, a folder, a ZIP archive, a pattern, or `name=path`."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import filterfalse
from pathlib import Path
from typing import NoReturn, TypeAlias

from metaeval.errors import (
    Gathered,
    InputError,
    UnknownName,
    empty,
    excluded,
    first_of,
    invalid,
    none_left,
    refuse,
    repeated,
    setting,
    unknown,
    unreadable,
    wrong_count,
    wrong_type,
)
from metaeval.io.files.archives import ARCHIVE, WORKBOOKS, archive_of, is_remark, members
from metaeval.io.files.source import READABLE, STANDARD_INPUT, path_text
from metaeval.names import matches

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".txt", ".parquet", ".eval", *WORKBOOKS, ARCHIVE)

_LAYOUTS = (
    ("human-scores/*.seg.score*", "metric-scores/*/*.seg.score*"),
    ("samples_*.jsonl*",),
    ("*/samples_*.jsonl*",),
    ("**/*-*-*-*-*_samples.jsonl*",),
    ("*/results/results.json", "*/per_instance_details.json"),
)
"""Patterns of the files with scores in folders of mt-metrics-eval, lm-eval, Every Eval Ever and SWE-bench."""

_STANDARD_INPUT_AGAIN = repeated("file", "standard input", hint="name '-' for one file only")

_SHOWN_FILES = 5
"""Maximum number of ignored files in a note."""


@dataclass(frozen=True)
class RunFile:
    """A file of predictions, or a folder where systems are folders.

    system: the name it gives its system. is_named: whether the user gave that name.
    """

    path: str
    system: str
    is_named: bool = False

    @classmethod
    def of(cls, path: str) -> RunFile:
        """The file or folder with the name of its path."""
        # Links keep their names.
        return cls(path, system_name(os.path.abspath(path) if is_folder(path) else path))  # noqa: PTH100


Runs: TypeAlias = tuple[list[RunFile], Sequence[str]]
InFolder = Callable[[str, str | None], Runs]
"""Returns the runs in a folder without gold, and notes on the entries that it ignored."""


def find_run_files(
    arguments: Sequence[str], *, gold: str | None, in_folder: InFolder | None = None, names: str = "system"
) -> tuple[tuple[RunFile, ...], tuple[str, ...]]:
    """The files that runs name, and notes on ignored files.

    gold: the gold file, which is not a run even if it is in the same folder.
    in_folder: finds runs that may be folders; None if every run is a file. names: what files name, each
    once, or ''.
    A pattern or folder without a run and two systems of the same name are `InputError`s.
    """
    files: list[RunFile] = []
    notes: list[str] = []
    for argument in arguments:
        name, path = split_name(argument)
        if is_folder(path):
            runs, remarks = (in_folder or files_in_folder)(path, gold)
        else:
            runs, remarks = _matching(path, gold, in_folder)
        notes += remarks
        if name and len(runs) > 1:
            raise refuse(path, wrong_count(len(runs), "file", 1, "", where=f" for the name '{name}'"))
        files += [replace(run, system=name, is_named=True) for run in runs] if name else runs
    if names:
        _reject_repeated_names(files, names)
    if gold == STANDARD_INPUT and any(file.path == STANDARD_INPUT for file in files):
        raise refuse(None, _STANDARD_INPUT_AGAIN)
    return tuple(files), tuple(notes)


def files_of_scores(arguments: Sequence[str]) -> tuple[list[RunFile], list[str]]:
    """The files of tables, and notes on ignored files.

    Unlike other runs they may have the same name, because each may have other measures. Problems of all arguments are
    one `InputError`.
    """
    problems = Gathered()
    files: list[RunFile] = []
    notes: list[str] = []
    for argument in arguments:
        with problems.errors():
            runs, remarks = find_run_files([argument], gold=None, names="")
            files += runs
            notes += remarks
    problems.raise_any()
    reject_repeated_files(file.path for file in files)
    return files, notes


def reject_repeated_files(paths: Iterable[str]) -> None:
    """Raise an `InputError` for files that are named twice: their rows would count twice."""
    paths = list(paths)
    times = Counter(map(os.path.realpath, paths))
    again = [path for path in paths if times[os.path.realpath(path)] > 1]
    if again:
        raise InputError([repeated("file", path).at(path) for path in dict.fromkeys(again)])


def one_name_for_several(file: RunFile, path: str, systems: int, *, line: int | None = None) -> InputError:
    """The error for a file of several systems to which the user gave one name."""
    hint, where = f"leave out '{file.system}='", f" for the name '{file.system}'"
    return refuse((path, line), wrong_count(systems, "system", 1, "", where=where, hint=hint))


def exists(path: str) -> bool:
    """Whether a path exists; False if it is too long, which is an error in `pathlib`."""
    return os.path.exists(path)  # noqa: PTH110


def is_folder(path: str) -> bool:
    """Whether a path is a folder, or an archive of several files; False for '-' and for a path that is too long."""
    if path == STANDARD_INPUT or os.path.isdir(path):  # noqa: PTH112
        return path != STANDARD_INPUT
    archive, folder = archive_of(path)
    files = files_below(path) if folder else [*filterfalse(is_remark, members(path))] if archive else ()
    return len(files) > (not folder)


def files_below(folder: str) -> list[str]:
    """The paths, relative to a folder or archive, of all files in it and in archives of several files in it."""
    archive, inner = archive_of(folder)
    if archive:
        start = f"{inner}/" if inner else ""
        return [name.removeprefix(start) for name in members(archive) if name.startswith(start)]
    paths: list[str] = []
    for path, folders, names in os.walk(folder, onerror=_reject_folder, followlinks=True):
        above = f"{os.path.realpath(path)}/"
        # A link to a folder above would have no end.
        folders[:] = [name for name in folders if not above.startswith(f"{os.path.realpath(Path(path, name))}/")]
        paths += [str(Path(path, name).relative_to(folder)) for name in names]
    files = []
    for file in sorted(paths, key=lambda name: name.split("/")):
        path = str(Path(folder, file))
        inside = members(path) if file.lower().endswith(ARCHIVE) else ()
        files += [f"{file}/{name}" for name in inside] if len(inside) > 1 else [file]
    return files


def entries(folder: str) -> list[Path]:
    """What is in a folder or archive, in the order of names."""
    if archive_of(folder)[0]:
        return [Path(folder, name) for name in dict.fromkeys(file.partition("/")[0] for file in files_below(folder))]
    try:
        return sorted(Path(folder).iterdir())
    except OSError as error:
        _reject_folder(error)


def _reject_folder(error: OSError) -> NoReturn:
    raise refuse(error.filename, unreadable("folder", error.strerror or error, READABLE)) from None


def system_name(path: str) -> str:
    """The name of a file without the suffixes of its format.

    >>> system_name("runs/bert-v1.2.csv.gz"), system_name("runs/bert-v1.2")
    ('bert-v1.2', 'bert-v1.2')
    """
    if path == STANDARD_INPUT:
        return "stdin"
    name = path_text(Path(path).name)
    name = name[:-3] if name.lower().endswith(".gz") else name
    return name.removesuffix(Path(name).suffix) if Path(name).suffix.lower() in SUFFIXES else name


def split_name(argument: str) -> tuple[str, str]:
    """The name that the user gave a run, else '', and its path."""
    name, equals, path = argument.partition("=")
    if not argument:
        raise refuse(None, empty("name of a run", "a file, a folder, a pattern or name=path"))
    if not equals or exists(argument) or (glob.has_magic(argument) and expanded(argument)):
        return "", argument
    if not name.strip() or not path:
        raise refuse(None, invalid("run", argument, "a name, '=' and a path"))
    return path_text(name.strip()), path


def files_in_folder(folder: str, gold: str | None) -> Runs:
    """The files in a folder that may be runs, and a note on other entries; a folder without runs is an `InputError`.

    In a folder without runs of its own, or with metadata, its folders are those of teams; archives always are.
    """
    every = files_below(folder)
    files = [file for file in every if not is_remark(file)]
    for patterns in _LAYOUTS:
        if layout_files := [file for pattern in patterns for file in files if _fits(file, pattern)]:
            return [RunFile.of(str(Path(folder, file))) for file in layout_files], []
    others = [file for file in every if not is_gold(Path(folder, file), gold)]
    for file in others:
        reject_pipe(Path(folder, file))
    runs = [file for file in others if not is_remark(file) and has_data(file)]
    has_teams = any("/" not in file and is_metadata(file) for file in every)
    if not has_teams and any("/" not in file and not file.lower().endswith(ARCHIVE) for file in runs):
        runs = [file for file in runs if not Path(folder, _top(file)).is_dir()]
    if not runs:
        raise refuse(folder, empty("run in this folder", f"files ending in {', '.join(SUFFIXES)} (or these with .gz)"))
    run_set, tops = set(runs), set(map(_top, runs))
    rest = dict.fromkeys(file if _top(file) in tops else _top(file) for file in others if file not in run_set)
    # `audit` reads them.
    names = [name for name in rest if "/" in name or not is_metadata(name)]
    return _name_runs(folder, runs, files), ignored_note(folder, names)


METADATA = (".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml")
"""The suffixes of files with a row for each submission."""


def is_metadata(name: str) -> bool:
    """Whether the name of a file in a folder of submissions is that of their metadata."""
    return Path(name).stem.lower() == "metadata" and Path(name).suffix.lower() in METADATA


def _top(file: str) -> str:
    """The first part of a relative path."""
    return file.partition("/")[0]


def has_data(name: str) -> bool:
    """Whether the name of a file is one of data."""
    return Path(name.lower().removesuffix(".gz")).suffix in SUFFIXES


def _fits(file: str, pattern: str) -> bool:
    """Whether a relative path is matched by a pattern, which may begin with '**' for any folders."""
    parts, wild = file.split("/"), pattern.split("/")
    if wild[0] == "**":
        wild = wild[1:]
        parts = parts[-len(wild) :]
    return len(parts) == len(wild) and all(map(fnmatchcase, parts, wild))


def _name_runs(folder: str, runs: Sequence[str], files: Sequence[str]) -> list[RunFile]:
    """Runs in a folder with their names: TEAM for the only one in the folder or archive of a team, else TEAM/RUN.

    files: all in the folder.
    """
    if archive_of(folder)[0]:
        if len(runs) == 1:
            return [RunFile(str(Path(folder, runs[0])), system_name(folder))]
        while len(tops := set(map(_top, files))) == 1:
            # An archive is often that of one folder.
            folder = str(Path(folder, *tops))
            runs, files = ([file.partition("/")[2] for file in paths] for paths in (runs, files))
    runs_by_team: dict[str, list[str]] = {}
    for run in runs:
        runs_by_team.setdefault(_top(run), []).append(run)
    run_files = []
    for top, paths in runs_by_team.items():
        team, names = system_name(top), [system_name(run) for run in paths]
        if len(set(names)) < len(names):
            # Those of several folders of a team.
            names = [str(Path(run.partition("/")[2]).with_name(name)) for run, name in zip(paths, names, strict=True)]
        names = [team] if len(paths) == 1 else [f"{team}/{name}" for name in names]
        run_files += [RunFile(str(Path(folder, run)), name) for run, name in zip(paths, names, strict=True)]
    return run_files


def ignored_note(folder: str, names: Sequence[str]) -> tuple[str, ...]:
    """A note on entries of a folder that are ignored."""
    return (f"{folder}: ignored {first_of(names, _SHOWN_FILES)}",) if names else ()


def reject_pipe(entry: Path) -> None:
    """Raise an `InputError` for a pipe or a device among runs, if it is not hidden."""
    if entry.exists() and not entry.is_file() and not entry.is_dir() and not entry.name.startswith("."):
        raise refuse(entry, wrong_type("a pipe or a device", " in a folder of runs", "files"))


def is_gold(entry: Path, gold: str | None) -> bool:
    """Whether a file or folder is the one named as gold."""
    # A path that is too long is an error in `pathlib`, and does not exist.
    both_exist = gold is not None and gold != STANDARD_INPUT and exists(gold) and exists(str(entry))
    return str(entry) == gold or (both_exist and entry.samefile(str(gold)))


def gold_left_out(path: str) -> str:
    """A note on gold that is named among the runs, as by a pattern of the shell."""
    return f"{path}: it is the file of gold, and no run"


def without_gold(files: Sequence[RunFile], gold: str) -> tuple[tuple[RunFile, ...], tuple[str, ...]]:
    """The runs that are not gold, and notes on gold among them; runs that are nothing else are an `InputError`."""
    same = [file for file in files if is_gold(Path(file.path), gold)]
    others = tuple(file for file in files if file not in same)
    gold_runs = [file for file in same if file.is_named or not others]
    if gold_runs:
        kind = "folder" if is_folder(gold) else "file"
        problem = excluded("a run", f"its {kind} is that of gold", f"another {kind}")
        raise InputError([problem.at(file.path) for file in dict.fromkeys(gold_runs)])
    return others, tuple(gold_left_out(file.path) for file in same)


def expanded(pattern: str) -> list[str]:
    """The paths that match a pattern, sorted."""
    return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 (any path, as in the shell)


def _matching(path: str, gold: str | None, in_folder: InFolder | None) -> Runs:
    if path == STANDARD_INPUT or exists(path) or not glob.has_magic(path):
        # A missing file is an error of the reader, reported with the problems of the other files.
        return [RunFile.of(path)], []
    runs: list[RunFile] = []
    notes: list[str] = []
    for match in expanded(path):
        if not exists(match) or is_gold(Path(match), gold):
            continue
        if not is_folder(match):
            reject_pipe(Path(match))
            runs.append(RunFile.of(match))
        elif in_folder is not None or not Path(match).is_dir():
            match_runs, remarks = (in_folder or files_in_folder)(match, gold)
            runs += match_runs
            notes += remarks
    if not runs:
        raise refuse(path, empty("file that matches the pattern", "at least one"))
    return list(dict.fromkeys(runs)), notes


def same_names(runs: Sequence[tuple[str, str]], names: str = "system", hint: str = "") -> InputError:
    """The error for runs of the same names; runs: their names and paths. names: what they name."""
    system, path = runs[-1]
    hint = hint or f"give them different names, as in other-{system}={path}"
    return InputError([repeated(names, name, hint=hint).at(path) for name, path in runs])


def _reject_repeated_names(files: Sequence[RunFile], names: str) -> None:
    if sum(file.path == STANDARD_INPUT for file in files) > 1:
        raise refuse(None, _STANDARD_INPUT_AGAIN)
    times = Counter(file.system for file in files)
    same = [file for file in files if times[file.system] > 1]
    times_read = Counter((file.system, os.path.realpath(file.path)) for file in same)
    again = [file.path for file in same if times_read[file.system, os.path.realpath(file.path)] > 1]
    if again:
        hint = f"leave one out, or give it another name, as in again={again[0]}"
        raise InputError([repeated("file", path, hint=hint).at(path) for path in dict.fromkeys(again)])
    if same:
        raise same_names([(file.system, file.path) for file in same], names)


_LISTED = 12
"""Maximum number of names in a message."""


@dataclass(frozen=True)
class SystemChoice:
    """Patterns of names of systems, as in the shell; by default all systems are evaluated.

    only: patterns of systems that are evaluated. excluded: of those that are not. always: names to which no pattern
    applies. all_systems: those of all groups of items so far; in a group a pattern may match none. invalid: names of
    systems that are left out because their runs are invalid.

    >>> SystemChoice(only=("bert*",), excluded=("*-tiny",)).of(["bert", "bert-tiny", "svm"])
    {'bert'}
    """

    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    all_systems: dict[str, None] | None = None
    invalid: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.only or self.excluded or self.invalid)

    def gathered(self) -> Gathered:
        """Collects the errors of all runs but the invalid ones."""
        return Gathered(self.invalid, self.always)

    def keeps(self, name: str) -> bool:
        """Whether a system is evaluated."""
        if name in self.always:
            return True
        chosen = not self.only or matches(name, self.only)
        return chosen and not matches(name, self.excluded) and name not in self.invalid

    def of(self, names: Iterable[str]) -> set[str]:
        """The systems that are evaluated; a pattern without a system, and no system left, are an error."""
        systems = [name for name in dict.fromkeys((*names, *self.invalid)) if name not in self.always]
        selection = {name for name in systems if self.keeps(name)}
        if self.all_systems is not None:
            self.all_systems.update(dict.fromkeys(systems))
            if self and not selection:
                # A group without a system is left out.
                kind, patterns = ("system", self.only) if self.only else ("system besides", self.excluded)
                raise UnknownName(kind, ", ".join(patterns), systems)
            return selection | set(self.always)
        for option, patterns in (("only_systems", self.only), ("exclude_systems", self.excluded)):
            for pattern in patterns:
                if not any(matches(name, (pattern,)) for name in systems):
                    raise refuse(None, unknown(setting(option), pattern, systems))
        if self and not selection:
            hint = f"change {setting('only_systems')} or {setting('exclude_systems')}"
            raise refuse(None, none_left("system", f"the systems are {_list_names(systems)}", hint))
        return selection | set(self.always)

    def notes(self, names: Iterable[str]) -> tuple[str, ...]:
        """A note on the systems that are not evaluated."""
        left_out = [name for name in dict.fromkeys(names) if not self.keeps(name) and name not in self.invalid]
        return (f"excluded systems ({len(left_out):,}): {_list_names(left_out)}",) if left_out else ()


EVERY_SYSTEM = SystemChoice()


def _list_names(names: Sequence[str]) -> str:
    return first_of(names, _LISTED) or "none"
