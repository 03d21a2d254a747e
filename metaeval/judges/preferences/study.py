"""The study of this analysis: verdicts on pairs of outputs, the forms of their files, and who judged.

Scores of metrics are in two columns each, such as NAME-left and NAME-right; `length` and `family` are no metrics, but
lengths of the outputs and families of the systems, the latter with `family-judge`.

Who judged is a person or a judge by the settings, by a column, or by the form of the file; otherwise this is open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import join_names
from metaeval.arrays import Bools, Floats, Indices
from metaeval.config import ExperimentConfig
from metaeval.errors import (
    Gathered,
    InputError,
    Problem,
    did_you_mean,
    invalid,
    join_all,
    missing_column,
    none_left,
    not_given,
    one_of,
    pluralize,
    refuse,
    setting,
    shortened,
    unknown,
)
from metaeval.io.files.columns import TableColumns
from metaeval.io.files.json import values_of_list
from metaeval.io.files.roles import (
    ANNOTATOR,
    CLUSTER,
    INSTRUCTION,
    ITEM,
    KIND,
    LANGUAGE_PAIR,
    TURN,
    WEIGHT,
    Role,
    normal,
)
from metaeval.io.files.run_files import SystemChoice, files_of_scores
from metaeval.io.files.source import Source, SourceFiles
from metaeval.judges.preferences.orders import merge_orders
from metaeval.judges.preferences.settings import MergeOrders, PreferencesSettings
from metaeval.model.report import AnalysisOutput, Note, Report
from metaeval.names import matches
from metaeval.study.study import Progress, Sources, report_of, without_excluded

if TYPE_CHECKING:
    from pandas import DataFrame


LENGTH, FAMILY = "length", "family"
NO_VERDICT = 2
LARGEST_WEIGHT = 1e9
"""Weights above it would need more digits than numbers have."""

SIDES = ("left", "right")

Winners = NDArray[np.int8]
"""1 for the first of two sides, −1 for the second, 0 for a tie."""

HUMAN, JUDGE, OPEN = "human", "judge", ""
"""Who gives verdicts: a person, a judge such as a language model, or nothing says which of both."""

KINDS = {
    **dict.fromkeys(("human", "person", "people", "expert", "crowd"), HUMAN),
    **dict.fromkeys(("judge", "model", "llm", "machine", "automatic"), JUDGE),
    "": OPEN,
}
"""The words of a column of kinds."""

PEOPLE = "people"


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

    Columns: item, cluster, language_pair, left, right, judge, kind; winner, 1 for left, −1 for right, 0 for a tie;
    certainty, the probability of the winner; weight; displayed, whether left and right are the display order; NAME-left
    and NAME-right of metrics, lengths and families, and family-judge. All problems of the file are one `InputError`.
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
    return _decided(frame, table.path, "game" if len(games) == 2 else "row", notes), notes


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


def _judges(table: TableColumns, named: str | None, judge: str, form: VerdictForm) -> tuple[list[str], list[str]]:
    """Who gave the verdict of each row, and of which kind; judge: the name in a file without a column of names."""
    column = table.find(ANNOTATOR, named)
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
    kind_of |= _declared(table, names)
    return names, [kind_of[name] for name in names]


def _declared(table: TableColumns, names: Sequence[str]) -> dict[str, str]:
    """The kinds of names by a column of kinds; none without one, or where its words are about something else."""
    columns = KIND.among(table.header)
    if not columns or not any(KINDS.get(cell.casefold()) for cell in table.rows.column(columns[0])):
        return {}
    column = table.need(KIND)
    kinds: dict[str, str] = {}
    for row, (name, cell) in enumerate(zip(names, table.texts(column), strict=True)):
        kind = KINDS.get(cell.casefold())
        if kind is None:
            table.reject(row, unknown(column, cell, [word for word in KINDS if word]))
        elif kind and kinds.setdefault(name, kind) != kind:
            found = f"{column} '{shortened(cell)}' of '{shortened(name)}'"
            table.reject(row, Problem(found, f"'{kinds[name]}', as before", kind="conflict"))
    return kinds


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


def _stems(frame: DataFrame) -> list[str]:
    """The names before the sides of columns, as `bleu` of `bleu-left`."""
    return [name.removesuffix("-left") for name in map(str, frame) if name.endswith("-left")]


def _all_games(frame: DataFrame, winners: Sequence[Winners]) -> DataFrame:
    """The verdicts of all games; winners name the sides of the first, which are swapped in the second."""
    import pandas

    marks = ("", *(f"{stem}-" for stem in _stems(frame)))
    swapped = {f"{mark}{side}": f"{mark}{other}" for mark in marks for side, other in (SIDES, SIDES[::-1])}
    frame = frame.assign(winner=winners[0])
    seconds = [
        frame.assign(winner=np.where(winner == NO_VERDICT, NO_VERDICT, -winner)).rename(columns=swapped)
        for winner in winners[1:]
    ]
    return pandas.concat([frame, *(second[frame.columns] for second in seconds)])


def _decided(frame: DataFrame, path: str, noun: str, notes: list[str]) -> DataFrame:
    """The rows with a verdict, and a note on the others; noun: what a row is."""
    decided = frame[(frame["winner"] != NO_VERDICT) & (frame["weight"] > 0)]
    if decided.empty:
        hint = "leave the file out, or ask the judge again"
        raise refuse(path, f"no verdict in any of {pluralize(len(frame), noun)}", "verdicts", hint, kind="empty")
    if lost := len(frame) - len(decided):
        notes.append(f"{path}: {lost:,} of {pluralize(len(frame), noun)} without a verdict left out")
    return decided


@dataclass(frozen=True)
class Verdicts:
    """The V verdicts of all files, with codes for names.

    items, clusters, language_pairs, left, right, judges: codes of their names, (V,). winner: 1 for left, −1 for right,
    0 for a tie, (V,). certainty: probability of the winner, at least ½; 1 but for graded verdicts, (V,). weight: of the
    verdict, (V,). scores: of metrics, left and right, higher better, NaN where missing, (V, 2). length: of the
    outputs, NaN where missing, (V, 2). judges_family: 1 where only left is of the judge's family, −1 where only right
    is, else 0, (V,). displayed: whether left and right are the display order, (V,). covariates: of left less right, NaN
    where missing, (V,).
    """

    items: Indices
    clusters: Indices
    language_pairs: Indices
    left: Indices
    right: Indices
    judges: Indices
    winner: NDArray[np.int8]
    certainty: Floats
    weight: Floats
    scores: Mapping[str, Floats]
    length: Floats
    judges_family: NDArray[np.int8]
    displayed: Bools
    systems: tuple[str, ...]
    names_of_judges: tuple[str, ...]
    names_of_language_pairs: tuple[str, ...]
    number_of_items: int
    covariates: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Sequence[DataFrame], lower_is_better: Sequence[str], covariates: Sequence[str] = ()) -> Verdicts:
        """The verdicts of files; a metric or a covariate that is in none is an `InputError`."""
        import pandas

        frame = pandas.concat(files)
        scores = {
            stem: frame[[f"{stem}-left", f"{stem}-right"]].to_numpy(np.float64)
            for stem in _stems(frame)
            if stem != FAMILY
        }
        columns = {name: np.subtract(*scores.pop(name).T) for name in covariates if name in scores}
        for name in covariates:
            if name not in columns:
                rule = f"a covariate has a column {name}, or two, {name}-left and {name}-right"
                raise _not_in_files("covariates", name, scores, "a column of numbers", rule)
        for name in lower_is_better:
            if name not in scores:
                rule = f"a metric has two columns, {name}-left and {name}-right"
                raise _not_in_files("lower_is_better", name, scores, "a metric", rule)
        length = scores.pop(LENGTH, np.full((len(frame), 2), np.nan))
        of_family = np.zeros(len(frame), dtype=np.int8)
        if f"{FAMILY}-judge" in frame:
            left, right, judge = (frame[f"{FAMILY}-{side}"].fillna("").to_numpy(object) for side in (*SIDES, "judge"))
            of_family = ((left == judge).astype(np.int8) - (right == judge)) * (judge != "")
        codes = {name: pandas.factorize(frame[name]) for name in ("item", "cluster", "language_pair", "judge")}
        both_sides, systems = pandas.factorize(frame[[*SIDES]].to_numpy(object).ravel("F"))
        left_codes, right_codes = np.split(both_sides, 2)
        return cls(
            items=codes["item"][0],
            clusters=codes["cluster"][0],
            language_pairs=codes["language_pair"][0],
            left=left_codes,
            right=right_codes,
            judges=codes["judge"][0],
            winner=frame["winner"].to_numpy(np.int8),
            certainty=frame["certainty"].to_numpy(np.float64),
            weight=frame["weight"].to_numpy(np.float64),
            scores={name: values * (-1 if name in lower_is_better else 1) for name, values in scores.items()},
            length=length,
            judges_family=of_family,
            displayed=frame["displayed"].to_numpy(bool),
            systems=tuple(systems),
            names_of_judges=tuple(codes["judge"][1]),
            names_of_language_pairs=tuple(codes["language_pair"][1]),
            number_of_items=len(codes["item"][1]),
            covariates=columns,
        )

    def select(self, rows: Indices) -> Verdicts:
        """Some of the verdicts."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        arrays: dict[str, Any] = {name: each[rows] for name, each in values.items() if isinstance(each, np.ndarray)}
        for name in ("scores", "covariates"):
            arrays[name] = {column: values[rows] for column, values in getattr(self, name).items()}
        return replace(self, **arrays)

    def with_merged_orders(self, differing: MergeOrders | None) -> tuple[Verdicts, list[str]]:
        """One verdict for both orders of the same outputs, whose order is then none, and a note on them."""
        if differing is None:
            return self, []
        units, swapped = self.units, self.left > self.right
        outputs = self.judges * (int(units.max()) + 1) + units
        merged = merge_orders(outputs, swapped, self.winner, self.displayed, differing)
        if not len(merged.rows):
            found = "no verdict is left: those on both orders of the same outputs differ"
            hint = f"count them as ties with {setting('merge_orders', 'tie')}"
            raise refuse(None, found, "verdicts that do not depend on the order", hint, kind="empty")
        chosen = self.select(merged.rows)
        return replace(chosen, winner=merged.winner, displayed=chosen.displayed & ~merged.both), [merged.note]

    @cached_property
    def outcome(self) -> Indices:
        """0 where the system of the lower code wins, 1 where the other one does, 2 for ties, (V,)."""
        first = np.where(self.left < self.right, self.winner, -self.winner)
        return np.select([first > 0, first < 0], [0, 1], 2)

    @cached_property
    def outcomes(self) -> Floats:
        """What each verdict adds to the wins of the system of the lower code, of the other one, and to ties, (V, 3)."""
        nearer = self.outcome
        rows, outcomes = np.arange(len(nearer)), np.zeros((len(nearer), 3))
        outcomes[rows, nearer] = self.weight * self.certainty
        graded = np.flatnonzero(self.certainty < 1)
        outcomes[graded, 1 - nearer[graded]] = self.weight[graded] * (1 - self.certainty[graded])
        return outcomes

    @cached_property
    def units(self) -> Indices:
        """A code for the item and the two systems of each verdict, in either order, (V,)."""
        systems, languages = len(self.systems), len(self.names_of_language_pairs)
        pair = np.minimum(self.left, self.right) * systems + np.maximum(self.left, self.right)
        key = (self.items * languages + self.language_pairs) * systems**2 + pair
        return np.unique(key, return_inverse=True)[1]


