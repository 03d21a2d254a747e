"""The files that a run names: a file, a folder, a pattern, or `name=path`."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from metaeval.errors import (
    Gathered,
    InputError,
    UnknownName,
    empty,
    excluded,
    invalid,
    none_left,
    refuse,
    repeated,
    setting,
    unknown,
    wrong_count,
    wrong_type,
)
from metaeval.io.files.archives import ARCHIVE, WORKBOOKS
from metaeval.io.files.source import STANDARD_INPUT, path_text

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

InFolder = Callable[[str, str | None], tuple[list[str], list[str]]]
"""Returns the runs in a folder without gold, and notes on the entries that it ignored."""


@dataclass(frozen=True)
class RunFile:
    """A file of predictions, or a folder where systems are folders.

    system: the name it gives its system. named: whether the user gave that name.
    """

    path: str
    system: str
    named: bool = False


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
            paths, ignored = (in_folder or files_in_folder)(path, gold)
        else:
            paths, ignored = _matching(path, gold, in_folder)
        notes += ignored
        if name and len(paths) > 1:
            raise refuse(path, wrong_count(len(paths), "file", 1, "", where=f" for the name '{name}'"))
        files += [RunFile(file, name or _name_of(file), bool(name)) for file in paths]
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
    gathered = Gathered()
    files: list[RunFile] = []
    notes: list[str] = []
    for argument in arguments:
        with gathered.errors():
            found, ignored = find_run_files([argument], gold=None, names="")
            files += found
            notes += ignored
    gathered.raise_any()
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
    """Whether a path is a folder; False for standard input ('-') and for a path that is too long."""
    return path != STANDARD_INPUT and os.path.isdir(path)  # noqa: PTH112


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


def _name_of(run: str) -> str:
    return Path(os.path.abspath(run)).name if is_folder(run) else system_name(run)  # noqa: PTH100 (links keep their names)


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


def files_in_folder(folder: str, gold: str | None) -> tuple[list[str], list[str]]:
    """The files in a folder that may be runs, and a note on other files; a folder without runs is an `InputError`."""
    for patterns in _LAYOUTS:
        if of_layout := [str(path) for pattern in patterns for path in sorted(Path(folder).glob(pattern))]:
            return of_layout, []
    runs: list[Path] = []
    ignored: list[Path] = []
    for entry in sorted(Path(folder).iterdir()):
        if entry.name.startswith(".") or entry.is_dir() or is_gold(entry, gold):
            continue
        reject_pipe(entry)
        known = Path(entry.name.lower().removesuffix(".gz")).suffix in SUFFIXES
        (runs if known else ignored).append(entry)
    if not runs:
        raise refuse(folder, empty("run in this folder", f"files ending in {', '.join(SUFFIXES)} (or these with .gz)"))
    notes = [f"{folder}: ignored {', '.join(entry.name for entry in ignored)}"] if ignored else []
    return [str(entry) for entry in runs], notes


def reject_pipe(entry: Path) -> None:
    """Raise an `InputError` for a pipe or a device among runs, if it is not hidden."""
    if entry.exists() and not entry.is_file() and not entry.is_dir() and not entry.name.startswith("."):
        raise refuse(entry, wrong_type("a pipe or a device", " in a folder of runs", "files"))


def is_gold(entry: Path, gold: str | None) -> bool:
    """Whether a file or folder is the one named as gold."""
    # A path that is too long is an error in `pathlib`, and does not exist.
    known = gold is not None and gold != STANDARD_INPUT and exists(gold) and exists(str(entry))
    return known and entry.samefile(str(gold))


def gold_left_out(path: str) -> str:
    """A note on gold that is named among the runs, as by a pattern of the shell."""
    return f"{path}: it is the file of gold, and no run"


def without_gold(files: Sequence[RunFile], gold: str) -> tuple[tuple[RunFile, ...], tuple[str, ...]]:
    """The runs that are not gold, and notes on gold among them; runs that are nothing else are an `InputError`."""
    same = [file for file in files if is_gold(Path(file.path), gold)]
    others = tuple(file for file in files if file not in same)
    named = [file for file in same if file.named or not others]
    if named:
        kind = "folder" if is_folder(gold) else "file"
        problem = excluded("a run", f"its {kind} is that of gold", f"another {kind}")
        raise InputError([problem.at(file.path) for file in dict.fromkeys(named)])
    return others, tuple(gold_left_out(file.path) for file in same)


def expanded(pattern: str) -> list[str]:
    """The paths that match a pattern, sorted."""
    return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 (any path, as in the shell)


def _matching(path: str, gold: str | None, in_folder: InFolder | None) -> tuple[list[str], list[str]]:
    if path == STANDARD_INPUT or exists(path) or not glob.has_magic(path):
        # A missing file is an error of the reader, reported with the problems of the other files.
        return [path], []
    paths: list[str] = []
    notes: list[str] = []
    for match in expanded(path):
        if in_folder is not None and is_folder(match) and not is_gold(Path(match), gold):
            runs, ignored = in_folder(match, gold)
            paths += runs
            notes += ignored
        elif Path(match).exists() and not Path(match).is_dir() and not is_gold(Path(match), gold):
            reject_pipe(Path(match))
            paths.append(match)
    if not paths:
        raise refuse(path, empty("file that matches the pattern", "at least one"))
    return list(dict.fromkeys(paths)), notes


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
    applies. seen: the systems of all groups of items, which grows; in a group a pattern may match none. invalid: names
    of systems that are left out because their runs are invalid.

    >>> SystemChoice(only=("bert*",), excluded=("*-tiny",)).of(["bert", "bert-tiny", "svm"])
    {'bert'}
    """

    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    seen: dict[str, None] | None = None
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
        chosen = not self.only or _matches(name, self.only)
        return chosen and not _matches(name, self.excluded) and name not in self.invalid

    def of(self, names: Iterable[str]) -> set[str]:
        """The systems that are evaluated; a pattern without a system, and no system left, are an error."""
        known = [name for name in dict.fromkeys((*names, *self.invalid)) if name not in self.always]
        kept = {name for name in known if self.keeps(name)}
        if self.seen is not None:
            self.seen.update(dict.fromkeys(known))
            if self and not kept:
                # A group without a system is left out.
                kind, patterns = ("system", self.only) if self.only else ("system besides", self.excluded)
                raise UnknownName(kind, ", ".join(patterns), known)
            return kept | set(self.always)
        for option, patterns in (("only_systems", self.only), ("exclude_systems", self.excluded)):
            for pattern in patterns:
                if not any(_matches(name, (pattern,)) for name in known):
                    raise refuse(None, unknown(setting(option), pattern, known))
        if self and not kept:
            hint = f"change {setting('only_systems')} or {setting('exclude_systems')}"
            raise refuse(None, none_left("system", f"the systems are {_listed(known)}", hint))
        return kept | set(self.always)

    def notes(self, names: Iterable[str]) -> tuple[str, ...]:
        """A note on the systems that are not evaluated."""
        left_out = [name for name in dict.fromkeys(names) if not self.keeps(name) and name not in self.invalid]
        return (f"excluded systems ({len(left_out):,}): {_listed(left_out)}",) if left_out else ()


EVERY_SYSTEM = SystemChoice()


def _matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is one of the patterns, or is matched by one."""
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return (", ".join(names[:_LISTED]) or "none") + more
