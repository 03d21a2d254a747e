"""The study of this analysis: verdicts on pairs of outputs, and who judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import join_names
from metaeval.arrays import Bools, Floats, Indices
from metaeval.config import ExperimentConfig
from metaeval.errors import (
    Gathered,
    InputError,
    did_you_mean,
    none_left,
    not_given,
    one_of,
    pluralize,
    refuse,
    setting,
    shortened,
)
from metaeval.io.files.kinds import HUMAN, JUDGE, OPEN
from metaeval.io.files.run_files import SystemChoice, files_of_scores
from metaeval.io.files.source import SourceFiles
from metaeval.judges.preferences.forms import FAMILY, LENGTH, SIDES, read_verdicts, stems_of
from metaeval.judges.preferences.settings import MergeOrders, PreferencesSettings
from metaeval.model.report import Note
from metaeval.names import matches
from metaeval.study.study import AnalysedTables, Progress, Sources, without_excluded

if TYPE_CHECKING:
    from pandas import DataFrame


PEOPLE, RATERS = "people", "the raters"


@dataclass(frozen=True)
class Verdicts:
    """The V verdicts of all files, with codes for names.

    items, clusters, language_pairs, left, right, judges: codes of their names, (V,). winner: 1 for left, −1 for right,
    0 for a tie, (V,). certainty: probability of the winner, at least ½; 1 but for graded verdicts, (V,). weight: of the
    verdict, (V,). scores: of metrics, left and right, higher better, NaN where missing, (V, 2). length: of the
    outputs, NaN where missing, (V, 2). judges_family: 1 where only left is of the judge's family, −1 where only right
    is, else 0, (V,). displayed: whether left and right are the display order, (V,). covariates: of left less right, NaN
    where missing, (V,). runs: codes of repeated runs of judges, −1 for none; None without a column of them, (V,).
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
    names_of_clusters: tuple[str, ...] = ()
    runs: Indices | None = None

    @classmethod
    def of(cls, frame: DataFrame, lower_is_better: Sequence[str], covariates: Sequence[str] = ()) -> Verdicts:
        """The verdicts of files; a metric or a covariate that is in none is an `InputError`."""
        import pandas

        scores = {
            stem: frame[[f"{stem}-left", f"{stem}-right"]].to_numpy(np.float64)
            for stem in stems_of(frame)
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
        family_codes = np.zeros(len(frame), dtype=np.int8)
        if f"{FAMILY}-judge" in frame:
            left, right, judge = (frame[f"{FAMILY}-{side}"].fillna("").to_numpy(object) for side in (*SIDES, "judge"))
            family_codes = ((left == judge).astype(np.int8) - (right == judge)) * (judge != "")
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
            judges_family=family_codes,
            displayed=frame["displayed"].to_numpy(bool),
            systems=tuple(systems),
            names_of_judges=tuple(codes["judge"][1]),
            names_of_language_pairs=tuple(codes["language_pair"][1]),
            number_of_items=len(codes["item"][1]),
            covariates=columns,
            names_of_clusters=tuple(codes["cluster"][1]),
            runs=None if (frame["run"] == "").all() else pandas.factorize(frame["run"].replace("", None))[0],
        )

    def select(self, rows: Indices) -> Verdicts:
        """Some of the verdicts."""
        values = {attribute.name: getattr(self, attribute.name) for attribute in fields(self)}
        arrays: dict[str, Any] = {name: array[rows] for name, array in values.items() if isinstance(array, np.ndarray)}
        for name in ("scores", "covariates"):
            arrays[name] = {column: values[rows] for column, values in getattr(self, name).items()}
        return replace(self, **arrays)

    def with_merged_orders(self, differing: MergeOrders | None) -> tuple[Verdicts, list[str]]:
        """One verdict for both orders of the same outputs, whose order is then none, and a note on them."""
        import pandas

        if differing is None:
            return self, []
        outputs = self.judge_runs * (int(self.units.max()) + 1) + self.units
        # Outputs whose order is unknown have no other one.
        keys = pandas.Series(np.where(self.displayed, outputs, -1 - np.arange(len(outputs))))
        frame = pandas.DataFrame({"swapped": self.left > self.right, "outcome": self.outcome, "weight": self.weight})
        merged = frame.groupby(keys)
        several = merged[["swapped", "outcome"]].transform("nunique").to_numpy() > 1
        both = several[:, 0]
        differs, first = both & several[:, 1], ~keys.duplicated().to_numpy()
        rows = np.flatnonzero(~both | (first & ((differing == "tie") | ~differs)))
        if not len(rows):
            found = "no verdict is left: those on both orders of the same outputs differ"
            hint = f"count them as ties with {setting('merge_orders', 'tie')}"
            raise refuse(None, found, "verdicts that do not depend on the order", hint, kind="empty")
        winner = np.where(differs, 0, self.winner).astype(np.int8)
        weight = np.where(both, merged["weight"].transform("mean"), self.weight)
        verdicts = replace(self, winner=winner, weight=weight, displayed=self.displayed & ~both).select(rows)
        pairs = f"{pluralize(int((both & first).sum()), 'pair')} of verdicts on the same outputs in both orders"
        fate = "became ties" if differing == "tie" else "were left out"
        return verdicts, [f"{pairs} merged into one each; {int((differs & first).sum()):,} that differ {fate}"]

    @property
    def judge_runs(self) -> Indices:
        """A code for the judge of each verdict, and the run, (V,)."""
        if self.runs is None:
            return self.judges
        return np.asarray(self.judges * (int(self.runs.max()) + 2) + self.runs + 1)

    @cached_property
    def outputs(self) -> Indices:
        """A code for the judge of each verdict, what was judged, and in which order, if it is known, (V,)."""
        order = np.where(self.displayed, self.left < self.right, 2)
        key = (self.units * len(self.names_of_judges) + self.judges) * 3 + order
        return np.asarray(np.unique(key, return_inverse=True)[1])

    def averaged_over_runs(self) -> tuple[Verdicts, list[str]]:
        """The verdicts of repeated runs of a judge on the same outputs, which share the weight of one, and a note."""
        if self.runs is None:
            return self, []
        has_run = self.runs >= 0
        # A verdict without a run counts as it is.
        repeats = np.bincount(self.outputs, has_run)[self.outputs]
        part = np.where(has_run, 1 / np.maximum(repeats, 1), 1.0)
        note = f"{pluralize(int(has_run.sum()), 'verdict')} of repeated runs count as {round(part[has_run].sum()):,}"
        return replace(self, weight=self.weight * part), [note]

    @cached_property
    def outcome(self) -> Indices:
        """0 where the system of the lower code wins, 1 where the other one does, 2 for ties, (V,)."""
        first = np.where(self.left < self.right, self.winner, -self.winner)
        return np.select([first > 0, first < 0], [0, 1], 2)

    @cached_property
    def outcomes(self) -> Floats:
        """What each verdict adds to the wins of left, to those of right, and to ties, (3, V)."""
        wins = [np.where(self.winner == side, self.certainty, 1 - self.certainty) for side in (1, -1)]
        return self.weight * np.where(self.winner == 0, [[0.0], [0.0], [1.0]], [*wins, np.zeros(len(self.winner))])

    @cached_property
    def outcomes_of_units(self) -> Floats:
        """The same for the system of the lower code, the other one, and ties, (V, 3)."""
        return np.where(self.left < self.right, self.outcomes, self.outcomes[[1, 0, 2]]).T

    @cached_property
    def units(self) -> Indices:
        """A code for the item and the two systems of each verdict, in either order, (V,)."""
        systems, languages = len(self.systems), len(self.names_of_language_pairs)
        pair = np.minimum(self.left, self.right) * systems + np.maximum(self.left, self.right)
        key = (self.items * languages + self.language_pairs) * systems**2 + pair
        return np.unique(key, return_inverse=True)[1]