def _not_in_files(option: str, name: str, known: Iterable[str], expected: str, rule: str) -> InputError:
    hint = did_you_mean(name, known) or rule
    return InputError.at(found=setting(option, name), expected=f"{expected} of the files", hint=hint)


class Raters(NamedTuple):
    """A judge, or people together, with their verdicts, (V,)."""

    name: str
    verdicts: Bools


@dataclass(frozen=True)
class PreferencesStudy:
    """Verdicts of people and judges.

    judged: verdicts of the judges to be evaluated, (V,); the others are those of people. people: what these are called.
    """

    config: ExperimentConfig
    origin: Sources
    verdicts: Verdicts
    judged: Bools
    people: str

    @property
    def contents(self) -> str:
        """What the files contain."""
        verdicts = self.verdicts
        on_items = f"{pluralize(len(verdicts.items), 'verdict')} on {pluralize(verdicts.number_of_items, 'item')}"
        return f"{on_items} and {pluralize(len(verdicts.systems), 'system')}"

    @property
    def judges(self) -> list[Raters]:
        """The judges to be evaluated."""
        codes = np.unique(self.verdicts.judges[self.judged]).tolist()
        return [Raters(self.verdicts.names_of_judges[code], self.verdicts.judges == code) for code in codes]

    def report(
        self, command: str, part: AnalysisOutput, *, command_line: str, sections: Sequence[object] = ()
    ) -> Report:
        """A report with the signature and the provenance of these verdicts."""
        settings, verdicts = self.config.settings_of(PreferencesSettings), self.verdicts
        parts: list[tuple[str, str | int]] = [
            ("verdicts", len(verdicts.items)),
            ("items", verdicts.number_of_items),
            ("systems", len(verdicts.systems)),
            ("judges", len(self.judges)),
            ("ties", settings.ties),
        ]
        options = (
            ("humans", ",".join(settings.humans)),
            ("judge", ",".join(settings.judges)),
            ("baseline", settings.baseline),
            ("clusters", settings.clusters),
            ("merge_orders", settings.merge_orders),
            ("exclude-systems", ",".join(settings.exclude_systems)),
            ("exclude-measures", ",".join(settings.exclude_measures)),
            ("covariates", ",".join(settings.covariates)),
        )
        parts += [(name, value) for name, value in options if value]
        return report_of(command, part, [*parts, ("seed", self.config.seed)], self.origin, command_line=command_line)


