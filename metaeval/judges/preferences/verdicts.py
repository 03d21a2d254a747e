"""Verdicts on pairs of outputs, and the three forms of their files.

own       item, left, right, winner (left, right or tie), judge       in display order
pairs     item, better, worse                                         as in DARR; without a display order
fastchat  question_id, model_1, model_2, g1_winner, g2_winner, judge  two verdicts; in the second the order is swapped

Scores of metrics are in columns NAME-left and NAME-right, or NAME-better and NAME-worse; `length` and `family` are no
metrics, but lengths of the outputs and families of the systems, the latter with `family-judge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InputError, Problem, did_you_mean, setting, shortened
from metaeval.io.files.delimited import Rows, one_of_columns
from metaeval.io.files.json_rows import NESTED, json_records
from metaeval.io.files.source import Source
from metaeval.io.labels.codes import UNKNOWN, read_numbers
from metaeval.io.labels.label_columns import row_numbers, row_numbers_note
from metaeval.io.scores.cells import no_column, read_table

Numbers = NDArray[np.float64]

ITEM_COLUMNS = ("item", "id", "question_id", "sid")
LANGUAGE_COLUMNS = ("language_pair", "lp")
LENGTH, FAMILY = "length", "family"
WINNERS = {"left": 1, "right": -1, "tie": 0}
FASTCHAT_WINNERS = {"model_1": 1, "model_2": -1, "tie": 0, "error": 2}
NO_VERDICT = 2
EXPECTED = (
    "columns item, left, right, winner; item, better, worse; or those of FastChat (model_1, model_2, g1_winner, …)"
)


@dataclass(frozen=True)
class Named:
    """The names of columns that the user chose; None for the usual ones."""

    item: str | None
    language_pair: str | None
    clusters: str | None


@dataclass(frozen=True)
class VerdictRows:
    """The V verdicts of one file, each with its texts and numbers.

    winner: 1 for left, −1 for right, 0 for a tie, (V,). scores: of metrics and lengths, left and right, (V, 2).
    families: of left, of right and of the judge; empty where there are none. displayed: whether left and right are the
    display order.
    """

    items: Sequence[str]
    clusters: Sequence[str]
    language_pairs: Sequence[str]
    left: Sequence[str]
    right: Sequence[str]
    winner: NDArray[np.int8]
    judges: Sequence[str]
    scores: Mapping[str, Numbers]
    families: tuple[Sequence[str], ...]
    displayed: bool
    notes: tuple[str, ...]


def read_verdicts(source: Source, named: Named, judge: str) -> VerdictRows:
    """Read a file of verdicts. judge: the name of the judge of a file without a column 'judge'.

    All problems of the file are one `InputError`.
    """
    table = read_table(source).with_key(named.item)
    # The files of WMT write these names in capitals.
    lower = {name.casefold(): name for name in reversed(table.header)}
    forms = (("left", "right"), ("better", "worse"), ("model_1", "model_2"))
    for names in ([one for one, other in forms if one in lower and other in lower], ["winner"], ["judge"], ["turn"]):
        one_of_columns(names, table.header, table.path, any_case=True)
    for sides in forms:
        if all(side in lower for side in sides):
            return _Reader(source, table, lower, named, judge).read(sides)
    header = shortened(",".join(table.header))
    hint = "rename the columns, or add those that are missing"
    raise InputError.at(table.path, 1, found=f"header '{header}'", expected=EXPECTED, hint=hint)


@dataclass
class _Reader:
    source: Source
    table: Rows
    lower: Mapping[str, str]
    named: Named
    judge: str

    def __post_init__(self) -> None:
        self.problems: list[Problem] = []
        self.hints: dict[str, None] = {}
        self.lines = self.table.lines()

    def read(self, sides: tuple[str, str]) -> VerdictRows:
        """The verdicts of a form with these columns of systems."""
        fastchat, pairs = sides[0] == "model_1", sides[0] == "better"
        left, right = (self._names(side) for side in sides)
        item_column = self._chosen(self.named.item, ITEM_COLUMNS, "id_column")
        notes = [*row_numbers_note(row_numbers(self.table.header, (self.named.item, self.named.clusters)))]
        if item_column is None:
            notes.append(f"{self.table.path}: no column of items, so that every verdict is on an item of its own")
            items = [f"{self.table.path}:{line}" for line in self.lines]
        else:
            items = self._names(item_column)
        clusters = items if self.named.clusters is None else self._clusters(self.named.clusters)
        if "turn" in self.lower and (fastchat or item_column == self.lower.get("question_id")):
            items = [f"{item}/{turn}" for item, turn in zip(items, self._column("turn"), strict=True)]
        for place, (one, other) in enumerate(zip(left, right, strict=True)):
            if one == other and one:
                self._problem(place, f"'{shortened(one)}' on both sides", "two different systems")
        language_column = self._chosen(self.named.language_pair, LANGUAGE_COLUMNS, "language_pair_column")
        language_pairs = [""] * len(items) if language_column is None else self._names(language_column)
        winners = [self._winners("winner", WINNERS)] if not (fastchat or pairs) else []
        if fastchat:
            winners = [self._winners(game, FASTCHAT_WINNERS) for game in ("g1_winner", "g2_winner")]
        winner = np.stack(winners or [np.ones(len(items), dtype=np.int8)])
        read = (self._judges(), self._scores(sides), self._families(sides))
        if self.problems:
            raise InputError(self.problems, hints=[*self.hints, "correct these rows, or leave them out"])
        rows = VerdictRows(items, clusters, language_pairs, left, right, winner[0], *read, not pairs, tuple(notes))
        return _both_games(rows, winner, self.table.path) if fastchat else rows

    def _problem(self, place: int, found: str, expected: str) -> None:
        self.problems.append(Problem(found, expected, self.table.path, self.lines[place]))

    def _lacks(self, name: str, hint: str) -> InputError:
        header = shortened(",".join(self.table.header))
        return InputError.at(self.table.path, 1, found=f"header '{header}'", expected=f"a column '{name}'", hint=hint)

    def _column(self, name: str) -> list[str]:
        column = name if name in self.table.header else self.lower.get(name.casefold())
        if column is None:
            raise no_column(self.table, name, "id_column", named=False)
        return self.table.column(column)

    def _chosen(self, name: str | None, usual: Sequence[str], option: str) -> str | None:
        """The column that the user named, or the usual one of the file."""
        if name is not None and name not in self.table.header:
            raise no_column(self.table, name, option, named=True)
        return name or one_of_columns(usual, self.table.header, self.table.path, option=option, any_case=True)

    def _names(self, name: str) -> list[str]:
        """A column without empty cells."""
        cells = self._column(name)
        for place, cell in enumerate(cells):
            if not cell:
                self._problem(place, f"an empty cell in column '{name}'", "a name")
        return cells

    def _clusters(self, name: str) -> list[str]:
        if name not in self.table.header:
            raise no_column(self.table, name, "clusters", named=True)
        return self._names(name)

    def _winners(self, name: str, codes: Mapping[str, int]) -> NDArray[np.int8]:
        if name not in self.lower:
            raise self._lacks(name, did_you_mean(name, self.table.header) or "add the column")
        cells = self._column(name)
        for place, cell in enumerate(cells):
            if cell not in codes:
                self._problem(place, f"{name} '{shortened(cell)}'", " or ".join(codes))
                self.hints |= dict.fromkeys(filter(None, [did_you_mean(cell, codes)]))
        return np.array([codes.get(cell, NO_VERDICT) for cell in cells], dtype=np.int8)

    def _judges(self) -> list[str]:
        if "judge" not in self.lower:
            return [self.judge] * len(self.lines)
        cells = self._column("judge")
        if NESTED in cells:
            # FastChat writes the judge with the name of its prompt, as ["gpt-4", "pair-v2"].
            records = (dict(record) for _, record in json_records(self.source.text(), self.table.path, EXPECTED))
            judges = [record.get("judge") for record in records]
            cells = [str(one[0]) if isinstance(one, list) and one else str(one or "") for one in judges]
        for place, cell in enumerate(cells):
            if not cell:
                self._problem(place, "an empty cell in column 'judge'", "a name")
        return cells

    def _scores(self, marks: tuple[str, str]) -> dict[str, Numbers]:
        """The scores of every metric of which both sides have a column."""
        stems = {name.rpartition("-")[0]: None for name in self.table.header if name.rpartition("-")[2] in marks}
        scores = {}
        for stem in filter(lambda stem: stem and stem != FAMILY, stems):
            both = []
            for mark in marks:
                if f"{stem}-{mark}" not in self.table.header:
                    raise self._lacks(f"{stem}-{mark}", f"'{stem}' needs a column for each side: add the column")
                texts = self._column(f"{stem}-{mark}")
                values, states = read_numbers(texts)
                for place in np.flatnonzero(states == UNKNOWN).tolist():
                    self._problem(
                        place, f"{stem}-{mark} '{shortened(texts[place])}'", "a finite number, or an empty cell"
                    )
                both.append(values)
            scores[stem] = np.stack(both, axis=1)
        return scores

    def _families(self, marks: tuple[str, str]) -> tuple[Sequence[str], ...]:
        names = [f"{FAMILY}-{mark}" for mark in (*marks, "judge")]
        if not any(name in self.table.header for name in names):
            return ()
        missing = [name for name in names if name not in self.table.header]
        if missing:
            raise self._lacks(missing[0], "add the column: families are of both sides and of the judge")
        return tuple(self._column(name) for name in names)


def _both_games(rows: VerdictRows, winner: NDArray[np.int8], path: str) -> VerdictRows:
    """The verdicts of both games of FastChat; the winner names the model, which is on the other side in the second."""
    twice = np.concatenate([winner[0], np.where(winner[1] == NO_VERDICT, NO_VERDICT, -winner[1])])
    kept = np.flatnonzero(twice != NO_VERDICT)

    def chosen(first: Sequence[str], second: Sequence[str]) -> list[str]:
        both = [*first, *second]
        return [both[place] for place in kept.tolist()]

    def same(cells: Sequence[str]) -> list[str]:
        return chosen(cells, cells)

    if not len(kept):
        raise InputError.at(path, found="no verdict: the winner of every game is 'error'", expected="verdicts",
                            hint="leave the file out, or repeat the games")  # fmt: skip
    lost = len(twice) - len(kept)
    notes = [f"{path}: {lost:,} of {len(twice):,} games without a verdict ('error') left out"] if lost else []
    scores = {name: np.concatenate([each, each[:, ::-1]])[kept] for name, each in rows.scores.items()}
    families = rows.families and (
        chosen(rows.families[0], rows.families[1]),
        chosen(rows.families[1], rows.families[0]),
        same(rows.families[2]),
    )
    return VerdictRows(
        same(rows.items), same(rows.clusters), same(rows.language_pairs), chosen(rows.left, rows.right),
        chosen(rows.right, rows.left), twice[kept].astype(np.int8), same(rows.judges), scores, families, True,
        (*rows.notes, *notes),
    )  # fmt: skip


@dataclass(frozen=True)
class Verdicts:
    """The V verdicts of all files, with codes for names.

    items, clusters, language_pairs, left, right, judges: codes of their names, (V,). winner: 1 for left, −1 for right,
    0 for a tie, (V,). scores: of metrics, left and right, higher better, NaN where missing, (V, 2). length: of the
    outputs, NaN where missing, (V, 2). own: 1 where only left is of the judge's family, −1 where only right is, else
    0, (V,). displayed: whether left and right are the display order, (V,).
    """

    items: NDArray[np.intp]
    clusters: NDArray[np.intp]
    language_pairs: NDArray[np.intp]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    judges: NDArray[np.intp]
    winner: NDArray[np.int8]
    scores: Mapping[str, Numbers]
    length: Numbers
    own: NDArray[np.int8]
    displayed: NDArray[np.bool_]
    systems: tuple[str, ...]
    names_of_judges: tuple[str, ...]
    names_of_language_pairs: tuple[str, ...]
    number_of_items: int

    @classmethod
    def of(cls, files: Sequence[VerdictRows], lower_is_better: Sequence[str]) -> Verdicts:
        """The verdicts of files; a metric that is in none is an `InputError`."""

        def coded(name: str, other: str = "") -> tuple[list[str], NDArray[np.intp]]:
            texts = [
                text for attribute in filter(None, (name, other)) for file in files for text in getattr(file, attribute)
            ]
            index = {text: code for code, text in enumerate(dict.fromkeys(texts))}
            return list(index), np.fromiter(map(index.__getitem__, texts), dtype=np.intp, count=len(texts))

        (items, item_codes), (_, clusters), (languages, language_pairs), (judges, judge_codes) = map(
            coded, ("items", "clusters", "language_pairs", "judges")
        )
        systems, both = coded("left", "right")
        metrics = dict.fromkeys(name for file in files for name in file.scores)

        def joined(name: str) -> Numbers:
            return np.concatenate([file.scores.get(name, np.full((len(file.items), 2), np.nan)) for file in files])

        unknown = [name for name in lower_is_better if name not in metrics]
        if unknown:
            columns = f"a metric has two columns, {unknown[0]}-left and {unknown[0]}-right"
            found, hint = setting("lower_is_better", unknown[0]), did_you_mean(unknown[0], metrics) or columns
            raise InputError.at(found=found, expected="a metric of the files", hint=hint)
        scores = {name: joined(name) * (-1 if name in lower_is_better else 1) for name in metrics if name != LENGTH}
        own = [
            [(one == judge) - (other == judge) if judge else 0 for one, other, judge in zip(*families, strict=True)]
            for families in (file.families or [[""] * len(file.items)] * 3 for file in files)
        ]
        return cls(
            item_codes, clusters, language_pairs, both[: len(item_codes)], both[len(item_codes) :], judge_codes,
            np.concatenate([file.winner for file in files]), scores, joined(LENGTH),
            np.concatenate(own).astype(np.int8),
            np.concatenate([np.full(len(file.items), file.displayed) for file in files]),
            tuple(systems), tuple(judges), tuple(languages), len(items),
        )  # fmt: skip

    @property
    def units(self) -> NDArray[np.intp]:
        """A code for the item and the two systems of each verdict, in either order, (V,)."""
        systems, languages = len(self.systems), len(self.names_of_language_pairs)
        pair = np.minimum(self.left, self.right) * systems + np.maximum(self.left, self.right)
        key = (self.items * languages + self.language_pairs) * systems**2 + pair
        return np.unique(key, return_inverse=True)[1]