def _not_in_files(option: str, name: str, names: Iterable[str], expected: str, rule: str) -> InputError:
    hint = did_you_mean(name, names) or rule
    return refuse(None, setting(option, name), f"{expected} of the files", hint)


class Raters(NamedTuple):
    """A judge, or people together, with their verdicts, (V,)."""

    name: str
    verdicts: Bools


@dataclass(frozen=True)
class PreferencesStudy(AnalysedTables):
    """Verdicts of people and judges.

    judged: verdicts of the judges to be evaluated, (V,); the others are those of people. people: what these are called.
    levels: the study of each level of a column of groups.
    """

    verdicts: Verdicts
    judged: Bools
    people: str
    levels: Mapping[str, PreferencesStudy] = field(default_factory=dict)

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

    def settings(self) -> list[tuple[str, object]]:
        """The fields of the signature."""
        settings, verdicts = self.config.settings_of(PreferencesSettings), self.verdicts
        return [
            ("verdicts", len(verdicts.items)),
            ("items", verdicts.number_of_items),
            ("systems", len(verdicts.systems)),
            ("judges", len(self.judges)),
            ("ties", settings.ties),
            ("humans", ",".join(settings.humans)),
            ("judge", ",".join(settings.judges)),
            ("baseline", settings.baseline),
            ("clusters", settings.clusters),
            ("group", settings.group),
            ("replicates", settings.replicates),
            ("merge_orders", settings.merge_orders),
            ("exclude-systems", ",".join(settings.exclude_systems)),
            ("exclude-measures", ",".join(settings.exclude_measures)),
            ("covariates", ",".join(settings.covariates)),
            ("seed", self.config.seed),
        ]