def read(config: ExperimentConfig, settings: PreferencesSettings, *, progress: Progress) -> PreferencesStudy:
    """Read the files of verdicts; their problems are one `InputError`."""
    if not settings.verdicts:
        raise refuse(config.file.path if config.file else None, not_given("file of verdicts", "verdicts"))
    gathered = Gathered()
    sources = SourceFiles(config.data.open)
    named_files, notes_on_folders = files_of_scores(settings.verdicts)
    files = []
    for file in progress(named_files, "Reading verdicts"):
        with gathered.errors():
            files.append(read_verdicts(sources.open(file.path, "verdicts"), settings, file.system))
    gathered.raise_any()
    choice = config.data.overlaid(exclude_systems=settings.exclude_systems).systems
    frames, notes_on_systems = _of_systems([frame for frame, _ in files], choice)
    frames = _without_metrics(frames, settings.exclude_measures)
    every = Verdicts.of(frames, settings.lower_is_better, settings.covariates)
    verdicts, notes_on_orders = every.with_merged_orders(settings.merge_orders)
    if settings.baseline is not None and settings.baseline not in verdicts.systems:
        hint = did_you_mean(settings.baseline, verdicts.systems) or "name a system of the verdicts"
        found = setting("baseline", settings.baseline)
        raise refuse(None, found, one_of(verdicts.systems), hint, kind="unknown")
    people, name, note = _people(_kinds(frames, verdicts.names_of_judges, settings))
    judged = ~np.isin(verdicts.judges, [verdicts.names_of_judges.index(person) for person in people])
    notes = [
        *notes_on_folders,
        *dict.fromkeys(note for _, notes_on_file in files for note in notes_on_file),
        *sources.notes,
        *notes_on_systems,
        *notes_on_orders,
        *note,
        *(["no agreement with people: no verdict of theirs is left"] if people and judged.all() else []),
        *_repeated(verdicts),
    ]
    origin = Sources((), sources.files, {}, tuple(notes))
    return PreferencesStudy(config, origin, verdicts, judged, name)


