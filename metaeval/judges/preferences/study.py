"""The study of this analysis: verdicts on pairs of outputs.

Verdicts on pairs of outputs, and the three forms of their files.

own       item, left, right, winner (left, right or tie), judge       in display order
pairs     item, better, worse                                         as in DARR; without a display order
fastchat  question_id, model_1, model_2, g1_winner, g2_winner, judge  two verdicts; in the second the order is swapped

Scores of metrics are in columns NAME-left and NAME-right, or NAME-better and NAME-worse; `length` and `family` are no
metrics, but lengths of the outputs and families of the systems, the latter with `family-judge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    empty,
    missing_column,
    not_given,
    one_of,
    pluralize,
    refuse,
    setting,
    shortened,
)
from metaeval.io.files.columns import TableColumns, row_numbers, row_numbers_note
from metaeval.io.files.json import NESTED, json_records
from metaeval.io.files.roles import ANNOTATOR, CLUSTER, ITEM, LANGUAGE_PAIR, TURN, WINNER, Role
from metaeval.io.files.run_files import files_of_scores, reject_repeated_files
from metaeval.io.files.source import Source, SourceFiles
from metaeval.judges.preferences.settings import PreferencesSettings
from metaeval.model.report import AnalysisOutput, Note, Report
from metaeval.study.study import Progress, Sources, report_of

if TYPE_CHECKING:
    from pandas import DataFrame


LENGTH, FAMILY = "length", "family"
WINNERS = {"left": 1, "right": -1, "tie": 0}
FASTCHAT_WINNERS = {"model_1": 1, "model_2": -1, "tie": 0, "error": 2}
NO_VERDICT = 2
SIDES = ("left", "right")
OWN, PAIRS, FASTCHAT = FORMS = (SIDES, ("better", "worse"), ("model_1", "model_2"))
"""The columns of the systems in each form."""

EXPECTED = (
    "columns item, left, right, winner; item, better, worse; or those of FastChat (model_1, model_2, g1_winner, …)"
)


@dataclass(frozen=True)
class Named:
    """The names of columns that the user chose; None for the usual ones."""

    item: str | None
    language_pair: str | None
    clusters: str | None


def read_verdicts(source: Source, named: Named, judge: str) -> tuple[DataFrame, list[str]]:
    """The verdicts of a file, and notes. judge: the name of the judge of a file without a column 'judge'.

    Columns: item, cluster, language_pair, left, right, judge; winner, 1 for left, −1 for right, 0 for a tie; displayed,
    whether left and right are the display order; NAME-left and NAME-right of metrics, lengths and families, and
    family-judge. All problems of the file are one `InputError`.
    """
    import pandas

    table = TableColumns.read(source, named.item)
    form, columns_of_sides = _form(table)
    notes = list(row_numbers_note(row_numbers(table.header, (named.item, named.clusters))))
    left, right = map(table.filled, columns_of_sides)
    item_column = table.find(ITEM, named.item)
    if item_column is None:
        notes.append(f"{table.path}: no column of items, so that every verdict is on an item of its own")
        items = [f"{table.path}:{line}" for line in table.lines]
    else:
        items = table.filled(item_column)
    clusters = items if named.clusters is None else table.filled(table.need(CLUSTER, named.clusters))
    turn = table.find(TURN)
    if turn is not None and (form is FASTCHAT or (item_column or "").casefold() == "question_id"):
        items = [f"{item}/{number}" for item, number in zip(items, table.texts(turn), strict=True)]
    for row, (one, other) in enumerate(zip(left, right, strict=True)):
        if one == other and one:
            table.reject(row, Problem(f"'{shortened(one)}' on both sides", "two different systems", kind="conflict"))
    language_column = table.find(LANGUAGE_PAIR, named.language_pair)
    columns: dict[str, Any] = {
        "item": items,
        "cluster": clusters,
        "language_pair": "" if language_column is None else table.filled(language_column),
        "left": left,
        "right": right,
        "winner": 1,
        "judge": _judges(table, source, judge),
        "displayed": form is not PAIRS,
        **_scores(table, form),
        **_families(table, form),
    }
    second = None
    if form is OWN:
        columns["winner"] = table.codes(table.need(WINNER), WINNERS, NO_VERDICT)
    elif form is FASTCHAT:
        games = [table.need(Role((name,))) for name in ("g1_winner", "g2_winner")]
        columns["winner"], second = (table.codes(game, FASTCHAT_WINNERS, NO_VERDICT) for game in games)
    table.raise_any("correct these rows, or leave them out")
    frame = pandas.DataFrame(columns)
    return (frame if second is None else _both_games(frame, second, table.path, notes)), notes


def _form(table: TableColumns) -> tuple[tuple[str, str], list[str]]:
    """The form of a table, and its columns of systems; the files of WMT write their names in capitals."""
    found = {form: [table.find(Role((side,))) for side in form] for form in FORMS}
    forms = [form for form, columns in found.items() if None not in columns]
    if not forms:
        hint = "rename the columns, or add those that are missing"
        raise refuse((table.path, 1), missing_column(table.header, "", hint).found, EXPECTED, hint, kind="missing")
    table.find(Role(tuple(form[0] for form in forms)))
    return forms[0], [str(column) for column in found[forms[0]]]


def _judges(table: TableColumns, source: Source, judge: str) -> list[str]:
    column = table.find(ANNOTATOR)
    if column is None:
        return [judge] * len(table)
    cells = table.texts(column)
    if NESTED not in cells:
        return table.filled(column)
    # FastChat writes the judge with the name of its prompt, as ["gpt-4", "pair-v2"].
    records = (dict(record) for _, record in json_records(source.text(), table.path, EXPECTED))
    judges = [record.get(column) for record in records]
    cells = [str(one[0]) if isinstance(one, list) and one else str(one or "") for one in judges]
    for row in [row for row, cell in enumerate(cells) if not cell]:
        table.reject(row, empty(f"value of '{column}'"))
    return cells


def _scores(table: TableColumns, form: tuple[str, str]) -> dict[str, Floats]:
    """The scores of every metric of which both sides have a column."""
    stems = dict.fromkeys(name.rpartition("-")[0] for name in table.header if name.rpartition("-")[2] in form)
    scores = {}
    for stem in filter(lambda stem: stem not in ("", FAMILY), stems):
        for mark, side in zip(form, SIDES, strict=True):
            if f"{stem}-{mark}" not in table.header:
                hint = f"'{stem}' needs a column for each side: add the column"
                raise refuse((table.path, 1), missing_column(table.header, f"{stem}-{mark}", hint))
            scores[f"{stem}-{side}"] = table.numbers(f"{stem}-{mark}", optional=True)
    return scores


def _families(table: TableColumns, form: tuple[str, str]) -> dict[str, Sequence[str]]:
    sides = (*SIDES, "judge")
    names = {f"{FAMILY}-{side}": f"{FAMILY}-{mark}" for side, mark in zip(sides, (*form, "judge"), strict=True)}
    missing = [name for name in names.values() if name not in table.header]
    if len(missing) == len(names):
        return {}
    if missing:
        hint = "add the column: families are of both sides and of the judge"
        raise refuse((table.path, 1), missing_column(table.header, missing[0], hint))
    return {side: table.texts(name) for side, name in names.items()}


def _both_games(frame: DataFrame, winner: NDArray[np.int8], path: str, notes: list[str]) -> DataFrame:
    """The verdicts of both games of FastChat; the winner names the model, which is on the other side in the second."""
    import pandas

    stems = ("", *(name.removesuffix("left") for name in map(str, frame) if name.endswith("-left")))
    swapped = {f"{stem}{side}": f"{stem}{other}" for stem in stems for side, other in (SIDES, SIDES[::-1])}
    second = frame.assign(winner=np.where(winner == NO_VERDICT, NO_VERDICT, -winner)).rename(columns=swapped)
    both = pandas.concat([frame, second[frame.columns]])
    decided = both[both["winner"] != NO_VERDICT]
    if decided.empty:
        found, hint = "no verdict: the winner of every game is 'error'", "leave the file out, or repeat the games"
        raise refuse(path, found, "verdicts", hint, kind="empty")
    if lost := len(both) - len(decided):
        notes.append(f"{path}: {lost:,} of {len(both):,} games without a verdict ('error') left out")
    return decided


@dataclass(frozen=True)
class Verdicts:
    """The V verdicts of all files, with codes for names.

    items, clusters, language_pairs, left, right, judges: codes of their names, (V,). winner: 1 for left, −1 for right,
    0 for a tie, (V,). scores: of metrics, left and right, higher better, NaN where missing, (V, 2). length: of the
    outputs, NaN where missing, (V, 2). own: 1 where only left is of the judge's family, −1 where only right is, else
    0, (V,). displayed: whether left and right are the display order, (V,).
    """

    items: Indices
    clusters: Indices
    language_pairs: Indices
    left: Indices
    right: Indices
    judges: Indices
    winner: NDArray[np.int8]
    scores: Mapping[str, Floats]
    length: Floats
    own: NDArray[np.int8]
    displayed: Bools
    systems: tuple[str, ...]
    names_of_judges: tuple[str, ...]
    names_of_language_pairs: tuple[str, ...]
    number_of_items: int

    @classmethod
    def of(cls, files: Sequence[DataFrame], lower_is_better: Sequence[str]) -> Verdicts:
        """The verdicts of files; a metric that is in none is an `InputError`."""
        import pandas

        frame = pandas.concat(files)
        stems = [name.removesuffix("-left") for name in map(str, frame) if name.endswith("-left")]
        scores = {
            stem: frame[[f"{stem}-left", f"{stem}-right"]].to_numpy(np.float64) for stem in stems if stem != FAMILY
        }
        for name in lower_is_better:
            if name not in scores:
                hint = did_you_mean(name, scores) or f"a metric has two columns, {name}-left and {name}-right"
                found = setting("lower_is_better", name)
                raise InputError.at(found=found, expected="a metric of the files", hint=hint)
        length = scores.pop(LENGTH, np.full((len(frame), 2), np.nan))
        own = np.zeros(len(frame), dtype=np.int8)
        if f"{FAMILY}-judge" in frame:
            left, right, judge = (frame[f"{FAMILY}-{side}"].fillna("").to_numpy(object) for side in (*SIDES, "judge"))
            own = ((left == judge).astype(np.int8) - (right == judge)) * (judge != "")
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
            scores={name: values * (-1 if name in lower_is_better else 1) for name, values in scores.items()},
            length=length,
            own=own,
            displayed=frame["displayed"].to_numpy(bool),
            systems=tuple(systems),
            names_of_judges=tuple(codes["judge"][1]),
            names_of_language_pairs=tuple(codes["language_pair"][1]),
            number_of_items=len(codes["item"][1]),
        )

    @property
    def units(self) -> Indices:
        """A code for the item and the two systems of each verdict, in either order, (V,)."""
        systems, languages = len(self.systems), len(self.names_of_language_pairs)
        pair = np.minimum(self.left, self.right) * systems + np.maximum(self.left, self.right)
        key = (self.items * languages + self.language_pairs) * systems**2 + pair
        return np.unique(key, return_inverse=True)[1]


@dataclass(frozen=True)
class PreferencesStudy:
    """Verdicts of people and judges. judged: verdicts of the judges to be evaluated, (V,)."""

    config: ExperimentConfig
    origin: Sources
    verdicts: Verdicts
    judged: Bools

    @property
    def contents(self) -> str:
        """What the files contain."""
        verdicts = self.verdicts
        on_items = f"{pluralize(len(verdicts.items), 'verdict')} on {pluralize(verdicts.number_of_items, 'item')}"
        return f"{on_items} and {pluralize(len(verdicts.systems), 'system')}"

    def report(
        self, command: str, part: AnalysisOutput, *, command_line: str, sections: Sequence[object] = ()
    ) -> Report:
        """A report with the signature and the provenance of these verdicts."""
        settings, verdicts = self.config.settings_of(PreferencesSettings), self.verdicts
        fields: list[tuple[str, str | int]] = [
            ("verdicts", len(verdicts.items)),
            ("items", verdicts.number_of_items),
            ("systems", len(verdicts.systems)),
            ("judges", ",".join(settings.judges) or "none"),
            ("ties", settings.ties),
        ]
        if settings.clusters:
            fields.append(("clusters", settings.clusters))
        fields += [("resamples", settings.resamples), ("seed", self.config.seed)]
        return report_of(command, part, fields, self.origin, command_line=command_line)


def read(config: ExperimentConfig, settings: PreferencesSettings, *, progress: Progress) -> PreferencesStudy:
    """Read the files of verdicts; their problems are one `InputError`."""
    if not settings.verdicts:
        raise refuse(config.file.path if config.file else None, not_given("file of verdicts", "verdicts"))
    gathered = Gathered()
    sources = SourceFiles(config.data.open)
    named = Named(settings.id_column, settings.language_pair_column, settings.clusters)
    files = []
    named_files = files_of_scores(settings.verdicts)
    reject_repeated_files(file.path for file in named_files)
    for file in progress(named_files, "Reading verdicts"):
        with gathered.errors():
            files.append(read_verdicts(sources.open(file.path, "verdicts"), named, file.system))
    gathered.raise_any()
    verdicts = Verdicts.of([frame for frame, _ in files], settings.lower_is_better)
    known = verdicts.names_of_judges
    for name in settings.judges:
        if name not in known:
            rule = "a file without a column 'judge' is of a judge with the name of the file"
            hint = did_you_mean(name, known) or rule
            raise refuse(None, setting("judges", name), one_of(known), hint, kind="unknown")
    judged = np.isin(verdicts.judges, [known.index(name) for name in settings.judges])
    notes = [
        *dict.fromkeys(note for _, notes_on_file in files for note in notes_on_file),
        *sources.notes,
        *_people(verdicts, settings.judges),
        *_repeated(verdicts),
    ]
    origin = Sources((), sources.files, {}, tuple(notes))
    return PreferencesStudy(config, origin, verdicts, judged)


def _people(verdicts: Verdicts, judges: Sequence[str]) -> list[Note | str]:
    """A note on who counts as people, which a judge does that was forgotten."""
    people = [name for name in verdicts.names_of_judges if name not in judges]
    if not people:
        remedy = f"name fewer judges with {setting('judges')}, or add verdicts of people"
        reason = "no agreement with people, no strengths and no human_scores: no verdict is by people"
        return [Note(reason, absent="human_scores", remedy=remedy)]
    names = join_names(people)
    if not judges:
        return [f"every judge counts as people ({names}): name those to be evaluated with {setting('judges')}"]
    return [f"people: {names}; every judge that {setting('judges')} does not name counts as one"]


def _repeated(verdicts: Verdicts) -> list[str]:
    """A note on verdicts of one judge on the same item and systems in the same order."""
    keys = np.stack([verdicts.judges, verdicts.items, verdicts.left, verdicts.right, verdicts.language_pairs])
    again = keys.shape[1] - np.unique(keys, axis=1).shape[1]
    return [f"{pluralize(again, 'verdict')} repeated by the same judge on the same outputs; all count"] if again else []