def read(config: ExperimentConfig, settings: PreferencesSettings, *, progress: Progress) -> PreferencesStudy:
    """Read the files of verdicts; their problems are one `InputError`."""
    import pandas

    if not settings.verdicts:
        raise refuse(config.file.path if config.file else None, not_given("file of verdicts", "verdicts"))
    problems = Gathered()
    sources = SourceFiles(config.data.open)
    named_files, notes_on_folders = files_of_scores(settings.verdicts)
    files = []
    for file in progress(named_files, "Reading verdicts"):
        with problems.errors():
            files.append(read_verdicts(sources.open(file.path, "verdicts"), settings, file.system))
    problems.raise_any()
    choice = config.data.overlaid(exclude_systems=settings.exclude_systems).systems
    frames, notes_on_systems = _select_systems([frame for frame, _ in files], choice)
    frame = pandas.concat(_without_metrics(frames, settings))
    unnamed = {file.system for file in named_files if not file.is_named}
    people, name, note = _people(_kinds(frame, settings), unnamed)
    notes = [
        *notes_on_folders,
        *dict.fromkeys(note for _, notes_on_file in files for note in notes_on_file),
        *sources.notes,
        *notes_on_systems,
        *note,
    ]
    study = _study(config, frame, people, name, Sources((), sources.files, {}, tuple(notes)))
    if settings.baseline is not None and settings.baseline not in study.verdicts.systems:
        hint = did_you_mean(settings.baseline, study.verdicts.systems) or "name a system of the verdicts"
        found = setting("baseline", settings.baseline)
        raise refuse(None, found, one_of(study.verdicts.systems), hint, kind="unknown")
    if settings.group is None:
        return study
    parts = {level: frame[frame["group"] == level] for level in frame["group"].unique()}
    levels, left_out = {}, []
    for level, part in parts.items():
        try:
            levels[level] = _study(config, part, people, name, study.origin)
        except InputError as error:
            left_out.append(f"left out: group '{level}': {error.problems[0].at(None)}")
    origin = replace(study.origin, notes=(*study.origin.notes, *left_out))
    return replace(study, levels=levels, origin=origin)


def _study(
    config: ExperimentConfig, frame: DataFrame, people: Sequence[str], name: str, origin: Sources
) -> PreferencesStudy:
    """The study of verdicts. people: the names of the people, and what they are called together."""
    settings = config.settings_of(PreferencesSettings)
    every = Verdicts.of(frame, settings.lower_is_better, settings.covariates)
    merged, notes_on_orders = every.with_merged_orders(settings.merge_orders)
    verdicts, notes_on_runs = merged.averaged_over_runs()
    judged = ~np.isin(verdicts.judges, [code for code, name in enumerate(verdicts.names_of_judges) if name in people])
    notes = [
        *origin.notes,
        *notes_on_orders,
        *notes_on_runs,
        *(["no agreement with people: no verdict of theirs is left"] if people and judged.all() else []),
        *_on_repeats(verdicts),
    ]
    return PreferencesStudy(config, replace(origin, notes=tuple(notes)), verdicts, judged, name)