def _of_systems(files: Sequence[DataFrame], choice: SystemChoice) -> tuple[list[DataFrame], tuple[str, ...]]:
    """The verdicts on two systems that are evaluated, and a note on the others."""
    if not choice:
        return list(files), ()
    systems = [name for file in files for side in SIDES for name in file[side].unique()]
    kept = choice.of(systems)
    chosen = [file[file["left"].isin(kept) & file["right"].isin(kept)] for file in files]
    if not any(map(len, chosen)):
        why = f"{join_names(sorted(kept))} {'were never compared' if len(kept) > 1 else 'is alone'}"
        raise refuse(None, none_left("pair of systems", why, f"change {setting('exclude_systems')}"))
    return chosen, choice.notes(systems)


def _without_metrics(files: Sequence[DataFrame], excluded: Sequence[str]) -> list[DataFrame]:
    """The verdicts without the scores of metrics that are excluded."""
    stems = dict.fromkeys(stem for file in files for stem in _stems(file))
    metrics = [stem for stem in stems if stem not in (LENGTH, FAMILY)]
    left = without_excluded(metrics, excluded)
    columns = [f"{name}-{side}" for name in metrics if name not in left for side in SIDES]
    return [file.drop(columns=columns, errors="ignore") for file in files] if columns else list(files)


