"""Files of verdicts on pairs of outputs, and the forms that they have.

Scores of metrics are in two columns each, such as NAME-left and NAME-right; `length` and `family` are no metrics, but
lengths of the outputs and families of the systems, the latter with `family-judge`.

Who judged is a person or a judge by the settings, by a column, or by the form of the file; otherwise this is open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Floats
from metaeval.errors import (
    Problem,
    invalid,
    join_all,
    missing_column,
    pluralize,
    refuse,
    shortened,
    unknown,
)
from metaeval.io.files.columns import TableColumns
from metaeval.io.files.json import values_of_list
from metaeval.io.files.kinds import HUMAN, JUDGE, OPEN, declared_kinds
from metaeval.io.files.roles import (
    ANNOTATOR,
    CLUSTER,
    GROUP,
    INSTRUCTION,
    ITEM,
    LANGUAGE_PAIR,
    REPLICATE,
    TURN,
    WEIGHT,
    Role,
    normal,
)
from metaeval.io.files.source import Source
from metaeval.judges.preferences.settings import PreferencesSettings

if TYPE_CHECKING:
    from pandas import DataFrame


LENGTH, FAMILY = "length", "family"
NO_VERDICT = 2
LARGEST_WEIGHT = 1e9
"""Weights above it would need more digits than numbers have."""

SIDES = ("left", "right")

Winners = NDArray[np.int8]
"""1 for the first of two sides, −1 for the second, 0 for a tie."""


def _in_words(first: str, second: str, **others: int) -> Callable[[TableColumns, Sequence[str]], Winners]:
    """A reader of the columns of the sides, the names of their systems, `tie` and other words."""
    words = {first: 1, second: -1, "tie": 0, **others}

    def read(table: TableColumns, columns: Sequence[str]) -> Winners:
        codes = np.full(len(table), NO_VERDICT, dtype=np.int8)
        sides = (table.texts(table.need(Role((side,)))) for side in (first, second))
        for row, (cell, one, other) in enumerate(zip(table.texts(columns[0]), *sides, strict=True)):
            by_name = {one: 1, other: -1}.get(cell) if cell else None
            if cell in words and by_name in (None, words[cell]):
                codes[row] = words[cell]
            elif cell in words:
                found = f"{columns[0]} '{cell}', which names a system and says that it did not win"
                table.reject(row, Problem(found, "a system with another name", kind="conflict"))
            elif by_name is not None:
                codes[row] = by_name
            else:
                table.reject(row, unknown(columns[0], cell, [*words, *filter(None, (one, other))]))
        return codes

    return read


def _graded(table: TableColumns, columns: Sequence[str]) -> Winners:
    """The nearer side of numbers from 1 to 2; 1.5, and the 0 of older files, are ties, and an empty cell no verdict."""
    grades = table.numbers(columns[0], optional=True)
    for row in np.flatnonzero((grades != 0) & ((grades < 1) | (grades > 2))).tolist():
        table.reject(row, invalid("preference", f"{grades[row]:g}", "a number from 1 to 2"))
    nearer = np.sign(1.5 - np.where(grades == 0, 1.5, grades))
    return np.where(np.isnan(grades), NO_VERDICT, nearer).astype(np.int8)


def _certainty(table: TableColumns, columns: Sequence[str]) -> Floats:
    """The probability of the nearer side of numbers from 1 to 2; 1 of ties."""
    distance = np.abs(table.numbers(columns[0], optional=True) - 1.5)
    return np.where(distance <= 0.5, np.where(distance > 0, 0.5 + distance, 1.0), 1.0)


def _flagged(table: TableColumns, columns: Sequence[str]) -> Winners:
    """The verdict whose column has a 1: first, second or tie."""
    flags = np.stack([table.numbers(column) for column in columns])
    for row in np.flatnonzero((np.sort(flags, axis=0) != [[0], [0], [1]]).any(axis=0)).tolist():
        found = " and ".join(f"{column} {flag:g}" for column, flag in zip(columns, flags[:, row], strict=True))
        table.reject(row, Problem(found, "a 1 in one of them and 0 in the others", kind="invalid"))
    codes: Winners = np.array([1, -1, 0], dtype=np.int8)[flags.argmax(axis=0)]
    return codes


@dataclass(frozen=True)
class VerdictForm:
    """A form of files of verdicts.

    sides: columns of the systems. games: columns of each verdict of a row, of which the second is on the swapped
    outputs; none if the first side always wins. read: turns them into codes. displayed: whether the first side was
    shown first. kind: of those who give such verdicts, if the form says it.
    """

    sides: tuple[str, str]
    games: tuple[tuple[str, ...], ...]
    read: Callable[[TableColumns, Sequence[str]], Winners]
    displayed: bool = True
    kind: str = OPEN


_BATTLE = _in_words("model_a", "model_b", **dict.fromkeys(("tie (bothbad)", "both_bad"), 0))
FORMS = (
    VerdictForm(SIDES, (("winner",),), _in_words(*SIDES)),
    VerdictForm(("system_a", "system_b"), (("winner",),), _in_words("system_a", "system_b", a=1, b=-1)),
    # DARR of WMT.
    VerdictForm(("better", "worse"), (), _in_words(*SIDES), displayed=False, kind=HUMAN),
    # FastChat.
    VerdictForm(
        ("model_1", "model_2"),
        (("g1_winner",), ("g2_winner",)),
        _in_words("model_1", "model_2", error=NO_VERDICT),
        kind=JUDGE,
    ),
    # Chatbot Arena, and LMSYS at Kaggle.
    VerdictForm(("model_a", "model_b"), (("winner",),), _BATTLE),
    VerdictForm(("model_a", "model_b"), (("winner_model_a", "winner_model_b", "winner_tie"),), _flagged, kind=HUMAN),
    # AlpacaEval: which output was shown first is drawn, and not in the file.
    VerdictForm(("generator_1", "generator_2"), (("preference",),), _graded, displayed=False, kind=JUDGE),
)

EXPECTED = "columns item, left, right, winner; item, better, worse; or those of FastChat, Chatbot Arena or AlpacaEval"


def read_verdicts(source: Source, settings: PreferencesSettings, judge: str) -> tuple[DataFrame, list[str]]:
    """The verdicts of a file, and notes. judge: the name of the judge of a file without a column of judges.

    Columns: item, cluster, language_pair, left, right, judge, group, run, kind; winner, 1 for left, −1 for right, 0 for
    a tie; certainty, the probability of the winner; weight; displayed, whether left and right are the display order;
    NAME-left and NAME-right of metrics, lengths and families, and family-judge. All problems of the file are one
    `InputError`.
    """
    import pandas

    table = TableColumns.read(source, settings.id_column)
    form, columns_of_sides, games = _form(table)
    notes: list[str] = []
    left, right = map(table.filled, columns_of_sides)
    item_column = table.find(ITEM, settings.id_column) or table.find(INSTRUCTION)
    if item_column is None:
        notes.append(f"{table.path}: no column of items, so that every verdict is on an item of its own")
        items = [f"{table.path}:{line}" for line in table.lines]
    else:
        items = table.filled(item_column)
    clusters = items if settings.clusters is None else table.filled(table.need(CLUSTER, settings.clusters))
    turn = table.find(TURN)
    if turn is not None and (len(games) == 2 or (item_column or "").casefold() == "question_id"):
        items = [f"{item}/{number}" for item, number in zip(items, table.texts(turn), strict=True)]
    for row, (one, other) in enumerate(zip(left, right, strict=True)):
        if one == other and one:
            table.reject(row, Problem(f"'{shortened(one)}' on both sides", "two different systems", kind="conflict"))
    language_column = table.find(LANGUAGE_PAIR, settings.language_pair_column)
    if language_column == settings.group:
        # Language pairs are then the groups.
        language_column = None
    judges, kinds = _judges(table, settings.judge_column, judge, form)
    weight_column = table.find(WEIGHT)
    weights = np.ones(len(table)) if weight_column is None else table.counts(weight_column, "weight")
    for row in np.flatnonzero(weights > LARGEST_WEIGHT).tolist():
        table.reject(row, invalid("weight", f"{weights[row]:g}", f"a number of at most {LARGEST_WEIGHT:g}"))
    columns: dict[str, Any] = {
        "item": items,
        "cluster": clusters,
        "language_pair": "" if language_column is None else table.filled(language_column),
        "left": left,
        "right": right,
        "judge": judges,
        "group": "" if settings.group is None else table.filled(table.need(GROUP, settings.group)),
        "run": "" if settings.replicates is None else table.texts(table.need(REPLICATE, settings.replicates)),
        "kind": kinds,
        "certainty": 1.0,
        "weight": weights,
        "displayed": form.displayed,
        **_scores(table, form),
        **_differences(table, settings.covariates),
        **_families(table, form),
    }
    winners = [form.read(table, columns_of_game) for columns_of_game in games] or [np.ones(len(table), np.int8)]
    notes += table.notes()
    table.raise_any("correct these rows, or leave them out")
    if form.read is _graded:
        columns["certainty"] = _certainty(table, games[0])
        if graded := int((columns["certainty"] < 1).sum()):
            preferences = f"{pluralize(graded, 'graded preference')} counted for both outputs by the probability"
            notes.append(f"{table.path}: {preferences}")
    frame = _all_games(pandas.DataFrame(columns), winners)
    return _drop_undecided(frame, table.path, "game" if len(games) == 2 else "row", notes), notes


def _form(table: TableColumns) -> tuple[VerdictForm, list[str], list[list[str]]]:
    """The form of a table, and its columns of systems and of verdicts; WMT writes their names in capitals."""

    def column(name: str) -> str | None:
        return table.find(Role((name,)))

    forms = [form for form in FORMS if None not in map(column, form.sides)]
    if not forms:
        hint = "rename the columns, or add those that are missing"
        raise refuse((table.path, 1), missing_column(table.header, "", hint).found, EXPECTED, hint, kind="missing")
    table.find(Role(tuple(dict.fromkeys(form.sides[0] for form in forms))))
    complete = (form for form in forms if None not in map(column, chain.from_iterable(form.games)))
    form = next(complete, forms[0])
    games = [[table.need(Role((name,))) for name in names] for names in form.games]
    return form, [str(column(side)) for side in form.sides], games


_ARENA_USER = re.compile(r"arena_user_\w+")


def _judges(table: TableColumns, option: str | None, judge: str, form: VerdictForm) -> tuple[list[str], list[str]]:
    """Who gave the verdict of each row, and of which kind; judge: the name in a file without a column of names."""
    column = table.find(ANNOTATOR, option)
    if column is None:
        names, kind_of = [judge] * len(table), {judge: form.kind}
    else:
        cells = table.filled(column)
        # FastChat writes the judge with the name of its prompt, as ["gpt-4", "pair-v2"].
        lists = {cell: values_of_list(cell) for cell in dict.fromkeys(cells)}
        name_of = {cell: str((values or [cell])[0]) for cell, values in lists.items()}
        # Better and worse outputs without annotators, as of WMT, are people's; with annotators they may be of any.
        names, kind_of, kind = [name_of[cell] for cell in cells], {}, form.kind if form.games else OPEN
        for cell, values in lists.items():
            in_arena = form.sides[0] == "model_a" and normal(column) == "judgehash"
            is_user = in_arena or _ARENA_USER.fullmatch(cell)
            kind_of[name_of[cell]] = JUDGE if values else HUMAN if is_user else kind
    kind_of |= declared_kinds(table, names)
    return names, [kind_of[name] for name in names]


def _columns_of_sides(table: TableColumns, stem: str, form: VerdictForm, others: Sequence[str] = ()) -> dict[str, str]:
    """The columns of both sides under a stem, if the table has any; others: that are needed beside them."""
    for marks in (form.sides, SIDES) if form.displayed else (form.sides,):
        names = {
            f"{stem}-{side}": f"{stem}-{mark}" for side, mark in zip((*SIDES, *others), (*marks, *others), strict=True)
        }
        missing = [name for name in names.values() if name not in table.header]
        if not missing:
            return names
        if len(missing) < len(names):
            hint = f"'{stem}' needs a column for each of {join_all([*marks, *others])}: add the column"
            raise refuse((table.path, 1), missing_column(table.header, missing[0], hint))
    return {}


def _scores(table: TableColumns, form: VerdictForm) -> dict[str, Floats]:
    """The scores of every metric of which both sides have a column."""
    ends = {*form.sides, *(SIDES if form.displayed else ())}
    stems = dict.fromkeys(name.rpartition("-")[0] for name in table.header if name.rpartition("-")[2] in ends)
    columns = (_columns_of_sides(table, stem, form) for stem in stems if stem not in ("", FAMILY))
    return {side: table.numbers(name, optional=True) for names in columns for side, name in names.items()}


def _differences(table: TableColumns, covariates: Sequence[str]) -> dict[str, Floats]:
    """The covariates that have one column, of the first side less the second."""
    single = [name for name in covariates if name in table.header]
    differences = {f"{name}-left": table.numbers(name, optional=True) for name in single}
    return differences | {f"{name}-right": np.zeros(len(table)) for name in single}


def _families(table: TableColumns, form: VerdictForm) -> dict[str, Sequence[str]]:
    names = _columns_of_sides(table, FAMILY, form, ("judge",))
    return {side: table.texts(name) for side, name in names.items()}


def stems_of(frame: DataFrame) -> list[str]:
    """The names before the sides of columns, as `bleu` of `bleu-left`."""
    return [name.removesuffix("-left") for name in map(str, frame) if name.endswith("-left")]


def _all_games(frame: DataFrame, winners: Sequence[Winners]) -> DataFrame:
    """The verdicts of all games; winners name the sides of the first, which are swapped in the second."""
    import pandas

    marks = ("", *(f"{stem}-" for stem in stems_of(frame)))
    swapped = {f"{mark}{side}": f"{mark}{other}" for mark in marks for side, other in (SIDES, SIDES[::-1])}
    frame = frame.assign(winner=winners[0])
    seconds = [
        frame.assign(winner=np.where(winner == NO_VERDICT, NO_VERDICT, -winner)).rename(columns=swapped)
        for winner in winners[1:]
    ]
    return pandas.concat([frame, *(second[frame.columns] for second in seconds)])


def _drop_undecided(frame: DataFrame, path: str, noun: str, notes: list[str]) -> DataFrame:
    """The rows with a verdict, and a note on the others; noun: what a row is."""
    rows = frame[(frame["winner"] != NO_VERDICT) & (frame["weight"] > 0)]
    if rows.empty:
        hint = "leave the file out, or ask the judge again"
        raise refuse(path, f"no verdict in any of {pluralize(len(frame), noun)}", "verdicts", hint, kind="empty")
    if undecided := len(frame) - len(rows):
        notes.append(f"{path}: {undecided:,} of {pluralize(len(frame), noun)} without a verdict left out")
    return rows
