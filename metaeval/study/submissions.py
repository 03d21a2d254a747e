"""The table that says of each submission its team and track, whether it is primary or late, and more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from metaeval.errors import ambiguous, excluded, invalid, not_given, raise_any, refuse, repeated, setting, wrong_type
from metaeval.io.files.columns import TableColumns, read_table
from metaeval.io.files.delimited import Rows
from metaeval.io.files.roles import Role
from metaeval.io.files.run_files import entries, is_folder, is_metadata, system_name
from metaeval.io.files.source import Source
from metaeval.model.report import SourceFile
from metaeval.study.study import Study

_TEAM = Role(("team", "team name", "group", "participant"))
_RUN = Role(("run", "run name", "submission", "system", "file"))
_TRACK = Role(("track", "subtask"))
_PRIMARY = Role(("primary", "official"))
_LATE = Role(("late",))
_COST = Role((), "cost")

_YES, _NO = ("yes", "true", "1", "y", "x"), ("no", "false", "0", "n", "", "-")


@dataclass(frozen=True)
class Entry:
    """A row of the metadata.

    run: '' for all submissions of the team. line: of the row; 0 of a submission without one. more: the other columns.
    cost: NaN where none is known.
    """

    team: str
    run: str = ""
    track: str = ""
    primary: bool = False
    late: bool = False
    line: int = 0
    more: Mapping[str, str] = field(default_factory=dict, compare=False)
    cost: float = field(default=math.nan, compare=False)

    @property
    def name(self) -> str:
        """The submission that the row is about."""
        return f"{self.team}/{self.run}" if self.run else self.team

    def is_told_by(self, submission: str) -> bool:
        """Whether the name of a submission says of which team it is."""
        return self.team in (submission, submission.partition("/")[0])


@dataclass(frozen=True)
class Metadata:
    """The rows of a file of metadata, and that file."""

    entries: Sequence[Entry]
    files: tuple[SourceFile, ...]


NO_METADATA = Metadata((), ())


def metadata_beside(runs: Sequence[str]) -> str | None:
    """The file of metadata in a folder of submissions; two are an `InputError`."""
    paths = []
    for folder in filter(is_folder, runs):
        paths += [str(path) for path in entries(folder) if is_metadata(path.name)]
    if len(paths) > 1:
        problem = ambiguous(Path(paths[0]).name, Path(paths[1]).name)
        raise refuse(Path(paths[0]).parent, problem, hint=f"name the one to read with {setting('metadata', paths[0])}")
    return paths[0] if paths else None


def metadata_of(study: Study, file: str | None, cost: str | None = None) -> Metadata:
    """The metadata that the user named, or those in the folder of the submissions; cost: the column of costs."""
    data = study.config.data
    path = file or metadata_beside([run for run in data.runs if not data.holds(run)])
    if path is not None:
        return read_metadata(data.open(path, "metadata"), cost)
    if cost is not None:
        raise refuse(None, not_given("table of submissions", "metadata", f" with {setting('cost', cost)}"))
    return NO_METADATA


def entries_of(study: Study, metadata: Metadata) -> dict[str, Entry]:
    """The row of each submission in the metadata, by its name; those that could not be read come last."""
    paths = dict.fromkeys(study.systems, "") | dict(zip(study.systems, study.origin.paths, strict=False))
    paths |= {run.system: run.file for run in study.config.data.invalid}
    return {name: entry_of(name, path, metadata.entries) or Entry(team_of(name, path)) for name, path in paths.items()}


def team_of(name: str, path: str) -> str:
    """The team of a submission without a row: the folder or archive that gave its file its name, else the name.

    >>> team_of("a.v1/two", "runs/a.v1.zip/two.csv"), team_of("org/model", "org/scores.csv")
    ('a.v1', 'org/model')
    """
    team = name.partition("/")[0]
    above = map(system_name, Path(path).parts[:-1])
    return team if PurePosixPath(name).name == system_name(path) and team in above else name


def read_metadata(source: Source, cost: str | None = None) -> Metadata:
    """The rows of a table of metadata; problems of cells and repeated rows are one `InputError`."""
    table = TableColumns(_rows(source))
    team = table.need(_TEAM)
    teams, runs, tracks = table.filled(team, "team", names=False), _texts(table, _RUN), _texts(table, _TRACK)
    rest = tracks, _truths(table, _PRIMARY), _truths(table, _LATE), table.lines
    costs = [math.nan] * len(table)
    if cost is not None and table.find(_COST, cost):
        costs = table.numbers(cost, optional=True).tolist()
    others = {name: table.texts(name) for name in table.header if name not in table.roles.values() and name != cost}
    more = [{name: cells[row] for name, cells in others.items()} for row in range(len(table))]
    entries_read = [
        Entry(team, system_name(run) if run else "", *fields)
        for team, run, *fields in zip(teams, runs, *rest, more, costs, strict=True)
    ]
    names: dict[str, Entry] = {}
    primaries: dict[tuple[str, str], Entry] = {}
    for row, entry in enumerate(entries_read):
        before = names.setdefault(entry.name, entry)
        if before is not entry:
            table.reject(row, repeated("submission", entry.name, before.line))
        before = primaries.setdefault((entry.team, entry.track), entry) if entry.primary else entry
        if before is not entry:
            noun = f"primary submission of team '{entry.team}'"
            table.reject(row, excluded(noun, f"line {before.line} has another", "one", "mark one of them"))
    table.raise_any()
    return Metadata(entries_read, source.files)


def _texts(table: TableColumns, role: Role) -> list[str]:
    """The cells of a column; empty texts without such a column."""
    column = table.find(role)
    return table.texts(column) if column else [""] * len(table)


def _truths(table: TableColumns, role: Role) -> list[bool]:
    """The cells of a column of truth values; False for all without such a column."""
    cells = _texts(table, role)
    for row, cell in enumerate(cells):
        if cell.casefold() not in (*_YES, *_NO):
            table.reject(row, invalid(f"value of '{role.names[0]}'", cell, "yes or no"))
    return [cell.casefold() in _YES for cell in cells]


def _rows(source: Source) -> Rows:
    """The rows of a table, or of a list of submissions in YAML."""
    if source.suffix not in (".yaml", ".yml"):
        return read_table(source)
    from metaeval.io.files.yaml import items, parse_yaml, show

    path = source.path_or_name
    submissions = items(parse_yaml(source.text(), path))
    expected = "a list of submissions with keys such as team and run"
    others = [row for row in submissions if not isinstance(row.value, dict)]
    raise_any([wrong_type(show(row), "", expected).at(path, row.line) for row in others])
    keys = dict.fromkeys(key for row in submissions for key in row.value)
    columns = {key: [row.value[key].text if key in row.value else "" for row in submissions] for key in keys}
    return Rows(path, columns, [row.line for row in submissions].copy)


def entry_of(name: str, path: str, entries: Sequence[Entry]) -> Entry | None:
    """The row of a submission, by its name or by the name of its file; else that of its team.

    >>> entry_of("a", "a/two.csv", [Entry("a", "one"), Entry("a", "two", late=True)]).late
    True
    >>> entry_of("org/a", "scores.csv", [Entry("org", ""), Entry("org/a", "")]).team
    'org/a'
    """
    team, stem = name.partition("/")[0], system_name(path)
    run_entries = [entry for entry in entries if entry.run and name in (entry.name, entry.run)]
    team_entries = [entry for candidate in dict.fromkeys((name, team)) for entry in entries if entry.team == candidate]
    file_entries = [entry for entry in team_entries if entry.run == stem]
    general_entries = [entry for entry in team_entries if not entry.run]
    # A team with a single submission may call it by any name.
    only = team_entries if len(team_entries) == 1 and name == team else []
    return next(iter([*run_entries, *file_entries, *general_entries, *only]), None)