def _kinds(files: Sequence[DataFrame], names: Sequence[str], settings: PreferencesSettings) -> dict[str, str]:
    """The kind of each name: by the settings, or else by the files."""
    for option, patterns in (("humans", settings.humans), ("judges", settings.judges)):
        for pattern in patterns:
            if not any(matches(name, (pattern,)) for name in names):
                rule = "verdicts of a file without a column of judges are by the name of the file"
                hint = did_you_mean(pattern, names) or rule
                raise refuse(None, setting(option, pattern), one_of(names), hint, kind="unknown")
    kinds: dict[str, set[str]] = {}
    for file in files:
        for name, kind in file[["judge", "kind"]].drop_duplicates().itertuples(index=False):
            kinds.setdefault(name, set()).add(kind)
    chosen = {}
    for name in names:
        is_human, is_judge = matches(name, settings.humans), matches(name, settings.judges)
        # With names of people, no form of a file makes others people.
        by_files = kinds[name] - {OPEN, HUMAN if settings.humans else OPEN}
        known = {HUMAN} if is_human else {JUDGE} if is_judge else by_files
        if len(known) > 1 or (is_human and is_judge):
            both = f"'{shortened(name)}' as a person and as a judge"
            hint = f"name it with {setting('humans')} or {setting('judges')}, not with both"
            raise refuse(None, both, "one of both", hint, kind="conflict")
        chosen[name] = known.pop() if known else OPEN
    return chosen


def _people(kinds: Mapping[str, str]) -> tuple[list[str], str, list[Note | str]]:
    """Who the people are, what they are called, and notes on it; kinds: of every name.

    The people are those who are known to be, or else all who are not known to be judges.
    """
    known = [name for name, kind in kinds.items() if kind == HUMAN]
    people = known or [name for name, kind in kinds.items() if kind == OPEN]
    if not people:
        remedy = f"name people with {setting('humans')}, or add their verdicts"
        return [], PEOPLE, [Note("no agreement with people: every verdict is by a judge", remedy=remedy)]
    names = join_names(people)
    if known:
        return people, PEOPLE, [f"people: {names}"]
    remedy = f"name people with {setting('humans')}, or judges with {setting('judges')}"
    either = "is a person or a judge" if len(people) == 1 else "are people or judges"
    return people, names, [Note(f"nothing says whether {names} {either}", remedy=remedy)]


def _repeated(verdicts: Verdicts) -> list[str]:
    """A note on verdicts of one judge on the same item and systems in the same order."""
    keys = (verdicts.units * len(verdicts.names_of_judges) + verdicts.judges) * 2 + (verdicts.left < verdicts.right)
    again = len(keys) - len(np.unique(keys))
    return [f"{pluralize(again, 'verdict')} repeated by the same judge on the same outputs; all count"] if again else []
