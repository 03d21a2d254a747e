"""Checks of the cells of tables of scores: numbers, repeated scores and missing ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, empty, invalid, pluralize, repeated, setting, shortened
from metaeval.io.files.columns import SCORE
from metaeval.io.labels.codes import MISSING, UNKNOWN, read_numbers
from metaeval.io.labels.policies import Policies
from metaeval.io.scores.cell_table import CellTable
from metaeval.io.scores.cells import WHOLE

_LISTED = 20
"""Maximum number of cells that a message names; it also gives the total number."""


def check_unknown(table: CellTable, policies: Policies) -> None:
    """Reject cells without a finite number unless the policies allow them."""
    cells = np.flatnonzero(table.states == UNKNOWN)
    if not len(cells) or policies.on_unknown.action in ("drop", "pairwise"):
        return
    problems = []
    for cell in cells[:_LISTED].tolist():
        part, position = table.part(cell)
        name = f" for {table.name(int(table.keys[cell]))}"
        problem = invalid("score", part.texts[position], part.form.expected, name)
        problems.append(problem.at(part.path, part.line(position)))
    form = table.parts[0].form
    what = "without a finite number" if form.read is read_numbers else "outside the scale"
    drop = "pairwise" if policies.on_missing.action == "pairwise" else "drop"
    does = "treat them as missing" if drop == "pairwise" else "drop such items for every system"
    remedy = form.remedy or f"correct them, or {does} with {setting('on_unknown', drop)}"
    raise InputError(problems, hints=[f"{_share(len(cells), len(table.keys), what)}: {remedy}"])


def check_repeated(table: CellTable, _: Policies) -> None:
    """Reject repeated scores; an empty cell is not a score, so that files may complement each other."""
    order, keys = table.order, table.keys[table.order]
    again = np.sort(order[1:][keys[1:] == keys[:-1]])
    if not len(again):
        return
    firsts = order[np.searchsorted(keys, table.keys[again[:_LISTED]])]
    problems = []
    for cell, first in zip(again[:_LISTED].tolist(), firsts.tolist(), strict=True):
        (path, line), (first_path, first_line) = table.location(cell), table.location(first)
        where = f"line {first_line}" + (f" of {first_path}" if first_path != path else "")
        problem = repeated("score", table.name(int(table.keys[cell])), where, hint="")
        problems.append(problem.at(path, line))
    remedy = f"remove {pluralize(len(again), 'repeated score')}{_listed(len(again))}"
    several = any(
        table.part(cell)[0] is not table.part(first)[0] for cell, first in zip(again[:_LISTED], firsts, strict=True)
    )
    ignored = next((name for part in table.parts for name in part.ignored if name), "")
    groups = (
        f"are these different data sets? use {setting('group_by_file')}"
        if several
        else f"if a column tells different data sets apart, such as languages, use {setting('group', ignored)}"
    )
    of_format = [table.part(cell)[0].format.if_repeated for cell in again[:_LISTED].tolist()]
    if any(of_format):
        raise InputError(problems, hints=[*of_format, remedy])
    if table.parts[0].form.remedy:
        groups = ""
    raise InputError(problems, hints=[groups, remedy, *_reasons_for_repeated(table)])


def _reasons_for_repeated(table: CellTable) -> Iterator[str]:
    """Remedies for the usual reasons why different scores have the same names."""
    if table.parts[0].form.of_raters:
        yield f"an annotator rates an item once: name the column of annotators with {setting('annotator_column')}"
        return
    without_systems = [part.path for part in table.parts if not part.has_systems]
    if without_systems:
        yield (
            "a file without a column 'system' is of one system with the name of the file: name the column of systems "
            f"'system', or name the system, as in other={without_systems[0]}"
        )
    if table.items == (WHOLE,):
        column = setting("id_column")
        yield f"without a column 'item' the scores are of whole systems: name the column of items with {column}"
    if set(SCORE.names) & set(table.measures):
        yield "without a column 'measure' each column is a measure: rename the column, for example to 'bleu'"
        if any(part.ignored for part in table.parts):
            yield "in a file with a row for each score, name the column of the measures 'measure'"


def check_missing(table: CellTable, policies: Policies) -> None:
    """Reject missing scores unless the policies allow them."""
    keys = table.keys[table.order]
    present = keys[np.diff(keys, prepend=-1) > 0]
    count = table.size - len(present)
    if not count or policies.on_missing.action != "error":
        return
    # The first gaps are before this key, regardless of the size of the table.
    before = min(table.size, len(present) + _LISTED)
    missing = np.flatnonzero(table.states == MISSING)
    cell_by_key = dict(zip(table.keys[missing].tolist(), missing.tolist(), strict=True))
    problems = []
    for key in np.setdiff1d(np.arange(before), present)[:_LISTED].tolist():
        path, line = table.location(cell_by_key[key]) if key in cell_by_key else (table.path_of_key(key), None)
        problem = empty(f"score for {table.name(key)}", "one of every measure for every item of every system")
        problems.append(problem.at(path, line))
    drop, pairwise = setting("on_missing", "drop"), setting("on_missing", "pairwise")
    remedy = (
        f"add them, drop such items for every system with {drop}, or compare each two systems on the items that both "
        f"have with {pairwise}"
    )
    hints = [*(part.format.if_missing for part in table.parts), _never_scored(table, present)]
    raise InputError(problems, hints=[*hints, f"{_share(count, table.size, 'missing')}: {remedy}"])


def _never_scored(table: CellTable, present: NDArray[np.int64]) -> str:
    """A hint if a system has no score of some measure, else ''."""
    pairs = np.unique(present // len(table.items))
    before = min(len(table.measures) * len(table.systems), len(pairs) + 1)
    never = np.setdiff1d(np.arange(before), pairs)
    if not len(never):
        return ""
    measure, system = divmod(int(never[0]), len(table.systems))
    return (
        f"system '{shortened(table.systems[system])}' has no score of '{shortened(table.measures[measure])}': "
        f"choose measures that score every system with {setting('measures')}"
    )


def _share(count: int, scores: int, what: str) -> str:
    are = "is" if count == 1 else "are"
    return f"{count:,} of {pluralize(scores, 'score')} {are} {what}{_listed(count)}"


def _listed(count: int) -> str:
    return f" (the first {_LISTED} are listed)" if count > _LISTED else ""