def _select_systems(files: Sequence[DataFrame], choice: SystemChoice) -> tuple[list[DataFrame], tuple[str, ...]]:
    """The verdicts on two systems that are evaluated, and a note on the others."""
    if not choice:
        return list(files), ()
    systems = [name for file in files for side in SIDES for name in file[side].unique()]
    names = choice.of(systems)
    frames = [file[file["left"].isin(names) & file["right"].isin(names)] for file in files]
    if not any(map(len, frames)):
        why = f"{join_names(sorted(names))} {'were never compared' if len(names) > 1 else 'is alone'}"
        raise refuse(None, none_left("pair of systems", why, f"change {setting('exclude_systems')}"))
    return frames, choice.notes(systems)


def _without_metrics(files: Sequence[DataFrame], settings: PreferencesSettings) -> list[DataFrame]:
    """The verdicts without the scores of metrics that are excluded."""
    stems = dict.fromkeys(stem for file in files for stem in stems_of(file))
    metrics = [stem for stem in stems if stem not in (LENGTH, FAMILY, *settings.covariates)]
    left = without_excluded(metrics, settings.exclude_measures)
    columns = [f"{name}-{side}" for name in metrics if name not in left for side in SIDES]
    return [file.drop(columns=columns, errors="ignore") for file in files] if columns else list(files)


def _kinds(frame: DataFrame, settings: PreferencesSettings) -> dict[str, str]:
    """The kind of each name: by the settings, or else by the files."""
    names = list(frame["judge"].unique())
    for option, patterns in (("humans", settings.humans), ("judges", settings.judges)):
        for pattern in patterns:
            if not any(matches(name, (pattern,)) for name in names):
                rule = "verdicts of a file without a column of judges are by the name of the file"
                hint = did_you_mean(pattern, names) or rule
                raise refuse(None, setting(option, pattern), one_of(names), hint, kind="unknown")
    kinds: dict[str, set[str]] = {}
    for name, kind in frame[["judge", "kind"]].drop_duplicates().itertuples(index=False):
        kinds.setdefault(name, set()).add(kind)
    kind_by_name = {}
    for name in names:
        is_human, is_judge = matches(name, settings.humans), matches(name, settings.judges)
        # With names of people, no form of a file makes others people.
        by_files = kinds[name] - {OPEN, HUMAN if settings.humans else OPEN}
        name_kinds = {HUMAN} if is_human else {JUDGE} if is_judge else by_files
        if len(name_kinds) > 1 or (is_human and is_judge):
            both = f"'{shortened(name)}' as a person and as a judge"
            hint = f"name it with {setting('humans')} or {setting('judges')}, not with both"
            raise refuse(None, both, "one of both", hint, kind="conflict")
        kind_by_name[name] = name_kinds.pop() if name_kinds else OPEN
    return kind_by_name


def _people(kinds: Mapping[str, str], unnamed: Collection[str]) -> tuple[list[str], str, list[Note | str]]:
    """Who the people are, what they are called, and notes on it; kinds: of every name.

    The people are those who are known to be, or else all who are not known to be judges. unnamed: names of files, which
    are no names of people.
    """
    humans = [name for name, kind in kinds.items() if kind == HUMAN]
    people = humans or [name for name, kind in kinds.items() if kind == OPEN]
    if not people:
        remedy = f"name people with {setting('humans')}, or add their verdicts"
        return [], PEOPLE, [Note("no agreement with people: every verdict is by a judge", remedy=remedy)]
    names = join_names(people)
    if humans:
        return people, PEOPLE, [f"people: {names}"]
    if len(people) == 1 and names in unnamed:
        remedy = f"set {setting('humans', names)} or {setting('judges', names)}"
        return people, RATERS, [Note(f"nothing says whether the raters of {names} are people or judges", remedy=remedy)]
    remedy = f"name people with {setting('humans')}, or judges with {setting('judges')}"
    either = "is a person or a judge" if len(people) == 1 else "are people or judges"
    return people, names, [Note(f"nothing says whether {names} {either}", remedy=remedy)]


def _on_repeats(verdicts: Verdicts) -> list[str]:
    """A note on verdicts of one judge, and of one run, on the same item and systems in the same order."""
    judge_runs = verdicts.judge_runs
    keys = (verdicts.units * (int(judge_runs.max()) + 1) + judge_runs) * 2 + (verdicts.left < verdicts.right)
    again = len(keys) - len(np.unique(keys))
    return [f"{pluralize(again, 'verdict')} repeated by the same judge on the same outputs; all count"] if again else []
